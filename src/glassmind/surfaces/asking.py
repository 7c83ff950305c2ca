"""Who asks for a change of the vault, as every surface says it."""

from glassmind.editing.asking import Asking
from glassmind.engine import Engine
from glassmind.errors.editing import PolicyForbids


def asking_of(engine: Engine, client: str, *, dry_run: bool = False) -> Asking:
    """Return who asks, and whether that caller read what nobody vouches for."""
    return Asking(client=client, dry_run=dry_run, tainted=engine.tainted(client))


def check_untainted(engine: Engine, client: str, what: str) -> None:
    """Refuse a write that cannot wait as a proposal; asked before the write itself is.

    Raises:
        PolicyForbids: the caller read what nobody vouches for, and a person has to
            look at what it writes.
    """
    if engine.tainted(client):
        raise PolicyForbids(what, "writes.approve_after_untrusted = true")
