"""A summary as Markdown: sentences of notes in fences, each with its source."""

from collections.abc import Sequence

from glassmind.render.bundles_markdown import (
    Citations,
    Cite,
    answer_line,
    item_line,
    section,
)
from glassmind.render.lacking import missing_line
from glassmind.render.quoted import LABEL, one_line, titled
from glassmind.types.context import AnswerSentence, Item

NOTHING = "Its notes hold no sentence that could be told.\n"


def summary_as_markdown(  # noqa: PLR0913 - each part by its name
    project: str,
    *,
    short: Sequence[AnswerSentence],
    decisions: Sequence[Item],
    points: Sequence[tuple[str, AnswerSentence]],
    questions: Sequence[Item],
    notices: Sequence[str] = (),
) -> str:
    """Return a summary; `points` are sentences with the titles of their notes.

    `notices` say what it lacks.
    """
    sources = Citations()
    cite = sources.cite
    parts = [
        section("In Short", [answer_line(one, cite) for one in short]),
        section("Decisions", [item_line(one, cite) for one in decisions]),
        section("From the Notes", [_point(*one, cite) for one in points]),
        section("Open Questions", [item_line(one, cite) for one in questions]),
    ]
    said = [part for part in (*parts, sources.section()) if part] or [NOTHING]
    if notices:
        said.append(missing_line(notices, len(notices)))
    return "\n".join([f"# Summary of {titled(project)}\n\n{LABEL}\n", *said])


def _point(title: str, said: AnswerSentence, cite: Cite) -> str:
    return f"{cite(said.receipt)} {titled(title)}: {one_line(said.text)}\n"
