"""Suggested links and similar notes as text: for people, and for models."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from glassmind.markdown.style import Style, counted
from glassmind.operations.model_text import fenced, listed, named, one_line, quoted
from glassmind.operations.registry import View, joined
from glassmind.types.suggestions import Suggestion

if TYPE_CHECKING:
    from glassmind.operations.suggestions import (
        DismissResult,
        SimilarResult,
        SuggestResult,
    )

NO_SUGGESTIONS = "Nothing to suggest."
NOT_COMPARED = "No pairs yet: notes are compared when they are embedded."
NO_PAIRS = "No similar notes without a link."


def suggest_for_people(result: "SuggestResult", _: Any, style: Style) -> str:
    """Return each suggestion with its reason and the edit that would add the link."""
    if not result.suggestions:
        return f"{NO_SUGGESTIONS}\n"
    return "\n".join(
        joined(_suggestion(number, one, style))
        for number, one in enumerate(result.suggestions, 1)
    )


def _suggestion(number: int, one: Suggestion, style: Style) -> Iterator[str]:
    ends = f"{style.strong(one.source)} -> {style.strong(one.target)}"
    ends += f" ({style.clean(one.property)})" if one.property else ""
    yield f"{number}. {ends}  {style.faint(f'{one.kind} {one.score:.2f}')}"
    yield f"   {style.clean(one.reason)}"
    if one.mention:
        yield f"   {style.faint(one.mention.sentence)}"
    shared = [f"#{tag}" for tag in one.shared_tags]
    shared += [path.removesuffix(".md") for path in one.shared_notes]
    if shared:
        yield style.faint(f"   both have {', '.join(shared)}")
    if one.edit:
        yield style.faint(f"   {one.edit.path}:{one.edit.line}")
        for sign, text in (("-", one.edit.before), ("+", one.edit.after)):
            lines = (line for line in text.splitlines() if line.strip())
            yield from (f"   {sign} {style.clean(line)}" for line in lines)


def suggest_for_models(result: "SuggestResult", view: View) -> str:
    """Return each suggestion with its reason and the proposed edit."""
    rows: list[str] = []
    for number, one in enumerate(result.suggestions, view.first):
        ends = f"{named(one.source)} -> {named(one.target)}"
        ends += f" ({one_line(one.property)})" if one.property else ""  # as in its key
        rows.append(f"{number}. {ends} ({one.kind} {one.score:.2f})")
        rows.append(f"   {one_line(one.reason)}")
        if one.mention:
            sentence = quoted(one.mention.sentence)
            rows.append(f"   line {one.mention.line} > {sentence}")
        if one.edit:
            before, after = one_line(one.edit.before), one_line(one.edit.after)
            place = f"{named(one.edit.path)}:{one.edit.line}"
            rows.append(f"   at {place} '{before}' to '{after}'")
    head = ["Proposals; nothing is written."] if result.suggestions else []
    nothing = "" if result.suggestions else NO_SUGGESTIONS
    return listed(head, rows, view, result.notices, nothing=nothing)


def similar_for_people(result: "SimilarResult", _: Any, style: Style) -> Iterator[str]:
    """Yield a line per pair, most similar first, and what was left out."""
    if not result.pairs:
        yield NOT_COMPARED if result.status.threshold is None else NO_PAIRS
    for pair in result.pairs:
        first = "" if result.note else f"{style.strong(pair.path)} ~ "
        yield f"{pair.similarity:.2f}  {first}{style.strong(pair.other_path)}"
    left = result.total - len(result.pairs)
    if left:
        yield style.faint(f"and {counted(left, 'more pair')}")
    if result.dismissed:
        yield style.faint(f"{counted(result.dismissed, 'pair')} dismissed")


def similar_for_models(result: "SimilarResult", view: View) -> str:
    """Return a line per pair, most similar first."""
    if result.status.threshold is None:
        return listed([], [], view, result.notices, nothing=NOT_COMPARED)
    gone = f", {result.dismissed:,} dismissed" if result.dismissed else ""
    head = [f"{counted(result.total, 'similar pair')} without a link{gone}."]
    rows = [
        f"{number}. {pair.similarity:.2f} {named(pair.path)} ~ {named(pair.other_path)}"
        for number, pair in enumerate(result.pairs, view.first)
    ]
    nothing = "" if result.pairs else NO_PAIRS
    return listed(head, rows, view, result.notices, nothing=nothing)


def dismissed_for_people(result: "DismissResult", arguments: Any, style: Style) -> str:
    """Return the line that was written or removed."""
    line = style.clean(result.line.strip())
    if not result.changed:
        so = "not dismissed" if arguments.restore else "already dismissed"
        return f"Nothing to change, {so}: {line}\n"
    change = "Removed from" if arguments.restore else "Added to"
    return f"{change} {style.strong(result.file)}: {line}\n"


def dismissed_for_models(result: "DismissResult", _view: View) -> str:
    """Return the line that was written or removed."""
    head = "Done." if result.changed else "Nothing to change."
    return f"{head}\n{fenced(f'{named(result.file)}: {one_line(result.line)}')}"
