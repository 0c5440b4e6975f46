"""For the fixtures of tests that look into figures."""

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

from helpers.plots import canvas


def kept_figures(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Figure]]:
    """-> the figures that were shown, kept open so that a test can look into them."""
    mpl.use("agg")
    figures: list[Figure] = []
    monkeypatch.setattr(canvas, "show", figures.append)
    yield figures
    plt.close("all")
