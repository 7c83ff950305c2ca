"""Checks of notes that are there twice: copies of sync tools, and near duplicates."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from glassmind.knowledge.health.sight import Sight, found_by
from glassmind.knowledge.health.sketch import (
    Hashes,
    Runs,
    alike,
    common_runs,
    likeness,
    sketch,
)
from glassmind.knowledge.subjects import PAIRED
from glassmind.types import NotePath
from glassmind.types.health import Finding, HealthNote
from glassmind.vault.ignore import CONFLICT_COPY
from glassmind.vault.resolve import fold

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
        Finding("conflict_copies", path, path, 0, _left_out(path))
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
            yield Finding("conflict_copies", subject, note.path, 0, what)


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


def near_duplicates(sight: Sight) -> list[Finding]:
    """Return the notes that say the same as another, to the letter or nearly.

    Of several, each is named beside the first of them by path. Copies of sync tools are
    another check's, and drawings, templates and days are left out.
    """
    others = {finding.path for finding in found_by(conflict_copies, sight)}
    notes = {
        note.id: note
        for note in sight.written
        if sight.is_kept(note.path) and note.path not in others
    }
    runs = Runs()
    kept = {
        note: (sketch(hashes), len(hashes))
        for note, hashes in ((n, runs.of(t)) for n, t in sight.rows.texts())
        if note in notes and len(hashes) >= LEAST_EXACT
    }
    order = sorted(kept, key=lambda note: notes[note].path)
    same = _groups_of_same([notes[note] for note in order])
    found = list(_exact(same))
    firsts = [group[0].id for group in same if kept[group[0].id][1] >= LEAST_RUNS]
    sketches = [kept[note][0] for note in firsts]
    common = common_runs(sketches)
    candidates = alike(sketches, NEARLY, common)
    found += _near(
        sight, notes, [(firsts[a], firsts[b]) for a, b in candidates], common
    )
    found.sort(key=lambda pair: (pair.one, pair.other))
    return [
        Finding("near_duplicates", f"{p.one}{PAIRED}{p.other}", p.other, 0, p.what)
        for p in found
    ]


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
    sight: Sight,
    notes: dict[int, HealthNote],
    candidates: Sequence[tuple[int, int]],
    common: Hashes,
) -> Iterator[_Pair]:
    """Yield the candidates that are alike when they are read whole, one a note."""
    runs = _runs_of(sight, {note for pair in candidates for note in pair})
    own = {
        note: np.setdiff1d(hashes, common, assume_unique=True)
        for note, hashes in runs.items()
    }
    seen: set[int] = set()
    for one, other in candidates:
        if other in seen or min(len(own.get(n, ())) for n in (one, other)) < LEAST_RUNS:
            continue
        share = likeness(own[one], own[other])
        if share >= NEARLY:
            seen.add(other)
            what = f"{share:.0%} the same as {notes[one].path}"
            yield _Pair(notes[one].path, notes[other].path, what)
