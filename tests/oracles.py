"""Slow, obvious versions of the helpers: one number at a time, in Python's own arithmetic.

They share no line and no trick with the helpers. The softmax here never subtracts the largest score: it has
no need to, because a Decimal has room for e^1000 and for e^−100000.
"""

import math
from collections.abc import Callable, Iterator
from decimal import Context, Decimal

import numpy as np

from helpers.validation import Array

DIGITS = Context(prec=30)


def dot_product_scores(queries: Array, keys: Array) -> Array:
    return _each_pair(queries, keys, lambda query, key: math.fsum(_products(query, key)))


def products_of_sizes(queries: Array, keys: Array) -> Array:
    """Σ |q| |k| for each pair: what the rounding error of a dot product is measured against."""
    return _each_pair(queries, keys, lambda query, key: math.fsum(abs(p) for p in _products(query, key)))


def cosine_scores(queries: Array, keys: Array) -> Array:
    def cosine(query: list[float], key: list[float]) -> float:
        query_length, key_length = math.hypot(*query), math.hypot(*key)
        return math.fsum((q / query_length) * (k / key_length) for q, k in zip(query, key, strict=True))

    return _each_pair(queries, keys, cosine)


def vector_lengths(vectors: Array) -> Array:
    return _each_row(vectors, lambda row: math.hypot(*row))


def hard_lookup(queries: Array, keys: Array, values: Array) -> tuple[Array, list[int]]:
    chosen = []
    for query in queries.tolist():
        best = 0
        for j, key in enumerate(keys.tolist()):
            if math.fsum(_products(query, key)) > math.fsum(_products(query, keys[best].tolist())):
                best = j
        chosen.append(best)
    return np.array([values[j].tolist() for j in chosen]), chosen


def scale_scores(scores: Array, d_k: int) -> Array:
    root = Decimal(d_k).sqrt(DIGITS)
    return _each_row(scores, lambda row: [float(DIGITS.divide(Decimal(s), root)) for s in row])


def softmax(scores: Array) -> Array:
    def weights(row: list[float]) -> list[float]:
        total = _total(row)
        return [float(DIGITS.divide(_exp(s), total)) if total else 0.0 for s in row]

    return _each_row(scores, weights)


def log_softmax(scores: Array) -> Array:
    def logs(row: list[float]) -> list[float]:
        total = _total(row)
        return [float(DIGITS.subtract(Decimal(s), total.ln(DIGITS))) if total else -math.inf for s in row]

    return _each_row(scores, logs)


def log_sum_exp(scores: Array) -> Array:
    def log_of_total(row: list[float]) -> float:
        total = _total(row)
        return float(total.ln(DIGITS)) if total else -math.inf

    return _each_row(scores, log_of_total)


def attention(queries: Array, keys: Array, values: Array, mask: Array | None = None) -> tuple[Array, Array]:
    """One query, one allowed key, one number at a time; a query without an allowed key is skipped."""
    shape = (queries.shape[-2], keys.shape[-2])
    parts = [part.shape[:-2] for part in (queries, keys, values)]
    stack = np.broadcast_shapes(*parts, () if mask is None else mask.shape[:-2])
    queries, keys, values = (
        np.broadcast_to(part, stack + part.shape[-2:]) for part in (queries, keys, values)
    )
    allowed = np.broadcast_to(True if mask is None else mask, stack + shape)
    weights, output = np.zeros(stack + shape), np.zeros((*stack, shape[0], values.shape[-1]))
    root = math.sqrt(queries.shape[-1])
    for place in np.ndindex((*stack, shape[0])):
        query, here = queries[place].tolist(), place[:-1]
        seen = [j for j in range(shape[1]) if allowed[(*place, j)]]
        shares = {j: _exp(math.fsum(_products(query, keys[(*here, j)].tolist())) / root) for j in seen}
        total = sum(shares.values(), Decimal(0))
        for j in seen:
            weights[(*place, j)] = float(DIGITS.divide(shares[j], total))
        for column in range(values.shape[-1]):
            terms = (weights[(*place, j)] * float(values[(*here, j, column)]) for j in seen)
            output[(*place, column)] = math.fsum(terms)
    return output, weights


def multi_head_attention(
    x: Array, context: Array, matrices: list[Array], biases: list[Array], n_heads: int, mask: Array | None
) -> tuple[Array, Array]:
    """One sequence and one head at a time: its columns are cut out by hand, its rows of w_o added up."""
    w_q, w_k, w_v, w_o = matrices
    b_q, b_k, b_v, b_o = biases
    d_head, d_v = w_q.shape[1] // n_heads, w_v.shape[1] // n_heads
    outputs, maps = [], []
    for number, (rows, others) in enumerate(zip(x, context, strict=True)):
        total, of_heads = np.tile(b_o.astype(np.float64), (len(rows), 1)), []
        for head in range(n_heads):
            own, own_v = range(head * d_head, (head + 1) * d_head), range(head * d_v, (head + 1) * d_v)
            queries = np.array([[row @ w_q[:, c] + b_q[c] for c in own] for row in rows])
            keys = np.array([[row @ w_k[:, c] + b_k[c] for c in own] for row in others])
            values = np.array([[row @ w_v[:, c] + b_v[c] for c in own_v] for row in others])
            output, weights = attention(queries, keys, values, None if mask is None else mask[number])
            for i in range(len(rows)):
                for column, place in enumerate(own_v):
                    total[i] += output[i, column] * w_o[place]
            of_heads.append(weights)
        outputs.append(total)
        maps.append(of_heads)
    return np.array(outputs), np.array(maps)


def entropy(weights: Array) -> Array:
    return _each_row(weights, lambda row: -math.fsum(p * math.log(p) for p in row if p > 0))


def softmax_jacobian(weights: Array) -> Array:
    def jacobian(row: list[float]) -> list[list[float]]:
        n = range(len(row))
        return [[row[i] * (1 - row[i]) if i == j else -row[i] * row[j] for j in n] for i in n]

    return _each_row(weights, jacobian)


def _exp(score: float) -> Decimal:
    return Decimal(score).exp(DIGITS)


def _total(row: list[float]) -> Decimal:
    total = Decimal(0)
    for score in row:
        total = DIGITS.add(total, _exp(score))
    return total


def _products(query: list[float], key: list[float]) -> Iterator[float]:
    return (q * k for q, k in zip(query, key, strict=True))


def _each_row(array: Array, of_row: Callable[[list[float]], object]) -> Array:
    """What `of_row` makes of each vector along the last axis, in the places of those vectors."""
    places = list(np.ndindex(array.shape[:-1]))
    made = np.array([of_row(array[place].tolist()) for place in places], dtype=np.float64)
    return made.reshape(array.shape[:-1] + made.shape[1:])


def _each_pair(queries: Array, keys: Array, of_pair: Callable[[list[float], list[float]], float]) -> Array:
    """(..., n_queries, d_k), (..., n_keys, d_k) -> (..., n_queries, n_keys), one pair at a time."""
    stack = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    queries = np.broadcast_to(queries, stack + queries.shape[-2:])
    keys = np.broadcast_to(keys, stack + keys.shape[-2:])
    made = np.empty((*stack, queries.shape[-2], keys.shape[-2]))
    for place in np.ndindex(stack):
        for i, query in enumerate(queries[place].tolist()):
            for j, key in enumerate(keys[place].tolist()):
                made[(*place, i, j)] = of_pair(query, key)
    return made
