"""Finding an archive on a Python package index, where no installer is at hand.

Indexes answer in JSON or in HTML, whatever they were asked for; both are understood.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from configparser import Error as BadFile
from contextlib import closing
from html.parser import HTMLParser
from http.client import HTTPException
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from glassmind.models.download import SourceFailed, opened, reason_of, shown

USUAL_INDEX = "https://pypi.org/simple"

VARIABLES = (
    "PIP_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_INDEX",
)
"""Where users of pip and uv say which indexes are theirs."""

WANTED = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
PAGE_BYTES = 64 * 1024 * 1024


def indexes_of(env: Mapping[str, str]) -> list[str]:
    """Return the indexes that the user's settings name, the first first.

    Variables come before pip's files; where nothing is said it is the usual one.
    """
    said = [word for name in VARIABLES for word in env.get(name, "").split()]
    if not said:
        said = list(_of_files(env))
    # uv lets a name stand before an index: `mine=https://...`.
    plain = [word if "://" not in word else _unnamed(word) for word in said]
    return list(dict.fromkeys(index.rstrip("/") for index in plain)) or [USUAL_INDEX]


def _unnamed(word: str) -> str:
    name, equals, url = word.partition("=")
    return url if equals and name.replace("-", "").replace("_", "").isalnum() else word


def _of_files(env: Mapping[str, str]) -> Iterator[str]:
    for key in ("index-url", "extra-index-url"):
        for file in _config_files(env):
            parser = ConfigParser(interpolation=None)
            try:
                parser.read(file, "utf-8")
            except (BadFile, OSError, UnicodeDecodeError):
                continue
            yield from parser.get("global", key, fallback="").split()


def _config_files(env: Mapping[str, str]) -> list[Path]:
    """Return where pip looks for its settings, the strongest first."""
    named = env.get("PIP_CONFIG_FILE", "").strip()
    if named == os.devnull:
        return []
    home = Path(env.get("HOME") or Path.home())
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config")
    places = [
        Path(sys.prefix, "pip.conf"),
        config / "pip" / "pip.conf",
        home / ".pip" / "pip.conf",
        home / "Library" / "Application Support" / "pip" / "pip.conf",
        home / "pip" / "pip.ini",
        Path("/etc/pip.conf"),
    ]
    return [Path(named), *places] if named else places


def archive_url(index: str, package: str, file_name: str) -> str:
    """Return where an index has an archive.

    Raises:
        SourceFailed: it is out of reach, or does not have it.
    """
    page = f"{index}/{package}/"
    if urlsplit(index).scheme == "file":
        page += "index.html"
    try:
        with closing(opened(page, {"Accept": WANTED})) as reply:
            kind = str(reply.headers["Content-Type"] or "")
            text = reply.read(PAGE_BYTES).decode("utf-8", "replace")
            base = str(reply.geturl())
        links = _links_in_json(text) if "json" in kind else _links_in_html(text)
        for link in links:
            if unquote(urlsplit(link).path).rpartition("/")[2] == file_name:
                return urljoin(base, link)
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
        raise SourceFailed(f"{shown(index)}: {reason_of(error)}") from error
    raise SourceFailed(f"{shown(index)} has no {file_name}")


def _links_in_json(text: str) -> list[str]:
    return [str(file["url"]) for file in json.loads(text)["files"]]


def _links_in_html(text: str) -> list[str]:
    found: list[str] = []

    class Links(HTMLParser):
        def handle_starttag(
            self, tag: str, attrs: list[tuple[str, str | None]]
        ) -> None:
            """Note where a link leads."""
            if tag == "a":
                found.extend(value for name, value in attrs if name == "href" and value)

    Links().feed(text)
    return found
