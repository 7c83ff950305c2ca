"""One note added to another, which the links to it lead to then."""

from dataclasses import dataclass, replace
from functools import partial

from glassmind.edit.desk import Desk
from glassmind.edit.joining import Joined, joined
from glassmind.edit.naming import is_taken
from glassmind.edit.parts import Place, Whereabouts, anchors_in, page_at, settled
from glassmind.edit.relinking import Relink, draft_with_links, relinked
from glassmind.edit.seen import is_hidden_from
from glassmind.edit.text.page import Page
from glassmind.edit.universe import Universe, universe_of
from glassmind.errors.editing import BadEdit, EditRefused, NotEditable
from glassmind.files.trash import trash_place
from glassmind.model import Digest, NotePath, PropertyValue
from glassmind.model.editing import ChangeProperty, Draft, Rewritten, Step
from glassmind.model.notes import Note
from glassmind.obsidian.folding import fold
from glassmind.obsidian.property_edits import changed_property
from glassmind.obsidian.subpaths import Outline, Part

UNITED = ("tags", "aliases", "cssclasses")
"""The lists that Obsidian knows: items of both notes are kept."""

OWN = ("title",)
"""What a property says of one note alone."""


@dataclass(frozen=True, slots=True)
class _Merge:
    """Two notes as they are, and where the one goes that is added."""

    desk: Desk
    seen: Universe
    added: Page
    into: Page
    trash: NotePath
    first: Joined


def plan_merge(
    desk: Desk, source: NotePath, into: NotePath, *, expected: Digest | None = None
) -> Draft:
    """Return the change that adds a note to another and puts it into the trash.

    Links to it, its headings and its blocks lead to the other note then. Of properties
    that both have the other's stay; lists of tags and aliases are united. `expected` is
    the digest of the note that is added, as the caller read it.

    Raises:
        BadEdit: they are one note.
        NoteChanged: the note that is added is not what the caller read.
        NotEditable: one of them is no Markdown, or its properties cannot be read.
        EditRefused: something would be read otherwise, or a link would lead elsewhere.
    """
    if source == into:
        raise BadEdit(f"{source} is one note; two are merged")
    added, target = page_at(desk, source, expected), page_at(desk, into)
    if added.note.frontmatter.error is not None:
        reason = f"{added.note.frontmatter.error} They would be lost"
        raise NotEditable(source, reason)
    trash = trash_place(source, partial(is_taken, desk))
    first = joined(target, added, added.note.title)
    merge = _Merge(desk, universe_of(desk), added, target, trash, first)
    return settled(_first(merge), lambda where: _drafted(merge, where))


def _first(merge: _Merge) -> Whereabouts:
    """Return where the parts of both are afterwards, their links as they are."""
    source, into, first = merge.added.path, merge.into.path, merge.first
    places: dict[Place, Place] = {}
    for at in range(len(merge.added.note.headings)):
        then = Part("heading", first.headings + at)
        places[source, Part("heading", at)] = into, then
    for at in range(len(merge.added.note.block_ids)):
        places[source, Part("block", at)] = into, Part("block", first.blocks + at)
    before = {
        page.path: Outline.of_note(page.note) for page in (merge.added, merge.into)
    }
    after = {into: Outline.of_note(first.page.note)}
    return Whereabouts(before, after, places, {source: into}, anchors_in(merge.desk))


def _drafted(merge: _Merge, where: Whereabouts) -> Draft:
    desk, seen = merge.desk, merge.seen
    source, into = merge.added.path, merge.into.path
    gone = Step(source, merge.trash, merge.added.raw, merge.added.raw)
    after = seen.ends_after(seen.renames([gone]))
    relink = Relink(
        seen.ends(),
        after,
        {},
        where.wanted,
        desk.settings(),
        is_hidden=is_hidden_from(desk),
    )
    moved = relinked(source, merge.added.raw, into, relink)
    own = relinked(into, merge.into.raw, into, relink)
    added = Page.of(source, moved.raw)
    both = joined(Page.of(into, own.raw), added, merge.added.note.title)
    if both.headings != merge.first.headings:
        raise EditRefused(f"the headings of {source} and {into} cannot be told apart")
    page, risks = _with_properties(both.page, added.note)
    draft = draft_with_links(
        desk,
        "merge",
        f"merge {source} into {into}",
        [Step(into, into, merge.into.raw, page.raw), gone],
        wanted=where.wanted,
        targets=list(where.before),
        settled=[into],
        universe=seen,
        risks=[*_risks(merge, both), *risks, *moved.risks, *own.risks],
        facts={"heading": both.title},
    )
    links, files = draft.rewritten
    count = moved.links + own.links
    return replace(draft, rewritten=Rewritten(links + count, files + bool(count)))


def _risks(merge: _Merge, both: Joined) -> list[str]:
    found: list[str] = []
    if both.title:
        found.append(
            f"both have headings of one name: those of {merge.added.path} come below "
            f"the heading {both.title}"
        )
    return found


def _with_properties(page: Page, added: Note) -> tuple[Page, list[str]]:
    """Return a note with the properties it lacks, and what gave way."""
    risks: list[str] = []
    for name, value in added.frontmatter.properties.items():
        had = _held(page.note, name)
        if had is None:
            if name.lower() not in OWN:
                page = _changed(page, ChangeProperty(name, "set", value))
        elif name.lower() in UNITED and isinstance(value, list):
            for item in value:
                if not _holds(had[1], item):
                    page = _changed(page, ChangeProperty(had[0], "add", item))
        elif had[1] != value:
            risks.append(f"{name} stays {had[1]!r}; {value!r} of {added.path} is left")
    try:
        return _with_alias(page, added.title), risks
    except NotEditable as refused:
        return page, [*risks, f"{added.title} becomes no alias: {refused.reason}"]


def _with_alias(page: Page, alias: str) -> Page:
    """Return a note that is also called so, where its aliases are a list or none."""
    had = _held(page.note, "aliases")
    if fold(alias) == fold(page.note.title) or (had and _holds(had[1], alias)):
        return page
    if had is not None and not isinstance(had[1], list | None):
        return page
    if had is None or had[1] is None:
        name = "aliases" if had is None else had[0]
        return _changed(page, ChangeProperty(name, "set", [alias]))
    return _changed(page, ChangeProperty(had[0], "add", alias))


def _held(note: Note, name: str) -> tuple[str, PropertyValue] | None:
    for key, value in note.frontmatter.properties.items():
        if key.lower() == name.lower():
            return key, value
    return None


def _holds(values: PropertyValue, item: PropertyValue) -> bool:
    """Whether an item is in a list, whatever its case and a `#` before it."""

    def form(value: PropertyValue) -> object:
        return (
            fold(value.strip().removeprefix("#")) if isinstance(value, str) else value
        )

    items = values if isinstance(values, list) else [values]
    return form(item) in [form(one) for one in items]


def _changed(page: Page, change: ChangeProperty) -> Page:
    splices = changed_property(page.path, page.note.text, change, page.newline)
    return Page.of(page.path, page.with_splices(splices))
