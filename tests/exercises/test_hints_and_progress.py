"""hint, and progress with its file."""

from __future__ import annotations

import json

import pytest

from helpers.exercises import check, hint, progress
from helpers.exercises import progress as show_progress
from helpers.exercises.catalogue import exercises


def test_hints_go_one_step_further(capsys):
    import helpers.exercises as package

    package.hints_given.clear()
    wanted = exercises()["softmax"].hints
    for number, text in enumerate((*wanted, wanted[-1])):
        hint("softmax")
        printed = " ".join(capsys.readouterr().out.split())
        assert text in printed
        assert f"Hint {min(number + 1, len(wanted))} of {len(wanted)}" in printed
    assert 'solution("softmax")' in printed
    hint("sofmax")
    assert "softmax" in capsys.readouterr().out


@pytest.fixture
def kept_progress(tmp_path, monkeypatch):
    from helpers.exercises import progress_file as module

    monkeypatch.setattr(module, "FILE", tmp_path / "progress.json")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("COURSE_PROGRESS", raising=False)
    return module


def test_progress_is_kept(kept_progress, capsys):
    check("softmax", lambda scores: scores)
    check("total", sum)
    check("total", max)  # what is done stays done
    check("jacobian", None)
    assert json.loads(kept_progress.FILE.read_text(encoding="utf-8")) == {
        "softmax": "wrong",
        "total": "right",
    }
    capsys.readouterr()
    show_progress()
    text = capsys.readouterr().out
    assert "Lesson 00: 1 of 1\n  ✓ total" in text
    assert "✗ softmax" in text
    assert "○ jacobian" in text


@pytest.mark.parametrize("damage", ["", "{", "[1, 2]", '{"softmax": 7}', "null", "\x00\xff", "[" * 100_000])
def test_a_damaged_progress_file_counts_as_empty(kept_progress, damage):
    kept_progress.FILE.write_text(damage, encoding="utf-8")
    assert kept_progress.read() == {}
    check("total", sum)
    assert kept_progress.read() == {"total": "right"}


def test_a_folder_that_cannot_be_written_costs_nothing_else(kept_progress, monkeypatch, capsys):
    monkeypatch.setattr(kept_progress, "FILE", kept_progress.FILE.parent / "missing" / "progress.json")
    check("total", sum)
    assert capsys.readouterr().out.startswith("✓")


@pytest.mark.parametrize(("variable", "value"), [("CI", "true"), ("COURSE_PROGRESS", "off")])
def test_progress_is_off(kept_progress, monkeypatch, variable, value, capsys):
    monkeypatch.setenv(variable, value)
    check("total", sum)
    assert not kept_progress.FILE.exists()
    capsys.readouterr()
    progress()
    assert capsys.readouterr().out == "Progress is not kept here (CI, or COURSE_PROGRESS=off).\n"
