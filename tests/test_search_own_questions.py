"""What a vault's links ask: the words they show, and the sentences around them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from meaning_desk import MeaningDesk

from glassmind.model import NotePath
from glassmind.model.search import LinkClue
from glassmind.search.confidence import PER_TARGET, own_questions
from glassmind.store.sqlite.links import ClueRows


def clue(sentence: str, *, written: str = "Kiln", shown: str = "") -> LinkClue:
    """Return a link to the note on the kiln, in a sentence."""
    source, target = NotePath("Log.md"), NotePath("Pots/Kiln.md")
    return LinkClue(source, target, "The kiln", written, shown, sentence)


def texts(*clues: LinkClue) -> list[str]:
    return [one.text for one in own_questions(clues, 10)]


@pytest.mark.parametrize(
    ("sentence", "written"),
    [
        ("We fired the *bowls* in [[Kiln]] for nine hours.", "Kiln"),
        ("We fired the bowls in [[Pots/Kiln#Heat|it]] for nine hours.", "Pots/Kiln"),
        ("We fired the bowls in [it](Pots/Kiln.md#heat) for nine hours.", "Pots/Kiln"),
        ("We fired the bowls in [it](<Kiln.md>) for nine hours.", "Kiln.md"),
    ],
)
def test_a_sentence_asks_without_the_link_it_stands_around(
    sentence: str, written: str
) -> None:
    said = clue(sentence, written=written)

    assert texts(said) == ["We fired the bowls in for nine hours."]


def test_other_links_of_the_sentence_read_as_they_are_shown() -> None:
    said = "Ask [[Ida Berg|Ida]] and [Tom](people/tom.md) before you light [[Kiln]]."

    assert texts(clue(said)) == ["Ask Ida and Tom before you light ."]


def test_what_a_link_shows_asks_unless_it_is_the_name() -> None:
    assert texts(clue("", shown="where pots are fired")) == ["where pots are fired"]
    assert texts(clue("", shown="the KILN"), clue("", shown="kiln")) == []
    assert texts(clue("", shown="2024")) == []


def test_what_says_too_little_or_was_said_already_asks_nothing() -> None:
    long = " ".join(["word"] * 70)

    assert texts(clue("See [[Kiln]]."), clue(f"{long} [[Kiln]]")) == []
    assert len(texts(clue("", shown="hot pots"), clue("", shown="Hot  pots!"))) == 1


def test_no_note_is_asked_for_too_often() -> None:
    clues = [clue("", shown=f"question {letter}") for letter in "abcdefgh"]

    assert len(texts(*clues)) == PER_TARGET
    assert own_questions(clues, 1)[0].source == "Log.md"


@given(st.text(max_size=80), st.text(max_size=20), st.text(max_size=20))
def test_no_text_of_a_vault_is_too_odd_to_be_looked_at(
    sentence: str, written: str, shown: str
) -> None:
    for one in own_questions([clue(sentence, written=written, shown=shown)], 10):
        assert one.text == " ".join(one.text.split())
        assert '"' not in one.text


def test_links_come_from_the_rows_with_their_sentences(meaning: MeaningDesk) -> None:
    meaning.indexed(
        {
            "Log.md": "up: [[Home]]\n\nWe fired the bowls in [[Kiln|the oven]] today.\n"
            "![[Kiln]] and [[Nowhere]] and [[#here]].\n",
            "Kiln.md": "# Kiln\n\nHot.\n",
            "Home.md": "---\nnext: '[[Kiln]]'\n---\nHome.\n",
        }
    )

    found = ClueRows(meaning.database()).clues(10)

    assert sorted((one.source, one.target, one.shown) for one in found) == [
        ("Log.md", "Home.md", ""),
        ("Log.md", "Kiln.md", "the oven"),
    ]
    said = next(one.sentence for one in found if one.target == "Kiln.md")
    assert said.startswith("We fired the bowls in [[Kiln|the oven]] today.")
