"""A record as text: what was measured on what, tables of times and memory, slopes, ratios and goals."""

import math
from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from helpers.benchmark.findings import (
    Goal,
    ceiling,
    extra_memory,
    fitted_slope,
    goals,
    line_name,
    rate,
    setting_name,
)
from helpers.benchmark.records import Case, Ratio, Record, StreamingRecord

SECONDS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
BYTES = (("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10))
RATES = (("T", 1e12), ("G", 1e9), ("M", 1e6))

Item = TypeVar("Item")


def summary(record: Record) -> str:
    """A record -> all of it that a person wants to see at the end of a run."""
    parts = [heading(record), *tables(record), reached(record), slopes(record), ratios(record)]
    if record["suite"] == "streaming":
        parts += [extra(cast(StreamingRecord, record)), errors(cast(StreamingRecord, record))]
    return "\n\n".join(part for part in (*parts, goals_in_words(record)) if part)


def heading(record: Record) -> str:
    """A record -> where and when it was measured, with what, and how fast the device can be."""
    versions = record["versions"]
    stopped = "" if record["complete"] else ", STOPPED before its end"
    changes = " with changes" if record["tree_changed"] else ""
    name = device_name(record) + instructions_of(record)
    lines = [
        f"{record['suite']} on {name}, {record['date'][:10]}{stopped}",
        f"torch {versions['torch']}, Python {versions['python']}, {versions['system']}, "
        f"commit {(record['commit'] or 'unknown')[:10]}{changes}",
    ]
    for entry in record["ceilings"]:
        lines.append(
            f"ceiling, {entry['what']}, {entry['dtype']}: {per_second(entry['rate'], entry['unit'])}"
        )
    return "\n".join(lines)


def device_name(record: Record) -> str:
    """A record -> the name of its device, and how it was used."""
    device = record["device"]
    threads = "1 thread" if record["threads"] == 1 else f"{record['threads']} threads"
    how = threads if device["kind"] == "cpu" else f"driver {device['driver']}"
    return f"{device['name']} ({device['kind']}, {how})"


def instructions_of(record: Record) -> str:
    """A record -> ", with AVX512": what its products used on a processor; "" where it does not say."""
    used = record["arguments"].get("instructions")
    return f", with {used}" if used and record["device"]["kind"] == "cpu" else ""


def tables(record: Record) -> list[str]:
    """A record -> a table for each setting: a row for each n, a column for each implementation."""
    found = grouped(record["cases"], lambda case: f"{case['part']}: {setting_name(case)}")
    return [_table(title, cases) for title, cases in found.items()]


def reached(record: Record) -> str:
    """A record -> what each line of measurements reaches at its largest n, beside the measured ceilings."""
    lines = []
    for name, cases in grouped(record["cases"], lambda case: line_name(case)).items():
        measured = [case for case in cases if case["seconds"]]
        if measured:
            largest = max(measured, key=lambda case: case["n"])
            lines.append(f"  {name}, n {largest['n']:,}: {_reached(record, largest)}")
    return "\n".join(["Reached at the largest n, and the share of the ceiling", *lines]) if lines else ""


def slopes(record: Record) -> str:
    """A record -> its fitted slopes, a line each for time and memory."""
    lines = [
        f"  {'time' if slope['quantity'] == 'seconds' else 'memory'} n^{slope['slope']:.2f}: "
        f"{line_name(slope)}, n {slope['from_n']:,} to {slope['to_n']:,}"
        for slope in record["slopes"]
    ]
    return "\n".join(["Slopes on log–log axes", *lines]) if lines else ""


def ratios(record: Record) -> str:
    """A record -> its ratios of times, a line for each pair and setting, n by n."""
    found = grouped(record["ratios"], lambda r: f"{r['over']} ÷ {r['under']}, {setting_name(r)}")
    lines = [f"  {what}: " + ", ".join(map(_ratio, rows)) for what, rows in found.items()]
    return "\n".join(["Ratios of times, in pairs: n: median (quartiles)", *lines]) if lines else ""


def extra(record: StreamingRecord) -> str:
    """A record of streaming -> the memory beyond input and output at each n, and its slope, a line each."""
    lines = []
    for name, points in extra_memory(record).items():
        slope = f"{power(fitted_slope(*zip(*points, strict=True)))}: " if len(points) > 1 else ""
        lines.append(f"  {name}: {slope}" + ", ".join(f"{n} {size(held)}" for n, held in points))
    return "\n".join(["Memory beyond the input and the output", *lines]) if lines else ""


def errors(record: StreamingRecord) -> str:
    """A record of streaming -> the largest distance from float64 at each n, a line each."""
    found = grouped(
        record["errors"], lambda e: f"{e['implementation']}, {'causal' if e['causal'] else 'full'}"
    )
    lines = [
        f"  {name}: " + ", ".join(f"{row['n']} {row['error']:.1e}" for row in rows)
        for name, rows in found.items()
    ]
    return "\n".join(["Largest error against float64", *lines]) if lines else ""


def goals_in_words(record: Record) -> str:
    """A record -> each goal, whether it is met, and at which n it is not."""
    found = goals(record)
    lines = []
    for what, rows in grouped(found, lambda goal: f"{goal.what} {_bound(goal)}").items():
        missed = [_miss(goal) for goal in rows if not goal.met]
        lines.append(
            f"  {'NOT met' if missed else 'met'}: {what}" + "".join(f"; {words}" for words in missed)
        )
    met = sum(goal.met for goal in found)
    return "\n".join([f"Goals: {met} of {len(found)} met", *lines]) if found else ""


def power(slope: float) -> str:
    """An exponent -> "n^2.00"; what rounds to zero has no sign."""
    return f"n^{round(slope, 2) + 0.0:.2f}"


def duration(seconds: float) -> str:
    """Seconds -> three digits and a unit."""
    return _scaled(seconds, SECONDS)


def size(n_bytes: float) -> str:
    """Bytes -> three digits and a unit."""
    return _scaled(n_bytes, BYTES)


def per_second(value: float, unit: str) -> str:
    """A rate, "FLOP/s" or "bytes/s" -> three digits and a unit."""
    return _scaled(value, RATES) + {"FLOP/s": "FLOP/s", "bytes/s": "B/s"}[unit]


def grouped(items: Iterable[Item], key: Callable[[Item], str]) -> dict[str, list[Item]]:
    """Items, what names the group of one -> {name: items}, in the order in which they come."""
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def _table(title: str, cases: list[Case]) -> str:
    names = list(dict.fromkeys(case["implementation"] for case in cases))
    by_place = {(case["n"], case["implementation"]): case for case in cases}
    rows = [["n", *names]]
    for n in sorted({case["n"] for case in cases}):
        rows.append([f"{n:,}", *(_cell(by_place.get((n, name))) for name in names)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in rows]
    notes = [
        f"  {case['implementation']}, n {case['n']:,}: {case['status']}: {case['reason']}"
        for case in cases
        if case["reason"]
    ]
    return "\n".join([f"{title}: time ± half the distance of its quartiles, memory", *lines, *notes])


def _cell(case: Case | None) -> str:
    if case is None or case["seconds"] is None:
        return case["status"] if case else ""
    lower, median, upper = (case["seconds"][key] for key in ("lower", "median", "upper"))
    held = "" if case["peak_bytes"] is None else f", {size(case['peak_bytes'])}"
    return f"{duration(median)} ±{(upper - lower) / 2 / median:.0%}{held}"


def _reached(record: Record, case: Case) -> str:
    """A measured case -> its rates in words, each with its share of the ceiling where that is known."""
    words = []
    for value, unit, what in zip(rate(case) or (), ("FLOP/s", "bytes/s"), ("matmul", "copy"), strict=False):
        top = ceiling(record, what, case["dtype"])
        if value is not None:
            words.append(per_second(value, unit) + (f" ({value / top:.0%} of a {what})" if top else ""))
    return ", ".join(words)


def _ratio(ratio: Ratio) -> str:
    return f"{ratio['n']}: {ratio['median']:.2f} ({ratio['lower']:.2f}–{ratio['upper']:.2f})"


def _bound(goal: Goal) -> str:
    return f"{'≤' if goal.at_most else '≥'} {goal.bound:g}"


def _miss(goal: Goal) -> str:
    where = "" if goal.n is None else f"n {goal.n:,}: "
    return f"{where}{goal.value:.3f}" + (
        f" ({goal.spread[0]:.3f}–{goal.spread[1]:.3f})" if goal.spread else ""
    )


def _scaled(value: float, steps: tuple[tuple[str, float], ...]) -> str:
    unit, scale = next((step for step in steps if value >= step[1]), steps[-1])
    return f"{_digits(value / scale)} {unit}"


def _digits(value: float) -> str:
    """A number -> three digits, and no exponent."""
    if value <= 0:
        return "0"
    return f"{value:,.{max(0, 2 - math.floor(math.log10(value)))}f}"
