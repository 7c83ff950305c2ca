"""Reading the best once more: within its time, blended, and out loud when it fails."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_harness import check_sum, check_whole, harbour
from semantic_harness import MeaningHarness

from glassmind.errors import ModelAbsent, ModelFailed
from glassmind.model.search import Adjustment
from glassmind.models.breaker import WAITS_S, BreakerReranker, CircuitBreaker
from glassmind.search.ranking import (
    BLEND,
    CANDIDATES,
    STRETCH,
    rerank,
    stretch_of,
)
from glassmind.search.semantic import SemanticSearch


class Reader:
    """A reranker that says what it is told, and counts what it read."""

    def __init__(self, verdict: Callable[[str], float]) -> None:
        self.verdict = verdict
        self.read: list[str] = []

    def scores(self, _: str, passages: Sequence[str], /) -> Iterator[float]:
        for passage in passages:
            self.read.append(passage)
            yield self.verdict(passage)


def reranked(
    scores: Sequence[float],
    verdicts: Sequence[float],
    *,
    budget_s: float = 100.0,
    floor: float = 0.0,
) -> list[Adjustment]:
    """Return what passages gain after a reader gave its verdicts, one a second."""
    given_ = iter(verdicts)
    seconds = count()
    return rerank(
        "question",
        ["passage"] * len(scores),
        scores,
        lambda: Reader(lambda _: next(given_)),
        budget_s=budget_s,
        floor=floor,
        clock=lambda: float(next(seconds)),
    )


def after(scores: Sequence[float], made: Sequence[Adjustment]) -> list[float]:
    return [score + one.share for score, one in zip(scores, made, strict=False)]


def test_a_verdict_is_blended_and_not_put_in_the_place_of_the_score() -> None:
    made = reranked([1.0, 0.8], [0.0, 1.0])

    first, second = after([1.0, 0.8], made)
    assert first == pytest.approx((1 - BLEND) * 1.0)
    assert second == pytest.approx((1 - BLEND) * 0.8 + BLEND * 1.0)


def test_what_a_verdict_changed_is_named_in_the_breakdown() -> None:
    _, lowered = reranked([1.0, 0.5], [0.9, 0.2])

    assert lowered.name == "rerank"
    assert lowered.share == pytest.approx(-BLEND * 0.5)
    assert lowered.reason == "reads as an answer with a probability of 0.20"


def test_verdicts_count_by_their_odds_so_that_small_ones_are_told_apart() -> None:
    made = reranked([0.5, 0.5, 0.5], [0.0001, 0.001, 0.01])

    shares = [one.share for one in made]
    assert shares == pytest.approx([-BLEND * 0.5, -BLEND * 0.25, 0.0], abs=0.001)


def test_it_stops_when_its_time_is_up() -> None:
    scores = [1.0 - n / 100 for n in range(20)]

    # each look at the clock takes a second: one to begin, one after each verdict
    assert 1 < len(reranked(scores, [0.5] * 20, budget_s=6.0)) < 20


def test_without_time_the_first_is_read_all_the_same() -> None:
    assert len(reranked([1.0, 0.9], [0.1, 0.9], budget_s=0.0)) == 1


def test_what_was_read_stays_above_what_was_not() -> None:
    scores = [1.0, 0.9, 0.8, 0.7]

    made = reranked(scores, [0.0] * 4, budget_s=2.0)

    assert 0 < len(made) < 4
    assert min(after(scores, made)) >= scores[len(made)]
    assert min(after(scores, reranked(scores, [0.0] * 4, floor=0.65))) >= 0.65


@pytest.mark.parametrize("works", [0, 1, 5])
def test_a_reader_that_fails_changes_nothing(works: int) -> None:
    left = iter(range(works))

    def fail(_: str) -> float:
        if next(left, None) is None:
            raise ModelFailed("reader", "out of memory")
        return 0.9

    scores = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5]
    with pytest.raises(ModelFailed):
        rerank("q", ["p"] * 6, scores, lambda: Reader(fail), budget_s=100)


def test_nothing_to_read_is_nothing_read() -> None:
    assert reranked([], []) == []


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 5), st.floats(0, 1)), min_size=1, max_size=30),
    st.floats(0, 70),
)
def test_whatever_the_verdicts_none_is_above_the_best_or_below_the_unread(
    asked: list[tuple[float, float]], budget_s: float
) -> None:
    scores = sorted((score for score, _ in asked), reverse=True)

    made = reranked(scores, [verdict for _, verdict in asked], budget_s=budget_s)

    least = scores[len(made)] if len(made) < len(scores) else 0.0
    for score in after(scores, made):
        assert least - 1e-9 <= score <= scores[0] + 1e-9


@pytest.mark.parametrize("places", [[], [0], [900], [2_000, 2_050, 2_100]])
def test_the_stretch_that_is_read_has_the_words_asked_for(places: list[int]) -> None:
    text = "".join(f"{n:06}" for n in range(400))

    stretch = stretch_of(text, places)

    assert len(stretch) <= STRETCH
    at = text.find(stretch)
    assert all(at <= place < at + STRETCH for place in places)


def test_a_short_passage_is_read_whole() -> None:
    assert stretch_of("short", [1]) == "short"


@pytest.fixture
def harness(meaning: MeaningHarness) -> MeaningHarness:
    return harbour(meaning)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    """A reader that likes the garden."""
    made = Reader(lambda text: 0.99 if "Beans" in text else 0.01)
    monkeypatch.setattr(SemanticSearch, "reranker", lambda _: made)
    return made


def test_the_best_of_every_channel_are_read_and_the_reply_says_how_many(
    harness: MeaningHarness, reader: Reader
) -> None:
    plain = harness.ask("skiff leaks")
    reply = harness.ask("skiff leaks", rerank="on")

    assert (plain.reranked, reply.reranked) == (0, len(reader.read))
    assert 0 < reply.reranked <= CANDIDATES
    assert {hit.path for hit in plain.hits} == {hit.path for hit in reply.hits}
    (garden,) = [hit for hit in reply.hits if hit.path == "Garden.md"]
    (before,) = [hit for hit in plain.hits if hit.path == "Garden.md"]
    assert garden.score > before.score
    (change,) = [
        adjustment for adjustment in garden.adjustments if adjustment.name == "rerank"
    ]
    assert change.share > 0
    assert "probability of 0.99" in change.reason
    check_whole(reply.hits)


@pytest.mark.parametrize("wish", ["auto", "off", None])
def test_nothing_is_read_unless_it_is_wished_for(
    harness: MeaningHarness, reader: Reader, wish: str | None
) -> None:
    assert harness.ask("skiff leaks", rerank=wish).reranked == 0
    assert reader.read == []


def test_settings_may_wish_for_it(harness: MeaningHarness, reader: Reader) -> None:
    harness.open(search__rerank="on")

    assert harness.ask("skiff leaks").reranked == len(reader.read) > 0


def test_a_reader_that_fails_leaves_the_answer_and_is_named(
    harness: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise ModelAbsent("reader")

    monkeypatch.setattr(SemanticSearch, "reranker", fail)

    reply = harness.ask("skiff leaks", rerank="on")

    assert reply.hits == harness.ask("skiff leaks").hits
    assert reply.reranked == 0
    (said,) = reply.degraded
    assert said.startswith("rerank: the model reader is not on this machine")


class Moody:
    """Reads as long as it is in the mood."""

    works = False

    def scores(self, _: str, passages: Sequence[str]) -> Iterator[float]:
        for _passage in passages:
            if not self.works:
                raise ModelFailed("moody", "not now")
            yield 0.5


def test_a_reader_that_was_stopped_in_time_has_worked() -> None:
    now = [0.0]
    patience, moody = CircuitBreaker("the reader", lambda: now[0]), Moody()
    reader = BreakerReranker(moody, patience)

    def fail() -> None:
        with pytest.raises(ModelFailed):
            list(reader.scores("tea", ["a", "b"]))

    fail()
    moody.works = True
    next(reader.scores("tea", ["a", "b"]))
    moody.works = False
    fail()
    now[0] = WAITS_S[0]

    patience.check()  # the second failure was the first in a row


def test_by_words_alone_nothing_is_read(
    harness: MeaningHarness, reader: Reader
) -> None:
    reply = harness.ask("skiff leaks", mode="fulltext", rerank="on")

    assert (reply.reranked, reader.read) == (0, [])
    for hit in reply.hits:
        check_sum(hit)
