"""What does a head do? Scores for its map, paths that can be cut, its matrices multiplied out (lesson 12).

For the models of helpers.pytorch.induction. A score describes what a head looks at. Whether the model needs
it is another question, which `AttentionOnly.trace` (with other heads put in), `cut_path` and `look_only_at`
answer.
Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; Olsson et al. 2022.
"""

from collections.abc import Collection

import numpy as np
import torch
from torch import Tensor

from helpers.pytorch.attention import attention
from helpers.pytorch.induction import AttentionLayer, AttentionOnly, Heads, Sequences, replaced
from helpers.validation import Array

READERS = ("queries", "keys", "values", "output")


def previous_token_scores(weights: Tensor) -> Tensor:
    """(n, n_heads, length, length) -> (n_heads,): the mean weight of a query on the token before it."""
    return weights.diagonal(-1, -2, -1).mean(dim=(0, -1))


def followers(tokens: Tensor) -> Tensor:
    """(n, length) -> (n, length, length): True where key j follows an earlier copy of query i's token."""
    same = tokens[:, :, None] == tokens[:, None, :]
    after = torch.zeros_like(same)
    after[:, :, 1:] = same[:, :, :-1]
    return after.tril()


def induction_scores(weights: Tensor, given: Sequences) -> Tensor:
    """(n, n_heads, length, length) -> (n_heads,): the mean weight on what followed earlier copies.

    Over the queries whose next token can be known. The keys that count are all tokens after an earlier copy
    of the query's own token.
    """
    there = (weights * followers(given.inputs)[:, None]).sum(dim=-1).transpose(1, 2)
    return there[given.guessable].mean(dim=0)


@torch.no_grad()
def cut_path(model: AttentionOnly, tokens: Tensor, heads: Heads, readers: Collection[str]) -> Tensor:
    """(n, length), heads of layer 0 and what to put there -> scores (n, length, n_symbols).

    Only what is named in `readers` reads the change: "queries", "keys" and "values" of layer 1, and the
    "output", to which layer 0 also adds directly. All else reads the heads as they are.
    Raises ValueError unless the model has two layers and the readers are of those four.
    """
    unknown = set(readers) - set(READERS)
    if unknown:
        raise ValueError(f"readers must be of {', '.join(READERS)}; got {', '.join(sorted(unknown))}")
    if len(model.blocks) != 2:
        raise ValueError(f"a path is cut between two layers; this model has {len(model.blocks)}")
    first, second = model.blocks
    x = model.embed(tokens)
    mixed, _ = attention(*first.heads(x, x, x))
    whole, cut = x + first.merge(mixed), x + first.merge(replaced(mixed, 0, heads))
    queries, keys, values, output = (cut if name in readers else whole for name in READERS)
    mixed, _ = attention(*second.heads(queries, keys, values))
    return model.read_out(output + second.merge(mixed))


@torch.no_grad()
def look_only_at(model: AttentionOnly, tokens: Tensor, keys: Tensor) -> Tensor:
    """(n, length), (n, length) keys counted from 0 -> scores (n, length, n_symbols).

    In the last layer each query gives all its weight to its one key, in every head. All else stays as it is.
    Raises ValueError unless each query has a key that is not later than itself, and for a quiet key.
    """
    *before, last = model.blocks
    if last.quiet_key:
        raise ValueError("keys are counted without a quiet key; this model has one")
    if keys.shape != tokens.shape:
        raise ValueError(
            f"keys must have the shape of tokens, {tuple(tokens.shape)}; got {tuple(keys.shape)}"
        )
    outside = (keys < 0) | (keys > torch.arange(keys.shape[-1]))
    if outside.any():
        row, query = outside.nonzero()[0].tolist()
        raise ValueError(f"query {query} can look at keys 0 to {query}; got {int(keys[row, query])}")
    x = model.embed(tokens)
    for block in before:
        x = x + block(x)
    values = last.heads(x, x, x)[2]
    return model.read_out(x + last.merge(values.gather(2, keys[:, None, :, None].expand_as(values))))


