"""Exercises of lesson 07: how does one sequence read another?"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.cross_attention import cross_attention
from helpers.exercises.diagnosis import Mistake
from helpers.exercises.kinds import Choose, Mend, Open, Predict, Property, Slip, Table, Write
from helpers.exercises.lesson_01 import same, slips
from helpers.exercises.lesson_04 import (
    ATTENTION,
    IN_OUT,
    ONES,
    ORDER,
    WITHIN,
    triple,
    triple_probes,
)
from helpers.exercises.lesson_05 import MASKED_ATTENTION, hide_mistakes, own_softmax
from helpers.exercises.probes import Probe, numbers
from helpers.masking import Mask, causal_mask, padding_mask
from helpers.multi_head import Projections, multi_head_attention
from helpers.readers.model import symbol_error_rate, word_accuracy
from helpers.scaling import scale_scores
from helpers.similarity import dot_product_scores
from helpers.softmax import softmax
from helpers.validation import Array

TWO = "07: Two sequences"
ALIGNMENT = "07: A hand-made alignment"
SOURCE = "07: The mask of the source"
SAME = "07: When both are the same"
OFTEN = "07: How often is it right?"
ONE_VECTOR = "07: Why attention replaced the single vector"
SHARES = "03: From scores to weights"
AXIS = "03: Which axis?"
LARGE = "02: What large scores do"
PADDING = "05: Padding"
FUTURE = "05: The future must be hidden"

Step = Callable[..., Any]


def _only(mistakes: Sequence[Mistake], *names: str) -> tuple[Mistake, ...]:
    """The mistakes of these names, in this order."""
    by_name = {mistake.name: mistake for mistake in mistakes}
    return tuple(by_name[name] for name in names)


def _also(mistake: Mistake, *ways: dict[str, Any]) -> Mistake:
    """A mistake with more ways in which it is written."""
    first, *others = mistake.ways
    return Mistake(mistake.name, mistake.says, mistake.idea, mistake.reread, also=[*others, *ways], **first)


# --- predict-cross -----------------------------------------------------------------------------------

PREDICT_CROSS = Predict(
    name="predict-cross",
    task="The shape of the output of 4 target tokens that read 7 source tokens; d_k 6, d_v 5.",
    answer=(4, 5),
    because="One output for each query, and the queries are the 4 target tokens. Each output is a mixture of "
    "values, which are 5 wide. The 7 source tokens are mixed away.",
    slips=(
        Slip(
            "source-rows",
            (7, 5),
            "7 rows would be one output for each source token. The source answers; the 4 target tokens ask, "
            "and each of them gets an output.",
        ),
        Slip(
            "weights",
            (4, 7),
            "That is the shape of the weights: for each target token a share of every source token. The "
            "output mixes the values by them.",
        ),
        Slip("turned", (5, 4), "Both numbers are right. A token is a row: tokens first, then entries."),
        Slip(
            "weights-turned",
            (7, 4),
            "Those are the weights, turned: a row for each source token. Rows belong to queries, and the "
            "output is what they bring home.",
        ),
        Slip(
            "not-added-up",
            (4, 7, 5),
            "That is every value times its weight, before the sum. The sum over the 7 source tokens is the "
            "output.",
        ),
        Slip(
            "as-wide-as-queries",
            (4, 6),
            "6 is the width in which queries and keys are matched. What is mixed are the values.",
        ),
        Slip(
            "source-rows-as-wide-as-keys",
            (7, 6),
            "That is the shape of the keys. The output has a row for each query, and is as wide as the "
            "values.",
        ),
        Slip("target-to-target", (4, 4), "That would be the target's self-attention, and its weights."),
        Slip("source-to-source", (7, 7), "That would be the source's self-attention, and its weights."),
        Slip(
            "both-sequences",
            (11, 5),
            "11 is both sequences together. Only the target asks here, and gets outputs.",
        ),
        Slip("one-row", (5,), "That is the output of one target token. There are 4."),
        Slip("one-row-as-table", (1, 5), "That is the output of one target token. There are 4."),
        Slip(
            "with-a-heads-axis",
            (1, 4, 5),
            "The outputs of the heads are put side by side, so that no axis of heads is left. (The weights "
            "of the helper have one.)",
        ),
        Slip(
            "weights-with-a-heads-axis",
            (1, 4, 7),
            "That is the shape of the weights as the helper returns them, one head in front. The output "
            "mixes the values by them.",
        ),
        Slip("rows-only", (4,), "The rows are right. A shape has two numbers here: how wide is a value?"),
        Slip(
            "numbers-counted",
            (20,),
            "There are 20 numbers. A shape has two numbers here: how many rows, and how wide is each?",
        ),
        Slip(
            "widths-added",
            (4, 11),
            "The rows are right. How wide is a value? Neither the widths nor the sequences are added.",
        ),
        Slip(
            "axis-between",
            (4, 1, 5),
            "The rows and the width are right. A shape has two numbers here: there is no axis between them.",
        ),
    ),
    hints=(
        "How many queries are there? Each gets one output.",
        "An output is a sum of weighted values. How wide is a value?",
    ),
    reread=TWO,
)

# --- cross-attention and context-bug -------------------------------------------------------------------


def cross_attention_output(x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_context), three matrices -> (..., n_queries, d_v)."""
    return attention(x @ w_q, context @ w_k, context @ w_v)[0]


def _projected(x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, ...]:
    return x @ w_q, context @ w_k, context @ w_v


def _cross_by_choices(
    x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array, *, project: Step = _projected,
    attend: Step = ATTENTION.recipe, onto: Step = same, instead: Step | None = None, **steps: Any,
) -> Array:  # fmt: skip
    """`steps` are those of attention (lesson 04); a helper knows none of them. `instead` does all."""
    if instead is not None:
        return instead(x, context, Projections(w_q, w_k, w_v, np.eye(w_v.shape[-1])))
    return onto(attend(*project(x, context, w_q, w_k, w_v), **steps), x, context)


def _by_helper(queries: Array, keys: Array, values: Array, **_steps: Any) -> Array:
    return attention(queries, keys, values)[0]


def _from(
    name: str, says: str, idea: str, project: Step, *others: Step, reread: str = TWO,
    instead: Step | None = None,
) -> Mistake:  # fmt: skip
    """Queries, keys or values from the wrong place. Where shapes do not fit, a helper stops otherwise."""
    own = [{"project": other} for other in others]
    by_helper = [{"project": each, "attend": _by_helper} for each in (project, *others)]
    in_one_call = [{"instead": instead}] if instead else []
    return Mistake(name, says, idea, reread, also=[*own, *by_helper, *in_one_call], project=project)


WHO = (
    "x is being written, and asks: queries come from x. context is being read, and answers: keys and values "
    "both come from context."
)
EACH_ITS_OWN = "Each matrix has one job: x @ w_q asks, context @ w_k is matched, context @ w_v is mixed."


def _other_projections() -> Iterable[Mistake]:
    return (
        _from(
            "keys-from-x",
            "the keys were made from x",
            WHO,
            lambda x, c, w_q, w_k, w_v: (x @ w_q, x @ w_k, c @ w_v),
        ),
        _from(
            "values-from-x",
            "the values were made from x",
            f"{WHO} The key says where to look, the value what is found there: both belong to the same "
            "source token.",
            lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_k, x @ w_v),
            lambda x, c, w_q, w_k, w_v: (
                x @ w_q,
                c @ w_k,
                np.resize(x @ w_v, (*c.shape[:-1], w_v.shape[-1])),
            ),
        ),
        _from(
            "context-ignored",
            "queries, keys and values were all made from x, and the context was not read",
            f"That is self-attention. {WHO}",
            lambda x, c, w_q, w_k, w_v: (x @ w_q, x @ w_k, x @ w_v),
            reread=SAME,
            instead=lambda x, context, matrices: multi_head_attention(x, matrices, 1)[0],
        ),
        _from(
            "x-ignored",
            "queries, keys and values were all made from the context, and x was not asked",
            f"That is self-attention of the context. {WHO}",
            lambda x, c, w_q, w_k, w_v: (c @ w_q, c @ w_k, c @ w_v),
            reread=SAME,
            instead=lambda x, context, matrices: multi_head_attention(context, matrices, 1)[0],
        ),
        _from(
            "sides-swapped",
            "`x` and `context` changed places: queries were made from the context, keys and values from x",
            WHO,
            lambda x, c, w_q, w_k, w_v: (c @ w_q, x @ w_k, x @ w_v),
            instead=lambda x, context, matrices: cross_attention(context, x, matrices)[0],
        ),
        _from(
            "queries-and-keys-swapped",
            "the queries were made from the context, and the keys from x",
            WHO,
            lambda x, c, w_q, w_k, w_v: (c @ w_q, x @ w_k, c @ w_v),
        ),
        _from(
            "queries-and-values-swapped",
            "the queries were made from the context, and the values from x",
            WHO,
            lambda x, c, w_q, w_k, w_v: (c @ w_q, c @ w_k, x @ w_v),
        ),
        _from(
            "both-read",
            "`x` and `context` were joined, and both were read",
            "One sequence that holds both is what most chat models have. In cross attention the context "
            "alone gives keys and values.",
            lambda x, c, w_q, w_k, w_v: _of_joined(x, np.concatenate([c, x], axis=-2), w_q, w_k, w_v),
            lambda x, c, w_q, w_k, w_v: _of_joined(x, np.concatenate([x, c], axis=-2), w_q, w_k, w_v),
            lambda x, c, w_q, w_k, w_v: _of_joined(x, np.concatenate([c, x]), w_q, w_k, w_v),
            lambda x, c, w_q, w_k, w_v: _of_joined(x, np.concatenate([x, c]), w_q, w_k, w_v),
            reread="07: In practice",
        ),
        _from(
            "w_q-and-w_k-swapped",
            "w_q and w_k changed places",
            EACH_ITS_OWN,
            lambda x, c, w_q, w_k, w_v: (x @ w_k, c @ w_q, c @ w_v),
        ),
        _from(
            "w_k-and-w_v-swapped",
            "keys and values changed places (the matrices, or the arguments)",
            EACH_ITS_OWN,
            lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_v, c @ w_k),
        ),
        _from(
            "w_q-twice",
            "queries and keys were both made with w_q",
            EACH_ITS_OWN,
            lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_q, c @ w_v),
        ),
        _from(
            "w_k-twice",
            "queries and keys were both made with w_k",
            EACH_ITS_OWN,
            lambda x, c, w_q, w_k, w_v: (x @ w_k, c @ w_k, c @ w_v),
        ),
        _from(
            "keys-from-w_v",
            "keys and values were both made with w_v",
            EACH_ITS_OWN,
            lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_v, c @ w_v),
        ),
        _from(
            "values-from-w_k",
            "keys and values were both made with w_k",
            EACH_ITS_OWN,
            lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_k, c @ w_k),
        ),
        _from(
            "made-from-a-projection",
            "the keys were made from the queries, or the values from the keys, or w_k was left out",
            f"The line that stops tells which. Keys and values are both made from the context itself. "
            f"{EACH_ITS_OWN}",
            lambda x, c, w_q, w_k, w_v: (x @ w_q, x @ w_q @ w_k, c @ w_v),
            lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_k, c @ w_k @ w_v),
        ),
        Mistake(
            "no-w_k",
            "the context itself was matched: w_k was left out",
            f"Queries and keys meet in one common space, into which w_q and w_k bring them. {EACH_ITS_OWN}",
            TWO,
            project=lambda x, c, w_q, w_k, w_v: (x @ w_q, c, c @ w_v),
            attend=_by_helper,
        ),
        Mistake(
            "no-w_q",
            "`x` itself asked: w_q was left out",
            f"Queries and keys meet in one common space, into which w_q and w_k bring them. {EACH_ITS_OWN}",
            TWO,
            project=lambda x, c, w_q, w_k, w_v: (x, c @ w_k, c @ w_v),
            attend=_by_helper,
        ),
        Mistake(
            "one-product-more",
            "the output was multiplied by a matrix once more",
            f"w_v has made the values already, and the output is a mixture of them. {EACH_ITS_OWN}",
            TWO,
            also=[
                {"instead": lambda x, c, m: _one_head(x, c, m) @ m.w_k},
                {"instead": lambda x, c, m: _one_head(x, c, m) @ m.w_q},
                {"instead": lambda x, c, m: _one_head(x, c, m) @ m.w_v.T},
                {"instead": lambda x, c, m: _one_head(x, c, m) @ m.w_k.T},
                {"instead": lambda x, c, m: _one_head(x, c, m) @ m.w_q.T},
                {"instead": lambda x, c, m: cross_attention(x, c, m._replace(w_o=m.w_v))[0]},
            ],
            instead=lambda x, c, m: _one_head(x, c, m) @ m.w_v,
        ),
        _from(
            "w_q-applied-twice",
            "`x` was multiplied by w_q twice",
            f"Is `x @ w_q` taken once more in the call? {EACH_ITS_OWN}",
            lambda x, c, w_q, w_k, w_v: (x @ w_q @ w_q, c @ w_k, c @ w_v),
        ),
        _from(
            "multiplied-entry-by-entry",
            "`*` multiplied entry by entry, where a matrix product is meant",
            f"`*` needs two arrays of fitting shapes, and sums nothing; a matrix product is written `@`. "
            f"{EACH_ITS_OWN}",
            lambda x, c, w_q, w_k, w_v: (x * w_q, c * w_k, c * w_v),
        ),
        _from(
            "no-w_v",
            "the context itself was mixed: w_v was left out",
            EACH_ITS_OWN,
            lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_k, c),
        ),
        _from(
            "no-projection",
            "`x` and `context` attended as they are: no matrix was used",
            f"Their entries name different things, and need not be equally many. {EACH_ITS_OWN}",
            lambda x, c, w_q, w_k, w_v: (x, c, c),
        ),
        _from(
            "w_v-only",
            "`x` and `context` were matched as they are: w_q and w_k were left out",
            f"Their entries name different things: w_q and w_k bring them into one common space. "
            f"{EACH_ITS_OWN}",
            lambda x, c, w_q, w_k, w_v: (x, c, c @ w_v),
        ),
        _from(
            "x-mixed",
            "`x` itself was mixed",
            f"The query asks, and brings home what the context holds. {EACH_ITS_OWN}",
            lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_k, x),
        ),
        Mistake(
            "matrices-transposed",
            "a matrix was transposed, or w_q was left out",
            f"{IN_OUT} Without w_q, `x` and the keys have different widths.",
            "04: Queries, keys and values",
            also=[
                {"project": lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_k, c @ w_v.T)},
                {"project": lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_k.T, c @ w_v)},
                {"project": lambda x, c, w_q, w_k, w_v: (np.dot(x, w_q.T), c @ w_k, c @ w_v)},
            ],
            project=lambda x, c, w_q, w_k, w_v: (x @ w_q.T, c @ w_k.T, c @ w_v.T),
        ),
        Mistake(
            "keys-not-transposed",
            "the keys were not transposed",
            "In `queries @ ...` each column on the right should be one key: exchange the last two axes of "
            "the keys, np.swapaxes(keys, -1, -2).",
            "01: All pairs at once",
            match=lambda queries, keys: queries @ keys,
        ),
        Mistake(
            "factors-turned-round",
            "a product has its factors the wrong way round: a matrix stands on the left of the tokens",
            "The line that stops tells which. A token is a row, and a matrix stands on the right: x @ w_q.",
            "04: Queries, keys and values",
            also=[
                {"project": lambda x, c, w_q, w_k, w_v: (np.dot(w_q, x), c @ w_k, c @ w_v)},
                {"project": lambda x, c, w_q, w_k, w_v: (x @ w_q, w_k @ c, c @ w_v)},
                {"project": lambda x, c, w_q, w_k, w_v: (x @ w_q, c @ w_k, w_v @ c)},
            ],
            project=lambda x, c, w_q, w_k, w_v: (w_q @ x, w_k @ c, w_v @ c),
        ),
    )


