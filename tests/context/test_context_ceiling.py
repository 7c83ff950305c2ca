"""A budget holds too where parts counted one by one are fewer than the whole."""

import pytest
from semantic_harness import MeaningHarness, WordModel

from glassmind.context.markdown import bundle_as_markdown
from glassmind.model.context import Bundle

MANY = 9


class Forgiving:
    """Counts nothing for the first letters of a text, so that parts come cheap."""

    name = "forgiving"

    def __init__(self, free: int) -> None:
        self._free = free

    def count(self, text: str, /) -> int:
        return max(0, len(text) - self._free) // 4


class CountingModel(WordModel):
    """A model of words that counts tokens, too."""

    free = 0

    def counter(self) -> Forgiving:
        return Forgiving(self.free)


def kilns(many: int) -> dict[str, str]:
    beside = (
        "\n## Decisions\n\n- The kiln {0} stays where it is.\n\n## Open questions\n\n"
        "- Who tends kiln {0}?\n\n## Next\n\n- [ ] Oil the hinges of kiln {0}\n"
    )
    long = (
        "The kiln {0} has a door of its own.\n" + "Its bricks are of kind {0}.\n" * 20
    )
    return {f"Kiln {n}.md": f"{long}{beside}".format(n) for n in range(many)}


def ready(harness: MeaningHarness, *, free: int) -> None:
    model = CountingModel()
    model.free = free
    harness.use(model)
    harness.indexed(kilns(MANY))


def within(harness: MeaningHarness, free: int, budget: int) -> Bundle:
    """Return a bundle that keeps its budget, and tells of each note it has not."""
    made = harness.engine.bundles.pack("kiln door", budget_tokens=budget)
    assert made.tokenizer == "forgiving"
    assert made.tokens == Forgiving(free).count(bundle_as_markdown(made)) <= budget
    assert made.notes
    assert len(made.notes) + told(made).get("notes", 0) == MANY
    return made


def told(bundle: Bundle) -> dict[str, int]:
    return {one.section: one.count for one in bundle.dropped}


@pytest.mark.parametrize("free", [0, 3, 20, 60, 200])
def test_a_bundle_is_counted_as_a_whole(meaning: MeaningHarness, free: int) -> None:
    ready(meaning, free=free)

    for budget in (200, 300, 450, 700, 1_000, 1_500, 3_000):
        within(meaning, free, budget)


def test_what_stands_beside_the_passages_makes_room_first_and_is_told(
    meaning: MeaningHarness,
) -> None:
    ready(meaning, free=200)

    ample, tight = within(meaning, 200, 3_000), within(meaning, 200, 1_000)

    assert all((ample.decisions, ample.questions, ample.tasks))
    assert len(ample.notes) == MANY > len(tight.notes) > 1
    assert (tight.decisions, tight.questions, tight.tasks) == ((), (), ())
    assert {"notes", "decisions", "questions", "tasks"} <= told(tight).keys()
