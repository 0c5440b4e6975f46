"""leak-test, lesson 05: True if some output moves when a later token changes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import Mistake
from helpers.exercises.engine.probes import Probe
from helpers.exercises.kinds.write import Property, Write
from helpers.exercises.lesson_05.leaking_models import MODELS
from helpers.exercises.lesson_05.shared import LEAK
from helpers.exercises.slips.hiding import Step
from helpers.validation import Array


def leak_test(model: Step, x: Array) -> bool:
    """A model (n, d) -> (n, d_out), x (n, d) -> True if an output moves when a later token changes.

    The helper `leaks` finds every pair of output and token, and takes longer; tests hold the two together.
    """
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] += 3 * np.cos(1.0 + 1.9 * np.arange(x.shape[1]) ** 1.5)
        if (abs(model(changed) - before)[:token] > 1e-9).any():
            return True
    return False


Round = tuple[slice, slice]  # the tokens that are changed, the outputs that are looked at


def _each_token(n: int) -> list[Round]:
    return [(slice(token, token + 1), slice(0, token)) for token in range(1, n)]


def _from_the_first(n: int) -> list[Round]:
    return [(slice(token, token + 1), slice(0, token)) for token in range(n)]


def _columns(first: int, of_tokens: bool) -> Step:
    """As many columns as there are tokens, which may be more than there are, or as there are entries."""
    return lambda n: [((slice(None), j), slice(0, j)) for j in range(first, n if of_tokens else 3)]


def _each_output(n: int) -> list[Round]:
    return [(slice(output + 1, None), slice(output, output + 1)) for output in range(n - 1)]


def _each_cut(n: int) -> list[Round]:
    return [(slice(token, None), slice(0, token)) for token in range(1, n)]


def _each_pair(n: int) -> list[Round]:
    return [(slice(j, j + 1), slice(i, i + 1)) for i in range(n) for j in range(i + 1, n)]


OTHER_ROUNDS: tuple[Step, ...] = (_each_output, _each_cut, _each_pair)


def _one_round(changed: slice, looked_at: slice) -> Step:
    return lambda n: [(changed, looked_at)]


def _second_half(n: int) -> list[Round]:
    return [(slice(n // 2, None), slice(0, n // 2))]


def _uneven(rows: Array) -> Array:
    return rows + 1.5 * np.array([1, -4, 9])


def _upwards(rows: Array) -> Array:
    return rows + 1.5 * np.array([1, 4, 9])


def _downwards(rows: Array) -> Array:
    return rows - 1.5 * np.array([1, 4, 9])


def _plus(number: float) -> Step:
    return lambda rows: rows + number


def _by_little(size: float) -> Step:
    return lambda rows: rows + size * np.arange(1, rows.shape[1] + 1)


def _times(number: float) -> Step:
    return lambda rows: rows * number


def _all(number: float) -> Step:
    return lambda rows: np.full_like(rows, number)


def _at_entry(entry: int, number: float) -> Step:
    def change(rows: Array) -> Array:
        rows = rows.copy()
        rows[:, entry] += number
        return rows

    return change


def _beyond(tolerance: float) -> Step:
    return lambda before, after: bool((abs(after - before) > tolerance).any())


def _beyond_rounding(before: Array, after: Array) -> bool:
    return bool((abs(after - before) > 1e-9).any())


def _raised(before: Array, after: Array) -> bool:
    return bool((after - before > 1e-9).any())


def _lowered(before: Array, after: Array) -> bool:
    return _raised(after, before)


def _all_moved(before: Array, after: Array) -> bool:
    return bool((abs(after - before) > 1e-9).all())


def _sum_moved(before: Array, after: Array) -> bool:
    return bool(abs(after.sum() - before.sum()) > 1e-9)


def _not_close(before: Array, after: Array) -> bool:
    return not np.allclose(before, after)


def _copy_first(x: Array) -> Step:
    return lambda: x.copy()


def _piled_up(x: Array) -> Step:
    once = x.copy()
    return lambda: once


def _not_copied(x: Array) -> Step:
    return lambda: x


def _copied(x: Array) -> Array:
    return x.copy()


def _as_it_is(x: Array) -> Array:
    return x


def _leak_by_choices(
    model: Step, x: Array, *, rounds: Step = _each_token, change: Step = _uneven, fresh: Step = _copy_first,
    give: Step = _copied, moved: Step = _beyond_rounding, gather: Step = any, answer: Step = bool,
    restore: bool = False,
) -> Any:  # fmt: skip
    before = model(give(x))
    start = fresh(x)

    def found() -> Iterator[bool]:  # one by one: most loops end with the first leak
        for rows, looked_at in rounds(len(x)):
            changed = start()
            kept = changed[rows].copy()
            changed[rows] = change(changed[rows])
            after = model(give(changed))
            if restore:
                changed[rows] = kept
            yield moved(before[looked_at], after[looked_at])

    return answer(gather(found()))


def _unchanged_rows(rows: Array) -> Array:
    return rows


NOT_COPIED: dict[str, Any] = {"change": _unchanged_rows, "fresh": _not_copied, "give": _as_it_is}


CLUES = {(model, x.tobytes()): clue for _, model, x, _, clue in MODELS}


def _clue(inputs: Any, _found: Any, _call: Any) -> str:
    """What the learner may not know of the model on which the answer is wrong."""
    return CLUES[inputs["model"], inputs["x"].tobytes()]


MANY = (
    "A leak may run from any token to any earlier output: change the tokens one after the other, each in a "
    "fresh copy, and look at all outputs before it."
)


VISIBLE = "Change each entry by another amount, and by enough: rows + [1, 4, 9, …], say."


def my_leak_test(model: Callable[[Array], Array], x: Array) -> bool:
    """A model (n, d) -> (n, d_out), x (n, d) -> True if an output moves when a later token changes."""
    before = model(x.copy())
    for token in range(1, len(x)):
        changed = x.copy()
        changed[token] += np.arange(1, x.shape[1] + 1) ** 2
        after = model(changed)
        if (abs(after - before)[:token] > 1e-9).any():
            return True
    return False


EXERCISE = Write(
    name="leak-test",
    answer=my_leak_test,
    task="True if some output moves when a later token changes.",
    call="my_leak_test(model, x)",
    right=leak_test,
    recipe=_leak_by_choices,
    probes=tuple(Probe(kind, {"model": model, "x": x}) for kind, model, x, *_ in MODELS),
    properties=(
        Property("each model told apart", "every leak was found, and none where there is none", _clue),
    ),
    mistakes=(
        Mistake(
            "inverted",
            "the answers are the wrong way round: True came for models that do not leak",
            "True means that there is a leak.",
            LEAK,
            answer=lambda found: not found,
        ),
        Mistake(
            "always-true",
            "the answer is True for every model",
            "Compare the outputs *before* the token that was changed, in both runs, entry by entry.",
            LEAK,
            answer=lambda found: True,
        ),
        Mistake(
            "always-false",
            "the answer is False for every model",
            "Did both runs get the same numbers? `changed = x` gives x a second name; x.copy() makes a new "
            "array. Or does the loop return in its first round? Return False only after the loop.",
            LEAK,
            answer=lambda found: False,
        ),
        Mistake(
            "not-copied",
            "both runs got the same array, changed or not",
            "`changed = x` makes no second array, only a second name for the same one: x.copy() does. And "
            "run the model on x before you change anything.",
            LEAK,
            also=[
                {**NOT_COPIED, "rounds": _one_round(slice(-1, None), slice(0, -1))},
                {**NOT_COPIED, "moved": _not_close},
                {**NOT_COPIED, "rounds": _one_round(slice(-1, None), slice(None))},
            ],
            **NOT_COPIED,
        ),
        Mistake(
            "columns-changed",
            "a column was changed, one entry of every token",
            "Tokens are rows: changed[token] is one token, changed[:, token] an entry of all of them, of the "
            "first as well.",
            LEAK,
            also=[
                {"rounds": _columns(first, of_tokens), "change": change}
                for change in (_plus(5.0), _plus(1.0), _all(0.0))
                for first in (1, 0)
                for of_tokens in (True, False)
            ][1:],
            rounds=_columns(1, True),
            change=_plus(5.0),
        ),
        Mistake(
            "changed-row-too",
            "the output of the changed token itself was looked at, too",
            "A token may move its own output; that is no leak. Look at the outputs before it: [:token].",
            LEAK,
            also=[{"rounds": _one_round(slice(-1, None), slice(None))}],
            rounds=lambda n: [(slice(token, token + 1), slice(0, token + 1)) for token in range(n)],
        ),
        Mistake(
            "all-outputs",
            "all outputs were compared, those of the changed token and of later ones as well",
            "A token may move its own output and all later ones. A leak runs backwards: look at [:token].",
            LEAK,
            rounds=lambda n: [(slice(token, token + 1), slice(None)) for token in range(n)],
        ),
        Mistake(
            "earlier-token",
            "an earlier token was changed, and later outputs were looked at",
            "That is what a causal model should do: a later output may read an earlier token. Turn it round: "
            "change a token, and look at the outputs before it.",
            LEAK,
            also=[{"rounds": _one_round(slice(0, 1), slice(1, None))}],
            rounds=lambda n: [(slice(token, token + 1), slice(token + 1, None)) for token in range(n)],
        ),
        Mistake(
            "last-token-only",
            "only the end was changed: the last token, or one added after it (or a later round of the loop "
            "overwrote the answer of the others)",
            MANY,
            LEAK,
            rounds=_one_round(slice(-1, None), slice(0, -1)),
        ),
        Mistake(
            "second-token-only",
            "the second token alone was changed (or the loop returned in its first round)",
            MANY + " Return False only after the loop.",
            LEAK,
            rounds=_one_round(slice(1, 2), slice(0, 1)),
        ),
        Mistake(
            "one-split-only",
            "the tokens were cut once, and everything behind the cut was changed",
            "A leak inside one of the two parts goes unseen. " + MANY,
            LEAK,
            also=[{"rounds": lambda n: [(slice((n + 1) // 2, None), slice(0, (n + 1) // 2))]}],
            rounds=_second_half,
        ),
        Mistake(
            "first-output-only",
            "the first output alone was looked at",
            MANY,
            LEAK,
            also=[{"rounds": _one_round(slice(1, None), slice(0, 1))}],
            rounds=lambda n: [(slice(token, token + 1), slice(0, 1)) for token in range(1, n)],
        ),
        Mistake(
            "next-token-only",
            "only neighbours were looked at: a token, and the output directly before it",
            MANY,
            LEAK,
            rounds=lambda n: [(slice(token, token + 1), slice(token - 1, token)) for token in range(1, n)],
        ),
        Mistake(
            "last-token-left-out",
            "the last token was never changed",
            "range(1, n - 1) ends before n − 1: the last token is at place n − 1, and range(1, n) reaches "
            "it.",
            LEAK,
            rounds=lambda n: [(slice(token, token + 1), slice(0, token)) for token in range(1, n - 1)],
        ),
        Mistake(
            "output-before-left-out",
            "the output directly before the changed token was left out",
            "[:token - 1] ends one too early. A model that looks one token ahead moves that output and no "
            "other.",
            LEAK,
            rounds=lambda n: [(slice(token, token + 1), slice(0, token - 1)) for token in range(1, n)],
        ),
        Mistake(
            "same-number-added",
            "the same number was added to all entries of a token",
            "A model that subtracts the mean of each token first, as most real ones do, cannot see that. "
            + VISIBLE,
            LEAK,
            also=[{"change": _plus(number)} for number in (-1.0, 2.0, 5.0, 10.0, 100.0, 1000.0)],
            change=_plus(1.0),
        ),
        Mistake(
            "set-to-zero",
            "the token was set to zero",
            "A token that is zero already does not change then. " + VISIBLE,
            LEAK,
            change=_all(0.0),
        ),
        Mistake(
            "set-to-one-number",
            "all entries of the token were set to one and the same number",
            "A model that subtracts the mean of each token makes zeros of it, whatever the number. "
            + VISIBLE,
            LEAK,
            also=[{"change": _all(number)} for number in (5.0, 10.0, 99.0, 100.0, 999.0, 1000.0)],
            change=_all(1.0),
        ),
        Mistake(
            "multiplied",
            "the token was multiplied by a number",
            "A token of zeros stays zero, and a model that normalises each token takes the factor back. "
            + VISIBLE,
            LEAK,
            also=[{"change": _times(number)} for number in (0.5, 3.0, 10.0, 100.0)],
            change=_times(2.0),
        ),
        Mistake(
            "sign-turned",
            "the token's sign was turned",
            "A token of zeros stays zero, and a model that squares its input cannot see a sign. " + VISIBLE,
            LEAK,
            change=_times(-1.0),
        ),
        Mistake(
            "entries-reversed",
            "the entries of the token changed places",
            "A token whose entries are all equal stays as it was, and a model that adds them up sees no "
            "change. " + VISIBLE,
            LEAK,
            change=lambda rows: rows[:, ::-1].copy(),
        ),
        Mistake(
            "tokens-reordered",
            "the later tokens only changed places",
            "A model that adds them up sees no change: attention without a mask does not know their order. "
            + VISIBLE,
            LEAK,
            also=[
                {
                    "rounds": _each_cut,
                    "change": lambda rows: np.roll(rows, 1, axis=0),
                }
            ],
            rounds=_each_cut,
            change=lambda rows: rows[::-1].copy(),
        ),
        Mistake(
            "one-entry-changed",
            "one entry of the token alone was changed",
            "The leak may come through another entry. " + VISIBLE,
            LEAK,
            also=[{"change": _at_entry(entry, number)} for entry in (0, -1) for number in (1.0, 10.0, 100.0)][
                1:
            ],
            change=_at_entry(0, 1.0),
        ),
        Mistake(
            "too-small-a-change",
            "the token was changed by little",
            "A model may round its tokens, and a small leak then moves an output by less than rounding "
            "errors do. " + VISIBLE,
            LEAK,
            also=[
                {"change": _by_little(size)} for size in 2.0 ** -np.array([13, 17, 20, 23, 27, 30, 7, 5, 3])
            ],
            change=_by_little(2.0**-10),  # 0.001
        ),
        Mistake(
            "nan-put-in",
            "nan or ∞ was put into the token",
            "A masked weight is exactly 0, but 0 · nan is nan and 0 · ∞ too: a causal model seems to leak. "
            "Change the token to other finite numbers.",
            LEAK,
            also=[
                {"change": _all(np.inf), "moved": _not_close},
                {"change": _all(np.inf)},
                {"change": _all(np.nan)},
            ],
            change=_all(np.nan),
            moved=_not_close,
        ),
        Mistake(
            "exact",
            "the outputs were compared to the last digit",
            "Rounding may differ between two runs though no token leaks. Allow for it: the task says 1e-9.",
            LEAK,
            moved=lambda before, after: not np.array_equal(before, after),
        ),
        Mistake(
            "tolerance-too-wide",
            "the comparison overlooks small leaks",
            "It allows for more than 1e-9. Compare abs(a − b) with 1e-9, or call np.allclose(a, b, rtol=0, "
            "atol=1e-9): without rtol=0, np.allclose forgives differences of 1e-5 times the outputs.",
            LEAK,
            also=[{"moved": _beyond(number)} for number in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)],
            moved=_not_close,
        ),
        Mistake(
            "no-absolute-value",
            "differences of one sign alone were counted",
            "A leak may lower an output or raise it: compare the absolute value of the difference.",
            LEAK,
            also=[
                {"moved": _raised, "change": _downwards},
                {"moved": _lowered},
                {"moved": _lowered, "change": _upwards},
            ],
            moved=_raised,
        ),
        Mistake(
            "sums-compared",
            "sums or means of the outputs were compared",
            "Changes of opposite sign cancel there. Compare entry by entry, and then ask whether any has "
            "moved.",
            LEAK,
            also=[
                {"moved": lambda before, after: bool((abs((after - before).sum(axis=-1)) > 1e-9).any())},
            ],
            moved=_sum_moved,
        ),
        Mistake(
            "all-entries",
            "a leak was counted only where all entries of the outputs had moved",
            "One entry that moves is a leak: `any`, not `all`. Note that `not all(equal)` is "
            "`any(different)`.",
            LEAK,
            also=[{"moved": _all_moved, "rounds": rounds} for rounds in OTHER_ROUNDS],
            moved=_all_moved,
        ),
        Mistake(
            "one-column",
            "one entry of each output was compared, not all",
            "The leak may show in any column of the output.",
            LEAK,
            moved=lambda before, after: bool((abs(after - before)[:, 0] > 1e-9).any()),
        ),
        Mistake(
            "every-token",
            "a leak was counted only where every later token leaks",
            "One token that leaks is enough: return True as soon as one is found, and False only after the "
            "loop.",
            LEAK,
            also=[{"gather": all, "rounds": rounds} for rounds in OTHER_ROUNDS],
            gather=all,
        ),
        Mistake(
            "changes-pile-up",
            "the changes piled up: from the second round on, earlier tokens were still changed, too",
            "They may move the outputs, so that a causal model seems to leak. Make a fresh copy of x in each "
            "round.",
            LEAK,
            also=[
                {"fresh": _not_copied},
                {"fresh": _not_copied, "give": _as_it_is},
                *(
                    {"rounds": _from_the_first, "fresh": fresh, "give": give}
                    for fresh, give in (
                        (_piled_up, _copied),
                        (_not_copied, _copied),
                        (_not_copied, _as_it_is),
                        (_piled_up, _as_it_is),
                    )
                ),
            ],
            fresh=_piled_up,
        ),
        Mistake(
            "x-changed",
            "the model got the array x itself, and x was changed, not a copy",
            "A model may write into the array that it gets, or hand it out: then x or the first output is no "
            "longer what it was. Change a copy, and hand the model copies: x.copy().",
            LEAK,
            fresh=_not_copied,
            restore=True,
            give=_as_it_is,
        ),
        Mistake(
            "x-given-away",
            "the model got x itself, not a copy",
            "Some models write into the array that they get, so that x is no longer what it was. Call "
            "model(x.copy()).",
            LEAK,
            give=_as_it_is,
        ),
    ),
    hints=(
        "Run the model on x. Change one token in a copy of x, and run it again. Which outputs must not move?",
        "The outputs before the changed token, [:token]. Do so for each token but the first.",
        "A change that no model undoes: add another number to each entry, [1, 4, 9, …], say. Compare with "
        "abs(after - before) > 1e-9, and copy before each call.",
    ),
    explain="Each token is changed in its own copy, each entry by another amount, so that a model that "
    "centres its tokens sees it. Only outputs before the token are compared. The helper leaks(model, x) "
    "lists every pair (output, token) that leaks.",
    reread=LEAK,
)
