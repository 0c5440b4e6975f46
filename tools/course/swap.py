"""The .venv that works is put aside while a new one is made, and put back where that comes to nothing.

The new one is made under its final name, because the files of an environment name their own folder. Whatever
ends a set-up, a kill too, one of two folders is complete: the one with a stamp.
"""

import shutil
from pathlib import Path

from course import places
from course.messages import CourseError, one_line
from course.stamps import any_stamp, base_python, remove_stamp

MARK = "course.lock"  # the first file in .venv and the last to go: it marks the folder as ours
CLOSE = "Close JupyterLab and whatever else uses it, leave the environment, and run the same command again."


def check_owner() -> None:
    """Raises CourseError where a folder that a set-up moves or deletes is somebody else's."""
    for venv in (places.VENV, places.KEPT):
        if venv.exists() and not venv.is_dir():
            raise CourseError(
                f"{venv.name} is a file and has to be a folder. Move it away and run the same command again."
            )
        if venv.is_dir() and any(venv.iterdir()) and not (venv / MARK).exists():
            raise CourseError(
                f"{venv.name} was not made by course.py. Delete it or move it away, "
                "and run the same command again."
            )


def works() -> bool:
    """() -> whether .venv was finished and its Python is still there."""
    return any_stamp(places.VENV) is not None and base_python() is not None


def recover() -> None:
    """Ends what a killed set-up left half done: one .venv remains, the newest that is complete."""
    if not places.KEPT.exists():
        return
    if any_stamp(places.KEPT) and not any_stamp(places.VENV):
        put_back()
        print("course.py: the last set-up was cut short. The .venv from before it is back.")
        return
    forget()


def set_aside() -> None:
    """Moves the .venv that works out of the way. Raises CourseError where that cannot be; all stays."""
    try:
        places.VENV.rename(places.KEPT)
    except OSError as error:
        raise CourseError(f".venv has to be made anew and is in use ({one_line(error)}). {CLOSE}") from error


def put_back() -> None:
    """Deletes what has been made so far and moves the kept .venv to its place."""
    remove(places.VENV)
    try:
        places.KEPT.rename(places.VENV)
    except OSError as error:
        raise CourseError(f"cannot put {places.KEPT.name} back ({one_line(error)}). {CLOSE}") from error


def forget() -> None:
    """Deletes the kept .venv, since the new one is complete. What is still open is deleted another time."""
    try:
        remove(places.KEPT)
    except CourseError:
        return


def remove(venv: Path) -> None:
    """Deletes an environment: its stamp first, and last the file that marks it as ours."""
    try:
        if venv.exists():
            empty(venv)
            (venv / MARK).unlink(missing_ok=True)
            venv.unlink() if venv.is_symlink() else venv.rmdir()
    except OSError as error:
        raise CourseError(f"cannot delete {venv.name} ({one_line(error)}). {CLOSE}") from error


def empty(venv: Path) -> None:
    """Deletes what an environment holds, but for the file that marks it as ours."""
    remove_stamp(venv)
    for path in list(venv.iterdir()):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != MARK:
            path.unlink()


def begin() -> None:
    """Makes .venv a folder that is empty and marked as ours."""
    try:
        if places.VENV.exists():
            empty(places.VENV)
        else:
            places.VENV.mkdir()
        (places.VENV / MARK).touch()
    except OSError as error:
        raise CourseError(f"cannot make .venv empty ({one_line(error)}). {CLOSE}") from error
