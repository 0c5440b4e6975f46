"""Fresh pages: counted exactly, and switched off in a child; a record made so has a name of its own."""

import mmap
import os
import platform
import subprocess
import sys

import pytest
from benchmark_samples import ROOT, TINIEST, a_case, a_record, copy_of_data, quiet

from helpers import one_thread
from helpers.benchmark import __main__ as command
from helpers.benchmark import attention as suite
from helpers.benchmark import pages, records
from helpers.benchmark.attention import run_attention_benchmark

GLIBC = platform.libc_ver()[0] == "glibc"
TOUCH = """
import numpy as np
from helpers.benchmark import pages
def call(size):
    return lambda: np.ones(size, dtype=np.uint8)
print(pages.are_kept(), pages.fresh_bytes(call(2**20)), pages.fresh_bytes(call(40 * 2**20)))
"""


@pytest.fixture
def kept(monkeypatch):
    for name, value in pages.KEPT.items():
        monkeypatch.setenv(name, value)


def test_a_page_that_is_there_is_not_fresh():
    there = bytearray(2**20)
    assert pages.fresh_bytes(lambda: there.__setitem__(5, 1)) == 0


def test_mapped_anew_every_page_is_counted():
    def touch_three():
        with mmap.mmap(-1, 4 * mmap.PAGESIZE) as anew:
            for page in range(3):
                anew[page * mmap.PAGESIZE] = 1

    assert pages.fresh_bytes(touch_three) == 3 * mmap.PAGESIZE


@pytest.mark.skipif(not GLIBC, reason="the allocator of glibc")
@pytest.mark.parametrize("are_kept", [False, True])
def test_large_pieces_are_fresh_unless_they_are_kept(are_kept):
    environment = {name: value for name, value in os.environ.items() if name not in pages.KEPT}
    environment |= {"NUMPY_MADVISE_HUGEPAGE": "0", "PYTHONPATH": str(ROOT)} | (pages.KEPT if are_kept else {})
    done = subprocess.run(
        [sys.executable, "-c", TOUCH],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=True, env=environment,
    )  # fmt: skip
    said, small, large = done.stdout.split()
    assert (said, int(small)) == (str(are_kept), 0)
    assert (int(large) < 2**20) if are_kept else (abs(int(large) - 40 * 2**20) < 2**20)


def test_kept_is_known_from_the_environment(kept, monkeypatch):
    assert pages.are_kept()
    monkeypatch.setenv("MALLOC_MMAP_MAX_", "5")
    assert not pages.are_kept()


def test_the_command_begins_again_without_fresh_pages(monkeypatch):
    started: dict[str, tuple] = {}
    monkeypatch.setattr(pages, "why_not", lambda: "")
    monkeypatch.setattr(one_thread, "again", lambda *given: started.update(given=given) or 7)
    assert command.main(["--keep-pages", "--quick"]) == 7
    assert started["given"] == ("helpers.benchmark", ["--keep-pages", "--quick"], pages.KEPT)


def test_elsewhere_it_is_refused_in_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    assert command.main(["--keep-pages"]) == 2
    said = "--keep-pages speaks to the allocator of Linux (glibc), and this is Darwin: leave it out\n"
    assert capsys.readouterr().err == said


def test_a_record_says_whether_pages_were_kept(kept, monkeypatch):
    record = run_attention_benchmark("cpu", plan=TINIEST, say=quiet)
    assert record["arguments"]["kept_pages"]
    assert records.record_name(record) == "cpu/attention-kept-pages.json"
    block = records.sources_block(record, b"")
    assert "(cpu, with freed memory kept)" in block
    assert "--record --keep-pages" in block
    monkeypatch.delenv("MALLOC_MMAP_MAX_")
    assert not run_attention_benchmark("cpu", plan=TINIEST, say=quiet)["arguments"]["kept_pages"]


def test_kept_pages_are_measured_forward_and_full(kept):
    plan = suite.plan_for("cpu")
    assert (plan.causal, plan.passes, plan.sizes[-1]) == ((False,), (suite.FORWARD,), 4096)


def test_an_own_record_is_found_and_another_file_is_passed_over(tmp_path, monkeypatch):
    copy_of_data(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    for name, date in (("benchmark-a.json", "2026-01-01"), ("benchmark-b.json", "2026-02-02")):
        (tmp_path / name).write_bytes(records.as_json(a_record([a_case(5)], date=date)))
    (tmp_path / "benchmark-c.json").write_text("{", encoding="utf-8")
    (tmp_path / "benchmark-d.json").write_bytes(records.as_json(a_record([a_case(5)], suite="kernels")))
    assert [record["date"] for record in records.own_records()] == ["2026-02-02", "2026-01-01"]
    assert [record["suite"] for record in records.own_records("kernels")] == ["kernels"]


@pytest.mark.skipif(not GLIBC, reason="the allocator of glibc")
def test_tables_of_64_mib_are_fresh_in_every_call_and_smaller_ones_in_none():
    # The fewest of three children: what else the machine does can only add page faults, and what the call
    # itself takes is in each of them. Tables of 8 MiB are kept (lesson 09 says so).
    children = [pages.fresh_in_a_child([512, 1448]) for _ in range(3)]
    small, large = (min(counts) for counts in zip(*children, strict=True))
    assert abs(large / 2**20 - 3 * 64) < 1  # scores, scaled scores, weights
    assert small < 2**20


@pytest.mark.skipif(not GLIBC, reason="the allocator of glibc")
@pytest.mark.parametrize("padding", [0, 1_500, 3_000])
def test_none_is_fresh_where_memory_is_kept(monkeypatch, padding):
    # Where the heap begins, and with it how many calls it takes to get warm, follows from the environment's
    # size. The machine can only add page faults: of two children, the first that takes none settles it.
    monkeypatch.setenv("PADDING", "x" * padding)
    children = (pages.fresh_in_a_child([512, 1024, 1280], keep=True) for _ in range(2))
    assert any(all(count is not None and count < 2**20 for count in counts) for counts in children)


def test_a_child_that_fails_says_why():
    with pytest.raises(RuntimeError, match="the new Python ended with 1:"):
        pages.fresh_in_a_child([-1])
