"""What a memo stands on: receipts that hold, and places of notes made receipts."""

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from glassmind.errors import GlassmindError, IndexFault, VaultError
from glassmind.errors.memory import BadMemo
from glassmind.files.read import Unreadable, decode, safe_path
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.claims import MOST, SOURCE_CHARS, is_broken
from glassmind.model import NotePath, Span
from glassmind.obsidian.receipts import (
    bare,
    parse_receipt,
    receipt_of,
    receipt_text,
)

ACCEPTED = (
    "name a receipt as context prints it, a note, or a part of one: Note.md:12-18, "
    "Note.md#Heading"
)
"""What may be a source, for who has to be told."""


class Standing(NamedTuple):
    """Receipts, each once, and what there is to say of them."""

    receipts: tuple[str, ...]
    notices: tuple[str, ...] = ()


def sources_said(
    cabinet: Cabinet, sources: Sequence[str], *, verify: bool = True
) -> Standing:
    """Return sources as receipts; with `verify`, of lines that are there.

    Lines that stand elsewhere now are cited from there, which is told, and so is what
    is not as it was.

    Raises:
        BadMemo: one is no receipt and no place, or its lines are gone or nobody's to
            read, or there are too many.
    """
    asked = dict.fromkeys(source.strip() for source in sources)
    if len(asked) > MOST:
        raise BadMemo("list of sources", f"{MOST} are the most")
    said: dict[str, None] = {}
    notices: list[str] = []
    for source in asked:
        receipt, notice = _standing(cabinet, source, verify=verify)
        said[receipt] = None
        notices += [notice] if notice else []
    return Standing(tuple(said), tuple(dict.fromkeys(notices)))


def _standing(cabinet: Cabinet, asked: str, *, verify: bool) -> tuple[str, str]:
    """Return one source as a receipt, and what there is to say of it, if anything."""
    if not asked or len(asked) > SOURCE_CHARS or is_broken(asked):
        raise BadMemo("source", f"{asked[:80]!r} is none: {ACCEPTED}")
    known = parse_receipt(asked)
    if known is None:
        return _made(cabinet, bare(asked)), ""
    written = receipt_text(known)
    return _checked(cabinet, written) if verify else (written, "")


def _checked(cabinet: Cabinet, receipt: str) -> tuple[str, str]:
    """Return a receipt of lines that are there, and how they changed, if they did."""
    try:
        found = cabinet.acts.verified([receipt])[0]
    except GlassmindError as error:
        raise BadMemo("source", str(error)) from error
    if found.state == "unchanged":
        return receipt, ""
    if found.state == "moved" and found.now:
        return found.now, f"a source is cited from where it stands now: {found.note}"
    if found.state == "changed":
        return receipt, f"the source {receipt} is kept as it was: {found.note}"
    raise BadMemo("source", f"the lines of {receipt} are not there: {found.note}")


def _made(cabinet: Cabinet, place: str) -> str:
    """Return the receipt of a note, or of the part of one that a place names."""
    try:
        with cabinet.faults():
            found = cabinet.place(place)
    except IndexFault:
        return _made_without_index(cabinet, place)
    except VaultError as error:
        raise BadMemo("source", f"{error}; {ACCEPTED}") from error
    if found is None:
        raise BadMemo("source", f"no note is called {place[:80]!r}; {ACCEPTED}")
    if not found.text.strip():
        raise BadMemo("source", f"{found.path} says nothing there")
    heading = found.heading_path[-1] if found.heading_path else ""
    return receipt_of(found.path, heading, found.span, found.text)


def _made_without_index(cabinet: Cabinet, name: str) -> str:
    """Return the receipt of a whole note by its path; none that a dot hides."""
    path, text = _text_at(cabinet, name)
    if path is None or not text:
        raise BadMemo("source", f"no note is called {name[:80]!r}; {ACCEPTED}")
    lines = text.removesuffix("\n").count("\n") + 1
    return receipt_of(path, "", Span(1, lines), text)


def _text_at(cabinet: Cabinet, name: str) -> tuple[NotePath | None, str]:
    with suppress(VaultError), cabinet.files() as files:
        path = safe_path(name)
        hidden = any(part.startswith(".") for part in path.split("/"))
        if path.endswith(".md") and not hidden and files.exists(path):
            found = decode(files.read(path))
            return path, "" if isinstance(found, Unreadable) else found.text
    return None, ""
