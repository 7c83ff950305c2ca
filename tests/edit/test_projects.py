"""Which notes a project has: by folder, tag, property, or all of them."""

from unicodedata import normalize

import pytest
from semantic_harness import MeaningHarness
from vault_harness import VaultHarness

from glassmind.errors import ProjectUnknown
from glassmind.model.context import ProjectName
from glassmind.obsidian.properties import parse_project
from glassmind.store.sqlite.connection import open_reader
from glassmind.store.sqlite.rows import SqliteRows

NOTES = {
    "Work/Atlas/Plan.md": "the plan",
    "Work/Atlas/Maps/North.md": "a map",
    "Archive/atlas/Old.md": "an old one",
    "Atlases.md": "no project",
    "Tagged.md": "#Atlas is where it belongs",
    "Below.md": "---\ntags: [atlas/money]\n---\ncosts",
    "Under.md": "#project/Atlas is how others tag",
    "Beside.md": "#atlas-two is another",
    "Said.md": "---\nproject: atlas\n---\nby a word",
    "Linked.md": '---\nproject: "[[Work/Atlas|the atlas]]"\n---\nby a link',
    "Both.md": '---\nProject: [Other, "[[Atlas]]"]\n---\nby a list',
    "Client.md": "---\nclient: Atlas\n---\nby another property",
    "Atlas.md": "the note of that name",
    "Number.md": "---\nproject: 7\n---\nby a number",
}


def members(vault: VaultHarness, said: str) -> list[str]:
    """Return the paths of a project's notes, by path."""
    vault.write(NOTES)
    vault.engine.index()
    rows = SqliteRows(open_reader(vault.folder))
    return [note.path for note in rows.project_notes(parse_project(said))]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Atlas", ProjectName("any", "Atlas")),
        (" Atlas ", ProjectName("any", "Atlas")),
        ("[[Work/Atlas|the atlas]]", ProjectName("any", "Atlas")),
        ("Work/Atlas/", ProjectName("folder", "Work/Atlas")),
        ("folder:Work/Atlas", ProjectName("folder", "Work/Atlas")),
        ("Folder: /Work/", ProjectName("folder", "Work")),
        ("#atlas/money", ProjectName("tag", "atlas/money")),
        ("tag:#atlas", ProjectName("tag", "atlas")),
        (
            "property:client=[[Atlas]]",
            ProjectName("property", "Atlas", "client"),
        ),
        ("Plan: the second", ProjectName("any", "Plan: the second")),
        ("", ProjectName("any", "")),
    ],
)
def test_a_project_is_named_by_folder_tag_property_or_bare(
    said: str, meant: ProjectName
) -> None:
    assert parse_project(said) == meant


def test_a_bare_name_is_folder_tag_property_and_note_in_one(
    vault: VaultHarness,
) -> None:
    assert members(vault, "ATLAS") == [
        "Archive/atlas/Old.md",
        "Atlas.md",
        "Below.md",
        "Both.md",
        "Linked.md",
        "Said.md",
        "Tagged.md",
        "Under.md",
        "Work/Atlas/Maps/North.md",
        "Work/Atlas/Plan.md",
    ]


@pytest.mark.parametrize(
    ("said", "paths"),
    [
        ("folder:Work/Atlas", ["Work/Atlas/Maps/North.md", "Work/Atlas/Plan.md"]),
        ("work/atlas/maps/", ["Work/Atlas/Maps/North.md"]),
        ("#atlas", ["Below.md", "Tagged.md"]),
        ("tag:atlas/money", ["Below.md"]),
        ("property:project=Atlas", ["Both.md", "Linked.md", "Said.md"]),
        ("property:client=atlas", ["Client.md"]),
        ("nowhere", []),
        ("", []),
    ],
)
def test_a_form_that_is_named_is_the_only_one_looked_at(
    vault: VaultHarness, said: str, paths: list[str]
) -> None:
    assert members(vault, said) == paths


def test_every_note_of_a_project_says_by_which_rule(vault: VaultHarness) -> None:
    vault.write(NOTES)
    vault.engine.index()

    rows = SqliteRows(open_reader(vault.folder))
    why = {note.path: note.why for note in rows.project_notes(parse_project("Atlas"))}

    assert why["Said.md"] == "project: Atlas"
    assert why["Tagged.md"] == "tagged #Atlas"
    assert why["Work/Atlas/Plan.md"] == "in the folder Atlas"
    assert why["Atlas.md"] == "the note of that name"


