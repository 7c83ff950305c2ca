"""Hits say what they are: place, snippet, score, shares, in one settled order."""

import re
from itertools import pairwise
from math import fsum

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.errors import GlassmindError, IndexAbsent, QueryError
from glassmind.model.search import Hit
from glassmind.search.hits import WIDTH, cut_snippet

LONG = "\n\n".join(f"## Part {n}\n\n" + f"oolong part{n} " * 150 for n in range(5))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_a_hit_says_where_it_stands(vault: VaultHarness) -> None:
    vault.indexed({"drinks/Tea.md": "# Kinds\n\nintro\n\n## Green\n\nsencha here\n"})

    (hit,) = vault.ask("sencha").hits

    _, chunks = vault.engine.chunks("Tea")
    chunk = chunks[hit.chunk_index]
    assert (hit.path, hit.title) == ("drinks/Tea.md", "Tea")
    assert (hit.lines, hit.heading_path) == (chunk.lines, chunk.heading_path)
    assert hit.digest == chunk.digest
    assert hit.mtime_ns == (vault.root / "drinks/Tea.md").stat().st_mtime_ns


def test_the_query_is_given_back_as_it_was_typed(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "x"})

    assert vault.ask("  Tea -bag ").query == "  Tea -bag "


def test_a_note_comes_once_unless_passages_are_asked_for(vault: VaultHarness) -> None:
    vault.indexed({"Long.md": LONG, "Short.md": "oolong"})

    notes = vault.found("oolong")
    passages = [
        (h.path, h.chunk_index) for h in vault.ask("oolong", unique="chunks").hits
    ]

    assert sorted(notes) == ["Long.md", "Short.md"]
    assert len(passages) > 2
    assert len(set(passages)) == len(passages)


def test_the_passage_shown_of_a_note_is_its_best(vault: VaultHarness) -> None:
    vault.indexed({"Long.md": LONG})

    (note,) = vault.ask("oolong part3").hits
    passages = vault.ask("oolong part3", unique="chunks").hits

    assert note.chunk_index == passages[0].chunk_index
    assert "part3" in note.snippet.text


