"""The decisions of a bundle."""

from glassmind.context.scope import Scope, SectionRows
from glassmind.types.context import Item


def decisions(rows: SectionRows, scope: Scope) -> list[Item]:
    """Return the decisions that the notes and the project tell of, newest first."""
    del rows, scope
    return []
