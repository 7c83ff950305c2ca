"""Names of notes in the texts of a whole vault, from the rows alone, in one pass."""

from array import array
from collections import Counter
from heapq import nlargest

from glassmind.knowledge.suggest.facts import Facts
from glassmind.knowledge.suggest.ground import GroundRows
from glassmind.knowledge.suggest.mentions import rough_mentions
from glassmind.knowledge.suggest.name_table import Pieces


def likely_mentions(
    facts: Facts, rows: GroundRows, most: int
) -> list[tuple[float, int, int]]:
    """Return the notes that most likely mean others by a name, without a link.

    How likely, who says it and who is meant, by node; the likeliest first. Names in
    code and links count too: each has to be looked at before it is believed.
    """
    numbers: dict[Pieces, int] = {}
    passages: Counter[Pieces] = Counter()
    said = array("q")  # a number for each note and name: a vault has millions
    for note_id, text in rows.texts():
        for name in rough_mentions(text, facts.ground.table):
            passages[name] += 1
            said.append(note_id << 32 | numbers.setdefault(name, len(numbers)))
    names = list(numbers)
    net, ground = facts.net, facts.ground
    likely = {
        name: [
            (net.node_of(note), ground.likelihood(name, note, passages[name]))
            for note in ground.table.notes[name]
        ]
        for name in names
    }
    best: dict[tuple[int, int], float] = {}
    linked: dict[int, frozenset[int]] = {}
    for one in sorted(set(said)):
        source = net.node_of(one >> 32)
        if source is None or not facts.offered[source]:
            continue
        if source not in linked:
            linked[source] = frozenset((source, *net.around(source).tolist()))
        meant = likely[names[one & 0xFFFFFFFF]]
        for target, strength in meant:
            if target is None or target in linked[source] or not facts.offered[target]:
                continue
            key = (source, target)
            best[key] = max(best.get(key, 0.0), strength / len(meant))
    return _first(best, most)


def _first(
    best: dict[tuple[int, int], float], most: int
) -> list[tuple[float, int, int]]:
    """Return the likeliest; of equals those by path first."""
    order = nlargest(most, ((s, -a, -b) for (a, b), s in best.items()))
    return [(s, -a, -b) for s, a, b in order]
