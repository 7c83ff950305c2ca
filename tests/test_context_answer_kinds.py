"""What kind of thing a question wants to hear, and whether a sentence has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.context.extract import AnswerKind

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
    ("¿Cuántos barcos hay?", "Hay doce, o 12."),
    ("¿Cuándo sale el barco?", "Sale el domingo."),
    ("¿A qué hora sale?", "Sale a las 9:15."),
    ("¿Cuánto cuesta?", "Son 40 euros."),
    ("¿Quién lleva el barco?", "El barco lo lleva Osgar."),
    ("¿Cómo se llama el barco?", "Le decimos Petrel."),
    ("Combien de bateaux ?", "Il y en a sept."),
    ("Quand part le bac ?", "Il part samedi."),
    ("À quelle heure part le bac ?", "Il part à 9h15."),
    ("Qui mène le bac ?", "Le bac est mené par Osgar."),
    ("Comment s'appelle le bateau ?", "Nous disons Petrel."),
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
    ("How much does she weigh?", "She weighs 12 times what she should."),
    ("What is her e-mail?", "She does write letters."),
    ("What is his phone number?", "He called on 2024-03-01."),
    ("Who steers the ferry?", "The ferry is steered by hand."),
    ("Who steers the Petrel?", "The crew of the Petrel steers."),
    ("Whose barge is the Petrel?", "It is the Petrel's barge."),
    ("Wer steuert die Fähre?", "die wird von hand gesteuert"),
    ("Wann fährt die Fähre?", "Sobald alle da sind."),
    ("¿Quién lleva el barco?", "El barco va solo."),
    ("¿Cuándo sale el barco?", "Sale cuando puede."),
    ("Quand part le bac ?", "Il part plein."),
    ("Qui mène le bac ?", "Le bac va seul."),
    ("Who steers it?", "the łódź is steered by hand, and č too"),
]


@pytest.mark.parametrize(("question", "said"), HAS)
def test_a_sentence_with_what_is_asked_for_may_answer(question: str, said: str) -> None:
    assert AnswerKind(question).is_in(said)


@pytest.mark.parametrize(("question", "said"), LACKS)
def test_a_sentence_without_it_does_not_answer(question: str, said: str) -> None:
    assert not AnswerKind(question).is_in(said)


def test_a_question_in_another_language_wants_no_kind() -> None:
    assert AnswerKind("Кто ведёт паром?").is_in("как обычно")


@pytest.mark.parametrize(
    ("question", "said", "is_reason"),
    [
        ("Why is the barge called Petrel?", "Because petrels nested in her.", True),
        ("Why is the barge called Petrel?", "The barge is called Petrel.", False),
        ("Why did he sell the van?", "He has a new car.", False),
        ("Warum leckt das Boot?", "Es leckt, weil es alt ist.", True),
        ("Warum leckt das Boot?", "Das Boot leckt am Bug.", False),
        ("¿Por qué se hunde?", "Se hunde porque es viejo.", True),
        ("¿Por qué se hunde?", "Se hunde en el puerto.", False),
        ("Pourquoi coule-t-il ?", "Il coule, car il est vieux.", True),
        ("Pourquoi coule-t-il ?", "Il coule au port.", False),
    ],
)
def test_who_asks_why_is_given_reasons(
    question: str, said: str, is_reason: bool
) -> None:
    assert AnswerKind(question).is_in(said) is is_reason


def test_a_heading_says_that_what_is_below_is_a_reason() -> None:
    wanted = AnswerKind("Why did we take LFP cells?")

    assert wanted.is_in("They do not burn.", "Reasons")
    assert not wanted.is_in("They do not burn.", "Cells")


def test_two_kinds_in_one_question_are_both_wanted() -> None:
    wanted = AnswerKind("When was it sold, and what did it cost?")

    assert wanted.is_in("It went in March for 400 euros.")
    assert not wanted.is_in("It went in March.")
    assert not AnswerKind("What was the price, and when?").is_in("It went for a song.")


@given(st.text(max_size=80), st.text(max_size=200), st.text(max_size=40))
def test_any_question_and_any_sentence_are_judged(
    question: str, said: str, heading: str
) -> None:
    assert AnswerKind(question).is_in(said, heading) in {True, False}


@given(st.sampled_from([question for question, _ in HAS]))
def test_what_was_asked_with_answers_nothing_of_a_kind(question: str) -> None:
    if question != "What is on the table?":
        assert not AnswerKind(question).is_in(question)
