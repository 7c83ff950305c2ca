"""Questions as people and agents ask them, each with what it wants.

They stand in `prototypes.txt`, one a line under the name of their intent, and are what
a new question is compared with. The same subjects come back under every intent, so that
what is learnt is the form of a question and not what it is about.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

from glassmind.model.search import Intent

INTENTS: tuple[Intent, ...] = get_args(Intent)

_FILE = Path(__file__).with_name("prototypes.txt")


@cache
def prototypes() -> tuple[tuple[str, Intent], ...]:
    """Return every question with its intent, in the order of the file."""
    return tuple(_read(_FILE.read_text("utf-8")))


def _read(text: str) -> Iterator[tuple[str, Intent]]:
    headings = {f"[{intent}]": intent for intent in INTENTS}
    intent = INTENTS[0]
    for line in filter(None, text.splitlines()):
        if line in headings:
            intent = headings[line]
        else:
            yield line, intent
