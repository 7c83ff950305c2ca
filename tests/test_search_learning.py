"""A vault teaches what its answers look like, and is asked again when it changes."""

from collections.abc import Collection
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from meaning_desk import MeaningDesk, WordModel
from strange_questions import STRANGERS

from glassmind.index.keeper import IndexKeeper
from glassmind.model import NotePath
from glassmind.model.access import EVERY_AGENT
from glassmind.model.index import Progress
from glassmind.search.confidence import (
    FITTED,
    LEAST_QUESTIONS,
    USUAL,
    OwnQuestion,
    Signals,
    asked_in_all,
    learnt,
    strangers,
)
from glassmind.search.query import plain
from glassmind.wiring import confidence
from glassmind.wiring.confidence import LEAST_NOTES

PLANTS = (
    "fern", "moss", "ivy", "oak", "elm", "ash", "yew", "fir", "pine", "larch", "beech",
    "birch", "alder", "hazel", "maple", "willow", "poplar", "cedar", "juniper", "holly",
    "rowan", "hawthorn", "bramble", "nettle", "clover", "daisy", "thistle", "foxglove",
)  # fmt: skip


def questions(count: int) -> list[OwnQuestion]:
    source, target = NotePath("Log.md"), NotePath("Kiln.md")
    return [OwnQuestion(f"own {n}", source, target) for n in range(count)]


class Vault:
    """Answers as a vault would that is so near to its own and to strange questions."""

    def __init__(self, own: float, strange: float) -> None:
        self.own, self.strange = own, strange
        self.asked: list[tuple[str, frozenset[NotePath]]] = []

    def __call__(self, text: str, without: Collection[NotePath]) -> Signals | None:
        self.asked.append((text, frozenset(without)))
        wave = (len(self.asked) % 7 - 3) / 30
        if text.startswith("own") and NotePath("Kiln.md") not in without:
            return Signals(self.own + wave, 0.7, 1.5)
        near = self.own - 0.05 if text.startswith("own") else self.strange
        return Signals(near + wave, 0.2, 2.0)


def test_a_vault_without_links_teaches_only_what_is_far() -> None:
    found = learnt(Vault(0.6, 0.4), questions(LEAST_QUESTIONS - 1))

    assert found is not None
    assert found.far == pytest.approx(0.4, abs=0.01)
    assert found.weights == USUAL.weights
    assert found.bias == USUAL.bias


@settings(deadline=None, max_examples=20)
@given(strange=st.floats(0.0, 0.7), above=st.floats(0.1, 0.3))
def test_wherever_strangers_stand_what_is_above_them_is_an_answer(
    strange: float, above: float
) -> None:
    vault = Vault(strange + above, strange)

    found = learnt(vault, questions(60))

    assert found is not None
    assert found.probability(Signals(strange + above, 0.7, 1.5)) > 0.8
    assert found.probability(Signals(strange, 0.2, 2.0)) < 0.2


def test_its_own_questions_are_asked_without_the_note_they_come_from() -> None:
    vault = Vault(0.6, 0.3)

    learnt(vault, questions(40))

    kinds = [len(without) for _, without in vault.asked]
    once = {without for _, without in vault.asked if len(without) == 1}
    assert once == {frozenset(["Log.md"])}
    assert [kinds.count(size) for size in (0, 1, 2)] == [len(strangers()), 40, 10]
    assert len(vault.asked) == asked_in_all(questions(40))


def test_a_vault_that_cannot_be_asked_teaches_nothing() -> None:
    assert learnt(lambda _text, _without: None, questions(60)) is None


def test_nothing_is_measured_by_the_strangers_that_taught() -> None:
    assert len(set(strangers())) == len(strangers()) == 100
    assert not set(strangers()) & set(STRANGERS)
    assert all(plain(text) == text for text in strangers())
    words = [len(text.split()) for text in strangers()]
    assert min(words) <= 3
    assert max(words) >= 12


def wood(size: int = 2 * LEAST_NOTES) -> dict[str, str]:
    """Return notes on plants that link to each other, each in a sentence of its own."""
    notes = {}
    for n in range(size):
        plant, other = PLANTS[n % len(PLANTS)], (n * 7 + 1) % size
        kind = PLANTS[other % len(PLANTS)]
        notes[f"{plant} {n}.md"] = (
            f"# {plant} {n}\n\nThe {plant} of bed {n} grows slowly in the shade.\n\n"
            f"Near bed {n} we saw the [[{kind} {other}|{kind} of bed {other}]] again.\n"
        )
    return notes


