"""Ways between two notes as programs read them, and why there is none, in words."""

from typing import Any, assert_never

from glassmind.render.address import obsidian_uri
from glassmind.render.connections import tie_as_json
from glassmind.render.style import counted
from glassmind.types.chains import (
    Chain,
    Chains,
    CommonNeighbour,
    NoChain,
    NotConnected,
    OnlyThroughGhosts,
    SameNote,
    Step,
    Stop,
    TooFar,
)


def chains_as_json(found: Chains, *, vault: str) -> dict[str, Any]:
    """Return the chains, shortest first; `reason` is null where there are any.

    `vault` is the name that Obsidian knows the vault by.
    """
    return {
        "source": _stop(found.source, vault),
        "target": _stop(found.target, vault),
        "chains": [_chain(chain, vault) for chain in found.chains],
        "cut": found.cut,
        "reason": reason_as_json(found.reason) if found.reason else None,
        "common": [_common(near, vault) for near in found.common],
        "common_total": found.common_total,
        "notices": list(found.notices),
    }


def reason_as_json(reason: NoChain) -> dict[str, Any]:
    """Return why there is no chain: its kind, a sentence, and what it counts."""
    said = reason_in_words(reason)
    match reason:
        case SameNote():
            return {"kind": "same_note", "text": said}
        case NotConnected(ours, theirs):
            sizes = {"source_size": ours, "target_size": theirs}
            return {"kind": "not_connected", "text": said, **sizes}
        case TooFar(most, shortest):
            hops = {"most_hops": most, "shortest": shortest}
            return {"kind": "too_far", "text": said, **hops}
        case OnlyThroughGhosts(ghosts, hops):
            over = {"ghosts": list(ghosts), "hops": hops}
            return {"kind": "only_through_ghosts", "text": said, **over}
        case _:
            assert_never(reason)


def reason_in_words(reason: NoChain) -> str:
    """Return why there is no chain, and what one may do."""
    match reason:
        case SameNote():
            return "both names mean the same note"
        case NotConnected(ours, theirs):
            return (
                "no chain of links joins them: "
                f"{counted(ours, 'note')} hang together with the first, "
                f"{counted(theirs, 'note')} with the second"
            )
        case TooFar(most, shortest):
            return (
                f"the shortest chain has {shortest:,} links, more than the {most:,} "
                "allowed; allow more hops to see it"
            )
        case OnlyThroughGhosts(ghosts, _):
            named = ", ".join(ghosts)
            return f"they meet only in what no note is called yet: {named}"
        case _:
            assert_never(reason)


def _chain(chain: Chain, vault: str) -> dict[str, Any]:
    return {
        "length": len(chain.steps),
        "notes": [_stop(stop, vault) for stop in chain.stops],
        "steps": [_step(step) for step in chain.steps],
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "directions": list(step.directions),
        "edges": [tie_as_json(tie) for tie in step.edges],
        "edges_total": step.edges_total,
    }


def _common(near: CommonNeighbour, vault: str) -> dict[str, Any]:
    return {
        **_stop(near.stop, vault),
        "from_source": list(near.from_source),
        "from_target": list(near.from_target),
    }


def _stop(stop: Stop, vault: str) -> dict[str, Any]:
    uri = None if stop.ghost else obsidian_uri(vault, stop.path)
    return {"path": stop.path, "title": stop.title, "ghost": stop.ghost, "uri": uri}
