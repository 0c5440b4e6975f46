"""A mistake is an edit of the right answer: from one answer and a list of edits, every wrong version.

    EDITS = Edits(my_causal_mask, {"offset": "n_keys - n_queries", "at": "positions[:, None]"})
    MISTAKES = EDITS.mistakes('''
    upper-left
        the triangle starts in the upper left corner: the queries were taken for the first tokens
        They are the last n_queries tokens.
        | offset => 0
    ''', reread="05: Minus infinity before softmax")
    RECIPE = EDITS.recipe()

A place is an expression of the answer. An edit, `place => expression`, puts another expression there: in it
the name of a place stands for what stands in that place, and `it` for what stood here. All edits are compiled
into the answer once, each behind a keyword ("mutant schemata", Untch, Offutt and Harrold 1993): a wrong
version is the answer called with some keywords, and edits of different places make a pair.
"""

import ast
import builtins
import inspect
import linecache
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from helpers.exercises.engine.paragraphs import Paragraphs

RESULT = "result"  # the place of what the answer returns


class Edits(Paragraphs):
    """An answer, its places by name, and what may stand there instead.

    `places`: name -> expression. `"-1 in total"` is the -1 in the place `total`, for an expression that
    stands in the answer more than once; `"one + other"` is two places at once; `""` is a step that this
    answer has not, for paragraphs that several answers share: its edits change nothing. Every argument is a
    place, which is edited before all else, and so is `result`, what the answer returns.

    `steps`: place -> arguments, where mistakes of `slips/` give a function for what stands there: with
    `{"hide": "scores, mask"}` the recipe takes `hide=function`, and puts `function(scores, mask)` there.
    """

    def __init__(
        self, answer: Callable[..., Any], places: Mapping[str, str], steps: Mapping[str, str] | None = None
    ) -> None:
        """Finds the places. Raises ValueError for an expression that the answer holds not exactly once."""
        self.answer, self.steps = answer, steps or {}
        self.source = textwrap.dedent(inspect.getsource(answer))
        (tree,) = ast.parse(self.source).body
        assert isinstance(tree, ast.FunctionDef)
        self.tree, self.arguments = tree, [argument.arg for argument in tree.args.args]
        self.groups = {
            name: parts for name, text in places.items() if set(parts := text.split(" + ")) <= places.keys()
        }
        self.nodes: dict[str, ast.expr] = {}
        self.texts = {node: ast.dump(node) for node in ast.walk(tree) if isinstance(node, ast.expr)}
        self.bound = _bound(ast.walk(tree))
        self.absent = {name for name, text in places.items() if not text}
        for name in places:  # in their order: where two are one expression, the later one is edited last
            if name not in self.groups and name not in self.absent:
                self._find(name, places)
        self.variants: dict[str, list[str]] = {}
        self.copies: dict[tuple[ast.AST, frozenset[str]], Any] = {}

    def title(self) -> str:
        """() -> what a message calls these paragraphs: the answer's name."""
        return self.answer.__name__

    def way(self, text: str) -> dict[str, Any]:
        """'axis => 0; exp => 1.0' -> keywords of the recipe. A place without => stays right, in pairs too."""
        chosen = {}
        edits = [[part.strip() for part in edit.partition("=>")] for edit in text.split("; ")]
        # A step that this answer has not may read what is not here, either.
        self._check_names([new for place, _, new in edits if new and place not in self.absent])
        for place, _, new in edits:
            for one in self.groups.get(place, [place]):
                if one not in {*self.nodes, *self.absent, *self.arguments, RESULT}:
                    raise ValueError(f"no place {one!r} in {self.answer.__name__}: {sorted(self.nodes)}")
                known = self.variants.setdefault(one, [])
                known += [new] if new and new not in known else []
                chosen[self._keyword(one)] = known.index(new) + 1 if new else 0
        return chosen

    def recipe(self) -> Callable[..., Any]:
        """The answer with a keyword for each place. Without any it is right; with k the k-th edit is made.

        Call it after `mistakes`, which tells what the edits are.
        """
        *steps, last = (step for step in self.tree.body if not isinstance(step, ast.Expr))
        assert isinstance(last, ast.Return)
        body: list[ast.stmt] = [
            *(_set(name, self._choice(name, ast.Name(name, ast.Load()))) for name in self.arguments),
            *(self._edited(step) for step in steps),
            _set("it", self._edited(last.value)),
            ast.Return(self._choice(RESULT, ast.Name("it", ast.Load()))),
        ]
        taken = ast.arguments(
            [], [ast.arg(name) for name in self.arguments], None, [], [], ast.arg("_made"), []
        )
        made = ast.FunctionDef("recipe", taken, body, [], None)
        recipe = _function(self.answer, _located(ast.Module([made], [])), "recipe", "<edits>")
        self.copies.clear()  # they would not know the edits of a later call
        return recipe

    def bug(self, way: str) -> Callable[..., Any]:
        """The answer with edits made in its text, as a find-the-bug exercise hands it out.

        `place =>` takes out the line in which the place stands.
        """
        made = [[part.strip() for part in edit.split("=>")] for edit in way.split("; ")]
        changes = [(self.nodes[one], new) for place, new in made for one in self.groups.get(place, [place])]
        lines = self.source.splitlines(keepends=True)
        for node, new in sorted(changes, key=lambda change: (change[0].lineno, -change[0].col_offset)):
            assert node.lineno == node.end_lineno, "a bug is an edit within one line"
            line = lines[node.lineno - 1].encode()
            line = line[: node.col_offset] + new.encode() + line[node.end_col_offset :]
            lines[node.lineno - 1] = line.decode() if new else ""
        return _compiled(self.answer, "".join(lines), self.answer.__name__, way)

    def _check_names(self, expressions: list[str]) -> None:
        """Raises ValueError for what is no expression, or names what neither the answer nor another sees."""
        inside = []
        for new in expressions:
            try:
                inside.append(list(ast.walk(_parsed(new))))
            except SyntaxError as error:
                raise ValueError(f"{new!r} is no expression: {error.msg}") from error
        bound = self.bound.union(*map(_bound, inside))
        known = ({"it"}, bound, self.nodes, self.absent, self.answer.__globals__, vars(builtins))
        for new, found in zip(expressions, inside, strict=True):
            named = {node.id for node in found if isinstance(node, ast.Name)}
            unknown = {name for name in named if not any(name in names for names in known)}
            if unknown:
                missing = ", ".join(sorted(unknown))
                raise ValueError(f"{new!r} names what is not above it in the file: {missing}")

    def _keyword(self, place: str) -> str:
        return place if place in self.steps else f"at {place}"  # no argument has such a name

    def _find(self, name: str, places: Mapping[str, str]) -> ast.expr:
        text, _, outer = places[name].partition(" in ")
        among = ast.walk(self._find(outer, places)) if outer in places else self.texts
        wanted = ast.dump(_parsed(text if outer in places else places[name]))
        found = [node for node in among if isinstance(node, ast.expr) and self.texts[node] == wanted]
        if len(found) != 1:
            raise ValueError(f"{text!r} stands in {self.answer.__name__} {len(found)} times, not once")
        return self.nodes.setdefault(name, found[0])

    def _edited(self, node: Any, *without: str) -> Any:
        """A copy of a part of the answer in which every place but these has its edits behind keywords.

        It is made once, however many edits name a place that holds it: they share it.
        """
        known = node, frozenset(without)
        if known not in self.copies:
            self.copies[known] = self._copied(node, *without)
        return self.copies[known]

    def _copied(self, node: Any, *without: str) -> Any:
        parts = {}
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                parts[field] = [self._edited(v, *without) if isinstance(v, ast.AST) else v for v in value]
            else:
                parts[field] = self._edited(value, *without) if isinstance(value, ast.AST) else value
        copy = type(node)(**parts)
        for name in [name for name, place in self.nodes.items() if place is node and name not in without]:
            copy = self._choice(name, copy, *without)  # two places may be one expression: one after the other
        return copy

    def _choice(self, place: str, right: ast.expr, *without: str) -> ast.expr:
        """What stands in a place: `edit if its keyword is chosen else …`, for each of its edits."""
        made = right
        for number, text in enumerate(self.variants.get(place, ()), 1):
            chosen = _parsed(f"_made.get({self._keyword(place)!r}) == {number}")
            made = ast.IfExp(chosen, self._named(_parsed(text), place, right, *without), made)
        if place in self.steps:
            given = _parsed(f"callable(_made.get({place!r}))")
            call = _parsed(f"_made[{place!r}]({self.steps[place]})")
            made = ast.IfExp(given, self._named(call, place, right, *without), made)
        return made

    def _named(self, new: ast.expr, place: str, right: ast.expr, *without: str) -> ast.expr:
        """An edit's expression in which `it` and the names of places are replaced by what they stand for."""

        def meaning(name: str) -> ast.expr | None:
            if name == "it":
                return right
            known = name in self.nodes and name not in without
            return self._edited(self.nodes[name], place, *without) if known else None

        named: ast.expr = _Names(meaning).visit(new)
        return named


