"""The words by which another program starts this one, wherever it is started from.

A program of a desktop knows hardly a path: the first word is a whole one.
"""

import json
import os
import re
import shutil
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from glassmind.version import __version__

NAME = "glassmind"
RELEASE = f"{NAME}=={__version__}"

CACHED = re.compile(r"[/\\](archive|environments|builds)-v\d+[/\\]")
"""How uv names the folders of its cache: what stands in them may be cleaned away."""


class Running(NamedTuple):
    """How this program runs; `uv` and `on_path` are empty where there are none.

    `source` is what `uv` would install: a release, or where this one came from.
    """

    executable: str
    prefix: str
    scripts: str
    on_path: str = ""
    uv: str = ""
    source: str = RELEASE


class Launch(NamedTuple):
    """The words, and what is to be said of them; mostly nothing."""

    words: tuple[str, ...]
    notice: str = ""


def this_program() -> Running:
    """Return how this program runs."""
    return Running(
        sys.executable,
        sys.prefix,
        sysconfig.get_path("scripts"),
        on_path=shutil.which(NAME) or "",
        uv=os.environ.get("UV") or shutil.which("uv") or "",
        source=_source(),
    )


def launch_of(running: Running) -> Launch:
    """Return the words that start this program again.

    Its own script, by the path that the shell finds it at where that is the same one:
    such links stay when a release is replaced. What runs from the cache of uv is
    started by uv. Python itself is the last resort, told to leave out the folder it
    is started in, which may be a stranger's.
    """
    cached = CACHED.search(running.prefix + os.sep) is not None
    if cached and running.uv:
        uv = str(Path(running.uv).absolute())
        return Launch((uv, "tool", "run", "--from", running.source, NAME))
    notice = ""
    if cached:
        notice = (
            "this runs from the cache of uv, which may be cleaned away; better: "
            f"uv tool install {NAME}, and connect again"
        )
    for script in (Path(running.scripts, NAME), Path(running.scripts, f"{NAME}.exe")):
        if not script.is_file():
            continue
        on_path = running.on_path
        if on_path and os.path.realpath(on_path) == os.path.realpath(script):
            return Launch((str(Path(on_path).absolute()),), notice)
        return Launch((str(script.absolute()),), notice)
    return Launch((running.executable, "-P", "-m", NAME), notice)


def _source() -> str:
    """Return what this program was installed from."""
    try:
        told = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return RELEASE
    return source_in(told or "")


def source_in(told: str) -> str:
    """Return what to install, by what the installer noted down; see PEP 610."""
    try:
        origin = json.loads(told)
        url = origin["url"]
        parts = urlsplit(url)
        if parts.scheme == "file":
            return url2pathname(parts.path)
        if "vcs_info" in origin:
            held = origin["vcs_info"]
            return f"{held['vcs']}+{url}@{held['commit_id']}"
    except (ValueError, KeyError, TypeError):
        return RELEASE
    return str(url)
