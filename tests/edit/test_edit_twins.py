"""A name that gets a second file: links by the bare name are written longer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from editing_harness import EditingHarness, MakeHarness, harnesses_in, snapshot
from vault_harness import VaultHarness

from glassmind.edit.planning import plan_move, plan_new
from glassmind.edit.restructuring import plan_split
from glassmind.edit.vault import EditRequest
from glassmind.model import NotePath
from glassmind.model.edits import AddLink, Draft

LINKS = (
    "---\nup: '[[T]]' # c\n---\n"
    "[[T]] ![[T|x]] [[T.md#H|y]] [t](T.md) [[a/T]] [[t]] `[[T]]`\n\n"
    "| a |\n| - |\n| [[T\\|x]] |\n"
)
LONGER = (
    "---\nup: '[[a/T]]' # c\n---\n"
    "[[a/T]] ![[a/T|x]] [[a/T.md#H|y]] [t](a/T.md) [[a/T]] [[a/T]] `[[T]]`\n\n"
    "| a |\n| - |\n| [[a/T\\|x]] |\n"
)
VAULT = {"a/T.md": "# H\n", "S.md": LINKS, "x/Other.md": "# T\n\ntext\n"}
ASK = EditRequest(client="robot")


@pytest.fixture
def editing(tmp_path: Path) -> Iterator[MakeHarness]:
    yield from harnesses_in(tmp_path)


def applied(harness: EditingHarness, draft: Draft) -> Draft:
    harness.apply(draft)
    return draft


@pytest.mark.parametrize(
    ("old", "new"), [("b/T.md", "b/U.md"), ("b/T.md", "x/T.md"), ("b", "c")]
)
def test_links_that_had_two_ends_are_as_they_were_after_a_move_there_and_back(
    editing: MakeHarness, old: str, new: str
) -> None:
    harness = editing({**VAULT, "b/T.md": ""})
    before = snapshot(harness.root)

    applied(harness, plan_move(harness.harness, old, new))
    applied(harness, plan_move(harness.harness, new, old))

    assert snapshot(harness.root) == before


def test_links_to_a_note_that_becomes_a_twin_itself_are_long(
    editing: MakeHarness,
) -> None:
    harness = editing({**VAULT, "Home.md": "[[Other]] [o](Other.md)\n"})

    applied(harness, plan_move(harness.harness, "x/Other.md", "b/T.md"))

    assert harness.text("Home.md") == "[[b/T]] [o](b/T.md)\n"


@pytest.mark.parametrize(
    ("form", "folder", "link"),
    [
        ("relative", None, "[[T]]"),
        ("relative", "y", "[[../y/T]]"),
        ("absolute", None, "[[x/T]]"),
        ("shortest", None, "[[x/T]]"),
    ],
)
def test_the_link_that_a_split_leaves_is_written_as_the_vault_has_it(
    editing: MakeHarness, form: str, folder: str | None, link: str
) -> None:
    settings = {".obsidian/app.json": f'{{"newLinkFormat": "{form}"}}'}
    harness = editing({**VAULT, **settings})

    applied(
        harness, plan_split(harness.harness, NotePath("x/Other.md"), "T", folder=folder)
    )

    assert harness.text("x/Other.md").strip() == link


def test_links_that_were_ambiguous_before_stay(editing: MakeHarness) -> None:
    harness = editing({**VAULT, "c/T.md": ""})

    applied(harness, plan_new(harness.harness, NotePath("b/T.md"), b""))

    assert harness.text("S.md") == LINKS


@pytest.mark.parametrize("form", ["relative", "absolute"])
def test_links_stay_where_the_vault_does_not_write_the_shortest(
    editing: MakeHarness, form: str
) -> None:
    settings = {".obsidian/app.json": f'{{"newLinkFormat": "{form}"}}'}
    harness = editing({**VAULT, **settings})

    applied(harness, plan_new(harness.harness, NotePath("b/T.md"), b""))

    assert harness.text("S.md") == LINKS


def test_a_note_of_the_vaults_own_folder_has_no_longer_name(
    editing: MakeHarness,
) -> None:
    harness = editing({"T.md": "", "S.md": "[[T]]\n"})

    draft = applied(harness, plan_new(harness.harness, NotePath("b/T.md"), b""))

    assert harness.text("S.md") == "[[T]]\n"
    assert [step.to for step in draft.steps] == ["b/T.md"]


def test_what_obsidian_does_not_see_is_no_twin(vault: VaultHarness) -> None:
    vault.write(VAULT)
    vault.open()
    vault.index()

    done = vault.engine.editing.create(".agent/notes/T", "x", ASK)

    assert done.applied
    assert (vault.root / "S.md").read_text("utf-8") == LINKS


def test_a_link_that_is_added_has_a_name_that_only_its_note_has(
    vault: VaultHarness,
) -> None:
    vault.write({"a/T.md": "", "x/y/T.md": "", "S.md": "See.\n"})
    vault.open(writes__mode="allow")
    vault.index()

    vault.engine.editing.edit("S.md", [AddLink("a/T", "See {link}.")], ASK)
    vault.engine.editing.edit("S.md", [AddLink("x/y/T", "See {link}.")], ASK)

    text = (vault.root / "S.md").read_text("utf-8")
    assert "[[a/T|T]]" in text
    assert "[[x/y/T|T]]" in text


def canvas(text: str) -> str:
    card = f'{{"id":"t","type":"text","text":"{text}","x":0,"y":0}}'
    return f'{{"nodes":[{card}],"edges":[]}}'
