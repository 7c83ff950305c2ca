"""Who asks for a change of the vault, as every surface says it."""

from glassmind.editing.asking import Asking
from glassmind.engine import Engine


def asking_of(engine: Engine, client: str, *, dry_run: bool = False) -> Asking:
    """Return who asks, and whether that caller read what nobody vouches for."""
    return Asking(client=client, dry_run=dry_run, tainted=engine.tainted(client))
