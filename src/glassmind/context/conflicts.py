"""Where two sources do not agree, or one is no longer right."""

from glassmind.context.scope import Scope, SectionRows
from glassmind.types.context import Conflict


def conflicts(rows: SectionRows, scope: Scope) -> list[Conflict]:
    """Return what the notes do not agree on, by kind and path."""
    del rows, scope
    return []
