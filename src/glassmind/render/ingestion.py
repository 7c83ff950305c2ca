"""What a note names, as programs read it and as people do."""

from collections.abc import Iterator
from typing import Any

from glassmind.render.address import obsidian_uri
from glassmind.render.resolution import candidate_as_json
from glassmind.render.style import Style, counted
from glassmind.types.ontology import Entity, Ingestion, Stub

STATES = {
    "linked": "linked already",
    "match": "with a note",
    "unsure": "perhaps with a note",
    "stub": "without a note",
}


def ingestion_as_json(found: Ingestion, *, vault: str) -> dict[str, Any]:
    """Return the entities of a note with what the vault has of each.

    `vault` is the name that Obsidian knows the vault by.
    """
    return {
        "vault": vault,
        "path": found.path,
        "title": found.title,
        "uri": obsidian_uri(vault, found.path),
        "entities": [_entity(one, vault) for one in found.entities.shown],
        "total": found.entities.total,
        "counts": dict(found.counts),
        "notices": list(found.notices),
    }


def _entity(entity: Entity, vault: str) -> dict[str, Any]:
    return {
        "name": entity.name,
        "state": entity.state,
        "sources": list(entity.sources),
        "mentions": [
            {"line": mention.line or None, "text": mention.text}
            for mention in entity.mentions.shown
        ],
        "mentions_total": entity.mentions.total,
        "link": entity.link or None,
        "path": entity.path,
        "uri": obsidian_uri(vault, entity.path) if entity.path else None,
        "candidates": [candidate_as_json(o, vault=vault) for o in entity.candidates],
        "stub": _stub(entity.stub) if entity.stub else None,
    }


def _stub(stub: Stub) -> dict[str, Any]:
    return {"path": stub.path, "text": stub.text, "reason": stub.reason}


def ingestion_as_text(found: Ingestion, style: Style) -> str:
    """Return each entity with what to write, and where the note names it."""
    lines = [line for one in found.entities.shown for line in _lines(one, style)]
    more = found.entities.total - len(found.entities.shown)
    if more:
        lines.append(style.faint(f"and {more:,} more"))
    told = ", ".join(
        f"{count:,} {STATES[state]}" for state, count in found.counts.items() if count
    )
    entities = counted(found.entities.total, "name")
    lines.append(style.faint(f"{found.path}: {entities}; {told or 'nothing to do'}"))
    return "".join(f"{line}\n" for line in lines)


def _lines(entity: Entity, style: Style) -> Iterator[str]:
    link = f"  {style.clean(entity.link)}" if entity.link else ""
    yield f"{style.strong(entity.name)}{link}  {style.faint(STATES[entity.state])}"
    for mention in entity.mentions.shown[:1]:
        where = f"line {mention.line}: " if mention.line else ""
        yield f"  {where}{style.clean(mention.text)}"
    if entity.state == "unsure":
        for match in entity.candidates:
            known = style.clean(match.link or match.path or match.title)
            yield f"  perhaps {known}  {style.faint(match.reason)}"
    if entity.stub:
        yield f"  would be {style.clean(entity.stub.path)}: {entity.stub.reason}"
