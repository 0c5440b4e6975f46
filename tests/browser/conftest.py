"""Chromium for the tests that need a page and no JupyterLab."""

from collections.abc import Iterator
from typing import Any

import pytest
from website.serving import browsing, find_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """() -> Chromium without a window."""
    place = find_browser()
    if place is None:
        pytest.skip("no Chromium on this machine")
    with browsing(place) as found:
        yield found
