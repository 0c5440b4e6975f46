"""accuracy, lesson 07: the share of words that are written exactly right."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from helpers.exercises.engine.edits import Edits
from helpers.exercises.engine.probes import EXAMPLE, Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.readers.model import symbol_error_rate, word_accuracy  # noqa: F401 (an edit names one)
from helpers.validation import Array

OFTEN = "07: Optional: how often is it right?"


def alike(one: Sequence[str], other: Sequence[str]) -> int:
    """At how many places two texts agree."""
    return sum(map(str.__eq__, one, other))


def symbols_together(
    words: Iterable[tuple[str, Sequence[str]]], split: Callable[[str], Sequence[str]]
) -> float:
    """The share of symbols that are right, those of all words taken together."""
    pairs = [(split(text), split(texts[0])) for text, texts in words]
    return sum(alike(*pair) for pair in pairs) / sum(len(wanted) for _, wanted in pairs)


def divided_each_time(marks: Sequence[float], n_words: int) -> float:
    count = 0.0
    for mark in marks:
        count = (count + mark) / n_words
    return count


def _from_0_to_1(_inputs: Any, share: Array, _call: Any) -> str:
    got = float(share)
    return "" if -1e-6 <= got <= 1 + 1e-6 else f"A share lies from 0 to 1; yours is {_number(got)}."


def _number(value: float) -> str:
    """A number in few digits."""
    return f"{value:.4g}"


def _all_right(inputs: Any, _share_got: Array, call: Any) -> str:
    accepted = inputs["accepted"]
    for which, place in (("first", 0), ("last", -1)):
        got = call([texts[place] for texts in accepted], accepted)
        if got is not None and got.shape == () and abs(float(got) - 1) > 1e-6:
            return (
                f"Where each word is written as the {which} text that is accepted for it, the share should "
                f"be 1; yours is {_number(float(got))}."
            )
    return ""


def _all_wrong(inputs: Any, _share_got: Array, call: Any) -> str:
    got = call(["?"] * len(inputs["written"]), inputs["accepted"])
    if got is None or got.shape != () or abs(float(got)) <= 1e-6:
        return ""
    return f'Where "?" is written for each word, the share should be 0; yours is {_number(float(got))}.'


def _half_right(inputs: Any, _share_got: Array, call: Any) -> str:
    accepted = inputs["accepted"]
    got = call([texts[0] for texts in accepted] + ["?"] * len(accepted), accepted + accepted)
    if got is None or got.shape != () or abs(float(got) - 0.5) <= 1e-6:
        return ""
    return (
        f'Where the first half of the words is right, and "?" is written for each of the others, the share '
        f"should be 0.5; yours is {_number(float(got))}."
    )


ACCURACY_PROBES = tuple(
    Probe(kind, {"written": list(written), "accepted": [list(texts) for texts in accepted]})
    for kind, written, accepted in (
        (
            "five words",
            ("T AH M AA T OW", "N AY F", "K AE T", "F OW N Z", "R EH D"),
            (
                ("T AH M EY T OW", "T AH M AA T OW"),
                ("N AY F",),
                ("K AE T S",),
                ("F OW N", "F AH N"),
                ("R IY D", "R EH D", "R AY D"),
            ),
        ),
        (
            EXAMPLE,
            ("T AH M AA T OW", "N AY"),
            (("T AH M EY T OW", "T AH M AA T OW"), ("N AY F",)),
        ),
        ("one word, the first of its two texts", ("R UW T",), (("R UW T", "R AW T"),)),
        ("one word, the last of its two texts", ("R AW T",), (("R UW T", "R AW T"),)),
        (
            "one word, the last of its three texts",
            ("P IY K AE N",),
            (("P IH K AA N", "P AH K AA N", "P IY K AE N"),),
        ),
        ("one word, the middle of its three texts", ("V EY Z",), (("V EY S", "V EY Z", "V AA Z"),)),
        ("one word, wrong", ("S AY G N",), (("S AY N",),)),
        (
            "a word that comes twice",
            ("L IY D", "L IY D", "N AY T", "B OW"),
            (("L EH D", "L IY D"), ("L EH D",), ("N AY T",), ("B AW", "B OW")),
        ),
        (
            "a word that comes twice, right both times",
            ("R EH D", "N AY T", "R EH D"),
            (("R IY D", "R EH D"), ("N AY F",), ("R EH D",)),
        ),
        (
            "a text that is right for another word",
            ("R AY T", "N AY T", "S AO"),
            (("N AY T",), ("R AY T",), ("S AO",)),
        ),
        ("an empty text", ("", "G OW"), (("AH",), ("G OW",))),
        (
            "the right sounds in another order",
            ("T AE K", "P AA P AA", "AE K T"),
            (("K AE T",), ("P AA P",), ("AE K T", "K AE T")),
        ),
        (
            "texts that differ in a space",
            ("ice cream", "S AY N ", "black bird", "tea", "sea horse"),
            (("icecream",), ("S AY N",), ("blackbird",), ("tea",), ("seahorse", "sea horse")),
        ),
        (
            "texts that differ in a capital letter",
            ("polish", "China", "Turkey"),
            (("Polish",), ("China", "china"), ("turkey",)),
        ),
        (
            "three dates",
            ("2004-06-03", "1999-12-31", "1999-01-30"),
            (("2004-06-03",), ("1999-12-31",), ("1999-01-31",)),
        ),
        ("all right", ("AY", "Y UW", "DH EH M"), (("AY",), ("Y UW", "Y AH"), ("DH AH M", "DH EH M"))),
        (
            "all wrong",
            ("AO", "Y UH", "DH IY", "W IY"),
            (("AY",), ("Y UW", "Y AH"), ("DH AH M", "DH EH M"), ("AH S",)),
        ),
        (
            "seven words, the first wrong and the last right",
            ("K N IY", "B AE TH", "AA N S ER", "K UH D", "G OW S T", "S AO R D", "HH AW S"),
            (
                ("N IY",),
                ("B AE TH", "B AA TH"),
                ("AE N S ER",),
                ("K UH D", "K UH L D", "K AH D"),
                ("G OW S T",),
                ("S AO R D", "S W AO R D"),
                ("HH AW Z", "HH AW S"),
            ),
        ),
    )
)


def my_word_accuracy(written: Sequence[str], accepted: Sequence[Sequence[str]]) -> float:
    """n texts, n lists of accepted texts -> the share of words that are written exactly right."""
    right = [text in texts for text, texts in zip(written, accepted, strict=True)]
    return sum(right) / len(right)


EDITS = Edits(my_word_accuracy, {
    "words": "zip(written, accepted, strict=True)", "mark": "text in texts",
    "count": "len(right)", "share": "sum(right) / len(right)",
})  # fmt: skip
WORDS = {
    "exactly": "A word is right if its text *equals* one of those accepted: `text in texts`, where texts is "
    "the list.",
    "every": "Every word counts once, so divide by the number of words.",
    "capitals": "*polish* and *Polish* are two words, and do not sound alike",
    "three": "A word may have three pronunciations, or more, and any of them is right.",
}
MISTAKES = EDITS.mistakes(
    """
