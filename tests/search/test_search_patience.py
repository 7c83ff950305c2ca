"""A model that gives no answer is left alone for a while, and then asked again."""

from functools import partial

import pytest
from search_harness import HARBOUR
from semantic_harness import MeaningHarness, Rows, WordModel

from glassmind.errors import ModelDamaged, ModelFailed, ModelFault
from glassmind.model.access import EVERY_AGENT
from glassmind.models.breaker import WAITS_S, CircuitBreaker
from glassmind.search import semantic

SAID = "semantic: the model moody gave no answer"


class Moody(WordModel):
    """Embeds questions as long as it is in the mood, and counts them."""

    model = "moody"

    def __init__(self) -> None:
        super().__init__()
        self.fault: ModelFault | None = None
        self.asked: list[str] = []

    def query(self, text: str, /) -> Rows:
        self.asked.append(text)
        if self.fault is not None:
            raise self.fault
        return super().query(text)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock shows to whoever waits."""
    shown = [0.0]
    patience = partial(CircuitBreaker, clock=lambda: shown[0])
    monkeypatch.setattr(semantic, "CircuitBreaker", patience)
    return shown


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture
def harness(meaning: MeaningHarness, moody: Moody, now: list[float]) -> MeaningHarness:
    meaning.use(moody)
    meaning.indexed(HARBOUR)
    moody.asked.clear()
    moody.fault = ModelFailed("moody", "it hangs")
    return meaning


def test_after_a_failure_searches_do_without_the_model_for_a_while(
    harness: MeaningHarness, moody: Moody, now: list[float]
) -> None:
    first = harness.ask("skiff leaks")
    now[0] = WAITS_S[0] - 1

    second, third = harness.ask("skiff leaks"), harness.ask("what leaks")

    assert moody.asked == ["skiff leaks"]
    assert first.degraded == (f"{SAID} (it hangs)",)
    assert second.degraded == (f"{SAID} (it failed and is asked again in 1 s)",)
    assert third.degraded == second.degraded
    assert second.hits == first.hits != ()


def test_when_its_time_has_come_the_model_is_asked_again(
    harness: MeaningHarness, moody: Moody, now: list[float]
) -> None:
    harness.ask("skiff leaks")
    moody.fault = None
    now[0] = WAITS_S[0]

    reply = harness.ask("skiff leaks")

    assert reply.degraded == ()
    assert "semantic" in reply.channels


def test_a_second_failure_in_a_row_makes_for_a_longer_wait(
    harness: MeaningHarness, moody: Moody, now: list[float]
) -> None:
    harness.ask("skiff leaks")
    now[0] = WAITS_S[0]
    harness.ask("skiff leaks")
    now[0] += WAITS_S[1] - 1

    (said,) = harness.ask("skiff leaks").degraded

    assert "asked again in 1 s" in said
    assert len(moody.asked) == 2


def test_who_sees_a_part_of_the_vault_waits_no_second_time(
    harness: MeaningHarness, moody: Moody
) -> None:
    harness.ask("skiff leaks")

    (said,) = harness.engine.seen_by(EVERY_AGENT).search("skiff leaks").degraded

    assert "asked again in 60 s" in said
    assert len(moody.asked) == 1


def test_what_is_damaged_is_looked_at_every_time(
    harness: MeaningHarness, moody: Moody
) -> None:
    moody.fault = ModelDamaged("moody", "model.onnx")
    harness.ask("skiff leaks")

    (said,) = harness.ask("skiff leaks").degraded

    assert "glassmind models fetch moody" in said
    assert len(moody.asked) == 2


def test_notes_are_embedded_though_a_question_failed(
    harness: MeaningHarness, moody: Moody
) -> None:
    harness.ask("skiff leaks")
    harness.write({"New.md": "A tarpaulin for the winter."})

    report = harness.index()

    assert report.embedded == 1
    assert "A tarpaulin for the winter." in moody.texts
