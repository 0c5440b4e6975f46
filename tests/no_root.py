"""Root may write anywhere. For tests of what cannot be written: is that so here, and a command without it."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest


def closed_to_this_user() -> bool:
    """() -> whether a folder without permission to write cannot be written by this process."""
    if os.name == "nt":
        return False
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "closed")
        folder.mkdir(mode=0o500)
        try:
            (folder / "file").touch()
        except PermissionError:
            return True
        (folder / "file").unlink()
        return False


def without_root() -> list[str]:
    """What a command begins with so that permissions hold for it, for root too."""
    if os.geteuid():
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root may write anywhere, and there is no setpriv here")
    return [setpriv, "--bounding-set", "-dac_override,-dac_read_search"]
