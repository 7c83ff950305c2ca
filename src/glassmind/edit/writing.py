"""Edits of one text as a change: the note that is meant, and what it says then."""

from collections.abc import Sequence

from glassmind.edit.desk import Desk
from glassmind.edit.linking import link_writer
from glassmind.edit.naming import named_text
from glassmind.edit.text.apply import KINDS, Edited, edited
from glassmind.edit.unshown import as_shown
from glassmind.model import Digest
from glassmind.model.editing import Draft, Step, TextEdit


def plan_edit(
    desk: Desk, note: str, edits: Sequence[TextEdit], expected: Digest | None
) -> Draft:
    """Return the change that makes every edit in order.

    Raises:
        NoteNotFound, AmbiguousName: no one note is called so to the letter.
        NoteChanged: it is not what the caller read.
        EditRefused: an edit cannot be made.
    """
    path, raw = named_text(desk, note, expected)
    desk.handed([path])  # what is said of an edit tells of the text, be it refused
    pen = link_writer(desk)

    def make(text: bytes) -> Edited:
        return edited(path, text, edits, pen)

    found = make(raw) if desk.sight is None else as_shown(raw, make)
    title = f"{len(edits)} edits of {path}"
    if len(edits) == 1:
        title = f"{KINDS[type(edits[0])]}: {path}"
    step = Step(path, path, raw, found.raw)
    return Draft("edit", title, (step,), risks=found.risks, facts=found.facts)
