"""Suggestions for properties that should lead back, with the line that would."""

from collections.abc import Callable

from glassmind.files.spelling import Pen
from glassmind.graph.suggest.facts import Facts
from glassmind.graph.suggest.outlook import Pages
from glassmind.graph.suggest.property_edits import edit_for_property
from glassmind.graph.suggest.reciprocal import ONE_EACH, Missing
from glassmind.model import NotePath
from glassmind.model.suggestions import Sign, Suggestion, suggestion_key

BY_HAND = "; its properties are written so that they have to be edited by hand"


def answers_about(
    facts: Facts,
    note: NotePath | None,
    is_dismissed: Callable[[NotePath, NotePath], bool],
) -> list[Missing]:
    """Return the missing answers between offered notes, the surest first.

    Of one note, those that it should give and those that it waits for.
    """
    node_of, paths = facts.net.node_of, facts.net.paths
    found = []
    for missing in facts.missing:
        asking, asked = node_of(missing.source), node_of(missing.target)
        if asking is None or asked is None:
            continue
        if not (facts.offered[asking] and facts.offered[asked]):
            continue
        ends = NotePath(paths[asking]), NotePath(paths[asked])
        if (note is None or note in ends) and not is_dismissed(*ends):
            found.append(missing)
    return found


def answer_suggested(
    missing: Missing, facts: Facts, pages: Pages, pen: Pen
) -> Suggestion | None:
    """Return a missing answer as a suggestion; None where a note is gone by now."""
    net = facts.net
    asking, asked = net.node_of(missing.source), net.node_of(missing.target)
    if asking is None or asked is None:
        return None
    source, target = NotePath(net.paths[asked]), NotePath(net.paths[asking])
    page = pages.at(source)
    name = facts.spellings.get(missing.answer, missing.answer)
    many = missing.answer not in ONE_EACH
    reason = (
        f"{net.titles[asking]} has it as {missing.asked}, and "
        f"its own {name} does not lead back"
    )
    edit = edit_for_property(page, name, target, pen, many=many) if page else None
    if edit is None:
        reason += BY_HAND
    return Suggestion(
        key=suggestion_key(source, target, name),
        kind="reciprocal",
        source=source,
        source_title=net.titles[asked],
        target=target,
        target_title=net.titles[asking],
        score=missing.sure,
        reason=reason,
        signs=(Sign("reciprocal", missing.sure, missing.sure, reason),),
        property=name,
        edit=edit,
    )
