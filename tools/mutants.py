"""Do a helper's own tests notice when one small thing in it is wrong? `python tools/mutants.py [module …]`.

Makes mutants of the maths helpers (a comparison, constant, argument, condition … is another), and runs for
each the tests of its own module, with a limit of time. What no test noticed is printed as a difference: add
the example that shows it to the module's test file, take the code away if nothing needs it, or, where no test
can tell the two apart, enter it in tools/mutation/equivalent.toml with the reason.

    python tools/mutants.py helpers.softmax helpers.masking     all mutants of two modules
    python tools/mutants.py --sample 500 --seed 3               some of all modules; the seed chooses which

Why not a library: mutmut (3.8) leaves every decorated function alone, and our maths stands behind
@checked_by; cosmic-ray (8.7) writes each mutant into the working tree and starts a Python for it, which costs
more than the tests do. Neither knows a module's own test file.
"""

import argparse
import difflib
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from mutation.equivalent import Equivalents
from mutation.making import Mutant, mutants
from mutation.modules import MATHS, ROOT, file_of
from mutation.running import CAN_FORK, TOO_LONG, try_all, try_one, was_killed


def of_module(module: str, root: Path = ROOT) -> list[Mutant]:
    """A module -> all its mutants, the equivalent ones as well."""
    return mutants(module, file_of(module, root).read_text(encoding="utf-8"))


def sample(candidates: Sequence[Mutant], n: int | None, seed: int) -> list[Mutant]:
    """Mutants -> n of them, in their order; all, where n is None or there are no more."""
    if n is None or n >= len(candidates):
        return list(candidates)
    places = random.Random(seed).sample(range(len(candidates)), n)
    return [candidates[place] for place in sorted(places)]


def difference(mutant: Mutant, root: Path = ROOT) -> str:
    """A mutant -> file and line, what was done, and the lines of the statement that differ."""
    place = f"{file_of(mutant.module, root).relative_to(root).as_posix()}:{mutant.line}: {mutant.what}"
    lines = difflib.ndiff(mutant.before.splitlines(), mutant.after.splitlines())
    return "\n".join([place, *(f"  {line}" for line in lines if line[:2] in ("- ", "+ "))])


class Report:
    """Prints each module as its turn comes, and its survivors; keeps count."""

    def __init__(self, root: Path = ROOT) -> None:
        """Where the course stands."""
        self.root, self.out, self.started = root, sys.stdout, time.monotonic()
        self.tried, self.survived, self.too_long = Counter[str](), Counter[str](), Counter[str]()

    def tell(self, mutant: Mutant, code: int, seconds: float) -> None:
        """A mutant, the exit code of its tests, their seconds -> None."""
        if mutant.module not in self.tried:
            print(f"# {mutant.module}", file=self.out, flush=True)
        self.tried[mutant.module] += 1
        self.too_long[mutant.module] += code == TOO_LONG
        if not was_killed(code):
            self.survived[mutant.module] += 1
            print(difference(mutant, self.root), file=self.out, flush=True)

    def table(self) -> str:
        """() -> a line for each module: mutants, how many were killed, of these by the clock, survivors."""
        lines = [f"{'':28} mutants  killed  (by the clock)  survived"]
        for name in [*self.tried, "all"]:
            tried, survived, too_long = (
                sum(counts.values()) if name == "all" else counts[name]
                for counts in (self.tried, self.survived, self.too_long)
            )
            share = f"{(tried - survived) / tried:.1%}" if tried else ""
            lines.append(
                f"{name:28} {tried:7}  {tried - survived:6}  {too_long:14}  {survived:8}  {share:>6}"
            )
        return "\n".join([*lines, f"{time.monotonic() - self.started:.0f} s"])


def main() -> int:
    """Try the mutants that are asked for; 1 where one survived."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="*", default=MATHS, help="helpers.softmax … (default: all maths)")
    parser.add_argument("--sample", type=int, help="try only so many, drawn over all the modules")
    parser.add_argument("--seed", type=int, default=0, help="which sample is drawn (default: 0)")
    parser.add_argument("--no-fork", action="store_true", help="a Python for each mutant: slower, anywhere")
    # Where there is no fork, this program starts itself for each mutant: its number, or -1 for none.
    parser.add_argument("--only", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.only is not None:
        (module,) = asked.modules
        return try_one(
            asked.root, module, None if asked.only < 0 else of_module(module, asked.root)[asked.only]
        )
    equivalents = Equivalents()
    for module in asked.modules:
        if not file_of(module, asked.root).is_file():
            parser.error(f"no module {module!r}: name it as an import does, such as helpers.softmax")
    found = [mutant for module in asked.modules for mutant in of_module(module, asked.root)]
    candidates = [mutant for mutant in found if equivalents.reason(mutant) is None]
    chosen = sample(candidates, asked.sample, asked.seed)
    print(f"{len(found)} mutants, {len(found) - len(candidates)} of them equivalent; {len(chosen)} are tried")
    report = Report(asked.root)
    try_all(chosen, report.tell, asked.root, can_fork=CAN_FORK and not asked.no_fork)
    print(report.table())
    return int(report.survived.total() > 0)


if __name__ == "__main__":
    sys.exit(main())
