"""gpu-corners, lesson 09: what three data sheets allow heads of 128."""

from collections.abc import Callable

from helpers.exercises.kinds.predict import Slip
from helpers.exercises.kinds.table import Table
from helpers.exercises.lesson_09.shared import LIMITS

WIDTH, BYTES_EACH = 128, 2
SHEETS = {"T4": (65e12, 0.32e12), "A100": (312e12, 2.04e12), "H100": (989e12, 3.35e12)}
MOST = WIDTH / BYTES_EACH  # operations a byte that the readable path never passes
HALF_OF_IT = (
    "That is half of it: it belongs to heads of 64, or to 4 bytes a number. These heads are 128 wide, and a "
    "number has 2 bytes."
)


def _row(gpu: str) -> list[float]:
    peak, rate = SHEETS[gpu]
    return [peak / rate, MOST * rate / 1e12, 100 * MOST * rate / peak, BYTES_EACH * peak / rate]


def _of(name: str, reply: str, answer: Callable[[float, float], float]) -> Slip:
    return Slip(name, lambda gpu: answer(*SHEETS[gpu]), reply)


def _moved_on(_gpu: str, column: int, before: float) -> float:
    """The share that follows from the learner's own speed; nan for the other columns."""
    return 1e14 * before / SHEETS[_gpu][0] if column == 2 else float("nan")


EXERCISE = Table(
    name="gpu-corners",
    task="What three data sheets allow heads of 128.",
    row_name="GPU",
    labels=tuple(SHEETS),
    columns=("corner", "readable at most", "share of the peak", "fused from n"),
    row=_row,
    next_cell=_moved_on,
    slips=(
        (
            _of(
                "corner-turned",
                "You divided bytes by operations. The corner is in operations a byte.",
                lambda p, r: r / p,
            ),
            _of(
                "with-sparsity",
                "That is twice as much: the peak with sparsity. The dense one is in the task.",
                lambda p, r: 2 * p / r,
            ),
            _of(
                "corner-in-thousandths",
                "You divided TFLOP/s by GB/s. Take both in operations and bytes: 1e12 and 1e9.",
                lambda p, r: p / r / 1000,
            ),
            _of(
                "halved",
                "That is half of it. Divide the peak by the bytes a second; both stand in the task.",
                lambda p, r: p / r / 2,
            ),
        ),
        (
            _of("width-64", HALF_OF_IT, lambda p, r: MOST / 2 * r / 1e12),
            _of(
                "four-bytes",
                "128 / 2 operations a byte: a number has 2 bytes here.",
                lambda p, r: MOST * 2 * r / 1e12,
            ),
            _of(
                "the-peak",
                "That is the peak, right of the corner. The readable path stays left of it, on the slope.",
                lambda p, r: p / 1e12,
            ),
            _of(
                "no-unit",
                "Those are operations a second. The table asks for TFLOP/s: divide by 1e12.",
                lambda p, r: MOST * r,
            ),
            _of(
                "in-giga",
                "Those are GFLOP/s. A TFLOP/s is 1e12 operations a second.",
                lambda p, r: MOST * r / 1e9,
            ),
        ),
        (
            _of("a-fraction", "That is a fraction. The table asks for percent.", lambda p, r: MOST * r / p),
            _of(
                "what-is-left",
                "That is the share that is lost. The table asks for the one that can be reached.",
                lambda p, r: 100 - 100 * MOST * r / p,
            ),
            _of(
                "width-64-share",
                HALF_OF_IT,
                lambda p, r: 50 * MOST * r / p,
            ),
        ),
        (
            _of(
                "the-corner-itself",
                "That is the corner, in operations a byte. With 2 bytes a number the fused "
                "path does n / 2 operations a byte.",
                lambda p, r: p / r,
            ),
            _of(
                "half-the-corner",
                "The fused path does n / 2 operations a byte. So n is twice the corner, not half of it.",
                lambda p, r: p / r / 2,
            ),
            _of(
                "with-the-width",
                "The width of a head cancels out: 4·n²·d operations, 4·n·d numbers.",
                lambda p, r: BYTES_EACH * p / r / WIDTH,
            ),
            _of("times-four", "Two bytes a number: n / 2 operations a byte.", lambda p, r: 4 * p / r),
        ),
    ),
    because="Twice the width doubles what the readable path may reach, and it still stays far below the peak "
    "on every GPU. The corner decides: an A100 moves many bytes for each operation, an H100 and a T4 few. "
    "The "
    "fused path leaves the slope at some hundreds of tokens.",
    hints=(
        "The corner is where both ceilings allow the same: peak = corner × bytes a second.",
        "Left of the corner a path reaches its operations a byte times the bytes a second. For the readable "
        "path these are at most d / b = 128 / 2.",
        "100 × what it reaches / the peak.",
        "The fused path does n / b operations a byte, b = 2. At which n is that the corner?",
    ),
    reread=LIMITS,
)
