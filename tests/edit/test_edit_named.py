"""One name means one note, whatever is to be done with it; files and folders too."""

from collections.abc import Callable
from pathlib import Path

import pytest
from vault_harness import VaultHarness

from glassmind.edit.editing import Editing
from glassmind.edit.vault import EditRequest
from glassmind.errors import (
    AmbiguousName,
    FileUnreadable,
    NoteNotFound,
    PathOutsideVault,
)
from glassmind.model.access import EVERY_AGENT
from glassmind.model.edits import Append, Changed

DRY = EditRequest(client="robot", dry_run=True)
NOTES: dict[str, str | bytes] = {
    "S.md": "---\naliases: [Ess]\n---\n# Steam\n",
    "Planetary.md": "Round.\n",
    "Sub/Deep.md": "Blue.\n",
    "Twin A.md": "a\n",
    "Twin B.md": "b\n",
    "p.md": "Left out.\n",
    "Sub/p.md": "Read.\n",
    "Priv/q.md": "Left out.\n",
    "Priv/Both.md": "Left out.\n",
    "Old/Note.md": "In a folder.\n",
    "Old.md.md": "Odd.\n",
    "Mixed/Note.md": "In a folder.\n",
    "Mixed.md": "Left out.\n",
    "assets/picture.png": b"p",
    ".glassmindignore": "Priv/\n/p.md\n/Mixed.md\n",
}

VERBS: dict[str, Callable[[Editing, str], Changed]] = {
    "append": lambda e, n: e.edit(n, [Append("x")], DRY),
    "merge": lambda e, n: e.merge(n, "Twin A", DRY, confirm=True),
    "delete": lambda e, n: e.delete(n, DRY, confirm=True),
    "move": lambda e, n: e.move(n, "Found", DRY),
}
verbs = pytest.mark.parametrize("verb", VERBS)


@pytest.fixture
def editing(vault: VaultHarness) -> Editing:
    vault.write(NOTES)
    vault.open(writes__mode="allow")
    vault.index()
    return vault.engine.editing


def taken(done: Changed) -> list[str | None]:
    """Return the files of a change that were there before."""
    return [step.path for step in done.changeset.draft.steps]


@verbs
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("S", "S.md"),
        ("S.md", "S.md"),
        ("./S.md", "S.md"),
        ("/S.md", "S.md"),
        ("/S", "S.md"),
        ("[[S]]", "S.md"),
        ("Ess", "S.md"),
        ("/Sub/Deep", "Sub/Deep.md"),
        ("Deep", "Sub/Deep.md"),
    ],
)
def test_a_name_means_the_same_note_to_every_verb(
    editing: Editing, verb: str, name: str, path: str
) -> None:
    assert path in taken(VERBS[verb](editing, name))


@verbs
def test_a_note_is_named_by_its_whole_path_on_the_disk(
    vault: VaultHarness, editing: Editing, verb: str
) -> None:
    whole = (Path(vault.root) / "Sub/Deep.md").as_posix()

    assert "Sub/Deep.md" in taken(VERBS[verb](editing, whole))


@verbs
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("p", "p.md"),
        ("Priv/q", "Priv/q.md"),
        ("./Priv/q", "Priv/q.md"),
        ("Priv/q.md", "Priv/q.md"),
        ("Priv/Both", "Priv/Both.md"),
    ],
)
def test_a_note_that_is_left_out_is_refused_with_the_reason(
    editing: Editing, verb: str, name: str, path: str
) -> None:
    why = rf"{path} cannot be read: it was skipped \(excluded by \.glassmindignore\)"

    with pytest.raises(FileUnreadable, match=why):
        VERBS[verb](editing, name)


@verbs
def test_where_no_note_is_called_so_the_closest_is_named_and_not_taken(
    editing: Editing, verb: str
) -> None:
    for name, closest in (("plan", "Planetary.md"), ("Sub/Dep", "Sub/Deep.md")):
        with pytest.raises(NoteNotFound) as refused:
            VERBS[verb](editing, name)
        assert refused.value.closest[0] == closest
    with pytest.raises(AmbiguousName, match=r"Twin A\.md, Twin B\.md"):
        VERBS[verb](editing, "twin")


@pytest.mark.parametrize("verb", ["delete", "move"])
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("assets/picture.png", "assets/picture.png"),
        ("/assets/picture.png", "assets/picture.png"),
        ("./assets/", "assets"),
        ("/assets/", "assets"),
        ("Mixed/", "Mixed"),
    ],
)
def test_other_files_and_folders_are_named_by_their_paths(
    editing: Editing, verb: str, name: str, path: str
) -> None:
    assert path in taken(VERBS[verb](editing, name))


def test_a_folder_is_moved_though_a_note_of_its_name_is_left_out(
    editing: Editing,
) -> None:
    assert taken(editing.move("Mixed", "Found", DRY)) == ["Mixed"]


@verbs
@pytest.mark.parametrize("name", ["../S.md", "./../S.md", "Sub/../S.md"])
def test_a_name_that_climbs_is_refused(editing: Editing, verb: str, name: str) -> None:
    with pytest.raises(PathOutsideVault):
        VERBS[verb](editing, name)


@verbs
def test_an_agent_is_told_of_no_note_that_is_hidden_from_it(
    vault: VaultHarness, editing: Editing, verb: str
) -> None:
    del editing
    vault.write({
        "Planetarium.md": "---\nprivate: true\n---\n",
        "Priv/Diary.md": "---\nprivate: true\n---\n",
    })  # fmt: skip
    vault.index()
    agent = vault.engine.seen_by(EVERY_AGENT).editing

    for name in ("Planetarium", "/Planetarium.md"):
        with pytest.raises(NoteNotFound) as refused:
            VERBS[verb](agent, name)
        assert "Planetarium.md" not in str(refused.value).partition(";")[2]
    with pytest.raises(FileUnreadable) as hidden:
        VERBS[verb](agent, "Priv/Diary")
    with pytest.raises(FileUnreadable) as absent:
        VERBS[verb](agent, "Priv/Nothing")
    assert str(hidden.value) == str(absent.value)
