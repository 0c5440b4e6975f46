"""What `solution` prints: the answer as a learner would write it, and the helper that does the same."""

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any


def printed(answer: Callable[..., Any], bug: Callable[..., Any] | None = None) -> str:
    """An answer, the function to fix if there is one -> the answer's source, without types.

    Lines that the function to fix has otherwise are marked.
    """
    before = [] if bug is None else _untyped(bug)
    head, *lines = _untyped(answer)
    marked = [
        f"{line}  # fixed" if before and line not in before and not line.lstrip().startswith('"""') else line
        for line in lines
    ]
    return "\n".join([head, *marked])


def _untyped(function: Callable[..., Any]) -> list[str]:
    source = textwrap.dedent(inspect.getsource(function))
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.FunctionDef)
    head = f"def {function.__name__}({', '.join(inspect.signature(function).parameters)}):"
    return [head, *source.splitlines()[definition.body[0].lineno - 1 :]]


def helper_with_the_same_answer(right: Callable[..., Any]) -> str:
    """The right function -> "`softmax` in helpers/softmax.py", or "" where no helper holds it."""
    module = right.__module__
    if not module.startswith("helpers.") or module.startswith("helpers.exercises"):
        return ""
    return f"`{right.__name__}` in {module.replace('.', '/')}.py"
