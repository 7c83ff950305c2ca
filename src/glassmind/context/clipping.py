"""Cutting passages to the room there is for them."""

from collections.abc import Callable, Sequence

from glassmind.context.asking import Lookup
from glassmind.context.choose import Reading
from glassmind.context.cutting import Cut
from glassmind.context.passages import Candidate
from glassmind.context.properties import asked_property, value_in
from glassmind.context.sentences import Told
from glassmind.obsidian.tokens import QUARTERS, weight

FOUND = 1.25
"""What the passage that a note was found by counts more than its others."""

TRIES = 8
"""How often a passage is cut shorter where the estimate of its length was too low: in
a script that takes many tokens one or two are not enough."""


class Clipper:
    """Cuts passages for one question; the texts are samples of what it will cut."""

    def __init__(
        self, words: Lookup, count: Callable[[str], int], texts: Sequence[str]
    ) -> None:
        self._words, self._count = words, count
        self._ratio = self._measured(texts)

    def _measured(self, texts: Sequence[str]) -> float:
        """Return how many tokens a quarter of an estimated one is, in these notes."""
        sample = "\n".join(text[:400] for text in texts[:4])
        held = weight(sample)
        return max(1.0, self._count(sample) / held * QUARTERS) if held else 1.0

    def reading(self, candidate: Candidate, told: Told | None, stub: int) -> Reading:
        """Return the passage of a note that says most, read for the question."""
        if told is not None:
            return Reading(told.stretch, self._words, told.place)
        first, *others = [Reading(one, self._words) for one in candidate.passages]
        if not (others and self._words.weights):
            return first
        room = int(stub * QUARTERS / self._ratio)
        best, most = first, -1.0
        for other in others:
            if other.bound <= first.bound:  # all that it could say is said
                continue
            most = most if most >= 0 else FOUND * first.peak(room)
            if (peak := other.peak(room)) > most:
                best, most = other, peak
        return best

    def stub(self, reading: Reading, stub: int, room: int) -> Cut | None:
        """Return a short passage."""
        if reading.told:
            said = reading.stretch.text[slice(*reading.told)]
            stub = max(stub, self._count(said) + 8)
        found = reading.stub(int(stub * QUARTERS / self._ratio))
        if found is not None:
            tokens = self._count(reading.stretch.text[slice(*found)])
            if tokens <= min(2 * stub, room):
                return Cut(reading, *found, tokens)
        return self.cut(reading, min(stub, room))

    def cut(self, reading: Reading, room: int) -> Cut | None:
        """Return what of a passage fits a room."""
        quarters = int(room * QUARTERS / self._ratio)
        for _ in range(TRIES):
            wide = quarters >= reading.size
            found = reading.beyond() if wide else reading.best(quarters)
            if found is None:
                return None
            tokens = self._count(reading.stretch.text[slice(*found)])
            if tokens <= room:
                return Cut(reading, *found, tokens)
            quarters = quarters * room // (tokens + 1)
        return None

    def fact(self, shown: Cut, candidate: Candidate, room: int) -> Cut | None:
        """Return the property that was asked for, beside what is shown of a note."""
        for stretch in candidate.passages:
            if not stretch.begins:
                continue
            mute = not shown.reading.speaks
            found = asked_property(stretch, self._words, by_value=mute)
            if found is None or value_in(found.text) in shown.text:
                return None
            tokens = self._count(found.text)
            cut = Cut(Reading(found, self._words), 0, len(found.text), tokens)
            return cut if tokens <= room else None
        return None
