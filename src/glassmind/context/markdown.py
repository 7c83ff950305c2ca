"""Bundles, briefings and summaries as Markdown; budgets count the tokens of this text.

Sections without content are left out. Sources are numbered in the order in which they
are cited, and all note text is fenced.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from glassmind.model import Span
from glassmind.model.context import (
    AnswerSentence,
    Briefing,
    Bundle,
    BundleNote,
    Conflict,
    ConflictSide,
    Item,
    NextRead,
    OmittedSection,
)
from glassmind.obsidian.hidden_text import holds_hidden
from glassmind.obsidian.text import LABEL, counted, fenced, one_line, titled

ECHO_CHARS = 120
"""Characters of the question that the title repeats."""

NOTICE_CHARS, NOTICES = 160, 3
"""Characters of a notice, and notices of a bundle; JSON has all of them, and whole."""

NEAR_MISSES = "The vault may not have an answer. These are the closest passages.\n"
NOTHING = "Nothing in the vault was found for this.\n"
NOTHING_NEW = "No active notes, open items or changes.\n"
NOTES = "## Relevant Notes\n"
NO_SENTENCES = "Its notes have no sentences to summarize.\n"

NOT_APPROVED = "captured by an agent, not approved"

LINK_CHARS = 40
"""Characters that the marks of a link or two add to a title in a text."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d ")
_WORD = re.compile(r"\w+")

Cite = Callable[[str], str]
"""Returns the number of a source, such as `[3]`."""

NUMBER = "[10]"
"""Stands for the number of a source while its length is counted."""


def numbered(_: str) -> str:
    """Stand in for `Cite` while the length of a line is counted."""
    return NUMBER


