"""The load trial's pure parts: what it sets, counts and finds wrong. CI runs the trial itself (.ci/run)."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hub_trial
import psutil
import pytest
from hub import findings, service, users
from hub.findings import Findings
from hub.service import Hub, Place
from hub.users import Answer, Kernel

from course.lists import bare_name, requirements
from course.messages import CourseError, OutOfReachError

ROOT = Path(__file__).resolve().parent.parent
HUB = Hub("http://127.0.0.1:8000", "the token")
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
PARENT = [
    sys.executable,
    "-c",
    "import subprocess, sys, time; subprocess.Popen(sys.argv[1:]); time.sleep(60)",
    *SLEEP,
]


def test_the_hub_is_set_to_loopback_and_a_home_for_each_user(tmp_path: Path) -> None:
    place = Place(tmp_path / "bin", tmp_path / "proxy", tmp_path / "homes", tmp_path)
    told = service.settings(place, "the token", [1, 2, 3])
    assert told["JupyterHub"]["bind_url"] == "http://127.0.0.1:1"
    assert told["JupyterHub"]["hub_bind_url"] == "http://127.0.0.1:2"
    assert told["ConfigurableHTTPProxy"]["api_url"] == "http://127.0.0.1:3"
    assert told["SimpleLocalProcessSpawner"]["home_dir_template"] == f"{tmp_path}/homes/{{username}}"
    assert "COURSE_PROGRESS" not in told["Spawner"]["environment"]  # it would be one folder for all
    assert json.loads(json.dumps(told)) == told  # the hub reads it as JSON
    assert service.settings(place, "", [1, 2, 3])["DummyAuthenticator"] != told["DummyAuthenticator"]


def test_kernels_talk_through_files_where_a_file_can_have_so_long_a_name() -> None:
    short, long = Path("/tmp/hub-12345678/h"), Path("/tmp") / ("hub-" + "1" * 60)
    assert service.transport(short) == "ipc"
    assert service.transport(long) == "tcp"
    told = service.settings(Place(short, short, short, short), "", [1, 2, 3])
    assert "--KernelManager.transport=ipc" in told["Spawner"]["args"]


def test_free_ports_are_different() -> None:
    assert len(set(service.free_ports(3))) == 3


def test_the_hubs_lock_has_its_packages_and_the_courses_versions() -> None:
    lock = dict(line.partition(" ")[0].split("==") for line in requirements(service.LOCK))
    course = {
        bare_name(line): line.partition(" ")[0].partition("==")[2]
        for line in requirements(ROOT / "requirements.lock")
    }
    wanted = requirements(service.LOCK.with_name("packages.txt"))
    assert [name for name in wanted if name not in lock] == []
    assert {
        name: (lock[name], version) for name, version in course.items() if lock.get(name, version) != version
    } == {}
    assert "torch" not in lock


def test_a_machine_without_node_is_no_fault_of_the_course(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(service.shutil, "which", lambda _: None)
    with pytest.raises(OutOfReachError, match="needs node and npm"):
        service.install(tmp_path, tmp_path / "course.whl")


# --- what is started, is ended


def pieces(process: psutil.Popen) -> list[psutil.Process]:
    """A process that starts a child -> both, as soon as the child is there."""
    limit = time.monotonic() + 20
    while time.monotonic() < limit:
        if children := process.children(recursive=True):
            return [process, *children]
        time.sleep(0.05)
    raise AssertionError("no child came")


@pytest.fixture
def running() -> Iterator[service.Service]:
    """A service whose hub is a process with one child."""
    one = object.__new__(service.Service)
    one.process = psutil.Popen(PARENT)
    one.seen = {one.process}
    yield one
    service.end(one.seen)


def test_stop_ends_the_hub_and_all_below_it_and_nothing_else(running: service.Service) -> None:
    mine = pieces(running.process)
    bystander = subprocess.Popen(SLEEP)
    try:
        assert set(running.look()) == set(mine)
        running.stop()
        assert [each for each in mine if each.is_running()] == []
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


@pytest.mark.skipif(os.name == "nt", reason="JupyterHub does not run on Windows")
def test_what_outlives_the_hub_is_ended_too(running: service.Service) -> None:
    _, child = pieces(running.process)
    running.look()
    running.process.kill()
    running.process.wait()
    assert child.is_running()
    running.stop()
    assert not child.is_running()


def test_a_hub_that_has_ended_is_told_with_its_last_line(tmp_path: Path) -> None:
    one = object.__new__(service.Service)
    one.process, one.log = psutil.Popen([sys.executable, "-c", ""]), tmp_path / "hub.log"
    one.process.wait()
    one.log.write_text("starting\n[C] port 8000 is taken\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"the hub has ended: \[C\] port 8000 is taken"):
        one.require()


def test_only_servers_and_kernels_are_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "megabytes", lambda _: 100.0)
    words = [["node", "proxy"], ["python", "jupyterhub-singleuser"], ["python", "-m", "ipykernel_launcher"]]
    processes: Any = [SimpleNamespace(cmdline=lambda each=each: each) for each in words]
    assert service.of_users(processes) == 200
    assert 1 < service.megabytes(psutil.Process()) < 10_000


# --- what was found


def found(seconds: float = 1.0, error: str = "", megabytes: float = 398.0) -> Findings:
    answers = [
        Answer(3.0, "", ""),
        *(Answer(n / 50, "", "") for n in range(1, 20)),
        Answer(seconds, "", error),
    ]
    return Findings([5.0, 7.0], [answers, answers], megabytes)


def test_p95_is_a_number_that_was_measured() -> None:
    assert findings.p95([1.0]) == 1.0
    assert findings.p95([float(n) for n in range(1, 101)]) == 95
    assert findings.p95([3.0, 1.0, 2.0]) == 3


def test_the_report_tells_the_first_cell_from_the_later_ones() -> None:
    first, second = findings.report("03_softmax", found()).splitlines()
    assert (
        first
        == "2 users at once, 03_softmax, 21 code cells each: 0 errors, 199 MB a user, servers up after 7 s"
    )
    assert second == (
        "first cell: median 3.0 s, longest 3.0 s; later cells: median 0.21 s, p95 0.38 s, longest 1.0 s; "
        "a whole lesson: median 8 s, longest 8 s"
    )
    assert findings.faults(found()) == []


def test_a_failed_cell_and_a_heavy_user_are_faults() -> None:
    assert findings.faults(found(error="NameError: x")) == [
        "user 1, code cell 21: NameError: x",
        "user 2, code cell 21: NameError: x",
    ]
    assert findings.faults(found(megabytes=400.0)) == ["a user takes 200 MB: expected less than 200 MB"]
    many = Findings([1.0], [[Answer(1.0, "", "E: x")] * 8], 1.0)
    assert findings.faults(many)[5:] == ["and 3 errors more"]


# --- users, with a hub and kernels that are played


class Socket:
    """The websocket of a kernel that gives these messages to whatever it is sent."""

    def __init__(self, *messages: tuple[str, dict[str, Any]] | None) -> None:
        self.messages, self.parent = list(messages), ""

    async def write_message(self, text: str) -> None:
        self.parent = json.loads(text)["header"]["msg_id"]

    async def read_message(self) -> str | bytes | None:
        if (message := self.messages.pop(0)) is None:
            return None
        kind, content = message
        parent = content.pop("of", self.parent)
        return json.dumps({"msg_type": kind, "content": content, "parent_header": {"msg_id": parent}})


IDLE: tuple[str, dict[str, Any]] = ("status", {"execution_state": "idle"})
REPLY: tuple[str, dict[str, Any]] = ("execute_reply", {})


def kernel(*messages: Any) -> Any:
    return Kernel("user-01", Socket(*messages))  # type: ignore[arg-type]


def test_a_cell_is_done_when_its_kernel_has_answered_and_is_idle() -> None:
    print_, fails = ("stream", {"text": "1\n"}), ("error", {"ename": "NameError", "evalue": "x"})
    others = ("status", {"execution_state": "idle", "of": "an earlier cell"})
    answer = asyncio.run(kernel(others, IDLE, print_, fails, REPLY).run("print(1)"))
    assert answer[1:] == ("1\n", "NameError: x")


def test_a_kernel_that_goes_is_told() -> None:
    with pytest.raises(CourseError, match="the kernel of user-01 has gone"):
        asyncio.run(kernel(IDLE, None).run("1"))


def test_a_kernel_that_does_not_start_is_told_and_has_time(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def connect(wanted: Any, **_: object) -> None:
        waited.extend((wanted.connect_timeout, wanted.request_timeout))
        raise users.HTTPTimeoutError("Timeout during request")

    async def must(*_: object) -> dict[str, Any]:
        return {"id": "k"}

    monkeypatch.setattr(users, "must", must)
    monkeypatch.setattr(users, "websocket_connect", connect)
    with pytest.raises(CourseError, match="the kernel of user-01 did not start within 300 s"):
        asyncio.run(Kernel.open(Hub("http://127.0.0.1:1", "t"), "user-01", "course"))
    assert waited == [300, 300]  # thirty kernels on two processors need more than the library's 20


def test_the_first_error_ends_the_others_and_is_the_one_that_is_raised(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ended: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("waits")
            raise CourseError("the second")

    async def fails() -> None:
        await asyncio.sleep(0)
        raise CourseError("the first")

    with pytest.raises(CourseError, match="the first"):
        asyncio.run(asyncio.wait_for(users.together([waits(), fails()]), 30))  # it waits for nobody
    assert ended == ["waits"]
    assert not caplog.text


def play(monkeypatch: pytest.MonkeyPatch, statuses: dict[tuple[str, str], int]) -> None:
    """A hub that answers to (path, token) with these statuses, and gives out tokens."""

    async def ask(_: Hub, __: str, path: str, body: object = None, token: str | None = None) -> Any:
        return SimpleNamespace(
            code=statuses.get((path.split("/")[2], token or ""), 500), reason="?", body=b""
        )

    async def must(_: Hub, __: str, path: str, ___: object = None) -> dict[str, Any]:
        return {"token": path.split("/")[4]} if path.endswith("tokens") else {}

    monkeypatch.setattr(hub_trial, "ask", ask)
    monkeypatch.setattr(hub_trial, "must", must)
    monkeypatch.setattr(users, "must", must)


PRIVATE = {("a", "a"): 200, ("b", "b"): 404, ("a", "b"): 403}


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({}, []),
        ({("a", "b"): 200}, ["an answer in the home of a, asked for by b: expected 403, got 200"]),
        ({("b", "b"): 200}, ["an answer in the home of b, asked for by b: expected 404, got 200"]),
        ({("a", "a"): 404}, ["an answer in the home of a, asked for by a: expected 200, got 404"]),
    ],
)
def test_an_answer_that_another_one_sees_is_found(
    monkeypatch: pytest.MonkeyPatch, other: dict[tuple[str, str], int], told: list[str]
) -> None:
    play(monkeypatch, PRIVATE | other)
    assert asyncio.run(hub_trial.answers_are_private(HUB, "a", "b")) == told


class Learner:
    """A kernel's learner: progress() shows these texts, one after another; check says ✓ or not."""

    def __init__(self, user: str, *texts: str) -> None:
        self.user, self.texts = user, list(texts)

    async def run(self, _: str) -> Answer:
        return Answer(0.0, self.texts.pop(0), "")


