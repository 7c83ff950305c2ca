"""A briefing as the Markdown that an agent reads; its tokens are those of this text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from glassmind.render.bundles_markdown import (
    Citations,
    Cite,
    conflict_line,
    dropped_text,
    item_line,
    read_line,
    section,
)
from glassmind.render.lacking import missing_line
from glassmind.render.quoted import LABEL, one_line, titled
from glassmind.types.context import Briefing, ChangedNote, Dropped

NOTHING = "Nothing is warm, open or changed.\n"

MOST_TOLD = 2
"""Of what was missing; JSON has all of it, and whole."""


def changed_line(note: ChangedNote) -> str:
    """Return a note that was changed, on one line."""
    return f"{note.date} {one_line(note.path)}\n"


SECTIONS: Mapping[str, Callable[[Any, Cite], str]] = {
    "hot": lambda one, _: read_line(one),
    "decisions": item_line,
    "questions": item_line,
    "tasks": item_line,
    "changed": lambda one, _: changed_line(one),
    "conflicts": conflict_line,
}
"""The line of one thing, by section, in their order."""

TITLES = {
    "hot": "Hot and Warm Notes",
    "decisions": "Recent Decisions",
    "questions": "Open Questions",
    "tasks": "Open Tasks",
    "changed": "Changed since {since}",
    "conflicts": "Conflicts and Staleness",
}

LEFT = {name: name.removesuffix("s") for name in SECTIONS}
LEFT |= {"hot": "warm note", "changed": "changed note"}
"""What there is more of, as one of it is said."""


def briefing_as_markdown(briefing: Briefing) -> str:
    """Return a briefing as Markdown; sections without content are left out."""
    sources = Citations()
    parts = [
        section(
            TITLES[name].format(since=briefing.since),
            [line(one, sources.cite) for one in getattr(briefing, name)],
        )
        for name, line in SECTIONS.items()
    ]
    said = [part for part in (*parts, sources.section()) if part]
    if not said and not briefing.dropped:
        said = [NOTHING]
    return "\n".join([_heading(briefing), *said, *_footing(briefing)])


def _heading(briefing: Briefing) -> str:
    project = f": {titled(briefing.project)}" if briefing.project else ""
    return f"# Briefing{project}\n\n{LABEL}\n"


def _footing(briefing: Briefing) -> list[str]:
    told = "".join(f"{one}.\n" for one in briefing.notices)
    told += missing_line(briefing.degraded, MOST_TOLD)
    if briefing.dropped:
        told += f"Left out: {', '.join(_dropped(briefing.dropped))}.\n"
    return [told] if told else []


def _dropped(dropped: Sequence[Dropped]) -> list[str]:
    return [dropped_text(one, LEFT[one.section]) for one in dropped]
