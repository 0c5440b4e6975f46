"""future-bug, lesson 05: A triangle that lets each query see the next token."""

from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.exercises.lesson_05.shared import by_root_d_k, keep, minus_infinity
from helpers.exercises.slips.hiding import (
    ATTEND,
    INFINITY,
    MORE_WAYS,
    POLARITY,
    TURNED,
    Step,
    and_ways,
    fill,
    hide_mistakes,
    index,
    index_zero,
    late_and_whole_mistakes,
    only,
    own_softmax,
)
from helpers.exercises.slips.masked_probes import APART, FAR_ABOVE, ROWS_APART
from helpers.exercises.slips.matching import match_mistakes
from helpers.exercises.slips.scaling import NONE_BELOW_0, ROWS_SUM_TO_1, scale_mistakes
from helpers.masking import Mask, causal_mask, mask_scores
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array


def causal_weights(queries: Array, keys: Array) -> Array:
    """(..., n, d_k), (..., n, d_k) -> causal weights (..., n, n)."""
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    return softmax(mask_scores(scores, causal_mask(scores.shape[-1])))


def _triangle(scores: Array, queries: Array) -> Mask:
    return np.tri(scores.shape[-1], dtype=bool)


def _causal_by_choices(
    queries: Array, keys: Array, *, match: Step = dot_product_scores, scale: Step = by_root_d_k,
    allowed: Step = _triangle, hide: Step = minus_infinity, share: Step = softmax, weigh: Step = keep,
) -> Array:  # fmt: skip
    scores = scale(match(queries, keys), queries, keys)
    mask = allowed(scores, queries)
    return weigh(share(hide(scores, mask)), mask)


def _tri(k: int) -> Step:
    return lambda scores, queries: np.tri(scores.shape[-1], k=k, dtype=bool)


def _upper(k: int) -> Step:
    return lambda scores, queries: ~np.tri(scores.shape[-1], k=k, dtype=bool)


def _first_row_patched(scores: Array, queries: Array) -> Mask:
    mask = np.tri(scores.shape[-1], k=-1, dtype=bool)
    mask[0, 0] = True
    return mask


def _future_is_hidden(_inputs: Any, weights: Array, _call: Any) -> str:
    if weights.ndim < 2 or weights.shape[-1] != weights.shape[-2]:
        return ""
    later = np.argwhere((abs(np.nan_to_num(weights)) > 1e-9) & ~causal_mask(weights.shape[-1]))
    if not later.size:
        return ""
    place = tuple(later[0])
    found = f"Query {place[-2]} gives weight {weights[place]:.2g} to the later token {place[-1]}"
    return f"{found}; it should get 0."


def _equal_lengths(
    *shape: int, start: int, first: float | None = None, dtype: type = np.float64
) -> dict[str, Array]:
    """As many queries as keys. `first` is put before each query, and 20 before each key: large scores."""
    queries, keys = (numbers(*shape, start=start + more, dtype=dtype) for more in (0, 700))
    if first is not None:
        queries[..., 0], keys[..., 0] = first, 20.0
    return {"queries": queries, "keys": keys}


def _loud_last_token() -> dict[str, Array]:
    """The last token, hidden from all others, gets scores that lie 1,100 above theirs."""
    inputs = _equal_lengths(5, 4, start=130)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = 10.0, 0.0
    inputs["keys"][-1, 0] = 220.0
    return inputs


def _levels_apart() -> dict[str, Array]:
    inputs = _equal_lengths(5, 4, start=140)
    inputs["queries"][:, 0], inputs["keys"][:, 0] = APART, 20.0
    return inputs


def bug(queries: Array, keys: Array) -> Array:
    """(..., n, d_k), (..., n, d_k) -> weights (..., n, n), wrong: each query sees the next token, too."""
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    allowed = np.tri(scores.shape[-1], k=1, dtype=bool)
    return softmax(np.where(allowed, scores, -np.inf))


def my_causal_weights(queries: Array, keys: Array) -> Array:
    """(..., n, d_k), (..., n, d_k) -> causal weights (..., n, n); each row sums to 1."""
    scores = scale_scores(dot_product_scores(queries, keys), queries.shape[-1])
    allowed = np.tri(scores.shape[-1], k=0, dtype=bool)
    return softmax(np.where(allowed, scores, -np.inf))


