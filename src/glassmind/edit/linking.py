"""How a link is written that is put into a text: as the vault writes its own."""

import re
from collections.abc import Iterator, Sequence
from posixpath import relpath
from unicodedata import normalize

from glassmind.edit.desk import Desk
from glassmind.edit.naming import sure_or_none
from glassmind.edit.text.page import LinkWriter, Page
from glassmind.edit.universe import OTHER_KINDS, left_out_of
from glassmind.errors import AmbiguousName, IndexAbsent
from glassmind.errors.editing import BadEdit
from glassmind.files.attachments import is_attachment
from glassmind.files.names import CANDIDATES_SHOWN
from glassmind.files.obsidian import LinkFormat
from glassmind.files.resolve import NOTE_SUFFIX, Names, fold
from glassmind.files.scan import kind_of
from glassmind.files.spelling import short_names, written
from glassmind.model import NotePath

_NO_NAME = re.compile(r"[\[\]|^\r\n]")
"""What no name in a link can hold."""


def link_writer(desk: Desk) -> LinkWriter:
    """Return what writes links: to the file of a name, or to one that is to come."""
    return lambda name, page: _link(desk, name, page)


def _link(desk: Desk, name: str, page: Page) -> str:
    bare, _, heading = name.partition("#")
    bare, heading = bare.strip(), heading.strip()
    if not bare or _NO_NAME.search(name):
        raise BadEdit(f"{name[:80]!r} is no name that a link can hold")
    settings = desk.settings()
    markdown = settings.markdown_links
    target = _other_file(desk, bare) or sure_or_none(desk, bare)
    if target is None:
        end = _to_come(bare, markdown=markdown)
        return written(end, "", markdown=markdown, heading=heading)
    files = Names.of((target, *_every_file(desk)))
    suffix = NOTE_SUFFIX if markdown else ""
    shown = target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    for end in _ends(page.path, target, settings.link_format, files):
        place = f"{end}{suffix}" if target.endswith(NOTE_SUFFIX) else end
        if files.resolve(place, page.path, markdown=markdown) == target:
            words = "" if end == shown and not heading else shown
            return written(place, words, markdown=markdown, heading=heading)
    raise BadEdit(f"no link can be written to {target}: its name has a letter for it")


def _other_file(desk: Desk, name: str) -> NotePath | None:
    """Return the file that is called so and is no note, such as a picture.

    One that whoever asks may not read is not there.

    Raises:
        AmbiguousName: several are called so.
    """
    spelled = normalize("NFC", name).removeprefix("./").removeprefix("/")
    if "." not in spelled.rpartition("/")[2] or kind_of(spelled) != "attachment":
        return None
    wanted = f"/{fold(spelled)}"
    found = [path for path in _seen(desk) if f"/{fold(path)}".endswith(wanted)]
    if spelled in found:
        return NotePath(spelled)
    if len(found) > 1:
        shown = tuple(sorted(found)[:CANDIDATES_SHOWN])
        raise AmbiguousName(name, shown, len(found))
    return found[0] if found else None


def _seen(desk: Desk) -> Sequence[NotePath]:
    """Return the files that whoever asks may link to by a part of their paths."""
    if desk.sight is None:
        return _every_file(desk)
    try:
        with desk.faults():
            return desk.sight.paths()
    except IndexAbsent:
        return ()


def _every_file(desk: Desk) -> Sequence[NotePath]:
    """Return the files that links lead to; where there is no index, by the disk."""
    try:
        with desk.faults():
            paths = desk.rows().paths()
    except IndexAbsent:
        paths = []
    return (*paths, *left_out_of(desk, paths))


def _to_come(name: str, *, markdown: bool) -> str:
    """Return what a link names that leads nowhere yet: a note, if no other file."""
    is_other = kind_of(name) in OTHER_KINDS or ("." in name and is_attachment(name))
    if is_other or not markdown:
        return name.removesuffix(NOTE_SUFFIX)
    return name.removesuffix(NOTE_SUFFIX) + NOTE_SUFFIX


def _ends(
    source: NotePath, target: NotePath, form: LinkFormat, files: Names
) -> Iterator[str]:
    """Yield ways to name a file from another, the vault's own first."""
    whole = target.removesuffix(NOTE_SUFFIX)
    if form == "relative":
        folder = source.rpartition("/")[0]
        yield relpath(whole, folder) if folder else whole
    if form == "absolute":
        yield whole
    yield from short_names(target, files)
