"""Hiding links of a vault, to see whether suggestions bring them back.

Every pair of notes with a link between them falls into one of several folds, by a
digest: each link is hidden once. A fold's copy of the vault has the words that a link
showed in its place (`shown`), or nothing at all (`gone`): in the first a name may still
stand there, as if its writer had forgotten the link; in the second it does not.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

from glassmind.evaluation.own_links import NoteReading, Readings, Replacement, shown_by
from glassmind.model import NotePath
from glassmind.model.notes import Link

Left: TypeAlias = Literal["shown", "gone"]
"""What is left of a link that was hidden."""

Pair: TypeAlias = tuple[NotePath, NotePath]
"""Two notes, the first by path first."""


class Fold(NamedTuple):
    """What is hidden at a time: edits by note, and the partners each note lost."""

    edits: Mapping[NotePath, Sequence[Replacement]]
    partners: Mapping[NotePath, frozenset[NotePath]]


def folds_of(
    readings: Readings, *, left: Left = "shown", count: int = 4, seed: int = 0
) -> list[Fold]:
    """Return so many folds; every pair that can be hidden is in exactly one."""
    found: dict[Pair, list[tuple[NotePath, Link]]] = {}
    fixed: set[Pair] = set()
    for path, link, end in _links(readings):
        pair = (path, end) if path < end else (end, path)
        found.setdefault(pair, []).append((path, link))
        if not _replaceable(link, readings.notes[path]):
            fixed.add(pair)
    folds: list[list[Pair]] = [[] for _ in range(count)]
    for pair in sorted(found.keys() - fixed):
        folds[_place(f"{seed}:{pair[0]}\n{pair[1]}", count)].append(pair)
    return [_fold(pairs, found, left) for pairs in folds]


def _links(readings: Readings) -> Iterator[tuple[NotePath, Link, NotePath]]:
    """Yield the links from note to note: where each stands and where it ends."""
    for path, read in sorted(readings.notes.items()):
        for link in read.note.links:
            if not link.target:
                continue
            markdown = link.kind == "markdown"
            end = readings.names.resolve(link.target, path, markdown=markdown)
            if end is not None and end != path and end in readings.notes:
                yield path, link, end


def _replaceable(link: Link, read: NoteReading) -> bool:
    """Whether a link stands in the source as itself, and not as escapes of YAML."""
    written = read.raw[read.base + link.start : read.base + link.end]
    return written.lstrip(b"!").startswith(b"[") and written.endswith((b"]", b")"))


def _place(text: str, count: int) -> int:
    return int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:8]) % count


def _fold(
    pairs: Sequence[Pair],
    links: Mapping[Pair, Sequence[tuple[NotePath, Link]]],
    left: Left,
) -> Fold:
    edits: dict[NotePath, list[Replacement]] = {}
    partners: dict[NotePath, set[NotePath]] = {}
    for pair in pairs:
        first, second = pair
        partners.setdefault(first, set()).add(second)
        partners.setdefault(second, set()).add(first)
        for path, link in links[pair]:
            text = shown_by(link).encode() if left == "shown" else b""
            edits.setdefault(path, []).append(Replacement(link.start, link.end, text))
    return Fold(
        {path: _apart(of) for path, of in sorted(edits.items())},
        {path: frozenset(of) for path, of in sorted(partners.items())},
    )


def _apart(edits: Sequence[Replacement]) -> list[Replacement]:
    """Return edits that do not overlap, in order; of nested ones the outer."""
    kept: list[Replacement] = []
    for edit in sorted(edits, key=lambda one: (one.start, -one.end)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return kept
