"""helpers.pretrained: files of models are read as they are, and harmful ones end in one clear line."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_files import FORMATS, fact, gguf, safetensors, tensor, text, tiny_facts, with_header, written

from helpers.pretrained.bytes import ModelFileError
from helpers.pretrained.gguf import read_gguf
from helpers.pretrained.packed import unpack
from helpers.pretrained.safetensors import read_safetensors

ROWS = np.arange(2 * 64, dtype=np.float32).reshape(2, 64) / 8 - 5
TENSORS: dict[str, Any] = {"m": ROWS, "v": np.array([1.5, -2.0], np.float32)}
FACTS = {
    "a.word": "ħ",
    "a.number": 7,
    "a.fraction": 0.5,
    "some.words": ["x", "", "yz"],
    "some.numbers": [3, -4],
}


def test_safetensors_are_read_as_they_were_written(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {
        "floats": ROWS,
        "halves": ROWS.astype(np.float16),
        "whole": np.array([[1, -2, 3]]),
        "bits": np.array([True, False]),
        "none": np.zeros((0, 3), np.float32),
    }
    found = read_safetensors(written(tmp_path, "good.safetensors", safetensors(arrays)))
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)
    with pytest.raises(ValueError, match="read-only"):
        found["floats"][0, 0] = 1


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    ("kind", "tolerance"), [("F32", 0), ("F16", 0), ("Q8_0", 0.07), ("Q4_1", 0.6), ("Q4_0", 1.1)]
)
def test_gguf_is_read_as_it_was_written(tmp_path: Path, kind: str, tolerance: float, version: int) -> None:
    content = gguf(FACTS, TENSORS, kind, version)
    facts, tensors = read_gguf(written(tmp_path, "good.gguf", content))
    assert {**facts, "some.numbers": facts["some.numbers"].tolist()} == FACTS
    assert abs(unpack(tensors["m"]) - ROWS).max() <= tolerance
    assert np.array_equal(unpack(tensors["v"]), TENSORS["v"])


def test_a_block_is_unpacked_by_its_own_numbers() -> None:
    from helpers.pretrained.packed import BLOCKS

    block = np.zeros((1, 1), BLOCKS[3].dtype)
    block["scale"], block["least"] = 0.5, -1
    block["nibbles"][0, 0, :2] = [0x21, 0xF0]  # the lower halves are numbers 0 and 1, the upper 16 and 17
    found = unpack(block)[0]
    assert found[[0, 1, 16, 17]].tolist() == [-0.5, -1.0, 0.0, 6.5]
    block = np.zeros((1, 1), BLOCKS[2].dtype)
    block["scale"], block["nibbles"][0, 0, 0] = 2, 0x9F
    assert unpack(block)[0, [0, 16]].tolist() == [14.0, 2.0]
    block = np.zeros((1, 1), BLOCKS[8].dtype)
    block["scale"], block["bytes"][0, 0, 31] = 0.25, -128
    assert unpack(block)[0, 31] == -32.0


def test_another_alignment_is_kept_to(tmp_path: Path) -> None:
    content = gguf({"general.alignment": 64}, TENSORS, align=64)
    assert np.array_equal(read_gguf(written(tmp_path, "far.gguf", content)).tensors["m"], ROWS)


def entry(dtype: object = "F32", shape: object = (2,), places: object = (0, 8)) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": places}


HOSTILE_SAFETENSORS = {
    "empty": (b"", "is empty"),
    "cut in the length": (b"\x10\0\0", "the length of the header should take 8 bytes, and only 3"),
    "cut in the header": (struct.pack("<Q", 99) + b"{}", "the header should take 99 bytes, and only 2"),
    "a huge header": (struct.pack("<Q", 2**63), "expected at most 100,000,000"),
    "no JSON": (with_header(b"{]"), "no JSON"),
    "no UTF-8": (with_header(b'{"\xff": 1}'), "no JSON"),
    "a list": (with_header(b"[]"), "no JSON object"),
    "deep JSON": (with_header(b"[" * 100_000), "no JSON"),
    "a name twice": (with_header(b'{"a": 1, "a": 2}'), "stands there twice"),
    "no entry": (with_header(b'{"a": 3}'), "needs dtype, shape and data_offsets"),
    "negative": (safetensors({}, a=entry(shape=[-2])), "needs dtype, shape"),
    "true": (safetensors({}, a=entry(shape=[True, 2])), "needs dtype, shape"),
    "fractions": (safetensors({}, a=entry(places=[0, 8.0])), "needs dtype, shape"),
    "three places": (safetensors({}, a=entry(places=[0, 4, 8])), "needs dtype, shape"),
    "unknown numbers": (safetensors({}, a=entry(dtype="F8_E4M3")), "holds 'F8_E4M3'; this reader knows F64"),
    "numbers in a list": (safetensors({}, a=entry(dtype=["F32"])), "this reader knows"),
    "other size": (safetensors({}, a=entry(shape=[3])), "takes 12 bytes as F32, and the header gives it 8"),
    "huge": (safetensors({}, a=entry(shape=[2**40, 2**40])), "and the header gives it 8"),
    "huge and empty": (
        safetensors({}, a=entry(shape=[2**70, 0], places=[0, 0])),
        "a shape that no array can have",
    ),
    "backwards": (safetensors({}, a=entry(shape=[0], places=[8, 8])), "should end at byte"),
    "past the end": (safetensors({}, a=entry()), "should end at byte"),
    "overlap": (
        safetensors({"a": np.zeros(4, np.float32)}, b=entry(places=[4, 12])),
        "tensors 'a' and 'b' overlap",
    ),
}


@pytest.mark.parametrize("name", HOSTILE_SAFETENSORS)
def test_a_harmful_safetensors_file_ends_in_one_line(tmp_path: Path, name: str) -> None:
    content, said = HOSTILE_SAFETENSORS[name]
    must_say(lambda path: read_safetensors(path), written(tmp_path, "bad.safetensors", content), said)


def head(
    n_tensors: int = 0, n_facts: int = 0, rest: bytes = b"", magic: bytes = b"GGUF", version: int = 3
) -> bytes:
    return magic + struct.pack("<IQQ", version, n_tensors, n_facts) + rest


def lists_in_lists(depth: int) -> bytes:
    return text("a") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * depth


HOSTILE_GGUF = {
    "empty": (b"", "is empty"),
    "cut at once": (b"GG", "the word GGUF should take 4 bytes, and only 2"),
    "another format": (safetensors(TENSORS), "no GGUF file of version 2 or 3"),
    "version 1": (head(version=1), "begins with b'GGUF' and 1"),
    "big-endian": (head(version=3 << 24), "no GGUF file of version 2 or 3"),
    "facts without end": (head(n_facts=2**63), "the length of a name should take 8 bytes"),
    "tensors without end": (head(n_tensors=2**63), "the length of a name should take 8 bytes"),
    "a long name": (head(n_facts=1, rest=struct.pack("<Q", 2**62)), "a name should take"),
    "no UTF-8": (head(n_facts=1, rest=struct.pack("<Q", 1) + b"\xff"), "no UTF-8"),
    "an unknown kind": (head(n_facts=1, rest=text("a") + struct.pack("<I", 77)), "is of kind 77"),
    "a long list": (
        head(n_facts=1, rest=text("a") + struct.pack("<IIQ", 9, 8, 2**60)),
        "should have 1,152,921",
    ),
    "many numbers": (head(n_facts=1, rest=text("a") + struct.pack("<IIQ", 9, 12, 2**60)), "should take"),
    "lists in lists": (head(n_facts=1, rest=lists_in_lists(5000)), "more than 4 deep"),
    "a fact twice": (head(n_facts=2, rest=fact("a", 1) * 2), "'a' comes a second time"),
    "a tensor twice": (head(2, rest=tensor("a", (2,), 0, 0) * 2 + bytes(64)), "'a' comes a second time"),
    "no axes": (head(1, rest=tensor("a", (), 0, 0)), "should have 0 axes; expected 1 to 4"),
    "many axes": (head(1, rest=text("a") + struct.pack("<I", 2**31)), "axes; expected 1 to 4"),
    "an unknown format": (head(1, rest=tensor("a", (2,), 12, 0)), "format 12; this reader knows 0 (F32)"),
    "a broken block": (head(1, rest=tensor("a", (33,), 3, 0)), "packs 32 at a time"),
    "huge": (head(1, rest=tensor("a", (2**63, 2**63), 0, 0) + bytes(64)), "should end at byte"),
    "huge and empty": (head(1, rest=tensor("a", (0, 2**63), 0, 0) + bytes(64)), "a shape that no array"),
    "far away": (head(1, rest=tensor("a", (2,), 0, 2**63) + bytes(64)), "should end at byte"),
    "overlap": (
        head(2, rest=tensor("a", (2,), 0, 0) + tensor("b", (2,), 0, 4) + bytes(64)),
        "tensors 'a' and 'b' overlap",
    ),
    "alignment 0": (head(n_facts=1, rest=fact("general.alignment", 0)), "the alignment is 0"),
    "alignment in words": (head(n_facts=1, rest=fact("general.alignment", "x")), "the alignment is x"),
    "cut in a tensor": (gguf(FACTS, TENSORS)[:-1], "is damaged or cut"),
}


@pytest.mark.parametrize("name", HOSTILE_GGUF)
def test_a_harmful_gguf_file_ends_in_one_line(tmp_path: Path, name: str) -> None:
    content, said = HOSTILE_GGUF[name]
    must_say(lambda path: read_gguf(path), written(tmp_path, "bad.gguf", content), said)


def must_say(read: object, path: Path, said: str) -> None:
    with pytest.raises(ModelFileError) as caught:
        read(path)  # type: ignore[operator]
    words = str(caught.value)
    assert said in words
    assert path.name in words
    assert "\n" not in words
    assert len(words) < 400


@pytest.mark.parametrize("read", [read_gguf, read_safetensors])
def test_what_is_no_file_ends_in_one_line(tmp_path: Path, read: object) -> None:
    must_say(read, tmp_path / "nothing.here", "cannot be read (No such file")
    must_say(read, tmp_path, "cannot be read")


SMALL = {"gguf": gguf(tiny_facts(), TENSORS, "Q4_1"), "safetensors": safetensors(TENSORS)}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), kind=st.sampled_from(sorted(SMALL)))
def test_any_other_bytes_give_tensors_or_one_line(tmp_path: Path, data: st.DataObject, kind: str) -> None:
    content = bytearray(SMALL[kind])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        change = data.draw(st.sampled_from(["cut", "byte", "number", "twice"]))
        if change == "cut":
            del content[place:]
            content += b"\0" * (not content)
        elif change == "byte":
            content[place] = data.draw(st.integers(0, 255))
        elif change == "number":
            content[place : place + 8] = struct.pack(
                "<Q", data.draw(st.sampled_from([0, 1, 2**31, 2**63, 2**64 - 1]))
            )
        else:
            content[place:place] = content[place : place + 40]
    path = written(tmp_path, f"any.{kind}", bytes(content))
    try:
        found = read_gguf(path).tensors if kind == "gguf" else read_safetensors(path)
    except ModelFileError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either is right
    else:
        for array in found.values():
            np.asarray(array).tobytes()  # every byte of it can be read


def test_the_formats_have_the_numbers_of_the_description() -> None:
    assert FORMATS == {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 8}
