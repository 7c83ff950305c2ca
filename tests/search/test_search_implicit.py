"""The channel of likeness: notes much like a good hit, without a link to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_harness import check_whole
from semantic_harness import MeaningHarness

from glassmind.model import NotePath
from glassmind.model.graph import Hop
from glassmind.model.suggestions import Partner
from glassmind.search.channels.implicit import PARTNERS, likenesses
from glassmind.search.plan import NAMED_WEIGHT

TEA = "oolong sencha matcha kettle leaves water steep harvest " * 3
RAIL = "harbour engine whistle platform signal timetable bridge tunnel " * 3


@pytest.fixture
def harness(meaning: MeaningHarness) -> MeaningHarness:
    """One note that is asked for by name, two like it, one of them linked."""
    meaning.indexed(
        {
            "Cup.md": f"{TEA} porcelain",
            "Mug.md": f"{TEA} [[Cup]]",
            "Pot.md": TEA,
            "Train.md": RAIL,
        }
    )
    return meaning


def test_a_note_like_a_good_hit_is_found_with_its_reason(
    harness: MeaningHarness,
) -> None:
    reply = harness.ask("porcelain", channels=("lexical", "implicit"))

    cup, pot = reply.hits
    assert (cup.path, pot.path) == ("Cup.md", "Pot.md")
    (evidence,) = pot.evidence
    assert evidence.channel == "implicit"
    assert evidence.reason.startswith("similar to Cup (0.9")
    assert (pot.connected_via, pot.depth) == (("Cup.md",), 1)
    assert pot.hops == (Hop(NotePath("Cup.md"), NotePath("Pot.md"), "implicit"),)
    check_whole(reply.hits)


def test_a_note_that_is_linked_is_left_to_the_links(harness: MeaningHarness) -> None:
    hits = harness.ask("porcelain", channels=("lexical", "implicit")).hits

    assert "Mug.md" not in [hit.path for hit in hits]


def test_a_similar_note_that_is_named_as_a_channel_lifts_none_above_a_direct_hit(
    harness: MeaningHarness,
) -> None:
    without = harness.ask("porcelain", channels=("lexical", "semantic")).hits
    hits = harness.ask("porcelain", channels=("lexical", "semantic", "implicit")).hits

    assert [hit.path for hit in hits] == [hit.path for hit in without]
    shares = [e.share for hit in hits for e in hit.evidence if e.channel == "implicit"]
    assert shares
    assert max(shares) <= NAMED_WEIGHT


def test_likeness_alone_can_be_asked_for(harness: MeaningHarness) -> None:
    reply = harness.ask("porcelain", channels=("implicit",))

    assert [hit.path for hit in reply.hits] == ["Pot.md"]
    assert reply.channels == ("implicit",)


def test_likeness_takes_part_only_where_the_settings_say_so(
    harness: MeaningHarness,
) -> None:
    assert "implicit" not in harness.ask("porcelain").channels

    harness.open(search__implicit_weight=0.5)

    assert "implicit" in harness.ask("porcelain").channels


def test_a_note_that_does_not_pass_the_filters_is_not_found_by_likeness(
    harness: MeaningHarness,
) -> None:
    found = harness.found("porcelain path:Cup", channels=("lexical", "implicit"))

    assert found == ["Cup.md"]


def test_a_note_that_says_something_else_is_like_nothing_until_it_is_compared(
    harness: MeaningHarness,
) -> None:
    harness.write({"Pot.md": RAIL})
    harness.index(embed=False)

    reply = harness.ask("porcelain", channels=("lexical", "implicit"))

    assert [hit.path for hit in reply.hits] == ["Cup.md"]
    (said,) = [said for said in reply.degraded if said.startswith("implicit")]
    assert said.startswith("implicit: 1 note is not compared yet, and left out")


def test_a_search_names_dismissals_that_are_not_followed(
    harness: MeaningHarness,
) -> None:
    harness.write({".agent/dismissed.txt": 'pair "Cup.md\n'})

    reply = harness.ask("porcelain", channels=("lexical", "implicit"))

    wrong = ".agent/dismissed.txt line 1 is not followed: its quotes do not match"
    assert reply.degraded == (f"implicit: {wrong}",)


SHARES = st.sampled_from([n / 20 for n in range(21)])
STRENGTHS = st.lists(SHARES, min_size=1, max_size=8)
PAIRS = st.lists(st.tuples(st.integers(0, 7), st.integers(8, 20), SHARES), max_size=40)


@given(strengths=STRENGTHS, pairs=PAIRS)
def test_each_hit_brings_a_few_at_two_fifths_of_what_a_link_says(
    strengths: list[float], pairs: list[tuple[int, int, float]]
) -> None:
    leaders = list(enumerate(strengths))
    known = sorted(
        (Partner(*pair) for pair in pairs if pair[0] < len(strengths)),
        key=lambda one: (one.note_id, -one.similarity),
    )

    votes = likenesses(leaders, known)

    assert [vote.score for vote in votes] == sorted(
        (vote.score for vote in votes), reverse=True
    )
    assert len({vote.note_id for vote in votes}) == len(votes)
    assert len(votes) <= PARTNERS * len(strengths)
    for vote in votes:
        assert Partner(vote.via, vote.note_id, vote.similarity) in known
        said = strengths[vote.via] * vote.similarity
        assert vote.score == pytest.approx(said * 0.4)
