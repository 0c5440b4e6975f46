"""What a call holds, how a helper is written, and what a new Python prints."""

import inspect
import os
import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest

from helpers import programs
from helpers.pytorch import kernels
from helpers.validation import Array


def described(size: int) -> int:
    """int -> int: not printed.

    Nor is this.
    """
    size *= 2  # """kept"""

    return size


def bare() -> None:
    print("no description")


def test_a_body_is_printed_without_name_and_description(capsys: pytest.CaptureFixture[str]) -> None:
    programs.print_body(described)
    assert capsys.readouterr().out == 'size *= 2  # """kept"""\n\nreturn size\n'
    programs.print_body(bare)
    assert capsys.readouterr().out == 'print("no description")\n'


def test_the_kernels_step_is_printed_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    programs.print_kernel_step()
    said = capsys.readouterr().out
    kernel = kernels.forward_kernel
    whole = inspect.getsource(getattr(kernel, "fn", kernel))
    assert textwrap.indent(said, 12 * " ") in whole
    lines = said.splitlines()
    assert lines[0].startswith("scores = tl.dot(query_tile")
    assert lines[-1] == "running_max = new_max"
    assert sum("running_sum = rescale *" in line for line in lines) == 1


FIRST = "helpers.pytorch.first_kernels"


def test_functions_are_printed_without_what_describes_and_checks(capsys: pytest.CaptureFixture[str]) -> None:
    programs.print_functions(FIRST, "add_kernel", "add")
    said = capsys.readouterr().out
    assert said.startswith("@jit\ndef add_kernel(")
    assert "\n\ndef add(x: Tensor" in said
    assert "add_kernel[grid](" in said
    for left_out in ("require_triton", "raise", '"""', "ValueError"):
        assert left_out not in said
    with pytest.raises(LookupError, match="has no function nothing; it has add_kernel, add"):
        programs.print_functions(FIRST, "nothing")
    with pytest.raises(LookupError, match="was not found"):
        programs.print_functions("helpers.nothing", "add")


def test_printing_the_kernels_step_loads_no_torch() -> None:
    program = (
        "import sys; from helpers import programs; programs.print_kernel_step(); "
        f"programs.print_functions({FIRST!r}, 'add'); "
        "assert not {'torch', 'triton'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_a_block_is_loaded_and_stored_where_it_is_inside() -> None:
    memory = np.array([2.0, 3.0, 5.0, 7.0, 11.0])
    places = np.arange(4)
    block = programs.load(memory, 3 + places, places < 2, other=-1.0)
    np.testing.assert_array_equal(block, [7, 11, -1, -1])
    programs.store(memory, 1 + places, 10 * block, places < 2)
    np.testing.assert_array_equal(memory, [2, 70, 110, 7, 11])


def test_an_address_that_memory_does_not_have_is_told() -> None:
    memory, places = np.zeros(5), np.arange(4)
    with pytest.raises(IndexError, match="address 5 is outside the memory, which has the addresses 0 to 4"):
        programs.load(memory, 3 + places, places < 3, other=0.0)
    with pytest.raises(IndexError, match="address -1 is outside"):
        programs.store(memory, places - 1, places * 1.0, places < 3)


def test_the_bytes_of_a_call_are_those_of_its_arrays() -> None:
    def keeps(n: int, *, extra: int) -> tuple[Array, Array]:
        temporary = np.ones(extra)
        return np.ones(n) * temporary[0], np.zeros(0)

    kept_before = np.ones(200_000)
    peak, output = programs.peak_bytes(keeps, 30_000, extra=50_000)
    assert output == 8 * 30_000
    # The temporary one, ones(n) and its product stand together.
    assert 8 * (50_000 + 60_000) <= peak < 8 * (50_000 + 60_000) + 20_000
    assert kept_before.nbytes > peak


def test_counting_ends_with_the_call_and_does_not_end_another() -> None:
    with pytest.raises(ZeroDivisionError):
        programs.peak_bytes(lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    assert not tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        with pytest.raises(RuntimeError, match="runs already"):
            programs.peak_bytes(lambda: (np.ones(1), np.ones(1)))
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()


def test_a_new_python_changes_nothing_here(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ONLY_THERE", raising=False)
    program = "import os, warnings; os.environ['ONLY_THERE'] = '1'; warnings.warn('kept back'); print(6 * 7)"
    programs.in_new_python(program)
    assert capsys.readouterr() == ("42\n", "")
    assert "ONLY_THERE" not in os.environ


def test_a_new_python_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)ended with 1:.*no keys here"):
        programs.in_new_python("raise ValueError('no keys here')")
