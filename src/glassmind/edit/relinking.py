"""The files of a vault before a change and after it, by name."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeAlias

from glassmind.edit.desk import Desk
from glassmind.edit.names import read_for_edit
from glassmind.edit.page import Page
from glassmind.edit.permissions import OWNERS, is_hidden_from, judged, notes_below
from glassmind.edit.relink_text import (
    Relink,
    Relinked,
    Tally,
    Wanted,
    leads_alike,
    relinked_base,
    relinked_canvas,
    relinked_note,
)
from glassmind.errors import EditRefused, NameTaken, VaultError
from glassmind.files.ignore import IgnoreRules
from glassmind.files.names import Names, name_key
from glassmind.files.read import Unreadable, VaultFiles, decode
from glassmind.files.scan import MOST_BYTES, MOST_NAMES, MOST_READ, unindexed
from glassmind.files.steps import is_trashed
from glassmind.model import Digest, NotePath
from glassmind.model.context import STRICTNESS, May
from glassmind.model.edits import LINKS_IN, ChangeVerb, Draft, Rewritten, Step
from glassmind.obsidian.links import Outline, OutlinePart, anchor_of
from glassmind.obsidian.notes import linked_note, read_note
from glassmind.obsidian.text import fold
from glassmind.ports.editing import EditRows

OTHER_KINDS = ("canvas", "base")
"""Kinds of notes whose references the rows do not all know."""


@dataclass(frozen=True, slots=True)
class Renames:
    """What some steps do to the names of a vault.

    `goes` are files with another path afterwards, `folders` those moved as a whole;
    `gone` go to the trash, `come` are new.
    """

    goes: Mapping[NotePath, NotePath]
    folders: Mapping[str, str]
    gone: frozenset[NotePath]
    come: frozenset[NotePath]

    def keys(self, targets: Iterable[NotePath] = ()) -> set[str]:
        """Return the keys of every link that may lead elsewhere through them."""
        every = (*self.goes, *self.goes.values(), *self.gone, *self.come, *targets)
        return {name_key(path) for path in every}

    def after(self, paths: Iterable[NotePath]) -> set[NotePath]:
        """Return the files that there are afterwards, of those there are before."""
        left = {path for path in paths if path not in self.goes}
        return (left - self.gone) | set(self.goes.values()) | self.come


def renames_of(steps: Iterable[Step], paths: Sequence[NotePath]) -> Renames:
    """Return what steps do to names, where these are the files there are."""
    goes: dict[NotePath, NotePath] = {}
    folders: dict[str, str] = {}
    gone: set[NotePath] = set()
    come: set[NotePath] = set()
    for step in steps:
        if step.path is None:
            come.add(step.to)
        elif is_trashed(step.to):
            below = inside(step.path, paths) if step.folder else [step.path]
            gone.update(below)
        elif step.folder:
            folders[step.path] = step.to
            for path in inside(step.path, paths):
                goes[path] = NotePath(step.to + path[len(step.path) :])
        elif step.path != step.to:
            goes[step.path] = step.to
    return Renames(goes, folders, frozenset(gone), frozenset(come))


def inside(folder: str, paths: Iterable[NotePath]) -> list[NotePath]:
    """Return those of the paths that lie below a folder."""
    return [path for path in paths if path.startswith(f"{folder}/")]


@dataclass(frozen=True, slots=True)
class Universe:
    """What a change looks at: the rows, every file, and what could not be refreshed.

    `paths` are the files of the index. `others` are left out of it: links lead to them
    and folders take them along, but nobody names, reads or writes them.
    """

    rows: EditRows
    paths: Sequence[NotePath]
    risks: tuple[str, ...] = ()
    others: tuple[NotePath, ...] = ()

    def no_markdown(self) -> set[NotePath]:
        """Return every canvas and base: the rows do not know all they speak of."""
        return {path for kind in OTHER_KINDS for path in self.rows.of_kind(kind)}

    def ends(self) -> Names:
        """Return the names of all files that links lead to."""
        return Names.of((*self.paths, *self.others))

    def ends_after(self, renames: Renames) -> Names:
        """Return the names of all files that links lead to afterwards."""
        return Names.of(renames.after((*self.paths, *self.others)))

    def renames(self, steps: Iterable[Step]) -> Renames:
        """Return what steps do to the names of all files, read or not."""
        return renames_of(steps, (*self.paths, *self.others))


def universe_of(desk: Desk) -> Universe:
    """Return the files of a vault as they are now; the index is brought up first."""
    late = desk.refresh(())
    rows = desk.rows()
    risks = () if late is None else (f"notes may be newer than the index: {late}",)
    paths = rows.paths()
    return Universe(rows, paths, risks, left_out_of(desk, paths))


def left_out_of(desk: Desk, paths: Iterable[NotePath]) -> tuple[NotePath, ...]:
    """Return the files of a vault that are not among those of its index, by path."""
    return tuple(islice(unindexed(desk.root, frozenset(paths)), MOST_NAMES))


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


Place: TypeAlias = tuple[NotePath, OutlinePart]

MOST_ROUNDS = 5
"""How often a draft is made anew; a heading with a link to a heading takes two."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """The outlines of notes before and after a change, and which part became which.

    `parts` names those that are elsewhere then, in their own note or another; the
    others keep their place in `whole`, which is where a whole note went. `anchored`
    tells whether a Markdown link of a note has a subpath: only such a one may name an
    anchor.
    """

    before: Mapping[NotePath, Outline]
    after: Mapping[NotePath, Outline]
    parts: Mapping[Place, Place] = field(default_factory=dict)
    whole: Mapping[NotePath, NotePath] = field(default_factory=dict)
    anchored: Callable[[NotePath, str], bool] = lambda _path, _subpath: False

    def wanted(
        self, target: NotePath, subpath: str | None, source: NotePath
    ) -> tuple[NotePath, str | None]:
        """Return where a link should lead that led to a part of a note.

        One that led to no part keeps what it says.

        Raises:
            EditRefused: no link could tell the part from another.
        """
        home = self.whole.get(target, target)
        before = self.before.get(target)
        if before is None or not subpath:
            return home, subpath
        part = before.meant(subpath)
        if part is None:
            part = before.meant(subpath, markdown=True)
            if part is None or not self.anchored(source, subpath):
                return home, subpath
        landed = self.place(target, part)
        after = self.after.get(landed[0])
        if after is None:
            return landed[0], subpath
        return landed[0], self._named(target, part, subpath, landed, after)

    def place(self, target: NotePath, part: OutlinePart) -> Place:
        """Return where a part is afterwards."""
        home = self.whole.get(target, target)
        return self.parts.get((target, part), (home, part))

    def _named(
        self,
        target: NotePath,
        part: OutlinePart,
        subpath: str,
        landed: Place,
        after: Outline,
    ) -> str:
        """Return a subpath for a part, as much like the one before as can be."""
        home, now = landed
        before = self.before[target]
        anchored = before.meant(subpath) is None
        if after.meant(subpath, markdown=anchored) == now:
            return subpath
        if anchored:
            anchor = f"#{anchor_of(after.texts[now.at])}"
            if after.meant(anchor, markdown=True) == now:
                return anchor
        if part.kind == "heading":
            named = self._chained(target, part, subpath, home)
            if named is not None and after.meant(named) == now:
                return named
        address = after.address(now)
        if address is None:
            raise EditRefused(
                f"links to {target}{subpath} would lead elsewhere: nothing tells it "
                f"from another of its name in {home}"
            )
        return address

    def _chained(
        self, target: NotePath, part: OutlinePart, subpath: str, home: NotePath
    ) -> str | None:
        """Return the same steps in today's words; None where they are not below."""
        chain = self.before[target].chain(subpath, part)
        places = [self.place(target, OutlinePart("heading", at)) for at in chain]
        if not places or any(path != home for path, _ in places):
            return None
        return self.after[home].spelled([step.at for _, step in places])


