"""Four implementations, one answer: how far from float64, and how far may rounding take them? (lesson 08)

Each is the whole of multi-head attention, with the same projections: the NumPy helper, the readable path,
the fused path, and nn.MultiheadAttention. `parity_grid` measures; `parity_table` says it in words that come
out the same on every machine.
"""

import copy
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from helpers.cross_attention import cross_attention
from helpers.masking import causal_mask as numpy_causal_mask
from helpers.multi_head import multi_head_attention
from helpers.pytorch.attention import MultiHeadAttention, best_device, causal_mask
from helpers.pytorch.weights import from_torch, to_numpy, to_torch

BATCH, N_HEADS, D_HEAD, D_CONTEXT = 2, 3, 8, 20
D_MODEL = N_HEADS * D_HEAD  # nn.MultiheadAttention knows no other

# n_queries and n_keys, in PyTorch's manual L and S: more than 32, so that a fused kernel needs a second tile.
LENGTHS = {"L = S": (37, 37), "L < S": (35, 47), "L > S": (47, 35)}
MASKS = ("none", "causal", "padding", "both", "empty row")
DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
QUANTITIES = ("output", "gradients")
REAL_KEYS, EMPTY_ROW = (23, 31), 5  # the keys of each sequence that are no padding; the query without a key

NO_GRADIENTS = "no gradients: lesson 11"
NO_BFLOAT16 = "NumPy has no bfloat16"
NO_FLOAT64 = "the device has no float64"


class Case(NamedTuple):
    """One multi-head attention to compute, on the CPU in some dtype, and the device that is to compute it.

    x (B, L, d_model); context (B, S, d_context), or None for self-attention. mask (B, 1, S) for padding,
    (L, S) for an empty row, or None; `causal` hides the future beside it. arriving (B, L, d_model) is the
    gradient for the output, from which all others follow.
    """

    module: MultiHeadAttention
    x: Tensor
    context: Tensor | None
    mask: Tensor | None
    causal: bool
    arriving: Tensor
    device: torch.device


class Answer(NamedTuple):
    """The output (B, L, d_model), and the gradients of x, context and every parameter, by name.

    What cannot be had is None, and `note` says why.
    """

    output: Tensor | None
    gradients: Mapping[str, Tensor] | None
    note: str = ""


class Row(NamedTuple):
    """How far one implementation is from float64 in one case, and how far rounding may take it.

    difference is the largest one, as a share of the largest number of the tensor in which it stands. It is
    NaN where NaN came out, and None where there is nothing to compare: `note` says why.
    """

    implementation: str
    mask: str
    lengths: str
    dtype: str
    quantity: str
    difference: float | None
    tolerance: float
    note: str = ""

    @property
    def within(self) -> bool:
        """() -> whether there is a difference and it is at most the tolerance. NaN is not."""
        return self.difference is not None and self.difference <= self.tolerance


# --- the grid and its table ---------------------------------------------------------------------------------


def parity_grid(
    device: torch.device | str | None = None,
    implementations: Mapping[str, Callable[[Case], Answer]] | None = None,
) -> list[Row]:
    """A device, or None for the best -> rows: every dtype × length × mask × implementation × quantity.

    The implementations are the four of this module, unless others are given by name. The reference is the
    plain formula in float64, on the CPU, from the numbers as the dtype has rounded them: only the rounding
    on the way from them to the answer is measured.
    The CPU's products are PyTorch's own here, not oneDNN's (`_without_onednn` says why); both stay within.
    Raises ValueError where the device is not here.
    """
    device = best_device(device)
    implementations = IMPLEMENTATIONS if implementations is None else implementations
    rows: list[Row] = []
    with _one_thread(), _without_onednn():
        for dtype, lengths, mask in itertools.product(DTYPES, LENGTHS, MASKS):
            case = make_case(mask, lengths, dtype, device)
            rows += _rows(case, (mask, lengths), implementations)
    return rows


def parity_table(rows: Iterable[Row]) -> str:
    """Rows of parity_grid -> a table. A bound stands where each difference is within its tolerance.

    It is the tolerance, rounded up to one digit, and never the difference: that differs between machines.
    Masks with the same cells share a line.
    """
    rows = list(rows)
    names = list(dict.fromkeys(row.implementation for row in rows))
    lines = [("numbers", "what", "mask", *names)]
    for dtype, quantity in dict.fromkeys((row.dtype, row.quantity) for row in rows):
        here = [row for row in rows if (row.dtype, row.quantity) == (dtype, quantity)]
        masks_by_cells: dict[tuple[str, ...], list[str]] = {}
        for mask in dict.fromkeys(row.mask for row in here):
            cells = (_cell([r for r in here if (r.mask, r.implementation) == (mask, name)]) for name in names)
            masks_by_cells.setdefault(tuple(cells), []).append(mask)
        lines += [(dtype, quantity, ", ".join(masks), *cells) for cells, masks in masks_by_cells.items()]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Small tensors gain nothing from a second thread, and on a busy machine they wait for it long."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _without_onednn() -> Iterator[None]:
    """oneDNN compiles a program for each new shape of a product, and keeps it: the grid has over a hundred.

    In bfloat16, on a processor with AMX (the matrix units of newer Xeons), they hold more than a megabyte
    each: 85 MB together.
    """
    before = torch.backends.mkldnn.enabled
    torch.backends.mkldnn.enabled = False  # type: ignore[assignment]
    try:
        yield
    finally:
        torch.backends.mkldnn.enabled = before


