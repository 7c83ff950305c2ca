"""Hybrid answers: shares that add up, wishes that are heeded, one settled order."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_harness import Synonyms, check_whole, harbour
from semantic_harness import MeaningHarness
from vault_harness import VaultHarness

from glassmind.errors import (
    AmbiguousName,
    BadLimit,
    BadWish,
    ModelAbsent,
    NoteNotFound,
)
from glassmind.model import NotePath, Span
from glassmind.model.search import FusionName, Hit, HitChunk, Intent, Passage
from glassmind.model.vectors import Space
from glassmind.search.hits import merged
from glassmind.search.query import UNMEASURED
from glassmind.vault import Vault

SAMPLE = Path(__file__).parents[2] / "sample-vault"

WORDS = (
    *(
        "heron",
        "network",
        "battery",
        "river",
        "gauge",
        "who",
        "decided",
        "the",
        "bread",
    ),
    *("meeting", "winter", "radio", "node", "why", "flood", "nobody", "2025", "café"),
    *("tag:project", "-heron", '"the river"', "path:Meetings", "after:2025", "gaug*"),
    *("last", "week", "日記", "unheard-of", "linked", "to", "everything", "about"),
)
QUERIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)


@pytest.fixture
def harness(meaning: MeaningHarness) -> MeaningHarness:
    return harbour(meaning)


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeaningHarness]:
    """The sample vault with a model of words, indexed once."""
    harness = MeaningHarness(tmp_path_factory.mktemp("rich"))
    shutil.copytree(SAMPLE, harness.root, dirs_exist_ok=True)

    def of(_: Vault, space: Space) -> Any:
        return harness.models.get(space.name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Vault, "embedder", lambda _: harness.model)
        patch.setattr(Vault, "embedder_of", of)
        # learning what an answer looks like takes most of the time, and is not used
        patch.setattr("glassmind.search.semantic.learn_curve", lambda *_: None)
        harness.use(Synonyms())
        harness.index()
        yield harness
        harness.close()


def check_places(harness: VaultHarness, hits: tuple[Hit, ...]) -> None:
    """Every hit stands where it says, and is what it says."""
    for hit in hits:
        assert (harness.root / hit.path).is_file()
        note = harness.engine.read(hit.path, lines=(hit.lines.start, hit.lines.end))
        _, chunks = harness.engine.chunks(hit.path)
        parts: list[Hit | Passage] = [hit, *hit.more]
        for part in parts:
            chunk = chunks[part.chunk_index]
            assert part.heading_path == chunk.heading_path
            assert part.digest == chunk.digest
            assert part.lines.start <= chunk.lines.start <= chunk.lines.end
            assert chunk.lines.end <= part.lines.end
        assert note.title == hit.title
        shown = hit.snippet.text.strip("… ").split()
        assert all(word in " ".join(note.text.split()) for word in shown[1:-1])
        assert len({part.chunk_index for part in parts}) == len(parts)


@settings(max_examples=20, deadline=None)
@given(
    QUERIES,
    st.sampled_from(get_args(FusionName)),
    st.sampled_from((None, "auto", *get_args(Intent))),
    st.sampled_from(("notes", "chunks")),
)
def test_what_a_hit_shows_of_its_score_is_its_score(
    rich: MeaningHarness, text: str, fusion: FusionName, intent: Any, unique: Any
) -> None:
    reply = rich.ask(text, fusion=fusion, intent=intent, unique=unique)

    check_whole(reply.hits)
    assert reply.degraded == ()
    assert {name for hit in reply.hits for name in hit.channels} <= set(reply.channels)


@settings(max_examples=15, deadline=None)
@given(QUERIES, st.sampled_from((None, "context_load", "backlink")))
def test_a_hit_stands_where_it_says(
    rich: MeaningHarness, text: str, intent: Any
) -> None:
    hits = rich.ask(text, intent=intent, root_note="Heron network").hits

    check_places(rich, hits)
    for hit in hits:
        assert all((rich.root / path).is_file() for path in hit.connected_via)
        assert len(hit.connected_via) == hit.depth


@settings(max_examples=10, deadline=None)
@given(QUERIES, st.sampled_from(("notes", "chunks")))
def test_the_same_question_gets_the_same_answer(
    rich: MeaningHarness, text: str, unique: Any
) -> None:
    assert rich.ask(text, unique=unique) == rich.ask(text, unique=unique)


@settings(max_examples=10, deadline=None)
@given(QUERIES, st.sampled_from(get_args(FusionName)))
def test_fewer_hits_are_the_first_of_more(
    rich: MeaningHarness, text: str, fusion: FusionName
) -> None:
    more = rich.found(text, limit=40, fusion=fusion)

    assert rich.found(text, limit=7, fusion=fusion) == more[:7]


def test_a_rebuilt_index_gives_equal_answers(rich: MeaningHarness) -> None:
    asked = ("heron network battery", "why did nobody come", "tag:project the river")
    before = [rich.ask(text, limit=30).hits for text in asked]
    # notes moved away and back come last in the rows, and first when made anew
    for path in ("Home.md", "Projects/Heron network.md"):
        (rich.root / path).rename(rich.root / "aside.md")
        rich.index()
        (rich.root / "aside.md").rename(rich.root / path)
        rich.index()
    rich.index(compact=True)  # deleted passages count in a word's rarity until then
    moved = [rich.ask(text, limit=30).hits for text in asked]

    rich.index(rebuild=True)

    again = [rich.ask(text, limit=30).hits for text in asked]
    assert again == moved
    for hits, then in zip(again, before, strict=True):
        assert [hit.path for hit in hits] == [hit.path for hit in then]
        assert [h.score for h in hits] == pytest.approx([h.score for h in then])


def test_equal_scores_go_newest_first_then_by_path_even_where_the_limit_cuts_them(
    meaning: MeaningHarness,
) -> None:
    files = {f"{n:03}/Tea.md": "same tea, the same for all of them" for n in range(40)}
    meaning.write(dict(reversed(files.items())), at=1_000_000_000)
    meaning.write(
        {"new/Tea.md": "same tea, the same for all of them"}, at=1_500_000_000
    )
    meaning.index()

    hits = meaning.ask("tea", limit=30).hits
    few = meaning.found("tea", limit=5)

    assert [hit.path for hit in hits] == ["new/Tea.md", *sorted(files)[:29]]
    assert few == ["new/Tea.md", *sorted(files)[:4]]


def test_one_row_for_each_note_with_two_passages_at_most(rich: MeaningHarness) -> None:
    hits = rich.ask("heron network battery", limit=50).hits

    assert len({hit.path for hit in hits}) == len(hits)
    assert all(len(hit.more) <= 1 for hit in hits)
    assert any(hit.more for hit in hits)


def a_passage(index: int, first: int, last: int) -> HitChunk:
    path, span = NotePath("A.md"), Span(first, last)
    return HitChunk(
        index + 1, path, "A", (), span, index, "", 0, "", 1, generated=False
    )


def test_a_passage_is_shown_as_one_with_its_neighbour() -> None:
    main, before, behind, apart = (
        a_passage(3, 30, 39), a_passage(2, 20, 31), a_passage(4, 40, 44),
        a_passage(6, 60, 66),
    )  # fmt: skip

    assert merged(main, [before]) == (Span(20, 39), [])
    assert merged(main, [behind]) == (Span(30, 44), [])
    assert merged(main, [apart]) == (Span(30, 39), [apart])
    assert merged(main, []) == (Span(30, 39), [])


def test_one_row_for_each_passage_where_passages_are_asked_for(
    rich: MeaningHarness,
) -> None:
    hits = rich.ask("heron network battery", limit=50, unique="chunks").hits

    places = [(hit.path, hit.chunk_index) for hit in hits]
    assert len(set(places)) == len(places) == 50
    assert len({path for path, _ in places}) < 50
    assert all(hit.more == () for hit in hits)
    check_places(rich, hits)


@pytest.mark.parametrize("limit", [1, 3, 60])
@pytest.mark.parametrize("unique", ["notes", "chunks"])
def test_as_many_hits_are_given_as_are_wished_for(
    rich: MeaningHarness, limit: int, unique: Any
) -> None:
    reply = rich.ask("the heron network", limit=limit, unique=unique)

    assert len(reply.hits) == limit


@pytest.mark.parametrize("mode", ["hybrid", "semantic", "fulltext"])
def test_a_threshold_is_held_against_the_best(rich: MeaningHarness, mode: Any) -> None:
    every = rich.ask("heron network battery", mode=mode, limit=40).hits
    best = rich.ask("heron network battery", mode=mode, limit=40, threshold=0.6).hits

    assert 0 < len(best) < len(every)
    assert [h.path for h in best] == [h.path for h in every if h.relevance >= 0.6]
    assert best[0].relevance == every[0].relevance == 1.0
    assert every[-1].relevance < 0.6


def test_relevance_is_the_score_against_the_best(rich: MeaningHarness) -> None:
    for mode in ("hybrid", "semantic", "fulltext"):
        hits = rich.ask("heron network battery", mode=mode).hits

        for hit in hits:
            assert hit.relevance == pytest.approx(hit.score / hits[0].score)


def test_least_similarity_is_a_cosine(rich: MeaningHarness) -> None:
    every = rich.ask("heron network battery", limit=40).hits
    least = sorted(hit.similarity or 0 for hit in every)[20]

    hits = rich.ask("heron network battery", min_similarity=least, limit=40).hits

    assert hits
    assert all(hit.similarity is not None for hit in hits)
    assert min(hit.similarity or 0 for hit in hits) >= least
    assert rich.found("heron network battery", min_similarity=1.0) == []


def test_relevance_and_threshold_are_told_from_the_best_that_is_near_enough(
    rich: MeaningHarness,
) -> None:
    wish: dict[str, Any] = {"root_note": "Heron network", "intent": "backlink"}
    first, *others = rich.ask("what leads to the network", limit=40, **wish).hits
    least = (first.similarity or 0) + 0.001
    assert max(hit.similarity or 0 for hit in others) > least
    wish |= {"limit": 40, "min_similarity": least}

    near = rich.ask("what leads to the network", **wish).hits
    best = rich.ask("what leads to the network", threshold=0.7, **wish).hits

    assert first.path not in {hit.path for hit in near}
    check_whole(near)
    for hit in near:
        assert hit.relevance == pytest.approx(hit.score / near[0].score)
    assert () != best == tuple(hit for hit in near if hit.relevance >= 0.7) != near


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("skiff leaks", {"mode": "fulltext"}),
        ("skiff leaks", {"channels": ("lexical",)}),
        ("skiff leaks", {"channels": ("lexical", "graph")}),
        ("tag:boat/small", {}),
        ("tag:boat/small", {"root_note": "Pitch"}),
    ],
    ids=str,
)
def test_where_nothing_is_searched_by_meaning_least_similarity_is_told_to_be_unheeded(
    harness: MeaningHarness, text: str, wish: dict[str, Any]
) -> None:
    plain = harness.ask(text, **wish)

    reply = harness.ask(text, min_similarity=0.99, **wish)

    assert () != plain.hits == reply.hits
    assert (plain.degraded, reply.degraded) == ((), (UNMEASURED,))


def test_without_a_model_words_answer_and_least_similarity_is_told_to_be_unheeded(
    harness: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: Vault) -> Any:
        raise ModelAbsent("synonyms")

    monkeypatch.setattr(Vault, "embedder", absent)
    harness.models.clear()
    harness.open()

    reply = harness.ask("skiff leaks", min_similarity=0.99)

    assert reply.hits[0].path == "Boats/Skiff.md"
    assert reply.degraded[-1] == UNMEASURED
    assert harness.ask("skiff leaks").degraded == reply.degraded[:-1]


def test_where_meaning_is_asked_least_similarity_needs_no_word(
    harness: MeaningHarness,
) -> None:
    for mode in ("hybrid", "semantic"):
        reply = harness.ask("skiff leaks", min_similarity=0.99, mode=mode)

        assert (reply.hits, reply.degraded) == ((), ())


@pytest.mark.parametrize(
    "wish",
    [
        {"hop_depth": -1},
        {"hop_depth": 6},
        {"threshold": -0.1},
        {"threshold": 1.1},
        {"threshold": float("nan")},
        {"min_similarity": 1.5},
        {"mode": "magic"},
        {"intent": "guesswork"},
        {"fusion": "mean"},
        {"rerank": "maybe"},
        {"unique": "words"},
        {"channels": ("lexical", "psychic")},
        {"channels": ()},
    ],
    ids=str,
)
def test_a_wish_nobody_can_meet_is_an_error_that_says_what_can_be(
    harness: MeaningHarness, wish: dict[str, Any]
) -> None:
    (name,) = wish

    with pytest.raises(BadWish, match=name):
        harness.ask("skiff", **wish)


@pytest.mark.parametrize("limit", [0, -3, 10_001])
def test_a_limit_nobody_can_mean_is_an_error(
    harness: MeaningHarness, limit: int
) -> None:
    with pytest.raises(BadLimit):
        harness.ask("skiff", limit=limit)


@pytest.mark.parametrize("name", ["Pitch", "Pitch.md", "pitch", "black glue"])
def test_a_root_is_found_by_name_path_or_alias(
    harness: MeaningHarness, name: str
) -> None:
    reply = harness.ask("warm", root_note=name, intent="backlink")

    (skiff,) = [hit for hit in reply.hits if hit.path == "Boats/Skiff.md"]
    assert "graph" in skiff.channels
    assert "links to Pitch" in skiff.match_reason


def test_a_root_that_is_no_note_is_an_error(harness: MeaningHarness) -> None:
    with pytest.raises(NoteNotFound):
        harness.ask("skiff", root_note="Submarine of gold")


def test_a_root_that_may_be_two_notes_is_an_error(harness: MeaningHarness) -> None:
    harness.indexed({"x/Twin.md": "one of them", "y/Twin.md": "the other of them"})

    with pytest.raises(AmbiguousName):
        harness.ask("skiff", root_note="Twin")


def test_settings_choose_mode_and_fusion_where_the_call_does_not(
    harness: MeaningHarness,
) -> None:
    harness.open(search__mode="semantic", search__fusion="rrf")

    assert harness.ask("skiff leaks").channels == ("semantic",)
    (first, *_) = harness.ask("skiff leaks", mode="hybrid").hits
    assert {one.share for one in first.evidence} <= {1 / 60, 1 / 61, 1 / 62, 1 / 63}


def test_a_sum_weighs_as_the_settings_say(harness: MeaningHarness) -> None:
    harness.open(
        search__fusion="weighted_sum",
        search__semantic_weight=0.4,
        search__keyword_weight=0.3,
        search__link_weight=0.1,
        search__recency_weight=0.15,
        search__tag_weight=0.05,
    )

    hits = harness.ask("small skiff leaks", intent=None).hits

    (skiff,) = [hit for hit in hits if hit.path == "Boats/Skiff.md"]
    shares = {one.channel: one.share for one in skiff.evidence}
    lifts = {adjustment.name: adjustment.share for adjustment in skiff.adjustments}
    assert skiff.similarity is not None
    assert shares["semantic"] == pytest.approx(0.4 * skiff.similarity, abs=1e-6)
    assert shares["lexical"] == pytest.approx(0.3)
    assert 0 < lifts["recency"] < 0.15
    assert lifts["tag"] == pytest.approx(0.05)
    check_whole(hits)


def test_a_weight_of_nothing_leaves_its_part_out(harness: MeaningHarness) -> None:
    harness.open(search__recency_weight=0, search__tag_weight=0, search__link_weight=0)

    hits = harness.ask("small skiff leaks", fusion="weighted_sum", intent=None).hits

    assert all(hit.adjustments == () for hit in hits)
    assert {n for hit in hits for n in hit.channels} == {"lexical", "semantic"}
