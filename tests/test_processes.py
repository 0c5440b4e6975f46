"""A crew of processes: jobs and their results, every fault in one line within seconds, nobody left behind."""

import gc
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import ring_checks
import torch
from ring_programs import KEPT, TORCHRUN, is_running, must_be_gone, offspring, started
from ring_samples import sample

import helpers.pytorch.processes as processes
import helpers.pytorch.workers as workers
from helpers.pytorch.many_machines import exchange_run
from helpers.pytorch.processes import Crew, CrewError, how_it_ended, name_of_job
from helpers.pytorch.ring import Plan
from helpers.pytorch.workers import find_job, main

WHOAMI = "helpers.pytorch.ring_jobs:whoami"
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


@pytest.fixture(scope="module")
def four() -> Iterator[Crew]:
    with Crew(4) as crew:
        yield crew


def fault_of(crew: Crew, job: str, within: float = 5.0, **given: Any) -> CrewError:
    """A job that goes wrong -> its error, after all that is asked of every fault."""
    pids, start = crew.pids, time.monotonic()
    with pytest.raises(CrewError) as caught:
        crew.run(job, **given)
    assert time.monotonic() - start < within + 5.0  # the machine may be busy
    assert "\n" not in str(caught.value)
    assert not crew.alive
    if sys.platform == "linux":
        must_be_gone(pids)
    with pytest.raises(CrewError, match="this crew has ended: start another"):
        crew.run(WHOAMI)
    return caught.value


# --- what a crew is


def test_four_processes_in_a_ring(four):
    found = four.run(WHOAMI)
    assert [each["rank"] for each in found] == [0, 1, 2, 3]
    assert [each["hears from"] for each in found] == [3, 0, 1, 2]
    assert [each["sends to"] for each in found] == [1, 2, 3, 0]
    assert [each["threads"] for each in found] == [1] * 4
    assert [each["process"] for each in found] == four.pids
    assert len({os.getpid(), *four.pids}) == 5


def test_inputs_arrive_and_results_come_back_in_order(four):
    tensor = torch.arange(6.0).reshape(2, 3)
    each = [{"own": rank * 10} for rank in range(4)]
    found = four.run("ring_checks:give_back", each=each, tensor=tensor, word="word")
    assert [rank for rank, _ in found] == [0, 1, 2, 3]
    assert [inputs["own"] for _, inputs in found] == [0, 10, 20, 30]
    assert all(torch.equal(inputs["tensor"], tensor) and inputs["word"] == "word" for _, inputs in found)
    assert four.run(ring_checks.give_back) == [(rank, {}) for rank in range(4)]


def test_a_job_leaves_no_file_behind(four):
    before = set(Path(four.folder).iterdir())
    four.run("ring_checks:give_back", tensor=torch.ones(3))
    assert set(Path(four.folder).iterdir()) == before


def test_several_crews_live_side_by_side(four):
    with Crew(2) as other:
        assert [each["sends to"] for each in other.run(WHOAMI)] == [1, 0]
        assert [each["sends to"] for each in four.run(WHOAMI)] == [1, 2, 3, 0]


@ON_LINUX
@pytest.mark.parametrize("close", [True, False])
def test_nobody_is_left_after_the_end(close):
    with suppress(KeyError), Crew(3) as crew:
        pids, folder = crew.pids, crew.folder
        assert all(map(is_running, pids))
        if not close:
            raise KeyError("in the middle")
    must_be_gone(pids, within=0.0)
    assert not Path(folder).exists()
    assert crew.pids == []
    crew.close()  # once more does no harm


@ON_LINUX
def test_a_crew_that_is_forgotten_ends_by_itself():
    """As in a notebook, where the cell that starts it is run a second time."""
    crew = Crew(2)
    pids, folder = crew.pids, crew.folder
    del crew
    gc.collect()
    must_be_gone(pids)
    assert not Path(folder).exists()


def test_a_module_that_changes_is_known_to_the_next_crew(tmp_path, monkeypatch):
    """The advice of the docstring: the same crew goes on with what it knows."""
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "jobs_that_change.py"
    module.write_text("def count(ring):\n    return 1\n", encoding="utf-8")
    with Crew(2) as crew:
        assert crew.run("jobs_that_change:count") == [1, 1]
        module.write_text("def count(ring):\n    return 1_000\n", encoding="utf-8")
        assert crew.run("jobs_that_change:count") == [1, 1]
    with Crew(2) as crew:
        assert crew.run("jobs_that_change:count") == [1000, 1000]


