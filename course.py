#!/usr/bin/env python3
"""The one command of the course. It needs Python 3.11 or newer and nothing else.

python course.py lab      opens the course in JupyterLab
python course.py test     runs every test, and every notebook again
python course.py run      executes the notebooks again and stores what they print
python course.py setup    makes the environment and stops there

The first call makes .venv from requirements.lock. Later calls find it and start at once.
  --cpu     the build of torch without CUDA
  --gpu     the build of torch with CUDA
With neither, Linux without an NVIDIA driver prefers the CPU build where one can be had.
  --kernels Triton as well (Linux, 200 MB), which runs lesson 12's kernel; the CUDA build has it anyway
What follows the verb goes on to JupyterLab, to pytest or to tools/run_notebooks.py:
  python course.py lab --no-browser
  python course.py test -k softmax
After a bare -- everything is passed on, --help too.
"""
# This file keeps to a syntax that Python 2.7 can read: a Python that is too old then says so in one line.
# With newer syntax it would stop at a SyntaxError before the first line has run. So ruff's rules for newer
# syntax are off here.
# ruff: noqa: B904, RUF005, UP004, UP010, UP030, UP032

from __future__ import print_function

import os
import sys

NEEDED = (3, 11)
ROOT = os.path.dirname(os.path.realpath(__file__))
VENV = os.path.join(ROOT, ".venv")
LOCK = os.path.join(ROOT, "requirements.lock")
CUDA_LOCK = os.path.join(ROOT, "requirements-cuda.lock")
FIRST_NOTEBOOK = os.path.join("notebooks", "00_start_here.ipynb")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
CUDA_INDEX = "https://download.pytorch.org/whl/cu130"
VERBS = ("lab", "test", "run", "setup")
RECIPE = 2  # raise it when the set-up below changes so that an older .venv must be made anew
GUARD = "course.lock"  # the first file in .venv: it marks the folder as ours; one set-up at a time holds it
CUDA_PACKAGES = ("nvidia-", "cuda-", "triton")
UNWANTED = (  # variables that change what Python, pip, Jupyter or matplotlib do
    "JUPYTER_CONFIG_PATH",
    "JUPYTER_PATH",
    "MPLBACKEND",
    "PIP_CONSTRAINT",
    "PIP_DRY_RUN",
    "PIP_PREFIX",
    "PIP_PYTHON",
    "PIP_QUIET",
    "PIP_REPORT",
    "PIP_REQUIREMENT",
    "PIP_ROOT",
    "PIP_TARGET",
    "PIP_VERBOSE",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONWARNINGS",
)
ROOM = {"cpu": 3e9, "cuda": 9e9}  # free bytes that a set-up asks for: .venv, pip's cache, and some air
LAB_OPTIONS = [  # no search for language servers (it starts npm), no list of extensions from the network
    "--LanguageServerManager.autodetect=False",
    "--LabApp.extension_manager=readonly",
    "--KernelManager.transport_encryption=auto",  # without it each kernel prints a warning about its sockets
]
NETWORK_SIGNS = (
    "connection broken by",
    "max retries exceeded",
    "newconnectionerror",
    "name resolution",
    "getaddrinfo failed",
    "timed out",
    "timeouterror",
    "proxyerror",
    "sslerror",
    "connection aborted",
    "connection reset",
    "incompleteread",
    "network is unreachable",
)


class CourseError(Exception):
    """An expected failure: its text is the one line that the person sees."""


def main(argv):
    """Do what argv asks and return the exit status."""
    if sys.version_info < NEEDED:
        return complain(too_old())
    for stream in (sys.stdout, sys.stderr):
        # A folder's name may hold letters that the console cannot show: a ? there beats a UnicodeEncodeError.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        verb, choice, kernels, rest = parse(argv)
        if verb is None:
            print(__doc__.strip())
            return 0
        check_data()
        ensure(choice)
        if kernels:
            ensure_kernels()
        return go(verb, rest)
    except CourseError as error:
        return complain(str(error))
    except OSError as error:
        return complain(one_line(error))
    except KeyboardInterrupt:
        print("")  # the terminal has written ^C on the line
        complain("stopped. The same command again makes good what is missing.")
        return 130


