"""A true quote proves only what has to do with it."""

import pytest
from answers_harness import GOOD, AnswersHarness, ScriptedChat, source, written

from glassmind.context.proof import LEFT_OUT, SAYS_NOTHING, TOO_SHORT
from glassmind.model.context import Statement

BOAT = "We did not sell the boat in spring."
BOARD = "The plan is long. It was not approved by the board in May, said Mara."
LIST = "1. Buy a mast for 450 crowns\n2. Paint the hull of the boat\n3. May was warm"
TABLE = "| Drug | Dose |\n|---|---|\n| Asperol | 5 mg |\n| Bexin | 9 mg |"
POINT = (
    "- It was -5 degrees at 8:00 when the ferry left.\n- The 5 ferries have 20 seats."
)


def judged(text: str, quote: str, said: str, question: str = "What?") -> Statement:
    """Return what becomes of a statement beside one that is borne out."""
    sources = [source(1, "2025/a.md", text), source(2, "b.md", "Tea is green, mostly.")]
    safe = (2, "Tea is green, mostly", "Tea is green.")
    chat = ScriptedChat(written((1, quote, said), safe))
    first, *rest = AnswersHarness(chat, sources=sources).ask(question).statements
    assert [one.support for one in rest] == ["quoted"]
    return first


@pytest.mark.parametrize(
    ("text", "quote", "said", "problem"),
    [
        (BOAT, "We did not sell the boat", "The moon is made of cheese.", SAYS_NOTHING),
        (BOAT, "We did not sell the boat", "It is.", SAYS_NOTHING),
        (BOAT, "We did not sell the boat", "It was 5.", "5 is not in what it cites"),
        (BOAT, "sell the boat in spring", "We sell the boat in spring.", LEFT_OUT),
        (BOARD, "approved by the board in May", "The board approved it.", LEFT_OUT),
        (BOARD, "It was not approved by", "It was approved.", LEFT_OUT),
        ("We don't sell the boat", "sell the boat", "We sell the boat.", LEFT_OUT),
        ("We don\u2019t sell the boat", "sell the boat", "You sell boats.", LEFT_OUT),
        ("Nie wurde das Boot verkauft.", "das Boot verkauft", "Das Boot ist verkauft.",
         LEFT_OUT),
        ("Wir haben kein Boot in Kiel.", "Boot in Kiel", "Ein Boot in Kiel.", LEFT_OUT),
        ("Il ne vend pas le bateau bleu.", "le bateau bleu", "Il vend le bateau bleu.",
         LEFT_OUT),
        ("Nunca vendimos el barco azul.", "vendimos el barco azul",
         "Vendimos el barco azul.", LEFT_OUT),
        (BOAT, "We did not sell the boat", "We did not give Zorblax the boat.",
         "Zorblax is not in what it cites"),
        (BOARD, "It was not approved by the board", "The Queen never approved of Mara.",
         "Queen is not in what it cites"),
        (LIST, "1", "Ada has 1 child.", "the quote is not in source 1"),
        (LIST, "450", "Ada has 450 children.", TOO_SHORT),
        (LIST, "450", "It is a mast.", TOO_SHORT),
        (LIST, "Paint the hull of", "The hull costs 2 million.",
         "2 is not in what it cites"),
        (LIST, "Paint the hull of", "The hull was painted on 2025-05-03.",
         "2025-05-03 is not in what it cites"),
        (LIST, "Paint the hull of", "The hull costs 450.",
         "450 is not in what it cites"),
        (TABLE, "5 mg Bexin", "Bexin is 5 mg.", "the quote is not in source 1"),
        (TABLE, "Bexin | 9 mg", "Bexin is 5 mg.",
         "5 is not in what it cites"),
        (POINT, "when the ferry left", "The ferry left at 5 degrees.",
         "5 is not in what it cites"),
        (POINT, "The 5 ferries have", "There are -5 ferries.",
         "-5 is not in what it cites"),
        (POINT, "when the ferry left", "The ferry left at 20:00.",
         "20:00 is not in what it cites"),
        (POINT, "when the ferry left", "The ferry left at 8 pm.",
         "8 pm is not in what it cites"),
        ("The 船 is green, mostly.", "is green, mostly", "茶是綠色的。",
         SAYS_NOTHING),
        ("The boat is green, mostly.", "boat is green, mostly", "Das ist ein Haus.",
         SAYS_NOTHING),
    ],
)  # fmt: skip
def test_what_does_not_follow_by_its_words_is_not_borne_out(
    text: str, quote: str, said: str, problem: str
) -> None:
    made = judged(text, quote, said)

    assert made.problem == problem
    assert made.support == "unsupported"


