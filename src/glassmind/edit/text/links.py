"""Add a sentence with a link, at the end of a note or of one of its sections."""

from glassmind.edit.old_encodings import unread
from glassmind.edit.text.ends import at_end, open_end
from glassmind.edit.text.headings import (
    continues_list,
    heading_meant,
    is_last,
    put_last,
    section_below,
)
from glassmind.edit.text.page import LinkWriter, Page, Planned
from glassmind.errors.editing import BadEdit
from glassmind.model.editing import AddLink

LINK_MARK = "{link}"
"""Where in a sentence the link is to stand."""


def link_added(page: Page, edit: AddLink, pen: LinkWriter) -> Planned:
    """Return how a sentence with a link is added, as a paragraph of its own.

    Raises:
        BadEdit: there is no sentence, or no note is named.
        NoMatch, SeveralMatches: no one heading is called so.
    """
    if not edit.target.strip():
        raise BadEdit("no note is named to link to")
    sentence = edit.sentence.strip()
    if not sentence.replace(LINK_MARK, "").strip():
        raise BadEdit("a link needs a sentence that says why it is there")
    link = pen(edit.target.strip(), page)
    if LINK_MARK in sentence:
        said = sentence.replace(LINK_MARK, link)
    else:
        said = f"{sentence} {link}"
    text = page.written(said)
    facts, risks = {"link": link}, unread(page.path, page.encoding, link)
    if edit.heading:
        at = heading_meant(page.note, edit.heading)
        section = section_below(page, at, "section")
        risks += open_end(page) if is_last(page, section) else ()
        return Planned([put_last(page, section, text)], risks, facts)
    apart = not continues_list(page, page.lines, text)
    planned = at_end(page, text, apart=apart)
    return planned._replace(risks=(*risks, *planned.risks), facts=facts)
