"""Checks of places in the graph: alone, apart from what is alike, too central."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassmind.files.resolve import fold
from glassmind.graph.health.copies import conflict_copies, near_duplicates
from glassmind.graph.health.sight import Sight, found_by
from glassmind.graph.subjects import PAIRED, paths_in
from glassmind.model import NotePath
from glassmind.model.health import Finding, HealthNote, Unchecked, finding

if TYPE_CHECKING:
    from glassmind.model.pairs import Pair

GOD_INBOUND = 50
"""Notes that lead to one before it can be a god node: what the plugin of compat KL-12
takes for all vaults."""

GOD_SHARE = 0.05
"""The share of the vault that has to lead to it too: a map of 60 notes is nothing odd
among 10,000. A judgement."""

CLOSE = 0.8
"""Similarity of notes that should know of each other: compat KL-12."""

TIED_BY = 2
"""Common neighbours that tie two notes well enough without a link. A judgement."""


LEAST_NOTES = 2
"""Notes below which there is nothing that one could be linked with."""

LEAST_WORDS = 2
"""Words of a title that is looked for in other notes: one alone is just a word."""

MOST_ASKED = 1_000
"""Orphans whose like and whose titles are looked for: a second of looking."""

COMPANY = 20
"""Notes beside one in its folder that may say what it belongs to; more say nothing. A
judgement."""


def orphans(sight: Sight) -> list[Finding]:
    """Return the notes that no link leads to or from, those with context first.

    A note of a day needs none, nor does the only note of a vault. Context is a note
    that names it, a similar note, or others in its folder.
    """
    if len(sight.notes) < LEAST_NOTES:
        return []
    alone = [
        note
        for note in sight.written
        if sight.is_kept(note.path) and not _is_readme(note) and not sight.near(note.id)
    ]
    contexts = _contexts(sight, alone)
    alone.sort(key=lambda note: (note.id not in contexts, note.path))
    links = sight.rows.link_counts() if alone else {}
    return [
        finding(
            "orphans",
            note.path,
            note.path,
            0,
            f"{_untied(links.get(note.id, 0))}; {contexts.get(note.id, 'isolated')}",
        )
        for note in alone
    ]


def _untied(links: int) -> str:
    """Return how a note with so many links is without any to a note."""
    if not links:
        return "no link leads to it or from it"
    lead = "its 1 link leads" if links == 1 else f"its {links:,} links lead"
    return f"no note links to it, and {lead} to no note of the index"


def _contexts(sight: Sight, alone: Sequence[HealthNote]) -> dict[int, str]:
    """Return what may say where notes belong, for those that have any."""
    folders = Counter(_folder(note) for note in sight.written)
    found = {}
    for at, note in enumerate(alone):
        asked = at < MOST_ASKED
        namers = _namers(sight, note) if asked else []
        like = sight.grounds.nearest(note.path) if asked and not namers else None
        beside = folders[_folder(note)] - 1
        if namers:
            found[note.id] = f"named in {namers[0]}"
        elif like is not None:
            found[note.id] = f"similar to {like.other_path} ({like.similarity:.2f})"
        elif _folder(note) and 1 <= beside <= COMPANY:
            others = "1 other" if beside == 1 else f"{beside} others"
            found[note.id] = f"{others} in {_folder(note)}/"
    return found


def _namers(sight: Sight, note: HealthNote) -> list[NotePath]:
    """Return some notes with the title of one in their text; one word tells nothing."""
    if len(note.title.split()) < LEAST_WORDS:
        return []
    found = sight.grounds.mentions(note.title)
    others = [sight.by_id[one].path for one in found if one in sight.by_id]
    return sorted(path for path in others if path != note.path and sight.is_kept(path))


def _is_readme(note: HealthNote) -> bool:
    """Whether a note is there for who finds the folder, rather than for other notes."""
    return fold(note.path.rpartition("/")[2]) == "readme.md"


def _folder(note: HealthNote) -> str:
    return note.path.rpartition("/")[0]


def weakly_tied(sight: Sight) -> list[Finding] | Unchecked:
    """Return pairs of notes that are alike, unlinked, with hardly a common neighbour.

    A note is told of once, with the one it is most like: ten notes of a kind are five
    findings and not forty-five. Orphans and copies of each other are other checks', and
    days are alike by their nature.
    """
    pairs = sight.grounds.similar(CLOSE)
    if isinstance(pairs, Unchecked):
        return pairs
    copies, taken = _copies(sight), set[str]()
    found = []
    for pair in pairs:
        paths = pair_paths(pair)
        if taken.isdisjoint(paths) and _is_weak(sight, pair, copies):
            taken.update(paths)
            found.append(_weak(pair))
    return found


def tied_weakly(sight: Sight, subject: str) -> Finding | None:
    """Return whether two notes are alike and untied, whatever else they are like."""
    wanted = frozenset(paths_in("weakly_tied", subject))
    pairs = sight.grounds.similar(CLOSE)
    for pair in () if isinstance(pairs, Unchecked) else pairs:
        if wanted == frozenset(pair_paths(pair)) and _is_weak(
            sight, pair, _copies(sight)
        ):
            return _weak(pair)
    return None


def _is_weak(sight: Sight, pair: "Pair", copies: set[frozenset[str]]) -> bool:
    one, other = pair_paths(pair)
    return (
        all(sight.is_kept(path) and _near(sight, path) for path in (one, other))
        and frozenset((one, other)) not in copies
        and len(_near(sight, one) & _near(sight, other)) < TIED_BY
    )


def _weak(pair: "Pair") -> Finding:
    what = f"similar to {pair.other_path} ({pair.similarity:.2f}), and no link "
    subject = f"{pair.path}{PAIRED}{pair.other_path}"
    return finding("weakly_tied", subject, pair.path, 0, f"{what}joins them")


def pair_paths(pair: "Pair") -> tuple[NotePath, NotePath]:
    """Return the paths of two notes that are alike."""
    return pair.path, pair.other_path


def _near(sight: Sight, path: str) -> set[int]:
    return sight.near(sight.by_path[path].id)


def _copies(sight: Sight) -> set[frozenset[str]]:
    """Return the pairs of notes that are copies of each other."""
    return {
        frozenset(finding.subject.split(PAIRED))
        for check in (conflict_copies, near_duplicates)
        for finding in found_by(check, sight)
    }


def god_nodes(sight: Sight) -> list[Finding]:
    """Return the notes that an unusual share of the vault leads to, most first."""
    net = sight.net
    least = max(GOD_INBOUND, GOD_SHARE * net.note_count)
    inbound = net.in_degree[: net.note_count].tolist()
    central = [
        (-count, net.paths[node])
        for node, count in enumerate(inbound)
        if count > least and sight.is_written(net.paths[node])
    ]
    return [
        finding("god_nodes", path, NotePath(path), 0, f"{-count} notes link to it")
        for count, path in sorted(central)
    ]
