"""Answers to questions."""

from collections.abc import Mapping
from contextlib import suppress

from glassmind.errors import VaultError
from glassmind.serve.http.asked import Asked
from glassmind.serve.http.replies import Reply, answered
from glassmind.types.search import Hit


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
