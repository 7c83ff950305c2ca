"""Answers by Ollama, through its own `/api/chat`.

Its OpenAI-style route cannot be told how much to read and cuts in silence, so the
native one is asked.
"""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from glassmind.config.settings import Llm
from glassmind.errors import ModelFailed
from glassmind.models.broken import CUT_SHORT
from glassmind.models.chat.reading import Pieces, count, lost, messages, refused
from glassmind.models.chat.streams import Stream, StreamBounds, Wanted
from glassmind.models.http import OK, Bounds, ModelServer
from glassmind.ports.chat import Ended, Halt, Prompt

KINDS = ("application/x-ndjson", "application/json", "application/jsonl", "text/plain")
START = "start Ollama with: ollama serve, or set llm.url to where it listens"
ABSENT = 404
HINTS = {
    ABSENT: "for a server that speaks as OpenAI's does set llm.backend to openai",
}


class OllamaChat:
    """A model of an Ollama server; for any number of threads.

    Some models think before they write. Under a schema a few of them put all of their
    answer among their thoughts, and a few others write none where they are told not to
    think; so they are told so only after an answer that was thoughts alone, and again
    only where that helped.
    """

    def __init__(self, chosen: Llm, server: ModelServer, bounds: StreamBounds) -> None:
        self._chosen, self._server, self._bounds = chosen, server, bounds
        self._thinks = True

    @property
    def model(self) -> str:
        """What the server calls the model."""
        return self._server.model

    @property
    def context_tokens(self) -> int:
        """How much the server is told to let it read and write."""
        return self._chosen.context_tokens

    def answer(
        self, prompt: Prompt, said: Callable[[str], None], halt: Halt, /
    ) -> Ended:
        """Have a prompt answered; `said` is called with each piece, in this thread.

        Raises:
            ModelFailed: it gives no answer, or stops in the middle of one.
            CallAbandoned: it was halted.
        """
        ends, thinks = monotonic() + self._bounds.total_s, self._thinks
        wanted = self._wanted(prompt, ends, thinks=thinks)
        ended, pieces = self._tried(wanted, prompt, said, halt)
        if thinks and pieces.thought and not pieces.wrote:
            thinks = False
            wanted = self._wanted(prompt, ends, thinks=thinks)
            ended, pieces = self._tried(wanted, prompt, said, halt)
        if not thinks:  # what does not help is not kept
            self._thinks = not pieces.wrote
        if not pieces.wrote:
            raise pieces.nothing()
        return ended

    def _tried(
        self, wanted: Wanted, prompt: Prompt, said: Callable[[str], None], halt: Halt
    ) -> tuple[Ended, Pieces]:
        with Stream(self._server, wanted, self._bounds, halt) as stream:
            if stream.status != OK:
                raise self._refused(stream)
            pieces = Pieces(stream, said)
            return self._read(stream, pieces, prompt), pieces

    def _wanted(self, prompt: Prompt, ends: float, *, thinks: bool) -> Wanted:
        question: dict[str, Any] = {
            "model": self.model,
            "messages": messages(prompt.turns),
            "stream": True,
            "format": prompt.schema,
            # What does not fit is to be refused, not cut in silence: servers that know
            # these say so, from others `lost` learns it.
            "truncate": False,
            "shift": False,
            "options": {
                "num_ctx": self._chosen.context_tokens,
                "num_predict": prompt.most_tokens,
                "temperature": self._chosen.temperature,
            },
        }
        if not thinks:
            question["think"] = False
        return Wanted("/api/chat", question, KINDS, START, ends)

    def _read(self, stream: Stream, pieces: Pieces, prompt: Prompt) -> Ended:
        for line in stream.lines():
            if not line.strip():
                continue
            event = stream.said(line)
            message = event.get("message")
            if isinstance(message, Mapping):
                pieces.take(message.get("content"), message.get("thinking"))
            if event.get("done") is True:
                read = count(event.get("prompt_eval_count"))
                cut = event.get("done_reason") == "length"
                context = self._chosen.context_tokens
                return Ended(read, cut, lost(read, prompt.tokens, context))
        raise stream.failed(CUT_SHORT)

    def _refused(self, stream: Stream) -> ModelFailed:
        words = stream.refusal()
        if stream.status == ABSENT and "not found" in words:
            return stream.failed(f"it is not there; run: ollama pull {self.model}")
        return refused(stream, words, HINTS)


def ollama_lacks(server: ModelServer, bounds: Bounds) -> str:
    """Return what is missing for an answer, in a sentence; empty where nothing is.

    Raises:
        ModelFailed: the server does not tell.
    """
    answer = server.look("/api/tags", bounds)
    models = answer.get("models") if isinstance(answer, dict) else None
    if not isinstance(models, list):
        return f"{server.host} does not seem to be Ollama; check llm.url"
    names = {str(each.get("name")) for each in models if isinstance(each, dict)}
    wanted = server.model if ":" in server.model else f"{server.model}:latest"
    if wanted in names:
        return ""
    return (
        f"Ollama at {server.host} has no model {server.model}; run: ollama pull "
        f"{server.model}"
    )
