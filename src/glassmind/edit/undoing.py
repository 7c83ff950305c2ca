"""Taking a changeset back: at once while its files are as it left them.

Where some were edited since, what it did is taken out of the texts as they are now, by
a merge of three: what it left, what there is, what it had found. What comes of that is
a proposal always, as nobody has seen it yet.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, TypeAlias

from glassmind.edit.applying import applied, moving, settle, with_folders
from glassmind.edit.deciding import (
    as_of,
    carrying,
    changes_memos,
    moves_since,
    permitted,
    refuse_left_out,
    would_wait,
)
from glassmind.edit.desk import Asking, Desk
from glassmind.edit.diffs import Hunk, changed, hunks_between, lines_in, merge
from glassmind.edit.names import is_taken
from glassmind.edit.permissions import is_hidden_from, is_seen, judged, told_changeset
from glassmind.edit.relink_text import Wanted
from glassmind.edit.relinking import (
    EARLY,
    TEXTS,
    Relink,
    Renames,
    Whereabouts,
    anchors_in,
    links_in,
    outline_of,
    relinked,
    total_of,
    universe_of,
)
from glassmind.errors import (
    EditRefused,
    GlassmindError,
    NameTaken,
    NotDownloaded,
    VaultError,
    WrongState,
)
from glassmind.files.names import Names
from glassmind.files.steps import (
    PlannedStep,
    is_trashed,
    path_after_moves,
    plan_steps,
    trash_place,
)
from glassmind.model import NotePath, Span
from glassmind.model.edits import (
    Changed,
    Changeset,
    ChangeState,
    Draft,
    Step,
    Verdict,
)
from glassmind.obsidian.links import Outline
from glassmind.ports.editing import Standing

EDITED = "files of it were edited since, so that a person should look at it"
"""Why a change that was thought out anew waits."""

REMEMBERED = "it changes what is remembered, and another had written that"
"""Why an agent cannot take back at once what it did not do itself."""

UNDOES = "undoes"
"""The fact of a draft that names the changeset which it takes back."""

UNSEEN = "it would become a proposal, as files were edited since"


Carry: TypeAlias = Callable[[Changeset, Draft], Draft]
"""Adds to what takes a changeset back the links that were written since."""


def undo(
    desk: Desk,
    identity: str,
    asking: Asking,
    *,
    carry: Carry = lambda _known, draft: draft,
) -> Changed:
    """Take an applied changeset back, and return what came of that.

    What the policy does not allow at once becomes a proposal. So does what had to be
    merged with later edits: `risks` name what stays as it is; and what an agent would
    take back of memos that another changed.

    Raises:
        ChangesetUnknown: there is none.
        WrongState: it is not applied.
        PolicyForbids: a file of it may not be edited.
        FileUnreadable: a note that it changed is left out of the index by now.
        EditRefused: nothing of it can be taken back any more; or notes would be read
            that are left out.
    """
    with desk.files.turn():
        notices = settle(desk)
        known = told_changeset(desk, identity, asking.client)
        if known.state != "applied":
            raise WrongState(known.id, known.state, "applied")
        draft, clean = plan_undo(desk, known)
        draft = carrying(desk, carry(known, draft))
        refuse_left_out(desk, draft, known)
        done = _decided(desk, draft, asking, known, clean=clean)
    return replace(done, notices=(*notices, *done.notices))


def plan_undo(desk: Desk, known: Changeset) -> tuple[Draft, bool]:
    """Return what takes a changeset back, and whether its files are as it left them.

    Raises:
        EditRefused: nothing of it can be taken back any more.
    """
    steps = moving(known.draft.steps)
    standing = desk.files.standing(steps)
    if all(now == "new" for now in standing):
        return _draft(known, inverse(desk, steps)), True
    return _what_is_left(desk, known, steps, standing), False


def inverse(desk: Desk, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps that take others back; what they made goes to the trash."""
    taken: set[NotePath] = set()

    def is_held(path: NotePath) -> bool:
        return path in taken or is_taken(desk, path)

    found: list[Step] = []
    for way in reversed(plan_steps(steps, desk.agent_folder)):
        step = _back(way, is_held)
        taken.add(step.to)
        found.append(step)
    return tuple(found)


