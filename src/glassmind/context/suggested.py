"""The notes that are worth reading next."""

from glassmind.context.scope import Scope, SectionRows
from glassmind.types.context import NextRead


def next_reads(rows: SectionRows, scope: Scope, limit: int) -> list[NextRead]:
    """Return notes near the selected ones and not among them, the best first."""
    del rows, scope, limit
    return []
