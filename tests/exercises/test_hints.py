"""hint: one step further each time."""

from __future__ import annotations

from helpers.exercises import hint
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