def _rows(
    case: Case, names: tuple[str, str], implementations: Mapping[str, Callable[[Case], Answer]]
) -> Iterator[Row]:
    exact, score_size = exact_answer(case)
    dtype, (n_queries, n_keys) = case.x.dtype, _lengths(case)
    for name, answer_of in implementations.items():
        answer = answer_of(case)
        for quantity in QUANTITIES:
            found, expected = compared_tensors(answer, quantity), compared_tensors(exact, quantity)
            difference = None if found is None or expected is None else largest_share(found, expected)
            allowed = tolerance(dtype, score_size, n_queries, n_keys, quantity)
            note = answer.note if difference is None else ""
            yield Row(name, *names, str(dtype).removeprefix("torch."), quantity, difference, allowed, note)


def _cell(rows: list[Row]) -> str:
    """The rows of one cell, one for each length -> what the table says of them."""
    bound = f"{rounded_up(max(row.tolerance for row in rows)):.0e}".replace("e-0", "e-")
    notes = {row.note for row in rows if row.difference is None}
    if notes:
        return ", ".join(sorted(notes))
    nan = [row.lengths for row in rows if math.isnan(row.difference or 0.0)]
    above = [row.lengths for row in rows if row.lengths not in nan and not row.within]
    parts = [f"≤ {bound}"] if len(nan) + len(above) < len(rows) else []
    for word, lengths in (("NaN", nan), (f"above {bound}", above)):
        if lengths:
            parts.append(word if len(lengths) == len(rows) else f"{word} where {', '.join(lengths)}")
    return "; ".join(parts)


def rounded_up(number: float) -> float:
    """0.0213 -> 0.03: one digit."""
    unit = 10.0 ** math.floor(math.log10(number))
    return math.ceil(number / unit) * unit


# --- the reference, and what rounding may do ----------------------------------------------------------------


def plain_attention(
    parameters: Mapping[str, Tensor], x: Tensor, context: Tensor, allowed: Tensor
) -> tuple[Tensor, Tensor]:
    """Parameters, (B, L, d_model), (B, S, d_context), (B, L, S) -> output (B, L, d_out), scores (H, B, L, S).

    Multi-head attention as one would write it on paper: exponentials over their sum, a head at a time, with
    its rows cut out of the parameters of MultiHeadAttention. It shares no line with what it judges, and it
    is meant for float64 and for small scores: nothing is subtracted before exp.
    """
    output, scores_of_heads = parameters["to_output.bias"], []
    for own in torch.arange(D_MODEL).chunk(N_HEADS):
        queries, keys, values = (
            rows @ parameters[f"{name}.weight"][own].T + parameters[f"{name}.bias"][own]
            for name, rows in (("to_queries", x), ("to_keys", context), ("to_values", context))
        )
        scores = torch.einsum("bic,bjc->bij", queries, keys) / math.sqrt(len(own))
        exponentials = scores.exp() * allowed
        total = exponentials.sum(dim=2, keepdim=True)
        weights = exponentials / (total + (total == 0))  # 0 / 1 for a query without a key
        output = output + weights @ values @ parameters["to_output.weight"][:, own].T
        scores_of_heads.append(scores)
    return output, torch.stack(scores_of_heads)


def exact_answer(case: Case) -> tuple[Answer, float]:
    """A case -> plain_attention's output and gradients in float64, and the root mean square of its scores."""
    n_queries, n_keys = _lengths(case)
    last_key = torch.arange(n_queries)[:, None] + (n_keys - n_queries if case.causal else n_keys)
    allowed = (torch.arange(n_keys) <= last_key).expand(BATCH, n_queries, n_keys)
    allowed = allowed if case.mask is None else allowed & case.mask
    parameters = {name: _leaf(parameter) for name, parameter in case.module.state_dict().items()}
    inputs = {name: _leaf(rows) for name, rows in _inputs(case).items()}
    output, scores = plain_attention(parameters, inputs["x"], inputs.get("context", inputs["x"]), allowed)
    found = _gradients(output, case.arriving.double(), inputs | parameters)
    return Answer(output.detach(), found), float(scores.detach().square().mean().sqrt())


