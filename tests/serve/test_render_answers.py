"""Answers as programs and people read them."""

import json
from typing import Any

import pytest
from ask_harness import DOUBTED, QUOTED, SOURCES, WHOLE
from msgspec import structs
from msgspec.structs import replace

from glassmind.model import NotePath
from glassmind.model.context import (
    NOT_IN_NOTES,
    Answer,
    Citation,
    Conflict,
    ConflictSide,
    Statement,
)
from glassmind.obsidian.text import Style
from glassmind.operations.ask import (
    AskArguments,
    answer_for_people,
    ask_result,
    conflict_line,
    marks,
    sources_as_text,
    spoken,
)

PLAIN = Style()


def answer_as_json(answer: Answer, *, vault: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(ask_result(answer, vault).to_json()))
    return made


def answer_as_text(answer: Answer, style: Style) -> str:
    arguments = AskArguments(question=answer.question)
    return answer_for_people(ask_result(answer, "Notes"), arguments, style)


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


def test_statements_stand_on_lines_of_their_own_in_an_answer() -> None:
    row = structs.replace(
        QUOTED, text="Chemistry: LFP; Price: 46"
    )  # ends in no full stop

    made = answer_as_json(replace(WHOLE, statements=(row, QUOTED)), vault="Notes")

    assert made["answer"] == f"Chemistry: LFP; Price: 46\n{QUOTED.text}"


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
        "They last for 40 years. (not supported by your notes: "
        "40 is not in what it cites)\n"
        "\n"
        "[1] Projects/Heron.md:12-18  Heron > Power\n"
        "    Cells were changed to LFP in 2025.\n"
        "Also read: Tea.md:1-2 (generated, not approved)\n"
    )


def test_where_nothing_is_cited_every_source_is_shown_with_its_words() -> None:
    doubted = replace(WHOLE, statements=(DOUBTED,), in_notes=False)

    shown = answer_as_text(doubted, PLAIN)

    assert all(one.excerpt in shown for one in SOURCES)
    assert shown.startswith(f"{NOT_IN_NOTES}\n{DOUBTED.text} (not supported")
    assert "what it cites)\n\nClosest:\n[1]" in shown
    heard = sources_as_text(ask_result(doubted, "Notes"), PLAIN, live=True)
    assert heard.startswith(f"\n{NOT_IN_NOTES}\n\nClosest:\n[1]")


@pytest.mark.parametrize("excerpt", ["LFP it is.", "LFP it..."])
def test_an_excerpt_that_says_only_the_statement_again_is_left_out(
    excerpt: str,
) -> None:
    said = Statement("LFP it is.", "verbatim", (Citation(1, "LFP it is.", ""),))
    source = replace(SOURCES[0], excerpt=excerpt)

    shown = answer_as_text(Answer("Q", True, (said,), (source,)), PLAIN)

    assert shown == ("LFP it is. [1]\n\n[1] Projects/Heron.md:12-18  Heron > Power\n")


def test_what_took_the_place_of_a_source_is_named_behind_it() -> None:
    old = tuple(replace(one, superseded_by="D-004") for one in SOURCES)
    answer = replace(WHOLE, sources=old)

    made, shown = answer_as_json(answer, vault="Notes"), answer_as_text(answer, PLAIN)

    assert [one["superseded_by"] for one in made["sources"]] == ["D-004", "D-004"]
    assert "Heron > Power (superseded by D-004)\n" in shown
    assert "Tea.md:1-2 (generated, not approved) (superseded by D-004)\n" in shown


def test_what_notes_do_not_agree_on_stands_under_the_answer() -> None:
    sides = (
        ConflictSide(
            NotePath("A.md"), "A", "2.15 m", "", "A.md#Heights:81@623916a1520898f6"
        ),
        ConflictSide(NotePath("B.md"), "B", "2.40 m", "", "B.md:2-3@623916a1520898f6",
             approved=False),
    )  # fmt: skip
    conflict = Conflict("statement", "the alarm", sides)
    answer = replace(WHOLE, conflicts=(conflict,))

    made, shown = answer_as_json(answer, vault="Notes"), answer_as_text(answer, PLAIN)

    assert made["conflicts"][0]["sides"][1]["approved"] is False
    assert (
        'in what it cites)\n\nYour notes disagree on "the alarm": '
        "A: 2.15 m [A.md:81]; B: 2.40 m [B.md:2-3] "
        "(generated, not approved)\n\n[1] "
    ) in shown


def test_a_decision_that_took_the_place_of_another_is_told() -> None:
    newer = ConflictSide(NotePath("A.md"), "A", "in the place of B", "", "A.md:5@62391")
    older = ConflictSide(NotePath("B.md"), "B", "superseded by A", "", "")
    conflict = Conflict("superseded", "B", (newer, older))

    assert conflict_line(conflict) == (
        "A: in the place of B [A.md:5]; B: superseded by A [B.md]"
    )


def test_several_sources_of_a_statement_are_named_once_each() -> None:
    cited = tuple(Citation(number, "so", "") for number in (2, 1, 2))

    assert marks(Statement("So.", "quoted", cited), PLAIN) == " [2][1]"
    assert marks(Statement("So.", "verbatim"), PLAIN) == ""
    assert marks(Statement("So.", "unsupported"), PLAIN) == (
        " (not supported by your notes)"
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
                excerpt=f"{evil} f",
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

    pieces = "".join(spoken(one, PLAIN, "quoted") for one in text)

    assert pieces == spoken(text, PLAIN, "quoted") == "a b\\x07c d"
