"""A learner's source as a tree, with what can be told from it without running it.

Nothing is read where there is no source, or where it is not the one that ran: a cell edited and not run, say.
What `seen.py` says of it must be true, so each question here is answered with "no" where the code leaves it
open.
"""

import ast
import functools
import inspect
import linecache
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from helpers.exercises.engine.edited import same_steps
from helpers.exercises.engine.probes import Probe
from helpers.exercises.engine.sandbox import code_of

Function = ast.FunctionDef | ast.Lambda
Begins = tuple[str, int]  # a name, and the line of the first decorator or of the def
LONGEST = 70  # characters of code that are quoted
BLIND = {"locals", "vars", "eval", "exec", "globals", "dir"}  # who calls these may read any name
KEEPS = {  # what is called on numbers and gives as many axes of them, or fewer
    *("exp", "log", "where", "matmul", "einsum", "dot", "softmax", "swapaxes", "transpose", "permute"),
    *("clip", "maximum", "minimum", "masked_fill", "copy", "clone", "asarray", "array", "contiguous"),
    *("multiply", "divide", "true_divide", "add", "subtract", "scale_scores", "mask_scores"),
    *("dot_product_scores", "my_softmax", "sum", "max", "min", "mean", "amax", "matrix_transpose"),
}


@dataclass(frozen=True, eq=False)
class Reading:
    """A function's source as a tree, the function itself, and what goes in: by argument, on each probe."""

    tree: Function
    text: str
    file: str
    function: types.FunctionType
    inputs: dict[str, list[Any]]
    needed: Callable[[str], bool] = bool  # does the right result hang on this argument?
    tensors: bool = False  # of PyTorch, go in

    def quote(self, node: ast.AST) -> str:
        """A part of the tree -> its text, as code in one line."""
        text = " ".join((ast.get_source_segment(self.text, node) or "").split())
        return f"`{text}`" if len(text) <= LONGEST else f"`{text[: LONGEST - 1]}…`"

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every part of what runs, without annotations and defaults."""
        body = self.tree.body if isinstance(self.tree.body, list) else [self.tree.body]
        return [node for statement in body for node in ast.walk(statement)]

    def every(self, *kinds: type) -> Iterator[Any]:
        """The parts of these kinds, in the order of the lines."""
        found = [node for node in self.nodes if isinstance(node, kinds)]
        return iter(sorted(found, key=lambda node: (node.lineno, node.col_offset)))  # type: ignore[attr-defined]

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Each part -> the one that it stands in."""
        return {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}

    @cached_property
    def loads(self) -> set[str]:
        """The names that are read. `x += 1` reads x."""
        added = {n.target.id for n in self.every(ast.AugAssign) if isinstance(n.target, ast.Name)}
        return added | {n.id for n in self.every(ast.Name) if isinstance(n.ctx, ast.Load)}

    @cached_property
    def blind(self) -> bool:
        """True where the code may read names that are not written out."""
        return bool(BLIND & self.loads)

    @cached_property
    def stores(self) -> dict[str, list[ast.expr | None]]:
        """Each name that is bound -> what it is bound to, None where that is no plain `name = …`."""
        found: dict[str, list[ast.expr | None]] = {}
        plain = set()
        for node in self.every(ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node.value)
                    plain.add(target)
        for node in self.every(ast.Name):
            if isinstance(node.ctx, ast.Store) and node not in plain:
                found.setdefault(node.id, []).append(None)
        for node in self.nodes:
            if isinstance(node, ast.arg):  # of a function inside
                found.setdefault(node.arg, []).append(None)
        return found

    def carried(self, names: set[str]) -> set[str]:
        """Arguments -> these, where they stay what they are, and the variables made of their numbers."""
        found = names | (self.stores.keys() - self.inputs.keys())
        while True:
            lost = {
                name
                for name in found
                if not all(value and carries(value, found) for value in self.stores.get(name, []))
            }
            if not lost:
                return found
            found = found - lost

    @cached_property
    def numbers(self) -> set[str]:
        """The names that hold real numbers of the inputs."""
        return self.carried({n for n, given in self.inputs.items() if any(map(real_numbers, given))})

    @cached_property
    def varying(self) -> set[str]:
        """The names of arrays that come with more or fewer axes. None where the code asks how many."""
        asks = any(word in self.text_of_tests for word in ("ndim", "shape", "dim()", "len("))
        if asks or any(self.every(ast.Try)) or getattr(self.tree, "name", "") in self.loads:
            return set()
        return self.carried({name for name in self.inputs if len(self.axes(name)) > 1})

    @cached_property
    def text_of_tests(self) -> str:
        """What `if`, `while` and `match` ask."""
        tests = [node.test for node in self.every(ast.If, ast.IfExp, ast.While)]
        return " ".join(map(ast.unparse, [*tests, *(node.subject for node in self.every(ast.Match))]))

    def axes(self, name: str) -> list[int]:
        """An argument -> the numbers of axes with which it comes."""
        return sorted({value.ndim for value in self.inputs[name] if isinstance(value, np.ndarray)})

    @cached_property
    def all_axes(self) -> str:
        """ "2, 3 or 4": the axes with which the arrays come that have now more and now fewer."""
        counts = max((self.axes(name) for name in self.inputs), key=len)
        return " or ".join([", ".join(map(str, counts[:-1])), str(counts[-1])])


