"""What stands in a learner's source that may explain results which no known mistake has.

    hint(my_attention, probes, answer)   ->   "`mask` is never read in your function."

A reply is made from behaviour. Only where behaviour has no name is the source looked at, and then one
sentence says what was seen there, with the line: true of this code, and no verdict. Nothing is said where the
exercise's own answer has the same.
"""

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from helpers.exercises.engine.diagnosis import plain_outcome, same_outcome
from helpers.exercises.engine.probes import Probe
from helpers.exercises.engine.reading import (
    KEEPS,
    LONGEST,
    Reading,
    called,
    carries,
    constant,
    handed,
    is_root,
    names,
    reading,
    real_numbers,
)
from helpers.exercises.engine.remembered import MADE, put_into, remembers
from helpers.exercises.engine.torch_words import words_of_torch

Seen = Callable[[Reading], Iterator[str]]
OURS = str(Path(__file__).resolve().parents[2])
LITTLE, MUCH = 1e-3, 1e5  # a constant beyond these guards a division, or stands for infinity
PURE = KEEPS - {"array"} | {
    *("reshape", "view", "unsqueeze", "squeeze", "expand_dims", "broadcast_to", "astype", "concatenate"),
    *("stack", "cat", "tril", "triu", "sqrt", "std", "cumsum", "argmax", "expand", "float", "double"),
}
NO_OUT = {"where", "swapaxes", "transpose", "permute", "reshape", "view", "expand", "einsum", "masked_fill"}
ROUNDS = {"round", "around", "rint", "round_"}
NARROW = {"float16", "half", "bfloat16"}  # float32 holds enough digits for every check
WHOLE = {"int", "int8", "int16", "int32", "int64", "long"}
NO_METHODS = {"T", "mT", "shape", "ndim", "dtype", "size"}
MADE_LIKE = {"zeros_like", "empty_like", "ones_like", "full_like"}
SIZED = MADE | {"reshape", "view", "sqrt", "range"}  # what takes sizes


def hint(
    function: object, probes: Sequence[Probe], answer: Callable[..., Any], only: Sequence[Seen] = ()
) -> str:
    """A learner's function, what goes in, the exercise's own answer -> a sentence on the source, or "".

    `only`: what may be said, the strongest first; anything of SEEN unless told.
    """
    found = reading(function, probes)
    if found is None or found.file.startswith(OURS):
        return ""
    places = list(found.inputs)
    found = replace(found, needed=lambda name: needed(answer, probes, places.index(name)))
    try:
        return next((text for seen in only or SEEN for text in _not_in(answer, probes, seen, found)), "")
    except RecursionError:  # a sum of a thousand terms, say
        return ""


def _not_in(answer: Callable[..., Any], probes: Sequence[Probe], seen: Seen, found: Reading) -> Iterator[str]:
    """What is seen in the learner's source and not in the exercise's own answer."""
    for text in seen(found):
        ours = reading(answer, probes)
        if ours is None or (not any(seen(ours)) and not _the_same_number(text, ours)):
            yield text


def needed(answer: Callable[..., Any], probes: Sequence[Probe], place: int) -> bool:
    """An argument by its place -> False where right results are the same with another value in it.

    Results do not hang on the size of a tile, say, and the causal mask follows from a sentence's length: who
    never reads these may be right all the same.
    """
    name = list(probes[0].inputs)[place]
    if all(_is_causal(probe.inputs[name]) for probe in probes):
        return False
    for probe in probes:
        other = _another(probe.inputs[name])
        if other is None:
            return True
        right, moved = (
            plain_outcome(answer, each)
            for each in (probe, replace(probe, inputs={**probe.inputs, name: other}))
        )
        if moved.value is not None and not same_outcome(right, moved):
            return True
    return False


