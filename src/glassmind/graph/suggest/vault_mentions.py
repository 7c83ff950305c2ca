"""Names of notes in the texts of a whole vault, from the rows alone, in one pass.

What a passage holds is kept, so that after a change only what is new is looked through.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from threading import Lock

from xxhash import xxh3_128_digest

from glassmind.graph.suggest.facts import Facts
from glassmind.graph.suggest.ground import GroundRows
from glassmind.graph.suggest.mentions import rough_mentions
from glassmind.graph.suggest.name_table import NameTable, Pieces


class Said:
    """Owns which names the passages of a vault hold, as long as names are the same."""

    def __init__(self) -> None:
        self._names: Mapping[Pieces, tuple[int, ...]] = {}
        self._known: dict[bytes, tuple[Pieces, ...]] = {}
        self._looking = Lock()

    def by_passage(
        self, table: NameTable, rows: GroundRows
    ) -> Iterator[tuple[int, Sequence[Pieces]]]:
        """Yield the note of every passage, and the names in it, note by note."""
        with self._looking:
            known = self._known if table.notes.keys() == self._names.keys() else {}
            self._names, self._known = table.notes, {}
            for note_id, text in rows.texts():
                key = xxh3_128_digest(text.encode("utf-8", "surrogatepass"))
                names = known.get(key)
                if names is None:
                    names = tuple(rough_mentions(text, table))
                self._known[key] = names
                yield note_id, names


def likely_mentions(
    facts: Facts, rows: GroundRows, most: int, held: Said
) -> list[tuple[float, int, int]]:
    """Return the notes that most likely mean others by a name, without a link.

    How likely, who says it and who is meant, by node; the likeliest first. Names in
    code and links count too: each has to be looked at before it is believed.
    """
    numbers: dict[Pieces, int] = {}
    passages: Counter[Pieces] = Counter()
    said = array("q")  # a number for each note and name: a vault has millions
    for note_id, found in held.by_passage(facts.ground.table, rows):
        for name in found:
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
