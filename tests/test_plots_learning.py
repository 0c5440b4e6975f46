"""The pictures of lesson 12: what each draws, and that its finding follows the numbers."""

import numpy as np
import pytest
from kept_figures import kept_figures

from helpers import plots
from helpers.datasets import load_learning


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    yield from kept_figures(monkeypatch)


def test_curves_say_when_they_cross_the_level(shown, capsys):
    panels = {"accuracy": {"rises": [0, 0.2, 0.7], "stays": [0, 0.1, 0.1]}, "loss": {"falls": [4, 3, 0.1]}}
    plots.plot_learning([20, 40, 60], panels)
    assert [axes.get_title() for axes in shown[0].axes] == list(panels)
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "accuracy, rises: below 0.5 at first, above it from step 60",
        "accuracy, stays: below 0.5 to the end",
        "loss, falls: above 0.5 at first, below it from step 60",
    ]
    with pytest.raises(ValueError, match="one entry for each label"):
        plots.plot_learning([20, 40], panels)


def test_curves_may_run_over_other_things_than_steps(shown, capsys):
    plots.plot_learning(range(1, 4), {"a head": {"weight": [0.9, 0.8, 0.1]}}, unit="query")
    (axes,) = shown[0].axes
    assert axes.get_xlabel() == "query"
    assert capsys.readouterr().out == "a head, weight: above 0.5 at first, below it from query 3\n"


def test_losses_say_from_when_they_are_below_each_level(shown, capsys):
    lines = {"start 0": [4, 2, 1], "start 1": [4, 4, 2]}
    plots.plot_losses([0, 10, 20], lines, {"a": 3, "b": 1.5, "c": 1}, "letter")
    (axes,) = shown[0].axes
    assert axes.get_ylabel() == "loss, nats a letter"
    assert [text.get_text() for text in axes.texts] == ["a: 3.00", "b: 1.50", "c: 1.00"]
    assert capsys.readouterr().out.splitlines() == [
        "a, 3.00: all below from step 20",
        "b, 1.50: never all below",
        "c, 1.00: none ever below",
    ]
    with pytest.raises(ValueError, match="one entry for each label"):
        plots.plot_losses([0, 10], {"start 0": [4, 2, 1]}, {}, "letter")


def test_a_cell_of_a_map_may_be_framed(shown, capsys):
    plots.plot_maps({"previous": np.eye(4, k=-1), "own": np.eye(4)}, list("abcd"), {"previous": (2, 1)})
    framed = [[patch.get_xy() for patch in axes.patches] for axes in shown[0].axes[:2]]
    assert framed == [[(0.5, 1.5)], []]
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "previous, framed: query c (place 2), key b (place 1), weight 1.00"
    with pytest.raises(ValueError, match=r"no cell \(2, 4\) of 'own': 4 tokens, maps own"):
        plots.plot_maps({"own": np.eye(4)}, list("abcd"), {"own": (2, 4)})
    with pytest.raises(ValueError, match="of 'other'"):
        plots.plot_maps({"own": np.eye(4)}, list("abcd"), {"other": (2, 1)})


def test_experiments_say_the_ends_of_each_group(shown, capsys):
    groups = {"control": {"whole": 1.0, "guess": 0.02}, "off": {"a": 0.5, "b": 0.25, "c": 0.75}}
    plots.plot_experiments(groups, ["control"])
    (axes,) = shown[0].axes
    assert [bar.get_width() for bar in axes.patches] == [1.0, 0.02, 0.5, 0.25, 0.75]
    assert [bar.get_hatch() for bar in axes.patches] == ["///", "///", None, None, None]
    assert [name.get_text() for name in axes.get_yticklabels()] == ["whole", "guess", "a", "b", "c"]
    assert capsys.readouterr().out.splitlines() == [
        "control: 0.02 (guess) to 1.00 (whole)",
        "off: 0.25 (b) to 0.75 (c)",
    ]
    with pytest.raises(ValueError, match="controls must be of control, off; got patched"):
        plots.plot_experiments(groups, ["patched"])
    for wrong in ({}, {"a": 1.5}):
        with pytest.raises(ValueError, match="off must hold accuracies from 0 to 1; got"):
            plots.plot_experiments({"off": wrong}, [])


def test_the_experiments_of_a_start_are_those_that_were_measured():
    record = load_learning()
    groups = plots.experiments_of(record["two layers"][1], record["one layer"][1])
    run = record["two layers"][1]
    assert list(groups["recorded: one head off"].values()) == run["one off"][0] + run["one off"][1]
    assert list(groups["recorded: one whole layer off"].values()) == run["all off"]
    for layer in (0, 1):
        left = groups[f"recorded: all of layer {layer} off but one head"]
        assert list(left.values()) == run["one left"][layer]
    assert groups["recorded: layer 0 cut from one reader"] == run["path cut"]
    assert groups["recorded: patched: says theirs"]["layer 1, all"] == run["patched"]["layer 1, all"][1]
    assert (
        groups["recorded: to compare with"]["a model of one layer"]
        == record["one layer"][1]["accuracies"][-1]
    )


