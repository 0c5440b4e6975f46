"""torch-timing, lesson 09: what four timing scripts print, in milliseconds."""

from collections.abc import Callable

from helpers.exercises.kinds.predict import Slip
from helpers.exercises.kinds.table import Table
from helpers.exercises.lesson_09.shared import HOW_LONG

MACHINES: dict[str, tuple[float, float, float, float, float]] = {
    # one call, until Python goes on, more for the first call, the way there, another program
    "laptop's GPU": (6, 0.2, 400, 3, 40),
    "server's GPU": (2, 0.1, 900, 5, 30),
    "CPU": (50, 50, 20, 0, 200),
}


def _printed_times(machine: str) -> list[float]:
    call, handed_over, first, way, disturbed = MACHINES[machine]
    return [(10 * call + first) / 10, handed_over, (10 * call + disturbed) / 10, call + way]


def _of_machine(name: str, reply: str, answer: Callable[..., float]) -> Slip:
    return Slip(name, lambda machine: answer(*MACHINES[machine]), reply)


IN_SECONDS = "Those are seconds. The scripts print milliseconds."
EXERCISE = Table(
    name="torch-timing",
    task="What four timing scripts print, in milliseconds.",
    row_name="machine",
    labels=tuple(MACHINES),
    columns=("A", "B", "C", "D"),
    row=_printed_times,
    slips=(
        (
            _of_machine("seconds-a", IN_SECONDS, lambda call, _handed, first, *_: (10 * call + first) / 1e4),
            _of_machine(
                "truth-a",
                "That would be the truth. But the first of A's ten calls takes longer, and a mean includes "
                "it.",
                lambda call, *_: call,
            ),
            _of_machine(
                "first-call-a",
                "That is the first call alone. A takes the mean of ten, nine of them as usual.",
                lambda call, _handed, first, *_: call + first,
            ),
            _of_machine(
                "sum-a",
                "That is all ten together. The mean is a tenth of it.",
                lambda call, _handed, first, *_: 10 * call + first,
            ),
            _of_machine(
                "nine-a",
                "The first call takes that much *longer*: add the usual time as well.",
                lambda call, _handed, first, *_: (9 * call + first) / 10,
            ),
            _of_machine(
                "eleven-a",
                "The slow call is one of the ten: only nine others go with it.",
                lambda call, _handed, first, *_: (11 * call + first) / 11,
            ),
            _of_machine(
                "only-extra-a",
                "That is the share of the extra time alone. Each call takes its usual time as well.",
                lambda call, _handed, first, *_: first / 10,
            ),
        ),
        (
            _of_machine("seconds-b", IN_SECONDS, lambda _call, handed, *_: handed / 1e3),
            _of_machine(
                "truth-b",
                "B would have to wait for that. Its clock stops as soon as Python goes on, while the GPU is "
                "still working.",
                lambda call, *_: call,
            ),
            _of_machine(
                "handed-and-call-b",
                "B does not wait for the call to end, so it times only the handing over.",
                lambda call, handed, *_: call + handed,
            ),
            _of_machine("nothing-b", "Handing over takes a little time, too.", lambda *_: 0.0),
            _of_machine(
                "rest-b",
                "That is the part that is *not* timed: what goes on after Python goes on.",
                lambda call, handed, *_: call - handed,
            ),
            _of_machine(
                "sum-b", "That is all ten together. B prints the median of them.", lambda c, h, *_: 10 * h
            ),
        ),
        (
            _of_machine(
                "seconds-c", IN_SECONDS, lambda call, _handed, _first, _way, more: (10 * call + more) / 1e4
            ),
            _of_machine(
                "truth-c",
                "A median would print that. C's mean includes the one slow call.",
                lambda call, *_: call,
            ),
            _of_machine(
                "slow-call-c",
                "That is the disturbed call alone. C takes the mean of ten, nine of them as usual.",
                lambda call, _handed, _first, _way, more: call + more,
            ),
            _of_machine(
                "sum-c",
                "That is all ten together. The mean is a tenth of it.",
                lambda call, _handed, _first, _way, more: 10 * call + more,
            ),
            _of_machine(
                "nine-c",
                "The disturbed call takes that much *longer*: add the usual time as well.",
                lambda call, _handed, _first, _way, more: (9 * call + more) / 10,
            ),
            _of_machine(
                "only-extra-c",
                "That is the share of the extra time alone. Each call takes its usual time as well.",
                lambda call, _handed, _first, _way, more: more / 10,
            ),
            _of_machine(
                "first-call-c",
                "C has warmed up, so no first call is among its ten. But another program gets in the way.",
                lambda call, _handed, first, *_: (10 * call + first) / 10,
            ),
        ),
        (
            _of_machine(
                "seconds-d", IN_SECONDS, lambda call, _handed, _first, way, _more: (call + way) / 1e3
            ),
            _of_machine(
                "truth-d",
                "That is the call alone. D also times moving x to the device, in each of the ten calls.",
                lambda call, *_: call,
            ),
            _of_machine(
                "way-alone-d",
                "That is the time to move x alone. The call comes after it, and D times both.",
                lambda _call, _handed, _first, way, _more: way,
            ),
            _of_machine(
                "way-once-d",
                "x is moved in each of the ten calls, not once: the median includes the whole move.",
                lambda call, _handed, _first, way, _more: call + way / 10,
            ),
            _of_machine(
                "way-and-handing-over-d",
                "D waits for the end of the call: its whole time counts.",
                lambda _call, handed, _first, way, _more: handed + way,
            ),
        ),
    ),
    because="A includes the warm-up, B measures only handing the work over, C includes the other program, "
    "and D includes moving x there. On a CPU, B and D are right, which is why a script that works there may "
    "lie on a GPU. Warm up, synchronise, take "
    "the median, and time what you mean to time.",
    hints=(
        "A: nine of the ten calls take the usual time, and one takes that plus some more. Add up, and "
        "divide by 10.",
        "B: nobody waits for the device. What does the clock see of a call, on a GPU and on a CPU?",
        "C: nine of the ten calls take the usual time, and one takes that plus some more. Add up, and "
        "divide by 10.",
        "D: each time includes moving x, and then the whole call.",
    ),
    reread=HOW_LONG,
)
