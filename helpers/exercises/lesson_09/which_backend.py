"""which-backend, lesson 09: which of SDPA's kernels runs, by the rules of the lesson.

On an H100 cuDNN comes first for two-byte numbers, or not, by its version: so no such call is asked for.
"""

from collections.abc import Callable
from typing import NamedTuple

from helpers.exercises.kinds.predict import Slip
from helpers.exercises.kinds.table import Table
from helpers.exercises.lesson_09.shared import WHICH_KERNEL

FLASH, EFFICIENT, MATH = 1, 2, 3


class Call(NamedTuple):
    """A call of SDPA: on a GPU of which capability, in which dtype, how wide a head, with what."""

    gpu: str
    dtype: str
    width: int = 64
    mask: bool = False
    flag: bool = False

    @property
    def label(self) -> str:
        """What the table calls it."""
        extras = [f"d {self.width}"] + ["mask"] * self.mask + ["is_causal"] * self.flag
        return ", ".join([self.gpu, self.dtype, *extras])


CALLS = {
    call.label: call
    for call in (
        Call("A100", "float32"),
        Call("A100", "bfloat16", flag=True),
        Call("A100", "float16", 128, flag=True),
        Call("A100", "bfloat16", mask=True),
        Call("A100", "float16", 128, mask=True),
        Call("H100", "float32", 128, flag=True),
        Call("T4", "float16"),
        Call("T4", "float16", flag=True),
        Call("A100", "float64"),
    )
}


def chosen(
    call: Call,
    *,
    mask: bool = True,
    dtype: bool = True,
    gpu: bool = True,
    flag: bool = False,
) -> int:
    """A call -> the first kernel that takes it. A rule that is False is forgotten; `flag`: a mask to some."""
    two_bytes = call.dtype in ("float16", "bfloat16") or not dtype
    has_mask = (call.mask and mask) or (call.flag and flag)
    new_enough = call.gpu != "T4" or not gpu
    if two_bytes and not has_mask and new_enough:
        return FLASH
    return EFFICIENT if call.dtype != "float64" else MATH


def _slip(name: str, reply: str, answer: Callable[[Call], int]) -> Slip:
    return Slip(name, lambda label: answer(CALLS[label]), reply)


EXERCISE = Table(
    name="which-backend",
    task="Which of SDPA's kernels runs, by the rules of the lesson.",
    row_name="call",
    labels=tuple(CALLS),
    columns=("kernel",),
    row=lambda label: [chosen(CALLS[label])],
    exact=(0,),
    slips=(
        (
            _slip(
                "flash-everywhere",
                "Flash takes less than you think: only two-byte numbers, no mask, a GPU from "
                "the A100 on, heads of 256 at most.",
                lambda call: FLASH,
            ),
            _slip(
                "mask-forgotten",
                "Flash takes no mask, whatever is in it.",
                lambda call: chosen(call, mask=False),
            ),
            _slip(
                "dtype-forgotten",
                "Flash takes only two-byte numbers, so float32 goes on to the next back end.",
                lambda call: chosen(call, dtype=False),
            ),
            _slip(
                "float32-to-flash",
                "Flash takes only two-byte numbers, so float32 goes on to the next back end.",
                lambda call: FLASH if call.dtype == "float32" else chosen(call),
            ),
            _slip(
                "old-gpu-forgotten",
                "Flash needs capability 8.0. A T4 has 7.5.",
                lambda call: chosen(call, gpu=False),
            ),
            _slip(
                "flag-is-a-mask",
                "is_causal is no mask in memory: flash knows the triangle by itself.",
                lambda call: chosen(call, flag=True),
            ),
            _slip(
                "no-efficient",
                "Between flash and math stands the efficient one: it takes a mask, float32, wide "
                "heads and old GPUs.",
                lambda call: FLASH if chosen(call) == FLASH else MATH,
            ),
            _slip(
                "mask-to-math",
                "Flash refuses a mask, and then the next row of the table is asked, not the last. Does the "
                "efficient one refuse it as well?",
                lambda call: MATH if call.mask else chosen(call),
            ),
            _slip(
                "old-gpu-to-math",
                "Flash refuses a T4, and then the next row of the table is asked, not the last. Does the "
                "efficient one refuse it as well?",
                lambda call: MATH if call.gpu == "T4" else chosen(call),
            ),
            _slip(
                "float32-to-math",
                "Flash refuses float32, and then the next row of the table is asked, not the last. Does the "
                "efficient one refuse it as well?",
                lambda call: MATH if call.dtype == "float32" else chosen(call),
            ),
            _slip(
                "counted-from-0",
                "Counted from 1: flash is 1, efficient 2, math 3.",
                lambda call: chosen(call) - 1,
            ),
        ),
    ),
    because="One property is enough to send a call to the next kernel: a mask, float32, an older GPU, a wide "
    "head. PyTorch says nothing about it. So in a measurement name the kernel, and where speed counts pass "
    "is_causal and no mask.",
    hints=(
        "Go through the table of the lesson from above: the first kernel that takes the call runs.",
        "Ask four things of a call: its dtype, its mask, its GPU, its width. One is enough for a refusal.",
    ),
    reread=WHICH_KERNEL,
)
