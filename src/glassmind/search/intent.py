"""What in the form of a question speaks for each intent: patterns with weights.

They stand in `intent_rules.txt`, a section for each intent, a rule in each line:
`weight | cues | pattern`, with lines that are indented going on with the one before. A
text without any of the cues cannot match, so that the few patterns it may match are the
only ones compiled: all of them cost as much as a search (`-` is for no cue). `<notes>`
stands for the pattern, or the cues, that the section `words` has under this name.

Three is a plain statement ("what links to"), two a strong hint ("who"), one a weak one
(a digit). Form is looked at, not subject: who, when and how many ask for facts in any
vault. German, Spanish, French, Chinese and Japanese have the plain statements.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple, get_args

from glassmind.model.search import Intent

_FILE = Path(__file__).with_name("intent_rules.txt")
_NAME = re.compile(r"<[a-z]+>")

Line = tuple[str, str, str]


class IntentRule:
    def __init__(self, weight: float, cues: Sequence[str], pattern: str) -> None:
        self.weight, self.cues, self.pattern = weight, cues, pattern

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE)

    def fits(self, text: str, lowered: str) -> bool:
        """Whether a text matches; `lowered` is the same in lower case."""
        if self.cues:
            for cue in self.cues:
                if cue in lowered:
                    break
            else:
                return False
        return self.compiled.search(text) is not None


@cache
def rules() -> Mapping[Intent, Sequence[IntentRule]]:
    """Return what speaks for each intent.

    The order is that of the file: the later an intent stands, the more questions it
    fits, so that of two that weigh the same the earlier one is to be taken.
    """
    return {
        intent: [_rule(line, _words()) for line in lines]
        for section, lines in _sections().items()
        for intent in get_args(Intent)
        if intent == section
    }


@cache
def _words() -> Mapping[str, tuple[str, str]]:
    """Return the cues and the pattern of each name in the section `words`."""
    return {name: (cues, pattern) for name, cues, pattern in _sections()["words"]}


@cache
def _asking() -> frozenset[str]:
    """Return words that a request begins with, the first or the second."""
    return frozenset(_words()["<asking>"][0].split())


@cache
def _sections() -> dict[str, list[Line]]:
    text = _FILE.read_text("utf-8")
    found: dict[str, list[Line]] = {}
    lines: list[Line] = []
    # a pattern goes on with its next alternative, cues with the next word
    joined = re.sub(r"\n +", " ", re.sub(r"\n +(?=\|\S)", "", text))
    for line in filter(None, joined.split("\n")):
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        else:
            weight, cues, pattern = line.split(" | ", 2)
            lines.append((weight, cues, pattern))
    return found


def _rule(line: Line, words: Mapping[str, tuple[str, str]]) -> IntentRule:
    weight, cues, pattern = line
    meant = _NAME.sub(lambda match: words[match[0]][0], cues)
    whole = _NAME.sub(lambda match: words[match[0]][1], pattern)
    return IntentRule(float(weight), () if cues == "-" else tuple(meant.split()), whole)


INTENTS: tuple[Intent, ...] = get_args(Intent)

SECOND = 0.25
"""What each further rule adds: those of one intent say much the same thing."""

MOST_CHARS = 600  # what is read of a long question; models read little more
PLAIN, LEAD = 3.0, 0.6
"""What rules must weigh for a sure guess, and how far it has to be ahead of the next.
Of 213 labelled questions 90 are then acted on, none wrongly, and 2 of 716 sentences out
of notes; a lead of .5 acts on 96, one of them wrongly, a lead of 1 on 77."""

LAST_LATIN = "\u024f"  # the end of the letters that English models have seen much of


class Guess(NamedTuple):
    intent: Intent
    weight: float = 0.0
    lead: float = 0.0
    asks: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether it is safe to act on: a sentence that asks for nothing never is."""
        return self.asks and self.weight >= PLAIN and self.lead >= LEAD


def guess_intent(text: str) -> Guess:
    """Return the likeliest intent of a question, `conceptual` if no rule fits."""
    read = text[:MOST_CHARS]
    weights = {intent: _ruled(known, read) for intent, known in rules().items()}
    best, other = sorted(weights, key=lambda intent: -weights[intent])[:2]
    if not weights[best]:
        return Guess("conceptual")
    return Guess(best, weights[best], weights[best] - weights[other], asks(read))


def asks(text: str) -> bool:
    """Whether a text asks for something, rather than stating it.

    Sentences out of notes are searched for too, to see what else there is on them.
    """
    first = text.lower().replace("'", " ").split()[:2]
    other = sum(letter > LAST_LATIN for letter in text if letter.isalpha())
    is_other_script = 2 * other > sum(map(str.isalpha, text))
    return "?" in text or not _asking().isdisjoint(first) or is_other_script


def _ruled(known: Sequence[IntentRule], text: str) -> float:
    lowered = text.lower()
    found = [rule.weight for rule in known if rule.fits(text, lowered)]
    return max(found) + SECOND * (len(found) - 1) if found else 0.0