def _one_head(x: Array, context: Array, matrices: Projections) -> Array:
    w_q, w_k, w_v = map(np.asarray, matrices[:3])
    return cross_attention_output(x, context, w_q, w_k, w_v)


def _of_joined(x: Array, joined: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, ...]:
    return x @ w_q, joined @ w_k, joined @ w_v


def _hidden_behind(mask_of: Callable[[int, int], Array]) -> Step:
    """A step that puts −∞ where the mask of (n_queries, n_keys) is False."""
    return lambda scores, *_: np.where(mask_of(*scores.shape[-2:]), scores, -np.inf)


def _upper_left(n_queries: int, n_keys: int) -> Array:
    return np.tri(n_queries, n_keys) == 1


def _masked_by(mask_of: Callable[[int, int], Array]) -> dict[str, Step]:
    """The same through the helper, for whoever hands it a mask."""
    return {
        "mix": lambda w, q, k, v: attention(q, k, v, mask=mask_of(q.shape[-2], k.shape[-2]))[0],
    }


def _pair(
    *stack: int, n_queries: int = 3, n_keys: int = 5, d_model: int = 7, d_context: int = 4, d_k: int = 5,
    d_v: int = 6, start: int = 1, dtype: type = np.float64,
) -> dict[str, Array]:  # fmt: skip
    """Leading axes and sizes -> x, context and three matrices of known numbers."""
    return {
        "x": numbers(*stack, n_queries, d_model, start=start, dtype=dtype),
        "context": numbers(*stack, n_keys, d_context, start=start + 300, dtype=dtype),
        "w_q": numbers(d_model, d_k, start=start + 500, dtype=dtype) / 2,
        "w_k": numbers(d_context, d_k, start=start + 700, dtype=dtype) / 2,
        "w_v": numbers(d_context, d_v, start=start + 900, dtype=dtype) / 2,
    }


def _far_apart_pair() -> dict[str, Array]:
    """Scaled scores near 800 for the first target token, those of a row close together, and near 1."""
    x = np.array([[1000.0, 0.0, 0.0, 0.0, 0.0, 3.0], [0.0, 1.0, -0.5, 2.0, 0.0, -1.0]])
    keys = [[1.8, 1.0, 0.5, -1.0, 2.0], [1.801, -0.5, 2.0, 1.0, 0.0], [1.799, 0.5, 1.0, 0.0, 1.0]]
    context = np.concatenate([np.array(keys), numbers(3, 2, start=5)], axis=-1)
    return {
        "x": x,
        "context": context,
        "w_q": np.eye(6, 5),
        "w_k": np.eye(7, 5),
        "w_v": numbers(7, 4, start=60),
    }


def _far_apart_pairs() -> dict[str, Array]:
    one = _far_apart_pair()
    x = np.stack([one["x"][0] * np.array([[1.0], [1.0005], [0.999], [1.001]]), numbers(4, 6, start=3)])
    context = np.stack([one["context"], numbers(3, 7, start=83)])
    return {**one, "x": x, "context": context}


CROSS_PROBES = (
    Probe(
        "as many target as source tokens, and equally wide",
        _pair(n_queries=4, n_keys=4, d_model=5, d_context=5, d_k=3, d_v=6, start=11),
    ),
    Probe(
        "x and context equally wide",
        _pair(n_queries=2, n_keys=4, d_model=5, d_context=5, d_k=3, d_v=4, start=21),
    ),
    Probe(
        "2 target and 3 source tokens",
        _pair(n_queries=2, n_keys=3, d_model=5, d_context=4, d_k=3, d_v=6, start=31),
    ),
    Probe(
        "as many target as source tokens",
        _pair(n_queries=4, n_keys=4, d_model=6, d_context=5, d_k=3, d_v=2, start=41),
    ),
    Probe(
        "more target than source tokens, values as wide as x",
        _pair(n_queries=5, n_keys=3, d_model=6, d_context=4, d_k=5, d_v=6, start=51),
    ),
    Probe(
        "values as wide as keys",
        _pair(n_queries=4, n_keys=6, d_model=7, d_context=5, d_k=3, d_v=3, start=61),
    ),
    Probe(
        "whole numbers",
        {
            "x": np.array([[1, 0, 2, 1], [0, 1, 1, -1]]),
            "context": np.array([[2, 1, 0, 0, 1], [0, 1, -1, 1, 0], [1, 0, 0, 2, 1]]),
            "w_q": np.array([[1, 0, 1], [0, 1, 0], [1, -1, 0], [0, 1, 1]]),
            "w_k": np.array([[0, 1, 0], [1, 1, 0], [1, 0, -1], [-1, 0, 1], [0, 0, 1]]),
            "w_v": np.array([[1, 2, 0, 5], [0, 1, 3, 1], [4, 0, 1, 2], [1, 1, 6, 0], [0, 3, 1, 1]]),
        },
    ),
    Probe("float32", _pair(n_queries=4, n_keys=6, d_k=9, dtype=np.float32, start=71)),
    Probe("2 pairs of sentences", _pair(2, start=301)),
    Probe(
        "2 pairs, as many tokens and equally wide",
        _pair(2, n_queries=4, n_keys=4, d_model=5, d_context=5, d_k=3, d_v=6, start=401),
    ),
    Probe(
        "2 pairs, 3 readings each", _pair(2, 3, n_queries=5, n_keys=6, d_context=8, d_k=4, d_v=9, start=501)
    ),
    Probe("rows far apart: scores of 800 and of 1", _far_apart_pair(), True),
    Probe("pairs far apart: scores of 800 and of 1", _far_apart_pairs(), True),
)


def _within_context(inputs: Any, output: Array, call: Any) -> str:
    return WITHIN.broken({"values": inputs["context"] @ inputs["w_v"]}, output, call)


def _context_is_read(inputs: Any, output: Array, call: Any) -> str:
    x, context, *matrices = inputs.values()
    other = call(x, context[..., ::-1] + 1, *matrices)
    if other is None or other.shape != output.shape or not np.allclose(other, output, atol=1e-3):
        return ""
    return "Another context gives the same output. So the context is not read."


def _source_shuffled(inputs: Any, output: Array, call: Any) -> str:
    x, context, *matrices = inputs.values()
    again = call(x, context[..., ::-1, :].copy(), *matrices)
    if again is None or again.shape != output.shape or np.allclose(again, output, atol=1e-3, equal_nan=True):
        return ""
    return "The source tokens in another order change your output; all of them may be read, in any order."


def _values_of_0(inputs: Any, output: Array, call: Any) -> str:
    *others, w_v = inputs.values()
    zeros = call(*others, np.zeros(w_v.shape))
    if zeros is None or zeros.shape != output.shape or np.allclose(zeros, 0, atol=1e-6):
        return ""
    found = zeros.flat[np.argmax(abs(zeros))]
    return f"Where w_v is all 0, every value is 0, and so should be the output; yours is {found:.2f}."


