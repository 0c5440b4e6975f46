"""What several exercises of lesson 07 use: sections to reread, queries and keys of two lengths."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.slips.matching import same
from helpers.exercises.slips.mixing import attention_by_choices
from helpers.multi_head import Projections
from helpers.validation import Array

TWO = "07: Two sequences"
ALIGNMENT = "07: A hand-made alignment"
FUTURE = "05: The future must be hidden"
Step = Callable[..., Any]


def only(mistakes: Sequence[Mistake], *names: str) -> tuple[Mistake, ...]:
    """The mistakes of these names, in this order."""
    by_name = {mistake.name: mistake for mistake in mistakes}
    return tuple(by_name[name] for name in names)


def with_ways(mistake: Mistake, *ways: dict[str, Any]) -> Mistake:
    """A mistake with more ways in which it is written."""
    first, *others = mistake.ways
    return Mistake(mistake.name, mistake.says, mistake.idea, mistake.reread, also=[*others, *ways], **first)


def cross_attention_output(x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_context), three matrices -> (..., n_queries, d_v)."""
    return attention(x @ w_q, context @ w_k, context @ w_v)[0]


def _projected(x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, ...]:
    return x @ w_q, context @ w_k, context @ w_v


def cross_by_choices(
    x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array, *, project: Step = _projected,
    attend: Step = attention_by_choices, onto: Step = same, instead: Step | None = None, **steps: Any,
) -> Array:  # fmt: skip
    """`steps` are those of attention (lesson 04); a helper knows none of them. `instead` does all."""
    if instead is not None:
        return instead(x, context, Projections(w_q, w_k, w_v, np.eye(w_v.shape[-1])))
    return onto(attend(*project(x, context, w_q, w_k, w_v), **steps), x, context)


MaskOf = Callable[[int, int], Array]  # n_queries, n_keys -> a mask


def behind(scores: Array, mask_of: MaskOf) -> Array:
    """Scores -> the same with −∞ where the mask is False."""
    return np.where(mask_of(*scores.shape[-2:]), scores, -np.inf)


def through(queries: Array, keys: Array, values: Array, mask_of: MaskOf) -> Array:
    """The output behind the mask, from the helper, for whoever hands it one."""
    return attention(queries, keys, values, mask=mask_of(queries.shape[-2], keys.shape[-2]))[0]


def upper_left(n_queries: int, n_keys: int) -> Array:
    return np.tri(n_queries, n_keys) == 1
