"""Files that somebody renamed outside of Glassmind, and the links that still say so."""

from collections.abc import Mapping

from glassmind.edit.desk import Desk
from glassmind.edit.relink_text import Relink
from glassmind.edit.relinking import Job, links_in, worked
from glassmind.edit.universe import universe_of
from glassmind.files.resolve import Names, name_key
from glassmind.model import NotePath
from glassmind.model.editing import MOVED, OWNERS_PLAN, Draft


def plan_outside(desk: Desk, moves: Mapping[NotePath, NotePath]) -> Draft | None:
    """Return the change that writes links to moved files anew; None where none has to.

    The files are where they are: only links change, those that led to the old names,
    and those in the moved files that lead elsewhere from the new place.
    """
    seen = universe_of(desk)
    known = set(seen.paths)
    there = known.union(seen.others)
    goes = {old: new for old, new in moves.items() if old not in there and new in known}
    if not goes:
        return None
    was = {new: old for old, new in goes.items()}
    before = [was.get(path, path) for path in seen.paths]
    names = Names.of((*before, *seen.others))
    relink = Relink(names, seen.ends(), goes, None, desk.settings())
    keys = {name_key(path) for pair in goes.items() for path in pair}
    files = {*seen.rows.linking(keys), *was} | seen.no_markdown()
    jobs = [Job(path, was.get(path, path), path) for path in sorted(files)]
    found = worked(desk, (), jobs, relink, earlier={}, risks=seen.risks)
    if not found.steps:
        return None
    first, *others = goes.items()
    more = f" and {len(others)} more" if others else ""
    title = f"links to {first[0]}, which is {first[1]} now{more}"
    moved = {str(old): str(new) for old, new in goes.items()}
    facts = {MOVED: moved, OWNERS_PLAN: True}
    return Draft(
        "relink",
        title,
        found.steps,
        found.rewritten,
        found.adopted,
        found.risks,
        {**facts, **links_in(found.counted)},
    )
