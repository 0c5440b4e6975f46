"""Has the learner edited the function that was handed out? Its steps are compared, never its text.

An edit that changes no result is an attempt, and is answered as one.
"""

import bisect
import dis
import types
from collections.abc import Callable
from typing import Any

from helpers.exercises.engine.sandbox import code_of

# A call such as np.exp(x) is compiled otherwise where the same cell or file imports np.
ALIKE = {"LOAD_METHOD": "LOAD_ATTR", "CALL_METHOD": "CALL"}
JUMPS = {*dis.hasjrel, *dis.hasjabs}
NO_STEP = {"NOP", "EXTENDED_ARG", "CACHE", "PUSH_NULL", "PRECALL"}


def edited(function: object, bug: Callable[..., Any]) -> bool:
    """The learner's function, the one handed out -> True unless the steps of both are the same.

    Comments, spaces and the docstring do not count.
    """
    code, given = code_of(function), code_of(bug)
    return code is None or given is None or not same_steps(code, given)


def same_steps(one: types.CodeType, other: types.CodeType) -> bool:
    """Two pieces of compiled code -> True where both take the same steps."""
    return _steps(one) == _steps(other)


def _steps(code: types.CodeType) -> list[tuple[str, Any]]:
    kept = [step for step in dis.get_instructions(code) if step.opname not in NO_STEP]
    places = [step.offset for step in kept]
    steps = []
    for step in kept:
        argument = _steps(step.argval) if isinstance(step.argval, types.CodeType) else step.argval
        if step.opcode in JUMPS:  # to a byte, which moves with what is no step: count the steps instead
            argument = bisect.bisect_left(places, step.argval)
        steps.append((ALIKE.get(step.opname, step.opname), argument))
    return steps
