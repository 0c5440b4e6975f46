"""Grids of small digits, their patches, and the two heads in data/digits.npz that read them."""

import importlib.util
import os
import re
import zipfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from helpers import datasets
from helpers.cross_attention import cross_attention
from helpers.datasets import Digits, load_digits, load_word_vectors
from helpers.multi_head import Projections
from helpers.readers.digits import add_places, cut_into_patches, draw_grids, measure, read_places

MAKERS = Path(__file__).resolve().parent.parent / "data" / "makers"
PACKAGE_VARIABLE = "DIGITS_PACKAGE"  # the wheel of scikit-learn 1.9.1, or a folder with it unpacked
CHANCE = 1 / 9


@pytest.fixture(scope="module")
def digits() -> Digits:
    return load_digits()


@pytest.fixture(scope="module")
def make_digits() -> ModuleType:
    """data/makers/make_digits.py as a module: data/makers is not a package."""
    spec = importlib.util.spec_from_file_location("make_digits", MAKERS / "make_digits.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(MAKERS)  # the script imports train_reader, which stands beside it
        spec.loader.exec_module(module)
    return module


def a_cell(number: int) -> np.ndarray:
    """An image with `number` everywhere, so that it can be told from others after cutting."""
    return np.full((8, 8), number, dtype=np.uint8)


TEN_IMAGES = np.stack([a_cell(digit + 1) for digit in range(10)])


# --- grids and patches


def test_a_grid_holds_three_different_digits_where_it_says_so() -> None:
    grids = draw_grids(TEN_IMAGES, np.arange(10), 200, np.random.default_rng(0))
    assert grids.images.shape == (200, 24, 24)
    assert grids.images.dtype == np.uint8
    for image, shown, cells in zip(*grids, strict=True):
        assert len(set(shown)) == len(set(cells)) == 3
        expected = np.zeros((24, 24))
        for digit, cell in zip(shown, cells, strict=True):
            row, column = 8 * (cell // 3), 8 * (cell % 3)
            expected[row : row + 8, column : column + 8] = digit + 1
        assert np.array_equal(image, expected)
    assert set(grids.digits.ravel()) == set(range(10))
    assert set(grids.cells.ravel()) == set(range(9))


def test_the_same_generator_draws_the_same_grids_and_uses_every_image() -> None:
    images = np.arange(20, dtype=np.uint8)[:, None, None] * np.ones((8, 8), dtype=np.uint8)
    labels = np.arange(20) % 10
    first, second = (draw_grids(images, labels, 100, np.random.default_rng(5)) for _ in range(2))
    assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))
    assert set(np.unique(first.images)) == set(range(20))


def test_a_digit_without_an_image_is_reported() -> None:
    with pytest.raises(ValueError, match="there is no image of 7"):
        draw_grids(TEN_IMAGES, np.where(np.arange(10) == 7, 6, np.arange(10)), 5, np.random.default_rng(0))


