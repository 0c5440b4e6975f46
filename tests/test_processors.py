"""No verdict hangs on the processor: tools/processors.py says what is compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import processors
import pytest

from helpers.exercises.engine.diagnosis import ABSOLUTE, SINGLE, plain_outcome
from helpers.exercises.engine.probes import Probe
from helpers.exercises.engine.sandbox import Outcome

A_PAIR_IN = 80  # all of them take a minute a processor: python tools/processors.py --pairs


def moved(one: object, other: object) -> float:
    first, second = (processors.as_record([Outcome(value=np.array(value))]) for value in (one, other))
    (steps,) = processors.moves(first, second)
    return float(steps)


# --- the comparison


def test_a_move_is_counted_in_tolerances():
    assert moved([1.0, 2.0], [1.0, 2.0]) == 0
    assert moved([0.0, 2.0], [0.5 * ABSOLUTE, 2.0]) == pytest.approx(0.5, rel=1e-3)
    single = np.zeros(2, dtype=np.float32)
    assert moved(single, single + np.float32(SINGLE / 20)) == pytest.approx(0.5, rel=1e-3)
    assert moved([np.nan, np.inf], [np.nan, np.inf]) == 0
    assert moved(np.empty((0, 3)), np.empty((0, 3))) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1.0], [np.nan]),
        ([np.inf], [-np.inf]),
        ([1.0], [np.inf]),
        ([True, False], [True, True]),
        ([3], [4]),
        ([1.0], np.array([1.0], dtype=np.float32)),
        ([1.0], [[1.0]]),
    ],
)
def test_whatever_is_no_number_may_not_move_at_all(one, other):
    assert moved(one, other) == np.inf


def test_an_error_may_not_change_its_words():
    errors = [processors.as_record([Outcome(error=text)]) for text in ("ValueError: 3", "ValueError: 4")]
    assert processors.moves(errors[0], errors[0]) == [0]
    assert processors.moves(*errors) == [np.inf]


def test_outcomes_do_not_count_for_each_other():
    one = [Outcome(value=np.array([1.0, 2.0])), Outcome(error="no"), Outcome(value=np.array([3.0]))]
    other = [*one[:2], Outcome(value=np.array([4.0]))]
    steps = processors.moves(processors.as_record(one), processors.as_record(other))
    assert (steps > processors.MOST).tolist() == [False, False, True]
    other = [Outcome(error="yes"), *one[1:]]
    steps = processors.moves(processors.as_record(one), processors.as_record(other))
    assert (steps > processors.MOST).tolist() == [True, False, False]


def test_a_probe_of_many_numbers_in_float32_would_be_noticed():
    """Sums in another order, which is all that another processor does."""
    rows = np.random.default_rng(0).normal(size=(50, 4096)).astype(np.float32)
    probe = Probe("long rows", {"rows": rows})
    forwards = plain_outcome(lambda rows: np.cumsum(rows, axis=-1)[:, -1], probe)
    backwards = plain_outcome(lambda rows: np.cumsum(rows[:, ::-1], axis=-1)[:, -1], probe)
    (steps,) = processors.moves(*(processors.as_record([outcome]) for outcome in (forwards, backwards)))
    assert steps > processors.MOST


# --- the processors


# What NumPy chose from at run time, OpenBLAS's kernels and threads as OpenBLAS itself names them, or None.
WHAT_IS_USED = """
import ctypes, json, sys
import numpy as np
import numpy.linalg
inner = sys.modules.get("numpy._core._multiarray_umath") or sys.modules["numpy.core._multiarray_umath"]
library = ctypes.CDLL(inner.__file__)  # and what it is linked with
found = [np.show_config(mode="dicts")["SIMD Extensions"].get("found", []), None, None]
for name in ("scipy_openblas_get_%s64_", "openblas_get_%s64_", "openblas_get_%s"):
    if hasattr(library, name % "corename"):
        kernels = getattr(library, name % "corename")
        kernels.restype = ctypes.c_char_p
        found[1:] = [kernels().decode(), getattr(library, name % "num_threads")()]
        break
print(json.dumps(found))
"""


def used(name, threads):
    """A setting, a number of threads -> what a child process uses: features, kernels, threads."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WHAT_IS_USED],
        env=processors.environment(name, threads),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_setting_reaches_the_child():
    features, native, _ = used("native", 1)
    oldest = ("Prescott", "Katmai")  # OpenBLAS may name kernels by the oldest processor that they serve
    expected = {"native": (native,), "plain": (native,), "Prescott": oldest, "oldest": oldest}
    for name, threads in processors.runs_by_turns():
        found, kernels, number = used(name, threads)
        assert found == ([] if name in ("plain", "oldest") else features)
        if native:  # else NumPy has another library than OpenBLAS here
            assert kernels in expected.get(name, (name,))
            assert number == min(threads, os.cpu_count() or 1)


def test_each_setting_is_run_once_and_the_foreign_ones_with_one_thread_and_with_two():
    runs = processors.runs_by_turns()
    assert [name for name, _ in runs] == list(processors.settings())
    assert ("native", 2) in runs
    if len(runs) > 1:
        assert {threads for _, threads in runs[1:]} == {1, 2}
        assert set(runs) < set(processors.every_run())
        assert len(processors.every_run()) == 2 * len(runs) - 1


def test_without_a_processor_to_play_there_is_the_native_one_alone(monkeypatch):
    monkeypatch.setattr(processors.platform, "machine", lambda: "arm64")
    assert processors.settings() == {"native": {}}
    assert "arm64" in processors.skipped("Prescott")
    assert processors.environment("oldest") == dict(os.environ)


def test_a_feature_by_a_name_that_numpy_no_longer_knows_does_not_stop_the_tests():
    env = {**os.environ, "NPY_DISABLE_CPU_FEATURES": "AN_OLD_NAME"}
    strict = [sys.executable, "-W", "error::ImportWarning", "-c", "import numpy"]
    warned = subprocess.run(strict, env=env, capture_output=True, timeout=300, check=False)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_scaling.py"]
    done = subprocess.run(
        command, cwd=processors.ROOT, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert (warned.returncode, done.returncode) == (1, 0), done.stdout
    assert " passed" in done.stdout


def test_every_exception_is_a_pair_that_is_tried():
    pairs = {
        (exercise.name, frozenset(version.names))
        for exercise in processors.distinct()
        for version in exercise.diagnosis.pairs
    }
    assert set(processors.EXCEPTIONS) <= pairs


def test_no_outcome_hangs_on_the_processor(capsys):
    """Single mistakes and some of the pairs, on every probe: this machine with one thread, and others."""
    for why in filter(None, map(processors.skipped, processors.KERNELS)):
        with capsys.disabled():
            print(f"\nskipped: {why}")
    for setting, found in processors.compare(A_PAIR_IN, processors.runs_by_turns()):
        wrong = [str(move) for move in found if not move.excused]
        assert not wrong, f"{setting}: {wrong[:20]}"
