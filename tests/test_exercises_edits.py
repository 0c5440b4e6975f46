"""An answer and its edits: how a way is read, and in what order edits of one place are made."""

import subprocess
import sys

from helpers.exercises.engine.edits import Edits


def my_product(one, other):
    """Two arrays -> their product."""
    return one * other


def test_a_way_may_hold_an_at_sign():
    edits = Edits(my_product, {"product": "one * other"})
    (mistake,) = edits.mistakes("matrices\n  says\n  idea\n  | product => one @ other", reread="00: Here")
    assert mistake.ways == ({"at product": 1},)


def test_a_way_is_made_once_for_each_number():
    edits = Edits(my_product, {"product": "one * other"})
    mistakes = edits.mistakes("factor\n  says\n  idea\n  @ n = 2 3\n  | product => n * it", reread="00: Here")
    recipe = edits.recipe()
    assert [recipe(5, 7, **way) for way in mistakes[0].ways] == [70, 105]


def test_a_later_recipe_knows_later_edits():
    edits = Edits(my_product, {"product": "one * other", "left": "one in product"})
    first = edits.way("left => 2 * it")
    assert edits.recipe()(5, 7, **first) == 70
    second = edits.way("left => 3 * it")
    assert edits.recipe()(5, 7, **second) == 105
    assert edits.recipe()(5, 7, **first) == 70


IN_ORDER = """
from helpers.exercises.engine.edits import Edits
from tests.test_exercises_edits import my_product
edits = Edits(my_product, {"first": "one * other", "second": "one * other"})
both = {**edits.way("first => it + 1"), **edits.way("second => 10 * it")}
print(edits.recipe()(2, 3, **both))
"""


def test_two_places_at_one_expression_are_edited_in_the_order_written():
    found = {
        subprocess.run(
            [sys.executable, "-c", IN_ORDER], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for seed in ("0", "1", "2", "3", "4")
    }  # fmt: skip
    assert found == {"70"}, "a set of names has another order in every process"
