"""Answers as people read them: a statement a line, then where it all stands."""

from collections.abc import Iterator

from glassmind.render.approval import GENERATED
from glassmind.render.quoted import one_line
from glassmind.render.style import Style
from glassmind.types.answers import NOT_IN_NOTES, Answer, Source, Statement

_BLANKS = str.maketrans("\n\r\t", "   ")

DOUBT = "not borne out by your notes"

CLOSEST = 3
"""Sources that are shown where none of them answers."""


def answer_as_text(answer: Answer, style: Style) -> str:
    """Return an answer, each statement with its marks, and below it its sources."""
    return statements_as_text(answer, style) + sources_as_text(answer, style)


def statements_as_text(answer: Answer, style: Style) -> str:
    """Return a line for each statement, or that there is no answer."""
    if not answer.statements:
        return f"{NOT_IN_NOTES}\n"
    return "".join(
        f"{spoken(one.text, style, is_supported=one.is_supported)}{marks(one, style)}\n"
        for one in answer.statements
    )


def spoken(text: str, style: Style, *, is_supported: bool) -> str:
    """Return letters of a statement as a part of one line.

    Those of one that nothing bears out step back.
    """
    plain = text.translate(_BLANKS)
    return style.clean(plain) if is_supported else style.faint(plain)


def marks(statement: Statement, style: Style) -> str:
    """Return what stands behind a statement: numbers of sources, or a doubt."""
    numbers = dict.fromkeys(one.source for one in statement.citations)
    cited = f" {style.strong(''.join(f'[{number}]' for number in numbers))}"
    if statement.is_supported:
        return cited if numbers else ""
    why = f": {one_line(statement.problem)}" if statement.problem else ""
    return f" {style.state('warn', f'({DOUBT}{why})')}"


def sources_as_text(answer: Answer, style: Style) -> str:
    """Return where an answer stands; what it does not cite, without its words."""
    numbers = {
        one.source
        for said in answer.statements
        if said.is_supported
        for one in said.citations
    }
    lines: list[str] = []
    if answer.statements and not answer.in_notes:
        lines.append(NOT_IN_NOTES)
    if answer.sources and not answer.in_notes:
        lines.append("Closest:")
    for source in answer.sources[: None if answer.in_notes else CLOSEST]:
        whole = not numbers or source.number in numbers
        lines += _source(source, style, whole=whole)
    return "".join(f"{line}\n" for line in ("", *lines)) if lines else ""


def _source(source: Source, style: Style, *, whole: bool) -> Iterator[str]:
    where = style.strong(one_line(source.path))
    lines = style.faint(f":{source.span.start}-{source.span.end}")
    trail = " > ".join(map(one_line, source.heading_path)) or one_line(source.title)
    mark = f"  {style.faint(GENERATED)}" if source.generated else ""
    # a memory that stands in no note has no lines
    place = f"{where}{lines}" if source.receipt else where
    yield f"[{source.number}] {place}  {style.clean(trail)}{mark}".rstrip()
    if whole:
        yield f"    {one_line(source.excerpt)}"
