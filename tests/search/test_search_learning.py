"""A vault teaches what its answers look like, and is asked again when it changes."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from semantic_harness import MeaningHarness, WordModel
from strange_questions import STRANGERS

from glassmind.index.keeper import IndexKeeper
from glassmind.model.access import EVERY_AGENT
from glassmind.model.index import Progress
from glassmind.search.confidence import FITTED, LEAST_NOTES, strangers
from glassmind.search.query import plain

PLANTS = (
    "fern", "moss", "ivy", "oak", "elm", "ash", "yew", "fir", "pine", "larch", "beech",
    "birch", "alder", "hazel", "maple", "willow", "poplar", "cedar", "juniper", "holly",
    "rowan", "hawthorn", "bramble", "nettle", "clover", "daisy", "thistle", "foxglove",
)  # fmt: skip


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
def grown(meaning: MeaningHarness) -> MeaningHarness:
    """A vault that is large enough to be asked, by a model that nobody knows."""
    meaning.copy_from(_indexed_wood())
    return meaning


@cache
def _indexed_wood() -> MeaningHarness:
    """Index the vault once per process; tests work on copies."""
    harness = MeaningHarness(Path(mkdtemp()))
    harness.indexed(wood())
    harness.close()
    return harness


def kept(harness: MeaningHarness) -> list[Path]:
    return sorted(harness.folder.glob("confidence-*.json"))


def test_a_vault_teaches_its_curve_whatever_its_model(grown: MeaningHarness) -> None:
    near = grown.ask("the fern of bed 0 grows in the shade").confidence
    far = grown.ask("escrow reconciliation of the oboe clinic").confidence

    assert near is not None
    assert far is not None
    assert near > 0.7
    assert far < 0.3
    assert len(kept(grown)) == 1


def test_a_small_vault_is_not_asked(meaning: MeaningHarness) -> None:
    meaning.use(WordModel(f"{FITTED} in words"))

    meaning.indexed(wood(LEAST_NOTES - 1))

    assert kept(meaning) == []
    assert meaning.ask("fern").confidence is not None


def test_an_agent_is_not_rated_by_a_curve_learnt_from_hidden_notes(
    grown: MeaningHarness,
) -> None:
    question, agent = "the fern of bed 0", grown.engine.seen_by(EVERY_AGENT)
    learnt_from_all = agent.search(question).confidence

    grown.indexed({"Own.md": "---\nprivate: true\n---\nMine: [[fern 0]].\n"})

    assert learnt_from_all is not None
    assert grown.ask(question).confidence is not None
    assert agent.search(question).confidence is None


def test_it_is_asked_again_only_when_it_has_become_another(
    grown: MeaningHarness,
) -> None:
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
        "[1, 0, 100]",
        *(pytest.param(text, marks=pytest.mark.slow) for text in ("", "[1, 2]")),
    ],
)
def test_a_curve_that_is_damaged_is_learnt_anew(
    grown: MeaningHarness, text: str
) -> None:
    (file,) = kept(grown)
    was = file.read_text("utf-8")
    file.write_text(text, "utf-8")

    lost = grown.ask("fern").confidence
    grown.index()

    assert lost is None
    assert file.read_text("utf-8") == was
    assert grown.ask("fern").confidence is not None


def test_whoever_is_asked_to_pause_leaves_all_as_it_was(
    meaning: MeaningHarness,
) -> None:
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
