"""One set-up at a time."""

from __future__ import annotations

import errno
import os
import sys
import time

from course import places
from course.messages import CourseError


class Guard:
    """One set-up at a time. The system frees the lock when its last holder ends, so none is ever stale."""

    def __enter__(self) -> Guard:
        """Takes the lock, after the set-up that holds it."""
        try:
            self.stream = places.GUARD.open("a+b")
        except OSError as error:
            raise CourseError(
                f"cannot write in {places.ROOT} ({error.strerror}). Copy the course to a folder of yours."
            ) from error
        told = False
        while not self.take():
            if not told:
                print("Another set-up is at work in this folder: waiting for it to end.", flush=True)
            told = True
            time.sleep(0.3)
        return self

    def take(self) -> bool:
        """() -> whether the lock is ours now."""
        try:
            if sys.platform == "win32":
                import msvcrt

                self.stream.seek(0)
                msvcrt.locking(self.stream.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(self.stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # Some network file systems know no locks. There one set-up at a time is the person's concern.
            return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
        return True

    def inherited(self) -> tuple[int, ...]:
        """() -> the open files that let a child hold the lock too.

        Should this process be killed, its pip goes on for a moment. The next set-up then waits for that pip.
        """
        return () if os.name == "nt" else (self.stream.fileno(),)

    def __exit__(self, *error: object) -> None:
        """Lets go."""
        self.stream.close()