def _back(way: PlannedStep, is_held: Callable[[NotePath], bool]) -> Step:
    step = way.step
    if step.folder and step.path is not None:
        return Step(step.to, step.path, None, b"", folder=True)
    if step.path is None or step.before is None:
        place = trash_place(way.final, is_held)
        return Step(way.final, place, step.after, step.after)
    return Step(way.final, step.path, step.after, step.before)


def _draft(known: Changeset, steps: Sequence[Step], risks: Sequence[str] = ()) -> Draft:
    title = f"take back: {known.draft.title}"
    facts = {UNDOES: known.id}
    return Draft("undo", title, tuple(steps), risks=tuple(risks), facts=facts)


def _decided(
    desk: Desk, draft: Draft, asking: Asking, known: Changeset, *, clean: bool
) -> Changed:
    verdict = permitted(desk, draft, tainted=asking.tainted).verdict
    by_another = desk.sight is not None and known.client != asking.client
    if verdict.may == "allow" and by_another and changes_memos(desk, draft):
        verdict = Verdict("propose", REMEMBERED)
    if clean and verdict.may == "allow" and not asking.dry_run:
        return applied(desk, draft, asking, undoes=known.id)
    state: ChangeState = "previewed" if asking.dry_run else "proposed"
    reason = would_wait(verdict) if asking.dry_run else verdict.rule
    if not clean:
        reason = EDITED
    made = desk.book.made(
        with_folders(desk, as_of(draft, asking)),
        state,
        client=asking.client,
        undoes=known.id,
        reason=reason,
    )
    if asking.dry_run and not clean:
        # not kept: none may apply it unseen, by whatever id
        return changed(replace(made, id=""), notices=[UNSEEN])
    desk.book.keep(made)
    return changed(made)


def _what_is_left(
    desk: Desk, known: Changeset, steps: Sequence[Step], standing: Sequence[Standing]
) -> Draft:
    """Think out what can still be taken back of a changeset.

    Raises:
        EditRefused: nothing can.
    """
    ways = plan_steps(steps, desk.agent_folder)
    stay = [
        way.final
        for way, now in zip(ways, standing, strict=True)
        if way.step.folder and now != "new"
    ]
    moved = moves_since(desk, known)
    parts = [_told(desk, way, stay, moved) for way in reversed(ways)]
    found = [part.step for part in parts if part.step is not None]
    risks = [risk for part in parts for risk in part.risks]
    if not found:
        why = "; ".join(risks) or "its files say so already"
        raise EditRefused(f"nothing of {known.id} can be taken back: {why}")
    return _draft(known, found, risks)


class _Part(NamedTuple):
    """What can be taken back of one step, and what cannot."""

    step: Step | None
    risks: Sequence[str] = ()


def _told(
    desk: Desk,
    way: PlannedStep,
    stay: Sequence[NotePath],
    moved: Sequence[tuple[str, str]],
) -> _Part:
    """Return what can be taken back; of what is not seen nothing is said."""
    found, sight = _part(desk, way, stay, moved), desk.sight
    return found if sight is None or sight.sees_step(way.step) else _Part(found.step)


def _part(
    desk: Desk,
    way: PlannedStep,
    stay: Sequence[NotePath],
    moved: Sequence[tuple[str, str]],
) -> _Part:
    step, read = way.step, partial(_read, desk)
    if step.folder:
        if way.final in stay:
            return _Part(None, [f"{way.final} stays where it is, as it is another now"])
        return _Part(_back(way, lambda _: False))
    here = way.final
    now = read(here)
    if now is None:
        here = path_after_moves(here, moved)
        now = read(here)
    if step.path is None or step.before is None:
        return _made(step, here, now, partial(is_taken, desk))
    wanted = here if _goes_along(way, here, stay) else step.path
    if now is None:
        return _gone(step, here, wanted, is_free=not is_taken(desk, wanted))
    merged = merge(step.after, now, step.before)
    risks = [told_to_stay(here, lines) for lines in merged.conflicts]
    if wanted != here and is_taken(desk, wanted):
        risks.append(f"{here} stays there, as there is another {wanted}")
        wanted = here
    if wanted == here and merged.raw == now:
        return _Part(None, risks)
    return _Part(Step(here, wanted, now, merged.raw), risks)


