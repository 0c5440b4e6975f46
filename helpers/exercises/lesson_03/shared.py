"""What several exercises of lesson 03 use: sections to reread, properties of weights, probes."""

from typing import Any

import numpy as np

from helpers.exercises.engine.probes import Probe, numbers
from helpers.exercises.kinds.write import Property, alike
from helpers.exercises.slips.scaling import NONE_BELOW_0, ROWS_SUM_TO_1
from helpers.validation import Array


def _hidden_key_weighs(inputs: Any, weights: Array, _call: Any) -> str:
    scores = next(iter(inputs.values()))
    if weights.shape != np.shape(scores):
        return ""
    found = weights[np.isneginf(scores) & ~(np.nan_to_num(weights) <= 1e-6)]
    return f"A key with a score of −inf got weight {found[0]:.2g}; it should get 0." if found.size else ""


def _shift_ignored(inputs: Any, weights: Array, call: Any) -> str:
    if _hidden_key_weighs(inputs, weights, call):
        return ""  # that says more
    (scores,) = (value for value in inputs.values() if isinstance(value, np.ndarray))
    others = [value for value in inputs.values() if not isinstance(value, np.ndarray)]
    shifted = call(
        scores + np.asarray(5.0, dtype=scores.dtype if scores.dtype.kind == "f" else float), *others
    )
    if (
        shifted is None
        or shifted.shape != weights.shape
        or np.allclose(shifted, weights, atol=1e-4, equal_nan=True)
    ):
        return ""
    return "Adding 5 to every score changes your weights; softmax looks at differences only."


def _order_kept(inputs: Any, weights: Array, _call: Any) -> str:
    scores = next(iter(inputs.values()))
    if weights.shape != np.shape(scores):
        return ""
    order = np.argsort(scores, axis=-1, kind="stable")
    rises = np.diff(np.take_along_axis(weights.astype(float), order, axis=-1), axis=-1)
    return "" if (rises >= -1e-6).all() else "In some row a larger score has a smaller weight."


def _keys_of_one_query(inputs: Any, weights: Array, call: Any) -> str:
    scores = next(iter(inputs.values()))
    changed = np.array(scores)
    changed[(0,) * (scores.ndim - 1)] = np.arange(scores.shape[-1])  # the very first row only
    again = call(changed, *[value for value in inputs.values() if not isinstance(value, np.ndarray)])
    if not alike(again, weights) or scores[..., 0].size < 2:
        return ""
    mine, before = (array.reshape(-1, scores.shape[-1])[1:] for array in (again, weights))
    return (
        ""
        if np.allclose(mine, before, equal_nan=True)
        else "Changing one row's scores moves the weights of other rows."
    )


SHIFT_IGNORED = Property("shift invariance", "adding a number to every score changes nothing", _shift_ignored)
ORDER_KEPT = Property("order kept", "a larger score gets a larger weight", _order_kept)
ROWS_APART = Property("rows independent", "no row moves another", _keys_of_one_query)
HIDDEN = Property("hidden keys", "a score of −inf gets no weight", _hidden_key_weighs)
OF_WEIGHTS = (ROWS_SUM_TO_1, NONE_BELOW_0, HIDDEN, SHIFT_IGNORED, ORDER_KEPT, ROWS_APART)


def thin_scores() -> tuple[Probe, ...]:
    """Scores with an axis of length 1: one query, one key, one sentence."""
    return (
        Probe("one query", {"scores": numbers(1, 5, start=310)}, True),
        Probe("one key", {"scores": numbers(4, 1, start=330)}, True),
        Probe("a batch of one sentence", {"scores": numbers(1, 3, 6, start=350)}, True),
        Probe("one text of 3 sentences", {"scores": numbers(1, 3, 2, 4, start=370)}, True),
    )


def score_probes(*examples: Probe) -> tuple[Probe, ...]:
    """Scores by which the axes, the shifts and the shares can be told apart.

    `examples`: those that the tasks print.
    """
    below = np.array(
        [
            [-1000.0, -np.inf, -1001.0],
            [-np.inf, -1002.0, -1000.5],
            [-999.5, -1000.0, -np.inf],
            [-998.0, -1001.5, -999.0],
        ]
    )
    small = np.array(
        [[0.0, -5.0, -6.5, -8.0, 1.0], [-7.0, 0.5, -4.0, -6.0, -9.0], [-4.5, -7.5, 1.5, 0.0, -5.5]]
    )
    minus = np.array([[0.5, -np.inf, 2.0, 1.0], [3.0, 1.0, -np.inf, -np.inf], [0.0, 1.5, 1.0, -1.0]])
    return (
        Probe("one sentence", {"scores": np.array([[2.0, 1.0, 0.5], [0.25, -1.0, 1.5]])}),
        *examples,
        Probe("one sentence", {"scores": np.array([[-0.5, 0.75, 1.0], [1.25, 2.0, -3.0]])}),
        Probe("whole numbers", {"scores": np.array([[2, 0, 1, -1], [0, 3, 1, 1], [1, -2, 0, 4]])}),
        Probe("float32", {"scores": numbers(5, 7, start=3, dtype=np.float32)}),
        Probe("a batch of 2 sentences", {"scores": numbers(2, 5, 7, start=40)}),
        Probe("a batch of 2 sentences with 3 heads", {"scores": numbers(2, 3, 5, 7, start=200)}),
        Probe(
            "scores around 1,000",
            {"scores": np.array([[1000.0, 1001.0, 999.5], [1002.0, 1000.5, 1001.5]])},
            True,
        ),
        Probe(
            "scores around −1,000",
            {"scores": np.array([[-1000.0, -1001.0, -999.0], [-1002.0, -1000.5, -999.5]])},
            True,
        ),
        Probe(
            "rows far apart",
            {
                "scores": np.array(
                    [[0.0, 1.0, 0.5, -1.0], [1000.0, 1001.0, 999.0, 1000.5], [-998.0, -999.0, -997.0, -998.5]]
                )
            },
            True,
        ),
        Probe(
            "scores far apart within a row",
            {"scores": np.array([[0.0, 900.0, 899.0, 900.5, 1.0], [2.0, 1.0, -950.0, 0.5, 1.5]])},
            True,
        ),
        Probe(
            "sentences far apart",
            {"scores": np.stack([numbers(3, 4, start=60), 1000 + numbers(3, 4, start=80)])},
            True,
        ),
        Probe("scores of −inf", {"scores": minus}, True),
        Probe("scores of −inf beside scores far below 0", {"scores": below}, True),
        Probe("weights small and large", {"scores": small}, True),
        Probe("three axes in front", {"scores": numbers(2, 3, 4, 5, 6, start=390)}, True),
        Probe(
            "three axes in front, the first of length 1", {"scores": numbers(1, 2, 3, 4, 5, start=9)}, True
        ),
        *thin_scores(),
        Probe(
            "rows 20,000 apart",  # more than the widest float takes; of 2,000 half is too much
            {
                "scores": np.array(
                    [
                        [0.0, 1.0, 0.5, -1.0, 2.0],
                        [2001.0, 2000.0, 2000.5, 1999.0, 1998.5],
                        [20000.0, 20001.0, 19999.0, 20000.5, 19998.0],
                        [-20000.0, -20001.0, -19999.0, -20000.5, -19998.5],
                    ]
                )
            },
            True,
        ),
    )
