"""What learners have done, read from their progress files and notebooks. Nothing that is in them is run.

A progress file holds each exercise's tries, mistakes and first right answer. Of a notebook the stored reply
of each check is read: what it said the last time it was run. That may be older than the code above it.
"""

import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from helpers.exercises.catalogue import find, names
from helpers.exercises.kinds import Choose, Exercise, Reverse, Table, Write
from helpers.exercises.kinds.one_matrix import FLAT_ONLY, ROW_ONLY
from helpers.exercises.progress_file import NewerVersionError, parsed

MOST_BYTES = {".json": 2_000_000, ".ipynb": 50_000_000}
DEPTH = 12  # folders inside a folder
PASSED_OVER = re.compile(r"\.(?!local$).*|__pycache__|node_modules|site-packages|copies")
SET_ASIDE = re.compile(r"progress-(?:until|damaged)-.*")  # what progress_file puts beside the file in use
# Folders that the course or a system makes, and that no teacher named after a learner.
NOT_A_NAME = {"attention-course", "share", ".local", "Library", "Application Support", "AppData", "Roaming"}
NOT_A_NAME |= {"notebooks", "attention-course-main"}
CHECK = re.compile(r'check\(\s*["\']([\w-]+)["\']')
KNOWN = {name for group in names().values() for name in group}


class Work(NamedTuple):
    """What is known of one exercise: solved or not, the tries where they were counted, the mistakes made."""

    solved: bool
    tries: int | None
    mistakes: dict[str, int]


class File(NamedTuple):
    """A file, what was done by exercise, and what is wrong with the file or ""."""

    path: Path
    work: dict[str, Work]
    fault: str


class Learner(NamedTuple):
    """A folder's name, or None where the teacher named nobody; the work by exercise; files with a fault."""

    name: str | None
    work: dict[str, Work]
    faults: list[tuple[Path, str]]


def learners(folders: list[Path]) -> list[Learner]:
    """Folders -> the learners whose files lie in them, the named ones first, by name."""
    groups: dict[tuple[str, str | None], list[Path]] = {}
    for folder in folders:
        for path in files(folder):
            groups.setdefault(whose(path, folder), []).append(path)
    found = [one for (_, name), own in groups.items() for one in people(name, own)]
    return sorted(found, key=lambda one: (one.name is None, (one.name or "").casefold()))


def files(folder: Path) -> list[Path]:
    """A folder -> the progress files and notebooks in it, in order. Raises OSError where it is none."""
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is no folder: give the folders that hold your learners' files.")
    found = []
    for place, inside, here in os.walk(folder):  # which follows no links
        deep = len(Path(place).relative_to(folder).parts) >= DEPTH
        inside[:] = [] if deep else sorted(name for name in inside if not PASSED_OVER.fullmatch(name))
        found += [Path(place, name) for name in sorted(here) if is_ours(Path(place, name))]
    return found


def is_ours(path: Path) -> bool:
    """A path -> whether to read it: a plain file, a notebook or a progress file by its name."""
    if path.suffix not in MOST_BYTES or SET_ASIDE.fullmatch(path.name) or path.name.startswith("."):
        return False
    return stat.S_ISREG(path.lstat().st_mode)


def whose(path: Path, folder: Path) -> tuple[str, str | None]:
    """A file, the folder that was given -> its learner's folder, and that folder's name if it is one's."""
    place = path.parent
    while place != folder and place.name in NOT_A_NAME:
        place = place.parent
    name = place.name or place.resolve().name
    return str(place), None if name in NOT_A_NAME else name


def people(name: str | None, own: list[Path]) -> list[Learner]:
    """A folder's name, the files in it -> its learner, or several without names where it holds many's files.

    Two progress files, or the same lesson twice, side by side: these are a class's, collected in one folder.
    """
    told = [file for file in map(file_read, own) if file.work or file.fault]
    kinds = [(file.path.parent, kind_of(file.path)) for file in told]
    collected = len(set(kinds)) < len(kinds)
    groups = [[file] for file in told] if collected else [told] * bool(told)
    return [of_files(None if collected else name, group) for group in groups]


def kind_of(path: Path) -> str:
    """03_softmax (1).ipynb -> 03; any progress file -> .json."""
    return path.name[:2] if path.suffix == ".ipynb" else path.suffix


def file_read(path: Path) -> File:
    """A path -> the file, read."""
    reader = of_notebook if path.suffix == ".ipynb" else of_progress
    try:
        return File(path, *reader(read(path), path.name))
    except OSError as error:
        return File(path, {}, f"cannot be read ({error.strerror or error})")


def of_files(name: str | None, own: list[File]) -> Learner:
    """A learner's name or None, their files -> the learner."""
    work: dict[str, Work] = {}
    for file in own:
        for exercise, new in file.work.items():
            work[exercise] = both(work[exercise], new) if exercise in work else new
    return Learner(name, work, [(file.path, file.fault) for file in own if file.fault])