def _read(desk: Desk, path: NotePath) -> bytes | None:
    """Return what a file says now; nothing of one in the trash that is elsewhere."""
    try:
        return desk.files.read(path)
    except NotDownloaded:
        if is_trashed(path):
            return None  # what it said is kept
        raise


def _goes_along(way: PlannedStep, here: NotePath, stay: Sequence[NotePath]) -> bool:
    """Whether a file stays where it is: it never moved by itself, or moved since."""
    if here != way.final:
        return True
    in_folder = any(here.startswith(f"{folder}/") for folder in stay)
    return in_folder and not way.is_moved


def _made(
    step: Step,
    here: NotePath,
    now: bytes | None,
    is_held: Callable[[NotePath], bool],
) -> _Part:
    """Take back a file that was made, unless somebody has written in it."""
    if now is None:
        return _Part(None)
    if now != step.after:
        return _Part(None, [f"{here} stays, as it was edited since it was made"])
    return _Part(Step(here, trash_place(here, is_held), now, now))


def _gone(step: Step, here: NotePath, wanted: NotePath, *, is_free: bool) -> _Part:
    """Take back what happened to a file that is there no more."""
    if not is_trashed(here):
        return _Part(None, [f"{here} is gone, and stays so"])
    if not is_free or step.before is None:
        return _Part(None, [f"{wanted} is there again, and stays as it is"])
    return _Part(Step(None, wanted, None, step.before))


def told_to_stay(path: NotePath, lines: Span) -> str:
    """Return the risk that some lines were edited since, and are not taken back."""
    if lines.start == lines.end:
        return f"{path}: line {lines.start} was edited since, and stays as it is"
    first, last = lines.start, lines.end
    said = f"lines {first} to {last} were edited since, and stay as they are"
    return f"{path}: {said}"


OUTLINED = "outlined"
"""The fact of a draft that names the note whose headings have other words by it."""

PARTED = frozenset(("merge", "split"))
"""What brings headings and blocks from one note to another."""

MOST_NAMED = 5
"""How many files a risk names."""


def carried_back(desk: Desk, known: Changeset, draft: Draft) -> Draft:
    """Return what takes a change back, and with it the links written since.

    A file that may not be edited stays as it is. Risks say how many links will lead
    nowhere, and where they stand.

    Raises:
        NameTaken, EditRefused: a link would show the path of a hidden note.
    """
    outlines = _outlines(known, draft)
    if not outlines and not any(map(_leaves, draft.steps)):
        return draft
    try:
        with desk.faults():
            return _carried(desk, known, draft, outlines)
    except (NameTaken, EditRefused):
        raise
    except GlassmindError as fault:  # a broken index does not prevent an undo
        risk = f"links written since could not be looked at: {fault}"
        return replace(draft, risks=(*draft.risks, risk))


def _carried(
    desk: Desk, known: Changeset, draft: Draft, outlines: Mapping[NotePath, "_Both"]
) -> Draft:
    seen = universe_of(desk)
    renames = seen.renames(draft.steps)
    work = _Work(desk, renames)
    ends = _Ends(desk, outlines, renames.goes, work)
    after = seen.ends_after(renames)
    relink = Relink(
        seen.ends(),
        after,
        renames.goes,
        ends,
        desk.settings(),
        renames.folders,
        is_hidden=is_hidden_from(desk),
    )
    files = {*seen.rows.linking(renames.keys(outlines)), *renames.goes}
    files -= {*seen.others}  # nobody reads them
    files |= seen.no_markdown()
    own = {step.path for step in draft.steps}
    for path in sorted(files - own - renames.gone - _early(known.draft.facts)):
        work.carry(path, relink)
    some = {*renames.goes, *renames.gone, *outlines}
    only = replace(relink, before=_Only(relink.before, some))
    steps = [work.merged(step, only, known.draft) for step in draft.steps]
    found = (*work.steps, *steps)
    facts = {
        OUTLINED: known.draft.facts.get(OUTLINED),
        EARLY: sorted(work.early),
        **links_in(work.counted),
    }
    return replace(
        draft,
        steps=tuple(sorted(found, key=lambda step: step.folder)),
        rewritten=total_of(work.counted),
        risks=(*_still(draft.risks, known, found), *seen.risks, *work.told()),
        facts={**draft.facts, **{name: fact for name, fact in facts.items() if fact}},
    )