def test_patches_are_the_cells_row_by_row() -> None:
    image = np.arange(24 * 24).reshape(24, 24) % 17
    patches = cut_into_patches(np.stack([image, image[::-1]]))
    assert patches.shape == (2, 9, 64)
    for cell in range(9):
        row, column = 8 * (cell // 3), 8 * (cell % 3)
        expected = [image[row + i, column + j] / 16 for i in range(8) for j in range(8)]
        assert patches[0, cell].tolist() == expected


def test_places_mark_the_row_and_the_column() -> None:
    context = add_places(np.zeros((2, 9, 64)))
    assert context.shape == (2, 9, 70)
    for cell in range(9):
        expected = np.zeros(6)
        expected[cell // 3] = expected[3 + cell % 3] = 1
        assert np.array_equal(context[1, cell, 64:], expected)


def test_reading_a_place_undoes_marking_it() -> None:
    places = add_places(np.zeros((9, 64)))[:, 64:]
    assert read_places(places).tolist() == list(range(9))


@pytest.mark.parametrize(
    ("function", "shape", "said"),
    [
        (cut_into_patches, (8, 24), "images must have shape (..., 24, 24); got shape (8, 24)"),
        (cut_into_patches, (24,), "got shape (24,)"),
        (add_places, (8, 64), "patches must have shape (..., 9, 64); got shape (8, 64)"),
        (add_places, (64,), "got shape (64,)"),
        (read_places, (4, 5), "output must have shape (..., 6); got shape (4, 5)"),
    ],
)
def test_wrong_shapes_are_refused_with_both_shapes(
    function: object, shape: tuple[int, ...], said: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        function(np.zeros(shape))  # type: ignore[operator]


def test_words_are_not_images() -> None:
    with pytest.raises(TypeError, match="images must hold real numbers"):
        cut_into_patches([["seven"]])


# --- the file


def test_the_held_out_images(digits: Digits) -> None:
    assert digits.images.shape == (300, 8, 8)
    assert digits.images.dtype == np.uint8
    assert digits.images.max() == 16
    assert np.bincount(digits.labels).tolist() == [30] * 10
    assert len(np.unique(digits.images.reshape(300, -1), axis=0)) == 300
    assert digits.words == ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@pytest.mark.parametrize("name", ["head", "looks_away"])
def test_a_head_joins_words_to_patches(digits: Digits, name: str) -> None:
    head: Projections = getattr(digits, name)
    assert np.shape(head.w_q)[0] == load_word_vectors().vectors.shape[1]
    assert np.shape(head.w_k)[0] == np.shape(head.w_v)[0] == 64 + 6
    assert np.shape(head.w_q)[1] == np.shape(head.w_k)[1]
    assert np.shape(head.w_o) == (np.shape(head.w_v)[1], 6)
    assert head.b_k is None
    assert head.b_v is None
    assert all(np.asarray(array).dtype == np.float64 for array in head if array is not None)


@pytest.mark.parametrize(("name", "listed"), [("head", "head"), ("looks_away", "away")])
def test_the_figures_are_what_the_head_does(
    digits: Digits, make_digits: ModuleType, name: str, listed: str
) -> None:
    vectors = load_word_vectors().rows(digits.words)
    images = make_digits.Images(digits.images, digits.labels)
    assert digits.figures["questions"] == 3 * make_digits.N_GRIDS
    found = make_digits.measure(getattr(digits, name), images, vectors, digits.figures["test_seed"])
    for what, number in found.items():
        assert number == pytest.approx(digits.figures[listed][what], abs=0.001)


def test_the_lesson_measures_as_the_script_does(digits: Digits, make_digits: ModuleType) -> None:
    vectors = load_word_vectors().rows(digits.words).astype(np.float64)
    grids = draw_grids(digits.images, digits.labels, make_digits.N_GRIDS, np.random.default_rng(1))
    images = make_digits.Images(digits.images, digits.labels)
    for head in (digits.head, digits.looks_away):
        expected = make_digits.measure(head, images, vectors, seed=1)
        assert measure(head, vectors, grids) == pytest.approx((expected["accuracy"], expected["mass"]))


def test_one_head_looks_at_the_digit_and_the_other_away_and_both_are_right(digits: Digits) -> None:
    head, away = digits.figures["head"], digits.figures["away"]
    assert head["accuracy"] > 0.97
    assert head["mass"] > 0.85
    assert away["accuracy"] > 0.9
    assert away["mass"] < CHANCE / 2
    assert head["accuracy"] > away["accuracy"]


def test_a_digit_is_found_wherever_it_stands(digits: Digits) -> None:
    x = load_word_vectors().rows(["seven"])
    seven = digits.images[digits.labels == 7][0]
    for cell in range(9):
        image = np.zeros((24, 24))
        row, column = 8 * (cell // 3), 8 * (cell % 3)
        image[row : row + 8, column : column + 8] = seven
        output, weights = cross_attention(x, add_places(cut_into_patches(image)), digits.head)
        assert read_places(output).tolist() == [cell]
        assert weights.shape == (1, 1, 9)
        assert weights[0, 0].argmax() == cell


def test_the_questions_are_asked_of_images_that_no_head_learned_from(
    make_digits: ModuleType, digits: Digits
) -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(10, dtype=np.uint8), 70)
    source = make_digits.Images(np.arange(700).reshape(-1, 1, 1), rng.permutation(labels))
    parts = make_digits.split(source)
    assert [len(part.labels) for part in parts] == [100, 300, 300]
    assert sorted(np.concatenate([part.images.ravel() for part in parts])) == list(range(700))
    for part in parts:
        assert np.array_equal(source.labels[part.images.ravel()], part.labels)
        assert len(set(np.bincount(part.labels))) == 1
    assert digits.figures["images_in_training"] + 2 * len(digits.labels) == 1_797


# --- the derivation


def test_the_chosen_heads_are_the_most_accurate_of_each_kind(make_digits: ModuleType) -> None:
    found = [(0.9, 0.0), (0.97, 0.96), (0.95, 0.1), (0.98, 0.97), (0.3, 0.0)]
    on_dev = [{"accuracy": accuracy, "largest": largest} for accuracy, largest in found]
    assert make_digits.choose(on_dev) == (3, 2)
    with pytest.raises(ValueError, match="no head looks away"):
        make_digits.choose([on_dev[1], on_dev[3]])


def test_training_is_the_same_twice_and_gives_small_numbers(
    make_digits: ModuleType, digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_digits, "STEPS", 3)
    images = make_digits.Images(digits.images, digits.labels)
    vectors = load_word_vectors().rows(digits.words)
    first, second = (make_digits.train_head(images, vectors, seed=4) for _ in range(2))
    for name, array in first._asdict().items():
        if array is not None:
            assert array.dtype == np.float16
            assert np.array_equal(array, getattr(second, name))


def test_another_source_is_refused(make_digits: ModuleType, tmp_path: Path) -> None:
    wheel = tmp_path / "package.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(make_digits.SOURCE_FILE, b"other digits")
    with pytest.raises(SystemExit, match=f"expected {make_digits.SOURCE_SHA256}"):
        make_digits.read_source(wheel)


def test_the_list_names_the_source_that_the_script_checks(make_digits: ModuleType) -> None:
    source = datasets.listed_files()["digits.npz"]["source"]
    for part in (
        make_digits.PACKAGE,
        make_digits.VERSION,
        make_digits.SOURCE_FILE,
        make_digits.SOURCE_SHA256,
    ):
        assert part in source


@pytest.mark.skipif(
    PACKAGE_VARIABLE not in os.environ,
    reason=f"{PACKAGE_VARIABLE} does not name the package scikit-learn 1.9.1",
)
def test_the_shipped_images_are_those_of_the_package(make_digits: ModuleType, digits: Digits) -> None:
    *_, test = make_digits.split(make_digits.read_source(Path(os.environ[PACKAGE_VARIABLE])))
    assert np.array_equal(test.images, digits.images)
    assert np.array_equal(test.labels, digits.labels)
