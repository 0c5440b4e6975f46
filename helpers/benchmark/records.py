"""What a run of the benchmark leaves: one JSON file. It is checked when it is read, field by field.

Records that ship with the course lie in data/records, below cpu and gpu, and are listed in data/sources.toml,
as every data file is. No record holds a host name, a user or a path.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypedDict, get_args, get_origin, get_type_hints, is_typeddict

from helpers import datasets

SCHEMA = 1
ROOM = "records"  # where they lie in data/; the names of records are those below it
# A suite's name -> what it measures, where its name alone does not say it.
MEASURED = {"streaming": "attention in tiles, and with a cache", "kernels": "attention by our own kernel"}
WORDS: dict[type, str] = {
    float: "a finite number",
    int: "a whole number",
    str: "a text",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


class RecordError(ValueError):
    """A file is not a record of this benchmark. The message names the field."""


class Quartiles(TypedDict):
    """The median of some samples, and the quartiles below and above it."""

    median: float
    lower: float
    upper: float


class Seconds(Quartiles):
    """How long a warm call takes: `rounds` samples, each the mean of `calls`. `first` was the first call."""

    rounds: int
    calls: int
    first: float


class Case(TypedDict):
    """One implementation at one size.

    `part` is "attention" (by itself), "module" (with the projections) or a part that only one suite has,
    such as "decoding". `backend` is the one that PyTorch
    took, where it says so. `operations` and `moved_bytes` are what the method needs on paper, and
    `peak_bytes` what one call held at most beyond its input, its output included.
    """

    part: str
    implementation: str
    backend: str | None
    n: int
    causal: bool
    dtype: str
    passes: Literal["forward", "forward and backward"]
    status: Literal["measured", "refused", "out of memory", "skipped"]
    reason: str | None
    seconds: Seconds | None
    peak_bytes: int | None
    operations: int
    moved_bytes: int | None


class Ratio(Quartiles):
    """The time of `over` divided by the time of `under`, in pairs of one round, and how many rounds."""

    part: str
    over: str
    under: str
    n: int
    causal: bool
    dtype: str
    passes: Literal["forward", "forward and backward"]
    rounds: int


class Slope(TypedDict):
    """`quantity` grows like n to the power `slope`, fitted on log–log axes to `points` sizes."""

    part: str
    implementation: str
    causal: bool
    dtype: str
    passes: Literal["forward", "forward and backward"]
    quantity: Literal["seconds", "peak_bytes"]
    slope: float
    from_n: int
    to_n: int
    points: int


class Ceiling(TypedDict):
    """The fastest of some rounds: a product of two (size, size) matrices, or a copy of `size` bytes."""

    what: Literal["matmul", "copy"]
    dtype: str
    size: int
    rate: float
    unit: Literal["FLOP/s", "bytes/s"]


class Device(TypedDict):
    """What the run was made on. `memory_method` says what peak_bytes counts, or why there is none."""

    kind: Literal["cpu", "cuda", "mps"]
    name: str
    driver: str | None
    cuda: str | None
    cudnn: str | None
    memory_method: str


class Versions(TypedDict):
    """Versions of what was used. `system` is the operating system with two numbers of its release."""

    python: str
    torch: str
    numpy: str
    system: str
    machine: str


class Record(TypedDict):
    """One run. `complete`: it was not stopped. `tree_changed`: some file differed from the commit."""

    schema: int
    suite: str
    complete: bool
    date: str
    commit: str | None
    tree_changed: bool | None
    device: Device
    threads: int
    versions: Versions
    arguments: dict[str, Any]
    formulas: dict[str, str]
    ceilings: list[Ceiling]
    cases: list[Case]
    ratios: list[Ratio]
    slopes: list[Slope]


class LargestError(TypedDict):
    """How far an output is from float64 at most, over `rows` queries of each head. No time is in it."""

    implementation: str
    n: int
    causal: bool
    dtype: str
    rows: int
    error: float


class StreamingRecord(Record):
    """A run of the suite "streaming": errors beside the times, and the sizes of its outputs."""

    n_heads: int
    d_head: int
    errors: list[LargestError]


# The suites whose records hold more than every record does.
KINDS: dict[str, type] = {"streaming": StreamingRecord}


class NothingToMeasure(ValueError):  # noqa: N818 (it is no mistake of anybody)
    """This machine has nothing that a suite measures. The message says what is missing."""


def read_record(path: str | Path) -> Record:
    """A path -> the record in that file. Raises RecordError where it is none, OSError without a file."""
    return parse_record(Path(path).read_bytes(), Path(path).name)


def load_record(name: str | Path = "cpu/attention.json") -> Record:
    """A name in data/records, or the path of a file of your own -> the record.

    Raises DataFileError where it is neither, or a shipped one was altered; RecordError for a file that is no
    record.
    """
    shipped = f"{ROOM}/{name}" in datasets.listed_files()
    if not shipped and Path(name).is_file():
        return read_record(name)
    return parse_record(datasets.read_bytes(f"{ROOM}/{name}"), str(name))


def own_records(suite: str = "attention") -> list[Record]:
    """A suite -> the records that the benchmark left in this folder or the course's, the latest first.

    A file that is no record, or one of another suite, is passed over.
    """
    folders = dict.fromkeys((Path.cwd(), datasets.DATA.parent))
    found = []
    for path in (path for folder in folders for path in sorted(folder.glob("benchmark-*.json"))):
        try:
            found.append(read_record(path))
        except (RecordError, OSError):
            continue
    own = [record for record in found if record["suite"] == suite and record["cases"]]
    return sorted(own, key=lambda record: record["date"], reverse=True)


def find_records(kind: str, suite: str = "attention") -> list[Record]:
    """ "cpu" or "gpu", a suite -> every record of it that ships, by file name; an empty list where none is.

    Raises DataFileError for a file that is not listed or was altered, RecordError for one that is no record.
    """
    names = sorted(f"{kind}/{path.name}" for path in (datasets.DATA / ROOM / kind).glob("*.json"))
    return [record for record in map(load_record, names) if record["suite"] == suite]


def parse_record(content: bytes, name: str) -> Record:
    """The bytes of a file, its name -> the record. Raises RecordError where it is none."""
    try:
        found = json.loads(content)
    except ValueError as error:
        raise RecordError(f"{name} is not JSON: {error}") from error
    return validate_record(found, name)


def validate_record(found: object, name: str = "record") -> Record:
    """Any object -> the same, as a Record. Raises RecordError, which names the first field that is wrong."""
    if not isinstance(found, dict) or "schema" not in found:
        raise RecordError(f"{name} must be an object with a field 'schema'; got {_short(found)}")
    if found["schema"] != SCHEMA:
        raise RecordError(f"{name}: schema must be {SCHEMA}; got {_short(found['schema'])}")
    _require(found, KINDS.get(str(found.get("suite")), Record), name)
    for place, case in enumerate(found["cases"]):
        _require_sense(case, f"{name}: cases[{place}]")
    for place, line in enumerate(found["errors"] if found["suite"] == "streaming" else []):
        if line["n"] < 1 or line["error"] < 0:
            raise RecordError(f"{name}: errors[{place}]: n must be at least 1, error at least 0; got {line}")
    return found  # type: ignore[return-value]  # that it is one has been seen


def as_json(record: Record) -> bytes:
    """A record -> the bytes of its file: one case a line, so that a difference can be read."""
    lines = []
    for key, value in record.items():
        if isinstance(value, list) and value:
            rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in value)
            lines.append(f'"{key}": [\n  {rows}\n ]')
        else:
            lines.append(f'"{key}": {json.dumps(value, ensure_ascii=False)}')
    return ("{\n " + ",\n ".join(lines) + "\n}\n").encode()


def select(record: Record, **fields: object) -> list[Case]:
    """Fields and the values asked for -> the cases that have them, in the order of n.

    Raises ValueError for a field that cases do not have.
    """
    unknown = set(fields) - set(Case.__annotations__)
    if unknown:
        raise ValueError(
            f"cases have the fields {', '.join(Case.__annotations__)}; got {', '.join(sorted(unknown))}"
        )
    found = [case for case in record["cases"] if all(case.get(key) == fields[key] for key in fields)]
    return sorted(found, key=lambda case: case["n"])


def median_seconds(case: Case) -> float:
    """A case -> the median of its times. Raises ValueError for one that was not measured, with the reason."""
    if not case["seconds"]:
        raise ValueError(f"{case['implementation']} at n {case['n']} was not measured: {case['reason']}")
    return case["seconds"]["median"]


def record_name(record: Record) -> str:
    """A record -> its name in data/records: cpu/attention.json, or gpu/<the GPU's name>-attention.json.

    One that was made without fresh pages is cpu/attention-kept-pages.json.
    """
    if record["device"]["kind"] == "cpu":
        kept = "-kept-pages" * bool(record["arguments"].get("kept_pages"))
        return f"cpu/{record['suite']}{kept}.json"
    gpu = re.sub(r"[^a-z0-9]+", "-", record["device"]["name"].lower()).strip("-")
    return f"gpu/{gpu}-{record['suite']}.json"


def sources_block(record: Record, content: bytes) -> str:
    """A record, the bytes of its file -> its [[file]] table for data/sources.toml."""
    device, versions = record["device"], record["versions"]
    module = "helpers.benchmark" + f" {record['suite']}" * (record["suite"] != "attention")
    measured = MEASURED.get(record["suite"], record["suite"])
    kept = bool(record["arguments"].get("kept_pages"))
    how = ", with freed memory kept" * kept
    described = {
        "what": f"Time and memory of {measured}, measured on {device['name']} ({device['kind']}{how}).",
        "source": f"Measured for this course on {record['date'][:10]}, torch {versions['torch']}.",
        "licence": "CC-BY-4.0",
        "made_by": f"python -m {module} --device {device['kind']} --record" + " --keep-pages" * kept,
    }
    return listing_of(f"{ROOM}/{record_name(record)}", content, described)


def store_record(record: Record) -> Path:
    """A record -> its file in data/records, and its table in data/sources.toml in place of an older one.

    Raises ValueError for a run that was stopped or was a quick one: such a record does not ship.
    """
    if not record["complete"] or record["arguments"].get("quick"):
        raise ValueError("only a complete, full run is recorded; this one was stopped, or was a quick one")
    content, name = as_json(record), f"{ROOM}/{record_name(record)}"
    return _store(name, content, sources_block(record, content))


def listing_of(name: str, content: bytes, described: Mapping[str, str]) -> str:
    """A file's name in data/, its bytes, what is to be said of it -> its [[file]] table for sources.toml."""
    fields = {
        "name": name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        **described,
        "restore": f"git checkout -- data/{name}",
    }
    return "[[file]]\n" + "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items()
    )


