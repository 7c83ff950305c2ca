"""Applying a changeset, all or nothing, whatever happens on the way.

The changeset is kept as being applied before the first file is touched, and as applied
after the last. One that is found as being applied by whoever edits next was left so by
a process that died: its files are brought to where it wanted them, or, where somebody
has edited one of them meanwhile, back to where they were.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from glassmind.edit.desk import Asking, Desk, LateRefresh
from glassmind.edit.diffs import changed, diffs_of, paths_of
from glassmind.errors import (
    EditRefused,
    GlassmindError,
    NotTakenBack,
    VaultError,
    WriteFailed,
)
from glassmind.files.steps import is_trashed
from glassmind.model import NotePath
from glassmind.model.edits import (
    Changed,
    Changeset,
    ChangeState,
    Draft,
    FileDiff,
    Step,
)

LATE = "a search does not find it yet: {fault}"


def refreshed_after(desk: Desk, change: Callable[[Desk], Changed]) -> Changed:
    """Return what comes of a change, with the index updated when its turn is over.

    Whoever wants to edit next is not made to wait while others write the index.
    """
    later = LateRefresh()
    done = change(replace(desk, later=later))
    return indexed(done, desk.refresh(later.paths) if later.is_due else None)


def _refresh(desk: Desk, paths: Sequence[NotePath]) -> GlassmindError | None:
    """Bring files into the index, or with none the whole vault: now, or afterwards."""
    later = desk.later
    if later is None:
        return desk.refresh(paths)
    is_whole = not paths or (later.is_due and not later.paths)
    later.paths = [] if is_whole else [*later.paths, *paths]
    later.is_due = True
    return None


def indexed(done: Changed, fault: GlassmindError | None) -> Changed:
    """Return what came of a change, and that the index lags behind where it does."""
    if fault is None:
        return done
    said = LATE.format(fault=fault)
    return replace(done, index="pending", notices=(*done.notices, said))


MADE = "folders_made"
"""The fact of a draft that says which folders were not there before it."""


def with_folders(desk: Desk, draft: Draft) -> Draft:
    """Return a draft that knows which folders it makes, the outer ones first."""
    wanted = dict.fromkeys(one for step in draft.steps for one in _above(step.to))
    made = [
        folder
        for folder in wanted
        if not os.path.isdir(desk.root / folder)  # noqa: PTH112 - says so of any name
    ]
    if not made and MADE not in draft.facts:
        return draft
    facts = {name: fact for name, fact in draft.facts.items() if name != MADE}
    return replace(draft, facts={**facts, MADE: made} if made else facts)


def take_away_folders(desk: Desk, undone: Changeset) -> None:
    """Take away the folders that a changeset made, as far as nothing is in them."""
    made = undone.draft.facts.get(MADE)
    if isinstance(made, list):
        desk.files.clear([NotePath(str(folder)) for folder in reversed(made)])


def _above(path: NotePath) -> Iterator[NotePath]:
    parts = path.split("/")[:-1]
    for at in range(1, len(parts) + 1):
        yield NotePath("/".join(parts[:at]))


NOTHING = "nothing was changed: no file would be another"

OFF = 'writes.mode = "off" lets nothing be written'

SETTLED = "settled after an interruption"
"""Why a file was written, for the record."""


def applied(
    desk: Desk, change: Draft | Changeset, asking: Asking, *, undoes: str = ""
) -> Changed:
    """Apply a change, all of it or nothing, and return what was done.

    A changeset that is kept already keeps its id; a draft gets one, and `undoes` is the
    id of the changeset that it takes back. What cannot be applied is as it was: a kept
    one in its former state, a draft kept as failed if it had come that far.
    """
    with desk.files.turn():
        settled = _settle_all(desk)
        notices = _notices(desk, settled)
        changeset, former = _numbered(desk, change, asking, undoes)
        if not changeset.draft.steps:
            if former is not None:
                desk.book.shift(changeset.id, "applied")
            done = replace(changeset, state="applied")
            return changed(done, notices=[*notices, NOTHING])
        touched = [step for one in settled for step in one.steps]
        news = _to_refresh([*touched, *changeset.draft.steps])
        written = _written(desk, changeset, former, asking, news)
        _tidy_up(desk, changeset.undoes)
        paths = paths_of(changeset.draft.steps)
        said = desk.committed(changeset.draft.title, paths)
        notices += filter(None, [written.notice, said])
    fault = None if written.is_indexed else _refresh(desk, news)
    told = Changed(written.changeset, written.files, notices=tuple(notices))
    return indexed(told, fault)


def settle(desk: Desk) -> tuple[str, ...]:
    """Finish or take back what a killed process left, and say what was done.

    Its files are brought into the index. Where nothing was left, that is one look at a
    folder. What cannot be settled now, as the disk refuses or the settings do, is told,
    and tried again the next time.
    """
    left = desk.book.unfinished()
    if not left:
        return ()
    if desk.config.writes.mode == "off":
        said = f"{', '.join(left)} was interrupted and waits: {OFF}"
        return (said,) if desk.sight is None else ()
    try:
        with desk.files.turn():
            settled = _settle_all(desk)
    except WriteFailed:  # somebody is at it all the while, and so it is not left
        return ()
    notices = _notices(desk, settled)
    touched = [step for one in settled for step in one.steps]
    fault = _refresh(desk, _to_refresh(touched)) if touched else None
    return (*notices, *([LATE.format(fault=fault)] if fault else []))


class _Settled(NamedTuple):
    """What became of a changeset that was interrupted, and the steps it had."""

    notice: str
    steps: tuple[Step, ...] = ()


def _notices(desk: Desk, settled: Sequence[_Settled]) -> list[str]:
    """Return what is told of what was settled: of others' changes, all or nothing."""
    return [one.notice for one in settled] if desk.sight is None else []


