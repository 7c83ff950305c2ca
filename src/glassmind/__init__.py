"""Glassmind: a local retrieval and memory layer for Obsidian vaults.

    from glassmind import open_vault

    with open_vault("Notes") as engine:
        engine.index()
        for hit in engine.search("what did I decide about the boiler?").hits:
            print(hit.path, hit.span)
"""

from typing import TYPE_CHECKING

from glassmind.version import __version__

if TYPE_CHECKING:
    from glassmind.engine import Engine
    from glassmind.wiring import open_vault

__all__ = ["Engine", "__version__", "open_vault"]


def __getattr__(name: str) -> object:
    """Import the engine when it is first asked for: `--version` must not pay for it."""
    if name == "open_vault":
        from glassmind.wiring import open_vault  # noqa: PLC0415

        return open_vault
    if name == "Engine":
        from glassmind.engine import Engine  # noqa: PLC0415

        return Engine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