def renamed(answer: Callable[..., Any], name: str) -> Callable[..., Any]:
    """An answer, the name that another exercise gives it -> the same function under that name."""
    source = textwrap.dedent(inspect.getsource(answer))
    return _compiled(answer, source.replace(f"def {answer.__name__}(", f"def {name}(", 1), name, name)


def _compiled(answer: Callable[..., Any], source: str, name: str, way: str) -> Callable[..., Any]:
    """Source text -> the function, which sees what the answer sees; `inspect` finds its text."""
    file = f"<{answer.__module__}.{answer.__name__}: {way}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    return _function(answer, source, name, file)


def _function(answer: Callable[..., Any], code: Any, name: str, file: str) -> Callable[..., Any]:
    space = dict(answer.__globals__)
    exec(compile(code, file, "exec"), space)
    function: Callable[..., Any] = space[name]
    return function


class _Names(ast.NodeTransformer):
    """Puts in what a name stands for. One class for all edits: one made anew for each would stay in memory,
    with the trees that it knows, until Python looks for circles."""

    def __init__(self, meaning: Callable[[str], ast.expr | None]) -> None:
        """meaning: a name -> what stands for it, or None."""
        self.meaning = meaning

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name -> what stands for it."""
        return self.meaning(node.id) or node


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _bound(nodes: Iterable[ast.AST]) -> set[str]:
    """Parts of Python -> the names that they give: what is assigned, and arguments."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found


def _located(tree: ast.Module) -> ast.Module:
    """A tree -> the same, in which every part has a line, as `compile` asks.

    `ast.fix_missing_locations` does that too, but looks at a part as often as edits share it.
    """
    waiting: list[ast.AST] = [tree]
    seen: set[ast.AST] = set()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            if "lineno" in node._attributes and "lineno" not in vars(node):
                vars(node).update(lineno=1, end_lineno=1, col_offset=0, end_col_offset=0)
            waiting += ast.iter_child_nodes(node)
    return tree


def _set(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)
