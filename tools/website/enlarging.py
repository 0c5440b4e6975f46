"""Figures on a finished page -> the same as links to their files: site.js opens these as large as they are.

A phone is a third as wide as most figures, and their letters would be too small to read.
"""

import functools
import re
import struct
from pathlib import Path

FIGURE = re.compile(r'<img [^>]*?src="(?P<source>[^"]*_images/[^"]+\.png)"[^>]*>')
PHONE = 358  # pixels: the room for a figure
MARK = "enlarge"


def with_links(page: str, folder: Path) -> str:
    """HTML, the folder it stands in -> the same; figures that a phone draws smaller lead to their files."""

    def linked(found: re.Match[str]) -> str:
        if width(folder / found["source"]) <= PHONE:
            return found[0]
        return f'<a class="{MARK}" href="{found["source"]}">{found[0]}</a>'

    return FIGURE.sub(linked, page)


@functools.cache
def width(path: Path) -> int:
    """A PNG's path -> how wide the picture is, in pixels."""
    with path.open("rb") as stream:
        start = stream.read(20)
    return int(struct.unpack(">I", start[16:20])[0])
