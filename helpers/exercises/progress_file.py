"""What is done, kept in a small file in the project's folder, outside the notebooks.

Nothing is read or written where the environment says CI, or COURSE_PROGRESS=off (the tools that re-execute
notebooks say so). A damaged file counts as empty.
"""

import json
import os
import tempfile
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / ".course-progress.json"


def kept() -> bool:
    """True where progress may be read and written."""
    return not os.environ.get("CI") and os.environ.get("COURSE_PROGRESS", "").lower() != "off"


def record(name: str, status: str) -> None:
    """Remember that an exercise was tried ("wrong") or done ("right"). What is done stays done."""
    from helpers.exercises.catalogue import find

    if not kept() or find(name) is None:
        return
    seen = read()
    if seen.get(name) in ("right", status):
        return
    seen[name] = status
    _write(seen)


def read() -> dict[str, str]:
    """The exercises tried so far, name -> "right" or "wrong"; empty where there is no readable file."""
    if not kept():
        return {}
    try:
        stored = json.loads(FILE.read_text(encoding="utf-8"))
        return {str(name): status for name, status in stored.items() if status in ("right", "wrong")}
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return {}


def report() -> str:
    """Every lesson with its exercises: ✓ done, ✗ tried, ○ not attempted yet."""
    from helpers.exercises.catalogue import names

    if not kept():
        return "Progress is not kept here (CI, or COURSE_PROGRESS=off)."
    seen = read()
    marks = {"right": "✓", "wrong": "✗"}
    lines = []
    for lesson, exercises in names().items():
        done = sum(seen.get(name) == "right" for name in exercises)
        lines.append(f"Lesson {lesson}: {done} of {len(exercises)}")
        lines.append("  " + "   ".join(f"{marks.get(seen.get(name, ''), '○')} {name}" for name in exercises))
    return "\n".join(lines)


def _write(seen: dict[str, str]) -> None:
    """Whole or not at all: a new file takes the old one's place in one step."""
    text = json.dumps(seen, indent=1, sort_keys=True) + "\n"
    try:
        handle, new = tempfile.mkstemp(dir=FILE.parent, prefix=FILE.name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(new, FILE)
        except BaseException:
            Path(new).unlink(missing_ok=True)
            raise
    except OSError:
        return  # a folder that cannot be written costs the progress, not the lesson
