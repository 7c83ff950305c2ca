"""A change of names with the links that it moves: in notes, canvases and bases.

Only a file with a link of an old or a new name can change, or one that is moved itself,
for its links are read from elsewhere then. The rows name those files; what they say now
is read from the disk.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from glassmind.edit.desk import Desk
from glassmind.edit.judging import judged
from glassmind.edit.left_out import left_out_risks, search_risks
from glassmind.edit.relink_refs import relinked_base, relinked_canvas
from glassmind.edit.relink_text import (
    Relink,
    Relinked,
    Tally,
    Wanted,
    leads_alike,
    relinked_note,
)
from glassmind.edit.seen import OWNERS, is_hidden_from
from glassmind.edit.universe import Renames, Universe, universe_of
from glassmind.errors import VaultError
from glassmind.errors.editing import EditRefused
from glassmind.errors.writing import NameTaken
from glassmind.model import NotePath
from glassmind.model.editing import LINKS_IN, ChangeVerb, Draft, Rewritten, Step
from glassmind.model.verdicts import STRICTNESS, May

__all__ = [
    "Carried",
    "Earlier",
    "Job",
    "Relink",
    "Relinked",
    "Wanted",
    "carried",
    "draft_with_links",
    "relinked",
    "worked",
]

TEXTS = (".md", ".canvas", ".base")

EARLY = "early"
"""The fact of a draft that names files with links that lead somewhere only by it."""

MOST_RISKS = 50
"""How many risks a draft names; a person reads no more."""


Counted: TypeAlias = Sequence[tuple[NotePath, int]]
"""Files with how many links were written anew in them."""


class Earlier(NamedTuple):
    """What a file is since an earlier change, and what it was before that."""

    now: bytes
    then: bytes


class Job(NamedTuple):
    """A file whose links are looked at: where it is, was before, and is afterwards.

    `step` is what the change does to it anyway.
    """

    path: NotePath
    before: NotePath
    after: NotePath
    step: Step | None = None


@dataclass(frozen=True, slots=True)
class Carried:
    """Steps with those added that carry the links along, and what was counted.

    `counted` are the files in which links were written anew, each with how many. Of
    links to files that go, `lost` lead nowhere then and `elsewhere` to another.
    `early` are the files in which links are adopted, `stuck` what is to be said of
    links that no text leads to a new name.
    """

    steps: tuple[Step, ...]
    counted: Counted
    adopted: int
    lost: int
    elsewhere: int
    risks: tuple[str, ...]
    early: tuple[NotePath, ...] = ()
    stuck: tuple[str, ...] = ()

    @property
    def rewritten(self) -> Rewritten:
        """How many links were written anew, and in how many files."""
        return total_of(self.counted)

    @property
    def facts(self) -> dict[str, object]:
        """What a draft should know of it."""
        early = {EARLY: list(self.early)} if self.early else {}
        return {**links_in(self.counted), **early}


def total_of(counted: Counted) -> Rewritten:
    """Return how many links were written anew, and in how many files."""
    return Rewritten(sum(links for _, links in counted), len(counted))


def links_in(counted: Counted) -> dict[str, object]:
    """Return the fact that says in which files links were written anew."""
    return {LINKS_IN: [[path, links] for path, links in counted]} if counted else {}


def relinked(
    path_before: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    """Return a file with its links written anew: a note, a drawing, canvas or base.

    Raises:
        NameTaken: a new file would take a link from a note that the caller may not
            read, in a file that it may; the longer link would show the hidden path.
        EditRefused: the same, without a new file: the link itself goes elsewhere.
    """
    found = _relinked(path_before, raw, path_after, relink)
    if found.exposed and not relink.is_hidden(path_before):
        for taken in filter(None, found.exposed):
            if relink.before.resolve(f"/{taken}", NotePath(taken)) != taken:
                raise NameTaken(taken)
        raise EditRefused(OWNERS)
    return found


def _relinked(
    path_before: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    name = path_before.lower()
    if name.endswith(".canvas"):
        return relinked_canvas(path_before, raw, path_after, relink)
    if name.endswith(".base"):
        return relinked_base(path_before, raw, path_after, relink)
    if name.endswith(".md"):
        return relinked_note(path_before, raw, path_after, relink)
    return Relinked(raw)


def draft_with_links(  # noqa: PLR0913 - each fact by its name
    desk: Desk,
    verb: ChangeVerb,
    title: str,
    steps: Sequence[Step],
    *,
    wanted: Wanted | None = None,
    targets: Collection[NotePath] = (),
    settled: Collection[NotePath] = (),
    universe: Universe | None = None,
    earlier: Mapping[NotePath, Earlier] | None = None,
    risks: Sequence[str] = (),
    facts: Mapping[str, object] | None = None,
) -> Draft:
    """Return a change with every link rewritten that it would lead elsewhere.

    `steps` are what is done to files. `wanted` says where links shall lead, by default
    to the same file; `targets` are files whose links it may change although their names
    stay. `settled` are files, by their names of before, whose links are right in the
    steps already. `earlier` is what files were before a change that this takes back:
    what they said then is used wherever it leads where it should, and no link grows
    that need not.

    Raises:
        EditRefused: something is moved to where a link to it cannot lead.
    """
    seen = universe or universe_of(desk)
    found = carried(
        desk,
        steps,
        seen,
        wanted=wanted,
        targets=targets,
        settled=settled,
        earlier=earlier,
    )
    if verb == "move" and found.stuck:
        raise EditRefused(f"nothing was moved, for a link could not: {found.stuck[0]}")
    return Draft(
        verb,
        title,
        found.steps,
        found.rewritten,
        found.adopted,
        (*risks, *found.risks),
        {**(facts or {}), **found.facts},
    )


def carried(  # noqa: PLR0913 - each fact by its name
    desk: Desk,
    steps: Sequence[Step],
    seen: Universe,
    *,
    wanted: Wanted | None = None,
    targets: Collection[NotePath] = (),
    settled: Collection[NotePath] = (),
    earlier: Mapping[NotePath, Earlier] | None = None,
) -> Carried:
    """Return the steps with all that carry the links along; see `draft_with_links`."""
    renames = seen.renames(steps)
    relink = Relink(
        seen.ends(),
        seen.ends_after(renames),
        renames.goes,
        wanted,
        desk.settings(),
        renames.folders,
        lengthen=earlier is None,
        is_hidden=is_hidden_from(desk),
    )
    own = {step.path: step for step in steps if step.path and not step.folder}
    known = earlier or {}
    looked_at = _candidates(seen, renames, (*own, *known), targets)
    skipped = {*settled, *renames.gone}
    jobs = [
        Job(path, path, renames.goes.get(path, path), own.get(path))
        for path in looked_at
        if path not in skipped
    ]
    told = list(seen.risks)
    if renames.goes and desk.sight is None:  # they may be hidden from who has one
        told += left_out_risks(desk.root, seen.others, relink, renames.keys())
    told += search_risks(desk.rules(), steps)
    return worked(desk, steps, jobs, relink, earlier=known, risks=told)


def worked(  # noqa: PLR0913 - each fact by its name
    desk: Desk,
    steps: Sequence[Step],
    jobs: Iterable[Job],
    relink: Relink,
    *,
    earlier: Mapping[NotePath, Earlier],
    risks: Sequence[str] = (),
) -> Carried:
    """Return steps with those of the jobs in which a link had to be written anew."""
    work = _Work(desk, relink, earlier, steps)
    for job in jobs:
        if job.path.lower().endswith(TEXTS):
            work.do(job)
    changed, tally = work.changed, work.tally
    rest = [step for step in steps if step.path not in changed]
    # what stands in a folder is written before the folder is moved
    ordered = sorted((*changed.values(), *rest), key=lambda step: step.folder)
    return Carried(
        tuple(ordered),
        tuple(work.counted),
        tally.adopted,
        tally.lost,
        tally.elsewhere,
        (*risks, *_few(tally.risks)),
        tuple(work.early),
        tuple(work.stuck),
    )


@dataclass(slots=True)
class _Work:
    """The files of one change, and what has come of them."""

    desk: Desk
    relink: Relink
    earlier: Mapping[NotePath, Earlier]
    steps: Sequence[Step]
    tally: Tally = field(default_factory=Tally)
    changed: dict[NotePath, Step] = field(default_factory=dict)
    counted: list[tuple[NotePath, int]] = field(default_factory=list)
    early: list[NotePath] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    _whole: May | None = None

    def do(self, job: Job) -> None:
        """Write the links of one file anew."""
        step = job.step
        before = step.before if step else self._read(job.path)
        if before is None:
            return
        text = step.after if step else before
        found = relinked(job.before, text, job.after, self.relink)
        if found.grown and found.grown >= found.links and self._is_guarded(job, found):
            risk = f"{job.path} keeps its links by a name that two files have now"
            found = found._replace(raw=text, links=0, risks=(*found.risks, risk))
        raw, links = found.raw, found.links
        then = self._then(job, before)
        if then is not None and then != raw:
            raw, links = then, max(links, 1)
        self.counted += [(job.path, links)] if links else []
        self.early += [job.after] if found.adopted else []
        self._count(found, is_told=self._is_told(job.path, before))
        if raw != text:
            place = step.to if step else job.path
            self.changed[job.path] = Step(job.path, place, before, raw)

    def _count(self, found: Relinked, *, is_told: bool) -> None:
        """Take what is told of a file; of one that is not seen, nothing is."""
        if found.stuck:
            self.stuck.extend(found.risks if is_told else (OWNERS,))
        if is_told:
            tally = self.tally
            tally.adopted += found.adopted
            tally.lost += found.lost
            tally.elsewhere += found.elsewhere
            tally.risks.extend(found.risks)

    def _is_told(self, path: NotePath, raw: bytes) -> bool:
        return self.desk.sight is None or self.desk.sight.sees(path, raw)

    def _is_guarded(self, job: Job, found: Relinked) -> bool:
        """Whether a file may less be edited than those of the change itself.

        What need not be written in it is no reason to refuse or propose the change.
        """
        if job.step is not None:
            return False
        if self._whole is None:
            self._whole = self._may(self.steps)
        here = self._may([Step(job.path, job.path, b"", found.raw)])
        return STRICTNESS.index(here) < STRICTNESS.index(self._whole)

    def _may(self, steps: Sequence[Step]) -> May:
        """Return what may be done with files, also into the trash and out of it."""
        return judged(self.desk, Draft("undo", "", tuple(steps))).verdict.may

    def _read(self, path: NotePath) -> bytes | None:
        try:
            return self.desk.files.read(path)
        except VaultError as fault:
            if self.desk.sight is None:
                self.tally.risks.append(f"its links stay as they are: {fault}")
            return None

    def _then(self, job: Job, before: bytes) -> bytes | None:
        """Return what the file was earlier, where that leads to the right ends."""
        known = self.earlier.get(job.path)
        if known is None or known.now != before:
            return None
        alike = leads_alike((job.before, before), (job.after, known.then), self.relink)
        return known.then if alike else None


def _candidates(
    seen: Universe,
    renames: Renames,
    own: Iterable[NotePath],
    targets: Collection[NotePath],
) -> list[NotePath]:
    """Return the files whose links may change, by path."""
    found = set(seen.rows.linking(renames.keys(targets)))
    found.update(set(renames.goes).difference(seen.others), own)
    found |= seen.no_markdown()
    return sorted(found)


def _few(risks: Sequence[str]) -> list[str]:
    if len(risks) <= MOST_RISKS:
        return list(risks)
    more = len(risks) - MOST_RISKS
    return [*risks[:MOST_RISKS], f"{more} more links are for you to write by hand"]
