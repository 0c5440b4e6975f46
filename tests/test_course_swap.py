"""tools/course/: a .venv that works stays until the new one is complete, whatever ends the set-up."""

import contextlib
import errno
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_course import make_course, settings

from course import environment, places, stamps, swap
from course.contents import Packages, contents, lost
from course.guard import Guard
from course.messages import CourseError, Screen
from course.stamps import RECIPE, missing, read_stamp, write_stamp
from course.torch_builds import Plan

PLAN = Plan("torch==2.13.0", None, "cpu", "Installing torch")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course that tools/course/ looks at, without a .venv."""
    folder = make_course(tmp_path / "a course é")
    names = {"VENV": ".venv", "KEPT": ".venv.kept", "GUARD": ".venv.lock", "LOG": ".venv.log"}
    names |= {"ROOT": "", "LOCK": "requirements.lock", "CUDA_LOCK": "requirements-cuda.lock"}
    for name, path in names.items():
        monkeypatch.setattr(places, name, folder / path)
    for module in (swap, stamps):
        monkeypatch.setattr(module, "base_python", lambda: "python")
    return folder


def half(venv: Path) -> None:
    """An environment that was begun."""
    venv.mkdir()
    (venv / swap.MARK).touch()
    (venv / "lib").mkdir()
    (venv / "lib" / "a package").touch()


def whole(venv: Path) -> None:
    """An environment that was finished."""
    half(venv)
    (venv / stamps.STAMP).write_text(
        json.dumps({"recipe": RECIPE, "python": "3.11.0", "base": "python", "torch": "cpu", "lock": "older"})
    )


def absent(venv: Path) -> None:
    """Nothing."""


STATES = {
    "between two moves": (absent, whole, True),
    "an empty folder": (Path.mkdir, whole, True),
    "while it was made": (half, whole, True),
    "before the old one went": (whole, whole, False),
    "while the old one went": (whole, half, False),
}
Maker = Callable[[Path], None]


@pytest.mark.parametrize(("new", "old", "back"), STATES.values(), ids=STATES)
def test_after_a_kill_one_complete_venv_remains(
    new: Maker, old: Maker, back: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new(places.VENV)
    old(places.KEPT)
    (places.KEPT / "which").write_text("old")
    swap.recover()
    assert not places.KEPT.exists()
    assert read_stamp()
    assert (places.VENV / "which").exists() is back
    assert ("is back" in capsys.readouterr().out) is back


def test_what_a_deletion_left_is_never_put_back(folder: Path) -> None:
    half(places.KEPT)
    swap.recover()
    assert not places.KEPT.exists()
    assert not places.VENV.exists()


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def no_network(*_: object) -> None:
    raise CourseError("no network.")


def ctrl_c(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("failure", [full_disk, no_network, ctrl_c])
@pytest.mark.parametrize("step", ["make_venv", "install", "settle", "install_project"])
def test_a_set_up_that_fails_anywhere_gives_the_old_venv_back(
    failure: Callable[..., None], step: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole(places.VENV)
    before = (places.VENV / stamps.STAMP).read_text()
    monkeypatch.setattr(environment, "ask_first", lambda *_: PLAN)
    for name in ("make_venv", "install", "settle", "install_project", "install_roots", "check_room"):
        monkeypatch.setattr(environment, name, failure if name == step else lambda *_: None)
    with pytest.raises((OSError, CourseError, KeyboardInterrupt)) as caught, Guard() as guard:
        environment.build(None, False, read_stamp(), guard)
    assert (places.VENV / stamps.STAMP).read_text() == before
    assert (places.VENV / "lib" / "a package").exists()
    assert not places.KEPT.exists()
    if failure is no_network:
        by_hand = f"{places.venv_python().relative_to(folder)} -m jupyterlab"
        assert str(caught.value).endswith(f"is back, and works as it did. To use it as it is: {by_hand}")


def test_what_cannot_be_had_is_found_before_anything_is_touched(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole(places.VENV)
    monkeypatch.setattr(environment, "ask_first", no_network)
    monkeypatch.setattr(swap, "set_aside", lambda: pytest.fail("the old .venv was moved"))
    with pytest.raises(CourseError, match=r"^no network\. The \.venv that is here was not touched\."):
        environment.replace(None, False, read_stamp(), Guard(), Screen())


@pytest.fixture
def steps(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A working .venv with its pip; what a set-up then asks for and installs is noted."""
    whole(places.VENV)
    (places.VENV / ("Lib" if os.name == "nt" else "lib/python3.11") / "site-packages" / "pip").mkdir(
        parents=True
    )
    noted: list[str] = []

    def ask_for(roots: list[str], *_: object) -> None:
        noted.append(f"ask {'aside' if places.KEPT.exists() else 'there'}: {' '.join(roots)}")

    monkeypatch.setattr(environment, "plan_torch", lambda *_: PLAN)
    monkeypatch.setattr(environment, "ask_for", ask_for)
    monkeypatch.setattr(environment, "install", lambda roots, *_: noted.append(f"install {roots[-1]}"))
    for name in ("make_venv", "install_roots", "settle", "install_project", "check_room"):
        monkeypatch.setattr(environment, name, lambda *_: None)
    monkeypatch.setattr(environment, "lock_fingerprint", lambda _: "")
    monkeypatch.setattr(environment, "warm", lambda *_: contextlib.nullcontext())
    return noted


