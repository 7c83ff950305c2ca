"""Notes read by what cites them: receipts, and places as a search prints them."""

from urllib.parse import quote

import pytest
from http_harness import serving
from mcp_harness import call, structured_server, text_of
from vault_harness import VaultHarness

from glassmind.errors import CitedGone, HeadingNotFound
from glassmind.model import Span
from glassmind.obsidian.receipts import receipt_of

TEA = "# Tea\n\nOolong is half green.\n\n## Brewing\n\nTwice, hot.\nThen again.\n"
BREWING = receipt_of("Tea time.md", "Brewing", Span(7, 8), "Twice, hot.\nThen again.")


@pytest.fixture
def tea(vault: VaultHarness) -> VaultHarness:
    vault.indexed({"Tea time.md": TEA, "Cup.md": "# At 10:30\n\nWarm.\n"})
    return vault


def test_a_receipt_reads_the_lines_it_is_for(tea: VaultHarness) -> None:
    found = tea.engine.read(BREWING)

    assert (found.path, found.span) == ("Tea time.md", Span(7, 8))
    assert found.text == "Twice, hot.\nThen again.\n"
    assert found.notices == ()


def test_lines_that_moved_within_their_note_are_read_where_they_are(
    tea: VaultHarness,
) -> None:
    tea.write({"Tea time.md": f"One.\n\n{TEA}"})

    found = tea.engine.read(BREWING)

    assert found.span == Span(9, 10)
    assert found.text == "Twice, hot.\nThen again.\n"
    assert found.notices == ("the same lines are now lines 9-10 of the note",)


def test_lines_of_a_renamed_note_are_read_there(tea: VaultHarness) -> None:
    tea.move("Tea time.md", "Drinks/Tea.md")
    tea.index()

    found = tea.engine.read(BREWING)

    assert found.path == "Drinks/Tea.md"
    assert found.text == "Twice, hot.\nThen again.\n"
    assert "Drinks/Tea.md" in found.notices[0]


def test_lines_that_changed_are_read_as_they_are_and_told(tea: VaultHarness) -> None:
    tea.write({"Tea time.md": TEA.replace("Twice", "Thrice")})

    found = tea.engine.read(BREWING)

    assert found.text == "Thrice, hot.\nThen again.\n"
    assert "changed" in found.notices[0]


def test_lines_behind_the_end_of_their_note_now_show_all_of_it(
    tea: VaultHarness,
) -> None:
    tea.write({"Tea time.md": "# Tea\n\nGone.\n"})

    found = tea.engine.read(BREWING)

    assert found.text == "# Tea\n\nGone.\n"
    assert "no longer in Tea time.md" in found.notices[0]


@pytest.mark.parametrize(
    "receipt",
    ["Nowhere.md:1-2@0f1e2d3c", "../Tea.md:1@0f1e2d3c", ".obsidian/x.md:1@0f1e2d3c"],
)
def test_what_cannot_be_read_any_more_is_told_and_nothing_is_guessed(
    tea: VaultHarness, receipt: str
) -> None:
    tea.write({".obsidian/x.md": "secret"})

    with pytest.raises(CitedGone, match="cites cannot be read"):
        tea.engine.read(receipt)


def test_lines_that_are_asked_for_come_before_those_of_the_receipt(
    tea: VaultHarness,
) -> None:
    assert tea.engine.read(BREWING, lines=(3, 3)).text == "Oolong is half green.\n"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("Tea time.md:3-4", "Oolong is half green.\n\n"),
        ("Tea time.md#Brewing:7-8", "Twice, hot.\nThen again.\n"),
        ("Tea time.md#Tea#Brewing:8", "Then again.\n"),
        ("Cup.md#At 10:30", "# At 10:30\n\nWarm.\n"),
        ("Cup.md#At 10:30:3", "Warm.\n"),
    ],
)
def test_a_place_as_a_search_prints_it_is_read(
    tea: VaultHarness, place: str, said: str
) -> None:
    assert tea.engine.read(place).text == said


def test_a_heading_that_is_not_there_is_told_with_lines_that_are_not(
    tea: VaultHarness,
) -> None:
    with pytest.raises(HeadingNotFound):
        tea.engine.read("Tea time.md#Coffee")


def test_an_agent_reads_a_receipt_and_hears_inside_the_fence_that_it_moved(
    tea: VaultHarness,
) -> None:
    tea.move("Tea time.md", "Kettle.md")
    tea.index()

    answer = call(structured_server(tea.engine), "glassmind_read", name=BREWING)

    before, _, fenced = text_of(answer).partition("<notes-")
    assert "Kettle" not in before
    assert "notice: the same lines are now lines 7-8 of Kettle.md" in fenced
    assert "Kettle.md:7-8" in fenced
    assert "Kettle.md" in answer.structured_content["notices"][0]


def test_a_route_reads_a_receipt_and_says_where_none_can_be(tea: VaultHarness) -> None:
    with serving(tea.engine) as web:
        found = web.get(f"/notes/{quote(BREWING, safe='')}")
        gone = web.get(f"/notes/{quote('Nowhere.md:1@0f1e2d3c', safe='')}")

    assert found.json["lines"] == [7, 8]
    assert found.json["notices"] == []
    assert (gone.status, gone.code) == (404, "cited_gone")
