"""Derive data/real_model.npz: what the models of lesson 15 answer, for those who do not have them.

    python course.py models
    python data/makers/make_real_model.py

It runs the code cells of notebooks/15_real_model.ipynb with the models, and keeps the answer to every
question that a cell asks of them (helpers/pretrained/studies.py): texts, losses, maps, and the queries, keys
and values of some layers, in float16. Besides, numbers of a second implementation in PyTorch
(reference_model.py), which the lesson compares with its own. No weight of a model is kept.

A text hangs on which score is the largest. So it prints how near the second came in each text, and stops
where that is nearer than the processors differ: such a prompt is no good for a lesson. One thread, about a
minute.
"""

import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import matplotlib
import nbformat
import numpy as np
import torch
from numpy.typing import NDArray
from reference_model import forward

from helpers.pretrained import studies, writing
from helpers.pretrained.language import LanguageModel
from helpers.pretrained.models import FETCH, files_of
from helpers.pretrained.writing import Written

ROOT = Path(__file__).resolve().parents[2]
LESSON = ROOT / "notebooks" / "15_real_model.ipynb"
TARGET = ROOT / "data" / "real_model.npz"
HALF = (".weights", ".vectors", ".queries", ".keys", ".values")
NEAREST = 2e-3  # scores that lie nearer may change places on another processor
REFERENCE_TEXT = "The capital of France is Paris, and the capital of Italy is"
COLUMNS = 24  # of the stream, and of the scores, that are kept


def reference(model: LanguageModel) -> dict[str, NDArray[Any]]:
    """The model -> a text's tokens, and columns of the stream and of the scores as PyTorch has them.

    Both work with the same weights, rounded to int8 rows: what is compared is the code.
    """
    weights = {name: torch.from_numpy(array) for name, array in model.weights().items()}
    tokens, sizes = model.tokenizer.encode(REFERENCE_TEXT), model.sizes
    with torch.no_grad():
        stream, scores = forward(weights, tokens, sizes.n_heads, sizes.n_kv_heads, sizes.base, sizes.epsilon)
    rng = np.random.default_rng(15)
    # The columns in which the stream is largest, where errors would be largest, and others at random.
    largest = stream.abs().amax(dim=(0, 1)).argsort(descending=True)[: COLUMNS // 2].numpy()
    columns = np.sort(np.concatenate([largest, rng.choice(576, COLUMNS - len(largest), replace=False)]))
    found = {"tokens": np.array(tokens), "columns": columns, "stream": stream[..., columns].numpy()}
    return {
        f"reference.{name}": part for name, part in {**found, "scores": scores[:, columns].numpy()}.items()
    }


def run_lesson(answers: dict[str, Any]) -> None:
    """Runs the lesson's code cells; what they ask of the models is written into the answers."""
    open_model = studies.open_model
    studies.open_model = lambda name, new=None: open_model(name, answers)
    names: dict[str, Any] = {}
    for cell in nbformat.read(LESSON, as_version=4).cells:
        if cell.cell_type == "code":
            print(f"  {cell.id}", flush=True)
            exec(compile(cell.source, cell.id, "exec"), names)
    studies.open_model = open_model


def packed(answers: dict[str, Any]) -> bytes:
    """Answers by question -> the bytes of the file. Maps, vectors and heads go into 16 bits."""
    arrays: dict[str, NDArray[Any]] = {}
    places = {name: f"a{number}" for number, name in enumerate(sorted(answers))}
    for name, place in places.items():
        array = np.asarray(answers[name])
        half = name.endswith(HALF) or name.startswith("maps_of(")
        arrays[place] = array.astype(np.float16) if half else array
    arrays["places"] = np.array(json.dumps(places).encode())
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def main() -> int:
    """() -> the exit status, after writing the file."""
    files = files_of("smollm2")
    if files is None or files_of("minilm") is None:
        print(f"The models are not here: {FETCH}", file=sys.stderr)
        return 1
    torch.set_num_threads(1)
    matplotlib.use("Agg")
    answers: dict[str, Any] = reference(LanguageModel(*files))
    nearest: list[tuple[float, str]] = []

    def watched(model: LanguageModel, prompt: str, *arguments: Any) -> Written:
        written = writing.write(model, prompt, *arguments)
        nearest.append((written.nearest, prompt))
        return written

    studies.write = watched
    studies.load_real_model = lambda: dict(answers)  # nothing but the reference is kept yet
    run_lesson(answers)
    for gap, prompt in sorted(nearest):
        print(f"  nearest second {gap:.4f} after {prompt[:50]!r}")
    if min(nearest)[0] < NEAREST:
        sys.exit(f"two scores lie less than {NEAREST} apart: choose another prompt, or fewer tokens")
    content = packed(answers)
    TARGET.write_bytes(content)
    print(f"{TARGET.name}: {len(answers)} answers, {len(content):,} bytes")
    print(f"sha256 {hashlib.sha256(content).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
