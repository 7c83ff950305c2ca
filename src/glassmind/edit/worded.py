"""Links that go on to show their words, whatever they lead to afterwards."""

from glassmind.edit.text.page import Page
from glassmind.errors.editing import NotEditable
from glassmind.files.resolve import Names
from glassmind.model import NotePath
from glassmind.model.editing import Splice
from glassmind.model.notes import Link

CLOSING = len("]]")


def with_words(path: NotePath, raw: bytes, names: Names, target: NotePath) -> bytes:
    """Return a note in which wikilinks to a file say the words that they show.

    `[[teas]]` becomes `[[teas|teas]]`, so that the words stay when the path is written
    anew. Embeds, links with a subpath or in properties, and what cannot be edited stay
    as they are.
    """
    after = raw
    try:
        links = Page.of(path, raw).note.links
        for number, link in enumerate(links):
            if _is_bare(link) and names.resolve(link.target, path) == target:
                after = _worded(Page.of(path, after), number)
    except NotEditable:
        return raw
    return after


def _is_bare(link: Link) -> bool:
    shows = link.embed or link.display is not None or link.subpath
    return link.kind == "wikilink" and not shows


def _worded(page: Page, number: int) -> bytes:
    """Return a note whose link of that number says its words, where it can."""
    link = page.note.links[number]
    at = link.end - CLOSING
    for mark in ("|", "\\|"):  # the second inside a table
        raw = page.with_splices([Splice(at, at, f"{mark}{link.target}".encode())])
        after = Page.of(page.path, raw).note
        said = [_said(one) for one in page.note.links]
        said[number] = (*said[number][:-1], link.target)
        if [_said(one) for one in after.links] == said:
            return raw
    return page.raw


def _said(link: Link) -> tuple[object, ...]:
    return link.kind, link.target, link.subpath, link.embed, link.display
