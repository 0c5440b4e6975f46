"""Wrong answers with a part that no exercise lists: unlisted.txt, in an answer that is right elsewhere."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from helpers.heads import merge_heads, split_heads
from helpers.softmax import softmax

SOURCE = Path(__file__).parent / "unlisted.txt"
STEPS = {
    "project": "x @ w_q, source @ w_k, source @ w_v",
    "heads": "split_heads(rows, n_heads)",
    "match": "queries @ np.swapaxes(keys, -1, -2)",
    "scale": "scores / np.sqrt(d_k)",
    "mask": "np.where(mask, scores, -np.inf)",
    "share": "softmax(scores)",
    "mix": "weights @ values",
    "merge": "merge_heads(output)",
    "out": "merged @ w_o",
}
ATTEND = [
    "d_k = queries.shape[-1]",
    "scores = {match}",
    "scores = {scale}",
    "weights = {share}",
    "output = {mix}",
]
MASKED = [*ATTEND[:3], "scores = {mask}", *ATTEND[3:]]
PROJECT = ["queries, keys, values = {project}"]
HEADS = [
    "def split(rows):",
    "    return {heads}",
    "queries, keys, values = split(queries), split(keys), split(values)",
]
LENGTHS = ["mask = np.arange(keys.shape[-2]) < np.asarray(source_lengths)[..., None, None]"]
ANSWERS = {
    "attention": ("queries, keys, values", ATTEND),
    "masked-attention": ("queries, keys, values, mask", MASKED),
    "source-mask": ("queries, keys, values, source_lengths", [*LENGTHS, *MASKED]),
    "self-attention": ("x, w_q, w_k, w_v", ["source = x", *PROJECT, *ATTEND]),
    "cross-attention": ("x, source, w_q, w_k, w_v", [*PROJECT, *ATTEND]),
    "one-query": ("query, keys, values", ["queries = query[None]", *ATTEND, "output = output[0]"]),
    "multi-head": (
        "x, w_q, w_k, w_v, w_o, n_heads",
        ["source = x", *PROJECT, *HEADS, *ATTEND, "merged = {merge}", "output = {out}"],
    ),
}


@dataclass(frozen=True)
class Wrong:
    """An answer to an exercise, and in which steps its faults are."""

    exercise: str
    faults: tuple[str, ...]
    text: str
    function: Any

    def __str__(self) -> str:
        """attention, scale: scores * 0.125."""
        return f"{self.exercise}, {self.text}"


def faults() -> Iterator[tuple[str, dict[str, str]]]:
    """The file -> each line, and what it puts into which step."""
    for part in re.split(r"^## ", SOURCE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        step, *lines = part.strip().splitlines()
        for line in lines:
            named = line if step == "two" else f"{step}: {line}"
            code = named.partition("  # ")[0]
            yield named, dict(each.split(": ", 1) for each in code.split("; also "))


def answer(exercise: str, changed: dict[str, str]) -> Any:
    """An exercise, what stands in which step -> the function; the other steps are right."""
    arguments, lines = ANSWERS[exercise]
    steps = {**STEPS, **changed}
    body = "\n    ".join(line.format(**steps) for line in [*lines, "return output"])
    space: dict[str, Any] = {"np": np, "math": math, "softmax": softmax}
    space |= {"split_heads": split_heads, "merge_heads": merge_heads}
    exec(f"def f({arguments}):\n    {body}", space)
    return space["f"]


def unlisted() -> Iterator[Wrong]:
    """() -> each fault in each exercise that has its step."""
    for text, changed in faults():
        for exercise, (_, lines) in ANSWERS.items():
            used = set(re.findall(r"\{(\w+)\}", " ".join(lines)))
            if changed.keys() <= used:
                more = ("scale",) if text.endswith("# scale") else ()
                yield Wrong(exercise, (*changed, *more), text, answer(exercise, changed))
