"""A mutant, the module's own tests -> do they notice?

pytest is started once, with all that it loads. Before it collects anything, it forks for each mutant: the
child imports the changed module and runs the tests, as far as the first that fails. So a mutant costs its
tests and no start, and nothing that it does stays. Where there is no safe fork (it is Linux that has one),
each mutant gets a Python of its own.
"""

import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType

import pytest

from mutation.making import Mutant, code_of
from mutation.modules import ROOT, file_of, own_tests

CAN_FORK = sys.platform == "linux"
PATIENCE = 5.0  # seconds, and as many times the tests of the unchanged module
LONGEST = 600.0  # seconds for the tests of the unchanged module
MOST_MEMORY = 6 * 2**30  # bytes: a mutant that grows without an end fails before the machine does
PASSED, NO_TESTS = 0, 5  # pytest's exit codes; all others mean that the change was noticed
TOO_LONG = -int(signal.SIGTERM)

Verdict = Callable[[Mutant, int, float], None]  # a mutant, the exit code of its tests, seconds
Run = Callable[[str, Mutant | None, float], tuple[int, float]]  # module, mutant, limit -> exit code, seconds


class Loader(importlib.machinery.SourceFileLoader):
    """Loads the code of a mutant under the name and the path of its module."""

    def __init__(self, mutant: Mutant, root: Path) -> None:
        """A mutant -> its loader."""
        super().__init__(mutant.module, str(file_of(mutant.module, root)))
        self.mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        """A name -> the code of the mutant."""
        return code_of(self.mutant, Path(self.path).read_text(encoding="utf-8"), self.path)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the mutant in the place of its module; the file is left alone."""

    def __init__(self, mutant: Mutant, root: Path) -> None:
        """A mutant -> its finder."""
        self.loader = Loader(mutant, root)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A name -> the mutant's specification, if it is the name of its module."""
        if fullname != self.loader.mutant.module:
            return None
        return importlib.util.spec_from_loader(fullname, self.loader)


class InTheChild(BaseException):
    """Raised after a fork, in the child: it has something else to do than the loop over the mutants."""


