"""Embedding by a server that speaks OpenAI's `/v1/embeddings`."""

from typing import Any

from glassmind.config.settings import Embeddings
from glassmind.errors import ModelFailed
from glassmind.models.families import prefixes_for
from glassmind.models.http import Bounds, ModelServer
from glassmind.models.served import USUAL, Patience, ServedEmbedder, ServedName

USUAL_MODEL = "text-embedding-3-small"


def openai_embedder(
    chosen: Embeddings,
    *,
    patience: Patience = USUAL,
) -> ServedEmbedder:
    """Return the embedder of the settings; the server is not asked yet.

    Raises:
        RemoteRefused: it is not this machine, and that was not allowed.
    """
    model = chosen.model or USUAL_MODEL
    server = ModelServer(model, chosen.url.removesuffix("/v1"), chosen.api_key)
    server.refuse_remote(allowed=chosen.allow_remote)

    def ask(texts: list[str], bounds: Bounds) -> Any:
        question: dict[str, Any] = {"model": model, "input": texts}
        question["encoding_format"] = "float"
        if chosen.dimensions:
            question["dimensions"] = chosen.dimensions
        answer = server.ask("/v1/embeddings", question, bounds)
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            return [row["embedding"] for row in rows]
        except (KeyError, TypeError, ValueError):
            reason = f"{server.host}: no embeddings in the answer"
            raise ModelFailed(model, reason) from None

    name = ServedName("openai", model, prefixes_for(model))
    return ServedEmbedder(name, ask, expected=chosen.dimensions, patience=patience)
