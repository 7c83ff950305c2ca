"""The model that writes under some settings."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from errno import EINPROGRESS, EWOULDBLOCK
from http.client import HTTPConnection, HTTPException, HTTPResponse
from selectors import EVENT_WRITE, DefaultSelector
from socket import SO_ERROR, SOL_SOCKET, socket
from threading import Timer
from time import monotonic
from typing import Any, Literal, NamedTuple, Self

from glassmind.config.settings import Config, Llm
from glassmind.errors import CallAbandoned, ModelFailed, ModelFault
from glassmind.models.http import (
    BAD,
    CUT_SHORT,
    MOST_BYTES,
    NOBODY,
    OK,
    SLICE_S,
    UNSENDABLE,
    Bounds,
    ModelServer,
    Unreached,
    addresses,
    broken_by,
    shut,
)
from glassmind.models.protocols import ChatModel, Ended, Halt, Prompt, Turn

CONNECT_S = 2.0
"""A server on this machine is there at once or not at all."""

SILENCE_S = 20.0
"""Once it writes, a model on a slow machine takes a second or two for a word; one that
is silent for so long has hung."""

MOST_LINE = 1024 * 1024
"""Bytes of a line: a piece of an answer has some hundred."""

MOST_FAULT = 64 * 1024
"""Bytes that are read of what a server says about its fault."""

PIECE = 64 * 1024

ON_ITS_WAY = (EINPROGRESS, EWOULDBLOCK)
"""What a system says of a connection that is on its way."""


class StreamBounds(NamedTuple):
    """How long we wait, in seconds: for a connection, between pieces, and in all.

    The first piece may take as long as the whole: a server loads its model first, and
    reads what it is sent.
    """

    total_s: float
    silence_s: float = SILENCE_S
    connect_s: float = CONNECT_S


class Wanted(NamedTuple):
    """What is asked: where, in which words, and which kinds of answer are one.

    `start` says how such a server is started; `ends` is when, by the clock, the whole
    is over.
    """

    path: str
    question: Mapping[str, Any]
    kinds: tuple[str, ...]
    start: str
    ends: float


class Stream:
    """One question on its way; nothing of it is left once it is closed."""

    def __init__(
        self, server: ModelServer, wanted: Wanted, bounds: StreamBounds, halt: Halt
    ) -> None:
        self._server, self._wanted, self._halt = server, wanted, halt
        self._bounds = bounds
        self._link: HTTPConnection | None = None
        self._socket: socket | None = None
        self._reply: HTTPResponse | None = None
        self._late = self._begun = False
        self._waited_s = 0.0
        self._complaint: str | None = None
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Send the question and wait until the server begins to answer.

        Raises:
            ModelFailed: it does not.
            CallAbandoned: it was halted.
        """
        with ExitStack() as opening:
            opening.callback(self._close)
            timer = Timer(max(self._left(), 0), self._expire)
            timer.daemon = True
            timer.start()
            opening.callback(timer.join)
            opening.callback(timer.cancel)
            opening.enter_context(self._halt.ending(self._cut))
            with self._guarded():
                self._send()
            self._stack = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def status(self) -> int:
        """What the server says of the question: 200 where it answers."""
        return self._reply.status if self._reply else 0

    @property
    def kind(self) -> str:
        """The type of what it sends, in lower case; empty where it does not tell."""
        named = self._reply.getheader("Content-Type", "") if self._reply else ""
        return named.partition(";")[0].strip().lower()

    @property
    def complaint(self) -> str | None:
        """The server's own words for its fault; None where it has told none yet."""
        return self._complaint

    def begun(self) -> None:
        """Take note that the model writes: from now on it may not be silent."""
        self._begun, self._waited_s = True, 0.0

    def fault(self) -> bytes:
        """Return what the server says in place of an answer, as far as we want it.

        Raises:
            ModelFailed: it does not come to an end.
            CallAbandoned: it was halted.
        """
        said = bytearray()
        self.begun()  # a fault is told at once
        while len(said) < MOST_FAULT and (piece := self._piece()):
            said += piece
        return bytes(said)

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the answer as they come, without what ends them.

        Raises:
            ModelFailed: it breaks, falls silent, takes too long or has no end.
            CallAbandoned: it was halted.
        """
        kinds = self._wanted.kinds
        if self.kind and self.kind not in kinds:
            reason = f"it answers {self.kind[:60]}, not {kinds[0]}; check llm.url"
            raise self.failed(reason)
        held, total = bytearray(), 0
        while piece := self._piece():
            total += len(piece)
            held += piece
            *whole, held = held.split(b"\n") if b"\n" in piece else [held]
            if len(held) > MOST_LINE or any(len(line) > MOST_LINE for line in whole):
                raise self.failed(f"a line has more than {MOST_LINE:,} bytes")
            if total > MOST_BYTES:
                raise self.failed(f"its answer has more than {MOST_BYTES:,} bytes")
            for line in whole:
                self._check()
                yield bytes(line.rstrip(b"\r"))
        if held:
            yield bytes(held)

    def said(self, line: bytes) -> dict[str, Any]:
        """Return what a line says.

        Raises:
            ModelFailed: that is no JSON object, or tells a fault.
        """
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise self.failed("what it says is not JSON")
        if said.get("error") or said.get("object") == "error":
            self._complaint = words = self._server.words(said, self._wanted.question)
            if is_too_long(BAD, words):
                raise self.failed(f"{words}; {LENGTH_HINT}")
            raise self.failed(words or "it failed in the middle of its answer")
        return said

    def tellable(self, words: str) -> str:
        """Return as much of a model's words as may be told with a fault."""
        return self._server.words({"error": words}, self._wanted.question)

    def failed(self, reason: str) -> ModelFailed:
        """Return the fault for a reason."""
        return self._server.failed(reason)

    def refusal(self) -> str:
        """Return the server's own words for a status that is no answer."""
        told = self._server.told(self.status, self.fault(), self._wanted.question)
        self._complaint = told
        return told

    def _piece(self) -> bytes:
        """Return what came, however little; nothing when it is over."""
        self._check()
        with self._guarded():
            if self._socket is None or self._reply is None:
                return b""
            self._socket.settimeout(self._patience())
            since = monotonic()
            piece = self._reply.read1(PIECE)
            self._waited_s += monotonic() - since
        self._check()
        return piece

    def _patience(self) -> float:
        """Return how long the next bytes may take.

        What keeps a connection alive is no word: it starts nothing anew. Nor does the
        time count that somebody takes to listen.
        """
        if not self._begun:
            return self._bounds.total_s
        left = self._bounds.silence_s - self._waited_s
        if left <= 0:
            raise TimeoutError
        return left

    def _send(self) -> None:
        self._check()
        body = json.dumps(self._wanted.question).encode()
        headers = self._server.headers() | {"Accept": ", ".join(self._wanted.kinds)}
        self._link = link = self._server.connection(self._bounds.connect_s)
        link.sock = made = self._connected()
        self._check()
        made.settimeout(self._bounds.total_s)
        link.request("POST", self._server.path(self._wanted.path), body, headers)
        self._reply = link.getresponse()

    def _connected(self) -> socket:
        """Return a connection, tried at every address that the server has."""
        host, port = self._server.address
        ends = monotonic() + min(self._bounds.connect_s, max(self._left(), 0))
        problem = OSError(f"no address of {host}")
        for each in addresses(host, port, ends, self._check):
            made = socket(each.family, each.kind, each.protocol)
            self._socket = made
            try:
                self._reach(made, each.place, ends)
                return self._encrypted(made, host, ends)
            except OSError as error:
                self._socket.close()
                problem = error
        raise problem

    def _reach(self, made: socket, address: Any, ends: float) -> None:
        made.setblocking(False)
        code = made.connect_ex(address)
        if code in ON_ITS_WAY:
            with DefaultSelector() as watching:
                watching.register(made, EVENT_WRITE)
                while not watching.select(SLICE_S):
                    self._check()
                    if monotonic() > ends:
                        raise Unreached
            code = made.getsockopt(SOL_SOCKET, SO_ERROR)
        if code:
            raise OSError(code, os.strerror(code))

    def _encrypted(self, made: socket, host: str, ends: float) -> socket:
        made.settimeout(max(ends - monotonic(), SLICE_S))
        tls = self._server.tls
        if tls is None:
            return made
        # In two steps, so that whoever halts finds what is to be shut.
        safe = tls.wrap_socket(
            made, server_hostname=host, do_handshake_on_connect=False
        )
        self._socket = safe
        self._check()
        try:
            safe.do_handshake()
        except TimeoutError:
            raise Unreached from None
        return safe

    def _close(self) -> None:
        for part in (self._reply, self._link, self._socket):
            if part is not None:
                part.close()

    def _cut(self) -> None:
        if self._socket is not None:
            shut(self._socket)

    def _expire(self) -> None:
        self._late = True
        self._cut()

    def _check(self) -> None:
        if self._halt.is_set():
            raise CallAbandoned
        if self._late:
            raise self.failed(f"it took longer than {self._bounds.total_s:g} s")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Give the faults of a connection their names."""
        try:
            yield
        except (OSError, HTTPException, ValueError) as error:
            self._check()  # what breaks because we cut it is no fault of the server
            raise self.failed(self._reason(error)) from None

    def _reason(self, error: Exception) -> str:
        match error:
            case TimeoutError():
                return self._slowness(error)
            case ConnectionRefusedError():
                return f"{NOBODY}; {self._wanted.start}"
            case OSError() | HTTPException():
                return broken_by(error)
            case _:  # its words would repeat what cannot be sent
                return UNSENDABLE

    def _slowness(self, error: TimeoutError) -> str:
        if isinstance(error, Unreached):
            return f"no connection within {self._bounds.connect_s:g} s"
        if self._begun:
            return f"it was silent for {self._bounds.silence_s:g} s"
        return f"it took longer than {self._bounds.total_s:g} s"

    def _left(self) -> float:
        return self._wanted.ends - monotonic()


LOOK = Bounds(connect_s=1.0, total_s=2.0)
"""To see whether a server is there: it need not load its model for that."""


def chat_for(config: Config, bounds: StreamBounds | None = None) -> ChatModel:
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
        start = OLLAMA_START if native else OPENAI_START
        return f"nothing listens at {server.host}; {start}"
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


TOO_LONG = (400, 413, 422, 500)

LENGTH_HINT = (
    "the question is too long for the model: set llm.context_tokens to what it can take"
)


def is_too_long(status: int, words: str) -> bool:
    """Whether a server refuses a question for its length."""
    heard = words.casefold()
    about = any(word in heard for word in ("token", "length", "size"))
    return status in TOO_LONG and "context" in heard and about


REFUSED = (BAD, 422)
"""What a server says to a question that it does not understand."""

KEPT_S = 600.0
"""A server is asked again for all we want now and then: it may be another one by now,
and who refuses does so within milliseconds."""

SHAPES = ("response_format", "json_schema", "json_object", "schema", "grammar")
"""Words about the shape of an answer."""

COUNTS = ("stream_options", "include_usage")
"""Words about telling how much was read."""

UNKNOWN = (
    "unsupported",
    "not supported",
    "unknown field",
    "unknown parameter",
    "unrecognized",
    "unexpected field",
    "extra inputs",
    "extra fields",
    "additional properties",
)
"""Words about something in the question, whatever it is."""


class Manner(NamedTuple):
    """How a server is asked for the shape of an answer, its length and its freedom.

    `counts` where it is to tell what it read; `guessed` where it did not say what it
    refuses.
    """

    shape: Literal["schema", "object", "free"] = "schema"
    length: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    free: bool = True
    counts: bool = True
    guessed: bool = False


class Manners:
    """The manner that a server understood, for a while; for any number of threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._kept: tuple[float, Manner] | None = None

    def now(self) -> Manner:
        """Return how to ask."""
        kept = self._kept
        is_fresh = kept is not None and self._clock() - kept[0] < KEPT_S
        return kept[1] if kept is not None and is_fresh else Manner()

    def keep(self, manner: Manner) -> None:
        """Take note of a manner that was understood; a guess is not kept."""
        if not manner.guessed and manner not in {Manner(), self.now()}:
            self._kept = (self._clock(), manner)


