"""The model that writes under some settings."""

from glassmind.config.settings import Config
from glassmind.errors import ModelFailed, ModelFault
from glassmind.models.broken import NOBODY
from glassmind.models.chat.ollama import START as OLLAMA
from glassmind.models.chat.ollama import OllamaChat, ollama_lacks
from glassmind.models.chat.openai import START as OTHER
from glassmind.models.chat.openai import OpenAIChat, openai_lacks
from glassmind.models.chat.streams import StreamBounds
from glassmind.models.http import Bounds, ModelServer
from glassmind.ports.chat import Chat

LOOK = Bounds(connect_s=1.0, total_s=2.0)
"""To see whether a server is there: it need not load its model for that."""


def chat_for(config: Config, bounds: StreamBounds | None = None) -> Chat:
    """Return the model of the settings, which name one; the server is not asked yet.

    Raises:
        RemoteRefused: it is not this machine, and that was not allowed.
    """
    chosen, server = config.llm, _server(config)
    bounds = bounds or StreamBounds(chosen.timeout_s)
    if chosen.backend == "ollama":
        return OllamaChat(chosen, server, bounds)
    return OpenAIChat(chosen, server, bounds)


def chat_lacks(config: Config) -> str:
    """Return what keeps the model of the settings from answering, in a sentence.

    Empty where nothing does, or where the settings name no model. Nothing of the vault
    is sent, and the model is not loaded.
    """
    if config.llm.backend == "none":
        return ""
    native = config.llm.backend == "ollama"
    try:
        server = _server(config)
        return (ollama_lacks if native else openai_lacks)(server, LOOK)
    except ModelFailed as error:
        if NOBODY not in error.reason:
            return str(error)
        return f"nothing listens at {server.host}; {OLLAMA if native else OTHER}"
    except ModelFault as error:
        return str(error)


def _server(config: Config) -> ModelServer:
    """Return the server of the settings.

    Raises:
        RemoteRefused: it is not this machine, and that was not allowed.
    """
    chosen, shared = config.llm, config.embeddings
    url, key = chosen.url or shared.url, chosen.api_key
    if not chosen.url and chosen.backend == shared.backend == "openai":
        key = key or shared.api_key  # one server for both has one key
    url = url.rstrip("/").removesuffix("/v1").removesuffix("/api")
    server = ModelServer(chosen.model, url, key)
    server.refuse_remote(allowed=chosen.allow_remote, setting="llm.allow_remote")
    return server
