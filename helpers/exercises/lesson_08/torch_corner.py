"""torch-corner, lesson 08: A causal step with fewer queries than keys."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe, triple
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property, alike
from helpers.exercises.lesson_08.shared import SIX_LINES, TENSORS, WHOSE_TRUE
from helpers.pytorch.attention import fused_attention
from helpers.validation import Array

CORNER = "08: Which corner?"


def step(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Queries of the last tokens, keys and values of all -> causal output."""
    return fused_attention(queries, keys, values, causal=True)


def _step_probe(
    kind: str, stack: tuple[int, ...], n_queries: int, n_keys: int, start: int, d_head: int = 4,
    hard: bool = False,
) -> Probe:  # fmt: skip
    widths = {"d_k": d_head, "d_v": d_head}
    rows = {"n_queries": n_queries, "n_keys": n_keys}
    inputs = triple(*stack, **rows, **widths, start=start, dtype=np.float32, apart=300)
    return Probe(kind, inputs, hard, TENSORS)


OF_TASK = {
    "queries": np.zeros((1, 1, 1, 2), dtype=np.float32),
    "keys": np.zeros((1, 1, 3, 2), dtype=np.float32),
    "values": np.array([[[[3.0, 0.0], [6.0, 0.0], [12.0, 9.0]]]], dtype=np.float32),
}


def _last_query_reads(inputs: Mapping[str, Any], output: Array, call: Any) -> str:
    queries, keys, values = inputs.values()
    changed = values.copy()
    changed[..., -1, :] += 3
    again = call(queries, keys, changed)
    same = alike(again, output)
    if same and not np.any(abs(again - output)[..., -1, :] > 1e-5):
        return (
            "Changing the value of the newest token does not move the output of the newest query, which "
            "should read it."
        )
    return ""


