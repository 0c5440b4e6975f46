"""course.py: set-ups on machines whose settings stand in the way. Each works, or is one clear line."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from no_root import without_root
from tiny_course import make_course, make_wheels, run, settings

from course import fast, installing, places
from course.fast import find_uv, told_to_uv
from course.guard import Guard

POSIX = os.name != "nt"
only_posix = pytest.mark.skipif(not POSIX, reason="permissions and umask as POSIX has them")
HOSTILE_PIP = """\
[global]
constraint = {constraints}
no-deps = true
user = true
dry-run = true
require-virtualenv = true
no-compile = false
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_wheels(tmp_path_factory.mktemp("wheels"))


def fake_uv(folder: Path, text: str) -> Path:
    """A folder -> the same, with a program uv in it."""
    folder.mkdir()
    (folder / "uv.py").write_text(text)
    # By way of a shell: a first line that names Python cannot hold a space.
    (folder / "uv").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{folder / "uv.py"}" "$@"\n')
    (folder / "uv").chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> tuple[Path, str]:
    """A course whose first set-up had everything against it at once, and what that set-up said.

    pip's settings and variables, no home, no TMPDIR, umask 077, a uv that fails, a PYTHONHOME astray.
    """
    if not POSIX:
        pytest.skip("permissions and umask as POSIX has them")
    place = tmp_path_factory.mktemp("place")
    folder = make_course(place / "a course é")
    (place / "file").touch()
    (place / "constraints.txt").write_text("torch<=2.5\ntiny_maths==2.0\n")
    (place / "pip.conf").write_text(HOSTILE_PIP.format(constraints=place / "constraints.txt"))
    bin_folder = fake_uv(place / "bin", "import sys; sys.exit('error: not today')")
    env = settings(wheels, PIP_CONFIG_FILE=str(place / "pip.conf"))
    env |= {"PIP_USER": "1", "PIP_REQUIRE_VIRTUALENV": "1", "PYTHONHOME": str(place)}
    for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME"):
        env[name] = str(place / "file" / name)
    env["PATH"] = str(bin_folder) + os.pathsep + env["PATH"]
    # -E: with that PYTHONHOME Python does not even start. What it starts must not inherit it.
    command = [sys.executable, "-E", "-X", "utf8", str(folder / "course.py"), "lab"]
    before = os.umask(0o077)
    try:
        done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, timeout=240)
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_a_first_set_up_works_under_everything_at_once(made: tuple[Path, str]) -> None:
    folder, said = made
    assert said.count("uv could not do it (error: not today). Now pip does.") == 2
    assert "LAB" in said
    (library,) = (folder / ".venv").glob("lib/*/site-packages")
    names = {path.name for path in library.glob("*.dist-info")}
    assert {"tiny_maths-1.0.dist-info", "tiny_server-1.0.dist-info", "torch-2.13.0+cpu.dist-info"} <= names
    assert "pytest-1.0.dist-info" not in names
    assert stat.S_IMODE((folder / ".venv").stat().st_mode) == 0o700


def test_packages_that_went_come_back(made: tuple[Path, str], wheels: Path) -> None:
    folder, _ = made
    (library,) = (folder / ".venv").glob("lib/*/site-packages")
    shutil.rmtree(library / "tiny_maths")
    stamp = (folder / ".venv" / "course-stamp.json").read_text()
    repaired = run(folder, "setup", env=settings(wheels))
    assert repaired.returncode == 0, repaired.stderr
    assert "a part of .venv has gone (tiny_maths)." in repaired.stdout
    assert (library / "tiny_maths" / "__init__.py").exists()
    assert (folder / ".venv" / "course-stamp.json").read_text() == stamp
    assert run(folder, "setup", env=settings()).stdout == "Ready: python course.py lab\n"


def test_a_finished_course_starts_in_a_folder_that_cannot_be_written_without_a_home(
    made: tuple[Path, str], tmp_path: Path
) -> None:
    course, _ = made
    show = "import os, sys; sys.stdout.write(os.environ['JUPYTER_CONFIG_DIR'])"
    (package,) = (course / ".venv").glob("lib/*/site-packages/jupyterlab")
    shutil.copytree(package, tmp_path / "kept")
    (package / "__main__.py").write_text(show)
    command = [*without_root(), sys.executable, "-B", str(course / "course.py"), "lab"]
    env = settings(HOME=str(tmp_path / "no" / "home"), TMPDIR=str(tmp_path))
    for folder in (course / ".venv", course):
        folder.chmod(0o555)
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    finally:
        for folder in (course, course / ".venv"):
            folder.chmod(0o755)
        shutil.copytree(tmp_path / "kept", package, dirs_exist_ok=True)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout).parent.parent == tmp_path