first-accepted-only
    you compared each text with the first accepted one only
    A word may have several pronunciations, and any of them is right.
    | mark => text == texts[0]

last-accepted-only
    you compared each text with the last accepted one only
    In a loop over the accepted texts, a result that is overwritten on each pass keeps only the last. Any
    of them may be right.
    | mark => text == texts[-1]

first-two-accepted-only
    you compared each text with the first two accepted ones only
    {three} {exactly}
    | mark => text in texts[:2]

first-and-last-accepted-only
    you compared each text with the first and the last accepted one only
    {three} {exactly}
    | mark => text in (texts[0], texts[-1])

all-accepted
    you asked a text to equal all the accepted ones
    One is enough: you say a word in only one way at a time.
    | mark => all(text == other for other in texts)
    | mark => [text] == texts

list-compared
    you compared a text with a whole list, and those are never equal
    {exactly}
    | mark => text == texts

part-is-enough
    you counted a text as right where one of the two texts is only part of the other
    Between two texts, `in` asks only whether one is part of the other, and `startswith` whether it begins so.
    {exactly}
    | mark => any(text in other for other in texts)
    | mark => any(other in text for other in texts)
    | mark => any(other in text or text in other for other in texts)
    | mark => text in texts[0]
    | mark => texts[0] in text
    | mark => text in " ".join(texts)
    | mark => text in str(texts)
    | mark => any(text.startswith(other) for other in texts)
    | mark => any(other.startswith(text) for other in texts)
    | mark => any(text.endswith(other) for other in texts)
    | mark => any(other.endswith(text) for other in texts)
    | mark => any(all(map(str.__eq__, text, other)) for other in texts)
    | mark => any(all(map(str.__eq__, text.split(), other.split())) for other in texts)

