"""cross-attention, lesson 07: one head of cross attention: x asks, context answers.

What attends is told as edits of one step; the rest is a recipe, since slips/ gives its mistakes as steps.
"""

import functools
import math  # noqa: F401 (an edit names it)
from typing import Any

import numpy as np

from helpers.attention import attention
from helpers.cross_attention import cross_attention
from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.paragraphs import Steps
from helpers.exercises.engine.probes import Probe, example, numbers
from helpers.exercises.kinds.write import Property, Write, alike
from helpers.exercises.lesson_07.shared import (  # noqa: F401 (paragraphs name some of them)
    ALIGNMENT,
    TWO,
    Step,
    behind,
    cross_attention_output,
    cross_by_choices,
    only,
    through,
    upper_left,
    with_ways,
)
from helpers.exercises.slips.mixing import ATTENTION_MISTAKES, WITHIN
from helpers.exercises.slips.projecting import WORDS as PROJECTING_WORDS
from helpers.exercises.slips.projecting import joined  # noqa: F401 (in the paragraphs)
from helpers.masking import causal_mask  # noqa: F401 (in the paragraphs)
from helpers.multi_head import Projections, multi_head_attention
from helpers.validation import Array


def _by_helper(queries: Array, keys: Array, values: Array, **_steps: Any) -> Array:
    return attention(queries, keys, values)[0]


def projected(x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array) -> tuple[Array, ...]:
    """The step of the answer that these mistakes change: what attends."""
    return x @ w_q, context @ w_k, context @ w_v


