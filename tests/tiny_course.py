"""A tiny course: the real course.py and tools/course/ in a folder of their own, and tiny packages for pip."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "tiny-course"
version = "1.0"
dependencies = ["tiny_maths"]

[project.optional-dependencies]
lab = ["jupyterlab>=0.1"]
torch = ["torch>=2"]
test = ["pytest"]
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
LOCK = """\
# a remark
pytest==1.0
jupyterlab==1.0
tiny_maths==1.0
tiny_server==1.0
torch==2.13.0
nowhere==1.0 ; sys_platform == 'plan9'
"""
PYTEST = "import sys; print('PYTEST', sys.argv[1:]); sys.exit(7)"
LAB = "import helpers, sys; print('LAB', sys.argv[1:]); print('HELPERS', helpers.__file__)"


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


def make_wheels(folder: Path) -> Path:
    """A folder -> the same, with a wheel of each package that a set-up may want."""
    make_wheel(folder, "pytest", "1.0", __main__=PYTEST)
    make_wheel(folder, "jupyterlab", "1.0", needs="tiny_server", __main__=LAB)
    make_wheel(folder, "tiny_server", "1.0")
    make_wheel(folder, "tiny_maths", "1.0")
    make_wheel(folder, "tiny_maths", "2.0")  # the lock names 1.0
    make_wheel(folder, "torch", "2.13.0+cpu")
    make_wheel(folder, "torch", "2.13.0", needs="nvidia-tiny==1.0")
    make_wheel(folder, "nvidia_tiny", "1.0")
    make_wheel(folder, "triton", "1.0")
    return folder


def make_course(folder: Path) -> Path:
    """A folder -> a course in it with the real course.py, one data file and no .venv."""
    (folder / "helpers").mkdir(parents=True)
    (folder / "data").mkdir()
    shutil.copy(ROOT / "course.py", folder)
    package = Path("tools", "course")
    shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
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


def settings(wheels: Path | None = None, **more: str) -> dict[str, str]:
    """An environment in which pip knows one folder of wheels and no index; None: a dead index."""
    env = {name: value for name, value in os.environ.items() if not name.upper().startswith(("PIP_", "UV_"))}
    folders = env.get("PATH", "").split(os.pathsep)  # less those with uv, which a set-up would use
    env["PATH"] = os.pathsep.join(each for each in folders if shutil.which("uv", path=each) is None)
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