def _settle_all(desk: Desk) -> list[_Settled]:
    """Settle what there is; it is our turn, so nobody is still at it."""
    return [_settled(desk, identity) for identity in desk.book.unfinished()]


def _settled(desk: Desk, identity: str) -> _Settled:
    try:
        changeset = desk.book.get(identity)
    except EditRefused as fault:
        with suppress(VaultError):
            desk.book.shift(identity, "failed", reason=str(fault))
        said = f"{identity} was interrupted and cannot be settled: {fault}"
        return _Settled(said)
    try:
        said = _brought_to_an_end(desk, changeset)
    except VaultError as fault:
        said = f"{identity} was interrupted and cannot be settled yet: {fault}"
    return _Settled(said, changeset.draft.steps)


def _brought_to_an_end(desk: Desk, changeset: Changeset) -> str:
    steps, title = moving(changeset.draft.steps), changeset.draft.title
    told = f"{changeset.id} ({title}) was interrupted"
    standing = desk.files.standing(steps)
    odd = [_name(s) for s, now in zip(steps, standing, strict=True) if now == "other"]
    if not odd:
        desk.files.settle(steps, forward=True, why=SETTLED)
        _noted(desk, changeset)
        said = desk.committed(title, paths_of(steps))
        return f"{told}; it is applied now" + (f" ({said})" if said else "")
    desk.files.settle(steps, forward=False, why=SETTLED)
    _turn_back(desk, changeset)
    reason = f"it was interrupted, and {odd[0]} was edited before it could be finished"
    desk.book.shift(changeset.id, "failed", reason=reason)
    return f"{told} and taken back: {odd[0]} was edited meanwhile"


def _numbered(
    desk: Desk, change: Draft | Changeset, asking: Asking, undoes: str
) -> tuple[Changeset, ChangeState | None]:
    """Return a changeset without idle steps, and the state in which it is kept."""
    if isinstance(change, Changeset):
        draft = replace(change.draft, steps=moving(change.draft.steps))
        return replace(change, draft=draft, state="applying"), change.state
    draft = with_folders(desk, replace(change, steps=moving(change.steps)))
    return desk.book.made(draft, "applying", client=asking.client, undoes=undoes), None


