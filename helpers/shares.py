"""Which process holds which tokens, how much work that is, and how many bytes it sends (lesson 16).

P processes stand in a ring. Each holds its share of the tokens: their queries stay, keys and values travel.
At step 0 a process works on its own keys, at step t on those of the process t places before it. Plain counts,
without torch; helpers.pytorch.ring sends real tensors and is tested to count the same.
"""

import numpy as np

from helpers.validation import Array, require_count

SHARES = ("contiguous", "striped", "zigzag")


def positions_of(rank: int, n_tokens: int, n_processes: int, share: str = "contiguous") -> Array:
    """rank, n_tokens, n_processes -> (n_share,): the places in the text that this process holds, ascending.

    "contiguous": runs of neighbours, one a process. "striped": every n_processes-th token, from `rank` on.
    "zigzag": 2·n_processes runs, and process r holds run r and run 2·n_processes − 1 − r, early and late.
    Where n_tokens cannot be divided, the first runs (or stripes) have one token more.
    Raises TypeError unless the counts are whole numbers, ValueError for a rank or a share that is not there.
    Source: Brandon et al. 2023, "Striped Attention", section 3; zigzag as in Llama 3's training (Grattafiori
    et al. 2024, "The Llama 3 Herd of Models", section 3.3.2).
    """
    n_tokens, n_processes = _counts(n_tokens, n_processes)
    rank = require_count("rank", rank, least=0)
    if rank >= n_processes:
        raise ValueError(
            f"rank must lie from 0 to {n_processes - 1}, one of {n_processes} processes; got {rank}"
        )
    require_share_name(share)
    if share == "striped":
        return np.arange(rank, n_tokens, n_processes)
    if share == "contiguous":
        return np.array_split(np.arange(n_tokens), n_processes)[rank]
    runs = np.array_split(np.arange(n_tokens), 2 * n_processes)
    return np.concatenate([runs[rank], runs[2 * n_processes - 1 - rank]])


def share_sizes(n_tokens: int, n_processes: int, share: str = "contiguous") -> Array:
    """n_tokens, n_processes -> (n_processes,): how many tokens each process holds. Raises as positions_of."""
    n_tokens, n_processes = _counts(n_tokens, n_processes)
    return np.array([len(positions_of(rank, n_tokens, n_processes, share)) for rank in range(n_processes)])


def keys_from(rank: int, step: int, n_processes: int) -> int:
    """rank, step, n_processes -> the rank whose keys this process works on at this step: `step` places back.

    Raises TypeError unless all are whole numbers, ValueError for a negative one or for no process.
    """
    rank, step = require_count("rank", rank, least=0), require_count("step", step, least=0)
    return (rank - step) % require_count("n_processes", n_processes)


def score_cells(n_tokens: int, n_processes: int, share: str = "contiguous", *, causal: bool = True) -> Array:
    """n_tokens, n_processes -> (n_processes, n_processes): scores that process r must make at step t.

    A score is one query with one key that it may see: the smallest amount of work that there can be. Row:
    process; column: step. The sum of a row is a process's share, its largest entry in a column is what the
    others wait for at that step: score_cells(…).max(axis=0).sum() is the length of the whole round.
    Raises as positions_of does.
    """
    n_tokens, n_processes = _counts(n_tokens, n_processes)
    held = [positions_of(rank, n_tokens, n_processes, share) for rank in range(n_processes)]
    ranks = range(n_processes)
    return np.array(
        [[_seen(held[r], held[keys_from(r, step, n_processes)], causal) for step in ranks] for r in ranks]
    )