def test_spawned_processes_do_the_same(in_time, monkeypatch):
    """As on Windows and macOS, where no process is copied from one that has torch already.

    While these import it, the faults of in_time wait for their time to be over.
    """
    monkeypatch.setattr(processes, "start_method", lambda: "spawn")
    with Crew(2) as crew:
        assert [each["rank"] for each in crew.run(WHOAMI)] == [0, 1]
        assert [each["threads"] for each in crew.run(WHOAMI)] == [1, 1]


def test_they_can_meet_at_a_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with Crew(3, port=port) as crew:
        assert [each["rank"] for each in crew.run(WHOAMI)] == [0, 1, 2]


def test_the_environment_of_this_process_stays_as_it_was(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = dict(os.environ)
    with Crew(1):
        assert dict(os.environ) == before


# --- jobs that cannot be found


def in_the_test(ring: object) -> None: ...


def test_a_job_of_the_notebook_is_refused_with_advice(monkeypatch):
    monkeypatch.setattr(in_the_test, "__module__", "__main__")
    for job in (in_the_test, "__main__:in_the_test"):
        with pytest.raises(
            ValueError, match=r"'in_the_test' stands in this notebook or program.*%%writefile"
        ):
            name_of_job(job)


def test_jobs_that_another_process_could_not_import_are_refused():
    def inner(ring: object) -> None: ...

    cannot: list[Any] = [inner, lambda ring: None, Crew.run, 3]
    for job in cannot:
        with pytest.raises(ValueError, match="job must be 'module:function' or a function of a module"):
            name_of_job(job)
    for words in ("", "ring_checks", "ring_checks:", ":die"):
        with pytest.raises(ValueError, match="job must be 'module:function'"):
            find_job(words)
    with pytest.raises(ValueError, match="the module no_such_module cannot be imported"):
        name_of_job("no_such_module:count")
    for name in ("nothing", "NO_FUNCTION"):
        with pytest.raises(ValueError, match=f"the module ring_checks has no function {name}"):
            name_of_job(f"ring_checks:{name}")
    assert name_of_job(ring_checks.die) == "ring_checks:die"


def test_a_job_that_is_refused_does_not_end_the_crew(four):
    with pytest.raises(ValueError, match="has no function"):
        four.run("ring_checks:nothing")
    with pytest.raises(ValueError, match="one entry for each of 4 processes; got 3"):
        four.run(WHOAMI, each=[{}] * 3)
    with pytest.raises(ValueError, match="limit must be a number of seconds above 0; got 0"):
        four.run(WHOAMI, limit=0)
    assert len(four.run(WHOAMI)) == 4


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_processes": 0}, "n_processes must be at least 1; got 0"),
        ({"n_processes": 2, "limit": float("nan")}, "limit must be a number of seconds above 0; got nan"),
        ({"n_processes": 2, "port": 70000}, "port must be None or lie from 1 to 65535; got 70000"),
    ],
)
def test_crews_that_cannot_be(given, words):
    with pytest.raises(ValueError, match=words):
        Crew(**given)


# --- faults: one line, an end within seconds, nobody left


@pytest.fixture(scope="module")
def in_time(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[CrewError]]]:
    """Faults that are seen only when some seconds are over, all side by side: name -> what will be its error.

    The limits are wide enough for a busy machine to get to where all wait, with a dozen processes beside.
    """
    folder = str(tmp_path_factory.mktemp("without overlap"))
    late: dict[str, tuple[int, str, dict[str, Any]]] = {
        "one sleeps": (4, "oversleep", {"limit": 4, "rank": 1, "seconds": 60}),
        "nobody sends": (2, "nobody_sends", {"limit": 4}),
        "no overlap": (2, "sent_before_it_is_computed", {"limit": 4, "folder": folder, "overlap": False}),
        "one dies later": (3, "lose_a_neighbour", {"dies": True}),
        "nobody dies": (3, "lose_a_neighbour", {"dies": False}),
    }
    if sys.platform == "linux":
        late["one is stopped"] = (2, "stop", {"limit": 4, "rank": 1})
    crews = [Crew(n_processes) for n_processes, *_ in late.values()]  # one after another, before any thread
    with ThreadPoolExecutor(len(late)) as threads:
        yield {
            name: threads.submit(fault_of, crew, f"ring_checks:{job}", **given)
            for crew, (name, (_, job, given)) in zip(crews, late.items(), strict=True)
        }


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("kill", "it died, ended by SIGKILL, as the system does where memory runs out"),
        ("exit", "it died, with exit code 3"),
    ],
)
def test_a_process_that_dies(how, words):
    fault = fault_of(Crew(4), "ring_checks:die", rank=2, how=how)
    assert str(fault) == f"process 2 of 4, job 'ring_checks:die': {words}"
    assert fault.rank == 2
    if how == "kill":
        assert "last words" in fault.details


