"""A Hindsight server: it is asked for facts, and told what was captured."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias
from urllib.parse import quote

from glassmind.config.settings import HindsightSection
from glassmind.errors import GlassmindError, HindsightFailed, ModelFailed, RemoteRefused
from glassmind.model.index import Check
from glassmind.model.search import FACTS, HindsightDocument, RecalledFact, document_of
from glassmind.models.breaker import CircuitBreaker
from glassmind.models.http import Exchange, ModelServer, Timeouts

Hear: TypeAlias = Callable[[], Sequence[RecalledFact]]
"""Waits for the facts that were asked for, best first.

Raises:
    HindsightFailed, RemoteRefused: there are none to be had.
"""

MOST_FACTS = 50  # facts of one answer; a server must not fill our memory
FACT_CHARS, WORD_CHARS = 2_000, 200
"""What is taken of a fact's text, and of a name beside it."""

QUESTION_BYTES = 1_000
"""Of a question: the server refuses more than 500 tokens, and a token has two bytes."""

DEPTH = {"budget": "low", "max_tokens": 1_024}
"""How far the server looks: somebody waits, and a few facts have less."""

GLANCE = Timeouts(0.5, 0.5)  # of a look whether the server answers
HEARD_S = 10.0  # seconds for which what was heard of the server last is believed
REMOTE = "hindsight.allow_remote"

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class HindsightServer:
    def __init__(
        self, settings: HindsightSection, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._server = ModelServer("hindsight", settings.url, settings.token)
        self._bank, self._clock = settings.bank, clock
        self._memories = f"/v1/default/banks/{quote(settings.bank, safe='')}/memories"
        captures = ", and what is captured," if settings.retain else ""
        self._leaves = f"what you ask{captures}"
        self._bounds = Timeouts(settings.timeout_s, settings.timeout_s)
        self._remote = settings.allow_remote
        self._breaker = CircuitBreaker("hindsight", clock, HindsightFailed)
        self._heard: tuple[float, bool] | None = None

    def ask(self, question: str) -> Hear:
        """Begin to ask for facts, and return what waits for them."""
        cut = question.encode(errors="replace")[:QUESTION_BYTES]
        asked = {"query": cut.decode(errors="ignore"), **DEPTH}
        wait = self._begun(f"{self._memories}/recall", asked, self._bounds)
        return lambda: self._watched(lambda: self._facts(wait()))

    def tell(self, told: HindsightDocument) -> None:
        """Give it something to remember; it is taken in when the server has time."""
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
        wait = self._begun(
            self._memories, {"items": [kept], "async": True}, self._bounds
        )
        said = self._watched(wait)
        if isinstance(said, dict) and said.get("success") is False:
            raise HindsightFailed(f"{self._server.host}: it did not take it")

    def is_well(self) -> bool:
        """Whether it answers now; what was heard a moment ago holds."""
        if self._heard is None or self._clock() - self._heard[0] > HEARD_S:
            try:
                self._begun("/health", None, GLANCE, is_glance=True)()
            except GlassmindError:
                self._note(well=False)
            else:
                self._note(well=True)
        return self._heard is not None and self._heard[1]

    def check(self) -> Check:
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

    def _begun(
        self,
        path: str,
        body: Mapping[str, Any] | None,
        bounds: Timeouts,
        *,
        is_glance: bool = False,
    ) -> Callable[[], Any]:
        try:
            if not is_glance:
                self._breaker.check()
            self._server.refuse_remote(
                allowed=self._remote, setting=REMOTE, sent=self._leaves
            )
            request = Exchange(self._server, path, body, bounds)
        except GlassmindError as error:
            refusal = error

            def refuse() -> Any:
                raise refusal

            return refuse

        def wait() -> Any:
            try:
                return request.json()
            except ModelFailed as error:
                raise HindsightFailed(error.reason) from None

        return wait

    def _watched(self, work: Callable[[], Any]) -> Any:
        try:
            made = work()
        except GlassmindError as error:
            self._note(well=False)
            if not isinstance(error, RemoteRefused):  # which no time changes
                self._breaker.failed()
            raise
        self._note(well=True)
        self._breaker.worked()
        return made

    def _note(self, *, well: bool) -> None:
        self._heard = (self._clock(), well)

    def _facts(self, said: Any) -> list[RecalledFact]:
        results = said.get("results") if isinstance(said, dict) else None
        if not isinstance(results, list):
            raise HindsightFailed(f"{self._server.host}: what it says is no facts")
        place = f"{FACTS}{quote(self._bank, safe='')}/"
        facts = [fact for fact in (_fact(result, place) for result in results) if fact]
        first = {fact.path: fact for fact in reversed(facts)}
        return list(reversed(first.values()))[:MOST_FACTS]


def _fact(found: Any, place: str) -> RecalledFact | None:
    if not isinstance(found, dict):
        return None
    known, text = found.get("id"), found.get("text")
    if not isinstance(known, str | int) or not isinstance(text, str):
        return None
    name, said = str(known), text[:FACT_CHARS].strip()
    if not said or not name or len(name) > WORD_CHARS:
        return None
    said_of = found.get("metadata")
    facts = said_of if isinstance(said_of, dict) else {}
    document = _word(found.get("document_id"), FACT_CHARS)
    path, vault = _word(facts.get("path"), FACT_CHARS), _word(facts.get("vault"))
    if not document and path and vault:
        document = document_of(path, vault)
    return RecalledFact(
        place + quote(name, safe="", errors="replace"),
        said.encode(errors="replace").decode(),
        kind=_word(found.get("type")),
        day=_day(found.get("occurred_start")) or _day(found.get("mentioned_at")),
        document=document,
    )


def _word(found: Any, most: int = WORD_CHARS) -> str:
    if not isinstance(found, str):
        return ""
    return " ".join(found[:most].encode(errors="replace").decode().split())


def _day(found: Any) -> str:
    day = found[:10] if isinstance(found, str) else ""
    try:
        return date.fromisoformat(day).isoformat() if _DAY.fullmatch(day) else ""
    except ValueError:
        return ""
