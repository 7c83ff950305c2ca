"""Engines that stay open while the index below them changes."""

import os
import shutil
import threading
from typing import Any

import pytest
from semantic_harness import LONG, MeaningHarness, WordModel

from glassmind.model.index import WatchState
from glassmind.model.search import SearchReply
from glassmind.model.vectors import Embeddable, Space
from glassmind.obsidian.text import Style
from glassmind.operations.maintain import status_result, status_text
from glassmind.operations.registry import joined
from glassmind.search import search as hybrid
from glassmind.search.intent import Guess
from glassmind.search.plan import Run
from glassmind.store.lock import LOCKS
from glassmind.store.watch_state import write_state
from glassmind.vault import Vault

NOTES = {f"{n:02}.md": LONG.format(f"word{n}") for n in range(40)}

BATCH = 32
"""Chunks of the first batch: when the next begins, its vectors are in the rows."""


def ask_meanwhile(harness: MeaningHarness, **wish: Any) -> list[SearchReply]:
    """Let the engine opened last be asked once, while another embeds the vault."""
    daemon, begun = harness.engine, len(harness.model.seen)
    found: list[SearchReply] = []

    def ask(_: Embeddable) -> None:
        if not found and len(harness.model.seen) > begun + BATCH:
            found.append(daemon.search("word7", **wish))

    harness.model.before = ask
    return found


def test_an_index_begun_anew_is_not_answered_from_the_vectors_of_the_old_one(
    meaning: MeaningHarness,
) -> None:
    meaning.use(WordModel("wide", 1_024))
    meaning.indexed(NOTES)
    assert meaning.ask("word7", mode="semantic").hits[0].path == "07.md"
    meaning.remove("00.md")  # so that the same ids are those of other notes
    found = ask_meanwhile(meaning, mode="semantic")
    meaning.open()

    meaning.index(rebuild=True)

    (reply,) = found
    assert reply.hits == ()
    assert any("not in place yet" in said for said in reply.degraded)
    assert meaning.ask("word7", mode="semantic").hits[0].path == "07.md"


def test_a_question_under_way_is_answered_though_the_index_is_begun_anew(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning.indexed(
        {"Tea.md": LONG.format("tea [[Pot]]"), "Pot.md": LONG.format("pot")}
    )
    daemon, other, usual = meaning.open(), meaning.open(), hybrid.ask_leaders

    def begun_anew(run: Run) -> Guess | None:
        other.index(rebuild=True, embed=False)
        return usual(run)

    monkeypatch.setattr(hybrid, "ask_leaders", begun_anew)

    reply = daemon.search("tea")

    assert reply.hits[0].path == "Tea.md"


def test_many_that_ask_first_at_once_open_one_model(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning.indexed(NOTES)
    engine, count = meaning.open(), 4
    together = threading.Barrier(count)
    opened: list[Space] = []

    def slowly(_: Vault, space: Space) -> WordModel:
        opened.append(space)
        threading.Event().wait(0.1)  # the others get here meanwhile, if they may
        return meaning.model

    monkeypatch.setattr(Vault, "embedder_of", slowly)
    replies: list[SearchReply] = []

    def ask() -> None:
        together.wait(10)
        replies.append(engine.search("word7"))

    threads = [threading.Thread(target=ask) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert [reply.hits[0].path for reply in replies] == ["07.md"] * count
    assert len(opened) == 1


tells_of_locks = pytest.mark.skipif(
    not LOCKS.exists(), reason="the system tells nobody who holds a lock"
)


@tells_of_locks
def test_what_is_being_embedded_is_not_asked_for_again(meaning: MeaningHarness) -> None:
    meaning.indexed(NOTES)
    meaning.write({f"new {n}.md": LONG.format(f"new{n}") for n in range(40)})
    found = ask_meanwhile(meaning)

    meaning.index()

    (reply,) = found
    (said,) = reply.degraded
    assert said.endswith(
        "% of the vault is searched by meaning so far; the rest is being embedded"
    )


@tells_of_locks
def test_a_first_pass_under_way_says_what_is_true_of_the_vectors(
    meaning: MeaningHarness,
) -> None:
    meaning.write(NOTES)
    found = ask_meanwhile(meaning)

    meaning.index()

    (reply,) = found
    said = [one for one in reply.degraded if one.startswith("semantic: ")]
    assert said == [
        "semantic: the vectors are not in place yet; that is being done now"
    ]


def test_vectors_that_are_not_in_place_are_said_to_be_so(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(NOTES)
    meaning.close()
    for matrix in meaning.folder.glob("vectors*"):
        shutil.rmtree(matrix)

    (said,) = meaning.ask("word7", mode="semantic").degraded

    assert said.endswith("the vectors are not in place yet; run: glassmind index")


def test_where_somebody_follows_the_vault_the_rest_comes_by_itself(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(NOTES)
    meaning.write({"New.md": LONG.format("new")})
    meaning.index(embed=False)
    write_state(meaning.folder, WatchState("watching", pid=os.getpid()))

    (said,) = meaning.ask("word7").degraded
    status = joined(
        status_text(status_result(meaning.engine.status(), "/x"), None, Style())
    )

    assert said.endswith("the rest is being embedded")
    assert "the rest is being embedded" in status
    assert "glassmind index" not in status
