"""What do heads learn? A small transformer of attention alone, its task, and ways to look inside (lesson 12).

The task: a sequence of random symbols that starts again after `period` symbols. In the first round nothing
can be guessed; in the repeat everything can, by what followed an earlier copy (*induction*).
`AttentionOnly` has embeddings, learned positions, layers of nothing but attention, and no MLP, so that
whatever it does is done by heads. `AttentionOnly.trace` shows what each head did, and lets a caller put
something else there. Nothing here looks at a device: for models so small one processor thread is fastest.
Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; Olsson et al. 2022.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (the name that PyTorch's own manual gives it)
from torch.optim.adamw import adamw

from helpers.pytorch.attention import attention, causal_mask, fused_attention

N_SYMBOLS, LENGTH, SHORTEST, LONGEST = 64, 48, 8, 24
STEPS, BATCH, PEAK_RATE, WARM_UP, COOL_DOWN, SPREAD = 300, 32, 3e-3, 100, 60, 0.02
BETAS, WEIGHT_DECAY, EPSILON = (0.9, 0.98), 0.01, 1e-8
EVERY, N_TESTS, TEST_SEED = 20, 64, 99

Head = tuple[int, int]  # the layer and the head in it, both counted from 0
Heads = Mapping[Head, Tensor | float]


class Sequences(NamedTuple):
    """Repeated random sequences: tokens (n, length + 1), and the period (n,) of each."""

    tokens: Tensor
    periods: Tensor

    @property
    def inputs(self) -> Tensor:
        """-> (n, length): all tokens but the last, which is only guessed."""
        return self.tokens[:, :-1]

    @property
    def targets(self) -> Tensor:
        """-> (n, length): the token that follows each."""
        return self.tokens[:, 1:]

    @property
    def guessable(self) -> Tensor:
        """-> (n, length), True where the next token is a repeat and the token before it is one as well."""
        return torch.arange(self.tokens.shape[1] - 1) >= self.periods[:, None]


def repeated_sequences(rng: np.random.Generator, n: int = BATCH, length: int = LENGTH) -> Sequences:
    """rng, n -> n sequences of length + 1 random symbols, each with a period of its own, from 8 to 24.

    Within one period no symbol comes twice, so that what followed it last time is one thing only.
    """
    periods = rng.integers(SHORTEST, LONGEST + 1, n)
    order = rng.random((n, N_SYMBOLS)).argsort(axis=-1)
    places = np.arange(length + 1) % periods[:, None]
    return Sequences(
        torch.tensor(np.take_along_axis(order, places, axis=-1)),
        torch.tensor(periods),
    )


class Trace(NamedTuple):
    """What a model did: its scores for the next token, and of each layer the weights and the mixed values."""

    logits: Tensor  # (n, length, n_symbols)
    weights: list[Tensor]  # a layer: (n, n_heads, length, length)
    mixed: list[Tensor]  # a layer: (n, n_heads, length, d_head): what a head hands to W_O


class AttentionLayer(nn.Module):
    """(n, length, d_model) three times -> what the layer adds: one LayerNorm, then heads, then W_O."""

    def __init__(self, d_model: int, n_heads: int, scaled: bool, quiet_key: bool) -> None:
        """Sizes -> four matrices without biases."""
        super().__init__()
        self.n_heads, self.scaled, self.quiet_key = n_heads, scaled, quiet_key
        self.norm = nn.LayerNorm(d_model)
        self.w_q, self.w_k, self.w_v, self.w_o = (
            nn.Parameter(SPREAD * torch.randn(d_model, d_model)) for _ in range(4)
        )
        if quiet_key:
            self.k_quiet = nn.Parameter(torch.zeros(n_heads, 1, d_model // n_heads))

    def heads(
        self, for_queries: Tensor, for_keys: Tensor, for_values: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The residual stream, as each of the three reads it -> q, k, v (n, n_heads, …, d_head), the mask."""
        streams = (for_queries, self.w_q), (for_keys, self.w_k), (for_values, self.w_v)
        q, k, v = ((self.norm(x) @ w).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for x, w in streams)
        if not self.scaled:
            q = q * math.sqrt(q.shape[-1])  # takes back the division in `attention`
        mask = causal_mask(q.shape[-2])
        if self.quiet_key:
            k = torch.cat([self.k_quiet.expand(len(k), -1, -1, -1), k], dim=-2)
            v, mask = F.pad(v, (0, 0, 1, 0)), F.pad(mask, (1, 0), value=True)
        return q, k, v, mask

    def forward(self, x: Tensor) -> Tensor:
        """(n, length, d_model) -> (n, length, d_model): what the layer adds, by the fused path."""
        q, k, v, mask = self.heads(x, x, x)
        if self.quiet_key:
            return self.merge(fused_attention(q, k, v, mask))
        return self.merge(fused_attention(q, k, v, causal=True))  # the flag is faster than the mask

    def merge(self, mixed: Tensor) -> Tensor:
        """(n, n_heads, length, d_head) -> (n, length, d_model): side by side, through W_O."""
        return mixed.transpose(1, 2).flatten(-2) @ self.w_o


