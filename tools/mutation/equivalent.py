"""Mutants that no test can tell from the original, or need not: equivalent.toml lists them with reasons."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from mutation.making import Mutant

LISTED = Path(__file__).with_name("equivalent.toml")


class Equivalents:
    """What is listed in equivalent.toml, or in another file."""

    def __init__(self, path: Path = LISTED) -> None:
        """A file of entries: module, before, reason, and after unless any constant will do."""
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])
        self.reasons: dict[tuple[str, str, str | None], str] = {
            (each["module"], each["before"], each.get("after")): each["reason"] for each in entries
        }

    def reason(self, mutant: Mutant) -> str | None:
        """A mutant -> why it need not be noticed, or None."""
        return next((self.reasons[key] for key in keys_of(mutant) if key in self.reasons), None)

    def modules(self) -> list[str]:
        """() -> the modules that have entries."""
        return list(dict.fromkeys(module for module, _, _ in self.reasons))

    def unmet(self, mutants: Iterable[Mutant]) -> list[tuple[str, str, str | None]]:
        """All mutants of those modules -> entries to which none belongs: the code has changed."""
        met = {key for mutant in mutants for key in keys_of(mutant)}
        return [key for key in self.reasons if key not in met]


def keys_of(mutant: Mutant) -> list[tuple[str, str, str | None]]:
    """A mutant -> the entries that would be for it: one of its own, or one for all constants there."""
    own = mutant.module, mutant.before, mutant.after
    return [own, (*own[:2], None)] if mutant.what == "constant" else [own]
