"""Are the files in data/ those that data/sources.toml describes?"""

import hashlib
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

from course import places
from course.messages import CourseError, one_line

CURE = "Restore it: git checkout -- data/sources.toml"


class DataFile(NamedTuple):
    """One file as sources.toml lists it."""

    name: str
    sha256: str
    restore: str


def check_data() -> None:
    """Raises CourseError where a file in data/ is missing or is not the one that sources.toml describes."""
    bad = list(faults(listed()))
    if bad:
        raise CourseError("\ncourse.py: ".join(bad))


def listed() -> list[DataFile]:
    """() -> the files that sources.toml lists. Raises CourseError where it cannot be read."""
    try:
        with (places.ROOT / "data" / "sources.toml").open("rb") as stream:
            files = tomllib.load(stream)["file"]
            return [DataFile(entry["name"], entry["sha256"], entry["restore"]) for entry in files]
    except OSError as error:
        raise CourseError(f"data/sources.toml cannot be read ({error.strerror}). {CURE}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise CourseError(f"data/sources.toml is damaged ({one_line(error)}). {CURE}") from error


def faults(files: list[DataFile]) -> Iterator[str]:
    """Files as they are listed -> a line for each that is missing or altered."""
    for name, sha256, restore in files:
        try:
            content = (places.ROOT / "data" / name).read_bytes()
        except OSError as error:
            yield f"data/{name} cannot be read ({error.strerror}). Restore it: {restore}"
            continue
        found = hashlib.sha256(content).hexdigest()
        if found != sha256:
            yield (
                f"data/{name} was altered: its checksum begins {found[:8]}, not {sha256[:8]}. "
                f"Restore it: {restore}"
            )
