"""head-builder, lesson 06: scores of a head in which each token attends to the token before it."""

import math
from collections.abc import Sequence

import numpy as np

from helpers.exercises.kinds.open import Open
from helpers.exercises.kinds.predict import Slip
from helpers.softmax import softmax
from helpers.validation import Array

BY_HAND = "06: Three hand-built heads"
TOKENS = ("The", "cat", "sat", "on", "the", "mat")
BEFORE = np.array([0, 0, 1, 2, 3, 4])  # for each token the one before it; the first has itself
ENOUGH = 0.9


def _pointing(to: Sequence[int], high: float = 5.0) -> Array:
    """A key for each query -> scores: `high` there, 0 elsewhere."""
    return high * np.eye(6)[list(to)]


def _shown_row(weights: Array, row: int) -> str:
    """The weights of one token, with the tokens above them."""
    name = f"weights of {TOKENS[row]} (row {row})"
    head = "  ".join(f"{token:>4}" for token in TOKENS)
    return f"    {'':{len(name)}}  {head}\n    {name}  " + "  ".join(f"{weight:4.2f}" for weight in weights)


def _rounded_down(weight: float) -> str:
    """Three digits, the last never rounded up: what reads 0.900 is 0.9 or more."""
    return f"{math.floor(weight * 1000 + 1e-6) / 1000:.3f}"


NEXT_TOKEN = (
    "Here each token attends to the token after it. Rows are queries and columns are keys: you want the row "
    "of a token and the column of the one before it."
)


def _points_to_the_next(scores: Array) -> bool:
    """True where each token gives its weight to the one after it, or the table would do if it were turned."""

    def weights(table: Array) -> Array:
        return softmax(np.where(np.isneginf(table).all(axis=-1, keepdims=True), 0, table))

    turned, best = weights(scores.T)[np.arange(6), BEFORE], weights(scores).argmax(axis=-1)
    return bool((turned[1:] >= ENOUGH).all() or (best[1:-1] == np.arange(2, 6)).all())


def _judge_head(scores: Array) -> tuple[str, str]:
    empty = np.isneginf(scores).all(axis=-1)
    if empty.any():
        row = int(empty.argmax())
        if _points_to_the_next(scores):
            return "next-token", f"row {row} ({TOKENS[row]}) holds −inf only.\n  {NEXT_TOKEN}"
        return "empty-row", (
            f"row {row} ({TOKENS[row]}) holds −inf only, so that this token may attend to nothing.\n"
            "  Keep at least one key finite: the one that should get the weight."
        )
    weights = softmax(scores)
    to_the_one_before = weights[np.arange(6), BEFORE]
    least = float(to_the_one_before.min())
    if least >= ENOUGH - 1e-9:
        return "", (
            f"✓ every token gives at least {_rounded_down(least)} of its weight to the token before it, and "
            "the first to itself."
        )
    row = max(range(6), key=lambda i: (to_the_one_before[i] < ENOUGH - 1e-9, i > 0, -i))  # row 0 is special
    given = to_the_one_before[row]
    shown = _rounded_down(given) if f"{given:.2f}" == f"{ENOUGH:.2f}" else f"{given:.2f}"
    found = f"{TOKENS[row]} (row {row}) gives {shown} to {TOKENS[BEFORE[row]]} (column {BEFORE[row]})."
    name, reply = _why_not(scores, weights)
    return name, f"{found}\n{_shown_row(weights[row], row)}\n  {reply}"


