"""Thinking a change out anew that waited: links may have been written meanwhile.

What was asked for is kept with a change, by the paths that names meant then. When it is
to be applied at last, it is thought out again; what comes out otherwise takes the place
of the old one, to be looked at.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, TypeAlias

from glassmind.edit.applying import moving
from glassmind.edit.back_links import carried_back
from glassmind.edit.deciding import permitted
from glassmind.edit.deleting import plan_delete, plan_new
from glassmind.edit.desk import Desk
from glassmind.edit.diffs import changed
from glassmind.edit.folders import with_folders
from glassmind.edit.headings import plan_rename_heading
from glassmind.edit.left_out_since import carrying, known_undone, refuse_left_out
from glassmind.edit.memos import ASKED
from glassmind.edit.merging import plan_merge
from glassmind.edit.moving import plan_move
from glassmind.edit.naming import named
from glassmind.edit.outside import plan_outside
from glassmind.edit.renamed import without_forbidden
from glassmind.edit.splitting import plan_split
from glassmind.edit.tags import plan_rename_tag
from glassmind.edit.text.apply import KINDS
from glassmind.edit.undoing import UNDOES, plan_undo
from glassmind.edit.writing import plan_edit
from glassmind.errors import GlassmindError, NoteNotFound
from glassmind.errors.editing import EditRefused, WrongState
from glassmind.errors.writing import NameTaken
from glassmind.files.trash import is_trashed
from glassmind.model import NotePath
from glassmind.model.editing import (
    MOVED,
    OWNERS_PLAN,
    AtLine,
    Changed,
    Changeset,
    ChangeVerb,
    Draft,
    SetTask,
    TextEdit,
)
from glassmind.ports.editing import Standing

REST = "rest"
"""The fact of a draft that is what is left of a change, which was made in part."""

LONGEST = 20_000
"""Characters of edits that are kept so: what is longer is read with every list."""

OTHERWISE = "it concerns other links or files now, so that a person should look at it"
"""Why a change that was thought out anew waits."""

Anew: TypeAlias = Callable[[Draft], Draft | None]
"""Thinks a change out again; None for one that cannot be."""

_Plan: TypeAlias = Callable[[Desk], Draft]

_NOTES = ("note", "source", "into")
_EDITS = {name: kind for kind, name in KINDS.items()}


def remembered(desk: Desk, draft: Draft, asked: Mapping[str, object]) -> Draft:
    """Return a draft that knows what was asked for; notes by their paths."""
    draft = carrying(desk, draft)
    if not asked:
        return draft
    meant = {
        name: named(desk, said)
        for name, said in asked.items()
        if name in _NOTES and isinstance(said, str)
    }
    told = {**asked, **meant, **_as_set(draft, asked)}
    return replace(draft, facts={**draft.facts, ASKED: told})


def _as_set(draft: Draft, asked: Mapping[str, object]) -> dict[str, object]:
    """Return edits with the status that tasks got: to toggle one again undoes that."""
    edits, made = asked.get("edits"), draft.facts.get("edits")
    if not isinstance(edits, list) or not isinstance(made, list):
        return {}
    return {
        "edits": [
            {**edit, "status": fact["status"]} if "status" in edit else edit
            for edit, fact in zip(edits, made, strict=True)
        ]
    }


def as_rest(draft: Draft) -> Draft:
    """Return a draft that is not thought out anew, as a part of it was made already."""
    kept = {name: fact for name, fact in draft.facts.items() if name != ASKED}
    return replace(draft, facts={**kept, REST: True})


def asked_edits(edits: Sequence[TextEdit]) -> dict[str, object]:
    """Return edits as facts; none where they are long, or tell lines by number."""
    if any(_by_line(edit) for edit in edits):
        return {}
    told = [{"kind": KINDS[type(edit)], **asdict(edit)} for edit in edits]
    return {"edits": told} if len(str(told)) <= LONGEST else {}


def _by_line(edit: TextEdit) -> bool:
    return isinstance(edit, AtLine) or (
        isinstance(edit, SetTask) and edit.line is not None
    )


def replanned(desk: Desk, draft: Draft) -> Draft | None:
    """Return a change as it would be made now; None where nobody knows what it was.

    Raises:
        GlassmindError: it cannot be made any more; which one says why.
    """
    if REST in draft.facts:
        return None
    asked = draft.facts.get(ASKED, {})
    try:
        plan = _plan_of(draft, asked if isinstance(asked, Mapping) else {})
    except (KeyError, TypeError, ValueError):  # another version kept it
        return None
    if plan is None:
        return None
    with desk.faults():
        found = carrying(desk, plan(desk))
    kept = {ASKED: asked} if asked else {}
    return replace(found, facts={**found.facts, **kept})


def _plan_of(draft: Draft, asked: Mapping[str, Any]) -> _Plan | None:
    """Return what plans a change again, from what was asked for and what was shown."""
    shown = _SHOWN.get(draft.verb)
    if shown is not None:
        return shown(draft)
    if draft.verb == "edit" and asked:
        return _edited(draft, asked["edits"])
    return _parted(draft.verb, asked) if asked else None


def _parted(verb: ChangeVerb, asked: Mapping[str, Any]) -> _Plan | None:
    match verb:
        case "rename-heading":
            told = [asked[name] for name in ("note", "heading", "new", "index")]
            return lambda desk: plan_rename_heading(desk, *told)
        case "rename-tag":
            told = [asked[name] for name in ("old", "new")]
            return lambda desk: plan_rename_tag(desk, *told)
        case "merge":
            told = [asked[name] for name in ("source", "into")]
            return lambda desk: plan_merge(desk, *told)
        case "split":
            told = [asked[name] for name in ("note", "heading", "level", "folder")]
            index = asked.get("index")
            return lambda desk: plan_split(desk, *told, index=index)
    return None


def _edited(draft: Draft, told: Sequence[Mapping[str, Any]]) -> _Plan:
    edits = [
        _EDITS[one["kind"]](**{k: v for k, v in one.items() if k != "kind"})
        for one in told
    ]
    (path,) = {step.path or step.to for step in draft.steps}

    def plan(desk: Desk) -> Draft:
        found = plan_edit(desk, path, edits, None)
        return _of_the_same(found, path, found.steps[0].path)

    return plan


def _new(draft: Draft) -> _Plan:
    """Plan a note with the text that was shown, whatever its template says by now."""
    (new,) = (step for step in draft.steps if step.path is None)
    return lambda desk: plan_new(desk, new.to, new.after)


def _deleted(draft: Draft) -> _Plan:
    (gone,) = (step for step in draft.steps if is_trashed(step.to))
    path = gone.path or gone.to
    name = f"{path}/" if gone.folder else path

    def plan(desk: Desk) -> Draft:
        found = plan_delete(desk, name)
        (same,) = (step.path for step in found.steps if is_trashed(step.to))
        return _of_the_same(found, path, same)

    return plan


def _moved(draft: Draft) -> _Plan:
    path, to = str(draft.facts["from"]), str(draft.facts["to"])
    name = f"{path}/" if draft.facts["folder"] else path

    def plan(desk: Desk) -> Draft:
        found = plan_move(desk, name, to)
        if found.facts["to"] != to:  # there is a folder of that name now
            raise NameTaken(to)
        return _of_the_same(found, path, found.facts["from"])

    return plan


def _led(draft: Draft) -> _Plan:
    """Plan the links to notes that were renamed outside."""
    told = draft.facts[MOVED]
    if not isinstance(told, Mapping):
        raise TypeError
    moves = {NotePath(str(old)): NotePath(str(new)) for old, new in told.items()}

    def plan(desk: Desk) -> Draft:
        found = plan_outside(desk, moves)
        found = found and without_forbidden(desk, found)
        if found is None:
            raise EditRefused("no link has to be written anew any more: leave it")
        return found

    return plan


def _undone(draft: Draft) -> _Plan:
    identity = str(draft.facts[UNDOES])

    def plan(desk: Desk) -> Draft:
        known = desk.book.get(identity)
        if known.state != "applied":
            raise WrongState(known.id, known.state, "applied")
        return carried_back(desk, known, plan_undo(desk, known)[0])

    return plan


_SHOWN: Mapping[ChangeVerb, Callable[[Draft], _Plan]] = {
    "create": _new,
    "delete": _deleted,
    "move": _moved,
    "relink": _led,
    "undo": _undone,
}
"""Of these, all that was asked for can be seen from what came of it."""


def _of_the_same(draft: Draft, wanted: str, found: object) -> Draft:
    """Return a draft if it is about the file that was meant, not another so called."""
    if found != wanted:
        raise NoteNotFound(wanted)
    return draft


def another(anew: Anew, draft: Draft, standing: Sequence[Standing]) -> Draft | None:
    """Return a change that carries links as it is by now, if it is another one.

    It is if it has other steps, or risks that nobody was told of. `standing` is how its
    files stand: of what somebody has made himself meanwhile, the rest may still fit.

    Raises:
        GlassmindError: it cannot be made any more; which one says why.
    """
    if draft.verb == "edit" or all(now == "new" for now in standing):
        return None
    try:
        fresh = anew(draft)
    except GlassmindError:
        if "new" in standing:
            return None
        raise
    if fresh is None:
        return None
    same = set(moving(fresh.steps)) == set(moving(draft.steps))
    return None if same and set(fresh.risks) <= set(draft.risks) else fresh


def edited_anew(anew: Anew, draft: Draft) -> Draft | None:
    """Return an edit as it is made on the present text; None where it cannot be."""
    if draft.verb != "edit":
        return None
    with suppress(GlassmindError):
        return anew(draft)
    return None


def in_its_place(
    desk: Desk, waits: Changeset, draft: Draft, reason: str = OTHERWISE
) -> Changed:
    """Propose a change instead of one that waits, and return it.

    Raises:
        PolicyForbids: a file of it may not be edited; the old one waits still.
        FileUnreadable: a note that it changes is left out of the index by now.
    """
    permitted(desk, draft)
    refuse_left_out(desk, draft, known_undone(desk, waits))
    if desk.sight is None:
        draft = replace(draft, facts={**draft.facts, OWNERS_PLAN: True})
    made = desk.book.made(
        with_folders(desk, draft),
        "proposed",
        client=waits.client,
        undoes=waits.undoes,
        reason=reason,
    )
    desk.book.keep(made)
    desk.book.shift(waits.id, "rejected", reason=f"{made.id} took its place")
    said = f"nothing was changed: {reason}; {made.id} takes the place of {waits.id}"
    return changed(made, notices=[said])
