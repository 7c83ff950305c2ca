"""Answers and resolved names as text, also while an answer is made."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from glassmind.markdown.quoted import one_line
from glassmind.markdown.style import Style, counted
from glassmind.operations.model_text import GENERATED, listed, named
from glassmind.operations.registry import Arguments, Terminal, View
from glassmind.types.answers import NOT_IN_NOTES, Spoken, Statement, Withdrawn
from glassmind.types.context import Conflict, Side

if TYPE_CHECKING:
    from glassmind.operations.ask import (
        AskResult,
        AskSource,
        NumberedStatement,
        ResolveResult,
    )

_SPACES = str.maketrans("\n\r\t", "   ")
_LINES = re.compile(r":(\d+(?:-\d+)?)@")

UNSUPPORTED = "not supported by your notes"
WITHDRAWN = "The text so far was withdrawn."

CLOSEST = 3
"""Sources that are shown if none of them answers."""


# --- answers ------------------------------------------------------------------------


def answer_for_people(result: "AskResult", _arguments: Arguments, style: Style) -> str:
    """Return a line for each statement, then the sources."""
    said = "".join(
        f"{spoken(one.text, style, one.support)}{marks(one, style)}\n"
        for one in result.statements
    )
    answer = said if result.in_notes and said else f"{NOT_IN_NOTES}\n{said}"
    return answer + sources_as_text(result, style)


def spoken(text: str, style: Style, support: str) -> str:
    """Return a piece of a statement as part of one line; faint if unsupported."""
    plain = text.translate(_SPACES)
    return style.faint(plain) if support == "unsupported" else style.clean(plain)


def marks(statement: "Statement | NumberedStatement", style: Style) -> str:
    """Return the numbers of the sources of a statement, or why it is doubtful."""
    if statement.support == "unsupported":
        why = f": {one_line(statement.problem)}" if statement.problem else ""
        return f" {style.state('warn', f'({UNSUPPORTED}{why})')}"
    numbers = dict.fromkeys(one.source for one in statement.citations)
    cited = "".join(f"[{number}]" for number in numbers)
    return f" {style.strong(cited)}" if numbers else ""


def sources_as_text(result: "AskResult", style: Style, *, live: bool = False) -> str:
    """Return conflicts and sources; what is not cited goes on one line.

    After a `live` answer without any supported statement, this says so.
    """
    parts = [
        [NOT_IN_NOTES] if live and not result.in_notes else [],
        [style.clean(conflict_line(one)) for one in result.conflicts],
        list(_sources(result, style)),
    ]
    return "".join(
        "\n" + "".join(f"{line}\n" for line in part) for part in parts if part
    )


def _sources(result: "AskResult", style: Style) -> Iterator[str]:
    supported = [one for one in result.statements if one.support != "unsupported"]
    numbers = {cited.source for one in supported for cited in one.citations}
    said = [one.text for one in supported]
    sources = result.passages[: None if result.in_notes else CLOSEST]
    if sources and not result.in_notes:
        yield "Closest:"
    shown = [one for one in sources if not numbers or one.number in numbers]
    for source in shown:
        yield from _source(source, style, said)
    rest = [f"{_place(one, style)}{_mark(one)}" for one in sources if one not in shown]
    if rest:
        yield f"Also read: {', '.join(rest)}"


def _source(source: "AskSource", style: Style, said: Sequence[str]) -> Iterator[str]:
    trail = " > ".join(map(one_line, source.heading_path)) or one_line(source.title)
    mark = style.faint(_mark(source))
    place = _place(source, style)
    yield f"[{source.number}] {place}  {style.clean(trail)}{mark}".rstrip()
    excerpt = plain_excerpt(source.excerpt, (*source.heading_path, source.title))
    bare = excerpt.removesuffix("...").strip()
    if excerpt.strip() and not any(bare in plain_excerpt(one) for one in said):
        yield f"    {excerpt}"


def _place(source: "AskSource", style: Style) -> str:
    """Return the place of a source; a memory that is in no note has no lines."""
    where = style.strong(one_line(source.path))
    first, last = source.lines
    return f"{where}{style.faint(f':{first}-{last}')}" if source.receipt else where


def _mark(source: "AskSource") -> str:
    """Return why a source may be less reliable."""
    known = [GENERATED] if source.generated else []
    if source.superseded_by:
        known.append(f"superseded by {one_line(source.superseded_by)}")
    return "".join(f" ({one})" for one in known)


def conflict_line(conflict: Conflict) -> str:
    """Return what two sources disagree on, or which one replaces the other."""
    newer, older = conflict.sides
    if conflict.kind in {"superseded", "newer"}:
        sides = (f"{one_line(one.title)}: {_value(one)}" for one in (newer, older))
        return "; ".join(sides)
    values = [f"{one_line(one.title)} says {_value(one)}" for one in (newer, older)]
    return f'Your notes disagree on "{one_line(conflict.about)}": {", ".join(values)}'


def _value(side: Side) -> str:
    found = _LINES.search(side.receipt)
    lines = f":{found[1]}" if found else ""
    mark = "" if side.approved else f" ({GENERATED})"
    return f"{one_line(side.value)} [{one_line(side.path)}{lines}]{mark}"


class LiveAnswer:
    """Shows an answer on a terminal while it is made."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal, self._style = terminal, terminal.style
        self._line = ""
        self._statements: list[tuple[str, str]] = []
        self._shown = False

    def __call__(self, event: object) -> None:
        """Show an event of the operation at once."""
        if isinstance(event, Spoken):
            self._write(event.text, event.support)
        elif isinstance(event, Withdrawn):
            self.end_line()
            self._terminal.remark(WITHDRAWN)
            self._statements, self._shown = [], False
        elif hasattr(event, "passages"):
            self._found([one.path for one in event.passages])
        else:
            self._state(event)  # type: ignore[arg-type]
        self._terminal.flush()

    def _found(self, paths: Sequence[str]) -> None:
        if self._terminal.shows_progress:
            notes, passages = len(set(paths)), counted(len(paths), "passage")
            self._terminal.remark(f"Found {passages} in {counted(notes, 'note')}.")

    def _write(self, text: str, support: str) -> None:
        self._line += text
        self._shown = True
        self._terminal.text(spoken(text, self._style, support))

    def _state(self, statement: "NumberedStatement") -> None:
        if not statement.text.startswith(self._line):
            self.end_line()  # what was written is not part of this statement
        self._write(statement.text.removeprefix(self._line), statement.support)
        self._terminal.text(marks(statement, self._style))
        self._statements.append((statement.text, statement.support))
        self.end_line()

    def end_line(self) -> None:
        """End the line that was begun, if any."""
        if self._line:
            self._line = ""
            self._terminal.text("\n")

    def rest(self, result: "AskResult", arguments: Arguments) -> str:
        """Return what is still to print: the sources, or all if something differs."""
        shown = [(one.text, one.support) for one in result.statements]
        if shown == self._statements and shown:
            return sources_as_text(result, self._style, live=True)
        if self._shown:
            self._terminal.remark(WITHDRAWN)
        return answer_for_people(result, arguments, self._style)