same-length
    you compared only the lengths of the texts
    {exactly}
    | mark => any(len(text) == len(other) for other in texts)
    | mark => len(text) == len(texts[0])
    | mark => any(len(text.split()) == len(other.split()) for other in texts)

any-order
    you compared the sounds without regard to their order, or to how often each one comes
    T AE K is not K AE T. {exactly}
    | mark => any(set(text.split()) == set(other.split()) for other in texts)
    | mark => any(set(text) == set(other) for other in texts)
    | mark => any(sorted(text.split()) == sorted(other.split()) for other in texts)
    | mark => any(sorted(text) == sorted(other) for other in texts)

capitals-ignored
    you treated capital and small letters as the same
    {capitals}. The texts should be compared as they are.
    | mark => any(text.lower() == other.lower() for other in texts)

capitals-and-spaces-ignored
    you treated capital and small letters as the same, and ignored spaces
    {capitals}; every space counts, too. The texts should be compared as they are.
    | mark => any(text.lower().strip() == other.lower().strip() for other in texts)
    | mark => any(text.lower().split() == other.lower().split() for other in texts)
    | mark => any(text.lower().replace(" ", "") == other.lower().replace(" ", "") for other in texts)

spaces-ignored
    you ignored spaces in the comparison
    Exactly right means every letter and every space: compare the texts as they are.
    | mark => any(text.strip() == other.strip() for other in texts)
    | mark => any(text.replace(" ", "") == other.replace(" ", "") for other in texts)
    | mark => any(text.split() == other.split() for other in texts)

from-any-word
    you counted a text as right if it is accepted for any word at all
    Each word has a list of its own, at the same place: zip(written, accepted) goes through both together.
    | words => [(text, sum(accepted, [])) for text in written]
    | share => len({t for t, _ in words} & set(sum(accepted, []))) / len(written)

wrong-for-each-text
    you counted a word as wrong once for each accepted text that it does not equal
    Matching one of them is enough. {every}
    | mark => 1 - sum(text != other for other in texts)

divided-by-texts
    you divided by the number of accepted texts, not by the number of words
    A word with two pronunciations would count twice. {every}
    | share => sum(right) / sum(map(len, accepted))

shared-among-texts
    you gave a word with several accepted texts only part of a point
    Anyone who says it in one of the accepted ways is completely right. {every}
    | mark => (text in texts) / len(texts)

symbols-counted
    you gave part of a point to a word that is partly right
    That is a different measure, one that counts symbols. Here a word is right only if all of it is.
    | mark => alike(text.split(), texts[0].split()) / max(len(texts[0].split()), 1)
    | mark => alike(text.split(), texts[0].split()) / max(len(text.split()), 1)
    | mark => alike(text.split(), texts[0].split()) / max(len(text.split()), len(texts[0].split()), 1)
    | mark => alike(text, texts[0]) / max(len(texts[0]), 1)
    | mark => alike(text, texts[0]) / max(len(text), 1)
    | mark => alike(text, texts[0]) / max(len(text), len(texts[0]), 1)
    | mark => max(alike(text.split(), other.split()) / max(len(other.split()), 1) for other in texts)
    | mark => max(alike(text.split(), t.split()) / max(len(text.split()), len(t.split()), 1) for t in texts)
    | share => symbols_together(words, str.split)
    | share => symbols_together(words, list)
    | share => 1 - symbol_error_rate([t for t, _ in words], [ts for _, ts in words], " ")

not-divided
    you counted the right words, but did not divide by the number of words
    The task asks for a share, from 0 to 1.
    | share => sum(right)

percent
    you multiplied the share by 100
    The task asks for a share from 0 to 1; f"{{share:.1%}}" shows it as a percentage.
    | result => 100 * it

