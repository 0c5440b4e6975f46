"""What importing a helper loads, which helper may import which, and what each function says of itself."""

import ast
import functools
import graphlib
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import helpers
import helpers.inputs
import helpers.inputs_of_positions
import helpers.inputs_of_streaming
import helpers.validation

FOLDER = Path(helpers.__file__).parent
HEAVY = ("torch", "matplotlib")

# The only helpers that may load one of these, and which.
MAY_LOAD = {
    "helpers.benchmark.attention": {"torch"},
    "helpers.benchmark.compiling": {"torch"},
    "helpers.benchmark.devices": {"torch"},
    "helpers.benchmark.kernels": {"torch"},
    "helpers.benchmark.plots": {"matplotlib"},
    "helpers.benchmark.rooflines": {"matplotlib"},
    "helpers.benchmark.streaming": {"torch"},
    "helpers.pretrained.in_torch": {"torch"},
}

# A module imports only modules of a lower storey: the maths knows no data, no pictures and no exercises.
STOREYS = [
    {"helpers.validation", "helpers.door", "helpers.own_folder", "helpers.one_thread", "helpers.garbage"},
    {"helpers.inputs", "helpers.precision", "helpers.probing"},
    {"helpers.inputs_of_positions", "helpers.inputs_of_streaming"},
    {"helpers.similarity", "helpers.scaling", "helpers.softmax", "helpers.masking", "helpers.shares"},
    {"helpers.attention", "helpers.columns", "helpers.leaks", "helpers.positions"},
    {"helpers.heads"},
    {"helpers.cross_attention", "helpers.streaming"},
    {"helpers.multi_head", "helpers.gradients"},
    {"helpers.readers", "helpers.pytorch", "helpers.many_cards"},
    {"helpers.datasets", "helpers.programs"},
    {"helpers.pretrained"},
    {"helpers.plots", "helpers.exercises"},
    {"helpers.benchmark", "helpers.museum"},
]
MATHS = sorted(set().union(*STOREYS[3:8]))
BEFORE_THE_MATHS = sorted(set().union(*STOREYS[:3]))
# built on those of helpers.validation
CHECKS = ["helpers.inputs", "helpers.inputs_of_positions", "helpers.inputs_of_streaming", "helpers.precision"]


@functools.cache
def module_names() -> list[str]:
    """Every module and package in the folder of helpers, by its dotted name."""
    paths = sorted(FOLDER.rglob("*.py"))
    dotted = [".".join(["helpers", *path.relative_to(FOLDER).with_suffix("").parts]) for path in paths]
    return [name.removesuffix(".__init__") for name in dotted]


HELPERS = [name for name in module_names() if name != "helpers"]


# A room of its own for torch: each of its modules loads it, but not the package itself.
IN_TORCH = [name for name in HELPERS if name.startswith("helpers.pytorch.")]
MAY_LOAD |= {name: {"torch"} for name in IN_TORCH}
# And one for pictures, which all draw on one canvas.
PICTURES = [name for name in HELPERS if name.split(".")[1] == "plots"]
MAY_LOAD |= {name: {"matplotlib"} for name in PICTURES}
WITHOUT_TORCH = ("shared", "torch_blind_test", "torch_padded_causal")
MAY_LOAD |= {
    name: {"torch"}
    for name in HELPERS
    if name.startswith("helpers.exercises.lesson_08.") and not name.endswith(WITHOUT_TORCH)
}
MAY_LOAD["helpers.exercises.engine.tensors"] = {"torch"}
MAY_LOAD["helpers.exercises.lesson_12.noisy_loss"] = {"torch"}  # a model, with its mode and its dropout
# Inside the exercises: what runs an attempt knows no kind, a kind no mistake, and no lesson another lesson.
# Above them, in this order: what finds exercises, what a person has done, what is asked of that, what trains.
FLOORS = ("engine", "kinds", "slips", "lesson_", "catalogue", "progress_file", "unnamed", "gym")


