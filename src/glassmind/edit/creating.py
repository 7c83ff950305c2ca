"""A new note thought out: its name and folder, its properties, template and text."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from glassmind.edit.desk import Desk
from glassmind.edit.naming import named_template
from glassmind.edit.new_names import check_new_name, trimmed
from glassmind.edit.places import Disk
from glassmind.edit.templates import filled
from glassmind.edit.text.page import Page
from glassmind.errors.editing import BadEdit, NotEditable
from glassmind.files.paths import safe_path
from glassmind.files.resolve import NOTE_SUFFIX
from glassmind.model import NotePath, PropertyValue
from glassmind.model.editing import ChangeProperty
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.property_edits import with_property

TITLE = "title"

_ENDS = re.compile(r"\r\n?")
_MARK = "\ufeff"


class Pattern(NamedTuple):
    """The text of a template, and what ends its lines."""

    text: str = ""
    newline: str = "\n"


def new_note(  # noqa: PLR0913 - each fact by its name
    desk: Desk,
    title: str,
    text: str,
    *,
    folder: str | None = None,
    properties: Mapping[str, PropertyValue] | None = None,
    template: str = "",
    titled: bool = False,
) -> tuple[NotePath, bytes]:
    """Return the path and the bytes of a note that is to be made; nothing is written.

    With `titled` it gets its name as the property `title`, unless that is given: given
    as nothing, there is none.

    Raises:
        NameTaken: there is such a file.
        BadEdit: no note can have that name, property or text.
        NoteNotFound, AmbiguousName: no one template is called so.
        PathOutsideVault: the path leaves the vault.
        FileUnreadable: the template is left out of the index, or not downloaded.
    """
    settings = desk.settings()
    usual = settings.new_notes or ""
    disk = Disk(desk)
    path = note_path(title, folder, usual, desk.agent_folder, disk.is_folder)
    disk.refuse_taken(path)
    pattern = _pattern(desk, template) if template else Pattern()
    given = dict(properties or {})
    if titled:
        given = _titled(given, base_name(path))
    said = note_text(path, text, given, pattern=pattern, now=desk.now())
    return path, said.encode()


def note_path(
    title: str,
    folder: str | None,
    usual: str,
    agent_folder: str = "",
    is_there: Callable[[str], bool] = lambda _: False,
) -> NotePath:
    """Return the path of a note by its title, or by its path from the vault's folder.

    Without a folder, a title stands in the `usual` one and a path where it says.
    `is_there` tells of folders that are there, whatever they are called.

    Raises:
        BadEdit: a sign in it is none for names, or a part of it is empty or too long.
        PathOutsideVault: it leaves the vault.
    """
    name = trimmed(title)
    name = name[: -len(NOTE_SUFFIX)] if name.lower().endswith(NOTE_SUFFIX) else name
    place = folder if folder is not None else "" if "/" in name else usual
    whole = f"{place.strip().strip('/')}/{name}".removeprefix("/")
    check_new_name(whole + NOTE_SUFFIX, is_there=is_there)
    path = safe_path(whole + NOTE_SUFFIX)
    for part in whole.split("/"):
        if part.startswith(".") and part != agent_folder:
            raise BadEdit(f"{part[:80]!r} begins with a dot: Obsidian would not see it")
    return path


def base_name(path: NotePath) -> str:
    """Return what a note is called, without its folder and suffix."""
    return path.rpartition("/")[2].removesuffix(NOTE_SUFFIX)


def note_text(
    path: NotePath,
    text: str,
    properties: Mapping[str, PropertyValue],
    *,
    pattern: Pattern,
    now: datetime,
) -> str:
    """Return the text of a new note: its template, filled in, and then its own text.

    Of properties those given count before those of the text, and these before those of
    the template. Lines end as in the template, without one as in the text.

    Raises:
        BadEdit: a property or the text cannot be written, or properties of the template
            or the text cannot be read.
    """
    own = _own_text(text)
    newline = pattern.newline
    if not pattern.text:
        newline = "\r\n" if "\r\n" in own else "\n"
        return _with_properties(path, own, properties, newline)
    own = _ENDS.sub("\n", own).replace("\n", newline)
    said = filled(pattern.text, base_name(path), now)
    error = read_head(said).frontmatter.error
    if error is not None:
        raise BadEdit(f"the template cannot be used as it is: {error}")
    head = read_head(own)
    if head.frontmatter.error is not None:
        raise BadEdit(f"the text cannot go into a template: {head.frontmatter.error}")
    said = _with_properties(path, said, head.frontmatter.properties, newline)
    said = _with_properties(path, said, properties, newline)
    body = own[head.length :]
    return f"{_ended(said, newline)}{body}" if body else said


def _titled(given: Mapping[str, PropertyValue], title: str) -> dict[str, PropertyValue]:
    kept = dict(given)
    if TITLE in kept and kept[TITLE] is None:
        del kept[TITLE]
        return kept
    return {TITLE: kept.pop(TITLE, title), **kept}


def _pattern(desk: Desk, name: str) -> Pattern:
    found = named_template(desk, name)
    raw = desk.files.read(found)
    desk.handed([found])
    try:
        page = Page.of(found, raw or b"")
    except NotEditable as refused:
        raise BadEdit(f"{found} is no template: {refused.reason}") from None
    return Pattern(page.source.decode(), page.newline)


def _own_text(text: str) -> str:
    own = text.removeprefix(_MARK)
    if "\0" in own:
        raise BadEdit("the text holds a NUL character, which no note may")
    try:
        own.encode()
    except UnicodeEncodeError:
        raise BadEdit("the text holds half a character (a surrogate)") from None
    return own


def _with_properties(
    path: NotePath, text: str, properties: Mapping[str, PropertyValue], newline: str
) -> str:
    for name, value in properties.items():
        try:
            change = ChangeProperty(name, "set", value)
            text = with_property(path, text, change, newline)
        except NotEditable as refused:
            raise BadEdit(f"{path} cannot have {name}: {refused.reason}") from None
    return text


def _ended(text: str, newline: str) -> str:
    """Return a text that ends with its last line."""
    return text if not text or text.endswith("\n") else text + newline
