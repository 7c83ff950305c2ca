"""Four clients of different scopes ask while notes are taken from them and given back.

The rule that answers are held to stands with `soak_clients`.
"""

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from fault_tools.harness import Harness
from fault_tools.vaults import make_vault, write
from http_harness import SPEAKS, Web, serving
from leak_harness import CANARY
from soak_clients import (
    CLOSED,
    FIXED,
    SCOPES,
    Book,
    Plan,
    Reply,
    Visitor,
    asked_of_routes,
    asked_of_tools,
    churn,
    is_absent,
)
from soak_harness import Stdio, http_server, resident_bytes, wait_until

from glassmind.access.clients import Clients, clients_of
from glassmind.access.scopes import read_scope

pytestmark = pytest.mark.slow

WARM_BYTES, SETTLED_BYTES = 300_000_000, 100_000_000
"""What a server may hold more at the end than after a fifth of the time: five views of
the vault, each with a graph and caches of its own, fill for longer than one."""

SETS = ("core", "graph", "memory")


class Size(NamedTuple):
    """How many notes and plans, for how long; `steps` edits go at once."""

    notes: int
    plans: int
    seconds: float
    steps: int
    more_bytes: int = WARM_BYTES


class Soak:
    """A vault with plans, its clients, and a server at a port."""

    def __init__(self, harness: Harness, size: Size) -> None:
        self.harness, self.size, self.book = harness, size, Book()
        self.names = make_vault(harness.vault, size.notes, 31)
        plans = [Plan(n, **FIXED[n % len(FIXED)]) for n in range(size.plans)]
        self.open = [Plan(n) for n in range(size.plans, 2 * size.plans)]
        self.closed: list[tuple[Plan, Plan]] = []
        for plan in (*plans, *self.open):
            write(harness.vault, plan.path, plan.text)
            self.book.keep(plan.word, set(SCOPES) - plan.readers, 0.0)
        self.asked_for = [plan.path for plan in (*plans, *self.open)] + self.names[:20]
        harness.index()
        with harness.engine() as engine:
            self.clients: Clients = clients_of(engine.config)
        for name in SCOPES:
            self.add(name)
        self.flips = 0

    def add(self, name: str) -> None:
        """Add a client of ours."""
        scope = read_scope(SCOPES[name], SETS)
        self.book.tokens[name] = self.clients.add(name, scope)[1]

    def by_routes(self, port: int) -> Callable[[str, random.Random], tuple[str, Reply]]:
        """Return what asks routes over HTTP."""

        def ask(token: str, rng: random.Random) -> tuple[str, Reply]:
            method, path, body = asked_of_routes(rng, self.asked_for)
            web = Web(port, token)
            got = (
                web.post(path, body, **SPEAKS)
                if method == "POST"
                else web.get(path, **SPEAKS)
            )
            status, said = got.status, got.body.decode()
            fine = status == 200 or (status == 404 and is_absent(said))
            kind = "GET /notes" if path.startswith("/notes") else f"{method} {path}"
            return kind.partition("?")[0], Reply(status, said, fine)

        return ask

    def by_tools(self, port: int) -> Callable[[str, random.Random], tuple[str, Reply]]:
        """Return what calls tools over HTTP."""

        def ask(token: str, rng: random.Random) -> tuple[str, Reply]:
            method, params = asked_of_tools(rng, self.asked_for)
            got = Web(port, token).message(method, params)
            said = got.body.decode()
            name = _called("mcp-http", method, params)
            return name, Reply(got.status, said, _ok(said))

        return ask

    def by_pipe(
        self, stdio: Stdio
    ) -> Callable[[str, random.Random], tuple[str, Reply]]:
        """Return what calls tools of a process."""

        def ask(_: str, rng: random.Random) -> tuple[str, Reply]:
            method, params = asked_of_tools(rng, self.asked_for)
            said = json.dumps(stdio._call(method, params))
            return _called("mcp-stdio", method, params), Reply(200, said, _ok(said))

        return ask

    def turn(self, web: Web, rng: random.Random) -> None:
        """Edit the vault, take a plan from its readers or give one back."""
        churn(self.harness.vault, rng, self.names, self.size.steps)
        if self.closed and rng.random() < 0.5:
            plan, shut = self.closed.pop(rng.randrange(len(self.closed)))
            self.book.open(plan.word, plan.readers - shut.readers)
            self._replace(shut, plan)
            self.open.append(plan)
        else:
            plan = self.open.pop(rng.randrange(len(self.open)))
            shut = plan._replace(**CLOSED[self.flips % len(CLOSED)])
            self._replace(plan, shut)
            indexed = web.post("/index", {"wait": True})
            assert indexed.status == 200, indexed.body
            self.book.keep(plan.word, plan.readers - shut.readers, time.monotonic())
            self.closed.append((plan, shut))
        self.flips += 1

    def _replace(self, before: Plan, after: Plan) -> None:
        file = self.harness.vault / before.path
        if before.path != after.path:
            file.rename(self.harness.vault / after.path)
        staged = self.harness.vault / f".{after.number}.staged"
        staged.write_text(after.text, "utf-8")
        staged.replace(self.harness.vault / after.path)

    def revoke_and_add(self, port: int, name: str) -> None:
        """Revoke a client, see that it is not let in, and add it again."""
        token, began = self.book.tokens[name], time.monotonic()
        self.book.revoked[token] = (began, float("inf"))
        self.clients.revoke(name)
        self.book.revoked[token] = (began, time.monotonic())
        # 429 after many wrong tokens from this address
        assert Web(port, token).get("/stats").status in {401, 429}
        self.add(name)
        assert Web(port, self.book.tokens[name]).get("/stats").status == 200


