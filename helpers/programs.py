"""What a call holds, how a helper is written, what a program prints in a Python of its own (lesson 13).

And a kernel's two ways to memory, in NumPy: `load` and `store`.
"""

import ast
import importlib.util
import inspect
import subprocess
import sys
import textwrap
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from helpers.validation import Array, Mask


def peak_bytes(function: Callable[..., tuple[Array, ...]], *args: Any, **settings: Any) -> tuple[int, int]:
    """A function that returns output first, its arguments -> bytes held at the peak of a call, of the output.

    What NumPy and Python allocate during the call is counted, and not what stood in memory before.
    Raises what the function raises; RuntimeError where Python counts allocations already.
    """
    if tracemalloc.is_tracing():
        raise RuntimeError("tracemalloc runs already, and a second count would end the first")
    tracemalloc.start()
    try:
        output = function(*args, **settings)[0]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak, output.nbytes


def load(memory: Array, addresses: Array, inside: Mask, other: float) -> Array:
    """(size,), (block,), (block,) of True and False -> (block,): what stands there, `other` where not inside.

    As a kernel reads memory: a list of numbers, without rows. What is not inside is not touched.
    Raises IndexError for an address inside that memory does not have: a GPU would read something else there.
    """
    block = np.full(addresses.shape, other, memory.dtype)
    block[inside] = memory[_there(memory, addresses[inside])]
    return block


def store(memory: Array, addresses: Array, block: Array, inside: Mask) -> None:
    """(size,), (block,), (block,), (block,) of True and False -> None: writes what is inside to its address.

    Raises IndexError as load does.
    """
    memory[_there(memory, addresses[inside])] = block[inside]


def _there(memory: Array, addresses: Array) -> Array:
    outside = addresses[(addresses < 0) | (addresses >= len(memory))]
    if len(outside):
        raise IndexError(
            f"address {outside[0]} is outside the memory, which has the addresses 0 to {len(memory) - 1}"
        )
    return addresses


def in_new_python(program: str) -> None:
    """A program -> None: runs it in a Python of its own, and prints what it prints, without its warnings.

    What it imports and sets ends with it. Raises RuntimeError with its complaint where it fails.
    """
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False
    )
    if ended.returncode:
        raise RuntimeError(f"the new Python ended with {ended.returncode}:\n{ended.stderr}")
    print(ended.stdout.strip())


def print_body(function: Callable[..., object]) -> None:
    """A function -> None: prints its lines, without those that name it and describe it."""
    source = textwrap.dedent(inspect.getsource(function))
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.FunctionDef)
    first = definition.body[1 if ast.get_docstring(definition) else 0].lineno
    print(textwrap.dedent("\n".join(source.splitlines()[first - 1 :])).rstrip())


def print_functions(module: str, *names: str) -> None:
    """The name of a module, functions in it -> None: prints them, without what describes and checks.

    They are read from the file: importing the module may load torch and Triton. Left out are the first text
    of a function, `if …: raise …`, and calls of functions whose names start with `require_`.
    Raises LookupError where the module or a function is not found.
    """
    path = _file_of(module)
    source = path.read_text(encoding="utf-8")
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    if missing := [name for name in names if name not in functions]:
        raise LookupError(f"{path.name} has no function {missing[0]}; it has {', '.join(functions)}")
    printed = [_lines_of(functions[name], source.splitlines()) for name in names]
    print("\n\n".join("\n".join(lines) for lines in printed))


def _lines_of(function: ast.FunctionDef, lines: list[str]) -> list[str]:
    """A function, the lines of its file -> its own lines, without what describes and checks."""
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    left_out = {
        number
        for place, step in enumerate(function.body)
        if (place == 0 and ast.get_docstring(function)) or _checks(step)
        for number in range(step.lineno, (step.end_lineno or step.lineno) + 1)
    }
    numbers = range(first, (function.end_lineno or first) + 1)
    return [lines[number - 1] for number in numbers if number not in left_out]


def _checks(step: ast.stmt) -> bool:
    """Whether a statement only looks at the input: `if …: raise …`, or a call of a `require_…` function."""
    if isinstance(step, ast.If):
        return all(isinstance(each, ast.Raise) for each in step.body) and not step.orelse
    call = step.value if isinstance(step, ast.Expr) else None
    return (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id.startswith("require_")
    )


def _file_of(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise LookupError(f"{module} was not found")
    return Path(spec.origin)


def print_kernel_step() -> None:
    """() -> None: prints the lines of forward_kernel that fold one tile of keys in.

    They are read from the file: importing helpers.pytorch.kernel_programs would load torch and Triton.
    Raises LookupError where the file is not found, or has no such lines.
    """
    path = _file_of("helpers.pytorch.kernel_programs")
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [line.strip() for line in lines]
    try:
        first = next(i for i, line in enumerate(found) if line.startswith("scores = tl.dot("))
        last = found.index("running_max = new_max", first)
    except (StopIteration, ValueError):
        raise LookupError(f"{path} has no step from scores to running_max") from None
    print(textwrap.dedent("\n".join(lines[first : last + 1])))
