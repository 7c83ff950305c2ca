"""All that can be read of one vault's index, at one moment."""

from glassmind.store.sqlite.health import (
    HealthRows,
    MentionRows,
    OntologyRows,
    WrittenLinkRows,
)
from glassmind.store.sqlite.links import EdgeRows
from glassmind.store.sqlite.memory import ActivityRows, MemoryRows, UseRows
from glassmind.store.sqlite.notes import ListRows, ProjectRows
from glassmind.store.sqlite.pairs import PairRows, ThemeRows
from glassmind.store.sqlite.passages import PassageRows, SectionRows


class Rows(
    ListRows,
    ProjectRows,
    EdgeRows,
    PassageRows,
    SectionRows,
    MemoryRows,
    UseRows,
    ActivityRows,
    PairRows,
    ThemeRows,
    MentionRows,
    OntologyRows,
    HealthRows,
    WrittenLinkRows,
):
    """The rows of an open database."""
