"""Facts of Hindsight among the hits of a search."""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from daemon_harness import harness_in
from hindsight_harness import Heard, HindsightHarness, Reply, as_json, fact, remembering
from search_harness import check_whole, harbour
from semantic_harness import LONG, MeaningHarness, WordModel

from glassmind.errors import HindsightFailed
from glassmind.model.search import HindsightDocument, SearchReply
from glassmind.models.breaker import WAITS_S
from glassmind.models.hindsight import HindsightServer
from glassmind.search.semantic import SemanticSearch
from glassmind.serve.daemon.protocol import pack, unpack
from glassmind.vault import Vault

LEAK = fact(1, "The owner said that the skiff leaks most after a dry winter.")
TOKEN = "a-token-of-the-test"  # noqa: S105 - of the test alone
QUESTION = "where does the skiff leaks"


@pytest.fixture
def memory() -> Iterator[HindsightHarness]:
    """A server that remembers one thing about boats."""
    with remembering(LEAK) as harness:
        yield harness


@pytest.fixture
def harness(meaning: MeaningHarness, memory: HindsightHarness) -> MeaningHarness:
    """The harbour, with that server beside it."""
    harbour(meaning)
    meaning.open(hindsight__url=memory.url, hindsight__bank="boats")
    return meaning


def facts_in(harness: MeaningHarness, text: str = QUESTION, **wanted: Any) -> list[str]:
    return [
        path for path in harness.found(text, **wanted) if path.startswith("hindsight")
    ]


