"""Glassmind: a local retrieval and memory layer for Obsidian vaults.

`open_vault` returns an `Engine`, whose verbs (index, search, read, list_notes, ...)
every surface calls; see docs/python.md.
"""

from glassmind.version import __version__

TYPE_CHECKING = False
"""True for type checkers alone; importing `typing` would double a short start."""

if TYPE_CHECKING:
    from glassmind.engine import Engine, open_vault

__all__ = ["Engine", "__version__", "open_vault"]


def __getattr__(name: str) -> object:
    """Import the engine when it is first asked for: `--version` must not pay for it."""
    if name == "open_vault":
        from glassmind.engine import open_vault  # noqa: PLC0415

        return open_vault
    if name == "Engine":
        from glassmind.engine import Engine  # noqa: PLC0415

        return Engine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
