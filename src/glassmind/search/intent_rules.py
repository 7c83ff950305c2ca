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
from typing import get_args

from glassmind.model.search import Intent

_FILE = Path(__file__).with_name("intent_rules.txt")
_NAME = re.compile(r"<[a-z]+>")

Line = tuple[str, str, str]


class Rule:
    """A pattern that speaks for an intent as strongly as its weight says."""

    def __init__(self, weight: float, cues: Sequence[str], pattern: str) -> None:
        self.weight, self.cues, self.pattern = weight, cues, pattern

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, made ready when it is first needed."""
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
def rules() -> Mapping[Intent, Sequence[Rule]]:
    """Return what speaks for each intent.

    The order is that of the file: the later an intent stands, the more questions it
    fits, so that of two that weigh the same the earlier one is to be taken.
    """
    sections = _sections(_FILE.read_text("utf-8"))
    words = {name: (cues, pattern) for name, cues, pattern in sections.pop("words")}
    return {
        intent: [_rule(line, words) for line in lines]
        for section, lines in sections.items()
        for intent in get_args(Intent)
        if intent == section
    }


def _sections(text: str) -> dict[str, list[Line]]:
    """Return the lines of each section, each in its three parts."""
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


def _rule(line: Line, words: Mapping[str, tuple[str, str]]) -> Rule:
    weight, cues, pattern = line
    meant = _NAME.sub(lambda match: words[match[0]][0], cues)
    whole = _NAME.sub(lambda match: words[match[0]][1], pattern)
    return Rule(float(weight), () if cues == "-" else tuple(meant.split()), whole)
