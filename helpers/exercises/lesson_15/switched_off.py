"""switched-off, lesson 15: what happens to the induction head when the previous-token head is off?"""

from helpers.exercises.kinds.choose import Choose

HEADS = "15: What the heads look at"

EXERCISE = Choose(
    name="switched-off",
    task="What happens to the induction head (18, 6) when the previous-token head (16, 0) is off?",
    answer="b",
    options={
        "a": "Its own queries and keys are untouched, but they are made from the stream, and (16, 0) writes "
        "into that. A head two layers up reads what heads below have written.",
        "b": "It finds less, and rests more on the first token. That fits lesson 12: there the first head "
        "notes in each token what came before it, and the second looks for such notes.",
        "c": "If it took over, the loss would hardly move, and switching off (16, 0) costs more than any "
        "other single head here.",
        "d": "A head with nothing to go by could share its weight out evenly. This one does not: part of its "
        "weight stays on the token to copy, and part of it rests on the first token.",
    },
    hints=(
        "Which layer comes first, 16 or 18? What can the later head read of what the earlier one did?",
        "To copy b after the second a, a head has to find the token that had an a before it. Who knows that?",
    ),
    reread=HEADS,
)