class AttentionOnly(nn.Module):
    """(n, length) symbols -> (n, length, n_symbols) scores of the next one, by attention alone.

    `scaled=False` leaves out the division by √d_head. `quiet_key=True` gives every head one more
    key, learned, before all others, whose value is zero: a place to look at where there is nothing to say.
    With other `n_symbols` and another `length` it reads other texts than those of the task above.
    """

    def __init__(
        self,
        n_layers: int = 2,
        *,
        seed: int = 0,
        n_heads: int = 4,
        d_model: int = 64,
        scaled: bool = True,
        quiet_key: bool = False,
        n_symbols: int = N_SYMBOLS,
        length: int = LENGTH,
    ) -> None:
        """Sizes and a seed -> small random parameters, the same for the same seed."""
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.symbols = nn.Parameter(SPREAD * torch.randn(n_symbols, d_model))
            self.positions = nn.Parameter(SPREAD * torch.randn(length, d_model))
            self.layers = nn.ModuleList(
                AttentionLayer(d_model, n_heads, scaled, quiet_key) for _ in range(n_layers)
            )
            self.norm = nn.LayerNorm(d_model)
            self.to_scores = nn.Parameter(SPREAD * torch.randn(d_model, n_symbols))

    @property
    def blocks(self) -> list[AttentionLayer]:
        """-> the layers, the first one first."""
        return cast(list[AttentionLayer], list(self.layers))

    def forward(self, tokens: Tensor) -> Tensor:
        """(n, length) -> (n, length, n_symbols)."""
        x = self.embed(tokens)
        for layer in self.blocks:
            x = x + layer(x)
        return self.read_out(x)

    def embed(self, tokens: Tensor) -> Tensor:
        """(n, length) -> (n, length, d_model): the vector of the symbol plus that of its position."""
        return self.symbols[tokens] + self.positions[: tokens.shape[-1]]

    def read_out(self, x: Tensor) -> Tensor:
        """(n, length, d_model) -> (n, length, n_symbols): scores of the next symbol."""
        return self.norm(x) @ self.to_scores

    def trace(self, tokens: Tensor, heads: Heads | None = None) -> Trace:
        """(n, length), and what to put in the place of some heads' mixed values -> what went on inside.

        A number or a tensor (…, length, d_head) for (layer, head), both counted from 0; the layers after it
        read what was put in.
        """
        heads = heads or {}
        x = self.embed(tokens)
        all_weights, all_mixed = [], []
        for number, layer in enumerate(self.blocks):
            mixed, weights = attention(*layer.heads(x, x, x))
            mixed = replaced(mixed, number, heads)
            x = x + layer.merge(mixed)
            all_weights.append(weights)
            all_mixed.append(mixed)
        return Trace(self.read_out(x), all_weights, all_mixed)


def replaced(mixed: Tensor, layer: int, heads: Heads) -> Tensor:
    """(n, n_heads, length, d_head) of a layer -> a copy; the heads that are named hold what is given."""
    copy = mixed.clone()
    for (of_layer, head), new in heads.items():
        if of_layer == layer:
            copy[:, head] = new
    return copy