def settled(first: Whereabouts, make: Callable[[Whereabouts], Draft]) -> Draft:
    """Return a draft in which the links to every heading that it changes are carried.

    `make` drafts the change for outlines as they are thought to be. A heading may hold
    a link, and get other words by its rewriting; so it is asked again until the
    outlines that come of it are those that it was made for.

    Raises:
        EditRefused: that has no end.
    """
    where = first
    for _ in range(MOST_ROUNDS):
        draft = make(where)
        now = _seen_in(draft, where)
        if (now.before, now.after) == (where.before, where.after):
            return draft
        where = now
    raise EditRefused("headings hold links to each other that cannot all be carried")


def _seen_in(draft: Draft, where: Whereabouts) -> Whereabouts:
    """Return the outlines that a draft leaves, also of notes it changes by the way."""
    before, after = dict(where.before), dict(where.after)
    for path, to, was, text, _ in draft.steps:
        if to in after:
            after[to] = outline_of(to, text)
        elif path is not None and was is not None and path not in before:
            if not path.lower().endswith(".md"):
                continue
            old, new = outline_of(path, was), outline_of(to, text)
            if (old.forms, old.raw_forms) != (new.forms, new.raw_forms):
                before[path], after[to] = old, new
    return replace(where, before=before, after=after)


