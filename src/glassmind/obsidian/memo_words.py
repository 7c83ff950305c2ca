"""What of a memo is its own words: all but what is noted of it.

Who captured something, when, after reading which notes, and that it waits for a person
is no part of what it says. Were it searched, every memo would be found by the name of
whatever its agent had read before.
"""

import re
from collections.abc import Mapping

from glassmind.model import PropertyValue
from glassmind.model.memory import KEEP, MEMO_FOLDERS

OWN = frozenset(("project", "supersedes"))
"""Properties of a memo, beside its tags, that tell what it is about: who looks for what
does not hold any more is to find what took its place."""

_NOTED = frozenset(("created", "client"))
"""Properties that, beside its kind, every memo has and few other notes."""

MARKER = re.compile(
    r"^> \[!agent\][^\r\n]*\r?\n(?P<mine>(?:>[^\r\n]*\r?\n)*)(?:[ \t]*\r?\n)*"
    rf"[-*+] \[(?P<box>.)\] {KEEP}(?:[ \t][^\r\n]*)?(?:\r?\n|\Z)",
    re.MULTILINE,
)
"""What stands above a memo that waits. Behind the box may stand when it was ticked, as
plugins of Obsidian write it; in the callout, more lines of a person."""

_FACTS = re.compile(
    r"^>[ \t]*\[!memo\][^\r\n#]*(?P<tags>[^\r\n]*)\r?\n"
    r">[ \t]*```[^\r\n]*\r?\n(?P<facts>(?:>[^\r\n]*\r?\n)*?)"
    r">[ \t]*```[ \t]*(?:\r?\n|\Z)",
    re.MULTILINE,
)
"""The head of a memo among others in one note: the facts in a fence."""


def is_memo(properties: Mapping[str, PropertyValue]) -> bool:
    """Whether properties are those of a memo, or of a note that memos are added to."""
    kind = properties.get("kind")
    if not isinstance(kind, str) or kind not in MEMO_FOLDERS:
        return False
    return properties.keys() >= _NOTED or properties.get("layout") == "project"


def own_words(text: str) -> str:
    """Return a passage without what is noted of memos in it; most notes hold none."""
    if "[!agent] Captured by " in text:
        text = MARKER.sub(r"\g<mine>", text)
    return _FACTS.sub(_about, text) if "[!memo]" in text else text


def _about(found: re.Match[str]) -> str:
    """Return what the facts of a memo tell of what it is about."""
    lines = found["facts"].splitlines()
    said = [line for line in lines if line.lstrip("> \t").partition(":")[0] in OWN]
    return "\n".join((found["tags"], *said, ""))


def is_noted(text: str) -> bool:
    """Whether a passage is the properties of a memo, of which it says nothing."""
    head = text.startswith("---")
    return head and all(f"\n{name}:" in text for name in ("kind", *_NOTED))
