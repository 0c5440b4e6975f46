#!/usr/bin/env python3
"""The one command of the course: python course.py lab. All that it does stands in tools/course/.

This file keeps to a syntax that Python 2.7 can read: a Python that is too old then says so in one line.
With newer syntax it would stop at a SyntaxError before the first line has run.
"""
# ruff: noqa: UP010

from __future__ import print_function

import os
import sys

NEEDED = (3, 11)
TOO_OLD = "course.py: Python 3.11 or newer is needed and this is Python {}. Use a newer one: {} course.py lab"


def main(words):
    """Words -> the exit status, after doing what they ask, or saying that this Python is too old."""
    if sys.version_info < NEEDED:
        here = ".".join(str(part) for part in sys.version_info[:3])
        print(TOO_OLD.format(here, "py -3.12" if os.name == "nt" else "python3.12"), file=sys.stderr)
        return 1
    # First on the list: in front of this file, which bears the package's name.
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "tools"))
    import course.main

    return course.main.main(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
