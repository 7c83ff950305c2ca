"""One engine, asked from many threads at once while it writes."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from semantic_harness import LONG, MeaningHarness, WordModel

from glassmind import Engine
from glassmind.model.search import Mode, SearchReply
from glassmind.search.semantic import semantic_for
from glassmind.vault import Vault

THREADS, ROUNDS = 16, 12
LIMIT_S = 120.0
MODES: tuple[Mode, ...] = ("hybrid", "semantic", "fulltext")
NOTES = {
    f"{n:02}.md": LONG.format(f"word{n} [[{(n + 1) % 40:02}]] #tag{n % 5}")
    for n in range(40)
}


def check_sound(reply: SearchReply, wanted: str) -> None:
    """The note that was asked for comes first, and nothing was missing."""
    assert reply.hits[0].path == wanted, reply
    assert all(any(lag in said for lag in BEHIND) for said in reply.degraded), reply


BEHIND = (
    "the latest changes are not searched yet",
    "the vectors are not in place yet",
    "of the vault is searched by meaning so far",
)
"""What may be said while another thread writes."""


def at_once(work: Callable[[int], None], count: int) -> None:
    """Let so many threads work, all beginning together; raise what they raise."""
    together = threading.Barrier(count)

    def begun(number: int) -> None:
        together.wait(LIMIT_S)
        work(number)

    with ThreadPoolExecutor(count) as pool:
        for done in [pool.submit(begun, number) for number in range(count)]:
            done.result(LIMIT_S)


def ask_all(engine: Engine, number: int) -> None:
    """Ask in every mode, and for everything else that a server is asked for."""
    for turn in range(ROUNDS):
        word = (number + turn) % 40
        reply = engine.search(f"word{word}", mode=MODES[(number + turn) % 3])
        check_sound(reply, f"{word:02}.md")
        assert engine.read(f"{word:02}.md").title == f"{word:02}"
        assert engine.stats().notes >= 40
        assert engine.list_notes(tag="tag1").total >= 8
        assert engine.status().notes >= 40


@pytest.mark.slow
def test_sixteen_threads_ask_while_one_indexes(meaning: MeaningHarness) -> None:
    meaning.use(WordModel("wide", 1_024))
    meaning.indexed(NOTES)
    engine, over = meaning.open(), threading.Event()
    written: list[int] = []

    def write() -> None:
        while not over.is_set():
            turn = len(written)
            meaning.write({f"new {turn}.md": LONG.format(f"new{turn}")})
            written.append(engine.index().added)

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        try:
            at_once(lambda number: ask_all(engine, number), THREADS)
        finally:
            over.set()
        writing.result(LIMIT_S)

    assert set(written) == {1}
    last = len(written) - 1
    assert meaning.found(f"new{last}")[0] == f"new {last}.md"
    meaning.check_level()
    assert [c for c in engine.doctor() if c.state == "fail"] == []


def test_several_threads_may_index_at_once(meaning: MeaningHarness) -> None:
    meaning.write(NOTES)
    engine, added = meaning.open(), [0] * 4

    def index(number: int) -> None:
        added[number] = engine.index().added

    at_once(index, 4)

    assert sum(added) == 40
    meaning.check_level()


def test_threads_that_ask_first_at_once_share_what_is_opened(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning.indexed(NOTES)
    engine = meaning.open()
    adapters = engine._vault
    assert isinstance(adapters, Vault)
    seen: set[tuple[int, ...]] = set()

    def ask(number: int) -> None:
        seen.add((id(adapters.place), id(adapters.store), id(semantic_for(adapters))))
        check_sound(engine.search(f"word{number}"), f"{number:02}.md")

    at_once(ask, THREADS)

    assert len(seen) == 1


def test_closing_lets_go_of_what_every_thread_has_opened(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(NOTES)
    engine = meaning.open()
    asked, over = threading.Barrier(5), threading.Event()

    def ask(number: int) -> None:
        engine.search(f"word{number}")
        asked.wait(LIMIT_S)
        over.wait(LIMIT_S)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    asked.wait(LIMIT_S)
    engine.index()
    meaning.close()

    assert not (meaning.folder / "index.db-wal").exists()
    over.set()
    for thread in threads:
        thread.join(LIMIT_S)