def complain(text):
    """Print one error to stderr and return the status of a failure."""
    print("course.py: " + text, file=sys.stderr)
    return 1


def too_old():
    """Return the line for a Python below the one that the course needs."""
    newer = "py -3.12" if os.name == "nt" else "python3.12"
    line = (
        "Python {0}.{1} or newer is needed and this is Python {2}.{3}.{4}. Use a newer one: {5} course.py lab"
    )
    return line.format(*(NEEDED + tuple(sys.version_info[:3]) + (newer,)))


def parse(argv):
    """argv -> verb or None for the help, "cpu" or "gpu" or None, with Triton or not, what to pass on."""
    verb, choice, kernels, rest = None, None, False, []
    for place, word in enumerate(argv):
        if word == "--":
            rest.extend(argv[place + 1 :])
            break
        if word in ("-h", "--help", "help"):
            return None, None, False, []
        if word == "--kernels":
            kernels = True
        elif word in ("--cpu", "--gpu"):
            if choice not in (None, word[2:]):
                raise CourseError("--cpu and --gpu exclude each other: give one of them.")
            choice = word[2:]
        elif verb is None:
            if word not in VERBS:
                raise CourseError("unknown verb {0!r}: use one of {1}.".format(word, ", ".join(VERBS)))
            verb = word
        else:
            rest.append(word)
    if verb is None and (choice or kernels or rest):
        raise CourseError("a verb is missing: use one of {0}.".format(", ".join(VERBS)))
    if verb == "setup" and rest:
        raise CourseError("setup takes --cpu, --gpu and --kernels only, not {0!r}.".format(rest[0]))
    return verb, choice, kernels, rest


# --- the data -----------------------------------------------------------------------------------------------


def check_data():
    """Raise CourseError where a file in data/ is missing or is not the one that sources.toml describes."""
    import hashlib
    import tomllib

    listing = os.path.join(ROOT, "data", "sources.toml")
    cure = "Restore it: git checkout -- data/sources.toml"
    try:
        with open(listing, "rb") as stream:
            files = tomllib.load(stream)["file"]
            expected = [(entry["name"], entry["sha256"], entry["restore"]) for entry in files]
    except OSError as error:
        raise CourseError("data/sources.toml cannot be read ({0}). {1}".format(error.strerror, cure))
    except (ValueError, KeyError, TypeError) as error:
        raise CourseError("data/sources.toml is damaged ({0}). {1}".format(one_line(error), cure))
    bad = []
    for name, sha256, restore in expected:
        try:
            with open(os.path.join(ROOT, "data", name), "rb") as stream:
                found = hashlib.sha256(stream.read()).hexdigest()
        except OSError as error:
            bad.append("data/{0} cannot be read ({1}). Restore it: {2}".format(name, error.strerror, restore))
            continue
        if found != sha256:
            bad.append(
                "data/{0} was altered: its checksum begins {1}, not {2}. Restore it: {3}".format(
                    name, found[:8], sha256[:8], restore
                )
            )
    if bad:
        raise CourseError("\ncourse.py: ".join(bad))


# --- what is there, and what is wanted ----------------------------------------------------------------------


def fingerprint(*paths):
    """Paths -> one sha256 of their texts. Line ends do not count: git may change them on Windows."""
    import hashlib

    total = hashlib.sha256()
    for path in paths:
        try:
            with open(path, "rb") as stream:
                total.update(stream.read().replace(b"\r\n", b"\n") + b"\0")
        except OSError as error:
            name = os.path.basename(path)
            raise CourseError(
                "{0} cannot be read ({1}). Restore it: git checkout -- {0}".format(name, error.strerror)
            )
    return total.hexdigest()


