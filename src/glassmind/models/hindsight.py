"""A Hindsight server: asked for facts, and told what was captured.

No call waits longer than its time, whatever the network does: each is made in a thread
of its own that is left to itself when the time is up.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from threading import Thread
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import quote

from glassmind.config.settings import Hindsight
from glassmind.errors import GlassmindError, HindsightFailed, ModelFailed, RemoteRefused
from glassmind.model.index import Check
from glassmind.model.search import FACTS, RecalledFact, Told, document_of
from glassmind.models.breaker import CircuitBreaker, PatientMemory
from glassmind.models.http import Bounds, ModelServer

MOST_FACTS = 50
"""Facts of one answer; a server must not fill our memory."""

FACT_CHARS, WORD_CHARS, MOST_WORDS = 2_000, 200, 50
"""What is taken of a fact's text, of a name beside it, and of a list of such names."""

QUESTION_BYTES = 1_000
"""Of a question: the server refuses more than 500 tokens, and a token has two bytes."""

DEPTH = {"budget": "low", "max_tokens": 1_024}
"""How far the server looks: somebody waits, and a few facts have less."""

GLANCE_S = 0.5
"""Seconds of a look whether the server answers."""

HEARD_S = 10.0
"""Seconds for which what was heard of the server last is believed."""

REMOTE = "hindsight.allow_remote"

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

Made = TypeVar("Made")


Hear: TypeAlias = Callable[[], Sequence[RecalledFact]]
"""Waits for the facts that were asked for, best first.

Raises:
    HindsightFailed, RemoteRefused: there are none to be had.
"""


