"""Verify receipts: say what became of the lines that each one cites.

The files decide. The index is only asked where to look for a note that is gone: notes
of its name in other folders, and notes with the heading. A text cannot be searched for
lines of which only the digest is known, so every run of as many lines is hashed, the
nearest first.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from glassmind.errors import (
    FileGone,
    FileUnreadable,
    IndexAbsent,
    NoReceipts,
    PathOutsideVault,
)
from glassmind.files.names import name_key
from glassmind.files.read import Unreadable, VaultFiles, check_parts, decode
from glassmind.files.scan import kind_of
from glassmind.model import NotePath, Span
from glassmind.model.context import Receipt, ReceiptCheck
from glassmind.obsidian.notes import is_excalidraw, read_note
from glassmind.obsidian.receipts import FORM, full_digest, parse_receipt, receipt_of
from glassmind.obsidian.secrets import redacted
from glassmind.vault import Vault

MOST_CHARS = 128_000_000
"""Characters hashed for one call: about a second; thousands of notes, or one of 50 MB
when some line is looked for."""

PLACE_CHARS = 200  # what looking at a place costs beside its text, in characters hashed
MOST_NOTES = 50
"""Notes looked at for each reason: more have nothing but a common name in common."""

PARSED_CHARS = 4_000_000
"""Headings of a longer note are not read: that would take seconds."""

UNIQUE_CHARS = 16
"""Letters and digits from which lines belong to one note: `- [ ] call` may be any."""


def plain_lines(text: str) -> list[str]:
    """Return the lines of a text without their ends, as the index counts them."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    return lines if lines[-1] else lines[:-1]


def stands_at(lines: Sequence[str], span: Span, digest: str) -> bool:
    if span.end > max(len(lines), 1):
        return False
    text = "\n".join(lines[span.start - 1 : span.end])
    return full_digest(text).startswith(digest)


def seek(
    lines: Sequence[str], span: Span, digest: str, most_chars: int = MOST_CHARS
) -> tuple[Span | None, int]:
    """Return where the cited lines are now, nearest to their former place.

    None if they are nowhere, or more would have to be hashed. Also returns how many of
    the characters were not used.
    """
    count, left = span.end - span.start + 1, most_chars
    for start in _outward(min(span.start, len(lines)), len(lines)):
        if left <= 0:
            break
        text = "\n".join(lines[start - 1 : start - 1 + count])
        left -= len(text) + PLACE_CHARS
        if full_digest(text).startswith(digest):
            return Span(start, min(start + count - 1, len(lines))), left
    return None, left


def _outward(middle: int, count: int) -> Iterator[int]:
    """Yield the numbers from 1 to `count`, the nearest to `middle` first."""
    for away in range(count):
        if middle + away <= count:
            yield middle + away
        if away and middle - away >= 1:
            yield middle - away


