"""PyTorch's words in a learner's source, where NumPy's arrays go in."""

import ast
from collections.abc import Iterator

from helpers.exercises.engine.reading import Reading, called, carries, constant

KEYWORDS = {"dim": "axis", "keepdim": "keepdims"}
METHODS = {  # of tensors, and not of arrays -> what does the same in NumPy
    "norm": "np.linalg.norm(x)",
    "exp": "np.exp(x)",
    "log": "np.log(x)",
    "sqrt": "np.sqrt(x)",
    "abs": "np.abs(x)",
    "matmul": "np.matmul(x, y)",
    "bmm": "np.matmul(x, y)",
    "unsqueeze": "np.expand_dims(x, axis)",
    "masked_fill": "np.where(mask, number, x)",
}


def words_of_torch(read: Reading) -> Iterator[str]:
    """What only a tensor has, or reads in another way than an array: all of it in one sentence."""
    if read.tensors or {"torch", "F"} & read.loads:
        return
    found = dict(word for node in read.every(ast.Call, ast.Subscript) for word in _words(node, read))
    if found.keys() - {f"`{word}=`" for word in KEYWORDS}:  # of these alone Python's message tells enough
        told = "; ".join(f"{word}, here {ours}" for word, ours in found.items())
        yield f"PyTorch's words, which NumPy lacks or reads in another way: {told}."


def _words(node: ast.AST, read: Reading) -> Iterator[tuple[str, str]]:
    """A part of the tree -> PyTorch's words in it, each with NumPy's."""
    match node:
        case ast.Subscript(value=ast.Call(func=ast.Attribute(value=x)) as call, slice=ast.Constant(value=0)):
            if called(call) in ("max", "min") and _along(call) and carries(x, read.numbers):
                ours = ast.unparse(call).replace("dim", "axis")
                yield read.quote(node), f"`{ours}`, which has no second part"
        case ast.Call(func=ast.Attribute(value=x, attr="transpose"), args=[one, other]):
            if any(map(_counted_from_the_end, (one, other))) and carries(x, read.numbers):
                ours = f"np.swapaxes({ast.unparse(x)}, {ast.unparse(one)}, {ast.unparse(other)})"
                yield read.quote(node), f"`{ours}`"
        case ast.Call(func=ast.Attribute(value=x, attr="size"), args=axes) if carries(x, read.numbers):
            entries = "".join(f"[{ast.unparse(axis)}]" for axis in axes)
            yield read.quote(node), f"`{ast.unparse(x)}.shape{entries}`"
        case ast.Call(func=ast.Attribute(value=x, attr=name)) if name in METHODS:
            if carries(x, read.numbers):
                yield f"`.{name}()`", f"`{METHODS[name]}`"
    if isinstance(node, ast.Call) and not _takes_it(node, read):
        yield from (
            (f"`{key.arg}=`", f"`{KEYWORDS[key.arg]}=`") for key in node.keywords if key.arg in KEYWORDS
        )


def _along(call: ast.Call) -> bool:
    return len(call.args) == 1 or any(key.arg in ("axis", "dim") for key in call.keywords)


def _counted_from_the_end(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and constant(node.operand)


def _takes_it(call: ast.Call, read: Reading) -> bool:
    """True where a function of the learner's own is called, which may well have such an argument."""
    own = {*read.stores, *(node.name for node in read.nodes if isinstance(node, ast.FunctionDef))}
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    found = read.function.__globals__.get(name)
    ours = (getattr(found, "__module__", None) or "").startswith(("helpers.", "numpy"))
    return isinstance(call.func, ast.Name) and (name in own or not ours)