CROSS_ATTENTION = Write(
    name="cross-attention",
    task="One head of cross attention: x asks, context answers.",
    call="my_cross_attention(x, context, w_q, w_k, w_v)",
    right=cross_attention_output,
    recipe=_cross_by_choices,
    probes=CROSS_PROBES,
    properties=(
        Property("within the values", "no output lies outside the values of the context", _within_context),
        Property("nothing added", "values of 0 give an output of 0", _values_of_0),
        Property("context read", "another context gives another output", _context_is_read),
        Property(
            "order of the source", "the order of the source tokens does not matter", _source_shuffled
        ),
    ),
    axes=("target token", "entry"),
    two_stacked=("pair", "reading"),
    mistakes=(
        *_other_projections(),
        Mistake(
            "x-added",
            "`x`, or a product of it, was added to the output",
            "That step comes later in a Transformer, after W_O, which brings the output back to d_model. "
            "Here the output alone is asked.",
            TWO,
            also=[
                {"onto": lambda output, x, context: x + output},
                {"instead": lambda x, c, m: _one_head(x, c, m) + x @ m.w_v},
                {"instead": lambda x, c, m: _one_head(x, c, m) + x @ m.w_q},
            ],
            onto=lambda output, x, context: output + x,
        ),
        Mistake(
            "causal",
            "a causal mask was put on the cross attention",
            "The causal mask hides what is not yet written. The source is finished: nothing in it is the "
            "future, and every target token may read all of it.",
            ALIGNMENT,
            also=[{"width": _hidden_behind(causal_mask)}, _masked_by(_upper_left), _masked_by(causal_mask)],
            width=_hidden_behind(_upper_left),
        ),
        Mistake(
            "root-d_model",
            "the scores were divided by √d_model, the width of x",
            "A score is a dot product of a query and a key, a sum of d_k terms: d_k is the width after the "
            "projection, w_q.shape[-1].",
            LARGE,
            project=lambda x, c, w_q, w_k, w_v: (
                x @ w_q * math.sqrt(w_q.shape[-1] / x.shape[-1]), c @ w_k, c @ w_v
            ),
        ),
        Mistake(
            "root-d_context",
            "the scores were divided by √d_context, the width of the context",
            "A score is a dot product of a query and a key, a sum of d_k terms: d_k is the width after the "
            "projection, w_k.shape[-1].",
            LARGE,
            project=lambda x, c, w_q, w_k, w_v: (
                x @ w_q * math.sqrt(w_q.shape[-1] / c.shape[-1]), c @ w_k, c @ w_v
            ),
        ),
        Mistake(
            "whole-numbers-kept",
            "the output was written into an array of whole numbers, which drops all after the point",
            "`zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.",
            TWO,
            onto=lambda output, x, context: output.astype(x.dtype),
        ),
        _also(
            _only(ATTENTION.mistakes, "swapped")[0],
            {"attend": lambda queries, keys, values: attention(keys, queries, values)[0]},
        ),
        _also(
            _only(ATTENTION.mistakes, "values-as-queries")[0],
            {"attend": lambda queries, keys, values: attention(values, keys, queries)[0]},
        ),
        *_only(
            ATTENTION.mistakes,
            "weights-returned", "weights-turned", "output-turned", "hard-lookup", "equal-weights",
            "softmax-of-each-score", "softmax-of-values", "averaged", "scaled-after-softmax", "scaled-twice",
            "softmax-last", "softmax-of-output", "rounded",
            "root-d_v", "d_v", "root-d_v-too", "root-d_k-d_v",
            "never-scaled", "divided-by-d_k", "multiplied", "root-n_keys", "root-n_keys-too",
            "root-n_queries", "always-2", "half-d_k", "power-first", "fourth-root", "root-first-axis",
            "root-second-axis",
            "all-axes-reversed", "one-matrix-only", "three-axes-only", "cosine",
            "transposed-to-the-old-order", "two-axes-transposed", "reshaped",
            "over-queries", "axis-0", "axis-1", "over-everything", "over-matrix", "over-first-axis-items",
            "no-row-max", "whole-max", "sentence-max", "not-divided", "no-exponential", "no-softmax",
            "twice", "keepdims",
        ),
    ),
    hints=(
        "Who asks, and who answers? The one that is being written asks.",
        "Queries are x @ w_q. Keys and values are both made from context, by w_k and w_v.",
        "Then attention as before. The helper returns two things: output, weights = attention(queries, keys, "
        "values).",
    ),
    explain="Queries from x, keys and values from context; the rest is attention. The helper cross_attention "
    "does this in several heads, and mixes them with W_O.",
    reread=TWO,
)  # fmt: skip

CONTEXT_BUG = Mend(
    name="context-bug",
    task="A reader whose answers were never in the context.",
    given="values-from-x",
    symptom="in the example every source token carries [0, 4], and the reader brings back 0.5. Of which "
    "array are its outputs a mixture? And what would happen with 2 target and 3 source tokens?",
    call="my_reader(x, context, w_q, w_k, w_v)",
    right=cross_attention_output,
    recipe=_cross_by_choices,
    probes=CROSS_ATTENTION.probes,
    properties=CROSS_ATTENTION.properties,
    axes=CROSS_ATTENTION.axes,
    two_stacked=CROSS_ATTENTION.two_stacked,
    mistakes=CROSS_ATTENTION.mistakes,
    hints=(
        "Three lines make queries, keys and values. Ask of each: does it belong to the one that asks, or to "
        "the one that answers?",
        "The keys say where to look in the context. What is found there should be of the context, too.",
    ),
    explain="Keys and values both come from the context: a key says where to look, and its value what is "
    "there. With two sequences of the same length and width, the mistake gives no error.",
    reread=TWO,
)

# --- new-word ------------------------------------------------------------------------------------------

SPANISH_PARTS = ("article", "animal", "colour", "action", "masculine")
LESSON_ENGLISH = ("the", "black", "cat", "is", "sleeping")
ENGLISH_KEYS = np.array(
    [[0.9, 0, 0, 0], [0, 0.1, 0.9, 0], [0, 0.9, 0.1, 0.1], [0.2, 0, 0, 0.7], [0, 0.2, 0, 0.9]]
)
WORD_W_Q = 12 * np.eye(5)[:, :4]
BLACK, CAT = LESSON_ENGLISH.index("black"), LESSON_ENGLISH.index("cat")
WORD_LIMIT, EACH = 1.0, 0.4


def _weights_of_word(word: Array) -> Array:
    return softmax(scale_scores(ENGLISH_KEYS @ (word @ WORD_W_Q), 4))


def _both_read(weights: Array) -> bool:
    return bool(min(weights[BLACK], weights[CAT]) >= EACH - 1e-12)


def _judge_word(word: Array) -> tuple[str, str]:
    size = float(abs(word).max())
    if size > WORD_LIMIT + 1e-9:
        return "beyond-limit", (
            f"no number may lie above 1 or below −1, and one of yours has size {size:.4g}.\n"
            "  W_Q makes the numbers 12 times larger; that is enough."
        )
    weights = _weights_of_word(word)
    shown = ", ".join(f"{name} {weight:.2f}" for name, weight in zip(LESSON_ENGLISH, weights, strict=True))
    if _both_read(weights):
        return "", (
            f"✓ your word reads {shown}.\n"
            "  One query can ask for two things at once, where it scores alike with both keys."
        )
    name, reply = _why_not_both(word, weights)
    return name, f"your word reads {shown}; 0.4 is asked for *black* and for *cat*.\n  {reply}"


def _why_not_both(word: Array, weights: Array) -> tuple[str, str]:
    """The named slip of a word within the limit that does not read both enough, and the reply."""
    animal, colour = float(word[1]), float(word[2])
    if not word[:4].any():
        return "zero", (
            "The query is 0, and every key gets 1/5: W_Q drops *masculine*, and the other numbers are 0."
        )
    if animal < 0 or colour < 0:
        return "negative", (
            "A negative number lowers the score of every key that has that entry. To ask for an animal, "
            "or a colour, its number should be above 0."
        )
    if _both_read(_weights_of_word(word / abs(word).max())):
        return "too-short", (
            "The mixture is good, and the weights are too flat: larger numbers spread the scores further."
        )
    others = [i for i in range(len(weights)) if i not in (BLACK, CAT)]
    if max(word[0], word[3]) > 0.1 and weights[others].sum() > 0.1:
        most = max(others, key=lambda i: float(weights[i]))
        return "others-too", (
            f"Your word asks for an article or an action too, and so *{LESSON_ENGLISH[most]}* takes part. "
            "Which two numbers do *black* and *cat* need?"
        )
    if colour <= 0.1 < animal:
        return "animal-only", "It asks for an animal alone. *black* is found by its colour: ask for both."
    if animal <= 0.1 < colour:
        return "colour-only", "It asks for a colour alone. *cat* is found as an animal: ask for both."
    return "uneven", (
        "The two scores lie too far apart, or all scores lie too close together. *black* and *cat* should "
        "score alike, and well above the others."
    )


NEW_WORD = Open(
    name="new-word",
    task="A Spanish word that reads both *black* and *cat*.",
    shape=(5,),
    judge=_judge_word,
    example=[0.0, 1.0, 1.0, 0.0, 0.0],
    because="Its query is [0, 12, 12, 0]. *black* and *cat* both score 12 · (0.9 + 0.1) / 2 = 6, no other "
    "key scores more than 1.2. Each of the two gets nearly half of the weight.",
    slips=slips(
        ("beyond-limit", [0.0, 2.0, 2.0, 0.0, 0.0]),
        ("zero", [0.0, 0.0, 0.0, 0.0, 1.0]),
        ("negative", [0.0, -1.0, -1.0, 0.0, 0.0]),
        ("too-short", [0.0, 0.2, 0.2, 0.0, 0.0]),
        ("others-too", [1.0, 1.0, 1.0, 1.0, 1.0]),
        ("animal-only", [0.0, 1.0, 0.0, 0.0, 1.0]),
        ("colour-only", [0.0, 0.0, 1.0, 0.0, 0.0]),
        ("uneven", [0.0, 1.0, 0.6, 0.0, 0.0]),
    ),
    hints=(
        "The score is a dot product. Which entry of the key of *black* is large, and which of that of *cat*?",
        "The query should be large in both of these entries, and alike. The others should stay small.",
    ),
    reread=ALIGNMENT,
)

# --- causal-bug --------------------------------------------------------------------------------------


def _triangle(shift: int) -> Callable[[int, int], Array]:
    return lambda n_queries, n_keys: np.tri(n_queries, n_keys, shift) == 1


def _behind(name: str, says: str, idea: str, *masks: Callable[[int, int], Array]) -> Mistake:
    """The source hidden behind a mask of (n_queries, n_keys), by own steps or through the helper."""
    own = [{"width": _hidden_behind(mask)} for mask in masks[1:]]
    by_helper = [_masked_by(mask) for mask in masks]
    return Mistake(name, says, idea, ALIGNMENT, also=[*own, *by_helper], width=_hidden_behind(masks[0]))


