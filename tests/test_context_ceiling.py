"""A budget holds too where parts counted one by one are fewer than the whole."""

import pytest
from meaning_desk import MeaningDesk, WordModel

from glassmind.errors.context import BudgetTooSmall
from glassmind.render.bundles_markdown import bundle_as_markdown
from glassmind.types.context import Bundle


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


def ready(desk: MeaningDesk, *, free: int) -> None:
    model = CountingModel()
    model.free = free
    desk.use(model)
    desk.indexed(kilns(9))


def within(desk: MeaningDesk, free: int, budget: int) -> Bundle | None:
    """Return the bundle, which keeps its budget; None where that was refused."""
    try:
        made = desk.engine.bundles.pack("kiln door", budget_tokens=budget)
    except BudgetTooSmall:
        return None
    counted = Forgiving(free).count(bundle_as_markdown(made))
    assert made.tokens == counted <= budget
    assert made.tokenizer == "forgiving"
    return made


@pytest.mark.parametrize("free", [0, 3, 20, 60, 200])
def test_a_bundle_is_counted_as_a_whole(meaning: MeaningDesk, free: int) -> None:
    ready(meaning, free=free)

    for budget in (200, 300, 450, 700, 1_000, 1_500, 3_000):
        made = within(meaning, free, budget)

        if made is not None:
            told = {one.section: one.count for one in made.dropped}
            assert made.notes
            assert len(made.notes) + told.get("notes", 0) == 9
