"""why-not-d, lesson 02: why √d_k and not d_k?"""

from helpers.exercises.kinds.choose import Choose
from helpers.exercises.slips.scaling import LARGE

EXERCISE = Choose(
    name="why-not-d",
    task="Why √d_k and not d_k?",
    answer="b",
    options={
        "a": "A division by d_k costs as much as one by √d_k: either is one number, known in advance. "
        "What does each do to the spread √d_k?",
        "b": "Dividing numbers by c divides their spread by c: √d_k / d_k = 1/√d_k, which is 1/32 for "
        "d_k 1024. "
        "Then no key stands out. Divided by √d_k, the spread is 1 for every d_k.",
        "c": "It is the other way round: dividing by the larger number makes scores smaller, and small "
        "scores make "
        "weights equal. The largest weight comes close to 1 where nothing is divided.",
        "d": "Softmax looks at the differences of scores. Dividing makes these differences smaller, so "
        "that the weights "
        "change; only adding a number to all scores leaves them as they are.",
    },
    hints=(
        "The spread of the scores is √d_k. What is left of it after dividing by d_k?",
        "Put in d_k 1024: the spread is 32 before, and then 32/1024.",
    ),
    reread=LARGE,
)
