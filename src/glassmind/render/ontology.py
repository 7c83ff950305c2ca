"""The vocabulary of a vault as programs read it."""

from collections.abc import Callable
from typing import Any

from glassmind.render.address import obsidian_uri
from glassmind.types.ontology import (
    Branch,
    Hierarchy,
    Hub,
    Label,
    Listed,
    Ontology,
    PropertyUse,
    Schema,
    Spelling,
    T,
)


def ontology_as_json(found: Ontology, *, vault: str) -> dict[str, Any]:
    """Return the vocabulary; of each kind the first, and how many there are.

    `vault` is the name that Obsidian knows the vault by.
    """
    return {
        "vault": vault,
        "notes": found.notes,
        "labels": _listed(found.labels, _label),
        "types": _listed(found.types, _use),
        "properties": _listed(found.properties, _use),
        "schemas": _listed(found.schemas, _schema),
        "spellings": _listed(found.spellings, _spelling),
        "hubs": _listed(found.hubs, lambda hub: _hub(hub, vault)),
        "hierarchies": [_hierarchy(one) for one in found.hierarchies],
        "notices": list(found.notices),
    }


def _listed(found: Listed[T], shown: Callable[[T], object]) -> dict[str, Any]:
    return {"shown": [shown(one) for one in found.shown], "total": found.total}


def _label(label: Label) -> dict[str, Any]:
    return {
        "source": label.source,
        "property": label.key or None,
        "name": label.name,
        "notes": label.notes,
        "examples": list(label.examples),
    }


def _use(use: PropertyUse) -> dict[str, Any]:
    return {
        "name": use.name,
        "notes": use.notes,
        "kind": use.kind,
        "kinds": dict(use.kinds),
        "items": use.items or None,
        "declared": use.declared or None,
        "astray": use.astray,
    }


def _schema(schema: Schema) -> dict[str, Any]:
    return {
        "of": list(schema.of),
        "notes": schema.notes,
        "keys": [key._asdict() for key in schema.keys],
        "whole": schema.whole,
        "examples": list(schema.examples),
    }


def _spelling(spelling: Spelling) -> dict[str, Any]:
    return {
        "what": spelling.what,
        "canonical": spelling.canonical,
        "notes": spelling.notes,
        "variants": [{"name": name, "notes": n} for name, n in spelling.variants],
        "reason": spelling.reason,
    }


def _hub(hub: Hub, vault: str) -> dict[str, Any]:
    return {
        "property": hub.property or None,
        "name": hub.name,
        "path": hub.path,
        "uri": obsidian_uri(vault, hub.path) if hub.path else None,
        "members": _listed(hub.members, str),
    }


def _hierarchy(hierarchy: Hierarchy) -> dict[str, Any]:
    return {
        "nesting": hierarchy.nesting,
        "name": hierarchy.name,
        "size": hierarchy.size,
        "depth": hierarchy.depth,
        "roots": _listed(hierarchy.roots, _branch),
        "cycles": _listed(hierarchy.cycles, list),
    }


def _branch(branch: Branch) -> dict[str, Any]:
    return {
        "name": branch.name,
        "path": branch.path,
        "children": _listed(branch.children, str),
        "below": branch.below,
    }
