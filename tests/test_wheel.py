"""The wheel: what is in it, that it works outside the clone, and what tools/wheel_trial.py notices."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import nbformat
import pytest
import wheel_trial
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output
from no_root import without_root
from wheel_trial import TrialError

from helpers import datasets
from helpers.exercises.engine import fingerprints

ROOT = Path(__file__).resolve().parent.parent
# The wheel as a file, and the data in it. Of the file, 0.7 MB are the tables by which three mistakes at once
# are found: they grow with every mistake that gets a name.
MOST_BYTES, OF_DATA = 5_200_000, 4_000_000
A_LEARNER = """
import sys
sys.path.insert(0, sys.argv[1])
import helpers
from helpers.datasets import check_all, load_word_vectors, read_bytes
from helpers.benchmark.records import find_records
from helpers.exercises import check, hint
from helpers.leaks import assert_causal
from helpers.softmax import softmax
print(helpers.__file__)
print([each.name for each in check_all() if not each.ok], len(load_word_vectors()), len(find_records("cpu")))
check("softmax", softmax)
check("softmax", lambda scores: scores.axis)  # a reply in the words of advice.toml
hint("softmax")
assert_causal(lambda x: x.cumsum(axis=0), [[1.0, 2.0], [3.0, 5.0], [8.0, 13.0]])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return zipfile.ZipFile(wheel_trial.build_wheel(tmp_path_factory.mktemp("wheel")))


