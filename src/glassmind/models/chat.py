"""The chat model of the settings: Ollama's own API, or OpenAI's."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from time import monotonic
from typing import Any

from glassmind.config.settings import Config, Llm
from glassmind.errors import ModelFailed, ModelFault
from glassmind.models.http import (
    BAD,
    CUT_SHORT,
    NOBODY,
    NOT_JSON,
    OK,
    Exchange,
    ModelServer,
    Timeouts,
)
from glassmind.models.protocols import (
    Cancellation,
    ChatModel,
    GenerationEnd,
    Prompt,
    Turn,
)

CONNECT_S = 2.0  # a server on this machine is there at once or not at all
LOOK = Timeouts(connect_s=1.0, total_s=2.0)
"""To see whether a server is there: it need not load its model for that."""


def chat_for(config: Config, bounds: Timeouts | None = None) -> ChatModel:
    llm, server = config.llm, _server(config)
    bounds = bounds or Timeouts(CONNECT_S, llm.timeout_s)
    made = OllamaChat if llm.backend == "ollama" else OpenAIChat
    return made(llm, server, bounds)


def chat_lacks(config: Config) -> str:
    """Return what keeps the model of the settings from answering, in a sentence.

    Empty where nothing does, or where the settings name no model. Nothing of the vault
    is sent, and the model is not loaded.
    """
    if config.llm.backend == "none":
        return ""
    try:
        server = _server(config)
        return _lacks(server, native=config.llm.backend == "ollama")
    except ModelFailed as error:
        if NOBODY not in error.reason:
            return str(error)
        return f"nothing listens at {server.host}; {server.start}"
    except ModelFault as error:
        return str(error)


def _lacks(server: ModelServer, *, native: bool) -> str:
    path, field, key = ("/v1/models", "data", "id")
    if native:
        path, field, key = ("/api/tags", "models", "name")
    answer = server.look(path, LOOK)
    models = answer.get(field) if isinstance(answer, dict) else None
    if not isinstance(models, list):
        return f"{server.host} does not list its models; check llm.url"
    name = server.model
    names = [str(each.get(key)) for each in models if isinstance(each, dict)]
    if name in names or f"{name}:latest" in names or not (names or native):
        return ""
    known = f"it has: {', '.join(sorted(names)[:5])}"
    fix = f"run: ollama pull {name}" if native else known
    return f"{server.host} does not list the model {name}; {fix}"


def _server(config: Config) -> ModelServer:
    llm, shared = config.llm, config.embeddings
    url, key = llm.url or shared.url, llm.api_key
    if not llm.url and llm.backend == shared.backend == "openai":
        key = key or shared.api_key  # one server for both has one key
    url = url.rstrip("/").removesuffix("/v1").removesuffix("/api")
    start = OLLAMA_START if llm.backend == "ollama" else OPENAI_START
    server = ModelServer(llm.model, url, key, start)
    server.refuse_remote(allowed=llm.allow_remote, setting="llm.allow_remote")
    return server


class Pieces:
    def __init__(self, reply: Exchange, said: Callable[[str], None]) -> None:
        self._reply, self._said = reply, said
        self.wrote = self.thought = self.was_cut = False
        self.read: int | None = None

    def take(self, text: object, *thoughts: object) -> None:
        """Pass a piece on, if it is one; thoughts only show that the model is alive."""
        if isinstance(text, str) and text:
            self._reply.begun()
            self.wrote = True
            # No half of a surrogate pair is left, which no surface could write.
            whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            self._said(text if text.isascii() else whole)
        elif any(isinstance(thought, str) and thought for thought in thoughts):
            self._reply.begun()
            self.thought = True

    def ended(self, prompt: Prompt) -> GenerationEnd:
        if self.wrote:
            return GenerationEnd(
                self.read, self.was_cut, lost(self.read, prompt.tokens)
            )
        if self.thought:
            reason = "it thought, but wrote nothing; raise llm.answer_tokens, or choose"
            raise self._reply.failed(f"{reason} a model that does not think first")
        raise self._reply.failed("it wrote nothing")


TOO_LONG = (400, 413, 422, 500)

LENGTH_HINT = (
    "the question is too long for the model: set llm.context_tokens to what it can take"
)

ELSEWHERE = 3  # the first digit of a redirect


def is_too_long(status: int, words: str) -> bool:
    heard = words.casefold()
    about = any(word in heard for word in ("token", "length", "size"))
    return status in TOO_LONG and "context" in heard and about


class ChatRefused(ModelFailed):
    """A server reports an error in place of an answer; `words` are its own."""

    def __init__(self, error: ModelFailed, status: int, words: str) -> None:
        super().__init__(error.model, error.reason)
        self.status, self.words = status, words


def check_answers(reply: Exchange, hints: Mapping[int, str]) -> None:
    if reply.status != OK:
        words, hint = reply.refusal(), hints.get(reply.status, "")
        if is_too_long(reply.status, words):
            hint = LENGTH_HINT
        elif reply.status // 100 == ELSEWHERE:
            hint = "it leads elsewhere, and is not followed: check llm.url"
        said = f"HTTP {reply.status}{words and ': '}{words}"
        error = reply.failed(f"{said}{hint and '; '}{hint}")
        raise ChatRefused(error, reply.status, words)
    if reply.kind == "text/html":
        raise reply.failed("it answers text/html, not JSON; check llm.url")


def event_of(reply: Exchange, line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise reply.failed(NOT_JSON)
    if said.get("error") or said.get("object") == "error":
        words = reply.message(said)
        hint = f"; {LENGTH_HINT}" if is_too_long(BAD, words) else ""
        told = f"{words or 'it failed in the middle of its answer'}{hint}"
        raise ChatRefused(reply.failed(told), BAD, words)
    return said


def messages(turns: Sequence[Turn]) -> list[dict[str, str]]:
    return [{"role": turn.role, "content": turn.content} for turn in turns]


def count(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None


SHARE_READ = 0.6
"""Of what was sent, by our estimate: it is off by a third at most, and Ollama cuts what
does not fit to half of its context."""

LEAST_READ = 512
"""A smaller number leaves out what was cached: no server has so small a context."""


def lost(read: int | None, sent: int) -> str:
    """Return a sentence where a model clearly read less than it was sent."""
    if read is None or read < LEAST_READ or read >= SHARE_READ * sent:
        return ""
    return (
        f"the model read about {read:,} of {sent:,} tokens; set llm.context_tokens to "
        "what it can take"
    )


class ServedChat:
    def __init__(self, chosen: Llm, server: ModelServer, bounds: Timeouts) -> None:
        self._chosen, self._server, self._bounds = chosen, server, bounds

    @property
    def model(self) -> str:
        return self._server.model

    @property
    def context_tokens(self) -> int:
        return self._chosen.context_tokens


OLLAMA_START = "start Ollama with: ollama serve, or set llm.url to where it listens"
ABSENT = 404
OLLAMA_HINTS = {
    ABSENT: "for a server that speaks as OpenAI's does set llm.backend to openai",
}


class OllamaChat(ServedChat):
    """A model of an Ollama server; for any number of threads.

    Some models think before they write, and under a schema a few put all of their
    answer among their thoughts. Others write nothing where they are told not to think,
    so they are told so only after an answer that was thoughts alone.
    """

    _thinks = True

    def answer(
        self, prompt: Prompt, said: Callable[[str], None], halt: Cancellation, /
    ) -> GenerationEnd:
        bounds = self._bounds._replace(ends=monotonic() + self._bounds.total_s)
        thinks = self._thinks
        pieces = self._tried(prompt, said, halt, bounds, thinks=thinks)
        if thinks and pieces.thought and not pieces.wrote:
            pieces = self._tried(prompt, said, halt, bounds, thinks=False)
            self._thinks = not pieces.wrote
        return pieces.ended(prompt)

    def _tried(
        self,
        prompt: Prompt,
        said: Callable[[str], None],
        halt: Cancellation,
        bounds: Timeouts,
        *,
        thinks: bool,
    ) -> Pieces:
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
        with Exchange(self._server, "/api/chat", question, bounds, halt) as reply:
            pieces = Pieces(reply, said)
            self._read(reply, pieces)
            return pieces

    def _read(self, reply: Exchange, pieces: Pieces) -> None:
        try:
            check_answers(reply, OLLAMA_HINTS)
        except ChatRefused as error:
            if error.status == ABSENT and "not found" in error.words:
                pull = f"it is not there; run: ollama pull {self.model}"
                raise reply.failed(pull) from None
            raise
        for line in reply.lines():
            if not line.strip():
                continue
            event = event_of(reply, line)
            message = event.get("message")
            if isinstance(message, Mapping):
                pieces.take(message.get("content"), message.get("thinking"))
            if event.get("done") is True:
                pieces.read = count(event.get("prompt_eval_count"))
                pieces.was_cut = event.get("done_reason") == "length"
                return
        raise reply.failed(CUT_SHORT)


OPENAI_START = "start your server of models, or set llm.url to where it listens"
OPENAI_HINTS = {
    401: "check llm.api_key",
    403: "check llm.api_key",
    404: "check llm.model and llm.url",
}
DONE = b"[DONE]"

REFUSED = (BAD, 422)  # what a server says to a question that it does not understand

PARTS = {
    "max_tokens": ("max_completion_tokens",),
    "temperature": ("temperature",),
    "stream_options": ("stream_options", "include_usage"),
    "json_schema": ("response_format", "json_schema", "schema", "grammar"),
    "json_object": ("response_format", "json_object"),
}
"""Parts of a question that some servers refuse, and the words by which they do. The
shape of the answer is left out in two steps: a schema becomes any object."""

UNKNOWN = ("support", "unknown", "unrecognized", "unexpected", "extra", "additional")
"""Words about a part of the question that does not say which."""


def refused_part(error: ChatRefused, without: Collection[str]) -> str:
    """Return which part of a question to leave out after a refusal; empty for none."""
    heard = error.words.casefold()
    if error.status not in REFUSED and "response_format" not in heard:
        return ""
    if is_too_long(error.status, heard):
        return ""
    for part, words in PARTS.items():
        if part not in without and any(word in heard for word in words):
            return part
    guesses = ("stream_options", "json_schema", "json_object")
    if not any(word in heard for word in UNKNOWN):
        return ""
    return next((part for part in guesses if part not in without), "")


class OpenAIChat(ServedChat):
    _without: frozenset[str] = frozenset()

    def answer(
        self, prompt: Prompt, said: Callable[[str], None], halt: Cancellation, /
    ) -> GenerationEnd:
        bounds = self._bounds._replace(ends=monotonic() + self._bounds.total_s)
        path, without = "/v1/chat/completions", self._without
        while True:
            question = self._question(prompt, without)
            with Exchange(self._server, path, question, bounds, halt) as reply:
                pieces = Pieces(reply, said)
                try:
                    _read(reply, pieces)
                except ChatRefused as error:
                    part = "" if pieces.wrote else refused_part(error, without)
                    if not part:
                        raise
                    without |= {part}
                else:
                    self._without = without
                    return pieces.ended(prompt)

    def _question(self, prompt: Prompt, without: Collection[str]) -> dict[str, Any]:
        renamed = "max_tokens" in without
        question: dict[str, Any] = {
            "model": self.model,
            "messages": messages(prompt.turns),
            "stream": True,
            "max_completion_tokens" if renamed else "max_tokens": prompt.most_tokens,
        }
        if "temperature" not in without:
            question["temperature"] = self._chosen.temperature
        if "stream_options" not in without:
            question["stream_options"] = {"include_usage": True}
        if "json_schema" not in without:
            named = {"name": "answer", "strict": True, "schema": prompt.schema}
            question["response_format"] = {"type": "json_schema", "json_schema": named}
        elif "json_object" not in without:
            question["response_format"] = {"type": "json_object"}
        return question


def _read(reply: Exchange, pieces: Pieces) -> None:
    check_answers(reply, OPENAI_HINTS)
    reason = ""
    try:
        for event in _events(reply):
            usage = event.get("usage")
            if isinstance(usage, Mapping):
                pieces.read = count(usage.get("prompt_tokens")) or pieces.read
            choice = _choice(event)
            part = choice.get("delta") or choice.get("message")
            if isinstance(part, Mapping):
                thoughts = (part.get("reasoning_content"), part.get("reasoning"))
                pieces.take(part.get("content"), *thoughts)
            reason = str(choice.get("finish_reason") or "") or reason
    except ModelFailed:
        if not reason:  # what breaks after its end has come has lost nothing
            raise
    pieces.was_cut = reason == "length"


def _events(reply: Exchange) -> Iterator[dict[str, Any]]:
    if reply.kind == "application/json":  # a server that does not stream
        yield event_of(reply, b"".join(reply.pieces()))
        return
    ended, held = False, list[bytes]()
    for line in chain(reply.lines(), (b"",)):
        name, _, value = line.partition(b":")
        if name == b"data":
            held.append(value.removeprefix(b" "))
        if line or not held:
            continue
        whole, held = b"\n".join(held), []
        if whole.strip() == DONE:
            return
        event = event_of(reply, whole)
        ended = ended or bool(_choice(event).get("finish_reason"))
        yield event
    if not ended:
        raise reply.failed(CUT_SHORT)


def _choice(event: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = event.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}