# --- circuits: what a head would do to each symbol, without running it


def columns_of(layer: AttentionLayer, head: int) -> slice:
    """A layer and a head, counted from 0 -> its columns of W_Q, W_K and W_V, and its rows of W_O."""
    d_head = layer.w_q.shape[1] // layer.n_heads
    return slice(head * d_head, (head + 1) * d_head)


def written(layer: AttentionLayer, head: int, rows: Tensor) -> Tensor:
    """(…, d_model) of the residual stream -> (…, d_model): what a head writes if it looks only there (OV)."""
    own = columns_of(layer, head)
    return layer.norm(rows) @ layer.w_v[:, own] @ layer.w_o[own]


def matched(layer: AttentionLayer, head: int, for_queries: Tensor, for_keys: Tensor) -> Tensor:
    """(n, d_model), (m, d_model) -> (n, m): the scores of a head, before the division by √d_head (QK)."""
    own = columns_of(layer, head)
    return layer.norm(for_queries) @ layer.w_q[:, own] @ (layer.norm(for_keys) @ layer.w_k[:, own]).T


@torch.no_grad()
def copying_circuit(model: AttentionOnly, head: int) -> Tensor:
    """A head of layer 1 -> (n_symbols, n_symbols): by how much a symbol that is read raises each score.

    The OV circuit, from embeddings to scores; the last LayerNorm, which depends on the text, is left out.
    """
    return written(model.blocks[1], head, model.symbols) @ model.to_scores


@torch.no_grad()
def matching_circuit(model: AttentionOnly, head: int) -> Tensor:
    """A head of layer 1 -> (n_symbols, n_symbols): scores of query symbol i and a key *after* symbol j.

    The QK circuit with the keys made of what the heads of layer 0 write when all of them look at symbol j
    (K-composition).
    """
    first = model.blocks[0]
    after = torch.stack([written(first, each, model.symbols) for each in range(first.n_heads)]).sum(dim=0)
    return matched(model.blocks[1], head, model.symbols, after)


# --- other weights, the same output

NOTHING = 1e-12  # a weight below it counts as 0


def other_weights(weights: Array, values: Array) -> Array:
    """(n_keys,), (n_keys, d_v) -> (n_keys,): the same output and sum, none below 0, d_v + 1 keys at most.

    While more keys than that have weight, there is a direction in which the weights may move without
    changing output or sum: go that way until one of them is 0. The direction is the last row of a singular
    value decomposition. What comes out is one answer of many. Weights and values are worked in float64.
    Source: Carathéodory's theorem on convex hulls, 1911.
    """
    moved = np.array(weights, dtype=np.float64)
    while len(kept := np.flatnonzero(moved > NOTHING)) > values.shape[1] + 1:
        equations = np.vstack([values[kept].T, np.ones(len(kept))])
        direction = np.linalg.svd(equations)[2][-1]  # equations @ direction = 0
        direction *= -np.sign(direction[np.abs(direction).argmax()])  # the largest goes down
        falling = np.flatnonzero(direction < 0)
        room = moved[kept[falling]] / -direction[falling]  # how far until each is 0
        moved[kept] += room.min() * direction
        moved[kept[falling[room.argmin()]]] = 0
    return moved


@torch.no_grad()
def share_moved(model: AttentionOnly, tokens: Tensor, layer: int, head: int) -> float:
    """(n, length), a head -> the share of the weight that can stand elsewhere with the same output.

    For the last query of each sequence, as `other_weights` moves it, and averaged over the sequences. Other
    directions may move more.
    """
    x = model.embed(tokens)
    for block in model.blocks[:layer]:
        x = x + block(x)
    _, _, v, _ = model.blocks[layer].heads(x, x, x)
    weights = model.trace(tokens).weights[layer][:, head, -1].double().numpy()
    shares = [
        np.abs(other_weights(one, values) - one).sum() / 2
        for one, values in zip(weights, v[:, head].double().numpy(), strict=True)
    ]
    return float(np.mean(shares))