@pytest.mark.parametrize(
    ("text", "quote", "said"),
    [
        (BOAT, "We did not sell the boat", "You never sold the boat."),
        (BOAT, "We did not sell the boat", "You kept the boat."),
        (BOARD, "by the board in May", "The board did not approve it in May."),
        (BOARD, "It was not approved by", "Mara said that it was not approved."),
        (LIST, "450 crowns", "The mast costs 450 crowns."),
        (LIST, "450", "The mast is 450."),
        (LIST, "1. Buy a mast", "You are to buy a mast."),
        (TABLE, "9 mg", "The dose of Bexin is 9 mg."),
        (TABLE, "Bexin | 9 mg", "Bexin: a dose of 9 mg."),
        (POINT, "when the ferry left", "The ferry left at 8 am, at -5 degrees."),
        ("---\nstarted: 2024-05-18\n---\n", "started: 2024-05-18",
         "It was started on 18 May 2024."),
        ("Ask at the [[Tavel Co|customs house]] early.", "at the customs house",
         "Ask at the [[Tavel Co|customs house]]."),
        ("No pump is set; the tank is higher.", "No pump is set; the tank",
         "The tank is higher."),
        ("The boat cost 450 crowns.", "boat cost 450 crowns",
         "Das Schiff war f\u00fcr 450 Kronen."),
        ("The mast is of Douglas fir.", "is of Douglas fir", "Er ist aus Douglasie."),
        ("水獺相機每天在舊堰下拍攝一千張照片",
         "相機每天在舊堰下拍攝一千張",
         "相機在舊堰。"),
    ],
)  # fmt: skip
def test_what_says_the_same_in_other_words_is_borne_out(
    text: str, quote: str, said: str
) -> None:
    made = judged(text, quote, said)

    assert (made.problem, made.support) == ("", "quoted")


@pytest.mark.parametrize("quote", ["Power", "Heron Power", "2025/a.md", "Heron"])
def test_a_heading_or_a_path_is_no_quote(quote: str) -> None:
    made = judged("## Heron Power\nIt runs on sun.", quote, "The power of Heron.")

    assert made.support == "unsupported"


def test_the_sentence_is_cited_from_its_beginning() -> None:
    made = judged(BOARD, "approved by the board in May", "The board approved it.")

    (cited,) = made.citations
    assert cited.quote == "It was not approved by the board in May, said Mara."


@pytest.mark.parametrize(
    ("said", "is_borne"),
    [
        ("The station has 999 panels.", False),
        ("It runs on a panel in 999.", False),
        ("In 999 it runs on a 40 W panel.", True),
    ],
)
def test_a_figure_of_the_question_alone_proves_nothing(
    said: str, is_borne: bool
) -> None:
    text = "The station runs on a 40 W panel."

    made = judged(text, GOOD[1], said, "Are there 999 stations with a panel?")

    assert made.is_supported is is_borne


def test_a_quote_that_stands_twice_is_cited_where_it_bears_the_statement_out() -> None:
    text = "- They never said so: the boat is blue.\n- Ada: the boat is blue, and old."

    made = judged(text, "the boat is blue", "The boat is blue and old.")

    assert [citation.quote for citation in made.citations] == [
        "Ada: the boat is blue, and old."
    ]
    assert made.is_supported
