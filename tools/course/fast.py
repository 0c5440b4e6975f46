"""uv, where this machine has it: pip's packages from pip's sources, several times as fast.

Whatever uv cannot do, pip does: uv is an offer and never a need.
"""

import ast
import os
import shutil
from collections.abc import Iterable, Sequence

from course import places
from course.guard import Guard
from course.messages import one_line
from course.programs import Done, Tick, silent, watch

OWN_CONCERNS = ("UV_CACHE_DIR", "UV_HTTP_TIMEOUT", "UV_NATIVE_TLS")  # they do not change what is installed
SECTIONS = ("global", "install", ":env:")  # of pip's settings; a later one wins
TOLD = {  # pip's setting -> how uv is told the same. In variables, since an address may hold a password.
    "index-url": ("UV_INDEX_URL",),
    "extra-index-url": ("UV_EXTRA_INDEX_URL",),
    "find-links": ("UV_FIND_LINKS",),
    "trusted-host": ("UV_INSECURE_HOST",),
    "cert": ("SSL_CERT_FILE",),
    "client-cert": ("SSL_CLIENT_CERT",),
    "proxy": ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"),
}


def find_uv() -> str | None:
    """() -> where uv is, if it is anywhere but in .venv, which may be about to go."""
    place = shutil.which("uv")
    inside = place is not None and os.path.realpath(place).startswith(os.path.realpath(places.VENV) + os.sep)
    return None if inside else place


def settings(lines: Iterable[str]) -> dict[str, str]:
    """What `pip config list` prints -> each setting that holds for pip install, with its value."""
    found: dict[tuple[str, str], str] = {}
    for line in lines:
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if section in SECTIONS:
            try:
                found[section, key] = str(ast.literal_eval(value))
            except (ValueError, SyntaxError):
                continue  # a line that is not a setting
    return {key: found[section, key] for section in SECTIONS for where, key in found if where == section}


def told_to_uv(pip: dict[str, str], extra_index: str | None) -> dict[str, str]:
    """pip's settings, an index to look in besides -> the variables that tell uv of the same sources."""
    values = {key: " ".join(value.split()) for key, value in pip.items()}
    extras = [values.get("extra-index-url", ""), extra_index or ""]
    values["extra-index-url"] = " ".join(each for each in extras if each)
    values["find-links"] = values.get("find-links", "").replace(" ", ",")
    return {name: values[key] for key, names in TOLD.items() if values.get(key) for name in names}


def uv_install(
    uv: str,
    arguments: Sequence[str],
    pip: dict[str, str],
    extra_index: str | None,
    guard: Guard,
    tick: Tick = silent,
) -> Done:
    """uv, arguments as for pip install, pip's settings, one more index -> uv's status and its lines."""
    command = [uv, "pip", "install", "--no-config", "--no-progress", "--color=never"]
    command += [f"--python={places.venv_python()}", "--index-strategy=unsafe-best-match"]
    if pip.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        command.append("--no-index")
    kept = {name: os.environ[name] for name in OWN_CONCERNS if name in os.environ}
    unset = {name: None for name in os.environ if name.startswith("UV_")}
    try:
        return watch([*command, *arguments], guard, tick, unset | kept | told_to_uv(pip, extra_index))
    except OSError as error:  # it is there and does not start
        return 1, [f"error: {one_line(error)}"]