def read(path: Path) -> bytes:
    """A path -> its bytes. Raises OSError where there are more than such a file ever has."""
    most = MOST_BYTES[path.suffix]
    with path.open("rb") as stream:
        text = stream.read(most + 1)
    if len(text) > most:
        raise OSError(f"larger than {most // 1_000_000} MB")
    return text


def both(one: Work, other: Work) -> Work:
    """What two files tell of an exercise -> what is known of it; tries are counted in one of them only."""
    counted = one if one.tries is not None else other
    return Work(one.solved or other.solved, counted.tries, counted.mistakes or one.mistakes or other.mistakes)


def of_progress(text: bytes, name: str) -> tuple[dict[str, Work], str]:
    """A progress file's bytes, its name -> what was done, and what is wrong with the file or ""."""
    try:
        entries, whole = parsed(text)
    except NewerVersionError:
        return {}, "was written by a newer version of the course: python course.py update"
    work = {key: of_entry(entry) for key, entry in entries.items() if key in KNOWN}
    if whole or work:
        return work, "" if whole else "is damaged; what could be read of it is counted"
    if not is_json(text):
        return {}, "is damaged: it is no JSON to its end"
    # Without the word in its name it is some other file of that learner's.
    return {}, "is no progress file of the course" if "progress" in name else ""


def is_json(text: bytes) -> bool:
    """Bytes -> whether they are JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def of_entry(entry: dict[str, Any]) -> Work:
    """An entry of a progress file -> the work. Older courses kept no counts: then first and last tell."""
    mistakes = entry.get("mistakes")
    if mistakes is None:
        replies = [entry[key]["names"][:1] for key in ("first", "last")]
        said = {name for names in replies for each in names for name in each.split(" + ")}
        mistakes = dict.fromkeys(sorted(said - {"right", "not attempted"}), 1)
    return Work(entry["solved"] is not None, entry["tries"], mistakes)


def of_notebook(text: bytes, name: str) -> tuple[dict[str, Work], str]:
    """A notebook's bytes, its name -> what its checks said, and what is wrong with it or ""."""
    try:
        cells = json.loads(text)["cells"]
        replies = dict(reply for cell in cells for reply in replies_in(cell))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}, "is no notebook that can be read (half a download, or marks of a merge?)"
    return {key: of_reply(key, reply) for key, reply in replies.items() if not reply.startswith("○")}, ""


def replies_in(cell: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """A cell -> the exercise that it checks and the stored reply, where it has one."""
    found = CHECK.search(joined(cell["source"])) if cell["cell_type"] == "code" else None
    if found and found[1] in KNOWN:
        said = "".join(map(said_by, cell["outputs"]))
        reply = re.search(rf"^[✓✗○] {re.escape(found[1])}:.*", said, re.MULTILINE | re.DOTALL)
        if reply:
            yield found[1], reply[0]


def said_by(output: dict[str, Any]) -> str:
    """An output -> its plain text: a wrong answer's reply is shown as a table too, and then is no stream."""
    return joined(output.get("text") or output.get("data", {}).get("text/plain", ""))


def joined(text: str | list[str]) -> str:
    """A text as notebooks hold it -> one text."""
    return text if isinstance(text, str) else "".join(text)


def of_reply(name: str, reply: str) -> Work:
    """An exercise, what its check said -> the work; how many tries it took stands in no notebook."""
    if reply.startswith("✓"):
        return Work(True, None, {})
    exercise = find(name)
    assert exercise is not None
    said = " ".join(reply.split()).casefold()
    found = {mistake: clause for mistake, clause in clauses(exercise).items() if clause in said}
    named = [
        one
        for one, clause in found.items()
        if not any(clause in other for other in found.values() if other != clause)
    ]
    return Work(False, None, dict.fromkeys(named or ["unnamed"], 1))


def clauses(exercise: Exercise) -> dict[str, str]:
    """An exercise -> each mistake, and words by which a reply that names it is known."""
    if isinstance(exercise, Choose):
        return {f"option {letter}": f"{exercise.name}: not {letter}." for letter in exercise.options}
    if isinstance(exercise, Reverse):
        picks = exercise.options.items()
        return {one.name: f"{exercise.name}: not {letter}, {one.name}." for letter, one in picks}
    slips = getattr(exercise, "slips", ())
    if isinstance(exercise, Table):
        slips = [slip for column in slips for slip in column]
    told = {slip.name: slip.reply for slip in slips}
    mistakes = (*exercise.mistakes, FLAT_ONLY, ROW_ONLY) if isinstance(exercise, Write) else ()
    told |= {mistake.name: mistake.says for mistake in mistakes}
    return {name: " ".join(text.split()).casefold() for name, text in told.items() if text}
