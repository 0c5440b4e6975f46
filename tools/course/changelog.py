"""CHANGELOG.md: one entry a release, the newest first."""

import re

HEADING = re.compile(r"^## ", re.MULTILINE)


def entries(text: str) -> list[str]:
    """The file's text -> its entries, each with its heading and without the mark in front."""
    return [entry.strip() for entry in HEADING.split(text)[1:]]


def news(before: str, now: str) -> list[str]:
    """The file as it was, as it is -> the entries that came, the newest first."""
    known = {entry.splitlines()[0] for entry in entries(before)}
    return [entry for entry in entries(now) if entry.splitlines()[0] not in known]
