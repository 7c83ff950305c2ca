"""Similar notes without a link as programs read them."""

from typing import Any

from glassmind.render.address import obsidian_uri
from glassmind.types.pairs import Pair, PairStatus, Similar


def similar_as_json(found: Similar, *, vault: str) -> dict[str, Any]:
    """Return pairs, the most similar first; `note` is null for those of a whole vault.

    `vault` is the name that Obsidian knows the vault by.
    """
    return {
        "note": found.note,
        "pairs": [_pair(pair, vault) for pair in found.pairs],
        "total": found.total,
        "dismissed": found.dismissed,
        "status": pair_status_as_json(found.status),
        "notices": list(found.notices),
    }


def _pair(pair: Pair, vault: str) -> dict[str, Any]:
    return {
        "path": pair.path,
        "title": pair.title,
        "uri": obsidian_uri(vault, pair.path),
        "other_path": pair.other_path,
        "other_title": pair.other_title,
        "other_uri": obsidian_uri(vault, pair.other_path),
        "similarity": pair.similarity,
    }


def pair_status_as_json(status: PairStatus) -> dict[str, Any]:
    """Return how many pairs without a link there are, and how many notes wait.

    `waiting` is null where every note is still to be paired, `threshold` and `most`,
    which a note is paired with at most, where none was yet.
    """
    state = status.state
    return {
        "count": status.pairs,
        "waiting": status.waiting,
        "threshold": None if state is None else state.threshold,
        "most": None if state is None else state.most,
    }
