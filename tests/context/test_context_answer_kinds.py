"""What kind of thing a question wants to hear, and whether a sentence has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.context.extract import has_kind

HAS = [
    ("How many boats are there?", "There are 14 of them."),
    ("How many boats are there?", "Fourteen of them, and a raft."),
    ("How often does it leak?", "It leaks twice a year."),
    ("How old is the 3 masted barge?", "She is 90 years old."),
    ("When does the ferry leave?", "On Monday, weather permitting."),
    ("When does the ferry leave?", "It leaves in March."),
    ("When was it built?", "It was built in 1931."),
    ("What year was it built?", "It was built in 1931."),
    ("At what time does it leave?", "It leaves at 9:15."),
    ("What time does it leave?", "At noon."),
    ("What does it cost?", "It cost 40 euros."),
    ("How much is the rent?", "rent: 790"),
    ("How much does she weigh?", "She has 4 tonnes and weighs 4,200 kg."),
    ("What is her e-mail?", "Write to osgar@quay.example."),
    ("What is his phone number?", "Osgar: 0555 014 222"),
    ("Who steers the ferry?", "The ferry is steered by Osgar."),
    ("Whose barge is it?", "[[Osgar]] bought it."),
    ("What is the barge called?", "We named her Petrel."),
    ("What is on the table?", "Whatever anybody put there."),
    ("Wie viele Boote gibt es?", "Es sind zwölf."),
    ("Wie alt ist das Boot?", "Es ist von 1931."),
    ("Wann fährt die Fähre?", "Jeden Dienstag."),
    ("Wann fährt die Fähre?", "Nur im Sommer."),
    ("Um wieviel Uhr fährt sie?", "Um 9 Uhr."),
    ("Was kostet das Boot?", "Es kam auf 400 €."),
    ("Wer steuert die Fähre?", "Die Fähre steuert Osgar."),
    ("Wie heißt das Boot?", "Wir nennen es Petrel."),
    (
        "Who steers it?",
        "\u6e21\u3057\u8239\u306f\u7530\u4e2d\u304c\u64cd\u308b\u3002 \u7530\u4e2d",
    ),
]

LACKS = [
    ("How many boats are there?", "There are a few of them."),
    ("How many of the 14 boats leak?", "Of the 14 boats, several leak."),
    ("When does the ferry leave?", "The decision is with the captain."),
    ("When does the ferry leave?", "The main mast was marked by a junior."),
    ("When does the ferry leave?", "She tagged the novel at the market."),
    ("When in summer does it leave?", "It leaves in summer."),
    ("Which day is it on?", "It is a day like any other."),
    ("Who left on Monday at 9:15?", "it left on Monday at 9:15"),
    ("What time does the 9:15 ferry arrive?", "The 9:15 ferry is late."),
    ("What does it cost?", "It costs a lot."),
    ("What does the 40 euro ticket cost now?", "It is the 40 euro ticket."),
    ("What is her e-mail?", "She does write letters."),
    ("Who steers the ferry?", "The ferry is steered by hand."),
    ("Who steers the Petrel?", "The crew of the Petrel steers."),
    ("Whose barge is the Petrel?", "It is the Petrel's barge."),
    ("Wer steuert die Fähre?", "die wird von hand gesteuert"),
    ("Wann fährt die Fähre?", "Sobald alle da sind."),
    ("Who steers it?", "the łódź is steered by hand, and č too"),
]


@pytest.mark.parametrize(("question", "said"), HAS)
def test_a_sentence_with_what_is_asked_for_may_answer(question: str, said: str) -> None:
    assert has_kind(question, said)


@pytest.mark.parametrize(("question", "said"), LACKS)
def test_a_sentence_without_it_does_not_answer(question: str, said: str) -> None:
    assert not has_kind(question, said)


def test_a_question_in_another_language_wants_no_kind() -> None:
    assert has_kind("Кто ведёт паром?", "как обычно")


@pytest.mark.parametrize(
    ("question", "said", "is_reason"),
    [
        ("Why is the barge called Petrel?", "Because petrels nested in her.", True),
        ("Why is the barge called Petrel?", "The barge is called Petrel.", False),
        ("Why did he sell the van?", "He has a new car.", False),
        ("Warum leckt das Boot?", "Es leckt, weil es alt ist.", True),
        ("Warum leckt das Boot?", "Das Boot leckt am Bug.", False),
    ],
)
def test_who_asks_why_is_given_reasons(
    question: str, said: str, is_reason: bool
) -> None:
    assert has_kind(question, said) is is_reason


def test_a_heading_says_that_what_is_below_is_a_reason() -> None:
    question = "Why did we take LFP cells?"

    assert has_kind(question, "They do not burn.", "Reasons")
    assert not has_kind(question, "They do not burn.", "Cells")


def test_two_kinds_in_one_question_are_both_wanted() -> None:
    question = "When was it sold, and what did it cost?"

    assert has_kind(question, "It went in March for 400 euros.")
    assert not has_kind(question, "It went in March.")
    assert not has_kind("What was the price, and when?", "It went for a song.")


@given(st.text(max_size=80), st.text(max_size=200), st.text(max_size=40))
def test_any_question_and_any_sentence_are_judged(
    question: str, said: str, heading: str
) -> None:
    assert has_kind(question, said, heading) in {True, False}


@given(st.sampled_from([question for question, _ in HAS]))
def test_what_was_asked_with_answers_nothing_of_a_kind(question: str) -> None:
    if question != "What is on the table?":
        assert not has_kind(question, question)