def lock_fingerprint(build):
    """Return the fingerprint of the lists that a .venv with this build of torch was made from."""
    return fingerprint(LOCK, CUDA_LOCK) if build == "cuda" else fingerprint(LOCK)


def project_fingerprint():
    """Return what the editable installation depends on: the folder's place and the project's own metadata."""
    return ROOT + " " + fingerprint(os.path.join(ROOT, "pyproject.toml"))


def venv_python():
    """Return the path of the Python inside .venv."""
    return os.path.join(VENV, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))


def base_python():
    """Return the place of the Python that .venv stands on, or None where it is gone."""
    if not os.path.exists(venv_python()):
        return None
    place = os.path.realpath(venv_python())
    if not place.startswith(os.path.realpath(VENV) + os.sep):
        return place
    try:  # on Windows the file is a copy, and pyvenv.cfg names the original's folder
        with open(os.path.join(VENV, "pyvenv.cfg"), "rb") as stream:
            lines = stream.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    homes = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == "home"]
    return homes[0] if homes and os.path.isdir(homes[0]) else None


def stamp_path():
    """Return the path of the file that is written last: without it a .venv is unfinished."""
    return os.path.join(VENV, "course-stamp.json")


def read_stamp():
    """Return what the stamp says, or None where there is no readable one."""
    import json

    try:
        with open(stamp_path(), "rb") as stream:
            stamp = json.loads(stream.read().decode("utf-8"))
    except (OSError, ValueError):
        return None
    return stamp if isinstance(stamp, dict) and stamp.get("recipe") == RECIPE else None


def write_stamp(stamp):
    """Put the stamp in its place in one move, so that no half of it is ever read."""
    import json

    with open(stamp_path() + ".new", "wb") as stream:
        stream.write(json.dumps(stamp, indent=1, sort_keys=True).encode("utf-8"))
    os.replace(stamp_path() + ".new", stamp_path())


def fits(choice, build):
    """Return whether a build of torch is what --cpu, --gpu or neither asks for."""
    if choice == "gpu":
        return build == "cuda" or sys.platform == "darwin"  # the one build for the Mac drives its GPU too
    return choice is None or build == "cpu"


def missing(stamp, choice):
    """Return the task, "" or "project" or "all", and why."""
    if stamp is None:
        started = os.path.exists(venv_python())
        return "all", "the last set-up did not finish: .venv has to be made anew" if started else ""
    if base_python() != stamp["base"]:
        return "all", "the Python under .venv has changed or gone: .venv has to be made anew"
    if lock_fingerprint(stamp["torch"]) != stamp["lock"]:
        return "all", "the list of packages has changed: .venv has to be made anew"
    if not fits(choice, stamp["torch"]):
        return "all", "--{0} asks for the other build of torch: .venv has to be made anew".format(choice)
    if project_fingerprint() != stamp["project"]:
        return "project", "the folder was moved or pyproject.toml has changed"
    return "", ""


# --- set-up -------------------------------------------------------------------------------------------------


def ensure(choice):
    """Make .venv what it must be. Where it is that already, this reads a few small files and returns."""
    stamp = read_stamp()
    task, _ = missing(stamp, choice)
    if task:
        check_venv_modules()
        check_owner()
        with Guard() as guard:
            stamp = read_stamp()  # again: another set-up may have ended while this one waited
            task, why = missing(stamp, choice)
            if why:
                print("course.py: " + why + ".")
            if task == "all":
                stamp = build(choice, stamp, guard)
            elif task == "project":
                install_project(stamp, guard)
    here = "{0}.{1}.{2}".format(*sys.version_info[:3])
    if stamp["python"] != here:
        print(
            "Using .venv, made with Python {0}. (You ran {1}; delete .venv to change.)".format(
                stamp["python"], here
            )
        )