@only_posix
def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    folder = make_course(tmp_path / "course")
    command = [*without_root(), sys.executable, "-B", str(folder / "course.py"), "lab"]
    folder.chmod(0o555)
    try:
        refused = subprocess.run(command, env=settings(), capture_output=True, text=True, timeout=60)
    finally:
        folder.chmod(0o755)
    assert refused.returncode == 1
    told = f"course.py: cannot write in {folder} (Permission denied). Copy the course to a folder of yours.\n"
    assert refused.stderr == told
    assert refused.stdout == ""


# --- uv ----------------------------------------------------------------------------------------------------

PIP_LIST = """\
:env:.find-links='/a/folder /b'
:env:.no-index='1'
global.cert='/certificates.pem'
global.extra-index-url='https://me:secret@one.example/simple\\nhttps://two.example/simple'
global.index-url='https://zero.example/simple'
install.index-url='https://nearer.example/simple'
global.find-links='/not/this'
freeze.timeout='10'
no setting at all
"""


def test_uv_is_told_of_pips_sources() -> None:
    known = fast.settings(PIP_LIST.splitlines())
    assert told_to_uv(known, "https://cpu.example") == {
        "UV_INDEX_URL": "https://nearer.example/simple",
        "UV_EXTRA_INDEX_URL": "https://me:secret@one.example/simple https://two.example/simple https://cpu.example",
        "UV_FIND_LINKS": "/a/folder,/b",
        "SSL_CERT_FILE": "/certificates.pem",
    }
    assert told_to_uv({}, None) == {}


@only_posix
def test_uv_gets_pips_sources_and_none_of_the_persons_own_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "import json, os, sys; print(json.dumps([sys.argv[1:], dict(os.environ)]))"
    uv = find_in(fake_uv(tmp_path / "bin", text), monkeypatch)
    for name in ("UV_INDEX_URL", "UV_RESOLUTION", "UV_EXCLUDE_NEWER", "UV_TORCH_BACKEND"):
        monkeypatch.setenv(name, "the person's own")
    monkeypatch.setenv("UV_CACHE_DIR", "/kept")
    monkeypatch.setattr(places, "LOG", tmp_path / "log")
    with monkeypatch.context() as patched:
        patched.setattr(places, "GUARD", tmp_path / "lock")
        with Guard() as guard:
            known = {"no-index": "true", "find-links": "/wheels"}
            status, (line,) = fast.uv_install(uv, ["numpy"], known, None, guard)
    words, env = json.loads(line)
    assert status == 0
    assert words[:3] == ["pip", "install", "--no-config"]
    assert words[-2:] == ["--no-index", "numpy"]
    told = {name: value for name, value in env.items() if name.startswith("UV_")}
    assert told == {"UV_CACHE_DIR": "/kept", "UV_FIND_LINKS": "/wheels"}


def find_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder with uv -> where find_uv finds it."""
    monkeypatch.setenv("PATH", str(folder))
    found = find_uv()
    assert found == str(folder / "uv")
    return found


@only_posix
def test_a_uv_that_does_not_start_is_one_that_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uv = fake_uv(tmp_path / "bin", "") / "uv"
    uv.write_text("#!/nowhere/python\n")
    monkeypatch.setattr(places, "LOG", tmp_path / "log")
    monkeypatch.setattr(places, "GUARD", tmp_path / "lock")
    with Guard() as guard:
        status, (line,) = fast.uv_install(str(uv), ["numpy"], {}, None, guard)
    assert status == 1
    assert "No such file" in line


@only_posix
def test_a_uv_inside_venv_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "VENV", tmp_path / ".venv")
    (tmp_path / ".venv").mkdir()
    monkeypatch.setenv("PATH", str(fake_uv(tmp_path / ".venv" / "bin", "")))
    assert find_uv() is None


@pytest.mark.skipif(shutil.which("uv") is None, reason="no uv here")
def test_a_set_up_by_uv_itself(tmp_path: Path, wheels: Path) -> None:
    folder = make_course(tmp_path / "a course é")
    uv = shutil.which("uv")
    assert uv
    env = settings(wheels, UV_INDEX_URL="http://127.0.0.1:9/simple", UV_CACHE_DIR=str(tmp_path / "cache"))
    env["PATH"] = os.path.dirname(uv) + os.pathsep + env["PATH"]
    done = run(folder, "setup", "--cpu", env=env)
    assert done.returncode == 0, done.stderr
    assert "uv could not" not in done.stdout
    assert run(folder, "test", env=env).returncode == 7


def test_pips_own_settings_cannot_change_what_is_installed() -> None:
    assert installing.plain_pip(exact=True)["PIP_CONSTRAINT"] == os.devnull
    open_question = installing.plain_pip(exact=False)["PIP_CONSTRAINT"]
    assert open_question == "requirements.lock requirements-cuda.lock"
