"""Plan one change that fixes findings and follows suggestions.

In each file first the edits that were made for its very bytes, then tags, then links to
names that no file has. What does not fit any more is left out, and reported.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from glassmind.edit.page import Page
from glassmind.edit.permissions import forbidden, is_seen, may_be_named
from glassmind.edit.relink_text import Relink
from glassmind.edit.relinking import (
    Job,
    KnownFiles,
    LinkUpdate,
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
from glassmind.model.edits import LINKS_IN, Draft, Rewritten, Splice, Step
from glassmind.model.health import FormerName, LinkEdit, Repairs, Unmended
from glassmind.model.notes import Link
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
    shut: dict[NotePath, str] = {}
    while True:
        draft = _planned(vault, files, repairs, shut)
        barred = forbidden(vault, draft)
        if not barred:
            return draft
        shut |= barred


def _planned(
    vault: EditVault, files: KnownFiles, repairs: Repairs, shut: Mapping[NotePath, str]
) -> Draft:
    work = _Work(vault, shut)
    work.edit(repairs.edits)
    links = len(work.mended)
    for key, old, new in repairs.tags:
        work.rename_tag(files, key, old, new)
    tags = len(work.mended) - links
    update = work.relink(files, repairs.names)
    risks = [*files.risks, *few_risks(update.risks)]
    steps = work.steps()

    draft = Draft("repair", "", (), risks=tuple(risks))
    if steps:
        draft = draft_with_links(
            vault,
            "repair",
            "",
            steps,
            files=replace(files, risks=()),
            settled=shut,
            risks=risks,
        )
    counted = draft.facts.get(LINKS_IN)
    linked = [*(counted if isinstance(counted, list) else []), *update.counted]
    left = [*repairs.unmended, *work.left]
    total = Rewritten(*map(sum, zip(draft.rewritten, update.rewritten, strict=True)))
    names = len(work.mended) - links - tags
    facts: dict[str, object] = {
        MENDED: list(work.mended),
        UNMENDED: [*_reasons(left), *work.stays()],
    }
    if linked:
        facts[LINKS_IN] = [list(pair) for pair in linked]
    title = _title(links, tags, names)
    return replace(draft, title=title, rewritten=total, facts=facts)


@dataclass(slots=True)
class _Work:
    """The files of one repair: what each was, and what it says so far.

    Those that are `shut` may not be edited, and why not.
    """

    vault: EditVault
    shut: Mapping[NotePath, str]
    before: dict[NotePath, bytes] = field(default_factory=dict)
    after: dict[NotePath, bytes] = field(default_factory=dict)
    mended: dict[str, None] = field(default_factory=dict)
    left: list[Unmended] = field(default_factory=list)

    def steps(self) -> list[Step]:
        return [
            Step(path, path, self.before[path], raw)
            for path, raw in sorted(self.after.items())
            if raw != self.before[path]
        ]

    def stays(self) -> list[str]:
        told = {why for _, why in self.left}
        shut = [path for path in self.shut if is_seen(self.vault, path)]
        return [why for path in shut if (why := self._stays(path)) not in told]

    def text(self, path: NotePath) -> bytes | None:
        if path in self.shut:
            return None
        if path not in self.before:
            try:
                raw = self.vault.files.read(path)
            except VaultError as fault:
                if may_be_named(self.vault, path):
                    self.left.append(Unmended(path, str(fault)))
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
            made: list[LinkEdit] = []
            for each in some:
                if path in self.shut:
                    self._leave(each.keys, self._stays(path))
                elif raw is None or not _fits(raw, each):
                    self._leave(each.keys, CHANGED.format(path=path))
                elif any(_meet(each, other) for other in made):
                    self._leave(each.keys, TAKEN.format(path=path))
                else:
                    made.append(each)
            if raw is not None:
                splices = [Splice(*e.edit.bytes, e.edit.after.encode()) for e in made]
                self.after[path] = spliced(raw, splices)
            self.mended.update(dict.fromkeys(key for e in made for key in e.keys))

    def rename_tag(self, files: KnownFiles, key: str, old: str, new: str) -> None:
        for path in sorted({*files.tagged(old)} | files.not_markdown()):
            raw = self.text(path)
            if raw is None:
                continue
            try:
                self.after[path], _ = retagged_file(path, raw, old, new)
            except EditRefused as refused:
                if is_seen(self.vault, path):
                    self._leave([key], f"{path} keeps #{old}: {refused}")
                continue
            if self.after[path] != raw:
                self.mended[key] = None

    def relink(self, files: KnownFiles, names: Sequence[FormerName]) -> LinkUpdate:
        known = set(files.paths)
        gone = [n for n in names if n.now in known and n.was not in known]
        meant = [name for name in gone if name.was not in files.others]
        update = LinkUpdate(self.vault, ())
        if not meant:
            return update
        goes = {name.was: name.now for name in meant}
        after = files.names()
        before = _FormerNames(after, goes)
        relink = Relink(before, after, goes, None, self.vault.settings())
        for name in meant:
            for path in name.sources if name.shown else ():
                raw = self.text(path)
                if raw is not None:
                    self.after[path] = _with_words(path, raw, before, name.was)
        named = dict.fromkeys(path for name in meant for path in name.sources)
        sources = [path for path in named if path not in self.shut]
        update.rewrite((Job(p, p, p, self._step(p)) for p in sources), relink)
        for step in update.steps:
            self.after[step.to] = step.after
        changed = {step.to for step in update.steps}
        for name in meant:
            if changed.isdisjoint(name.sources):
                self._leave([name.key], "its links cannot be written anew")
            else:
                self.mended[name.key] = None
                risk = f"links to {name.was} lead to {name.now}: {name.why}"
                update.risks.append(risk)
        return update

    def _step(self, path: NotePath) -> Step | None:
        raw = self.text(path)
        return None if raw is None else Step(path, path, self.before[path], raw)

    def _stays(self, path: NotePath) -> str:
        return f"{path} stays as it is: {self.shut[path]}"

    def _leave(self, keys: Iterable[str], why: str) -> None:
        self.left += [Unmended(key, why) for key in keys]


def _fits(raw: bytes, each: LinkEdit) -> bool:
    edit = each.edit
    there = raw[slice(*edit.bytes)] == edit.before.encode()
    return there and digest_of(raw) == edit.digest


def _meet(one: LinkEdit, other: LinkEdit) -> bool:
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
        found = self._now.resolve(target, source, markdown=markdown)
        if found is not None:
            return found
        place = rooted(target, source) if target.startswith(ROOTED) else target
        return None if place is None else self._former.get(_key(place))


def _key(place: str) -> str:
    return fold(place.removeprefix("/")).removesuffix(NOTE_SUFFIX)


def _with_words(path: NotePath, raw: bytes, names: Names, target: NotePath) -> bytes:
    try:
        page = Page.of(path, raw)
        splices = [
            Splice(link.end - 2, link.end - 2, _words(page, link))
            for link in page.note.links
            if _is_bare(link) and names.resolve(link.target, path) == target
        ]
        after = page.with_splices(splices)
        links = Page.of(path, after).note.links
    except NotEditable:
        return raw
    is_same = list(map(_end, links)) == list(map(_end, page.note.links))
    return after if is_same else raw


def _words(page: Page, link: Link) -> bytes:
    start = page.line_start(link.line)
    is_in_table = page.source[start : link.start].lstrip().startswith(b"|")
    mark = b"\\|" if is_in_table else b"|"
    return mark + link.target.encode()


def _is_bare(link: Link) -> bool:
    shows = link.embed or link.display is not None or link.subpath
    return link.kind == "wikilink" and not shows


def _end(link: Link) -> tuple[object, ...]:
    return link.kind, link.target, link.subpath, link.embed


def _title(links: int, tags: int, names: int) -> str:
    said = [
        f"{count} {one if count == 1 else many}"
        for count, one, many in (
            (links, "missing link", "missing links"),
            (tags, "spelling of a tag", "spellings of tags"),
            (names, "name that no file has", "names that no file has"),
        )
        if count
    ]
    return f"mend {', '.join(said)}" if said else "mend nothing"


def _reasons(left: Iterable[Unmended]) -> list[str]:
    reasons: dict[str, dict[str, None]] = {}
    for key, why in left:
        reasons.setdefault(why, {})[key] = None
    found = []
    for why, keys in list(reasons.items())[:MOST_REASONS]:
        first = ", ".join(list(keys)[:MOST_KEYS])
        more = f" and {len(keys) - MOST_KEYS:,} more" if len(keys) > MOST_KEYS else ""
        found.append(f"not mended: {first}{more}: {why}")
    if len(reasons) > MOST_REASONS:
        more = f"{len(reasons) - MOST_REASONS:,} more, each with a reason"
        found.append(f"not mended: {more}")
    return found
