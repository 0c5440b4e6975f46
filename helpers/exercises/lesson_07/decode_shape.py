"""decode-shape, lesson 07: the map of weights in the middle of a word that is being written."""

from helpers.exercises.kinds.predict import Predict, Slip

SPELLING = "07: From spelling to sound"

EXERCISE = Predict(
    name="decode-shape",
    task="The shape of the weights that decode returns for *phone*, when `· F OW N` is written.",
    answer=(4, 6),
    because="A row for each symbol that is there already, the mark and three sounds: each asks for the one "
    "after it. A column for each row of the encoded source, the mark and five letters. The mark of the "
    "source may not be read, but it keeps its column, with weight 0.",
    slips=(
        Slip(
            "no-marks",
            (3, 5),
            "That is three sounds by five letters. Both sequences begin with a mark, and a mark is a symbol "
            "too: it has a row here and a column there.",
        ),
        Slip(
            "no-mark-in-the-target",
            (3, 6),
            "The target begins with a mark as well. Its row asked for the F.",
        ),
        Slip(
            "no-mark-in-the-source",
            (4, 5),
            "The mark of the source may not be read. Hiding a key sets its weight to 0; its column stays.",
        ),
        Slip("turned", (6, 4), "Both numbers are right. Queries are rows, and the target asks."),
        Slip(
            "the-end-counted",
            (5, 6),
            "The end is not written yet. It is what the last of these rows asks for.",
        ),
        Slip(
            "the-last-row",
            (1, 6),
            "The last row is the one that chooses the next symbol. decode returns a row for each symbol that "
            "is there.",
        ),
        Slip(
            "encoded-source",
            (6, 96),
            "That is the encoded source, which gives the keys and values. A weight belongs to a pair: who "
            "asks, and who is read.",
        ),
        Slip(
            "scores",
            (4, 40),
            "Those are the scores of the next symbol, the other thing that decode returns: 39 sounds and the "
            "end.",
        ),
        Slip(
            "self-attention",
            (4, 4),
            "That is the decoder's self-attention, target by target. In cross attention the keys come from "
            "the source.",
        ),
    ),
    hints=(
        "Who asks? A row for each symbol of the target, the mark among them.",
        "Who is asked? A column for each row of the encoded source. How many has *phone*, with its mark?",
    ),
    reread=SPELLING,
)
