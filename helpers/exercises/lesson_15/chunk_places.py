"""chunk-places, lesson 15: the places of new tokens, counted from the start of the text."""

from typing import Any

import numpy as np

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe
from helpers.exercises.kinds.fix import Mend
from helpers.exercises.kinds.write import Property
from helpers.pretrained.language import places
from helpers.validation import Array

INVISIBLE = "15: The bug that nobody sees"


def my_places(n_new: int, n_before: int) -> Array:
    """n_new, n_before -> (n_new,): the places of new tokens, after n_before that are in the cache."""
    first = n_before
    return first + np.arange(n_new)


EDITS = Edits(
    my_places,
    {
        "start": "n_before",
        "count": "np.arange(n_new)",
        "n": "n_new",
        "sum": "first + np.arange(n_new)",
    },
)
MISTAKES = EDITS.mistakes(
    """
one-late
    everything after the first chunk is one place too far on
    The tokens in the cache have the places 0 to n_before − 1, so the next one is n_before.
    | sum => it + (n_before > 0)

one-early
    everything after the first chunk is one place too early
    The tokens in the cache have the places 0 to n_before − 1, so the next one is n_before.
    | sum => it - (n_before > 0)

from-0
    you counted each chunk from 0
    A token's place is counted in the whole text: n_before tokens come before the first new one.
    | sum => count

one-too-early
    you begin one place too early
    The tokens in the cache have the places 0 to n_before − 1, so the next one is n_before.
    | sum => it - 1

stops-too-early
    you stop at n_new, as if no token came before
    The second number of np.arange is where it stops: n_before + n_new.
    | sum => np.arange(n_before, n_new)

one-too-many
    you gave one place too many
    There are n_new new tokens. np.arange stops before its second number.
    | count => np.arange(n_new + 1)

from-1
    you counted from 1
    A model with rotary positions cannot tell: only distances count. Others can, so count from 0.
    | sum => it + 1

all-at-once
    you gave every new token the same place
    Each is one place after the one before.
    | sum => start + np.zeros(n_new)

whole-text
    you gave the places of all tokens, old and new
    The tokens in the cache were rotated when they came. Only the new ones need places.
    | sum => np.arange(n_before + n_new)

backwards
    you counted backwards
    The first new token comes first: n_before, then n_before + 1.
    | count => it[::-1]

ends-at-n_before
    you put the last new token where the first should be
    n_before is the place of the first new token.
    | sum => it - n_new + 1

swapped
    you swapped n_new and n_before
    n_new places are asked for, and the first of them is n_before.
    | sum => n_new + np.arange(n_before)

end-counted
    you spread the places so that the last is n_before + n_new
    The next place is n_before, and each is one after the one before: the last is n_before + n_new − 1.
    | sum => np.linspace(n_before, n_before + n_new, n_new).astype(int)

chunks-counted
    you took n_before for a number of chunks
    It counts tokens: n_before of them are in the cache.
    | sum => n_before * n_new + count
""",
    INVISIBLE,
)


def _goes_on(inputs: Any, output: Array, call: Any) -> str:
    n_new, n_before = inputs["n_new"], inputs["n_before"]
    if output.shape != (n_new,):
        return ""
    whole = call(n_new + n_before, 0)
    if whole is None or whole.shape != (n_new + n_before,) or np.array_equal(whole[n_before:], output):
        return ""
    return (
        f"In one pass the last {n_new} of {n_new + n_before} tokens have the places "
        f"{whole[n_before:].tolist()}, and through the cache {output.tolist()}."
    )


EXERCISE = Mend(
    name="chunk-places",
    answer=my_places,
    bug=EDITS.bug("start => n_before + 1 if n_before else 0"),
    task="The places of new tokens, after n_before in the cache. All but the first chunk are one off.",
    given="one-late",
    symptom="compare my_places(4, 0) with my_places(1, 3): token 3 should have the same place in both.",
    call="my_places(n_new, n_before)",
    right=places,
    recipe=EDITS.recipe(),
    probes=tuple(
        Probe(kind, {"n_new": n_new, "n_before": n_before})
        for kind, n_new, n_before in (
            (EXAMPLE, 2, 5),
            ("the whole text at once", 4, 0),
            ("one token after three", 1, 3),
            ("five tokens after two", 5, 2),
            ("three tokens after one", 3, 1),
        )
    ),
    properties=(Property("goes on", "in chunks as in one pass", _goes_on),),
    axes=("token",),
    mistakes=MISTAKES,
    hints=(
        "How many tokens are in the cache, and which place has the last of them?",
        "Places count from 0. After n_before tokens the next place is n_before.",
    ),
    explain="The 15 tokens of this section came out the same with this bug. What finds it is a test: the "
    "same tokens, in one pass and in chunks, must give the same scores.",
    reread=INVISIBLE,
)