def tolerance(dtype: torch.dtype, score_size: float, n_queries: int, n_keys: int, quantity: str) -> float:
    """dtype, size of a score, L, S, "output" or "gradients" -> how large a difference rounding may make.

    As a share of the largest number. It is derived; no factor was chosen to make a test pass:

    - Each number that is stored is rounded, by eps/2 of itself at most. A sum of n products is rounded n
      times on the way, in float32 at least: half-precision products are added up in float32. Errors have
      either sign, so their squares add: a stored sum is off by e(n) = √(eps² + n·eps_sum²). With eps, and not
      eps/2, this is 3.5 standard deviations of an error that lies evenly from −eps/2 to eps/2.
    - A score is a sum of products of queries and keys, which are sums themselves. It is stored before and
      after the scale, and once more less the largest of its row. All of that counts score_size times (the
      root mean square: in a mixture of many keys the errors of many scores meet).
    - e^(s + δ) ≈ e^s (1 + δ): the absolute error of a score is the relative error of its weight. So larger
      scores cost digits. exp, the row's sum and the division come on top.
    - The output adds the errors of the values, of the mixture and of W_O.
    - The way back to the gradients makes as many sums again, of numbers that the way there has rounded; those
      for a matrix run over all tokens of the batch.
    - The reference rounds, too, in float64: where the dtype is float64, that doubles the squares.

    Raises ValueError for any other quantity.
    Source of the view that rounding errors add as squares: Higham and Mary 2019, "A New Approach to
    Probabilistic Rounding Error Analysis".
    """
    if quantity not in QUANTITIES:
        raise ValueError(f"quantity must be one of {QUANTITIES}; got {quantity!r}")
    eps, eps_64 = torch.finfo(dtype).eps, torch.finfo(torch.float64).eps
    eps_sum = min(eps, torch.finfo(torch.float32).eps)

    def stored(*sums: int) -> float:
        return sum(eps**2 + n * eps_sum**2 for n in sums)

    scores = score_size**2 * stored(D_MODEL, D_CONTEXT, D_HEAD, 1, 1)
    weights = scores + stored(1, n_keys, 1)  # exp, the sum of the row, the division
    output = weights + stored(D_CONTEXT, n_keys, D_MODEL)
    back = output + stored(BATCH * max(n_queries, n_keys))
    squares = output if quantity == "output" else output + back
    return math.sqrt(squares * (1 + (eps_64 / eps) ** 2))


def largest_share(found: Mapping[str, Tensor], exact: Mapping[str, Tensor]) -> float:
    """Tensors by name, twice -> the largest difference, as a share of the largest exact number of its tensor.

    NaN where there is one. Raises ValueError where a name or a shape is missing from either.
    """
    shapes, expected = ({name: t.shape for name, t in each.items()} for each in (found, exact))
    if shapes != expected:
        raise ValueError(f"expected {expected}; got {shapes}")
    shares = [
        (found[name].detach().cpu().double() - tensor).abs().max() / tensor.abs().max()
        for name, tensor in exact.items()
    ]
    return float(torch.stack(shares).max())  # unlike Python's max, this one keeps a NaN


# --- the four -----------------------------------------------------------------------------------------------


def numpy_answer(case: Case) -> Answer:
    """A case -> the output of helpers.multi_head or helpers.cross_attention, which have no gradients."""
    if case.x.dtype == torch.bfloat16:
        return Answer(None, None, NO_BFLOAT16)
    mask = None if case.mask is None else case.mask.numpy()
    if case.causal:
        triangle = numpy_causal_mask(*_lengths(case))
        mask = triangle if mask is None else mask & triangle
    projections, x = to_numpy(case.module), case.x.numpy()
    if case.context is None:
        output, _ = multi_head_attention(x, projections, N_HEADS, mask)
    else:
        output, _ = cross_attention(x, case.context.numpy(), projections, N_HEADS, mask)
    return Answer(torch.from_numpy(output), None, NO_GRADIENTS)


def readable_answer(case: Case) -> Answer:
    """A case -> output and gradients of MultiHeadAttention.with_weights."""
    ours, mask = copy.deepcopy(case.module), _on_device(case, case.mask)
    return _torch_answer(case, ours, lambda x, context: ours.with_weights(x, context, mask, case.causal)[0])


def fused_answer(case: Case) -> Answer:
    """A case -> output and gradients of MultiHeadAttention.forward."""
    ours, mask = copy.deepcopy(case.module), _on_device(case, case.mask)
    return _torch_answer(case, ours, lambda x, context: ours(x, context, mask, case.causal))


