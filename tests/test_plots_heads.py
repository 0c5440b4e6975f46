"""helpers.plots.heads: what each head holds, what its queries read, the controls."""

import itertools
from functools import partial
from typing import Any

import numpy as np
import pytest
from kept_figures import kept_figures, result_of

from helpers import plots
from helpers.plots import heads

ROWS = ["cat", "mat"]


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    yield from kept_figures(monkeypatch)


LABELS = np.array([["cat·0", "cat·1", "cat·2", "cat·3"], ["mat·0", "mat·1", "mat·2", "mat·3"]])
SPLIT = LABELS.reshape(2, 2, 2).swapaxes(0, 1)


def test_grids_say_what_each_head_holds(shown, capsys):
    grids = {"before": LABELS, "split": SPLIT, "bare": LABELS.reshape(2, 2, 2)}
    assert result_of(plots.plot_grids, grids, ROWS, 2) is None
    assert capsys.readouterr().out.splitlines() == [
        "before: row 0 holds columns 0–3 of 1 token (cat); 2 of 2 rows hold one token",
        "split: head 0 holds columns 0–1 of 2 tokens (cat mat)",
        "split: head 1 holds columns 2–3 of 2 tokens (cat mat)",
        "bare: head 0 holds columns 0–3 of 1 token (cat)",
        "bare: head 1 holds columns 0–3 of 1 token (mat)",
    ]
    assert [axes.get_title(loc="left") for axes in shown[0].axes] == ["before", "split", "bare"]
    in_order = [text.get_text() for text in shown[0].axes[1].texts]
    assert [text for text in in_order if "·" in text] == SPLIT.ravel().tolist()


def test_a_wrong_merge_is_told(capsys):
    plots.plot_grids({"bare": SPLIT.reshape(2, 4)}, ROWS, 2)
    said = "bare: row 0 holds columns 0–1 of 2 tokens (cat mat); 0 of 2 rows hold one token\n"
    assert capsys.readouterr().out == said


def test_columns_with_a_gap_are_listed(capsys):
    plots.plot_grids({"odd": LABELS[:, [0, 2]]}, ROWS, 2)
    assert "columns 0, 2 of 1 token (cat)" in capsys.readouterr().out


def test_a_colour_is_a_token_and_a_shade_a_head(shown):
    plots.plot_grids({"before": LABELS}, ROWS, 2)
    drawn = np.asarray(shown[0].axes[0].images[0].get_array())
    assert np.array_equal(drawn[:, 0], drawn[:, 1])
    assert len({tuple(colour) for colour in drawn.reshape(-1, 3)}) == 4
    assert (drawn[:, 2] > drawn[:, 0]).any(axis=-1).all()  # paler


def test_two_blues_are_not_two_tokens(shown):
    labels = [[f"{token}·{column}" for column in range(3)] for token in "abcdef"]
    plots.plot_grids({"one column each": labels}, "abcdef", 1)
    drawn = np.asarray(shown[0].axes[0].images[0].get_array(), dtype=float)
    apart = np.linalg.norm(drawn[0][:, None] - drawn[4][None], axis=-1)  # shades of the first and fifth token
    assert apart.min() > 0.1


@pytest.mark.parametrize("label", ["dog·0", "cat", "cat·x", "cat·", 7])
def test_a_label_without_token_or_column_is_refused(label):
    with pytest.raises(ValueError, match="must hold labels such as 'cat·0'; got"):
        plots.plot_grids({"g": [["cat·0", label]]}, ROWS, 2)


def test_labels_in_a_row_are_refused():
    with pytest.raises(ValueError, match=r"\(n_heads, n, columns\); got \(4,\)"):
        plots.plot_grids({"g": LABELS[0]}, ROWS, 2)


HEADS = np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]]])


def test_heads_say_what_each_query_reads_most(shown, capsys):
    assert result_of(plots.plot_heads, HEADS, ["one", "two"], ROWS) is None
    assert capsys.readouterr().out.splitlines() == [
        "one: cat → cat, mat → mat (weight 0.80 or more)",
        "two: cat → mat, mat → mat (weight 0.60 or more)",
    ]
    first, second = shown[0].axes
    assert first.images[0].to_rgba(0.5) == second.images[0].to_rgba(0.5)
    assert (first.get_ylabel(), second.get_ylabel()) == ("queries", "")


def test_a_large_map_leaves_out_weights_next_to_nothing(shown, capsys):
    weights = np.full((1, 11, 11), 0.009)
    weights[0, :, 0] = 0.91
    plots.plot_heads(weights[:, :10, :10], ["one"], list("abcdefghij"))
    assert "not written out" not in capsys.readouterr().out
    plots.plot_heads(weights, ["one"], list("abcdefghijk"))
    written = [[text.get_text() for text in figure.axes[0].texts] for figure in shown]
    assert (len(written[0]), written[1]) == (100, ["0.91"] * 11)
    assert capsys.readouterr().out.endswith("Weights below 0.05 are not written out.\n")


