"""The words by which another program starts this one, from any folder and environment.

A desktop program has a short PATH, so the first word is an absolute path.
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

from glassmind.version import __version__

NAME = "glassmind"
RELEASE = f"{NAME}=={__version__}"

CACHED = re.compile(r"[/\\](archive|environments|builds)-v\d+[/\\]")
"""Folders of uv's cache, whose content may be deleted."""


class Running(NamedTuple):
    """How this program runs; `uv` and `on_path` are empty if there are none.

    `source` is what `uv` would install: a release, or where this one came from.
    """

    executable: str
    prefix: str
    scripts: str
    on_path: str = ""
    uv: str = ""
    source: str = RELEASE


def this_program() -> Running:
    return Running(
        sys.executable,
        sys.prefix,
        sysconfig.get_path("scripts"),
        on_path=shutil.which(NAME) or "",
        uv=os.environ.get("UV") or shutil.which("uv") or "",
        source=_source(),
    )


def launch_of(running: Running) -> tuple[str, ...]:
    """Return the words that start this program again.

    Its own script, by the path where the shell finds it, as such links outlive a
    release. What runs from the cache of uv is started by uv. The last resort is Python
    itself, with `-P`: it may start in a folder of somebody else.
    """
    if CACHED.search(running.prefix + os.sep) and running.uv:
        uv = str(Path(running.uv).absolute())
        return (uv, "tool", "run", "--from", running.source, NAME)
    for script in (Path(running.scripts, NAME), Path(running.scripts, f"{NAME}.exe")):
        if script.is_file():
            on_path = running.on_path
            same = on_path and os.path.realpath(on_path) == os.path.realpath(script)
            return (str(Path(on_path if same else script).absolute()),)
    return (running.executable, "-P", "-m", NAME)


def _source() -> str:
    try:
        return source_in(distribution(NAME).read_text("direct_url.json") or "")
    except PackageNotFoundError:
        return RELEASE


def source_in(noted: str) -> str:
    """Return what to install, from the installer's `direct_url.json` (PEP 610)."""
    try:
        origin = json.loads(noted)
        url = origin["url"]
        parts = urlsplit(url)
        if parts.scheme == "file":
            from urllib.request import url2pathname  # noqa: PLC0415 - loads ssl

            return url2pathname(parts.path)
        if commit := origin.get("vcs_info"):
            return f"{commit['vcs']}+{url}@{commit['commit_id']}"
    except (ValueError, KeyError, TypeError, AttributeError):
        return RELEASE
    return str(url)
