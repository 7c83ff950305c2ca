"""Change lines by their numbers, as an editor counts them."""

from glassmind.edit.text.page import Page, Planned
from glassmind.errors.editing import BadEdit
from glassmind.model.editing import AtLine, Splice


def lines_changed(page: Page, edit: AtLine) -> Planned:
    """Return how lines are replaced, or a text is put before or behind them.

    Every line keeps the end it has. No text in the place of lines takes them away.

    Raises:
        BadEdit: there are no such lines, or nothing to add.
    """
    last = edit.line if edit.last is None else edit.last
    _check(page, edit.line, last)
    text = page.written(edit.text)
    newline = page.end_of_line
    if edit.where != "replace" and not text:
        raise BadEdit("there is no text to add")
    text_line = text if text.endswith(b"\n") else text + newline
    start, end = page.line_start(edit.line), page.line_end(last)
    if edit.where == "before":
        if start == len(page.source):
            text_line = text
        return Planned([Splice(start, start, text_line)])
    if edit.where == "after":
        if end == len(page.source) and not page.source.endswith(b"\n"):
            lead = newline if page.source else b""
            return Planned([Splice(end, end, lead + text)])
        return Planned([Splice(end, end, text_line)])
    if not text:
        return Planned([_without(page, start, end)])
    text = text.removesuffix(b"\n").removesuffix(b"\r")
    return Planned([Splice(start, page.text_end(end), text)])


def _without(page: Page, start: int, end: int) -> Splice:
    """Return how lines are taken away; a note without a last line feed stays so."""
    if end == len(page.source) and not page.source.endswith(b"\n"):
        start = page.text_end(start)
    return Splice(start, end, b"")


def _check(page: Page, first: int, last: int) -> None:
    count = max(page.lines, 1)
    if 1 <= first <= last <= count:
        return
    wanted = str(first) if first == last else f"{first} to {last}"
    has = "1 line" if count == 1 else f"{count} lines"
    raise BadEdit(f"{page.path} has no line {wanted}: it has {has}, counted from 1")
