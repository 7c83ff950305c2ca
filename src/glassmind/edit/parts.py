"""Where the headings and blocks of notes are after a change, for the links to them.

A change says what a note's outline was, what it is then, and which part became which;
this tells what a link that led to a part must say to lead there still.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeAlias

from glassmind.edit.desk import Desk
from glassmind.edit.naming import read_for_edit
from glassmind.edit.text.page import Page
from glassmind.errors.editing import EditRefused
from glassmind.files.decode import Unreadable, decode
from glassmind.model import Digest, NotePath
from glassmind.model.editing import Draft
from glassmind.obsidian.read import read_note
from glassmind.obsidian.subpaths import Outline, Part, anchor_of

Place: TypeAlias = tuple[NotePath, Part]

MOST_ROUNDS = 5
"""How often a draft is made anew; a heading with a link to a heading takes two."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """The outlines of notes before and after a change, and which part became which.

    `parts` names those that are elsewhere then, in their own note or another; the
    others keep their place in `whole`, which is where a whole note went. `anchored`
    tells whether a Markdown link of a note has a subpath: only such a one may name an
    anchor.
    """

    before: Mapping[NotePath, Outline]
    after: Mapping[NotePath, Outline]
    parts: Mapping[Place, Place] = field(default_factory=dict)
    whole: Mapping[NotePath, NotePath] = field(default_factory=dict)
    anchored: Callable[[NotePath, str], bool] = lambda _path, _subpath: False

    def wanted(
        self, target: NotePath, subpath: str | None, source: NotePath
    ) -> tuple[NotePath, str | None]:
        """Return where a link should lead that led to a part of a note.

        One that led to no part keeps what it says.

        Raises:
            EditRefused: no link could tell the part from another.
        """
        home = self.whole.get(target, target)
        before = self.before.get(target)
        if before is None or not subpath:
            return home, subpath
        part = before.meant(subpath)
        if part is None:
            part = before.meant(subpath, markdown=True)
            if part is None or not self.anchored(source, subpath):
                return home, subpath
        landed = self.place(target, part)
        after = self.after.get(landed[0])
        if after is None:
            return landed[0], subpath
        return landed[0], self._named(target, part, subpath, landed, after)

    def place(self, target: NotePath, part: Part) -> Place:
        """Return where a part is afterwards."""
        home = self.whole.get(target, target)
        return self.parts.get((target, part), (home, part))

    def _named(
        self, target: NotePath, part: Part, subpath: str, landed: Place, after: Outline
    ) -> str:
        """Return a subpath for a part, as much like the one before as can be."""
        home, now = landed
        before = self.before[target]
        anchored = before.meant(subpath) is None
        if after.meant(subpath, markdown=anchored) == now:
            return subpath
        if anchored:
            anchor = f"#{anchor_of(after.texts[now.at])}"
            if after.meant(anchor, markdown=True) == now:
                return anchor
        if part.kind == "heading":
            named = self._chained(target, part, subpath, home)
            if named is not None and after.meant(named) == now:
                return named
        address = after.address(now)
        if address is None:
            raise EditRefused(
                f"links to {target}{subpath} would lead elsewhere: nothing tells it "
                f"from another of its name in {home}"
            )
        return address

    def _chained(
        self, target: NotePath, part: Part, subpath: str, home: NotePath
    ) -> str | None:
        """Return the same steps in today's words; None where they are not below."""
        chain = self.before[target].chain(subpath, part)
        places = [self.place(target, Part("heading", at)) for at in chain]
        if not places or any(path != home for path, _ in places):
            return None
        return self.after[home].spelled([step.at for _, step in places])


def settled(first: Whereabouts, make: Callable[[Whereabouts], Draft]) -> Draft:
    """Return a draft in which the links to every heading that it changes are carried.

    `make` drafts the change for outlines as they are thought to be. A heading may hold
    a link, and get other words by its rewriting; so it is asked again until the
    outlines that come of it are those that it was made for.

    Raises:
        EditRefused: that has no end.
    """
    where = first
    for _ in range(MOST_ROUNDS):
        draft = make(where)
        now = _seen_in(draft, where)
        if (now.before, now.after) == (where.before, where.after):
            return draft
        where = now
    raise EditRefused("headings hold links to each other that cannot all be carried")


def _seen_in(draft: Draft, where: Whereabouts) -> Whereabouts:
    """Return the outlines that a draft leaves, also of notes it changes by the way."""
    before, after = dict(where.before), dict(where.after)
    for path, to, was, text, _ in draft.steps:
        if to in after:
            after[to] = outline_of(to, text)
        elif path is not None and was is not None and path not in before:
            if not path.lower().endswith(".md"):
                continue
            old, new = outline_of(path, was), outline_of(to, text)
            if (old.forms, old.raw_forms) != (new.forms, new.raw_forms):
                before[path], after[to] = old, new
    return replace(where, before=before, after=after)


def outline_of(path: NotePath, raw: bytes) -> Outline:
    """Return the outline of a note from its bytes; one that is no text has none."""
    found = decode(raw)
    if isinstance(found, Unreadable):
        return Outline.of(())
    return Outline.of_note(read_note(path, found.text))


def anchors_in(desk: Desk) -> Callable[[NotePath, str], bool]:
    """Return what tells whether a Markdown link of a note has a subpath."""

    @lru_cache(maxsize=64)
    def subpaths(path: NotePath) -> frozenset[str | None]:
        found = decode(desk.files.read(path) or b"")
        if isinstance(found, Unreadable):
            return frozenset()
        links = read_note(path, found.text).links
        return frozenset(link.subpath for link in links if link.kind == "markdown")

    return lambda path, subpath: subpath in subpaths(path)


def page_at(desk: Desk, path: NotePath, expected: Digest | None = None) -> Page:
    """Return a note as it is on the disk now.

    Raises:
        NoteNotFound: there is none.
        NoteChanged: it is not what the caller read, by the digest that is `expected`.
        NotEditable: it is no Markdown, no text, or a damaged one.
    """
    desk.handed([path])  # what is said of a change tells of the text, be it refused
    return Page.of(path, read_for_edit(desk, path, expected))
