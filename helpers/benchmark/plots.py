"""A record of the benchmark as figures. Each draws, prints its finding in words, and returns None.

All numbers come from the record; helpers.plots.canvas has the colours and sizes.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from helpers.benchmark import report
from helpers.benchmark.findings import ceiling, setting_name, slopes_of
from helpers.benchmark.records import Case, Ratio, Record, select
from helpers.plots import canvas

SECONDS, BYTES = "seconds", "peak_bytes"
ENDS: tuple[Literal["lower"], Literal["upper"]] = ("lower", "upper")


def plot_times(
    record: Record,
    causal: bool = False,
    dtype: str = "float32",
    passes: str = "forward",
    part: str = "attention",
) -> None:
    """A record, a setting -> time against n on log–log axes, a band from quartile to quartile.

    Prints for each implementation where its line begins and ends, its slope, and why it ends before others;
    and how many times as long as the fused form the readable one takes, at the largest n of both.
    Raises ValueError where the record has no such setting.
    """
    lines = _lines(record, SECONDS, part=part, causal=causal, dtype=dtype, passes=passes)
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        for i, (name, cases) in enumerate(lines.items()):
            _draw_times(axes, cases, name, i)
        _label(axes, _every_case(lines), "seconds", report.duration)
        if part == "decoding":  # with a cache, one query alone
            axes.set_xlabel("n, tokens in the text")
        axes.set_title(_title(record, lines))
        canvas.show(figure)
    print(f"Time on {report.device_name(record)}, {_setting(lines)}:")
    _print_lines(record, lines, SECONDS, report.duration)
    _print_readable_over_fused(record, next(iter(lines.values()))[0])


def plot_memory(
    record: Record,
    causal: bool = False,
    dtype: str = "float32",
    passes: str = "forward",
    part: str = "attention",
) -> None:
    """A record, a setting -> the most memory that one call held, against n, with fitted lines.

    Prints for each implementation where its line begins and ends, and its slope.
    Raises ValueError where the record has no such setting, or where its device counts no memory.
    """
    lines = _lines(record, BYTES, part=part, causal=causal, dtype=dtype, passes=passes)
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        for i, (name, cases) in enumerate(lines.items()):
            _draw_fit(axes, [(case["n"], case["peak_bytes"] or 0) for case in cases], name, i)
        _label(axes, _every_case(lines), "bytes beyond the input", report.size)
        axes.set_title(_title(record, lines))
        canvas.show(figure)
    print(f"Memory on {report.device_name(record)}, {_setting(lines)}:")
    _print_lines(record, lines, BYTES, report.size)


def plot_ratio_of_records(
    records: Mapping[str, Record], over: str, under: str, dtype: str = "float32"
) -> None:
    """Records by what to call them, over, under -> their ratio of times against n, full and forward.

    Prints each ratio. Raises ValueError where a record has no such ratio.
    """
    wanted = {"over": over, "under": under, "causal": False, "dtype": dtype, "passes": "forward"}
    chosen = {
        name: [r for r in record["ratios"] if all(r.get(key) == value for key, value in wanted.items())]
        for name, record in records.items()
    }
    missing = [name for name, rows in chosen.items() if not rows]
    if missing:
        raise ValueError(f"no ratio {over} ÷ {under} in {dtype}, full, forward in: {', '.join(missing)}")
    _draw_ratios(chosen, f"{over} ÷ {under}, full, {dtype}, forward")
    print(f"{over} ÷ {under}, full, {dtype}, forward, median (quartiles):")
    for name, rows in chosen.items():
        found = (f"n {r['n']:,} {r['median']:.2f} ({r['lower']:.2f}–{r['upper']:.2f})" for r in rows)
        print(f"{name}: {', '.join(found)}")


def plot_roofline(
    record: Record, causal: bool = False, dtype: str = "float32", passes: str = "forward"
) -> None:
    """A record, a setting -> operations a second against operations a byte, below the measured ceilings.

    The slanted ceiling is moving (the measured copy, so many bytes a second), the flat one calculating (the
    measured product). Prints for each implementation how many operations a byte it has, on which side of the
    corner that lies, and what it reaches at its largest n of the ceiling over it there.
    Raises ValueError where the record lacks the setting or its ceilings.
    """
    lines = _lines(record, SECONDS, part="attention", causal=causal, dtype=dtype, passes=passes)
    lines = {name: cases for name, cases in lines.items() if cases[0]["moved_bytes"]}
    copy, product = (ceiling(record, what, dtype) for what in ("copy", "matmul"))
    if copy is None or product is None:
        raise ValueError(f"the record has no measured ceilings for {dtype}")
    points = {name: np.array([_place(case) for case in cases]).T for name, cases in lines.items()}
    edge = product / copy  # where the ceilings meet
    everywhere = np.concatenate([xs for xs, _ in points.values()] + [[edge]])
    # From far enough to the left that the slope is seen.
    roof_xs = np.array([min(everywhere.min() / 2, edge / 8), edge, everywhere.max() * 2])
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        axes.loglog(roof_xs, np.minimum(roof_xs * copy, product), color="black", lw=1.5)
        # At the foot of the slope and to its right: on the left it would run into the numbers of the axis.
        foot = (roof_xs[0], copy * roof_xs[0])
        axes.annotate("memory-bound", foot, (8, 0), textcoords="offset points", ha="left", va="top")
        axes.annotate("compute-bound", (1.2 * edge, 1.15 * product), ha="left")
        for i, (name, (xs, ys)) in enumerate(points.items()):
            axes.loglog(xs, ys, lw=1, label=name, **canvas.look(i))
            upright = xs[-1] < 4 * xs[0]  # then the other points stand above and below, and the note beside
            for place in (0, -1):
                alone_at_the_left = xs[place] < xs[-1 - place]
                side = "center" if not upright else "right" if alone_at_the_left else "left"
                shift = {"center": (0, -14), "right": (-8, -3), "left": (8, -3)}[side]
                note = f"n {lines[name][place]['n']:,}"
                at = (xs[place], ys[place])
                axes.annotate(note, at, shift, textcoords="offset points", size=8, ha=side)
        axes.set(xlabel="operations a byte, counted", ylabel="operations a second, measured")
        axes.set_title(_title(record, lines))
        axes.xaxis.set_major_formatter("{x:,g}")
        lowest = min(float(ys.min()) for _, ys in points.values())
        axes.set_ylim(min(lowest, roof_xs[0] * copy) / 2, 2 * product)
        _y_ticks(axes, lambda y: report.per_second(y, "FLOP/s"))
        axes.legend(frameon=False, loc="lower right")
        canvas.show(figure)
    print(f"Ceilings measured on {report.device_name(record)}, {dtype}: calculating ", end="")
    print(f"{report.per_second(product, 'FLOP/s')}, moving {report.per_second(copy, 'bytes/s')};", end=" ")
    print(f"they meet at {edge:.1f} operations a byte")
    for name, (xs, ys) in points.items():
        roof = min(product, copy * xs[-1])
        print(f"{name}: {_span(xs)} operations a byte, {_side(xs, edge)};", end=" ")
        print(f"n {lines[name][-1]['n']:,} reaches {report.per_second(ys[-1], 'FLOP/s')},", end=" ")
        share = ys[-1] / roof
        print(f"{share:.0%} of its ceiling there", end="\n" if share <= 1 else ": ")
        if share > 1:
            print("the ceiling was measured at a busier moment")


def plot_beside(
    recorded: Record,
    own: Record,
    causal: bool = False,
    dtype: str = "float32",
    passes: str = "forward",
    implementations: Sequence[str] = ("readable", "fused"),
    own_dtype: str | None = None,
) -> None:
    """Two records, a setting -> the times of both against n: the recorded machine and this one.

    `own_dtype` is that of the second, where it was measured in another one. Prints for each implementation
    the largest n that both have, and how their times compare there.
    Raises ValueError where one of the records has no such setting.
    """
    setting = {"part": "attention", "causal": causal, "dtype": dtype, "passes": passes}
    own_setting = {**setting, "dtype": own_dtype or dtype}
    both = {"recorded": _lines(recorded, SECONDS, **setting), "yours": _lines(own, SECONDS, **own_setting)}
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        for place, (record, whose) in enumerate(zip((recorded, own), both, strict=True)):
            for colour, name in enumerate(implementations):
                if name in both[whose]:
                    label = f"{name}, {whose}: {record['device']['name']}"
                    _draw_times(axes, both[whose][name], label, 2 * place + colour)
        _label(axes, _every_case(*both.values()), "seconds", report.duration)
        axes.set_title(_setting(both["recorded"]) + (f"; yours {own_dtype}" if own_dtype else ""))
        canvas.show(figure)
    for name in implementations:
        theirs, mine = ({case["n"]: case for case in lines.get(name, [])} for lines in both.values())
        common = sorted(set(theirs) & set(mine))
        if common:
            n = common[-1]
            times = [_median(cases[n]) for cases in (theirs, mine)]
            print(f"{name}, n {n:,}: recorded {report.duration(times[0])},", end=" ")
            print(f"yours {report.duration(times[1])}: {times[1] / times[0]:.2g} times as long")


def _lines(record: Record, quantity: str, **setting: object) -> dict[str, list[Case]]:
    """A record, a quantity, a setting -> {implementation: its measured cases that have the quantity}."""
    found: dict[str, list[Case]] = {}
    for case in select(record, status="measured", **setting):
        if case[quantity]:  # type: ignore[literal-required]
            found.setdefault(case["implementation"], []).append(case)
    if not found:
        there = sorted({f"{case['part']}: {setting_name(case)}" for case in record["cases"]})
        wanted = ", ".join(f"{key} {value!r}" for key, value in setting.items())
        raise ValueError(f"no {quantity} in the record for {wanted}; it has {'; '.join(there)}")
    return found


def _draw_ratios(chosen: Mapping[str, Sequence[Ratio]], title: str) -> None:
    """{label: ratios}, a title -> a line each, with bars from quartile to quartile."""
    with plt.rc_context(canvas.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        axes.axhline(1, color="0.6", lw=1, zorder=0)
        for i, (name, rows) in enumerate(chosen.items()):
            ns, lower, middle, upper = np.array(
                [(r["n"], r["lower"], r["median"], r["upper"]) for r in rows]
            ).T
            shifted = ns * 1.03 ** (i - (len(chosen) - 1) / 2)  # side by side, so that no bar hides another
            bars = (middle - lower, upper - middle)
            axes.errorbar(shifted, middle, bars, capsize=3, label=name, **canvas.look(i))
        axes.set_xscale("log")
        axes.set(ylim=(0, None), ylabel="ratio of times", title=title)
        _n_axis(axes, sorted({r["n"] for rows in chosen.values() for r in rows}))
        axes.legend(frameon=False)
        canvas.show(figure)


def _draw_times(axes: Axes, cases: Sequence[Case], label: str, i: int, look: int | None = None) -> None:
    """Cases, a label, the number of a colour -> their line and its band; `look`: another marker and dash."""
    look = i if look is None else look
    ns = [case["n"] for case in cases]
    seconds = [case["seconds"] for case in cases if case["seconds"]]
    lower, upper = ([each[end] for each in seconds] for end in ENDS)
    middle = [each["median"] for each in seconds]
    axes.fill_between(ns, lower, upper, color=canvas.COLOURS[i], alpha=0.25, lw=0)
    marker, dash = canvas.MARKERS[look], canvas.DASHES[look]
    axes.loglog(ns, middle, marker, ls=dash, color=canvas.COLOURS[i], ms=5, label=label)


def _draw_fit(axes: Axes, points: Sequence[tuple[int, int]], label: str, i: int) -> None:
    """(n, bytes) points, a label, the number of a colour -> the points, and a fitted line through them."""
    ns, held = np.array(points, dtype=float).T
    axes.loglog(ns, held, canvas.MARKERS[i], color=canvas.COLOURS[i], ms=6, label=label)
    if len(ns) > 1:
        slope, height = np.polyfit(np.log(ns), np.log(held), 1)
        axes.loglog(ns, np.exp(height) * ns**slope, ls=canvas.DASHES[i], color=canvas.COLOURS[i], lw=1)


def _every_case(*found: dict[str, list[Case]]) -> list[Case]:
    return [case for lines in found for cases in lines.values() for case in cases]


def _label(axes: Axes, cases: Sequence[Case], what: str, in_words: Callable[[float], str]) -> None:
    axes.set_ylabel(what)
    _n_axis(axes, sorted({case["n"] for case in cases}))
    _y_ticks(axes, in_words, base=4 if in_words is report.size else 10)
    axes.legend(frameon=False)


def _y_ticks(axes: Axes, in_words: Callable[[float], str], base: int = 10) -> None:
    """Ticks at powers of the base, and between them where these are few; "10 ms" rather than "10.0 ms"."""
    low, high = axes.get_ylim()
    between = (1.0, 2.0, 5.0) if base == 10 and high < 300 * low else (1.0,)
    axes.yaxis.set_major_locator(LogLocator(base, subs=between))
    axes.yaxis.set_major_formatter(lambda y, _: re.sub(r"\.0+(?= )", "", in_words(y)))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _n_axis(axes: Axes, ns: Sequence[int]) -> None:
    axes.set_xlabel("n, queries and keys")
    axes.set_xticks(ns, [f"{n:,}" for n in ns], rotation=0 if len(ns) < 7 else 30)
    axes.minorticks_off()


def _print_lines(
    record: Record, lines: dict[str, list[Case]], quantity: str, in_words: Callable[[float], str]
) -> None:
    for name, cases in lines.items():
        first, last = (_value(case, quantity) for case in (cases[0], cases[-1]))
        ends = f"{in_words(first)} at n {cases[0]['n']:,}, {in_words(last)} at n {cases[-1]['n']:,}"
        # Fitted here, so that every record is told by today's rule.
        slopes = [s for s in slopes_of(cases) if s["quantity"] == quantity]
        grows = "".join(f"; grows like n^{s['slope']:.2f} from n {s['from_n']:,} on" for s in slopes)
        print(f"{name}: {ends}{grows}")
    _print_left_out(record, next(iter(lines.values()))[0], with_reason=quantity == SECONDS)


def _print_left_out(record: Record, drawn: Case, with_reason: bool) -> None:
    """A line for each implementation that lacks sizes: which, and (with the reason of the first) why."""
    here = [c for c in select(record, part=drawn["part"]) if setting_name(c) == setting_name(drawn)]
    for name, cases in report.grouped(here, lambda case: case["implementation"]).items():
        left_out = [case for case in cases if case["reason"]]
        if left_out:
            first, is_the_end = left_out[0], cases[-len(left_out) :] == left_out
            more = is_the_end and len(left_out) > 1
            ns = f"{first['n']:,} and more" if more else ", ".join(f"{case['n']:,}" for case in left_out)
            short = first["status"] if first["status"] == "out of memory" else "not measured"
            why = f"{first['status']}, {first['reason']}" if with_reason else short
            print(f"{name}, n {ns}: {why}")


def _print_readable_over_fused(record: Record, drawn: Case) -> None:
    """How many times as long the readable form takes, in pairs, at the largest n that the record has."""
    here = ("readable", "fused", drawn["part"], setting_name(drawn))
    found = [r for r in record["ratios"] if (r["over"], r["under"], r["part"], setting_name(r)) == here]
    if found:
        last = max(found, key=lambda ratio: ratio["n"])
        print(f"At n {last['n']:,} readable takes {last['median']:.1f} times as long as fused", end=" ")
        print(f"({last['lower']:.1f}–{last['upper']:.1f})")


def _side(xs: Sequence[float], edge: float) -> str:
    """Operations a byte, where the ceilings meet -> which ceiling lies over them, in words."""
    if min(xs) >= edge:
        return "compute-bound"
    return "memory-bound" if max(xs) < edge else "on both sides of the corner"


def _value(case: Case, quantity: str) -> float:
    return _median(case) if quantity == SECONDS else float(case["peak_bytes"] or 0)


def _median(case: Case) -> float:
    return case["seconds"]["median"] if case["seconds"] else float("nan")


def _place(case: Case) -> tuple[float, float]:
    """A case -> its operations a byte, and its operations a second."""
    return case["operations"] / (case["moved_bytes"] or 1), case["operations"] / _median(case)


def _span(xs: Sequence[float]) -> str:
    low, high = f"{min(xs):.1f}", f"{max(xs):.1f}"
    return low if low == high else f"{low} to {high}"


def _setting(lines: dict[str, list[Case]]) -> str:
    case = next(iter(lines.values()))[0]
    return f"{case['part']}, {setting_name(case)}"


def _title(record: Record, lines: dict[str, list[Case]]) -> str:
    device, threads = record["device"], record["threads"]
    how = "" if device["kind"] != "cpu" else f", {threads} thread{'s' * (threads > 1)}"
    return f"{device['name']}{how}: {_setting(lines)}"
