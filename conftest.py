"""Makes every pytest run strict about notebooks, whichever files it is given."""

import sys
from pathlib import Path

import pytest

# pytest has put this folder in front, and here `course` is the door: the tests mean the package in tools/.
sys.path.insert(0, str(Path(__file__).parent / "tools"))

pytest_plugins = ["lesson_files", "strict_notebooks", "one_lesson", "long_first", "two_runs"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option of tests/test_wheel_trials.py."""
    parser.addoption("--wheels", action="store_true", help="try the wheel in fresh environments, for minutes")
