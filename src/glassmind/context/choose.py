"""Choosing what of a passage is shown: the lines that say most to the question.

A passage is parted into lines, and long lines into sentences. Of all runs of them that
fit the room, the one with the most of the question's words is taken, rare words
counting more; without any, the passage's beginning. Weights are estimated here, since
counting the tokens of every line would take longer than all the rest.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from glassmind.context.passages import Stretch
from glassmind.markdown.tokens import weight
from glassmind.types.search import Hit

LONG_LINE, SHORT_PART = 120, 20
"""Characters after which a line is parted into sentences, and the fewest of a part."""

_STOP = re.compile(r"[.!?]\s+|[。！？]")  # noqa: RUF001 - ends in Chinese
"""Where a sentence seems to end: for a cut, an abbreviation is as good."""

MOST_PLACES = 20
"""Places of one word that are looked at in a passage."""

SHORT_STEM = 4
"""Letters that tell a word from others that begin so."""

_WORD = re.compile(r"\w+")
_FILTER = re.compile(
    r"-?(?:tag|path|file|before|after):(?:\"[^\"]*\"|\S+)|-?\[[^\]]*\]"
    r"|(?<!\S)-\S+",
    re.IGNORECASE,
)
"""What of a query says where to look, or what not to find."""
_OPENER = re.compile(r"\s*(#{1,6}\s|$|---\s*$)")
"""A heading, which is named above the passage already, a blank line, a break."""

SAY_LITTLE = frozenset((
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "by",
    "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "how",
    "i", "if", "in", "into", "is", "it", "its", "me", "many", "much", "my", "not",
    "of", "on", "or", "our", "should", "so", "that", "the", "their", "them", "there",
    "they", "this", "to", "us", "was", "we", "were", "what", "when", "where", "which",
    "who", "whose", "why", "will", "with", "would", "you", "your", "aber", "als",
    "am", "auch", "auf", "aus", "bei", "das", "dass", "dem", "den", "der", "des",
    "die", "ein", "eine", "einen", "er", "es", "für", "hat", "ich", "im", "ist",
    "mit", "nach", "nicht", "oder", "sich", "sie", "sind", "über", "und", "uns",
    "von", "war", "warum", "wann", "wie", "wer", "wir", "wird", "wo", "zu", "zum",
    "zur",
))  # fmt: skip
"""Words of English and German that most sentences hold, whatever they are about."""

_HEADING = re.compile(r"\s*#{1,6}\s+(.*?)\s*\n")
_ENDS, _LAST = ("", "\n", "\r"), ".!?:;。！？"  # noqa: RUF001 - as above

LITTLE = 0.05
"""What a word counts that stands in every passage; more than none at all."""


def question_words(query: str, hits: Iterable[Hit]) -> frozenset[str]:
    """Return the words that were asked for, as typed and as passages have them."""
    words = set(_WORD.findall(_FILTER.sub(" ", query).lower()))
    for hit in hits:
        for snippet in (hit.snippet, *(passage.snippet for passage in hit.more)):
            text = snippet.text
            words.update(text[start:end].lower() for start, end in snippet.marks)
    return _stems(words - SAY_LITTLE or words)


def _stems(words: Iterable[str]) -> frozenset[str]:
    """Return words without those that begin with another: finding one finds both."""
    kept: list[str] = []
    for word in sorted(filter(None, words)):
        known = kept[-1] if kept else ""
        if not (len(known) >= SHORT_STEM and word.startswith(known)):
            kept.append(word)
    return frozenset(kept)


def weighed(words: Iterable[str], texts: Sequence[str]) -> dict[str, float]:
    """Return how much each word counts: the fewer texts hold it, the more.

    One that none holds counts as if one did.
    """
    lowered = [text.lower() for text in texts]
    held = {word: sum(word in text for text in lowered) for word in sorted(words)}
    total = max(1, len(texts))
    return {
        word: math.log((1 + total / max(1, count)) / 2) + LITTLE
        for word, count in held.items()
    }


class Reading:
    """One passage, read for a question."""

    def __init__(self, stretch: Stretch, words: Mapping[str, float]) -> None:
        self.stretch = stretch
        self._words = words
        self._best: dict[int, tuple[int, int] | None] = {}

    @cached_property
    def _units(self) -> list[tuple[int, int]]:
        """Lines and sentences of the passage in order, as characters of its text."""
        return parted(self.stretch.text, *self.stretch.focus)

    @cached_property
    def _weights(self) -> list[int]:
        text = self.stretch.text
        if text.isascii():  # the usual case, at a tenth of the cost
            return [end - start + 1 for start, end in self._units]
        return [weight(text[start:end]) + 1 for start, end in self._units]

    @cached_property
    def _scores(self) -> list[float]:
        text, (start, end) = self.stretch.text, self.stretch.focus
        scores = [0.0] * len(self._units)
        places = occurrences(text[start:end], self._words) if scores else []
        at = 0
        held: set[tuple[int, str]] = set()
        for place, word in places:
            while at + 1 < len(scores) and self._units[at][1] <= start + place:
                at += 1
            if (at, word) not in held:
                held.add((at, word))
                scores[at] += self._words[word]
        return scores

    @cached_property
    def size(self) -> int:
        """The weight of the whole passage."""
        return sum(self._weights)

    def best(self, room: int) -> tuple[int, int] | None:
        """Return the characters that say most within a room, in quarters of a token."""
        if room not in self._best:
            self._best[room] = self._chosen(room) if room > 0 else None
        return self._best[room]

    def _chosen(self, room: int) -> tuple[int, int] | None:
        units = self._units
        if not units:
            return None
        first, last = run(self._weights, self._scores, self._opening, room)
        start, end = units[first][0], units[last][1]
        if first == last and self._weights[first] > room:
            end = start + _cut(self.stretch.text[start:end], room)
        return _trimmed(self.stretch.text, self._behind_title(start, end), end)

    def _behind_title(self, start: int, end: int) -> int:
        """Return where a part goes on behind a heading that is named above it."""
        named = self.stretch.heading_path(start)
        text = self.stretch.text
        while (found := _HEADING.match(text, start, end)) and found[1] in named:
            start = found.end()
        return start

    def stub(self, room: int) -> tuple[int, int] | None:
        """Return the best, rather half as much again than with half a sentence."""
        found = self.best(room)
        if found and self._is_broken(found[1]):
            longer = self.best(room * 3 // 2)
            return longer if longer and not self._is_broken(longer[1]) else found
        return found

    def _is_broken(self, end: int) -> bool:
        """Whether a part of the text that ends here ends within a sentence."""
        text = self.stretch.text
        return text[end : end + 1] not in _ENDS and text[end - 1] not in _LAST

    def beyond(self, room: int) -> tuple[int, int] | None:
        """Return the whole passage with as much of what follows it as fits."""
        text, (start, end) = self.stretch.text, self.stretch.focus
        start = self._units[self._opening][0] if self._units else start
        left = room - self.size
        for _, over in parted(text, end, len(text)):
            left -= weight(text[end:over]) + 1
            if left < 0:
                break
            end = over
        return _trimmed(text, start, end)

    @cached_property
    def _opening(self) -> int:
        """Where the passage says something, behind its heading."""
        text = self.stretch.text
        for number, (start, end) in enumerate(self._units):
            if not _OPENER.match(text[start:end]):
                return number
        return 0


def parted(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the lines of a part of a text, long ones by their sentences."""
    made = []
    while start < end:
        over = text.find("\n", start, end)
        over = end if over < 0 else over
        if over - start > LONG_LINE:
            for stop in _STOP.finditer(text, start + SHORT_PART, over):
                if stop.end() - start > SHORT_PART:
                    made.append((start, stop.start() + 1))
                    start = stop.end()
        if over > start:
            made.append((start, over))
        start = over + 1
    return made


