"""A capture that was cited while it waited is found when it is approved."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memo_desk import text_of, waiting
from vault_desk import VaultDesk

from glassmind.model import Span
from glassmind.model.context import Verified
from glassmind.obsidian.receipts import receipt_of


@pytest.fixture
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "mine"})
    return vault


def cite(desk: VaultDesk, path: str, first: str, last: str) -> str:
    """Return the receipt of the lines from one to another."""
    lines = text_of(desk, path).splitlines()
    span = Span(lines.index(first) + 1, lines.index(last) + 1)
    return receipt_of(path, "", span, "\n".join(lines[span.start - 1 : span.end]))


def verified(desk: VaultDesk, receipt: str) -> Verified:
    return desk.engine.bundles.verify([receipt])[0]


MARK = "> [!agent] Captured by tea-agent; not approved yet"
BOX = "- [ ] Keep this"


@pytest.mark.parametrize(
    ("first", "last", "now"),
    [
        (MARK, "It lasts longer.", ["Use copper.", "", "It lasts longer."]),
        ("---", "It lasts longer.", ["Use copper.", "", "It lasts longer."]),
        (BOX, "Use copper.", ["Use copper."]),
        ("Use copper.", "It lasts longer.", ["Use copper.", "", "It lasts longer."]),
    ],
)
def test_what_was_cited_with_its_mark_is_found_without_it(
    desk: VaultDesk, first: str, last: str, now: list[str]
) -> None:
    memo = waiting(desk, "Use copper.\n\nIt lasts longer.")
    receipt = cite(desk, memo.path, first, last)

    placed = desk.engine.memory.accept(memo.path).memory.path

    found = verified(desk, receipt)
    assert found.state == "moved"
    assert found.now == cite(desk, placed, now[0], now[-1])
    assert verified(desk, found.now).state == "unchanged"


def test_the_mark_alone_is_told_to_be_gone(desk: VaultDesk) -> None:
    memo = waiting(desk, "Use copper.")
    receipt = cite(desk, memo.path, MARK, BOX)

    desk.engine.memory.accept(memo.path)

    found = verified(desk, receipt)
    assert (found.state, found.now) == ("changed", None)
    assert found.note.startswith("it was approved since")


def test_what_was_approved_with_another_text_is_not_told_to_be_the_same(
    desk: VaultDesk,
) -> None:
    memo = waiting(desk, "Use copper.")
    receipt = cite(desk, memo.path, MARK, "Use copper.")

    desk.engine.memory.edit(memo.path, "Use copper.\n\nOr tin.")
    assert verified(desk, receipt).state == "moved"

    path = memo.path.replace("inbox", "decisions")
    desk.indexed({path: text_of(desk, path).replace("Use copper", "Use slate")})
    assert verified(desk, receipt).state in {"changed", "gone"}


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.sampled_from(["one", "", "---", "# two", BOX, "> three"]), max_size=5)
)
def test_all_of_a_capture_is_found_whatever_it_says(
    desk: VaultDesk, lines: list[str]
) -> None:
    memo = waiting(desk, "\n".join(["Use copper", *lines, "Use tin"]))
    receipt = cite(desk, memo.path, "---", "Use tin")

    placed = desk.engine.memory.accept(memo.path).memory

    assert verified(desk, receipt).state == "moved"
    desk.engine.memory.forget(placed.path)  # the next one is to have its name
