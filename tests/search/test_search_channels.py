"""Each channel finds what it is there for, fails alone, and keeps to the filters."""

import shutil
from collections.abc import Sequence
from datetime import date
from typing import Any, cast

import pytest
from search_harness import HARBOUR, check_whole, harbour
from semantic_harness import LONG, MeaningHarness
from vault_harness import NOON, VaultHarness

from glassmind.errors import ModelAbsent, ModelFailed
from glassmind.model.search import Candidate, ChannelName, FusionName, Hit
from glassmind.search import channels
from glassmind.search.channels.memory import MemoryChannel
from glassmind.search.plan import Channel, HitPlace, Reason
from glassmind.store.sqlite.rows import SqliteRows
from glassmind.store.vectors.search import VectorIndex
from glassmind.vault import Vault

AGENT = {path for path in HARBOUR if path.startswith(".agent/")}


@pytest.fixture
def harness(meaning: MeaningHarness) -> MeaningHarness:
    return harbour(meaning)


def fails(reason: str) -> Any:
    """Return what takes the place of a function and fails."""

    def fail(*_: object, **__: object) -> None:
        raise ModelFailed("synonyms", reason)

    return fail


def test_words_meaning_and_links_answer_at_once(harness: MeaningHarness) -> None:
    reply = harness.ask("skiff leaks")

    assert (reply.mode, reply.degraded) == ("hybrid", ())
    assert set(reply.channels) == {"lexical", "semantic", "graph", "memory"}
    assert reply.hits[0].path == "Boats/Skiff.md"
    assert {"lexical", "semantic"} <= set(reply.hits[0].channels)
    check_whole(reply.hits)


def test_meaning_finds_what_no_word_finds(harness: MeaningHarness) -> None:
    assert harness.found("vessel drips", mode="fulltext") == []

    (first, *_) = harness.ask("vessel drips").hits

    assert first.path in {"Boats/Skiff.md", ".agent/memories/Caulking.md"}
    assert first.channels[0] == "semantic"
    assert first.similarity is not None
    assert first.match_reason.startswith("close in meaning (cosine 0.")


def test_links_find_what_neither_words_nor_meaning_name(
    harness: MeaningHarness,
) -> None:
    hits = harness.ask("skiff leaks", channels=("lexical", "graph")).hits

    (pitch,) = [hit for hit in hits if hit.path == "Pitch.md"]
    assert pitch.channels == ("graph",)
    assert (pitch.depth, pitch.connected_via) == (1, ("Boats/Skiff.md",))
    assert pitch.match_reason == (
        "linked from Skiff: The skiff leaks at the bow, and only hot [[Pitch]] will "
        "ever help it."
    )
    check_whole(hits)


def test_the_agents_notes_have_a_voice_of_their_own(harness: MeaningHarness) -> None:
    reply = harness.ask("skiff leaks", channels=("memory",))

    assert {hit.path for hit in reply.hits} <= AGENT
    assert reply.hits[0].path == ".agent/memories/Caulking.md"
    assert reply.hits[0].match_reason == "remembered"
    check_whole(reply.hits)


def test_what_nobody_approved_says_so_where_it_is_found(
    harness: MeaningHarness,
) -> None:
    memory = harness.engine.memory
    memory.capture("memory", "The skiff leaks again.", agent=True, client="deckhand")

    reply = harness.ask("skiff leaks", channels=("memory",))

    said = {hit.path.split("/")[1]: hit.match_reason for hit in reply.hits}
    assert said["inbox"] == "captured by an agent, not approved"
    assert said["memories"] == "remembered"


def test_what_was_just_captured_comes_first_by_the_channel_of_memory_too(
    harness: MeaningHarness,
) -> None:
    memory = harness.engine.memory
    made = memory.capture("decision", "Varnish the rudder twice before the regatta.")

    reply = harness.ask("varnish the rudder before the regatta")

    assert reply.hits[0].path == made.memory.path
    assert {"lexical", "memory"} <= set(reply.hits[0].channels)
    assert "memory" in reply.channels
    others = harness.found("varnish rudder", channels=("lexical", "semantic", "graph"))
    assert others[0] == made.memory.path
    check_whole(reply.hits)


