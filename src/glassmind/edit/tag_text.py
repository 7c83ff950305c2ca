"""A tag with another name in one text: a note, a canvas or a base."""

import re
from collections.abc import Iterator

from glassmind.edit.text.page import Page
from glassmind.errors.editing import BadEdit, EditRefused, NotEditable
from glassmind.model import NotePath
from glassmind.model.editing import ChangeProperty, Splice
from glassmind.model.notes import Note, Tag
from glassmind.obsidian.canvas_refs import Ref, canvas_refs, canvas_respelled
from glassmind.obsidian.folding import fold
from glassmind.obsidian.parse import parse_note
from glassmind.obsidian.property_edits import changed_property
from glassmind.obsidian.splices import spliced
from glassmind.obsidian.tags import is_tag
from glassmind.obsidian.yaml_core import resolve_plain
from glassmind.obsidian.yaml_write import scalar

_ASKED = re.compile(
    rb"\b(?:hasTag|tags[ \t]*\.[ \t]*contains(?:Any|All)?)[ \t]*\([^()\r\n]*\)"
)
"""Where the expressions of a base ask for tags."""

_NAMED = re.compile(rb"(?P<quote>\\?\"|'{1,2})#?(?P<name>[^\\\"'#\s]+)(?P=quote)")
"""A tag in quotes: those of the expression may be escaped by those of YAML."""


def tag_name(given: str) -> str:
    """Return a tag as it is called, without its `#`.

    Raises:
        BadEdit: no tag can be called so.
    """
    name = given.strip().removeprefix("#")
    if not is_tag(name) or not all(name.split("/")):
        raise BadEdit(
            f"{given!r} is no tag: letters, digits, _ - and / between them, and not "
            "digits alone"
        )
    return name


def named_anew(name: str, old: str, new: str) -> str | None:
    """Return what a tag is called afterwards; None for one that keeps its name."""
    steps, size = name.split("/"), old.count("/") + 1
    if fold("/".join(steps[:size])) != fold(old):
        return None
    return "/".join((new, *steps[size:]))


def tag_splices(note: Note, source: bytes, old: str, new: str) -> list[Splice]:
    """Return the splices that give a tag another name in a note, in order.

    An item of the list called `tags` that is there under the new name already is left
    as it is: see `repeated`.
    """
    return [splice for _, splice in _renamed(note, source, old, new)]


def _renamed(
    note: Note, source: bytes, old: str, new: str
) -> Iterator[tuple[Tag, Splice]]:
    spared = {tag.start for tag in repeated(note, old, new)}
    for tag in note.tags:
        name = named_anew(tag.name, old, new)
        if name is None or name == tag.name or tag.start in spared:
            continue
        if not tag.in_properties:
            start = tag.start + 1
            yield tag, Splice(start, tag.end, name.encode())
        elif source[tag.start : tag.end] == tag.name.encode():
            yield tag, Splice(tag.start, tag.end, _item(source, tag, name).encode())
        else:  # written with escapes: the whole scalar
            yield tag, Splice(tag.start, tag.end, scalar(name).encode())


def _item(source: bytes, tag: Tag, name: str) -> str:
    """Return a name as an item of a list, in quotes where it would be no text."""
    quoted = source[tag.start - 1 : tag.start] in (b'"', b"'", b"#")
    plain = resolve_plain(name) == name and name.strip("-") and name[0] != "-"
    return name if quoted or plain else scalar(name)


def repeated(note: Note, old: str, new: str) -> list[Tag]:
    """Return the items of `tags` that would say a second time what another says."""
    if fold(old) == fold(new):  # only its case changes
        return []
    listed = [tag for tag in note.tags if tag.in_properties]
    moved = {tag.start: named_anew(tag.name, old, new) for tag in listed}
    known = {fold(tag.name) for tag in listed if moved[tag.start] is None}
    found: list[Tag] = []
    for tag in listed:
        name = moved[tag.start]
        if name is None:
            continue
        if fold(name) in known:
            found.append(tag)
        known.add(fold(name))
    return found


def retagged(page: Page, old: str, new: str) -> tuple[bytes, int]:
    """Return a note in which a tag has another name, and how often it was there.

    Raises:
        NotEditable: a tag is written in a way that cannot be changed.
    """
    raw = page.with_splices(tag_splices(page.note, page.source, old, new))
    after = Page.of(page.path, raw)
    for tag in repeated(page.note, old, new):
        after = _without(after, tag.name)
    count = sum(named_anew(tag.name, old, new) is not None for tag in page.note.tags)
    if _said(after.note) != _meant(page.note, old, new):
        raise NotEditable(page.path, "a tag in it is written in a way we do not change")
    return after.raw, count


def _without(page: Page, name: str) -> Page:
    """Return a note without one item of its list of tags."""
    for key, value in page.note.frontmatter.properties.items():
        if key.lower() != "tags" or not isinstance(value, list):
            continue
        for item in value:
            if isinstance(item, str) and item.strip().removeprefix("#") == name:
                change = ChangeProperty(key, "remove", item)
                text, newline = page.note.text, page.newline
                splices = changed_property(page.path, text, change, newline)
                return Page.of(page.path, page.with_splices(splices))
    return page


def _said(note: Note) -> list[tuple[str, bool]]:
    return [(tag.name, tag.in_properties) for tag in note.tags]


def _meant(note: Note, old: str, new: str) -> list[tuple[str, bool]]:
    gone = {tag.start for tag in repeated(note, old, new)}
    return [
        (named_anew(tag.name, old, new) or tag.name, tag.in_properties)
        for tag in note.tags
        if tag.start not in gone
    ]


def retagged_canvas(
    path: NotePath, raw: bytes, old: str, new: str
) -> tuple[bytes, int]:
    """Return a canvas on whose text cards a tag has another name, and how often.

    Raises:
        NotEditable: a card is written in a way that cannot be changed.
    """
    changes: list[tuple[Ref, str]] = []
    count = 0
    for ref in canvas_refs(raw):
        if ref.kind != "text" or "#" not in ref.value:
            continue
        # as it is read: a line before the card, so that it has no frontmatter
        note = parse_note(path, f"\n{ref.value}")
        splices = tag_splices(note, note.text.encode(), old, new)
        if splices and note.text == f"\n{ref.value}":
            after = spliced(note.text.encode(), splices).decode()
            if _said(parse_note(path, after)) != _meant(note, old, new):
                raise NotEditable(path, "a card of it is written in an unusual way")
            changes.append((ref, after.removeprefix("\n")))
            count += len(splices)
    if not changes:
        return raw, 0
    try:
        return spliced(raw, canvas_respelled(raw, changes)), count
    except EditRefused as refused:
        raise NotEditable(path, refused.said) from None


def retagged_base(raw: bytes, old: str, new: str) -> tuple[bytes, int]:
    """Return a base whose filters ask for a tag by its new name, and how often.

    A tag has no letter that YAML or an expression would have to escape.
    """
    splices: list[Splice] = []
    for asked in _ASKED.finditer(raw):
        for said in _NAMED.finditer(raw, *asked.span()):
            try:
                name = named_anew(said["name"].decode(), old, new)
            except UnicodeDecodeError:
                continue
            if name is not None:
                splices.append(Splice(*said.span("name"), name.encode()))
    return spliced(raw, splices), len(splices)