EDITS = Edits(projected, {"queries": "x @ w_q", "keys": "context @ w_k", "values": "context @ w_v"})
SECTIONS = {
    "same": "07: When both are the same",
    "practice": "07: In practice",
    "roles": "04: Queries, keys and values",
    "large": "02: What large scores do",
}
WORDS = {
    "who": "x is being written, and asks: queries come from x. context is being read, and answers: keys and "
    "values both come from context.",
    "jobs": "Each matrix has one job: x @ w_q asks, context @ w_k is matched, context @ w_v is mixed.",
    "in_out": PROJECTING_WORDS["in_out"],
}
PROJECTING = EDITS.mistakes(
    """
keys-from-x
    you made the keys from x
    {who}
    | keys => x @ w_k

values-from-x
    you made the values from x
    {who} The key says where to look, the value what is found there: both belong to the same source token.
    | values => x @ w_v
    | values => np.resize(x @ w_v, (*context.shape[:-1], w_v.shape[-1]))

context-ignored § same
    you made queries, keys and values all from x, and never read the context
    That is self-attention. {who}
    | context => x

x-ignored § same
    you made queries, keys and values all from the context, so x asks nothing
    That is self-attention of the context. {who}
    | x => context

sides-swapped
    you swapped `x` and `context`: queries come from the context, keys and values from x
    {who}
    | queries => context @ w_q; keys => x @ w_k; values => x @ w_v

queries-and-keys-swapped
    you made the queries from the context, and the keys from x
    {who}
    | queries => context @ w_q; keys => x @ w_k

queries-and-values-swapped
    you made the queries from the context, and the values from x
    {who}
    | queries => context @ w_q; values => x @ w_v

both-read § practice
    you joined `x` and `context`, and read both
    Most chat models do have one sequence that holds both. In cross attention the context alone gives keys
    and values.
    | context => np.concatenate([context, x], axis=-2)
    | context => np.concatenate([x, context], axis=-2)
    | context => np.concatenate([context, x])
    | context => np.concatenate([x, context])

w_q-and-w_k-swapped
    you swapped w_q and w_k
    {jobs}
    | queries => x @ w_k; keys => context @ w_q

w_k-and-w_v-swapped
    you swapped keys and values (the matrices, or the arguments)
    {jobs}
    | keys => context @ w_v; values => context @ w_k

w_q-twice
    you made both queries and keys with w_q
    {jobs}
    | keys => context @ w_q

w_k-twice
    you made both queries and keys with w_k
    {jobs}
    | queries => x @ w_k

keys-from-w_v
    you made both keys and values with w_v
    {jobs}
    | keys => context @ w_v

values-from-w_k
    you made both keys and values with w_k
    {jobs}
    | values => context @ w_k

made-from-a-projection
    you made the keys from the queries, or the values from the keys, or left out w_k
    The line where it stops tells you which. Make keys and values both from the context itself. {jobs}
    | keys => x @ w_q @ w_k
    | values => context @ w_k @ w_v

no-w_k
    you left out w_k and matched the context itself
    Queries and keys meet in one common space, into which w_q and w_k bring them. {jobs}
    | keys => context

no-w_q
    you left out w_q, so `x` itself asked
    Queries and keys meet in one common space, into which w_q and w_k bring them. {jobs}
    | queries => x

w_q-applied-twice
    you multiplied `x` by w_q twice
    Is `x @ w_q` taken once more in the call? {jobs}
    | queries => x @ w_q @ w_q

multiplied-entry-by-entry
    you used `*`, which multiplies entry by entry, where a matrix product is meant
    `*` needs two arrays of fitting shapes, and sums nothing; a matrix product is written `@`. {jobs}
    | queries => x * w_q; keys => context * w_k; values => context * w_v

no-w_v
    you left out w_v and mixed the context itself
    {jobs}
    | values => context

no-projection
    you used no matrix: `x` and `context` attended as they are
    Their entries mean different things, and there may not be the same number of them. {jobs}
    | queries => x; keys => context; values => context

w_v-only
    you left out w_q and w_k, and matched `x` with `context` as they are
    Their entries name different things: w_q and w_k bring them into one common space. {jobs}
    | queries => x; keys => context

x-mixed
    you mixed `x` itself
    The query asks, and brings home what the context holds. {jobs}
    | values => x

matrices-transposed § roles
    you transposed a matrix, or left out w_q
    {in_out} Without w_q, `x` and the keys have different widths.
    | queries => x @ w_q.T; keys => context @ w_k.T; values => context @ w_v.T
    | values => context @ w_v.T
    | keys => context @ w_k.T
    | queries => np.dot(x, w_q.T)

factors-turned-round § roles
    the factors of a product are the wrong way round: a matrix stands on the left of the tokens
    The line where it stops tells you which. A token is a row, and a matrix stands on the right: x @ w_q.
    | queries => w_q @ x; keys => w_k @ context; values => w_v @ context
    | queries => np.dot(w_q, x)
    | keys => w_k @ context
    | values => w_v @ context

root-d_model § large
    you divided the scores by √d_model, the width of x
    A score is a dot product of a query and a key, a sum of d_k terms: d_k is the width after the projection,
    w_q.shape[-1].
    | queries => it * math.sqrt(w_q.shape[-1] / x.shape[-1])

root-d_context § large
    you divided the scores by √d_context, the width of the context
    A score is a dot product of a query and a key, a sum of d_k terms: d_k is the width after the projection,
    w_k.shape[-1].
    | queries => it * math.sqrt(w_q.shape[-1] / context.shape[-1])
""",
    TWO,
    SECTIONS,
    WORDS,
)
PROJECTED = EDITS.recipe()
IN_ONE_CALL: dict[str, Step] = {
    "context-ignored": lambda x, context, matrices: multi_head_attention(x, matrices, 1)[0],
    "x-ignored": lambda x, context, matrices: multi_head_attention(context, matrices, 1)[0],
    "sides-swapped": lambda x, context, matrices: cross_attention(context, x, matrices)[0],
}


def _as_steps(mistake: Mistake) -> Mistake:
    """A mistake in what attends, as choices of the recipe. A helper stops otherwise where shapes differ."""
    own: list[dict[str, Any]] = [{"project": functools.partial(PROJECTED, **way)} for way in mistake.ways]
    by_helper = [{**way, "attend": _by_helper} for way in own]
    if mistake.name in ("no-w_k", "no-w_q"):
        own = []
    if mistake.name in ("matrices-transposed", "factors-turned-round", "root-d_model", "root-d_context"):
        by_helper = []
    calls = [{"instead": IN_ONE_CALL[mistake.name]}] if mistake.name in IN_ONE_CALL else []
    ways = [*own, *by_helper, *calls]
    return Mistake(mistake.name, mistake.says, mistake.idea, mistake.reread, ways[1:], **ways[0])


