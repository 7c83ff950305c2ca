"""A file over HTTP, piece by piece, gone on with where it stopped, checked at the end.

What has come stands in a `.part` file; the name of the file itself is given to nothing
that is not whole and right.
"""

import base64
from collections.abc import Callable, Mapping
from contextlib import closing
from http.client import HTTPException
from pathlib import Path
from typing import Any, TypeAlias
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from glassmind.model.models import Download
from glassmind.models.cards import ModelFile
from glassmind.models.checksum import sha256_of

Watch: TypeAlias = Callable[[int, int], None]
"""Told the bytes that are there and those there will be (0 while unknown)."""

PIECE_BYTES = 256 * 1024
STALLED_S = 30.0
"""How long a server may be silent before we give up; what came is kept."""

MOST_BYTES = 4 * 1024**3
"""No model we know of is larger; a server must not fill the disk."""

PARTIAL, UNSATISFIABLE = 206, 416


class SourceFailed(Exception):
    """Why one place gave nothing; the next is tried, and all are told in the end."""


def unwatched(_done: int, _total: int) -> None:
    """Watch nothing."""


def download_watcher(
    progress: Callable[[Any], None] | None,
) -> Callable[[str], Watch]:
    """Return what reports the bytes of each model as progress."""
    if progress is None:
        return lambda _model: unwatched

    def watch(model: str) -> Watch:
        progress(Download(model, 0, 0))
        return lambda done, total: progress(Download(model, done, total))

    return watch


def download(url: str, target: Path, wanted: ModelFile, watch: Watch) -> ModelFile:
    """Fetch a file and give it its name; return what it is.

    Begins where an earlier try stopped. A file that is not the wanted one is thrown
    away, and fetched once more from its start if it was put together of two tries.

    Raises:
        SourceFailed: it cannot be had, or is another.
    """
    part = target.with_name(f"{target.name}.part")
    begun = part.stat().st_size if part.is_file() else 0
    try:
        _fetch(url, part, wanted, watch)
        try:
            return keep(part, target, wanted)
        except SourceFailed:
            if not begun:
                raise
        _fetch(url, part, wanted, watch)
        return keep(part, target, wanted)
    except (OSError, HTTPException, ValueError) as error:
        raise SourceFailed(f"{shown(url)}: {reason_of(error)}") from error


def keep(part: Path, target: Path, wanted: ModelFile) -> ModelFile:
    """Give a whole file its name; return what it is.

    Raises:
        SourceFailed: it is not the wanted one, and has been thrown away.
    """
    size, digest = part.stat().st_size, sha256_of(part)
    wrong_size = wanted.size_bytes and size != wanted.size_bytes
    if wrong_size or (wanted.sha256 and digest != wanted.sha256):
        part.unlink()
        raise SourceFailed(f"{target.name} is not the file that was asked for")
    part.replace(target)
    return ModelFile(target.name, size, digest)


def _fetch(url: str, part: Path, wanted: ModelFile, watch: Watch) -> None:
    done = part.stat().st_size if part.is_file() else 0
    if wanted.size_bytes and done == wanted.size_bytes:
        return  # whole, and only its name was missing
    try:
        reply = opened(url, {"Range": f"bytes={done}-"} if done else {})
    except HTTPError as error:
        if error.code != UNSATISFIABLE:
            raise
        part.unlink()
        done, reply = 0, opened(url)
    with closing(reply):
        goes_on = reply.status == PARTIAL and _start(reply) == done
        if done and not goes_on:
            done = 0
        total = wanted.size_bytes or done + int(reply.headers["Content-Length"] or 0)
        with part.open("ab" if done else "wb") as written:
            while piece := reply.read(PIECE_BYTES):
                done += len(piece)
                if done > (wanted.size_bytes or MOST_BYTES):
                    raise ValueError("more comes than the file should have")
                written.write(piece)
                watch(done, total)
    if total and done < total:
        raise ValueError(f"it ends after {done:,} of {total:,} bytes; try again")


def _start(reply: Any) -> int:
    """Return where a partial answer begins; -1 when it does not say."""
    said = str(reply.headers["Content-Range"] or "")
    first = said.removeprefix("bytes ").partition("-")[0]
    return int(first) if first.isdigit() else -1


def opened(url: str, headers: Mapping[str, str] | None = None) -> Any:
    """Open a url for reading, with the user's proxies and certificates.

    A name and a password in it are sent as such.

    Raises:
        OSError: it cannot be opened.
        ValueError: it is no url that we open.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https", "file"}:
        raise ValueError("not a url of http, https or file")
    plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    request = Request(plain, headers=dict(headers or {}))  # noqa: S310 - see above
    if parts.username:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        secret = f"Basic {base64.b64encode(pair.encode()).decode()}"
        # Not for whatever other host we may be sent to.
        request.add_unredirected_header("Authorization", secret)
    return urlopen(request, timeout=STALLED_S)  # noqa: S310 - see above


def shown(url: str) -> str:
    """Return the host that a url names: paths are long, and passwords secret."""
    parts = urlsplit(url)
    return parts.hostname or parts.path


def reason_of(error: Exception) -> str:
    """Return why a url could not be read, in few words."""
    if isinstance(error, HTTPError):
        return f"HTTP {error.code}"
    if isinstance(error, URLError):
        return str(error.reason)
    return str(error) or type(error).__name__
