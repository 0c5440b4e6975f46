"""The folder in which a person's own data of the course lies, apart from any copy of the course."""

import os
import sys
from pathlib import Path


def own_folder() -> Path:
    """() -> attention-course in %APPDATA% on Windows, ~/Library/Application Support on a Mac, else
    $XDG_DATA_HOME or ~/.local/share.

    Raises RuntimeError for a person without a home folder.
    """
    if sys.platform == "win32":
        base, fallback = os.environ.get("APPDATA", ""), "AppData/Roaming"
    elif sys.platform == "darwin":
        base, fallback = "", "Library/Application Support"
    else:
        base, fallback = os.environ.get("XDG_DATA_HOME", ""), ".local/share"
    return (Path(base) if os.path.isabs(base) else Path.home() / fallback) / "attention-course"