def test_a_memo_that_says_little_of_a_question_gets_little(
    harness: MeaningHarness,
) -> None:
    harness.engine.memory.capture("memory", "The harbour master has a skiff.")

    reply = harness.ask("skiff leaks at the bow")

    assert reply.hits[0].path == "Boats/Skiff.md"
    shares = [e.share for h in reply.hits for e in h.evidence if e.channel == "memory"]
    assert shares
    assert max(shares) <= MemoryChannel.weight


def test_summaries_have_no_voice_of_their_own(harness: MeaningHarness) -> None:
    bundle = harness.engine.bundles.pack("skiff leaks", save=True)

    assert bundle.saved
    assert bundle.saved not in harness.found("skiff leaks", channels=("memory",))


def test_where_nothing_is_captured_memory_has_no_voice(meaning: MeaningHarness) -> None:
    meaning.indexed({"Skiff.md": "The skiff leaks at the bow.\n"})

    reply = meaning.ask("skiff leaks")

    assert "memory" not in reply.channels
    assert not any("memory" in hit.channels for hit in reply.hits)


@pytest.mark.parametrize("fusion", ["rrf", "weighted_rrf", "weighted_sum"])
def test_fusions_that_see_no_strength_hear_memory_with_an_intent_alone(
    harness: MeaningHarness, fusion: FusionName
) -> None:
    balanced = harness.ask("skiff leaks", fusion=fusion, intent=None)
    lookup = harness.ask("skiff leaks", fusion=fusion, intent="factual_lookup")

    assert "memory" not in balanced.channels
    assert "memory" in lookup.channels


def test_a_memory_is_found_by_its_meaning_too(harness: MeaningHarness) -> None:
    reply = harness.ask("vessel drips", channels=("semantic", "memory"))

    (memory,) = [h for h in reply.hits if h.path == ".agent/memories/Caulking.md"]
    assert "memory" in memory.channels


def test_days_that_a_question_names_lift_what_is_of_them(
    harness: MeaningHarness,
) -> None:
    reply = harness.ask("what about the island in May 2024")

    assert "recent" in reply.channels
    (log,) = [hit for hit in reply.hits if hit.path == "Log.md"]
    (said,) = [one for one in log.evidence if one.channel == "recent"]
    assert said.reason == "from the days asked for"
    assert said.share > 0
    barge = [hit for hit in reply.hits if hit.path == "Boats/Barge.md"]
    assert all("recent" not in hit.channels for hit in barge)


