"""The helpers' docstrings -> a page a module. The files are read, not imported: the site needs no PyTorch."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from website.pages import table_of_contents
from website.words import CODE, shown

PARTS = (  # what a page is about, and its modules under helpers/; a folder stands for its files
    ("What the lessons build", (
        "similarity", "scaling", "softmax", "attention", "masking", "heads", "multi_head", "cross_attention",
        "positions", "gradients", "streaming", "columns", "leaks",
    )),
    ("The same in PyTorch", ("pytorch",)),
    ("Exercises", ("exercises/__init__.py",)),
    ("Data and trained models", ("datasets", "readers", "pretrained")),
    ("Figures", ("plots",)),
)  # fmt: skip

ENTRY = re.compile(r"(?P<name>\w+) {2,}(?P<words>\S.*)")  # of a list of modules
FIRST = """# The helpers

What you can import in the lessons, as the helpers' own docstrings tell it. Shapes come first: what goes
in, and what comes out.
"""


class Definition(NamedTuple):
    """A function or a class that is public: what to call, and its docstring."""

    kind: str
    signature: str
    doc: str


class Module(NamedTuple):
    """A file of the helpers: its dotted name, its docstring, what it offers."""

    name: str
    doc: str
    definitions: tuple[Definition, ...]


def files_of(helpers: Path, name: str) -> list[Path]:
    """The helpers' folder, an entry of PARTS -> its files."""
    place = helpers / name
    if place.is_dir():
        return sorted(path for path in place.rglob("*.py") if path.name != "__init__.py")
    return [place if place.suffix else place.with_suffix(".py")]


def read_module(path: Path, helpers: Path) -> Module:
    """A file -> what it offers. Raises SyntaxError where Python could not read it either."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    dotted = ".".join(path.relative_to(helpers.parent).with_suffix("").parts).removesuffix(".__init__")
    return Module(dotted, ast.get_docstring(tree) or "", tuple(public(tree)))


def public(tree: ast.Module) -> Iterator[Definition]:
    """A module's tree -> its public functions and classes, with the public methods of these."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and offered(node):
            yield Definition("function", f"{node.name}({parameters(node)})", ast.get_docstring(node) or "")
        elif isinstance(node, ast.ClassDef) and offered(node):
            yield Definition("class", node.name, ast.get_docstring(node) or "")
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and offered(inner):
                    call = f"{node.name}.{inner.name}({parameters(inner, method=True)})"
                    yield Definition("method", call, ast.get_docstring(inner) or "")


def offered(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """A definition -> whether it is for others: a public name, and words that say what it does."""
    return not node.name.startswith("_") and ast.get_docstring(node) is not None


def parameters(node: ast.FunctionDef, method: bool = False) -> str:
    """A function -> what stands between its brackets, without types: the docstring tells the shapes."""
    bare = ast.parse(ast.unparse(node.args).join(("def f(", "): pass"))).body[0]
    assert isinstance(bare, ast.FunctionDef)
    every = [*bare.args.posonlyargs, *bare.args.args, *bare.args.kwonlyargs]
    for argument in every + [each for each in (bare.args.vararg, bare.args.kwarg) if each]:
        argument.annotation = None
    bare.args.defaults = [open_value(each) for each in bare.args.defaults]
    bare.args.kw_defaults = [each and open_value(each) for each in bare.args.kw_defaults]
    is_static = any(ast.unparse(each) == "staticmethod" for each in node.decorator_list)
    if method and not is_static and bare.args.args:
        bare.args.args = bare.args.args[1:]  # self, which no caller writes
    return ast.unparse(bare.args)


def open_value(default: ast.expr) -> ast.expr:
    """A default -> the same, or ... where it has a private name, which says nothing to a caller."""
    is_private = isinstance(default, ast.Name) and default.id.startswith("_")
    return ast.Constant(...) if is_private else default


def page(title: str, modules: list[Module]) -> str:
    """A title, its modules -> the page in Markdown."""
    return "\n".join([f"# {title}", "", *(section(module) for module in modules if module.definitions)])


def section(module: Module) -> str:
    """A module -> its part of the page."""
    lines = [f"## `{module.name}`", "", prose(module.doc), ""]
    for each in module.definitions:
        lines += [
            f"::::{{py:{each.kind}}} {each.signature}",
            f":module: {module.name}",
            "",
            prose(each.doc),
            "::::",
            "",
        ]
    return "\n".join(lines)


def prose(docstring: str) -> str:
    """A docstring -> Markdown that shows it as it stands: code stays code, and nothing else is a mark.

    Indented lines are code. The line breaks of a paragraph mean nothing.
    """
    blocks = re.split(r"\n\s*\n", docstring.strip("\n"))
    return "\n\n".join(block_of(block) for block in blocks if block.strip())


def block_of(block: str) -> str:
    """A paragraph of a docstring -> the same in Markdown. What is set in columns or indented is code.

    A list of names, each with what it is, becomes a list; arrows are set as arrows, which no line tears.
    """
    lines = block.splitlines()
    if lines[0].startswith("- "):  # a list already
        points = re.split(r"^- ", block, flags=re.MULTILINE)[1:]
        return "\n".join(f"- {with_arrows(' '.join(each.split()))}" for each in points)
    entries = [ENTRY.fullmatch(each) for each in lines]
    if len(lines) > 1 and all(entries):
        return "\n".join(f"- `{each['name']}`: {with_arrows(each['words'])}" for each in entries if each)
    if any(re.search(r"\S {2,}\S", each) for each in lines) or all(each.startswith("    ") for each in lines):
        return "```text\n" + block + "\n```"
    return with_arrows("\n".join(each.strip() for each in lines))


def with_arrows(text: str) -> str:
    """A text that is no Markdown -> Markdown that looks like it, with → for -> but in code."""
    parts = [part if CODE.fullmatch(part) else part.replace("->", "→") for part in CODE.split(text)]
    return shown("".join(parts))


def first_page() -> str:
    """() -> the page that leads to the others."""
    lines = [f"- [{title}]({slug(title)}.md)" for title, _ in PARTS]
    return "\n".join([FIRST, *lines, "", table_of_contents("", [("", slug(title)) for title, _ in PARTS])])


def slug(title: str) -> str:
    """A page's title -> its file's name."""
    return title.lower().replace(" ", "_")


def pages(helpers: Path) -> dict[str, str]:
    """The helpers' folder -> {page: Markdown}, in order."""
    found = {"reference/index": first_page()}
    for title, parts in PARTS:
        modules = [read_module(path, helpers) for part in parts for path in files_of(helpers, part)]
        found[f"reference/{slug(title)}"] = page(title, modules)
    return found
