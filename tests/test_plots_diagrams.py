"""Pictures of boxes and arrows: what they say, and that no box covers another."""

import pytest
from kept_figures import kept_figures

from helpers import plots


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    yield from kept_figures(monkeypatch)


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (plots.plot_attention_machine, "three learned tables"),
        (plots.plot_multi_head_block, "Three heads work side by side"),
        (plots.plot_encoder_decoder, "queries from below, keys and values from above"),
        (plots.plot_race, "Only W is learned"),
        (plots.plot_way_back, "dO splits into dV and dP"),
        (plots.plot_tiled_attention, "The division comes last, once."),
        (plots.plot_prefill_decode, "the whole cache is read, for every token anew"),
        (plots.plot_language_block, "One of 30 layers"),
        (plots.plot_induction, "its query finds the key with this note"),
    ],
)
def test_diagrams_say_what_they_show_and_no_box_covers_another(shown, capsys, draw, said):
    assert draw() is None
    assert said in capsys.readouterr().out
    figure = shown[0]
    figure.draw_without_rendering()
    boxes = [patch.get_window_extent() for patch in figure.axes[0].patches if hasattr(patch, "get_boxstyle")]
    assert len(boxes) >= 6
    assert not any(box.overlaps(other) for i, box in enumerate(boxes) for other in boxes[:i])


def test_transformer_says_where_attention_is(capsys):
    plots.plot_transformer()
    assert "only in attention do arrows cross" in capsys.readouterr().out
