"""The settings of who may read what; a part of `sections`."""

from glassmind.config.guards import keeps, keeps_ledger, keeps_private
from glassmind.config.keys import Section, key

LEDGER_DAYS = 90
"""A quarter: who learns that a client was not to be trusted can still see its reads."""


class Access(Section, title="access"):
    """What no agent may read, beside notes that say `private: true`; and the ledger."""

    private_folders: tuple[str, ...] = key(
        (),
        "Folders whose notes are for you alone, such as `Journal`: no agent is given "
        "them or told of them.",
        guard=keeps_private,
    )
    private_tags: tuple[str, ...] = key(
        (),
        "Tags whose notes are for you alone, with those below them.",
        guard=keeps_private,
    )
    ledger: bool = key(
        True,
        "Record in your data folder, never in the vault, which client was given which "
        "passages; see `glassmind ledger`.",
        guard=keeps_ledger,
    )
    ledger_days: int = key(
        LEDGER_DAYS, "Days for which that is kept.", least=1, guard=keeps(LEDGER_DAYS)
    )
