"""Figures as notebooks store them -> the same in 256 colours: a third of the bytes, and no eye sees it."""

import base64
import copy
import functools
import io
import json
from typing import Any

from PIL import Image

COLOURS = 256
OPAQUE = (255, 255)  # least and most of the alpha channel


@functools.cache
def smaller(stored: str) -> str:
    """A PNG in base64 -> the same picture in few colours, in base64; as it was where that is not smaller."""
    whole = base64.b64decode(stored)
    picture = Image.open(io.BytesIO(whole))
    if "A" in picture.getbands() and picture.getchannel("A").getextrema() != OPAQUE:
        return stored
    drawn = io.BytesIO()
    few = picture.convert("RGB").quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(drawn, "PNG", optimize=True)
    found = drawn.getvalue()
    return base64.b64encode(found).decode() if len(found) < len(whole) else stored


def with_smaller(cell: Any) -> Any:
    """A code cell -> a copy whose figures have few colours; any other cell as it is."""
    if not any("image/png" in output.get("data", {}) for output in cell.get("outputs", [])):
        return cell
    made = copy.deepcopy(cell)
    for output in made["outputs"]:
        data = output.get("data", {})
        if "image/png" in data:
            data["image/png"] = smaller("".join(data["image/png"]))
    return made


def to_fetch(notebook: str) -> str:
    """A stored notebook, as text -> the same to be fetched from the site: its figures have few colours."""
    stored = json.loads(notebook)
    fetched = stored | {"cells": [with_smaller(cell) for cell in stored["cells"]]}
    return json.dumps(fetched, indent=1, ensure_ascii=False) + "\n"