def loss_of(logits: Tensor, given: Sequences, everywhere: bool = False) -> Tensor:
    """(n, length, n_symbols) -> one number: the mean loss in nats where the next token can be known.

    With `everywhere` also where it cannot: there a model does best if it says that it does not know.
    """
    if everywhere:
        return F.cross_entropy(logits.flatten(0, 1), given.targets.flatten())
    return F.cross_entropy(logits[given.guessable], given.targets[given.guessable])


def accuracy_of(logits: Tensor, given: Sequences) -> float:
    """(n, length, n_symbols) -> the share of tokens guessed right, where the next one can be known."""
    right = logits.argmax(dim=-1) == given.targets
    return float(right[given.guessable].double().mean())


# --- training


class History(NamedTuple):
    """What was measured while a model learned: after each of `steps`, a number for each name."""

    steps: list[int]
    found: dict[str, list[float]]

    def first(self, name: str, least: float) -> int | None:
        """-> the first of the steps at which this measure was at least so large, or None if it never was."""
        return next((step for step, x in zip(self.steps, self.found[name], strict=True) if x >= least), None)


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch works on one thread inside, and on as many as before afterwards: small models learn faster so."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def held_out(n: int = N_TESTS) -> Sequences:
    """n -> sequences that no training seed draws."""
    return repeated_sequences(np.random.default_rng(TEST_SEED), n)


def rate_at(step: int, steps: int) -> float:
    """The number of a step, from 1, and of all -> the learning rate: up, level, and down at the end."""
    return PEAK_RATE * min(1.0, step / WARM_UP, (steps + 1 - step) / COOL_DOWN)


class Optimiser:
    """Parameters with gradients -> moved by AdamW, by PyTorch's function for a single step.

    The numbers are those of `torch.optim.AdamW`. But to make one of those, PyTorch first imports its
    compiler, which nothing here uses: nearly 900 modules and 150 MB, a third of what the lesson may take.
    """

    def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
        """Parameters -> running means of their gradients and of the squares, all 0 at first."""
        self.parameters: list[Tensor] = list(parameters)
        self.means = [torch.zeros_like(each) for each in self.parameters]
        self.squares = [torch.zeros_like(each) for each in self.parameters]
        self.steps = [torch.tensor(0.0) for _ in self.parameters]

    @torch.no_grad()
    def step(self, rate: float) -> None:
        """A learning rate -> each parameter is moved by its gradient, which is then forgotten."""
        adamw(
            self.parameters,
            [cast(Tensor, each.grad) for each in self.parameters],
            self.means,
            self.squares,
            [],
            self.steps,
            fused=True,
            amsgrad=False,
            beta1=BETAS[0],
            beta2=BETAS[1],
            lr=rate,
            weight_decay=WEIGHT_DECAY,
            eps=EPSILON,
            maximize=False,
        )
        for each in self.parameters:
            each.grad = None


def train(
    model: AttentionOnly,
    seed: int = 0,
    steps: int = STEPS,
    everywhere: bool = False,
    watch: Callable[[AttentionOnly, Sequences], dict[str, float]] | None = None,
) -> History:
    """A model -> the same one, trained, and its loss and accuracy on held-out sequences every 20 steps.

    The loss counts only tokens that can be known, or `everywhere` all of them. AdamW on one thread, with
    data from numpy's generator.
    `watch` measures more: it gets the model and the held-out sequences. Raises ValueError where steps < 1.
    """
    if steps < 1:
        raise ValueError(f"steps must be at least 1; got {steps}")
    rng, tests = np.random.default_rng(seed), held_out()
    optimiser = Optimiser(model.parameters())
    rows: list[dict[str, float]] = []
    at: list[int] = []
    with one_thread(), torch.enable_grad():
        for step in range(1, steps + 1):
            batch = repeated_sequences(rng)
            loss = loss_of(model(batch.inputs), batch, everywhere)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step(rate_at(step, steps))
            if step % EVERY == 0 or step == steps:
                at.append(step)
                with torch.no_grad():
                    rows.append(measured(model, tests) | (watch(model, tests) if watch else {}))
    return History(at, {name: [row[name] for row in rows] for name in rows[0]})


def measured(model: AttentionOnly, given: Sequences) -> dict[str, float]:
    """A model and sequences -> its loss and its accuracy there."""
    logits = model(given.inputs)
    return {"loss": float(loss_of(logits, given)), "accuracy": accuracy_of(logits, given)}
