"""The files of a vault before and after a change, and the links that follow it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple, TypeAlias

from glassmind.edit.names import read_for_edit
from glassmind.edit.page import EditedPage
from glassmind.edit.permissions import OWNERS, is_hidden_from
from glassmind.edit.relink_text import (
    REWRITTEN,
    EndAfter,
    LinkEnd,
    Relink,
    relinked,
)
from glassmind.edit.vault import EditVault
from glassmind.errors import EditRefused, VaultError
from glassmind.files.ignore import IgnoreRules
from glassmind.files.names import Names, name_key
from glassmind.files.scan import MOST_NAMES, unindexed
from glassmind.files.steps import is_trashed
from glassmind.model import Digest, NotePath
from glassmind.model.edits import LINKS_IN, ChangeVerb, Draft, FileStep, Rewritten
from glassmind.obsidian.links import (
    Outline,
    OutlinePart,
    anchor_of,
    heading_form,
    steps_of,
)
from glassmind.obsidian.text import linked_heading
from glassmind.store.protocol import Rows

OTHER_KINDS = ("canvas", "base")
"""Kinds of notes whose references the rows do not all know."""

EARLY = "early"
MERGED = "merged"
MOST_RISKS = 50

_NOWHERE = "will lead nowhere"
_ELSEWHERE = "will lead to another file of that name"


@dataclass(frozen=True, slots=True)
class RenamePlan:
    """What some steps do to the names of a vault.

    `goes` are files with another path afterwards, `folders` those moved as a whole;
    `gone` go to the trash, `come` are new.
    """

    goes: Mapping[NotePath, NotePath]
    folders: Mapping[str, str]
    gone: frozenset[NotePath]
    come: frozenset[NotePath]

    def keys(self, targets: Iterable[NotePath] = ()) -> set[str]:
        every = (*self.goes, *self.goes.values(), *self.gone, *self.come, *targets)
        return {name_key(path) for path in every}

    def after(self, paths: Iterable[NotePath]) -> set[NotePath]:
        note_paths = {path for path in paths if path not in self.goes}
        return (note_paths - self.gone) | set(self.goes.values()) | self.come


def renames_of(steps: Iterable[FileStep], paths: Sequence[NotePath]) -> RenamePlan:
    goes: dict[NotePath, NotePath] = {}
    folders: dict[str, str] = {}
    note_paths: set[NotePath] = set()
    come: set[NotePath] = set()
    for step in steps:
        if step.path is None:
            come.add(step.to)
        elif is_trashed(step.to):
            note_paths.update(inside(step.path, paths) if step.folder else [step.path])
        elif step.folder:
            folders[step.path] = step.to
            for path in inside(step.path, paths):
                goes[path] = NotePath(step.to + path[len(step.path) :])
        elif step.path != step.to:
            goes[step.path] = step.to
    return RenamePlan(goes, folders, frozenset(note_paths), frozenset(come))


def inside(folder: str, paths: Iterable[NotePath]) -> list[NotePath]:
    return [path for path in paths if path.startswith(f"{folder}/")]


@dataclass(frozen=True, slots=True)
class KnownFiles:
    """The rows, every file, and a risk where the index could not be refreshed.

    `paths` are the files of the index. `others` are left out of it: links lead to them
    and folders take them along, but nobody names, reads or writes them.
    """

    rows: Rows
    paths: Sequence[NotePath]
    risks: tuple[str, ...] = ()
    others: tuple[NotePath, ...] = ()

    def not_markdown(self) -> set[NotePath]:
        notes = (note for kind in OTHER_KINDS for note in self.rows.notes(kind=kind))
        return {note.path for note in notes}

    def linking(self, keys: Collection[str]) -> set[NotePath]:
        """Return the notes with a link whose target has one of these `name_key`s."""
        return {note.path for note in self.rows.notes(link_keys=keys)}

    def tagged(self, tag: str) -> set[NotePath]:
        return {note.path for note in self.rows.notes(tag=tag)}

    def names(self) -> Names:
        return Names.of((*self.paths, *self.others))

    def renames(self, steps: Iterable[FileStep]) -> RenamePlan:
        return renames_of(steps, (*self.paths, *self.others))


def known_files(vault: EditVault) -> KnownFiles:
    """Return the files of a vault as they are now; the index is updated first."""
    late = vault.refresh(())
    rows = vault.rows()
    risks = () if late is None else (f"notes may be newer than the index: {late}",)
    paths = rows.paths()
    return KnownFiles(rows, paths, risks, left_out_of(vault, paths))


def left_out_of(vault: EditVault, paths: Iterable[NotePath]) -> tuple[NotePath, ...]:
    return tuple(islice(unindexed(vault.root, frozenset(paths)), MOST_NAMES))


class RelinkJob(NamedTuple):
    """A file whose links are looked at: where it is, was before, and is afterwards.

    `step` is what the change does to it anyway.
    """

    path: NotePath
    before: NotePath
    after: NotePath
    step: FileStep | None = None


@dataclass(slots=True)
class LinkUpdate:
    """Steps with those added that rewrite links, and what was counted.

    `counted` are the files in which links were written anew, each with how many. Of
    links to files that go, `lost` lead nowhere then and `elsewhere` to another.
    `early` are the files in which links are adopted, `stuck` the risks of links that no
    text leads to a new name. Nothing is counted of files that the caller may not read.
    """

    vault: EditVault
    steps: tuple[FileStep, ...]
    counted: list[tuple[NotePath, int]] = field(default_factory=list)
    adopted: int = 0
    lost: int = 0
    elsewhere: int = 0
    early: list[NotePath] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    risks: list[str] = field(default_factory=list)

    @property
    def rewritten(self) -> Rewritten:
        return Rewritten(sum(links for _, links in self.counted), len(self.counted))

    @property
    def facts(self) -> dict[str, object]:
        facts = {LINKS_IN: list(map(list, self.counted)), EARLY: list(self.early)}
        return {name: fact for name, fact in facts.items() if fact}

    def draft(
        self, verb: ChangeVerb, title: str, *, facts: Mapping[str, object]
    ) -> Draft:
        return Draft(
            verb,
            title,
            self.steps,
            self.rewritten,
            self.adopted,
            tuple(self.risks),
            {**facts, **self.facts},
        )

    def rewrite(self, jobs: Iterable[RelinkJob], relink: Relink) -> None:
        """Write links anew; steps are added for files that have none."""
        changed = {}
        for job in jobs:
            if job.path.lower().endswith(REWRITTEN):
                step = self._rewritten(job, relink)
                if step is not None:
                    changed[job.path] = step
        rest = [step for step in self.steps if step.path not in changed]
        # what stands in a folder is written before the folder is moved
        self.steps = tuple(sorted((*changed.values(), *rest), key=lambda s: s.folder))

    def _rewritten(self, job: RelinkJob, relink: Relink) -> FileStep | None:
        step, vault = job.step, self.vault
        try:
            before = step.before if step else vault.files.read(job.path)
        except VaultError as fault:
            before = None
            if vault.sight is None:
                self.risks.append(f"its links stay as they are: {fault}")
        if before is None:
            return None
        text = step.after if step else before
        found = relinked(job.before, text, job.after, relink)
        if found.links:
            self.counted.append((job.path, found.links))
        if found.adopted:
            self.early.append(job.after)
        is_visible = vault.sight is None or vault.sight.sees(job.path, before)
        if found.stuck:
            self.stuck.extend(found.risks if is_visible else (OWNERS,))
        if is_visible:
            self.adopted += found.adopted
            self.lost += found.lost
            self.elsewhere += found.elsewhere
            self.risks.extend(found.risks)
        if found.raw == text:
            return None
        return FileStep(job.path, step.to if step else job.path, before, found.raw)


def relink_for(
    vault: EditVault,
    files: KnownFiles,
    renames: RenamePlan,
    end_after: EndAfter | None = None,
) -> Relink:
    return Relink(
        files.names(),
        Names.of(renames.after((*files.paths, *files.others))),
        renames.goes,
        end_after,
        vault.settings(),
        renames.folders,
        is_hidden=is_hidden_from(vault),
    )


def follow_links(  # noqa: PLR0913 - each fact by its name
    vault: EditVault,
    steps: Sequence[FileStep],
    files: KnownFiles,
    *,
    end_after: EndAfter | None = None,
    targets: Collection[NotePath] = (),
    settled: Collection[NotePath] = (),
) -> LinkUpdate:
    """Return the steps, and what rewrites every link that they would lead elsewhere.

    `end_after` says where links must lead, by default to the same file; `targets` are
    files whose links it may change although their names stay. `settled` are files, by
    their names of before, whose links are right in the steps already.
    """
    renames = files.renames(steps)
    own = {step.path: step for step in steps if step.path and not step.folder}
    candidates = files.linking(renames.keys(targets))
    candidates.update(set(renames.goes).difference(files.others), own)
    candidates |= files.not_markdown()
    jobs = [
        RelinkJob(path, path, renames.goes.get(path, path), own.get(path))
        for path in sorted(candidates - {*settled, *renames.gone})
    ]
    update = LinkUpdate(vault, tuple(steps))
    update.rewrite(jobs, relink_for(vault, files, renames, end_after))
    unfound = _unfound(vault.rules(), steps)
    update.risks = [*files.risks, *unfound, *few_risks(update.risks)]
    return update


def _unfound(rules: IgnoreRules, steps: Iterable[FileStep]) -> list[str]:
    risks = []
    for step in steps:
        if step.path == step.to or is_trashed(step.to):
            continue
        reason = rules.left_out(step.to, folder=step.folder)
        old = step.path and rules.left_out(step.path, folder=step.folder)
        if reason is not None and old is None:
            risks.append(
                f"searches will not find {step.to}: {reason or 'it is hidden'}"
            )
    return risks


def few_risks(risks: Sequence[str]) -> list[str]:
    if len(risks) <= MOST_RISKS:
        return list(risks)
    more = len(risks) - MOST_RISKS
    return [*risks[:MOST_RISKS], f"{more} more links are for you to write by hand"]


def draft_with_links(  # noqa: PLR0913 - each fact by its name
    vault: EditVault,
    verb: ChangeVerb,
    title: str,
    steps: Sequence[FileStep],
    *,
    files: KnownFiles | None = None,
    moves: "PartMoves | None" = None,
    settled: Collection[NotePath] = (),
    risks: Sequence[str] = (),
    facts: Mapping[str, object] | None = None,
) -> Draft:
    update = follow_links(
        vault,
        steps,
        files or known_files(vault),
        end_after=moves.end_after if moves else None,
        targets=list(moves.before) if moves else (),
        settled=settled,
    )
    if verb == "move" and update.stuck:
        raise EditRefused(f"nothing was moved, for a link could not: {update.stuck[0]}")
    update.risks[:0] = risks
    return update.draft(verb, title, facts=facts or {})


Place: TypeAlias = tuple[NotePath, OutlinePart]


@dataclass(frozen=True, slots=True)
class PartMoves:
    """The outlines of notes before and after a change, and which part became which.

    `parts` names those that are elsewhere then, in their own note or another; the
    others keep their place in `whole`, which is where a whole note went.
    """

    before: Mapping[NotePath, Outline]
    after: Mapping[NotePath, Outline]
    parts: Mapping[Place, Place] = field(default_factory=dict)
    whole: Mapping[NotePath, NotePath] = field(default_factory=dict)

    def end_after(self, target: NotePath, subpath: str | None, kind: str) -> LinkEnd:
        """Return where a link must lead that led to a part of a note.

        A link that led to no part keeps its subpath. A Markdown link may name the
        anchor that other renderers give to a heading. Refuse a link that cannot name
        its part any more.
        """
        home = self.whole.get(target, target)
        before = self.before.get(target)
        markdown = kind == "markdown"
        part = before.meant(subpath, markdown=markdown) if before else None
        if part is None or subpath is None:
            return home, subpath
        landed = self.parts.get((target, part), (home, part))
        after = self.after.get(landed[0])
        if after is None:
            return landed[0], subpath
        return landed[0], self._subpath(target, subpath, landed, after)

    def _subpath(
        self, target: NotePath, subpath: str, landed: Place, after: Outline
    ) -> str:
        home, now = landed
        is_anchor = self.before[target].meant(subpath) is None
        if after.meant(subpath, markdown=is_anchor) == now:
            return subpath
        if is_anchor:
            anchor = f"#{anchor_of(after.texts[now.at])}"
            if after.meant(anchor, markdown=True) == now:
                return anchor
        old = self.before[target]
        if len(old.texts) == len(after.texts):  # renamed, and where they were
            names = dict(zip(old.forms, map(linked_heading, after.raw), strict=True))
            steps = [names.get(heading_form(s), s) for s in steps_of(subpath)]
            said = "".join(f"#{step}" for step in steps)
            if after.meant(said) == now:
                return said
        address = after.address(now)
        if address is None:
            raise EditRefused(
                f"links to {target}{subpath} would lead elsewhere: nothing tells it "
                f"from another of its name in {home}"
            )
        return address


def page_at(
    vault: EditVault, path: NotePath, expected: Digest | None = None
) -> EditedPage:
    """Return a note as it is on the disk now; its digest may be `expected`."""
    vault.disclosed([path])  # what is said of a change tells of the text, be it refused
    return EditedPage.of(path, read_for_edit(vault, path, expected))


def with_links_since(
    vault: EditVault, draft: Draft, known: Draft, settled: Collection[NotePath]
) -> Draft:
    """Return a change that waited with the links rewritten that were written since.

    `known` is the change as it was made or is taken back: links that it adopted stay.
    `settled` are files of the draft whose texts are right as they are. Links to parts
    of a note stay as they are.
    """
    leaving = [s.path for s in draft.steps if s.path not in (None, s.to)]
    if all(is_trashed(path or "") for path in leaving) and draft.verb != "create":
        return draft
    files = known_files(vault)
    goes = dict(files.renames(draft.steps).goes)
    merged, early = draft.facts.get(MERGED), known.facts.get(EARLY)
    if isinstance(early, list):
        settled = [*settled, *map(NotePath, early)]
    if isinstance(merged, list):
        goes[NotePath(merged[0])] = NotePath(merged[1])
    end_after = PartMoves({}, {}, whole=goes).end_after
    update = follow_links(
        vault, draft.steps, files, end_after=end_after, settled=settled
    )
    kept = [risk for risk in draft.risks if not risk.endswith((_NOWHERE, _ELSEWHERE))]
    risks = (*kept, *update.risks, *losses(update.lost, update.elsewhere))
    return replace(
        draft,
        steps=update.steps,
        rewritten=Rewritten(
            draft.rewritten.links + update.rewritten.links,
            draft.rewritten.files + update.rewritten.files,
        ),
        risks=tuple(dict.fromkeys(risks)),
        facts={**draft.facts, **update.facts},
    )


def losses(lost: int, elsewhere: int) -> list[str]:
    counts = ((lost, _NOWHERE), (elsewhere, _ELSEWHERE))
    return [
        f"{count} {'link' if count == 1 else 'links'} {where}"
        for count, where in counts
        if count
    ]
