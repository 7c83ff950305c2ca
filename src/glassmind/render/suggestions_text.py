"""What should be linked, as people read it."""

from collections.abc import Iterator

from glassmind.render.style import Style
from glassmind.types.suggestions import ProposedEdit, Suggestion, Suggestions

NOTHING = "Nothing to suggest."


def suggestions_as_text(found: Suggestions, style: Style) -> str:
    """Return each suggestion with its reason and the edit that would make the link."""
    if not found.suggestions:
        return f"{NOTHING}\n"
    return "\n".join(
        "".join(f"{line}\n" for line in _lines(number, one, style))
        for number, one in enumerate(found.suggestions, 1)
    )


def _lines(number: int, one: Suggestion, style: Style) -> Iterator[str]:
    ends = f"{style.strong(one.source)} -> {style.strong(one.target)}"
    ends += f" ({style.clean(one.property)})" if one.property else ""
    yield f"{number}. {ends}  {style.faint(f'{one.kind} {one.score:.2f}')}"
    yield f"   {style.clean(one.reason)}"
    if one.mention is not None:
        yield f"   {style.faint(one.mention.sentence)}"
    shared = [f"#{tag}" for tag in one.shared_tags]
    shared += [path.removesuffix(".md") for path in one.shared_notes]
    if shared:
        yield style.faint(f"   both have {', '.join(shared)}")
    if one.edit is not None:
        yield from _edit(one.edit, style)


def _edit(edit: ProposedEdit, style: Style) -> Iterator[str]:
    """Yield an edit as a diff shows it, without the lines around it."""
    yield style.faint(f"   {edit.path}:{edit.line}")
    for sign, text in (("-", edit.before), ("+", edit.after)):
        lines = (line for line in text.splitlines() if line.strip())
        yield from (f"   {sign} {style.clean(line)}" for line in lines)