def verify(vault: Vault, texts: Sequence[str]) -> list[ReceiptCheck]:
    """Return what became of the lines that each receipt cites, in order.

    A text that is not a receipt, or leads out of the vault, is "bad"; the others are
    verified all the same. Raises NoReceipts or VaultMissing.
    """
    if not texts:
        raise NoReceipts
    with vault.faults(), vault.files() as files:
        verifier = _Verifier(vault, files, MOST_CHARS // len(texts))
        return [verifier.verify(text.strip()) for text in texts]


class _NoteText(NamedTuple):
    path: NotePath
    text: str
    lines: list[str]


class _Verifier:
    def __init__(self, vault: Vault, files: VaultFiles, most_chars: int) -> None:
        self._vault, self._files, self._rules = vault, files, vault.ignore_rules()
        self._most, self._left = most_chars, most_chars
        self._last: _NoteText | None = None

    def verify(self, text: str) -> ReceiptCheck:
        receipt = parse_receipt(text)
        if receipt is None:
            why = f"not a receipt; a receipt has the form {FORM}"
            return ReceiptCheck(text, "bad", None, why)
        try:
            check_parts(receipt.path)
        except PathOutsideVault as error:
            return ReceiptCheck(text, "bad", None, str(error))
        self._left = self._most
        try:
            note = self._note(receipt.path)
        except FileGone:
            return self._in_other_notes(text, receipt)
        except (FileUnreadable, PathOutsideVault) as error:
            return ReceiptCheck(text, "unread", None, str(error))
        if stands_at(note.lines, receipt.span, receipt.digest):
            return ReceiptCheck(text, "unchanged", text, "the lines stand as they did")
        return self._in_same_note(text, receipt, note)

    def _in_same_note(
        self, text: str, receipt: Receipt, note: _NoteText
    ) -> ReceiptCheck:
        span, count = receipt.span, len(note.lines)
        if (now := self._seek(note, receipt)) is not None:
            why = f"the same lines are now {_lines(now)} of the note"
            return ReceiptCheck(text, "moved", _receipt_at(note, now, receipt), why)
        why = f"{_lines(span)} of {note.path} changed"
        if self._left <= 0:
            why = f"{_lines(span)} changed; {note.path} is too long to search fully"
        elif span.end > count:
            why = f"the lines are no longer in {note.path}, which has {count} now"
        return ReceiptCheck(text, "changed", None, why)

    def _seek(self, note: _NoteText, receipt: Receipt) -> Span | None:
        span, digest = receipt.span, receipt.digest
        now, self._left = seek(note.lines, span, digest, self._left)
        return now

    def _in_other_notes(self, text: str, receipt: Receipt) -> ReceiptCheck:
        gone = f"there is no {receipt.path}"
        try:
            for note in self._likely_notes(receipt):
                now = self._seek(note, receipt)
                if now is not None and _is_unique(note, now, receipt):
                    why = f"the same lines are now {_lines(now)} of {note.path}"
                    there = _receipt_at(note, now, receipt)
                    return ReceiptCheck(text, "moved", there, why)
        except IndexAbsent:
            why = f"{gone}, and no index yet to look for another place in"
            return ReceiptCheck(text, "gone", None, why)
        why = f"{gone}, and the lines are in no note that may be it"
        return ReceiptCheck(text, "gone", None, why)

    def _likely_notes(self, receipt: Receipt) -> Iterator[_NoteText]:
        """Yield notes with the name of the one that is gone, or with its heading."""
        rows = self._vault.rows()
        notes = rows.notes(name_key=name_key(receipt.path), limit=MOST_NOTES)
        if receipt.heading:
            notes = [*notes, *rows.notes(heading=receipt.heading, limit=MOST_NOTES)]
        for path in dict.fromkeys(note.path for note in notes):
            if self._left <= 0:
                return
            try:
                yield self._note(path)
            except (FileUnreadable, PathOutsideVault):
                continue

    def _note(self, path: NotePath) -> _NoteText:
        """Return a note as it is on disk now, in the lines that the index counts."""
        if self._last is None or self._last.path != path:
            reason = self._rules.left_out(path)
            if reason is None and kind_of(path) == "attachment":
                reason = "it is no note"
            if reason is not None:
                raise FileUnreadable(path, reason or "it is hidden")
            # as it is indexed, and as receipts count: without credentials
            text = redacted(_text_of(path, self._files.read(path)))
            self._last = _NoteText(path, text, plain_lines(text))
        return self._last


def _text_of(path: NotePath, raw: bytes) -> str:
    decoded = decode(raw)
    if isinstance(decoded, Unreadable):
        raise FileUnreadable(path, decoded.reason)
    text = decoded.text
    if kind_of(path) == "markdown" and not is_excalidraw(path, text):
        return text.removeprefix("\ufeff")  # a note of any size, without parsing it
    return read_note(path, text).text


def _is_unique(note: _NoteText, span: Span, receipt: Receipt) -> bool:
    """Return true if lines are enough to recognise a note of another name by."""
    if name_key(note.path) == name_key(receipt.path):
        return True
    said = "".join(note.lines[span.start - 1 : span.end])
    return sum(map(str.isalnum, said)) >= UNIQUE_CHARS


def _receipt_at(note: _NoteText, span: Span, before: Receipt) -> str:
    heading = before.heading
    if len(note.text) <= PARSED_CHARS:
        headings = read_note(note.path, note.text).headings
        above = [one.text for one in headings if one.line <= span.start]
        heading = above[-1] if above else ""
    text = "\n".join(note.lines[span.start - 1 : span.end])
    return receipt_of(note.path, heading, span, text)


def _lines(span: Span) -> str:
    if span.start == span.end:
        return f"line {span.start}"
    return f"lines {span.start}-{span.end}"
