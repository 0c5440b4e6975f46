"""What a figure leaves behind is freed, and the objects of libraries are looked at once only."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from helpers import garbage


class Part:
    """Holds itself, as the parts of a figure hold each other."""

    def __init__(self) -> None:
        self.other: object = self


@pytest.fixture(autouse=True)
def only_when_told() -> Iterator[None]:
    gc.unfreeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


def is_freed() -> bool:
    """Whether a circle that is made now and forgotten goes with the next `collect`."""
    part = weakref.ref(Part())
    assert part() is not None
    garbage.collect()
    return part() is None


def test_a_circle_is_freed_before_and_after_all_else_is_frozen(monkeypatch):
    monkeypatch.setattr(garbage, "MANY_OBJECTS", 10)
    assert gc.get_freeze_count() == 0
    assert is_freed()
    frozen = gc.get_freeze_count()
    assert frozen > 10_000  # pytest and NumPy alone have more
    assert is_freed()


def test_a_few_objects_are_not_frozen(monkeypatch):
    monkeypatch.setattr(garbage, "MANY_OBJECTS", len(gc.get_objects()) + 100_000)
    assert is_freed()
    assert gc.get_freeze_count() == 0


def test_a_frozen_object_that_nobody_holds_is_freed(monkeypatch):
    monkeypatch.setattr(garbage, "MANY_OBJECTS", 10)
    part = Part()
    garbage.collect()
    seen, part.other = weakref.ref(part), part.__class__  # no circle any more
    del part
    assert seen() is None
