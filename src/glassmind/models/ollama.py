"""Embedding by Ollama, through its own `/api/embed`.

Its OpenAI-style route cannot be told how much to read and cuts in silence, so the
native one is asked.
"""

from typing import Any

from glassmind.config.settings import Embeddings
from glassmind.errors import ModelFailed
from glassmind.models.families import prefixes_for
from glassmind.models.http import Bounds, ModelServer
from glassmind.models.served import USUAL, Patience, ServedEmbedder, ServedName

USUAL_MODEL = "nomic-embed-text"


def ollama_embedder(
    chosen: Embeddings,
    *,
    patience: Patience = USUAL,
) -> ServedEmbedder:
    """Return the embedder of the settings; the server is not asked yet.

    Raises:
        RemoteRefused: it is not this machine, and that was not allowed.
    """
    model = chosen.model or USUAL_MODEL
    server = ModelServer(model, chosen.url)
    server.refuse_remote(allowed=chosen.allow_remote)
    family = prefixes_for(model)
    if chosen.context_tokens:
        family = family._replace(max_tokens=chosen.context_tokens)

    def ask(texts: list[str], bounds: Bounds) -> Any:
        question: dict[str, Any] = {
            "model": model,
            "input": texts,
            "options": {"num_ctx": family.max_tokens},
        }
        if chosen.dimensions:
            question["dimensions"] = chosen.dimensions
        answer = server.ask("/api/embed", question, bounds)
        if not isinstance(answer, dict) or "embeddings" not in answer:
            raise ModelFailed(model, f"{server.host}: no embeddings in the answer")
        return answer["embeddings"]

    name = ServedName("ollama", model, family)
    return ServedEmbedder(name, ask, expected=chosen.dimensions, patience=patience)
