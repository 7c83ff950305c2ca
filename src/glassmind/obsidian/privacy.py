"""Which notes are for their owner alone, by what their properties say."""

import re
from collections.abc import Mapping

PRIVATE = "private"
"""The property that says so, in whatever case."""

MEANS_YES = frozenset(("true", "yes", "on", "1"))
"""What people write who want a property to be true, as YAML and as text."""


def says_private(properties: Mapping[str, object]) -> bool:
    """Whether the properties of a note make it one for its owner alone."""
    return any(
        name.strip().lower() == PRIVATE and means_yes(value)
        for name, value in properties.items()
    )


def means_yes(value: object) -> bool:
    """Whether a value says yes, or one of its items does."""
    if isinstance(value, list):
        return any(map(means_yes, value))
    return str(value).strip().lower() in MEANS_YES


_WRITTEN = re.compile(
    r"(?:^|[{,])[ \t]*(?:-[ \t]+)?[\"']?private[ \t]*[\"']?[ \t]*:"
    r"(?P<rest>.*(?:\n(?:[ \t]|-).*)*)",
    re.IGNORECASE | re.MULTILINE,
)
"""The property with what stands behind it, down to the next name."""

_MARKS = re.compile(r"[\s,;\[\]{}\"'|>-]+")


def writes_private(head: str) -> bool:
    """Whether properties that are no YAML say so all the same.

    Obsidian has no properties then. Who wrote it meant it, and what is meant to be kept
    from others must not come out by a forgotten quote.
    """
    return any(
        word.lower() in MEANS_YES
        for found in _WRITTEN.finditer(head.replace("\r", "\n"))
        for line in found["rest"].split("\n")
        for word in _MARKS.split(line.partition("#")[0])
    )
