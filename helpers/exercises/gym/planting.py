"""A mistake's edit, made in source text: in a learner's function where its places are found, else in ours.

The catalogue holds an edit as "this place => that expression" of our answer. A learner's function says the
same in other words: its arguments and local variables may have other names. A place is found in it where one
expression, and one only, equals the place's up to the names of local variables.
"""

import ast
import functools
import itertools
import linecache
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from helpers.exercises.engine.edits import RESULT, Edits

Way = Mapping[str, Any]
Names = dict[str, str]  # of our local variables: what they are called in the other function


@dataclass(frozen=True)
class Change:
    """An expression of a function's source, and what is to stand there instead."""

    old: ast.expr
    new: ast.expr


class NotFoundError(ValueError):
    """A place that the source has not, or has twice."""


def changes_of(edits: Edits, way: Way, source: str) -> list[Change]:
    """Our answer's edits, a way to make a mistake, a function's source -> the changes that make it there.

    Raises NotFoundError where a place is not found in that source, or the way edits what is no expression.
    """
    tree = definition(source)
    names = _arguments(edits, tree)
    return [_change(edits, keyword, number, tree, names) for keyword, number in way.items() if number]


def meet(edits: Edits, one: Way, other: Way) -> bool:
    """Two ways -> whether they edit one place, or a part of it; True, too, where it cannot be said."""
    return inside(edits, one, other) or inside(edits, other, one)


def inside(edits: Edits, one: Way, other: Way) -> bool:
    """Two ways -> whether the first edits what the other edits, or a part; True where it cannot be said."""

    def nodes(way: Way) -> list[ast.expr | None]:
        return [edits.nodes.get(keyword.removeprefix("at ")) for keyword, number in way.items() if number]

    pairs = itertools.product(nodes(one), nodes(other))
    return any(a is None or b is None or a in ast.walk(b) for a, b in pairs)


def made_in(source: str, changes: list[Change]) -> str:
    """A function's source, changes of different expressions -> the source with all of them made.

    Raises NotFoundError where one of these stands inside another.
    """
    lines = source.encode().splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    spans = sorted(_span(change.old, starts) for change in changes)
    if any(start < end for (_, end), (start, _) in itertools.pairwise(spans)):
        raise NotFoundError("one place stands inside another")
    text = source.encode()
    for change in sorted(changes, key=lambda change: -_span(change.old, starts)[0]):
        start, end = _span(change.old, starts)
        bare = ast.unparse(change.new).encode()
        text = next(
            (
                made
                for new in (bare, b"(" + bare + b")")
                if _says(made := text[:start] + new + text[end:], text, (start, end), change)
            ),
            text[:start] + b"(" + bare + b")" + text[end:],
        )
    return text.decode()


@functools.lru_cache(maxsize=32)
def definition(source: str) -> ast.FunctionDef:
    """Source text -> the one function that it defines, not to be changed.

    Raises NotFoundError where that is not so.
    """
    try:
        found = ast.parse(textwrap.dedent(source)).body
    except SyntaxError as error:
        raise NotFoundError("no source") from error
    if len(found) != 1 or not isinstance(found[0], ast.FunctionDef):
        raise NotFoundError("not one function")
    return found[0]


def compiled(source: str, space: Mapping[str, Any], title: str) -> Callable[..., Any]:
    """A function's source, the names that it may use -> the function; `inspect` finds its text."""
    file = f"<{title}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    mine = dict(space)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SyntaxWarning)  # 1(x) is a SyntaxError then: no edit that is meant
        exec(compile(source, file, "exec"), mine)
    function: Callable[..., Any] = mine[definition(source).name]
    return function


def _span(node: ast.expr, starts: list[int]) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def _says(made: bytes, before: bytes, span: tuple[int, int], change: Change) -> bool:
    """Whether a text with something put in says what is meant: no bracket is missing."""
    marked = before[: span[0]] + b"__here__" + before[span[1] :]

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return change.new if node.id == "__here__" else node

    try:
        meant = Put().visit(ast.parse(marked))
        return ast.dump(ast.parse(made)) == ast.dump(meant)
    except SyntaxError:
        return False


