"""How is attention computed without the n × n matrix? A tile of scores at a time (lessons 13, 14).

Softmax asks for the largest score of a row and for the sum of its exponentials, and both can be had from
pieces of the row. (Where no score can be large, the sum is enough.) All here rests on that: a partial result,
an output and its log-sum-exp (the logarithm of the sum of e^score), can be merged with that over other keys.
`blocked_attention` gives what `attention` does, within rounding, and holds one tile of scores at a time;
`KVCache` keeps keys and values between calls.
Wherever places matter, the queries are the last n_queries of n_keys tokens, as in causal_mask.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from helpers import inputs_of_streaming as inputs
from helpers.door import behind_the_door, checked_by
from helpers.inputs_of_streaming import TILE_KEYS, TILE_QUERIES
from helpers.masking import causal_mask
from helpers.precision import all_exponentials_fit, largest_so_far, less, lowest, or_one, working_dtype
from helpers.scaling import scale_scores
from helpers.validation import Array, Mask

# To look at the lengths of all keys costs half as much as the product of one query with them.
QUERIES_WORTH_A_LOOK = 32


@checked_by(inputs.online_softmax)
def online_softmax(scores: Array, tile: int = TILE_KEYS) -> tuple[Array, Array]:
    """(..., n_queries, n_keys) -> weights of the same shape, log_sum_exp (..., n_queries).

    softmax of each row, with its maximum and its sum found in one pass over tiles of `tile` keys. What was
    summed under a smaller maximum is rescaled when a larger one comes. A row that is all −inf, or has no key,
    gets zero weights and log_sum_exp −inf. float16, float32 and float64 are kept in the weights; log_sum_exp
    of float16 scores is float32.
    Raises as softmax does, and ValueError or TypeError unless `tile` is a whole number of at least 1.
    Source: Milakov and Gimelshein 2018, "Online normalizer calculation for softmax", algorithm 3.
    """
    working = working_dtype(scores)
    running_max, running_sum = _nothing_seen(scores.shape[:-1], working)
    for columns in _slices(0, scores.shape[-1], tile):
        tile_of_scores = scores[..., columns].astype(working)  # a copy, because the step overwrites it
        _, _, running_max, running_sum = _one_step(tile_of_scores, running_max, running_sum)
    shifted = less(scores.astype(working), running_max)
    weights = np.exp(shifted) / or_one(running_sum)
    return weights.astype(scores.dtype), _log_sum_exp(running_max, running_sum)


@checked_by(inputs.merge_partials)
def merge_partials(
    output: Array, log_sum_exp: Array, other_output: Array, other_log_sum_exp: Array
) -> tuple[Array, Array]:
    """(..., n_queries, d_v), (..., n_queries), and the same of others -> merged output, merged log_sum_exp.

    Two partial results of the same queries over different keys -> the result over all those keys. Each output
    counts by its share of the sum of exponentials: e^log_sum_exp of its own keys over that of all keys. Where
    one has seen no key (−inf) the other is the result; where both have seen none it is zeros and −inf.
    Raises ValueError where shapes differ, an output is not finite, or a log-sum-exp is NaN or +inf; TypeError
    for anything but real numbers.
    Source: Dao et al. 2022, "FlashAttention", section 3.1 (softmax of two joined vectors).
    """
    larger = np.maximum(log_sum_exp, other_log_sum_exp)
    larger = np.maximum(larger, lowest(larger.dtype))
    rescale, other_rescale = np.exp(less(log_sum_exp, larger)), np.exp(less(other_log_sum_exp, larger))
    running_sum = rescale + other_rescale  # an output is a partial result with sum 1 and maximum log_sum_exp
    share, other_share = rescale / or_one(running_sum), other_rescale / or_one(running_sum)
    merged = share[..., None] * output + other_share[..., None] * other_output
    merged = merged.astype(np.result_type(output, other_output))
    return merged, _log_sum_exp(larger[..., None], running_sum[..., None])


@checked_by(inputs.blocked_attention)
def blocked_attention(
    queries: Array,
    keys: Array,
    values: Array,
    mask: Mask | None = None,
    *,
    causal: bool = False,
    window: int | None = None,
    tile_queries: int = TILE_QUERIES,
    tile_keys: int = TILE_KEYS,
) -> tuple[Array, Array]:
    """(..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v) -> output, log_sum_exp (..., n_queries).

    output (..., n_queries, d_v) is that of attention, within rounding, without the matrix of weights: tiles
    of tile_queries × tile_keys scores are made, used and overwritten. `mask` is True where a query may
    attend, and broadcasts to the scores. `causal` adds causal_mask, `window` adds window_mask (which is
    causal, too): tiles that are hidden as a whole are skipped. A query that may attend to nothing gets a zero
    output and log_sum_exp −inf. float16, float32 and float64 are kept; float16 is worked in float32, and its
    log_sum_exp is float32. Each matrix of the leading axes is done by itself.
    Raises as attention does, also where a score that is not masked is NaN or +inf: its tile shows it. (The
    queries are scaled before the product, so that a score must be too large after scaling to be +inf.)
    ValueError or TypeError unless tiles and window are whole numbers of at least 1. Values are added up
    before they are divided: where n_keys of them overflow the dtype, the output is inf, with NumPy's warning.
    No maximum is looked for where |q · k| ≤ |q| |k| says that no score can be large.
    Source: Rabe and Staats 2021, "Self-attention Does Not Need O(n²) Memory"; Dao et al. 2022, algorithm 1.
    """
    reach = _Reach(queries.shape[-2], keys.shape[-2], causal, window)
    return _attend_in_tiles(queries, keys, values, mask, reach, tile_queries, tile_keys)


@checked_by(inputs.tile_kinds)
def tile_kinds(
    n_queries: int,
    n_keys: int,
    *,
    causal: bool = False,
    window: int | None = None,
    tile_queries: int = TILE_QUERIES,
    tile_keys: int = TILE_KEYS,
) -> Array:
    """n_queries, n_keys -> (rows of tiles, columns of tiles): 0 skipped, 1 partly hidden, 2 wholly allowed.

    What blocked_attention does with each tile under `causal` and `window`: nothing, the products and a mask,
    or the products alone. Raises TypeError or ValueError unless the counts are whole numbers, n_queries and
    n_keys at least 0, the others at least 1.
    """
    reach = _Reach(n_queries, n_keys, causal, window)
    tiles_of_queries = list(_slices(0, n_queries, tile_queries))
    tiles_of_keys = list(_slices(0, n_keys, tile_keys))
    kinds = [
        [reach.sees_some(rows, columns) + reach.sees_all(rows, columns) for columns in tiles_of_keys]
        for rows in tiles_of_queries
    ]
    return np.array(kinds, dtype=int).reshape(len(tiles_of_queries), len(tiles_of_keys))


@checked_by(inputs.window_mask)
def window_mask(n_queries: int, n_keys: int, window: int, sinks: int = 0) -> Mask:
    """n_queries, n_keys, window -> (n_queries, n_keys): True for the last `window` keys up to each query.

    Causal, and aligned to the lower right as causal_mask is: a query sees itself and window − 1 before it.
    The first `sinks` keys stay open to all queries that are not before them.
    Raises TypeError unless the counts are whole numbers, ValueError for a window below 1 or a negative count.
    Source: Beltagy et al. 2020, "Longformer", section 3.1, with the half that lies in the future left out;
    Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks", section 3.2.
    """
    not_later = causal_mask(n_queries, n_keys)
    positions_of_queries = np.arange(n_queries)[:, None] + (n_keys - n_queries)
    near = np.arange(n_keys) > positions_of_queries - window
    return not_later & (near | (np.arange(n_keys) < sinks))


@checked_by(inputs.grouped_query_attention)
def grouped_query_attention(
    queries: Array,
    keys: Array,
    values: Array,
    mask: Mask | None = None,
    *,
    causal: bool = False,
    window: int | None = None,
) -> tuple[Array, Array]:
    """(..., n_heads, n_queries, d_k), (..., n_kv_heads, n_keys, d_k), with d_v -> output, log_sum_exp.

    output (..., n_heads, n_queries, d_v), log_sum_exp (..., n_heads, n_queries). The heads of queries are cut
    into n_kv_heads runs, and each run shares one head of keys and values: head h reads number
    h // (n_heads // n_kv_heads). No key is copied. n_kv_heads = 1 is multi-query attention; with
    n_kv_heads = n_heads each head has keys of its own. `mask` (..., n_heads, n_queries, n_keys) or what
    broadcasts to it, `causal` and `window` as in blocked_attention.
    Raises as blocked_attention does, and ValueError unless n_kv_heads divides n_heads.
    Source: Ainslie et al. 2023, "GQA: Training Generalized Multi-Query Transformer Models", section 2.2.
    """
    return _attend_in_groups(
        queries, keys, values, mask, _Reach(queries.shape[-2], keys.shape[-2], causal, window)
    )


class KVCache:
    """The keys and values of all tokens so far, so that a new token needs only its own.

    `append` the keys and values of the next tokens, one or many, then `attend` with their queries: the
    outputs are those rows of the full causal pass, within rounding. Keys (..., n, d_k) and values
    (..., n, d_v) may have any leading axes, the same in every call. Sequences of unequal length in a batch
    need a mask that hides the padding, as everywhere.
    """

    def __init__(self) -> None:
        """An empty cache; the first `append` settles the leading axes, the widths and the dtype."""
        self._length = 0
        self._keys, self._values = np.empty((0, 0)), np.empty((0, 0))

    def __len__(self) -> int:
        """How many tokens are kept."""
        return self._length

    @property
    def keys(self) -> Array:
        """() -> (..., n_keys, d_k): all keys so far, a view that must not be written to."""
        return _read_only(self._keys[..., : self._length, :])

    @property
    def values(self) -> Array:
        """() -> (..., n_keys, d_v): all values so far, a view that must not be written to."""
        return _read_only(self._values[..., : self._length, :])

    def append(self, keys: ArrayLike, values: ArrayLike) -> None:
        """(..., n_new, d_k), (..., n_new, d_v) -> None: keep those of the next n_new tokens.

        The space is doubled when it is full: n tokens that come one by one cost fewer than 3n copied rows.
        Raises ValueError where a shape does not fit what is kept, or a value is not finite, and TypeError for
        another dtype or anything but real numbers; then the cache stays as it was.
        """
        new_keys, new_values = inputs.append(keys, values, self.keys, self.values)
        self._keys = _with_rows(self._keys, self._length, new_keys)
        self._values = _with_rows(self._values, self._length, new_values)
        self._length += new_keys.shape[-2]

    def keep(self, n_tokens: int) -> None:
        """n_tokens -> None: forget all but the first n_tokens, to go on from there; 0 empties the cache.

        Raises ValueError unless 0 ≤ n_tokens ≤ the tokens that are kept, TypeError unless it is whole.
        """
        (self._length,) = inputs.keep(n_tokens, self._length)

    def attend(
        self, queries: ArrayLike, mask: ArrayLike | None = None, *, window: int | None = None
    ) -> tuple[Array, Array]:
        """(..., n_queries, d_k) -> output (..., n_queries, d_v), log_sum_exp (..., n_queries).

        The queries are those of the last n_queries tokens that were appended, and each sees its own key and
        those before it (the last `window` of them). With a heads axis (−3), the queries may have more heads
        than the keys, as in grouped_query_attention. `mask` broadcasts to (..., n_queries, n_keys), all
        tokens so far: padding in a batch of unequal lengths is hidden by it in every call.
        Raises as blocked_attention does, and ValueError for more queries than tokens.
        """
        queries, keys, values, mask, window = inputs.attend(queries, self.keys, self.values, mask, window)
        reach = _Reach(queries.shape[-2], self._length, True, window)
        one_matrix = self._keys.ndim == 2  # then there is no axis of heads
        in_parts = _attend_in_tiles if one_matrix else _attend_in_groups
        return behind_the_door(in_parts, queries, keys, values, mask, reach)


class _Reach(NamedTuple):
    """Which keys a query sees by its place alone; the queries are the last n_queries of n_keys tokens."""

    n_queries: int
    n_keys: int
    causal: bool
    window: int | None  # which is causal, too

    def first_key(self, query: int) -> int:
        place = query + self.n_keys - self.n_queries
        return 0 if self.window is None else place - self.window + 1

    def last_key(self, query: int) -> int:
        place = query + self.n_keys - self.n_queries
        return place if self.causal or self.window is not None else self.n_keys - 1

    def sees_some(self, rows: slice, columns: slice) -> bool:
        """Whether some query of these rows sees some key of these columns."""
        not_all_later = columns.start <= self.last_key(rows.stop - 1)
        not_all_too_early = columns.stop - 1 >= self.first_key(rows.start)
        return not_all_later and not_all_too_early

    def sees_all(self, rows: slice, columns: slice) -> bool:
        """Whether every query of these rows sees every key of these columns."""
        none_later = columns.stop - 1 <= self.last_key(rows.start)
        none_too_early = columns.start >= self.first_key(rows.stop - 1)
        return none_later and none_too_early

    def columns(self, rows: slice, tile_keys: int) -> Iterator[slice]:
        """The tiles of keys of which some query of these rows sees something; no other key is in them."""
        first, last = self.first_key(rows.start), self.last_key(rows.stop - 1)
        for columns in _slices(0, self.n_keys, tile_keys):
            if self.sees_some(rows, columns):
                yield slice(max(columns.start, first), min(columns.stop, last + 1))


def _attend_in_tiles(
    queries: Array,
    keys: Array,
    values: Array,
    mask: Mask | None,
    reach: _Reach,
    tile_queries: int = TILE_QUERIES,
    tile_keys: int = TILE_KEYS,
) -> tuple[Array, Array]:
    """One sequence and one head after the other, one tile of queries after the other."""
    n_queries, n_keys, d_v = queries.shape[-2], keys.shape[-2], values.shape[-1]
    stack = np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2], values.shape[:-2])
    queries, keys, values = (
        np.broadcast_to(part, stack + part.shape[-2:]) for part in (queries, keys, values)
    )
    mask = None if mask is None else np.broadcast_to(mask, (*stack, n_queries, n_keys))
    output = np.empty((*stack, n_queries, d_v), np.result_type(queries, keys, values))
    log_sum_exp = np.empty((*stack, n_queries), working_dtype(output))
    room = np.empty(min(tile_queries, n_queries) * min(tile_keys, n_keys), log_sum_exp.dtype)
    for place in np.ndindex(stack):
        one_mask = None if mask is None else mask[place]
        one_head = queries[place], keys[place], values[place]
        with_max = n_queries < QUERIES_WORTH_A_LOOK or not all_exponentials_fit(*one_head)
        for rows in _slices(0, n_queries, tile_queries):
            columns = reach.columns(rows, tile_keys)
            output[(*place, rows)], log_sum_exp[(*place, rows)] = _attend_rows(
                *one_head, one_mask, reach, rows, columns, room, with_max
            )
    return output, log_sum_exp


def _attend_rows(
    queries: Array,
    keys: Array,
    values: Array,
    mask: Mask | None,
    reach: _Reach,
    rows: slice,
    tiles_of_keys: Iterator[slice],
    room: Array,
    with_max: bool,
) -> tuple[Array, Array]:
    """One tile of queries over all the keys that it sees: the derivation of the lesson.

    Where all exponentials fit, no maximum is looked for, subtracted or rescaled by: it counts as 0.
    """
    working = room.dtype
    # n_queries × d_k divisions, not n_queries × n_keys
    scaled_queries = scale_scores(queries[rows].astype(working, copy=False), queries.shape[-1])
    running_max, running_sum = _nothing_seen((len(scaled_queries),), working)
    if not with_max:
        running_max = np.zeros_like(running_max)
    weighted_sum = np.zeros((len(scaled_queries), values.shape[-1]), working)
    for columns in tiles_of_keys:
        if mask is not None and not mask[rows, columns].any():
            continue
        tile_of_keys = keys[columns].astype(working, copy=False)
        tile_of_values = values[columns].astype(working, copy=False)
        scores = np.matmul(scaled_queries, tile_of_keys.T, out=_shaped(room, rows, columns))
        if not reach.sees_all(rows, columns):
            _hide_by_place(scores, reach, rows, columns)
        if mask is not None:
            np.copyto(scores, -np.inf, where=~mask[rows, columns])
        if with_max:
            exponentials, rescale, running_max, running_sum = _one_step(
                scores, running_max, running_sum, rows.start, columns.start
            )
            weighted_sum = rescale * weighted_sum + exponentials @ tile_of_values
        else:
            exponentials = np.exp(scores, out=scores)
            running_sum += _sums_of_rows(exponentials)
            weighted_sum += exponentials @ tile_of_values
    return weighted_sum / or_one(running_sum), _log_sum_exp(running_max, running_sum)


def _one_step(
    scores: Array, running_max: Array, running_sum: Array, *first: int
) -> tuple[Array, Array, Array, Array]:
    """(..., n_queries, tile), two of (..., n_queries, 1) -> exponentials, rescale, new max, new sum.

    One tile of scores more. Its exponentials take its place in memory. `first`: its first query and key.
    """
    new_max = largest_so_far(running_max, scores, *first)
    rescale = np.exp(less(running_max, new_max))  # what was summed under a smaller maximum came out too large
    exponentials = np.exp(less(scores, new_max, out=scores), out=scores)
    return exponentials, rescale, new_max, rescale * running_sum + _sums_of_rows(exponentials)


def _sums_of_rows(exponentials: Array) -> Array:
    """(..., n_queries, tile) -> (..., n_queries, 1). A product is faster than .sum()."""
    return np.asarray(exponentials @ np.ones((exponentials.shape[-1], 1), exponentials.dtype))


def _nothing_seen(rows: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """The maximum and the sum of no score: the lowest finite number, and 0."""
    return np.full((*rows, 1), lowest(dtype), dtype), np.zeros((*rows, 1), dtype)


def _log_sum_exp(running_max: Array, running_sum: Array) -> Array:
    """Two of (..., n_queries, 1) -> (..., n_queries): log Σ e^score, −inf where no score was seen."""
    logs = np.where(running_sum > 0, running_max + np.log(or_one(running_sum)), -np.inf)
    return np.asarray(logs[..., 0], running_sum.dtype)


def _shaped(room: Array, rows: slice, columns: slice) -> Array:
    """As much of the room as one tile of scores needs, in its shape."""
    shape = rows.stop - rows.start, columns.stop - columns.start
    return room[: shape[0] * shape[1]].reshape(shape)


def _hide_by_place(scores: Array, reach: _Reach, rows: slice, columns: slice) -> None:
    """Write −inf for the keys that are later than a query, or too early for its window.

    Only the columns that some of these rows do not see are touched. In them, the first row sees one key less
    at the right than the second, and one more at the left: triangles.
    """
    last_of_first_row = reach.last_key(rows.start) - columns.start
    later = scores[:, max(0, last_of_first_row + 1) :]
    seen = np.tri(later.shape[0], later.shape[1], min(-1, last_of_first_row), dtype=bool)
    np.copyto(later, -np.inf, where=np.logical_not(seen, out=seen))
    if reach.window is not None:
        early = scores[:, : max(0, reach.first_key(rows.stop - 1) - columns.start)]
        first_of_first_row = reach.first_key(rows.start) - columns.start
        too_early = np.tri(early.shape[0], early.shape[1], first_of_first_row - 1, dtype=bool)
        np.copyto(early, -np.inf, where=too_early)


def _attend_in_groups(
    queries: Array, keys: Array, values: Array, mask: Mask | None, reach: _Reach
) -> tuple[Array, Array]:
    """(..., n_heads, n, d) is looked at as (..., n_kv_heads, heads that share, n, d): nothing is copied."""
    n_heads, n_kv_heads = queries.shape[-3], keys.shape[-3]
    groups = n_kv_heads, n_heads // n_kv_heads
    if mask is not None:
        outer = np.broadcast_shapes(queries.shape[:-3], keys.shape[:-3])
        mask = np.broadcast_to(mask, (*outer, n_heads, reach.n_queries, reach.n_keys))
        mask = mask.reshape(*outer, *groups, *mask.shape[-2:])
    output, log_sum_exp = _attend_in_tiles(
        queries.reshape(*queries.shape[:-3], *groups, *queries.shape[-2:]),
        keys[..., None, :, :],
        values[..., None, :, :],
        mask,
        reach,
    )
    heads = (*output.shape[:-4], n_heads)
    return output.reshape(*heads, *output.shape[-2:]), log_sum_exp.reshape(*heads, reach.n_queries)


def _slices(start: int, stop: int, step: int) -> Iterator[slice]:
    """slice(start, start + step), and so on; the last may be shorter."""
    return (slice(first, min(first + step, stop)) for first in range(start, stop, step))


def _with_rows(kept: Array, length: int, new: Array) -> Array:
    """Room for the rows that are kept and the new ones, twice as much as is kept where it must grow."""
    needed = length + new.shape[-2]
    if length == 0 or needed > kept.shape[-2]:
        grown = np.empty((*new.shape[:-2], max(needed, 2 * length), new.shape[-1]), new.dtype)
        if length:
            grown[..., :length, :] = kept[..., :length, :]
        kept = grown
    kept[..., length:needed, :] = new
    return kept


def _read_only(view: Array) -> Array:
    view.flags.writeable = False
    return view
