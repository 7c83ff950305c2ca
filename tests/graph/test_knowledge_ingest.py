"""What a note names is matched to a note or proposed as one; nothing is written."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operation_harness import text_of, values_of
from vault_harness import VaultHarness

from glassmind.errors import BadLimit, FileUnreadable, IndexAbsent, NoteNotFound
from glassmind.graph.entities import phrases_in
from glassmind.model import NotePath
from glassmind.model.ontology import Entity
from glassmind.obsidian.notes import read_note


def entities(vault: VaultHarness, name: str, **wanted: int) -> dict[str, Entity]:
    found = vault.engine.knowledge.ingest(name, **wanted)
    return {entity.name: entity for entity in found.entities}


def named(text: str, source: str = "") -> list[str]:
    note = read_note(NotePath("a.md"), text)
    return [p.text for p in phrases_in(note) if not source or p.source == source]


def hashed(root: Path) -> dict[str, str]:
    return {
        str(file): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(root.rglob("*"))
        if file.is_file()
    }


def test_links_are_told_as_linked_and_ghosts_as_stubs(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "A.md": "See [[Tea]] and [[Deep Work|that book]].\n\n![[x.png]] [[A]]",
            "Tea.md": "",
            "B.md": "[[Deep Work]]",
        }
    )

    found = entities(vault, "A")

    assert {name: one.state for name, one in found.items()} == {
        "Tea": "linked",
        "Deep Work": "stub",
    }
    assert found["Deep Work"].stub is not None
    assert found["Deep Work"].stub.path == "Deep Work.md"
    assert "[[A]]" in found["Deep Work"].stub.text
    (mention,) = found["Tea"].mentions
    assert (mention.line, mention.text) == (
        1,
        "See [[Tea]] and [[Deep Work|that book]].",
    )


def test_a_note_named_without_a_link_is_a_match(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Day.md": "Read Deep Work, and asked Amara about home.\n\nAmara agreed.",
            "Deep Work.md": "",
            "Amara Sellick.md": "",
            "Home.md": "",
        }
    )

    found = entities(vault, "Day")

    assert found["Deep Work"].state == "match"
    assert found["Deep Work"].link == "[[Deep Work]]"
    assert found["Amara"].state == "unsure"
    assert found["Amara"].path == "Amara Sellick.md"
    assert found["Amara"].mentions_total == 2
    assert set(found) == {"Deep Work", "Amara"}  # `home` is a word


def test_a_vault_that_writes_markdown_links_is_told_those(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "a.md": "[b](b.md) and [ghost](books/Ghost%20Town.md)\n",
            "b.md": "x\n",
            "notes/Deep Work.md": "A book.\n",
            "My Log.md": "Of Deep Work, and by @Rosa twice.\n",
        }
    )
    knowledge = vault.engine.knowledge

    links = {entity.name: entity.link for entity in knowledge.ingest("My Log").entities}
    (stub,) = (
        entity.stub for entity in knowledge.ingest("My Log").entities if entity.stub
    )

    assert links == {
        "Deep Work": "[Deep Work](Deep%20Work.md)",
        "Rosa": "[Rosa](Rosa.md)",
    }
    assert "[My Log](My%20Log.md)" in stub.text
    for text, link in {
        "deep work": "[Deep Work](Deep%20Work.md)",
        "Ghost Town": "[Ghost Town](books/Ghost%20Town.md)",
    }.items():
        assert knowledge.resolve(text).link == link


def test_one_thing_under_two_names_is_one_entity(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Day.md": "[[Heron network]] grew; the Heron stations too, River net said.",
            "Heron network.md": "---\naliases: [Heron, River net]\n---\n",
        }
    )

    found = entities(vault, "Day")

    assert list(found) == ["Heron network"]
    assert found["Heron network"].state == "linked"


def test_a_stub_is_where_its_kind_is(
    vault: VaultHarness,
) -> None:
    person = "---\nrole: x\nemail: y\ntags: [person, work]\n---\n"
    files = {f"People/{name}.md": person for name in ("Ada A", "Bo B", "Cy C")}
    files["People/Cy C.md"] = "---\nrole: x\ntags: [person]\n---\n"
    files |= {
        f"Books/{n}.md": f"---\nauthor: '[[{name}]]'\n---\n"
        for n, name in enumerate(("Ada A", "Bo B", "Cy C"))
    }
    files["Books/New.md"] = "---\nauthor: Dot Dee\nyear: 1999\n---\nWith @Eve as well."
    vault.indexed({".obsidian/app.json": "{}", **files})

    found = entities(vault, "Books/New")

    assert list(found) == ["Dot Dee", "Eve"]
    stub, eve = found["Dot Dee"].stub, found["Eve"].stub
    assert stub is not None
    assert eve is not None
    assert stub.path == "People/Dot Dee.md"
    assert stub.reason == "most that author leads to stand in People"
    assert stub.text == "Named in [[New]].\n"
    assert eve.path == "Eve.md"
    assert found["Dot Dee"].mentions[0].text == "author: Dot Dee"


@pytest.mark.parametrize(
    ("settings_of_obsidian", "path"),
    [
        ("{}", "Ada Field.md"),
        ('{"newFileLocation": "current"}', "Log/Ada Field.md"),
        (
            '{"newFileLocation": "folder", "newFileFolderPath": "In/box/"}',
            "In/box/Ada Field.md",
        ),
        ("no json", "Ada Field.md"),
    ],
)
def test_a_stub_of_no_known_kind_stands_where_new_notes_are_made(
    vault: VaultHarness, settings_of_obsidian: str, path: str
) -> None:
    vault.indexed(
        {".obsidian/app.json": settings_of_obsidian, "Log/A.md": "[[Ada Field]]"}
    )

    stub = entities(vault, "Log/A")["Ada Field"].stub

    assert stub is not None
    assert stub.path == path


def test_a_stub_is_named_as_the_links_to_it_are(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "A.md": "We met ADA FIELD there, and Ada Field again.",
            "B.md": "[[Ada Field]]",
            "C.md": "---\nby: '[[Who: what?]]'\n---\n",
        }
    )

    stubs = [entity.stub for entity in entities(vault, "A").values()]

    assert [stub and stub.path for stub in stubs] == ["Ada Field.md"]
    (odd,) = entities(vault, "C").values()
    assert (odd.state, odd.stub) == ("unsure", None)  # no file can be called so


def test_tags_are_matched_to_notes_and_never_made_stubs(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "#area/sailing #nothing", "Sailing.md": "", "Note.md": ""})

    found = entities(vault, "A")

    assert {name: one.path for name, one in found.items()} == {"sailing": "Sailing.md"}


def test_days_to_come_and_what_templates_leave_open_are_no_stubs(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "[[2030-01-02]] [[{{title}}]] [[Tea]]"})

    assert list(entities(vault, "A")) == ["Tea"]


def test_a_small_word_that_is_a_title_may_be_just_a_word(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "You click and Tea cools.", "click.md": "", "Tea.md": ""})

    found = entities(vault, "A")

    assert (found["click"].state, found["Tea"].state) == ("unsure", "match")


def test_one_thing_in_both_numbers_is_one_stub(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "A.md": "The Next Action counts. Many Next Actions count.",
            "B.md": "[[Next Action]] and [[Next Actions]]",
        }
    )

    assert len(entities(vault, "A")) == 1
    assert len(entities(vault, "B")) == 2  # each link has to be answered


def test_a_file_that_is_left_out_of_the_index_is_no_stub(vault: VaultHarness) -> None:
    vault.indexed(
        {
            ".glassmindignore": "Drafts/\n",
            "Drafts/Newsletter.md": "x",
            "Drafts/Ada Field.md": "x",
            "A.md": "See [[Newsletter]], says Ada Field.",
        }
    )

    found = entities(vault, "A")

    assert {one.name: (one.state, one.link) for one in found.values()} == {
        "Newsletter": ("linked", "[[Newsletter]]"),
        "Ada Field": ("unsure", "[[Ada Field]]"),
    }
    told = vault.engine.knowledge.resolve("newsletter")
    assert told.verdict == "exists"
    assert "left out of the index" in told.advice


WANTED = (
    "See [[folder/Deep Ghost]] and [[Deep Ghost]], [[Foo: Bar]], [[a/b/Zed#Head|z]], "
    "[md](sub/Missing%20One.md), [[Page.v2]], [[pic.png]], [[data.csv]], ![[c.weba]], "
    "[[./Near]], [[Un-Like]], [[Un Like]], [[/Rooted]], [[../Out]], [[.hidden/x]], "
    "[[Etc.]]. We met Ann Lee. We met Ann Lee again, and her Old Boats, an Old Boat."
)


@pytest.mark.parametrize(("place", "stubs"), [("Note.md", 10), ("in/Note.md", 11)])
def test_every_stub_that_is_made_answers_its_links_and_none_is_proposed_again(
    vault: VaultHarness, place: str, stubs: int
) -> None:
    settings_of_obsidian = '{"newFileLocation": "folder", "newFileFolderPath": "sub"}'
    vault.indexed(
        {
            ".obsidian/app.json": settings_of_obsidian,
            place: WANTED,
            "sub/Taken.md": "",
            "Here.md": "",
        }
    )
    made = [entity.stub for entity in entities(vault, place).values() if entity.stub]
    paths = [stub.path for stub in made]
    assert len(set(paths)) == len(paths) == stubs
    assert not any((vault.root / path).exists() for path in paths)

    vault.indexed({stub.path: stub.text for stub in made})

    again = entities(vault, place)
    assert [one.name for one in again.values() if one.stub] == []
    vain = {ghost.target for ghost in vault.engine.ghosts()}
    assert vain - {"../Out"} == {
        "Foo: Bar", "pic.png", "data.csv", "c.weba", ".hidden/x", "Etc.",
    }  # fmt: skip
    assert ("../Out" in vain) == (place == "Note.md")  # that leads out of the vault


def test_two_notes_of_one_name_leave_the_choice(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "Ask the Night Watch.", **_twice("Night Watch")})

    found = entities(vault, "A")["Night Watch"]

    assert (found.state, found.link) == ("unsure", None)
    assert len(found.candidates) == 2


def _twice(name: str) -> dict[str, str]:
    return {f"{folder}/{name}.md": "" for folder in ("X", "Y")}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("She met Ada Field there.", ["Ada Field"]),
        ("Ada Field was there.", ["Ada Field"]),
        ("The Bank of England fell. It rose.", ["Bank of England"]),
        ("We saw Corrig, and Corrig saw us.", ["Corrig", "Corrig"]),
        ("We saw Corrig once.", []),
        ("On Monday in March. On Monday in March.", []),
        ("- Ring the loft\n- Ring the bell", []),
        ("Ask `Ada Field` or [[Bo Field]] or https://Ada.Field/Ab.", []),
        ("Met @ada and bo@x.org.", ["ada"]),
        ("Read Ada Field now; I like Ada Field.", ["Ada Field", "Ada Field"]),
        ("Visited Low Water. We like Low Water.", ["Low Water", "Low Water"]),
        ("Then Ada's Mill burned.", []),
        ("Yet I've seen I'm there. Although I left SSDs I like SSDs.", ["SSDs"] * 2),
        ("By Santiago Ramón y Cajal.", ["Santiago Ramón y Cajal"]),
    ],
)
def test_names_are_told_from_other_words_by_their_letters(
    text: str, names: list[str]
) -> None:
    assert sorted(named(text)) == sorted(names)


def test_the_first_words_of_a_sentence_are_no_name(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Diary.md": "Packed for Spain. Lunch at the Bank of England, then home.\n\n"
            "Bank of England again.\n"
        }
    )

    entities = vault.engine.knowledge.ingest("Diary").entities

    assert [entity.name for entity in entities] == ["Bank of England"]


def test_large_nouns_are_no_names_in_a_language_that_writes_them_large() -> None:
    german = (
        "Der Hund lief durch den Garten und die Katze schlief im Haus. Am Abend kam "
        "der Nachbar mit einem Korb, darin Brot und Wein aus dem Keller. Der Hund "
        "sah die Katze an, und der Nachbar gab dem Hund ein Brot aus dem Korb."
    )

    assert named(german) == []


def test_nothing_of_the_vault_is_written(vault: VaultHarness) -> None:
    files = {"A.md": "[[Ghost]] and Ada Field with @Bo. #tag", "B.md": "x"}
    vault.indexed(files)
    before = hashed(vault.root)

    found = vault.engine.knowledge.ingest("A")

    assert found.counts["stub"] == 3
    assert hashed(vault.root) == before


def test_the_note_is_read_as_it_is_on_disk_now(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "", "Tea.md": ""})

    vault.write({"A.md": "about [[Tea]]"})

    assert list(entities(vault, "A")) == ["Tea"]
    vault.remove("A.md")
    with pytest.raises(FileUnreadable):
        entities(vault, "A")


def test_names_and_limits_that_cannot_be_are_refused(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "[[B]] [[C]] [[D]]"})

    with pytest.raises(NoteNotFound):
        entities(vault, "Nobody knows")
    with pytest.raises(BadLimit):
        entities(vault, "A", limit=0)
    found = vault.engine.knowledge.ingest("A", limit=2)
    assert (len(found.entities), found.total) == (2, 3)
    assert found.counts == {"linked": 0, "match": 0, "unsure": 0, "stub": 3}


def test_without_an_index_nothing_is_ingested(vault: VaultHarness) -> None:
    vault.write({"A.md": ""})

    with pytest.raises(IndexAbsent):
        entities(vault, "A")


def test_the_sample_vault_finds_whom_a_letter_names(sample: VaultHarness) -> None:
    engine, name = sample.engine, "Reading/Low Water Marks.md"

    found = engine.knowledge.ingest(name)

    by_name = {entity.name: entity for entity in found.entities}
    author = by_name["Liesl Hartvig"].stub
    assert author is not None
    assert author.path == "People/Liesl Hartvig.md"
    assert by_name["Millbrook weir"].state == "linked"
    assert "new note People/Liesl Hartvig.md" in text_of(engine, "ingest", name=name)
    values = values_of(engine, "ingest", name=name)
    assert values == values_of(sample.open(), "ingest", name=name)


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["Ada", "Field", "of", "the", ".", "\n", "- ", "**", "[[", "]]", "`", "@",
             "「", "」", "water", "level", "#a", "\u00e9", "|", "茶", "> ", "$"]
        )
    ).map(" ".join)
)  # fmt: skip
def test_any_text_gives_phrases_that_stand_in_it(text: str) -> None:
    note = read_note(NotePath("a.md"), text)
    lines = note.text.split("\n")

    for phrase in phrases_in(note):
        line = " ".join(lines[phrase.line - 1].lower().split())
        assert phrase.text.lower() in line