def ensure_kernels():
    """Install Triton at the version that the CUDA list names. Where it is already, this looks and returns."""
    (line,) = [each for each in requirements(CUDA_LOCK) if each.startswith("triton==")]
    name = line.partition(";")[0].strip().replace("==", "-")
    if name + ".dist-info" in installed():
        return
    if not sys.platform.startswith("linux"):
        raise CourseError("--kernels: Triton is made for Linux only. Lesson 12 can be read without it.")
    screen = Screen()
    screen.step("Installing Triton")
    with Guard() as guard:
        install(["--no-deps", line], 1, guard, screen)


def check_venv_modules():
    """Raise CourseError where this Python lacks what makes an environment."""
    try:
        import ensurepip
        import venv

        return ensurepip, venv
    except ImportError as error:
        raise CourseError(
            "this Python lacks the module {0!r}. On Debian or Ubuntu: sudo apt install python{1}.{2}-venv; "
            "elsewhere use a full Python {3}.{4} or newer.".format(
                error.name, *(tuple(sys.version_info[:2]) + NEEDED)
            )
        )


def check_owner():
    """Raise CourseError where .venv is somebody else's: this file deletes what it finds there."""
    if os.path.exists(VENV) and not os.path.isdir(VENV):
        raise CourseError(
            ".venv is a file and has to be a folder. Move it away and run the same command again."
        )
    if os.path.isdir(VENV) and os.listdir(VENV) and not os.path.exists(os.path.join(VENV, GUARD)):
        raise CourseError(
            ".venv was not made by course.py. Delete it or move it away, and run the same command again."
        )


