"""Whatever is spoilt in a lesson is noticed: a copy of each kind. tools/corruptions.py tries a hundred."""

from __future__ import annotations

import random
from functools import cache

import corruptions
import nbformat
import notebook_checks
import pytest
from lesson_files import as_tested
from test_notebooks import NOTEBOOKS, read

# A notebook in which a learner has worked is tested as committed: spoiling it would go unnoticed.
INTACT = [path for path in NOTEBOOKS if as_tested(path) == path]
SOFTMAX = [path for path in INTACT if path.stem == "03_softmax"]
pytestmark = pytest.mark.skipif(not SOFTMAX, reason="a learner has worked in lesson 03")
SEEN = [kind for kind in corruptions.KINDS if kind not in corruptions.UNSEEN]


@cache
def spoilt_copies() -> dict[str, corruptions.Copy]:
    """() -> a spoilt copy of each kind."""
    return {spoilt.kind: spoilt for spoilt in corruptions.copies(INTACT, len(corruptions.KINDS), seed=0)}


@pytest.mark.parametrize("kind", SEEN)
def test_what_is_spoilt_is_noticed(kind: str) -> None:
    spoilt = spoilt_copies()[kind]
    assert corruptions.noticed(spoilt), str(spoilt)


def test_an_intact_lesson_is_left_in_peace() -> None:
    (path,) = SOFTMAX
    assert notebook_checks.by_the_tests(path, read(path)) == ""
    assert notebook_checks.by_comparison(read(path), read(path)) == ""


def test_code_that_was_changed_and_not_run_is_noticed_by_running_it() -> None:
    (path,) = SOFTMAX
    notebook = nbformat.read(path, as_version=4)
    (cell,) = [cell for cell in notebook.cells if cell.id == "saturated"]
    cell.source = cell.source.replace("25", "26")
    spoilt = corruptions.Copy(path, corruptions.NOT_RUN, cell.id, notebook)
    assert corruptions.noticed(spoilt) == ""
    assert corruptions.by_running(spoilt) == "strict run"


def test_the_same_seed_makes_the_same_copies() -> None:
    again = [str(spoilt) for spoilt in corruptions.copies(INTACT, 5, seed=0)]
    assert again == [str(spoilt) for spoilt in spoilt_copies().values()][:5]
    assert again != [str(spoilt) for spoilt in corruptions.copies(INTACT, 5, seed=1)]


def test_another_digit_is_another_number() -> None:
    for seed in range(20):
        text = corruptions.another_digit("of 15 words", corruptions.NUMBER, random.Random(seed))
        assert text != "of 15 words"
        assert len(text) == len("of 15 words")