class HindsightServer:
    """One bank of memories behind its url; remembers whether it answered last."""

    def __init__(
        self, settings: Hindsight, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._server = ModelServer("hindsight", settings.url, settings.token)
        self._bank, self._clock = settings.bank, clock
        self._memories = f"/v1/default/banks/{quote(settings.bank, safe='')}/memories"
        captures = ", and what is captured," if settings.retain else ""
        self._leaves = f"what you ask{captures}"
        self._timeout_s, self._remote = settings.timeout_s, settings.allow_remote
        self._heard: tuple[float, bool] | None = None

    def ask(self, question: str) -> Hear:
        """Begin to ask for facts, and return what waits for them."""
        cut = question.encode(errors="replace")[:QUESTION_BYTES]
        asked = {"query": cut.decode(errors="ignore"), **DEPTH}
        path, wait_s = f"{self._memories}/recall", self._timeout_s
        return self._begun(lambda: self._facts(self._sent(path, asked, wait_s)))

    def tell(self, told: Told) -> None:
        """Give it something to remember; it is taken in when the server has time.

        Raises:
            HindsightFailed, RemoteRefused: it did not take it, or may not be told.
        """
        item = {
            "content": told.text,
            "timestamp": told.created,
            "context": told.context,
            "metadata": dict(told.facts),
            "document_id": told.document,
            "tags": list(told.tags),
            "update_mode": "replace",
        }
        kept = {name: value for name, value in item.items() if value}
        body, wait_s = {"items": [kept], "async": True}, self._timeout_s
        self._begun(lambda: self._taken(self._sent(self._memories, body, wait_s)))()

    def _taken(self, said: Any) -> None:
        if isinstance(said, dict) and said.get("success") is False:
            raise HindsightFailed(f"{self._server.host}: it did not take it")

    def is_well(self) -> bool:
        """Whether it answers now; what was heard a moment ago holds."""
        if self._heard is None or self._clock() - self._heard[0] > HEARD_S:
            try:
                _Errand(
                    lambda: self._sent("/health", None, GLANCE_S), GLANCE_S
                ).result()
            except GlassmindError:
                self._note(well=False)
            else:
                self._note(well=True)
        return self._heard is not None and self._heard[1]

    def check(self) -> Check:
        """Ask it something, and return how that went."""
        try:
            self.ask("glassmind")()
        except RemoteRefused as error:
            fix = f"run: glassmind config set {REMOTE} true, or change hindsight.url"
            return Check("hindsight", "warn", str(error), fix)
        except GlassmindError as error:
            fix = "start it, or look at hindsight.url, bank and token"
            return Check("hindsight", "warn", str(error), fix)
        said = f"{self._server.host} answers for the bank {self._bank!r}"
        return Check("hindsight", "ok", said)

    def _begun(self, work: Callable[[], Made]) -> Callable[[], Made]:
        """Begin a call, and return what waits for its end and keeps how it went."""
        errand = _Errand(work, self._timeout_s)

        def wait() -> Made:
            try:
                made = errand.result()
            except GlassmindError:
                self._note(well=False)
                raise
            self._note(well=True)
            return made

        return wait

    def _note(self, *, well: bool) -> None:
        self._heard = (self._clock(), well)

    def _sent(self, path: str, body: Mapping[str, Any] | None, wait_s: float) -> Any:
        """Return what the server says to a body, or without one has at a path."""
        bounds = Bounds(wait_s, wait_s)
        self._server.refuse_remote(
            allowed=self._remote, setting=REMOTE, sent=self._leaves
        )
        try:
            if body is None:
                return self._server.look(path, bounds)
            return self._server.ask(path, body, bounds)
        except ModelFailed as error:
            raise HindsightFailed(error.reason) from None

    def _facts(self, said: Any) -> list[RecalledFact]:
        results = said.get("results") if isinstance(said, dict) else None
        if not isinstance(results, list):
            raise HindsightFailed(f"{self._server.host}: what it says is no facts")
        place = f"{FACTS}{quote(self._bank, safe='')}/"
        made = (_fact(one, place) for one in results)
        once = {one.path: one for one in reversed([one for one in made if one])}
        return list(reversed(once.values()))[:MOST_FACTS]


class _Errand(Generic[Made]):
    """Work in a thread of its own that is waited for no longer than its time."""

    def __init__(self, work: Callable[[], Made], seconds: float) -> None:
        self._work, self._seconds = work, seconds
        self._until = time.monotonic() + seconds
        self._made: list[Made] = []
        self._error: Exception | None = None
        self._thread = Thread(target=self._run, name="glassmind-hindsight", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._made.append(self._work())
        except (GlassmindError, OSError, ValueError) as error:
            self._error = error  # for who waits to see

    def result(self) -> Made:
        """Return what was made.

        Raises:
            HindsightFailed, RemoteRefused: nothing was, or not in time.
        """
        self._thread.join(max(0.0, self._until - time.monotonic()))
        if self._made:
            return self._made[0]
        error = self._error
        if isinstance(error, GlassmindError):
            raise error
        late = f"it took longer than {self._seconds:g} s"
        raise HindsightFailed(late if error is None else f"{type(error).__name__}")


def _fact(found: Any, place: str) -> RecalledFact | None:
    """Return a fact as the server tells it; None where it says nothing."""
    if not isinstance(found, dict):
        return None
    known, text = found.get("id"), found.get("text")
    if not isinstance(known, str | int) or not isinstance(text, str):
        return None
    name, said = str(known), text[:FACT_CHARS].strip()
    if not said or not name or len(name) > WORD_CHARS:
        return None
    return RecalledFact(
        place + quote(name, safe="", errors="replace"),
        said.encode(errors="replace").decode(),
        kind=_word(found.get("type")),
        day=_day(found.get("occurred_start")) or _day(found.get("mentioned_at")),
        document=_document(found),
        entities=_words(found.get("entities")),
        tags=_words(found.get("tags")),
    )


def _document(found: Mapping[str, Any]) -> str:
    """Return what a fact was told in, by its name or else by what we said of it."""
    said = found.get("metadata")
    facts = said if isinstance(said, dict) else {}
    named = _word(found.get("document_id"), FACT_CHARS)
    path, vault = _word(facts.get("path"), FACT_CHARS), _word(facts.get("vault"))
    return named or (document_of(path, vault) if path and vault else "")


def _word(found: Any, most: int = WORD_CHARS) -> str:
    if not isinstance(found, str):
        return ""
    return " ".join(found[:most].encode(errors="replace").decode().split())


def _words(found: Any) -> tuple[str, ...]:
    listed = found[:MOST_WORDS] if isinstance(found, list) else []
    return tuple(said for one in listed if (said := _word(one)))


def _day(found: Any) -> str:
    """Return the day of a time; empty where there is none."""
    day = found[:10] if isinstance(found, str) else ""
    try:
        return date.fromisoformat(day).isoformat() if _DAY.fullmatch(day) else ""
    except ValueError:
        return ""


def patient_memory(settings: Hindsight) -> "PatientMemory":
    """Return the server that the settings name, left alone for a while if it fails."""
    breaker = CircuitBreaker("hindsight", failure=HindsightFailed)
    return PatientMemory(HindsightServer(settings), breaker)