wrong-counted
    you counted the wrong words, not the right ones
    That is the error rate. The task asks for the share of right words.
    | result => 1 - it
    | share => len(written) - sum(right)

rounded
    you rounded the share
    Rounding is for showing numbers: later steps need them all.
    @ digits = 2 0 1 3 4
    | result => round(it, digits)

last-word-left-out
    you left out the last word
    n words are numbered 0 to n − 1, which is what range(n) gives.
    | words => list(it)[:-1]; count => len(written)
    | words => list(it)[:-1]; share

first-word-left-out
    you left out the first word
    Counting starts at 0: range(n), not range(1, n).
    | words => list(it)[1:]; count => len(written)
    | words => list(it)[1:]; share

one-divided-too-many
    you divided by the number of words plus 1
    {every}
    | share => sum(right) / (len(written) + 1)

one-divided-too-few
    you divided by the number of words minus 1
    {every}
    | share => float(sum(right)) / (len(written) - 1)
    | share => int(sum(right)) / (len(written) - 1)

divided-by-the-wrong
    you divided the number of right words by the number of wrong ones
    A share is a part of the whole. {every}
    | share => int(sum(right)) / int(len(written) - sum(right))
    | share => float(sum(right)) / float(len(written) - sum(right))

divided-in-the-loop
    you divided the count after each word, inside the loop
    Count all the words first. Divide once, after the loop.
    | share => divided_each_time(right, len(written))

first-word-only
    you counted only the first word
    Does `return` stand inside the loop? It belongs after it.
    | share => right[0] / len(written)
    | share => float(right[0])

last-word-only
    you counted only the last word
    Is the count set back to 0 inside the loop, or set with `=` where `+=` is meant?
    | share => right[-1] / len(written)
    | share => float(right[-1])

stopped-at-first-wrong
    the loop ended at the first word that is wrong
    `break` leaves the loop. Carry on with the next word instead.
    | share => next((i for i, ok in enumerate(right) if not ok), len(right)) / len(written)

counted-to-1
    the count of right words never went above 1
    Is it set with `=` where `+=` is meant, or does the loop end at the first word that is right?
    | share => any(right) / len(written)

all-or-nothing
    your function returns 1 if all the words are right, and 0 otherwise
    The share says how many are right, out of all. (`//` drops everything after the decimal point; `/`
    divides.)
    | share => float(all(right))

any-right
    your function returns 1 if any word is right, and 0 otherwise
    The share says how many are right, out of all.
    | share => float(any(right))

repeated-words-merged
    you treated words that are written the same as one word
    A dictionary or a set keeps each text once, and `.index` finds the first, but two words may sound alike.
    zip(written, accepted) keeps all.
    | words => dict(it).items(); count => len(written)
    | words => dict(it).items(); share
    | words => [(text, dict(it)[text]) for text in written]
    | share => len({t for (t, _), ok in zip(words, right) if ok}) / len({t for t, _ in words})
    | share => len({t for (t, _), ok in zip(words, right) if ok}) / len(written)
    | words => [(text, accepted[written.index(text)]) for text in written]
""",
    OFTEN,
    words=WORDS,
)

EXERCISE = Write(
    name="accuracy",
    answer=my_word_accuracy,
    task="The share of words that are written exactly right.",
    call="my_word_accuracy(written, accepted)",
    right=word_accuracy,
    recipe=EDITS.recipe(),
    probes=ACCURACY_PROBES,
    properties=(
        Property("a share", "the share lies between 0 and 1", _from_0_to_1),
        Property("all right", "if every word is right, the share is 1", _all_right),
        Property("all wrong", "if no word is right, the share is 0", _all_wrong),
        Property("half right", "if half of the words are right, the share is 0.5", _half_right),
    ),
    mistakes=MISTAKES,
    hints=(
        "Go through both lists together: for text, texts in zip(written, accepted).",
        "`text in texts` is True where the text is one of the list. Between two texts, `in` would ask "
        "whether one is part of the other.",
        "Count the words that are right, and divide by len(written).",
    ),
    explain="`text in texts` asks whether the list holds exactly this text, and gives True or False, which "
    "sum counts as 1 and 0. Each word counts once.",
    reread=OFTEN,
)
