"""Questions under way: each in a thread that is ended when nobody waits for it.

A model may take minutes, so these threads are not those of searches. What a model says
goes to the loop through a queue with room for a little: a client that does not read
holds the model up, and after a while is given up.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from glassmind.engine import Engine
from glassmind.errors.serving import CallAbandoned
from glassmind.ports.chat import Halt
from glassmind.render.answers import answer_as_json, source_as_json
from glassmind.serve.http.answers_events import (
    EVENTS,
    KEEP_ALIVE,
    answer_event,
    error_event,
    news_event,
)
from glassmind.serve.http.errors import STOPPING, Disconnected, Refused
from glassmind.serve.http.jobs import Workers
from glassmind.serve.http.middleware import Exchange
from glassmind.serve.http.replies import JSON, Reply, answered
from glassmind.types.answers import Answer, Found, News

THREADS = 2
"""Questions that are answered at once: a model on this machine has no more to give."""

ROOM = 32
"""Questions under way or waiting; who comes later would wait for long."""

KEEP_ALIVE_S = 15.0
"""Seconds of silence after which a sign of life is sent, as the HTML standard says."""

UNREAD_S = 30.0
"""Seconds for which a client may read nothing of what waits for it."""

WAITING = 256
"""Events that may wait for a client: a page of a model's words."""

HEAD = (
    (b"content-type", EVENTS.encode()),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back
)


class Talk(NamedTuple):
    """One question; with `streams`, the answer is told while it is made.

    `show` is told what of the vault is given to the client, before it is.
    """

    engine: Engine
    question: str
    wishes: Mapping[str, Any]
    streams: bool
    halt: Halt
    show: Callable[[object], None] = lambda _: None

    @property
    def uses_model(self) -> bool:
        """Whether a model may be asked, which may take its time."""
        chosen = self.engine.config.llm.backend
        return bool(self.wishes["use_model"]) and chosen != "none"

    @property
    def vault(self) -> str:
        """What Obsidian knows the vault by."""
        return self.engine.config.vault.name

    def answer(self, told: Callable[[News], None] | None = None) -> Answer:
        """Return the answer; to be called by a thread that may take its time.

        Raises:
            Refused: it was halted.
        """
        if self.halt.is_set():  # while it waited for a thread
            raise Refused(STOPPING)
        try:
            return self.engine.answers.ask(
                self.question, **self.wishes, told=told, halt=self.halt
            )
        except CallAbandoned:
            raise Refused(STOPPING) from None

    def reply(self) -> Reply:
        """Return the whole answer at once."""
        made = answer_as_json(self.answer(), vault=self.vault)
        self.show(made)
        return answered(made)

    def tell(self, post: "Post") -> None:
        """Send the answer piece by piece, and then as a whole."""
        made = self.answer(lambda news: self._tell(news, post))
        self.show(answer_as_json(made, vault=self.vault))
        post.put(answer_event(made, vault=self.vault))

    def _tell(self, news: News, post: "Post") -> None:
        if isinstance(news, Found):
            sources = [source_as_json(one, vault=self.vault) for one in news.sources]
            self.show(sources)
        post.put(news_event(news, vault=self.vault))


class Post:
    """Events on their way from a thread to the loop, of which only so many wait."""

    def __init__(self, halt: Halt) -> None:
        self._halt, self._loop = halt, asyncio.get_running_loop()
        self._room = threading.Semaphore(WAITING)
        self._parts: deque[bytes] = deque()
        self._news = asyncio.Event()

    def put(self, part: bytes) -> None:
        """Send an event; for the thread, which waits while there is no room.

        Raises:
            CallAbandoned: nobody reads any more.
        """
        if not self._room.acquire(blocking=False):
            with self._halt.ending(self._room.release):
                if not self._room.acquire(timeout=UNREAD_S):
                    raise CallAbandoned
        if self._halt.is_set():
            raise CallAbandoned
        self._parts.append(part)
        self.wake()

    def wake(self) -> None:
        """Have the loop look at what there is."""
        try:
            self._loop.call_soon_threadsafe(self._news.set)
        except RuntimeError:  # the loop is closed, and the server at its end
            raise CallAbandoned from None

    async def came(self, timeout_s: float) -> bytes | None:
        """Return the events that have come; None after so many seconds without."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._news.wait()
        except TimeoutError:
            return None
        self._news.clear()
        return self.taken()

    def taken(self) -> bytes:
        """Return the events that wait, and make room."""
        count = len(self._parts)
        made = b"".join(self._parts.popleft() for _ in range(count))
        if count:
            self._room.release(count)
        return made


class Talks:
    """Owns the threads of questions to a model; `plain` have those of the others."""

    def __init__(self, plain: Workers) -> None:
        self._workers, self._plain = Workers(THREADS, ROOM), plain
        self._halts: set[Halt] = set()

    async def answer(self, talk: Talk, exchange: Exchange) -> None:
        """Answer a question; when the client goes away, so does the model."""
        with self._under_way(talk.halt):
            if talk.streams:
                await self._stream(talk, exchange)
            else:
                await exchange.answer(await self._of(talk).run(talk.reply))

    def _of(self, talk: Talk) -> Workers:
        """Return who answers: what no model holds up waits behind none."""
        return self._workers if talk.uses_model else self._plain

    @contextmanager
    def _under_way(self, halt: Halt) -> Iterator[None]:
        self._halts.add(halt)
        try:
            yield
        finally:
            self._halts.discard(halt)
            halt.set()  # what is still at work has nobody to work for

    async def _stream(self, talk: Talk, exchange: Exchange) -> None:
        """Send events as they come; until one has, what goes wrong has a status."""
        post = Post(talk.halt)
        telling = asyncio.ensure_future(self._of(talk).run(partial(talk.tell, post)))
        telling.add_done_callback(lambda _: post.wake())
        try:
            while not telling.done():
                parts = await post.came(KEEP_ALIVE_S)
                if parts != b"":
                    await _send(exchange, parts or KEEP_ALIVE)
            await telling
        finally:
            if not telling.cancel() and not telling.cancelled():
                telling.exception()  # or it would be told as one that nobody saw
        await _send(exchange, post.taken(), more=False)

    def close(self) -> None:
        """End what is under way, begin nothing more, and wait for nothing."""
        for halt in list(self._halts):
            halt.set()
        self._workers.close()


async def show_head(talk: Talk, exchange: Exchange) -> None:
    """Answer who wants to see the head of an answer alone; nothing is asked."""
    kind = EVENTS.encode() if talk.streams else JSON
    start = {"type": "http.response.start", "status": 200}
    await exchange.send({**start, "headers": [(b"content-type", kind)]})
    await exchange.send({"type": "http.response.body", "body": b""})


async def _send(exchange: Exchange, body: bytes, *, more: bool = True) -> None:
    """Send a part of the events, the head before the first.

    Raises:
        Disconnected: the client reads nothing any more.
    """
    try:
        async with asyncio.timeout(UNREAD_S):
            if not exchange.status:
                start = {"type": "http.response.start", "status": 200}
                await exchange.send({**start, "headers": list(HEAD)})
                exchange.last_event = error_event
            part = {"type": "http.response.body", "body": body, "more_body": more}
            await exchange.send(part)
    except TimeoutError:
        raise Disconnected from None