def test_a_process_that_died_between_two_jobs():
    fault = fault_of(Crew(2), "ring_checks:die_quietly", rank=1)
    assert str(fault) == "process 1 of 2, job 'ring_checks:die_quietly': it died, with exit code 0"


def test_a_slow_process_is_told_from_those_that_wait_for_it(in_time):
    fault = in_time["one sleeps"].result()
    assert str(fault) == (
        "job 'ring_checks:oversleep' was not done after 4 s: process 1 still computed, processes 0, 2 and "
        "3 waited or had finished; all were ended: give it a larger limit, or look at what it computes"
    )
    assert fault.rank == 1


def test_a_slow_process_within_the_limit_is_waited_for():
    with Crew(2) as crew:
        assert crew.run("ring_checks:oversleep", rank=1, seconds=0.3) == [None, None]


@ON_LINUX
def test_a_process_that_the_system_stopped(in_time):
    fault = in_time["one is stopped"].result()
    assert "process 1 still computed, process 0 waited or had finished" in str(fault)


def test_all_wait_for_what_nobody_sends(in_time):
    fault = in_time["nobody sends"].result()
    assert str(fault).endswith("processes 0 and 1 wait for messages that nobody sends; all were ended")


def test_a_process_that_raises_is_told_and_not_those_that_lost_it():
    fault = fault_of(Crew(4), "ring_checks:complain", rank=3)
    assert str(fault) == "process 3 of 4, job 'ring_checks:complain': ArithmeticError: two lines"
    assert "in complain" in fault.details


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("one dies later", "process 0 of 3, {}: it died, with exit code 3"),
        ("nobody dies", "process 1 of 3, {}: NeighbourError: a neighbour is gone"),
    ],
)
def test_a_death_that_is_seen_after_the_complaint_is_told_all_the_same(in_time, name, words):
    fault = in_time[name].result()
    assert str(fault) == words.format("job 'ring_checks:lose_a_neighbour'")


def test_a_result_that_cannot_be_sent():
    fault = fault_of(Crew(1), "ring_checks:give_a_function_back")
    assert "process 0 of 1" in str(fault)
    assert "the job's result, of type function, cannot be sent, because pickle cannot carry it" in str(fault)


def shares_of(**changes: dict[int, torch.Tensor]) -> list[dict[str, torch.Tensor]]:
    """What each of four processes is given of nine tokens, contiguous; some given something else."""
    given, borders = sample(n=9), [0, 3, 5, 7, 9]
    each = []
    for rank in range(4):
        held = slice(borders[rank], borders[rank + 1])
        own = {"queries": given.queries[held], "keys": given.keys[held], "values": given.values[held]}
        own |= {name: other[rank] for name, other in changes.items() if rank in other}
        each.append({name: part.clone() for name, part in own.items()})
    return each


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"values": {2: torch.ones(2, 4, dtype=torch.float64)}},
            r"process \d of 4, .*all processes must be given the same but for their own tokens; process 0 "
            r"was given leading axes \(\), d_k 5, d_v 3, float64, 9 tokens, contiguous, full; "
            r"process 2 was given .*d_v 4",
        ),
        (
            {
                "queries": {1: torch.ones(3, 5)},
                "keys": {1: torch.ones(3, 5)},
                "values": {1: torch.ones(3, 3)},
            },
            r"process 1 of 4, .*process 1 of 4 holds 2 of 9 tokens \(contiguous\), so its queries, keys and "
            r"values must have 2 rows; got queries \(3, 5\)",
        ),
        (
            {"keys": {3: torch.ones(2, 4, dtype=torch.float64)}},
            r"process 3 of 4, .*shapes must be queries .* got queries \(2, 5\), keys \(2, 4\)",
        ),
        (
            {"keys": {0: torch.ones(3, 5)}},
            r"process 0 of 4, .*must have one dtype",
        ),
        (
            {"values": {0: torch.ones(2, 3, 3, dtype=torch.float64)}},
            r"process 0 of 4, .*must have the same leading axes",
        ),
    ],
)
def test_shapes_that_do_not_fit(changes, words):
    fault = fault_of(Crew(4), "ring_checks:own_shapes", each=shares_of(**changes), plan=Plan(9))
    assert re.match(words, str(fault))