def _still(
    risks: Sequence[str], known: Changeset, steps: Sequence[Step]
) -> Iterator[str]:
    """Yield the risks, but for lines that are said to stay and whose links follow."""
    if known.draft.verb in PARTED:  # there is more to such lines than links
        yield from risks
        return
    carried = {
        said
        for step in steps
        if any(risk.startswith(f"{step.path}: ") for risk in risks)
        for said in _carried_lines(step, known.draft.steps)
    }
    yield from (risk for risk in risks if risk not in carried)


def _carried_lines(step: Step, known: Sequence[Step]) -> Iterator[str]:
    """Yield what is said of lines that two changed, where a step writes them anew."""
    path, now = step.path, step.before
    if path is None or now is None:
        return
    hunks = hunks_between(lines_in(now), lines_in(step.after))
    for one in known:
        if one.folder or one.before is None:
            continue
        for lines in merge(one.after, now, one.before).conflicts:
            if any(_is_among(hunk, lines) for hunk in hunks):
                yield told_to_stay(path, lines)


def _is_among(hunk: Hunk, lines: Span) -> bool:
    return hunk.start < lines.end and hunk.end >= lines.start


def noting_early(where: Whereabouts, early: set[NotePath]) -> Wanted:
    """Return where links shall lead; files are noted whose links lead there only then.

    Such a link names a heading that comes to be with the change.
    """

    def wanted(
        target: NotePath, subpath: str | None, source: NotePath
    ) -> tuple[NotePath, str | None]:
        found = where.wanted(target, subpath, source)
        before, after = where.before.get(target), where.after.get(found[0])
        if subpath and before and after:
            is_named = [one.meant(subpath, markdown=True) for one in (before, after)]
            if is_named[0] is None and is_named[1] is not None:
                early.add(source)
        return found

    return wanted


def _early(facts: Mapping[str, object]) -> set[NotePath]:
    found = facts.get(EARLY)
    return {NotePath(str(path)) for path in found} if isinstance(found, list) else set()


def _leaves(step: Step) -> bool:
    """Whether a file goes from where links may lead to."""
    return step.path is not None and step.path != step.to and not is_trashed(step.path)


def _outlines(known: Changeset, draft: Draft) -> dict[NotePath, "_Both"]:
    """Return the notes whose headings and blocks become others, by their paths now."""
    note = known.draft.facts.get(OUTLINED)
    parted = known.draft.verb in PARTED
    return {
        step.path: _Both(outline_of(step.path, step.before), step)
        for step in draft.steps
        if step.path is not None
        and step.before is not None
        and step.path.lower().endswith(".md")
        and (step.path == note or (parted and step.path == step.to))
    }


class _Both:
    """What the parts of a note are called now, and when a change is taken back."""

    def __init__(self, before: Outline, step: Step) -> None:
        self.before, self.after = before, outline_of(step.to, step.after)
        self.to = step.to

    def loses(self, subpath: str, then: str) -> bool:
        """Whether a part that links name is none afterwards, by another name too."""
        is_part = self.before.meant(subpath, markdown=True) is not None
        return is_part and self.after.meant(then, markdown=True) is None

    @property
    def is_alike(self) -> bool:
        """Whether each heading is another one, in the same order."""
        return len(self.before.texts) == len(self.after.texts)


class _Ends:
    """Where links shall lead that were written since; those to no part are counted."""

    def __init__(
        self,
        desk: Desk,
        outlines: Mapping[NotePath, _Both],
        goes: Mapping[NotePath, NotePath],
        work: "_Work",
    ) -> None:
        self._outlines, self._goes, self._work = outlines, goes, work
        alike = {path: one for path, one in outlines.items() if one.is_alike}
        where = Whereabouts(
            {path: one.before for path, one in alike.items()},
            {one.to: one.after for one in alike.values()},
            whole=goes,
            anchored=anchors_in(desk),
        )
        self._wanted = noting_early(where, work.early)

    def __call__(
        self, target: NotePath, subpath: str | None, source: NotePath
    ) -> tuple[NotePath, str | None]:
        both = self._outlines.get(target)
        found = self._goes.get(target, target), subpath
        with suppress(EditRefused):  # nothing tells the part from another then
            found = self._wanted(target, subpath, source)
        if both and subpath and found[1] and both.loses(subpath, found[1]):
            self._work.parts[source] = self._work.parts.get(source, 0) + 1
        return found


