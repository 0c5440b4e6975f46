"""Lesson 14: its examples, and what its exercises say beyond the learners' answers."""

from __future__ import annotations

import numpy as np
import pytest
from handed_out import ANSWERS, GIVEN

from helpers.exercises import evaluate
from helpers.exercises.catalogue import find


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
    inputs = find("merge").probes[0].inputs
    for name, value in inputs.items():
        assert [float(number) for number in shown[name]] == pytest.approx(np.ravel(value[1]), abs=0.006)
    logarithm = evaluate("merge", lambda *halves: (ANSWERS["merge"](*halves)[0], halves[1])).text
    assert "output_a  " not in logarithm  # all queries stand in one row: a table would not fit
    assert [len(line.split()) for line in logarithm.splitlines() if line.startswith("    log")] == [3, 3]


def test_a_probe_of_the_cache_has_more_keys_than_queries():
    for probe in find("cache-mask").probes:
        assert len(probe.inputs["queries"]) < len(probe.inputs["keys"])
