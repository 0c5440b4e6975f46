"""The rules of the house that hold for every file of ours: how long it may be, and what is private to it."""

import ast
import functools
import re
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("helpers", "tools", "tests", "data/makers")
FILES = sorted(
    [path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    + ["conftest.py", "course.py", "setup.py"]
)

# A file is read in one sitting. The exceptions, each with its reason: none.
MOST_LINES = 600
LONGER: dict[str, str] = {}


def module_name(file: str) -> str:
    """helpers/plots/canvas.py -> helpers.plots.canvas, helpers/plots/__init__.py -> helpers.plots."""
    return ".".join(Path(file).with_suffix("").parts).removesuffix(".__init__")


def names_of(file: str) -> set[str]:
    """tests/oracles.py -> tests.oracles, oracles: a helper has one name."""
    name = module_name(file)
    parts = name.split(".")
    return {name} if parts[0] == "helpers" else {".".join(parts[start:]) for start in range(len(parts))}


OURS = set().union(*map(names_of, FILES))


def imported_modules(tree: ast.Module, package: str) -> dict[str, str]:
    """A file's tree, its package -> {name in the file: the module of ours that it stands for}."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.split(".")[0]
                found[alias.asname or whole] = whole
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{source_of(node, package)}.{alias.name}"
    return {name: module for name, module in found.items() if module in OURS}


def source_of(node: ast.ImportFrom, package: str) -> str:
    """`from .canvas import show` in helpers.plots -> helpers.plots.canvas."""
    parents = package.split(".")
    base = parents[: len(parents) - node.level + 1] if node.level else []
    return ".".join([*base, *([node.module] if node.module else [])])


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_names_of_others(source: str, package: str = "") -> list[str]:
    """The text of a file, its package -> each private name that it takes from another file of ours."""
    tree = ast.parse(source)
    modules = imported_modules(tree, package)
    return [name for node in ast.walk(tree) for name in taken_by(node, modules, package)]


def taken_by(node: ast.AST, modules: dict[str, str], package: str) -> Iterator[str]:
    """One node -> the private names of other files in it: imported, as an attribute, or by setattr."""
    if isinstance(node, ast.ImportFrom) and source_of(node, package) in OURS:
        yield from (alias.name for alias in node.names if is_private(alias.name))
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if any(map(is_private, alias.name.split("."))))
    if isinstance(node, ast.Attribute) and is_private(node.attr) and module_of(node.value, modules):
        yield node.attr
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("getattr", "setattr", "delattr")):
        match node.args:
            case [thing, ast.Constant(value=str(name)), *_] if is_private(name) and module_of(thing, modules):
                yield name


def module_of(thing: ast.expr, modules: dict[str, str]) -> str:
    """An expression -> the module of ours that it is, or an empty text."""
    if isinstance(thing, ast.Name):
        return modules.get(thing.id, "")
    if isinstance(thing, ast.Attribute):
        inside = f"{module_of(thing.value, modules)}.{thing.attr}"
        return inside if inside in OURS else ""
    return ""


def excepted(file: str, exceptions: dict[str, str]) -> bool:
    return any(fnmatch(file, pattern) for pattern in exceptions)


def prying(file: str) -> list[str]:
    name = module_name(file)
    package = name if file.endswith("__init__.py") else name.rpartition(".")[0]
    return private_names_of_others((ROOT / file).read_text(encoding="utf-8"), package)


def is_long(file: str) -> bool:
    return len((ROOT / file).read_text(encoding="utf-8").splitlines()) > MOST_LINES


def test_no_file_is_too_long_to_be_read_in_one_sitting() -> None:
    assert [file for file in FILES if is_long(file) and not excepted(file, LONGER)] == []


def paths_in_the_map(page: str) -> list[str]:
    """The text of CONTRIBUTING.md -> the paths that its map names, as patterns: lesson_NN, start-on-*.

    An entry is indented by the folder that it stands in; what is indented far goes on with the entry above.
    """
    found: list[str] = []
    above: list[tuple[int, str]] = []  # the folders in which an entry stands
    for line in page.partition("## The map")[2].partition("\n## ")[0].splitlines():
        indent = len(line) - len(line.lstrip())
        if 4 <= indent < 20:
            above = [one for one in above if one[0] < indent]
            names = re.split(r"[\s,]+", line.strip().partition("  ")[0].replace("NN", "[0-9][0-9]"))
            paths = [(above[-1][1] if above else "") + name for name in names]
            above += [(indent, path) for path in paths if path.endswith("/")]
            found += [path.rstrip("/") for path in paths]
    return found


@functools.cache
def in_git() -> set[str]:
    """() -> each file that git keeps, and each of its folders. A learner's own files are not there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    files = [Path(file) for file in listed.stdout.split("\0") if file and (ROOT / file).exists()]
    if not files:
        pytest.skip("a copy without git")
    return {path.as_posix() for file in files for path in [file, *file.parents]} - {"."}


def stands_for(pattern: str, path: str) -> bool:
    """helpers/heads stands for helpers/heads.py, helpers/exercises/lesson_NN for a folder of exercises."""
    return fnmatch(path, pattern) or fnmatch(path, f"{pattern}.py")


MAPPED = paths_in_the_map((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
# The folders whose contents the map lists one by one; the others have a sentence.
LISTED = ("helpers", "helpers/exercises", "helpers/exercises/slips", "data", "tools")


@pytest.mark.parametrize("path", MAPPED)
def test_what_the_map_names_is_there(path: str) -> None:
    assert any(stands_for(path, there) for there in in_git())


@pytest.mark.parametrize("folder", ["", *LISTED])
def test_what_is_there_stands_in_the_map(folder: str) -> None:
    """What slipped in with `git add` is found; what git does not keep is nobody's business."""
    inside = {path for path in in_git() if path.rpartition("/")[0] == folder and not is_aside(path)}
    assert inside
    assert {path for path in inside if not any(stands_for(one, path) for one in MAPPED)} == set()


def is_aside(path: str) -> bool:
    """Data files and the authors' programs are not listed; __init__ and __main__ belong to their folder."""
    not_listed = path.startswith(("data/", "tools/")) and "." in path
    return not_listed or path.endswith(("/__init__.py", "/__main__.py"))


MAP = """## The map

    course.py                the one command
    helpers/                 the maths
      heads, masking         lessons
      exercises/             check
        lesson_NN/           one file an exercise
                             and more of it
    tools/                   the rest

## The next
"""


def test_the_map_is_read_with_its_folders() -> None:
    assert paths_in_the_map(MAP) == [
        *("course.py", "helpers", "helpers/heads", "helpers/masking", "helpers/exercises"),
        *("helpers/exercises/lesson_[0-9][0-9]", "tools"),
    ]


def test_no_private_name_is_used_outside_its_file() -> None:
    found = {file: prying(file) for file in FILES}
    assert {file: names for file, names in found.items() if names} == {}


def test_every_exception_is_still_needed() -> None:
    for pattern in LONGER:
        assert any(is_long(file) for file in FILES if fnmatch(file, pattern)), f"{pattern}: no longer long"


@pytest.mark.parametrize(
    ("source", "package"),
    [
        ("from helpers.plots.canvas import _x", ""),
        ("from .canvas import _x", "helpers.plots"),
        ("from helpers.plots import canvas\ncanvas._x()", ""),
        ("from . import canvas as house\nhouse._x()", "helpers.plots"),
        ("import helpers.plots.canvas\nhelpers.plots.canvas._x = 1", ""),
        ("import helpers.plots.canvas as house\nhouse._x", ""),
        ("import oracles\noracles._x", ""),
        ("from helpers.plots import canvas\nmonkeypatch.setattr(canvas, '_x', 1)", ""),
        ("import helpers.plots\ngetattr(helpers.plots.canvas, '_x')", ""),
    ],
)
def test_a_private_name_is_found_however_it_is_reached(source: str, package: str) -> None:
    assert private_names_of_others(source, package) == ["_x"]


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nsys._current_frames()",
        "from helpers.plots import canvas\ncanvas.show\ncanvas.__doc__",
        "from helpers.plots import canvas\nself._x = canvas\n_x = canvas.look(0)",
        "from helpers.multi_head import Projections\nProjections._fields",
    ],
)
def test_what_is_public_or_not_ours_is_left_alone(source: str) -> None:
    assert private_names_of_others(source) == []
