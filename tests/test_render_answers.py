"""Answers as programs and people read them."""

import json
from dataclasses import replace

import pytest
from ask_desk import DOUBTED, QUOTED, SOURCES, WHOLE

from glassmind.render.answers import answer_as_json
from glassmind.render.answers_text import answer_as_text, marks, spoken
from glassmind.render.style import Style
from glassmind.types import NotePath
from glassmind.types.answers import NOT_IN_NOTES, Answer, Citation, Statement

PLAIN = Style()


def test_an_answer_in_json_has_names_of_obsidian_rag_beside_ours() -> None:
    made = answer_as_json(WHOLE, vault="Notes")

    first = made["sources"][0]
    assert made["answer"] == QUOTED.text  # what nothing bears out is no answer
    assert made["modelUsed"] == "llama3.2"
    assert first["chunkIndex"] == 3
    assert first["relevanceScore"] == 1.0
    assert first["heading"] == "Projects/Heron.md#Power"
    assert first["lines"] == [12, 18]
    assert first["uri"] == ("obsidian://open?vault=Notes&file=Projects%2FHeron%23Power")
    assert [one["generated"] for one in made["sources"]] == [False, True]
    assert made["statements"][0]["citations"] == [
        {
            "source": 1,
            "quote": "changed to LFP in 2025",
            "receipt": SOURCES[0].receipt,
        }
    ]
    assert made["statements"][1]["problem"] == DOUBTED.problem
    json.dumps(made)


def test_sentences_of_notes_are_of_no_model() -> None:
    made = answer_as_json(replace(WHOLE, model_used=""), vault="Notes")

    assert made["modelUsed"] == "extractive"


def test_what_is_not_in_the_notes_says_so_and_what_is_closest() -> None:
    refused = Answer("Who?", False, (), SOURCES)

    made, shown = answer_as_json(refused, vault="Notes"), answer_as_text(refused, PLAIN)

    assert made["in_notes"] is False
    assert made["answer"] == NOT_IN_NOTES
    assert shown.startswith(f"{NOT_IN_NOTES}\n\nClosest:\n[1] Projects/Heron.md:12-18")
    assert answer_as_text(replace(refused, sources=()), PLAIN) == f"{NOT_IN_NOTES}\n"
    many = [replace(SOURCES[0], number=number) for number in range(1, 9)]
    few = answer_as_text(replace(refused, sources=tuple(many)), PLAIN)
    assert "\n[3] " in few
    assert "\n[4] " not in few


def test_each_statement_is_a_line_with_its_marks_and_sources_follow() -> None:
    assert answer_as_text(WHOLE, PLAIN) == (
        "The cells have been LFP since 2025. [1]\n"
        "They last for 40 years. (not borne out by your notes: "
        "40 does not stand in source 1)\n"
        "\n"
        "[1] Projects/Heron.md:12-18  Heron > Power\n"
        "    Cells were changed to LFP in 2025.\n"
        "[2] Tea.md:1-2  Tea  generated, not approved\n"
    )


def test_where_nothing_is_cited_every_source_is_shown_with_its_words() -> None:
    doubted = replace(WHOLE, statements=(DOUBTED,), in_notes=False)

    shown = answer_as_text(doubted, PLAIN)

    assert all(one.excerpt in shown for one in SOURCES)
    assert f"source 1)\n\n{NOT_IN_NOTES}\nClosest:\n[1]" in shown


def test_several_sources_of_a_statement_are_named_once_each() -> None:
    cited = tuple(Citation(number, "so", "") for number in (2, 1, 2))

    assert marks(Statement("So.", "quoted", cited), PLAIN) == " [2][1]"
    assert marks(Statement("So.", "verbatim"), PLAIN) == ""
    assert marks(Statement("So.", "unsupported"), PLAIN) == (
        " (not borne out by your notes)"
    )


def test_a_memory_that_stands_in_no_note_has_no_lines_and_no_address() -> None:
    fact = replace(SOURCES[1], path=NotePath("hindsight://b/1"), receipt="")
    answer = replace(WHOLE, sources=(fact,), statements=())

    assert answer_as_json(answer, vault="Notes")["sources"][0]["uri"] == ""
    assert "hindsight://b/1  Tea" in answer_as_text(answer, PLAIN)


@pytest.mark.parametrize("colour", [True, False])
def test_no_word_of_a_note_or_a_model_commands_the_terminal(*, colour: bool) -> None:
    evil = "a\x1b[2Jb\u202ec\nd\re"
    answer = Answer(
        "Q",
        True,
        (
            Statement(evil, "quoted", (Citation(1, "x", ""),)),
            Statement(evil, "unsupported", (), evil),
        ),
        (
            replace(
                SOURCES[0],
                path=NotePath(evil),
                title=evil,
                heading_path=(evil,),
                excerpt=evil,
            ),
        ),
    )

    shown = answer_as_text(answer, Style(colour=colour))

    assert "\x1b[2J" not in shown
    assert "\u202e" not in shown
    assert "\r" not in shown
    assert len(shown.splitlines()) == 5
    assert "\x1b" not in shown or colour


def test_letters_are_dressed_the_same_in_pieces_and_at_once() -> None:
    text = "a\tb\x07c\nd"

    pieces = "".join(spoken(one, PLAIN, is_supported=True) for one in text)

    assert pieces == spoken(text, PLAIN, is_supported=True) == "a b\\x07c d"