def _why_not(scores: Array, weights: Array) -> tuple[str, str]:
    """The named mistake, or "", and its reply."""
    best = weights.argmax(axis=-1)
    clear = np.isclose(weights, weights.max(axis=-1, keepdims=True)).sum(axis=-1) == 1  # one key stands out
    rest, places = slice(1, None), np.arange(6)
    towards = clear & (best == BEFORE)
    given = weights[places, BEFORE]
    shares = (scores >= 0).all() and np.allclose(scores.sum(axis=-1), 1)
    if shares and (scores[places, BEFORE] >= ENOUGH - 1e-9).all():
        return "weights-as-scores", (
            "The table itself would do as weights. But these are scores: softmax takes e to their power, and "
            "e^1 is only e times as much as e^0. How large must a score be?"
        )
    if np.allclose(weights, 1 / 6):
        return "all-equal", "In each row all the scores are equal, so no key stands out."
    if towards.all():
        return "too-flat", (
            "The right keys stand out, but not far enough. If the others have the score 0, how large must s "
            "be for e^s / (e^s + 5) to reach 0.9?"
        )
    if (given[rest] >= ENOUGH).all():
        if clear[0] and best[0] == 5:
            return "round-the-end", (
                "The first token gives its weight to the last one, as if the sentence were a ring. Here it "
                "should keep it for itself."
            )
        return "first-row", (
            "All rows but the first are right. The first token has none before it, and should give its "
            "weight to itself: row 0 needs a large score as well."
        )
    if (np.minimum(given, weights[places, places])[rest] >= 0.4).all():
        return "itself-too", (
            "The token before stands out, and so does each token itself: with two equal scores the weight is "
            "halved. Leave the diagonal as low as the rest, except in row 0."
        )
    if clear.all() and (best == places).all():
        return "itself", (
            "Each token gives its weight to itself: the large scores stand on the diagonal. The token "
            "before is one column further to the left."
        )
    if _points_to_the_next(scores):
        return "next-token", NEXT_TOKEN
    if clear[2:].all() and (best[2:] == places[2:] - 2).all():
        return "two-back", "Each token attends to the one two places before it. Move one place only."
    if clear.all() and (best == 0).all():
        return "first-token", "Every token attends to the first one. Each row should have its own key."
    lowest = scores.argmin(axis=-1)
    if (np.isclose(scores, scores.min(axis=-1, keepdims=True)).sum(axis=-1) == 1).all() and (
        lowest == BEFORE
    ).all():
        return "sign-turned", (
            "The right keys have the lowest scores, so they get the least weight. The largest score gets "
            "the largest weight."
        )
    lower = np.tri(6, dtype=bool)
    if np.allclose(weights, lower / lower.sum(axis=-1, keepdims=True), atol=0.02):
        return "all-earlier", (
            "Each token spreads its weight over itself and all tokens before it: that is what a causal mask "
            "alone does. One of them should stand out."
        )
    return "", (
        "The row of a token should have its largest score in the column of the token before it, and no other "
        "as large."
    )


EXERCISE = Open(
    name="head-builder",
    task="Scores of a head in which each token attends to the token before it.",
    shape=(6, 6),
    judge=_judge_head,
    minus_infinity=True,
    example=_pointing([0, 0, 1, 2, 3, 4]).astype(int).tolist(),
    because="Beside five scores of 0 a score s gets e^s / (e^s + 5) of the weight, and that is 0.9 where "
    "e^s is 45, for s = ln 45, about 3.81. In NumPy: 5 * np.eye(6)[[0, 0, 1, 2, 3, 4]]. With −inf everywhere "
    "else the weight is exactly 1.",
    slips=(
        Slip("weights-as-scores", _pointing(list(BEFORE), high=1.0).tolist(), ""),
        Slip("all-equal", np.zeros((6, 6)).tolist(), ""),
        Slip("too-flat", _pointing(list(BEFORE), high=3.0).tolist(), ""),
        Slip("round-the-end", _pointing([5, 0, 1, 2, 3, 4]).tolist(), ""),
        Slip("first-row", (9 * np.eye(6, k=-1)).tolist(), ""),
        Slip("itself-too", (9 * np.eye(6, k=-1) + 9 * np.eye(6)).tolist(), ""),
        Slip("itself", (9 * np.eye(6)).tolist(), ""),
        Slip("next-token", (9 * np.eye(6, k=1)).tolist(), ""),
        Slip("two-back", (9 * np.eye(6, k=-2)).tolist(), ""),
        Slip("first-token", _pointing([0] * 6).tolist(), ""),
        Slip("sign-turned", (-_pointing(list(BEFORE))).tolist(), ""),
        Slip("all-earlier", np.where(np.tri(6, dtype=bool), 0, -np.inf).tolist(), ""),
        Slip("empty-row", np.where(np.eye(6, k=-1, dtype=bool), 0, -np.inf).tolist(), ""),
    ),
    hints=(
        "Put one large score in each row and 0 everywhere else: in which column does it go for row 3?",
        "Row i needs it in column i − 1, one place to the left of the diagonal. Row 0 needs one in column 0.",
        "Beside five scores of 0, a score s gets e^s / (e^s + 5). For which s is that 0.9? np.eye(6, k=-1) "
        "has 1 in the right places of rows 1 to 5.",
    ),
    reread=BY_HAND,
)
