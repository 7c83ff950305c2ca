"""New notes: their names and folders, properties, templates and texts."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from editing_harness import EditingHarness

from glassmind.edit.planning import Template, new_note, note_path, note_text
from glassmind.errors import BadEdit, NameTaken, NoteNotFound, PathOutsideVault
from glassmind.model import NotePath, PropertyValue
from glassmind.obsidian.frontmatter import read_head

NOTE = NotePath("Folder/New.md")
THEN = datetime(2010, 2, 14, 15, 25).astimezone()


@pytest.mark.parametrize(
    ("title", "folder", "usual", "path"),
    [
        ("New", None, "", "New.md"),
        ("New.md", None, "Inbox", "Inbox/New.md"),
        (" New ", None, "Inbox/", "Inbox/New.md"),
        ("A/New", None, "Inbox", "A/New.md"),
        ("New", "", "Inbox", "New.md"),
        ("New", "/", "Inbox", "New.md"),
        ("New", "A/B/", "Inbox", "A/B/New.md"),
        ("C/New", "A", "", "A/C/New.md"),
        ("v1.2", None, "", "v1.2.md"),
        ("Größe 日本", None, "", "Größe 日本.md"),
        ("New", ".agent/notes", "", ".agent/notes/New.md"),
        ("a % b (c)", None, "", "a % b (c).md"),
    ],
)
def test_a_note_is_made_where_it_is_asked_for_or_where_obsidian_would(
    title: str, folder: str | None, usual: str, path: str
) -> None:
    assert note_path(title, folder, usual, ".agent") == path


@pytest.mark.parametrize("sign", [*'\\:*?"<>|#^[]', "%%", "[[", "]]"])
def test_a_sign_that_breaks_links_or_files_is_named(sign: str) -> None:
    with pytest.raises(BadEdit) as refused:
        note_path(f"a{sign}b", None, "")

    assert str(refused.value).endswith(f"it has {sign}")


@pytest.mark.parametrize(
    ("title", "folder"),
    [
        ("", None), (".md", None), ("A/", None), (".hidden", None), ("x", ".obsidian"),
        ("x", "A/.git"), ("x.", None), ("CON", None), ("nul.txt", None),
        ("x", "A /B"), ("x" * 253, None), ("ü" * 127, None), ("x", "a:b"), ("x", "a|b"),
    ],
)  # fmt: skip
def test_what_is_no_name_on_every_system_is_refused(
    title: str, folder: str | None
) -> None:
    with pytest.raises(BadEdit):
        note_path(title, folder, "", ".agent")


@pytest.mark.parametrize(
    ("title", "folder"),
    [("../x", None), ("x", "../y"), ("/etc/x", None), ("a//b", None), ("a/../b", None),
     ("%2e%2e/x", None), ("~/x", None)],
)  # fmt: skip
def test_no_note_is_made_outside_of_the_vault(title: str, folder: str | None) -> None:
    with pytest.raises(PathOutsideVault):
        note_path(title, folder, "")


def made(
    text: str, template: str = "", newline: str = "\n", **properties: PropertyValue
) -> str:
    pattern = Template(template, newline)
    return note_text(NOTE, text, properties, template=pattern, now=THEN)


def test_a_text_without_properties_is_taken_as_it_is() -> None:
    for text in ("", "body", "a\r\nb\r\n", "---\nunclosed"):
        assert made(text) == text
    assert made("\ufeffbody") == "body"


def test_properties_stand_before_the_text_in_the_order_they_were_given() -> None:
    got = made("# Text\n", b=1, a=["x", "y z"], due="2026-11-16", c=None, d={"k": True})

    assert got == (
        "---\nb: 1\na:\n  - x\n  - y z\ndue: 2026-11-16\nc:\nd: {k: true}\n"
        "---\n# Text\n"
    )


def test_properties_of_a_text_stay_and_those_given_win() -> None:
    got = made("---\r\na: 1 # why\r\nb: 2\r\n---\r\nbody", a=3, c=4)

    assert got == "---\r\na: 3 # why\r\nb: 2\r\nc: 4\r\n---\r\nbody"


def test_a_template_goes_before_the_text_and_gives_way_to_its_properties() -> None:
    template = (
        "---\ntags: [t] # kept\nstatus: new\nsource: x\n---\n# {{title}}\n{{date}}"
    )

    got = made("---\nstatus: own\nmore: 1\n---\nbody\n", template, source="given")

    assert got == (
        "---\ntags: [t] # kept\nstatus: own\nsource: given\nmore: 1\n---\n"
        "# New\n2010-02-14\nbody\n"
    )


def test_lines_end_as_in_the_template() -> None:
    got = made("a\nb\r\n", "# {{title}}\r\n", "\r\n", p=1)

    assert got == "---\r\np: 1\r\n---\r\n# New\r\na\r\nb\r\n"


def test_a_template_without_a_text_is_the_note() -> None:
    assert made("", "# {{title}}") == "# New"


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("a\0b", ""),
        ("\ud800", ""),
        ("---\nx: [\n---\n", ""),
        ("---\nunclosed", ""),
        ("---\nx: 1\nx: 2\n---\n", ""),
        ("---\nx: [\n---\n", "# T"),
        ("body", "---\nx: [\n---\n"),
    ],
)
def test_what_could_not_be_read_again_is_not_made(text: str, template: str) -> None:
    with pytest.raises(BadEdit):
        made(text, template, p=1)


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[EditingHarness]:
    made = EditingHarness.of(
        tmp_path,
        {
            "There.md": "here",
            "Templates/Meeting.md": "---\ntags: [meeting]\n---\n## {{title}}\n",
            "Meeting.md": "no template",
            "T.canvas": "{}",
            ".obsidian/app.json": '{"newFileLocation": "folder", '
            '"newFileFolderPath": "Inbox"}',
            ".obsidian/templates.json": '{"folder": "Templates"}',
        },
    )
    yield made
    made.close()


def test_a_new_note_follows_the_settings_of_its_vault(harness: EditingHarness) -> None:
    path, raw = new_note(harness.harness, "Call", "text", template="Meeting")

    assert path == "Inbox/Call.md"
    assert raw == b"---\ntags: [meeting]\n---\n## Call\ntext"
    assert harness.files.read(path) is None


def test_any_note_can_be_a_template_and_what_is_none_is_refused(
    harness: EditingHarness,
) -> None:
    _, raw = new_note(harness.harness, "Call", "", template="There.md")
    assert raw == b"here"

    def find(name: str) -> NotePath:
        raise NoteNotFound(name)

    finding: Any = harness.harness
    finding.find = find
    with pytest.raises(NoteNotFound):
        new_note(finding, "Call", "", template="Nowhere")
    with pytest.raises(BadEdit, match="no template"):
        new_note(harness.harness, "Call", "", template="T.canvas")


def test_a_note_that_is_there_is_not_made_again(harness: EditingHarness) -> None:
    with pytest.raises(NameTaken):
        new_note(harness.harness, "There", "text", folder="")


def test_a_title_is_given_where_it_is_asked_for(harness: EditingHarness) -> None:
    def properties(**given: PropertyValue) -> object:
        _, raw = new_note(harness.harness, "Yes", "x", properties=given, titled=True)
        return dict(read_head(raw.decode()).frontmatter.properties)

    assert properties() == {"title": "Yes"}
    assert properties(a=1) == {"title": "Yes", "a": 1}
    assert properties(a=1, title="Other") == {"title": "Other", "a": 1}
    assert properties(title=None) == {}
    assert new_note(harness.harness, "Yes", "x")[1] == b"x"