def test_a_folder_in_another_script_is_found_without_case(vault: VaultHarness) -> None:
    vault.write({"Проекты/Атлас/План.md": "x", "Ärger/Übung/A.md": "y"})
    vault.engine.index()

    rows = SqliteRows(open_reader(vault.folder))

    assert [n.path for n in rows.project_notes(parse_project("атлас"))] == [
        "Проекты/Атлас/План.md"
    ]
    assert [
        n.path for n in rows.project_notes(parse_project("folder:ÄRGER/übung"))
    ] == ["Ärger/Übung/A.md"]


VALUES = {
    "a.md": "---\nyear: 2026\nn: 1.0\nflag: true\nÜbung: Laufen\n---\nx",
    "b.md": "---\nproject: 2026\nyear: [2025, 7]\nflag: false\n---\nx",
    "c.md": "---\nproject:\nflag: [true]\nübung: Laufen\n---\nx",
}


@pytest.mark.parametrize(
    ("name", "value", "paths"),
    [
        ("year", "2026", ["a.md"]),
        ("year", "7", ["b.md"]),
        ("n", "1.0", ["a.md"]),
        ("flag", "True", ["a.md", "c.md"]),
        ("flag", "false", ["b.md"]),
        ("project", "2026", ["b.md"]),
        ("übung", "laufen", ["a.md", "c.md"]),
        ("ÜBUNG", "Laufen", ["a.md", "c.md"]),
    ],
)
def test_a_project_by_property_has_the_notes_that_a_list_by_it_has(
    vault: VaultHarness, name: str, value: str, paths: list[str]
) -> None:
    vault.indexed(VALUES)

    listed = vault.engine.list_notes(property_name=name, property_value=value)
    rows = SqliteRows(open_reader(vault.folder))
    found = rows.project_notes(parse_project(f"property:{name}={value}"))

    assert [note.path for note in found] == paths
    assert [note.path for note in listed.notes] == paths


def test_a_number_is_the_name_of_a_project_and_nothing_is_none(
    vault: VaultHarness,
) -> None:
    vault.indexed(VALUES)

    rows = SqliteRows(open_reader(vault.folder))

    assert [n.path for n in rows.project_notes(parse_project("2026"))] == ["b.md"]
    assert rows.project_notes(parse_project("None")) == []
    assert rows.projects_like("2027") == ("2026",)
    assert rows.projects_like("nul") == ()


def test_a_project_is_the_same_however_its_letters_are_composed(
    vault: VaultHarness,
) -> None:
    apart = normalize("NFD", "Türme")
    vault.indexed(
        {
            "Said.md": f"---\nproject: {apart}\n{apart}: {apart}\n---\nx",
            "Tagged.md": f"#{apart}/hoch is a tag",
            "Türme/In.md": "x",
            "Whole.md": "---\nproject: Türme\n---\n#türme",
            "Not.md": "#Türmer",
        }
    )

    rows = SqliteRows(open_reader(vault.folder))

    def paths(said: str) -> list[str]:
        return [note.path for note in rows.project_notes(parse_project(said))]

    for name in ("TÜRME", apart):
        assert paths(name) == ["Said.md", "Tagged.md", "Türme/In.md", "Whole.md"]
        assert paths(f"#{name}") == ["Tagged.md", "Whole.md"]
        assert paths(f"property:{name}={name}") == ["Said.md"]
    listed = vault.engine.list_notes(property_name="Türme", property_value="türme")
    assert [note.path for note in listed.notes] == ["Said.md"]


def test_a_search_in_a_project_finds_its_notes_alone(vault: VaultHarness) -> None:
    vault.write({path: f"{text} of rivers" for path, text in NOTES.items()})
    vault.engine.index()

    inside = vault.found("rivers", project="Atlas", limit=50)
    narrow = vault.found("rivers -plan", project="folder:Work")

    assert narrow == ["Work/Atlas/Maps/North.md"]
    assert sorted(inside) == members(vault, "Atlas")


def test_a_search_by_meaning_in_a_project_finds_its_notes_alone(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed({"Atlas/One.md": "a heron", "Two.md": "a heron too"})

    reply = meaning.ask("heron", project="Atlas", mode="hybrid")

    assert [hit.path for hit in reply.hits] == ["Atlas/One.md"]


def test_a_search_in_a_project_without_notes_says_so(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    with pytest.raises(ProjectUnknown, match="no note belongs to a project 'Nemo'"):
        vault.ask("rivers", project="Nemo")
