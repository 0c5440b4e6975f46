"""environment.yml, pyproject.toml, the two locks, the README and what is installed tell the same story."""

import importlib.metadata
import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml  # type: ignore[import-untyped]
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from rattler import MatchSpec, VersionSpec
from rattler import Version as CondaVersion

from course.lists import requirements
from course.places import NEEDED
from course.torch_builds import CPU_INDEX

ROOT = Path(__file__).resolve().parent.parent


def load(path: str) -> ModuleType:
    """A file of the project -> its module, whatever folders Python searches."""
    spec = importlib.util.spec_from_file_location(Path(path).stem + "_under_test", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


lock_tool = load("tools/lock.py")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENVIRONMENT = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
PYTHONS = SpecifierSet(PROJECT["project"]["requires-python"])


def read_lock(name: str) -> dict[str, Requirement]:
    """A lock -> its requirements by name."""
    found = [Requirement(line) for line in requirements(ROOT / name)]
    assert len({canonicalize_name(each.name) for each in found}) == len(found), (
        f"{name} names a package twice"
    )
    return {canonicalize_name(each.name): each for each in found}


LOCK = read_lock("requirements.lock")
CUDA_LOCK = read_lock("requirements-cuda.lock")


def direct_requirements() -> list[Requirement]:
    """What pyproject.toml asks for by name and course.py installs: what lessons need, and three extras."""
    project = PROJECT["project"]
    extras = [line for extra in lock_tool.EXTRAS for line in project["optional-dependencies"][extra]]
    return [Requirement(each) for each in project["dependencies"] + extras]


def pinned(requirement: Requirement) -> Version:
    """name==1.2 -> 1.2."""
    (specifier,) = requirement.specifier
    assert specifier.operator == "==", f"{requirement} is not pinned"
    assert not specifier.version.endswith("*"), f"{requirement} is not pinned"
    return Version(specifier.version)


def applies(requirement: Requirement, extras: tuple[str, ...] = ()) -> bool:
    """Whether a requirement counts on this machine."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def unfit(wanted: list[Requirement], lock: dict[str, Requirement]) -> list[str]:
    """Requirements that a lock lacks or holds at a version outside their range."""
    faults = []
    for each in wanted:
        held = lock.get(canonicalize_name(each.name))
        if held is None or pinned(held) not in each.specifier:
            faults.append(f"{each}: the lock has {held}")
    return faults


def installed_closure() -> tuple[set[str], list[str]]:
    """The installed packages that the direct requirements lead to, and what is missing or out of range."""
    reached: set[str] = set()
    faults: list[str] = []
    seen: set[tuple[str, str]] = set()
    to_do = [(each, "pyproject.toml") for each in direct_requirements()]
    while to_do:
        wanted, by = to_do.pop()
        name = canonicalize_name(wanted.name)
        if (str(wanted), by) in seen:
            continue
        seen.add((str(wanted), by))
        try:
            found = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            faults.append(f"{by} needs {wanted}, which is not installed")
            continue
        reached.add(name)
        if not wanted.specifier.contains(found.version, prereleases=True):
            faults.append(f"{by} needs {wanted}, and {found.version} is installed")
        needs = [Requirement(each) for each in found.requires or []]
        to_do += [(each, name) for each in needs if applies(each, tuple(wanted.extras))]
    return reached, faults


def test_every_direct_dependency_is_in_the_lock_at_a_fit_version() -> None:
    assert unfit(direct_requirements(), LOCK) == []


def test_a_missing_and_an_old_package_would_be_found() -> None:
    wanted = [Requirement("numpy>=2"), Requirement("torch>=1")]
    assert unfit(wanted, {"numpy": Requirement("numpy==1.9")}) == [
        "numpy>=2: the lock has numpy==1.9",
        "torch>=1: the lock has None",
    ]


def test_every_entry_of_the_locks_is_pinned() -> None:
    for each in [*LOCK.values(), *CUDA_LOCK.values()]:
        assert pinned(each) > Version("0"), each


def test_the_locks_are_split_as_the_tool_splits_them() -> None:
    lines = requirements(ROOT / "requirements.lock")
    cuda = requirements(ROOT / "requirements-cuda.lock")
    assert lock_tool.split(cuda + lines) == (lines, cuda)
    assert lock_tool.split(["# a remark", "numpy==2", "triton==3", "nvidia-nvtx==13"]) == (
        ["numpy==2"],
        ["triton==3", "nvidia-nvtx==13"],
    )


def test_every_extra_but_the_kernels_is_in_the_lock() -> None:
    assert {*lock_tool.EXTRAS, "kernels"} == set(PROJECT["project"]["optional-dependencies"])


def test_the_kernels_take_the_triton_of_the_cuda_build() -> None:
    (extra,) = (Requirement(line) for line in PROJECT["project"]["optional-dependencies"]["kernels"])
    assert extra.specifier == CUDA_LOCK["triton"].specifier
    assert extra.marker is not None
    assert not extra.marker.evaluate({"platform_system": "Darwin"})


@pytest.mark.parametrize(
    "line",
    [
        "numpy>=2",
        "numpy",
        "--find-links=wheels",
        "-e .",
        "torch @ file:///wheels/torch.whl",
        "./wheels/torch==2.whl",
    ],
)
def test_the_tool_refuses_what_is_not_a_pin(line: str) -> None:
    with pytest.raises(ValueError, match="expected lines such as"):
        lock_tool.split([line])


def test_what_is_installed_is_what_the_lock_says() -> None:
    wrong = []
    for name, each in LOCK.items():
        if applies(each):
            found = Version(importlib.metadata.version(name))
            # 2.13.0 and 2.13.0+cpu are two builds of one version.
            same = found.public == pinned(each).public if name == "torch" else found == pinned(each)
            if not same:
                wrong.append(f"{each}: {found} is installed")
    assert wrong == []


def test_nothing_is_missing_and_nothing_is_in_the_lock_for_nothing() -> None:
    reached, faults = installed_closure()
    assert faults == []
    here = {name for name, each in LOCK.items() if applies(each)}
    assert reached - here - set(CUDA_LOCK) == set(), "installed and needed, and not in the lock"
    assert here - reached == set(), "in the lock, and nothing needs it"


def test_the_build_back_end_comes_from_the_lock() -> None:
    # course.py installs the project without build isolation, so that it needs no network.
    assert unfit([Requirement(each) for each in PROJECT["build-system"]["requires"]], LOCK) == []


def test_one_oldest_python_everywhere() -> None:
    assert load("course.py").NEEDED == NEEDED
    oldest = ".".join(str(part) for part in NEEDED)
    before = f"{NEEDED[0]}.{NEEDED[1] - 1}"
    assert PYTHONS.contains(oldest)
    assert not PYTHONS.contains(before)
    assert PROJECT["tool"]["ruff"]["target-version"] == "py" + oldest.replace(".", "")
    assert PROJECT["tool"]["mypy"]["python_version"] == oldest


def test_conda_understands_the_specs_and_takes_a_fit_python() -> None:
    specs = [MatchSpec(each, strict=True) for each in ENVIRONMENT["dependencies"] if isinstance(each, str)]
    versions = {str(spec).split()[0]: spec.version for spec in specs}
    assert set(versions) == {"python", "pip"}, "every other package comes from the lock"
    assert ENVIRONMENT["channels"] == ["conda-forge"]
    candidates = [f"3.{minor}.1" for minor in range(40)]
    wanted = VersionSpec(versions["python"] or "*")
    admitted = [each for each in candidates if wanted.matches(CondaVersion(each))]
    assert admitted, "conda would find no Python"
    assert [each for each in admitted if not PYTHONS.contains(each)] == []


def test_conda_understands_no_pip_version() -> None:
    # The control of the test above: a strict parser is one that refuses pip's way of writing.
    with pytest.raises(Exception, match=r"(?i)invalid|parse|unable|operator"):
        MatchSpec("python ~> 3.11 ; yes", strict=True)


def test_conda_uses_the_lock_and_the_cpu_build() -> None:
    (pip_section,) = [each["pip"] for each in ENVIRONMENT["dependencies"] if isinstance(each, dict)]
    assert pip_section == [f"--extra-index-url {CPU_INDEX}", "-r requirements.lock", "-e ."]
    assert ENVIRONMENT["name"] == PROJECT["project"]["name"]


def test_the_docs_say_what_each_dependency_is_for() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("|")]
    silent = [each.name for each in direct_requirements() if not any(f"`{each.name}`" in row for row in rows)]
    assert silent == [], "the table of docs/install.md has no row for these"