def _is_causal(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2 and np.array_equal(value, np.tri(*value.shape))


def _another(value: Any) -> Any:
    """An input -> another of its kind and shape, or None where that is not known."""
    match value:
        case bool() | np.bool_():
            return not value
        case int() | float():
            return value + 1
        case np.ndarray() if value.dtype.kind in "biuf":
            return ~value if value.dtype.kind == "b" else value[..., ::-1] * 2 + 1
    return None


def _the_same_number(text: str, answer: Reading) -> bool:
    """True for a number written out that stands in the exercise's answer as well."""
    found = re.match(r"The (\d+) in", text)
    return bool(found) and any(str(n.value) == found[1] for n in answer.every(ast.Constant))  # type: ignore[index]


def never_read(read: Reading) -> Iterator[str]:
    """An argument that the function does not look at."""
    for name in read.inputs if not read.blind else ():
        if name not in read.loads and read.needed(name):
            yield f"`{name}` is never read in your function."


def overwritten(read: Reading) -> Iterator[str]:
    """An argument that gets another value before anything has read it."""
    body = read.tree.body if isinstance(read.tree.body, list) and not read.blind else []
    for name in read.inputs:
        first = next((step for step in body if name in names(step)), None)
        if not isinstance(first, ast.Assign) or name in names(first.value):
            continue
        if any(isinstance(target, ast.Name) and target.id == name for target in first.targets):
            yield f"`{name}` is overwritten in {read.quote(first)} before anything has read it."


def dropped(read: Reading) -> Iterator[str]:
    """A line that makes a new array and gives it no name."""
    for node in read.every(ast.Expr):
        value = node.value
        call = isinstance(value, ast.Call) and called(value) in PURE and not _writes_into_another(value)
        if call or isinstance(value, ast.BinOp):
            yield f"{read.quote(node)} makes a new result, and nothing in your function keeps it."


def _writes_into_another(call: ast.Call) -> bool:
    """np.exp(x, x), np.add(x, y, out=x) -> True."""
    most = len(call.args) > (1 if called(call) in ("exp", "log", "sqrt") else 2)
    return any(key.arg == "out" for key in call.keywords) or (most and called(call) not in NO_OUT)


def not_called(read: Reading) -> Iterator[str]:
    """`model.eval` on a line of its own."""
    for node in read.every(ast.Expr):
        if isinstance(node.value, ast.Attribute) and node.value.attr not in NO_METHODS:
            name = ast.unparse(node.value)
            yield f"`{name}` alone does nothing: brackets make it a call, as in `{name}()`."


def after_return(read: Reading) -> Iterator[str]:
    """A line that stands after `return` in the same block."""
    for node in (read.tree, *read.nodes):
        for block in (getattr(node, part, None) for part in ("body", "orelse", "finalbody")):
            steps = block if isinstance(block, list) else []
            for step, following in pairwise(steps):
                if isinstance(step, ast.Return):
                    yield f"{read.quote(following)} stands after a `return`, and is never reached."


def late(read: Reading) -> Iterator[str]:
    """Functions made in a loop that read the loop's variable when it has moved on."""
    for loop in read.every(ast.For):
        inside = [node for step in loop.body for node in ast.walk(step)]
        own = {node.name: node for node in inside if isinstance(node, ast.FunctionDef)}
        for node in inside:
            kept, where = _kept(node)
            kept = own.get(kept.id, kept) if isinstance(kept, ast.Name) else kept
            others = [
                n for n in inside if isinstance(n, ast.Name) and n.id == where and isinstance(n.ctx, ast.Load)
            ]
            for name in _reads(kept, names(loop.target)) if len(others) == 1 else ():
                yield _told_late(read, node, name)
    for made in read.every(ast.ListComp, ast.SetComp):
        targets = set().union(*(names(each.target) for each in made.generators))
        for name in _reads(made.elt, targets):
            yield _told_late(read, made, name)


def _told_late(read: Reading, node: ast.AST, name: str) -> str:
    when = "when they are called, and by then it has the loop's last value"
    return f"{read.quote(node)}: these functions read `{name}` {when}."


def _kept(node: ast.AST) -> tuple[ast.AST | None, str]:
    """fs.append(f), fs[i] = f -> the function that is kept, and where."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=where), attr="append"), args=[kept]):
            return kept, where
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=where))], value=kept):
            return kept, where
    return None, ""


def _reads(made: ast.AST | None, wanted: set[str]) -> list[str]:
    """A function inside -> which of these names it reads when it is called."""
    if not isinstance(made, ast.Lambda | ast.FunctionDef):
        return []
    own = {each.arg for each in ast.walk(made.args) if isinstance(each, ast.arg)}
    body = made.body if isinstance(made.body, list) else [made.body]
    return sorted((set().union(*map(names, body)) - own) & wanted)


def power_first(read: Reading) -> Iterator[str]:
    """`d ** 1 / 2`."""
    for node in read.every(ast.BinOp):
        halved = constant(node.right) and node.right.value == 2
        if not halved or not isinstance(node.op, ast.Div | ast.FloorDiv):
            continue
        left = node.left
        while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mult | ast.Div | ast.MatMult):
            left = left.right
        if not (isinstance(left, ast.BinOp) and isinstance(left.op, ast.Pow)) or _in_brackets(read, left):
            continue
        if ast.unparse(left.right) in ("1", "-1"):
            says = f"Python takes the power first, {read.quote(left)}, and divides by 2 afterwards"
            yield f"{read.quote(node)}: {says}; a root is `** 0.5`."


def _in_brackets(read: Reading, node: ast.expr) -> bool:
    line = read.text.splitlines()[node.lineno - 1].encode()
    before, after = line[: node.col_offset].rstrip(), line[node.end_col_offset :].lstrip()
    return before.endswith(b"(") and after.startswith(b")")


def whole_division(read: Reading) -> Iterator[str]:
    """`//` between numbers that are no sizes."""
    for node in read.every(ast.BinOp):
        if not isinstance(node.op, ast.FloorDiv) or _counts(read, node):
            continue
        if any(carries(each, read.numbers) or is_root(each) for each in (node.left, node.right)):
            yield f"{read.quote(node)} rounds down to a whole number; a single `/` does not."


def _counts(read: Reading, node: ast.AST) -> bool:
    """True where a number is made whole on purpose, or serves as an index."""
    above = read.parents.get(node)
    while isinstance(above, ast.expr):
        if isinstance(above, ast.Slice) or (isinstance(above, ast.Subscript) and above.slice is node):
            return True
        if isinstance(above, ast.Call) and called(above) in ("int", "range"):
            return True
        node, above = above, read.parents.get(above)
    return False


def rounded(read: Reading) -> Iterator[str]:
    """Rounding on the way."""
    for node in read.every(ast.Call):
        if called(node) in ROUNDS and any(carries(e, read.numbers) or is_root(e) for e in handed(node)):
            yield f"{read.quote(node)} rounds on the way: whatever comes after works with fewer digits."


def by_chance(read: Reading) -> Iterator[str]:
    """Dropout, with a share that is written out or its own."""
    for node in read.every(ast.Call):
        shares = [key.value for key in node.keywords if key.arg in ("dropout_p", "dropout", "p")]
        shares = shares if called(node) not in ("dropout", "Dropout") else shares or node.args[-1:]
        if shares and not _is_0(shares[0]):
            yield f"{read.quote(node)} drops numbers at random, different ones in each call."


def _is_0(share: ast.expr) -> bool:
    return isinstance(share, ast.Constant) and share.value == 0


def narrower(read: Reading) -> Iterator[str]:
    """A dtype that holds less than the inputs do."""
    coarse = any(v.dtype.itemsize == 2 for given in read.inputs.values() for v in given if real_numbers(v))
    for node in read.every(ast.Call):
        for name in _dtypes(node, read):
            if name in NARROW and not coarse and not isinstance(read.parents.get(node), ast.Return):
                yield f"{read.quote(node)} keeps 2 bytes of each number, which are three or four digits."
            if name in WHOLE:
                yield f"{read.quote(node)} makes whole numbers and drops all the decimals."
        if called(node) in MADE_LIKE and node.args and not any(key.arg == "dtype" for key in node.keywords):
            name = getattr(node.args[0], "id", "")
            kinds = {v.dtype.kind for v in read.inputs.get(name, []) if isinstance(v, np.ndarray)}
            if kinds >= {"i", "f"} and name not in read.stores and _filled(read, node):
                like = "where that holds whole numbers, whatever you write into it loses its decimals"
                yield f"{read.quote(node)} takes the shape and the type of `{name}`: {like}."


def _filled(read: Reading, made: ast.Call) -> bool:
    """True for an array that gets a name and then, entry by entry, its numbers."""
    above = read.parents.get(made)
    kept = {target.id for target in getattr(above, "targets", []) if isinstance(target, ast.Name)}
    written = [node.value for node in read.every(ast.Subscript) if isinstance(node.ctx, ast.Store)]
    return any(getattr(node, "id", "") in kept for node in written)


def _dtypes(node: ast.Call, read: Reading) -> Iterator[str]:
    """A call -> the dtypes that it makes of numbers."""
    name = called(node)
    asked = [key.value for key in node.keywords if key.arg == "dtype"]
    of_numbers = any(carries(each, read.numbers) for each in handed(node))
    if name in ("astype", "to", "type"):
        asked += node.args[:1]
    if name in ("asarray", "array", "asanyarray", "ascontiguousarray") and of_numbers:
        asked += node.args[1:2]
    if name in NARROW and of_numbers:
        yield name
    for each in asked:
        found = getattr(each, "value", "") if constant(each, str) else _last_name(each)
        if found in NARROW or (found in WHOLE and of_numbers):
            yield found


def _last_name(node: ast.expr) -> str:
    """np.float16, float16 -> float16."""
    return getattr(node, "attr", getattr(node, "id", ""))


def never_used(read: Reading) -> Iterator[str]:
    """A result that gets a name, and that nothing reads."""
    declared = {name for node in read.every(ast.Global, ast.Nonlocal) for name in node.names}
    for node in read.every(ast.Assign) if not read.blind else ():
        for target in node.targets:
            name = target.id if isinstance(target, ast.Name) else "_"
            made = isinstance(node.value, ast.BinOp | ast.Call) and carries(node.value, read.numbers)
            if made and not name.startswith("_") and name not in read.loads | declared:
                yield f"`{name}` is never read after {read.quote(node)}."


def of_the_notebook(read: Reading) -> Iterator[str]:
    """A variable from outside that is no function, no module and no constant such as 1e-9."""
    spaces = read.function.__globals__
    local = {
        *read.stores,
        *read.inputs,
        *(each.arg for each in ast.walk(read.tree.args) if isinstance(each, ast.arg)),
    }
    local |= {*read.function.__code__.co_freevars, *map(put_into, read.nodes)}
    for node in read.every(ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in local and _a_number(spaces.get(node.id)):
            line = read.quote(_line_of(read, node))
            told = f"`{node.id}` in {line} is a variable in your notebook, not an argument"
            yield f"{told}: it is the same whatever goes in."


def _a_number(value: object) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return LITTLE < abs(value) < MUCH
    tensor = type(value).__module__ == "torch" and type(value).__name__ == "Tensor"
    return (
        isinstance(value, np.ndarray | np.generic) or tensor or (isinstance(value, list) and len(value) > 0)
    )


def _line_of(read: Reading, node: ast.AST) -> ast.AST:
    """The statement in which a part stands, as far as it fits into a sentence."""
    above = node
    while isinstance(read.parents.get(above), ast.expr | ast.keyword | ast.Assign | ast.Return):
        if len(read.quote(read.parents[above])) > LONGEST:
            break
        above = read.parents[above]
    return above if not isinstance(above, ast.keyword) else above.value


def taken_apart(read: Reading) -> Iterator[str]:
    """`batch, n, d = x.shape`, where x comes with 2 axes as well."""
    for node in read.every(ast.Assign):
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=parts)], value=ast.Attribute(value=ast.Name(id=name), attr="shape")
            ):
                if (
                    name in read.varying
                    and name in read.inputs
                    and not any(isinstance(p, ast.Starred) for p in parts)
                ):
                    also = " or ".join(str(n) for n in read.axes(name) if n != len(parts))
                    told = f"takes exactly {len(parts)} axes, and `{name}` comes with {also} as well"
                    yield f"{read.quote(node)} {told}."


def axes_from_the_front(read: Reading) -> Iterator[str]:
    """Axes by fixed numbers, where arrays come with more or fewer of them."""
    for node in read.every(ast.Call, ast.Attribute, ast.Subscript):
        if _counts_from_the_front(node, read.varying):
            yield f"{read.quote(node)} counts axes from the front, and arrays come with {read.all_axes}."
        if isinstance(node, ast.Attribute) and node.attr == "T" and carries(node.value, read.varying):
            yield f"{read.quote(node)} reverses all the axes, and arrays come with {read.all_axes} axes."


def _counts_from_the_front(node: ast.AST, names: set[str]) -> bool:
    match node:
        case ast.Subscript(value=ast.Attribute(value=inner, attr="shape"), slice=ast.Constant(value=int())):
            return carries(inner, names)
        case ast.Call(keywords=keys) if any(k.arg in ("axis", "dim") and constant(k.value) for k in keys):
            return any(carries(each, names) for each in handed(node))
        case ast.Call() if called(node) in ("transpose", "permute", "swapaxes", "moveaxis", "movedim"):
            things = handed(node)
            axes = [e for thing in things for e in (thing.elts if isinstance(thing, ast.Tuple) else [thing])]
            if not any(map(constant, axes)) or any(map(_negative, axes)):
                return False
            return any(carries(each, names) for each in things)
    return False


def _negative(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def letters(read: Reading) -> Iterator[str]:
    """An einsum without `...`, where arrays come with more or fewer axes."""
    for node in read.every(ast.Call):
        if (
            called(node) == "einsum"
            and node.args
            and constant(node.args[0], str)
            and "..." not in node.args[0].value
        ):
            counts = [len(part.strip()) for part in node.args[0].value.partition("->")[0].split(",")]
            for count, each in zip(counts, node.args[1:], strict=False):
                if carries(each, read.varying):
                    yield f"{read.quote(node)} names {count} axes, and arrays come with {read.all_axes}."
                    break


def constants(read: Reading) -> Iterator[str]:
    """A number written out where a size belongs."""
    for node in read.every(ast.Call, ast.BinOp):
        for number in _sizes(node, read):
            if isinstance(number.value, int) and 2 < number.value < MUCH:
                told = f"The {number.value} in {read.quote(node)} is a fixed number"
                yield f"{told}: it is the same for every input."


def _sizes(node: ast.AST, read: Reading) -> Iterator[ast.Constant]:
    match node:
        case ast.Call(func=ast.Attribute() | ast.Name(), args=inputs) if called(node) in SIZED:
            inputs = inputs[:1] if called(node) == "full" else inputs
            every = [e for i in inputs for e in (i.elts if isinstance(i, ast.Tuple) else [i])]
            yield from (each for each in every if isinstance(each, ast.Constant))
        case ast.BinOp(op=ast.Div(), left=left, right=ast.Constant() as number) if carries(
            left, read.numbers
        ):
            yield number
        case ast.BinOp(op=ast.Pow(), left=ast.Constant() as number) if is_root(node):
            yield number


SEEN: tuple[Seen, ...] = (  # the strongest first
    remembers,
    never_read,
    overwritten,
    not_called,
    after_return,
    dropped,
    words_of_torch,
    late,
    power_first,
    whole_division,
    by_chance,
    rounded,
    narrower,
    never_used,
    of_the_notebook,
    taken_apart,
    axes_from_the_front,
    letters,
    constants,
)
