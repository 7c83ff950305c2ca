"""Findings that are mended and suggestions that are followed, all as one change.

In each file first the edits that were made for its very bytes, then tags, then links to
names that no file has. What does not fit any more is left out, and told.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from glassmind.edit.desk import Desk
from glassmind.edit.permissions import forbidden, is_seen, may_be_named
from glassmind.edit.relink_text import FormerNames, Relink, with_words
from glassmind.edit.relinking import (
    Counted,
    Job,
    Universe,
    Whereabouts,
    anchors_in,
    draft_with_links,
    links_in,
    settled,
    total_of,
    universe_of,
    worked,
)
from glassmind.edit.restructuring import retagged_file
from glassmind.errors import EditRefused, VaultError
from glassmind.files.read import digest_of
from glassmind.model import NotePath
from glassmind.model.edits import LINKS_IN, Draft, Rewritten, Splice, Step
from glassmind.model.health import FormerName, LinkEdit, Repairs, Unmended
from glassmind.obsidian.property_edits import spliced

CHANGED = "{path} changed since it was looked at; ask again"
TAKEN = "another edit of {path} stands in its place; ask again once that is made"

MENDED, UNMENDED = "mended", "unmended"
"""The facts of a draft that say what it mends, and what is left and why."""

MOST_KEYS = 3
"""Keys that are told of what is left for one reason."""

MOST_TOLD = 50
"""Sentences about what is left; a person reads no more."""


def plan_repair(desk: Desk, repairs: Repairs) -> Draft:
    """Return the one change that mends whatever still can be.

    It is thought out again without the files that may not be edited, so that nothing
    counts as mended that stays.
    """
    seen = universe_of(desk)
    shut: dict[NotePath, str] = {}
    while True:
        draft = _planned(desk, seen, repairs, shut)
        barred = forbidden(desk, draft)
        if not barred:
            return draft
        shut |= barred


def _planned(
    desk: Desk, seen: Universe, repairs: Repairs, shut: Mapping[NotePath, str]
) -> Draft:
    work = _Work(desk, shut)
    work.edit(repairs.edits)
    links = len(work.mended)
    for key, old, new in repairs.tags:
        work.rename_tag(seen, key, old, new)
    tags = len(work.mended) - links
    counted, risks = work.relink(seen, repairs.names)
    draft = _carried(desk, seen, work.steps(), [*seen.risks, *risks], shut)
    left = [*repairs.unmended, *work.left]
    names = len(work.mended) - links - tags
    return replace(
        draft,
        title=_title(links, tags, names),
        rewritten=Rewritten(
            draft.rewritten.links + total_of(counted).links,
            draft.rewritten.files + len(counted),
        ),
        facts={
            MENDED: list(work.mended),
            UNMENDED: [*_told(left), *work.stays()],
            **_links_in(draft, counted),
        },
    )


def _carried(
    desk: Desk,
    seen: Universe,
    steps: Sequence[Step],
    risks: Sequence[str],
    shut: Collection[NotePath],
) -> Draft:
    """Return a change with the links to headings that get other words by it."""

    def make(where: Whereabouts) -> Draft:
        return draft_with_links(
            desk,
            "repair",
            "",
            steps,
            wanted=where.wanted,
            targets=list(where.before),
            settled=shut,
            universe=replace(seen, risks=()),
            risks=risks,
        )

    if not steps:
        return Draft("repair", "", (), risks=tuple(risks))
    return settled(Whereabouts({}, {}, anchored=anchors_in(desk)), make)


def _links_in(draft: Draft, counted: Counted) -> dict[str, object]:
    """Return in which files links were written anew, those of a draft and others."""
    known = draft.facts.get(LINKS_IN)
    first = known if isinstance(known, list) else []
    return links_in([*first, *counted])


@dataclass(slots=True)
class _Work:
    """The files of one repair: what each was, and what it says so far.

    Those that are `shut` may not be edited, and why not.
    """

    desk: Desk
    shut: Mapping[NotePath, str]
    before: dict[NotePath, bytes] = field(default_factory=dict)
    after: dict[NotePath, bytes] = field(default_factory=dict)
    mended: dict[str, None] = field(default_factory=dict)
    left: list[Unmended] = field(default_factory=list)

    def steps(self) -> list[Step]:
        """Return what becomes of each file that changes, by path."""
        return [
            Step(path, path, self.before[path], raw)
            for path, raw in sorted(self.after.items())
            if raw != self.before[path]
        ]

    def stays(self) -> list[str]:
        """Return a sentence for each file that may not be edited and is not told of."""
        told = {why for _, why in self.left}
        shut = [path for path in self.shut if is_seen(self.desk, path)]
        return [said for path in shut if (said := self._stays(path)) not in told]

    def text(self, path: NotePath) -> bytes | None:
        """Return what a file says so far; None for one that is not to be edited."""
        if path in self.shut:
            return None
        if path not in self.before:
            try:
                raw = self.desk.files.read(path)
            except VaultError as fault:
                if may_be_named(self.desk, path):
                    self.left.append(Unmended(path, str(fault)))
                return None
            if raw is None:
                return None
            self.before[path] = self.after[path] = raw
        return self.after[path]

    def edit(self, edits: Iterable[LinkEdit]) -> None:
        """Make edits of the bytes that they are for: of two in one place, the first."""
        by_path: dict[NotePath, list[LinkEdit]] = {}
        for one in edits:
            by_path.setdefault(one.edit.path, []).append(one)
        for path, some in by_path.items():
            if path in self.shut:
                self._leave(
                    (key for one in some for key in one.keys), self._stays(path)
                )
                continue
            raw = self.text(path)
            made: list[LinkEdit] = []
            for one in some:
                if raw is None or not _fits(raw, one):
                    self._leave(one.keys, CHANGED.format(path=path))
                elif any(_meet(one, other) for other in made):
                    self._leave(one.keys, TAKEN.format(path=path))
                else:
                    made.append(one)
            if raw is not None:
                self.after[path] = spliced(raw, [_splice(one) for one in made])
            self.mended.update(dict.fromkeys(key for one in made for key in one.keys))

    def rename_tag(self, seen: Universe, key: str, old: str, new: str) -> None:
        """Spell a tag in another way wherever it stands."""
        for path in sorted({*seen.rows.tagged(old)} | seen.no_markdown()):
            raw = self.text(path)
            if raw is None:
                continue
            try:
                self.after[path], _ = retagged_file(path, raw, old, new)
            except EditRefused as refused:
                if is_seen(self.desk, path):
                    self._leave([key], f"{path} keeps #{old}: {refused}")
                continue
            if self.after[path] != raw:
                self.mended[key] = None

    def relink(
        self, seen: Universe, names: Sequence[FormerName]
    ) -> tuple[Counted, list[str]]:
        """Write links to names that no file has anew; return where, and risks."""
        known = set(seen.paths)
        goes = {one.was: one.now for one in names if one.now in known}
        known.update(seen.others)
        goes = {was: now for was, now in goes.items() if was not in known}
        meant = [one for one in names if one.was in goes]
        if not meant:
            return (), []
        after = seen.ends()
        before = FormerNames(after, goes)
        relink = Relink(before, after, goes, None, self.desk.settings())
        for one in (one for one in meant if one.shown):
            for path in one.sources:
                raw = self.text(path)
                if raw is not None:
                    self.after[path] = with_words(path, raw, before, one.was)
        named = (path for one in meant for path in one.sources)
        sources = dict.fromkeys(path for path in named if path not in self.shut)
        jobs = [Job(path, path, path, self._step(path)) for path in sources]
        found = worked(self.desk, (), jobs, relink, earlier={})
        for step in found.steps:
            self.after[step.to] = step.after
        changed = {step.to for step in found.steps}
        risks = [*found.risks]
        for one in meant:
            if changed.isdisjoint(one.sources):
                self._leave([one.key], "its links cannot be written anew")
            else:
                self.mended[one.key] = None
                risks.append(f"links to {one.was} lead to {one.now}: {one.why}")
        return found.counted, risks

    def _step(self, path: NotePath) -> Step | None:
        raw = self.text(path)
        return None if raw is None else Step(path, path, self.before[path], raw)

    def _stays(self, path: NotePath) -> str:
        return f"{path} stays as it is: {self.shut[path]}"

    def _leave(self, keys: Iterable[str], why: str) -> None:
        self.left += [Unmended(key, why) for key in keys]


def _fits(raw: bytes, one: LinkEdit) -> bool:
    edit = one.edit
    there = raw[slice(*edit.bytes)] == edit.before.encode()
    return there and digest_of(raw) == edit.digest


def _splice(one: LinkEdit) -> Splice:
    return Splice(*one.edit.bytes, one.edit.after.encode())


def _meet(one: LinkEdit, other: LinkEdit) -> bool:
    """Whether two edits touch the same bytes, or add at the same place."""
    (a, a_end), (b, b_end) = one.edit.bytes, other.edit.bytes
    return a == b or (a < b_end and b < a_end)


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


def _told(left: Iterable[Unmended]) -> list[str]:
    """Return a sentence for each reason, with the first keys that it is about."""
    reasons: dict[str, dict[str, None]] = {}
    for key, why in left:
        reasons.setdefault(why, {})[key] = None
    told = []
    for why, keys in list(reasons.items())[:MOST_TOLD]:
        first = ", ".join(list(keys)[:MOST_KEYS])
        more = f" and {len(keys) - MOST_KEYS:,} more" if len(keys) > MOST_KEYS else ""
        told.append(f"not mended: {first}{more}: {why}")
    if len(reasons) > MOST_TOLD:
        told.append(
            f"not mended: {len(reasons) - MOST_TOLD:,} more, each with a reason"
        )
    return told


def told_of(facts: Mapping[str, object]) -> tuple[str, ...]:
    """Return what a draft says it leaves, and why."""
    found = facts.get(UNMENDED)
    return tuple(map(str, found)) if isinstance(found, list) else ()
