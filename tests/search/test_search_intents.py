"""What a question wants, told from its form and from questions like it."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_desk import cached_vectors, minilm
from numpy.typing import NDArray

from glassmind.model.search import Intent
from glassmind.models.intents import Prototypes, learnt, questions_embedded
from glassmind.search.intent import INTENTS, Guess, guess_intent, prototypes, rules

Rows = NDArray[np.float32]

LABELLED = Path(__file__).parents[1] / "gold" / "intent-labels.jsonl"
"""Questions that nobody looked at who wrote a rule or a prototype."""

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


def test_likeness_decides_where_form_says_nothing() -> None:
    text = "grandmother's attic"

    assert guess_intent(text).intent == "conceptual"
    assert guess_intent(text, {"context_load": 0.6}).intent == "context_load"


def test_likeness_alone_is_never_sure() -> None:
    guess = guess_intent("grandmother's attic", {"serendipity": 1.0})

    assert guess.intent == "serendipity"
    assert not guess.is_sure


def test_a_plain_statement_outweighs_a_likeness_to_something_else() -> None:
    near: dict[Intent, float] = {"conceptual": 0.45, "backlink": 0.1}

    assert guess_intent("what links to Stoicism", near).intent == "backlink"


def test_likeness_counts_less_in_a_script_that_few_models_read() -> None:
    near: dict[Intent, float] = {"backlink": 0.6}

    assert guess_intent("护照号码", near).intent == "factual_lookup"


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


def test_every_intent_has_rules_and_a_hundred_prototypes() -> None:
    counted = Counter(intent for _, intent in prototypes())

    assert set(rules()) == set(counted) == set(INTENTS)
    assert min(counted.values()) >= 100
    assert len({text for text, _ in prototypes()}) == len(prototypes())


def test_no_prototype_is_a_question_of_the_test() -> None:
    asked = {text.casefold().strip(" ?.") for text, _ in labelled()}

    found = [text for text, _ in prototypes() if text.casefold().strip(" ?.") in asked]

    assert found == []


KNOWN: Sequence[tuple[str, Intent]] = (
    ("who", "factual_lookup"),
    ("when", "factual_lookup"),
    ("why", "conceptual"),
    ("how", "conceptual"),
)
PLACES = {"who": [1, 0.1], "when": [1, -0.1], "why": [0.1, 1], "how": [-0.1, 1]}


def placed(texts: Sequence[str]) -> Rows:
    """Return a row for each word, facts to the right and ideas up."""
    rows = np.array([PLACES[text] for text in texts], np.float32)
    made: Rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


def unasked(_: Sequence[str]) -> Rows:
    pytest.fail("nothing should be embedded")


Embed = Callable[[Sequence[str]], Rows]
Make = Callable[..., Prototypes]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(
        vectors_of: Embed = placed,
        known: Sequence[tuple[str, Intent]] = KNOWN,
        space: str = "plane",
        folder: Path = tmp_path,
    ) -> Prototypes:
        return Prototypes(known, vectors_of, space=space, folder=folder)

    return made


RIGHT, UP = np.array([1, 0], np.float32), np.array([0, 1], np.float32)


def best(votes: dict[Intent, float] | None) -> Intent:
    assert votes is not None
    return max(votes, key=lambda intent: votes[intent])


def test_a_question_gets_the_votes_of_those_like_it(make: Make) -> None:
    known = make()
    known.learn()

    assert best(known.votes(RIGHT)) == "factual_lookup"
    assert best(known.votes(UP)) == "conceptual"


def test_before_anything_is_learnt_there_are_no_votes(make: Make) -> None:
    assert not make(unasked).is_learnt()
    assert make(unasked).votes(RIGHT) is None


def test_one_who_may_wait_learns_on_the_way(make: Make) -> None:
    assert best(make().votes(RIGHT, learn=True)) == "factual_lookup"


def test_what_was_learnt_is_read_by_the_next(make: Make) -> None:
    first = make()
    first.learn()

    assert make(unasked).votes(RIGHT, learn=True) == first.votes(RIGHT)


def test_another_model_or_other_questions_are_learnt_anew(make: Make) -> None:
    make().learn()

    assert make(unasked).is_learnt()
    assert make(unasked, space="sphere").votes(RIGHT) is None
    assert make(unasked, known=KNOWN[:3]).votes(RIGHT) is None


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"nonsense" * 40])
def test_a_damaged_file_is_as_good_as_none(
    make: Make, tmp_path: Path, content: bytes
) -> None:
    make().learn()
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)

    assert not make(unasked).is_learnt()
    assert make(unasked).votes(RIGHT) is None
    assert best(make().votes(RIGHT, learn=True)) == "factual_lookup"
    assert best(make(unasked).votes(RIGHT)) == "factual_lookup"


@pytest.mark.parametrize("shape", [(7, 2), (3, 7), (3,)])
def test_weights_of_another_shape_are_not_used(
    make: Make, tmp_path: Path, shape: tuple[int, ...]
) -> None:
    make().learn()
    (file,) = tmp_path.iterdir()
    np.save(file, np.ones(shape, np.float32))

    assert make(unasked).votes(RIGHT) is None


def test_a_folder_that_cannot_be_written_costs_only_the_file(
    make: Make, tmp_path: Path
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("no folder")

    known = make(folder=in_the_way / "below")

    assert best(known.votes(UP, learn=True)) == "conceptual"


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


def test_form_and_likeness_tell_most_intents_of_questions_never_seen(
    tmp_path: Path,
) -> None:
    model = minilm()
    embed = partial(questions_embedded, model)
    known = Prototypes(prototypes(), embed, space=model.space, folder=tmp_path)

    with cached_vectors("labelled"):
        known.learn()
        guesses = [
            guess_intent(text, known.votes(model.query(text))) for text, _ in labelled()
        ]

    assert share_right(guesses) >= 0.85


def test_a_guess_that_is_acted_on_is_right() -> None:
    """By folds: no prototype is among those that its votes come from."""
    texts = [text for text, _ in prototypes()]
    wanted = np.array([[i == want for i in INTENTS] for _, want in prototypes()])
    with cached_vectors("prototypes"):
        rows = np.stack([minilm().query(text) for text in texts])
    ones = np.ones((len(rows), 1), np.float32)

    sure: list[tuple[Intent, Intent]] = []
    for fold in range(5):
        out = np.arange(len(rows)) % 5 == fold
        weights = learnt(rows[~out], wanted[~out].astype(np.float32))
        said = np.hstack([rows, ones]) @ weights
        for at in np.flatnonzero(out):
            near = dict(zip(INTENTS, map(float, said[at]), strict=True))
            guess = guess_intent(texts[at], near)
            if guess.is_sure:
                sure.append((guess.intent, prototypes()[at][1]))

    for intent in ACTED_ON:
        found = [want == intent for guessed, want in sure if guessed == intent]
        assert len(found) >= 50
        assert sum(found) / len(found) >= 0.95, intent
