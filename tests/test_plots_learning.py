"""The pictures of lesson 12: what each draws, and that its finding follows the numbers."""

import numpy as np
import pytest
from kept_figures import kept_figures

from helpers import plots


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    yield from kept_figures(monkeypatch)


def test_curves_say_when_they_cross_the_level(shown, capsys):
    panels = {"accuracy": {"rises": [0, 0.2, 0.7], "stays": [0, 0.1, 0.1]}, "loss": {"falls": [4, 3, 0.1]}}
    plots.plot_learning([20, 40, 60], panels)
    assert [axes.get_title() for axes in shown[0].axes] == list(panels)
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "accuracy, rises: below 0.5 at first, on the other side from step 60",
        "accuracy, stays: below 0.5 to the end",
        "loss, falls: above 0.5 at first, on the other side from step 60",
    ]
    with pytest.raises(ValueError, match="one entry for each label"):
        plots.plot_learning([20, 40], panels)


def test_maps_say_how_far_back_they_look(shown, capsys):
    maps = {"previous": np.eye(6, k=-1), "own": np.eye(6), "three": np.eye(6, k=-3)}
    plots.plot_maps(maps, list("abcdef"))
    assert [len(axes.images) for axes in shown[0].axes] == [1, 1, 1]
    assert capsys.readouterr().out.splitlines() == [
        "previous: in the second half the largest weight lies mostly 1 place back",
        "own: in the second half the largest weight lies mostly 0 places back",
        "three: in the second half the largest weight lies mostly 3 places back",
    ]


def test_circuits_count_the_rows_of_all_symbols(shown, capsys):
    whole = np.eye(5)
    whole[4] = [9, 0, 0, 0, 1]
    plots.plot_circuits({"OV": whole}, list("abc"), ("read", "said"))
    (axes,) = shown[0].axes
    assert axes.images[0].get_array().shape == (3, 3)
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("read", "said")
    assert "on the diagonal in 4 of 5 rows" in capsys.readouterr().out
    for wrong in (np.eye(2), np.ones((4, 5))):
        with pytest.raises(ValueError, match=r"must be square, at least 3 × 3; got shape"):
            plots.plot_circuits({"OV": wrong}, list("abc"), ("read", "said"))