def _change(edits: Edits, keyword: str, number: Any, tree: ast.FunctionDef, names: Names) -> Change:
    place = keyword.removeprefix("at ")
    if not isinstance(number, int) or place not in {*edits.nodes, RESULT}:
        raise NotFoundError(f"{keyword} is no expression of the answer")
    last = edits.tree.body[-1]
    assert isinstance(last, ast.Return)
    assert last.value is not None
    ours = last.value if place == RESULT else edits.nodes[place]
    if place == RESULT:
        theirs = tree.body[-1]
        if not isinstance(theirs, ast.Return) or theirs.value is None:
            raise NotFoundError("the last line is no return")
        old = theirs.value
    else:
        old = _find(ours, edits, tree, names)
    new = _resolved(edits, ast.parse(edits.variants[place][number - 1], mode="eval").body, ours, old)
    return Change(old, _renamed(new, names))


def _find(ours: ast.expr, edits: Edits, tree: ast.FunctionDef, names: Names) -> ast.expr:
    if tree is edits.tree:
        return ours
    if _dumped(edits.tree) == _dumped(tree):  # our own answer, parsed anew: the same node in the same place
        pairs = zip(ast.walk(edits.tree), ast.walk(tree), strict=True)
        return next(other for one, other in pairs if one is ours and isinstance(other, ast.expr))
    found = [
        (node, bound)
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and (bound := _alike(ours, node, _locals(edits), names)) is not None
    ]
    if len(found) != 1:
        raise NotFoundError(f"{ast.unparse(ours)!r} stands there {len(found)} times")
    names.update(found[0][1])
    return found[0][0]


@functools.lru_cache(maxsize=32)
def _dumped(tree: ast.AST) -> str:
    """A tree that nobody changes -> all that it says, as text."""
    return ast.dump(tree)


def _alike(ours: Any, theirs: Any, local: set[str], names: Names) -> Names | None:
    """Two parts of source -> what our local variables are called in the other, or None where they differ."""
    if type(ours) is not type(theirs):
        return None
    if isinstance(ours, ast.Name):
        if ours.id in names:
            return names if names[ours.id] == theirs.id else None
        if ours.id in local:
            return {**names, ours.id: theirs.id}
        return names if ours.id == theirs.id else None
    if not isinstance(ours, ast.AST):
        return names if ours == theirs else None
    for one, other in zip(_fields(ours), _fields(theirs), strict=False):
        found = _alike(one, other, local, names)
        if found is None:
            return None
        names = found
    return names if len(list(_fields(ours))) == len(list(_fields(theirs))) else None


def _fields(node: ast.AST) -> Iterator[Any]:
    for _, value in ast.iter_fields(node):
        if isinstance(value, list):
            yield len(value)
            yield from value
        else:
            yield value


def _locals(edits: Edits) -> set[str]:
    found = (node for node in ast.walk(edits.tree) if isinstance(node, ast.Name))
    return {node.id for node in found if isinstance(node.ctx, ast.Store)}


def _arguments(edits: Edits, tree: ast.FunctionDef) -> Names:
    theirs = [argument.arg for argument in tree.args.args]
    if len(theirs) != len(edits.arguments):
        raise NotFoundError("other arguments")
    return dict(zip(edits.arguments, theirs, strict=True))


def _resolved(edits: Edits, new: ast.expr, ours: ast.expr, old: ast.expr) -> ast.expr:
    """An edit's expression with what `it` and the names of places stand for."""

    class Stands(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            if node.id == "it":
                return _marked(old)
            place = edits.nodes.get(node.id)  # one that bears a variable's name stands for the place, too
            return node if place is None or place is ours or _is_value_of(node.id, place, edits) else place

    resolved: ast.expr = Stands().visit(new)
    return resolved


def _is_value_of(name: str, place: ast.expr, edits: Edits) -> bool:
    """Whether a local variable holds just what stands in a place: then its name says the same in less."""
    kept = (node for node in ast.walk(edits.tree) if isinstance(node, ast.Assign) and node.value is place)
    return any(isinstance(target, ast.Name) and target.id == name for node in kept for target in node.targets)


class _Kept(ast.Name):
    """The learner's own expression, which is not to be renamed."""


def _marked(old: ast.expr) -> ast.expr:
    return _Kept(ast.unparse(old), ast.Load())


def _renamed(new: ast.expr, names: Names) -> ast.expr:
    class Renames(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.Name(names.get(node.id, node.id), node.ctx)

        def visit__Kept(self, node: _Kept) -> ast.expr:
            return ast.parse(node.id, mode="eval").body

    renamed: ast.expr = Renames().visit(_copied(new))
    return renamed


def _copied(node: Any) -> Any:
    if isinstance(node, list):
        return [_copied(each) for each in node]
    if not isinstance(node, ast.AST):
        return node
    return type(node)(**{field: _copied(value) for field, value in ast.iter_fields(node)})
