"""Plan one change that fixes findings and follows suggestions.

In each file first the edits that were made for its very bytes, then tags, then links to
names that no file has. What does not fit any more is left out, and reported.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from glassmind.edit.page import EditedPage
from glassmind.edit.permissions import forbidden, is_seen, may_be_named
from glassmind.edit.relink_text import Relink
from glassmind.edit.relinking import (
    KnownFiles,
    LinkUpdate,
    RelinkJob,
    draft_with_links,
    few_risks,
    known_files,
)
from glassmind.edit.restructuring import retagged_file
from glassmind.edit.vault import EditVault
from glassmind.errors import EditRefused, NotEditable, VaultError
from glassmind.files.names import NOTE_SUFFIX, ROOTED, Names, rooted
from glassmind.files.read import digest_of
from glassmind.model import NotePath
from glassmind.model.edits import LINKS_IN, Draft, FileStep, Rewritten, Splice
from glassmind.model.health import FormerName, LinkEdit, Repairs, UnrepairedProblem
from glassmind.obsidian.property_edits import spliced
from glassmind.obsidian.text import fold

CHANGED = "{path} changed since it was looked at; ask again"
TAKEN = "another edit of {path} stands in its place; ask again once that is made"

MENDED, UNMENDED = "mended", "unmended"
MOST_KEYS = 3
MOST_REASONS = 50


def plan_repair(vault: EditVault, repairs: Repairs) -> Draft:
    """Return the one change that fixes whatever still can be."""
    files = known_files(vault)
    closed: dict[NotePath, str] = {}
    while True:
        draft = _planned(vault, files, repairs, closed)
        barred = forbidden(vault, draft)
        if not barred:
            return draft
        closed |= barred


def _planned(
    vault: EditVault,
    files: KnownFiles,
    repairs: Repairs,
    closed: Mapping[NotePath, str],
) -> Draft:
    work = _Work(vault, closed)
    work.edit(repairs.edits)
    links = len(work.fixed)
    for key, old, new in repairs.tags:
        work.rename_tag(files, key, old, new)
    tags = len(work.fixed) - links
    update = work.relink(files, repairs.names)
    names = len(work.fixed) - links - tags
    risks = [*files.risks, *few_risks(update.risks)]
    steps = [
        FileStep(path, path, work.before[path], raw)
        for path, raw in sorted(work.after.items())
        if raw != work.before[path]
    ]
    draft = Draft("repair", "", (), risks=tuple(risks))
    if steps:
        files = replace(files, risks=())
        draft = draft_with_links(
            vault, "repair", "", steps, files=files, settled=closed, risks=risks
        )
    counted = draft.facts.get(LINKS_IN)
    linked = [*(counted if isinstance(counted, list) else []), *update.counted]
    reasons = _reasons([*repairs.unmended, *work.left])
    stay = [work.stays(path) for path in closed if is_seen(vault, path)]
    unfixed = [*reasons, *(why for why in stay if why not in "".join(reasons))]
    facts: dict[str, object] = {MENDED: list(work.fixed), UNMENDED: unfixed}
    if linked:
        facts[LINKS_IN] = [list(pair) for pair in linked]
    total = Rewritten(*map(sum, zip(draft.rewritten, update.rewritten, strict=True)))
    parts = [
        f"{count} {name if count == 1 else names_of}"
        for count, name, names_of in (
            (links, "missing link", "missing links"),
            (tags, "spelling of a tag", "spellings of tags"),
            (names, "name that no file has", "names that no file has"),
        )
        if count
    ]
    title = f"mend {', '.join(parts) or 'nothing'}"
    return replace(draft, title=title, rewritten=total, facts=facts)


def _reasons(left: Iterable[UnrepairedProblem]) -> list[str]:
    keys: dict[str, dict[str, None]] = {}
    for key, why in left:
        keys.setdefault(why, {})[key] = None
    lines = []
    for why, named in keys.items():
        more = f" and {len(named) - MOST_KEYS:,} more" if len(named) > MOST_KEYS else ""
        lines.append(f"not mended: {', '.join(list(named)[:MOST_KEYS])}{more}: {why}")
    if len(lines) > MOST_REASONS:
        more = f"not mended: {len(lines) - MOST_REASONS:,} more, each with a reason"
        return [*lines[:MOST_REASONS], more]
    return lines


@dataclass(slots=True)
class _Work:
    """The files of one repair: what each was, and what it says so far.

    Those that are `closed` may not be edited, and why not.
    """

    vault: EditVault
    closed: Mapping[NotePath, str]
    before: dict[NotePath, bytes] = field(default_factory=dict)
    after: dict[NotePath, bytes] = field(default_factory=dict)
    fixed: dict[str, None] = field(default_factory=dict)
    left: list[UnrepairedProblem] = field(default_factory=list)

    def stays(self, path: NotePath) -> str:
        return f"{path} stays as it is: {self.closed[path]}"

    def text(self, path: NotePath) -> bytes | None:
        if path in self.closed:
            return None
        if path not in self.before:
            try:
                raw = self.vault.files.read(path)
            except VaultError as fault:
                if may_be_named(self.vault, path):
                    self.left.append(UnrepairedProblem(path, str(fault)))
                return None
            if raw is None:
                return None
            self.before[path] = self.after[path] = raw
        return self.after[path]

    def edit(self, edits: Iterable[LinkEdit]) -> None:
        by_path: dict[NotePath, list[LinkEdit]] = {}
        for each in edits:
            by_path.setdefault(each.edit.path, []).append(each)
        for path, some in by_path.items():
            raw = self.text(path)
            link_edits: list[LinkEdit] = []
            for each in some:
                why = ""
                if path in self.closed:
                    why = self.stays(path)
                elif raw is None or not _fits(raw, each):
                    why = CHANGED.format(path=path)
                elif any(_overlap(each, other) for other in link_edits):
                    why = TAKEN.format(path=path)
                else:
                    link_edits.append(each)
                self.left += [UnrepairedProblem(key, why) for key in each.keys if why]
            if raw is not None:
                splices = [
                    Splice(*e.edit.bytes, e.edit.after.encode()) for e in link_edits
                ]
                self.after[path] = spliced(raw, splices)
            self.fixed.update(dict.fromkeys(key for e in link_edits for key in e.keys))

    def rename_tag(self, files: KnownFiles, key: str, old: str, new: str) -> None:
        for path in sorted({*files.tagged(old)} | files.not_markdown()):
            raw = self.text(path)
            if raw is None:
                continue
            try:
                self.after[path], _ = retagged_file(path, raw, old, new)
            except EditRefused as refused:
                if is_seen(self.vault, path):
                    self.left.append(
                        UnrepairedProblem(key, f"{path} keeps #{old}: {refused}")
                    )
                continue
            if self.after[path] != raw:
                self.fixed[key] = None

    def relink(self, files: KnownFiles, names: Sequence[FormerName]) -> LinkUpdate:
        known = set(files.paths)
        former_names = [
            name
            for name in names
            if name.now in known
            and name.was not in known
            and name.was not in files.others
        ]
        update = LinkUpdate(self.vault, ())
        if not former_names:
            return update
        goes = {name.was: name.now for name in former_names}
        after = files.names()
        before = _FormerNames(after, goes)
        relink = Relink(before, after, goes, None, self.vault.settings())
        for name in former_names:
            for path in name.sources if name.shown else ():
                raw = self.text(path)
                if raw is not None:
                    self.after[path] = _with_words(path, raw, before, name.was)
        jobs = []
        for path in dict.fromkeys(
            path for name in former_names for path in name.sources
        ):
            raw = self.text(path)
            if raw is not None:
                step = FileStep(path, path, self.before[path], raw)
                jobs.append(RelinkJob(path, path, path, step))
        update.rewrite(jobs, relink)
        for step in update.steps:
            self.after[step.to] = step.after
        changed = {step.to for step in update.steps}
        for name in former_names:
            if changed.isdisjoint(name.sources):
                self.left.append(
                    UnrepairedProblem(name.key, "its links cannot be written anew")
                )
            else:
                self.fixed[name.key] = None
                risk = f"links to {name.was} lead to {name.now}: {name.why}"
                update.risks.append(risk)
        return update


def _fits(raw: bytes, each: LinkEdit) -> bool:
    edit = each.edit
    there = raw[slice(*edit.bytes)] == edit.before.encode()
    return there and digest_of(raw) == edit.digest


def _overlap(one: LinkEdit, other: LinkEdit) -> bool:
    """True if two edits touch the same bytes, or add at the same place."""
    (a, a_end), (b, b_end) = one.edit.bytes, other.edit.bytes
    return a == b or (a < b_end and b < a_end)


class _FormerNames(Names):
    """Names that lead where links lead now; those in vain, to paths that are gone.

    A lost link means one of them only if it is written as that very path, or from its
    note leads there: a mere name that is lost too is another matter.
    """

    def __init__(self, now: Names, former: Iterable[NotePath]) -> None:
        super().__init__()
        self._now = now
        self._former = {_key(path): path for path in former}

    def resolve(
        self, target: str, source: NotePath, *, markdown: bool = False
    ) -> NotePath | None:
        path = self._now.resolve(target, source, markdown=markdown)
        if path is not None:
            return path
        place = rooted(target, source) if target.startswith(ROOTED) else target
        return None if place is None else self._former.get(_key(place))


def _key(place: str) -> str:
    return fold(place.removeprefix("/")).removesuffix(NOTE_SUFFIX)


def _with_words(path: NotePath, raw: bytes, names: Names, target: NotePath) -> bytes:
    """Return a note whose bare wikilinks to a target show the words that they have."""
    try:
        page = EditedPage.of(path, raw)
        splices = []
        for link in page.note.links:
            shows = link.embed or link.display is not None or link.subpath
            if link.kind != "wikilink" or shows:
                continue
            if names.resolve(link.target, path) == target:
                line = page.source[page.line_start(link.line) : link.start]
                mark = b"\\|" if line.lstrip().startswith(b"|") else b"|"
                words = mark + link.target.encode()
                splices.append(Splice(link.end - 2, link.end - 2, words))
        after = page.with_splices(splices)
        links = EditedPage.of(path, after).note.links
    except NotEditable:
        return raw
    ends = [
        [(k.kind, k.target, k.subpath, k.embed) for k in found]
        for found in (page.note.links, links)
    ]
    return after if ends[0] == ends[1] else raw