def occurrences(text: str, words: Iterable[str]) -> list[tuple[int, str]]:
    """Return where words begin in a text, in order."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter that is two when it is small
        lowered = text
    places = []
    for word in words:
        at = lowered.find(word)
        left = MOST_PLACES
        while at >= 0 and left:
            if at == 0 or not lowered[at - 1].isalnum() or not word.isascii():
                places.append((at, word))
                left -= 1
            at = lowered.find(word, at + len(word))
    places.sort()
    return places


def run(
    weights: Sequence[int], scores: Sequence[float], opening: int, room: int
) -> tuple[int, int]:
    """Return the first and last of the best units in a row that fit a room.

    Of equal runs the last, so that what was asked for comes first and what follows it
    is shown; without a score, the run from `opening` on. One unit is always taken.
    """
    best, first, last = 0.0, opening, opening
    end, held, score = 0, 0, 0.0
    for start in range(len(weights)):
        if end <= start:
            end, held, score = start + 1, weights[start], scores[start]
        while end < len(weights) and held + weights[end] <= room:
            held += weights[end]
            score += scores[end]
            end += 1
        if score > 0 and score >= best - 1e-9 and scores[start] > 0:
            best, first, last = max(best, score), start, end - 1
        held -= weights[start]
        score -= scores[start]
    if not best:
        held = weights[opening]
        while last + 1 < len(weights) and held + weights[last + 1] <= room:
            last += 1
            held += weights[last]
        return first, last
    held = sum(weights[first : last + 1])
    while first > opening and held + weights[first - 1] <= room:
        first -= 1
        held += weights[first]
    return first, last


def _cut(text: str, room: int) -> int:
    """Return how much of a long sentence fits, up to a clause or a blank if any."""
    end = min(len(text), room)
    while end > 1 and weight(text[:end]) > room:
        end = end * 3 // 4
    clause = max(text.rfind(sign, end // 2, end) for sign in (", ", "; ", ": "))
    blank = clause + 1 if clause > 0 else text.rfind(" ", end // 2, end)
    return blank if blank > 0 else max(end, 1)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return a part of a text without blank lines at its ends; None when it is blank.

    Blanks before the first word of a line are a part of it; the heading of something
    that is not shown is none.
    """
    body = text[start:end].rstrip()
    head, _, last = body.rpartition("\n")
    alone = last.startswith("#") and head.strip() and _OPENER.match(last)
    if alone and text[end : end + LONG_LINE].strip():
        body = head
    ended = start + len(body.rstrip())
    begun = start + len(body) - len(body.lstrip())
    begun = max(start, text.rfind("\n", 0, begun) + 1)
    return (begun, ended) if begun < ended else None
