"""Which notes are for their owner alone, by what their properties say."""

from collections.abc import Mapping

PRIVATE = "private"
"""The property that says so, in whatever case."""

MEANS_YES = frozenset(("true", "yes", "on", "1"))
"""What people write who want a property to be true, as YAML and as text."""


def says_private(properties: Mapping[str, object]) -> bool:
    """Whether the properties of a note make it one for its owner alone."""
    return any(
        name.lower() == PRIVATE and means_yes(value)
        for name, value in properties.items()
    )


def means_yes(value: object) -> bool:
    """Whether a value says yes, or one of its items does."""
    if isinstance(value, list):
        return any(map(means_yes, value))
    return str(value).strip().lower() in MEANS_YES
