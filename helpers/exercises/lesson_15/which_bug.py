"""which-bug, lesson 15: which of eight mistakes is in which of eight broken models?"""

from helpers.exercises.kinds.predict import Slip
from helpers.exercises.kinds.table import Table
from helpers.pretrained.suspects import SUSPECTS

SEARCH = "15: Which bug wrote this?"
MISTAKES = (  # in the order in which the lesson lists them, from 1
    "never_scaled",
    "divided_by_d_k",
    "over_queries",
    "nothing_hidden",
    "upper_left",
    "counted_from_0",
    "other_layout",
    "taken_in_turn",
)
NUMBERS = {letter: 1 + MISTAKES.index(each.broken.__name__) for letter, each in SUSPECTS.items()}
PAIRS = {1: 2, 2: 1, 5: 6, 6: 5, 4: 5, 3: 8, 8: 3, 7: 6}  # what each is taken for
REPLIES = (
    "Mistakes 1 and 2 make scores too large or too small. Large ones leave nearly all weight on one key (an "
    "entropy near 0), small ones share it out. Read the entropy again.",
    "Mistakes 5 and 6 are both right in one pass and wrong through the cache. Which of the two changes "
    "what a "
    "head may look at, and which only where it thinks it stands? Read the weight on the first token.",
)


def _number(letter: str) -> tuple[int]:
    return (NUMBERS[letter],)


def _other(*numbers: int) -> object:
    """A row's letter -> the number that it is taken for, where it is one of these."""
    return lambda letter: PAIRS[NUMBERS[letter]] if NUMBERS[letter] in numbers else -1


EXERCISE = Table(
    name="which-bug",
    task="The number of the mistake in each of the eight broken models, A to H.",
    row_name="model",
    labels=tuple(SUSPECTS),
    columns=("mistake",),
    row=_number,
    exact=(0,),
    slips=(
        (
            Slip("scale-turned", _other(1, 2), REPLIES[0]),
            Slip("cache-turned", _other(5, 6), REPLIES[1]),
            Slip(
                "leak-as-cache",
                _other(4),
                "This one is better than the right model in one pass: nobody predicts better than one who "
                "sees the answer.",
            ),
            Slip(
                "sums-or-heads",
                _other(3, 8),
                "Mistakes 3 and 8 both give nonsense. In one of them the rows of weights do not sum to 1.",
            ),
            Slip(
                "layout-as-places",
                _other(7),
                "This one is wrong in one pass, too, where every place is counted right. What does it do to "
                "the weight on the token before?",
            ),
        ),
    ),
    because="Three can be told by the loss alone: lower than right is a leak; right in one pass and wrong "
    "through the cache is the mask's corner or the places, and the map tells which. Entropy tells the two "
    "wrong "
    "scales, sums of rows the wrong axis, the missing previous-token heads the layout. What is left has "
    "sound "
    "maps of the wrong keys: the heads in turn.",
    hints=(
        "Begin with the loss. One model is better than the right one, and two are right in one pass.",
        "Then the maps: an entropy near 0, one near that of equal weights, rows that do not sum to 1.",
        "Of those left, one has no previous-token head.",
    ),
    reread=SEARCH,
)
