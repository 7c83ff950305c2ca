"""Moves, deletions, new notes and renames from outside, with the links they carry."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from editing_harness import EditingHarness, MakeHarness, harnesses_in, snapshot

from glassmind.edit.planning import plan_delete, plan_move, plan_new, plan_outside
from glassmind.errors import (
    AmbiguousName,
    BadEdit,
    FileUnreadable,
    IndexBusy,
    NameTaken,
    NoteNotFound,
    PathOutsideVault,
)
from glassmind.model import NotePath
from glassmind.model.edits import Draft, Rewritten

VAULT = {
    "a/Tea.md": "---\ntitle: Tea\ntags: [x]\n---\n# Tea\n[[Cup]] [[#Tea]]\n",
    "a/Cup.md": "[[Tea]] and [tea](Tea.md)\n",
    "b/Milk.md": "---\nup: '[[a/Tea]]'\n---\n![[pic.png|100]] [[a/Tea#Tea]]\n",
    "Home.md": "[[Milk]] [[Nobody]]\n",
    "pic.png": b"\x89PNG",
    "Board.canvas": '{"nodes":[{"id":"1","type":"file","file":"a/Tea.md"}]}',
    "All.base": 'filters: file.inFolder("a")\n',
}


@pytest.fixture
def editing(tmp_path: Path) -> Iterator[MakeHarness]:
    yield from harnesses_in(tmp_path)


def move(harness: EditingHarness, source: str, destination: str) -> Draft:
    """Move something, and return what was thought out."""
    draft = plan_move(harness.harness, source, destination)
    harness.apply(draft)
    return draft


def test_a_note_is_renamed_with_its_title_and_every_link(editing: MakeHarness) -> None:
    harness = editing(VAULT)

    draft = move(harness, "a/Tea.md", "b/Oat Milk")

    assert draft.rewritten == Rewritten(links=5, files=3)
    assert not draft.risks
    assert harness.text("b/Oat Milk.md") == VAULT["a/Tea.md"].replace(  # type: ignore[attr-defined]
        "title: Tea", "title: Oat Milk"
    )
    assert harness.text("a/Cup.md") == "[[Oat Milk]] and [tea](Oat%20Milk.md)\n"
    assert "up: '[[b/Oat Milk]]'" in harness.text("b/Milk.md")
    assert '"file":"b/Oat Milk.md"' in harness.text("Board.canvas")
    assert not (harness.root / "a/Tea.md").exists()


def test_a_title_of_its_own_stays(editing: MakeHarness) -> None:
    harness = editing({"Tea.md": "---\ntitle: All about tea\n---\n"})

    move(harness, "Tea", "Oat")

    assert harness.text("Oat.md") == "---\ntitle: All about tea\n---\n"


@pytest.mark.parametrize(
    ("title", "after"),
    [
        ('"Tea" # why', '"Yes" # why'),
        ("'Tea'", "'Yes'"),
        ("Tea # why", '"Yes" # why'),
    ],
)
def test_a_title_follows_in_its_own_quotes(
    editing: MakeHarness, title: str, after: str
) -> None:
    harness = editing({"Tea.md": f"---\ntitle: {title}\nx: 1\n---\n"})

    move(harness, "Tea", "Yes")

    assert harness.text("Yes.md") == f"---\ntitle: {after}\nx: 1\n---\n"


def test_a_folder_is_moved_by_one_step_with_links_and_bases(
    editing: MakeHarness,
) -> None:
    harness = editing(VAULT | {"a/deep/p.pdf": b"%PDF", "a/hidden.xyz": "?"})

    draft = move(harness, "a/", "b/c/z")

    assert [(step.path, step.to) for step in draft.steps if step.folder] == [
        ("a", "b/c/z")
    ]
    assert harness.text("b/c/z/Cup.md") == VAULT["a/Cup.md"]
    assert "[[b/c/z/Tea#Tea]]" in harness.text("b/Milk.md")
    assert harness.text("All.base") == 'filters: file.inFolder("b/c/z")\n'
    assert (harness.root / "b/c/z/deep/p.pdf").exists()
    assert (harness.root / "b/c/z/hidden.xyz").exists()


def test_an_attachment_keeps_its_suffix_and_its_embeds(editing: MakeHarness) -> None:
    harness = editing(VAULT)

    move(harness, "pic.png", "img/photo")

    assert (harness.root / "img/photo.png").read_bytes() == b"\x89PNG"
    assert "![[photo.png|100]]" in harness.text("b/Milk.md")


@pytest.mark.parametrize(
    ("source", "destination", "place"),
    [
        ("Tea", "b/", "b/Tea.md"),
        ("Tea", "b", "b/Tea.md"),
        ("a/Tea", "B/Tea two", "b/Tea two.md"),
        ("a/Tea.md", "/", "Tea.md"),
        ("a/Tea.md", "v1.2", "v1.2.md"),
        ("a/Tea.md", "x/y/Tea.MD", "x/y/Tea.MD"),
        ("a", "b/", "b/a"),
        ("a", "z", "z"),
        ("Board.canvas", "b/Plan", "b/Plan.canvas"),
    ],
)
def test_a_destination_is_a_name_or_a_folder(
    editing: MakeHarness, source: str, destination: str, place: str
) -> None:
    harness = editing(VAULT)

    assert plan_move(harness.harness, source, destination).facts["to"] == place


@pytest.mark.parametrize(
    ("source", "destination", "error"),
    [
        ("Tea", "a/Cup", NameTaken),
        ("Tea", "a/cup.md", NameTaken),
        ("Tea", "home", NameTaken),
        ("a/", "b/x/../a", PathOutsideVault),
        ("Tea", "../Tea", PathOutsideVault),
        ("Tea", "/etc/Tea", PathOutsideVault),
        ("Tea", "a/Tea", BadEdit),
        ("a/", "a/c", BadEdit),
        ("Tea", "a/Te#a", BadEdit),
        ("Tea", "Te[[a", BadEdit),
        ("Te", "b/", NoteNotFound),
        ("nowhere/", "b/", NoteNotFound),
        ("Tea", "b/hidden", PathOutsideVault),
    ],
)
def test_nothing_is_moved_onto_anything_or_out_of_the_vault(
    editing: MakeHarness, source: str, destination: str, error: type[Exception]
) -> None:
    harness = editing(VAULT)
    (harness.root / "b/hidden.md").symlink_to(harness.root / "Home.md")
    before = snapshot(harness.root)

    with pytest.raises(error):
        plan_move(harness.harness, source, destination)

    assert snapshot(harness.root) == before


def test_a_name_of_a_folder_and_of_a_note_elsewhere_is_asked_about(
    editing: MakeHarness,
) -> None:
    harness = editing(VAULT | {"b/a.md": "", "b.md": ""})

    with pytest.raises(AmbiguousName):
        plan_move(harness.harness, "a", "z")
    assert plan_move(harness.harness, "a/", "z").facts["folder"]
    assert plan_move(harness.harness, "b", "z").facts["from"] == "b.md"


def test_a_note_that_cannot_be_read_is_told_and_keeps_nothing_back(
    editing: MakeHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = editing(VAULT)
    read = harness.files.read

    def refusing(path: NotePath) -> bytes | None:
        if path == "a/Cup.md":
            raise FileUnreadable(path, "it is not downloaded")
        return read(path)

    monkeypatch.setattr(harness.files, "read", refusing)

    draft = plan_move(harness.harness, "a/Tea.md", "Oat")

    assert "a/Cup.md" in draft.risks[0]
    assert "b/Milk.md" in [step.path for step in draft.steps]


def test_other_case_alone_is_a_name_too(editing: MakeHarness) -> None:
    harness = editing(VAULT)

    move(harness, "a/Tea.md", "a/tea")
    move(harness, "a/", "A")

    assert (harness.root / "A/tea.md").exists()
    assert [end for _, end, _ in harness.ends()[NotePath("A/Cup.md")]] == [
        "A/tea.md",
        "A/tea.md",
    ]
    assert '"file":"A/tea.md"' in harness.text("Board.canvas")
    assert harness.text("All.base") == 'filters: file.inFolder("A")\n'


def test_a_move_in_case_and_back_leaves_every_byte(editing: MakeHarness) -> None:
    harness = editing(VAULT)
    before = snapshot(harness.root)

    move(harness, "a/Tea.md", "a/tea")
    assert '"file":"a/tea.md"' in harness.text("Board.canvas")
    move(harness, "a/tea.md", "a/Tea")

    assert snapshot(harness.root) == before


def test_what_was_written_meanwhile_is_not_taken_back(editing: MakeHarness) -> None:
    harness = editing(VAULT)
    move(harness, "a/Tea.md", "Oat")
    (harness.root / "a/Cup.md").write_text("[[Oat]] and [[Oat|more]]\n")
    (harness.root / "New.md").write_text("[[Oat]]")

    move(harness, "Oat", "a/Tea")

    assert harness.text("a/Cup.md") == "[[Tea]] and [[Tea|more]]\n"
    assert harness.text("New.md") == "[[Tea]]"
    assert harness.text("a/Tea.md") == VAULT["a/Tea.md"]


def test_a_link_that_is_not_in_the_index_yet_follows_too(editing: MakeHarness) -> None:
    harness = editing(VAULT)
    (harness.root / "Late.md").write_text("[[Tea]]")

    move(harness, "a/Tea.md", "Oat")

    assert harness.text("Late.md") == "[[Oat]]"


def test_an_index_that_cannot_be_refreshed_is_a_risk(editing: MakeHarness) -> None:
    harness = editing(VAULT)
    harness.late = IndexBusy("somewhere", 1.0)

    draft = plan_move(harness.harness, "a/Tea.md", "Oat")

    assert "newer than the index" in draft.risks[0]


def test_a_folder_goes_to_the_trash_only_when_it_is_named_as_one(
    editing: MakeHarness,
) -> None:
    harness = editing(VAULT)

    with pytest.raises(NoteNotFound):
        plan_delete(harness.harness, "a")
    draft = plan_delete(harness.harness, "a/")
    harness.apply(draft)

    assert draft.facts == {"files": 2, "lost": 3, "elsewhere": 0}
    assert (harness.root / ".trash/a/Tea.md").exists()


def test_a_deleted_note_goes_to_the_trash_and_its_links_are_counted(
    editing: MakeHarness,
) -> None:
    harness = editing(VAULT | {"b/Tea.md": "", ".trash/a/Tea.md": "older"})

    draft = plan_delete(harness.harness, "a/Tea.md")
    harness.apply(draft)

    assert [(step.path, step.to) for step in draft.steps] == [
        ("a/Tea.md", ".trash/a/Tea 1.md")
    ]
    assert draft.rewritten == Rewritten()
    assert draft.risks == (
        "3 links will lead nowhere",
        "2 links will lead to another file of that name",
    )
    assert harness.text("a/Cup.md") == VAULT["a/Cup.md"]


def test_a_new_note_adopts_its_links_and_takes_no_others(editing: MakeHarness) -> None:
    harness = editing(VAULT)

    nobody = plan_new(harness.harness, NotePath("x/Nobody.md"), b"# Nobody\n")
    twin = plan_new(harness.harness, NotePath("Milk.md"), b"")

    assert (nobody.adopted, nobody.rewritten.links) == (1, 0)
    assert (twin.adopted, twin.rewritten.links) == (0, 1)
    assert [step.after for step in twin.steps if step.path == "Home.md"] == [
        b"[[b/Milk]] [[Nobody]]\n"
    ]
    with pytest.raises(NameTaken):
        plan_new(harness.harness, NotePath("HOME.md"), b"")


def test_links_to_what_was_renamed_outside_are_offered(editing: MakeHarness) -> None:
    harness = editing(VAULT)
    (harness.root / "c").mkdir()
    (harness.root / "a/Tea.md").rename(harness.root / "c/Oat.md")

    draft = plan_outside(harness.harness, {NotePath("a/Tea.md"): NotePath("c/Oat.md")})
    assert draft is not None
    harness.apply(draft)

    assert draft.verb == "relink"
    assert all(step.path == step.to for step in draft.steps)
    assert harness.text("a/Cup.md") == "[[Oat]] and [tea](Oat.md)\n"
    assert "[[c/Oat#Tea]]" in harness.text("b/Milk.md")
    assert '"file":"c/Oat.md"' in harness.text("Board.canvas")
    again = plan_outside(harness.harness, {NotePath("a/Tea.md"): NotePath("c/Oat.md")})
    assert again is None


def test_the_relative_links_of_what_was_moved_outside_are_offered(
    editing: MakeHarness,
) -> None:
    harness = editing({"a/S.md": "[[./T]]", "a/T.md": ""})
    (harness.root / "S.md").write_bytes((harness.root / "a/S.md").read_bytes())
    (harness.root / "a/S.md").unlink()

    draft = plan_outside(harness.harness, {NotePath("a/S.md"): NotePath("S.md")})

    assert draft is not None
    assert [step.after for step in draft.steps] == [b"[[./a/T]]"]
