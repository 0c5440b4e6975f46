"""What nbval 0.11 does not see, added to every pytest run of the project.

nbval runs each notebook in one kernel and compares text, stderr included. It says nothing about a cell
that was never run, a changed figure, a widget, or what the kernel cost. Here
- a cell without an execution count fails;
- figures are compared by pixels (`pictures.py`);
- what a slider's cell shows before anybody moves it is compared, too: nbval is told to leave such a cell
  alone, because the address of its widget is another one each time;
- a cell whose output is not compared still may not write to stderr;
- each control of a notebook is moved to both ends: its output must change, without an error;
- after the last cell the kernel is asked what it loaded and what it cost. The costs are listed at the end
  of the run; only the memory has a limit, and only in CI: another system's libraries may need more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import nbval.kernel
import pictures
import pytest
import run_notebooks
from jupyter_client.manager import KernelManager
from lesson_files import as_tested
from nbval.plugin import IPyNbCell, IPyNbFile

from course.notebooks import is_slider, short
from helpers.pretrained.models import files_of

# Notebooks that import torch, by their numbers or names; the others may not even load it.
TORCH_LESSONS: frozenset[str] = frozenset({"08", "09", "11", "12", "13", "16"})
MODEL_LESSONS: frozenset[str] = frozenset({"15"})  # these have more to hold where the real models are here
MEGABYTES = {"numpy": 150, "torch": 450, "model": 600}

FIND_CONTROLS = """
import gc as _gc, json as _json, ipywidgets as _ipywidgets
_gc.unfreeze()  # what is frozen is not among its objects
_controls = []
for _object in _gc.get_objects():
    # Not isinstance: it asks a stand-in for its __class__, and one of torch's answers with a warning.
    if issubclass(type(_object), _ipywidgets.Widget) and getattr(_object, "comm", None) is not None:
        if hasattr(_object, "min") and hasattr(_object, "max") and hasattr(_object, "step"):
            _ends = (_object.min, _object.max)
            if isinstance(_object, _ipywidgets.FloatLogSlider):
                _ends = (_object.base ** _object.min, _object.base ** _object.max)
            _controls.append((_object, _ends))
        elif hasattr(_object, "_options_full"):  # a menu, or a slider over a list
            _values = [_value for _label, _value in _object._options_full]
            _controls.append((_object, (_values[0], _values[-1])))
        elif isinstance(_object, _ipywidgets.Checkbox):
            _controls.append((_object, (False, True)))
print(_json.dumps([_control.description for _control, _ in _controls]))
"""

REPORT = """
import json as _json, os as _os, sys as _sys, time as _time
_peak = None
if _os.path.exists("/proc/self/status"):
    with open("/proc/self/status") as _status:
        _peak = next((int(_line.split()[1]) for _line in _status if _line.startswith("VmHWM")), None)
print(_json.dumps({"torch": "torch" in _sys.modules, "peak_kib": _peak, "cpu": _time.process_time()}))
"""


def is_torch_lesson(path: Path) -> bool:
    """A notebook's path -> True if its lesson may load torch."""
    return short(path.name) in TORCH_LESSONS


def kind_of(path: Path) -> str:
    """A notebook's path -> what its kernel may hold: "numpy", "torch", or "model"."""
    if is_torch_lesson(path):
        return "torch"
    with_model = short(path.name) in MODEL_LESSONS and files_of("smollm2") is not None
    return "model" if with_model else "numpy"


def ask(kernel: Any, code: str) -> list[dict[str, Any]]:
    """A running kernel, code -> what the code put out, as messages. Raises AssertionError if it failed."""
    message = kernel.execute_cell_input(code, allow_stdin=False)
    kernel.await_reply(message, timeout=60)
    outputs: list[dict[str, Any]] = []
    while True:
        answer = kernel.get_message("iopub", timeout=10)
        if answer["parent_header"].get("msg_id") != message:
            continue
        content, kind = answer["content"], answer["msg_type"]
        if kind == "status" and content["execution_state"] == "idle":
            return outputs
        if kind == "error":
            raise AssertionError(f"{content['ename']}: {content['evalue']}")
        if kind in ("stream", "display_data", "execute_result"):
            outputs.append({"kind": kind, **content})


def printed(outputs: list[dict[str, Any]]) -> str:
    """Messages -> what was printed."""
    return "".join(output["text"] for output in outputs if output["kind"] == "stream")


def shown(outputs: list[dict[str, Any]]) -> str:
    """Messages -> everything a reader would see, as one text that can be compared."""
    return json.dumps([(output.get("text"), output.get("data")) for output in outputs], sort_keys=True)


