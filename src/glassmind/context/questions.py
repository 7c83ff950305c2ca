"""The questions of a bundle."""

from glassmind.context.scope import Scope, SectionRows
from glassmind.types.context import Item


def questions(rows: SectionRows, scope: Scope) -> list[Item]:
    """Return the questions that are open, newest first."""
    del rows, scope
    return []