HERE = {"python": platform.python_version()}
ROOTS = "torch==2.13.0 tiny_maths jupyterlab>=0.1"


@pytest.mark.parametrize(
    ("old", "tests", "asked"),
    [
        pytest.param(HERE, False, f"ask there: {ROOTS}", id="another list"),
        pytest.param(HERE, True, f"ask there: {ROOTS} pytest", id="with the packages of the tests"),
        pytest.param({"python": "3.1.4"}, True, f"ask aside: {ROOTS} pytest", id="another Python"),
        pytest.param(None, False, f"ask aside: {ROOTS}", id="another recipe"),
    ],
)
def test_all_packages_are_asked_for_once_before_the_first_is_installed(
    old: stamps.Stamp | None, tests: bool, asked: str, steps: list[str]
) -> None:
    with Guard() as guard:
        environment.replace(None, tests, old, guard, Screen())
    assert steps == [asked, "install torch==2.13.0"]


def test_without_a_pip_in_the_old_venv_the_new_one_s_is_asked(steps: list[str]) -> None:
    (pip,) = places.VENV.glob("**/site-packages/pip")
    pip.rmdir()
    with Guard() as guard:
        environment.replace(None, False, HERE, guard, Screen())
    assert steps == [f"ask aside: {ROOTS}", "install torch==2.13.0"]


def test_another_python_without_the_packages_gives_the_old_venv_back_before_any_is_installed(
    steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "ask_for", no_network)
    with pytest.raises(CourseError, match="is back, and works as it did"), Guard() as guard:
        environment.replace(None, False, {"python": "3.1.4"}, guard, Screen())
    assert steps == []
    assert (places.VENV / "lib" / "a package").exists()


def test_a_first_set_up_asks_for_nothing_twice(steps: list[str]) -> None:
    swap.remove(places.VENV)
    with Guard() as guard:
        environment.build(None, False, None, guard)
    assert steps == ["install torch==2.13.0"]


def test_packages_that_went_elsewhere_are_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    half(places.VENV)
    monkeypatch.setattr(environment, "install", lambda *_: None)  # pip's own settings sent them there
    with pytest.raises(CourseError, match=r"pip reports no error and numpy is not in \.venv"):
        environment.install_roots(["numpy>=2", "triton ; sys_platform == 'plan9'"], Guard(), Screen())


