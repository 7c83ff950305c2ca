"""What became of the lines that receipts are for, told by the files themselves.

The index may be behind; it is asked only where to look for a note that is gone.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from glassmind.context.approved import approved_since
from glassmind.context.parts import ContextParts
from glassmind.context.seeking import (
    MOST_CHARS,
    Effort,
    plain_lines,
    seek,
    stands_at,
)
from glassmind.context.tracing import likely
from glassmind.errors import (
    FileGone,
    FileUnreadable,
    IndexAbsent,
    NoReceipts,
    PathOutsideVault,
)
from glassmind.files.names import name_key
from glassmind.files.read import Unreadable, VaultFiles, check_parts, decode
from glassmind.files.scan import kind_of, scan
from glassmind.model import NotePath, Span
from glassmind.model.context import Receipt, Verified
from glassmind.obsidian.notes import is_excalidraw, read_note
from glassmind.obsidian.receipts import FORM, parse_receipt, receipt_of
from glassmind.obsidian.secrets import redacted

PARSED_CHARS = 4_000_000
"""Of a longer note no headings are read: that would take seconds."""

TELLING = 16
"""Letters and digits from which lines are nobody else's: `- [ ] call` is anybody's."""


class Page(NamedTuple):
    """A note as it stands on disk now: its text, and the lines of it."""

    path: NotePath
    text: str
    lines: list[str]


def verify(shelf: ContextParts, texts: Sequence[str]) -> list[Verified]:
    """Return what became of the lines that receipts are for, in their order.

    A text that is no receipt, or leads out of the vault, is "bad", and the others are
    verified all the same.

    Raises:
        NoReceipts: there are no texts.
        VaultMissing: the vault's folder is not there.
    """
    if not texts:
        raise NoReceipts
    read = [_receipt(text) for text in texts]
    found = {at: one for at, one in enumerate(read) if isinstance(one, Verified)}
    sound = [(one, at) for at, one in enumerate(read) if isinstance(one, Receipt)]
    with shelf.files() as files:
        desk = _Desk(shelf, files)
        sought = []
        # by path, so that each note is read once
        for receipt, at in sorted(sound, key=lambda pair: pair[0].path):
            there = desk.standing(texts[at].strip(), receipt)
            if there is None:
                sought.append((receipt, at))
            else:
                found[at] = there
        for left, (receipt, at) in zip(range(len(sought), 0, -1), sought, strict=True):
            found[at] = desk.sought(texts[at].strip(), receipt, left)
    return [found[at] for at in range(len(texts))]


def _receipt(text: str) -> Receipt | Verified:
    """Return the receipt that a text is, or else why it is none that can be used."""
    found, said = parse_receipt(text), text.strip()
    if found is None:
        return Verified(
            said, "bad", None, f"not a receipt; a receipt has the form {FORM}"
        )
    try:
        check_parts(found.path)
    except PathOutsideVault as fault:
        return Verified(said, "bad", None, str(fault))
    return found


class _Desk:
    """One look at the vault: the note read last, and how much was looked at."""

    def __init__(self, shelf: ContextParts, files: VaultFiles) -> None:
        self._shelf, self._files = shelf, files
        self._rules, self._effort = shelf.rules(), Effort()
        self._left = MOST_CHARS
        self._last: Page | None = None

    def standing(self, text: str, receipt: Receipt) -> Verified | None:
        """Return that lines stand where they did, or cannot be read; None else."""
        try:
            page = self._page(receipt.path)
        except FileGone:
            return None
        except (FileUnreadable, PathOutsideVault) as fault:
            return Verified(text, "unread", None, str(fault))
        if stands_at(page.lines, receipt.span, receipt.digest):
            return Verified(text, "unchanged", text, "the lines stand as they did")
        return None

    def sought(self, text: str, receipt: Receipt, receipts: int) -> Verified:
        """Return what became of lines that do not stand where they did.

        So many receipts, this one among them, share what may still be looked at: one
        huge note must not keep the others from being looked for.
        """
        share = self._left // receipts
        self._effort = Effort(share)
        try:
            return self._sought(text, receipt)
        finally:
            self._left -= share - self._effort.left

    def _sought(self, text: str, receipt: Receipt) -> Verified:
        span = receipt.span
        try:
            page = self._page(receipt.path)
        except FileGone:
            return self._elsewhere(text, receipt)
        except (FileUnreadable, PathOutsideVault) as fault:
            return Verified(text, "unread", None, str(fault))
        now = seek(page.lines, span, receipt.digest, self._effort)
        if now is not None:
            said = f"the same lines are now {_lines(now)} of the note"
            return Verified(text, "moved", _receipt_at(page, now, receipt), said)
        approved = self._approved(text, receipt, page)
        if approved is not None:
            return approved
        return Verified(text, "changed", None, self._changed(page, span))

    def _approved(self, text: str, receipt: Receipt, page: Page) -> Verified | None:
        """Return what became of lines of a capture that was approved since, if so."""
        found = approved_since(page.lines, receipt, self._effort)
        if found is None:
            return None
        if found.span is None:
            said = f"it was approved since, and {page.path} says no more that it waits"
            return Verified(text, "changed", None, said)
        now, span = _receipt_at(page, found.span, receipt), _lines(found.span)
        said = f"it was approved since; what it says is now {span} of {page.path}"
        return Verified(text, "moved", now, said)

    def _changed(self, page: Page, span: Span) -> str:
        count = len(page.lines)
        if self._effort.is_spent:
            return (
                f"{_lines(span)} changed; {page.path} is too long to look all through"
            )
        if span.end > count:
            return f"the lines are no longer in {page.path}, which has {count} now"
        return f"{_lines(span)} of {page.path} changed"

    def _elsewhere(self, text: str, receipt: Receipt) -> Verified:
        """Look for lines whose note is not where it was."""
        looked = 0
        gone = f"there is no {receipt.path}"
        try:
            traces = self._shelf.traces()
            for path in likely(receipt, traces, lambda: self._new, self._effort):
                page = self._page_if_any(path)
                if page is None:
                    continue
                looked += 1
                now = seek(page.lines, receipt.span, receipt.digest, self._effort)
                if now is not None and _tells(page, now, receipt):
                    said = f"the same lines are now {_lines(now)} of {path}"
                    there = _receipt_at(page, now, receipt)
                    return Verified(text, "moved", there, said)
                if name_key(path) == name_key(receipt.path):
                    approved = self._approved(text, receipt, page)
                    if approved is not None:
                        return approved
        except IndexAbsent:
            said = f"{gone}, and no index yet to look for another place in"
            return Verified(text, "gone", None, said)
        said = (
            f"{gone}, and the lines are in no note that may be it ({looked} looked at"
        )
        said += ", then given up)" if self._effort.is_spent else ")"
        return Verified(text, "gone", None, said)

    def _page_if_any(self, path: NotePath) -> Page | None:
        if self._effort.is_spent:
            return None
        try:
            return self._page(path)
        except (FileUnreadable, PathOutsideVault):
            return None

    def _page(self, path: NotePath) -> Page:
        """Return a note as it stands on disk now, in the lines that the index counts.

        Raises:
            FileUnreadable: it is gone, or none that is read.
            PathOutsideVault: a symbolic link stands in its path.
        """
        if self._last is None or self._last.path != path:
            self._check(path)
            # as it is indexed, and as receipts count: without credentials
            text = redacted(_text_of(path, self._files.read(path)))
            self._last = Page(path, text, plain_lines(text))
        return self._last

    def _check(self, path: NotePath) -> None:
        """Refuse what the index leaves out: nobody is told what is in it."""
        reason = self._rules.left_out(path)
        if reason is None and kind_of(path) == "attachment":
            reason = "it is no note"
        if reason is not None:
            raise FileUnreadable(path, reason or "it is hidden")

    @cached_property
    def _new(self) -> list[NotePath]:
        """The notes that the index does not know yet, those changed last first."""
        known = self._shelf.traces().stamps()
        found = scan(self._shelf.root, self._rules, known).changed
        new = [one for one in found if one.path not in known]
        new.sort(key=lambda one: (-one.mtime_ns, one.path))
        return [one.path for one in new if one.kind != "attachment"]


def _text_of(path: NotePath, raw: bytes) -> str:
    """Return the text that is indexed of a file.

    Raises:
        FileUnreadable: it holds none.
    """
    decoded = decode(raw)
    if isinstance(decoded, Unreadable):
        raise FileUnreadable(path, decoded.reason)
    text = decoded.text
    if kind_of(path) == "markdown" and not is_excalidraw(path, text):
        return text.removeprefix("\ufeff")  # a note of any size, without parsing it
    return read_note(path, text).text


def _tells(page: Page, span: Span, receipt: Receipt) -> bool:
    """Whether lines say enough to be those of a note that went by another name."""
    if name_key(page.path) == name_key(receipt.path):
        return True
    said = "".join(page.lines[span.start - 1 : span.end])
    return sum(map(str.isalnum, said)) >= TELLING


def _receipt_at(page: Page, span: Span, before: Receipt) -> str:
    """Return the receipt of lines at another place, with all of its own digest."""
    text = "\n".join(page.lines[span.start - 1 : span.end])
    return receipt_of(page.path, _heading_at(page, span, before.heading), span, text)


def _heading_at(page: Page, span: Span, before: str) -> str:
    if len(page.text) > PARSED_CHARS:
        return before
    headings = read_note(page.path, page.text).headings
    above = [one.text for one in headings if one.line <= span.start]
    return above[-1] if above else ""


def _lines(span: Span) -> str:
    if span.start == span.end:
        return f"line {span.start}"
    return f"lines {span.start}-{span.end}"