def outline_of(path: NotePath, raw: bytes) -> Outline:
    """Return the outline of a note from its bytes; one that is no text has none."""
    found = decode(raw)
    if isinstance(found, Unreadable):
        return Outline.of(())
    return Outline.of_note(read_note(path, found.text))


def anchors_in(desk: Desk) -> Callable[[NotePath, str], bool]:
    """Return what tells whether a Markdown link of a note has a subpath."""

    @lru_cache(maxsize=64)
    def subpaths(path: NotePath) -> frozenset[str | None]:
        found = decode(desk.files.read(path) or b"")
        if isinstance(found, Unreadable):
            return frozenset()
        links = read_note(path, found.text).links
        return frozenset(link.subpath for link in links if link.kind == "markdown")

    return lambda path, subpath: subpath in subpaths(path)


def page_at(desk: Desk, path: NotePath, expected: Digest | None = None) -> Page:
    """Return a note as it is on the disk now.

    Raises:
        NoteNotFound: there is none.
        NoteChanged: it is not what the caller read, by the digest that is `expected`.
        NotEditable: it is no Markdown, no text, or a damaged one.
    """
    desk.handed([path])  # what is said of a change tells of the text, be it refused
    return Page.of(path, read_for_edit(desk, path, expected))


LINKING_SUFFIXES = (".md", ".canvas")


def left_out_risks(
    root: Path, others: Iterable[NotePath], relink: Relink, keys: Collection[str]
) -> list[str]:
    """Return a sentence about links of notes left out that would lead nowhere.

    `others` are the files that are left out, `keys` what links to changed names are
    known by. A note that is moved itself has others that may.
    """
    notes = [path for path in others if path.lower().endswith(LINKING_SUFFIXES)]
    count, first = 0, ""
    for path, text in _texts(root, notes, keys, relink.goes):
        home = relink.goes.get(path, path)
        for link in linked_note(path, text).links:
            markdown = link.kind == "markdown"
            end = relink.before.resolve(link.target, path, markdown=markdown)
            if end is None or not link.target:
                continue
            if home == path and name_key(link.target) not in keys:
                continue
            target, _ = relink.end(end, link.subpath, path)
            now = relink.after.resolve(link.target, home, markdown=markdown)
            if now != target:
                count += 1
                first = first or path
    if not count:
        return []
    links = "1 link stays" if count == 1 else f"{count} links stay"
    return [f"{links} as written in notes that are left out of the index, as {first}"]


def search_risks(rules: IgnoreRules, steps: Iterable[Step]) -> list[str]:
    """Return what searches will not find any more."""
    told: list[str] = []
    for step in steps:
        if step.path == step.to or is_trashed(step.to):
            continue
        reason = rules.left_out(step.to, folder=step.folder)
        if reason is None or not _is_read(rules, step):
            continue
        told.append(f"searches will not find {step.to}: {reason or 'it is hidden'}")
    return told


def _is_read(rules: IgnoreRules, step: Step) -> bool:
    """Whether a file or folder is read where it is now; a new one would be."""
    return step.path is None or rules.left_out(step.path, folder=step.folder) is None


def refuse_opening(
    root: Path,
    rules: IgnoreRules,
    folder: NotePath,
    to: str,
    brought: Collection[object] = (),
) -> None:
    """Let no folder be moved to where notes of it are read that are left out now.

    Those that are `brought` back were read before.

    Raises:
        EditRefused: one would be; its owner moves it, or changes what is left out.
    """
    for note in sorted(notes_below(root, folder)):
        then = to + note[len(folder) :]
        if rules.left_out(note) is None or note in brought:
            continue
        if rules.left_out(then) is None:
            raise EditRefused(
                f"{folder} stays where it is: {note} is left out of the index, and "
                f"would not be as {then}"
            )


def _texts(
    root: Path,
    paths: Sequence[NotePath],
    keys: Collection[str],
    goes: Collection[NotePath],
) -> Iterator[tuple[NotePath, str]]:
    """Yield the texts that hold one of the names, or are moved, of the first of them.

    No more are read than can be in a moment.
    """
    if not paths:
        return
    left = MOST_BYTES
    with VaultFiles(root) as files:
        for path in paths[:MOST_READ]:
            try:
                raw = files.read(path, limit_bytes=left)
            except VaultError:
                continue
            left -= len(raw)
            found = decode(raw)
            if isinstance(found, Unreadable):
                continue
            folded = fold(found.text.replace("%20", " "))
            if path in goes or any(key in folded for key in keys):
                yield path, found.text
