"""How notes are marked that an agent wrote and no person has approved."""

GENERATED = "generated, not approved"
"""What is said of them in text, as bundles say it."""

UNREAD = "an agent wrote this note, and nobody has approved it"
"""The same where a sentence stands alone."""


def mark_of(*, generated: bool) -> dict[str, bool]:
    """Return what values say of it; nothing is said of other notes."""
    return {"generated": True} if generated else {}
