"""A small vault whose every note has a reason to be found, and a model that knows."""

from collections.abc import Iterator, Sequence
from functools import cache
from math import fsum
from pathlib import Path
from tempfile import mkdtemp

from semantic_harness import MeaningHarness, Rows, WordModel, vector_of

from glassmind.model.search import Hit
from glassmind.model.vectors import Embeddable

SAME = {"vessel": "skiff", "vessels": "skiff", "drips": "leaks", "resin": "pitch"}
"""Words that mean what others mean; no note has them."""

HARBOUR = {
    "Boats/Skiff.md": (
        "---\ntags: [boat/small]\nstatus: old\ndate: 2024-03-01\n---\n"
        "The skiff leaks at the bow, and only hot [[Pitch]] will ever help it."
    ),
    "Boats/Barge.md": (
        "---\ntags: [boat/large]\nstatus: sold\ndate: 2024-04-01\n---\n"
        "The barge never leaks; her owner paints the whole hull every single spring."
    ),
    "Pitch.md": (
        "---\naliases: [black glue]\n---\n"
        "Warm it slowly in an iron kettle with the lid off. See also [[Kettle]]."
    ),
    "Kettle.md": "Bought from a tinker who passed through here with two tired donkeys.",
    "Log.md": (
        "---\ndate: 2024-05-03\nabout: '[[Skiff]]'\n---\n"
        "Took it out to the island and came home with wet feet and nine perch."
    ),
    "Garden.md": "Beans along the wall, onions below it, and nothing where it floods.",
    ".agent/memories/Caulking.md": (
        "---\ntags: [remembered]\n---\n"
        "The owner asked twice whether the skiff leaks less in salt water. It does not."
    ),
    ".agent/memories/Birthday.md": (
        "She turns forty in May and wants no party, only a long walk by the sea."
    ),
}


class Synonyms(WordModel):
    """A model of words for which some mean the same."""

    def __init__(self) -> None:
        super().__init__("synonyms", width=256)

    def passages(self, parts: Sequence[Embeddable], /) -> Iterator[Rows]:
        yield from super().passages([Embeddable(*map(meant, part)) for part in parts])

    def query(self, text: str, /) -> Rows:
        return vector_of(meant(text), self.width)


def meant(text: str) -> str:
    return " ".join(SAME.get(word, word) for word in text.lower().split())


def harbour(harness: MeaningHarness) -> MeaningHarness:
    """Return the vault, indexed, with vectors."""
    harness.use(Synonyms())
    harness.copy_from(_indexed_harbour())
    harness.model.seen.clear()  # the first harness's model embedded the original
    return harness


@cache
def _indexed_harbour() -> MeaningHarness:
    """Index the vault once per process; tests work on copies."""
    harness = MeaningHarness(Path(mkdtemp()))
    harness.use(Synonyms())
    report = harness.indexed(HARBOUR)
    assert report.embedded == len(harness.covered()) > 0
    harness.close()
    return harness


def check_sum(hit: Hit) -> None:
    """What a hit shows of its score is the score."""
    shares = [one.share for one in hit.evidence]
    shares += [adjustment.share for adjustment in hit.adjustments]
    assert abs(fsum(shares) - hit.score) <= 1e-9


def check_whole(hits: Sequence[Hit]) -> None:
    """Hits explain themselves and stand in order."""
    for hit in hits:
        check_sum(hit)
        assert hit.match_reason
        assert all(one.reason and one.rank >= 1 for one in hit.evidence)
        assert 0.0 <= hit.relevance <= 1.0
    scores = [round(hit.score, 6) for hit in hits]
    assert scores == sorted(scores, reverse=True)
    if hits:
        assert hits[0].relevance == 1.0
