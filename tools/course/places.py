"""Where things stand, and the oldest Python that will do."""

import os
from pathlib import Path

NEEDED = (3, 11)  # the door, course.py, says the same in words that an older Python can read
ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
KEPT = ROOT / ".venv.kept"  # the .venv that works, until the new one is complete
GUARD = ROOT / ".venv.lock"  # beside .venv: on Windows a folder that holds an open file cannot be renamed
LOG = ROOT / ".venv.log"
LOCK = ROOT / "requirements.lock"
CUDA_LOCK = ROOT / "requirements-cuda.lock"


def venv_python() -> Path:
    """() -> the path of the Python inside .venv."""
    return VENV.joinpath(*(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
