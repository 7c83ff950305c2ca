"""A short answer in sentences of the notes that were chosen, each cited.

A sentence counts by the words of the question that it holds, rare ones counting more,
and by how well its note fits. Nothing is said where no sentence holds a good part of
what was asked.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import NamedTuple

from glassmind.context.choose import occurrences
from glassmind.markdown.sentences import MARKER, sentences_in
from glassmind.render.quoted import holds_hidden
from glassmind.types.context import AnswerSentence, BundleNote

MOST_SENTENCES = 3
LOOKED_AT = 8
"""Notes, from the best, whose sentences may answer: further down they seldom do."""

LEAST_SHARE = 0.34
"""Of what the words of a question count, a sentence must hold so much to be told."""

FEWEST_WORDS, LONGEST_CHARS = 5, 400
"""Less is a label, and more is no short answer."""

SAME = 0.6
"""Share of words from which two sentences say the same."""

_NO_SENTENCE = re.compile(
    r"[\s>]*(?:#{1,6}\s|\||```|~~~|---|!\[|\[!|[-+*]\s+\[.\]|[\w-]+:\s*\S*$)"
)
"""A heading, a table, code, a picture, the title of a callout, a task, a property."""

_ASKING = ("?", "\uff1f", "\u061f", "?**", "?*", "?_")
"""How a sentence ends that asks itself, and answers nothing."""

_WORD = re.compile(r"\w+")


class _Said(NamedTuple):
    score: float
    order: int
    sentence: AnswerSentence
    words: frozenset[str]


def answer_from(
    notes: Sequence[BundleNote], words: Mapping[str, float]
) -> list[AnswerSentence]:
    """Return up to three sentences that say something to a question, best first."""
    asked = fsum(words.values())
    if not asked:
        return []
    found = [
        one for one in _sentences(notes, words) if one.score >= LEAST_SHARE * asked
    ]
    found.sort(key=lambda one: (-one.score, one.order))
    chosen: list[_Said] = []
    for one in found:
        if len(chosen) == MOST_SENTENCES:
            break
        if not any(_alike(one.words, other.words) for other in chosen):
            chosen.append(one)
    return [one.sentence for one in chosen]


def cited(
    answer: Sequence[AnswerSentence], notes: Sequence[BundleNote]
) -> tuple[AnswerSentence, ...]:
    """Return the sentences with the receipts of the passages that show them now."""
    shown = {note.path: note.excerpts for note in notes}
    return tuple(
        replace(one, receipt=excerpt.receipt)
        for one in answer
        for excerpt in [e for e in shown.get(one.path, ()) if one.text in e.text][:1]
    )


def _sentences(
    notes: Sequence[BundleNote], words: Mapping[str, float]
) -> Iterator[_Said]:
    order = 0
    for note in notes[:LOOKED_AT]:
        for excerpt in note.excerpts:
            for said in _parts(excerpt.text):
                if len(said) > LONGEST_CHARS:
                    continue
                held = {word for _, word in occurrences(said, words)}
                if not held:
                    continue
                plain = MARKER.sub("", said).strip()
                spoken = frozenset(_WORD.findall(plain.lower()))
                if len(spoken) < FEWEST_WORDS or plain.endswith(_ASKING):
                    continue
                order += 1
                score = fsum(words[word] for word in held) * (0.5 + note.relevance / 2)
                sentence = AnswerSentence(plain, note.path, excerpt.receipt)
                yield _Said(score, order, sentence, spoken)


def _parts(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        # nothing is answered by what a reader of the note does not see
        if not (_NO_SENTENCE.match(line) or holds_hidden(line)):
            yield from sentences_in(line)


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= SAME * min(len(words), len(others))