def bug(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """(..., n_queries, d_head), (..., n_keys, d_head) twice -> output, wrong: aligned to the upper left."""
    return F.scaled_dot_product_attention(queries, keys, values, is_causal=True)


def my_step(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """(..., n_queries, d_head), (..., n_keys, d_head) twice -> (..., n_queries, d_head)."""
    n_queries, n_keys = queries.shape[-2], keys.shape[-2]
    mask = torch.ones(n_queries, n_keys, dtype=torch.bool, device=queries.device).tril(n_keys - n_queries)
    return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)


def plain(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """Queries, keys, values, a mask -> output by hand: nan for a query without a key."""
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    return torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1) @ values


EDITS = Edits(
    my_step,
    {
        "ones": "torch.ones(n_queries, n_keys, dtype=torch.bool, device=queries.device)",
        "table": "mask",
        "form": "mask",
    },
)
SECTIONS = {"true": WHOSE_TRUE, "lines": SIX_LINES}
MISTAKES = EDITS.mistakes(
    """
upper-left
    the triangle starts in the upper left corner, as if the queries were the first tokens
    is_causal=True does this, whatever mask you pass with it, and so does a mask made by
    torch.ones(n_queries, n_keys).tril(). The queries are the last tokens: the diagonal should end in the
    lower right corner. (An offset from shape[1] is 0: that axis counts heads. Count from the end.)
    | table => ones.tril()

upper-left-unless-one
    one new token is right now, but several new tokens still count from the upper left
    Dropping the flag for one query helps that query only. With 5 new tokens of 7 the first of them stands
    at place 2, and may read places 0 to 2. One mask covers every case.
    | table => ones.tril() if n_queries > 1 else None

open-unless-square
    with fewer queries than keys nothing is hidden, so new tokens read the ones after them
    For one new token that is right. Of several, only the newest may read everything.
    | table => ones.tril() if n_queries == n_keys else None

everything-open
    nothing is hidden at all
    Then each query reads the tokens after it. Only the newest may read every key.
    | table => None

one-step-ahead
    each query sees one token too many: the next one
    tril(k) keeps the k-th diagonal itself: that is a query's own token, the last one it sees.
    | table => ones.tril(n_keys - n_queries + 1)

own-token-hidden
    each query misses its own token
    A token may attend to itself. tril(k) keeps the k-th diagonal and all below it.
    | table => ones.tril(n_keys - n_queries - 1)

offset-turned
    you moved the diagonal to the wrong side
    The first query stands at place n_keys − n_queries, 0 or more: it sees more keys, not fewer.
    | table => ones.tril(n_queries - n_keys)

other-triangle
    the wrong triangle is open: each query sees itself and the future
    Rows are queries; a query may attend to the keys on its left: tril, not triu.
    | table => ones.triu(n_keys - n_queries)
    | table => ones.triu()

inverted § true
    you turned the mask round, so what may be read is hidden
    For scaled_dot_product_attention True means: may attend. (For nn.MultiheadAttention it means the
    opposite.)
    | form => it if it is None else ~it
    | result => plain(queries, keys, values, ~mask)

mask-added
    you passed the mask as numbers, which are *added* to the scores
    torch.ones(...) and its .tril() are floats. Adding 1 to a key's score hides nothing: ask for
    dtype=torch.bool.
    | form => it if it is None else it.float()

cache-forgotten
    you read only as many keys as there are queries
    The keys of earlier tokens belong to what a query may read. Keep all keys, and move the diagonal.
    | keys => keys[..., -queries.shape[-2] :, :]; values => values[..., -queries.shape[-2] :, :]

scaled-twice § lines
    the scores are divided by d_head: by its root twice, or by the whole of it
    scaled_dot_product_attention divides by √d_head itself, as its name says. By hand, divide by the root,
    once.
    | queries => queries / queries.shape[-1] ** 0.5

never-scaled § lines
    you never scaled the scores
    Divide by √d_head before softmax, or leave it to scaled_dot_product_attention.
    | queries => queries * queries.shape[-1] ** 0.5
""",
    CORNER,
    SECTIONS,
)
EXERCISE = Mend(
    name="torch-corner",
    answer=my_step,
    bug=bug,
    task="A causal step with fewer queries than keys.",
    given="upper-left",
    symptom="one query, three keys, equal scores: the newest token should read all three values. Which does "
    "it read? Which corner does is_causal=True count from?",
    call="my_step(queries, keys, values)",
    right=step,
    recipe=EDITS.recipe(),
    probes=(
        _step_probe("two sentences, 3 heads, one new token", (2, 3), 1, 5, 1),
        Probe(EXAMPLE, OF_TASK, True, TENSORS),
        _step_probe("two sentences, 3 heads, 5 new tokens of 7", (2, 3), 5, 7, 20),
        _step_probe("two sentences, 3 heads, as many queries as keys", (2, 3), 7, 7, 40),
        _step_probe("three sentences, 2 heads, 5 new tokens of 6", (3, 2), 5, 6, 60),
        _step_probe("three sentences, 2 heads, one new token", (3, 2), 1, 8, 80),
        _step_probe("one sentence, one head of one column", (1, 1), 2, 4, 100, d_head=1, hard=True),
        _step_probe("one sentence, 2 heads, one token", (1, 2), 1, 1, 120, d_head=3, hard=True),
    ),
    properties=(Property("newest token", "the newest query reads its own token", _last_query_reads),),
    axes=("query", "entry"),
    mistakes=MISTAKES,
    hints=(
        "Print torch.ones(1, 3).tril(): that is what the flag makes for one query and three keys.",
        "Query i stands at place i + n_keys − n_queries, and may attend to keys up to that place.",
        "Drop is_causal, and pass a mask of True and False: torch.ones(n_queries, n_keys, "
        "dtype=torch.bool).tril(n_keys - n_queries).",
    ),
    explain="tril(k) keeps the k-th diagonal and all below it, counted from the upper left; n_keys − "
    "n_queries moves it to the lower right. The helper fused_attention(queries, keys, values, causal=True) "
    "does the same.",
    reread=CORNER,
)
