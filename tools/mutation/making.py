"""Source -> mutants. A mutant is a module in which one node of the syntax tree gave way to another.

Types, imports, docstrings and the words of messages stay as they are: no test of behaviour could notice, or
every one would have to quote the message.
"""

import ast
import copy
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, NamedTuple

Other = tuple[str, ast.AST]  # what was done, and what stands there now
Place = tuple[str, int | None]  # a field of a node, and the place in it where it is a list

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
NAMES = {"min": "max", "any": "all", "maximum": "minimum", "ones": "zeros", "argmax": "argmin"}
OPPOSITES = NAMES | {other: name for name, other in NAMES.items()}
ERRORS = {"ValueError": "TypeError", "TypeError": "ValueError"}
TYPES_ONLY = frozenset({"annotation", "returns", "type_comment", "type_params"})
SYMMETRIC = frozenset({"max", "min", "maximum", "minimum", "result_type", "broadcast_shapes", "array_equal"})
OF_TWO_AXES = frozenset({"swapaxes", "transpose"})
TYPES = frozenset({"TypeVar", "ParamSpec"})


class Mutant(NamedTuple):
    """One change of one module. `before` and `after` are the statement in which it stands."""

    module: str
    number: int
    line: int
    what: str
    before: str
    after: str


def mutants(module: str, source: str) -> list[Mutant]:
    """A module's name and source -> its mutants."""
    tree = ast.parse(source)
    found = []
    for number, change in enumerate(_changes_below(tree, tree)):
        line = getattr(change.old, "lineno", getattr(change.statement, "lineno", 0))
        before = _head(change.statement)
        with change.made():
            after = _head(change.new if change.statement is change.old else change.statement)
        found.append(Mutant(module, number, line, change.what, before, after))
    return found


def code_of(mutant: Mutant, source: str, path: str) -> CodeType:
    """A mutant, the source it was made of, the file's path -> what to execute in the place of the module."""
    tree = ast.parse(source)
    change = next(itertools.islice(_changes_below(tree, tree), mutant.number, None))
    with change.made():
        return compile(ast.fix_missing_locations(tree), path, "exec")


class Change(NamedTuple):
    """A node in its place, what may stand there instead, and the statement around it."""

    node: ast.AST
    place: Place
    old: ast.AST
    new: ast.AST
    what: str
    statement: ast.AST

    @contextmanager
    def made(self) -> Iterator[None]:
        """Inside `with`, the tree is changed."""
        _put(self.node, self.place, self.new)
        yield
        _put(self.node, self.place, self.old)


def _changes_below(node: ast.AST, statement: ast.AST) -> Iterator[Change]:
    for place, child in _children(node):
        inside = child if isinstance(child, ast.stmt | ast.ExceptHandler) else statement
        for what, other in _others(child):
            yield Change(node, place, child, other, what, inside)
        yield from _changes_below(child, inside)


def _put(node: ast.AST, place: Place, child: ast.AST) -> None:
    field, index = place
    if index is None:
        setattr(node, field, child)
    else:
        getattr(node, field)[index] = child


def _children(node: ast.AST) -> Iterator[tuple[Place, ast.AST]]:
    """A node -> the nodes in it that may be changed, each with its place."""
    for field, value in ast.iter_fields(node):
        if field in TYPES_ONLY:
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not _stays(child) and not _is_words(node, child):
                yield (field, index), child


def _stays(node: ast.AST) -> bool:
    """Whether this is an import, a list of names, or says something to the checker of types alone."""
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "__all__"
    return isinstance(node, ast.Import | ast.ImportFrom) or _called(node) in TYPES


def _is_words(node: ast.AST, child: ast.AST) -> bool:
    """Whether this is a docstring, or for a reader: words with a space, or the text of an f-string."""
    if not isinstance(child, ast.Constant) or not isinstance(child.value, str):
        return False
    return isinstance(node, ast.Expr | ast.JoinedStr) or " " in child.value


def _called(node: ast.AST) -> str:
    """A call -> the last name of what is called: "any" for mask.any()."""
    function = getattr(node, "func", None)
    return str(getattr(function, "attr", getattr(function, "id", "")))