def source_file(name: str) -> Path:
    path = FOLDER.joinpath(*name.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@functools.cache
def tree_of(name: str) -> ast.Module:
    """A helper -> its file, parsed."""
    return ast.parse(source_file(name).read_text(encoding="utf-8"))


@functools.cache
def imports_of(name: str) -> frozenset[str]:
    """The modules that a file imports anywhere in it, functions included."""
    found: set[str] = set()
    package = name if source_file(name).name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) - node.level + 1]) if node.level else ""
            start = ".".join(part for part in (base, node.module or "") if part)
            inside = {f"{start}.{alias.name}" for alias in node.names} & set(module_names())
            found |= inside or {start}
    return frozenset(found)


def public_functions(module: ModuleType) -> list[FunctionType]:
    return [
        item
        for name, item in vars(module).items()
        if inspect.isfunction(item) and item.__module__ == module.__name__ and not name.startswith("_")
    ]


def part_of(name: str) -> str:
    """helpers.exercises.probes -> helpers.exercises: the module or package directly inside helpers."""
    return ".".join(name.split(".")[:2])


def storey(name: str) -> int:
    found = [number for number, names in enumerate(STOREYS) if part_of(name) in names]
    assert found, f"{name} has no storey: give it one in STOREYS"
    return found[0]