def _each_source_token_read(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values = inputs.values()
    for place in range(values.shape[-2]):
        changed = values.astype(float)
        changed[..., place, :] += 1e9
        again = call(queries, keys, changed)
        if again is None or again.shape != output.shape:
            return ""
        rows = (abs(again - output) <= 1e-3).all(axis=-1).reshape(-1, output.shape[-2]).all(axis=0)
        if rows.any():
            return (
                f"Another value of source token {place} does not change the output of target token "
                f"{rows.argmax()}: is it still hidden from it?"
            )
    return ""


FINISHED = (
    "The causal mask hides what is not yet written. The source is finished before the first target token is "
    "written: nothing in it is the future, so no mask is needed here."
)

CAUSAL_BUG = Mend(
    name="causal-bug",
    task="A cross attention that hides the end of the source.",
    given="causal-upper-left",
    symptom="print `np.tri(1, 3, dtype=bool)`, the mask for one target token and three source tokens. Which "
    "source tokens may it read, and which of them lie in its future?",
    example=triple(n_queries=1, n_keys=3, d_k=4, d_v=5, start=91),
    call="my_decoder_reader(queries, keys, values)",
    right=ATTENTION.right,
    recipe=ATTENTION.recipe,
    probes=(
        *triple_probes(),
        Probe(
            "more target than source tokens",
            triple(n_queries=6, n_keys=4, d_k=3, d_v=5, start=61),
        ),
    ),
    properties=(
        Property("source read", "each target token reads each source token", _each_source_token_read),
        WITHIN,
        ONES,
        ORDER,
    ),
    axes=("target token", "entry"),
    mistakes=(
        Mistake(
            "causal-upper-left",
            "target token i reads the source tokens 0 to i only",
            FINISHED,
            ALIGNMENT,
            also=[
                _masked_by(_upper_left),
                {"mix": lambda w, q, k, v: own_softmax(
                    np.where(_upper_left(*w.shape[-2:]), scale_scores(dot_product_scores(q, k), q.shape[-1]),
                             -np.inf)) @ v},
            ],
            width=_hidden_behind(_upper_left),
        ),
        _behind(
            "first-row-only",
            "the first target token reads the whole source now, and the others do not",
            FINISHED,
            lambda n_queries, n_keys: _upper_left(n_queries, n_keys) | (np.arange(n_queries) == 0)[:, None],
        ),
        _behind(
            "sizes-swapped",
            "the mask has a row for each source token and a column for each target token",
            f"The weights have a row for each target token. And there is nothing to hide: {FINISHED}",
            lambda n_queries, n_keys: np.tri(n_keys, n_queries) == 1,
        ),
        _behind(
            "causal-lower-right",
            "the triangle was moved to the lower right, and still hides source tokens",
            FINISHED,
            causal_mask,
            lambda n_queries, n_keys: np.tri(n_keys)[-n_queries:] == 1,
        ),
        _behind(
            "wider-triangle",
            "the triangle was made wider, and still hides source tokens",
            FINISHED,
            *map(_triangle, (1, 2, 3, 4)),
        ),
        _behind(
            "one-step-less",
            "the triangle was made one step narrower",
            FINISHED,
            _triangle(-1),
        ),
        _behind(
            "other-triangle",
            "the other triangle is open: target token i reads the source from token i on",
            FINISHED,
            lambda n_queries, n_keys: np.tri(n_keys, n_queries).T == 1,
        ),
        _behind(
            "inverted",
            "the mask was turned round: target token i reads the source after token i only",
            FINISHED,
            lambda n_queries, n_keys: ~_upper_left(n_queries, n_keys),
        ),
        _behind(
            "everything-hidden",
            "the mask is False everywhere, and no source token is read",
            f"True = may attend. {FINISHED}",
            lambda n_queries, n_keys: np.zeros((n_queries, n_keys), dtype=bool),
        ),
        _behind(
            "same-place-only",
            "target token i reads source token i only",
            "That supposes that both languages have the same order, and equally many words. The scores "
            "should decide where to look; no mask is needed here.",
            lambda n_queries, n_keys: np.eye(n_queries, n_keys) == 1,
        ),
        _behind(
            "square-of-queries",
            "the mask has a column for each target token",
            f"The weights have a column for each source token. And there is nothing to hide: {FINISHED}",
            lambda n_queries, n_keys: np.tri(n_queries) == 1,
        ),
        _behind(
            "square-of-keys",
            "the mask has a row for each source token",
            f"The weights have a row for each target token. And there is nothing to hide: {FINISHED}",
            lambda n_queries, n_keys: np.tri(n_keys) == 1,
        ),
        _behind(
            "turned",
            "the mask was transposed, so that it fits only where both sequences are equally long",
            f"The weights have a row for each target token. And there is nothing to hide: {FINISHED}",
            lambda n_queries, n_keys: np.tri(n_queries, n_keys).T == 1,
        ),
        Mistake(
            "scores-zeroed",
            "the mask now sets scores to 0",
            f"A score of 0 still gets weight, and another one than its own. {FINISHED}",
            ALIGNMENT,
            also=[{"width": lambda scores, *_: scores + _upper_left(*scores.shape[-2:])}],
            width=lambda scores, *_: scores * _upper_left(*scores.shape[-2:]),
        ),
        Mistake(
            "weights-zeroed",
            "the mask now sets weights to 0, after softmax",
            f"Then a row no longer sums to 1, and the source is hidden all the same. {FINISHED}",
            ALIGNMENT,
            mix=lambda weights, queries, keys, values: (weights * _upper_left(*weights.shape[-2:])) @ values,
        ),
        *(
            mistake
            for mistake in ATTENTION.mistakes
            if mistake.name
            not in (
                "axis-2",
                "over-first-axis-items",
                "sigmoid",
                "divided-by-largest",
                "powers-of-2",
                "keys-hidden",
            )
        ),
    ),
    hints=(
        "What may a target token read? Think of a reader who has the whole source sentence on the table.",
        "The future is what is not yet written. Which of the two sequences is still being written?",
        "The causal mask belongs to the target's self-attention. Here the weights are the softmax of all "
        "scores.",
    ),
    explain="The source is all there before the first token is written, so every target token may read all "
    "of it. What hides the target's own future is the mask of its self-attention.",
    reread=ALIGNMENT,
)  # fmt: skip

# --- alignment-table ---------------------------------------------------------------------------------

GERMAN = ("ich", "habe", "den", "Hund", "gesehen")
ENGLISH = ("I", "have", "seen", "the", "dog")
ALIGNED_SCORES = np.array(
    [[4, 0, 1, 0, 1], [0, 2, 1, 1, -1], [-1, -1, 1, 3, 2], [1, -1, 0, 1, 4], [0, 3, 4, 0, -1]], dtype=float
)
ALIGNED = softmax(ALIGNED_SCORES)
BEST = ALIGNED.argmax(axis=-1)
TOP = ALIGNED_SCORES.max(axis=-1)


def _by_word(name: str, column: Sequence[float] | Array, reply: str) -> Slip:
    """A slip whose wrong column is known number by number."""
    cells = dict(zip(GERMAN, np.asarray(column, dtype=float).tolist(), strict=True))
    return Slip(name, cells.get, reply)


def _weight_at(table: Array) -> Array:
    return table[np.arange(len(GERMAN)), BEST]


def _aligned_row(word: str) -> list[float]:
    place = GERMAN.index(word)
    return [float(BEST[place]), float(ALIGNED[place, BEST[place]])]


def _weight_of_place(word: str, _column: int, place: float) -> float:
    """The weight that the learner's own position leads to."""
    known = place == int(place) and 0 <= place < len(ENGLISH)
    return float(ALIGNED[GERMAN.index(word), int(place)]) if known else math.nan


ALIGNMENT_TABLE = Table(
    name="alignment-table",
    task='Where each word of "ich habe den Hund gesehen" reads "I have seen the dog", and with what weight.',
    row_name="word",
    labels=GERMAN,
    columns=("position read most", "its weight"),
    row=_aligned_row,
    slips=(
        (
            _by_word("counted-from-1", BEST + 1, "Those are counted from 1. Here *I* has the position 0."),
            _by_word(
                "in-order",
                np.arange(len(GERMAN)),
                "Those are the positions in order, word by word. German has another order: look for the "
                "largest score of each row.",
            ),
            _by_word(
                "read-down-the-columns",
                ALIGNED_SCORES.argmax(axis=0),
                "Those are the largest scores of the columns: for each English word, the German word that "
                "reads it most. Rows are queries: look along the rows (axis=-1).",
            ),
            _by_word(
                "read-least",
                ALIGNED_SCORES.argmin(axis=-1),
                "Those are the smallest scores of each row. The largest score gets the most weight.",
            ),
            _by_word(
                "second-best",
                np.argsort(ALIGNED_SCORES, axis=-1, kind="stable")[:, -2],
                "Those are the second largest scores. np.argsort sorts upwards: the last place, −1, "
                "holds the largest.",
            ),
            _by_word("scores", TOP, "Those are the largest scores themselves. Their positions are asked."),
            _by_word(
                "columns-swapped",
                ALIGNED.max(axis=-1),
                "Those are the weights. The position stands first, then its weight.",
            ),
            _by_word(
                "weights-read-down-the-columns",
                ALIGNED.argmax(axis=0),
                "Those are the largest weights of the columns. Rows are queries: look along the rows "
                "(axis=-1).",
            ),
        ),
        (
            _by_word(
                "columns-swapped", BEST, "Those are positions. The position stands first, then its weight."
            ),
            _by_word(
                "weights-read-down-the-columns",
                ALIGNED.max(axis=0),
                "Those are the largest weights of the columns. Rows are queries: look along the rows "
                "(axis=-1).",
            ),
            _by_word(
                "not-divided",
                np.exp(TOP),
                "Those are the exponentials. A weight is a share: divide by the sum of the row's "
                "exponentials.",
            ),
            _by_word("scores", TOP, "Those are the scores. Softmax makes weights of them."),
            _by_word(
                "no-exponential",
                TOP / ALIGNED_SCORES.sum(axis=-1),
                "Those are shares of the scores. Softmax takes the exponentials first.",
            ),
            _by_word(
                "over-queries",
                _weight_at(softmax(ALIGNED_SCORES, axis=0)),
                "Softmax ran down the columns, over the queries. One distribution for each German word: "
                "along the rows, axis=-1.",
            ),
            _by_word(
                "over-everything",
                _weight_at(np.exp(ALIGNED_SCORES) / np.exp(ALIGNED_SCORES).sum()),
                "The sum ran over the whole table. Each row is a distribution of its own.",
            ),
            _by_word(
                "scaled-twice",
                _weight_at(softmax(ALIGNED_SCORES / 2)),
                "The scores were divided by √d_k once more. They are scaled already.",
            ),
            _by_word(
                "divided-by-d_k",
                _weight_at(softmax(ALIGNED_SCORES / 4)),
                "The scores were divided by d_k. They are scaled already.",
            ),
            _by_word(
                "root-5",
                _weight_at(softmax(ALIGNED_SCORES / math.sqrt(5))),
                "The scores were divided by √5. They are scaled already, and 5 is the number of words.",
            ),
            _by_word(
                "scale-undone",
                _weight_at(softmax(ALIGNED_SCORES * 2)),
                "The scores were multiplied by √d_k. Softmax takes the scaled ones, as they are printed.",
            ),
            _by_word(
                "one-decimal",
                _weight_at(ALIGNED).round(1),
                "Those are right to one decimal. Give at least two.",
            ),
            _by_word(
                "percent", 100 * _weight_at(ALIGNED), "Those are percentages. A weight lies from 0 to 1."
            ),
            _by_word("all-of-it", np.ones(5), "1 is a hard lookup. In a soft one every word gets a share."),
            _by_word("the-rest", 1 - _weight_at(ALIGNED), "That is what all the other words get together."),
            _by_word(
                "powers-of-2",
                _weight_at(softmax(ALIGNED_SCORES * math.log(2))),
                "Powers of 2 were taken. Softmax takes powers of e.",
            ),
            _by_word("twice", _weight_at(softmax(ALIGNED)), "Softmax was applied twice. Once makes weights."),
        ),
    ),
    next_cell=_weight_of_place,
    because="*gesehen* stands last and reads *seen*, in the middle: 0.71, and 0.26 for *have*, for the two "
    "belong together. *habe* is the least sure. Reading down the columns would tell otherwise: of all German "
    "words it is *gesehen* that has the largest score with *have*.",
    hints=(
        "Go along a row: which English word has the largest score? Count its position from 0.",
        "softmax(aligned_scores) holds all weights, a row for each German word. The largest of each row is "
        "asked.",
    ),
    reread=ALIGNMENT,
)

# --- source-mask -------------------------------------------------------------------------------------


def read_with_padding(queries: Array, keys: Array, values: Array, source_lengths: Array) -> Array:
    """Queries, keys, values, (n_sentences,) -> output (n_sentences, n_queries, d_v); padding is hidden."""
    return attention(queries, keys, values, padding_mask(source_lengths, keys.shape[-2]))[0]


def _by_root_d_k(scores: Array, queries: Array, keys: Array) -> Array:
    return scale_scores(scores, queries.shape[-1])


def _minus_infinity(scores: Array, mask: Mask) -> Array:
    return np.where(mask, scores, -np.inf)


def _keep(weights: Array, _mask: Mask) -> Array:
    return weights


def _shared_again(weights: Array, mask: Mask) -> Array:
    """The weights of the padding set to 0, and the rest of each row divided by its sum."""
    return weights * mask / (weights * mask).sum(axis=-1, keepdims=True)


def _mixed(weights: Array, queries: Array, keys: Array, values: Array) -> Array:
    return weights @ values


def _as_given(queries: Array, keys: Array, values: Array, mask: Mask) -> tuple[Array, Array, Array]:
    return queries, keys, values


def _real(lengths: Array, n_keys: int) -> Mask:
    return np.arange(n_keys) < lengths[:, None]


def _for_all_queries(real: Mask, _lengths: Array, _n_queries: int) -> Mask:
    return real[:, None, :]


def _padded_by_choices(
    queries: Array, keys: Array, values: Array, source_lengths: Array, *, real: Step = _real,
    spread: Step = _for_all_queries, change: Step = _as_given, match: Step = dot_product_scores,
    scale: Step = _by_root_d_k, width: Step | None = None, hide: Step = _minus_infinity,
    share: Step = softmax, weigh: Step = _keep, mix: Step = _mixed,
    instead: Step | None = None, whole: Step | None = None,
) -> Array:  # fmt: skip
    """`instead` takes the mask and does all the rest: the helper, say. `whole` does everything."""
    if whole is not None:
        return whole(queries, keys, values, source_lengths)
    flat = real(source_lengths, keys.shape[-2])
    mask = spread(flat, source_lengths, queries.shape[-2])
    if instead is not None:
        return instead(queries, keys, values, mask)
    queries, keys, values = change(queries, keys, values, flat)
    scores = match(queries, keys)
    scores = scale(scores, queries, keys) if width is None else scores / width(values)
    return mix(weigh(share(hide(scores, mask)), mask), queries, keys, values)


def _turned_real(lengths: Array, n_keys: int) -> Mask:
    return np.arange(n_keys)[:, None] < lengths


def _helper_with_mask(queries: Array, keys: Array, values: Array, mask: Mask) -> Array:
    return attention(queries, keys, values, mask)[0]


def _index(scores: Array, mask: Mask) -> Array:
    hidden = scores.copy()
    hidden[~mask] = -np.inf
    return hidden


def _add(scores: Array, mask: Mask) -> Array:
    return scores + np.where(mask, 0.0, -np.inf)


def _other_way(scores: Array, mask: Mask) -> Array:
    return np.where(~mask, -np.inf, scores)


def _mask_shape(
    name: str, says: str, idea: str, *spreads: Step, reread: str = PADDING,
    whole: Callable[[Array, int, int], Mask] | None = None,
) -> Mistake:  # fmt: skip
    """A mask of another shape: it may fit nowhere, somewhere, or on another axis."""
    ways: list[dict[str, Any]] = [{"spread": spread} for spread in spreads[1:]]
    for spread in spreads:
        ways.append({"spread": spread, "instead": _helper_with_mask})
        ways.append({"spread": spread, "share": own_softmax})
        ways += [{"spread": spread, "hide": hide} for hide in (_add, _other_way, _index)]
    if whole is not None:
        ways.append({"whole": lambda q, k, v, n: attention(q, k, v, whole(n, q.shape[-2], k.shape[-2]))[0]})
    return Mistake(name, says, idea, reread, also=ways, spread=spreads[0])


def _causal_too(real: Mask, _lengths: Array, n_queries: int) -> Mask:
    return real[:, None, :] & _upper_left(n_queries, real.shape[-1])


def _queries_too(real: Mask, lengths: Array, n_queries: int) -> Mask:
    return real[:, None, :] & (np.arange(n_queries) < lengths[:, None])[:, :, None]


def _cut_at(length_of: Callable[[Array], int]) -> Step:
    """One length for all sentences."""
    return lambda lengths, n_keys: np.arange(n_keys) + 0 * lengths[:, None] < length_of(lengths)


def _between(first: int, lengths: Array, n_keys: int) -> Mask:
    """The places after the first, up to the length and including it."""
    return (np.arange(n_keys) > first) & (np.arange(n_keys) <= lengths[:, None])


HIDDEN = hide_mistakes([softmax, own_softmax])
STILL_E = "A score of 0 is not a weight of 0: softmax gives it e⁰ / the sum. The *score* has to become −∞."
THE_SOURCE = "The padding belongs to the source, and the source gives the keys: hide columns of the scores."


def _as_many(*stack: int, start: int) -> dict[str, Array]:
    return triple(*stack, n_queries=4, n_keys=4, d_k=3, d_v=5, start=start)


def _towards(first: float) -> dict[str, Array]:
    """Scaled scores that lie around 10 · first."""
    inputs = triple(2, d_k=4, start=23)
    inputs["queries"][..., 0], inputs["keys"][..., 0] = first, 20.0
    return inputs


def _loud_padding() -> dict[str, Array]:
    """Padding keys that score highest, and carry the largest values."""
    inputs = triple(2, n_keys=6, d_k=4, d_v=3, start=77)
    inputs["keys"][0, 3:] = 4 * inputs["queries"][0, :3]
    inputs["values"][0, 3:] += 50.0
    return inputs


def _padding_far_above() -> dict[str, Array]:
    """In the first sentence the scores of the padding lie about 900 above those of the real keys."""
    inputs = triple(2, n_queries=3, n_keys=6, d_k=4, d_v=5, start=131)
    inputs["queries"][..., 0] = 2.0
    inputs["keys"][0, 4:, 0] = 900.0
    return inputs


def _padding_moves(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values, lengths = inputs.values()
    real = _real(lengths, keys.shape[-2])[:, :, None]
    again = call(
        queries, np.where(real, keys, keys[..., ::-1] + 1), np.where(real, values, values + 3), lengths
    )
    if again is None or again.shape != output.shape or np.allclose(again, output, atol=1e-3, equal_nan=True):
        return ""
    return "Other numbers in the padding change your output. Nothing of the padding should reach it."


def _last_real_read(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values, lengths = inputs.values()
    changed = values.copy()
    changed[np.arange(len(lengths)), lengths - 1] += 5
    again = call(queries, keys, changed, lengths)
    if again is None or again.shape != output.shape or abs(again - output).max(axis=(-2, -1)).min() > 1e-3:
        return ""
    return "Changing the value of the last real token of a source does not change the output: is it hidden?"


def _values_of_1(inputs: Any, output: Array, call: Any) -> str:
    queries, keys, values, lengths = inputs.values()
    ones = call(queries, keys, np.ones(values.shape), lengths)
    if ones is None or ones.shape != output.shape or np.allclose(ones, 1, atol=4e-3):
        return ""
    found = ones.flat[np.argmax(abs(ones - 1))]
    if not np.isfinite(found):
        return ""
    return f"Where every value is 1, the output should be 1, for the weights sum to 1; yours is {found:.2f}."


SOURCE_MASK = Write(
    name="source-mask",
    task="Attend, and hide the padding of the source.",
    call="my_read_with_padding(queries, keys, values, source_lengths)",
    right=read_with_padding,
    recipe=_padded_by_choices,
    probes=tuple(
        Probe(kind, {**inputs, "source_lengths": np.array(lengths)}, hard)
        for kind, inputs, lengths, hard in (
            ("2 sentences", triple(2, n_queries=3, n_keys=5, d_k=4, d_v=6, start=5), (3, 4), False),
            ("2 sentences, one of full length", triple(2, start=101), (7, 4), False),
            ("3 sentences", triple(3, n_queries=2, n_keys=6, d_k=5, d_v=4, start=201), (1, 6, 4), False),
            ("no padding at all", triple(2, n_queries=3, n_keys=6, d_k=5, d_v=4, start=301), (6, 6), False),
            ("float32", triple(3, n_queries=4, n_keys=7, d_k=5, start=431, dtype=np.float32), (5, 2, 6),
             False),
            ("4 sentences, values as wide as keys",
             triple(4, n_queries=3, n_keys=8, d_k=6, d_v=6, start=501), (8, 3, 5, 1), False),
            ("as many queries as keys", _as_many(2, start=601), (2, 3), True),
            ("padding that scores highest", _loud_padding(), (3, 5), True),
            ("padding that scores 900 higher", _padding_far_above(), (4, 5), True),
            ("scores around 1,000", _towards(100.0), (4, 6), True),
            ("scores around −1,500", _towards(-150.0), (6, 3), True),
        )
    ),
    properties=(
        Property("padding hidden", "nothing of the padding reaches the output", _padding_moves),
        Property("weights sum to 1", "values of 1 give an output of 1", _values_of_1),
        Property("last token read", "the last real token is read", _last_real_read),
    ),
    axes=("query", "entry"),
    mistakes=(
        Mistake(
            "padding-ignored",
            "the padding was read as if it were text",
            "The scores of the keys from `length` on should become −∞, before softmax.",
            SOURCE,
            hide=lambda scores, mask: scores,
        ),
        Mistake(
            "inverted",
            "the mask was read the other way round: the real tokens were hidden, and the padding read",
            "True = may attend: the first `length` keys. −∞ belongs where the mask is False.",
            "05: True means may attend",
            also=[
                {"hide": lambda scores, mask: np.where(mask, -np.inf, scores), "share": own_softmax},
                {"instead": lambda q, k, v, mask: attention(q, k, v, ~mask)[0]},
                {"hide": lambda scores, mask: scores - 1e9 * mask},
                {"hide": lambda scores, mask: np.where(mask, -1e9, scores)},
            ],
            hide=lambda scores, mask: np.where(mask, -np.inf, scores),
        ),
        Mistake(
            "score-0",
            "the scores of the padding became 0 (which is also what keys of zeros give)",
            STILL_E,
            "05: Two ways that fail",
            hide=lambda scores, mask: np.where(mask, scores, 0.0),
        ),
        Mistake(
            "weights-zeroed",
            "the weights of the padding, or its values, were set to 0, and the rest was left as it was",
            "Then the weights of a row no longer sum to 1: the padding has taken its share. Hide the scores "
            "before softmax, or divide by the sum of what is left.",
            "05: Two ways that fail",
            hide=lambda scores, mask: scores,
            weigh=lambda weights, mask: weights * mask,
        ),
        Mistake(
            "padding-zeroed",
            "keys and values of the padding were both set to 0",
            f"{STILL_E} The share of the padding is lost, and the output comes out too small.",
            "05: Two ways that fail",
            hide=lambda scores, mask: np.where(mask, scores, 0.0),
            weigh=lambda weights, mask: weights * mask,
        ),
        Mistake(
            "infinite-keys",
            "the keys of the padding became −∞, or very negative",
            "Where the query's entries are positive, such a key scores very low; where they are negative, "
            "it scores very *high*; and −∞ and +∞ sum to nan. It is the *score* that should be −∞.",
            "05: Minus infinity before softmax",
            also=[
                {"change": change, "hide": lambda scores, mask: scores, "share": share, "match": match}
                for change in (
                    lambda q, k, v, real: (q, np.where(real[:, :, None], k, -np.inf), v),
                    lambda q, k, v, real: (q, np.where(real[:, :, None], k, -1e9), v),
                )
                for share in (softmax, own_softmax)
                for match in (lambda q, k: q @ np.swapaxes(k, -1, -2),)
            ],
            change=lambda q, k, v, real: (q, np.where(real[:, :, None], k, -np.inf), v),
            hide=lambda scores, mask: scores,
        ),
        *_only(
            HIDDEN,
            "mask-added", "zero-times-infinity", "times-infinity", "plus-infinity", "minus-a-little",
            "smallest-score", "infinity-after-softmax", "scores-forgotten", "over-queries", "no-softmax",
            "not-divided",
        ),
        _also(
            _only(HIDDEN, "no-row-max")[0],
            {"hide": lambda scores, mask: scores, "share": np.exp, "weigh": _shared_again},
        ),
        Mistake(
            "renormalised",
            "the padding was set to 0 after the exponentials: the largest score was taken over the padding, "
            "too",
            "That is right until a padding score lies far above the others, 800, say: then the exponentials "
            "of all real tokens are 0, and 0/0 is left. Hide the scores first, then take softmax.",
            "05: Two ways that fail",
            also=[
                {
                    "hide": lambda scores, mask: scores,
                    "weigh": lambda weights, mask: np.nan_to_num(_shared_again(weights, mask)),
                },
            ],
            hide=lambda scores, mask: scores,
            weigh=_shared_again,
        ),
        Mistake(
            "one-too-many",
            "one padding key too many stays open",
            "Places count from 0: the real tokens of a source of length 3 have the places 0, 1 and 2, all "
            "*smaller* than 3.",
            PADDING,
            real=lambda lengths, n_keys: np.arange(n_keys) <= lengths[:, None],
        ),
        Mistake(
            "one-too-few",
            "the last real token of each source was hidden, too",
            "Places count from 0: the real tokens of a source of length 3 have the places 0, 1 and 2. "
            "(np.arange(1, n_keys + 1) counts from 1, and keys[:length - 1] stops too early.)",
            PADDING,
            also=[
                {"real": lambda lengths, n_keys: np.arange(n_keys) < lengths[:, None] - 1,
                 "share": own_softmax},
            ],
            real=lambda lengths, n_keys: np.arange(n_keys) < lengths[:, None] - 1,
        ),
        Mistake(
            "lengths-in-a-row",
            "the lengths were compared as a row, like the places",
            "Each place should meet each length: a row of places, np.arange(n_keys), and the lengths as a "
            "column, source_lengths[:, None, None].",
            PADDING,
            also=[
                {"real": lambda lengths, n_keys: lengths > np.arange(n_keys)},
                {"real": lambda lengths, n_keys: np.arange(n_keys)[None, :] < lengths},
                {"real": lambda lengths, n_keys: np.arange(n_keys)[None, None, :] < lengths},
                *(
                    {"real": _turned_real, "spread": lambda real, lengths, n_queries: real, **rest}
                    for rest in ({}, {"instead": _helper_with_mask}, {"hide": _other_way}, {"hide": _index})
                ),
            ],
            real=lambda lengths, n_keys: np.arange(n_keys) < lengths,
        ),
        Mistake(
            "mask-of-another-width",
            "the mask does not have a column for each key",
            "The mask is as wide as the padded source, keys.shape[-2]. How long the target is, and how long "
            "the longest source, does not come into it.",
            SOURCE,
            also=[
                {"whole": lambda q, k, v, n: attention(q, k, v, padding_mask(n, n.max()))[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, padding_mask(n, k.shape[-1]))[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, padding_mask(n, v.shape[-1]))[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, padding_mask(n, len(k)))[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, padding_mask(n, len(n)))[0]},
                {"whole": lambda q, k, v, n: attention(
                    q, k, v, np.arange(q.shape[-2]) < n[:, None, None])[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, np.arange(n.max()) < n[:, None, None])[0]},
                {"whole": lambda q, k, v, n: attention(q, k, v, np.arange(len(k)) < n[:, None, None])[0]},
            ],
            whole=lambda q, k, v, n: attention(q, k, v, padding_mask(n, q.shape[-2]))[0],
        ),
        Mistake(
            "mask-as-index",
            "the mask was used as an index, which needs the full shape of the scores",
            "An axis of 1 does not broadcast in an index. np.where does it: np.where(mask, scores, -np.inf).",
            "05: Minus infinity before softmax",
            hide=_index,
        ),
        Mistake(
            "softmax-first",
            "softmax ran before the mask and once more after it",
            "Weights are no scores: a second softmax makes them nearly equal. Mask the scores, then take "
            "softmax.",
            "05: Minus infinity before softmax",
            scale=lambda scores, queries, keys: softmax(_by_root_d_k(scores, queries, keys)),
        ),
        Mistake(
            "shared-over-everything",
            "what was left of the weights was divided by the sum over all queries and sentences",
            "Each row of weights is a distribution of its own: its sum along the last axis, with "
            "keepdims=True, divides it.",
            AXIS,
            hide=lambda scores, mask: scores,
            weigh=lambda weights, mask: weights * mask / (weights * mask).sum(),
        ),
        Mistake(
            "first-token-hidden",
            "the first token of each source was hidden",
            "Places count from 0, and the token at place 0 is a real one.",
            PADDING,
            also=[
                {"real": lambda lengths, n_keys: _between(0, lengths, n_keys) & _real(lengths, n_keys)},
            ],
            real=lambda lengths, n_keys: _between(0, lengths, n_keys),
        ),
        Mistake(
            "padding-in-front",
            "the first tokens were hidden, as if the padding stood in front",
            "Here it stands at the end: the first `length` keys are real.",
            PADDING,
            real=lambda lengths, n_keys: np.arange(n_keys) >= n_keys - lengths[:, None],
        ),
        Mistake(
            "length-of-the-padding",
            "the lengths were read as numbers of padding keys",
            "They count the real tokens: the first `length` keys may be read.",
            PADDING,
            also=[
                {"real": lambda lengths, n_keys: np.arange(n_keys) < n_keys - lengths[:, None],
                 "share": own_softmax},
            ],
            real=lambda lengths, n_keys: np.arange(n_keys) < n_keys - lengths[:, None],
        ),
        Mistake(
            "last-token-only",
            "only the last real token of each source could be read",
            "All real tokens are open: compare each place with the length by `<`.",
            PADDING,
            also=[{"real": lambda lengths, n_keys: np.arange(n_keys) == lengths[:, None]}],
            real=lambda lengths, n_keys: np.arange(n_keys) == lengths[:, None] - 1,
        ),
        Mistake(
            "first-length-for-all",
            "every source got the length of the first",
            "Each sentence has its own length: compare the places, a row, with the lengths, a column.",
            PADDING,
            real=_cut_at(lambda lengths: lengths[0]),
        ),
        Mistake(
            "last-length-for-all",
            "every source got the length of the last",
            "Each sentence has its own length. In a loop, is something overwritten in each round?",
            PADDING,
            real=_cut_at(lambda lengths: lengths[-1]),
        ),
        Mistake(
            "longest-for-all",
            "every source was cut at the length of the longest",
            "Each sentence has its own length: compare the places, a row, with the lengths, a column.",
            PADDING,
            real=_cut_at(lambda lengths: lengths.max()),
        ),
        Mistake(
            "shortest-for-all",
            "every source was cut at the length of the shortest",
            "That hides real tokens. Each sentence has its own length: compare the places, a row, with the "
            "lengths, a column.",
            PADDING,
            real=_cut_at(lambda lengths: lengths.min()),
        ),
        _mask_shape(
            "queries-hidden",
            "rows were hidden in place of columns: queries, not keys",
            f"{THE_SOURCE} Then each query still gets an output.",
            lambda real, lengths, n_queries: real[:, :, None],
            lambda real, lengths, n_queries: _real(lengths, n_queries)[:, :, None],
            reread=SOURCE,
            whole=lambda lengths, n_queries, n_keys: np.swapaxes(padding_mask(lengths, n_queries), -1, -2),
        ),
        _mask_shape(
            "queries-too",
            "queries were hidden as well as keys",
            f"{THE_SOURCE} The lengths are those of the source; the target needs no mask.",
            _queries_too,
            lambda real, lengths, n_queries: real[:, :, None] & real[:, None, :],
            reread=SOURCE,
            whole=lambda lengths, n_queries, n_keys: (
                padding_mask(lengths, n_keys) & np.swapaxes(padding_mask(lengths, n_queries), -1, -2)
            ),
        ),
        _mask_shape(
            "no-query-axis",
            "the mask has no axis for the queries",
            "(n_sentences, n_keys) does not line up with scores of shape (n_sentences, n_queries, n_keys). "
            "An axis of 1 between the two, `[:, None, :]`, serves all queries.",
            lambda real, lengths, n_queries: real,
        ),
        _mask_shape(
            "every-mask-on-every-sentence",
            "each source's mask was put on every sentence, which makes an axis too many",
            "The mask has the shape (n_sentences, 1, n_keys); an axis of 1 for heads has no place here. In a "
            "loop over the sentences, take queries[i], keys[i] and values[i].",
            lambda real, lengths, n_queries: real[:, None, None, :],
        ),
        Mistake(
            "causal-too",
            "a causal mask was used",
            "The causal mask hides what is not yet written. The source is finished: only its padding is "
            "hidden.",
            SOURCE,
            also=[
                {"spread": lambda real, lengths, n_queries: _upper_left(n_queries, real.shape[-1])},
                {"spread": lambda real, lengths, n: causal_mask(n, real.shape[-1]) & real[:, None, :]},
                {"spread": lambda real, lengths, n: causal_mask(n, real.shape[-1])},
            ],
            spread=_causal_too,
        ),
        Mistake(
            "keys-not-turned",
            "the keys were not transposed, or all their axes were, that of the sentences as well",
            "In `queries @ ...` each column should be one key, and sentences stay apart: exchange the last "
            "two axes only, np.swapaxes(keys, -1, -2).",
            "01: All pairs at once",
            also=[{"match": lambda queries, keys: queries @ keys}],
            match=lambda queries, keys: queries @ keys.T,
        ),
        Mistake(
            "two-axes-transposed",
            "`transpose` was given two axes, and the keys have three",
            "In PyTorch keys.transpose(-2, -1) swaps two axes of any array. NumPy's `transpose` takes the "
            "new order of all axes. Use np.swapaxes(keys, -1, -2).",
            "01: All pairs at once",
            match=lambda queries, keys: queries @ keys.transpose(-2, -1),
        ),
        *_only(
            MASKED_ATTENTION.mistakes,
            "weights-returned", "averaged", "hard-lookup", "keys-mixed", "queries-mixed", "root-d_v",
            "never-scaled", "divided-by-d_k", "multiplied", "root-n_keys",
        ),
    ),
    hints=(
        "Which keys of each source are real? Number them 0, 1, 2, … and compare with the length.",
        "The mask has the shape (n_sentences, 1, n_keys): the helper padding_mask(source_lengths, n_keys) "
        "builds it.",
        "output, weights = attention(queries, keys, values, mask=...) does the rest. By hand: −∞ where the "
        "mask is False, before softmax.",
    ),
    explain="One mask, that of the source: it has a row for each sentence, and an axis of 1 that serves all "
    "target tokens. How long the target is does not come into it.",
    reread=SOURCE,
)  # fmt: skip


# --- accuracy ----------------------------------------------------------------------------------------

Texts = Sequence[str]
Words = Sequence[tuple[str, Texts]]


def _each_word(written: Texts, accepted: Sequence[Texts]) -> Words:
    return list(zip(written, accepted, strict=True))


def _is_accepted(text: str, texts: Texts) -> float:
    return float(text in texts)


def _share(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> Any:
    return sum(marks) / len(accepted)


def _share_of_these(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> Any:
    return sum(marks) / len(marks)


def _accuracy_by_choices(
    written: Texts, accepted: Sequence[Texts], *, pair: Step = _each_word, right: Step = _is_accepted,
    total: Step = _share, form: Step = same,
) -> Any:  # fmt: skip
    words = pair(written, accepted)
    return form(total([right(text, texts) for text, texts in words], words, accepted))


def _if_any(agrees: Callable[[str, str], bool]) -> Step:
    """Right if the text agrees with any of those accepted."""
    return lambda text, texts: float(any(agrees(text, each) for each in texts))


def _after(prepare: Callable[[str], Any]) -> Step:
    """Right if the text equals one of those accepted, after both have been prepared."""
    return _if_any(lambda text, other: bool(prepare(text) == prepare(other)))


def _places_alike(split: Callable[[str], Sequence[str]], text: str, other: str) -> int:
    return sum(map(str.__eq__, split(text), split(other)))


def _part_right(split: Callable[[str], Sequence[str]], length_of: Callable[[int, int], int]) -> Step:
    """A word counts by its symbols, against the first accepted text."""

    def right(text: str, texts: Texts) -> float:
        length = length_of(len(split(text)), len(split(texts[0])))
        return _places_alike(split, text, texts[0]) / length if length else 0.0

    return right


def _best_part_right(text: str, texts: Texts) -> float:
    return max(_places_alike(str.split, text, other) / max(len(other.split()), 1) for other in texts)


def _all_symbols_together(split: Callable[[str], Sequence[str]]) -> Step:
    def total(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> float:
        alike = sum(_places_alike(split, text, texts[0]) for text, texts in words)
        return alike / sum(len(split(texts[0])) for _, texts in words)

    return total


def _one_minus_error_rate(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> float:
    return 1 - symbol_error_rate([text for text, _ in words], [texts for _, texts in words], " ")


def _merged(written: Texts, accepted: Sequence[Texts]) -> Words:
    return list(dict(zip(written, accepted, strict=True)).items())


def _last_of_the_name(written: Texts, accepted: Sequence[Texts]) -> Words:
    by_text = dict(zip(written, accepted, strict=True))
    return [(text, by_text[text]) for text in written]


def _texts_right(marks: Sequence[float], words: Words) -> int:
    return len({text for (text, _), mark in zip(words, marks, strict=True) if mark})


def _from_any_word(written: Texts, accepted: Sequence[Texts]) -> Words:
    everything = [text for texts in accepted for text in texts]
    return [(text, everything) for text in written]


def _in_both_heaps(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> float:
    everything = {text for texts in accepted for text in texts}
    return len({text for text, _ in words} & everything) / len(accepted)


def _divided_each_time(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> float:
    count = 0.0
    for mark in marks:
        count = (count + mark) / len(accepted)
    return count


def _until_first_wrong(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> float:
    n_right = next((i for i, mark in enumerate(marks) if not mark), len(marks))
    return n_right / len(accepted)


def _from_0_to_1(_inputs: Any, share: Array, _call: Any) -> str:
    got = float(share)
    return "" if -1e-6 <= got <= 1 + 1e-6 else f"A share lies from 0 to 1; yours is {_number(got)}."


def _number(value: float) -> str:
    """A number in few digits."""
    return f"{value:.4g}"


def _all_right(inputs: Any, _share_got: Array, call: Any) -> str:
    accepted = inputs["accepted"]
    for which, place in (("first", 0), ("last", -1)):
        got = call([texts[place] for texts in accepted], accepted)
        if got is not None and got.shape == () and abs(float(got) - 1) > 1e-6:
            return (
                f"Where each word is written as the {which} text that is accepted for it, the share should "
                f"be 1; yours is {_number(float(got))}."
            )
    return ""


def _all_wrong(inputs: Any, _share_got: Array, call: Any) -> str:
    got = call(["?"] * len(inputs["written"]), inputs["accepted"])
    if got is None or got.shape != () or abs(float(got)) <= 1e-6:
        return ""
    return f'Where "?" is written for each word, the share should be 0; yours is {_number(float(got))}.'


def _half_right(inputs: Any, _share_got: Array, call: Any) -> str:
    accepted = inputs["accepted"]
    got = call([texts[0] for texts in accepted] + ["?"] * len(accepted), accepted + accepted)
    if got is None or got.shape != () or abs(float(got) - 0.5) <= 1e-6:
        return ""
    return (
        f'Where the first half of the words is right, and "?" is written for each of the others, the share '
        f"should be 0.5; yours is {_number(float(got))}."
    )


ACCURACY_PROBES = tuple(
    Probe(kind, {"written": list(written), "accepted": [list(texts) for texts in accepted]})
    for kind, written, accepted in (
        (
            "five words",
            ("T AH M AA T OW", "N AY F", "K AE T", "F OW N Z", "R EH D"),
            (
                ("T AH M EY T OW", "T AH M AA T OW"),
                ("N AY F",),
                ("K AE T S",),
                ("F OW N", "F AH N"),
                ("R IY D", "R EH D", "R AY D"),
            ),
        ),
        ("one word, the first of its two texts", ("R UW T",), (("R UW T", "R AW T"),)),
        ("one word, the last of its two texts", ("R AW T",), (("R UW T", "R AW T"),)),
        (
            "one word, the last of its three texts",
            ("P IY K AE N",),
            (("P IH K AA N", "P AH K AA N", "P IY K AE N"),),
        ),
        ("one word, the middle of its three texts", ("V EY Z",), (("V EY S", "V EY Z", "V AA Z"),)),
        ("one word, wrong", ("S AY G N",), (("S AY N",),)),
        (
            "a word that comes twice",
            ("L IY D", "L IY D", "N AY T", "B OW"),
            (("L EH D", "L IY D"), ("L EH D",), ("N AY T",), ("B AW", "B OW")),
        ),
        (
            "a word that comes twice, right both times",
            ("R EH D", "N AY T", "R EH D"),
            (("R IY D", "R EH D"), ("N AY F",), ("R EH D",)),
        ),
        (
            "a text that is right for another word",
            ("R AY T", "N AY T", "S AO"),
            (("N AY T",), ("R AY T",), ("S AO",)),
        ),
        ("an empty text", ("", "G OW"), (("AH",), ("G OW",))),
        (
            "the right sounds in another order",
            ("T AE K", "P AA P AA", "AE K T"),
            (("K AE T",), ("P AA P",), ("AE K T", "K AE T")),
        ),
        (
            "texts that differ in a space",
            ("ice cream", "S AY N ", "black bird", "tea", "sea horse"),
            (("icecream",), ("S AY N",), ("blackbird",), ("tea",), ("seahorse", "sea horse")),
        ),
        (
            "texts that differ in a capital letter",
            ("polish", "China", "Turkey"),
            (("Polish",), ("China", "china"), ("turkey",)),
        ),
        (
            "three dates",
            ("2004-06-03", "1999-12-31", "1999-01-30"),
            (("2004-06-03",), ("1999-12-31",), ("1999-01-31",)),
        ),
        ("all right", ("AY", "Y UW", "DH EH M"), (("AY",), ("Y UW", "Y AH"), ("DH AH M", "DH EH M"))),
        (
            "all wrong",
            ("AO", "Y UH", "DH IY", "W IY"),
            (("AY",), ("Y UW", "Y AH"), ("DH AH M", "DH EH M"), ("AH S",)),
        ),
        (
            "seven words, the first wrong and the last right",
            ("K N IY", "B AE TH", "AA N S ER", "K UH D", "G OW S T", "S AO R D", "HH AW S"),
            (
                ("N IY",),
                ("B AE TH", "B AA TH"),
                ("AE N S ER",),
                ("K UH D", "K UH L D", "K AH D"),
                ("G OW S T",),
                ("S AO R D", "S W AO R D"),
                ("HH AW Z", "HH AW S"),
            ),
        ),
    )
)

EXACTLY = (
    "A word is right if its text *equals* one of those accepted: `text in texts`, where texts is the list."
)
EVERY_WORD = "Every word counts once, and the number of words divides."

ACCURACY = Write(
    name="accuracy",
    task="The share of words that are written exactly right.",
    call="my_word_accuracy(written, accepted)",
    right=word_accuracy,
    recipe=_accuracy_by_choices,
    probes=ACCURACY_PROBES,
    properties=(
        Property("a share", "the share lies from 0 to 1", _from_0_to_1),
        Property("all right", "if every word is right, the share is 1", _all_right),
        Property("all wrong", "if no word is right, the share is 0", _all_wrong),
        Property("half right", "if half of the words are right, the share is 0.5", _half_right),
    ),
    mistakes=(
        Mistake(
            "first-accepted-only",
            "each text was compared with the first accepted one only",
            "A word may have several pronunciations, and any of them is right.",
            OFTEN,
            right=lambda text, texts: float(text == texts[0]),
        ),
        Mistake(
            "last-accepted-only",
            "each text was compared with the last accepted one only",
            "In a loop over the accepted texts, a result that is overwritten in each round keeps the last. "
            "Any of them may be right.",
            OFTEN,
            right=lambda text, texts: float(text == texts[-1]),
        ),
        Mistake(
            "first-two-accepted-only",
            "each text was compared with the first two accepted ones only",
            f"A word may have three pronunciations, or more, and any of them is right. {EXACTLY}",
            OFTEN,
            right=lambda text, texts: float(text in texts[:2]),
        ),
        Mistake(
            "first-and-last-accepted-only",
            "each text was compared with the first and the last accepted one only",
            f"A word may have three pronunciations, or more, and any of them is right. {EXACTLY}",
            OFTEN,
            right=lambda text, texts: float(text in (texts[0], texts[-1])),
        ),
        Mistake(
            "all-accepted",
            "a text had to equal all the accepted ones",
            "One is enough: a word is said in one way at a time.",
            OFTEN,
            also=[{"right": lambda text, texts: float([text] == texts)}],
            right=lambda text, texts: float(all(text == each for each in texts)),
        ),
        Mistake(
            "list-compared",
            "a text was compared with a whole list, and the two are never equal",
            EXACTLY,
            OFTEN,
            right=lambda text, texts: 0.0,
        ),
        Mistake(
            "part-is-enough",
            "a text counted as right where one of the two texts is only a part of the other",
            f'Between two texts, `in` asks for a part: "K AE T" in "K AE T S" is True. {EXACTLY}',
            OFTEN,
            also=[
                {"right": _if_any(lambda text, other: other in text)},
                {"right": _if_any(lambda text, other: other in text or text in other)},
                {"right": lambda text, texts: float(text in texts[0])},
                {"right": lambda text, texts: float(texts[0] in text)},
                {"right": lambda text, texts: float(text in " ".join(texts))},
                {"right": lambda text, texts: float(text in str(texts))},
                {"right": _if_any(str.startswith)},
                {"right": _if_any(lambda text, other: other.startswith(text))},
                {"right": _if_any(str.endswith)},
                {"right": _if_any(lambda text, other: other.endswith(text))},
                {"right": _if_any(lambda text, other: all(map(str.__eq__, text, other)))},
                {"right": _if_any(lambda text, other: all(map(str.__eq__, text.split(), other.split())))},
            ],
            right=_if_any(lambda text, other: text in other),
        ),
        Mistake(
            "same-length",
            "only the lengths of the texts were compared",
            EXACTLY,
            OFTEN,
            also=[
                {"right": lambda text, texts: float(len(text) == len(texts[0]))},
                {"right": _after(lambda text: len(text.split()))},
            ],
            right=_after(len),
        ),
        Mistake(
            "any-order",
            "the sounds were compared without their order, or without how often each comes",
            f"T AE K is not K AE T. {EXACTLY}",
            OFTEN,
            also=[
                {"right": _after(set)},
                {"right": _after(lambda text: sorted(text.split()))},
                {"right": _after(sorted)},
            ],
            right=_after(lambda text: set(text.split())),
        ),
        Mistake(
            "capitals-ignored",
            "capital and small letters were taken as the same",
            "*polish* and *Polish* are two words, and do not sound alike. The texts should be compared as "
            "they are.",
            OFTEN,
            right=_after(str.lower),
        ),
        Mistake(
            "capitals-and-spaces-ignored",
            "capital and small letters were taken as the same, and spaces were left out of the comparison",
            "*polish* and *Polish* are two words, and do not sound alike; every space counts, too. The texts "
            "should be compared as they are.",
            OFTEN,
            also=[
                {"right": _after(lambda text: text.lower().split())},
                {"right": _after(lambda text: text.lower().replace(" ", ""))},
            ],
            right=_after(lambda text: text.lower().strip()),
        ),
        Mistake(
            "spaces-ignored",
            "spaces were left out of the comparison",
            "Exactly right means every letter and every space: compare the texts as they are.",
            OFTEN,
            also=[
                {"right": _after(lambda text: text.replace(" ", ""))},
                {"right": _after(str.split)},
            ],
            right=_after(str.strip),
        ),
        Mistake(
            "from-any-word",
            "a text counted as right if it is accepted for any word",
            "Each word has a list of its own, at the same place: zip(written, accepted) goes through both "
            "together.",
            OFTEN,
            also=[{"total": _in_both_heaps}],
            pair=_from_any_word,
        ),
        Mistake(
            "wrong-for-each-text",
            "a word counted as wrong for each accepted text that it is not",
            f"One that it equals is enough. {EVERY_WORD}",
            OFTEN,
            right=lambda text, texts: 1.0 - sum(text != each for each in texts),
        ),
        Mistake(
            "divided-by-texts",
            "the number of all accepted texts divided, not the number of words",
            f"A word with two pronunciations would count twice. {EVERY_WORD}",
            OFTEN,
            total=lambda marks, words, accepted: sum(marks) / sum(map(len, accepted)),
        ),
        Mistake(
            "shared-among-texts",
            "a word with several accepted texts counted only in part",
            f"Whoever says it in one of the accepted ways is wholly right. {EVERY_WORD}",
            OFTEN,
            right=lambda text, texts: (text in texts) / len(texts),
        ),
        Mistake(
            "symbols-counted",
            "a word that is right in part counted in part",
            "That is another measure, of symbols. Here a word is right if all of it is, else wrong.",
            OFTEN,
            also=[
                {"right": _part_right(str.split, lambda got, wanted: got)},
                {"right": _part_right(str.split, max)},
                {"right": _part_right(str, lambda got, wanted: wanted)},
                {"right": _part_right(str, lambda got, wanted: got)},
                {"right": _part_right(str, max)},
                {"right": _best_part_right},
                {"total": _all_symbols_together(str.split)},
                {"total": _all_symbols_together(str)},
                {"total": _one_minus_error_rate},
            ],
            right=_part_right(str.split, lambda got, wanted: wanted),
        ),
        Mistake(
            "not-divided",
            "the right words were counted, and not divided by the number of words",
            "A share is asked, from 0 to 1.",
            OFTEN,
            total=lambda marks, words, accepted: sum(marks),
        ),
        Mistake(
            "percent",
            "the share was multiplied by 100",
            'A share from 0 to 1 is asked; f"{share:.1%}" shows it as a percentage.',
            OFTEN,
            form=lambda share: 100 * share,
        ),
        Mistake(
            "wrong-counted",
            "the wrong words were counted, not the right ones",
            "That is the error rate. The share of right words is asked.",
            OFTEN,
            also=[{"total": lambda marks, words, accepted: len(accepted) - sum(marks)}],
            form=lambda share: 1 - share,
        ),
        Mistake(
            "rounded",
            "the share was rounded",
            "Rounding is for showing numbers: later steps need them all.",
            OFTEN,
            also=[{"form": lambda share, digits=digits: round(share, digits)} for digits in (0, 1, 3, 4)],
            form=lambda share: round(share, 2),
        ),
        Mistake(
            "last-word-left-out",
            "the last word was left out",
            "n words have the numbers 0 to n − 1, which is what range(n) gives.",
            OFTEN,
            also=[
                {
                    "pair": lambda written, accepted: _each_word(written, accepted)[:-1],
                    "total": _share_of_these,
                }
            ],
            pair=lambda written, accepted: _each_word(written, accepted)[:-1],
        ),
        Mistake(
            "first-word-left-out",
            "the first word was left out",
            "Counting starts at 0: range(n), not range(1, n).",
            OFTEN,
            also=[
                {
                    "pair": lambda written, accepted: _each_word(written, accepted)[1:],
                    "total": _share_of_these,
                }
            ],
            pair=lambda written, accepted: _each_word(written, accepted)[1:],
        ),
        Mistake(
            "one-divided-too-many",
            "the number of words plus 1 divided",
            EVERY_WORD,
            OFTEN,
            total=lambda marks, words, accepted: sum(marks) / (len(accepted) + 1),
        ),
        Mistake(
            "one-divided-too-few",
            "the number of words minus 1 divided",
            EVERY_WORD,
            OFTEN,
            also=[{"total": lambda marks, words, accepted: int(sum(marks)) / (len(accepted) - 1)}],
            total=lambda marks, words, accepted: sum(marks) / (len(accepted) - 1),
        ),
        Mistake(
            "divided-by-the-wrong",
            "the number of right words was divided by that of the wrong ones",
            f"A share is a part of the whole. {EVERY_WORD}",
            OFTEN,
            also=[{"total": lambda marks, words, accepted: sum(marks) / (len(accepted) - sum(marks))}],
            total=lambda marks, words, accepted: int(sum(marks)) / int(len(accepted) - sum(marks)),
        ),
        Mistake(
            "divided-in-the-loop",
            "the count was divided after each word, inside the loop",
            "Count all the words first. The division stands after the loop, once.",
            OFTEN,
            total=_divided_each_time,
        ),
        Mistake(
            "first-word-only",
            "only the first word was counted",
            "Does `return` stand inside the loop? It belongs after it.",
            OFTEN,
            also=[{"total": lambda marks, words, accepted: marks[0]}],
            total=lambda marks, words, accepted: marks[0] / len(accepted),
        ),
        Mistake(
            "last-word-only",
            "only the last word was counted",
            "Is the count set back to 0 inside the loop, or set with `=` where `+=` is meant?",
            OFTEN,
            also=[{"total": lambda marks, words, accepted: marks[-1]}],
            total=lambda marks, words, accepted: marks[-1] / len(accepted),
        ),
        Mistake(
            "stopped-at-first-wrong",
            "the loop ended at the first word that is wrong",
            "`break` leaves the loop. After one word, go on with the next.",
            OFTEN,
            total=_until_first_wrong,
        ),
        Mistake(
            "counted-to-1",
            "the count of right words never went above 1",
            "Is it set with `=` where `+=` is meant, or does the loop end at the first word that is right?",
            OFTEN,
            total=lambda marks, words, accepted: any(marks) / len(accepted),
        ),
        Mistake(
            "all-or-nothing",
            "1 came back where all words are right, else 0",
            "The share says how many are right, out of all. (`//` drops all after the point; `/` divides.)",
            OFTEN,
            total=lambda marks, words, accepted: float(all(marks)),
        ),
        Mistake(
            "any-right",
            "1 came back where any word is right, else 0",
            "The share says how many are right, out of all.",
            OFTEN,
            total=lambda marks, words, accepted: float(any(marks)),
        ),
        Mistake(
            "repeated-words-merged",
            "words that are written alike were taken as one",
            "A dictionary or a set keeps each text once, and `.index` finds the first, but two words may "
            "sound alike. zip(written, accepted) keeps all.",
            OFTEN,
            also=[
                {"pair": _merged, "total": _share_of_these},
                {"pair": _last_of_the_name},
                {"total": lambda marks, words, accepted: _texts_right(marks, words) / len(set(dict(words)))},
                {"total": lambda marks, words, accepted: _texts_right(marks, words) / len(accepted)},
                {"pair": lambda written, accepted: [(t, accepted[written.index(t)]) for t in written]},
            ],
            pair=_merged,
        ),
    ),
    hints=(
        "Go through both lists together: for text, texts in zip(written, accepted).",
        "`text in texts` is True where the text is one of the list. Between two texts `in` would ask for a "
        "part.",
        "Count the words that are right, and divide by len(written).",
    ),
    explain="`text in texts` asks whether the list holds exactly this text, and gives True or False, which "
    "sum counts as 1 and 0. Each word counts once.",
    reread=OFTEN,
)

# --- bottleneck --------------------------------------------------------------------------------------

BOTTLENECK = Choose(
    name="bottleneck",
    task="Why does the model with one vector fall further behind, the longer the word?",
    answer="b",
    options={
        "a": "Both models have the same learned numbers, in size and count: a letter's row is computed from "
        "the word, not learned for it. What differs is which rows the cross attention may read.",
        "b": "The encoder reads all letters of the word in both models. But the decoder of this one gets a "
        "single row of 96 numbers, whether the word has 3 letters or 12. Attention has a row for each "
        "letter, and each step chooses among them anew.",
        "c": "Softmax over one key gives it the weight 1, whatever the score: a share of 1 with nobody to "
        "share it. What is read is not weak. It is the same at each step, and the query has no say.",
        "d": "It sees what it has written: the causal self-attention of the decoder is the same in both "
        "models. What it cannot do is look back at the letters.",
    },
    hints=(
        "Which of the four would still be true of a word of 3 letters, where both models are equally good?",
        "Through how many numbers must a word of 12 letters pass, in each of the two models?",
    ),
    reread=ONE_VECTOR,
)

EXERCISES = (
    PREDICT_CROSS,
    CROSS_ATTENTION,
    CONTEXT_BUG,
    NEW_WORD,
    CAUSAL_BUG,
    ALIGNMENT_TABLE,
    SOURCE_MASK,
    ACCURACY,
    BOTTLENECK,
)