class _Only(Names):
    """Names of some files alone: a link to any other leads nowhere, and so stays."""

    def __init__(self, names: Names, files: Collection[NotePath]) -> None:
        super().__init__()
        self._names, self._wanted = names, files

    def resolve(
        self, target: str, source: NotePath, *, markdown: bool = False
    ) -> NotePath | None:
        """Return the file that a link leads to, if it is one of them."""
        found = self._names.resolve(target, source, markdown=markdown)
        return found if found in self._wanted else None


@dataclass(slots=True)
class _Work:
    """The files beside a change that is taken back, and what has come of them."""

    desk: Desk
    renames: Renames
    steps: list[Step] = field(default_factory=list)
    counted: list[tuple[NotePath, int]] = field(default_factory=list)
    early: set[NotePath] = field(default_factory=set)
    risks: list[str] = field(default_factory=list)
    lost: dict[NotePath, int] = field(default_factory=dict)
    elsewhere: dict[NotePath, int] = field(default_factory=dict)
    parts: dict[NotePath, int] = field(default_factory=dict)

    def carry(self, path: NotePath, relink: Relink) -> None:
        """Write the links of a file anew that the change did not touch."""
        if not path.lower().endswith(TEXTS):
            return
        try:
            raw = self.desk.files.read(path)
        except VaultError as fault:
            if self.desk.sight is None:
                self.risks.append(f"its links stay as they are: {fault}")
            return
        if raw is None:
            return
        after, links = self._written(path, raw, relink)
        if after == raw:
            return
        step = Step(path, path, raw, after)
        alone = Draft("undo", "", (step,))
        if judged(self.desk, alone).verdict.may == "off":
            said = f"{path} may not be edited: {_links(links)} of it will lead nowhere"
            self.risks += [said] if is_seen(self.desk, path) else []
            return
        self.steps.append(step)
        self.counted.append((path, links))

    def merged(self, step: Step, relink: Relink, change: Draft) -> Step:
        """Return a step of the change; what was edited since has its links carried."""
        known = (one.before for one in change.steps)
        if step.folder or is_trashed(step.to) or step.after in known:
            return step
        path = step.path or step.to
        if path in _early(change.facts) or not path.lower().endswith(TEXTS):
            return step
        raw, links = self._written(path, step.after, relink)
        self.counted += [(path, links)] if links else []
        return step._replace(after=raw)

    def told(self) -> Iterator[str]:
        """Yield what should be known of the links, but for those of hidden files."""
        yield from self.risks
        for counted, said in (
            (self.lost, "will lead nowhere"),
            (self.elsewhere, "will lead to another file of that name"),
            (self.parts, "will lead to no heading or block"),
        ):
            seen = {path: n for path, n in counted.items() if is_seen(self.desk, path)}
            if seen:
                yield _where(seen, said)

    def _written(self, path: NotePath, raw: bytes, relink: Relink) -> tuple[bytes, int]:
        found = relinked(path, raw, self.renames.goes.get(path, path), relink)
        self.risks += found.risks if is_seen(self.desk, path) else ()
        if found.adopted:
            self.early.add(self.renames.goes.get(path, path))
        if found.lost:
            self.lost[path] = found.lost
        if found.elsewhere:
            self.elsewhere[path] = found.elsewhere
        return found.raw, found.links


def _where(counted: Mapping[NotePath, int], said: str) -> str:
    return f"{_links(sum(counted.values()))} {said}, in {_listed(counted)}"


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count} links"


def _listed(paths: Iterable[NotePath]) -> str:
    named = sorted(paths)
    more = len(named) - MOST_NAMED
    if more > 0:
        return f"{', '.join(named[:MOST_NAMED])} and {more} more files"
    *first, last = named
    return f"{', '.join(first)} and {last}" if first else last