def test_two_plans_are_told_apart():
    plans = [{**own, "plan": Plan(9, causal=rank == 3)} for rank, own in enumerate(shares_of())]
    fault = fault_of(Crew(4), "ring_checks:own_shapes", each=plans)
    assert re.search(r"9 tokens, contiguous, full; process 3 was given .*contiguous, causal", str(fault))


def test_fewer_heads_than_processes_cannot_be_exchanged():
    with pytest.raises(CrewError, match=r"each of 3 processes needs a head; got queries .*: use a ring"):
        exchange_run(Crew(3), *sample(2, n=6).inputs)


def test_a_port_in_use():
    with Crew(1):  # the one that all are copied from is there now, and stays
        pass
    before = set(offspring(os.getpid())) if sys.platform == "linux" else set()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port, start = taken.getsockname()[1], time.monotonic()
        with pytest.raises(CrewError) as caught:
            Crew(3, port=port)
    assert time.monotonic() - start < 20
    words = f"OSError: port {port} is in use by another program: give another, or none (port=None)"
    assert str(caught.value) == f"process 0 of 3, the start: {words}"
    if sys.platform == "linux":
        must_be_gone(sorted(set(offspring(os.getpid())) - before))


def test_how_a_process_ended_in_words():
    assert how_it_ended(1) == "it died, with exit code 1"
    assert how_it_ended(-11) == "it died, ended by SIGSEGV"
    assert 'if __name__ == "__main__":' in how_it_ended(1, started=False)


# --- which engine: NCCL where there are GPUs, and here they are pretended


def pretend_gpus(monkeypatch: pytest.MonkeyPatch, count: int, nccl: bool = True) -> list[str]:
    """How many GPUs, whether this torch has NCCL -> what is done with them: devices set, groups joined."""
    done: list[str] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: done.append(str(device)))
    monkeypatch.setattr(torch.distributed, "is_nccl_available", lambda: nccl)
    monkeypatch.setattr(
        torch.distributed, "init_process_group", lambda backend, **_: done.append(str(backend))
    )
    monkeypatch.setattr(torch.distributed, "destroy_process_group", lambda: done.append("end"))
    monkeypatch.setattr(torch, "set_num_threads", lambda n: None)
    return done


@pytest.mark.parametrize(
    ("gpus", "nccl", "expected"),
    [
        (4, True, ("nccl", "cuda:2")),
        (8, True, ("nccl", "cuda:2")),
        (3, True, ("gloo", "cpu")),  # a GPU for each, or for none
        (4, False, ("gloo", "cpu")),
        (0, True, ("gloo", "cpu")),
    ],
)
def test_nccl_where_each_process_has_a_gpu(monkeypatch, gpus, nccl, expected):
    done = pretend_gpus(monkeypatch, gpus, nccl)
    backend, device = workers.engine(4, 2)
    assert (backend, str(device)) == expected
    assert done == (["cuda:2"] if backend == "nccl" else [])


@pytest.mark.parametrize(("gpus", "expected"), [(4, ["cuda:1", "nccl"]), (2, ["gloo"])])
def test_a_crew_joins_by_nccl_where_there_are_gpus(monkeypatch, tmp_path, gpus, expected):
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    done = pretend_gpus(monkeypatch, gpus)
    ring = workers.join(1, 4, str(tmp_path), None, 5.0, lambda doing: None)
    assert done == expected
    assert ring.device.type == ("cuda" if gpus == 4 else "cpu")


def test_torchrun_on_two_machines_takes_the_gpus_of_each(monkeypatch, capsys):
    """16 processes, 8 GPUs in each machine: a process counts those beside it, not all of them."""
    done = pretend_gpus(monkeypatch, 8)
    places = {"RANK": 0, "WORLD_SIZE": 16, "LOCAL_RANK": 3, "LOCAL_WORLD_SIZE": 8}
    for name, number in places.items():
        monkeypatch.setenv(name, str(number))
    assert main([WHOAMI]) == 0
    assert done == ["cuda:3", "nccl", "end"]
    assert "'device': 'cuda'" in capsys.readouterr().out


