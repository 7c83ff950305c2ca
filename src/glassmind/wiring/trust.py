"""Who was given what nobody vouches for, over the rows and files of a vault."""

from collections.abc import Sequence

from glassmind.edit.trust import Trust, trust_over
from glassmind.model import NotePath
from glassmind.store.sqlite.notes import SqliteEditRows
from glassmind.wiring.grounds import Grounds


def trust_for(grounds: Grounds) -> Trust:
    """Return nobody's record yet."""

    def tagged(tag: str) -> Sequence[NotePath]:
        with grounds.reader.faults():
            return SqliteEditRows(grounds.reader.connection()).tagged(tag)

    config = grounds.config
    return trust_over(config.writes.untrusted, tagged, config.vault.path)
