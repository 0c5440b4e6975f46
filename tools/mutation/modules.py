"""Which modules are maths, and where their own tests stand."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TEACHING_ORDER = (
    *("similarity", "scaling", "softmax", "attention", "masking", "heads", "multi_head", "cross_attention"),
    *("columns", "leaks", "streaming", "shares", "precision", "inputs", "inputs_of_streaming"),
    *("door", "validation"),
    *("readers.model", "readers.alignments", "readers.cached", "readers.dates", "readers.digits"),
    *("pytorch.attention", "pytorch.validation", "pytorch.weights", "pytorch.parity"),
)
MATHS = tuple(f"helpers.{name}" for name in TEACHING_ORDER)

# The tests of helpers.readers.model are tests/test_readers_model.py. Here is what does not follow that rule.
OTHER_TESTS = {
    "helpers.heads": ("multi_head",),
    "helpers.leaks": ("leaks", "leaks_in_a_test"),
    "helpers.streaming": ("streaming", "streaming_cache", "streaming_windows", "streaming_small_scores"),
    "helpers.pytorch.attention": ("pytorch_attention", "pytorch_modes", "pytorch_module"),
    "helpers.pytorch.validation": ("pytorch_attention", "pytorch_module"),
    "helpers.pytorch.parity": ("parity",),
}


def file_of(module: str, root: Path = ROOT) -> Path:
    """helpers.softmax -> helpers/softmax.py."""
    return root.joinpath(*module.split(".")).with_suffix(".py")


def own_tests(module: str, root: Path = ROOT) -> list[Path]:
    """helpers.softmax -> tests/test_softmax.py: the module's own tests, and no other test."""
    names = OTHER_TESTS.get(module, (module.removeprefix("helpers.").replace(".", "_"),))
    return [root / "tests" / f"test_{name}.py" for name in names]
