"""How many learners does a server carry? A load trial of the course behind JupyterHub, on this machine alone.

    python tools/hub_trial.py 5                        five users run every cell of lesson 03 at once
    python tools/hub_trial.py 30 --lesson 03 --keep FOLDER     the hub's environment stays in FOLDER

A hub, its proxy and a server for each user are started on loopback, in an environment and a folder of their
own. Each user runs all cells of the lesson through hub, proxy and websocket, all at the same time. No cell
may fail, no user may take 200 MB or more, and nobody may see what another one wrote or solved. The trial ends
by itself, and ends only what it started. The exit status is 3 where the packages cannot be had from here.
docs/hub.md says what was measured. Not for Windows: JupyterHub does not run there.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import nbformat
from hub import findings
from hub.findings import Findings
from hub.service import SECONDS_TO_START, Hub, Place, Service, install, of_users
from hub.users import Kernel, ask, must, own_token, start_server, together, work
from tornado.httpclient import AsyncHTTPClient
from wheel_trial import ROOT, TrialError, build_wheel, choose

from course.committed import course_text
from course.messages import CourseError

MOST_USERS, MOST_SECONDS = 100, 900
FOLDER = "course/notebooks"  # in each home
SOLVED = 'from helpers.exercises import check\nfrom helpers.softmax import softmax\ncheck("softmax", softmax)'
PROGRESS = "from helpers.exercises import progress\nprogress()"
ANSWER = f"{FOLDER}/my_answer.txt"


def cells_of(lesson: Path) -> list[str]:
    """A notebook -> its code, a text for each cell."""
    cells = nbformat.reads(course_text(ROOT, lesson), as_version=4).cells
    return [str(cell.source) for cell in cells if cell.cell_type == "code"]


def settle(homes: Path, users: Sequence[str], lesson: Path) -> None:
    """A folder, users, a notebook -> a home for each user, with a copy of the notebook."""
    for user in users:
        notebooks = homes / user / FOLDER
        notebooks.mkdir(parents=True)
        (notebooks / lesson.name).write_text(course_text(ROOT, lesson), encoding="utf-8", newline="\n")


def solved(homes: Path, user: str) -> set[str]:
    """The folder of homes, a user -> the exercises that the user's file of progress calls solved."""
    path = homes / user / ".local" / "share" / "attention-course" / "progress.json"
    entries = json.loads(path.read_text(encoding="utf-8"))["exercises"] if path.exists() else {}
    return {name for name, entry in entries.items() if entry["solved"]}


async def answers_are_private(hub: Hub, one: str, other: str) -> list[str]:
    """A hub, two users with servers -> what is wrong: one writes a file, which the other may not see."""
    path = f"api/contents/{ANSWER}"
    await must(hub, "PUT", f"/user/{one}/{path}", {"type": "file", "format": "text", "content": "0.21 0.79"})
    mine, yours = await own_token(hub, one), await own_token(hub, other)
    found = []
    for user, token, expected in ((one, mine, 200), (other, yours, 404), (one, yours, 403)):
        got = (await ask(hub, "GET", f"/user/{user}/{path}", token=token)).code
        if got != expected:
            by = one if token == mine else other
            found.append(
                f"an answer in the home of {user}, asked for by {by}: expected {expected}, got {got}"
            )
    return found


async def progress_is_private(homes: Path, one: Kernel, other: Kernel) -> list[str]:
    """The folder of homes, two kernels -> what is wrong: one solves an exercise, and the other has not."""
    before = await other.run(PROGRESS)
    reply = await one.run(SOLVED)
    after = await other.run(PROGRESS)
    found = []
    if not reply.text.startswith("✓"):
        found.append(f"expected ✓ for a right softmax, got {reply.text[:80]!r}")
    if before.text != after.text or not after.text:
        found.append(f"what progress() shows to {other.user} changed when {one.user} solved softmax")
    for user, expected in ((one.user, {"softmax"}), (other.user, set())):
        if (there := solved(homes, user)) != expected:
            found.append(f"{user}: expected {sorted(expected)} to be solved, got {sorted(there)}")
    return found


async def ready(service: Service) -> None:
    """A hub that was started -> None, when it answers. Raises CourseError where it does not."""
    limit = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < limit:
        service.require()
        with contextlib.suppress(OSError):  # nobody listens yet
            if (await ask(service.hub, "GET", "/hub/api/")).code == 200:
                return
        await asyncio.sleep(0.3)
    raise CourseError(f"the hub did not answer within {SECONDS_TO_START} s")


async def load(
    service: Service, homes: Path, users: Sequence[str], cells: list[str]
) -> tuple[Findings, list[str]]:
    """A hub, homes, users, cells -> what was measured, and what is not private."""
    AsyncHTTPClient.configure(None, max_clients=2 * len(users) + 10)
    await ready(service)
    starts = await together(start_server(service.hub, user) for user in users)
    service.look()
    done = await together(work(service.hub, user, FOLDER, cells) for user in users)
    found = Findings(starts, [answers for _, answers in done], of_users(service.look()))
    seen = await progress_is_private(homes, done[0][0], done[1][0])
    seen += await answers_are_private(service.hub, users[0], users[1])
    return found, seen


def trial(count: int, lesson: Path, kept: Path | None) -> list[str]:
    """How many users, a notebook, where the environment stays or None -> what went wrong, a text each.

    Raises CourseError or TrialError where the trial cannot be made.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what it started ends then too
    users = [f"user-{number:02}" for number in range(1, count + 1)]
    with tempfile.TemporaryDirectory(prefix="hub-") as temporary:
        folder = Path(temporary).resolve()
        wheel = build_wheel(folder / "wheel")
        programs, proxy = install(kept or folder, wheel)
        place = Place(programs, proxy, folder / "h", folder / "files")  # short: names of sockets are limited
        place.files.mkdir()
        settle(place.homes, users, lesson)
        service = Service(place)
        try:
            whole = asyncio.wait_for(load(service, place.homes, users, cells_of(lesson)), MOST_SECONDS)
            found, seen = asyncio.run(whole)
        except TimeoutError:
            raise CourseError(f"the trial was stopped after {MOST_SECONDS} s") from None
        finally:
            service.stop()
    print(findings.report(lesson.stem, found), flush=True)
    return findings.faults(found) + seen


def main(arguments: Sequence[str] | None = None) -> int:
    """Command-line words -> the exit status: 0 if all is well, 3 if the packages cannot be had from here."""
    parser = argparse.ArgumentParser(description="A load trial of the course behind JupyterHub, on loopback.")
    parser.add_argument("users", type=int, help="how many learners, 2 or more")
    parser.add_argument("--lesson", default="03", help="the number of the lesson that they run (default: 03)")
    parser.add_argument("--keep", type=Path, help="a folder in which the hub's environment stays")
    told = parser.parse_args(arguments)
    if not 2 <= told.users <= MOST_USERS:
        parser.error(f"expected 2 to {MOST_USERS} users, got {told.users}")
    try:
        (lesson,) = choose([told.lesson], torch=False)
        found = trial(told.users, lesson, told.keep.resolve() if told.keep else None)
    except (CourseError, TrialError) as error:
        print(f"tools/hub_trial.py: {error}", file=sys.stderr)
        return error.status if isinstance(error, CourseError) else 1
    for each in found:
        print(each, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