def simpler(manner: Manner, status: int, words: str | None) -> Manner | None:
    """Return how to ask after a refusal; None where another manner will not help.

    A fault within an answer, which has the status of one, is taken for a refusal too.
    Words are None where the server could not be heard.
    """
    heard = (words or "").casefold()
    status = BAD if status == OK and heard else status
    if words is None or is_too_long(status, heard):
        return None
    if status not in REFUSED and "response_format" not in heard:
        return None
    return _reworded(manner, heard) or _shortened(manner, heard)


def _reworded(manner: Manner, heard: str) -> Manner | None:
    """Return the manner without the one thing that a server names, but the shape."""
    if "max_completion_tokens" in heard and manner.length == "max_tokens":
        return manner._replace(length="max_completion_tokens")
    if "temperature" in heard and manner.free:
        return manner._replace(free=False)
    if manner.counts and _names(heard, COUNTS):
        return manner._replace(counts=False)
    return None


def _shortened(manner: Manner, heard: str) -> Manner | None:
    """Return the manner with a simpler shape, where that is what a server refuses."""
    if _names(heard, SHAPES):
        return _freer(manner)
    if heard and not _names(heard, UNKNOWN):
        return None
    manner = manner._replace(guessed=manner.guessed or not heard)
    return manner._replace(counts=False) if manner.counts else _freer(manner)