@pytest.mark.parametrize("broken", ["query", "width", "closed"])
def test_without_an_answer_of_the_model_words_and_links_answer(
    harness: MeaningHarness, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if broken == "query":
        monkeypatch.setattr(harness.model, "query", fails("it is tired"))
    elif broken == "width":
        monkeypatch.setattr(harness.model, "query", lambda _: None)
    else:
        monkeypatch.setattr(VectorIndex, "best", fails("no file"))

    reply = harness.ask("skiff leaks")

    assert reply.hits[0].path == "Boats/Skiff.md"
    assert "Pitch.md" in [hit.path for hit in reply.hits]
    heard = {name for hit in reply.hits for name in hit.channels}
    assert heard == {"lexical", "graph", "memory"}
    assert len([said for said in reply.degraded if said.startswith("semantic: ")]) == 1
    check_whole(reply.hits)


def test_damaged_vectors_are_named_and_words_answer(harness: MeaningHarness) -> None:
    harness.close()
    for file in (harness.folder / "vectors").rglob("*"):
        if file.is_file():
            file.write_bytes(b"\x00" * 7)

    reply = harness.ask("skiff leaks")

    assert reply.hits[0].path == "Boats/Skiff.md"
    assert reply.degraded != ()
    check_whole(reply.hits)


def test_vectors_that_are_gone_are_missed_loudly(harness: MeaningHarness) -> None:
    harness.close()
    shutil.rmtree(harness.folder / "vectors")

    reply = harness.ask("skiff leaks")

    assert reply.hits[0].path == "Boats/Skiff.md"
    assert any("run: glassmind index" in said for said in reply.degraded)


@pytest.mark.parametrize("error", [ModelFailed("links", "no"), ZeroDivisionError("no")])
def test_links_that_cannot_be_read_are_missed_by_name(
    harness: MeaningHarness, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(SqliteRows, "edges", fail)

    reply = harness.ask("skiff leaks")

    assert reply.hits[0].path == "Boats/Skiff.md"
    assert len(reply.degraded) == 1
    assert reply.degraded[0].startswith("graph: ")
    assert "no" in reply.degraded[0]
    heard = {name for hit in reply.hits for name in hit.channels}
    assert heard == {"lexical", "semantic", "memory"}
    check_whole(reply.hits)


def test_a_memory_that_cannot_be_read_is_missed_by_name(
    harness: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SqliteRows, "note_ids", fails("no folder"))

    reply = harness.ask("skiff leaks", intent="factual_lookup")

    assert reply.hits[0].path == "Boats/Skiff.md"
    assert [said.partition(":")[0] for said in reply.degraded] == ["memory"]


def test_without_a_model_words_and_links_answer_and_say_so(
    harness: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: Vault) -> None:
        raise ModelAbsent("synonyms")

    monkeypatch.setattr(Vault, "embedder", absent)
    harness.models.clear()
    harness.open()

    reply = harness.ask("skiff leaks")

    (said,) = reply.degraded
    assert said.startswith("semantic: the model synonyms is not on this machine; run: ")
    assert "Pitch.md" in [hit.path for hit in reply.hits]
    check_whole(reply.hits)


def test_by_meaning_alone_without_a_model_nothing_is_found_and_it_is_said(
    harness: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness.model, "query", fails("it is tired"))

    reply = harness.ask("skiff leaks", mode="semantic")

    assert reply.hits == ()
    assert reply.degraded == (
        "semantic: the model synonyms gave no answer (it is tired)",
    )


def test_before_anything_is_embedded_words_and_links_answer(
    meaning: MeaningHarness,
) -> None:
    meaning.write(HARBOUR)
    meaning.index(embed=False)

    reply = meaning.ask("skiff leaks")

    assert reply.hits[0].path == "Boats/Skiff.md"
    (said,) = reply.degraded
    assert said.startswith("semantic: ")
    assert "run: glassmind index" in said


def test_notes_without_vectors_are_said_to_be_missing_from_meaning(
    harness: MeaningHarness,
) -> None:
    harness.write(
        {"New.md": "A second skiff has been promised by the neighbour's uncle."}
    )
    harness.index(embed=False)

    reply = harness.ask("skiff leaks")

    assert "New.md" in [hit.path for hit in reply.hits]
    (missing,) = reply.degraded
    assert missing.endswith("searched by meaning so far; run: glassmind index")


def test_meaning_weighs_by_how_much_of_the_vault_it_covers(
    harness: MeaningHarness,
) -> None:
    whole = harness.ask("skiff leaks")
    harness.write(
        {f"More {n}.md": f"{LONG.format('pebble')} {n}" for n in range(len(HARBOUR))}
    )
    harness.index(embed=False)

    half = harness.ask("skiff leaks")

    def most(hits: Sequence[Hit]) -> float:
        given = [e.share for h in hits for e in h.evidence if e.channel == "semantic"]
        return max(given)

    assert most(whole.hits) == pytest.approx(0.5)
    assert most(half.hits) < 0.25


def test_where_no_model_is_wanted_words_answer_and_nothing_is_missed(
    vault: VaultHarness,
) -> None:
    vault.indexed(HARBOUR)

    reply = vault.ask("skiff leaks")

    assert (reply.mode, reply.degraded) == ("fulltext", ())
    assert reply.channels == ("lexical",)


FILTERS = (
    ("tag:boat", {"Boats/Skiff.md", "Boats/Barge.md"}),
    ("-tag:boat/small", set(HARBOUR) - {"Boats/Skiff.md"}),
    ("path:Boats", {"Boats/Skiff.md", "Boats/Barge.md"}),
    ("file:pitch", {"Pitch.md"}),
    ("[status:old]", {"Boats/Skiff.md"}),
    ("[status]", {"Boats/Skiff.md", "Boats/Barge.md"}),
    ("after:2024-04-01 before:2024-05-01", {"Boats/Barge.md"}),
    ('"iron kettle"', {"Pitch.md"}),
    ("tag:remembered", {".agent/memories/Caulking.md"}),
)

WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"mode": "semantic"},
    {"mode": "fulltext"},
    {"channels": ("graph",)},
    {"channels": ("memory",)},
    {"intent": "factual_lookup"},
    {"intent": "context_load", "root_note": "Skiff"},
    {"intent": "backlink", "root_note": "Skiff"},
    {"fusion": "rrf"},
    {"unique": "chunks"},
)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_every_filter_holds_in_every_channel(
    harness: MeaningHarness, way: dict[str, Any]
) -> None:
    for filters, passing in FILTERS:
        reply = harness.ask(f"skiff leaks {filters}", limit=50, **way)

        assert {hit.path for hit in reply.hits} <= set(passing), filters
        assert reply.degraded == ()
        check_whole(reply.hits)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_no_passage_is_shown_that_holds_what_is_excluded(
    harness: MeaningHarness, way: dict[str, Any]
) -> None:
    part = "tar brush and rope and sail and mast and oar {0} " * 40
    long = "".join(
        f"## Part {n}\n\n{part.format(word)}\n\n"
        for n, word in enumerate(["wet", "dry", "wet"])
    )
    harness.write(
        {"Long.md": long, "Root.md": "The skiff leaks: [[Long]] has it, says Jan."}
    )
    harness.index()

    hits = harness.ask("skiff leaks -wet", limit=50, **way).hits

    for hit in hits:
        _, chunks = harness.engine.chunks(hit.path)
        shown = [chunks[hit.chunk_index], *(chunks[m.chunk_index] for m in hit.more)]
        assert not any(" wet " in f" {chunk.text} " for chunk in shown)


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_a_filtered_search_still_fills_its_limit(
    meaning: MeaningHarness, mode: str
) -> None:
    near = {f"near/{n}.md": f"the skiff leaks {'leaks ' * 12} {n}" for n in range(400)}
    far = {
        f"far/{n}.md": f"nothing of it, only beans and onions and the wall {n}"
        for n in range(12)
    }
    meaning.indexed({**near, **far})

    found = meaning.found("skiff leaks path:far", mode=mode, limit=10)

    assert len(found) == 10
    assert all(path.startswith("far/") for path in found)
    assert len(meaning.found("skiff leaks", mode=mode, limit=250)) == 250