class Guard(object):
    """One set-up at a time. The system frees the lock when its last holder ends, so none is ever stale."""

    def __enter__(self):
        """Take the lock, after the set-up that holds it."""
        import time

        try:
            os.makedirs(VENV, exist_ok=True)
            self.stream = open(os.path.join(VENV, GUARD), "a+b")
        except OSError as error:
            raise CourseError(
                "cannot write in {0} ({1}). Copy the course to a folder of yours.".format(
                    ROOT, error.strerror
                )
            )
        told = False
        while not self.take():
            if not told:
                print("Another set-up is at work in this folder: waiting for it to end.")
                sys.stdout.flush()
            told = True
            time.sleep(0.3)
        return self

    def take(self):
        """Return whether the lock is ours now."""
        import errno

        try:
            if os.name == "nt":
                import msvcrt

                self.stream.seek(0)
                msvcrt.locking(self.stream.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(self.stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # Some network file systems know no locks. There one set-up at a time is the person's concern.
            return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
        return True

    def inherit(self):
        """Return the arguments that let a child hold the lock too.

        Should this process be killed, its pip goes on for a moment. The next set-up then waits for that pip.
        """
        return {} if os.name == "nt" else {"pass_fds": (self.stream.fileno(),)}

    def __exit__(self, *error):
        """Let go."""
        self.stream.close()


def build(choice, stamp, guard):
    """Make .venv from nothing and return its stamp."""
    import platform
    import time

    start, screen = time.time(), Screen()
    plan = None
    if stamp is not None and base_python():
        # The old .venv works. Its pip asks what the new one would need: it is not given up in vain.
        plan = plan_torch(choice, guard, screen)
    wipe()
    python = (
        sys.executable if os.path.realpath(sys.prefix) != os.path.realpath(VENV) else sys._base_executable
    )
    version = platform.python_version()
    screen.step("Making .venv with Python " + version)
    status, lines = watch([python, "-I", "-m", "venv", VENV], guard, None)
    if status:
        raise CourseError("Python could not make .venv: {0}".format(last_error(lines)))
    plan = plan or plan_torch(choice, guard, screen)
    screen.step(plan["say"])
    check_room(plan["build"])
    extra = ["--extra-index-url", plan["index"]] if plan["index"] else []
    install(["--no-deps", plan["spec"]] + extra, 1, guard, screen)
    lists = [LOCK] + ([CUDA_LOCK] if plan["build"] == "cuda" else [])
    total = sum(len(requirements(path)) for path in lists) - 1
    screen.step("Installing the other packages")
    install(["--no-deps"] + [word for path in lists for word in ("-r", path)], total, guard, screen)
    screen.step("Installing the course itself")
    stamp = {"recipe": RECIPE, "python": version, "base": base_python(), "torch": plan["build"]}
    stamp["lock"] = lock_fingerprint(plan["build"])
    settle(guard)
    install_project(stamp, guard)
    print("Set-up done in {0:.0f} s.".format(time.time() - start))
    return stamp


def wipe():
    """Empty .venv, the stamp first. The guard's own file stays: it is locked and marks the folder as ours."""
    import shutil

    try:
        if os.path.exists(stamp_path()):
            os.remove(stamp_path())
        for name in os.listdir(VENV):
            path = os.path.join(VENV, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            elif name != GUARD:
                os.remove(path)
    except OSError as error:
        raise CourseError(
            "cannot empty .venv ({0}). Close JupyterLab, leave the environment, try again.".format(
                one_line(error)
            )
        )


def requirements(path):
    """Return the requirement lines of a lock file."""
    with open(path, "rb") as stream:
        lines = [line.strip() for line in stream.read().decode("utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def torch_version():
    """Return the version of torch that the lock names."""
    for line in requirements(LOCK):
        if line.startswith("torch=="):
            return line.partition(";")[0].strip()[len("torch==") :]
    raise CourseError("requirements.lock names no torch. Restore it: git checkout -- requirements.lock")


def has_nvidia_driver():
    """Return whether this machine shows an NVIDIA driver. The third place is that of Windows' Linux."""
    import shutil

    places = ("/proc/driver/nvidia/version", "/usr/lib/wsl/lib/nvidia-smi")
    return any(os.path.exists(place) for place in places) or shutil.which("nvidia-smi") is not None


def answers(address, seconds=3):
    """Return whether a package index can be reached within a few seconds."""
    import threading

    def ask():
        from urllib.request import Request, urlopen

        try:
            urlopen(Request(address + "/torch/", method="HEAD"), timeout=seconds).close()
        except (OSError, ValueError):
            return
        found.append(True)

    found = []
    thread = threading.Thread(target=ask)
    thread.daemon = True  # a name server that stays silent is not bound by the time-out
    thread.start()
    thread.join(seconds)
    return bool(found)


def torch_tries(choice, version, driver):
    """Return the (requirement, extra index) pairs to ask pip for, the preferred one first.

    torch==2.13.0 also accepts 2.13.0+cpu; torch===2.13.0 accepts that exact name only, which on Linux is the
    build with CUDA.
    """
    plain, cpu = ("torch==" + version, None), ("torch==" + version + "+cpu", CPU_INDEX)
    if sys.platform.startswith("linux"):
        exact = ("torch===" + version, None)
        tries = {"cpu": [cpu], "gpu": [exact], None: [exact, plain] if driver else [cpu, plain]}
        return tries[choice]
    if os.name == "nt" and choice == "gpu":
        return [("torch==" + version + "+cu130", CUDA_INDEX)]
    return [plain]


def plan_torch(choice, guard, screen):
    """Ask pip which build of torch it can have, before anything large is downloaded."""
    import json

    version, driver = torch_version(), has_nvidia_driver()
    screen.step("Asking for torch " + version)
    report = os.path.join(VENV, "torch-report.json")
    for spec, index in torch_tries(choice, version, driver):
        index = index if index and answers(index) else None
        command = ["--dry-run", "--ignore-installed", "--no-deps", "--report", report, spec]
        status, lines = pip(command + (["--extra-index-url", index] if index else []), guard, screen.wait)
        screen.clear()
        if status == 0:
            break
        if not any("No matching distribution" in line for line in lines) or is_network(lines):
            raise CourseError(explain(lines))
    else:
        raise CourseError(no_torch(choice, version))
    with open(report, "rb") as stream:
        found = json.loads(stream.read().decode("utf-8"))["install"][0]["metadata"]
    needs = [line for line in found.get("requires_dist", []) if line.startswith(CUDA_PACKAGES)]
    kind = "cuda" if needs or "+cu" in found["version"] else "cpu"
    if not fits(choice, kind):
        raise CourseError(no_torch(choice, version))
    say = "Installing torch {0}, ".format(found["version"])
    if sys.platform == "darwin":
        say += "the build for the Mac"
    elif kind == "cpu":
        say += "the build for the CPU (about 200 MB)"
    else:
        say += "the build for NVIDIA GPUs (about 2 GB with the CUDA packages)"
        if choice is None and not driver:
            say += "; no CPU build can be had from here"
    return {"spec": spec, "index": index, "build": kind, "say": say}


def no_torch(choice, version):
    """Return the line for a torch that no index offers."""
    import platform

    this = "Python {0} on {1} {2}".format(platform.python_version(), platform.system(), platform.machine())
    if choice == "cpu":
        cure = "Leave --cpu out, or try where {0} answers.".format(CPU_INDEX)
        return "no CPU build of torch {0} for {1} can be had here. {2}".format(version, this, cure)
    if choice == "gpu":
        return "no GPU build of torch {0} for {1} can be had here. Leave --gpu out.".format(version, this)
    return (
        "pip finds no torch {0} for {1}. Is there a network? torch has builds for 64-bit Python 3.11 to 3.14 "
        "on Linux, on Windows (x64) and on Macs with Apple's chips.".format(version, this)
    )


def check_room(kind):
    """Raise CourseError where the disk is too full for the set-up."""
    import shutil

    free = shutil.disk_usage(VENV).free
    if free < ROOM[kind]:
        raise CourseError(
            "the disk has {0:.1f} GB free and this set-up needs {1:.0f} GB.".format(
                free / 1e9, ROOM[kind] / 1e9
            )
        )


def install(arguments, total, guard, screen):
    """Run pip install and show each package as it comes. Wheels only: a learner's machine has no compiler."""
    start = installed()
    shown = {"name": "", "seen": 0, "total": total, "phase": "getting"}

    def notice(line):
        word, _, text = line.strip().partition(" ")
        if word == "Ignoring":  # its marker is for another system
            shown["total"] -= 1
        elif word in ("Collecting", "Processing"):
            shown["seen"] += 1
            shown["name"] = os.path.basename(text.split()[0]).replace("==", " ")
        elif word == "Downloading" and text.endswith(")"):
            shown["name"] = shown["name"].partition(" (")[0] + " " + text[text.rindex("(") :]
        elif line.startswith("Installing collected packages"):
            shown["phase"] = "installing"

    def tick(line):
        if line is not None:
            notice(line)
        if shown["phase"] == "installing":
            screen.progress(len(installed() - start), shown["total"], "installed")
        elif shown["seen"]:
            screen.progress(shown["seen"], shown["total"], shown["name"])

    status, lines = pip(["--only-binary", ":all:"] + arguments, guard, tick)
    screen.clear()
    if status:
        raise CourseError(explain(lines))
    screen.note("{0} of {1} packages installed".format(len(installed() - start), shown["total"]))


def installed():
    """Return the set of what .venv holds now: one name-version.dist-info a package."""
    libraries = [os.path.join(VENV, "Lib")]
    if os.name != "nt":
        above = os.path.join(VENV, "lib")
        libraries = [os.path.join(above, name) for name in os.listdir(above)]
    folders = [os.path.join(library, "site-packages") for library in libraries]
    names = [name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)]
    return {name for name in names if name.endswith(".dist-info")}


def settle(guard):
    """Write the settings of JupyterLab, and let matplotlib look through the fonts now and not in a lesson."""
    import json

    settings = os.path.join("share", "jupyter", "lab", "settings")
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    no_jupytext = {"jupyterlab_jupytext": False}  # authors call it by hand; learners need no menu of it
    for folder, name, content in (
        (settings, "overrides.json", {"@jupyterlab/apputils-extension:notification": quiet}),
        (settings, "page_config.json", {"disabledExtensions": {"jupyterlab-jupytext": True}}),
        (
            os.path.join("etc", "jupyter", "jupyter_server_config.d"),
            "zz_course.json",  # read after jupytext's own
            {"ServerApp": {"jpserver_extensions": no_jupytext}},
        ),
    ):
        folder = os.path.join(VENV, folder)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as stream:
            stream.write(json.dumps(content, indent=1).encode("utf-8"))
    watch([venv_python(), "-c", "import matplotlib.font_manager"], guard, None)


def install_project(stamp, guard):
    """Install the course in editable form, without a download, and write the stamp."""
    if os.path.exists(stamp_path()):
        os.remove(stamp_path())
    status, lines = pip(["--no-deps", "--no-build-isolation", "--no-index", "-e", "."], guard, None)
    if status:
        raise CourseError(explain(lines))
    stamp["project"] = project_fingerprint()
    write_stamp(stamp)


# --- running pip --------------------------------------------------------------------------------------------


def environment():
    """Return the environment of the programs: the person's own, less what would change the course.

    Jupyter, IPython and matplotlib keep their settings and caches in .venv: nothing is left in the home
    folder, and nothing in the home folder changes what a lesson shows.
    """
    env = dict(os.environ)
    for name in UNWANTED:
        env.pop(name, None)
    for name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        env.setdefault(name, "1")  # small matrices: threads that wait for each other are slower than one
    env["PIP_USER"] = "0"
    env["PYTHONNOUSERSITE"] = "1"
    env["VIRTUAL_ENV"] = VENV
    env["PATH"] = os.path.dirname(venv_python()) + os.pathsep + env.get("PATH", "")
    if os.access(VENV, os.W_OK):
        for name, folder in (
            ("JUPYTER_CONFIG_DIR", "jupyter-config"),
            ("JUPYTER_DATA_DIR", "jupyter-data"),
            ("IPYTHONDIR", "ipython"),
            ("MPLCONFIGDIR", "matplotlib"),
        ):
            env[name] = os.path.join(VENV, "home", folder)
        runtime = os.path.join(VENV, "home", "jupyter-runtime")
        if keeps_secrets(runtime):
            env["JUPYTER_RUNTIME_DIR"] = runtime
    return env


def keeps_secrets(folder):
    """Return whether a folder can be closed to others. Jupyter's keys go elsewhere where it cannot."""
    try:
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, 0o700)
        return os.name == "nt" or os.stat(folder).st_mode & 0o777 == 0o700
    except OSError:
        return False


def pip(arguments, guard, tick):
    """Run pip install inside .venv; return its status and its lines."""
    program = [venv_python(), "-I", "-m", "pip", "--disable-pip-version-check", "--no-color", "--no-input"]
    options = ["install", "--no-warn-script-location", "--progress-bar", "off"]
    return watch(program + options + arguments, guard, tick)


def watch(command, guard, tick):
    """Run a command in the project's folder, logged in .venv/setup.log; return its status and its lines."""
    import queue
    import subprocess
    import threading

    def read():
        with open(os.path.join(VENV, "setup.log"), "ab") as log:
            log.write(("$ " + " ".join(command) + "\n").encode("utf-8", "replace"))
            for line in process.stdout:
                log.write(line.encode("utf-8", "replace"))
                coming.put(line.rstrip())
        coming.put(None)

    lines, coming = [], queue.Queue()
    options = {"cwd": ROOT, "env": environment(), "universal_newlines": True, "errors": "replace"}
    options.update(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    options.update(guard.inherit())
    process = subprocess.Popen(command, **options)
    reader = threading.Thread(target=read)
    reader.daemon = True
    reader.start()
    try:
        while True:
            try:
                line = coming.get(timeout=0.25)
                if line is None:
                    return process.wait(), lines
                lines.append(line)
            except queue.Empty:
                line = None
            if tick is not None:
                tick(line)
    except BaseException:
        process.terminate()
        process.wait()
        raise


def is_network(lines):
    """Return whether pip's lines tell of a network that does not answer."""
    text = "\n".join(lines).lower()
    return any(sign in text for sign in NETWORK_SIGNS)


def explain(lines):
    """Pip's lines -> one line that says what went wrong and what to do."""
    log = " (The whole log: {0})".format(os.path.join(".venv", "setup.log"))
    text = "\n".join(lines)
    if "No space left on device" in text or "[WinError 112]" in text:
        return "the disk is full. Make room and run the same command again." + log
    if is_network(lines):
        return "no network: pip cannot reach its package index. Connect and run the same command again." + log
    if "No matching distribution" in text:
        return "pip did not get a package: {0}. Is there a network?".format(last_error(lines)) + log
    return "pip failed: {0}".format(last_error(lines)) + log


def last_error(lines):
    """Return the last line that tells of an error, or the last line of all."""
    told = [line for line in lines if line.strip()]
    errors = [line for line in told if line.lower().startswith("error")]
    return one_line((errors or told or ["no message"])[-1])


def one_line(text):
    """Return a text on one line."""
    return " ".join(str(text).split())


class Screen(object):
    """Steps and progress. On a terminal one line is written over; elsewhere there are few lines."""

    def __init__(self):
        """Start at the first step."""
        import time

        self.number, self.width = 0, 0
        self.live = sys.stdout.isatty()
        self.start = self.told = time.time()

    def step(self, text):
        """Begin a step."""
        import time

        self.clear()
        self.number += 1
        self.start = self.told = time.time()
        print("{0}. {1}".format(self.number, text))
        sys.stdout.flush()

    def note(self, text):
        """Say what came of a step."""
        import time

        self.clear()
        print("   {0} ({1:.0f} s)".format(text, time.time() - self.start))
        sys.stdout.flush()

    def progress(self, done, total, text):
        """Show where pip is."""
        digits = len(str(total))
        self.show("[{0:{2}d}/{1}] {3}".format(max(0, min(done, total)), total, digits, text))

    def wait(self, _):
        """Show that something is still going on."""
        self.show("waiting for pip's answer")

    def show(self, text):
        """Write the running line: at once on a terminal, every half minute elsewhere."""
        import shutil
        import time

        text = "   {0}, {1:.0f} s".format(text, time.time() - self.start)
        if self.live:
            text = text[: max(20, shutil.get_terminal_size().columns - 1)]
            sys.stdout.write("\r" + text.ljust(self.width))
            self.width = len(text)
        elif time.time() - self.told > 30:
            self.told = time.time()
            print(text)
        sys.stdout.flush()

    def clear(self):
        """Take the running line away."""
        if self.live and self.width:
            sys.stdout.write("\r" + " " * self.width + "\r")
            self.width = 0


# --- starting -----------------------------------------------------------------------------------------------


def command(verb, rest):
    """Verb, arguments -> the arguments of the Python in .venv.

    Everything is started as a module: the scripts in .venv name the folder that they were installed in, and
    that may have moved since.
    """
    if verb == "lab":
        start = [] if any(word.endswith(".ipynb") for word in rest) else [FIRST_NOTEBOOK]
        return ["-m", "jupyterlab"] + start + ["--ServerApp.root_dir=" + ROOT] + LAB_OPTIONS + rest
    if verb == "test":
        return ["-m", "pytest", "-n", "2", "--dist", "loadfile"] + rest
    return [os.path.join("tools", "run_notebooks.py")] + rest


def go(verb, rest):
    """Start what the verb names and return its exit status."""
    if verb == "setup":
        print("Ready: python course.py lab")
        return 0
    os.chdir(ROOT)
    arguments = [venv_python()] + command(verb, rest)
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        # The program takes this process's place: signals and the exit status are then its own.
        os.execve(arguments[0], arguments, environment())
    import subprocess

    process = subprocess.Popen(arguments, env=environment())
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue  # the program got the same Ctrl-C and decides what to do


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