def printed_by(code: str) -> str:
    """Code -> what it prints in a fresh Python, in which a warning is an error."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER.parent, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_by(*names: str) -> dict[str, list[str]]:
    """What a fresh Python has loaded after importing each of these in turn."""
    code = (
        "import importlib, json, sys\n"
        "before, loaded = set(sys.modules), {}\n"
        f"for name in {names!r}:\n"
        "    importlib.import_module(name)\n"
        "    loaded[name] = sorted(set(sys.modules) - before)\n"
        "print(json.dumps(loaded))"
    )
    found: dict[str, list[str]] = json.loads(printed_by(code))
    return found


@pytest.mark.parametrize("name", ["helpers", "helpers.pytorch"])
def test_importing_a_map_loads_nothing_else(name: str) -> None:
    assert set(loaded_by(name)[name]) == {"helpers", name}


def test_the_plain_helpers_load_neither_torch_nor_matplotlib() -> None:
    plain = [name for name in module_names() if name not in MAY_LOAD]
    assert "helpers.softmax" in plain
    for name, loaded in loaded_by(*plain).items():
        assert not set(HEAVY) & set(loaded), f"{name} loads {sorted(set(HEAVY) & set(loaded))}"


# Importing one kind of picture imports them all, so the room is asked once.
PARTICULAR = sorted({*MAY_LOAD} - {*PICTURES} | {"helpers.plots"})


@functools.cache
def asking_for(heavy: str) -> set[str]:
    """A heavy library -> which of PARTICULAR ask for it when they are imported.

    One fresh Python imports them all, each anew, and the library is kept from it: to load torch once for each
    would take minutes. An import may fail only where it has asked.
    """
    code = (
        "import importlib, json, sys\n"
        "asked = []\n"
        "class Door:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name.partition('.')[0] == {heavy!r}:\n"
        "            asked.append(name)\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Door())\n"
        "asking = []\n"
        f"for name in {PARTICULAR!r}:\n"
        "    for known in [known for known in sys.modules if known.partition('.')[0] == 'helpers']:\n"
        "        del sys.modules[known]\n"
        "    asked.clear()\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except ImportError:\n"
        "        if not asked:\n"
        "            raise\n"
        "    asking += [name] if asked else []\n"
        "print(json.dumps(asking))"
    )
    return set(json.loads(printed_by(code)))


@pytest.mark.parametrize("name", PARTICULAR)
def test_a_helper_loads_only_what_it_is_for(name: str) -> None:
    assert {heavy for heavy in HEAVY if name in asking_for(heavy)} == MAY_LOAD[name]


@pytest.mark.parametrize("name", HELPERS)
def test_imports_run_one_way(name: str) -> None:
    for other in sorted(imports_of(name)):
        top = other.split(".")[0]
        assert top not in {"notebooks", "tests", "tools", "course"}, f"{name} imports {other}"
        if top == "helpers":
            below = storey(other) < storey(name)
            assert below or part_of(other) == part_of(name), f"{name} must not import {other}"


@pytest.mark.parametrize("package", sorted({part_of(name) for name in HELPERS if name.count(".") > 1}))
def test_inside_a_package_imports_go_round_in_no_circle(package: str) -> None:
    inside = {name for name in HELPERS if part_of(name) == package}
    graph = {name: imports_of(name) & inside for name in inside}
    assert set(graphlib.TopologicalSorter(graph).static_order()) == inside  # raises CycleError


@pytest.mark.parametrize("name", MATHS)
def test_the_maths_imports_numpy_and_maths_and_no_more(name: str) -> None:
    others = {other for other in imports_of(name) if other.split(".")[0] not in sys.stdlib_module_names}
    assert others <= {"numpy", "numpy.typing", *BEFORE_THE_MATHS, *MATHS}
    assert "helpers.validation" in others


def floor(name: str) -> int:
    """helpers.exercises.slips.hiding -> 2: its place in FLOORS; -1 for what is none of them."""
    inside = [part for part, room in enumerate(FLOORS) if name.startswith(f"helpers.exercises.{room}")]
    return inside[0] if inside else -1


def test_every_file_of_the_exercises_has_a_floor() -> None:
    beside = {name for name in HELPERS if name.startswith("helpers.exercises.") and floor(name) < 0}
    assert beside == set()


@pytest.mark.parametrize("name", [name for name in HELPERS if floor(name) >= 0])
def test_exercises_import_from_lower_floors_and_no_lesson_from_another(name: str) -> None:
    assert "helpers.exercises" not in imports_of(name), f"{name} imports what a notebook imports"
    rooms = {other: other.split(".")[2] for other in imports_of(name) if floor(other) >= 0}
    for other, room in rooms.items():
        assert floor(other) <= floor(name), f"{name} must not import {other}"
        if floor(name) == FLOORS.index("lesson_") == floor(other):
            assert room == name.split(".")[2], f"{name} imports another lesson's {other}"


def test_the_map_names_every_helper_and_no_other() -> None:
    mapped = re.findall(r"^(\w+) {2,}\S", helpers.__doc__ or "", flags=re.MULTILINE)
    there = {name.split(".")[1] for name in HELPERS}
    assert len(mapped) == len(set(mapped))
    assert set(mapped) == there


ROOMS = ("benchmark", "exercises/gym", "museum", "plots", "pretrained", "pytorch", "readers")


@pytest.mark.parametrize("room", [*ROOMS, "../tools/website"])
def test_the_map_of_a_room_names_every_module_in_it(room: str) -> None:
    doc = ast.get_docstring(ast.parse((FOLDER / room / "__init__.py").read_text(encoding="utf-8"))) or ""
    there = {path.stem for path in (FOLDER / room).glob("*.py") if not path.stem.startswith("__")}
    assert there - set(re.findall(r"^(\w+) ", doc, flags=re.MULTILINE)) == set()


@pytest.mark.parametrize("name", module_names())
def test_each_helper_opens_with_what_it_is_for(name: str) -> None:
    doc = importlib.import_module(name).__doc__
    assert doc
    assert doc.strip()


# The parts of wrong answers, a line or two each, are named after what is done wrong.
PARTS_OF_WRONG_ANSWERS = [FLOORS.index("slips"), FLOORS.index("lesson_")]


@pytest.mark.parametrize("name", [name for name in HELPERS if floor(name) not in PARTS_OF_WRONG_ANSWERS])
def test_each_public_function_has_a_docstring(name: str) -> None:
    for function in public_functions(importlib.import_module(name)):
        assert inspect.getdoc(function), f"{name}.{function.__name__} has no docstring"


# The catalogue of exercises is full of small wrong functions: they are named by their mistake, not by shapes.
@pytest.mark.parametrize("name", [name for name in HELPERS if not name.startswith("helpers.exercises")])
def test_a_function_that_gives_an_array_opens_with_its_shapes(name: str) -> None:
    for function in public_functions(importlib.import_module(name)):
        gives = str(inspect.signature(function).return_annotation)
        if name in MATHS or "ndarray" in gives or "Tensor" in gives:
            first_line = (inspect.getdoc(function) or "").splitlines()[0]
            assert "->" in first_line, f"{name}.{function.__name__}: no shape arrow in {first_line!r}"


def raising_functions(*names: str) -> set[str]:
    """Functions of these modules that raise, or call one that does: a private one, a check, or the maths.

    What stands behind a door raises what its check raises.
    """
    calls: dict[str, set[str]] = {}
    raising: set[str] = set()
    below = [helpers.validation, *map(importlib.import_module, {*MATHS, *CHECKS} & set(names))]
    if set(IN_TORCH) & set(names):
        below.append(importlib.import_module("helpers.pytorch.validation"))
    if set(PICTURES) & set(names):
        below.append(importlib.import_module("helpers.plots.canvas"))
    checks = {function.__name__ for module in below for function in public_functions(module)}
    for name in names:
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.FunctionDef):
                inside = list(ast.walk(node))
                called = [ast.unparse(call.func) for call in inside if isinstance(call, ast.Call)]
                at_the_door = any(ast.unparse(d).startswith("checked_by(") for d in node.decorator_list)
                calls.setdefault(node.name, set()).update(name.removeprefix("canvas.") for name in called)
                if at_the_door or any(isinstance(part, ast.Raise) for part in inside):
                    raising.add(node.name)
    while True:
        passed_on = {name for name in raising if name.startswith("_") or name in checks}
        more = {name for name, called in calls.items() if called & passed_on} - raising
        if not more:
            break
        raising |= more
    return raising


# `check` of the exercises never raises; a picture says what it asks beyond real numbers.
ASK_NOTHING = {
    f"helpers.pytorch.{name}" for name in ("gpu", "kernel_programs", "kernel_tiles", "memory", "ring_jobs")
}
RAISING = [
    *MATHS,
    *sorted({*IN_TORCH} - ASK_NOTHING),
    *CHECKS,
    "helpers.validation",
    "helpers.datasets",
    "helpers.programs",
]
RAISING += [f"helpers.plots.{kind}" for kind in ("canvas", "weights", "curves", "arrows")]
RAISING += [f"helpers.plots.{kind}" for kind in ("masks", "heads", "readings", "tiles")]


@pytest.mark.parametrize("name", sorted(ASK_NOTHING))
def test_what_asks_nothing_raises_nothing(name: str) -> None:
    assert not raising_functions(name)


@pytest.mark.parametrize("name", RAISING)
def test_a_function_that_can_raise_says_so(name: str) -> None:
    beside = {name}
    if name in [*MATHS, *CHECKS]:
        beside = {"helpers.validation", *([*MATHS, *CHECKS[1:]] if name in MATHS else [name])}
    raising = raising_functions(*beside, *(["helpers.plots.canvas"] if name in PICTURES else []))
    functions = [item for item in public_functions(importlib.import_module(name)) if item.__name__ in raising]
    assert functions
    for function in functions:
        said = re.search(r"\braises?\b", inspect.getdoc(function) or "", flags=re.IGNORECASE)
        assert said, f"{name}.{function.__name__} can raise and does not say so"


def test_every_function_of_the_maths_checks_what_it_is_given() -> None:
    for name in MATHS:
        functions = {function.__name__ for function in public_functions(importlib.import_module(name))}
        assert functions
        assert functions <= raising_functions(*MATHS, "helpers.validation"), name


def test_every_check_at_a_door_can_raise() -> None:
    for module in (helpers.inputs, helpers.inputs_of_positions, helpers.inputs_of_streaming):
        checks = {function.__name__ for function in public_functions(module)}
        assert checks <= raising_functions(*CHECKS, "helpers.validation"), module
