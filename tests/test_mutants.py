"""tools/mutants.py: what it changes, what it reports, and that the files stay as they are."""

import os
import subprocess
import sys
from pathlib import Path

import mutants
import pytest
from mutation.equivalent import Equivalents
from mutation.making import code_of
from mutation.modules import MATHS, ROOT, file_of, own_tests

LITTLE = '''"""Two functions."""


def larger(a, b):
    """Two numbers -> the larger."""
    return a if a > b else b


def drained(items):
    """A list -> its entries, the last first; the list is empty then."""
    taken = []
    while items:
        taken.append(items.pop())
    return taken
'''
TESTS = """from little import drained, larger


def test_both():
    assert (larger(1, 2), larger(2, 1)) == (2, 2)
    assert drained([1, 2, 3]) == [3, 2, 1]
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A folder with one module and its tests."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "little.py").write_text(LITTLE)
    (tmp_path / "tests" / "test_little.py").write_text(TESTS)
    return tmp_path


def run(course: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "mutants.py"), "little", f"--root={course}", *options]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # nbval alone takes seconds to load
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # what would be written beside the sources is
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=env)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.skipif(sys.platform != "linux", reason="without a fork each mutant starts a Python: minutes")
def test_what_no_test_noticed_is_reported_and_nothing_else_and_loops_are_ended(course: Path) -> None:
    before = files_in(course)
    done = run(course)
    survivors = [line for line in done.stdout.splitlines() if line.startswith(("little.py", "  - ", "  + "))]
    assert survivors == [
        "little.py:6: comparison",
        "  - return a if a > b else b",
        "  + return a if a >= b else b",  # two equal numbers: no test could tell
    ]
    assert done.returncode == 1
    n_mutants = len(mutants.of_module("little", course))
    (total,) = (line.split() for line in done.stdout.splitlines() if line.startswith("all "))
    assert [int(number) for number in total[1:5]] == [
        n_mutants,
        n_mutants - 1,
        1,
        1,
    ]  # one loops: nothing is popped
    assert files_in(course) == before


def test_without_a_fork_each_mutant_has_a_python_of_its_own(course: Path) -> None:
    (course / "little.py").write_text("def larger(a, b):\n    return a if a > b else b\n")
    (course / "tests" / "test_little.py").write_text(
        "from little import larger\n\n\ndef test_it():\n    larger(1, 2)\n"
    )
    before = files_in(course)
    done = run(course, "--no-fork", "--sample=1")
    assert "little.py:2: " in done.stdout
    assert files_in(course) == before


def test_where_the_tests_fail_anyway_there_is_no_verdict(course: Path) -> None:
    (course / "tests" / "test_little.py").write_text("def test_it():\n    assert False\n")
    done = run(course)
    assert "the tests of little fail without any mutant" in done.stderr
    assert "survived" not in done.stdout


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", ["x = a <= b", "x = a >= b"]),
        ("x = a is None", ["x = a is not None"]),
        ("x = a + b", ["x = a - b"]),
        ("x = a @ b", ["x = a * b"]),
        ("x = 3", ["x = 4", "x = 2"]),
        ("x = 0.5", ["x = 1.5", "x = 1.0"]),
        ("x = 1e20", ["x = 2e+20"]),  # one more is the same number
        ("x = True", ["x = False"]),
        ("x = 'iu'", ["x = ''"]),
        ("x = a and b", ["x = a or b", "x = b", "x = a"]),
        ("x = ~a", ["x = a"]),
        ("f(a, b)", ["pass", "f(b, a)"]),
        ("f(a, b=c)", ["pass", "f(a)"]),
        ("x = zip(a, strict=True)", ["x = zip(a, strict=False)"]),
        ("x = min(a, b)", ["x = max(a, b)"]),
        ("x = b if a else c", ["x = b if not a else c"]),
        ("x = [a for a in b if a]", ["x = [a for a in b if not a]"]),
        ("x = f(x)", ["pass"]),
        ("x[a] = b", ["pass"]),
        ("raise ValueError(f'{a}')", ["raise TypeError(f'{a}')", "pass"]),
        ("if a:\n    pass", ["if not a:"]),
        ("def f(a=1):\n    pass", ["def f(a=2):", "def f(a=0):"]),
        ("def f():\n    return a", ["return"]),
        ("@f\ndef g():\n    pass", ["def g():"]),
        ("for a in b:\n    break", ["continue"]),
        # what stays: types, imports, docstrings, words
        ("def f(a: int | None) -> list[int]:\n    '''1'''", []),
        ("from a import b", []),
        ("x = f'one {a} two'", []),
        ("x = 'two words'", []),
        ("__all__ = ['a']", []),
    ],
)
def test_what_is_changed(source: str, expected: list[str]) -> None:
    assert [mutant.after for mutant in mutants.mutants("any", source)] == expected


def test_a_mutant_runs_as_what_it_says() -> None:
    source = "x = 2 + 3\n"
    results = []
    for mutant in mutants.mutants("any", source):
        names: dict[str, int] = {}
        exec(code_of(mutant, source, "any.py"), names)
        results.append((mutant.after, names["x"]))
    assert results == [
        ("x = 2 - 3", -1),
        ("x = 3 + 3", 6),
        ("x = 1 + 3", 4),
        ("x = 2 + 4", 6),
        ("x = 2 + 2", 4),
    ]


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    candidates = mutants.of_module("helpers.softmax")
    assert mutants.sample(candidates, 5, seed=1) == mutants.sample(candidates, 5, seed=1)
    assert mutants.sample(candidates, 5, seed=1) != mutants.sample(candidates, 5, seed=2)
    assert mutants.sample(candidates, 10**6, seed=1) == candidates


@pytest.mark.parametrize("module", MATHS)
def test_each_module_of_the_maths_has_tests_of_its_own(module: str) -> None:
    assert file_of(module).exists()
    assert own_tests(module)
    assert all(path.exists() for path in own_tests(module))


def test_no_listed_mutant_is_out_of_date_and_each_has_its_reason() -> None:
    listed = Equivalents()
    of_all = [mutant for module in listed.modules() for mutant in mutants.of_module(module)]
    assert listed.unmet(of_all) == []
    assert all(listed.reasons.values())


def test_an_entry_is_for_one_mutant_or_for_all_constants_of_a_statement(tmp_path: Path) -> None:
    path = tmp_path / "equivalent.toml"
    path.write_text(
        "[[mutant]]\nmodule = 'any'\nbefore = 'x = a < 3'\nafter = 'x = a <= 3'\nreason = 'r'\n"
        "[[mutant]]\nmodule = 'any'\nbefore = 'y = f(3, b)'\nreason = 'any number'\n"
    )
    listed = Equivalents(path)
    reasons = {m.after: listed.reason(m) for m in mutants.mutants("any", "x = a < 3\ny = f(3, b)\n")}
    assert reasons == {
        "x = a <= 3": "r", "x = a >= 3": None, "x = a < 4": None, "x = a < 2": None,
        "y = f(b, 3)": None, "y = f(4, b)": "any number", "y = f(2, b)": "any number",
    }  # fmt: skip
    assert listed.unmet(mutants.mutants("any", "x = a < 3\n")) == [("any", "y = f(3, b)", None)]