def _freer(manner: Manner) -> Manner | None:
    if manner.shape == "schema":
        return manner._replace(shape="object")
    return manner._replace(shape="free") if manner.shape == "object" else None


def _names(heard: str, words: tuple[str, ...]) -> bool:
    return any(word in heard for word in words)


SHARE_READ = 0.5
"""Of what we think we sent: we only guess at tokens, and are off by a third at most."""

SHARE_HALVED = 0.75
"""The same of what was cut to half of its size or less, which we guess at as well."""

LEAST_READ = 512
"""A number below that is what was not remembered from the question before: no server
has so small a context."""

ELSEWHERE = 3

HALVED = 8
"""Ollama cuts what does not fit to half of its context and some tokens more."""


class Pieces:
    """The pieces of an answer on their way to who wants them."""

    def __init__(self, stream: Stream, said: Callable[[str], None]) -> None:
        self._stream, self._said = stream, said
        self.wrote = self.thought = False
        self._refusal: list[str] = []

    def take(self, text: object, *thoughts: object) -> None:
        """Pass a piece on, if it is one; thoughts only show that the model is alive."""
        if isinstance(text, str) and text:
            self._stream.begun()
            self.wrote = True
            self._said(_whole(text))
        elif any(isinstance(thought, str) and thought for thought in thoughts):
            self._stream.begun()
            self.thought = True

    def decline(self, words: object) -> None:
        """Take note of a piece in which the model says that it will not answer."""
        if isinstance(words, str) and words:
            self._stream.begun()
            self._refusal.append(_whole(words))

    def nothing(self) -> ModelFailed:
        """Return the fault of an answer without a word."""
        if self._refusal:
            words = self._stream.tellable("".join(self._refusal))
            return self._stream.failed(f"the model refuses{words and ': '}{words}")
        if self.thought:
            reason = "it thought, but wrote nothing; raise llm.answer_tokens, or choose"
            return self._stream.failed(f"{reason} a model that does not think first")
        return self._stream.failed("it wrote nothing")