@pytest.fixture(scope="module")
def unpacked(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it is installed, in a folder in which nobody may write."""
    folder = tmp_path_factory.mktemp("installed")
    wheel.extractall(folder)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    return folder


def learner(unpacked: Path, code: str, *words: str, data: Path | None = None) -> str:
    """Code -> what it prints in a Python that knows the course only as it was unpacked.

    Progress is kept where a folder for the person's own data is named.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env |= {"COURSE_PROGRESS": "off", "PYTHONUTF8": "1"}
    before = []
    if data is not None:
        env = {name: value for name, value in env.items() if name not in ("COURSE_PROGRESS", "CI")}
        env["XDG_DATA_HOME"], before = str(data), without_root()
    command = [*before, sys.executable, "-I", "-B", "-c", code, str(unpacked), *words]
    done = subprocess.run(
        command, cwd=unpacked.parent, env=env, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- what is in it


def test_it_holds_every_data_file_as_it_is_and_stays_small(wheel: zipfile.ZipFile) -> None:
    for name in [*datasets.listed_files(), "sources.toml", "README.md"]:
        assert wheel.read(f"helpers/data/{name}") == (ROOT / "data" / name).read_bytes()
    assert wheel.filename is not None
    assert Path(wheel.filename).stat().st_size < MOST_BYTES
    data = [entry for entry in wheel.infolist() if entry.filename.startswith("helpers/data/")]
    assert sum(entry.file_size for entry in data) < OF_DATA


def test_it_holds_every_helper_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    code = {f"helpers/{p.relative_to(ROOT / 'helpers').as_posix()}" for p in (ROOT / "helpers").rglob("*.py")}
    names = set(wheel.namelist())
    assert code - names == set()
    others = {
        name
        for name in names - code
        if not re.match(r"helpers/data/|attention_course-[\d.]+\.dist-info/", name)
    }
    tables = {f"helpers/exercises/fingerprints/{path.name}" for path in fingerprints.FOLDER.glob("*.npz")}
    lists = {"helpers/exercises/kinds/advice.toml", "helpers/pretrained/models.toml"}
    assert others == {*lists, *tables}
    assert [name for name in names if "makers" in name or "__pycache__" in name] == []


def test_it_holds_every_licence(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    for path in [ROOT / "LICENSE", ROOT / "LICENSE-TEXT", *(ROOT / "data" / "LICENCES").iterdir()]:
        (inside,) = [name for name in names if name.endswith(path.name) and "/licenses/" in name]
        assert wheel.read(inside) == path.read_bytes()


def test_its_licence_expression_names_the_licence_of_every_data_file(wheel: zipfile.ZipFile) -> None:
    (name,) = [each for each in wheel.namelist() if each.endswith("/METADATA")]
    named = set(message_from_string(wheel.read(name).decode())["License-Expression"].split(" AND "))
    entries = datasets.listed_files().values()
    used = {
        word
        for entry in entries
        for word in re.findall(r"[\w.]+(?:-[\w.]+)+|MIT", entry["licence"].split(":")[0])
    }
    assert used | {"MIT", "CC-BY-4.0"} == named


# --- unpacked, outside the clone


def test_it_works_where_nobody_may_write(unpacked: Path) -> None:
    before = wheel_trial.picture_of(unpacked)
    place, facts, *replies = learner(unpacked, A_LEARNER).splitlines()
    assert Path(place) == unpacked / "helpers" / "__init__.py"
    assert facts == f"[] {len(datasets.load_word_vectors())} 2"
    assert replies[0].startswith("✓")
    assert any(line.startswith("✗") for line in replies)
    assert wheel_trial.picture_of(unpacked) == before


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the variable is Linux's")
def test_progress_is_kept_in_the_persons_own_folder_and_never_where_the_course_is_installed(
    unpacked: Path, tmp_path: Path
) -> None:
    before, data = wheel_trial.picture_of(unpacked), tmp_path / "my data é"
    assert learner(unpacked, A_LEARNER, data=data).count("Progress") == 0
    told = learner(unpacked, f"{A_LEARNER}\nfrom helpers.exercises import progress; progress()", data=data)
    kept = data / "attention-course" / "progress.json"
    assert f"Kept in {kept}; " in told
    entry = json.loads(kept.read_text(encoding="utf-8"))["exercises"]["softmax"]
    assert (bool(entry["solved"]), entry["tries"]) == (True, 1)
    assert wheel_trial.picture_of(unpacked) == before


def test_the_five_lines_for_your_own_model_work_from_the_wheel(unpacked: Path) -> None:
    pytest.importorskip("torch")
    page = (ROOT / "docs" / "test_your_model.md").read_text(encoding="utf-8")
    five_lines = page.split("```python\n")[1].split("```")[0]
    for look, says in (("causal", "None"), ("both ways", "the model reads the future: output ")):
        code = f"""
import sys
sys.path.insert(0, sys.argv[1])
import torch
{five_lines}
tokens = torch.nn.Embedding(1000, 4)
my_model = torch.nn.Sequential(tokens)
if sys.argv[2] == "both ways":
    my_model = lambda ids: tokens(ids) + tokens(ids).mean(dim=1, keepdim=True)
try:
    print(test_my_model_does_not_read_the_future())
except AssertionError as error:
    print(error)
"""
        assert learner(unpacked, code, look).startswith(says)


def test_a_file_that_is_missing_there_is_restored_by_pip(unpacked: Path) -> None:
    code = """
import sys
sys.path.insert(0, sys.argv[1])
from helpers import datasets
datasets.DATA = datasets.DATA / "nowhere"
datasets.listed_files = lambda: {"glove.npz": {"restore": "git checkout", "made_by": "us"}}
try:
    datasets.load_word_vectors()
except datasets.DataFileError as error:
    print(error)
"""
    told = learner(unpacked, code)
    assert "data/glove.npz cannot be read" in told
    assert f"Restore it with: {datasets.INSTALL_AGAIN}" in told
    assert "git" not in told


# --- the trial: what it takes, and what it sees


def test_the_oldest_versions_are_those_at_which_pyproject_begins() -> None:
    assert [wheel_trial.at_the_oldest(each) for each in ("numpy>=1.26", "torch>=2.7")] == [
        "numpy==1.26",
        "torch==2.7",
    ]
    for each in wheel_trial.wanted(torch=True):
        assert wheel_trial.at_the_oldest(each).startswith(each.partition(">")[0])
    with pytest.raises(TrialError, match=r"expected a requirement such as numpy>=1\.26, got 'numpy<3'"):
        wheel_trial.at_the_oldest("numpy<3")


def test_lessons_with_torch_are_tried_apart() -> None:
    without, with_torch = (
        [path.name[:2] for path in wheel_trial.choose([], torch)] for torch in (False, True)
    )
    assert with_torch == ["08", "09", "11", "12", "13", "16"]
    assert without[:8] == [f"{number:02}" for number in range(8)]
    assert [path.name[:2] for path in wheel_trial.choose(["03"], False)] == ["03"]
    with pytest.raises(TrialError, match="there is no lesson 99"):
        wheel_trial.choose(["99"], False)


def test_a_command_that_fails_is_one_line() -> None:
    with pytest.raises(TrialError, match=r"ValueError: seen$") as caught:
        wheel_trial.call([sys.executable, "-c", "raise ValueError('seen')"])
    assert "\n" not in str(caught.value)


def ran(
    text: str = "2.0", picture: bool = True, error: bool = False, tags: tuple[str, ...] = ()
) -> NotebookNode:
    """What a cell showed -> the notebook of that cell."""
    outputs = [new_output("stream", name="stdout", text=text)]
    data = {"text/plain": f"<Figure {text}>", **({"image/png": text} if picture else {})}
    outputs.append(new_output("display_data", data=data))
    if error:
        outputs.append(new_output("error", ename="E", evalue="no colour", traceback=[]))
    return new_notebook(cells=[new_code_cell("1", id="one", outputs=outputs, metadata={"tags": list(tags)})])


@pytest.mark.parametrize(
    ("stored", "now", "seen"),
    [
        (ran(), ran(), None),
        (ran(), ran("np.float64(2.0)"), "np.float64"),
        (ran(), ran(picture=False), "<Figure 2.0>"),
        (ran(), ran(error=True), "no colour"),
        (ran(tags=(wheel_trial.IGNORED,)), ran("3.0", tags=(wheel_trial.IGNORED,)), None),
        (ran(tags=(wheel_trial.IGNORED,)), ran(error=True, tags=(wheel_trial.IGNORED,)), "no colour"),
    ],
)
def test_what_a_reader_sees_is_compared(stored: NotebookNode, now: NotebookNode, seen: str | None) -> None:
    found = wheel_trial.differences(stored, now)
    assert len(found) == (seen is not None)
    assert all(each.startswith("cell one") and str(seen) in each for each in found)


def test_another_picture_is_no_difference() -> None:
    one, other = ran(), ran()
    other.cells[0].outputs[1].data = {"image/png": "other pixels", "text/plain": "<Figure 640x480>"}
    assert wheel_trial.differences(one, other) == []


def test_a_lesson_that_prints_something_else_is_found(tmp_path: Path) -> None:
    path = tmp_path / "lesson.ipynb"
    cell = new_code_cell("print(1 + 1)", id="sum", outputs=[new_output("stream", name="stdout", text="3\n")])
    nbformat.write(new_notebook(cells=[cell]), path)
    (found,) = wheel_trial.run_lessons(sys.executable, [path], tmp_path / "ran")
    assert found.startswith("lesson.ipynb, cell sum")
    assert "'stdout': '2\\n'" in found
