"""Links lead on: how far, how strongly, from where, and what is said of it."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_harness import check_whole, harbour
from semantic_harness import MeaningHarness

from glassmind.model.graph import CONFIDENCE, Edge, LinkLine
from glassmind.search.channels.graph import (
    MOST_VISITED,
    Vote,
    described,
    spread,
    together,
    walk,
)
from glassmind.search.intent import guess_intent
from glassmind.store.lexical.search import TantivyQuery
from glassmind.store.sqlite.rows import SqliteRows

LONG = 8
"""Words of a question that counts as a sentence."""


class Links(SqliteRows):
    """Links between numbered notes, in memory."""

    def __init__(
        self,
        pairs: Iterable[tuple[int, int]],
        *,
        by_property: Collection[tuple[int, int]] = (),
        lines: Iterable[LinkLine] = (),
    ) -> None:
        self.known = [
            Edge(*pair, "related" if pair in by_property else "") for pair in pairs
        ]
        self.lines = list(lines)

    def edges(self, note_ids: Collection[int], *, backward: bool = False) -> list[Edge]:
        end = "target" if backward else "source"
        return [edge for edge in self.known if getattr(edge, end) in note_ids]

    def inbound(self, note_ids: Collection[int]) -> dict[int, int]:
        sources = {n: {e.source for e in self.known if e.target == n} for n in note_ids}
        return {n: len(found) for n, found in sources.items() if found}

    def link_lines(self, _: Collection[int]) -> list[LinkLine]:
        return self.lines


class Said(TantivyQuery):
    """Asked words that know how much of them stands in each line."""

    def __init__(self, coverage: dict[str, float]) -> None:
        self.known = coverage

    def coverage(self, text: str) -> float:
        return self.known[text]


CHAIN = Links([(1, 2), (2, 3), (3, 4), (5, 1)])


def test_a_walk_goes_both_ways_and_fades_with_every_hop() -> None:
    votes = {vote.note_id: vote for vote in walk([1], CHAIN, hops=3)}

    assert {note: vote.depth for note, vote in votes.items()} == {
        1: 0, 2: 1, 5: 1, 3: 2, 4: 3,
    }  # fmt: skip
    scores = [votes[note].score for note in (2, 3, 4)]
    assert scores == [0.5, 0.25, 0.125]
    assert votes[4].via == (1, 2, 3)
    assert votes[5].backward
    assert not votes[2].backward


@pytest.mark.parametrize(
    ("hops", "reached"),
    [(0, {1}), (1, {1, 2, 5}), (2, {1, 2, 5, 3}), (5, {1, 2, 3, 4, 5})],
)
def test_a_walk_goes_no_further_than_wished(hops: int, reached: set[int]) -> None:
    assert {vote.note_id for vote in walk([1], CHAIN, hops=hops)} == reached


def test_a_walk_begins_with_its_roots() -> None:
    links = Links([(9, 2), (9, 3), (4, 9)])

    assert [vote.note_id for vote in walk([9], links, hops=2)] == [9, 2, 3, 4]


def test_backward_alone_finds_what_leads_to_the_root_and_not_the_root() -> None:
    links = Links([(1, 9), (9, 2), (3, 9)])

    votes = walk([9], links, hops=1, backward_only=True)

    assert [(vote.note_id, vote.via) for vote in votes] == [(1, (9,)), (3, (9,))]
    assert all(vote.backward and vote.depth == 1 for vote in votes)


def test_a_link_in_a_property_says_less_than_one_in_a_sentence() -> None:
    links = Links([(1, 2), (1, 3)], by_property=[(1, 2)])

    votes = {vote.note_id: vote.score for vote in walk([1], links, hops=1)}
    spreading = spread([(1, 1.0)], links, LONG)

    assert CONFIDENCE["property"] == 0.7
    assert (votes[2], votes[3]) == (0.35, 0.5)
    assert spreading[2].score == pytest.approx(0.7 * spreading[3].score)


def test_the_stronger_of_two_ways_counts() -> None:
    links = Links([(1, 2), (1, 3), (2, 4), (3, 4)], by_property=[(1, 2)])

    (vote,) = [vote for vote in walk([1], links, hops=2) if vote.note_id == 4]

    assert (vote.score, vote.via) == (0.25, (1, 3))


def test_a_walk_through_a_hub_ends() -> None:
    links = Links([(1, note) for note in range(2, 3 * MOST_VISITED)])

    assert len(walk([1], links, hops=5)) == MOST_VISITED


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)), max_size=30),
    st.integers(0, 5),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_any_walk_is_bounded_ordered_and_the_same_for_any_order_of_links(
    pairs: list[tuple[int, int]], hops: int, backward_only: bool, chance: Any
) -> None:
    links = [pair for pair in dict.fromkeys(pairs) if pair[0] != pair[1]]
    shuffled = list(links)
    chance.shuffle(shuffled)

    votes = walk([1], Links(links), hops=hops, backward_only=backward_only)
    again = walk([1], Links(shuffled), hops=hops, backward_only=backward_only)

    assert votes == again
    assert len({vote.note_id for vote in votes}) == len(votes)
    for vote in votes:
        assert 0 < vote.score <= 1
        assert len(vote.via) == vote.depth <= hops
    scores = [vote.score for vote in votes]
    assert scores == sorted(scores, reverse=True)


def test_a_hit_shares_its_strength_among_what_it_links_to() -> None:
    few = spread([(1, 1.0)], Links([(1, 2)]), LONG)
    many = spread([(1, 1.0)], Links([(1, note) for note in range(2, 6)]), LONG)

    assert few[2].score == 1.0
    assert many[2].score == pytest.approx(0.5)


def test_a_note_that_is_linked_from_everywhere_gets_less() -> None:
    links = Links([(1, 2), *((note, 2) for note in range(10, 13))])

    assert spread([(1, 1.0)], links, LONG)[2].score == pytest.approx(0.5)


def test_strength_adds_up_from_several_hits_but_not_beyond_one() -> None:
    links = Links([(1, 9), (2, 9), (3, 9)])

    weak = spread([(1, 0.3), (2, 0.2)], links, LONG)[9]
    strong = spread([(1, 1.0), (2, 1.0), (3, 1.0)], links, LONG)[9]

    assert weak.score == pytest.approx(0.5 / 3**0.5)
    assert weak.via == (1,)
    assert strong.score == 1.0


def test_a_short_question_is_mostly_a_name_and_spreads_less() -> None:
    links = Links([(1, 2)])

    assert spread([(1, 1.0)], links, 2)[2].score == pytest.approx(0.25)
    assert spread([(1, 1.0)], links, 20)[2].score == 1.0


def test_hits_without_links_lead_nowhere() -> None:
    assert spread([(1, 1.0)], Links([]), LONG) == {}
    assert spread([], CHAIN, LONG) == {}


def test_a_line_speaks_for_what_it_links_to_by_what_it_says() -> None:
    lines = [LinkLine(1, 9, "weak"), LinkLine(2, 9, " strong "), LinkLine(1, 8, "none")]
    asked = Said({"weak": 0.2, " strong ": 0.8, "none": 0.0})

    votes = described(Links([], lines=lines), asked, [7])

    step = Edge(2, 9, "", "link")
    assert votes == {9: Vote(9, 0.8, 1, (2,), "strong", steps=(step,))}


def test_both_kinds_of_votes_count_half() -> None:
    spreading = {1: Vote(1, 0.6, 1, (5,)), 2: Vote(2, 1.0, 1, (5,))}
    lines = {1: Vote(1, 0.8, 1, (6,), "said"), 3: Vote(3, 0.2, 1, (6,), "so")}

    votes = together(spreading, lines)

    assert [(vote.note_id, vote.score) for vote in votes] == [
        (1, pytest.approx(0.7)), (2, 0.5), (3, 0.1),
    ]  # fmt: skip
    assert votes[0].line == "said"


@pytest.fixture
def harness(meaning: MeaningHarness) -> MeaningHarness:
    return harbour(meaning)


def test_an_intent_is_told_where_it_was_acted_on_alone(harness: MeaningHarness) -> None:
    sure = harness.ask("what links to Skiff")
    unsure = harness.ask("skiff leaks")
    rootless = harness.ask("what links to the Nowhere of nobody")

    assert guess_intent("skiff leaks").intent == "conceptual"
    assert guess_intent("what links to the Nowhere of nobody").is_sure
    assert (sure.intent, unsure.intent, rootless.intent) == ("backlink", None, None)


def test_a_backlink_query_returns_what_links_to_the_note(
    harness: MeaningHarness,
) -> None:
    reply = harness.ask("what links to Skiff", intent="backlink", root_note="Skiff")

    assert reply.intent == "backlink"
    linking = [hit for hit in reply.hits if "graph" in hit.channels]
    assert [hit.path for hit in linking] == ["Log.md"]
    assert reply.hits[0].path == "Log.md"
    assert "links to Skiff" in reply.hits[0].match_reason


@pytest.mark.parametrize(
    ("hops", "linking"), [(0, []), (1, ["Boats/Skiff.md"]), (5, ["Boats/Skiff.md"])]
)
def test_a_backlink_query_follows_one_link_unless_none_may_be_followed(
    harness: MeaningHarness, hops: int, linking: list[str]
) -> None:
    reply = harness.ask(
        "what links to Pitch", intent="backlink", root_note="Pitch", hop_depth=hops
    )

    assert [hit.path for hit in reply.hits if "graph" in hit.channels] == linking


def test_a_backlink_query_finds_its_note_in_the_question(
    harness: MeaningHarness,
) -> None:
    for text in ("what links to Pitch", "which notes mention black glue"):
        reply = harness.ask(text, intent="backlink")

        linking = [hit.path for hit in reply.hits if "graph" in hit.channels]
        assert linking == ["Boats/Skiff.md"]


def test_a_backlink_query_that_names_no_note_is_a_plain_one(
    harness: MeaningHarness,
) -> None:
    reply = harness.ask("what links to the moon", intent="backlink")

    assert reply.degraded == ()
    check_whole(reply.hits)


@pytest.mark.parametrize(
    ("hops", "far"), [(0, set()), (1, {"Log.md", "Pitch.md"}), (2, {"Kettle.md"})]
)
def test_context_is_loaded_around_the_root_as_far_as_wished(
    harness: MeaningHarness, hops: int, far: set[str]
) -> None:
    reply = harness.ask(
        "everything for the repair",
        intent="context_load",
        root_note="Skiff",
        hop_depth=hops,
        channels=("graph",),
    )

    (root,) = [hit for hit in reply.hits if hit.path == "Boats/Skiff.md"]
    assert root.match_reason == "the note asked about"
    assert root.evidence[0].rank == 1
    assert {hit.path for hit in reply.hits if hit.depth == hops and hops} == far
    for hit in reply.hits:
        assert len(hit.connected_via) == hit.depth <= hops
    check_whole(reply.hits)


def test_the_way_to_a_note_far_off_is_told(harness: MeaningHarness) -> None:
    reply = harness.ask("repair", root_note="Skiff", channels=("graph",))

    (kettle,) = [hit for hit in reply.hits if hit.path == "Kettle.md"]
    assert (kettle.depth, kettle.connected_via) == (2, ("Boats/Skiff.md", "Pitch.md"))
    assert kettle.match_reason == "linked from Skiff > Pitch"


def test_links_that_count_most_tell_the_way_even_where_meaning_has_a_say(
    harness: MeaningHarness,
) -> None:
    hits = harness.ask("skiff leaks", intent="context_load", root_note="Skiff").hits

    (kettle,) = [hit for hit in hits if hit.path == "Kettle.md"]
    assert kettle.channels == ("graph", "semantic")
    assert (kettle.depth, kettle.connected_via) == (2, ("Boats/Skiff.md", "Pitch.md"))
    (skiff,) = [hit for hit in hits if hit.path == "Boats/Skiff.md"]
    assert (skiff.depth, skiff.connected_via) == (0, ())


def test_a_root_is_where_context_begins_without_being_told_so(
    harness: MeaningHarness,
) -> None:
    reply = harness.ask("beans and onions", root_note="Skiff")

    (log,) = [hit for hit in reply.hits if hit.path == "Log.md"]
    assert "graph" in log.channels


def test_what_links_lead_to_is_shown_by_its_passage_nearest_to_the_question(
    harness: MeaningHarness,
) -> None:
    filler = "of other things there is a great deal to say here " * 40
    long = f"## One\n\n{filler}\n\n## Two\n\n{filler}\n\n## Three\n\nvarnish {filler}"
    harness.indexed({"Long.md": long, "Root.md": "The way to go on is [[Long]]."})

    hits = harness.ask("varnish", root_note="Root", channels=("graph", "semantic")).hits

    (hit,) = [hit for hit in hits if hit.path == "Long.md"]
    assert hit.heading_path[-1] == "Three"
