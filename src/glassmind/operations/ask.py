"""Operations that answer: ask a question, resolve a name."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from glassmind.engine import Engine
from glassmind.model import context as domain
from glassmind.model.access import DisclosedLines, DisclosedNotes
from glassmind.model.context import NOT_IN_NOTES, Conflict, TextPiece, TextWithdrawn
from glassmind.model.ontology import Resolution
from glassmind.model.search import ASKS, LONGEST_QUESTION, MOST_SOURCES
from glassmind.models.protocols import Cancellation
from glassmind.obsidian.text import Style, counted, heading_address, obsidian_uri
from glassmind.operations.find import ChosenIntent, ChosenMode, Project, most
from glassmind.operations.model_text import GENERATED, one_line
from glassmind.operations.names import cited, with_uris
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Result,
    Route,
    Tool,
    arg,
    copied,
    operation,
    shown,
)


class AskArguments(Arguments):
    question: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LONGEST_QUESTION)],
        arg("A question; - reads standard input.", positional="words", pattern=ASKS),
    ]
    model: Annotated[
        bool, arg("Use the language model of the settings.", flag="--no-model")
    ] = True
    limit: Annotated[
        int | None,
        most("passages; the setting ask.sources has the default", MOST_SOURCES),
    ] = None
    project: Project = None
    mode: ChosenMode = None
    intent: ChosenIntent = "auto"
    live: Annotated[
        bool,
        arg("Print the answer while it is made.", flag="--no-stream", only=("cli",)),
    ] = True
    stream: Annotated[
        bool, arg("Send events while the answer is made.", only=("http",))
    ] = False


class AskSource(Struct, frozen=True, kw_only=True):
    """A passage that an answer may rest on, by the number it is cited with.

    A fact of Hindsight has an address instead of a path, no receipt and no URI. Some
    names are those of obsidian-rag.
    """

    number: int
    path: str
    chunk_index: int = msgspec.field(name="chunkIndex")
    relevance: float = msgspec.field(name="relevanceScore")
    excerpt: str
    title: str
    heading_path: list[str]
    heading: str
    lines: list[int]
    receipt: str
    generated: bool
    superseded_by: str
    uri: str


class AskSources(Result):
    """Event: the passages that the answer may rest on, before it is written."""

    passages: list[AskSource] = msgspec.field(name="sources")
    confidence: float | None

    def sources(self) -> DisclosedNotes:
        return shown(_passages(self.passages))


EVENTS = {
    "sources": AskSources,
    "text": domain.TextPiece,
    "statement": domain.StatementDone,
    "withdrawn": domain.TextWithdrawn,
}


class AskResult(Result):
    """An answer and its sources.

    If not `in_notes`, the sources are the closest passages. `dropped` counts statements
    of a model that were left out because no source supports them.
    """

    empty_without = ("in_notes",)
    question: str
    answer: str
    passages: list[AskSource] = msgspec.field(name="sources")
    model_used: str = msgspec.field(name="modelUsed")
    in_notes: bool
    statements: list[domain.Statement]
    dropped: int
    confidence: float | None
    mode: str
    intent: str | None
    degraded: list[str]
    conflicts: list[Conflict]

    def sources(self) -> DisclosedNotes:
        sides = [side for conflict in self.conflicts for side in conflict.sides]
        passages = [cited(side.receipt, side.path) for side in sides]
        return shown([*_passages(self.passages), *passages])

    def all_notices(self) -> list[str]:
        notices = [
            f"{said}; --no-model includes them"
            if " private " in said and said.endswith("left out")
            else said
            for said in self.degraded
        ]
        if self.dropped:
            unsupported = counted(self.dropped, "statement")
            notices.append(f"Left out {unsupported} not supported by your notes.")
        return notices


def _passages(sources: Sequence[AskSource]) -> list[DisclosedLines]:
    return [
        DisclosedLines(source.path, *source.lines)
        for source in sources
        if source.receipt
    ]


_LINES = re.compile(r":(\d+(?:-\d+)?)@")

WITHDRAWN = "The text so far was withdrawn."


def answer_for_people(result: AskResult, _: Any, style: Style) -> str:
    said = "".join(
        f"{spoken(part.text, style, part.support)}{marks(part, style)}\n"
        for part in result.statements
    )
    answer = said if result.in_notes and said else f"{NOT_IN_NOTES}\n{said}"
    return answer + sources_as_text(result, style)


def spoken(text: str, style: Style, support: str) -> str:
    plain = text.translate(str.maketrans("\n\r\t", "   "))
    return style.faint(plain) if support == "unsupported" else style.clean(plain)


def marks(statement: domain.Statement, style: Style) -> str:
    if statement.support == "unsupported":
        why = f": {one_line(statement.problem)}" if statement.problem else ""
        return f" {style.state('warn', f'(not supported by your notes{why})')}"
    numbers = dict.fromkeys(f"[{quote.source}]" for quote in statement.citations)
    return f" {style.strong(''.join(numbers))}" if numbers else ""


def sources_as_text(result: AskResult, style: Style, *, live: bool = False) -> str:
    """Return conflicts and sources; what is not cited goes on one line."""
    parts = [
        [NOT_IN_NOTES] if live and not result.in_notes else [],
        [style.clean(conflict_line(conflict)) for conflict in result.conflicts],
        list(_sources(result, style)),
    ]
    return "".join(
        "\n" + "".join(f"{line}\n" for line in part) for part in parts if part
    )


def _sources(result: AskResult, style: Style) -> Iterator[str]:
    supported = [part for part in result.statements if part.support != "unsupported"]
    numbers = {quote.source for statement in supported for quote in statement.citations}
    statement = [part.text for part in supported]
    sources = result.passages[: None if result.in_notes else 3]
    if sources and not result.in_notes:
        yield "Closest:"
    ask_sources = [
        source for source in sources if not numbers or source.number in numbers
    ]
    for source in ask_sources:
        yield from _source(source, style, statement)
    others = [source for source in sources if source not in ask_sources]
    rest = [f"{_place(other, style)}{_mark(other)}" for other in others]
    if rest:
        yield f"Also read: {', '.join(rest)}"


def _source(source: AskSource, style: Style, said: Sequence[str]) -> Iterator[str]:
    trail = " > ".join(map(one_line, source.heading_path)) or one_line(source.title)
    mark = style.faint(_mark(source))
    place = _place(source, style)
    yield f"[{source.number}] {place}  {style.clean(trail)}{mark}".rstrip()
    excerpt = plain_excerpt(source.excerpt)
    bare = excerpt.removesuffix("...")
    if excerpt and not any(bare in plain_excerpt(text) for text in said):
        yield f"    {excerpt}"


def _place(source: AskSource, style: Style) -> str:
    where = style.strong(one_line(source.path))
    first, last = source.lines
    return f"{where}{style.faint(f':{first}-{last}')}" if source.receipt else where


def _mark(source: AskSource) -> str:
    known = [GENERATED] if source.generated else []
    if source.superseded_by:
        known.append(f"superseded by {one_line(source.superseded_by)}")
    return "".join(f" ({mark})" for mark in known)


def conflict_line(conflict: Conflict) -> str:
    parts = []
    for side in conflict.sides:
        match = _LINES.search(side.receipt)
        place = one_line(side.path) + (f":{match[1]}" if match else "")
        mark = "" if side.approved else f" ({GENERATED})"
        value = one_line(side.value)
        parts.append(f"{one_line(side.title)}: {value} [{place}]{mark}")
    sides = "; ".join(parts)
    if conflict.kind in {"superseded", "newer"}:
        return sides
    return f'Your notes disagree on "{one_line(conflict.about)}": {sides}'


class LiveAnswer:
    def __init__(self, terminal: Any) -> None:
        self._terminal, self._style = terminal, terminal.style
        self._line = ""
        self._statements: list[tuple[str, str]] = []
        self._shown = False

    def __call__(self, event: object) -> None:
        if isinstance(event, TextPiece):
            self._write(event.text, event.support)
        elif isinstance(event, TextWithdrawn):
            self.end_line()
            self._terminal.remark(WITHDRAWN)
            self._statements, self._shown = [], False
        elif hasattr(event, "passages"):
            self._found([passage.path for passage in event.passages])
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

    def _state(self, statement: domain.Statement) -> None:
        if not statement.text.startswith(self._line):
            self.end_line()  # what was written is not part of this statement
        self._write(statement.text.removeprefix(self._line), statement.support)
        self._terminal.text(marks(statement, self._style))
        self._statements.append((statement.text, statement.support))
        self.end_line()

    def end_line(self) -> None:
        if self._line:
            self._line = ""
            self._terminal.text("\n")

    def rest(self, result: AskResult, arguments: Arguments) -> str:
        shown = [(part.text, part.support) for part in result.statements]
        if shown == self._statements and shown:
            return sources_as_text(result, self._style, live=True)
        if self._shown:
            self._terminal.remark(WITHDRAWN)
        return answer_for_people(result, arguments, self._style)


_MARKS = re.compile(r"(?<!\S)(?:#{1,6}|>(?: \[!\S+)?|\||:?[-*_=]{3,}:?)(?!\S)")


def plain_excerpt(excerpt: str) -> str:
    return " ".join(_MARKS.sub(" ", one_line(excerpt)).split())


@operation(
    group="Find",
    for_people=answer_for_people,
    command=Command(everyday=True, live=LiveAnswer),
    route=Route("GET", "/api/kb/ask", sets=("core",), fails=(404, 409), quick=True),
    events=EVENTS,
)
def ask(vault: Engine, arguments: AskArguments, caller: Caller) -> AskResult:
    """Answer a question from your notes, with citations."""
    name, halt = vault.config.vault.name, caller.halt or Cancellation()

    def report(news: domain.News) -> None:
        if caller.progress is None:
            return
        event: object = news
        if isinstance(news, domain.SourcesFound):
            passages = [_typed(source, name) for source in news.sources]
            event = AskSources(passages=passages, confidence=news.confidence)
        caller.progress(event)

    try:
        answer = vault.answers.ask(
            arguments.question.strip(),
            use_model=arguments.model,
            limit=arguments.limit,
            project=arguments.project,
            mode=arguments.mode,
            intent=None if arguments.intent == "balanced" else arguments.intent,
            private=not caller.is_agent,
            told=report,
            halt=halt,
        )
    finally:
        if caller.halt is None:
            halt.set()  # what still runs would work for no reader
    return ask_result(answer, name)


def ask_result(made: domain.Answer, vault: str) -> AskResult:
    return copied(
        AskResult,
        made,
        answer=made.text,
        passages=[_typed(source, vault) for source in made.sources],
        model_used=made.model_used or "extractive",
    )


def _typed(source: domain.Source, vault: str) -> AskSource:
    path, headings = source.path, source.heading_path
    return copied(
        AskSource,
        source,
        heading=heading_address(path, headings),
        uri=obsidian_uri(vault, path, headings) if source.receipt else "",
    )


class ResolveArguments(Arguments):
    text: Annotated[
        str, arg("A name.", positional="words", for_models="", longest=1_000)
    ]
    limit: Annotated[int, most("candidates", 100)] = 5


class ResolveResult(Result, Resolution, kw_only=True):
    """Whether the vault has what a text names, and how to link to it."""

    vault: str

    def sources(self) -> DisclosedNotes:
        return shown(named=[match.path for match in self.candidates])

    def is_empty(self) -> bool:
        return self.verdict == "new"


def resolution_text(result: ResolveResult, _: Any, style: Style) -> Iterator[str]:
    yield f"{style.strong(result.verdict)}  {style.clean(result.advice)}"
    for match in result.candidates:
        where = match.path or match.title
        reason = style.faint(f"{match.reason}: {match.matched}")
        name = f"{match.kind} {style.strong(where)}"
        yield f"  {match.score:.2f}  {name}  {reason}  {style.clean(match.link)}"


@operation(
    group="Find",
    for_people=resolution_text,
    command=Command(),
    tool=Tool(
        "Resolve a name",
        "Check whether the vault already has a note, alias, tag or heading for a "
        "name, and get the link to write. Call it before creating a note or link, "
        "so that nothing is created twice. Verdicts: exists, likely, ambiguous, "
        "new.",
    ),
    route=Route("GET", "/graph/resolve", sets=("graph",)),
)
def resolve(vault: Engine, arguments: ResolveArguments) -> ResolveResult:
    """Check whether the vault has what a text names."""
    resolution = vault.knowledge.resolve(arguments.text, limit=arguments.limit)
    result = copied(ResolveResult, resolution, vault=vault.config.vault.name)
    return with_uris(vault.config.vault.name, result)