# --- sent before it is computed


@pytest.mark.parametrize("part", ["attend_partial", "gradients_partial"])
def test_a_block_is_sent_before_it_is_computed_with(tmp_path, part):
    """Forward and back: were it sent after, both would wait for ever, and the limit would end them."""
    with Crew(2, limit=20) as crew:
        job = "ring_checks:sent_before_it_is_computed"
        assert crew.run(job, folder=str(tmp_path), overlap=True, part=part) == ["sent first"] * 2


def test_a_gradient_travels_while_the_next_block_is_computed_with(tmp_path):
    with Crew(2, limit=20) as crew:
        found = crew.run("ring_checks:a_gradient_travels_meanwhile", folder=str(tmp_path))
        assert found == ["travelled meanwhile"] * 2


@pytest.mark.parametrize(
    ("what", "part", "call"),
    [("keys and values", "attend_partial", 1), ("gradients", "gradients_partial", 2)],
)
def test_nobody_waits_for_what_is_not_needed_yet(tmp_path, what, part, call):
    """The other half of it: what comes is waited for after computing, not before."""
    with Crew(2, limit=20) as crew:
        job = "ring_checks:computes_before_it_comes"
        found = crew.run(job, folder=str(tmp_path), what=what, part=part, call=call)
        assert found == ["computed first"] * 2


def test_and_without_overlap_it_would_never_come(in_time):
    fault = in_time["no overlap"].result()
    assert "process 0 still computed, process 1 waited" in str(fault)


# --- other programs that start a crew


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """Programs of their own, side by side: each imports torch two or three times before it does anything."""
    folder = tmp_path_factory.mktemp("programs")
    ends = {"killed": 'crew.run("ring_checks:sleep_for_long")', "forgets": "sys.stdin.close()"}
    with ExitStack() as running:
        found = {}
        for name, then in ends.items() if sys.platform == "linux" else ():
            (folder / f"{name}.py").write_text(KEPT.format(then=then), encoding="utf-8")
            found[name] = running.enter_context(started(str(folder / f"{name}.py")))
        found["torchrun"] = running.enter_context(
            started(*TORCHRUN, GLOO_SOCKET_IFNAME="lo", TMPDIR=str(folder))
        )
        yield found
        for program in found.values():
            program.terminate()  # nothing, for those that ended; the others' tests did not get so far


@ON_LINUX
def test_a_program_that_is_killed_leaves_nobody_behind(programs):
    """The notebook's kernel is killed while its crew works: nobody is there to end the crew but itself."""
    with programs["killed"] as program:
        assert program.stdout is not None
        met_at, *pids = program.stdout.readline().split()
        crew = [int(pid) for pid in pids]
        family = offspring(program.pid)
        assert len(crew) == 2
        assert set(crew) < set(family)
        program.kill()
    must_be_gone(family, within=30.0)  # the one that was copied ends as Python does, not at once
    assert not Path(met_at).exists()


@ON_LINUX
def test_a_program_that_forgets_its_crew_leaves_nobody_behind(programs):
    said, complained = programs["forgets"].communicate(timeout=60)
    assert programs["forgets"].returncode == 0, complained
    met_at, *pids = said.split()
    must_be_gone([int(pid) for pid in pids])
    assert not Path(met_at).exists()


def test_torchrun_starts_the_same(programs):
    """The usual way to start processes, without a notebook: one job, and process 0 prints."""
    said, complained = programs["torchrun"].communicate(timeout=100)
    assert said == "2 processes, 37 tokens: the same as one process to 1e-5: True\n", complained
    assert programs["torchrun"].returncode == 0


def test_without_torchrun_the_program_says_how(capsys, monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    assert main(["helpers.pytorch.ring_jobs:compare"]) == 2
    assert "start this with torchrun" in capsys.readouterr().err
    assert "--nproc-per-node=4 -m helpers.pytorch.workers" in (workers.__doc__ or "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "ValueError: job must be 'module:function', as 'my_jobs:count'; got ''"),
        (["ring_checks:give_back", "9"], "ValueError: inputs must be name=value; got '9'"),
    ],
)
def test_under_torchrun_a_fault_is_one_line_as_well(capsys, monkeypatch, arguments, words):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "3")
    assert main(arguments) == 1
    assert capsys.readouterr().err == f"process 1 of 3: {words}\n"
