"""Giving a tag, and those below it, another name."""

from collections.abc import Iterator

from glassmind.editing.text.page import Page
from glassmind.errors.editing import BadEdit, NotEditable
from glassmind.markdown.folding import fold
from glassmind.markdown.tags import is_tag
from glassmind.markdown.yaml_core import resolve_plain
from glassmind.markdown.yaml_write import scalar
from glassmind.types.editing import Splice
from glassmind.types.notes import Note, Tag


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
    count = sum(named_anew(tag.name, old, new) is not None for tag in page.note.tags)
    if _said(after.note) != _meant(page.note, old, new):
        raise NotEditable(page.path, "a tag in it is written in a way we do not change")
    return raw, count


def _said(note: Note) -> list[tuple[str, bool]]:
    return [(tag.name, tag.in_properties) for tag in note.tags]


def _meant(note: Note, old: str, new: str) -> list[tuple[str, bool]]:
    gone = {tag.start for tag in repeated(note, old, new)}
    return [
        (named_anew(tag.name, old, new) or tag.name, tag.in_properties)
        for tag in note.tags
        if tag.start not in gone
    ]