class Citations:
    """Numbers receipts in the order in which they are cited."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def cite(self, receipt: str) -> str:
        return f"[{self._numbers.setdefault(receipt, len(self._numbers) + 1)}]"

    def section(self) -> str:
        lines = [source_line(text, f"[{n}]") for text, n in self._numbers.items()]
        return section("Sources", lines)


def bundle_as_markdown(bundle: Bundle) -> str:
    sources = Citations()
    cite = sources.cite
    parts = [
        heading(bundle),
        section("Answer", [answer_line(one, cite) for one in bundle.answer]),
        "".join(
            [NOTES * bool(bundle.notes), *(_note(one, cite) for one in bundle.notes)]
        ),
        section(
            "Recent Decisions",
            [item_line(decision, cite) for decision in bundle.decisions],
        ),
        section(
            "Open Questions",
            [item_line(question, cite) for question in bundle.questions],
        ),
        section("Open Tasks", [item_line(task, cite) for task in bundle.tasks]),
        section("Suggested Context", [read_line(one) for one in bundle.suggested]),
        section(
            "Conflicts and Staleness",
            [conflict_line(conflict, cite) for conflict in bundle.conflicts],
        ),
        sources.section(),
        section("Read on", [follow_line(up) for up in bundle.follow_ups]),
        "".join(f"{line}\n" for line in _footing(bundle)),
    ]
    return "\n".join(part for part in parts if part)


def heading(bundle: Bundle) -> str:
    asked = one_line(bundle.query)
    if len(asked) > ECHO_CHARS:
        asked = f"{asked[:ECHO_CHARS].rstrip()}…"
    title = f"# Context: {asked}" if asked else "# Recently active notes"
    project = f" (project {titled(bundle.project)})" if bundle.project else ""
    doubt = NEAR_MISSES if bundle.doubtful and bundle.notes else ""
    empty = "" if bundle.notes else NOTHING
    return f"{title}{project}\n\n{LABEL}\n{doubt}{empty}"


def section(name: str, lines: Sequence[str]) -> str:
    return f"## {name}\n{fenced(''.join(lines))}" if lines else ""


def _note(note: BundleNote, cite: Cite) -> str:
    parts = [
        title_line(
            note.title,
            note.date,
            note.channels,
            generated=note.generated,
            superseded_by=note.superseded_by,
        )
    ]
    for excerpt in note.excerpts:
        flags = "; goes on" if excerpt.trimmed else ""
        flags += "; holds hidden text" if excerpt.hidden else ""
        number = cite(excerpt.receipt)
        parts.append(excerpt_label(excerpt.heading_path, excerpt.lines, number, flags))
        parts.append(fenced(excerpt.text))
    return "".join(parts)


def title_line(
    title: str,
    date: str,
    channels: Sequence[str],
    *,
    generated: bool,
    superseded_by: str = "",
) -> str:
    said = [", ".join((date, *channels) if date else channels)]
    if generated:
        said.append("generated, not approved")
    if superseded_by:
        said.append(f"superseded by {titled(superseded_by)}")
    by = "; ".join(filter(None, said))
    return f"### {titled(title)} ({by})\n" if by else f"### {titled(title)}\n"


def excerpt_label(
    heading_path: Sequence[str], span: Span, number: str, flags: str
) -> str:
    under = " > ".join([titled(heading) for heading in heading_path])
    first, last = span
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    return f"{number} {under}{', ' if under else ''}{lines}{flags}\n"


def answer_line(sentence: AnswerSentence, cite: Cite) -> str:
    return f"{cite(sentence.receipt)} {one_line(sentence.text)}\n"


def item_line(item: Item, cite: Cite) -> str:
    """Return a decision, a question or a task on one line.

    What no person has approved says so before its text; a title that the text begins
    with is not said twice.
    """
    when = f"{item.date} " if item.date else ""
    mark = "" if item.approved else f"({NOT_APPROVED}) "
    text = one_line(item.text)
    title = "" if _is_named(text, item.title) else f"{titled(item.title)}: "
    more = " (goes on)" if item.trimmed else ""
    if holds_hidden(item.text):  # more than a reader of the note sees
        more += " (holds hidden text)"
    return f"{cite(item.receipt)} {when}{mark}{title}{text}{more}\n"


def _is_named(text: str, title: str) -> bool:
    name = _DAY.sub("", title, count=1)
    words = _WORD.findall(name)
    begun = _WORD.findall(text[: 2 * len(name) + LINK_CHARS])[: len(words)]
    return bool(words) and words == begun


def read_line(read: NextRead) -> str:
    return f"{one_line(read.path)}: {one_line(read.why)}\n"


def conflict_line(conflict: Conflict, cite: Cite) -> str:
    """Return two sources that do not agree, the newer first."""
    newer, older = (_side(side, cite) for side in conflict.sides)
    return f"{conflict.kind}, {one_line(conflict.about)}: {newer} | {older}\n"


def _side(side: ConflictSide, cite: Cite) -> str:
    date = f" {side.date}" if side.date else ""
    mark = "" if side.approved else f" ({NOT_APPROVED})"
    return f"{cite(side.receipt)}{date} {one_line(side.value)}{mark}"


def source_line(receipt: str, number: str) -> str:
    return f"{number} {one_line(receipt)}\n"


def follow_line(address: str) -> str:
    return f"{one_line(address)}\n"


def _footing(bundle: Bundle) -> Iterator[str]:
    facts = []
    if bundle.confidence is not None:
        facts.append(f"confidence {bundle.confidence:.2f}")
    if bundle.channels:
        facts.append(f"channels {', '.join(bundle.channels)}")
    if bundle.intent is not None:
        facts.append(f"intent {bundle.intent}")
    if facts:
        how = "Found" if bundle.notes else "Searched"
        yield f"{how} with {'; '.join(facts)}."
    if bundle.degraded:
        more = len(bundle.degraded) - NOTICES
        yield _missing(bundle.degraded, NOTICES, f"; and {more} more" * (more > 0))
    if bundle.dropped:
        yield _left_out(bundle.dropped, {"suggested": "suggested note"})


def _missing(notices: Sequence[str], most: int, more: str = "") -> str:
    shown = [
        line if len(line) <= NOTICE_CHARS else f"{line[:NOTICE_CHARS].rstrip()}…"
        for line in map(one_line, notices[:most])
    ]
    return f"Missing: {'; '.join(shown)}{more}."


def _left_out(dropped: Sequence[OmittedSection], nouns: Mapping[str, str]) -> str:
    parts = [
        dropped_text(part, nouns.get(part.section, part.section.removesuffix("s")))
        for part in dropped
    ]
    return f"Left out: {', '.join(parts)}."


def dropped_text(dropped: OmittedSection, noun: str) -> str:
    """Return how much of something was left out: `1 task`, `30 or more tasks`."""
    if dropped.at_least:
        return f"{dropped.count:,} or more {noun}s"
    return counted(dropped.count, noun)


# --- briefings ----------------------------------------------------------------------


SECTIONS: Mapping[str, Callable[[Any, Cite], str]] = {
    "hot": lambda note, _: read_line(note),
    "decisions": item_line,
    "questions": item_line,
    "tasks": item_line,
    "changed": lambda note, _: f"{note.date} {one_line(note.path)}\n",
    "conflicts": conflict_line,
}
"""What makes the lines of each section of a briefing, in order."""

TITLES = {
    "hot": "Hot and Warm Notes",
    "decisions": "Recent Decisions",
    "questions": "Open Questions",
    "tasks": "Open Tasks",
    "changed": "Changed since {since}",
    "conflicts": "Conflicts and Staleness",
}

BRIEFING_NOTICES = 2


def briefing_as_markdown(briefing: Briefing) -> str:
    sources = Citations()
    parts = [
        section(
            TITLES[name].format(since=briefing.since),
            [line(thing, sources.cite) for thing in getattr(briefing, name)],
        )
        for name, line in SECTIONS.items()
    ]
    parts = [part for part in (*parts, sources.section()) if part]
    if not parts and not briefing.dropped:
        parts = [NOTHING_NEW]
    notices = [f"{notice}." for notice in briefing.notices]
    if briefing.degraded:
        notices.append(_missing(briefing.degraded, BRIEFING_NOTICES))
    if briefing.dropped:
        nouns = {"hot": "warm note", "changed": "changed note"}
        notices.append(_left_out(briefing.dropped, nouns))
    footer = "".join(f"{line}\n" for line in notices)
    project = f": {titled(briefing.project)}" if briefing.project else ""
    heading = f"# Briefing{project}\n\n{LABEL}\n"
    return "\n".join([heading, *parts, *([footer] if footer else [])])


# --- summaries ----------------------------------------------------------------------


def summary_as_markdown(  # noqa: PLR0913 - each part by its name
    project: str,
    *,
    short: Sequence[AnswerSentence],
    decisions: Sequence[Item],
    points: Sequence[tuple[str, AnswerSentence]],
    questions: Sequence[Item],
    notices: Sequence[str] = (),
) -> str:
    sources = Citations()
    cite = sources.cite
    parts = [
        section("In Short", [answer_line(sentence, cite) for sentence in short]),
        section("Decisions", [item_line(item, cite) for item in decisions]),
        section(
            "From the Notes",
            [
                f"{cite(point.receipt)} {titled(title)}: {one_line(point.text)}\n"
                for title, point in points
            ],
        ),
        section("Open Questions", [item_line(item, cite) for item in questions]),
    ]
    parts = [part for part in (*parts, sources.section()) if part] or [NO_SENTENCES]
    if notices:
        parts.append(f"{_missing(notices, len(notices))}\n")
    return "\n".join([f"# Summary of {titled(project)}\n\n{LABEL}\n", *parts])


# --- receipts -----------------------------------------------------------------------


def receipts_of(packed: Bundle | Briefing) -> list[str]:
    receipts: list[str] = []
    if isinstance(packed, Bundle):
        receipts += [sentence.receipt for sentence in packed.answer]
        receipts += [part.receipt for note in packed.notes for part in note.excerpts]
    items = (*packed.decisions, *packed.questions, *packed.tasks)
    receipts += [item.receipt for item in items]
    receipts += [side.receipt for pair in packed.conflicts for side in pair.sides]
    return list(dict.fromkeys(receipts))
