"""Giving a heading other words, and carrying the links to it."""

import re
from dataclasses import replace
from typing import NamedTuple

from glassmind.edit.back_links import OUTLINED, noting_early
from glassmind.edit.desk import Desk
from glassmind.edit.parts import (
    Whereabouts,
    anchors_in,
    page_at,
    settled,
)
from glassmind.edit.relinking import EARLY, draft_with_links
from glassmind.edit.text.headings import heading_meant
from glassmind.edit.text.page import Page
from glassmind.edit.universe import universe_of
from glassmind.edit.unshown import look_as_shown
from glassmind.errors.editing import BadEdit
from glassmind.model import Digest, NotePath
from glassmind.model.editing import Draft, Splice, Step
from glassmind.model.notes import Note
from glassmind.obsidian.subpaths import Outline, heading_words

_CLOSING = re.compile(r"(?:(?<=\s)|^)(#+)$")
_MARKS = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_BLOCK_END = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+$")


def plan_rename_heading(  # noqa: PLR0913 - each fact by its name
    desk: Desk,
    note: NotePath,
    heading: str,
    new: str,
    index: int | None = None,
    *,
    expected: Digest | None = None,
) -> Draft:
    """Return the change that gives a heading other words, and links to it too.

    `heading` is its text, or a nested path; `index` chooses among several, from 0.
    `expected` is the digest that the caller read.

    Raises:
        NoMatch, SeveralMatches: no one heading is called so.
        BadEdit: the new words are none of a heading.
        NoteChanged: the note is not what the caller read.
        EditRefused: links to it or to another would lead elsewhere.
    """
    page = page_at(desk, note, expected)
    look_as_shown(desk, page, lambda shown: heading_meant(shown, heading, index))
    done = renamed_heading(page, heading, new, index)
    if done.raw == page.raw:
        raise BadEdit(f"a heading of {note} is called {new!r} already")
    before, after = Outline.of_note(page.note), Outline.of_note(done.note)
    seen, step = universe_of(desk), Step(note, note, page.raw, done.raw)
    old = before.texts[done.at]
    early: set[NotePath] = set()

    def make(where: Whereabouts) -> Draft:
        draft = draft_with_links(
            desk,
            "rename-heading",
            f"rename the heading {old} of {note} to {after.texts[done.at]}",
            [step],
            wanted=noting_early(where, early),
            targets=list(where.before),
            universe=seen,
            risks=_risks(page, done, after),
            facts={"heading": old, "line": page.note.headings[done.at].line},
        )
        facts = {OUTLINED: note, EARLY: sorted(early)}
        return replace(draft, facts={**draft.facts, **facts})

    return settled(
        Whereabouts({note: before}, {note: after}, anchored=anchors_in(desk)), make
    )


def _risks(page: Page, done: "Renamed", after: Outline) -> list[str]:
    form, heading = after.forms[done.at], page.note.headings[done.at]
    found = [
        f"line {twin.line} has a heading of that name too"
        for at, twin in enumerate(done.note.headings)
        if at != done.at and after.forms[at] == form
    ]
    inside = [
        one for one in page.note.links if heading.start <= one.start < heading.end
    ]
    if len(page.note.links) > len(done.note.links):
        found += [f"the link to {one.target} in the heading goes" for one in inside]
    return found


class Renamed(NamedTuple):
    """A note with a heading that has other words: its bytes, and its outline."""

    raw: bytes
    note: Note
    at: int


def renamed_heading(page: Page, heading: str, new: str, index: int | None) -> Renamed:
    """Return a note in which one heading has other words; nothing else changes.

    Marks, the rule beneath it and its block id stay; the new words may be said with the
    marks of its level.

    Raises:
        NoMatch, SeveralMatches: no one heading is called so.
        BadEdit: the new words are none, or would be read as something else; or there
            is no such index.
    """
    words = _words(new)
    at = heading_meant(page.note, heading, index)
    words = _unmarked(words, page.note.headings[at].level)
    start, end = heading_words(page.source, page.note.headings[at])
    gap = b" " if page.source[start - 1 : start] == b"#" else b""
    behind = page.source[end : end + 1]
    gap_end = b" " if start == end and behind in (b"#", b"^") else b""
    splice = Splice(start, end, gap + words.encode() + gap_end)
    raw = page.with_splices([splice])
    after = Page.of(page.path, raw).note
    if not _reads_so(page.note, after, at, words):
        raise BadEdit(f"{new!r} would not be read as the words of that heading")
    return Renamed(raw, after, at)


def _words(new: str) -> str:
    words = new.strip()
    if not words or "\n" in words or "\r" in words:
        raise BadEdit("a heading has words, and on one line")
    if _BLOCK_END.search(words):
        raise BadEdit(f"{new!r} ends as a block id; a heading's words do not")
    return _CLOSING.sub(lambda found: "\\" + found[1], words)


def _unmarked(words: str, level: int) -> str:
    """Return words without the marks of their level, which a heading keeps."""
    marks = _MARKS.match(words)
    if marks is not None and len(marks[1]) == level:
        words = words[marks.end() :]
    if not words or _MARKS.match(words):
        raise BadEdit(
            f"a heading keeps its level, which is {level}: say its new words without # "
            "before them, or with \\# where they begin so"
        )
    return words


def _reads_so(before: Note, after: Note, at: int, words: str) -> bool:
    """Whether a note differs in the words of one heading, and in nothing else."""
    old, new = list(before.headings), list(after.headings)
    if len(old) != len(new):
        return False
    source = after.text.encode()
    start, end = heading_words(source, new[at])
    if source[start:end].decode() != words:
        return False
    same = [
        (a.level, a.text) == (b.level, b.text) for a, b in zip(old, new, strict=True)
    ]
    same[at] = old[at].level == new[at].level
    ids = [block.name for block in before.block_ids]
    return all(same) and ids == [block.name for block in after.block_ids]
