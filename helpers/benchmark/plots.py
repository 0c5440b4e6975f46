"""A record of the benchmark as figures. Each draws, prints its finding in words, and returns None.

All numbers come from the record; helpers.plots has the house's colours and sizes.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from helpers import plots as house
from helpers.benchmark import report
from helpers.benchmark.findings import ceiling, line_of, setting_name
from helpers.benchmark.records import Case, Record, select

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

    Prints for each implementation where its line begins and ends, its slope, and why it ends before others.
    Raises ValueError where the record has no such setting.
    """
    lines = _lines(record, SECONDS, part=part, causal=causal, dtype=dtype, passes=passes)
    with plt.rc_context(house.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        for i, (name, cases) in enumerate(lines.items()):
            _draw_times(axes, cases, name, i)
        _label(axes, _every_case(lines), "seconds", report.duration)
        axes.set_title(_title(record, lines))
        house._show(figure)
    print(f"Time on {report.device_name(record)}, {_setting(lines)}:")
    _print_lines(record, lines, SECONDS, report.duration)


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
    with plt.rc_context(house.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        for i, (name, cases) in enumerate(lines.items()):
            ns, held = np.array([(case["n"], case["peak_bytes"]) for case in cases], dtype=float).T
            axes.loglog(ns, held, house.MARKERS[i], color=house.COLOURS[i], ms=6, label=name)
            if len(ns) > 1:
                slope, height = np.polyfit(np.log(ns), np.log(held), 1)
                fit = np.exp(height) * ns**slope
                axes.loglog(ns, fit, ls=house.DASHES[i], color=house.COLOURS[i], lw=1)
        _label(axes, _every_case(lines), "bytes beyond the input", report.size)
        axes.set_title(_title(record, lines))
        house._show(figure)
    print(f"Memory on {report.device_name(record)}, {_setting(lines)}:")
    _print_lines(record, lines, BYTES, report.size)


def plot_ratios(
    record: Record,
    pairs: Sequence[tuple[str, str]],
    causal: bool = False,
    dtype: str = "float32",
    passes: str = "forward",
) -> None:
    """A record, (over, under) pairs, a setting -> the time of one divided by that of the other, against n.

    A bar runs from quartile to quartile of the ratios within a round. Prints each ratio.
    Raises ValueError where the record has no ratio of a pair in this setting.
    """
    chosen = {}
    for over, under in pairs:
        wanted = {"over": over, "under": under, "causal": causal, "dtype": dtype, "passes": passes}
        rows = [r for r in record["ratios"] if all(r.get(key) == value for key, value in wanted.items())]
        if not rows:
            there = sorted({f"{ratio['over']} ÷ {ratio['under']}" for ratio in record["ratios"]})
            raise ValueError(f"no ratio {over} ÷ {under} in this setting; there are {', '.join(there)}")
        chosen[f"{over} ÷ {under}"] = rows
    with plt.rc_context(house.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        axes.axhline(1, color="0.6", lw=1, zorder=0)
        for i, (name, rows) in enumerate(chosen.items()):
            ns, lower, middle, upper = np.array(
                [(r["n"], r["lower"], r["median"], r["upper"]) for r in rows]
            ).T
            shifted = ns * 1.03 ** (i - (len(chosen) - 1) / 2)  # side by side, so that no bar hides another
            style: dict[str, Any] = {
                "marker": house.MARKERS[i],
                "ls": house.DASHES[i],
                "color": house.COLOURS[i],
            }
            axes.errorbar(shifted, middle, (middle - lower, upper - middle), capsize=3, label=name, **style)
        axes.set_xscale("log")
        axes.set(ylim=(0, None), ylabel="ratio of times")
        _n_axis(axes, sorted({r["n"] for rows in chosen.values() for r in rows}))
        axes.legend(frameon=False)
        setting = setting_name(next(iter(chosen.values()))[0])
        axes.set_title(f"{record['device']['name']}: {setting}")
        house._show(figure)
    print(f"Ratios of times on {report.device_name(record)}, {setting}, median (quartiles):")
    for name, rows in chosen.items():
        found = (f"n {r['n']:,} {r['median']:.2f} ({r['lower']:.2f}–{r['upper']:.2f})" for r in rows)
        print(f"{name}: {', '.join(found)}")


def plot_roofline(
    record: Record, causal: bool = False, dtype: str = "float32", passes: str = "forward"
) -> None:
    """A record, a setting -> operations a second against operations a byte, below the measured ceilings.

    The slanted ceiling is the measured copy (so many bytes a second), the flat one the measured product.
    Prints for each implementation how many operations a byte it has, what it reaches at its largest n, and
    which ceiling lies over it there. Raises ValueError where the record lacks the setting or its ceilings.
    """
    lines = _lines(record, SECONDS, part="attention", causal=causal, dtype=dtype, passes=passes)
    lines = {name: cases for name, cases in lines.items() if cases[0]["moved_bytes"]}
    copy, product = (ceiling(record, what, dtype) for what in ("copy", "matmul"))
    if copy is None or product is None:
        raise ValueError(f"the record has no measured ceilings for {dtype}")
    points = {name: np.array([_place(case) for case in cases]).T for name, cases in lines.items()}
    edge = product / copy  # where the ceilings meet
    everywhere = np.concatenate([xs for xs, _ in points.values()] + [[edge]])
    roof_xs = np.array([everywhere.min() / 2, edge, everywhere.max() * 2])
    with plt.rc_context(house.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        axes.loglog(roof_xs, np.minimum(roof_xs * copy, product), color="black", lw=1.5)
        axes.annotate(
            "copy", (np.sqrt(roof_xs[0] * edge), 0.7 * copy * np.sqrt(roof_xs[0] * edge)), ha="left"
        )
        axes.annotate("product", (roof_xs[2], 1.15 * product), ha="right")
        for i, (name, (xs, ys)) in enumerate(points.items()):
            style = {"marker": house.MARKERS[i], "ls": house.DASHES[i], "color": house.COLOURS[i], "lw": 1}
            axes.loglog(xs, ys, label=name, **style)
            for place in (0, -1):
                note = f"n {lines[name][place]['n']:,}"
                shift = (0, -14 if place == 0 else 8)
                axes.annotate(
                    note, (xs[place], ys[place]), shift, textcoords="offset points", size=8, ha="center"
                )
        axes.set(xlabel="operations a byte", ylabel="operations a second", title=_title(record, lines))
        axes.xaxis.set_major_formatter("{x:g}")
        lowest = min(float(ys.min()) for _, ys in points.values())
        axes.set_ylim(min(lowest, roof_xs[0] * copy) / 2, 2 * product)
        _y_ticks(axes, lambda y: report.per_second(y, "FLOP/s"))
        axes.legend(frameon=False, loc="lower right")
        house._show(figure)
    print(f"Ceilings measured on {report.device_name(record)}, {dtype}: product ", end="")
    print(f"{report.per_second(product, 'FLOP/s')}, copy {report.per_second(copy, 'bytes/s')};", end=" ")
    print(f"they meet at {edge:.1f} operations a byte")
    for name, (xs, ys) in points.items():
        roof, which = (product, "product") if xs[-1] >= edge else (copy * xs[-1], "copy")
        print(f"{name}: {_span(xs)} operations a byte; n {lines[name][-1]['n']:,} reaches", end=" ")
        print(f"{report.per_second(ys[-1], 'FLOP/s')}, {ys[-1] / roof:.0%} of its ceiling, the {which}")


def plot_beside(
    recorded: Record,
    own: Record,
    causal: bool = False,
    dtype: str = "float32",
    passes: str = "forward",
    implementations: Sequence[str] = ("readable", "fused"),
) -> None:
    """Two records, a setting -> the times of both against n: the recorded machine and this one.

    Prints, for each implementation, the largest n that both have, and how their times compare there.
    Raises ValueError where one of the records has no such setting.
    """
    setting = {"part": "attention", "causal": causal, "dtype": dtype, "passes": passes}
    both = {"recorded": _lines(recorded, SECONDS, **setting), "yours": _lines(own, SECONDS, **setting)}
    with plt.rc_context(house.STYLE):
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        for place, (record, whose) in enumerate(zip((recorded, own), both, strict=True)):
            for colour, name in enumerate(implementations):
                if name in both[whose]:
                    label = f"{name}, {whose}: {record['device']['name']}"
                    _draw_times(axes, both[whose][name], label, colour, 2 * place + colour)
        _label(axes, _every_case(*both.values()), "seconds", report.duration)
        axes.set_title(_setting(both["recorded"]))
        house._show(figure)
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


def _draw_times(axes: Axes, cases: Sequence[Case], label: str, i: int, look: int | None = None) -> None:
    """Cases, a label, the number of a colour -> their line and its band; `look`: another marker and dash."""
    look = i if look is None else look
    ns = [case["n"] for case in cases]
    seconds = [case["seconds"] for case in cases if case["seconds"]]
    lower, upper = ([each[end] for each in seconds] for end in ENDS)
    middle = [each["median"] for each in seconds]
    axes.fill_between(ns, lower, upper, color=house.COLOURS[i], alpha=0.25, lw=0)
    marker, dash = house.MARKERS[look], house.DASHES[look]
    axes.loglog(ns, middle, marker, ls=dash, color=house.COLOURS[i], ms=5, label=label)


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
        slopes = [
            s for s in record["slopes"] if s["quantity"] == quantity and line_of(s) == line_of(cases[0])
        ]
        grows = "".join(f"; grows like n^{s['slope']:.2f} from n {s['from_n']:,} on" for s in slopes)
        print(f"{name}: {ends}{grows}")
    drawn = next(iter(lines.values()))[0]
    for case in select(record, part=drawn["part"]):
        if case["reason"] and setting_name(case) == setting_name(drawn):
            print(f"{case['implementation']}, n {case['n']:,}: {case['status']}, {case['reason']}")


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
    return f"{record['device']['name']}: {_setting(lines)}"
