"""References of canvases and bases, written anew as links of notes are.

A file card names a file by its whole path, whatever files are near; the links of a text
card are those of a note that stands where the canvas does.
"""

from glassmind.editing.relink_text import Relink, Relinked, Tally, Text, relinked_text
from glassmind.errors.editing import EditRefused
from glassmind.markdown.canvas_refs import Ref, canvas_refs, canvas_respelled
from glassmind.markdown.link_parts import spliced
from glassmind.markdown.parse import parse_note
from glassmind.types import NotePath
from glassmind.vault.resolve import Names

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
    before = _file(ref.value, path, relink.before)
    now = _file(ref.value, home, relink.after)
    if before is None:
        tally.adopted += now is not None
        return []
    written = (ref.subpath.value if ref.subpath else "") or None
    target, subpath = relink.end(before, written, path)
    changes: list[tuple[Ref, str]] = []
    if now != target:
        if not relink.is_there(target):
            tally.lost += now is None
            tally.elsewhere += now is not None
            return []
        changes.append((ref, target))
    if subpath != written and ref.subpath is not None:
        changes.append((ref.subpath, subpath or ""))
    tally.links += bool(changes)
    return changes


def _file(value: str, source: NotePath, names: Names) -> NotePath | None:
    """Return the file of a card: the one with that path, or else by its name."""
    if not value:
        return None
    return names.resolve(f"/{value}", source) or names.resolve(value, source)


def relinked_base(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    """Return a base with the files and folders that it names anew."""
    del path, path_after, relink
    return Relinked(raw)
