"""Puts data/ into the wheel, inside the helpers. All else about the package stands in pyproject.toml.

In a clone the data stays where it is, and an editable installation reads it there.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

DATA = Path("data")
SHIPPED = ("*.csv", "*.npz", "*.json", "*.toml", "README.md", "LICENCES/*.txt", "records/*/*.json")


class BuildWithData(build_py):
    """Collects what goes into the wheel: the helpers, as setuptools does, and the data below them."""

    def run(self) -> None:
        """() -> None. Copies the data into helpers/data, beside the copied helpers."""
        super().run()
        for pattern in () if self.editable_mode else SHIPPED:
            for path in sorted(DATA.glob(pattern)):
                target = Path(self.build_lib) / "helpers" / path
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


setup(cmdclass={"build_py": BuildWithData})
