"""Credentials in notes: callers who are not shown them neither edit nor reveal them."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from secrets import token_hex
from typing import Any, NamedTuple

from glassmind.edit.desk import Desk
from glassmind.edit.page import Page
from glassmind.edit.text_edits import Edited
from glassmind.errors import (
    EditRefused,
    HiddenWords,
    NoMatch,
    NotEditable,
    SeveralMatches,
)
from glassmind.files.read import Unreadable, decode
from glassmind.files.steps import is_trashed
from glassmind.model.edits import Draft, Step
from glassmind.model.notes import Note
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.secrets import HiddenRange, hidden_ranges

_MARK = re.compile(rb"\(hidden(?:: [A-Za-z0-9 .-]{1,40})?\)")

_WORD_LETTERS = 16
"""Of a word that stands for a credential: none is found out while an edit is made."""

_OWNERS = "only the owner can edit that: it holds credentials that are not shown to you"

LEAST_LETTERS = 8
"""So many letters in a row of a credential are a part of it that counts."""

HIDDEN = "(hidden)"
"""What stands for a credential of whichever kind."""

_KEY_END = re.compile(r"-----(?:BEGIN|END)[A-Z0-9 ]+-----")
"""The first or last line of a private key, which by itself says nothing."""

_hidden_letters = lru_cache(maxsize=16)(hidden_ranges)


def refuse_unhiding(draft: Draft) -> None:
    """Refuse a change after which a credential can be read that was hidden before."""
    before = [
        text
        for step in draft.steps
        if step.path and not is_trashed(step.path)
        for text in texts_of(step, step.before)
    ]
    after = [
        text
        for step in draft.steps
        if not is_trashed(step.to)
        for text in texts_of(step, step.after)
    ]
    hidden = hidden_values(before)
    # a heading that holds one would be the name of a note
    is_named = draft.verb == "split" and any(
        value in step.to for step in draft.steps for value in hidden
    )
    if is_named or any(
        _bare_count(value, after) > _bare_count(value, before)
        for value in hidden - hidden_values(after)
    ):
        raise HiddenWords(HIDDEN)


def texts_of(step: Step, raw: bytes | None) -> list[str]:
    found = None if raw is None or step.folder else decode(raw)
    return [] if found is None or isinstance(found, Unreadable) else [found.text]


def hidden_values(texts: Iterable[str]) -> Counter[str]:
    values = (text[start:end] for text in texts for start, end in _hidden_letters(text))
    return Counter(
        value
        for value in values
        if len(value) >= LEAST_LETTERS and not _KEY_END.fullmatch(value)
    )


def _bare_count(value: str, texts: Iterable[str]) -> int:
    """Return how often a value can be read in some texts, or a part that counts."""
    return sum(
        is_bare(text, HiddenRange(found.start(), found.end()), _hidden_letters(text))
        for text in texts
        for found in re.finditer(re.escape(value), text)
    )


def is_bare(text: str, letters: HiddenRange, hidden: Sequence[HiddenRange]) -> bool:
    """True if some letters of a text can be read, or a part of them that counts."""
    if _KEY_END.fullmatch(text[letters.start : letters.end]):
        return False
    least = min(LEAST_LETTERS, letters.end - letters.start)
    at = letters.start
    for start, end in hidden[max(0, bisect_right(hidden, letters) - 1) :]:
        if start >= letters.end:
            break
        if start - at >= least:
            return True
        at = max(at, end)
    return letters.end - at >= least


def refuse_marks(draft: Draft) -> None:
    """Refuse a change that would write, into a note, what stands for a credential."""
    before, after = Counter[bytes](), Counter[bytes]()
    for step in draft.steps:
        if step.before is not None:
            before.update(_MARK.findall(step.before))
            after.update(_MARK.findall(step.after))
    for mark in after - before:
        raise HiddenWords(mark.decode())


def edit_as_shown(raw: bytes, edit: Callable[[bytes], Edited]) -> Edited:
    """Return what an edit makes of a note whose credentials were not shown.

    The edit sees random words in their place. It is refused where it touches one, or
    where a credential could be read after it.
    """
    masked = _Masked.of(raw)
    if masked is None:
        return edit(raw)
    try:
        found = edit(masked.raw)
    except EditRefused as error:
        raise _without_words(masked, error) from None
    after = found.raw.decode()
    text, back = masked.unmasked(after)
    if masked.name in text:  # the edit cut into what stands for a credential
        raise EditRefused(_OWNERS)
    hidden = hidden_ranges(text)
    if any(is_bare(text, letters, hidden) for letters in back):
        raise HiddenWords(HIDDEN)
    if _is_broken(text) and not _is_broken(after):
        raise EditRefused(_OWNERS)
    risks = tuple(map(masked.said, found.risks))
    return Edited(text.encode(), risks, masked.said(found.facts))


def look_as_shown(desk: Desk, page: Page, look: Callable[[Note], object]) -> None:
    """Look for something in a note as it was shown to the caller.

    Refuse what is not found there, whatever the note says.
    """
    masked = None if desk.sight is None else _Masked.of(page.raw)
    if masked is None:
        return
    try:
        look(Page.of(page.path, masked.raw).note)
    except EditRefused as error:
        raise _without_words(masked, error) from None


class _Masked(NamedTuple):
    """A note in which words stand for credentials, and what each of them stands for."""

    raw: bytes
    name: str
    words: re.Pattern[str]
    values: Sequence[str]

    @classmethod
    def of(cls, raw: bytes) -> "_Masked | None":
        """Return a note with words for its credentials; None for one without any."""
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return None  # it is not edited
        hidden = hidden_ranges(text)
        if not hidden:
            return None
        name = f"hidden-{token_hex(_WORD_LETTERS // 2)}"
        masked = "".join(_masked(text, hidden, name)).encode()
        values = [text[start:end] for start, end in hidden]
        return cls(masked, name, re.compile(rf"{name}-(\d+)-"), values)

    def unmasked(self, text: str) -> tuple[str, list[HiddenRange]]:
        """Return a text with the credentials back in it, and where they stand."""
        parts: list[str] = []
        back: list[HiddenRange] = []
        done = at = 0
        for word in self.words.finditer(text):
            value = self.values[int(word[1])]
            parts += [text[done : word.start()], value]
            at += word.start() - done
            back.append(HiddenRange(at, at + len(value)))
            at, done = at + len(value), word.end()
        return "".join((*parts, text[done:])), back

    def said(self, value: Any) -> Any:
        """Return a message or facts without the words for credentials."""
        if isinstance(value, str):
            return self.words.sub(HIDDEN, value)
        if isinstance(value, Mapping):
            return {self.said(name): self.said(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(self.said, value))
        return value


def _masked(text: str, hidden: Sequence[HiddenRange], name: str) -> Iterator[str]:
    done = 0
    for at, (start, end) in enumerate(hidden):
        yield f"{text[done:start]}{name}-{at}-"
        done = end
    yield text[done:]


def _is_broken(text: str) -> bool:
    return read_head(text).frontmatter.error is not None


def _without_words(masked: _Masked, error: EditRefused) -> EditRefused:
    """Return a refusal without the words that stand for credentials."""
    if isinstance(error, NoMatch | SeveralMatches):
        mark = _MARK.search(error.wanted.encode(errors="replace"))
        if mark is not None:
            return HiddenWords(mark[0].decode())
    if type(error) is NoMatch:  # before its lines are cut short
        nearest = masked.said(error.nearest)
        said = NoMatch(error.path, error.wanted, nearest, line=error.line).said
        error.args = (f"{error.place}: {said}" if error.place else said,)
        error.said = said
    error.args = masked.said(error.args)
    for name, value in vars(error).items():
        setattr(error, name, masked.said(value))
    if isinstance(error, NotEditable):
        return EditRefused(f"{error.said}; {_OWNERS}", place=error.place)
    return error
