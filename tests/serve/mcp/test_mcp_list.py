"""Listing: filters as people write them, and what is said where no note passes."""

from typing import Any

import pytest
from mcp_harness import call, structured_server, text_of
from vault_harness import VaultHarness

from glassmind.operations.model_text import LABEL

NOTES = {
    "Projects/Garden.md": "---\nstatus: accepted\ntags: [project/garden]\n---\nSoil.\n",
    "Projects/Pond.md": "---\nstatus: rejected\nurl: https://x.y/?a=b\n---\nWater.\n",
    "Log/Monday.md": "#journal\n",
}


def listed(harness: VaultHarness, **given: Any) -> Any:
    return call(structured_server(harness.engine), "glassmind_list", **given)


@pytest.mark.parametrize(
    "written",
    [
        "status=accepted",
        "status:accepted",
        "status: accepted",
        "[status:accepted]",
        'Status: "Accepted"',
    ],
)
def test_a_property_is_written_as_a_search_takes_it(
    vault: VaultHarness, written: str
) -> None:
    vault.indexed(NOTES)

    content = listed(vault, property=written).structured_content

    assert [note["path"] for note in content["notes"]] == ["Projects/Garden.md"]


@pytest.mark.parametrize("written", ["url=https://x.y/?a=b", "url:https://x.y/?a=b"])
def test_a_value_may_hold_the_marks_too(vault: VaultHarness, written: str) -> None:
    vault.indexed(NOTES)

    content = listed(vault, property=written).structured_content

    assert [note["path"] for note in content["notes"]] == ["Projects/Pond.md"]


@pytest.mark.parametrize(
    ("given", "said", "closest"),
    [
        ({"tag": "jurnal"}, "no note has the tag 'jurnal'", "journal"),
        ({"tag": "zzzz"}, "no note has the tag 'zzzz'", None),
        ({"folder": "Project"}, "is in the folder 'Project'", "Projects"),
        ({"property": "state"}, "no note has the property 'state'", "status"),
        ({"property": "status=acceptd"}, "'status=acceptd'", "status=accepted"),
        ({"since": "2026-05", "until": "2026-03"}, "No notes match", None),
    ],
)
def test_an_empty_list_says_which_filter_nothing_passes(
    vault: VaultHarness, given: dict[str, str], said: str, closest: str | None
) -> None:
    vault.indexed(NOTES)

    answer = listed(vault, **given)

    assert not answer.is_error
    assert said in text_of(answer)
    if closest is None:
        assert "closest" not in answer.structured_content
    else:
        _, _, fence = text_of(answer).partition(LABEL)
        assert closest in fence.partition("</notes-")[0]
        (argument,) = answer.structured_content["closest"]
        corrected = given | {argument: closest}
        assert listed(vault, **corrected).structured_content["total"]


def test_a_name_with_blanks_at_its_ends_can_be_told_from_another(
    vault: VaultHarness,
) -> None:
    vault.indexed({" Tea.md": "a", "Tea.md": "b", "Two  blanks.md": "c"})
    server = structured_server(vault.engine)

    said = text_of(listed(vault))
    answer = call(server, "glassmind_read", name=" Tea.md")

    assert '" Tea.md"' in said
    assert '"Two  blanks.md"' in said
    assert answer.structured_content["path"] == " Tea.md"
