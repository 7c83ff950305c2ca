"""A name that gets a second file: links by the bare name are written longer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from editing_desk import EditingDesk, MakeDesk, desks_in, snapshot
from vault_desk import VaultDesk

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
def editing(tmp_path: Path) -> Iterator[MakeDesk]:
    yield from desks_in(tmp_path)


def applied(desk: EditingDesk, draft: Draft) -> Draft:
    desk.apply(draft)
    return draft


@pytest.mark.parametrize(
    ("old", "new"), [("b/T.md", "b/U.md"), ("b/T.md", "x/T.md"), ("b", "c")]
)
def test_links_that_had_two_ends_are_as_they_were_after_a_move_there_and_back(
    editing: MakeDesk, old: str, new: str
) -> None:
    desk = editing({**VAULT, "b/T.md": ""})
    before = snapshot(desk.root)

    applied(desk, plan_move(desk.desk, old, new))
    applied(desk, plan_move(desk.desk, new, old))

    assert snapshot(desk.root) == before


def test_links_to_a_note_that_becomes_a_twin_itself_are_long(editing: MakeDesk) -> None:
    desk = editing({**VAULT, "Home.md": "[[Other]] [o](Other.md)\n"})

    applied(desk, plan_move(desk.desk, "x/Other.md", "b/T.md"))

    assert desk.text("Home.md") == "[[b/T]] [o](b/T.md)\n"


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
    editing: MakeDesk, form: str, folder: str | None, link: str
) -> None:
    settings = {".obsidian/app.json": f'{{"newLinkFormat": "{form}"}}'}
    desk = editing({**VAULT, **settings})

    applied(desk, plan_split(desk.desk, NotePath("x/Other.md"), "T", folder=folder))

    assert desk.text("x/Other.md").strip() == link


def test_links_that_were_ambiguous_before_stay(editing: MakeDesk) -> None:
    desk = editing({**VAULT, "c/T.md": ""})

    applied(desk, plan_new(desk.desk, NotePath("b/T.md"), b""))

    assert desk.text("S.md") == LINKS


@pytest.mark.parametrize("form", ["relative", "absolute"])
def test_links_stay_where_the_vault_does_not_write_the_shortest(
    editing: MakeDesk, form: str
) -> None:
    settings = {".obsidian/app.json": f'{{"newLinkFormat": "{form}"}}'}
    desk = editing({**VAULT, **settings})

    applied(desk, plan_new(desk.desk, NotePath("b/T.md"), b""))

    assert desk.text("S.md") == LINKS


def test_a_note_of_the_vaults_own_folder_has_no_longer_name(editing: MakeDesk) -> None:
    desk = editing({"T.md": "", "S.md": "[[T]]\n"})

    draft = applied(desk, plan_new(desk.desk, NotePath("b/T.md"), b""))

    assert desk.text("S.md") == "[[T]]\n"
    assert [step.to for step in draft.steps] == ["b/T.md"]


def test_what_obsidian_does_not_see_is_no_twin(vault: VaultDesk) -> None:
    vault.write(VAULT)
    vault.open()
    vault.index()

    done = vault.engine.editing.create(".agent/notes/T", "x", ASK)

    assert done.applied
    assert (vault.root / "S.md").read_text("utf-8") == LINKS


def test_a_link_that_is_added_has_a_name_that_only_its_note_has(
    vault: VaultDesk,
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
