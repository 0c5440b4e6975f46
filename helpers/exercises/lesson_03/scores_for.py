"""scores-for, lesson 03: three scores whose softmax is [0.1, 0.2, 0.7]."""

from collections.abc import Callable

import numpy as np

from helpers.exercises.kinds.open import Open
from helpers.exercises.slips.matching import slips
from helpers.exercises.slips.sharing import LOGS
from helpers.softmax import softmax
from helpers.validation import Array

TARGET = np.array([0.1, 0.2, 0.7])
WRONG_WAYS: tuple[tuple[str, Callable[[Array], Array], str], ...] = (
    ("weights-as-scores", lambda p: p, "The weights themselves are not scores: softmax would take e to "
                                       "their power. Which function undoes e^?"),
    ("sign-turned", lambda p: -np.log(p), "The sign is flipped: the largest weight belongs to the largest "
                                          "score."),
    ("log-10", np.log10, "These are logarithms to base 10. Softmax uses powers of e: take natural ones."),
    ("log-2", np.log2, "Logarithms, but to base 2. Softmax uses powers of e: take natural ones, `np.log`."),
    ("exponentials", np.exp, "These are exponentials of the weights. Going backwards, undo the "
                             "exponential: take logarithms."),
    ("odds", lambda p: np.log(p / (1 - p)), "These are log-odds, log(p / (1 − p)), right for one "
                                            "yes-or-no weight. Here log p is enough."),
    ("percent", lambda p: 100 * p, "These are percentages. As scores they lie so far apart that one key "
                                   "gets everything."),
    ("ten-times", lambda p: 10 * p, "These are the weights times ten. Softmax looks at differences, not "
                                    "at ratios: take logarithms."),
    ("reversed", lambda p: np.log(p[::-1]), "These are the right weights in reverse order: the largest "
                                            "score belongs last."),
    ("doubled", lambda p: 2 * np.log(p), "These are the logarithms of the weights times two, or of their "
                                         "squares. Softmax looks at differences: they must not be "
                                         "stretched. log p is enough."),
)  # fmt: skip
STEPS = np.log(TARGET / TARGET[0])


def _judge_scores_for(scores: Array) -> tuple[str, str]:
    weights = softmax(scores)
    shown = "  ".join(f"{weight:.2f}" for weight in weights)
    if (abs(weights - TARGET) < 0.005).all():
        shift = float((scores - np.log(TARGET)).mean())
        return "", (
            f"✓ the softmax of your scores is [{shown}].\n"
            f"  They are the logarithms of the weights, plus {shift:.2f}. Any number will do there."
        )
    found = f"the softmax of these scores is [{shown}], not [0.10  0.20  0.70]."
    for name, way, reply in WRONG_WAYS:
        difference = scores - way(TARGET)
        if np.ptp(difference) < 0.005:  # the same but for a shift
            return name, f"{found}\n  {reply}"
    off = abs(scores - scores[0] - STEPS)
    if off.max() < 0.1:
        which = "second" if off.argmax() == 1 else "third"
        return "", f"{found}\n  Close: the distance of the {which} score from the first needs more digits."
    reply = (
        "The second weight should be twice the first, so the second score lies ln 2 above the first. "
        "How far above the first must the third score lie?"
    )
    return "", f"{found}\n  {reply}"


EXERCISE = Open(
    name="scores-for",
    task="Three scores whose softmax is [0.1, 0.2, 0.7].",
    shape=(3,),
    judge=_judge_scores_for,
    example=[0.0, 0.6931, 1.9459],
    because="Natural logarithms of the weights, shifted so that the first is 0: 0, ln 2, ln 7. Any "
    "number may be added.",
    slips=slips(*((name, way(TARGET).tolist()) for name, way, _ in WRONG_WAYS)),
    hints=(
        "Softmax looks at differences. How far must the second score lie above the first, so that its "
        "weight is twice as large?",
        "Which function undoes e^score? The division by the sum is only a shift.",
        "The natural logarithm of each weight.",
    ),
    reread=LOGS,
)
