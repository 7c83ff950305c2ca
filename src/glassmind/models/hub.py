"""The files of a model from the Hugging Face hub."""

import os
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

from glassmind.models.cards import HubSource, ModelCard, ModelFile
from glassmind.models.download import (
    SourceFailed,
    Watch,
    download,
    reason_of,
    shown,
)

USUAL_PLACE = "https://huggingface.co"
"""Where the hub is, unless HF_ENDPOINT says otherwise."""

LOOK_S = 10.0
"""How long the hub may take to say what it has: where it is blocked, it says nothing.
"""

YES = {"1", "on", "yes", "true"}


def fetch_from_hub(
    card: ModelCard,
    source: HubSource,
    folder: Path,
    watch: Watch,
    right: Mapping[str, ModelFile],
) -> dict[str, ModelFile]:
    """Fetch what is missing of a model's files; return what all are, by name.

    Those in `right` are there and right.

    Raises:
        SourceFailed: the hub is out of reach, turned off, or has other files.
    """
    if os.environ.get("HF_HUB_OFFLINE", "").strip().lower() in YES:
        raise SourceFailed("HF_HUB_OFFLINE is set")
    found = dict(right)
    before = sum(file.size_bytes for file in right.values())
    for wanted, path in zip(card.files, source.paths, strict=True):
        if wanted.name in right:
            continue
        url = _url(source, path)
        others = {file.name: file for file in source.instead}
        expected = others.get(wanted.name, wanted)
        _look(url, expected)
        base = before

        def told(done: int, total: int, base: int = base) -> None:
            watch(base + done, card.size_bytes or base + total)

        found[wanted.name] = download(url, folder / wanted.name, expected, told)
        before += found[wanted.name].size_bytes
    return found


def _url(source: HubSource, path: str) -> str:
    base = os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or USUAL_PLACE
    return f"{base}/{source.repo}/resolve/{quote(source.revision)}/{quote(path)}"


class _Stay(HTTPRedirectHandler):
    """Leaves a redirect as it is: its headers are what we came for."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Go nowhere."""


def _look(url: str, wanted: ModelFile) -> None:
    """See that the hub has the file we want, before megabytes of another one come.

    The hub tells the sha256 of large files in a header; where it does not, the download
    itself is checked.

    Raises:
        SourceFailed: the file is another, or the hub is out of reach.
    """
    if not wanted.sha256:
        return
    try:
        request = Request(url, method="HEAD")  # noqa: S310 - opened only as http
        with closing(build_opener(_Stay).open(request, timeout=LOOK_S)) as reply:
            headers = reply.headers
    except HTTPError as error:
        if error.code not in range(300, 400):
            raise SourceFailed(f"{shown(url)}: HTTP {error.code}") from error
        headers = error.headers
    except (OSError, HTTPException, ValueError) as error:
        raise SourceFailed(f"{shown(url)}: {reason_of(error)}") from error
    said = str(headers["X-Linked-Etag"] or "").strip('"')
    if len(said) == len(wanted.sha256) and said != wanted.sha256:
        raise SourceFailed(f"{shown(url)} has other weights under that name")
