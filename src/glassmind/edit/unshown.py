"""Edits of who is not shown credentials: made on what was shown.

Whoever reads `(hidden: AWS key)` may want to replace that, or write it back with the
line around it. The one finds nothing, and the other would put the words in the place of
the key: both are refused with a sentence that says so.

Such an edit never sees a credential. It is made on a note in which a word that nobody
can know stands for each, and what stood there is put back afterwards: so nobody finds
out a key by trying letters. Where one could be read then, as the words that told it are
gone, the edit is refused.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple

from glassmind.edit.text.apply import Edited
from glassmind.edit.text.page import Page
from glassmind.edit.unhiding import HIDDEN, is_bare
from glassmind.errors.editing import (
    EditRefused,
    HiddenWords,
    NoMatch,
    NotEditable,
    SeveralMatches,
)
from glassmind.files.decode import Unreadable, decode
from glassmind.model.editing import Draft
from glassmind.model.notes import Note
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.secret_spans import Letters, hidden_letters

if TYPE_CHECKING:
    from glassmind.edit.desk import Desk

_MARK = re.compile(rb"\(hidden(?:: [A-Za-z0-9 .-]{1,40})?\)")

LETTERS = 16
"""Of a word that stands for a credential: none is found out while an edit is made."""

_OWNERS = "only the owner can edit that: it holds credentials that are not shown to you"


def as_shown(raw: bytes, edit: Callable[[bytes], Edited]) -> Edited:
    """Return what an edit makes of a note of which credentials were not shown.

    Raises:
        EditRefused: it cannot be made of what was shown.
        HiddenWords: it is about what stands in the place of a credential, or one could
            be read after it.
    """
    page = _Veiled.of(raw)
    if page is None:
        return edit(raw)
    try:
        found = edit(page.raw)
    except EditRefused as error:
        raise _told(page, error) from None
    after = _text(found.raw)
    if after is None:
        raise EditRefused(_OWNERS)
    text, back = page.lifted(after)
    if page.name in text:  # the edit cut into what stands for a credential
        raise EditRefused(_OWNERS)
    hidden = hidden_letters(text)
    if any(is_bare(text, one, hidden) for one in back):
        raise HiddenWords(HIDDEN)
    if _is_broken(text) and not _is_broken(after):
        raise EditRefused(_OWNERS)
    risks = tuple(map(page.said, found.risks))
    return Edited(page.written(text), risks, page.said(found.facts))


def look_as_shown(desk: "Desk", page: Page, look: Callable[[Note], object]) -> None:
    """Look for something in a note as it was shown to whoever asks.

    Raises:
        EditRefused: it is not found there, whatever the note says.
    """
    if desk.sight is None:
        return
    veiled = _Veiled.of(page.raw)
    if veiled is None:
        return
    try:
        look(Page.of(page.path, veiled.raw).note)
    except EditRefused as error:
        raise _told(veiled, error) from None


def refuse_marks(draft: Draft) -> None:
    """Refuse a change that would write, into a note, what stands for a credential.

    Raises:
        HiddenWords: it would.
    """
    before, after = Counter[bytes](), Counter[bytes]()
    for step in draft.steps:
        if step.before is not None:
            before.update(_MARK.findall(step.before))
            after.update(_MARK.findall(step.after))
    for mark in after - before:
        raise HiddenWords(mark.decode())


class _Veiled(NamedTuple):
    """A note in which words stand for credentials, and what each of them stands for.

    `lead` is what stands before the text in the file, which is in an `encoding`.
    """

    raw: bytes
    name: str
    words: re.Pattern[str]
    values: Sequence[str]
    lead: bytes
    encoding: str

    @classmethod
    def of(cls, raw: bytes) -> "_Veiled | None":
        """Return a note with words for its credentials; None for one without any.

        Raises:
            EditRefused: its text cannot be written as its file is.
        """
        found = decode(raw)
        if isinstance(found, Unreadable):
            return None
        hidden = hidden_letters(found.text)
        if not hidden:
            return None
        body = found.text.encode(found.encoding, "replace")
        lead = raw[: max(0, len(raw) - len(body))]
        if lead + body != raw:
            raise EditRefused(_OWNERS)
        name = f"hidden-{token_hex(LETTERS // 2)}"
        veiled = "".join(_veiled(found.text, hidden, name)).encode(found.encoding)
        values = [found.text[start:end] for start, end in hidden]
        words = re.compile(rf"{name}-(\d+)-")
        return cls(lead + veiled, name, words, values, lead, found.encoding)

    def lifted(self, text: str) -> tuple[str, list[Letters]]:
        """Return a text with the credentials back in it, and where they stand."""
        parts: list[str] = []
        back: list[Letters] = []
        done = at = 0
        for word in self.words.finditer(text):
            value = self.values[int(word[1])]
            parts += [text[done : word.start()], value]
            at += word.start() - done
            back.append(Letters(at, at + len(value)))
            at, done = at + len(value), word.end()
        return "".join((*parts, text[done:])), back

    def written(self, text: str) -> bytes:
        """Return a text as the file has it.

        Raises:
            EditRefused: its encoding lacks a letter.
        """
        try:
            return self.lead + text.encode(self.encoding)
        except UnicodeEncodeError:
            raise EditRefused(_OWNERS) from None

    def said(self, value: Any) -> Any:
        """Return what is told of an edit, without the words for credentials."""
        if isinstance(value, str):
            return self.words.sub(HIDDEN, value)
        if isinstance(value, Mapping):
            return {self.said(name): self.said(one) for name, one in value.items()}
        if isinstance(value, list):
            return list(map(self.said, value))
        if isinstance(value, tuple):
            return tuple(map(self.said, value))
        return value


def _veiled(text: str, hidden: Sequence[Letters], name: str) -> Iterator[str]:
    done = 0
    for at, (start, end) in enumerate(hidden):
        yield f"{text[done:start]}{name}-{at}-"
        done = end
    yield text[done:]


def _text(raw: bytes) -> str | None:
    found = decode(raw)
    return None if isinstance(found, Unreadable) else found.text


def _is_broken(text: str) -> bool:
    return read_head(text).frontmatter.error is not None


def _told(page: _Veiled, error: EditRefused) -> EditRefused:
    """Return a refusal as it is told: no words in it that stand for a credential."""
    if isinstance(error, NoMatch | SeveralMatches):
        mark = _MARK.search(error.wanted.encode(errors="replace"))
        if mark is not None:
            return HiddenWords(mark[0].decode())
    if type(error) is NoMatch:  # before its lines are cut short
        nearest = page.said(error.nearest)
        said = NoMatch(error.path, error.wanted, nearest, line=error.line).said
        error.args = (f"{error.place}: {said}" if error.place else said,)
        error.said = said
    error.args = page.said(error.args)
    for name, value in vars(error).items():
        setattr(error, name, page.said(value))
    if isinstance(error, NotEditable):
        return EditRefused(f"{error.said}; {_OWNERS}", place=error.place)
    return error
