"""The machine report never raises, and never loads torch into the kernel."""

import subprocess
import sys

import pytest

from helpers import machine


def test_report_names_versions_and_device():
    code = "import sys, helpers.machine as m; m.machine_report(); print('torch' in sys.modules)"
    lines = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    named = {line.split()[0] for line in lines}
    assert {
        "Python",
        "numpy",
        "matplotlib",
        "jupyterlab",
        "ipywidgets",
        "torch",
        "processor",
        "device",
    } <= named
    device = next(line.split()[1] for line in lines if line.startswith("device"))
    assert device in {"cuda:", "mps:", "cpu:"}
    assert lines[-1] == "False"


def test_missing_package_is_said(monkeypatch, capsys):
    monkeypatch.setattr(machine, "PACKAGES", ("no-such-package",))
    monkeypatch.setattr(machine, "torch_device", lambda: "cpu")
    machine.machine_report()
    assert "no-such-package not installed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("question", "seconds", "answer"),
    [
        (
            "raise ImportError('no libcudart')",
            60,
            "unknown: PyTorch does not load (ImportError: no libcudart)",
        ),
        ("import time; time.sleep(60)", 0.5, "unknown: PyTorch gave no answer (TimeoutExpired)"),
        ("import sys; sys.exit(1)", 60, "unknown: PyTorch does not load (no reason given)"),
    ],
)
def test_trouble_with_torch_is_one_sentence(monkeypatch, question, seconds, answer):
    monkeypatch.setattr(machine, "DEVICE_QUESTION", question)
    assert machine.torch_device(seconds) == answer
