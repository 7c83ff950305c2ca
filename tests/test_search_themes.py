"""Themes as a signal of search, and the links that led to a hit."""

from collections.abc import Collection, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from meaning_desk import MeaningDesk
from search_desk import check_sum, harbour

from glassmind.model.graph import Home, Hop
from glassmind.model.search import SearchReply
from glassmind.search.channels.graph import THEME_SHARE, Vote, with_themes
from glassmind.serve.daemon.protocol import pack, unpack
from glassmind.store.sqlite.links import Edges


class Homes(Edges):
    """Notes of which nothing is known but their themes."""

    def __init__(self, themes: Mapping[int, int]) -> None:
        self._themes = themes

    def homes(self, note_ids: Collection[int]) -> dict[int, Home]:
        return {
            note: Home(self._themes[note], f"theme {self._themes[note]}")
            for note in note_ids
            if note in self._themes
        }


def test_a_good_hit_speaks_for_the_others_of_its_theme() -> None:
    votes = {9: Vote(9, 0.3, 1, (1,))}

    lifted = with_themes(
        votes, [(1, 1.0), (2, 0.5), (3, 0.5)], Homes({1: 7, 9: 7, 3: 8})
    )

    assert lifted[9].score == pytest.approx(0.3 + THEME_SHARE * 0.5)
    assert lifted[9].theme == "theme 7"
    assert lifted[9].linked


def test_no_hit_speaks_for_itself() -> None:
    lifted = with_themes({}, [(1, 1.0), (2, 0.5)], Homes({1: 7, 2: 8}))

    assert lifted == {}


def test_hits_of_one_theme_speak_for_each_other() -> None:
    lifted = with_themes({}, [(1, 1.0), (2, 0.5), (3, 0.5)], Homes({1: 7, 2: 7}))

    assert lifted[1].score == pytest.approx(THEME_SHARE * 0.5)
    assert lifted[2].score == pytest.approx(THEME_SHARE * 1.0 / 1.5)
    assert not lifted[1].linked
    assert 3 not in lifted


@given(
    themes=st.dictionaries(st.integers(1, 30), st.integers(1, 4)),
    seeds=st.dictionaries(st.integers(1, 30), st.floats(0, 1), max_size=25),
    voted=st.dictionaries(st.integers(1, 40), st.floats(0, 1)),
)
def test_a_theme_adds_no_more_than_its_share_and_takes_nothing(
    themes: dict[int, int], seeds: dict[int, float], voted: dict[int, float]
) -> None:
    votes = {note: Vote(note, score, 1, (1,)) for note, score in voted.items()}

    lifted = with_themes(votes, list(seeds.items()), Homes(themes))

    assert votes.keys() <= lifted.keys() <= votes.keys() | seeds.keys()
    for note, vote in lifted.items():
        before = voted.get(note, 0.0)
        assert before <= vote.score <= min(1.0, before + THEME_SHARE) + 1e-9
        assert vote.linked == (note in voted)
    assert lifted == with_themes(votes, list(seeds.items()), Homes(themes))


TIDE = {
    "Tide.md": "The tide table hangs in the harbour. [[Moon]] [[Flood]]",
    "Moon.md": "The moon pulls the tide. [[Tide]] [[Flood]]",
    "Flood.md": "A flood is a tide that came too far. [[Tide]] [[Moon]]",
    "Apart.md": "The tide, said by somebody who links to nothing.",
}


def test_indexing_with_a_model_makes_the_themes_that_a_search_asks(
    meaning: MeaningDesk,
) -> None:
    meaning.indexed(TIDE)

    assert meaning.value("select count(*) from theme_members") == 3


def test_text_that_is_indexed_before_its_vectors_leaves_its_themes_too(
    meaning: MeaningDesk,
) -> None:
    meaning.write(TIDE)

    meaning.engine.index(embed=False)

    assert meaning.value("select count(*) from theme_members") == 3


def test_a_hit_says_that_it_shares_its_theme_with_others(meaning: MeaningDesk) -> None:
    meaning.indexed(TIDE)

    hits = {str(hit.path): hit for hit in meaning.ask("tide", intent=None).hits}

    label = meaning.engine.knowledge.themes().themes[0].label
    assert f"in the theme {label} with other good hits" in hits["Tide.md"].match_reason
    assert "theme" not in hits["Apart.md"].match_reason
    for hit in hits.values():
        check_sum(hit)


def test_a_fusion_that_sees_ranks_alone_hears_nothing_of_themes(
    meaning: MeaningDesk,
) -> None:
    meaning.indexed(TIDE)

    hits = meaning.ask("tide", intent="conceptual", fusion="weighted_rrf").hits

    assert all("in the theme" not in hit.match_reason for hit in hits)


def test_an_index_without_themes_answers_by_links_alone(meaning: MeaningDesk) -> None:
    meaning.indexed(TIDE)
    db = meaning.database()
    db.execute("delete from theme_members")
    db.close()

    hits = meaning.ask("tide", intent=None).hits

    assert {hit.path for hit in hits} == set(TIDE)
    assert all("in the theme" not in hit.match_reason for hit in hits)


def test_each_link_that_led_to_a_hit_is_told_as_it_was_written(
    meaning: MeaningDesk,
) -> None:
    meaning.indexed(
        {
            "Root.md": "---\nrelated: '[[Second]]'\n---\nzebra",
            "Second.md": "![[Third]] quagga",
            "Fourth.md": "[third](Third.md) okapi",
            "Third.md": "gnu",
        }
    )

    hits = meaning.ask(
        "nothing", channels=["graph"], root_note="Root", hop_depth=3, intent=None
    ).hits

    hops = {hit.path: hit.hops for hit in hits}
    first = Hop("Root.md", "Second.md", "property", "related")  # type: ignore[arg-type]
    second = Hop("Second.md", "Third.md", "embed")  # type: ignore[arg-type]
    third = Hop("Fourth.md", "Third.md", "markdown")  # type: ignore[arg-type]
    assert hops == {
        "Root.md": (),
        "Second.md": (first,),
        "Third.md": (first, second),
        "Fourth.md": (first, second, third),
    }
    reasons = {str(hit.path): hit.match_reason for hit in hits}
    assert reasons["Second.md"].startswith("linked from Root as related")


def test_there_are_as_many_hops_as_the_depth_says(meaning: MeaningDesk) -> None:
    desk = harbour(meaning)

    for question in ("caulking a boat", "kettle", "what links to Pitch"):
        for hit in desk.ask(question).hits:
            assert len(hit.hops) == hit.depth == len(hit.connected_via)


def test_hops_travel_from_a_daemon(meaning: MeaningDesk) -> None:
    desk = harbour(meaning)
    reply = desk.ask("nothing", channels=["graph"], root_note="Boats/Skiff")

    assert any(hit.hops for hit in reply.hits)
    assert unpack(pack(reply), SearchReply) == reply
