"""A list of edits of one note, in order: all of them, or none."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, assert_never, get_args

from glassmind.edit.text.blocks import block_changed, block_meant
from glassmind.edit.text.ends import appended, prepended
from glassmind.edit.text.headings import heading_changed
from glassmind.edit.text.lines import lines_changed
from glassmind.edit.text.links import link_added
from glassmind.edit.text.page import LinkWriter, Page, Planned
from glassmind.edit.text.properties import changed
from glassmind.edit.text.replacing import replaced
from glassmind.edit.text.risks import side_effects
from glassmind.edit.text.tasks import task_set
from glassmind.errors.editing import BadEdit, EditRefused
from glassmind.model import NotePath
from glassmind.model.editing import (
    WHERE,
    AddLink,
    Append,
    AtBlock,
    AtHeading,
    AtLine,
    ChangeProperty,
    Prepend,
    Replace,
    Scope,
    SetTask,
    Splice,
    TextEdit,
)
from glassmind.obsidian.splices import spliced

KINDS: Mapping[type, str] = {
    Append: "append",
    Prepend: "prepend",
    Replace: "replace",
    AtHeading: "heading",
    AtBlock: "block",
    ChangeProperty: "property",
    AtLine: "line",
    SetTask: "task",
    AddLink: "link",
}
"""What edits are called in replies, as commands call them."""


class Edited(NamedTuple):
    """A file after its edits.

    `facts` holds one entry for each edit: its kind, the line it began on, and how many
    characters went and came.
    """

    raw: bytes
    risks: tuple[str, ...]
    facts: Mapping[str, object]


def edited(
    path: NotePath, raw: bytes, edits: Sequence[TextEdit], pen: LinkWriter
) -> Edited:
    """Return a file with every edit made in order, each on what the one before left.

    Raises:
        EditRefused: one cannot be made; its `place` says which of several it is.
    """
    if not edits:
        raise BadEdit("there is nothing to edit")
    page = Page.of(path, raw)
    risks: list[str] = []
    facts: list[Mapping[str, object]] = []
    for at, edit in enumerate(edits):
        try:
            _check(edit)
            planned = _planned(page, edit, pen)
            places = page.places(planned.splices)
            after = Page.of(path, spliced(page.raw, places)) if places else page
            splices = sorted(planned.splices, key=lambda splice: splice[:2])
            risks += _risks(page, after, edit, planned, splices)
        except EditRefused as refused:
            if len(edits) > 1:
                _place(refused, f"edits[{at}]")
            raise
        facts.append(_facts(page, edit, planned, splices))
        page = after
    unique = tuple(dict.fromkeys(risks))
    return Edited(page.raw, unique, {"edits": facts})


def _check(edit: TextEdit) -> None:
    """Refuse what a caller from outside may say and no edit means."""
    if isinstance(edit, AtHeading | AtBlock | AtLine) and edit.where not in WHERE:
        raise BadEdit(f"where is {', '.join(WHERE)}; {edit.where!r} is none")
    if isinstance(edit, AtHeading) and edit.scope not in get_args(Scope):
        raise BadEdit(f"a scope is section or body; {edit.scope!r} is none")


def _planned(page: Page, edit: TextEdit, pen: LinkWriter) -> Planned:  # noqa: PLR0911
    match edit:
        case Append():
            return appended(page, edit)
        case Prepend():
            return prepended(page, edit)
        case Replace():
            return replaced(page, edit)
        case AtHeading():
            return heading_changed(page, edit)
        case AtBlock():
            return block_changed(page, edit)
        case ChangeProperty():
            return Planned(changed(page, edit))
        case AtLine():
            return lines_changed(page, edit)
        case SetTask():
            return task_set(page, edit)
        case AddLink():
            return link_added(page, edit, pen)
        case _:
            assert_never(edit)


def _risks(
    page: Page,
    after: Page,
    edit: TextEdit,
    planned: Planned,
    splices: Sequence[Splice],
) -> list[str]:
    """Return what should be known of an edit that was made.

    Raises:
        BadEdit: the id of a block would be lost.
    """
    risks = list(planned.risks)
    if after is page:
        return risks
    if isinstance(edit, AtBlock):
        name = block_meant(page, edit.block).name
        if all(one.name != name for one in after.note.block_ids):
            raise BadEdit(f"behind that text ^{name} would not be read as an id")
    if isinstance(edit, AddLink) and not risks:
        start = splices[0].start
        end = start + len(splices[0].text)
        if not any(start <= link.start < end for link in after.note.links):
            risks.append("the link stands where it is not read as one")
    if isinstance(edit, ChangeProperty):
        return risks
    return [*risks, *side_effects(page, after, splices)]


def _facts(
    page: Page, edit: TextEdit, planned: Planned, splices: Sequence[Splice]
) -> Mapping[str, object]:
    gone = sum(len(page.source[s.start : s.end].decode()) for s in splices)
    come = sum(len(s.text.decode()) for s in splices)
    line = page.line_of(splices[0].start) if splices else None
    base = {"kind": KINDS[type(edit)], "line": line, "removed": gone, "added": come}
    return {**base, **planned.facts}


def _place(refused: EditRefused, place: str) -> None:
    """Let a refusal say which of several edits it is about."""
    refused.place = place
    refused.args = (f"{place}: {refused.said}",)