def test_a_fact_is_a_hit_among_the_notes_and_says_why(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    reply = harness.ask(QUESTION)

    (hit,) = [one for one in reply.hits if not one.is_note]
    assert hit.path == "hindsight://boats/fact-1"
    assert hit.title == "Hindsight: world fact"
    assert hit.snippet.text == LEAK["text"]
    assert "remembered by Hindsight (world fact, 2026-03-01)" in hit.match_reason
    assert {one.channel for one in hit.evidence} == {"hindsight", "semantic"}
    assert "hindsight" in reply.channels
    assert reply.hits[0].is_note
    assert reply.degraded == ()
    check_whole(reply.hits)
    assert memory.asked == [QUESTION]


def test_the_server_is_asked_as_its_contract_says(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    harness.open(hindsight__bank="a b/ü", hindsight__token=TOKEN)

    harness.ask(QUESTION)

    (heard,) = memory.heard
    assert heard.path == "/v1/default/banks/a%20b%2F%C3%BC/memories/recall"
    assert heard.token == TOKEN
    assert heard.body["query"] == QUESTION
    assert heard.body["budget"] in {"low", "mid", "high"}
    assert heard.body["max_tokens"] > 0
    assert facts_in(harness) == ["hindsight://a%20b%2F%C3%BC/fact-1"]


def test_the_server_is_asked_while_meaning_is_still_at_work(
    harness: MeaningHarness, memory: HindsightHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, query = threading.Event(), harness.model.query

    def heard(_: Heard) -> None:
        asked.set()

    def waiting(text: str, /) -> Any:
        assert asked.wait(30), "nobody was asked meanwhile"
        return query(text)

    memory.misbehave = heard
    monkeypatch.setattr(harness.model, "query", waiting)

    assert facts_in(harness)


def test_a_question_longer_than_the_server_takes_is_cut(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    harness.ask("skiff 水 " * 400)

    assert len(memory.asked[0].encode()) <= 1_000
    assert memory.asked[0].startswith("skiff 水 skiff")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (QUESTION, {"mode": "fulltext"}),
        (QUESTION, {"mode": "semantic"}),
        (f"{QUESTION} tag:boat", {}),
        (f"{QUESTION} path:Boats", {}),
        (f"{QUESTION} after:2020", {}),
        (QUESTION, {"channels": ("lexical", "semantic")}),
        (QUESTION, {"intent": "backlink", "root_note": "Pitch"}),
        (QUESTION, {"facts": False}),
    ],
)
def test_nobody_is_asked_where_facts_have_no_place(
    harness: MeaningHarness, memory: HindsightHarness, text: str, wanted: dict[str, Any]
) -> None:
    reply = harness.ask(text, **wanted)

    assert memory.heard == []
    assert reply.hits
    assert all(hit.is_note for hit in reply.hits)
    assert not any("hindsight" in said for said in reply.degraded)


def test_a_channel_that_is_named_is_asked_alone(harness: MeaningHarness) -> None:
    assert harness.found(QUESTION, channels=("hindsight",)) == [
        "hindsight://boats/fact-1"
    ]
    assert facts_in(harness, mode="fulltext", channels=("hindsight",))


def test_a_channel_that_is_named_and_not_asked_says_why(
    harness: MeaningHarness,
) -> None:
    filtered = harness.ask(f"{QUESTION} tag:boat", channels=("lexical", "hindsight"))
    harness.open(hindsight__url="")
    unset = harness.ask(QUESTION, channels=("hindsight",))

    assert any("no filter" in said for said in filtered.degraded)
    assert unset.hits == ()
    assert any("set hindsight.url" in said for said in unset.degraded)


def test_without_a_url_nothing_is_begun(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harbour(meaning)
    monkeypatch.setitem(__import__("sys").modules, "glassmind.models.hindsight", None)

    assert meaning.found(QUESTION)
    assert meaning.engine.recalls() is None


def test_what_a_query_insists_on_holds_for_facts(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    memory.facts.append(fact(2, "The skiff was painted green in April."))

    assert facts_in(harness, 'skiff "painted green"') == ["hindsight://boats/fact-2"]
    assert facts_in(harness, "skiff -green") == ["hindsight://boats/fact-1"]


@pytest.mark.parametrize("fusion", ["minmax", "rrf", "weighted_rrf", "weighted_sum"])
@pytest.mark.parametrize("unique", ["notes", "chunks"])
@pytest.mark.parametrize("intent", ["auto", None, "factual_lookup", "serendipity"])
def test_facts_take_part_in_every_way_of_asking(
    harness: MeaningHarness, fusion: Any, unique: Any, intent: Any
) -> None:
    wishes = {"fusion": fusion, "unique": unique, "intent": intent}
    reply = harness.ask(QUESTION, **wishes)

    assert [hit.path for hit in reply.hits if not hit.is_note]
    check_whole(reply.hits)


def test_facts_that_say_nothing_to_the_question_push_no_note_away(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    notes = harness.found(QUESTION, facts=False)
    memory.facts = [fact(n, f"Invoice {n} was paid by the council.") for n in range(5)]

    for fusion in ("minmax", "weighted_rrf", "weighted_sum"):
        known = harness.found(QUESTION, facts=False, fusion=fusion, limit=50)
        found = harness.found(QUESTION, fusion=fusion, limit=50)
        assert [path for path in found if not path.startswith("hind")] == known
        assert found[:3] == known[:3]
    assert notes[0] == "Boats/Skiff.md"


def test_the_nearest_of_all_does_not_change_how_notes_are_weighed(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    memory.facts = [fact(1, QUESTION)]

    with_fact = {hit.path: hit.score for hit in harness.ask(QUESTION).hits}
    without = {hit.path: hit.score for hit in harness.ask(QUESTION, facts=False).hits}

    assert {path: with_fact[path] for path in without} == pytest.approx(without)


def test_confidence_is_that_of_the_vault_alone(
    harness: MeaningHarness, memory: HindsightHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.search.confidence.FITTED", "synonyms")
    memory.facts = [fact(1, "quokka quokka sightings")]

    reply = harness.ask("quokka sightings")
    known = harness.ask("quokka sightings", facts=False)

    assert not reply.hits[0].is_note
    assert reply.confidence == known.confidence
    assert known.confidence is not None


def test_a_least_similarity_is_asked_of_facts_too(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    memory.facts.append(fact(2, "Nothing of that kind at all was ever said here."))

    assert facts_in(harness, min_similarity=0.3) == ["hindsight://boats/fact-1"]


def test_facts_are_read_once_more_with_the_question_too(
    harness: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Reader:
        read: tuple[str, ...] = ()

        def scores(self, _: str, passages: Sequence[str], /) -> Iterator[float]:
            self.read = tuple(passages)
            yield from (0.9 if "dry winter" in passage else 0.1 for passage in passages)

    reader = Reader()
    monkeypatch.setattr(SemanticSearch, "reranker", lambda _: reader)

    reply = harness.ask(QUESTION, rerank="on")

    assert LEAK["text"] in reader.read
    (hit,) = [one for one in reply.hits if not one.is_note]
    assert [adjustment.name for adjustment in hit.adjustments] == ["rerank"]
    check_whole(reply.hits)


def test_what_this_vault_told_is_found_as_its_memo_and_not_twice(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    ours = "glassmind:Notes:.agent/memories/Caulking.md"
    gone = "glassmind:Notes:.agent/memories/Gone.md"
    text = "The skiff leaks less in salt water."
    memory.facts = [fact(n, text, document_id=ours) for n in range(9)]
    said = {"vault": "Notes", "path": ".agent/memories/Gone.md#Of June"}
    memory.facts += [
        fact(9, text, document_id=gone),  # what was forgotten stays so
        fact(10, text, document_id=None, metadata=said),
        fact(11, text, document_id=gone.replace("Notes", "Other")),
    ]

    assert facts_in(harness) == ["hindsight://boats/fact-11"]


def _said(status: int, value: Any) -> Any:
    def answer(_: Heard) -> Reply:
        return value if isinstance(value, tuple) else as_json(value, status)

    return answer


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        (_said(500, {"error": "out of order"}), "HTTP 500"),
        (_said(401, {"detail": "no"}), "HTTP 401"),
        (_said(200, (200, b"<html>")), "not JSON"),
        (_said(200, []), "no facts"),
        (_said(200, {"results": {"id": 1}}), "no facts"),
        (_said(200, {"memories": []}), "no facts"),
        (_said(200, (200, b"[" * 100_000)), "not JSON"),
    ],
)
def test_a_server_that_fails_costs_its_facts_and_nothing_else(
    harness: MeaningHarness, memory: HindsightHarness, odd: Any, told: str
) -> None:
    notes = harness.found(QUESTION, facts=False)
    memory.misbehave = odd

    reply = harness.ask(QUESTION)

    assert [hit.path for hit in reply.hits] == notes
    (said,) = reply.degraded
    assert said.startswith("hindsight: Hindsight gave no answer (")
    assert told in said


def test_odd_facts_are_passed_over(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    sound = {"id": 7, "text": f" {LEAK['text']} " + "x" * 9_000}
    odd: list[Any] = [
        None, 3, "text", [], {}, {"id": "a"}, {"id": "b", "text": 5},
        {"id": "c", "text": "  "}, {"id": "", "text": "skiff"},
        {"id": "x" * 999, "text": "skiff"}, {"id": ["d"], "text": "skiff"},
    ]  # fmt: skip
    twisted = fact(
        8,
        "The skiff \ud800 leaks\x1b[31m.\nHer bow too.",
        type=3,
        occurred_start="2026-99-99",
        mentioned_at=5,
        document_id={},
        entities="x",
        tags=[1, "two", None],
    )
    memory.facts = [*odd, sound, sound, twisted]

    found = harness.ask(QUESTION).hits
    hits = {str(hit.path): hit for hit in found if not hit.is_note}

    assert set(hits) == {"hindsight://boats/7", "hindsight://boats/fact-8"}
    assert len(hits["hindsight://boats/7"].snippet.text) < 300
    for hit in hits.values():
        assert "remembered by Hindsight (fact)" in hit.match_reason


def test_a_hundred_facts_are_no_flood(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    memory.facts = [fact(n, f"The skiff leaks, {n} times.") for n in range(100)]

    assert len(facts_in(harness, limit=50)) == 5


def test_a_server_that_hangs_is_waited_for_no_longer_than_set(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    harness.open(hindsight__timeout_s=0.3)
    harness.ask(QUESTION, facts=False)  # what loads is not counted
    memory.misbehave = memory.hang
    begun = time.monotonic()

    reply = harness.ask(QUESTION)

    assert 0.25 < time.monotonic() - begun < 5
    assert reply.hits
    assert "it took longer than 0.3 s" in reply.degraded[0]


def test_a_server_that_is_down_is_left_alone_for_a_while(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    memory.misbehave = _said(500, {})
    harness.ask(QUESTION)
    memory.misbehave = lambda _: None

    again = harness.ask(QUESTION)

    assert len(memory.heard) == 1
    assert again.hits
    assert "is asked again in" in again.degraded[0]


def test_nobody_listening_is_told(meaning: MeaningHarness) -> None:
    with remembering() as gone:
        url = gone.url
    harbour(meaning)
    meaning.open(hindsight__url=url)

    reply = meaning.ask(QUESTION)

    assert reply.hits
    assert "nothing listens there; see that it is started" in reply.degraded[0]


def test_another_machine_is_not_asked_without_consent(meaning: MeaningHarness) -> None:
    harbour(meaning)
    meaning.open(hindsight__url="http://192.0.2.1:8888", hindsight__token=TOKEN)

    for _ in range(2):
        (said,) = meaning.ask(QUESTION).degraded
        assert "hindsight.allow_remote" in said
        assert "192.0.2.1" in said
        assert TOKEN not in said


def test_failures_make_for_longer_waits_and_an_answer_ends_them(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    now = [0.0]
    server = HindsightServer(harness.engine.config.hindsight, lambda: now[0])
    memory.misbehave = _said(500, {})

    for wait_s in (*WAITS_S, WAITS_S[-1]):
        hearing = [server.ask("x"), server.ask("x")]  # both were on their way
        for hear in hearing:
            with pytest.raises(HindsightFailed, match="HTTP 500"):
                hear()
        now[0] += wait_s - 1
        with pytest.raises(HindsightFailed, match="asked again in 1 s"):
            server.ask("x")()
        with pytest.raises(HindsightFailed, match="asked again in 1 s"):
            server.tell(HindsightDocument("a", "b"))
        now[0] += 2
    memory.misbehave = lambda _: None

    assert server.ask("x")()
    assert len(memory.heard) == 2 * 4 + 1


def test_an_answer_with_facts_travels(harness: MeaningHarness) -> None:
    reply = harness.ask(QUESTION)

    assert not all(hit.is_note for hit in reply.hits)
    assert unpack(pack(reply), SearchReply) == reply


def test_a_steady_answer_has_its_facts_once(
    harness: MeaningHarness, memory: HindsightHarness
) -> None:
    harness.indexed({f"Many/{n}.md": f"The skiff leaks, note {n}." for n in range(80)})
    memory.heard.clear()

    long = harness.ask(QUESTION, limit=80, steady=True)
    short = harness.ask(QUESTION, limit=10, steady=True)

    assert long.hits[:10] == short.hits[:10]
    assert sum(not hit.is_note for hit in long.hits) == 1
    assert len(memory.asked) == 2


@pytest.mark.slow
def test_a_daemon_asks_for_its_clients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = WordModel()
    monkeypatch.setattr(Vault, "embedder", lambda _: model)
    monkeypatch.setattr(Vault, "embedder_of", lambda *_: model)
    with remembering(fact(1, "oolong is the one to buy")) as memory:
        for harness in harness_in(tmp_path):
            harness.settings["hindsight.url"] = memory.url
            words = ("oolong", "lantern", "harbour")
            harness.indexed({f"{word}.md": LONG.format(word) for word in words})
            harness.close()
            harness.daemon()
            client = harness.process()

            found = client.ask("search", text="oolong")

            assert client.role == "client"
            assert client.ask("asked") == 0
            assert "hindsight://default/fact-1" in found["paths"]
            assert len(memory.asked) == 1
