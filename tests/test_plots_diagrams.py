"""Pictures of boxes and arrows: what they say, and that no box covers another."""

import numpy as np
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


def test_the_query_of_an_induction_head_looks_for_the_key_and_not_the_other_way_round(shown, capsys):
    plots.plot_induction("x", "y")
    assert "when x comes again, its query finds the key with this note" in capsys.readouterr().out
    axes = shown[0].axes[0]
    words = {text.get_text(): text.get_position() for text in axes.texts}
    key, query = words["y, with a note:\n“after x”"], words["a query: I am x,\nwho came after me?"]
    arrows = [patch.get_path().vertices for patch in axes.patches if not hasattr(patch, "get_boxstyle")]
    shafts = [(path[0], path[2]) for path in arrows]  # a curve's begin and end; the head comes after it
    (level,) = [shaft for shaft in shafts if np.allclose([shaft[0][1], shaft[1][1]], key[1])]
    assert query[0] > level[0][0] > level[1][0] > key[0]  # from the query to the key


def test_the_next_tile_brings_keys_and_values(shown):
    plots.plot_tiled_attention()
    axes = shown[0].axes[0]
    words = {text.get_text(): text.get_position() for text in axes.texts}
    (box,) = [place for said, place in words.items() if "keys (" in said and "values (" in said]
    (way_back,) = axes.lines
    assert way_back.get_xdata()[-1] == box[0]  # the arrow rises below this box
    assert {"keys", "values"} <= set(words)


def test_transformer_says_where_attention_is(capsys):
    plots.plot_transformer()
    assert "only in attention do arrows cross" in capsys.readouterr().out
