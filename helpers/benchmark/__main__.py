"""The command: python -m helpers.benchmark [suite] [--device …] [--quick] [--record] and more."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from helpers import datasets, one_thread
from helpers.benchmark import pages, records, report

# A suite's name -> the module and its function that takes a device and `quick` and gives a record.
SUITES = {
    "attention": ("helpers.benchmark.attention", "run_attention_benchmark"),
    "streaming": ("helpers.benchmark.streaming", "run_streaming_benchmark"),
    "kernels": ("helpers.benchmark.kernels", "run_kernel_benchmark"),
}
FORM = '"A record from your GPU"'  # .github/ISSUE_TEMPLATE/gpu_record.yml
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
    if told.keep_pages and pages.why_not():
        print(pages.why_not(), file=sys.stderr)
        return 2
    if told.keep_pages and not pages.are_kept():
        again = sys.argv[1:] if arguments is None else arguments
        return one_thread.again("helpers.benchmark", again, pages.KEPT)
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
    if told.record and datasets.INSTALLED:
        print(f"The record is {path}. (Only a clone of the course keeps it in data/ as well.)")
    elif told.record and record["complete"]:
        records.store_record(record)
        name = f"data/{records.ROOM}/{records.record_name(record)}"
        print(f"Recorded: {name}. Its table in data/sources.toml now:\n")
        print(records.sources_block(record, content))
    elif told.record:
        print(f"Not recorded, because it was stopped: {path} holds what was measured until then.")
    if record["device"]["kind"] != "cpu" and not told.quick:
        print(f"\nTo hand it in, open an issue from the form {FORM} and attach {path}.")
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
    parser.add_argument(
        "--record", action="store_true", help="a full run; a clone keeps it in data/, for the course"
    )
    parser.add_argument(
        "--keep-pages", action="store_true", help="Linux: in a child whose allocator keeps freed memory"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
