"""learning-rate, lesson 11: a rate with which the head finds the mark in 100 steps."""

import functools
import itertools

import numpy as np

from helpers.cross_attention import cross_attention
from helpers.exercises.kinds.open import Open
from helpers.exercises.kinds.predict import Slip
from helpers.gradients import cross_attention_backward
from helpers.inputs import Projections
from helpers.validation import Array

TRAINED = "11: A head that learns"
ENOUGH, STEPS = 0.02, 100


def marked_texts(n_texts: int, seed: int) -> tuple[Array, Array, Array]:
    """How many, a seed -> asks (n_texts, 1, 6), texts (n_texts, 6, 6), targets (n_texts, 1, 4).

    Of the six numbers of a token four are drawn, the fifth is 1 on the marked token, the sixth on the
    one that
    asks. The target is the four numbers of the marked token.
    """
    rng = np.random.default_rng(seed)
    tokens, places = np.zeros((n_texts, 6, 6)), rng.integers(0, 6, n_texts)
    tokens[..., :4] = rng.standard_normal((n_texts, 6, 4))
    tokens[np.arange(n_texts), places, 4] = 1
    asks = np.zeros((n_texts, 1, 6))
    asks[..., 5] = 1
    return asks, tokens, tokens[np.arange(n_texts), places, :4][:, None]


def at_the_start(seed: int) -> Projections:
    """A seed -> four small random matrices: w_q, w_k, w_v (6, 4) and w_o (4, 4)."""
    rng = np.random.default_rng(seed)
    return Projections(*(0.3 * rng.standard_normal(shape) for shape in ((6, 4), (6, 4), (6, 4), (4, 4))))


def losses_with(rate: float) -> list[float]:
    """A rate -> the loss before each of the steps and after the last; it ends where the loss passes 1,000."""
    asks, texts, targets = marked_texts(128, seed=1)
    head, losses = at_the_start(2), []
    for _ in range(STEPS + 1):
        output, _ = cross_attention(asks, texts, head)
        missed = output - targets
        losses.append(float(0.5 * (missed**2).sum() / len(texts)))
        if losses[-1] > 1000:
            return losses
        *_, gradients = cross_attention_backward(missed / len(texts), asks, texts, head)
        pairs = zip(head[:4], gradients[:4], strict=True)
        head = Projections(*(np.asarray(w) - rate * np.asarray(d_w) for w, d_w in pairs))
    return losses


@functools.lru_cache(maxsize=64)
def judge_rate(rate: float) -> tuple[str, str]:
    """A rate -> (named mistake or "", the reply)."""
    if rate == 0:
        return "zero", "with a rate of 0 nothing moves: each step is rate × gradient."
    if rate < 0:
        return (
            "uphill",
            "a negative rate climbs: w − rate × gradient goes downhill where the rate is above 0.",
        )
    losses = losses_with(rate)
    if losses[-1] > 1000:
        return "diverged", (
            f"after {len(losses) - 1} steps the loss has passed 1,000, from {losses[0]:.2f}. Each step "
            "overshoots "
            "the valley and lands higher on the other side. Take a smaller rate."
        )
    came_to = f"after {STEPS} steps the loss is {losses[-1]:.3f}"
    if losses[-1] <= ENOUGH:
        return "", f"✓ {came_to}. It began at {losses[0]:.2f}."
    falls = sum(later < earlier for earlier, later in itertools.pairwise(losses))
    if falls == STEPS:
        return "too-slow", (
            f"{came_to}: it fell in every step and has not arrived. Take a larger rate, or more steps "
            "than you have."
        )
    return "unsteady", (
        f"{came_to}: it rose in {STEPS - falls} of the steps. They are too long for the narrow places of the "
        "valley. Take a smaller rate."
    )


def judge(rate: Array) -> tuple[str, str]:
    """() -> (named mistake or "", the reply)."""
    return judge_rate(float(rate))


EXERCISE = Open(
    name="learning-rate",
    task=f"A learning rate with which the loss falls below {ENOUGH} in {STEPS} steps.",
    shape=(),
    judge=judge,
    example=0.3,
    because="At 0.3 the head arrives with steps to spare. A tenth of it is too slow, ten times as much "
    "diverges: "
    "rates are tried by factors of 3.",
    slips=tuple(
        Slip(name, answer, "")
        for name, answer in (
            ("zero", 0.0),
            ("uphill", -0.3),
            ("diverged", 10.0),
            ("too-slow", 0.01),
            ("unsteady", 1.0),
        )
    ),
    hints=(
        "Try 0.01, 0.1, 1 and 10, and read what the check says of each.",
        "Too small, and the loss falls too slowly. Too large, and it rises in some steps, or for good.",
        "There is room between 0.1 and 0.5.",
    ),
    reread=TRAINED,
)
