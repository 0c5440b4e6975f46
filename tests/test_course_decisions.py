"""tools/course/: its decisions, one by one."""

import functools
import importlib.metadata
import os
import shutil
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tiny_course import make_course

from course import environment, places, stamps
from course.data import check_data
from course.environment import check_room, check_venv_modules, ensure_kernels
from course.installing import explain
from course.main import main, parse
from course.messages import CourseError
from course.programs import variables
from course.stamps import Stamp, lock_fingerprint, missing, project_fingerprint
from course.torch_builds import answers, torch_tries, torch_version

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv_is_told_what_to_install(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(CourseError, match=rf"lacks the module '{module}'.*apt install python3\.\d+-venv"):
        check_venv_modules()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], (None, None, False, [])),
        (["lab", "--help"], (None, None, False, [])),
        (["test"], ("test", None, False, [])),
        (["--cpu", "lab", "--port=9"], ("lab", "cpu", False, ["--port=9"])),
        (["test", "--gpu", "-k", "x"], ("test", "gpu", False, ["-k", "x"])),
        (["test", "--kernels", "-k", "x"], ("test", None, True, ["-k", "x"])),
        (["test", "--", "--cpu", "--kernels"], ("test", None, False, ["--cpu", "--kernels"])),
    ],
)
def test_words_are_sorted(words: list[str], expected: tuple[str | None, str | None, bool, list[str]]) -> None:
    assert parse(words) == expected


@pytest.mark.parametrize(
    "words", [["tset"], ["--cpu"], ["--kernels"], ["lab", "--cpu", "--gpu"], ["setup", "more"]]
)
def test_wrong_words_are_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("choice", "driver", "platform", "specs"),
    [
        (None, False, "linux", ["torch==2.13.0+cpu", "torch==2.13.0"]),
        (None, True, "linux", ["torch===2.13.0", "torch==2.13.0"]),
        ("cpu", True, "linux", ["torch==2.13.0+cpu"]),
        ("gpu", False, "linux", ["torch===2.13.0"]),
        (None, False, "darwin", ["torch==2.13.0"]),
        ("gpu", False, "darwin", ["torch==2.13.0"]),
    ],
)
def test_which_torch_is_asked_for(
    choice: str | None, driver: bool, platform: str, specs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(os, "name", "posix")
    assert [spec for spec, _ in torch_tries(choice, "2.13.0", driver)] == specs


def test_an_index_that_answers_is_told_from_one_that_does_not(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert answers(address)
        assert not answers(address + "/elsewhere")
        server.shutdown()
    assert not answers(address, seconds=1)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            ["ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"],
            "disk is full",
        ),
        (["WARNING: Retrying after connection broken by 'NewConnectionError'", "ERROR: none"], "no network"),
        (["ERROR: No matching distribution found for numpy==2.4.6"], "numpy==2.4.6"),
        (["some text", "ERROR: a wheel is broken", "and more"], "pip failed: ERROR: a wheel is broken"),
        ([], "pip failed: no message"),
    ],
)
def test_what_pip_says_becomes_one_line(lines: list[str], said: str) -> None:
    told = explain(lines)
    assert said in told
    assert "\n" not in told


def test_a_full_disk_is_seen_before_the_download(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(ROOT)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=int(1e9)))
    with pytest.raises(CourseError, match=r"the disk has 1\.0 GB free and this set-up needs"):
        check_room("cpu")


def test_without_linux_kernels_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(environment, "installed", set)
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(CourseError, match="Linux only"):
        ensure_kernels()
    assert capsys.readouterr().out == ""


@pytest.fixture
def stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stamp:
    """The stamp of a finished course, with tools/course/ looking at that course."""
    folder = make_course(tmp_path / "course")
    files = {
        "VENV": ".venv",
        "KEPT": ".venv.kept",
        "LOCK": "requirements.lock",
        "CUDA_LOCK": "requirements-cuda.lock",
    }
    for name, path in {"ROOT": "", **files}.items():
        monkeypatch.setattr(places, name, folder / path)
    monkeypatch.setattr(stamps, "base_python", lambda: "python")
    libraries = ["Lib"] if os.name == "nt" else ["lib", "python3.11"]
    places.VENV.joinpath(*libraries, "site-packages", "pip").mkdir(parents=True)
    done = {"base": "python", "torch": "cpu", "lock": lock_fingerprint("cpu")}
    return done | {"project": project_fingerprint()}


def test_a_stamp_that_fits_asks_for_nothing(stamp: Stamp) -> None:
    assert missing(stamp, None) == ("", "")
    assert missing(stamp, "cpu") == ("", "")


def test_line_ends_do_not_count(stamp: Stamp) -> None:
    path = places.LOCK
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert missing(stamp, None) == ("", "")


@pytest.mark.parametrize(
    ("what", "task"),
    [
        ("no stamp", "all"),
        ("requirements.lock", "all"),
        ("requirements-cuda.lock", ""),
        ("pyproject.toml", "project"),
        ("base", "all"),
        ("torch", "all"),
    ],
)
def test_what_changed_decides_what_is_made(what: str, task: str, stamp: Stamp) -> None:
    if what == "no stamp":
        assert missing(None, None)[0] == task
        return
    if "." in what:
        with (places.ROOT / what).open("a") as stream:
            stream.write("# changed\n")
    choice = None
    if what == "base":
        stamp["base"] = "another python"
    if what == "torch":
        choice = "gpu" if sys.platform != "darwin" else "cpu"
        stamp["torch"] = "cpu" if choice == "gpu" else "cuda"
        stamp["lock"] = lock_fingerprint(stamp["torch"])
    assert missing(stamp, choice)[0] == task


def test_the_real_data_is_whole() -> None:
    check_data()


def test_the_real_lock_names_the_torch_that_is_installed() -> None:
    installed = importlib.metadata.version("torch").partition("+")[0]
    assert torch_version() == installed


@pytest.mark.parametrize("name", ["PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONPATH", "MPLBACKEND"])
def test_what_a_shell_sets_for_other_programs_does_not_reach_the_course(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "1")
    monkeypatch.setenv("COURSE_SOMETHING", "1")
    assert name not in variables()
    assert variables()["COURSE_SOMETHING"] == "1"
