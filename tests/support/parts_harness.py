"""A vault in memory, and where its links lead: to which note, and which part of it."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

from glassmind.access.policy import WritePolicy
from glassmind.config import config_for
from glassmind.edit.vault import EditVault
from glassmind.files.ignore import IgnoreRules
from glassmind.files.names import Names, name_key
from glassmind.files.read import Decoded, decode
from glassmind.files.settings import ObsidianSettings
from glassmind.model import NotePath
from glassmind.model.edits import Draft
from glassmind.model.index import KnownNote
from glassmind.model.notes import Link, Note
from glassmind.obsidian.links import Outline, OutlinePart
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.text import fold
from glassmind.vault import Vault

NOTES = (".md", ".canvas")


@lru_cache(maxsize=4_096)
def read(path: NotePath, raw: bytes) -> Note | None:
    """Return a file as a note; None for what is no text."""
    decoded = decode(raw)
    text = isinstance(decoded, Decoded) and path.lower().endswith(NOTES)
    return read_note(path, decoded.text) if text else None  # type: ignore[union-attr]


@lru_cache(maxsize=4_096)
def outline(path: NotePath, raw: bytes) -> Outline:
    """Return the parts of a note that links can lead to."""
    note = read(path, raw)
    known = note is not None and note.kind in ("markdown", "excalidraw")
    return Outline.of_note(note) if known else Outline.of(())  # type: ignore[arg-type]


@cache
def _policy() -> WritePolicy:
    return WritePolicy(config_for(Path(), {"writes.mode": "allow"}))


def _has_tag(note: Note, wanted: str) -> bool:
    return any(f"{tag.name.lower()}/".startswith(f"{wanted}/") for tag in note.tags)


@dataclass
class Shelf:
    """The files of a vault, and the rows that tell of them."""

    files: dict[NotePath, bytes]
    settings: ObsidianSettings = field(default_factory=lambda: ObsidianSettings({}, ()))

    @classmethod
    def of(cls, files: Mapping[str, str | bytes]) -> "Shelf":
        """Return a vault of these texts."""
        raw = {
            NotePath(path): text if isinstance(text, bytes) else text.encode()
            for path, text in files.items()
        }
        return cls(raw)

    @classmethod
    def at(cls, folder: Path) -> "Shelf":
        """Return the files of a folder; what begins with a dot is left out."""
        files: dict[str, bytes] = {}
        for file in sorted(folder.rglob("*")):
            path = file.relative_to(folder)
            hidden = any(part.startswith(".") for part in path.parts)
            if file.is_file() and not hidden:
                kept = path.suffix.lower() in (*NOTES, ".base")
                files[path.as_posix()] = file.read_bytes() if kept else b""
        return cls.of(files)

    def paths(self) -> list[NotePath]:
        """Return every file."""
        return sorted(path for path in self.files if not path.startswith("."))

    def notes(
        self,
        *,
        kind: str = "",
        tag: str = "",
        link_keys: Collection[str] | None = None,
    ) -> list[KnownNote]:
        """Return the notes that pass, as the rows of an index do."""
        return [
            KnownNote(0, path, "", (), note.kind, "", None, None)
            for path, note in self.read_notes()
            if (not kind or path.lower().endswith(f".{kind}"))
            and (not tag or _has_tag(note, tag.lower()))
            and (
                link_keys is None
                or any(name_key(link.target) in link_keys for link in note.links)
            )
        ]

    def read(self, path: NotePath, /) -> bytes | None:
        """Return the bytes of a file; None where there is none."""
        return self.files.get(path)

    def read_notes(self) -> Iterator[tuple[NotePath, Note]]:
        """Yield every note, read."""
        for path in self.paths():
            note = read(path, self.files[path])
            if note is not None:
                yield path, note

    @property
    def harness(self) -> EditVault:
        """The editing parts that planners take."""
        made: Any = EditVault(Vault(config_for(Path(), {})))
        made.find = made.exact = NotePath
        made.rows, made.files, made.faults = lambda: self, self, nullcontext
        made.settings, made.rules = lambda: self.settings, IgnoreRules
        return cast("EditVault", made)

    def after(self, draft: Draft) -> "Shelf":
        """Return the vault with a change made; each step found what it says."""
        files = dict(self.files)
        for step in draft.steps:
            if step.path is not None:
                assert files.pop(step.path) == step.before
        for step in draft.steps:
            assert fold(step.to) not in {fold(path) for path in files}
            files[step.to] = step.after
        return Shelf(files, self.settings)

    def text(self, path: str) -> str:
        """Return what a file says."""
        return self.files[NotePath(path)].decode()


class End(NamedTuple):
    """Where a link leads: a note, and a part of it."""

    path: NotePath
    part: OutlinePart | None


def ends(shelf: Shelf) -> dict[NotePath, list[tuple[Link, End | None]]]:
    """Return where every link leads, by the resolver over the whole vault."""
    names = Names.of(shelf.paths())
    return {
        path: [(link, _end(shelf, names, link, path)) for link in note.links]
        for path, note in shelf.read_notes()
    }


def _end(shelf: Shelf, names: Names, link: Link, path: NotePath) -> End | None:
    markdown = link.kind == "markdown"
    target = names.resolve(link.target, path, markdown=markdown)
    if link.kind == "canvas":  # a card names its file by the whole path
        target = names.resolve(f"/{link.target}", path) or target
    if target is None:
        return None
    parts = outline(target, shelf.files[target])
    return End(target, parts.meant(link.subpath, markdown=markdown))


def section(note: Note, at: int) -> tuple[int, int, range]:
    """Return where the section of a heading begins and ends, and its headings."""
    level = note.headings[at].level
    last = at + 1
    while last < len(note.headings) and note.headings[last].level > level:
        last += 1
    size = len(note.text.encode())
    end = note.headings[last].start if last < len(note.headings) else size
    return note.headings[at].start, end, range(at, last)
