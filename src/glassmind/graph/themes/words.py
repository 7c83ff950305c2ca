"""Saying what a theme is about: its members, its tags, and what its owner calls it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from glassmind.links.fans import Ints
from glassmind.links.net import Floats, LinkGraph
from glassmind.model.themes import TagCount, Theme, ThemeMember

NAMED = 5
"""Members and tags that a summary names, as obsidian-brain's does."""

SHARED = 0.5
"""More than so much of a theme has to share a hub before it is confirmed."""

NAMING = 2
"""Notes that have to name a hub before it is one."""


class Tags:
    """The tags of notes, by file id."""

    def __init__(self, rows: Iterable[tuple[int, str, str]]) -> None:
        self._of: dict[int, list[str]] = {}
        self._written: dict[str, str] = {}
        for note, folded, name in rows:
            self._of.setdefault(note, []).append(folded)
            known = self._written.setdefault(folded, name)
            self._written[folded] = min(known, name)

    def common(self, notes: Iterable[int]) -> tuple[TagCount, ...]:
        """Return the commonest tags of some notes with how many have each."""
        counts = Counter(tag for note in notes for tag in self._of.get(note, ()))
        order = sorted(counts, key=lambda tag: (-counts[tag], tag))
        return tuple(TagCount(self._written[tag], counts[tag]) for tag in order[:NAMED])


def described(
    net: LinkGraph, labels: Ints, influence: Floats, ids: Sequence[int], tags: Tags
) -> list[Theme]:
    """Return the themes that nodes belong to, the largest first."""
    hubs = _hubs(net, labels)
    made = []
    for label, nodes in enumerate(_grouped(labels, influence, len(ids))):
        members = tuple(
            ThemeMember(
                net.paths[n], net.titles[n], float(influence[n]), n >= net.note_count
            )
            for n in nodes
        )
        common = tags.common(net.ids[nodes].tolist())
        hub = hubs.get(label)
        made.append(
            Theme(
                ids[label],
                members[0].title,
                summary_of(members, common),
                len(members),
                members,
                common,
                "emergent" if hub is None else "confirmed",
                None if hub is None else net.paths[hub],
            )
        )
    return sorted(made, key=lambda one: (-one.size, one.id < 0, abs(one.id)))


def summary_of(members: Sequence[ThemeMember], tags: Sequence[TagCount]) -> str:
    """Return what a theme holds in a line; members and tags as they are ordered."""
    named = ", ".join(member.title for member in members[:NAMED])
    tagged = ", ".join(f"#{tag.name}" for tag in tags[:NAMED])
    said = f"Key members: {named}."
    if tagged:
        said += f" Tags: {tagged}."
    return f"{said} {len(members):,} notes."


def _grouped(labels: Ints, influence: Floats, count: int) -> list[list[int]]:
    """Return the nodes of each theme, the most influential first, ties by path."""
    order = np.lexsort((np.arange(len(labels)), -influence, labels))
    ends = np.searchsorted(labels[order], np.arange(count + 1))
    return [order[a:b].tolist() for a, b in pairwise(ends.tolist())]


def _hubs(net: LinkGraph, labels: Ints) -> Mapping[int, int]:
    """Return the note that most of a theme is tied to by properties, where one is.

    Tied is whoever names it, and itself where it is of that theme.
    """
    links = net.fans.links.flat
    targets, _, names = links.columns
    sources = np.repeat(np.arange(len(net)), np.diff(links.starts))
    named = (names > 0) & (targets >= 0) & (labels[sources] >= 0)
    pairs = np.unique(np.stack((sources[named], targets[named])), axis=1)
    by_theme = np.stack((labels[pairs[0]], pairs[1]))
    met, naming = np.unique(by_theme, axis=1, return_counts=True)
    tied = naming + (labels[met[1]] == met[0])
    sizes = np.bincount(labels[labels >= 0])
    hubs: dict[int, int] = {}
    for at in np.lexsort((met[1], -tied, met[0])).tolist():
        theme, hub = int(met[0, at]), int(met[1, at])
        enough = tied[at] > SHARED * sizes[theme] and naming[at] >= NAMING
        if enough and theme not in hubs:
            hubs[theme] = hub
    return hubs
