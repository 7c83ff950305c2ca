"""Checks of notes that are there twice: copies of sync tools, and near duplicates."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from glassmind.files.ignore import CONFLICT_COPY
from glassmind.files.resolve import fold
from glassmind.graph.health.sight import Sight, found_by
from glassmind.graph.health.sketch import (
    Hashes,
    Runs,
    alike,
    common_runs,
    likeness,
)
from glassmind.graph.subjects import PAIRED, paths_in
from glassmind.model import NotePath
from glassmind.model.health import Finding, HealthNote, finding

PAIR = 2

LEAST_RUNS = 25
"""Runs of words that a note needs to be called a near duplicate: about two sentences.
Shorter ones are alike by chance, or made from one template. A judgement."""

LEAST_EXACT = 8
"""The same for a note that is the same to the letter."""

NEARLY = 0.8
"""The share of common runs from which two notes are near duplicates. A judgement: a
note of 100 words with five of them changed, here and there, has 0.67; with three, 0.79;
in one place, 0.9."""

COPIED = 0.8
"""The share of the shorter note that stands in the longer one from which a note with
the name of a copy is one: one of both may have grown since. `Meeting 2` has little of
`Meeting`. A judgement."""

_COPY_NAMES = (
    (re.compile(r"(?P<name>.+) [2-9]"), "iCloud"),
    (re.compile(r"(?P<name>.+) \([1-9]\)"), "Google Drive"),
    (re.compile(r"(?P<name>.+)_conflict-\d{8}-?\d{6}"), "ownCloud"),
    (re.compile(r"(?P<name>.+) \(SFConflict .+\)"), "Seafile"),
    (re.compile(r"(?P<name>.+?)-(?=[A-Z0-9-]*[0-9-])(?!DRAFT|FINAL|COPY|VERSION|BACKUP)"
                r"[A-Z][A-Z0-9-]{3,14}(?:-[2-9])?"),
     "OneDrive"),
)  # fmt: skip
"""How sync tools call the copies that the scan takes for notes; of OneDrive, the name
of a machine: capitals, which Windows cuts at 15, with a number or a hyphen in them."""

_MARKED = re.compile(
    r"(?P<name>.+?)(?:\.sync-conflict-[\w-]+| ?\([^()]*conflicted copy[^()]*\))"
    r"(?P<suffix>.*)",
    re.IGNORECASE,
)


def conflict_copies(sight: Sight) -> list[Finding]:
    """Return what sync tools left where two devices had written one file.

    Some the scan leaves out by their names alone. Others have names that notes may have
    too: those count only beside a note of the rest of the name that says the same.
    """
    found = [
        finding("conflict_copies", path, path, 0, _left_out(path))
        for path, reason in sight.rows.skipped()
        if reason == CONFLICT_COPY
    ]
    found += _named_copies(sight)
    return sorted(found, key=lambda finding: finding.path)


def _left_out(path: str) -> str:
    marked = _MARKED.fullmatch(path.rpartition("/")[2])
    of = f" of {marked['name']}{marked['suffix']}" if marked else ""
    return f"a sync tool's copy{of}, which is not searched"


def _named_copies(sight: Sight) -> Iterator[Finding]:
    by_path = {fold(note.path): note for note in sight.notes}
    pairs = [
        (note, original, tool)
        for note in sight.notes
        for original, tool in _originals(note, by_path)
    ]
    runs = _runs_of(sight, {note.id for pair in pairs for note in pair[:2]})
    seen = set()
    for note, original, tool in pairs:
        one, other = runs.get(note.id), runs.get(original.id)
        if one is None or other is None or note.id in seen:
            continue
        if _is_copy(one, other):
            seen.add(note.id)
            subject = f"{original.path}{PAIRED}{note.path}"
            what = f"a copy of {original.path}, as {tool} makes them"
            yield finding("conflict_copies", subject, note.path, 0, what)


def _is_copy(one: Hashes, other: Hashes) -> bool:
    """Whether the shorter of two texts is hardly more than a part of the longer one.

    Texts too short to tell are copies only when they are the same.
    """
    least = min(len(one), len(other))
    both = len(np.intersect1d(one, other, assume_unique=True))
    if least < LEAST_EXACT:
        return both == least == max(len(one), len(other))
    return both >= COPIED * least


def _originals(
    note: HealthNote, by_path: dict[str, HealthNote]
) -> Iterator[tuple[HealthNote, str]]:
    """Yield the notes that one may be a copy of by its name, and who names so."""
    folder, slash, file = note.path.rpartition("/")
    stem, dot, suffix = file.rpartition(".")
    for pattern, tool in _COPY_NAMES:
        named = pattern.fullmatch(stem)
        if named:
            path = fold(f"{folder}{slash}{named['name']}{dot}{suffix}")
            if path in by_path:
                yield by_path[path], tool


def _runs_of(sight: Sight, note_ids: set[int]) -> dict[int, Hashes]:
    """Return the runs of each of these notes that has words."""
    runs = Runs()
    made = ((note, runs.of(text)) for note, text in sight.rows.texts(note_ids))
    return {note: hashes for note, hashes in made if len(hashes)}


class _Pair(NamedTuple):
    one: NotePath
    other: NotePath
    what: str


class _Ground(NamedTuple):
    """The notes that may be duplicates: in groups of the same content, by path.

    `long` are the first notes of groups that say enough to be compared by what they
    have in `common` with each other; that is what counts for none.
    """

    notes: dict[int, HealthNote]
    same: list[list[HealthNote]]
    long: dict[int, Hashes]
    common: Hashes


def near_duplicates(sight: Sight) -> list[Finding]:
    """Return the notes that say the same as another, to the letter or nearly.

    Of several, each is named beside the first of them by path. Copies of sync tools are
    another check's, and drawings, templates and days are left out.
    """
    ground = sight.made_by(_ground)
    found = list(_exact(ground.same))
    firsts = list(ground.long)
    candidates = alike(list(ground.long.values()), NEARLY, ground.common)
    near = _near(sight, ground, [(firsts[a], firsts[b]) for a, b in candidates])
    seen: set[NotePath] = set()
    for pair in near:
        if pair.other not in seen:
            seen.add(pair.other)
            found.append(pair)
    found.sort(key=lambda pair: (pair.one, pair.other))
    return [_finding(pair) for pair in found]


def duplicate(sight: Sight, subject: str) -> Finding | None:
    """Return whether two notes say the same, whatever other notes do."""
    ground = sight.made_by(_ground)
    by_path = {note.path: note for note in ground.notes.values()}
    pair = [by_path[p] for p in paths_in("near_duplicates", subject) if p in by_path]
    if len(pair) != PAIR:
        return None
    one, other = sorted(pair, key=lambda note: note.path)
    if one.digest == other.digest:
        return _finding(next(_exact([[one, other]])))
    found = next(_near(sight, ground, [(one.id, other.id)]), None)
    return None if found is None else _finding(found)


def _finding(pair: _Pair) -> Finding:
    subject = f"{pair.one}{PAIRED}{pair.other}"
    return finding("near_duplicates", subject, pair.other, 0, pair.what)


def _ground(sight: Sight) -> _Ground:
    others = {finding.path for finding in found_by(conflict_copies, sight)}
    kept = [
        note
        for note in sight.written
        if sight.is_kept(note.path) and note.path not in others
    ]
    sketches = sight.grounds.sketches(kept)
    notes = {note.id: note for note in kept if sketches[note.id].runs >= LEAST_EXACT}
    same = _groups_of_same(list(notes.values()))
    long = {
        group[0].id: sketches[group[0].id].smallest
        for group in same
        if sketches[group[0].id].runs >= LEAST_RUNS
    }
    return _Ground(notes, same, long, common_runs(list(long.values())))


def _groups_of_same(notes: Sequence[HealthNote]) -> list[list[HealthNote]]:
    """Return the notes by content, each group by path."""
    groups: dict[str, list[HealthNote]] = {}
    for note in notes:
        groups.setdefault(note.digest, []).append(note)
    return list(groups.values())


def _exact(groups: Sequence[Sequence[HealthNote]]) -> Iterator[_Pair]:
    for first, *others in groups:
        for other in others:
            yield _Pair(first.path, other.path, f"the same as {first.path}")


def _near(
    sight: Sight, ground: _Ground, candidates: Sequence[tuple[int, int]]
) -> Iterator[_Pair]:
    """Yield the candidates that are alike when they are read whole."""
    runs = _runs_of(sight, {note for pair in candidates for note in pair})
    own = {
        note: np.setdiff1d(hashes, ground.common, assume_unique=True)
        for note, hashes in runs.items()
    }
    for one, other in candidates:
        if min(len(own.get(n, ())) for n in (one, other)) < LEAST_RUNS:
            continue
        share = likeness(own[one], own[other])
        if share >= NEARLY:
            first, second = ground.notes[one].path, ground.notes[other].path
            yield _Pair(first, second, f"{share:.0%} the same as {first}")
