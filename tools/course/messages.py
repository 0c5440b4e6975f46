"""What the person sees: errors of one line, and progress."""

import shutil
import sys
import time


class CourseError(Exception):
    """An expected failure: its text is the one line that the person sees, `status` how the command ends."""

    status = 1


class OutOfReachError(CourseError):
    """What was asked for could not be fetched from here: nothing is wrong with the course."""

    status = 3


def complain(text: str) -> int:
    """An error's text -> the status of a failure. Prints the text to stderr."""
    print("course.py: " + text, file=sys.stderr)
    return 1


def one_line(text: object) -> str:
    """Anything -> its text on one line."""
    return " ".join(str(text).split())


class Screen:
    """Steps and progress. On a terminal one line is written over; elsewhere there are few lines."""

    def __init__(self) -> None:
        """Starts before the first step."""
        self.number, self.width = 0, 0
        self.live = sys.stdout.isatty()
        self.start = self.told = time.time()

    def step(self, text: str) -> None:
        """Begins a step."""
        self.clear()
        self.number += 1
        self.start = self.told = time.time()
        print(f"{self.number}. {text}", flush=True)

    def note(self, text: str) -> None:
        """Says what came of a step."""
        self.clear()
        print(f"   {text} ({time.time() - self.start:.0f} s)", flush=True)

    def progress(self, done: int, total: int, text: str) -> None:
        """Shows where pip is."""
        done = max(0, min(done, total))
        self.show(f"[{done:{len(str(total))}d}/{total}] {text}")

    def wait(self, _: str | None) -> None:
        """Shows that something is still going on."""
        self.show("waiting for pip's answer")

    def show(self, text: str) -> None:
        """Writes the running line: at once on a terminal, every half minute elsewhere."""
        text = f"   {text}, {time.time() - self.start:.0f} s"
        if self.live:
            text = text[: max(20, shutil.get_terminal_size().columns - 1)]
            sys.stdout.write("\r" + text.ljust(self.width))
            self.width = len(text)
        elif time.time() - self.told > 30:
            self.told = time.time()
            print(text)
        sys.stdout.flush()

    def clear(self) -> None:
        """Takes the running line away."""
        if self.live and self.width:
            sys.stdout.write("\r" + " " * self.width + "\r")
            self.width = 0