def _called(way: str, method: str, params: dict[str, object]) -> str:
    return f"{way} {params.get('name', method) if method == 'tools/call' else method}"


def _ok(said: str) -> bool:
    """Whether a message of the protocol answers, or says that a note is not there."""
    reply = json.loads(said)
    result = reply.get("result")
    return (result is not None and not result.get("isError")) or is_absent(said)


def run(soak: Soak, web: Web, more: list[Visitor], held: int) -> None:
    """Ask and change for as long as wanted, and judge what was told."""
    visitors = list(more)
    for seed, name in enumerate(SCOPES):
        visitors.append(Visitor(name, soak.book, soak.by_routes(web.port), seed))
        visitors.append(Visitor(name, soak.book, soak.by_tools(web.port), 100 + seed))
    rng = random.Random(7)
    for visitor in visitors:
        visitor.start()
    began, memory = time.monotonic(), 0
    while time.monotonic() < began + soak.size.seconds:
        soak.turn(web, rng)
        soak.revoke_and_add(web.port, ("folder", "tag", "excluded")[soak.flips % 3])
        before = [sum(visitor.answered.values()) for visitor in visitors]
        wait_until(lambda b=before: _more(visitors, b), 120)  # type: ignore[misc]
        if not memory and time.monotonic() > began + soak.size.seconds / 5:
            memory = resident_bytes(held)
    wait_until(
        lambda: _fails(visitors) or all(visitor.words for visitor in visitors), 120
    )
    for visitor in visitors:
        visitor.end()
    grown = resident_bytes(held) - memory
    _tell(visitors, soak, memory, grown)
    assert [visitor.leaked for visitor in visitors] == [[]] * len(visitors)
    assert [visitor.wrong for visitor in visitors] == [[]] * len(visitors)
    assert grown < soak.size.more_bytes


def _more(visitors: list[Visitor], before: list[int]) -> bool:
    """Whether every client was answered since, or one failed."""
    now = [sum(visitor.answered.values()) for visitor in visitors]
    return _fails(visitors) or all(
        after > then for after, then in zip(now, before, strict=True)
    )


def _fails(visitors: list[Visitor]) -> bool:
    return any(visitor.wrong or visitor.leaked for visitor in visitors)


def _tell(visitors: list[Visitor], soak: Soak, memory: int, grown: int) -> None:
    """Print the figures, for who runs the long one to see."""
    total = sum((visitor.answered for visitor in visitors), Counter[str]())
    told = {
        "requests": sum(total.values()),
        "flips": soak.flips,
        "leaks": sum(len(visitor.leaked) for visitor in visitors),
        "errors": sum(len(visitor.wrong) for visitor in visitors),
        "words told": sum(visitor.words for visitor in visitors),
        "memory MB": memory // 1_000_000,
        "grown MB": grown // 1_000_000,
        "by kind": dict(total.most_common()),
    }
    print(json.dumps(told))  # noqa: T201


def test_scoped_clients_are_told_nothing_that_was_taken_from_them(
    tmp_path: Path,
) -> None:
    soak = Soak(Harness(tmp_path), Size(notes=20, plans=16, seconds=2, steps=2))
    with soak.harness.engine() as engine, serving(engine, clients=soak.clients) as web:
        run(soak, web, [], os.getpid())


@pytest.mark.slow
@pytest.mark.timeout(1_500)
def test_scoped_clients_ask_for_five_minutes_and_are_told_nothing_taken_from_them(
    tmp_path: Path,
) -> None:
    seconds = float(os.environ.get("GLASSMIND_SOAK_S", "300"))
    soak = Soak(Harness(tmp_path), Size(1_000, 80, seconds, 6, SETTLED_BYTES))
    logs = tmp_path / "logs"
    logs.mkdir()
    with ExitStack() as stack:
        served = http_server(soak.harness, logs / "serve.log")
        http, server = stack.enter_context(served)
        stdio = stack.enter_context(_stdio(soak.harness, logs / "mcp.log"))
        piped = Visitor("property", soak.book, soak.by_pipe(stdio), 50)
        run(soak, http.web, [piped], server)
    said = "".join(log.read_text("utf-8", "replace") for log in logs.glob("*.log"))
    assert "Traceback" not in said
    assert "fault" not in said
    assert not CANARY.findall(said)


@contextmanager
def _stdio(harness: Harness, log: Path) -> Iterator[Stdio]:
    """Run a server over pipes for the client that is never revoked."""
    stdio = Stdio(harness, log, "--client", "property")
    try:
        yield stdio
    finally:
        stdio.close()