def test_cases_say_where_the_starts_lie(shown, capsys):
    losses = {"whole": np.array([4.0, 4.1]), "out": np.array([5.0, 6.0])}
    accuracies = {"whole": np.array([1.0, 1.0]), "out": np.array([0.5, 0.0])}
    panels = {"loss": losses, "accuracy": accuracies}
    plots.plot_cases(panels, {"loss": ("a guess", 4.05)})
    loss, accuracy = shown[0].axes
    dots = [line.get_xdata().tolist() for line in loss.lines if line.get_marker() == "o"]
    assert dots == [[4, 4.1], [5, 6]]
    assert [name.get_text() for name in loss.get_yticklabels()] == ["whole", "out"]
    assert [text.get_text() for text in loss.texts] == ["a guess"]
    assert not accuracy.texts
    assert capsys.readouterr().out.splitlines() == [
        "loss, whole: 4.00 to 4.10, on both sides of a guess (4.05)",
        "loss, out: 5.00 to 6.00, above a guess (4.05)",
        "accuracy, whole: 1.00 to 1.00",
        "accuracy, out: 0.00 to 0.50",
    ]
    plots.plot_cases({"loss": {"whole": [4]}}, {"loss": ("a guess", 4.5)})
    assert capsys.readouterr().out == "loss, whole: 4.00 to 4.00, below a guess (4.50)\n"


def test_the_cases_of_the_first_key_are_those_that_were_asked_for():
    runs = load_learning()["every token"]
    cases = ["first key out", "nothing changed"]
    panels = plots.cases_of(runs, cases)
    assert list(panels) == ["five starts: loss, first round", "five starts: accuracy, repeats"]
    for title, what in zip(panels, ("loss", "accuracy"), strict=True):
        assert list(panels[title]) == cases
        of_starts = [run["read at the first key"]["first key out"][what] for run in runs]
        assert panels[title]["first key out"] == of_starts
    with pytest.raises(ValueError, match=r"cases must be of nothing changed, .*; got second key out"):
        plots.cases_of(runs, ["nothing changed", "second key out"])


def test_cases_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"accuracy must hold numbers for the cases a, b; got a \(1,\)$"):
        plots.plot_cases({"loss": {"a": [1.0], "b": [2.0]}, "accuracy": {"a": [1.0]}}, {})
    for misfit in (np.zeros(0), np.ones((1, 1))):
        with pytest.raises(ValueError, match="loss must hold numbers for the cases a; got a"):
            plots.plot_cases({"loss": {"a": misfit}}, {})
    with pytest.raises(ValueError, match="loss must hold numbers for the cases ; got none"):
        plots.plot_cases({"loss": {}}, {})
    with pytest.raises(ValueError, match="levels must be of loss; got accuracy"):
        plots.plot_cases({"loss": {"a": [1]}}, {"accuracy": ("a guess", 1)})


def test_maps_say_how_far_back_they_look(shown, capsys):
    maps = {"previous": np.eye(6, k=-1), "own": np.eye(6), "three": np.eye(6, k=-3)}
    plots.plot_maps(maps, list("abcdef"))
    maps_then_scales = [len(axes.images) for axes in shown[0].axes]
    assert maps_then_scales == [1, 1, 1, 0, 0, 0]
    assert capsys.readouterr().out.splitlines() == [
        "previous: in the second half the largest weight lies mostly 1 place back",
        "own: in the second half the largest weight lies mostly 0 places back",
        "three: in the second half the largest weight lies mostly 3 places back",
    ]


def test_circuits_count_the_rows_of_all_symbols(shown, capsys):
    whole = np.eye(5)
    whole[4] = [9, 0, 0, 0, 1]
    sides = {"OV": ("read", "said", "summed"), "QK": ("query", "before the key", "score")}
    plots.plot_circuits({"OV": whole, "QK": np.eye(5)}, list("abc"), sides)
    panels = [axes for axes in shown[0].axes if axes.get_title()]  # beside each stands its scale
    assert [axes.images[0].get_array().shape for axes in panels] == [(3, 3)] * 2
    scales = [axes.get_ylabel() for axes in shown[0].axes if not axes.get_title()]
    told = {
        axes.get_title(): (axes.get_ylabel(), axes.get_xlabel(), scale)
        for axes, scale in zip(panels, scales, strict=True)
    }
    assert told == sides
    assert "on the diagonal in 4 of 5 rows" in capsys.readouterr().out
    for wrong in (np.eye(2), np.ones((4, 5))):
        with pytest.raises(ValueError, match=r"must be square, at least 3 × 3; got shape"):
            plots.plot_circuits({"OV": wrong}, list("abc"), sides)
