"""Makes every pytest run strict about notebooks, whichever files it is given."""

import sys
from pathlib import Path

# pytest has put this folder in front, and here `course` is the door: the tests mean the package in tools/.
sys.path.insert(0, str(Path(__file__).parent / "tools"))

pytest_plugins = ["lesson_files", "strict_notebooks", "one_lesson"]