# --- excerpts -----------------------------------------------------------------------

_HEADING = re.compile(r"#{1,6}\s+")
_INNER = re.compile(r"(?<=\s)#{1,6}\s+(?=\S)")
_QUOTE = re.compile(r"(?<!\S)>(?:\s+\[![^\]\s]+\][+-]?)?(?!\S)")
"""What begins a line of a quotation or of a callout."""

_RULE = re.compile(r"(?<!\S)(?:-{3,}|\*{3,}|_{3,}|={3,})(?!\S)")
_UNDER = re.compile(r"(?<!\S)\|(?:\s*:?-+:?\s*\|)+(?!\S)")
"""The line below the first row of a table."""

_ROWS = re.compile(r"\s*(?<!\S)\|(?:\s+\|)+(?!\S)")
_CELLS = re.compile(r"\s*(?<!\S)\|(?!\S)")
_TWICE = re.compile(r"([:.;,])[,;]")


def plain_excerpt(excerpt: str, headings: Iterable[str] = ()) -> str:
    """Return an excerpt without marks of headings, quotations, rules and tables.

    `headings` are those above it, which are shown beside it and not repeated.
    """
    text = _RULE.sub(" ", _UNDER.sub(" ", _QUOTE.sub(" ", one_line(excerpt))))
    text = _without(text.strip(), [one_line(one) for one in headings])
    text = _CELLS.sub(",", _ROWS.sub(";", _INNER.sub("· ", text)))
    return " ".join(_TWICE.sub(r"\1", text).strip(" ,;·").split())


def _without(text: str, headings: list[str]) -> str:
    """Return a text without the headings that it begins with."""
    while mark := _HEADING.match(text):
        text = text[mark.end() :]
        known = max((one for one in headings if text.startswith(one)), default="")
        if not known:
            return text
        text = text[len(known) :].lstrip()
    return text


# --- resolved names -----------------------------------------------------------------


def resolution_for_people(
    result: "ResolveResult", _arguments: Arguments, style: Style
) -> str:
    """Return the verdict with its advice, then a line for each candidate."""
    lines = [f"{style.strong(result.verdict)}  {style.clean(result.advice)}"]
    for one in result.candidates:
        where = one.path or f"{one.kind} {one.title}"
        if one.kind == "heading":
            where = f"{one.path}#{one.title}"
        reason = style.faint(f"{one.reason}: {one.matched}")
        lines.append(f"  {one.score:.2f}  {style.clean(where)}  {reason}")
    return "".join(f"{line}\n" for line in lines)


def resolution_for_models(result: "ResolveResult", view: View) -> str:
    """Return the verdict and its advice, then a line for each candidate."""
    rows = [one_line(result.advice)]
    for number, one in enumerate(result.candidates, 1):
        where = named(one.path) if one.path else one_line(one.title)
        reason = f"{one_line(one.reason)} {one_line(one.link)}"
        rows.append(f"{number}. {one.score:.2f} {one.kind} {where}: {reason}".rstrip())
    return listed([f"Verdict: {result.verdict}."], rows, view, result.notices)
