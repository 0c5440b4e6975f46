"""course.py: its decisions one by one, and whole set-ups of a tiny course, without a network."""

import ast
import functools
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from test_environment import load

ROOT = Path(__file__).resolve().parent.parent
LINUX = sys.platform.startswith("linux")
only_linux = pytest.mark.skipif(not LINUX, reason="only on Linux are there two builds under one version")

PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "tiny-course"
version = "1.0"
"""
BACKEND = """
import pathlib, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "tiny_course-1.0-py3-none-any.whl"
    info = "tiny_course-1.0.dist-info/"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w") as wheel:
        wheel.writestr("tiny_course.pth", str(pathlib.Path.cwd()))
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: tiny-course\\nVersion: 1.0\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
    return name
"""
LAB = "import helpers, sys; print('LAB', sys.argv[1:]); print('HELPERS', helpers.__file__)"
PYTEST = "import sys; print('PYTEST', sys.argv[1:]); sys.exit(7)"
LOCK = """\
# a remark
pytest==1.0
jupyterlab==1.0
torch==2.13.0
nowhere==1.0 ; sys_platform == 'plan9'
"""


def make_wheel(folder: Path, name: str, version: str, needs: str = "", **files: str) -> None:
    """A package of a few lines -> a wheel that pip installs."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += f"Requires-Dist: {needs}\n" if needs else ""
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", "")
        for file, text in files.items():
            wheel.writestr(f"{name}/{file}.py", text)
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def make_course(folder: Path) -> Path:
    """A folder -> a course in it with the real course.py, one data file and no .venv."""
    (folder / "helpers").mkdir(parents=True)
    (folder / "data").mkdir()
    shutil.copy(ROOT / "course.py", folder)
    data = b"cat,1\n"
    checksum = hashlib.sha256(data).hexdigest()
    entry = f'[[file]]\nname = "one.csv"\nsha256 = "{checksum}"\nrestore = "git checkout -- data/one.csv"\n'
    (folder / "data" / "one.csv").write_bytes(data)
    for name, text in {
        "helpers/__init__.py": "",
        "pyproject.toml": PROJECT,
        "backend.py": BACKEND,
        "requirements.lock": LOCK,
        "requirements-cuda.lock": "nvidia_tiny==1.0\ntriton==1.0 ; sys_platform == 'linux'\n",
        "data/sources.toml": entry,
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    make_wheel(folder, "pytest", "1.0", __main__=PYTEST)
    make_wheel(folder, "jupyterlab", "1.0", __main__=LAB)
    make_wheel(folder, "torch", "2.13.0+cpu")
    make_wheel(folder, "torch", "2.13.0", needs="nvidia-tiny==1.0")
    make_wheel(folder, "nvidia_tiny", "1.0")
    make_wheel(folder, "triton", "1.0")
    return folder


def settings(wheels: Path | None = None, **more: str) -> dict[str, str]:
    """An environment in which pip knows one folder of wheels and no index; None: a dead index."""
    env = {name: value for name, value in os.environ.items() if not name.upper().startswith("PIP_")}
    env |= {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1", "PYTHONUTF8": "1"}
    if wheels is None:
        env |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "1"}
    else:
        env |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    return env | more


def run(folder: Path, *words: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run course.py as a person does, in a folder other than its own."""
    command = [sys.executable, str(folder / "course.py"), *words]
    return subprocess.run(
        command, env=env, cwd=folder.parent, capture_output=True, text=True, encoding="utf-8", timeout=120
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> Path:
    """A course whose first set-up was killed and whose second was two at once."""
    folder = make_course(tmp_path_factory.mktemp("place") / "a course é")
    env = settings(wheels)
    command = [sys.executable, str(folder / "course.py"), "setup", "--cpu"]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, encoding="utf-8") as first:
        assert first.stdout is not None
        assert first.stdout.readline().startswith("1.")
        while not list(folder.glob(".venv/**/python*")):
            assert first.poll() is None
            time.sleep(0.02)
        first.kill()  # its child, which fills .venv, lives on for a moment
    assert (folder / ".venv" / "course.lock").exists()
    assert not (folder / ".venv" / "course-stamp.json").exists()
    (folder / ".venv" / "half-a-file").touch()
    pair = [
        subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        for _ in range(2)
    ]
    texts = sorted((process.communicate(timeout=120)[0] for process in pair), key=len)
    assert [process.returncode for process in pair] == [0, 0]
    assert "Another set-up is at work in this folder" in texts[0]
    assert "did not finish" in texts[1]
    assert "Set-up done" in texts[1]
    assert not (folder / ".venv" / "half-a-file").exists()
    return folder


@pytest.fixture
def moved(made: Path, tmp_path: Path) -> Path:
    """A finished course at another place, the old place gone from its sight."""
    folder = tmp_path / "moved here"
    shutil.copytree(made, folder, symlinks=True)
    return folder


# --- whole set-ups ------------------------------------------------------------------------------------------


def test_a_finished_set_up_is_found_again_at_once(made: Path, wheels: Path) -> None:
    start = time.perf_counter()
    second = run(made, "setup", env=settings(wheels))
    assert second.returncode == 0
    assert second.stdout == "Ready: python course.py lab\n"
    assert time.perf_counter() - start < 1
    assert json.loads((made / ".venv" / "course-stamp.json").read_text())["torch"] == "cpu"


@only_linux
def test_kernels_adds_triton_once(made: Path, wheels: Path) -> None:
    first = run(made, "setup", "--kernels", env=settings(wheels))
    assert first.returncode == 0, first.stderr
    assert "1. Installing Triton\n" in first.stdout
    assert list(made.glob(".venv/**/triton-1.0.dist-info"))
    for words in (["setup", "--kernels"], ["setup"]):  # without a network: nothing is left to do
        again = run(made, *words, env=settings())
        assert (again.returncode, again.stdout) == (0, "Ready: python course.py lab\n")


def test_without_linux_kernels_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(course, "installed", set)
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(course.CourseError, match="Linux only"):
        course.ensure_kernels()
    assert capsys.readouterr().out == ""


def test_the_verbs_pass_arguments_and_the_exit_status(made: Path, wheels: Path) -> None:
    tested = run(made, "test", "-k", "two words", "--", "--help", env=settings(wheels))
    assert tested.stdout == "PYTEST ['-n', '2', '--dist', 'loadfile', '-k', 'two words', '--help']\n"
    assert tested.returncode == 7


def test_nothing_of_the_home_folder_or_of_the_callers_python_is_used(
    made: Path, wheels: Path, tmp_path: Path
) -> None:
    (tmp_path / "helpers.py").write_text("raise RuntimeError('the wrong helpers')")
    env = settings(wheels, PYTHONPATH=str(tmp_path), HOME=str(tmp_path / "home"))
    shown = run(made, "lab", "--no-browser", env=env)
    assert shown.returncode == 0, shown.stderr
    first = os.path.join("notebooks", "00_start_here.ipynb")
    assert f"LAB [{first!r}, '--ServerApp.root_dir={made}'" in shown.stdout
    assert "'--no-browser']" in shown.stdout
    assert not (tmp_path / "home").exists()


def test_lab_is_told_to_show_no_news(made: Path) -> None:
    text = (made / ".venv" / "share" / "jupyter" / "lab" / "settings" / "overrides.json").read_text()
    (section,) = json.loads(text).values()
    assert section == {"fetchNews": "false", "checkForUpdates": False}


def test_a_moved_folder_is_mended_without_a_network(moved: Path) -> None:
    shown = run(moved, "lab", env=settings())
    assert shown.returncode == 0, shown.stderr
    assert "the folder was moved" in shown.stdout
    assert f"HELPERS {moved / 'helpers' / '__init__.py'}" in shown.stdout
    assert "moved" not in run(moved, "setup", env=settings()).stdout.replace(str(moved), "")


@only_linux
def test_gpu_makes_venv_anew_with_the_cuda_list_and_cpu_refuses_what_cannot_be_had(
    moved: Path, wheels: Path, tmp_path: Path
) -> None:
    made_anew = run(moved, "setup", "--gpu", env=settings(wheels))
    assert made_anew.returncode == 0, made_anew.stderr
    assert "asks for the other build of torch" in made_anew.stdout
    stamp = (moved / ".venv" / "course-stamp.json").read_text()
    assert json.loads(stamp)["torch"] == "cuda"
    assert list((moved / ".venv").glob("lib/*/site-packages/nvidia_tiny"))
    assert run(moved, "setup", env=settings(wheels)).stdout == "Ready: python course.py lab\n"
    only_gpu = tmp_path / "wheels without a CPU build"
    shutil.copytree(wheels, only_gpu, ignore=shutil.ignore_patterns("*+cpu*"))
    refused = run(moved, "setup", "--cpu", env=settings(only_gpu))
    assert refused.returncode == 1
    assert re.fullmatch(
        r"course.py: no CPU build of torch 2.13.0 for Python .* can be had here\. .*\n", refused.stderr
    )
    assert (moved / ".venv" / "course-stamp.json").read_text() == stamp, "what worked is still there"


def test_no_network_is_one_line_and_leaves_a_folder_that_the_next_run_repairs(tmp_path: Path) -> None:
    folder = make_course(tmp_path / "course")
    failed = run(folder, "test", env=settings())
    assert failed.returncode == 1
    assert failed.stderr.startswith("course.py: no network: pip cannot reach its package index.")
    assert failed.stderr.count("\n") == 1
    assert os.path.join(".venv", "setup.log") in failed.stderr
    assert "127.0.0.1" in (folder / ".venv" / "setup.log").read_text(encoding="utf-8")
    assert not (folder / ".venv" / "course-stamp.json").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to a console, not to a process")
def test_ctrl_c_is_one_line(tmp_path: Path, wheels: Path) -> None:
    folder = make_course(tmp_path / "course")
    command = [sys.executable, str(folder / "course.py"), "setup", "--cpu"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=settings(wheels), text=True, **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline().startswith("1.")
        time.sleep(0.3)  # into the making of .venv
        process.send_signal(signal.SIGINT)
        assert (
            process.stderr.read()
            == "course.py: stopped. The same command again makes good what is missing.\n"
        )
        assert process.wait() == 130


def test_a_foreign_venv_is_left_alone(tmp_path: Path) -> None:
    folder = make_course(tmp_path / "course")
    (folder / ".venv").mkdir()
    (folder / ".venv" / "precious").touch()
    refused = run(folder, "setup", env=settings())
    assert refused.returncode == 1
    assert refused.stderr.startswith("course.py: .venv was not made by course.py.")
    assert [path.name for path in (folder / ".venv").iterdir()] == ["precious"]


def change(path: Path) -> None:
    """Alter one byte of a file."""
    path.write_bytes(path.read_bytes().replace(b"1", b"2"))


@pytest.mark.parametrize(("harm", "said"), [(change, "was altered"), (Path.unlink, "cannot be read")])
def test_a_damaged_data_file_is_named_with_its_cure(
    made: Path, wheels: Path, harm: Callable[[Path], None], said: str
) -> None:
    path = made / "data" / "one.csv"
    whole = path.read_bytes()
    try:
        harm(path)
        failed = run(made, "lab", env=settings(wheels))
    finally:
        path.write_bytes(whole)
    assert failed.returncode == 1
    assert failed.stderr.startswith(f"course.py: data/one.csv {said}")
    assert failed.stderr.endswith("Restore it: git checkout -- data/one.csv\n")
    assert failed.stdout == ""


# --- an old Python ------------------------------------------------------------------------------------------


def old_pythons() -> list[str]:
    """The Pythons below 3.11 that this machine has by name and that start."""
    found = [
        shutil.which(f"python{version}") for version in ("2.7", *(f"3.{minor}" for minor in range(4, 11)))
    ]
    return [
        each
        for each in found
        if each and subprocess.run([each, "--version"], capture_output=True).returncode == 0
    ]


def test_an_old_python_that_is_here_gets_one_line() -> None:
    pythons = old_pythons()
    if not pythons:
        pytest.skip("no Python below 3.11 here")
    for python in pythons:
        told = subprocess.run([python, str(ROOT / "course.py"), "lab"], capture_output=True, text=True)
        assert told.returncode == 1
        assert re.fullmatch(
            r"course.py: Python 3\.11 or newer is needed and this is Python \S+\. .*\n", told.stderr
        )


def test_any_old_python_gets_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 9, "final", 0))
    assert load("course.py").main(["lab"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("course.py: Python 3.11 or newer is needed and this is Python 3.10.9.")
    assert told.count("\n") == 1


def newer_syntax(source: str) -> list[str]:
    """What Python 2.7 could not read. (A comma after the last ** argument is easily added by a formatter.)"""
    new = (
        ast.JoinedStr,
        ast.AnnAssign,
        ast.NamedExpr,
        ast.Nonlocal,
        ast.AsyncFunctionDef,
        ast.YieldFrom,
        ast.Match,
    )
    found = [type(node).__name__ for node in ast.walk(ast.parse(source)) if isinstance(node, new)]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            arguments = node.args
            all_arguments = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            found += ["annotation" for each in all_arguments if each.annotation]
            found += ["keyword-only" for _ in arguments.kwonlyargs]
            found += ["annotation"] if getattr(node, "returns", None) else []
        if isinstance(node, ast.Raise) and node.cause:
            found.append("raise from")
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and isinstance(
            getattr(node, "ctx", ast.Load()), ast.Load
        ):
            found += ["star in a list" for each in node.elts if isinstance(each, ast.Starred)]
    found += ["comma after **" for _ in re.findall(r"\*\*[\w.]+(?:\(\))?,\s*\)", source)]
    return found


def test_course_py_can_be_read_by_python_2() -> None:
    source = (ROOT / "course.py").read_text(
        encoding="ascii"
    )  # without a coding line Python 2 reads ASCII only
    assert newer_syntax(source) == []
    assert "from __future__ import print_function\n" in source


@pytest.mark.parametrize(
    "source",
    ["f'{1}'", "x: int = 1", "def f(x: int): 1", "def f() -> int: 1", "f(\n    **g(),\n)", "[1, *x]"],
)
def test_newer_syntax_would_be_found(source: str) -> None:
    assert newer_syntax(source)


def test_course_py_imports_the_standard_library_only() -> None:
    tree = ast.parse((ROOT / "course.py").read_text(encoding="ascii"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} - sys.stdlib_module_names == set()


# --- decisions ----------------------------------------------------------------------------------------------

course = load("course.py")


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv_is_told_what_to_install(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        course.CourseError, match=rf"lacks the module '{module}'.*apt install python3\.\d+-venv"
    ):
        course.check_venv_modules()


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
    assert course.parse(words) == expected


@pytest.mark.parametrize(
    "words", [["tset"], ["--cpu"], ["--kernels"], ["lab", "--cpu", "--gpu"], ["setup", "more"]]
)
def test_wrong_words_are_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert course.main(words) == 1
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
    assert [spec for spec, _ in course.torch_tries(choice, "2.13.0", driver)] == specs


def test_an_index_that_answers_is_told_from_one_that_does_not(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert course.answers(address)
        assert not course.answers(address + "/elsewhere")
        server.shutdown()
    assert not course.answers(address, seconds=1)


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
    told = course.explain(lines)
    assert said in told
    assert "\n" not in told


def test_a_full_disk_is_seen_before_the_download(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(ROOT)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=int(1e9)))
    with pytest.raises(course.CourseError, match=r"the disk has 1\.0 GB free and this set-up needs"):
        course.check_room("cpu")


@pytest.fixture
def stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The stamp of a finished course, with course.py looking at that course."""
    folder = make_course(tmp_path / "course")
    for name, path in {"ROOT": "", "VENV": ".venv", "LOCK": "requirements.lock"}.items():
        monkeypatch.setattr(course, name, str(folder / path))
    monkeypatch.setattr(course, "CUDA_LOCK", str(folder / "requirements-cuda.lock"))
    monkeypatch.setattr(course, "base_python", lambda: "python")
    done = {"base": "python", "torch": "cpu", "lock": course.lock_fingerprint("cpu")}
    return done | {"project": course.project_fingerprint()}


def test_a_stamp_that_fits_asks_for_nothing(stamp: dict[str, object]) -> None:
    assert course.missing(stamp, None) == ("", "")
    assert course.missing(stamp, "cpu") == ("", "")


def test_line_ends_do_not_count(stamp: dict[str, object]) -> None:
    path = Path(course.LOCK)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert course.missing(stamp, None) == ("", "")


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
def test_what_changed_decides_what_is_made(what: str, task: str, stamp: dict[str, object]) -> None:
    if what == "no stamp":
        assert course.missing(None, None)[0] == task
        return
    if "." in what:
        with (Path(course.ROOT) / what).open("a") as stream:
            stream.write("# changed\n")
    choice = None
    if what == "base":
        stamp["base"] = "another python"
    if what == "torch":
        choice = "gpu" if sys.platform != "darwin" else "cpu"
        stamp["torch"] = "cpu" if choice == "gpu" else "cuda"
        stamp["lock"] = course.lock_fingerprint(stamp["torch"])
    assert course.missing(stamp, choice)[0] == task


def test_the_real_data_is_whole() -> None:
    load("course.py").check_data()


def test_the_real_lock_names_the_torch_that_is_installed() -> None:
    installed = importlib.metadata.version("torch").partition("+")[0]
    assert load("course.py").torch_version() == installed