def test_ranks_count_from_one_and_scores_never_rise(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": "tea " * (n % 4 + 1) + f"leaf {n}" for n in range(20)})

    hits = vault.ask("tea leaf", limit=20).hits

    assert [hit.evidence[0].rank for hit in hits] == list(range(1, len(hits) + 1))
    scores = [round(hit.score, 4) for hit in hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("unique", ["notes", "chunks"])
@pytest.mark.parametrize("limit", [1, 2, 1000, 10_000])
def test_as_many_hits_are_given_as_are_wanted_and_there(
    vault: VaultHarness, limit: int, unique: str
) -> None:
    vault.indexed({f"{n}.md": f"tea {n}" for n in range(30)})

    hits = vault.ask("tea", limit=limit, unique=unique).hits

    assert len(hits) == min(limit, 30)


@pytest.mark.parametrize("limit", [0, -1, 10_001, 10**9])
def test_a_limit_nobody_can_mean_is_an_error_that_says_what_can_be(
    vault: VaultHarness, limit: int
) -> None:
    vault.indexed({"A.md": "tea"})

    with pytest.raises(QueryError, match=r"limit .* from 1 to 10,000"):
        vault.ask("tea", limit=limit)


def test_the_limit_comes_from_the_settings_when_none_is_named(
    vault: VaultHarness,
) -> None:
    vault.open(search__limit=3)
    vault.indexed({f"{n}.md": "tea" for n in range(5)})

    assert len(vault.found("tea")) == 3


def test_asking_before_anything_is_indexed_says_what_to_do(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent, match="run: glassmind index"):
        vault.ask("tea")


def test_equal_scores_go_newest_first_then_by_path(vault: VaultHarness) -> None:
    vault.write({"b.md": "same tea", "a.md": "same tea", "old.md": "same tea"}, at=1000)
    vault.write({"new.md": "same tea"}, at=2000)
    vault.index()

    assert vault.found("tea") == ["new.md", "a.md", "b.md", "old.md"]


def test_equal_scores_are_in_order_even_where_the_limit_cuts_them(
    vault: VaultHarness,
) -> None:
    files = {f"{n:03}.md": "same tea" for n in range(120)}
    vault.write(files, at=1000)
    vault.index()

    assert vault.found("tea", limit=7) == sorted(files)[:7]
    assert vault.found("path:md", limit=7) == sorted(files)[:7]


def test_passages_of_equal_score_go_in_the_order_of_the_note(
    vault: VaultHarness,
) -> None:
    part = "## Same\n\n" + "oolong tea " * 150 + "\n\n"
    vault.indexed({"Long.md": part * 4})

    hits = vault.ask("path:Long", unique="chunks").hits

    assert [hit.chunk_index for hit in hits] == list(range(len(hits)))
    assert len(hits) > 2


def test_the_same_question_gets_the_same_answer(sample: VaultHarness) -> None:
    for text in ("kubernetes", "meeting notes", "the plan for winter", "tag:project"):
        first = sample.ask(text, limit=50)
        assert sample.ask(text, limit=50) == first


def test_fewer_hits_are_the_first_of_more(sample: VaultHarness) -> None:
    more = sample.found("project meeting notes", limit=40)

    assert sample.found("project meeting notes", limit=10) == more[:10]


def test_a_new_engine_gives_the_same_answer(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": f"tea {'leaf ' * (n % 5)}" for n in range(20)})
    first = vault.ask("tea leaf").hits

    vault.open()

    assert vault.ask("tea leaf").hits == first


WORDS = (
    *("project", "meeting", "notes", "the", "kubernetes", "plan", "bread", "2024"),
    *(
        "running",
        "café",
        "東京",
        "Zürich",
        "deploy*",
        '"to do"',
        "-draft",
        "日本",
        "猫",
    ),
    *("tag:project", "path:Daily", "[status]", "kubernets", "what is", "a"),
)
queries = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


def check_snippet(hit: Hit, passage: str) -> None:
    """Assert that the snippet is of the passage and its marks are well made."""
    text, marks = hit.snippet.text, hit.snippet.marks
    assert text in squeezed(passage)
    assert "\n" not in text
    assert len(text) <= WIDTH
    assert all(0 <= a < b <= len(text) for a, b in marks)
    assert all(before[1] <= after[0] for before, after in pairwise(marks))


@given(text=queries)
def test_every_snippet_is_of_its_passage_with_its_marks_in_place(
    sample: VaultHarness, text: str
) -> None:
    for hit in sample.ask(text, unique="chunks").hits:
        _, chunks = sample.engine.chunks(hit.path)
        check_snippet(hit, chunks[hit.chunk_index].text)


@given(text=queries)
def test_the_shares_of_the_fields_add_up_to_the_score(
    sample: VaultHarness, text: str
) -> None:
    for hit in sample.ask(text, explain=True).hits:
        (why,) = hit.evidence
        moved = fsum(adjustment.share for adjustment in hit.adjustments)
        assert why.share + moved == pytest.approx(hit.score)
        assert fsum(why.fields.values()) == pytest.approx(why.share, rel=1e-3)
        assert all(share >= 0 for share in why.fields.values())


@given(text=st.one_of(st.text(max_size=40), queries))
@example("\ud800")
@example("x" * 20_000)
@example("⑴⑵⑶ ⒓ ①②")
@example("İıſßﬃ ŉ ǰ")
@example("a\x00b \x1f [\x1f:\x1f]")
@example("[a.*+?()|{}^$\\:b\\] path:\\ file:( tag:[")
def test_any_text_can_be_asked(sample: VaultHarness, text: str) -> None:
    try:
        hits = sample.ask(text, explain=True).hits
    except GlassmindError as error:
        assert isinstance(error, QueryError)  # noqa: PT017 - either answer will do
        return

    assert all(hit.snippet.text for hit in hits)


def marked_words(hit: Hit) -> set[str]:
    return {hit.snippet.text[a:b].lower() for a, b in hit.snippet.marks}


def test_a_snippet_marks_the_words_that_matched_and_no_others(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "He runs, she ran; running a runt to ruin. RUN run-time"})

    (hit,) = vault.ask("running").hits

    assert marked_words(hit) == {"runs", "running", "run"}


def test_a_snippet_is_cut_where_most_different_words_stand(vault: VaultHarness) -> None:
    far = "filler " * 60
    vault.indexed({"A.md": f"tea tea tea {far} the green tea leaf {far}"})

    (hit,) = vault.ask("green tea leaf").hits

    assert marked_words(hit) == {"green", "tea", "leaf"}


def test_a_snippet_without_a_match_is_the_beginning(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "start " + "filler " * 100})

    (hit,) = vault.ask("tea").hits

    assert hit.snippet.text.startswith("start filler")
    assert hit.snippet.marks == ()


@given(
    text=st.text(
        st.sampled_from("ab \n\t\u3000—é東") | st.characters(codec="utf-8"),
        max_size=600,
    ),
    places=st.lists(st.integers(0, 599), max_size=12, unique=True).map(sorted),
)
def test_a_snippet_of_any_text_is_a_squeezed_stretch_of_it(
    text: str, places: list[int]
) -> None:
    inside = [place for place in places if place < len(text)]

    found = cut_snippet(text, inside, lambda line: [(0, len(line))] if line else [])

    assert found.text in squeezed(text)
    assert len(found.text) <= WIDTH
    assert found.marks in ((), ((0, len(found.text)),))
