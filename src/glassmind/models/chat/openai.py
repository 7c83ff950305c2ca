"""Answers by a server that speaks OpenAI's `/v1/chat/completions`.

Many do, and each leaves out something else. What a server refuses is asked for in a
simpler manner, and the manner that worked is kept for a while.
"""

from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import Any

from glassmind.config.settings import Llm
from glassmind.errors import ModelFailed
from glassmind.models.broken import CUT_SHORT
from glassmind.models.chat.manners import Manner, Manners, simpler
from glassmind.models.chat.reading import Pieces, count, lost, messages, refused
from glassmind.models.chat.streams import Stream, StreamBounds, Wanted
from glassmind.models.http import OK, Bounds, ModelServer
from glassmind.ports.chat import Ended, Halt, Prompt

KINDS = ("text/event-stream", "application/json", "text/plain")
START = "start your server of models, or set llm.url to where it listens"
DONE = b"[DONE]"

HINTS = {
    401: "check llm.api_key",
    403: "check llm.api_key",
    404: "check llm.model and llm.url",
}


class OpenAIChat:
    """A model of an OpenAI-style server; for any number of threads."""

    def __init__(
        self,
        chosen: Llm,
        server: ModelServer,
        bounds: StreamBounds,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._chosen, self._server, self._bounds = chosen, server, bounds
        self._manners = Manners(clock)

    @property
    def model(self) -> str:
        """What the server calls the model."""
        return self._server.model

    @property
    def context_tokens(self) -> int:
        """How much it reads and writes, as the user says: the server is not told."""
        return self._chosen.context_tokens

    def answer(
        self, prompt: Prompt, said: Callable[[str], None], halt: Halt, /
    ) -> Ended:
        """Have a prompt answered; `said` is called with each piece, in this thread.

        Raises:
            ModelFailed: it gives no answer, or stops in the middle of one.
            CallAbandoned: it was halted.
        """
        ends = monotonic() + self._bounds.total_s
        manner = self._manners.now()
        while True:
            question = self._question(prompt, manner)
            wanted = Wanted("/v1/chat/completions", question, KINDS, START, ends)
            with Stream(self._server, wanted, self._bounds, halt) as stream:
                pieces = Pieces(stream, said)
                try:
                    ended = _read(stream, pieces, prompt)
                except ModelFailed:
                    other = simpler(manner, stream.status, stream.complaint)
                    if pieces.wrote or other is None:
                        raise
                    manner = other
                else:
                    self._manners.keep(manner)
                    return ended

    def _question(self, prompt: Prompt, manner: Manner) -> dict[str, Any]:
        question: dict[str, Any] = {
            "model": self.model,
            "messages": messages(prompt.turns),
            "stream": True,
            manner.length: prompt.most_tokens,
        }
        if manner.free:
            question["temperature"] = self._chosen.temperature
        if manner.shape == "schema":
            named = {"name": "answer", "strict": True, "schema": prompt.schema}
            question["response_format"] = {"type": "json_schema", "json_schema": named}
        elif manner.shape == "object":
            question["response_format"] = {"type": "json_object"}
        if manner.counts:
            question["stream_options"] = {"include_usage": True}
        return question


def _read(stream: Stream, pieces: Pieces, prompt: Prompt) -> Ended:
    if stream.status != OK:
        raise refused(stream, stream.refusal(), HINTS)
    reason, read = "", None
    try:
        for event in _events(stream):
            read = _usage(event) or read
            for choice in _choices(event):
                part = choice.get("delta") or choice.get("message")
                if isinstance(part, Mapping):
                    thoughts = (part.get("reasoning_content"), part.get("reasoning"))
                    pieces.take(part.get("content"), *thoughts)
                    pieces.decline(part.get("refusal"))
                reason = str(choice.get("finish_reason") or "") or reason
    except ModelFailed:
        if not reason:  # what breaks after its end has come has lost nothing
            raise
    if not pieces.wrote:
        raise pieces.nothing()
    return Ended(read, reason == "length", lost(read, prompt.tokens))


def _events(stream: Stream) -> Iterator[dict[str, Any]]:
    """Yield what a stream says, up to its end.

    Raises:
        ModelFailed: it has none.
    """
    if stream.kind == "application/json":  # a server that does not stream
        yield stream.said(b"\n".join(stream.lines()))
        return
    ended, held = False, []
    for line in stream.lines():
        name, _, value = line.partition(b":")
        if name == b"data":
            held.append(value.removeprefix(b" "))
        if line or not held:
            continue
        whole, held = b"\n".join(held), []
        if whole.strip() == DONE:
            return
        event = stream.said(whole)
        ended = ended or any(each.get("finish_reason") for each in _choices(event))
        yield event
    last = b"\n".join(held)
    if last and last.strip() != DONE:
        event = stream.said(last)
        ended = ended or any(each.get("finish_reason") for each in _choices(event))
        yield event
    if not ended and last.strip() != DONE:
        raise stream.failed(CUT_SHORT)


def _choices(event: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the first of the answers that an event is about, if it is about one."""
    choices = event.get("choices")
    if not isinstance(choices, list):
        return []
    return [each for each in choices[:1] if isinstance(each, Mapping)]


def _usage(event: Mapping[str, Any]) -> int | None:
    usage = event.get("usage")
    return count(usage.get("prompt_tokens")) if isinstance(usage, Mapping) else None


def openai_lacks(server: ModelServer, bounds: Bounds) -> str:
    """Return what is missing for an answer, in a sentence; empty where nothing is.

    Raises:
        ModelFailed: the server does not tell.
    """
    answer = server.look("/v1/models", bounds)
    models = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(models, list):
        return f"{server.host} does not list its models; check llm.url"
    names = [str(each.get("id")) for each in models if isinstance(each, dict)]
    if not names or server.model in names:
        return ""
    known = ", ".join(sorted(names)[:5])
    return f"{server.host} does not list the model {server.model}; it has: {known}"