def _head(node: ast.AST) -> str:
    """A statement -> its text, of a compound one the first line alone."""
    head = copy.copy(node)
    for field in ("body", "orelse", "finalbody", "handlers"):
        if isinstance(getattr(head, field, None), list):
            setattr(head, field, [])
    return ast.unparse(ast.fix_missing_locations(head)).strip()


# --- what may stand there instead ---------------------------------------------------------------------------


def _with(node: ast.AST, **fields: Any) -> Any:
    """A copy of the node, with these fields."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _others(node: ast.AST) -> Iterator[Other]:
    """A node -> what may stand in its place."""
    if isinstance(node, ast.Constant):
        yield from (("constant", _with(node, value=value)) for value in _other_values(node.value))
    elif isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                ops = [*node.ops[:place], other(), *node.ops[place + 1 :]]
                yield "comparison", _with(node, ops=ops)
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        if type(node.op) in ARITHMETIC:
            yield "arithmetic", _with(node, op=ARITHMETIC[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield "and, or", _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for place in range(len(node.values)):
            rest = [*node.values[:place], *node.values[place + 1 :]]
            yield "operand left out", rest[0] if len(rest) == 1 else _with(node, values=rest)
    elif isinstance(node, ast.UnaryOp):
        if not isinstance(node.operand, ast.Constant):
            yield "sign or not left out", node.operand
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    elif isinstance(node, ast.IfExp | ast.comprehension):
        yield from _other_conditions(node)
    elif isinstance(node, ast.stmt):
        yield from _other_statements(node)


def _other_values(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if isinstance(value, float):
        return [other for other in (value + 1, 2 * value) if other != value] if value else [1.0]
    if isinstance(value, str):
        return ["" if value else "x"]
    return []


def _other_calls(call: ast.Call) -> Iterator[Other]:
    """Arguments swapped or left out by their keyword; min for max, any for all."""
    name = _called(call)
    pairs = [] if name in SYMMETRIC else list(zip(call.args, call.args[1:], strict=False))
    for place, (one, other) in enumerate(pairs[:-1] if name in OF_TWO_AXES else pairs):
        if ast.dump(one) != ast.dump(other) and not isinstance(other, ast.Starred):
            swapped = [*call.args[:place], other, one, *call.args[place + 2 :]]
            yield "arguments swapped", _with(call, args=swapped)
    for place in range(len(call.keywords) if name != "zip" else 0):  # strict=False stands for both
        rest = [*call.keywords[:place], *call.keywords[place + 1 :]]
        yield "keyword left out", _with(call, keywords=rest)
    if name in OPPOSITES:
        field = "attr" if isinstance(call.func, ast.Attribute) else "id"
        yield "opposite", _with(call, func=_with(call.func, **{field: OPPOSITES[name]}))


def _not(condition: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), condition)


def _other_conditions(node: ast.IfExp | ast.comprehension) -> Iterator[Other]:
    if isinstance(node, ast.IfExp):
        yield "condition negated", _with(node, test=_not(node.test))
        return
    for place, condition in enumerate(node.ifs):
        ifs = [*node.ifs[:place], _not(condition), *node.ifs[place + 1 :]]
        yield "condition negated", _with(node, ifs=ifs)


def _other_statements(node: ast.stmt) -> Iterator[Other]:
    if isinstance(node, ast.If | ast.While):
        yield "condition negated", _with(node, test=_not(node.test))
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        error = ast.Name(ERRORS.get(_called(node.exc), "RuntimeError"), ast.Load())
        yield "another error", _with(node, exc=_with(node.exc, func=error))
    if isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
        yield "result left out", _with(node, value=None)
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        yield "decorator left out", _with(node, decorator_list=node.decorator_list[1:])
    if isinstance(node, ast.Break | ast.Continue):
        yield "break, continue", ast.Continue() if isinstance(node, ast.Break) else ast.Break()
    if _can_be_left_out(node):
        yield "statement left out", ast.Pass()


def _can_be_left_out(node: ast.stmt) -> bool:
    """A statement that does something, other than giving a name its first value: that fails at once."""
    if isinstance(node, ast.Assign):
        targets = [part for target in node.targets for part in ast.walk(target)]
        names = {part.id for part in targets if isinstance(part, ast.Name)}
        used = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
        return bool(names & used) or any(isinstance(part, ast.Subscript | ast.Attribute) for part in targets)
    return isinstance(node, ast.AugAssign | ast.Raise) or (
        isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    )
