"""Operations that answer: ask a question, resolve a name."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from glassmind.engine import Engine
from glassmind.markdown.address import heading_address, obsidian_uri
from glassmind.markdown.style import counted
from glassmind.operations.ask_text import (
    LiveAnswer,
    answer_for_people,
    resolution_for_models,
    resolution_for_people,
)
from glassmind.operations.context import Project, cited
from glassmind.operations.find import IntentChoice
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
from glassmind.ports.chat import Halt
from glassmind.types import answers as domain
from glassmind.types.context import Conflict
from glassmind.types.ledger import Passage, Shown
from glassmind.types.ontology import NameKind, Verdict
from glassmind.types.questions import ASKS, LONGEST_QUESTION, MOST_SOURCES
from glassmind.types.search import Mode

EXTRACTIVE = "extractive"
"""The model that is named if the sentences are the notes' own."""


# --- ask ----------------------------------------------------------------------------


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
        arg(
            "Maximum number of passages; the setting ask.sources has the default.",
            short="-n",
            ge=1,
            le=MOST_SOURCES,
        ),
    ] = None
    project: Project = None
    mode: Annotated[
        Mode | None, arg("Search by keywords, meaning and links (hybrid), or one.")
    ] = None
    intent: Annotated[IntentChoice, arg("What kind of answer is wanted.")] = "auto"
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

    def sources(self) -> Shown:
        """Return the passages."""
        return shown(_passages(self.passages))


class NumberedStatement(Struct, frozen=True, kw_only=True):
    """Event: a whole statement; `number` counts from 1."""

    number: int
    text: str
    support: domain.Support
    citations: list[domain.Citation]
    problem: str


EVENTS = {
    "sources": AskSources,
    "text": domain.Spoken,
    "statement": NumberedStatement,
    "withdrawn": domain.Withdrawn,
}
"""What `ask` reports while it runs, by the names of the events."""


class AskResult(Result):
    """An answer and its sources.

    If not `in_notes`, the sources are the closest passages. `dropped` counts statements
    of a model that were left out because no source supports them.
    """

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

    def sources(self) -> Shown:
        """Return the passages, and those that disagree."""
        sides = [side for conflict in self.conflicts for side in conflict.sides]
        return shown(
            [
                *_passages(self.passages),
                *(cited(side.path, side.receipt) for side in sides),
            ]
        )

    def all_notices(self) -> list[str]:
        """Return what was missing or left out, and what helps."""
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

    def is_empty(self) -> bool:
        return not self.in_notes


def _passages(sources: Sequence[AskSource]) -> list[Passage]:
    return [Passage(one.path, *one.lines) for one in sources if one.receipt]


@operation(
    group="Find",
    for_people=answer_for_people,
    command=Command(everyday=True, live=LiveAnswer),
    route=Route("GET", "/api/kb/ask", sets=("core",), fails=(404, 409), quick=True),
    events=EVENTS,
)
def ask(vault: Engine, arguments: AskArguments, caller: Caller) -> AskResult:
    """Answer a question from your notes, with citations."""
    name, report = vault.config.vault.name, caller.progress
    halt = caller.halt or Halt()

    def told(news: domain.News) -> None:
        if report is not None:
            report(_event(news, name))

    try:
        made = vault.answers.ask(
            arguments.question.strip(),
            use_model=arguments.model,
            limit=arguments.limit,
            project=arguments.project,
            mode=arguments.mode,
            intent=None if arguments.intent == "balanced" else arguments.intent,
            private=not caller.is_agent,
            told=told,
            halt=halt,
        )
    finally:
        if caller.halt is None:
            halt.set()  # whatever still runs has nobody to work for
    return ask_result(made, name)


def ask_result(made: domain.Answer, vault: str) -> AskResult:
    """Return a typed result; `vault` is the name in Obsidian."""
    return copied(
        AskResult,
        made,
        answer=made.text,
        passages=[_source(one, vault) for one in made.sources],
        model_used=made.model_used or EXTRACTIVE,
    )


def _source(source: domain.Source, vault: str) -> AskSource:
    path, headings = source.path, source.heading_path
    return copied(
        AskSource,
        source,
        heading=heading_address(path, headings),
        uri=obsidian_uri(vault, path, headings) if source.receipt else "",
    )


def _event(news: domain.News, vault: str) -> object:
    """Return one of `EVENTS`."""
    if isinstance(news, domain.Found):
        sources = [_source(one, vault) for one in news.sources]
        return AskSources(passages=sources, confidence=news.confidence)
    if isinstance(news, domain.Stated):
        return copied(NumberedStatement, news.statement, number=news.number)
    return news


# --- resolve ------------------------------------------------------------------------


class ResolveArguments(Arguments):
    text: Annotated[
        str, arg("A name.", positional="words", for_models="", longest=1_000)
    ]
    limit: Annotated[
        int,
        arg(
            "Maximum number of candidates.",
            short="-n",
            for_models="candidates",
            ge=1,
            le=100,
        ),
    ] = 5


class Candidate(Struct, frozen=True, kw_only=True):
    """Something that a name may mean; `link` is what to write in a note."""

    kind: NameKind
    path: str | None
    title: str
    link: str
    score: float
    reason: str
    matched: str
    links: int
    uri: str | None


class ResolveResult(Result):
    """Whether the vault has what a text names, and how to link to it."""

    vault: str
    text: str
    verdict: Verdict
    advice: str
    link: str | None
    candidates: list[Candidate]
    notices: list[str]

    def sources(self) -> Shown:
        """Return the candidates."""
        return shown(named=[one.path for one in self.candidates])

    def is_empty(self) -> bool:
        return self.verdict == "new"


@operation(
    group="Find",
    for_people=resolution_for_people,
    for_models=resolution_for_models,
    command=Command(),
    tool=Tool(
        title="Resolve a name",
        sets=("graph",),
        description=(
            "Check whether the vault already has a note, alias, tag or heading for a "
            "name, and get the link to write. Call it before creating a note or link, "
            "so that nothing is created twice. Verdicts: exists, likely, ambiguous, "
            "new."
        ),
        fits=True,
    ),
    route=Route("GET", "/graph/resolve", sets=("graph",)),
)
def resolve(vault: Engine, arguments: ResolveArguments) -> ResolveResult:
    """Check whether the vault has what a text names."""
    found = vault.knowledge.resolve(arguments.text, limit=arguments.limit)
    name = vault.config.vault.name
    return copied(
        ResolveResult,
        found,
        vault=name,
        link=found.link or None,
        candidates=[
            copied(
                Candidate, one, uri=obsidian_uri(name, one.path) if one.path else None
            )
            for one in found.candidates
        ],
    )