def test_filters_alone_list_what_passes_newest_first(harness: MeaningHarness) -> None:
    assert harness.found("tag:boat") == ["Boats/Barge.md", "Boats/Skiff.md"]


def test_filters_alone_with_a_root_list_what_is_linked_and_passes(
    harness: MeaningHarness,
) -> None:
    for intent in ("context_load", "factual_lookup"):
        reply = harness.ask("path:md", root_note="Skiff", intent=intent)

        assert {"Pitch.md", "Log.md"} <= {hit.path for hit in reply.hits}
        assert reply.degraded == ()
        check_whole(reply.hits)


def test_links_alone_begin_with_what_words_would_have_found(
    harness: MeaningHarness,
) -> None:
    reply = harness.ask("it drips at the bow all day long", channels=("graph",))

    assert [hit.path for hit in reply.hits] == ["Pitch.md"]
    assert reply.channels == ("graph",)
    check_whole(reply.hits)


def test_only_the_channels_named_are_asked(
    harness: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    best = VectorIndex.best

    def counted(self: VectorIndex, *args: Any, **kwargs: Any) -> Sequence[Candidate]:
        asked.append("semantic")
        return best(self, *args, **kwargs)

    monkeypatch.setattr(VectorIndex, "best", counted)

    assert harness.ask("skiff leaks", channels=("lexical",)).channels == ("lexical",)
    assert harness.ask("skiff leaks", mode="fulltext").channels == ("lexical",)
    assert asked == []
    assert harness.ask("skiff leaks", mode="semantic").channels == ("semantic",)
    assert asked == ["semantic"]


def test_channels_that_have_nothing_to_say_are_silent(harness: MeaningHarness) -> None:
    for name in ("implicit", "recent"):
        reply = harness.ask("skiff leaks", channels=(name,))

        assert (reply.hits, reply.degraded) == ((), ())


def test_a_language_model_that_may_not_be_asked_costs_its_own_word_only(
    meaning: MeaningHarness,
) -> None:
    harbour(meaning)
    meaning.open(
        search__intent_model="gemma2:2b", embeddings__url="http://models.example"
    )

    reply = meaning.ask("skiff leaks")

    assert reply.hits
    (said,) = reply.degraded
    assert said.startswith("intent: models.example is not this machine")


@pytest.mark.parametrize("notes", [{}, {"Empty.md": ""}])
def test_where_there_is_nothing_to_embed_nothing_is_missing(
    meaning: MeaningHarness, notes: dict[str, str]
) -> None:
    meaning.write(notes)
    meaning.index()

    assert meaning.ask("skiff leaks").degraded == ()


@pytest.mark.parametrize(
    "text",
    [
        "last week",
        "what did I write last week",
        "since two weeks ago",
        "what happened over the last three months",
        "in the last two years",
        "what did I write before 2025",
        "everything until May 2024",
        "between Jan and May 2024",
        "from the 20th to the 24th of April 2024",
        "last week's notes",
    ],
)
def test_a_question_about_days_alone_is_answered_by_those_days(
    harness: MeaningHarness, text: str
) -> None:
    harness.write({"Fresh.md": LONG.format("kettle")}, at=NOON - 86_400 * 7)
    harness.index()

    reply = harness.ask(text, today=date(2024, 5, 1))

    assert reply.channels == ("recent",)
    assert "Fresh.md" in [hit.path for hit in reply.hits]


def test_words_that_count_back_from_today_are_not_looked_for(
    harness: MeaningHarness,
) -> None:
    harness.indexed({"Years.md": LONG.format("kettle over the last two years")})

    reply = harness.ask("skiff leaks over the last two years", today=date(2024, 5, 1))

    assert reply.hits[0].path == "Boats/Skiff.md"
    found = {hit.path for hit in reply.hits if "lexical" in hit.channels}
    assert "Years.md" not in found
    assert {"lexical", "recent"} <= set(reply.channels)


@pytest.mark.parametrize("fusion", ["minmax", "rrf", "weighted_sum"])
def test_a_question_about_days_alone_is_answered_the_newest_day_first(
    harness: MeaningHarness, fusion: str
) -> None:
    days = [f"2023-{month:02}-15" for month in range(1, 13)]
    for age, day in enumerate(days):  # what is of the latest day was changed first
        harness.write({f"{day}.md": LONG.format("kettle")}, at=NOON - 86_400 * 9 * age)
    harness.index()

    reply = harness.ask(
        "what did I write in 2023", today=date(2024, 5, 1), limit=12, fusion=fusion
    )

    assert [hit.path[:-3] for hit in reply.hits] == days[::-1]
    assert [hit.evidence[0].rank for hit in reply.hits] == list(range(1, 13))


def test_the_newer_of_two_does_not_overtake_a_better_one_where_ranks_alone_count(
    harness: MeaningHarness,
) -> None:
    old = {f"Old {n}.md": "frost cracked the battery, its capacity" for n in range(8)}
    harness.write(old, at=NOON - 86_400 * 400)
    harness.write({"Shopping.md": "a battery and other things to buy"}, at=NOON)
    harness.index()

    reply = harness.ask(
        "frost cracked battery capacity", fusion="rrf", today=date(2024, 5, 1)
    )

    assert reply.hits[0].path.startswith("Old ")


def test_where_no_notes_are_alike_likeness_finds_nothing_and_harms_nothing(
    harness: MeaningHarness,
) -> None:
    alone = harness.ask("skiff leaks", channels=("implicit",))
    beside = harness.ask("skiff leaks", channels=("lexical", "implicit"))

    assert (alone.hits, alone.degraded) == ((), ())
    assert beside.hits[0].path == "Boats/Skiff.md"


class Shortest(Channel):
    """A toy: finds the notes with the shortest paths."""

    name = cast("ChannelName", "shortest")
    weight = 0.5

    def candidates(self) -> list[Candidate]:
        notes = sorted(self.run.rows.note_ids(folder="Boats"))
        return [Candidate(0, note, 1.0) for note in notes]

    def reason(self, _: HitPlace) -> Reason:
        return Reason("has a short path")


def test_a_channel_is_added_by_listing_it(
    harness: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "CHANNELS", [*channels.CHANNELS, Shortest])

    hits = harness.ask("onions").hits

    said = {hit.path: hit for hit in hits if Shortest.name in hit.channels}
    assert said.keys() == {"Boats/Skiff.md", "Boats/Barge.md"}
    for hit in said.values():
        (evidence,) = [one for one in hit.evidence if one.channel == Shortest.name]
        assert (evidence.share, evidence.reason) == (0.5, "has a short path")
    check_whole(hits)