def reading(function: object, probes: Sequence[Probe]) -> Reading | None:
    """A function, what goes in -> its source read, or None where there is none, or another one ran."""
    inner = _plain(function)
    if inner is None:
        return None
    code, text = inner.__code__, "".join(linecache.getlines(inner.__code__.co_filename, inner.__globals__))
    begins = code.co_name, code.co_firstlineno
    every_node, every_code = _parsed(text, code.co_filename)
    nodes, codes = every_node.get(begins, []), every_code.get(begins, [])
    if len(nodes) != 1 or len(codes) != 1 or not same_steps(code, codes[0]):
        return None
    names = [each.arg for each in (*nodes[0].args.posonlyargs, *nodes[0].args.args)]
    names = names[1:] if _bound(function) else names
    given = [[probe.inputs[name] for probe in probes] for name in probes[0].inputs]
    of_torch = probes[0].form.tensors
    inputs = dict(zip(names, given, strict=False))
    return Reading(nodes[0], text, code.co_filename, inner, inputs, tensors=of_torch)


def _plain(function: object) -> types.FunctionType | None:
    try:
        found = inspect.unwrap(function)  # type: ignore[arg-type]
    except Exception:
        return None
    if not isinstance(found, types.FunctionType | types.MethodType):
        found = getattr(type(found), "__call__", None)  # noqa: B004  (an object that can be called)
    found = getattr(found, "__func__", found)
    return found if isinstance(found, types.FunctionType) and code_of(function) is found.__code__ else None


@functools.lru_cache(maxsize=4)  # the learner's cell and the exercise's own file, for a check and the next
def _parsed(text: str, file: str) -> tuple[dict[Begins, list[Function]], dict[Begins, list[types.CodeType]]]:
    """A file's text and name -> its functions as trees and as code, by name and first line; none where it is
    no Python.
    """
    try:
        tree = ast.parse(text)
        compiled = compile(tree, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}, {}
    nodes: dict[Begins, list[Function]] = {}
    for node in ast.walk(tree):
        if isinstance(node, Function):
            nodes.setdefault(_begins(node), []).append(node)
    codes: dict[Begins, list[types.CodeType]] = {}
    for each in _codes(compiled):
        codes.setdefault((each.co_name, each.co_firstlineno), []).append(each)
    return nodes, codes


def _bound(function: object) -> bool:
    found = inspect.unwrap(function)  # type: ignore[arg-type]
    return not isinstance(found, types.FunctionType)


def _begins(node: Function) -> Begins:
    decorated = getattr(node, "decorator_list", [])
    return getattr(node, "name", "<lambda>"), decorated[0].lineno if decorated else node.lineno


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield each
            yield from _codes(each)


def real_numbers(value: object) -> bool:
    """An input -> True for an array of float numbers."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def carries(node: ast.expr, names: set[str]) -> bool:
    """An expression, names -> True where it holds numbers of these names, not only their sizes."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, right=right):
            return carries(left, names) or carries(right, names)
        case ast.UnaryOp(operand=inner, op=ast.USub()) | ast.Attribute(value=inner, attr="T" | "mT"):
            return carries(inner, names)
        case ast.Call(func=ast.Attribute(value=receiver, attr=name), args=inputs) if name in KEEPS:
            return any(carries(each, names) for each in (receiver, *inputs))
        case ast.Call(func=ast.Name(id=name), args=inputs) if name in KEEPS:
            return any(carries(each, names) for each in inputs)
    return False


def called(node: ast.Call) -> str:
    """np.round(x), x.round(), round(x) -> round."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def handed(node: ast.Call) -> list[ast.expr]:
    """A call -> what it works on: the arguments, and what stands before the dot."""
    before = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    return [*before, *node.args]


def constant(node: ast.AST | None, kind: type = int) -> bool:
    """True for a number, or a text, that is written out."""
    return isinstance(node, ast.Constant) and isinstance(node.value, kind) and node.value is not True


def is_root(node: ast.expr) -> bool:
    """sqrt(…), … ** 0.5."""
    match node:
        case ast.Call():
            return called(node) == "sqrt"
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=0.5)):
            return True
    return False


def names(node: ast.AST) -> set[str]:
    """A part of a tree -> the names in it."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