def one_head(x: Array, context: Array, matrices: Projections) -> Array:
    w_q, w_k, w_v = map(np.asarray, matrices[:3])
    return cross_attention_output(x, context, w_q, w_k, w_v)


STEPS = Steps(
    {
        "match": "queries, keys",
        "width": "scores, queries, keys, values",
        "mix": "weights, queries, keys, values",
        "onto": "output, x, context",
        "instead": "x, context, matrices",
    },
    globals(),
)
OWN = STEPS.mistakes(
    """
one-product-more
    you multiplied the output by yet another matrix
    w_v has made the values already, and the output is a mixture of them. {jobs}
    @ name = w_v w_k w_q w_v.T w_k.T w_q.T
    | instead => one_head(x, context, matrices) @ matrices.name
    @ last = matrices.w_v
    | instead => cross_attention(x, context, matrices._replace(w_o=last))[0]

keys-not-transposed § pairs
    you did not transpose the keys
    In `queries @ ...` each column on the right should be one key: exchange the last two axes of the keys,
    np.swapaxes(keys, -1, -2).
    | match => queries @ keys

x-added
    you added `x`, or a product of it, to the output
    That step comes later in a Transformer, after W_O, which brings the output back to d_model. Here you
    need the output alone.
    | onto => output + x
    | onto => x + output
    | instead => one_head(x, context, matrices) + x @ matrices.w_v
    | instead => one_head(x, context, matrices) + x @ matrices.w_q

causal § alignment
    you put a causal mask on the cross attention
    A causal mask hides what is not yet written. The source is finished: nothing in it is the future, and
    every target token may read all of it.
    @ mask = upper_left causal_mask
    | width => behind(scores, mask)
    @ mask = upper_left causal_mask
    | mix => through(queries, keys, values, mask)

sentences-joined
    you joined the tokens of all pairs of sentences: each target token reads the other sources, too
    Pairs do not mix. A reshape to (-1, …) folds all leading axes into one. @ and the helpers work on the
    last two axes and leave those in front as they are.
    | instead => one_head(joined(x), joined(context), matrices).reshape(*x.shape[:-1], -1)
    | instead => one_head(joined(x), joined(context), matrices)

whole-numbers-kept
    you wrote the output into an array of whole numbers, which drops everything after the decimal point
    `zeros_like` takes the dtype of its example. Ask for a float array, as in np.zeros.
    | onto => output.astype(x.dtype)
""",
    TWO,
    {"pairs": "01: All pairs at once", "alignment": ALIGNMENT},
    WORDS,
)


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


def _far_below_pair() -> dict[str, Array]:
    """Scaled scores around −1,000."""
    inputs = _pair(n_queries=3, n_keys=6, d_model=7, d_context=5, d_k=4, d_v=2, start=561)
    inputs["w_q"][0], inputs["w_k"][0] = -10.0, 10.0
    inputs["x"][:, 0], inputs["context"][:, 0] = 5.0, 1.0
    return inputs


def _far_apart_pairs() -> dict[str, Array]:
    one = _far_apart_pair()
    x = np.stack([one["x"][0] * np.array([[1.0], [1.0005], [0.999], [1.001]]), numbers(4, 6, start=3)])
    context = np.stack([one["context"], numbers(3, 7, start=83)])
    return {**one, "x": x, "context": context}


