"""Answers to questions."""

from collections.abc import Mapping
from contextlib import suppress

from glassmind.errors import VaultError
from glassmind.render.hits import hits_as_json
from glassmind.surfaces.http.asked import Asked
from glassmind.surfaces.http.replies import Reply, answered
from glassmind.types.search import Hit


def post_search(asked: Asked) -> Reply:
    """Answer with hits in the shape that the program prints with --json."""
    given = dict(asked.given)
    text, intent = given.pop("query"), given.pop("intent")
    engine = asked.engine
    reply = engine.search(
        text, intent=None if intent == "balanced" else intent, **given
    )
    vault = engine.config.vault
    return answered(hits_as_json(reply, vault=vault.name, root=str(vault.path)))


def get_hits(asked: Asked) -> Reply:
    """Answer with passages and their whole text."""
    engine = asked.engine
    reply = engine.search(
        asked.given["query"], limit=asked.given["limit"], unique="chunks"
    )
    texts: dict[str, dict[int, str]] = {}
    for path in {hit.path for hit in reply.hits if hit.is_note}:
        with suppress(VaultError):  # gone since: the snippet is all that is left of it
            texts[path] = {one.index: one.text for one in engine.chunks(path)[1]}
    return answered([_passage(hit, texts.get(hit.path, {})) for hit in reply.hits])


def _passage(hit: Hit, texts: Mapping[int, str]) -> dict[str, object]:
    return {
        "chunkId": f"{hit.path}::{hit.chunk_index}",
        "path": hit.path,
        "chunkIndex": hit.chunk_index,
        "content": texts.get(hit.chunk_index, hit.snippet.text),
        "score": hit.score,
    }
