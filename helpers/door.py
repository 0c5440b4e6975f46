"""Input is checked once, where it comes in. Behind the door stands the maths alone.

    @checked_by(inputs.softmax)
    def softmax(scores, axis=-1): ...

When you call `softmax`, its input is checked: it may be a list, or have no such axis. When `attention` calls
`softmax`, the input of `attention` has been checked already, and nothing is asked a second time.
"""

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from typing import Any, ParamSpec, TypeVar

_BEHIND_THE_DOOR = ContextVar("_BEHIND_THE_DOOR", default=False)

P = ParamSpec("P")
Result = TypeVar("Result")


def checked_by(check: Callable[P, tuple[Any, ...]]) -> Callable[[Callable[..., Result]], Callable[P, Result]]:
    """A check -> a decorator: the function gets what the check makes of its arguments, in their order.

    The check raises where something does not fit. It has the name and the parameters of the function, so that
    Python's own complaint, "softmax() got an unexpected keyword argument", names what was called.
    Not for a function that calls what it is given: a model of yours has to be checked, too.
    """

    def with_check(maths: Callable[..., Result]) -> Callable[P, Result]:
        parameters = inspect.signature(maths).parameters.values()
        only_by_name = [part.name for part in parameters if part.kind is part.KEYWORD_ONLY]

        @functools.wraps(maths)
        def checked(*args: P.args, **kwargs: P.kwargs) -> Result:
            if _BEHIND_THE_DOOR.get():
                return maths(*args, **kwargs)
            fitting = check(*args, **kwargs)
            n_placed = len(fitting) - len(only_by_name)
            named = dict(zip(only_by_name, fitting[n_placed:], strict=True))
            return behind_the_door(maths, *fitting[:n_placed], **named)

        return checked

    return with_check


def behind_the_door(maths: Callable[..., Result], *inputs: Any, **named: Any) -> Result:
    """A function, its checked arguments -> its result; what it calls is not checked again.

    It runs in a context of its own. That ends with it, however it ends, so that no check stays switched off.
    """
    inside = copy_context()
    inside.run(_BEHIND_THE_DOOR.set, True)
    return inside.run(maths, *inputs, **named)