@pytest.fixture
def grown(meaning: MeaningDesk) -> MeaningDesk:
    """A vault that is large enough to be asked, by a model that nobody knows."""
    meaning.copy_from(_indexed_wood())
    return meaning


@cache
def _indexed_wood() -> MeaningDesk:
    """Index the vault once per process; tests work on copies."""
    desk = MeaningDesk(Path(mkdtemp()))
    desk.indexed(wood())
    desk.close()
    return desk


def kept(desk: MeaningDesk) -> list[Path]:
    return sorted(desk.folder.glob("confidence-*.json"))


def test_a_vault_teaches_its_curve_whatever_its_model(grown: MeaningDesk) -> None:
    near = grown.ask("the fern of bed 0 grows in the shade").confidence
    far = grown.ask("escrow reconciliation of the oboe clinic").confidence

    assert near is not None
    assert far is not None
    assert near > 0.7
    assert far < 0.3
    assert len(kept(grown)) == 1


def test_a_small_vault_is_not_asked(meaning: MeaningDesk) -> None:
    meaning.use(WordModel(f"{FITTED} in words"))

    meaning.indexed(wood(LEAST_NOTES - 1))

    assert kept(meaning) == []
    assert meaning.ask("fern").confidence is not None


def test_an_agent_is_not_rated_by_a_curve_learnt_from_hidden_notes(
    grown: MeaningDesk,
) -> None:
    question, agent = "the fern of bed 0", grown.engine.seen_by(EVERY_AGENT)
    learnt_from_all = agent.search(question).confidence

    grown.indexed({"Own.md": "---\nprivate: true\n---\nMine: [[fern 0]].\n"})

    assert learnt_from_all is not None
    assert grown.ask(question).confidence is not None
    assert agent.search(question).confidence is None


def test_it_is_asked_again_only_when_it_has_become_another(grown: MeaningDesk) -> None:
    (file,) = kept(grown)
    before = file.stat().st_mtime_ns

    grown.write({"More.md": "One more note about a fern.\n"})
    grown.index()
    after_one = file.stat().st_mtime_ns
    grown.write(wood(3 * LEAST_NOTES))
    grown.index()

    assert after_one == before
    assert file.stat().st_mtime_ns > before


@pytest.mark.parametrize(
    "text",
    [
        "[[1, 0, 0, [1, 2, 3, 4]], 100, 80]",
        *(pytest.param(text, marks=pytest.mark.slow) for text in ("", "[1, 2]")),
    ],
)
def test_a_curve_that_is_damaged_is_learnt_anew(grown: MeaningDesk, text: str) -> None:
    (file,) = kept(grown)
    was = file.read_text("utf-8")
    file.write_text(text, "utf-8")

    lost = grown.ask("fern").confidence
    grown.index()

    assert lost is None
    assert file.read_text("utf-8") == was
    assert grown.ask("fern").confidence is not None


def test_whoever_is_asked_to_pause_leaves_all_as_it_was(meaning: MeaningDesk) -> None:
    meaning.write(wood())
    meaning.index(embed=False)
    told: list[Progress] = []
    calm = iter([False] * 50)

    def pause() -> bool:
        return next(calm, True)

    keeper = IndexKeeper(meaning.engine._vault)
    keeper.embed(told.append, pause=pause)
    stopped = [one for one in told if one.stage == "confidence"]
    keeper.embed(told.append, pause=lambda: False)
    done = [one for one in told if one.stage == "confidence"]

    assert 0 < len(stopped) < stopped[-1].total
    assert done[-1].done == done[-1].total
    assert len(kept(meaning)) == 1


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every file that a curve was read from."""
    seen: list[Path] = []
    read = confidence._read

    def watched(file: Path) -> object:
        seen.append(file)
        return read(file)

    monkeypatch.setattr(confidence, "_read", watched)
    return seen


def test_many_questions_read_the_curve_once(
    grown: MeaningDesk, readings: list[Path]
) -> None:
    for word in PLANTS[:5]:
        assert grown.ask(word).confidence is not None

    assert len(readings) <= 1
