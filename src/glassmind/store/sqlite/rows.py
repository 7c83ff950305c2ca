"""All that can be read of one vault's index, at one moment."""

from glassmind.store.sqlite.health import VocabularyRows
from glassmind.store.sqlite.links import EdgeRows
from glassmind.store.sqlite.memory import MemoryRows
from glassmind.store.sqlite.pairs import PairRows, ThemeRows
from glassmind.store.sqlite.passages import PassageRows


class SqliteRows(
    EdgeRows, PassageRows, MemoryRows, PairRows, ThemeRows, VocabularyRows
):
    """The rows of an open database."""