class Cell(IPyNbCell):
    """A cell, compared strictly, and reported under its own id."""

    def runtest(self) -> None:
        super().runtest()
        self.parent.done += 1
        if self.cell.execution_count is None:
            self.raise_cell_error("This cell was never run: python course.py run stores what it prints")
        stderr = "".join(output.text for output in self.test_outputs if output.get("name") == "stderr")
        if stderr and not self.options["check"]:
            self.raise_cell_error(f"This cell writes to stderr:\n{stderr}")
        if is_slider(self.cell) and not self.compare_outputs(self.beside_widgets(), self.cell.outputs):
            self.raise_cell_error("The slider shows something else", "\n".join(self.comparison_traceback))

    def beside_widgets(self) -> list[Any]:
        """() -> what the cell shows in its controls' place before anybody moves them."""
        return [output for output in self.test_outputs if run_notebooks.WIDGET not in output.get("data", {})]

    def compare_outputs(self, test: Any, ref: Any, skip_compare: Any = None) -> bool:
        """Outputs now, outputs stored -> True if they agree, figures included."""
        if not super().compare_outputs(test, ref, skip_compare):
            return False
        drawn, stored = (
            [o.data["image/png"] for o in outs if "image/png" in o.get("data", {})] for outs in (test, ref)
        )
        if len(drawn) != len(stored):
            self.comparison_traceback.append(f"{len(stored)} figures are stored, {len(drawn)} are drawn now")
            return False
        complaints = [pictures.complaint(before, now) for before, now in zip(stored, drawn, strict=True)]
        self.comparison_traceback += [complaint for complaint in complaints if complaint is not None]
        return not any(complaints)

    def repr_failure(self, excinfo: Any) -> str:
        """A failure -> its report, with the notebook and the cell's id in front."""
        return f"{self.path.name}, cell {self.name}\n{super().repr_failure(excinfo)}"

    def reportinfo(self) -> tuple[Path, int, str]:
        """() -> where this cell stands, for pytest's report."""
        return self.path, 0, f"{self.path.name}::{self.name}"


class AfterLastCell(pytest.Item):
    """A check that needs the kernel of a notebook as its last cell left it."""

    parent: Notebook

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.obj = None  # pytest's skipping looks for it

    def kernel(self) -> Any:
        """() -> the kernel. Skips if not every cell of the notebook ran in it."""
        if self.parent.done < self.parent.cells:
            pytest.skip("not every cell of this notebook ran")
        return self.parent.kernel

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """A failure -> one line where it is one of ours."""
        if isinstance(excinfo.value, AssertionError):
            return f"{self.path.name}, {self.name}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """() -> where this check stands, for pytest's report."""
        return self.path, 0, f"{self.path.name}::{self.name}"


class Controls(AfterLastCell):
    """Every slider, menu and check box moves without an error, and what it shows follows."""

    def runtest(self) -> None:
        kernel = self.kernel()
        names = json.loads(printed(ask(kernel, FIND_CONTROLS)))
        assert names, "a cell shows a widget, but no slider, menu or check box is alive in the kernel"
        for number, name in enumerate(names):
            seen = []
            for end in (0, 1):
                try:
                    seen.append(
                        shown(ask(kernel, f"_controls[{number}][0].value = _controls[{number}][1][{end}]"))
                    )
                except AssertionError as error:
                    raise AssertionError(
                        f"the control {name!r} moved to its {('first', 'last')[end]} value: {error}"
                    ) from error
            assert seen[1] != seen[0], f"what the control {name!r} shows is the same at both its ends"


class KernelCost(AfterLastCell):
    """The kernel loaded no torch where it may not; its memory and processor time are reported."""

    def runtest(self) -> None:
        report = json.loads(printed(ask(self.kernel(), REPORT)))
        kind = kind_of(self.path)
        assert kind == "torch" or not report["torch"], (
            "torch was loaded, and this is not one of the torch lessons"
        )
        cost = f"{report['cpu']:4.1f} s of processor time, {self.parent.cells} cells"
        if report["peak_kib"] is not None:  # only Linux tells
            megabytes = report["peak_kib"] * 1024 / 1e6
            cost = f"{megabytes:4.0f} MB, {cost}"
            assert megabytes <= MEGABYTES[kind] or "CI" not in os.environ, (
                f"the kernel took {megabytes:.0f} MB (at most {MEGABYTES[kind]})"
            )
        self.user_properties.append(("kernel", f"{self.path.stem:20} {cost}"))


class Notebook(IPyNbFile):
    """A notebook whose cells are compared strictly, and whose kernel is questioned at the end."""

    path: Path
    cells = 0
    done = 0

    def setup(self) -> None:
        """Starts the kernel in the environment that `tools/run_notebooks.py` gives it, too."""
        backend = os.environ.pop("MPLBACKEND", None)  # a test may have set it; figures belong into cells
        try:
            super().setup()
        finally:
            if backend is not None:
                os.environ["MPLBACKEND"] = backend

    def cells_as_tested(self) -> list[Any]:
        """() -> nbval's cells of the notebook; as committed, where a learner worked in it."""
        place = self.path
        self.path = as_tested(place)  # read from there, run in the lessons' own folder
        try:
            return list(super().collect())
        finally:
            self.path = place

    def collect(self) -> Iterator[pytest.Item]:
        """() -> the cells under their own ids, then the checks of what they left behind."""
        has_controls = False
        for item in self.cells_as_tested():
            self.cells += 1
            has_controls |= is_slider(item.cell)
            yield Cell.from_parent(
                self, name=item.cell.id, cell_num=item.cell_num, cell=item.cell, options=item.options
            )
        if has_controls:
            yield Controls.from_parent(self, name="controls-move")
        if self.cells:
            yield KernelCost.from_parent(self, name="kernel-cost")


def pytest_configure(config: pytest.Config) -> None:
    """Keeps the learner's progress file out of every test; lets nbval talk to kernels as the runner does."""
    os.environ["COURSE_PROGRESS"] = "off"
    nbval.kernel.KernelManager = lambda **options: KernelManager(**run_notebooks.connection(), **options)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists what each notebook's kernel cost."""
    reports = terminalreporter.getreports("passed")
    costs = sorted(text for report in reports for name, text in report.user_properties if name == "kernel")
    if costs:
        terminalreporter.section("kernels")
        terminalreporter.write("\n".join(costs) + "\n")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
    """Puts a Notebook in the place of each collector that nbval makes."""
    collectors = yield
    return [
        Notebook.from_parent(parent, path=file_path) if isinstance(collector, IPyNbFile) else collector
        for collector in collectors
    ]
