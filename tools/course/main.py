"""Words of the command line -> what they ask for, done."""

import sys
from pathlib import Path
from typing import NamedTuple

from course import places
from course.data import check_data
from course.environment import ensure, ensure_kernels
from course.messages import CourseError, complain, one_line
from course.resetting import reset
from course.running import TEACHING, go
from course.site import build_site
from course.updating import update

HELP = """\
The one command of the course. It needs Python 3.11 or newer and nothing else.

python course.py lab      opens the course in JupyterLab
python course.py test     runs every notebook again, and most of what can differ by machine; --all every test
python course.py run      executes the notebooks again and stores what they print
python course.py setup    makes the environment and stops there
python course.py update   fetches the newer course and keeps your answers and your own cells in it
python course.py reset 03 gives lesson 03 back as the course has it, and saves yours beside it
python course.py models   fetches the two real models of lesson 15 (176 MB), once
python course.py site     builds the course as web pages, ePub and PDFs, in an environment of its own
For a class (docs/teaching.md); without a number, of all lessons:
python course.py solved 03   the lesson solved and executed, every check ✓
python course.py slides 03   its slides, which need no network where they are shown
python course.py plan        writes the lesson plans in docs/teaching/ anew
python course.py report DIR  what the learners whose files lie in DIR have done, as tables and a page

The first call makes .venv from requirements.lock. Later calls find it and start at once.
  --cpu     the build of torch without CUDA
  --gpu     the build of torch with CUDA
With neither, Linux without an NVIDIA driver prefers the CPU build where one can be had.
  --kernels Triton as well (Linux, 200 MB), which runs lesson 13's kernel; the CUDA build has it anyway
What follows the verb goes on to JupyterLab, to pytest or to tools/run_notebooks.py:
  python course.py lab --no-browser
  python course.py test -k softmax
  python course.py test --lesson 03     what an author of lesson 03 needs, in less than a minute
  python course.py test --as-is         notebooks as they are; without it a learner's are tested as committed
After a bare -- everything is passed on, --help too."""


def fetch_models(root: Path, words: list[str]) -> int:
    """The course's folder, words -> the exit status, after fetching the models of lesson 15."""
    from course.models import fetch_models as fetch  # it reads a list in the helpers, which others need not

    return fetch(root, words)


VERBS = ("lab", "test", "run", "setup", "update", "reset", "models", "site", *TEACHING)
# They need none of the packages in .venv.
WITHOUT_VENV = {"update": update, "reset": reset, "models": fetch_models, "site": build_site}


class Wish(NamedTuple):
    """A verb or None for the help, "cpu" or "gpu" or None, Triton or not, what to pass on."""

    verb: str | None
    choice: str | None
    kernels: bool
    rest: list[str]


def main(words: list[str]) -> int:
    """Words -> the exit status, after doing what they ask."""
    show_any_letter()
    try:
        return obey(parse(words))
    except CourseError as error:
        complain(str(error))
        return error.status
    except OSError as error:
        return complain(one_line(error))
    except KeyboardInterrupt:
        print()  # the terminal has written ^C on the line
        complain("stopped. The same command again makes good what is missing.")
        return 130


def show_any_letter() -> None:
    """Lets a folder's name hold letters that the console cannot show: a ? beats a UnicodeEncodeError."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def obey(wish: Wish) -> int:
    """A wish -> the exit status, after doing it. Raises CourseError where that is not possible."""
    if wish.verb is None:
        print(HELP)
        return 0
    if wish.verb in WITHOUT_VENV:
        return WITHOUT_VENV[wish.verb](places.ROOT, wish.rest)
    check_data()
    ensure(wish.choice, tests=wish.verb == "test")
    if wish.kernels:
        ensure_kernels()
    return go(wish.verb, wish.rest)


def parse(words: list[str]) -> Wish:
    """Words -> what they ask for. Raises CourseError naming a word that does not fit."""
    verb, choice, kernels = None, None, False
    rest: list[str] = []
    for place, word in enumerate(words):
        if word == "--":
            rest.extend(words[place + 1 :])
            break
        if word in ("-h", "--help", "help"):
            return Wish(None, None, False, [])
        if word == "--kernels":
            kernels = True
        elif word in ("--cpu", "--gpu"):
            if choice not in (None, word[2:]):
                raise CourseError("--cpu and --gpu exclude each other: give one of them.")
            choice = word[2:]
        elif verb is not None:
            rest.append(word)
        elif word in VERBS:
            verb = word
        else:
            raise CourseError(f"unknown verb {word!r}: use one of {', '.join(VERBS)}.")
    wish = Wish(verb, choice, kernels, rest)
    refuse_what_does_not_fit(wish)
    return wish


def refuse_what_does_not_fit(wish: Wish) -> None:
    """Raises CourseError for options without a verb, and for words after setup."""
    if wish.verb is None and (wish.choice or wish.kernels or wish.rest):
        raise CourseError(f"a verb is missing: use one of {', '.join(VERBS)}.")
    if wish.verb in WITHOUT_VENV and (wish.choice or wish.kernels):
        raise CourseError(f"{wish.verb} takes none of --cpu, --gpu and --kernels.")
    if wish.verb == "setup" and wish.rest:
        raise CourseError(f"setup takes --cpu, --gpu and --kernels only, not {wish.rest[0]!r}.")