def progress_file(homes: Path, user: str, **exercises: str | None) -> None:
    path = homes / user / ".local" / "share" / "attention-course" / "progress.json"
    path.parent.mkdir(parents=True)
    entries = {name: {"solved": date} for name, date in exercises.items()}
    path.write_text(json.dumps({"version": 1, "exercises": entries}), encoding="utf-8")


def private(homes: Path, reply: str = "✓ softmax", after: str = "0 of 9") -> list[str]:
    one: Any = Learner("a", reply)
    other: Any = Learner("b", "0 of 9", after)
    return asyncio.run(hub_trial.progress_is_private(homes, one, other))


def test_progress_that_reaches_another_user_is_found(tmp_path: Path) -> None:
    progress_file(tmp_path, "a", softmax="2026-11-22", temperature=None)
    assert private(tmp_path) == []
    assert private(tmp_path, after="1 of 9") == ["what progress() shows to b changed when a solved softmax"]
    assert private(tmp_path, reply="✗ softmax") == ["expected ✓ for a right softmax, got '✗ softmax'"]
    progress_file(tmp_path, "b", softmax="2026-11-22")
    assert private(tmp_path) == ["b: expected [] to be solved, got ['softmax']"]


def test_progress_that_was_not_kept_is_found(tmp_path: Path) -> None:
    assert private(tmp_path) == ["a: expected ['softmax'] to be solved, got []"]


def test_each_user_gets_the_lesson_in_a_home_of_their_own(tmp_path: Path) -> None:
    lesson = ROOT / "notebooks" / "03_softmax.ipynb"
    hub_trial.settle(tmp_path, ["a", "b"], lesson)
    copies = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.ipynb"))
    assert copies == [f"{user}/course/notebooks/03_softmax.ipynb" for user in "ab"]
    assert "import numpy as np" in hub_trial.cells_of(lesson)[0]


def test_one_user_alone_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        hub_trial.main(["1"])
    assert "expected 2 to 100 users, got 1" in capsys.readouterr().err


def test_a_lesson_that_is_not_there_and_packages_out_of_reach_end_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hub_trial.main(["2", "--lesson", "99"]) == 1
    assert capsys.readouterr().err.startswith("tools/hub_trial.py: there is no lesson 99")

    def away(*_: object) -> list[str]:
        raise OutOfReachError("pip could not install: no network")

    monkeypatch.setattr(hub_trial, "trial", away)
    assert hub_trial.main(["2"]) == 3
    assert capsys.readouterr().err == "tools/hub_trial.py: pip could not install: no network\n"
