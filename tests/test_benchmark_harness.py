"""The benchmark's harness on scripted clocks."""

from contextlib import contextmanager

import pytest
from benchmark_samples import Scripted, in_turn, measured
from hypothesis import given
from hypothesis import strategies as st
from samples import properties

from helpers.benchmark import harness
from helpers.benchmark.harness import History, Limits, Run


def test_quartiles_by_hand():
    assert harness.quartiles([5.0, 1.0, 2.0, 4.0, 3.0]) == {"median": 3.0, "lower": 2.0, "upper": 4.0}


def test_ratios_are_taken_within_a_round():
    over, under = [2.0, 40.0, 9.0], [1.0, 10.0, 3.0]  # 2, 4, 3: the medians alone would say 9 / 3
    assert harness.paired_ratio(over, under) == {"median": 3.0, "lower": 2.5, "upper": 3.5}
    assert harness.paired_ratio([2.0, 100.0, 6.0], [1.0, 50.0, 1.0])["median"] == 2.0  # 6 / 1 by medians
    assert harness.paired_ratio([10.0, 2.0], [1.0, 2.0])["median"] == 5.5  # 3.5 if each were sorted


def test_warm_up_does_not_count_and_the_first_call_is_kept():
    outcome = measured({"a": Run(in_turn(9.0, (7.0, 300), 1.0, 2.0, 3.0))})["a"]
    assert (outcome.first, outcome.peak_bytes) == (9.0, 300)
    assert outcome.samples == [1.0, 2.0, 3.0]
    assert outcome.seconds() == {
        "median": 2.0, "lower": 1.5, "upper": 2.5, "rounds": 3, "calls": 1, "first": 9.0,
    }  # fmt: skip


def test_short_calls_are_timed_several_at_once():
    tools = Scripted()
    outcome = measured({"a": Run(in_turn(0.003, 0.003, 0.001))}, tools)["a"]
    assert outcome.calls == 5  # 5 ms of calls of 1 ms
    assert tools.log[2:] == [(0.001, 5)] * 3
    assert measured({"a": Run(in_turn(1e-9))})["a"].calls == harness.MOST_CALLS
    assert measured({"a": Run(in_turn(0.5))})["a"].calls == 1


def test_rounds_stop_at_the_limits():
    def rounds(least, most, seconds):
        return len(measured({"a": Run(in_turn(1.0))}, limits=Limits(least, most, seconds))["a"].samples)

    assert rounds(3, 50, 0.0) == 3  # at least these, however long
    assert rounds(3, 50, 7.0) == 7  # then until the seconds are spent
    assert rounds(3, 5, 7.0) == 5  # and never more than these


def test_the_order_turns_and_everyone_is_sampled_in_every_round():
    order = []

    def run(name):
        def call():
            order.append(name)
            return 1.0, 1

        return Run(call)

    runs = {name: run(name) for name in ("a", "b", "c")}
    outcomes = measured(runs, limits=Limits(4, 4, 0.0))
    rounds = ["".join(order[start : start + 3]) for start in range(len(order) - 12, len(order), 3)]
    assert rounds == ["abc", "acb", "cab", "cba"]
    assert [len(outcome.samples) for outcome in outcomes.values()] == [4, 4, 4]


@properties
@given(st.integers(1, 7), st.integers(0, 50))
def test_an_order_holds_everyone_once(n_names, round_number):
    names = [str(i) for i in range(n_names)]
    assert sorted(harness.turned(names, round_number)) == names


def test_nobody_always_goes_first_or_after_the_same():
    rounds = [harness.turned(["a", "b", "c"], i) for i in range(6)]
    assert {order[0] for order in rounds} == {"a", "b", "c"}
    pairs = [(order[i], order[i + 1]) for order in rounds for i in range(2)]
    assert len(set(pairs)) == 6


def test_the_setting_is_entered_before_the_clock_starts():
    log = []

    @contextmanager
    def around():
        log.append("in")
        yield
        log.append("out")

    class Clock(Scripted):
        def seconds(self, call, calls):
            log.append("clock")
            return super().seconds(call, calls)

    measured({"a": Run(in_turn(1.0), around)}, Clock(), Limits(1, 1, 0.0))
    assert log == ["in", "clock", "out", "in", "clock", "out"]


@pytest.mark.parametrize("error", [MemoryError("no more"), RuntimeError("the GPU is full\nand more")])
def test_out_of_memory_is_recorded_and_larger_sizes_are_left_out(error):
    tools, past = Scripted(), {"big": History(), "small": History()}
    small = Run(in_turn(1.0))
    first = measured({"big": Run(in_turn(error)), "small": small}, tools, n=64, past=past)
    assert (first["big"].status, first["big"].seconds()) == ("out of memory", None)
    assert first["big"].reason == str(error).splitlines()[0]
    assert first["small"].status == "measured"
    assert tools.cleared == 1
    second = measured({"big": Run(in_turn(1.0)), "small": small}, tools, n=128, past=past)
    assert (second["big"].status, second["big"].reason) == ("skipped", "out of memory at n = 64")
    assert second["small"].status == "measured"


def test_out_of_memory_in_the_middle_leaves_no_half_a_sample():
    runs = {"a": Run(in_turn(1.0, 1.0, 1.0, RuntimeError("full"))), "b": Run(in_turn(2.0))}
    outcomes = measured(runs, limits=Limits(5, 5, 0.0))
    assert (outcomes["a"].status, outcomes["a"].samples) == ("out of memory", [])
    assert len(outcomes["b"].samples) == 5


def test_a_refusal_says_why_and_the_next_size_is_tried_again():
    past = {"a": History()}
    refused = measured({"a": Run(in_turn(RuntimeError("no such kernel")))}, past=past)["a"]
    assert (refused.status, refused.reason) == ("refused", "no such kernel")
    assert measured({"a": Run(in_turn(1.0))}, n=32, past=past)["a"].status == "measured"


def test_an_error_in_the_code_is_not_swallowed():
    with pytest.raises(ValueError, match="shapes"):
        measured({"a": Run(in_turn(ValueError("shapes")))})


def test_a_size_is_left_out_before_it_takes_too_long():
    past = History(n=100, seconds=2.0, peak_bytes=None)
    limits = Limits(seconds_a_call=10.0)
    assert harness.reason_to_skip(past, 200, 2, limits, Scripted()) is None  # 8 s
    why = harness.reason_to_skip(past, 300, 2, limits, Scripted())
    assert why == "one call would take about 18.0 s; at most 10 s are allowed"


def test_a_busy_moment_does_not_end_a_line():
    past = {"a": History()}
    measured({"a": Run(in_turn(1.0, 1.0, 50.0, 50.0, 0.5))}, n=100, past=past)
    assert (past["a"].n, past["a"].seconds) == (100, 0.5)


@pytest.mark.parametrize(("power", "needed"), [(2, 16), (1, 4)])
def test_a_size_is_left_out_before_it_fills_the_memory(power, needed):
    past = History(n=100, seconds=0.0, peak_bytes=2**20)
    enough, short = Scripted(free=needed * 2**20), Scripted(free=needed * 2**20 - 1)
    assert harness.reason_to_skip(past, 400, power, Limits(), enough) is None
    why = harness.reason_to_skip(past, 400, power, Limits(), short)
    assert why is not None
    assert why.startswith(f"would need about {needed} MiB")
    assert harness.reason_to_skip(past, 400, power, Limits(bytes_a_call=2**20), Scripted()) is not None
