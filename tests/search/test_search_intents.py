"""What a question wants, told from its form."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.model.search import Intent
from glassmind.search.intent import INTENTS, Guess, guess_intent, rules

PROTOTYPES = Path(__file__).parents[1] / "gold" / "intent-prototypes.txt"
LABELLED = Path(__file__).parents[1] / "gold" / "intent-labels.jsonl"
"""Questions that nobody looked at who wrote a rule."""

ACTED_ON = ("backlink", "context_load", "serendipity")


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("what links to Sea shanties?", "backlink"),
        ("backlinks for [[Tidal power]]", "backlink"),
        ("which pages mention Grace Hopper", "backlink"),
        ("Where is the glossary cited?", "backlink"),
        ("what would break if I delete the Style guide note", "backlink"),
        ("load the context of the Tern project", "context_load"),
        ("Catch me up on the choir tour", "context_load"),
        ("everything I have about the barn conversion", "context_load"),
        ("where did I leave off with the atlas", "context_load"),
        ("prepare me for the meeting with the architect", "context_load"),
        ("how many bricks did we order", "factual_lookup"),
        ("postcode of the studio", "factual_lookup"),
        ("Who repaired the harmonium?", "factual_lookup"),
        ("tern antenna frequency", "factual_lookup"),
        ("what is the deadline for the abstract", "factual_lookup"),
        ("why do projects run late", "conceptual"),
        ("how does fermentation preserve food", "conceptual"),
        ("thoughts on craftsmanship", "conceptual"),
        ("the nature of attention", "conceptual"),
        ("pros and cons of shared ownership", "conceptual"),
        ("surprise me", "serendipity"),
        ("unexpected connections between knitting and compilers", "serendipity"),
        ("what do tides and markets have in common", "serendipity"),
        ("show me a random note from long ago", "serendipity"),
        ("combine birdsong with cryptography", "serendipity"),
    ],
)
def test_the_form_of_a_question_tells_what_it_wants(text: str, intent: Intent) -> None:
    assert guess_intent(text).intent == intent


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Welche Seiten verweisen auf den Leuchtturm?", "backlink"),
        ("wo wird Fontane erwähnt", "backlink"),
        ("Gib mir den Kontext zur Chorreise", "context_load"),
        ("wann ist der Abgabetermin", "factual_lookup"),
        ("warum dauern Projekte länger", "conceptual"),
        ("überraschende Verbindungen zwischen Gezeiten und Märkten", "serendipity"),
        ("qué páginas mencionan el faro", "backlink"),
        ("todo sobre la gira del coro", "context_load"),
        ("cuándo vence el pasaporte", "factual_lookup"),
        ("por qué se retrasan los proyectos", "conceptual"),
        ("qué tienen en común las mareas y los mercados", "serendipity"),
        ("quelles pages mentionnent le phare", "backlink"),
        ("reprendre le projet de la grange", "context_load"),
        ("combien de briques avons-nous commandées", "factual_lookup"),
        ("pourquoi les projets prennent du retard", "conceptual"),
        ("des liens inattendus entre marées et marchés", "serendipity"),
        ("哪些笔记提到了灯塔", "backlink"),
        ("继续做谷仓项目", "context_load"),
        ("砖头一共多少钱", "factual_lookup"),
        ("为什么项目总是延期", "conceptual"),
        ("潮汐和市场有什么意想不到的联系", "serendipity"),
        ("灯台に言及しているノート", "backlink"),
        ("合唱ツアーの現状", "context_load"),
        ("締め切りはいつ", "factual_lookup"),
        ("なぜ計画は遅れるのか", "conceptual"),
        ("潮と市場の意外なつながり", "serendipity"),
    ],
)
def test_other_languages_have_their_plain_forms(text: str, intent: Intent) -> None:
    assert guess_intent(text).intent == intent


@pytest.mark.parametrize("text", ["", "   ", "xyzzy", "?", "тайна"])
def test_with_nothing_to_go_by_it_is_an_idea_and_unsure(text: str) -> None:
    assert guess_intent(text) == Guess("conceptual")
    assert not guess_intent(text).is_sure


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("what links to Sea shanties?", "backlink"),
        ("get me up to speed on the barn conversion", "context_load"),
        ("surprise me with something from the archive", "serendipity"),
    ],
)
def test_a_plain_statement_is_acted_on(text: str, intent: Intent) -> None:
    guess = guess_intent(text)

    assert guess.intent == intent
    assert guess.is_sure


@pytest.mark.parametrize(
    "text",
    [
        "Protein folding is linked to the temperature of the solvent",
        "The status bar shows the current branch",
        "References are kept in a folder of their own",
        "Plan your backup before you need it",
        "edit a task",
        "Add a page with examples",
        "passport number",
        "the nature of attention",
    ],
)
def test_a_sentence_or_a_common_question_changes_nothing(text: str) -> None:
    assert not guess_intent(text).is_sure


def test_the_end_of_a_very_long_text_is_not_read() -> None:
    text = "word " * 200

    assert guess_intent(f"{text} surprise me").intent == "conceptual"
    assert guess_intent(f"surprise me {text}").intent == "serendipity"


@given(st.text(max_size=200))
def test_any_text_has_an_intent(text: str) -> None:
    assert guess_intent(text).intent in INTENTS


def test_no_cue_hides_a_rule_that_would_match() -> None:
    known = [rule for listed in rules().values() for rule in listed]
    for text, _ in prototypes():
        lowered = text.lower()
        for rule in known:
            matches = rule.compiled.search(text) is not None
            assert rule.fits(text, lowered) is matches, (rule.pattern, text)


def test_every_intent_has_rules() -> None:
    assert set(rules()) == set(INTENTS)


@cache
def prototypes() -> list[tuple[str, Intent]]:
    """Return typical questions, which the rules were written for."""
    sections = PROTOTYPES.read_text("utf-8").strip("[\n").split("\n\n[")
    return [
        (text, cast("Intent", intent))
        for intent, _, lines in (section.partition("]\n") for section in sections)
        for text in lines.splitlines()
    ]


@cache
def labelled() -> list[tuple[str, Intent]]:
    """Return the questions of the test with their intents."""
    lines = map(json.loads, LABELLED.read_text("utf-8").splitlines())
    return [(line["query"], line["intent"]) for line in lines]


def share_right(guesses: Sequence[Guess]) -> float:
    pairs = zip(guesses, labelled(), strict=True)
    return sum(guess.intent == wanted for guess, (_, wanted) in pairs) / len(guesses)


def test_form_alone_tells_most_intents_of_questions_never_seen() -> None:
    assert share_right([guess_intent(text) for text, _ in labelled()]) >= 0.90


def test_a_guess_that_is_acted_on_is_right() -> None:
    sure = [
        (guess.intent, wanted)
        for text, wanted in prototypes()
        if (guess := guess_intent(text)).is_sure
    ]

    for intent in ACTED_ON:
        found = [wanted for guessed, wanted in sure if guessed == intent]
        assert len(found) >= 50
        assert sum(want == intent for want in found) / len(found) >= 0.95, intent
