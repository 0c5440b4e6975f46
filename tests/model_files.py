"""Small files of models, made by hand for the tests: GGUF and safetensors, and a tiny language model."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from helpers.pretrained.packed import BLOCKS

U32, I32, F32, TEXT, LIST = 4, 5, 6, 8, 9
FORMATS = {block.name: number for number, block in BLOCKS.items()}


def text(words: str) -> bytes:
    """A text -> its length and its bytes, as GGUF has it."""
    return struct.pack("<Q", len(words.encode())) + words.encode()


def fact(name: str, value: Any) -> bytes:
    """A name, a value -> an entry of GGUF's facts. Lists hold texts or whole numbers."""
    if isinstance(value, str):
        return text(name) + struct.pack("<I", TEXT) + text(value)
    if isinstance(value, float):
        return text(name) + struct.pack("<If", F32, value)
    if isinstance(value, int):
        return text(name) + struct.pack("<II", U32, value)
    kind = TEXT if isinstance(value[0], str) else I32
    items = b"".join(text(item) if kind == TEXT else struct.pack("<i", item) for item in value)
    return text(name) + struct.pack("<IIQ", LIST, kind, len(value)) + items


def tensor(name: str, shape: tuple[int, ...], kind: int, first: int) -> bytes:
    """A tensor's description as GGUF has it: the last axis stands first."""
    axes = b"".join(struct.pack("<Q", size) for size in shape[::-1])
    return text(name) + struct.pack("<I", len(shape)) + axes + struct.pack("<IQ", kind, first)


def gguf(
    facts: dict[str, Any],
    tensors: dict[str, np.ndarray],
    kind: str = "F32",
    version: int = 3,
    align: int = 32,
) -> bytes:
    """Facts, float arrays -> the bytes of a GGUF file; matrices packed in `kind`, vectors as floats."""
    described, body = b"", b""
    for name, array in tensors.items():
        body += b"\0" * (-len(body) % align)
        form = kind if array.ndim > 1 else "F32"
        described += tensor(name, array.shape, FORMATS[form], len(body))
        body += packed(array, form)
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(facts))
    head += b"".join(fact(name, value) for name, value in facts.items()) + described
    return head + b"\0" * (-len(head) % align) + body


def packed(floats: np.ndarray, kind: str) -> bytes:
    """Floats -> their bytes in a format; 32 in a block share a scale."""
    block = BLOCKS[FORMATS[kind]].dtype
    if block.names is None:
        return floats.astype(block).tobytes()
    rows = floats.astype(np.float32).reshape(-1, 32)
    found = np.zeros(len(rows), block)
    least = rows.min(axis=1) if kind == "Q4_1" else np.zeros(len(rows))
    most = {"Q4_1": 15.0, "Q4_0": 7.0, "Q8_0": 127.0}[kind]
    found["scale"] = np.maximum(abs(rows - least[:, None]).max(axis=1), 1e-6) / most
    numbers = np.rint((rows - least[:, None]) / found["scale"].astype(np.float32)[:, None])
    if kind == "Q8_0":
        found["bytes"] = numbers.clip(-127, 127)
    else:
        whole = (numbers + (8 if kind == "Q4_0" else 0)).clip(0, 15).astype(np.uint8)
        found["nibbles"] = whole[:, :16] | whole[:, 16:] << 4
    if kind == "Q4_1":
        found["least"] = least
    return found.tobytes()


def safetensors(tensors: dict[str, np.ndarray], **changes: Any) -> bytes:
    """Arrays -> the bytes of a safetensors file; changes: entries of the header to add or to put in place."""
    names = {"float32": "F32", "float16": "F16", "int64": "I64", "bool": "BOOL", "uint8": "U8"}
    header: dict[str, Any] = {"__metadata__": {"made": "by hand"}}
    body = b""
    for name, array in tensors.items():
        content = array.tobytes()
        places = [len(body), len(body) + len(content)]
        header[name] = {"dtype": names[str(array.dtype)], "shape": list(array.shape), "data_offsets": places}
        body += content
    return with_header(json.dumps({**header, **changes}).encode(), body)


def with_header(header: bytes, body: bytes = b"") -> bytes:
    """A header, a body -> a safetensors file, right or wrong."""
    return struct.pack("<Q", len(header)) + header + body


LETTERS = [*"abcdefghijklmnopqrstuvwxyz", "Ġ", "th", "the", "Ġt", "Ġthe", "in"]
TOKENS = ["<|end|>", *LETTERS]
PAIRS = ["t h", "th e", "Ġ t", "Ġ the", "i n"]
SIZES = {"n_layers": 2, "n_heads": 6, "n_kv_heads": 2, "d_model": 96, "d_hidden": 64}


def tiny_facts(**changes: Any) -> dict[str, Any]:
    """The facts of a language model of two layers; changes: others in their place, None leaves one out."""
    facts = {
        "general.architecture": "llama",
        "llama.block_count": SIZES["n_layers"],
        "llama.embedding_length": SIZES["d_model"],
        "llama.feed_forward_length": SIZES["d_hidden"],
        "llama.attention.head_count": SIZES["n_heads"],
        "llama.attention.head_count_kv": SIZES["n_kv_heads"],
        "llama.rope.freq_base": 1000.0,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": TOKENS,
        "tokenizer.ggml.token_type": [3] + [1] * len(LETTERS),
        "tokenizer.ggml.merges": PAIRS,
    }
    named = {name.replace("__", "."): value for name, value in changes.items()}
    return {name: value for name, value in {**facts, **named}.items() if value is not None}


def tiny_tensors() -> dict[str, np.ndarray]:
    """Numbers for that model, large enough that every part of it matters."""
    rng = np.random.default_rng(3)
    d, hidden = SIZES["d_model"], SIZES["d_hidden"]
    d_kv = d // SIZES["n_heads"] * SIZES["n_kv_heads"]
    shapes = {"attn_q": (d, d), "attn_k": (d_kv, d), "attn_v": (d_kv, d), "attn_output": (d, d)}
    shapes |= {"ffn_gate": (hidden, d), "ffn_up": (hidden, d), "ffn_down": (d, hidden)}
    found = {"token_embd.weight": rng.normal(size=(len(TOKENS), d))}
    for layer in range(SIZES["n_layers"]):
        for name, shape in shapes.items():
            found[f"blk.{layer}.{name}.weight"] = rng.normal(size=shape) * 2 / np.sqrt(shape[1])
        for name in ("attn_norm", "ffn_norm"):
            found[f"blk.{layer}.{name}.weight"] = rng.uniform(0.5, 1.5, d)
    found["output_norm.weight"] = rng.uniform(0.5, 1.5, d)
    return {name: array.astype(np.float32) for name, array in found.items()}


def written(folder: Path, name: str, content: bytes) -> Path:
    """A folder, a name, bytes -> the path of the file with them."""
    path = folder / name
    path.write_bytes(content)
    return path