def _whole(text: str) -> str:
    """Return text that every surface can write: no half of a letter is left."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def refused(stream: Stream, words: str, hints: Mapping[int, str]) -> ModelFailed:
    """Return the fault of a server that does not answer, and what to do about it."""
    status = stream.status
    told = f"HTTP {status}{words and ': '}{words}"
    if is_too_long(status, words):
        return stream.failed(f"{told}; {LENGTH_HINT}")
    hint = hints.get(status, "")
    if status // 100 == ELSEWHERE:
        hint = "it leads elsewhere, and is not followed: check llm.url"
    return stream.failed(f"{told}{hint and '; '}{hint}")


def messages(turns: Sequence[Turn]) -> list[dict[str, str]]:
    """Return turns as both kinds of servers want them."""
    return [{"role": turn.role, "content": turn.content} for turn in turns]


def count(value: Any) -> int | None:
    """Return a number of tokens; None where that is none."""
    return value if type(value) is int and value > 0 else None


def lost(read: int | None, sent: int, context: int = 0) -> str:
    """Return a sentence where a model clearly read less than it was sent.

    `context` is what the server was told to take, and 0 where it cannot be told.
    """
    if read is None or read < LEAST_READ or read >= sent:
        return ""
    share, is_full = read / sent, context - 1 <= read <= context
    is_half = context // 2 <= read <= context // 2 + HALVED and share < SHARE_HALVED
    if share >= SHARE_READ and not is_half and not is_full:
        return ""
    return (
        f"the model read about {read:,} of {sent:,} tokens; set llm.context_tokens to "
        "what it can take"
    )


OLLAMA_KINDS = (
    "application/x-ndjson",
    "application/json",
    "application/jsonl",
    "text/plain",
)
OLLAMA_START = "start Ollama with: ollama serve, or set llm.url to where it listens"
ABSENT = 404
OLLAMA_HINTS = {
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
        return Wanted("/api/chat", question, OLLAMA_KINDS, OLLAMA_START, ends)

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
        return refused(stream, words, OLLAMA_HINTS)


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


OPENAI_KINDS = ("text/event-stream", "application/json", "text/plain")
OPENAI_START = "start your server of models, or set llm.url to where it listens"
DONE = b"[DONE]"

OPENAI_HINTS = {
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
            wanted = Wanted(
                "/v1/chat/completions", question, OPENAI_KINDS, OPENAI_START, ends
            )
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
        raise refused(stream, stream.refusal(), OPENAI_HINTS)
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
