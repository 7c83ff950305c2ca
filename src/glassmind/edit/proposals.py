"""Notes that were renamed outside of Glassmind: their links are offered as a proposal.

Each rename is offered once. What was rejected, or applied and taken back, is not
brought up again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, TypeAlias

from glassmind.edit.applying import applied, moving, settle, with_folders
from glassmind.edit.deciding import (
    ASKED,
    TAINTED,
    carrying,
    kept,
    known_undone,
    permitted,
    refuse_left_out,
    refuse_memos,
    withheld,
)
from glassmind.edit.desk import Asking, Desk
from glassmind.edit.diffs import changed, merge
from glassmind.edit.names import is_taken, named
from glassmind.edit.permissions import forbidden, judged, told_changeset
from glassmind.edit.planning import (
    plan_delete,
    plan_edit,
    plan_move,
    plan_new,
    plan_outside,
)
from glassmind.edit.restructuring import (
    plan_merge,
    plan_rename_heading,
    plan_rename_tag,
    plan_split,
)
from glassmind.edit.text_edits import KINDS
from glassmind.edit.undoing import EDITED, UNDOES, carried_back, plan_undo
from glassmind.errors import (
    ChangesetUnknown,
    ConfirmFirst,
    EditRefused,
    GlassmindError,
    NameTaken,
    NeedsApproval,
    NoteChanged,
    NoteGone,
    NoteNotFound,
    PolicyForbids,
    WrongState,
)
from glassmind.files.read import digest_of
from glassmind.files.steps import is_trashed
from glassmind.model import NotePath
from glassmind.model.edits import (
    MOVED,
    OWNERS_PLAN,
    AtLine,
    Changed,
    Changeset,
    ChangeVerb,
    Draft,
    SetTask,
    Step,
    TextEdit,
)
from glassmind.ports.editing import Standing

CLIENT = "glassmind"
"""Who asks for what nobody asked for."""

REASON = "notes were renamed outside of Glassmind, and links still say their old names"


def offered(desk: Desk, moves: Mapping[NotePath, NotePath]) -> Changed | None:
    """Propose new links for renamed notes; None where there is nothing to propose.

    Nothing is where the settings let no note be edited.
    """
    if desk.config.writes.user_notes == "off":
        return None
    fresh = _not_offered(desk, moves)
    draft = plan_outside(desk, fresh) if fresh else None
    draft = draft and without_forbidden(desk, draft)
    if draft is None:
        return None
    return kept(desk, draft, "proposed", Asking(client=CLIENT), reason=REASON)


def _not_offered(
    desk: Desk, moves: Mapping[NotePath, NotePath]
) -> dict[NotePath, NotePath]:
    """Return the renames that no changeset is about; memos are moved by ourselves."""
    folder = f"{desk.agent_folder}/"
    listed, _ = desk.book.listed()
    known = {
        (str(old), str(new))
        for one in listed
        if one.draft.verb == "relink"
        for old, new in _moves_in(one.draft).items()
    }
    return {
        old: new
        for old, new in moves.items()
        if (old, new) not in known and not old.startswith(folder)
    }


def _moves_in(draft: Draft) -> Mapping[object, object]:
    found = draft.facts.get(MOVED)
    return found if isinstance(found, Mapping) else {}


def without_forbidden(desk: Desk, draft: Draft) -> Draft | None:
    """Return a change without the files that may not be edited; None without any."""
    barred = forbidden(desk, draft)
    steps = [step for step in draft.steps if step.to not in barred]
    left = len(draft.steps) - len(steps)
    if not steps:
        return None
    if not left:
        return draft
    said = f"{left} files with such links may not be edited, and stay as they are"
    return replace(draft, steps=tuple(steps), risks=(*draft.risks, said))


def by_others(
    moves: Mapping[NotePath, NotePath], steps: Iterable[Step]
) -> dict[NotePath, NotePath]:
    """Return the moves that no step made, be it of a file or of its folder."""
    ours = {step.path: step.to for step in steps if step.path != step.to}
    return {old: new for old, new in moves.items() if not _is_moved(old, new, ours)}


def _is_moved(
    old: NotePath, new: NotePath, ours: Mapping[NotePath | None, NotePath]
) -> bool:
    """Whether a file went from one path to another by a step, or by one of a folder."""
    return any(
        (old, new) == (path, to)
        or (old.startswith(f"{path}/") and new == f"{to}{old[len(path or '') :]}")
        for path, to in ours.items()
    )


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


SAID_ALREADY = "its files say so already"


def approve(
    desk: Desk, identity: str, *, client: str = "cli", anew: Anew = lambda _: None
) -> Changed:
    """Apply a proposal, or what was only shown: a person said so.

    Where files of it were edited meanwhile and the change still fits, a new proposal on
    the present texts takes its place, to be looked at; what is returned is that.

    Raises:
        ChangesetUnknown: there is none.
        WrongState: it does not wait.
        PolicyForbids: the settings do not let a file of it be edited at all.
        FileUnreadable: a note that it changes is left out of the index by now.
        NoteChanged: it does not fit the present text of a file.
        NameTaken: something is where a file should go.
    """
    with desk.files.turn():
        notices = settle(desk)
        waits = desk.book.get(identity)
        if waits.state not in ("proposed", "previewed"):
            raise WrongState(waits.id, waits.state, "proposed")
        (may, rule), path = judged(desk, waits.draft)
        if may == "off":
            raise PolicyForbids(path, rule)
        refuse_left_out(desk, waits.draft, known_undone(desk, waits))
        steps = moving(waits.draft.steps)
        standing = desk.files.standing(steps)
        fresh = another(anew, waits.draft, standing)
        if fresh is not None:
            done = in_its_place(desk, waits, fresh)
        elif all(now == "old" for now in standing):
            why = f"{waits.draft.verb} {waits.id}, approved"
            done = applied(desk, waits, Asking(client=client, why=why))
        else:
            done = _refitted(desk, waits, standing, anew)
    return replace(done, notices=(*notices, *done.notices))


def reject(desk: Desk, identity: str, *, client: str = "cli") -> Changed:
    """Leave a proposal; nothing is changed.

    Raises:
        ChangesetUnknown: there is none.
        WrongState: it does not wait.
    """
    waits, notices = _waiting(desk, identity), []
    try:
        known = desk.book.get(waits.id)
    except EditRefused as fault:  # damaged; what is in it cannot be told
        known = replace(waits, draft=replace(waits.draft, steps=()))
        notices.append(str(fault))
    left = desk.book.shift(waits.id, "rejected", reason=f"by {client}")
    done = replace(known, state=left.state, reason=left.reason)
    return withheld(desk, changed(done, notices=notices))


def _waiting(desk: Desk, identity: str) -> Changeset:
    """Return a proposal without its content, which may be damaged."""
    known, _ = desk.book.listed()
    wanted = identity.strip().lower()
    found = [one for one in known if wanted and one.id.startswith(wanted)]
    if len(found) != 1:
        raise ChangesetUnknown(identity, [one.id for one in found])
    if found[0].state != "proposed":
        raise WrongState(found[0].id, found[0].state, "proposed")
    return found[0]


def _refitted(
    desk: Desk, waits: Changeset, standing: Sequence[Standing], anew: Anew
) -> Changed:
    """Propose a change as it fits the present texts, or as it is made on them now."""
    steps = moving(waits.draft.steps)
    try:
        fitted = [
            _fitted(desk, step, now) for step, now in zip(steps, standing, strict=True)
        ]
    except NoteChanged:
        fresh = edited_anew(anew, waits.draft)
        if fresh is None:
            raise
    else:
        fresh = replace(waits.draft, steps=moving(list(filter(None, fitted))))
        fresh = as_rest(fresh) if None in fitted else fresh
    if not moving(fresh.steps):
        return _said_already(desk, waits)
    return in_its_place(desk, waits, fresh, EDITED)


def _fitted(desk: Desk, step: Step, standing: Standing) -> Step | None:
    """Return a step as it would be made now; None for one that was made already."""
    if standing == "new":
        return None
    if standing == "old":
        return step
    if step.folder or step.path is None or step.before is None:
        raise NameTaken(step.to)
    now = desk.files.read(step.path)
    expected = digest_of(step.before)
    if now is None:
        raise NoteGone(step.path, expected=expected)
    if step.to != step.path and is_taken(desk, step.to):
        raise NameTaken(step.to)
    merged = merge(step.before, now, step.after)
    if not merged.is_clean:
        raise NoteChanged(step.path, expected=expected, found=digest_of(now))
    return step._replace(before=now, after=merged.raw)


def _said_already(desk: Desk, waits: Changeset) -> Changed:
    """Leave a proposal whose files say by now what it wanted."""
    left = desk.book.shift(waits.id, "rejected", reason=SAID_ALREADY)
    done = replace(waits, state=left.state, reason=left.reason)
    return changed(done, notices=[f"nothing was changed: {SAID_ALREADY}"])


TAKES_AWAY: frozenset[ChangeVerb] = frozenset(("delete", "merge"))
"""What puts a note into the trash, and so is confirmed."""


def apply_shown(  # noqa: PLR0913 - each fact by its name
    desk: Desk,
    identity: str,
    asking: Asking,
    *,
    confirm: bool,
    or_propose: bool,
    anew: Anew = lambda _: None,
) -> Changed:
    """Apply what was shown, or let it wait for a person where the policy says so.

    Raises:
        ChangesetUnknown: there is none.
        WrongState: it is not one that was only shown.
        ConfirmFirst: it takes a note away, and that was not confirmed.
        NeedsApproval: it waits already; or it would, and should not with `or_propose`
            being false.
        NoteChanged, NameTaken: its files are not what they were then.
        PolicyForbids: a file of it may not be edited.
        FileUnreadable: a note that it changes is left out of the index by now.
    """
    with desk.files.turn():
        known = told_changeset(desk, identity, asking.client)
        if known.state == "proposed":
            raise NeedsApproval(known.id)
        if known.state != "previewed":
            raise WrongState(known.id, known.state, "previewed")
        if known.draft.verb in TAKES_AWAY and not confirm:
            raise ConfirmFirst(f"{_taken_away(known)} would go to the trash")
        if desk.sight is not None:
            refuse_memos(desk, known.draft, asking)
        tainted = asking.tainted or TAINTED in known.draft.facts
        may, rule = permitted(desk, known.draft, tainted=tainted).verdict
        refuse_left_out(desk, known.draft, known_undone(desk, known))
        steps = moving(known.draft.steps)
        standing = desk.files.standing(steps)
        fresh = another(anew, known.draft, standing)
        if fresh is not None:
            if not or_propose:
                raise NeedsApproval(known.id)
            return in_its_place(desk, known, fresh)
        if may == "allow":
            return applied(desk, known, asking)
        if not or_propose:
            raise NeedsApproval(known.id)
        _refuse_stale(desk, steps, standing)
        return _proposed(desk, known, rule)


def _taken_away(known: Changeset) -> str:
    gone = (one for one in known.draft.steps if is_trashed(one.to))
    return ", ".join(step.path for step in gone if step.path is not None)


def _proposed(desk: Desk, known: Changeset, rule: str) -> Changed:
    """Let what was shown wait for a person."""
    desk.book.shift(known.id, "proposed", reason=rule)
    return changed(replace(known, state="proposed", reason=rule))


def _refuse_stale(
    desk: Desk, steps: Sequence[Step], standing: Sequence[Standing]
) -> None:
    """Let nothing wait whose files are not what they were when it was shown."""
    for step, now in zip(steps, standing, strict=True):
        if now != "old":
            raise _stale(desk, step)


def _stale(desk: Desk, step: Step) -> NoteChanged | NameTaken:
    if step.path is None or step.before is None:
        return NameTaken(step.to)
    raw = desk.files.read(step.path)
    found = "" if raw is None else digest_of(raw)
    expected = digest_of(step.before)
    if found == expected:
        return NameTaken(step.to)
    return NoteChanged(step.path, expected=expected, found=found)
