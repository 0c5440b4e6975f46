"""Lesson 14: its examples, and what its exercises say beyond the learners' answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from handed_out import ANSWERS, GIVEN

from helpers.exercises import evaluate
from helpers.exercises.catalogue import find


def exercise_of(name: str) -> Any:
    """An exercise's name -> the exercise."""
    return find(name)


def test_the_example_of_merge():
    output, log_sum_exp = ANSWERS["merge"](
        np.array([[10.0]]), np.array([0.0]), np.array([[20.0]]), np.log([3.0])
    )
    assert output == pytest.approx(17.5)
    assert log_sum_exp == pytest.approx(np.log(4))


def test_the_example_of_the_cache():
    query, keys, values = np.zeros((1, 2)), np.zeros((3, 2)), np.array([[3.0], [6.0], [12.0]])
    assert ANSWERS["cache-mask"](query, keys, values, 2) == pytest.approx(7.0)
    assert GIVEN["cache-mask"](query, keys, values, 2) == pytest.approx(3.0)


def test_the_example_of_grouped_queries():
    queries, keys, values = np.zeros((6, 1, 2)), np.zeros((2, 1, 2)), np.array([[[10.0]], [[20.0]]])
    assert ANSWERS["grouped"](queries, keys, values).ravel().tolist() == [10, 10, 10, 20, 20, 20]
    assert GIVEN["grouped"](queries, keys, values).ravel().tolist() == [10, 20, 10, 20, 10, 20]


def test_the_example_of_window():
    assert ANSWERS["window"](2, 4, 2).tolist() == [[False, True, True, False], [False, False, True, True]]


def test_a_part_with_one_number_a_query_is_told_by_name():
    def shifted(*halves):
        output, log_sum_exp = ANSWERS["merge"](*halves)
        return output, log_sum_exp + 1

    assert "(2,). In log_sum_exp\n" in evaluate("merge", shifted).text


def test_both_halves_of_a_query_stand_beside_its_output():
    def wrong_in_query_1(*halves):
        output, log_sum_exp = ANSWERS["merge"](*halves)
        output[1] += 1
        return output, log_sum_exp

    shown = {
        line.split()[0]: line.split()[1:]
        for line in evaluate("merge", wrong_in_query_1).text.splitlines()
        if line.startswith("    ")
    }
    inputs = exercise_of("merge").probes[0].inputs
    for name, value in inputs.items():
        assert [float(number) for number in shown[name]] == pytest.approx(np.ravel(value[1]), abs=0.006)
    logarithm = evaluate("merge", lambda *halves: (ANSWERS["merge"](*halves)[0], halves[1])).text
    assert "output_a  " not in logarithm  # all queries stand in one row: a table would not fit
    assert [len(line.split()) for line in logarithm.splitlines() if line.startswith("    log")] == [3, 3]


def test_a_probe_of_the_cache_has_more_keys_than_queries():
    for probe in exercise_of("cache-mask").probes:
        queries, keys = probe.inputs["queries"], probe.inputs["keys"]
        alone = probe.kind == "a single token"
        assert len(queries) < len(keys) or (alone and len(queries) == len(keys) == 1)


def test_the_example_of_the_split_bug():
    """Three equal scores in three parts: a third each; as given, what was merged counts as one part."""
    nothing, values = np.zeros(2), np.array([[3.0], [6.0], [12.0]])
    inputs = nothing, np.zeros((3, 2)), values, 3
    assert ANSWERS["split-bug"](*inputs) == pytest.approx(7.0)
    assert GIVEN["split-bug"](*inputs) == pytest.approx((4.5 + 12) / 2)
    assert GIVEN["split-bug"](*inputs[:3], 2) == pytest.approx(7.0)


def test_the_caches_counted_one_by_one():
    """GPT-3: 96 layers of 96 heads of 128, keys and values, 2 bytes: 4.5 MiB a token."""
    table = exercise_of("cache-bytes")
    assert table.row("GPT-3") == (4.5 * 2**20, 9.0)
    assert table.row("PaLM")[0] == sum(2 * 256 * 2 for _ in range(118))
    assert table.row("Llama 3 70B") == (320 * 1024, 0.625)


def caches(change):
    """A change of (bytes, GiB) -> the table as a learner fills it in."""
    return {
        model: list(change(*exercise_of("cache-bytes").row(model)))
        for model in exercise_of("cache-bytes").labels
    }


@pytest.mark.parametrize(
    ("change", "mistakes"),
    [
        (lambda size, gib: (size / 2, gib / 2), ("half",)),
        (lambda size, gib: (2 * size, 2 * gib), ("float32",)),
        (lambda size, gib: (size, gib * 1024), ("mib",)),
        (lambda size, gib: (size, gib * 1.073741824), ("decimal",)),
        (lambda size, gib: (size / 1024, gib), ("kib",)),
        (lambda size, gib: (int(size), round(gib, 3)), ()),
    ],
)
def test_a_wrong_column_of_caches_is_named(change, mistakes):
    feedback = evaluate("cache-bytes", caches(change))
    assert feedback.mistakes == mistakes
    assert (feedback.status == "right") == (not mistakes)


def test_heads_of_queries_in_a_cache_are_named():
    sizes = {"GPT-3": (96, 96, 128), "PaLM": (118, 48, 256), "Llama 3 70B": (80, 64, 128)}
    tokens = {model: 4 * layers * heads * width for model, (layers, heads, width) in sizes.items()}
    table = {model: [size, size * 2048 / 2**30] for model, size in tokens.items()}
    assert evaluate("cache-bytes", table).mistakes == ("heads-of-queries",)
