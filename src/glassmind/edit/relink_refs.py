"""References of canvases and bases, written anew as links of notes are.

A file card names a file by its whole path, whatever files are near; the links of a text
card are those of a note that stands where the canvas does.
"""

from collections.abc import Mapping
from typing import assert_never

from glassmind.edit.relink_starts import begun_anew, maybe_meant
from glassmind.edit.relink_text import (
    Relink,
    Relinked,
    Tally,
    Text,
    card_end,
    relinked_text,
)
from glassmind.errors.editing import EditRefused
from glassmind.files.spelling import Respelling, spellings
from glassmind.model import NotePath
from glassmind.obsidian.base_refs import Ref as BaseRef
from glassmind.obsidian.base_refs import base_refs, base_respelled
from glassmind.obsidian.canvas_refs import Ref, canvas_refs, canvas_respelled
from glassmind.obsidian.parse import parse_note
from glassmind.obsidian.splices import spliced

_CARD = NotePath("card.md")


def relinked_canvas(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    """Return a canvas with its file cards and the links of its text cards anew."""
    tally = Tally()
    changes: list[tuple[Ref, str]] = []
    for ref in canvas_refs(raw):
        if ref.kind == "text":
            text = _card(ref.value, path, path_after, relink, tally)
            if text is not None:
                changes.append((ref, text))
        elif ref.kind == "file":
            changes.extend(_file_card(ref, path, path_after, relink, tally))
    if not changes:
        return tally.told(raw)
    try:
        return tally.told(spliced(raw, canvas_respelled(raw, changes)))
    except EditRefused as refusal:
        return Relinked(raw, 0, (f"{path}: {refusal}",))


def _card(
    value: str, path: NotePath, home: NotePath, relink: Relink, tally: Tally
) -> str | None:
    """Return the Markdown of a text card with its links anew; None where it stays."""
    # as it is read: a line before the card, so that it has no frontmatter
    note = parse_note(path, f"\n{value}")
    if note.text != f"\n{value}":
        return None
    after = relinked_text(Text(note, note.text.encode(), home, _CARD), relink, tally)
    return None if after is None else after.decode().removeprefix("\n")


def _file_card(
    ref: Ref, path: NotePath, home: NotePath, relink: Relink, tally: Tally
) -> list[tuple[Ref, str]]:
    before = card_end(ref.value, path, relink.before)
    now = card_end(ref.value, home, relink.after)
    if before is None:
        tally.adopted += now is not None
        return []
    written = (ref.subpath.value if ref.subpath else "") or None
    target, subpath = relink.end(before, written, path)
    changes: list[tuple[Ref, str]] = []
    # a whole path is written to the letter, also where only its case differs
    if now != target or ref.value == before != target:
        if not relink.is_there(target):
            tally.lose(relink, now)
            return []
        if relink.exposes(ref.value, path, target):
            tally.exposed.append(now or "")
        changes.append((ref, target))
    if subpath != written and ref.subpath is not None:
        changes.append((ref.subpath, subpath or ""))
    tally.links += bool(changes)
    return changes


def relinked_base(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    """Return a base with the files and folders that it names anew."""
    tally = Tally()
    changes: list[tuple[BaseRef, str]] = []
    for ref in base_refs(raw):
        said = _base_name(ref, path, path_after, relink, tally)
        if said is not None and said != ref.value:
            changes.append((ref, said))
        elif said is None and (moved := maybe_meant(ref, relink)) is not None:
            line = 1 + raw.count(b"\n", 0, ref.span[0])
            tally.risks.append(f"{path}, line {line}: {_stays(ref, *moved)}")
    if not changes:
        return tally.told(raw)
    tally.links += len(changes)
    try:
        return tally.told(spliced(raw, base_respelled(raw, changes)))
    except EditRefused as refusal:
        return Relinked(raw, 0, (f"{path}: {refusal}",))


def _base_name(
    ref: BaseRef, path: NotePath, home: NotePath, relink: Relink, tally: Tally
) -> str | None:
    """Return what is written in the place of a name in a base; None where it stays."""
    match ref.kind:
        case "folder":
            return _folder(ref.value, relink.folders)
        case "folder_start" | "path_start":
            return begun_anew(ref, relink)
        case "path":
            return _path(NotePath(ref.value), path, relink)
        case "note":
            return _note(ref.value, path, home, relink, tally)
        case "name":
            return None
        case _:
            assert_never(ref.kind)


def _note(
    value: str, path: NotePath, home: NotePath, relink: Relink, tally: Tally
) -> str | None:
    before = relink.before.resolve(value, path)
    now = relink.after.resolve(value, home)
    if before is None:
        tally.adopted += now is not None
        return None
    target, _ = relink.end(before, None, path)
    if now == target:
        return None
    if not relink.is_there(target):
        tally.lose(relink, now)
        return None
    if relink.exposes(value, path, target):
        tally.exposed.append(now or "")
    meant = Respelling(value, path, before, home, target)
    return next(spellings(meant, relink.after, relink.settings.link_format), None)


def _stays(ref: BaseRef, old: str, new: str) -> str:
    return (
        f"{ref.value!r} stays, though {old} is called {new} now; change it by hand if "
        "that is meant"
    )


def _path(exact: NotePath, source: NotePath, relink: Relink) -> str | None:
    if relink.before.resolve(f"/{exact}", source) != exact:
        return None
    target, _ = relink.end(exact, None, source)
    return target if relink.is_there(target) else None


def _folder(value: str, folders: Mapping[str, str]) -> str | None:
    """Return what a folder is called then; None where it is not moved."""
    name = value.strip("/")
    for old, new in folders.items():
        if name == old or name.startswith(f"{old}/"):
            return value.replace(name, new + name[len(old) :], 1)
    return None
