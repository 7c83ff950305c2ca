"""Answers as people read them: a statement a line, then where it all stands."""

import re
from collections.abc import Iterator, Sequence

from glassmind.render.answers_excerpts import plain_excerpt, repeats
from glassmind.render.approval import GENERATED
from glassmind.render.quoted import one_line
from glassmind.render.style import Style
from glassmind.types.answers import NOT_IN_NOTES, Answer, Source, Statement
from glassmind.types.context import Conflict, Side

_BLANKS = str.maketrans("\n\r\t", "   ")
_LINES = re.compile(r":(\d+(?:-\d+)?)@")

DOUBT = "not borne out by your notes"

CLOSEST = 3
"""Sources that are shown where none of them answers."""


def answer_as_text(answer: Answer, style: Style) -> str:
    """Return an answer, each statement with its marks, and below it its sources."""
    return statements_as_text(answer, style) + sources_as_text(answer, style)


def statements_as_text(answer: Answer, style: Style) -> str:
    """Return a line for each statement; that there is no answer comes before all."""
    said = "".join(
        f"{spoken(one.text, style, is_supported=one.is_supported)}{marks(one, style)}\n"
        for one in answer.statements
    )
    return said if answer.in_notes and said else f"{NOT_IN_NOTES}\n{said}"


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


def sources_as_text(answer: Answer, style: Style, *, heard: bool = False) -> str:
    """Return where an answer stands; what it does not cite, in one line.

    Where statements were `heard` before anybody knew that none is borne out, that is
    said here.
    """
    parts = [
        [NOT_IN_NOTES] if heard and not answer.in_notes else [],
        [style.clean(conflict_line(one)) for one in answer.conflicts],
        list(_sources(answer, style)),
    ]
    return "".join(f"\n{_lines(part)}" for part in parts if part)


def _lines(part: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in part)


def _sources(answer: Answer, style: Style) -> Iterator[str]:
    supported = [one for one in answer.statements if one.is_supported]
    numbers = {cited.source for one in supported for cited in one.citations}
    said = [one.text for one in supported]
    sources = answer.sources[: None if answer.in_notes else CLOSEST]
    if sources and not answer.in_notes:
        yield "Closest:"
    told = [one for one in sources if not numbers or one.number in numbers]
    for source in told:
        yield from _source(source, style, said)
    rest = [f"{_place(one, style)}{_mark(one)}" for one in sources if one not in told]
    if rest:
        yield f"also read: {', '.join(rest)}"


def _source(source: Source, style: Style, said: Sequence[str]) -> Iterator[str]:
    trail = " > ".join(map(one_line, source.heading_path)) or one_line(source.title)
    mark = style.faint(_mark(source))
    place = _place(source, style)
    yield f"[{source.number}] {place}  {style.clean(trail)}{mark}".rstrip()
    excerpt = plain_excerpt(source.excerpt, (*source.heading_path, source.title))
    if excerpt.strip() and not repeats(excerpt, said):
        yield f"    {excerpt}"


def _place(source: Source, style: Style) -> str:
    """Return where a source stands; a memory that is in no note has no lines."""
    where = style.strong(one_line(source.path))
    lines = style.faint(f":{source.span.start}-{source.span.end}")
    return f"{where}{lines}" if source.receipt else where


def _mark(source: Source) -> str:
    """Return what is to be known of a source before it is believed."""
    known = [GENERATED] if source.generated else []
    if source.superseded_by:
        known.append(f"superseded by {one_line(source.superseded_by)}")
    return "".join(f" ({one})" for one in known)


def conflict_line(conflict: Conflict) -> str:
    """Return what two sources do not agree on, or which has the other's place."""
    newer, older = conflict.sides
    if conflict.kind in {"superseded", "newer"}:
        return "; ".join(f"{_named(one)}: {_value(one)}" for one in (newer, older))
    values = (
        f"{_named(newer)} says {_value(newer)}, {_named(older)} says {_value(older)}"
    )
    return f'Your notes do not agree on "{one_line(conflict.about)}": {values}'


def _named(side: Side) -> str:
    return one_line(side.title)


def _value(side: Side) -> str:
    found = _LINES.search(side.receipt)
    lines = f":{found[1]}" if found else ""
    mark = "" if side.is_approved else f" ({GENERATED})"
    return f"{one_line(side.value)} [{one_line(side.path)}{lines}]{mark}"
