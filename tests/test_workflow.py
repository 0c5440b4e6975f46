"""GitHub's workflow: every system and Python that the README names, and the README's own command."""

import shlex
import tomllib
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]
from packaging.specifiers import SpecifierSet

from course.main import parse
from course.torch_builds import CPU_INDEX

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / ".github" / "workflows" / "test.yml"
TEXT = FILE.read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
WORKFLOW = yaml.safe_load(TEXT)
JOBS: dict[str, Any] = WORKFLOW["jobs"]


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


def test_it_runs_the_readmes_command_on_three_systems_and_four_pythons() -> None:
    matrix = JOBS["course"]["strategy"]["matrix"]
    assert [each.removesuffix("-latest") for each in matrix["os"]] == ["ubuntu", "windows", "macos"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    admitted = SpecifierSet(project["requires-python"])
    assert all(admitted.contains(each) for each in matrix["python"])
    assert commands(JOBS["course"]) == ["python course.py test"]
    assert "\n    python course.py test\n" in README
    assert commands(JOBS["all"]) == ["python course.py test --all --kernels"]


def test_every_matrix_value_is_used_and_every_used_value_is_in_the_matrix() -> None:
    course = JOBS["course"]
    used = {"os": course["runs-on"], "python": course["steps"][1]["with"]["python-version"]}
    assert used == {name: f"${{{{ matrix.{name} }}}}" for name in course["strategy"]["matrix"]}


def test_every_job_has_the_steps_in_order_an_end_and_no_right_to_write() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    for job in JOBS.values():
        assert [step.get("uses", "run").partition("@")[0] for step in job["steps"]][:3] == [
            "actions/checkout",
            "actions/setup-python",
            "run",
        ]
        assert job["timeout-minutes"] <= 60
        assert "permissions" not in job


def test_the_wheel_is_tried_with_the_cpu_build_of_torch() -> None:
    wheel = JOBS["wheel"]
    assert wheel["env"] == {"PIP_EXTRA_INDEX_URL": CPU_INDEX}
    tests, torch = map(shlex.split, commands(wheel))
    verb, _, _, rest = parse(tests[2:])
    assert (verb, rest[0]) == ("test", "--wheels")
    for file in (rest[1], torch[1]):
        assert (ROOT / file).is_file()
    assert torch[2:] == ["oldest", "--torch"]


def test_it_says_that_we_have_not_run_it() -> None:
    assert "We have not run this file" in TEXT.split("\nname:")[0]


SITE_TEXT = (FILE.parent / "site.yml").read_text(encoding="utf-8")
SITE = yaml.safe_load(SITE_TEXT)


def test_the_site_is_published_only_after_it_was_built_and_looked_at() -> None:
    build, publish = SITE["jobs"]["build"], SITE["jobs"]["publish"]
    (command,) = commands(build)
    assert parse(shlex.split(command)[2:])[0] == "site"
    command, _, address = command.partition(" --address ")
    assert command.endswith("--check")
    (named,) = [step["env"] for step in build["steps"] if "env" in step]
    assert address == '"$HOME_OF_COURSE"'
    assert named == {"HOME_OF_COURSE": "${{ github.server_url }}/${{ github.repository }}"}
    assert build["steps"][-1]["with"]["path"] == "build/site/html"
    assert publish["needs"] == "build"
    assert command.removeprefix("python ") in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_only_the_job_that_publishes_the_site_may_write_and_nothing_but_pages() -> None:
    assert SITE["permissions"] == {"contents": "read"}
    assert "permissions" not in SITE["jobs"]["build"]
    assert SITE["jobs"]["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    assert "We have not run this file" in SITE_TEXT.split("\nname:")[0]