def store_file(name: str, content: bytes, described: Mapping[str, str]) -> Path:
    """A name in data/, bytes, what is to be said of them -> the file, and its table in sources.toml."""
    return _store(name, content, listing_of(name, content, described))


def _store(name: str, content: bytes, table: str) -> Path:
    """Write a file into data/, and its table into data/sources.toml in place of an older one."""
    path, listing = datasets.DATA / name, datasets.DATA / "sources.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    tables = re.split(r"(?m)^(?=\[\[file\]\])", listing.read_text(encoding="utf-8"))
    kept = [each.rstrip("\n") for each in tables if f'\nname = "{name}"\n' not in each]
    listing.write_text("\n\n".join([*kept, table]), encoding="utf-8", newline="\n")
    return path


def _require(value: Any, kind: Any, field: str) -> None:
    """Raise RecordError, naming the field, unless the value is of the kind that the annotation says."""
    if isinstance(kind, UnionType):  # here always something or None
        kind = next(part for part in get_args(kind) if part is not NoneType)
        if value is None:
            return
    if is_typeddict(kind):
        _require(value, dict, field)
        for key, part in get_type_hints(kind).items():
            if key not in value:
                raise RecordError(f"{field}: {key} is missing")
            _require(value[key], part, f"{field}: {key}")
    elif get_origin(kind) in (list, dict):
        _require(value, get_origin(kind), field)
        for place, item in value.items() if isinstance(value, dict) else enumerate(value):
            _require(item, get_args(kind)[-1], f"{field}[{place}]")
    elif get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise RecordError(f"{field} must be one of {', '.join(get_args(kind))}; got {_short(value)}")
    elif kind is not Any and not _is_a(value, kind):
        raise RecordError(f"{field} must be {WORDS[kind]}; got {_short(value)}")


def _is_a(value: object, kind: type) -> bool:
    """Whether JSON's value is of the kind: a whole number is a float too, true and false are no numbers."""
    if isinstance(value, bool) and kind is not bool:
        return False
    if kind is float:
        return isinstance(value, (int, float)) and math.isfinite(value)
    return isinstance(value, kind)


def _require_sense(case: Mapping[str, Any], field: str) -> None:
    """Raise RecordError unless a measured case has its times, in order, and any other one its reason."""
    seconds, status = case["seconds"], case["status"]
    if (status == "measured") != (seconds is not None):
        raise RecordError(f"{field}: seconds must be there where a case is measured, and only there")
    if status != "measured" and not case["reason"]:
        raise RecordError(f"{field}: reason must say why this case is {status}")
    if seconds and not 0 < seconds["lower"] <= seconds["median"] <= seconds["upper"]:
        raise RecordError(f"{field}: seconds must be positive, with lower <= median <= upper; got {seconds}")
    if case["n"] < 1:
        raise RecordError(f"{field}: n must be at least 1; got {case['n']}")


def _short(value: object) -> str:
    written = repr(value)
    return written if len(written) <= 60 else written[:57] + "..."