def moving(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps that change something."""
    return tuple(s for s in steps if s.path != s.to or s.before != s.after)


class _Written(NamedTuple):
    """A changeset whose files are changed, and how; whether the index knows of it."""

    changeset: Changeset
    files: tuple[FileDiff, ...]
    is_indexed: bool
    notice: str = ""


def _written(
    desk: Desk,
    changeset: Changeset,
    former: ChangeState | None,
    asking: Asking,
    news: Sequence[NotePath],
) -> _Written:
    """Change the files; what takes no file is done while the disk is waited for."""
    noted: list[bool] = []
    files: list[FileDiff] = []
    is_indexed: list[bool] = []

    def note_down() -> None:
        noted.append(True)  # a book that fails may have noted it all the same
        if former is None:
            desk.book.keep(changeset)
        else:
            desk.book.shift(changeset.id, "applying")
        files.extend(diffs_of(changeset.draft.steps))

    draft = changeset.draft
    why = asking.why or f"{draft.verb} {changeset.id}"
    try:
        desk.files.apply(
            draft.steps,
            why=why,
            client=asking.client,
            meanwhile=note_down,
            afterwards=lambda: is_indexed.append(_is_in_index(desk, news)),
        )
    except BaseException as fault:
        if noted and not isinstance(fault, NotTakenBack):  # which settling looks after
            _set_aside(desk, changeset, former, str(fault))
        raise
    told = tuple(files), any(is_indexed)
    try:
        _noted(desk, changeset)
    except VaultError as fault:  # the files are changed; settling finds them so
        said = f"that is not noted yet: {fault}"
        return _Written(replace(changeset, state="applied"), *told, said)
    return _Written(replace(changeset, state="applied", reason=""), *told)


def _is_in_index(desk: Desk, news: Sequence[NotePath]) -> bool:
    """Bring files into the index if nobody has to be waited for; whether it was so.

    It is our turn still: who wants to edit next waits too. A look at the whole vault is
    left for later.
    """
    return bool(news) and desk.refresh(news, wait_s=0.0) is None


def _noted(desk: Desk, changeset: Changeset) -> None:
    """Have a changeset on record as applied, and what it takes back as undone.

    That comes first: who dies in between leaves what is settled by doing both again.
    """
    _chain(desk, changeset.undoes, "undone", f"by {changeset.id}")
    desk.book.applied(changeset.id)


def _turn_back(desk: Desk, changeset: Changeset) -> None:
    """Let what a changeset was to take back count as applied again."""
    with suppress(EditRefused):  # it went with its time
        if changeset.undoes and desk.book.get(changeset.undoes).state == "undone":
            _chain(desk, changeset.undoes, "applied", "")


def _tidy_up(desk: Desk, undone: str) -> None:
    """Let what was taken back leave no empty folder, if it had made one."""
    with suppress(EditRefused):  # it went with its time
        if undone:
            take_away_folders(desk, desk.book.get(undone))


def _chain(desk: Desk, identity: str, state: ChangeState, reason: str) -> None:
    """Note what was undone, or not; what that one had undone is then the contrary."""
    while identity:
        try:
            identity = desk.book.shift(identity, state, reason=reason).undoes
        except EditRefused:  # it went with its time
            return
        state, reason = ("applied" if state == "undone" else "undone"), ""


def _set_aside(
    desk: Desk, changeset: Changeset, former: ChangeState | None, reason: str
) -> None:
    """Let what was not applied be where it was; what was partly is left to settling."""
    with suppress(GlassmindError, OSError):
        if "new" not in desk.files.standing(changeset.draft.steps):
            desk.book.shift(changeset.id, former or "failed", reason=reason)


def _name(step: Step) -> NotePath:
    return step.path or step.to


def _to_refresh(steps: Sequence[Step]) -> list[NotePath]:
    """Return the files to be indexed anew; none means all, as for a moved folder."""
    if any(step.folder for step in steps):
        return []
    return [path for path in paths_of(steps) if not is_trashed(path)]
