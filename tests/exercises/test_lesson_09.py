"""Lesson 09: tables of times and costs, logs and ratios, by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from handed_out import ANSWERS, GIVEN

from helpers.datasets import load_gpus
from helpers.exercises import evaluate
from helpers.exercises.catalogue import exercises
from helpers.exercises.kinds import Table
from helpers.exercises.lesson_09 import gpu_corners, torch_bytes
from helpers.exercises.lesson_09.compute_bound import CORNER
from helpers.exercises.lesson_09.which_backend import CALLS, EFFICIENT, FLASH, MATH, chosen


def test_whole_numbers_are_counted_exactly_and_texts_are_none():
    table = exercises()["torch-bytes"]
    assert isinstance(table, Table)
    right = {label: list(table.row(label)) for label in table.labels}
    for label in table.labels:
        one_more = {**right, label: [right[label][0] + 1, *right[label][1:]]}
        assert evaluate("torch-bytes", one_more).status == "wrong"
    text = evaluate("torch-bytes", {**right, 256: [str(right[256][0]), *right[256][1:]]}).text
    assert "remove the quotation marks" in text
    for rows in (
        {label: torch.tensor(row, dtype=torch.float64) for label, row in right.items()},
        torch.tensor(list(right.values()), dtype=torch.float64),
    ):
        assert evaluate("torch-bytes", rows).status == "right"


def costs(change):
    """What a change of each row of costs gives: by label, the row."""
    table = exercises()["torch-bytes"]
    assert isinstance(table, Table)
    return {label: change(*table.row(label)) for label in table.labels}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda o, r, f, s, t: [o, r, f, round(s, 1), round(t, 1)],
            "Your numbers were rounded too far",
        ),
        (lambda o, r, f, s, t: [o, r, 2 * f, s, t], "count each table as both read and written"),
        (lambda o, r, f, s, t: [o, r, f / 2, s, t], "or two tables instead of four"),
        (lambda o, r, f, s, t: [o, r, f, s * 1e3, t * 1e3], "Those are nanoseconds"),
        (lambda o, r, f, s, t: [o, r, f, t, s], '"microseconds fused" have changed places'),
        (lambda o, r, f, s, t: [o, r, f, max(o / 2.04e6, r / 312e6), t], "You swapped the two limits"),
        (lambda o, r, f, s, t: [o, r, f, s / 1e6, t], "n 256, microseconds readable: not 2.57e-06"),
        (
            lambda o, r, f, s, t: [
                5 * o,
                r,
                f,
                max(5 * o / 312e6, r / 2.04e6),
                max(5 * o / 312e6, f / 2.04e6),
            ],
            'Your "microseconds fused" follows from your "operations": fix that first.',
        ),
        (
            lambda o, r, f, s, t: [o, 3 * r, f, 3 * s, t],
            'Your "microseconds readable" follows from your "bytes readable": fix that first.',
        ),
    ],
)
def test_what_is_said_of_costs(change, said):
    feedback = evaluate("torch-bytes", costs(change))
    assert feedback.status == "wrong"
    assert said in " ".join(feedback.text.split())


def test_a_missing_output_is_told_once():
    def left_out(o, r, f, s, t):
        return [o, r - f / 4, f - f / 4, s, t]

    assert evaluate("torch-bytes", costs(left_out)).text.count("The output is written as well.") == 1


def test_seconds_and_swapped_rows_of_the_timing_table_are_told():
    table = exercises()["torch-timing"]
    assert isinstance(table, Table)
    right = {label: table.row(label) for label in table.labels}
    seconds = {label: [cell / 1000 for cell in row] for label, row in right.items()}
    assert set(evaluate("torch-timing", seconds).named) == {(f"seconds-{letter}",) for letter in "abcd"}
    one, other, cpu = right
    swapped = {one: right[other], other: right[one], cpu: right[cpu]}
    assert "right, but in the wrong rows" in " ".join(evaluate("torch-timing", swapped).text.split())


# --- tables, by hand


def test_the_times_by_hand():
    table = exercises()["torch-timing"]
    assert isinstance(table, Table)
    assert {label: table.row(label) for label in table.labels} == {
        "laptop's GPU": [46, 0.2, 10, 9],
        "server's GPU": [92, 0.1, 5, 7],
        "CPU": [52, 50, 70, 50],
    }
    assert evaluate("torch-timing", {label: table.row(label) for label in table.labels}).status == "right"


def test_the_costs_by_hand():
    table = exercises()["torch-bytes"]
    assert isinstance(table, Table)
    assert table.row(1)[:3] == [2048, 4160, 4096]  # the notebook's example
    operations, readable, fused, slow, fast = table.row(2048)
    assert operations == 4 * 8 * 2048 * 2048 * 64 == 8_589_934_592
    assert fused == 4 * 2048 * 512 * 2 == 8_388_608
    assert readable == fused + 4 * 8 * 2048 * 2048 * 2 == 276_824_064
    assert slow == pytest.approx(135.698, abs=1e-3)  # the bytes decide: 276,824,064 / 2.04e6
    assert fast == pytest.approx(27.532, abs=1e-3)  # the operations decide: 8,589,934,592 / 312e6
    for n in table.labels:
        operations, readable, fused, slow, fast = table.row(n)
        assert slow == pytest.approx(readable / 2.04e6)
        assert (fast == pytest.approx(fused / 2.04e6)) == (n == 256)
    assert table.row(16384)[3] == pytest.approx(8454.401, abs=1e-3)  # 17,246,978,048 bytes
    assert table.row(16384)[0] / 312e6 == pytest.approx(1762, abs=1)


def test_a_time_that_follows_from_wrong_bytes_is_told_so():
    table = exercises()["torch-timing"]
    assert isinstance(table, Table)
    rows = {label: table.row(label) for label in table.labels}
    rows["CPU"] = [52, 0.1, 70, 50]
    feedback = evaluate("torch-timing", rows)
    assert feedback.status == "wrong"
    assert feedback.named == ()
    assert "machine CPU, B: not 0.1" in feedback.text
    assert "What does the clock see of a call" in " ".join(feedback.text.split())


def test_no_call_hangs_on_the_version_of_cudnn():
    """PyTorch 2.13 puts a new cuDNN first on an H100 and a B200, in two bytes a number, and no old one."""
    may_go_to_cudnn = [
        call.label
        for call in CALLS.values()
        if call.gpu in ("H100", "B200") and call.dtype in ("float16", "bfloat16")
    ]
    assert may_go_to_cudnn == []
    assert {chosen(call) for call in CALLS.values()} == {FLASH, EFFICIENT, MATH}


# --- the data sheets are those of the data


def test_the_tasks_use_the_data_sheets_that_ship():
    gpus = load_gpus()
    a100 = gpus["A100"]
    assert (a100.operations, a100.bytes_a_second) == (
        torch_bytes.OPERATIONS_A_SECOND,
        torch_bytes.BYTES_A_SECOND,
    )
    assert {
        name: (gpus[name].operations, gpus[name].bytes_a_second) for name in gpu_corners.SHEETS
    } == gpu_corners.SHEETS
    assert gpus["T4"].corner == CORNER


def test_the_corners_by_hand():
    table = exercises()["gpu-corners"]
    assert isinstance(table, Table)
    assert table.row("T4") == pytest.approx([203.125, 20.48, 31.5077, 406.25], rel=1e-5)
    assert table.row("A100")[2] == pytest.approx(100 * 64 * 2.04 / 312)
    rounded = {label: [round(cell, 1) for cell in table.row(label)] for label in table.labels}
    assert evaluate("gpu-corners", rounded).status == "right"


# --- the examples of the notebook


def test_the_examples_of_the_notebook():
    log = np.array([[0.0, 1, 90], [100, 101, 107]])
    assert (ANSWERS["stopwatch-bug"](log), GIVEN["stopwatch-bug"](log)) == (7, 1)
    over, under = np.array([2.0, 30, 4]), np.array([1.0, 15, 4])
    assert (ANSWERS["ratio-bug"](over, under), GIVEN["ratio-bug"](over, under)) == (2, 1)


def test_on_a_processor_nobody_sees_that_nobody_waits():
    log = np.array([[0.0, 70, 70], [71, 121, 121], [123, 174, 174]])
    assert GIVEN["stopwatch-bug"](log) == ANSWERS["stopwatch-bug"](log) == 50.5


# --- which kernel


def test_the_kernels_by_the_rules_of_the_lesson():
    table = exercises()["which-backend"]
    assert isinstance(table, Table)
    runs = {label: table.row(label)[0] for label in table.labels}
    for label, kernel in runs.items():
        call = CALLS[label]
        in_two_bytes = call.dtype.endswith("float16")
        expected = FLASH if in_two_bytes and not call.mask and call.gpu != "T4" else EFFICIENT
        assert kernel == (MATH if call.dtype == "float64" else expected)
    assert set(runs.values()) == {FLASH, EFFICIENT, MATH}


def test_every_rule_decides_two_calls_at_least():
    """Else a table that forgets it would not be told."""
    table = exercises()["which-backend"]
    assert isinstance(table, Table)
    for slip in table.slips[0]:
        wrong = [label for label in table.labels if slip.answer(label) != table.row(label)[0]]
        assert len(wrong) >= 2, slip.name
