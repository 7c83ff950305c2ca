"""Who may read which note, decided in one place."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.access.reading import ReadPolicy
from glassmind.config import config_for
from glassmind.config.settings import Access, Writes
from glassmind.model import NotePath
from glassmind.model.access import NoteMarks, ReadRule, Scope, said_once

WORDS = st.sampled_from(["a", "b", "ab", "A", "ä"])
PATHS = st.lists(WORDS, min_size=1, max_size=3).map("/".join)
MARKS = st.builds(
    NoteMarks,
    PATHS.map(lambda path: NotePath(f"{path}.md")),
    st.lists(PATHS, max_size=2).map(tuple),
    st.dictionaries(WORDS, st.one_of(WORDS, st.lists(WORDS, max_size=2)), max_size=2),
)
RULES = st.builds(
    ReadRule,
    st.sampled_from(["folder", "tag", "property"]),
    PATHS,
    st.none() | WORDS,
    st.booleans(),
)


def policy(
    *rules: ReadRule,
    folders: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    client: str = "",
) -> ReadPolicy:
    access = Access(private_folders=folders, private_tags=tags)
    writes = Writes(agent_dir=".agent")
    config = replace(config_for(Path()), access=access, writes=writes)
    return ReadPolicy(config, Scope(rules, (), client))


def marks(path: str, *tags: str, **properties: object) -> NoteMarks:
    return NoteMarks(NotePath(path), tags, properties)


@pytest.mark.parametrize("said", [True, "yes", " On ", "1", 1, ["no", "true"]])
def test_a_note_that_says_it_is_private_is_for_nobody(said: object) -> None:
    everything = ReadRule("folder", "Tea")
    for one in (policy(), policy(everything), policy(client="cup")):
        assert not one.may_read(marks("Tea/A.md", private=said))


@pytest.mark.parametrize("said", [False, "no", "", None, [], "later"])
def test_a_note_that_says_it_is_not_is_read(said: object) -> None:
    assert policy().may_read(marks("A.md", private=said))


@pytest.mark.parametrize(
    "head",
    [
        "---\nprivate: true\nmore: [un\n---\n",
        "---\n'private' : yes\n\ta: b\n---\n",
        "---\n{private: true, \n---\n",
        "---\nPrivate:\n  - true\nx: [\n---\n",
        "---\nprivate: true\n\nNothing closes this.\n",
        "---\nprivate: no\nprivate: yes\n---\n",
        "---\nprivate: false\nPrivate: true\n---\n",
        "\n---\nprivate: true\n---\n",
        "\u200b---\nprivate: true\n---\n",
        "---\rprivate: true\r---\r",
        "---\n'private ': true\n---\n",
        "---\n<<: {private: true}\n---\n",
        "---\n- private: true\n---\n",
        "---\nprivate: # yes\n  true\nx: [\n---\n",
    ],
)
def test_properties_that_are_no_yaml_keep_a_note_private_all_the_same(
    head: str,
) -> None:
    assert not policy().may_read_text(NotePath("A.md"), f"{head}Text.\n".encode())


@pytest.mark.parametrize(
    "text",
    [
        "private: true\n",
        "Text.\n\n---\nprivate: true\n---\n",
        "---\nprivate: false\nmore: [un\n---\n",
        "---\na: private\n---\n",
        "---\nunprivate: true\nmore: [un\n---\n",
        "---\nprivate: no # not yes\nmore: [un\n---\n",
    ],
)
def test_text_that_only_speaks_of_it_is_read(text: str) -> None:
    assert policy().may_read_text(NotePath("A.md"), text.encode())


@pytest.mark.parametrize("path", ["Journal/A.md", "journal/x/B.md", "JOURNAL/c.canvas"])
def test_a_private_folder_is_for_nobody_in_whatever_case(path: str) -> None:
    assert not policy(folders=("Journal/",)).may_name(path)
    assert policy(folders=("Journal",)).may_name("Journals/A.md")


@pytest.mark.parametrize(
    "text",
    ["#own\n", "A #Own/inner word\n", "---\ntags: [own]\n---\n", "---\ntag: own\n---\n",
     "---\ntags: 'a, own'\n---\n", "---\ntags: [own\n---\n"],
)  # fmt: skip
def test_a_private_tag_is_for_nobody_however_it_is_meant(text: str) -> None:
    assert not policy(tags=("#own",)).may_read_text(NotePath("A.md"), text.encode())


def test_what_lets_a_client_read_counts_only_as_obsidian_takes_it() -> None:
    work = policy(ReadRule("tag", "work"))
    assert work.may_read_text(NotePath("A.md"), b"---\ntags: [work]\n---\n")
    assert not work.may_read_text(NotePath("A.md"), b"---\ntag: work\n---\n")
    assert not work.may_read_text(NotePath("A.md"), b"---\ntags: [work\n---\n")


def test_one_rule_that_names_a_note_lets_it_be_read() -> None:
    some = policy(ReadRule("folder", "Shop"), ReadRule("property", "status", "open"))
    assert some.may_read(marks("Shop/A.md"))
    assert some.may_read(marks("B.md", status="Open"))
    assert some.may_read(marks("B.md", status=["done", "open"]))
    assert not some.may_read(marks("B.md", status="done"))


def test_a_rule_that_excludes_wins_over_one_that_names() -> None:
    some = policy(
        ReadRule("folder", "Shop"), ReadRule("folder", "Shop/Pay", None, excluded=True)
    )
    assert some.may_read(marks("Shop/A.md"))
    assert not some.may_read(marks("Shop/Pay/A.md"))


def test_a_scope_that_only_excludes_lets_all_else_be_read() -> None:
    some = policy(ReadRule("tag", "diary", None, excluded=True))
    assert some.may_read(marks("A.md"))
    assert not some.may_read(marks("A.md", "Diary/2026"))


def test_a_client_reads_what_it_left_in_the_agent_folder_itself() -> None:
    cup = policy(ReadRule("folder", "Shop"), client="Cup")
    assert cup.may_read(marks(".agent/memories/A.md", client="cup"))
    assert not cup.may_read(marks(".agent/memories/A.md", client="pot"))
    assert not cup.may_read(marks("A.md", client="cup"))
    assert not cup.may_read(marks(".agent/memories/A.md", client="cup", private=True))


@pytest.mark.parametrize("written", ["Geheim/*", "./Geheim", " Geheim ", "/Geheim/"])
def test_a_private_folder_is_kept_however_it_is_written(written: str) -> None:
    assert not policy(folders=(written,)).may_name("Geheim/A.md")


@pytest.mark.parametrize("written", ["own/", "own/*", " own", "#own"])
def test_a_private_tag_is_kept_however_it_is_written(written: str) -> None:
    assert not policy(tags=(written,)).may_read(marks("A.md", "own/x"))


@pytest.mark.parametrize(
    "head",
    [
        "Öffentlich: a",
        "o\u0308ffentlich: a",
        "' Öffentlich ': a",
        "x: b\nöffentlich: b\nÖFFENTLICH: a",
        "<<: {öffentlich: a}",
        "öffentlich: [a",
        "öffentlich: b\nöffentlich: a",
    ],
)
def test_a_property_that_excludes_is_taken_as_it_may_be_meant(head: str) -> None:
    rule = ReadRule("property", "öffentlich", "a", excluded=True)
    raw = f"---\n{head}\n---\nText.\n".encode()
    assert not policy(rule).may_read_text(NotePath("A.md"), raw)


@given(st.lists(RULES, max_size=4), RULES, MARKS)
def test_one_more_rule_that_excludes_never_opens_a_note(
    rules: list[ReadRule], more: ReadRule, note: NoteMarks
) -> None:
    before = policy(*rules).may_read(note)
    after = policy(*rules, more._replace(excluded=True)).may_read(note)
    assert before or not after


@given(st.lists(RULES, max_size=4), MARKS)
def test_what_has_to_be_looked_at_is_all_that_decides(
    rules: list[ReadRule], note: NoteMarks
) -> None:
    """A judge that is told only what he asks for comes to the same."""
    one = policy(*rules)
    said = [(w, v) for n, v in note.properties.items() if (w := one.name_of(n))]
    tags = note.tags if one.by_tags else ()
    told = note._replace(properties=said_once(said), tags=tags)
    if not one.by_place and not told.properties and not told.tags:
        assert one.may_read(note)
    else:
        assert one.may_read(told) == one.may_read(note)