def their_answer(case: Case, need_weights: bool = True) -> Answer:
    """A case -> output and gradients of nn.MultiheadAttention, whose masks are True for "may not attend".

    need_weights is True unless told, there as here.
    """
    theirs, mask = to_torch(case.module), _on_device(case, case.mask)
    hidden = ~causal_mask(*_lengths(case), case.device) if case.causal else None
    padding = None
    if mask is not None and mask.ndim == 3:
        padding = ~mask[:, 0]
    elif mask is not None:
        hidden = ~mask

    def run(x: Tensor, context: Tensor | None) -> Tensor:
        keys = x if context is None else context
        given = {"key_padding_mask": padding, "attn_mask": hidden, "need_weights": need_weights}
        return theirs(x, keys, keys, **given)[0]

    answer = _torch_answer(case, theirs, run)
    if answer.gradients is None:
        return answer
    # A gradient has the shape of its parameter. Put in its place, it goes to our names as a parameter does.
    gradients = dict(answer.gradients)
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            parameter.copy_(gradients.pop(name))
    return answer._replace(gradients=gradients | from_torch(theirs).state_dict())


IMPLEMENTATIONS: dict[str, Callable[[Case], Answer]] = {
    "NumPy helper": numpy_answer,
    "readable": readable_answer,
    "fused": fused_answer,
    "nn.MultiheadAttention": their_answer,
}


def _torch_answer(case: Case, module: nn.Module, run: Callable[[Tensor, Tensor | None], Tensor]) -> Answer:
    if case.device.type == "mps" and case.x.dtype == torch.float64:
        return Answer(None, None, NO_FLOAT64)
    module.to(case.device)
    inputs = {name: rows.to(case.device, copy=True).requires_grad_() for name, rows in _inputs(case).items()}
    output = run(inputs["x"], inputs.get("context"))
    of_all = inputs | dict(module.named_parameters())
    return Answer(output.detach(), _gradients(output, case.arriving.to(case.device), of_all))


# --- cases --------------------------------------------------------------------------------------------------


def make_case(mask: str, lengths: str, dtype: torch.dtype, device: torch.device) -> Case:
    """A name of MASKS, one of LENGTHS, a dtype, a device -> the case, the same numbers for each mask.

    Rows, queries, keys, values and scores all have a spread of about 1.
    Raises ValueError for any other name.
    """
    if mask not in MASKS or lengths not in LENGTHS:
        raise ValueError(
            f"mask must be one of {MASKS}, lengths one of {tuple(LENGTHS)}; got {mask!r}, {lengths!r}"
        )
    n_queries, n_keys = LENGTHS[lengths]
    d_context = D_MODEL if lengths == "L = S" else D_CONTEXT
    numbers = np.random.default_rng(8)

    def drawn(*shape: int) -> Tensor:
        return torch.from_numpy(numbers.standard_normal(shape)).to(dtype)

    x, arriving = drawn(BATCH, n_queries, D_MODEL), drawn(BATCH, n_queries, D_MODEL)
    context = None if lengths == "L = S" else drawn(BATCH, n_keys, d_context)
    module = MultiHeadAttention(D_MODEL, N_HEADS, d_context=d_context, dtype=dtype).eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(drawn(*parameter.shape) / math.sqrt(parameter.shape[-1]))
    hiding = None
    if mask in ("padding", "both"):
        hiding = torch.arange(n_keys) < torch.tensor(REAL_KEYS)[:, None, None]
    elif mask == "empty row":
        hiding = (torch.arange(n_queries) != EMPTY_ROW)[:, None].expand(n_queries, n_keys)
    return Case(module, x, context, hiding, mask in ("causal", "both"), arriving, device)


def _lengths(case: Case) -> tuple[int, int]:
    keys = case.x if case.context is None else case.context
    return case.x.shape[1], keys.shape[1]


def _inputs(case: Case) -> dict[str, Tensor]:
    return {"x": case.x} if case.context is None else {"x": case.x, "context": case.context}


def _on_device(case: Case, mask: Tensor | None) -> Tensor | None:
    return None if mask is None else mask.to(case.device)


def _leaf(tensor: Tensor) -> Tensor:
    """The same numbers in float64, to be differentiated by."""
    return tensor.detach().double().clone().requires_grad_()


def _gradients(output: Tensor, arriving: Tensor, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    found = torch.autograd.grad(output, list(inputs.values()), arriving)
    return dict(zip(inputs, found, strict=True))


def compared_tensors(answer: Answer, quantity: str) -> dict[str, Tensor] | None:
    """An answer -> the tensors that are compared, by name.

    The bias of the keys moves all scores of a query alike, and softmax ignores that: its gradient is 0, and
    what is left of it is measured beside the gradient of the queries' bias.
    """
    if quantity == "output":
        return None if answer.output is None else {"output": answer.output}
    if answer.gradients is None:
        return None
    gradients = dict(answer.gradients)
    biases = [gradients.pop(f"{name}.bias") for name in ("to_queries", "to_keys")]
    return gradients | {"to_queries.bias, to_keys.bias": torch.cat(biases)}
