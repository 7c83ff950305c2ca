"""How a link is written that is put into a text: as the vault writes its own."""

import re
from collections.abc import Iterator
from posixpath import relpath

from glassmind.editing.desk import Desk
from glassmind.editing.naming import sure_or_none
from glassmind.editing.text.page import LinkWriter, Page
from glassmind.editing.universe import left_out_of
from glassmind.errors.editing import BadEdit
from glassmind.types import NotePath
from glassmind.vault.obsidian import LinkFormat
from glassmind.vault.resolve import NOTE_SUFFIX, Names
from glassmind.vault.spelling import short_names, written

_NO_NAME = re.compile(r"[\[\]|^\r\n]")
"""What no name in a link can hold."""


def link_writer(desk: Desk) -> LinkWriter:
    """Return what writes links: to the note of a name, or to one that is to come."""
    return lambda name, page: _link(desk, name, page)


def _link(desk: Desk, name: str, page: Page) -> str:
    bare, _, heading = name.partition("#")
    bare, heading = bare.strip(), heading.strip()
    if not bare or _NO_NAME.search(name):
        raise BadEdit(f"{name[:80]!r} is no name that a link can hold")
    settings = desk.settings()
    markdown = settings.markdown_links
    target = sure_or_none(desk, bare)
    if target is None:
        end = f"{bare.removesuffix(NOTE_SUFFIX)}{NOTE_SUFFIX if markdown else ''}"
        return written(end, "", markdown=markdown, heading=heading)
    with desk.faults():
        paths = desk.rows().paths()
    files = Names.of((*paths, target, *left_out_of(desk, paths)))
    suffix = NOTE_SUFFIX if markdown else ""
    shown = target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    for end in _ends(page.path, target, settings.link_format, files):
        place = f"{end}{suffix}" if target.endswith(NOTE_SUFFIX) else end
        if files.resolve(place, page.path, markdown=markdown) == target:
            words = "" if end == shown and not heading else shown
            return written(place, words, markdown=markdown, heading=heading)
    raise BadEdit(f"no link can be written to {target}: its name has a letter for it")


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
