"""The settings of who may read what; a part of `sections`."""

from glassmind.config.keys import Section, key
from glassmind.config.vault_rules import ADDED, AT_LEAST, ONLY_TRUE

LEDGER_DAYS = 90
"""A quarter: who learns that a client was not to be trusted can still see its reads."""


class Access(Section, title="access"):
    """What no agent may read, beside notes that say `private: true`; and the ledger."""

    private_folders: tuple[str, ...] = key(
        (),
        "Folders whose notes are for you alone, such as `Journal`: no agent is given "
        "them or told of them.",
        from_vault=ADDED,
    )
    private_tags: tuple[str, ...] = key(
        (),
        "Tags whose notes are for you alone, with those below them.",
        from_vault=ADDED,
    )
    ledger: bool = key(
        True,
        "Record in your data folder, never in the vault, which client was given which "
        "passages; see `glassmind ledger`.",
        from_vault=ONLY_TRUE,
    )
    ledger_days: int = key(
        LEDGER_DAYS,
        "Days for which that is kept.",
        least=1,
        most=36_500,
        from_vault=AT_LEAST,
    )