def ring_bytes(
    n_tokens: int,
    n_processes: int,
    d_k: int,
    d_v: int,
    *,
    n_heads: int = 1,
    bytes_per_number: int = 4,
    share: str = "contiguous",
    backward: bool = False,
    bytes_per_gradient: int | None = None,
) -> Array:
    """n_tokens, n_processes, d_k, d_v -> (n_processes,): bytes that each process sends in a ring.

    Forward: all keys and values but those of the next process pass through its hands, P − 1 sends, which
    is (P − 1)/P · n · n_heads · (d_k + d_v) numbers where P divides n. The backward pass sends them round
    once more, and their gradients, which travel P times to come home: (P − 1)/P + 1 instead of (P − 1)/P.
    `n_heads` counts all leading axes together.
    bytes_per_gradient: as bytes_per_number unless given; the ring adds up those of 2-byte numbers in 4 bytes.
    Raises as positions_of does, and unless the sizes are whole numbers of at least 1.
    """
    sizes = share_sizes(n_tokens, n_processes, share)
    width = require_count("n_heads", n_heads) * (require_count("d_k", d_k) + require_count("d_v", d_v))
    bytes_per_number = require_count("bytes_per_number", bytes_per_number)
    once = sizes.sum() - np.roll(sizes, -1)  # all blocks but the one that the next process began with
    if not backward or n_processes == 1:
        return once * width * bytes_per_number
    of_gradient = bytes_per_number if bytes_per_gradient is None else bytes_per_gradient
    return (once * bytes_per_number + sizes.sum() * require_count("bytes_per_gradient", of_gradient)) * width


def all_reduce_bytes(n_numbers: int, n_processes: int, *, bytes_per_number: int = 4) -> float:
    """n_numbers, n_processes -> bytes that each process sends so that all have the sum: 2(P − 1)/P of them.

    By a ring: every process sends P − 1 pieces of n_numbers/P to add up, and P − 1 to tell the sums. Tensor
    parallel sends n_tokens · d_model numbers so after W_O. A library's all-reduce may round pieces up.
    Raises TypeError unless all are whole numbers, ValueError below 1.
    Source: Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce algorithms for clusters of workstations".
    """
    n_processes = require_count("n_processes", n_processes)
    size = require_count("n_numbers", n_numbers) * require_count("bytes_per_number", bytes_per_number)
    return 2 * (n_processes - 1) / n_processes * size


def exchange_bytes(
    n_tokens: int,
    n_processes: int,
    n_heads: int,
    d_k: int,
    d_v: int,
    *,
    bytes_per_number: int = 4,
    backward: bool = False,
) -> Array:
    """n_tokens, n_processes, n_heads, d_k, d_v -> (n_processes,): bytes each sends, tokens for heads.

    Queries, keys and values of its tokens go out, but for the heads that it keeps, and the outputs of its
    heads come back: (P − 1)/P · n/P · n_heads · 2(d_k + d_v) numbers where P divides n and n_heads. The
    backward pass: gradients go each way instead, the other way. Contiguous shares of tokens and of heads.
    Raises as positions_of does, and unless the sizes are whole numbers of at least 1.
    Source: Jacobs et al. 2023, "DeepSpeed Ulysses", section 3.
    """
    tokens = share_sizes(n_tokens, n_processes)
    heads = share_sizes(require_count("n_heads", n_heads), n_processes)
    inputs, output = 2 * require_count("d_k", d_k) + require_count("d_v", d_v), d_v
    to_heads, to_tokens = tokens * (n_heads - heads), (n_tokens - tokens) * heads
    numbers = to_heads * output + to_tokens * inputs if backward else to_heads * inputs + to_tokens * output
    return numbers * require_count("bytes_per_number", bytes_per_number)


def require_share_name(share: str) -> None:
    """A share's name -> None. Raises ValueError unless it is one of SHARES."""
    if share not in SHARES:
        raise ValueError(f"share must be one of {', '.join(map(repr, SHARES))}; got {share!r}")


def _seen(places: Array, keys: Array, causal: bool) -> int:
    """Places of queries and of keys, both ascending -> how many scores of them are needed."""
    if not causal:
        return len(places) * len(keys)
    return int(np.searchsorted(keys, places, side="right").sum())  # keys at a query's place, or before it


def _counts(n_tokens: int, n_processes: int) -> tuple[int, int]:
    return require_count("n_tokens", n_tokens), require_count("n_processes", n_processes)