class Forks:
    """A plugin of pytest: for each module its tests unchanged, then a fork for each of its mutants."""

    def __init__(self, root: Path, mutants: Sequence[Mutant], tell: Verdict, note: Path) -> None:
        """Where the course stands, mutants, who is told the verdicts, a file for a child to leave word in."""
        self.root, self.mutants, self.tell, self.note = root, mutants, tell, note
        self.is_child = False
        self.first: list[str] = []  # the tests that noticed the last mutants: they may well notice this one
        self.error: ValueError | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool | None:
        """Forks. In a child pytest goes on to collect tests; in the parent there is nothing to collect."""

        def run(module: str, mutant: Mutant | None, limit: float) -> tuple[int, float]:
            started, child = time.monotonic(), os.fork()
            if child:
                code = _code_of_child(child, started + limit)
                self.remember_the_test_that_failed()
                return code, time.monotonic() - started
            _begin_as_child()
            choose_tests(session.config, self.root, module, mutant)
            raise InTheChild

        self.load_what_tests_load()
        try:
            in_turn(self.mutants, run, self.tell)
        except InTheChild:
            self.is_child = True
            return None
        except ValueError as error:  # pytest would report it as a fault of its own
            self.error = error
        return True

    def load_what_tests_load(self) -> None:
        """What takes long is loaded once, for all the children."""
        tests = {path for mutant in self.mutants for path in own_tests(mutant.module, self.root)}
        texts = "".join(path.read_text(encoding="utf-8") for path in tests)
        for name in ("numpy", "hypothesis.extra.numpy", "torch"):
            if f"import {name.split('.')[0]}" in texts:
                importlib.import_module(name)
        gc.freeze()  # what is there stays shared with the children

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """The tests that noticed other mutants come first."""
        rank = {name: place for place, name in enumerate(self.first)}
        items.sort(key=lambda item: rank.get(item.nodeid, len(rank)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """In a child: note the test that failed."""
        if report.failed:
            self.note.write_text(report.nodeid, encoding="utf-8")

    def remember_the_test_that_failed(self) -> None:
        """In the parent: the last one stands in front."""
        if self.note.exists():
            name = self.note.read_text(encoding="utf-8")
            self.first = [name, *(other for other in self.first if other != name)]
            self.note.unlink()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """A child is done when its tests are; what follows in this process is the parent's."""
        if self.is_child:
            os._exit(int(exitstatus))


class One:
    """A plugin of pytest: runs the tests of one module, unchanged or as a mutant."""

    def __init__(self, root: Path, module: str, mutant: Mutant | None) -> None:
        """Where the course stands, a module, a mutant of it or none."""
        self.chosen = root, module, mutant

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Before anything is collected."""
        choose_tests(session.config, *self.chosen)


def choose_tests(config: pytest.Config, root: Path, module: str, mutant: Mutant | None) -> None:
    """From here on this process has the mutant for the module, and will collect the module's own tests."""
    sys.path.insert(0, str(root))
    config.args = [str(path) for path in own_tests(module, root)]
    package = module.split(".")[0]
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        del sys.modules[name]  # a plugin may have loaded it already
    if mutant is not None:
        sys.meta_path.insert(0, Finder(mutant, root))
    # A failing example is enough: nobody reads the smallest one.
    hypothesis = importlib.import_module("hypothesis")  # not before pytest, which has to rewrite its asserts
    phases = hypothesis.Phase.explicit, hypothesis.Phase.generate
    hypothesis.settings.register_profile("mutants", phases=phases)
    hypothesis.settings.load_profile("mutants")


def in_turn(mutants: Iterable[Mutant], run: Run, tell: Verdict) -> None:
    """Mutants, those of a module together, how to run one, who is told -> None.

    Raises ValueError where the tests of an unchanged module fail: then no verdict would mean anything.
    """
    limits: dict[str, float] = {}
    for mutant in mutants:
        if mutant.module not in limits:
            code, seconds = run(mutant.module, None, LONGEST)
            if code != PASSED:
                raise ValueError(
                    f"the tests of {mutant.module} fail without any mutant (pytest's exit code {code}); "
                    f"run them by themselves, and fix them first"
                )
            limits[mutant.module] = PATIENCE * (1 + seconds)
        tell(mutant, *run(mutant.module, mutant, limits[mutant.module]))


def try_all(
    mutants: Sequence[Mutant], tell: Verdict, root: Path = ROOT, *, can_fork: bool = CAN_FORK
) -> None:
    """Mutants, those of a module together -> `tell` is called with each. Raises as in_turn does."""
    with tempfile.TemporaryDirectory() as folder, _settings(Path(folder)):
        if not can_fork:
            in_turn(mutants, partial(_in_a_python_of_its_own, root), tell)
            return
        forks = Forks(root, mutants, tell, Path(folder) / "failed")
        with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
            pytest.main(_arguments(root, Path(folder)), plugins=[forks])
        if forks.error is not None:
            raise forks.error


def try_one(root: Path, module: str, mutant: Mutant | None) -> int:
    """A module, a mutant of it or none -> pytest's exit code, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        return int(pytest.main(_arguments(root, Path(folder)), plugins=[One(root, module, mutant)]))


def was_killed(code: int) -> bool:
    """An exit code -> whether the tests noticed: one failed, none could be loaded, or they never ended."""
    return code not in (PASSED, NO_TESTS)


def _arguments(root: Path, folder: Path) -> list[str]:
    options = ["-x", "-q", "-s", "--tb=no", "-p", "no:cacheprovider", f"--basetemp={folder / 'tests'}"]
    return [*options, f"--rootdir={root}", str(root / "tests")]


@contextmanager
def _settings(folder: Path) -> Iterator[None]:
    """Nothing is written beside the sources, and Hypothesis draws the same examples for each mutant."""
    environment, bytecode = dict(os.environ), (sys.pycache_prefix, sys.dont_write_bytecode)
    pycache = str(folder / "pycache")
    sys.pycache_prefix, sys.dont_write_bytecode = pycache, False  # for the next mutants
    os.environ |= {"CI": "1", "HYPOTHESIS_STORAGE_DIRECTORY": str(folder), "PYTHONPYCACHEPREFIX": pycache}
    try:
        yield
    finally:
        sys.pycache_prefix, sys.dont_write_bytecode = bytecode
        os.environ.clear()
        os.environ |= environment


def _begin_as_child() -> None:
    """A group of its own, to be ended as a whole; no word to the terminal; an end to its memory."""
    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    resource = importlib.import_module("resource")  # Windows has none
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def _code_of_child(child: int, deadline: float) -> int:
    """Waits for the child -> its exit code; it is ended at the deadline."""
    while time.monotonic() < deadline:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    for end in (os.killpg, os.kill):  # the group may not be there yet
        with suppress(ProcessLookupError):
            end(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return TOO_LONG


def _in_a_python_of_its_own(
    root: Path, module: str, mutant: Mutant | None, limit: float
) -> tuple[int, float]:
    number = -1 if mutant is None else mutant.number
    command = [sys.executable, str(Path(__file__).parents[1] / "mutants.py"), module]
    command += [f"--only={number}", f"--root={root}"]
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, cwd=root, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return TOO_LONG, time.monotonic() - started
    return done.returncode, time.monotonic() - started
