"""Findings that are mended and suggestions that are followed, all as one change.

In each file first the edits that were made for its very bytes, then tags, then links to
names that no file has. What does not fit any more is left out, and told.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from glassmind.editing.desk import Desk
from glassmind.editing.former import FormerNames
from glassmind.editing.judging import judged
from glassmind.editing.parts import Whereabouts, anchors_in, settled
from glassmind.editing.relink_text import Relink
from glassmind.editing.relinking import Job, draft_with_links, worked
from glassmind.editing.tags import retagged_file
from glassmind.editing.universe import Universe, universe_of
from glassmind.editing.worded import with_words
from glassmind.errors import VaultError
from glassmind.errors.editing import EditRefused
from glassmind.types import NotePath
from glassmind.types.editing import NO_LINKS, Draft, Rewritten, Step
from glassmind.types.repairs import FormerName, LinkEdit, Repairs, Unmended
from glassmind.vault.read import digest_of

CHANGED = "{path} changed since it was looked at; ask again"
TAKEN = "another edit of {path} stands in its place; ask again once that is made"

MENDED, UNMENDED = "mended", "unmended"
"""The facts of a draft that say what it mends, and what is left and why."""

MOST_KEYS = 3
"""Keys that are told of what is left for one reason."""

MOST_TOLD = 50
"""Sentences about what is left; a person reads no more."""


def plan_repair(desk: Desk, repairs: Repairs) -> Draft:
    """Return the one change that mends whatever still can be."""
    seen = universe_of(desk)
    work = _Work(desk)
    work.edit(repairs.edits)
    links = len(work.mended)
    for key, old, new in repairs.tags:
        work.rename_tag(seen, key, old, new)
    tags = len(work.mended) - links
    rewritten, risks = work.relink(seen, repairs.names)
    draft = _carried(desk, seen, work.steps(), [*seen.risks, *risks])
    draft, barred = _permitted(desk, draft)
    left = [*repairs.unmended, *work.left]
    names = len(work.mended) - links - tags
    return replace(
        draft,
        title=_title(links, tags, names),
        rewritten=Rewritten(
            draft.rewritten.links + rewritten.links,
            draft.rewritten.files + rewritten.files,
        ),
        facts={MENDED: list(work.mended), UNMENDED: [*_told(left), *barred]},
    )


def _carried(
    desk: Desk, seen: Universe, steps: Sequence[Step], risks: Sequence[str]
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
            universe=replace(seen, risks=()),
            risks=risks,
        )

    if not steps:
        return Draft("repair", "", (), risks=tuple(risks))
    return settled(Whereabouts({}, {}, anchored=anchors_in(desk)), make)


def _permitted(desk: Desk, draft: Draft) -> tuple[Draft, list[str]]:
    """Return a change without the files that may not be edited, and which those are."""
    kept, barred = [], []
    for step in draft.steps:
        verdict = judged(desk, replace(draft, steps=(step,))).verdict
        if verdict.may == "off":
            barred.append(f"{step.to} stays as it is: {verdict.rule}")
        else:
            kept.append(step)
    return replace(draft, steps=tuple(kept)), barred


@dataclass(slots=True)
class _Work:
    """The files of one repair: what each was, and what it says so far."""

    desk: Desk
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

    def text(self, path: NotePath) -> bytes | None:
        """Return what a file says so far; None for one that cannot be read."""
        if path not in self.before:
            try:
                raw = self.desk.files.read(path)
            except VaultError as fault:
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
            raw = self.text(path)
            made: list[LinkEdit] = []
            for one in some:
                if raw is None or not _fits(raw, one):
                    self._leave(one.keys, CHANGED.format(path=path))
                elif any(_meet(one, other) for other in made):
                    self._leave(one.keys, TAKEN.format(path=path))
                else:
                    made.append(one)
            for one in sorted(made, key=lambda one: -one.edit.start):
                text, edit = self.after[path], one.edit
                made_of = text[: edit.start], edit.after.encode(), text[edit.end :]
                self.after[path] = b"".join(made_of)
                self.mended.update(dict.fromkeys(one.keys))

    def rename_tag(self, seen: Universe, key: str, old: str, new: str) -> None:
        """Spell a tag in another way wherever it stands."""
        found = set(seen.rows.tagged(old))
        for kind in ("canvas", "base"):
            found.update(seen.rows.of_kind(kind))
        for path in sorted(found):
            raw = self.text(path)
            if raw is None:
                continue
            try:
                self.after[path], _ = retagged_file(path, raw, old, new)
            except EditRefused as refused:
                self._leave([key], f"{path} keeps #{old}: {refused}")
                continue
            if self.after[path] != raw:
                self.mended[key] = None

    def relink(
        self, seen: Universe, names: Sequence[FormerName]
    ) -> tuple[Rewritten, list[str]]:
        """Write links to names that no file has anew; return how many, and risks."""
        known = set(seen.paths)
        goes = {one.was: one.now for one in names if one.now in known}
        known.update(seen.others)
        goes = {was: now for was, now in goes.items() if was not in known}
        meant = [one for one in names if one.was in goes]
        if not meant:
            return NO_LINKS, []
        after = seen.ends()
        before = FormerNames(after, goes)
        relink = Relink(before, after, goes, None, self.desk.settings())
        for one in (one for one in meant if one.shown):
            for path in one.sources:
                raw = self.text(path)
                if raw is not None:
                    self.after[path] = with_words(path, raw, before, one.was)
        sources = dict.fromkeys(path for one in meant for path in one.sources)
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
        return found.rewritten, risks

    def _step(self, path: NotePath) -> Step | None:
        raw = self.text(path)
        return None if raw is None else Step(path, path, self.before[path], raw)

    def _leave(self, keys: Iterable[str], why: str) -> None:
        self.left += [Unmended(key, why) for key in keys]


def _fits(raw: bytes, one: LinkEdit) -> bool:
    edit = one.edit
    there = raw[edit.start : edit.end] == edit.before.encode()
    return there and digest_of(raw) == edit.digest


def _meet(one: LinkEdit, other: LinkEdit) -> bool:
    """Whether two edits touch the same bytes, or add at the same place."""
    a, b = one.edit, other.edit
    return a.start == b.start or (a.start < b.end and b.start < a.end)


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