@pytest.mark.parametrize("words", [["cat", "mat"], ["animal", "street"], ["streets", "because"]])
def test_labels_below_neighbouring_keys_do_not_touch(shown, words):
    tokens = [*words, *words]
    plots.plot_heads(np.full((1, 4, 4), 0.25), ["one"], tokens)
    (axes,) = shown[0].axes
    shown[0].canvas.draw()
    labels = [label.get_window_extent() for label in axes.get_xticklabels()]
    is_level = all(label.get_rotation() == 0 for label in axes.get_xticklabels())
    touching = any(one.x1 >= other.x0 for one, other in itertools.pairwise(labels))
    assert is_level == (max(map(len, words)) <= 6)
    assert not (is_level and touching)


def test_the_smallest_weight_of_a_head_is_rounded_down(capsys):
    plots.plot_heads([[[0.947, 0.053], [0.0, 1.0]], [[0.29, 0.71], [0.71, 0.29]]], ["one", "two"], ROWS)
    said = capsys.readouterr().out
    assert "(weight 0.94 or more)" in said
    assert "(weight 0.71 or more)" in said


@pytest.mark.parametrize(
    ("head", "query", "said"), [(0, 0, "cat 0.90, mat 0.10"), (1, 1, "mat 0.60, cat 0.40")]
)
def test_head_frame_shows_the_map_and_reads_one_row(shown, capsys, head, query, said):
    assert result_of(plots.draw_head, HEADS, ["one", "two"], ROWS, head, query) is None
    name, token = ["one", "two"][head], ROWS[query]
    assert capsys.readouterr().out == f"{name} head, query {token!r} (token {query}) reads {said}\n"
    table, bars = shown[0].axes
    assert table.patches[0].get_y() == query - 0.5
    assert [bar.get_height() for bar in bars.patches] == HEADS[head, query].tolist()


def test_choosing_a_head_and_a_query_draws_them(monkeypatch):
    import ipywidgets

    made: dict[str, Any] = {}
    drawn: list[tuple[Any, ...]] = []

    def make(real, **options):
        return made.setdefault(options["description"], real(**options))

    for kind in ("SelectionSlider", "Dropdown"):
        monkeypatch.setattr(ipywidgets, kind, partial(make, getattr(ipywidgets, kind)))
    monkeypatch.setattr(heads, "draw_head", lambda *arguments: drawn.append(arguments[3:]))
    plots.explore_heads(np.full((2, 3, 3), 1 / 3), ["one", "two"], ["the", "cat", "the"])
    assert drawn == [(0, 2)]
    made["head"].value = 1
    made["query"].value = 0  # the first of two equal tokens
    assert drawn[1:] == [(1, 2), (1, 0)]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plots.plot_heads(HEADS, ROWS, ["a", "b", "c"]),
        lambda: plots.draw_head(HEADS, ROWS, ["a", "b", "c"], 0, 0),
    ],
)
def test_tokens_that_do_not_fit_are_refused_with_both_shapes(draw):
    with pytest.raises(ValueError, match=r"must have shape \(.*\), one entry for each label; got \("):
        draw()


# Three models, one head each: it looks at the first token, the one before the query, the one after it.
BEFORE, AFTER = np.eye(5, k=-1), np.eye(5, k=1)
FIRST = np.zeros((5, 5))
FIRST[:, 0] = 0.75
VERSIONS = {"first": FIRST[None], "before": BEFORE[None], "after": 0.5 * AFTER[None]}


def test_versions_say_where_most_of_the_weight_lies(shown, capsys):
    assert result_of(plots.plot_versions, VERSIONS, ["head (1, 2)"], list("abcde")) is None
    said = "head (1, 2): first first 0.75, before before 1.00, after after 0.50\n"
    assert capsys.readouterr().out == said
    assert [axes.get_title() for axes in shown[0].axes[:3]] == ["first", "before", "after"]


def test_versions_have_a_row_a_head_and_one_scale(shown, capsys):
    both = {"A": np.stack([FIRST, BEFORE]), "B": np.stack([AFTER, np.eye(5)])}
    plots.plot_versions(both, ["one", "two"], list("abcde"))
    assert capsys.readouterr().out.splitlines() == [
        "one: A first 0.75, B after 1.00",
        "two: A before 1.00, B itself 1.00",
    ]
    images = [axes.images[0] for axes in shown[0].axes[:4]]
    assert {image.get_clim() for image in images} == {(0, 1)}
    for image, weights in zip(images, [FIRST, AFTER, BEFORE, np.eye(5)], strict=True):
        assert np.array_equal(image.get_array(), weights)


@pytest.mark.parametrize(
    ("versions", "names", "tokens", "said"),
    [
        (VERSIONS, ["a", "b"], list("abcde"), r"first must have shape \(2, 5, 5\).*got \(1, 5, 5\)"),
        (VERSIONS, ["a"], list("abcd"), r"first must have shape \(1, 4, 4\).*got \(1, 5, 5\)"),
        ({"A": np.eye(3)[None]}, ["a"], list("abc"), "there must be 4 tokens or more; got 3"),
    ],
)
def test_versions_that_do_not_fit_are_refused(versions, names, tokens, said):
    with pytest.raises(ValueError, match=said):
        plots.plot_versions(versions, names, tokens)
