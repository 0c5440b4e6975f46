"""How is attention computed without the n × n matrix, on a GPU? The Triton kernels (lesson 13).

The derivation of helpers.streaming, each tile of queries by a program of its own. `forward_kernel` folds the
keys in, tile by tile, with a running maximum and a running sum. `grad_queries_kernel` and `grad_keys_kernel`
make each tile of weights once more, from the scores and log_sum_exp, instead of reading n × n stored ones.
`merge_kernel` is helpers.streaming.merge_partials, for queries whose keys were split among programs.
helpers.pytorch.kernels launches them.
Source: Dao 2023, "FlashAttention-2", algorithms 1 and 2; Milakov and Gimelshein 2018 for the running sum.
"""

from __future__ import annotations  # where Triton is missing, nobody looks up tl.constexpr

from helpers.pytorch.with_triton import jit, tl

# --- one program, one tile ----------------------------------------------------------------------------------


@jit
def _my_tile(n_rows, n_heads, tile: tl.constexpr):
    """-> which batch and which head this program works on, and which of its tiles."""
    n_tiles = tl.cdiv(n_rows, tile)
    stack = tl.cast(tl.program_id(0) // n_tiles, tl.int64)  # batch × stride can pass 2^31
    return stack // n_heads, stack % n_heads, tl.program_id(0) % n_tiles


@jit
def _of_head(start, strides, batch, head):
    """-> where the rows of this head begin."""
    return start + batch * strides[0] + head * strides[1]


@jit
def _places(start, stride, first_row, tile: tl.constexpr, width: tl.constexpr):
    """-> (tile, width): where each number of these rows lies. A row lies in one piece."""
    top = start + tl.cast(first_row, tl.int64) * stride
    return top + tl.arange(0, tile)[:, None] * stride + tl.arange(0, width)[None, :]


@jit
def _load_rows(
    start, stride, first_row, n_rows, tile: tl.constexpr, width: tl.constexpr, whole: tl.constexpr = False
):
    """-> (tile, width): a tile of rows, with zeros where it hangs over the last one. A whole one does not."""
    places = _places(start, stride, first_row, tile, width)
    if whole:
        rows = tl.load(places)
    else:
        is_there = first_row + tl.arange(0, tile) < n_rows
        rows = tl.load(places, mask=is_there[:, None], other=0.0)
    return rows


@jit
def _store_rows(start, stride, first_row, n_rows, rows, tile: tl.constexpr, width: tl.constexpr):
    """Write a tile of rows, but not those that hang over the last one."""
    is_there = first_row + tl.arange(0, tile) < n_rows
    places = _places(start, stride, first_row, tile, width)
    tl.store(places, rows.to(start.dtype.element_ty), mask=is_there[:, None])


@jit
def _load_numbers(start, first_row, n_rows, tile: tl.constexpr):
    """-> (tile,): one number a row, with zeros where the tile hangs over."""
    row = first_row + tl.arange(0, tile)
    return tl.load(start + row, mask=row < n_rows, other=0.0)


@jit
def _finite(exponent):
    """-> the same, with 0 for −inf: −inf − −inf would be NaN, and e^(−inf − 0) is the 0 that is wanted."""
    return tl.where(exponent == float("-inf"), 0.0, exponent)


# --- which keys are seen ------------------------------------------------------------------------------------
# The queries are the last of n_keys tokens, so query i stands at position i + n_keys − n_queries. Where
# causal it sees the keys up to its position; with a window (causal, too) only the last `window` of these.


@jit
def _sees(query, key, n_queries, n_keys, window, causal: tl.constexpr, windowed: tl.constexpr):
    """Places of queries and of keys -> True where the key is there and seen."""
    position = query + (n_keys - n_queries)
    allowed = key < n_keys
    if causal:
        allowed = allowed & (key <= position)
    if windowed:
        allowed = allowed & (key > position - window)
    return allowed


@jit
def _within(place, end):
    """-> the place, or the nearest one from 0 to end."""
    return tl.minimum(tl.maximum(place, 0), end)


@jit
def _keys_seen(
    first_query,
    n_queries,
    n_keys,
    window,
    causal: tl.constexpr,
    windowed: tl.constexpr,
    tile_queries: tl.constexpr,
    tile_keys: tl.constexpr,
):
    """A tile of queries -> four places among the keys, the first three at the start of a tile.

    From the first to the second lie tiles that only some of the queries see (the window's edge), from there
    to the third those that all of them see, and up to the fourth those that some see (the diagonal, the end).
    """
    position = first_query + (n_keys - n_queries)
    first, to_full, full_end, end = 0, 0, n_keys, n_keys
    if causal:
        full_end = _within(position + 1, n_keys)
        end = _within(position + tile_queries, n_keys)
    full_end = full_end // tile_keys * tile_keys
    if windowed:
        first = _within(position - window + 1, n_keys) // tile_keys * tile_keys
        to_full = tl.cdiv(_within(position - window + tile_queries, n_keys), tile_keys) * tile_keys
        to_full = tl.minimum(to_full, full_end)
    return first, to_full, full_end, end


@jit
def _in_split(places, split_start, keys_in_split):
    """Four places among the keys -> the same, as far as they lie in a split."""
    return (
        _clip(places[0], split_start, keys_in_split),
        _clip(places[1], split_start, keys_in_split),
        _clip(places[2], split_start, keys_in_split),
        _clip(places[3], split_start, keys_in_split),
    )


@jit
def _clip(place, start, length):
    """-> the place, or the nearest one of that length from the start on."""
    return tl.minimum(tl.maximum(place, start), start + length)


@jit
def _queries_that_see(
    first_key,
    n_queries,
    n_keys,
    window,
    causal: tl.constexpr,
    windowed: tl.constexpr,
    tile_queries: tl.constexpr,
    tile_keys: tl.constexpr,
):
    """A tile of keys -> four places among the queries: up to the second some of the keys are seen (the
    diagonal), from there to the third all, and up to the fourth some again (the window's edge).
    """
    query = first_key - (n_keys - n_queries)  # the one at the position of the first key
    first, to_full, full_end, end = 0, 0, n_queries, n_queries
    if causal:
        first = _within(query, n_queries) // tile_queries * tile_queries
        to_full = tl.cdiv(_within(query + tile_keys - 1, n_queries), tile_queries) * tile_queries
    if windowed:
        full_end = _within(query + window, n_queries) // tile_queries * tile_queries
        end = _within(query + tile_keys - 1 + window, n_queries)
    # Over the end there are keys that nobody sees: they would overflow, unmasked.
    full_end = tl.where(first_key + tile_keys > n_keys, end, full_end)
    to_full = tl.where(first_key + tile_keys > n_keys, end, tl.minimum(to_full, full_end))
    return first, to_full, full_end, end


# --- the kernels --------------------------------------------------------------------------------------------
# A GPU has an instruction for 2^x and none for e^x. e^x = 2^(x log2 e), so every exponent inside a kernel is
# counted in twos: log2 e is part of the scale. Scores and sums are float32 whatever the dtype of the inputs;
# what a product takes is rounded to that dtype, because the GPU's fast units multiply in it.
#
# Each kernel goes over its tiles in two loops: first those that are seen in full, then, with a mask, those on
# the diagonal, over the end and at the window's edge. Only the first is long. The second does not prefetch
# (num_stages=1): of two loops that do, ptxas makes products wait for each other ("serialized", on Hopper).


@jit
def _masked_range(places, windowed: tl.constexpr):
    """Four places, as _keys_seen has them -> where the second loop starts and ends, and how far it jumps.

    Tiles at the window's edge lie before those that are seen in full. They are counted as if they came after
    those, so that one loop does for both: places before the third one have to go back by the jump.
    """
    start = places[2] - (places[1] - places[0]) if windowed else places[2]
    return start, places[3], places[2] - places[1]


@jit
def forward_kernel(
    queries,
    query_strides,
    keys,
    key_strides,
    values,
    value_strides,
    output,
    log_sum_exp,
    n_heads,
    group,
    n_queries,
    n_keys,
    window,
    keys_in_split,
    scale,
    log2_e: tl.constexpr,
    causal: tl.constexpr,
    windowed: tl.constexpr,
    d_k: tl.constexpr,
    d_v: tl.constexpr,
    tile_queries: tl.constexpr,
    tile_keys: tl.constexpr,
    precision: tl.constexpr,
):
    """(n_queries, d_k), (n_keys, d_k), (n_keys, d_v) of a head -> a tile of its output and log_sum_exp.

    `group` heads of queries share a head of keys and values. The second axis of the grid splits the keys:
    each of its programs sees keys_in_split of them, and writes a partial result of its own.
    """
    batch, head, tile = _my_tile(n_queries, n_heads, tile_queries)
    # Where causal, the last tile sees the most keys. It starts first, so that no long one is left at the end.
    first_query = (tl.cdiv(n_queries, tile_queries) - 1 - tile) * tile_queries
    queries = _of_head(queries, query_strides, batch, head)
    keys = _of_head(keys, key_strides, batch, head // group)
    values = _of_head(values, value_strides, batch, head // group)
    n_stacks = tl.num_programs(0) // tl.cdiv(n_queries, tile_queries)
    stack = tl.program_id(1) * n_stacks + batch * n_heads + head
    output += stack * n_queries * d_v
    log_sum_exp += stack * n_queries

    query = first_query + tl.arange(0, tile_queries)
    query_tile = _load_rows(queries, query_strides[2], first_query, n_queries, tile_queries, d_k)
    running_max = tl.full((tile_queries,), float("-inf"), tl.float32)
    running_sum = tl.zeros((tile_queries,), tl.float32)
    weighted_sum = tl.zeros((tile_queries, d_v), tl.float32)

    # Tiles that lie in the future as a whole, or before the window, are not even loaded.
    places = _keys_seen(first_query, n_queries, n_keys, window, causal, windowed, tile_queries, tile_keys)
    places = _in_split(places, tl.program_id(1) * keys_in_split, keys_in_split)
    start, end, jump = _masked_range(places, windowed)
    for masked in tl.static_range(2):
        for first_key in tl.range(
            start if masked else places[1],
            end if masked else places[2],
            tile_keys,
            num_stages=1 if masked else None,
        ):
            if masked and windowed:
                first_key = tl.where(first_key < places[2], first_key - jump, first_key)
            key_tile = _load_rows(keys, key_strides[2], first_key, n_keys, tile_keys, d_k, not masked)
            value_tile = _load_rows(values, value_strides[2], first_key, n_keys, tile_keys, d_v, not masked)
            scores = tl.dot(query_tile, tl.trans(key_tile), input_precision=precision)
            if masked:
                key = first_key + tl.arange(0, tile_keys)
                allowed = _sees(query[:, None], key[None, :], n_queries, n_keys, window, causal, windowed)
                scores = tl.where(allowed, scores, float("-inf"))
            new_max = tl.maximum(running_max, scale * log2_e * tl.max(scores, axis=1))
            exponentials = tl.exp2(scale * log2_e * scores - _finite(new_max)[:, None])
            rescale = tl.exp2(running_max - _finite(new_max))
            running_sum = rescale * running_sum + tl.sum(exponentials, axis=1)
            weighted_sum = rescale[:, None] * weighted_sum
            exponentials = exponentials.to(value_tile.dtype)
            weighted_sum = tl.dot(exponentials, value_tile, weighted_sum, input_precision=precision)
            running_max = new_max

    total = tl.where(running_sum == 0.0, 1.0, running_sum)  # a query without a key: zeros, and −inf
    rows = weighted_sum / total[:, None]
    _store_rows(output, d_v, first_query, n_queries, rows, tile_queries, d_v)
    tl.store(log_sum_exp + query, (running_max + tl.log2(total)) / log2_e, mask=query < n_queries)


@jit
def merge_kernel(
    outputs,
    log_sum_exps,
    output,
    log_sum_exp,
    n_splits,
    n_rows,
    log2_e: tl.constexpr,
    d_v: tl.constexpr,
    tile_splits: tl.constexpr,
):
    """(n_splits, n_rows, d_v), (n_splits, n_rows) of parts of the keys -> a row of output and log_sum_exp.

    Each partial output counts by its share of the sum of exponentials: helpers.streaming.merge_partials.
    """
    row = tl.cast(tl.program_id(0), tl.int64)
    split = tl.arange(0, tile_splits)
    place = split * n_rows + row
    exponent = tl.load(log_sum_exps + place, mask=split < n_splits, other=float("-inf")) * log2_e
    largest = tl.max(exponent, axis=0)
    shares = tl.exp2(exponent - _finite(largest))
    total = tl.sum(shares, axis=0)
    total = tl.where(total == 0.0, 1.0, total)
    column = tl.arange(0, d_v)
    rows = tl.load(
        outputs + place[:, None] * d_v + column[None, :], mask=(split < n_splits)[:, None], other=0.0
    )
    merged = tl.sum(shares[:, None] * rows, axis=0) / total
    tl.store(output + row * d_v + column, merged.to(output.dtype.element_ty))
    tl.store(log_sum_exp + row, (largest + tl.log2(total)) / log2_e)


@jit
def grad_queries_kernel(
    queries,
    query_strides,
    keys,
    key_strides,
    values,
    value_strides,
    output,
    grad_output,
    grad_output_strides,
    grad_queries,
    log_sum_exp,
    grad_log_sum_exp,
    delta,
    n_heads,
    group,
    n_queries,
    n_keys,
    window,
    scale,
    log2_e: tl.constexpr,
    causal: tl.constexpr,
    windowed: tl.constexpr,
    d_k: tl.constexpr,
    d_v: tl.constexpr,
    tile_queries: tl.constexpr,
    tile_keys: tl.constexpr,
    precision: tl.constexpr,
):
    """... and the gradient of a head's output -> a tile of the gradient of its queries, and of delta.

    Softmax turns the gradient g of a row of weights into weights · (g − delta) for its scores, with delta =
    Σ weights · g. That sum over n keys is Σ grad_output · output over d_v numbers: no tile is needed for it.
    log_sum_exp has the weights as its gradient, so what comes in for it is taken off delta.
    """
    batch, head, tile = _my_tile(n_queries, n_heads, tile_queries)
    first_query = (tl.cdiv(n_queries, tile_queries) - 1 - tile) * tile_queries
    queries = _of_head(queries, query_strides, batch, head)
    keys = _of_head(keys, key_strides, batch, head // group)
    values = _of_head(values, value_strides, batch, head // group)
    grad_output = _of_head(grad_output, grad_output_strides, batch, head)
    first_row = (batch * n_heads + head) * n_queries
    output += first_row * d_v
    grad_queries += first_row * d_k
    log_sum_exp += first_row
    grad_log_sum_exp += first_row
    delta += first_row

    query = first_query + tl.arange(0, tile_queries)
    query_tile = _load_rows(queries, query_strides[2], first_query, n_queries, tile_queries, d_k)
    output_tile = _load_rows(output, d_v, first_query, n_queries, tile_queries, d_v)
    grad_tile = _load_rows(grad_output, grad_output_strides[2], first_query, n_queries, tile_queries, d_v)
    exponent = _finite(log2_e * _load_numbers(log_sum_exp, first_query, n_queries, tile_queries))
    row_delta = tl.sum(output_tile.to(tl.float32) * grad_tile.to(tl.float32), axis=1)
    row_delta -= _load_numbers(grad_log_sum_exp, first_query, n_queries, tile_queries)
    tl.store(delta + query, row_delta, mask=query < n_queries)
    grad_rows = tl.zeros((tile_queries, d_k), tl.float32)

    places = _keys_seen(first_query, n_queries, n_keys, window, causal, windowed, tile_queries, tile_keys)
    start, end, jump = _masked_range(places, windowed)
    for masked in tl.static_range(2):
        for first_key in tl.range(
            start if masked else places[1],
            end if masked else places[2],
            tile_keys,
            num_stages=1 if masked else None,
        ):
            if masked and windowed:
                first_key = tl.where(first_key < places[2], first_key - jump, first_key)
            key_tile = _load_rows(keys, key_strides[2], first_key, n_keys, tile_keys, d_k, not masked)
            value_tile = _load_rows(values, value_strides[2], first_key, n_keys, tile_keys, d_v, not masked)
            scores = tl.dot(query_tile, tl.trans(key_tile), input_precision=precision)
            if masked:
                key = first_key + tl.arange(0, tile_keys)
                allowed = _sees(query[:, None], key[None, :], n_queries, n_keys, window, causal, windowed)
                scores = tl.where(allowed, scores, float("-inf"))
            weights = tl.exp2(scale * log2_e * scores - exponent[:, None])
            grad_weights = tl.dot(grad_tile, tl.trans(value_tile), input_precision=precision)
            grad_scores = (weights * (grad_weights - row_delta[:, None])).to(key_tile.dtype)
            grad_rows = tl.dot(grad_scores, key_tile, grad_rows, input_precision=precision)

    grad_rows = scale * grad_rows
    _store_rows(grad_queries, d_k, first_query, n_queries, grad_rows, tile_queries, d_k)


@jit
def grad_keys_kernel(
    queries,
    query_strides,
    keys,
    key_strides,
    values,
    value_strides,
    grad_output,
    grad_output_strides,
    grad_keys,
    grad_values,
    log_sum_exp,
    delta,
    n_heads,
    group,
    n_queries,
    n_keys,
    window,
    scale,
    log2_e: tl.constexpr,
    causal: tl.constexpr,
    windowed: tl.constexpr,
    d_k: tl.constexpr,
    d_v: tl.constexpr,
    tile_queries: tl.constexpr,
    tile_keys: tl.constexpr,
    precision: tl.constexpr,
):
    """... and delta -> a tile of the gradients of a head's keys and values.

    Here a program keeps a tile of keys and goes over the queries, of all heads that share the keys, so that
    no two programs add to the same numbers. A tile of scores is transposed, (tile_keys, tile_queries): so it
    stands in both products.
    """
    batch, key_head, tile = _my_tile(n_keys, n_heads // group, tile_keys)
    first_key = tile * tile_keys  # where causal, the first keys are seen by the most queries
    keys = _of_head(keys, key_strides, batch, key_head)
    values = _of_head(values, value_strides, batch, key_head)
    first_row = (batch * (n_heads // group) + key_head) * n_keys

    key = first_key + tl.arange(0, tile_keys)
    key_tile = _load_rows(keys, key_strides[2], first_key, n_keys, tile_keys, d_k)
    value_tile = _load_rows(values, value_strides[2], first_key, n_keys, tile_keys, d_v)
    grad_key_rows = tl.zeros((tile_keys, d_k), tl.float32)
    grad_value_rows = tl.zeros((tile_keys, d_v), tl.float32)

    # A query over the end needs no mask: its gradient is 0.
    places = _queries_that_see(
        first_key, n_queries, n_keys, window, causal, windowed, tile_queries, tile_keys
    )
    start, end, jump = _masked_range(places, windowed)
    if not windowed:
        start, end = places[0], places[1]
    for head in range(key_head * group, key_head * group + group):
        head_queries = _of_head(queries, query_strides, batch, head)
        head_grads = _of_head(grad_output, grad_output_strides, batch, head)
        head_row = (batch * n_heads + head) * n_queries
        for masked in tl.static_range(2):
            for first_query in tl.range(
                start if masked else places[1],
                end if masked else places[2],
                tile_queries,
                num_stages=1 if masked else None,
            ):
                if masked and windowed:
                    first_query = tl.where(first_query < places[2], first_query - jump, first_query)
                query_tile = _load_rows(
                    head_queries, query_strides[2], first_query, n_queries, tile_queries, d_k
                )
                grad_tile = _load_rows(
                    head_grads, grad_output_strides[2], first_query, n_queries, tile_queries, d_v
                )
                exponent = _load_numbers(log_sum_exp + head_row, first_query, n_queries, tile_queries)
                exponent = _finite(log2_e * exponent)
                row_delta = _load_numbers(delta + head_row, first_query, n_queries, tile_queries)
                scores = tl.dot(key_tile, tl.trans(query_tile), input_precision=precision)
                if masked:
                    query = first_query + tl.arange(0, tile_queries)
                    allowed = _sees(query[None, :], key[:, None], n_queries, n_keys, window, causal, windowed)
                    scores = tl.where(allowed, scores, float("-inf"))
                weights = tl.exp2(scale * log2_e * scores - exponent[None, :])
                grad_value_rows = tl.dot(
                    weights.to(grad_tile.dtype), grad_tile, grad_value_rows, input_precision=precision
                )
                grad_weights = tl.dot(value_tile, tl.trans(grad_tile), input_precision=precision)
                grad_scores = (weights * (grad_weights - row_delta[None, :])).to(query_tile.dtype)
                grad_key_rows = tl.dot(grad_scores, query_tile, grad_key_rows, input_precision=precision)

    grad_key_rows = scale * grad_key_rows
    _store_rows(grad_keys + first_row * d_k, d_k, first_key, n_keys, grad_key_rows, tile_keys, d_k)
    _store_rows(grad_values + first_row * d_v, d_v, first_key, n_keys, grad_value_rows, tile_keys, d_v)