def test_a_venv_in_use_is_one_line_and_nothing_is_lost(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Windows does it, where a program that runs holds its folder."""
    whole(places.VENV)

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "The process cannot access the file")

    monkeypatch.setattr(environment, "ask_first", lambda *_: PLAN)
    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(CourseError, match=r"^\.venv has to be made anew and is in use .* Close JupyterLab"):
        environment.replace(None, False, read_stamp(), Guard(), Screen())
    assert read_stamp()
    assert (places.VENV / "lib" / "a package").exists()


def test_an_old_venv_that_cannot_be_deleted_yet_does_not_matter(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole(places.KEPT)
    with monkeypatch.context() as patched:
        patched.setattr(shutil, "rmtree", full_disk)
        swap.forget()
    assert places.KEPT.exists()
    assert not swap.any_stamp(places.KEPT), "it is never taken for one that works"
    swap.forget()
    assert not places.KEPT.exists()


def test_a_venv_that_is_a_link_to_a_larger_disk_goes_and_comes_back(folder: Path, tmp_path: Path) -> None:
    disk = tmp_path / "larger disk"
    whole(disk)
    try:
        places.VENV.symlink_to(disk, target_is_directory=True)
    except OSError:
        pytest.skip("this system lets nobody make a link")
    swap.set_aside()
    swap.begin()
    swap.put_back()
    assert read_stamp()
    assert places.VENV.is_symlink()
    swap.set_aside()
    whole(places.VENV)
    swap.forget()
    assert read_stamp()
    assert not places.KEPT.is_symlink()
    assert not list(disk.iterdir())


@pytest.mark.parametrize("name", ["VENV", "KEPT"])
def test_a_foreign_folder_is_left_alone(name: str, folder: Path) -> None:
    venv: Path = getattr(places, name)
    venv.mkdir()
    (venv / "precious").touch()
    with pytest.raises(CourseError, match=f"{venv.name} was not made by course.py"):
        environment.make_good(None)
    assert [path.name for path in venv.iterdir()] == ["precious"]


def test_settings_made_in_jupyterlab_outlive_a_new_venv(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = Path("home", "jupyter-config", "lab", "theme.json")
    whole(places.KEPT)
    (places.KEPT / chosen).parent.mkdir(parents=True)
    (places.KEPT / chosen).write_text("dark")
    half(places.VENV)
    environment.settle()
    assert (places.VENV / chosen).read_text() == "dark"


def test_a_room_message_counts_what_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=int(1e9)))
    with pytest.raises(CourseError, match=r"1\.0 GB free and this set-up needs 2\.5 GB\. Make room\.$"):
        environment.check_room("cpu")
    whole(places.VENV)
    with pytest.raises(CourseError, match=r"or delete \.venv, which works\.$"):
        environment.check_room("cpu")


# --- packages that went ------------------------------------------------------------------------------------


@pytest.fixture
def packages(folder: Path) -> Packages:
    """A .venv with three packages and pip, and what is noted of them."""
    half(places.VENV)
    library = places.VENV / ("Lib" if os.name == "nt" else "lib/python3.11") / "site-packages"
    for name, files in {
        "numpy-2.4.6": "numpy/a.py,,\nnumpy.libs/a.so,,\n../../bin/f2py,,\nnumpy-2.4.6.dist-info/RECORD,,\n",
        "One.Word-1.0": '"one_word.py",,\n__pycache__/one_word.pyc,,\n',
        "pandas-3.0": "pandas/__init__.py,,\n",
        "pip-26.0": "pip/__init__.py,,\n",
    }.items():
        info = library / f"{name}.dist-info"
        info.mkdir(parents=True)
        (info / "RECORD").write_text(files)
    for folder_name in ("numpy", "numpy.libs", "pandas", "pip"):
        (library / folder_name).mkdir()
    (library / "one_word.py").touch()
    return contents({"numpy", "one-word"})


def test_what_the_lists_name_is_noted_and_nothing_else(packages: Packages) -> None:
    assert packages == {
        "One.Word-1.0.dist-info": ["one_word.py"],
        "numpy-2.4.6.dist-info": ["numpy", "numpy.libs"],
    }
    assert lost(packages) == []


@pytest.mark.parametrize(
    ("gone", "named"),
    [
        ("numpy", ["numpy-2.4.6.dist-info"]),
        ("numpy.libs", ["numpy-2.4.6.dist-info"]),
        ("numpy-2.4.6.dist-info", ["numpy-2.4.6.dist-info"]),
        ("one_word.py", ["One.Word-1.0.dist-info"]),
        ("pandas", []),
        ("pip-26.0.dist-info", []),
        ("pip", ["pip"]),
    ],
)
def test_what_has_gone_is_noticed(gone: str, named: list[str], packages: Packages) -> None:
    (path,) = places.VENV.glob(f"**/site-packages/{gone}")
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert lost(packages) == named


def test_a_repair_that_is_cut_short_begins_again(packages: Packages, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = {"recipe": RECIPE, "base": "python", "torch": "cpu", "packages": packages}
    stamp |= {"lock": stamps.lock_fingerprint("cpu"), "project": stamps.project_fingerprint()}
    write_stamp(stamp)
    assert missing(stamp, None) == ("", "")
    (library,) = places.VENV.glob("**/site-packages")
    (library / "numpy").rmdir()
    monkeypatch.setattr(environment, "install", ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        environment.repair(stamp, Guard())
    (library / "numpy").mkdir()  # a first file of it was there already
    assert missing(read_stamp(), None) == ("packages", "a part of .venv has gone (numpy)")


def test_each_package_comes_back_at_its_version_torch_as_its_own_build(
    packages: Packages, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    called: list[str] = []

    def watch(words: list[str], *_: object) -> tuple[int, list[str]]:
        called.extend(words)
        return 0, []

    monkeypatch.setattr(environment, "install", lambda words, *_: asked.extend(words))
    monkeypatch.setattr(environment, "install_project", lambda *_: None)
    monkeypatch.setattr(environment, "watch", watch)
    monkeypatch.setattr(environment, "index_of", lambda version: None)
    names = ["One.Word-1.0.dist-info", "torch-2.13.0+cpu.dist-info", "tiny_course-1.0.dist-info", "pip"]
    environment.repair({"repairing": names}, Guard())
    assert [word for word in asked if "=" in word] == ["torch===2.13.0+cpu", "One.Word==1.0"]
    assert called[-1] == "ensurepip"
    assert not list(places.VENV.glob("**/pip-*.dist-info")), "or ensurepip would think that pip is there"


# --- a real kill -------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="Windows has no kill -9")
def test_kill_9_in_the_middle_is_made_good_by_the_next_call(folder: Path) -> None:
    whole(places.VENV)
    code = (
        "import os, sys; sys.path.insert(0, 'tools')\n"
        "from course import environment, stamps, swap\n"
        "swap.base_python = lambda: 'python'\n"
        "environment.ask_first = lambda *_: None\n"
        "def stop(*_):\n"
        "    print('in the middle', flush=True)\n"
        "    sys.stdin.read()\n"
        "environment.make_venv = stop\n"
        "environment.ensure(None)\n"
    )
    command = [sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, env=settings(), **pipes) as process:  # type: ignore[call-overload]
        while "in the middle" not in process.stdout.readline():
            assert process.poll() is None
        assert places.KEPT.exists()
        assert (places.VENV / swap.MARK).exists(), "the new one has begun"
        process.send_signal(signal.SIGKILL)
    assert not read_stamp()
    with Guard():
        swap.recover()
    assert read_stamp()
    assert (places.VENV / "lib" / "a package").exists()
    assert not places.KEPT.exists()
