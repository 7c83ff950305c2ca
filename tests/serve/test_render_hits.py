"""Hits in words and as JSON: addresses, shares, marks."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.model import NotePath, Span
from glassmind.model.search import (
    Adjustment,
    Evidence,
    Hit,
    Passage,
    SearchReply,
    Snippet,
)
from glassmind.obsidian.text import (
    Style,
    counted,
    heading_address,
    iso_time,
    obsidian_uri,
    shortened,
)
from glassmind.operations.find import (
    SearchArguments,
    marked,
    search_for_people,
    search_result,
)


def hits_as_json(reply: SearchReply, *, vault: str, root: str) -> Any:
    return search_result(reply, vault=vault, root=root).to_json()


def hits_as_text(reply: SearchReply, style: Style, *, explain: bool = False) -> str:
    result = search_result(reply, vault="Notes", root="/Notes")
    return search_for_people(result, SearchArguments(query="x", explain=explain), style)


HIT = Hit(
    path=NotePath("Projects/Glassmind.md"),
    title="Glassmind",
    heading_path=("Glassmind", "Architecture"),
    lines=Span(12, 34),
    chunk_index=3,
    score=1.0,
    snippet=Snippet("one way down", ((4, 7),)),
    evidence=(
        Evidence(
            "lexical", 1, 1.0, "words found in title", {"title": 0.7, "body": 0.3}
        ),
    ),
    digest="d1",
    mtime_ns=1_773_333_600_123_456_789,
)


def test_a_hit_is_numbered_and_addressed() -> None:
    text = hits_as_text(SearchReply("way", (HIT, HIT)), Style())

    assert text == (
        "1. Projects/Glassmind.md#Architecture:12-34\n   one **way** down\n\n"
        "2. Projects/Glassmind.md#Architecture:12-34\n   one **way** down\n"
    )


def test_no_hits_are_no_text() -> None:
    assert hits_as_text(SearchReply("way", ()), Style()) == ""


def test_a_hit_explains_its_score() -> None:
    text = hits_as_text(SearchReply("way", (HIT,)), Style(), explain=True)

    assert text.endswith(
        "   score 1.000\n"
        "     lexical 1.000  rank 1, words found in title\n"
        "       title 0.700\n"
        "       body 0.300\n"
    )


def test_json_says_where_why_and_what() -> None:
    reply = SearchReply("way", (HIT,), ("no vectors yet",))

    assert hits_as_json(reply, vault="My notes", root="/Notes") == {
        "vault": "/Notes",
        "query": "way",
        "mode": "fulltext",
        "intent": None,
        "channels": [],
        "confidence": None,
        "doubtful": False,
        "reranked": 0,
        "hits": [
            {
                "path": "Projects/Glassmind.md",
                "title": "Glassmind",
                "heading_path": ["Glassmind", "Architecture"],
                "heading": "Projects/Glassmind.md#Architecture",
                "lines": [12, 34],
                "chunk_index": 3,
                "score": 1.0,
                "relevance": 1.0,
                "channels": ["lexical"],
                "match_reason": "words found in title",
                "similarity": None,
                "depth": 0,
                "connected_via": [],
                "hops": [],
                "evidence": [
                    {
                        "channel": "lexical",
                        "rank": 1,
                        "share": 1.0,
                        "reason": "words found in title",
                        "fields": {"title": 0.7, "body": 0.3},
                    }
                ],
                "adjustments": [],
                "snippet": {"text": "one way down", "marks": [[4, 7]]},
                "more": [],
                "digest": "d1",
                "modified": "2026-03-12T16:40:00Z",
                "uri": "obsidian://open?vault=My%20notes"
                "&file=Projects%2FGlassmind%23Architecture",
            }
        ],
        "degraded": ["no vectors yet"],
    }


FUSED = HIT._replace(
    score=1.25,
    relevance=0.5,
    evidence=(
        Evidence("semantic", 2, 0.8, "close in meaning (cosine 0.61)", {}),
        Evidence("graph", 1, 0.404, "linked from Home: the [[Glassmind]] way", {}),
    ),
    adjustments=(
        Adjustment("recency", 0.096, "changed 2 days ago"),
        Adjustment("rerank", -0.05, "reads as an answer with a probability of 0.10"),
    ),
    more=(
        Passage(
            heading_path=("Glassmind", "Laws"),
            heading="Projects/Glassmind.md#Laws",
            lines=Span(60, 62),
            chunk_index=7,
            snippet=Snippet("no way", ((3, 6),)),
            digest="d7",
        ),
    ),
    similarity=0.61,
    depth=1,
    connected_via=(NotePath("Home.md"),),
)
"""A hit that several channels found."""


def test_a_hit_of_many_channels_shows_its_way_and_further_passages() -> None:
    text = hits_as_text(SearchReply("way", (FUSED,)), Style())

    assert text == (
        "1. Projects/Glassmind.md#Architecture:12-34\n"
        "   one **way** down\n"
        "   also :60-62 no **way**\n"
        "   close in meaning (cosine 0.61); linked from Home: the [[Glassmind]] way\n"
    )


def test_votes_and_adjustments_as_shown_add_up_to_the_score() -> None:
    text = hits_as_text(SearchReply("way", (FUSED,)), Style(), explain=True)

    assert text.endswith(
        "   score 1.250\n"
        "     semantic 0.800  rank 2, close in meaning (cosine 0.61)\n"
        "     graph 0.404  rank 1, linked from Home: the [[Glassmind]] way\n"
        "     recency +0.096  changed 2 days ago\n"
        "     rerank -0.050  reads as an answer with a probability of 0.10\n"
    )


def test_an_explained_answer_says_how_many_passages_were_read_once_more() -> None:
    said = "11 passages reranked\n"
    plain, reply = (SearchReply("way", (FUSED,), reranked=n) for n in (0, 11))

    explained = hits_as_text(reply, Style(), explain=True)

    assert explained == f"{hits_as_text(plain, Style(), explain=True)}\n{said}"
    assert hits_as_text(reply, Style()) == hits_as_text(plain, Style())
    assert hits_as_text(reply._replace(hits=()), Style(), explain=True) == said


def test_json_tells_every_channel_adjustment_and_passage() -> None:
    reply = SearchReply(
        "way",
        (FUSED,),
        mode="hybrid",
        intent="conceptual",
        confidence=0.1,
        channels=("lexical", "semantic", "graph"),
        reranked=4,
    )

    found = hits_as_json(reply, vault="Notes", root="/Notes")

    assert (found["mode"], found["intent"], found["reranked"]) == (
        "hybrid", "conceptual", 4,
    )  # fmt: skip
    assert (found["confidence"], found["doubtful"]) == (0.1, True)
    assert found["channels"] == ["lexical", "semantic", "graph"]
    (hit,) = found["hits"]
    assert hit["channels"] == ["semantic", "graph"]
    assert hit["match_reason"] == "; ".join(e["reason"] for e in hit["evidence"])
    assert (hit["relevance"], hit["similarity"]) == (0.5, 0.61)
    assert (hit["depth"], hit["connected_via"]) == (1, ["Home.md"])
    assert hit["adjustments"][0] == {
        "name": "recency", "share": 0.096, "reason": "changed 2 days ago",
    }  # fmt: skip
    assert hit["more"] == [
        {
            "heading_path": ["Glassmind", "Laws"],
            "heading": "Projects/Glassmind.md#Laws",
            "lines": [60, 62],
            "chunk_index": 7,
            "snippet": {"text": "no way", "marks": [[3, 6]]},
            "digest": "d7",
        }
    ]


def test_what_is_shown_of_a_channel_commands_no_terminal() -> None:
    why = Evidence("graph", 1, 1.0, "linked from Home: \x1b]0;owned\x07", {})
    hit = HIT._replace(evidence=(why,), connected_via=(NotePath("Home.md"),))

    text = hits_as_text(SearchReply("way", (hit,)), Style(), explain=True)

    assert "\x1b" not in text
    assert text.count("\\x1b]0;owned") == 2


@given(st.text(min_size=1), st.text(min_size=1))
def test_any_name_comes_back_from_its_uri(vault: str, name: str) -> None:
    uri = obsidian_uri(vault, f"{name}.md")

    found = parse_qs(urlsplit(uri).query, strict_parsing=True, errors="surrogatepass")
    assert found == {"vault": [vault], "file": [name]}


@pytest.mark.parametrize(
    ("path", "heading", "file"),
    [
        ("A b/C&d.md", (), "A%20b%2FC%26d"),
        ("Board.canvas", (), "Board.canvas"),
        ("Note.md", ("Up", "Why: [[this]] #now?"), "Note%23Why%20this%20now%3F"),
        ("Note.md", ("#",), "Note"),
        ("日記.md", ("一日",), "%E6%97%A5%E8%A8%98%23%E4%B8%80%E6%97%A5"),
    ],
)
def test_a_uri_names_file_and_heading(
    path: str, heading: tuple[str, ...], file: str
) -> None:
    assert obsidian_uri("v", path, heading) == f"obsidian://open?vault=v&file={file}"


def test_above_the_first_heading_the_address_is_the_path() -> None:
    assert heading_address("Tea.md", ()) == "Tea.md"


def test_times_before_1970_are_times_too() -> None:
    assert iso_time(-1) == "1969-12-31T23:59:59Z"


def test_marks_are_bold_with_colours_and_stars_without() -> None:
    snippet = Snippet("green tea", ((0, 5), (6, 9)))

    assert marked(snippet, Style()) == "**green** **tea**"
    assert marked(snippet, Style(colour=True)) == (
        "\x1b[1mgreen\x1b[0m \x1b[1mtea\x1b[0m"
    )


@given(st.text())
def test_nothing_that_is_shown_commands_a_terminal(text: str) -> None:
    shown = Style().clean(text)

    assert all(c in "\n\t" or not (c < " " or "\x7f" <= c < "\xa0") for c in shown)


def test_what_turns_letters_around_is_shown_as_an_escape() -> None:
    turning = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]

    shown = Style().clean("".join(map(chr, turning)))

    assert shown == "".join(f"\\u{code:04x}" for code in turning)
    assert Style().clean("\u200ftea\u200e") == "\u200ftea\u200e"


def test_counts_agree_with_their_noun_and_long_words_are_cut() -> None:
    assert [counted(n, "note") for n in (0, 1, 1_247)] == [
        "0 notes", "1 note", "1,247 notes",
    ]  # fmt: skip
    assert shortened("x" * 80) == "x" * 80
    assert shortened("x" * 81) == "x" * 80 + "..."
