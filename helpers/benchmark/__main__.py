"""The command: python -m helpers.benchmark [suite] [--device …] [--quick] [--out FILE] [--record]."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from helpers import datasets
from helpers.benchmark import one_thread, records, report

# A suite's name -> the module and its function that takes a device and `quick` and gives a record.
SUITES = {
    "attention": ("helpers.benchmark.attention", "run_attention_benchmark"),
    "streaming": ("helpers.benchmark.streaming", "run_streaming_benchmark"),
    "kernels": ("helpers.benchmark.kernels", "run_kernel_benchmark"),
}
ON_ONE_THREAD = {"streaming"}  # these begin again in a child, where no library uses more


def main(arguments: Sequence[str] | None = None) -> int:
    """The command's arguments -> its exit status.

    0: done; 1: stopped before the end; 2: told something impossible; 3: nothing here that it could measure.
    """
    told = _parser().parse_args(arguments)
    module, function = SUITES[told.suite]
    if told.record and told.quick:
        print("--record needs a full run: leave --quick out", file=sys.stderr)
        return 2
    if told.record and datasets.INSTALLED:
        print(
            "--record keeps results in data/, in a clone; this course is installed: use --out",
            file=sys.stderr,
        )
        return 2
    if told.suite in ON_ONE_THREAD and not one_thread.is_set():
        return one_thread.again("helpers.benchmark", sys.argv[1:] if arguments is None else arguments)
    try:
        record = getattr(importlib.import_module(module), function)(
            told.device, told.quick, threads=told.threads
        )
    except records.NothingToMeasure as nothing:
        print(nothing, file=sys.stderr)
        return 3
    except ValueError as error:  # no such device
        print(error, file=sys.stderr)
        return 2
    path = Path(told.out or f"benchmark-{told.suite}.json")
    content = records.as_json(record)
    path.write_bytes(content)
    print(report.summary(record))
    print(f"\nWritten: {path}")
    if told.record and record["complete"]:
        records.store_record(record)
        name = f"data/{records.ROOM}/{records.record_name(record)}"
        print(f"Recorded: {name}. Its table in data/sources.toml now:\n")
        print(records.sources_block(record, content))
    return 0 if record["complete"] else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m helpers.benchmark", description=__doc__)
    parser.add_argument(
        "suite", nargs="?", default="attention", choices=sorted(SUITES), help="what to measure"
    )
    parser.add_argument("--device", help="cpu, cuda or mps; left out: the best that is here")
    parser.add_argument("--quick", action="store_true", help="a few seconds: small sizes, forward only")
    parser.add_argument("--threads", type=int, help="how many threads torch may use (left out: as it likes)")
    parser.add_argument("--out", metavar="FILE", help="where the results go (benchmark-SUITE.json)")
    parser.add_argument("--record", action="store_true", help="keep the results in data/, for the course")
    return parser


if __name__ == "__main__":
    sys.exit(main())