EXERCISE = Mend(
    name="future-bug",
    answer=my_causal_weights,
    bug=bug,
    task="A triangle that lets each query see the next token.",
    given="one-step-ahead",
    symptom="print `np.tri(3, k=1)`. Which keys may query 0 attend to, and which of them is a later token?",
    call="my_causal_weights(queries, keys)",
    right=causal_weights,
    recipe=_causal_by_choices,
    probes=(
        Probe("three tokens", _equal_lengths(3, 4, start=1)),
        Probe("six tokens", _equal_lengths(6, 4, start=20)),
        Probe("float32, five tokens", _equal_lengths(5, 9, start=40, dtype=np.float32)),
        Probe("a batch of 2 sentences", _equal_lengths(2, 5, 3, start=60)),
        Probe("a batch of 2 sentences with 3 heads", _equal_lengths(2, 3, 7, 4, start=80)),
        Probe("scores around 1,000", _equal_lengths(6, 4, start=99, first=100.0), True),
        Probe("scores around −1,500", _equal_lengths(6, 4, start=110, first=-150.0), True),
        Probe(FAR_ABOVE, _loud_last_token(), True),
        Probe(ROWS_APART, _levels_apart(), True),
    ),
    properties=(
        ROWS_SUM_TO_1,
        NONE_BELOW_0,
        Property("future hidden", "no query gives weight to a later token", _future_is_hidden),
    ),
    axes=("query", "key"),
    mistakes=(
        Mistake(
            "one-step-ahead",
            "each query sees the next token",
            "The diagonal is the last that is seen. In np.tri, k=0 ends at the diagonal, and k=1 one step "
            "later.",
            INFINITY,
            allowed=_tri(1),
        ),
        Mistake(
            "two-steps-ahead",
            "each query sees the two tokens after it",
            "The diagonal is the last that is seen: k=0 in np.tri.",
            INFINITY,
            allowed=_tri(2),
        ),
        Mistake(
            "own-token-hidden",
            "each query misses its own token",
            "A token may attend to itself, or the first one would have no key: k=0 in np.tri, not −1.",
            INFINITY,
            also=[
                {"allowed": _tri(-1), "share": own_softmax},
                {"allowed": _tri(-1), "hide": fill(-1e9)},
                {"allowed": _first_row_patched},
            ],
            allowed=_tri(-1),
        ),
        Mistake(
            "other-triangle",
            "the other triangle is open: each query sees itself and the future",
            "Rows are queries: the keys at the left of the diagonal are the past, and the lower triangle is "
            "open.",
            TURNED,
            also=[{"allowed": lambda scores, queries: np.tri(scores.shape[-1], k=1, dtype=bool).T}],
            allowed=lambda scores, queries: np.tri(scores.shape[-1], dtype=bool).T,
        ),
        Mistake(
            "inverted",
            "the mask was turned round: a query sees later tokens, and nothing else",
            f"{ATTEND} The lower triangle, with the diagonal (k=0 in np.tri), is open: −∞ belongs where it "
            "is False.",
            POLARITY,
            also=[
                {"allowed": _upper(0), "share": own_softmax},
                {"allowed": _upper(1)},
                {"allowed": _upper(1), "share": own_softmax},
                {"allowed": _upper(0), "hide": fill(-1e9)},
                {"allowed": _upper(1), "hide": fill(-1e9)},
            ],
            allowed=_upper(0),
        ),
        Mistake(
            "nothing-hidden",
            "nothing is hidden",
            "Each query may attend to its own token and to those before it.",
            INFINITY,
            allowed=lambda scores, queries: np.ones(scores.shape[-2:], dtype=bool),
        ),
        Mistake(
            "own-token-only",
            "each query sees its own token only",
            "A token may attend to itself and to all tokens before it.",
            INFINITY,
            allowed=lambda scores, queries: np.eye(scores.shape[-1], dtype=bool),
        ),
        Mistake(
            "size-of-first-axis",
            "the triangle has the size of the first axis, which counts sentences on a stack",
            "The number of tokens is the last axis of the scores, −1.",
            INFINITY,
            also=[
                {"allowed": lambda scores, queries: np.tri(len(queries), k=1, dtype=bool)},
            ],
            allowed=lambda scores, queries: np.tri(len(queries), dtype=bool),
        ),
        Mistake(
            "size-of-second-axis",
            "the triangle has the size of axis 1",
            "The number of tokens is the last axis of the scores: counted from the end, −1.",
            INFINITY,
            also=[{"allowed": lambda scores, queries: np.tri(queries.shape[1], dtype=bool)}],
            allowed=lambda scores, queries: np.tri(scores.shape[1], dtype=bool),
        ),
        Mistake(
            "size-of-d_k",
            "the triangle has the size of d_k",
            "The mask has a row for each query and a column for each key: n tokens, not d_k entries.",
            INFINITY,
            allowed=lambda scores, queries: np.tri(queries.shape[-1], dtype=bool),
        ),
        *late_and_whole_mistakes(),
        *only(
            and_ways(
                hide_mistakes([softmax, own_softmax]),
                {
                    **MORE_WAYS,
                    "weights-zeroed": [{"allowed": _tri(1), "weigh": lambda weights, mask: np.tril(weights)}],
                },
            ),
            "weights-zeroed",
            "score-0",
            "mask-added",
            "zero-times-infinity",
            "times-infinity",
            "plus-infinity",
            "minus-a-little",
            "smallest-score",
            "infinity-after-softmax",
            "scores-forgotten",
            "over-queries",
            "no-softmax",
            "not-divided",
            "no-row-max",
        ),
        Mistake(
            "mask-as-index",
            "the mask was used as an index, which works only for one sentence",
            "On a stack the scores have more axes than the mask. np.where broadcasts it: "
            "np.where(allowed, scores, -np.inf).",
            INFINITY,
            also=[{"hide": index_zero}],
            hide=index,
        ),
        Mistake(
            "softmax-first",
            "softmax ran before the mask and once more after it",
            "Weights are no scores: a second softmax makes them nearly equal. Mask the scores, then take "
            "softmax.",
            INFINITY,
            scale=lambda scores, queries, keys: softmax(by_root_d_k(scores, queries, keys)),
        ),
        *only(scale_mistakes(), "never-scaled", "divided-by-d_k", "multiplied"),
        *only(match_mistakes(), "swapped", "all-axes-reversed", "three-axes-only", "queries-twice"),
    ),
    hints=(
        "Row 0 of the triangle belongs to the first token. Which keys may it attend to?",
        "The number k in np.tri moves the edge of the triangle. k=0 is the diagonal.",
    ),
    explain="The diagonal is the last that is seen: k=0, which np.tri takes where nothing is said.",
    reread=INFINITY,
)
