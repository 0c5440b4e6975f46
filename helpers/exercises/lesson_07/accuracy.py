"""accuracy, lesson 07: the share of words that are written exactly right."""

from collections.abc import Callable, Sequence
from typing import Any

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_07.shared import Step
from helpers.exercises.slips.matching import same
from helpers.readers.model import symbol_error_rate, word_accuracy
from helpers.validation import Array

OFTEN = "07: How often is it right?"


Texts = Sequence[str]


Words = Sequence[tuple[str, Texts]]


def _each_word(written: Texts, accepted: Sequence[Texts]) -> Words:
    return list(zip(written, accepted, strict=True))


def _is_accepted(text: str, texts: Texts) -> float:
    return float(text in texts)


def _share(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> Any:
    return sum(marks) / len(accepted)


def _share_of_these(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> Any:
    return sum(marks) / len(marks)


def _accuracy_by_choices(
    written: Texts, accepted: Sequence[Texts], *, pair: Step = _each_word, right: Step = _is_accepted,
    total: Step = _share, form: Step = same,
) -> Any:  # fmt: skip
    words = pair(written, accepted)
    return form(total([right(text, texts) for text, texts in words], words, accepted))


def _if_any(agrees: Callable[[str, str], bool]) -> Step:
    """Right if the text agrees with any of those accepted."""
    return lambda text, texts: float(any(agrees(text, each) for each in texts))


def _after(prepare: Callable[[str], Any]) -> Step:
    """Right if the text equals one of those accepted, after both have been prepared."""
    return _if_any(lambda text, other: bool(prepare(text) == prepare(other)))


def _places_alike(split: Callable[[str], Sequence[str]], text: str, other: str) -> int:
    return sum(map(str.__eq__, split(text), split(other)))


def _part_right(split: Callable[[str], Sequence[str]], length_of: Callable[[int, int], int]) -> Step:
    """A word counts by its symbols, against the first accepted text."""

    def right(text: str, texts: Texts) -> float:
        length = length_of(len(split(text)), len(split(texts[0])))
        return _places_alike(split, text, texts[0]) / length if length else 0.0

    return right


def _best_part_right(text: str, texts: Texts) -> float:
    return max(_places_alike(str.split, text, other) / max(len(other.split()), 1) for other in texts)


def _all_symbols_together(split: Callable[[str], Sequence[str]]) -> Step:
    def total(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> float:
        alike = sum(_places_alike(split, text, texts[0]) for text, texts in words)
        return alike / sum(len(split(texts[0])) for _, texts in words)

    return total


def _one_minus_error_rate(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> float:
    return 1 - symbol_error_rate([text for text, _ in words], [texts for _, texts in words], " ")


def _merged(written: Texts, accepted: Sequence[Texts]) -> Words:
    return list(dict(zip(written, accepted, strict=True)).items())


def _last_of_the_name(written: Texts, accepted: Sequence[Texts]) -> Words:
    by_text = dict(zip(written, accepted, strict=True))
    return [(text, by_text[text]) for text in written]


def _texts_right(marks: Sequence[float], words: Words) -> int:
    return len({text for (text, _), mark in zip(words, marks, strict=True) if mark})


def _from_any_word(written: Texts, accepted: Sequence[Texts]) -> Words:
    everything = [text for texts in accepted for text in texts]
    return [(text, everything) for text in written]


def _in_both_heaps(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> float:
    everything = {text for texts in accepted for text in texts}
    return len({text for text, _ in words} & everything) / len(accepted)


def _divided_each_time(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> float:
    count = 0.0
    for mark in marks:
        count = (count + mark) / len(accepted)
    return count


def _until_first_wrong(marks: Sequence[float], words: Words, accepted: Sequence[Texts]) -> float:
    n_right = next((i for i, mark in enumerate(marks) if not mark), len(marks))
    return n_right / len(accepted)


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


EXACTLY = (
    "A word is right if its text *equals* one of those accepted: `text in texts`, where texts is the list."
)


EVERY_WORD = "Every word counts once, and the number of words divides."


def my_word_accuracy(written: Sequence[str], accepted: Sequence[Sequence[str]]) -> float:
    """n texts, n lists of accepted texts -> the share of words that are written exactly right."""
    right = [text in texts for text, texts in zip(written, accepted, strict=True)]
    return sum(right) / len(right)


EXERCISE = Write(
    name="accuracy",
    answer=my_word_accuracy,
    task="The share of words that are written exactly right.",
    call="my_word_accuracy(written, accepted)",
    right=word_accuracy,
    recipe=_accuracy_by_choices,
    probes=ACCURACY_PROBES,
    properties=(
        Property("a share", "the share lies from 0 to 1", _from_0_to_1),
        Property("all right", "if every word is right, the share is 1", _all_right),
        Property("all wrong", "if no word is right, the share is 0", _all_wrong),
        Property("half right", "if half of the words are right, the share is 0.5", _half_right),
    ),
    mistakes=(
        Mistake(
            "first-accepted-only",
            "each text was compared with the first accepted one only",
            "A word may have several pronunciations, and any of them is right.",
            OFTEN,
            right=lambda text, texts: float(text == texts[0]),
        ),
        Mistake(
            "last-accepted-only",
            "each text was compared with the last accepted one only",
            "In a loop over the accepted texts, a result that is overwritten in each round keeps the last. "
            "Any of them may be right.",
            OFTEN,
            right=lambda text, texts: float(text == texts[-1]),
        ),
        Mistake(
            "first-two-accepted-only",
            "each text was compared with the first two accepted ones only",
            f"A word may have three pronunciations, or more, and any of them is right. {EXACTLY}",
            OFTEN,
            right=lambda text, texts: float(text in texts[:2]),
        ),
        Mistake(
            "first-and-last-accepted-only",
            "each text was compared with the first and the last accepted one only",
            f"A word may have three pronunciations, or more, and any of them is right. {EXACTLY}",
            OFTEN,
            right=lambda text, texts: float(text in (texts[0], texts[-1])),
        ),
        Mistake(
            "all-accepted",
            "a text had to equal all the accepted ones",
            "One is enough: a word is said in one way at a time.",
            OFTEN,
            also=[{"right": lambda text, texts: float([text] == texts)}],
            right=lambda text, texts: float(all(text == each for each in texts)),
        ),
        Mistake(
            "list-compared",
            "a text was compared with a whole list, and the two are never equal",
            EXACTLY,
            OFTEN,
            right=lambda text, texts: 0.0,
        ),
        Mistake(
            "part-is-enough",
            "a text counted as right where one of the two texts is only a part of the other",
            f'Between two texts, `in` asks for a part: "K AE T" in "K AE T S" is True. {EXACTLY}',
            OFTEN,
            also=[
                {"right": _if_any(lambda text, other: other in text)},
                {"right": _if_any(lambda text, other: other in text or text in other)},
                {"right": lambda text, texts: float(text in texts[0])},
                {"right": lambda text, texts: float(texts[0] in text)},
                {"right": lambda text, texts: float(text in " ".join(texts))},
                {"right": lambda text, texts: float(text in str(texts))},
                {"right": _if_any(str.startswith)},
                {"right": _if_any(lambda text, other: other.startswith(text))},
                {"right": _if_any(str.endswith)},
                {"right": _if_any(lambda text, other: other.endswith(text))},
                {"right": _if_any(lambda text, other: all(map(str.__eq__, text, other)))},
                {"right": _if_any(lambda text, other: all(map(str.__eq__, text.split(), other.split())))},
            ],
            right=_if_any(lambda text, other: text in other),
        ),
        Mistake(
            "same-length",
            "only the lengths of the texts were compared",
            EXACTLY,
            OFTEN,
            also=[
                {"right": lambda text, texts: float(len(text) == len(texts[0]))},
                {"right": _after(lambda text: len(text.split()))},
            ],
            right=_after(len),
        ),
        Mistake(
            "any-order",
            "the sounds were compared without their order, or without how often each comes",
            f"T AE K is not K AE T. {EXACTLY}",
            OFTEN,
            also=[
                {"right": _after(set)},
                {"right": _after(lambda text: sorted(text.split()))},
                {"right": _after(sorted)},
            ],
            right=_after(lambda text: set(text.split())),
        ),
        Mistake(
            "capitals-ignored",
            "capital and small letters were taken as the same",
            "*polish* and *Polish* are two words, and do not sound alike. The texts should be compared as "
            "they are.",
            OFTEN,
            right=_after(str.lower),
        ),
        Mistake(
            "capitals-and-spaces-ignored",
            "capital and small letters were taken as the same, and spaces were left out of the comparison",
            "*polish* and *Polish* are two words, and do not sound alike; every space counts, too. The texts "
            "should be compared as they are.",
            OFTEN,
            also=[
                {"right": _after(lambda text: text.lower().split())},
                {"right": _after(lambda text: text.lower().replace(" ", ""))},
            ],
            right=_after(lambda text: text.lower().strip()),
        ),
        Mistake(
            "spaces-ignored",
            "spaces were left out of the comparison",
            "Exactly right means every letter and every space: compare the texts as they are.",
            OFTEN,
            also=[
                {"right": _after(lambda text: text.replace(" ", ""))},
                {"right": _after(str.split)},
            ],
            right=_after(str.strip),
        ),
        Mistake(
            "from-any-word",
            "a text counted as right if it is accepted for any word",
            "Each word has a list of its own, at the same place: zip(written, accepted) goes through both "
            "together.",
            OFTEN,
            also=[{"total": _in_both_heaps}],
            pair=_from_any_word,
        ),
        Mistake(
            "wrong-for-each-text",
            "a word counted as wrong for each accepted text that it is not",
            f"One that it equals is enough. {EVERY_WORD}",
            OFTEN,
            right=lambda text, texts: 1.0 - sum(text != each for each in texts),
        ),
        Mistake(
            "divided-by-texts",
            "the number of all accepted texts divided, not the number of words",
            f"A word with two pronunciations would count twice. {EVERY_WORD}",
            OFTEN,
            total=lambda marks, words, accepted: sum(marks) / sum(map(len, accepted)),
        ),
        Mistake(
            "shared-among-texts",
            "a word with several accepted texts counted only in part",
            f"Whoever says it in one of the accepted ways is wholly right. {EVERY_WORD}",
            OFTEN,
            right=lambda text, texts: (text in texts) / len(texts),
        ),
        Mistake(
            "symbols-counted",
            "a word that is right in part counted in part",
            "That is another measure, of symbols. Here a word is right if all of it is, else wrong.",
            OFTEN,
            also=[
                {"right": _part_right(str.split, lambda got, wanted: got)},
                {"right": _part_right(str.split, max)},
                {"right": _part_right(str, lambda got, wanted: wanted)},
                {"right": _part_right(str, lambda got, wanted: got)},
                {"right": _part_right(str, max)},
                {"right": _best_part_right},
                {"total": _all_symbols_together(str.split)},
                {"total": _all_symbols_together(str)},
                {"total": _one_minus_error_rate},
            ],
            right=_part_right(str.split, lambda got, wanted: wanted),
        ),
        Mistake(
            "not-divided",
            "the right words were counted, and not divided by the number of words",
            "A share is asked, from 0 to 1.",
            OFTEN,
            total=lambda marks, words, accepted: sum(marks),
        ),
        Mistake(
            "percent",
            "the share was multiplied by 100",
            'A share from 0 to 1 is asked; f"{share:.1%}" shows it as a percentage.',
            OFTEN,
            form=lambda share: 100 * share,
        ),
        Mistake(
            "wrong-counted",
            "the wrong words were counted, not the right ones",
            "That is the error rate. The share of right words is asked.",
            OFTEN,
            also=[{"total": lambda marks, words, accepted: len(accepted) - sum(marks)}],
            form=lambda share: 1 - share,
        ),
        Mistake(
            "rounded",
            "the share was rounded",
            "Rounding is for showing numbers: later steps need them all.",
            OFTEN,
            also=[{"form": lambda share, digits=digits: round(share, digits)} for digits in (0, 1, 3, 4)],
            form=lambda share: round(share, 2),
        ),
        Mistake(
            "last-word-left-out",
            "the last word was left out",
            "n words have the numbers 0 to n − 1, which is what range(n) gives.",
            OFTEN,
            also=[
                {
                    "pair": lambda written, accepted: _each_word(written, accepted)[:-1],
                    "total": _share_of_these,
                }
            ],
            pair=lambda written, accepted: _each_word(written, accepted)[:-1],
        ),
        Mistake(
            "first-word-left-out",
            "the first word was left out",
            "Counting starts at 0: range(n), not range(1, n).",
            OFTEN,
            also=[
                {
                    "pair": lambda written, accepted: _each_word(written, accepted)[1:],
                    "total": _share_of_these,
                }
            ],
            pair=lambda written, accepted: _each_word(written, accepted)[1:],
        ),
        Mistake(
            "one-divided-too-many",
            "the number of words plus 1 divided",
            EVERY_WORD,
            OFTEN,
            total=lambda marks, words, accepted: sum(marks) / (len(accepted) + 1),
        ),
        Mistake(
            "one-divided-too-few",
            "the number of words minus 1 divided",
            EVERY_WORD,
            OFTEN,
            also=[{"total": lambda marks, words, accepted: int(sum(marks)) / (len(accepted) - 1)}],
            total=lambda marks, words, accepted: sum(marks) / (len(accepted) - 1),
        ),
        Mistake(
            "divided-by-the-wrong",
            "the number of right words was divided by that of the wrong ones",
            f"A share is a part of the whole. {EVERY_WORD}",
            OFTEN,
            also=[{"total": lambda marks, words, accepted: sum(marks) / (len(accepted) - sum(marks))}],
            total=lambda marks, words, accepted: int(sum(marks)) / int(len(accepted) - sum(marks)),
        ),
        Mistake(
            "divided-in-the-loop",
            "the count was divided after each word, inside the loop",
            "Count all the words first. The division stands after the loop, once.",
            OFTEN,
            total=_divided_each_time,
        ),
        Mistake(
            "first-word-only",
            "only the first word was counted",
            "Does `return` stand inside the loop? It belongs after it.",
            OFTEN,
            also=[{"total": lambda marks, words, accepted: marks[0]}],
            total=lambda marks, words, accepted: marks[0] / len(accepted),
        ),
        Mistake(
            "last-word-only",
            "only the last word was counted",
            "Is the count set back to 0 inside the loop, or set with `=` where `+=` is meant?",
            OFTEN,
            also=[{"total": lambda marks, words, accepted: marks[-1]}],
            total=lambda marks, words, accepted: marks[-1] / len(accepted),
        ),
        Mistake(
            "stopped-at-first-wrong",
            "the loop ended at the first word that is wrong",
            "`break` leaves the loop. After one word, go on with the next.",
            OFTEN,
            total=_until_first_wrong,
        ),
        Mistake(
            "counted-to-1",
            "the count of right words never went above 1",
            "Is it set with `=` where `+=` is meant, or does the loop end at the first word that is right?",
            OFTEN,
            total=lambda marks, words, accepted: any(marks) / len(accepted),
        ),
        Mistake(
            "all-or-nothing",
            "1 came back where all words are right, else 0",
            "The share says how many are right, out of all. (`//` drops all after the point; `/` divides.)",
            OFTEN,
            total=lambda marks, words, accepted: float(all(marks)),
        ),
        Mistake(
            "any-right",
            "1 came back where any word is right, else 0",
            "The share says how many are right, out of all.",
            OFTEN,
            total=lambda marks, words, accepted: float(any(marks)),
        ),
        Mistake(
            "repeated-words-merged",
            "words that are written alike were taken as one",
            "A dictionary or a set keeps each text once, and `.index` finds the first, but two words may "
            "sound alike. zip(written, accepted) keeps all.",
            OFTEN,
            also=[
                {"pair": _merged, "total": _share_of_these},
                {"pair": _last_of_the_name},
                {"total": lambda marks, words, accepted: _texts_right(marks, words) / len(set(dict(words)))},
                {"total": lambda marks, words, accepted: _texts_right(marks, words) / len(accepted)},
                {"pair": lambda written, accepted: [(t, accepted[written.index(t)]) for t in written]},
            ],
            pair=_merged,
        ),
    ),
    hints=(
        "Go through both lists together: for text, texts in zip(written, accepted).",
        "`text in texts` is True where the text is one of the list. Between two texts `in` would ask for a "
        "part.",
        "Count the words that are right, and divide by len(written).",
    ),
    explain="`text in texts` asks whether the list holds exactly this text, and gives True or False, which "
    "sum counts as 1 and 0. Each word counts once.",
    reread=OFTEN,
)