OF_CONTEXT_BUG = {  # the Example of the task context-bug
    "x": np.eye(2),
    "context": np.array([[0.0, 4.0], [0.0, 4.0]]),
    "w_q": np.eye(2),
    "w_k": np.eye(2),
    "w_v": np.eye(2),
}
CROSS_PROBES = (
    Probe(
        "as many target as source tokens, and equally wide",
        _pair(n_queries=4, n_keys=4, d_model=5, d_context=5, d_k=3, d_v=6, start=11),
    ),
    Probe(
        "x and context equally wide",
        _pair(n_queries=2, n_keys=4, d_model=5, d_context=5, d_k=3, d_v=4, start=21),
    ),
    example(
        hard=True,
        x=np.array([[np.log(3)]]),
        context=np.array([[0.0, 1.0], [1.0, 0.0]]),
        w_q=np.array([[1.0]]),
        w_k=np.array([[1.0], [0.0]]),
        w_v=np.array([[8.0], [4.0]]),
    ),
    Probe("a context of equal tokens", OF_CONTEXT_BUG, True),
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
    Probe(  # here alone every matrix fits where another belongs, and may be left out
        "all rows equally long",
        _pair(n_queries=3, n_keys=4, d_model=5, d_context=5, d_k=5, d_v=5, start=81),
    ),
    Probe("float32", _pair(n_queries=4, n_keys=6, d_k=9, dtype=np.float32, start=71)),
    Probe("2 pairs of sentences", _pair(2, start=301)),
    Probe(
        "one target token",
        _pair(n_queries=1, n_keys=4, d_model=3, d_context=5, d_k=2, d_v=4, start=511),
        True,
    ),
    Probe(
        "one source token",
        _pair(n_queries=4, n_keys=1, d_model=6, d_context=3, d_k=4, d_v=2, start=521),
        True,
    ),
    Probe(
        "x and context of width 1",
        _pair(n_queries=3, n_keys=5, d_model=1, d_context=1, d_k=2, d_v=1, start=531),
        True,
    ),
    Probe(
        "one pair in a batch",
        _pair(1, n_queries=3, n_keys=4, d_model=5, d_context=6, d_k=1, d_v=2, start=541),
        True,
    ),
    Probe(
        "one pair, 3 readings",
        _pair(1, 3, n_queries=2, n_keys=4, d_model=5, d_context=3, d_k=6, d_v=7, start=551),
        True,
    ),
    Probe("scores around −1,000", _far_below_pair(), True),
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
    if not alike(other, output) or not np.allclose(other, output, atol=1e-3):
        return ""
    return "A different context gives the same output, so the context is not read."


def _source_shuffled(inputs: Any, output: Array, call: Any) -> str:
    x, context, *matrices = inputs.values()
    again = call(x, context[..., ::-1, :].copy(), *matrices)
    if not alike(again, output) or np.allclose(again, output, atol=1e-3, equal_nan=True):
        return ""
    return "A different order of the source tokens changes your output; all may be read, in any order."


def _values_of_0(inputs: Any, output: Array, call: Any) -> str:
    *others, w_v = inputs.values()
    zeros = call(*others, np.zeros(w_v.shape))
    if not alike(zeros, output) or np.allclose(zeros, 0, atol=1e-6):
        return ""
    found = zeros.flat[np.argmax(abs(zeros))]
    return f"Where w_v is all 0, every value is 0, and so should be the output; yours is {found:.2f}."


def my_cross_attention(x: Array, context: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    """(..., n_queries, d_model), (..., n_keys, d_context), three matrices -> (..., n_queries, d_v)."""
    output, _ = attention(x @ w_q, context @ w_k, context @ w_v)
    return output


EXERCISE = Write(
    name="cross-attention",
    answer=my_cross_attention,
    task="One head of cross attention: x asks, context answers.",
    call="my_cross_attention(x, context, w_q, w_k, w_v)",
    right=cross_attention_output,
    recipe=cross_by_choices,
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
        *map(_as_steps, PROJECTING),
        *OWN,
        with_ways(
            only(ATTENTION_MISTAKES, "swapped")[0],
            {"attend": lambda queries, keys, values: attention(keys, queries, values)[0]},
        ),
        with_ways(
            only(ATTENTION_MISTAKES, "values-as-queries")[0],
            {"attend": lambda queries, keys, values: attention(values, keys, queries)[0]},
        ),
        *only(
            ATTENTION_MISTAKES,
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
        "Who asks, and who answers? The sequence that is being written asks.",
        "Queries are x @ w_q. Keys and values are both made from context, by w_k and w_v.",
        "Then attention as before. The helper returns two things: output, weights = attention(queries, keys, "
        "values).",
    ),
    explain="Queries from x, keys and values from context; the rest is attention. The helper cross_attention "
    "does this in several heads, and mixes them with W_O.",
    reread=TWO,
)  # fmt: skip
