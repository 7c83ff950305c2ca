"""A drawing is read for its words; and the reader chooses the right parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.model import NotePath
from glassmind.model.index import SplitRules
from glassmind.model.notes import Note
from glassmind.obsidian.notes import is_excalidraw, parse_excalidraw, read_note
from glassmind.obsidian.split import split

PATH = NotePath("Drawings/Tea.excalidraw.md")
FRONT = "---\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n---\n"
WORDS = (
    "## Text Elements\nOolong with [[Water]] ^abc12345\n\nsecond\nline ^def67890\n\n"
)
LINKS = "## Element Links\nabc12345: [[Brewing#Steps]]\n\n"
FILES = "## Embedded Files\n2c3f0a: [[leaf.png]]\n\n"
SCENE = '{"type":"excalidraw","elements":[{"text":"[[Secret]]"}]}'
DATA = f"{FRONT}# Excalidraw Data\n\n{WORDS}{LINKS}{FILES}"

LAYOUTS = {
    "compressed": f"{DATA}%%\n## Drawing\n```compressed-json\nN4Kg\n\nBsg\n```\n%%",
    "json": f"{DATA}%%\n## Drawing\n```json\n{SCENE}\n```\n%%\n",
    "commented above": DATA.replace("# Exc", "%%\n# Exc", 1)
    + f"## Drawing\n```json\n{SCENE}\n```\n%%",
    "old": f"{FRONT}\n{WORDS[1:]}%%\n# Drawing\n```json\n{SCENE}\n```\n%%",
    "bare": f"{FRONT}\n{WORDS[1:]}%%\n# Drawing\n{SCENE}%%",
    "bare without comment": f"{FRONT}\n{WORDS}# Drawing\n{SCENE}",
    "unclosed": f"{DATA}%%\n## Drawing\n```json\n{SCENE}\n",
    "without heading": f"{DATA}%%\n```compressed-json\nN4Kg\n```\n%%",
    "scene without heading": f"{DATA}```json\n{SCENE}\n```\n",
    "windows": f"{DATA}%%\n## Drawing\n```json\n{SCENE}\n```\n%%\n".replace(
        "\n", "\r\n"
    ),
}


def passages(note: Note) -> str:
    return "".join(chunk.text for chunk in split(note, SplitRules()).chunks)


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_a_drawing_gives_its_words_and_links_and_never_its_scene(text: str) -> None:
    note = parse_excalidraw(PATH, text)

    assert note.kind == "excalidraw"
    assert "Oolong" in passages(note)
    assert 'excalidraw"' not in passages(note)
    assert "N4Kg" not in passages(note)
    targets = [link.target for link in note.links]
    assert targets[0] == "Water"
    assert "Secret" not in targets
    assert [block_id.name for block_id in note.block_ids] == ["abc12345", "def67890"]
    assert any(heading.text == "Text Elements" for heading in note.headings)


@pytest.mark.parametrize("text", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_the_passages_of_a_drawing_stand_in_the_file_to_the_letter(text: str) -> None:
    lines = text.split("\n")

    for chunk in split(parse_excalidraw(PATH, text), SplitRules()).chunks:
        shown = "\n".join(lines[chunk.span.start - 1 : chunk.span.end]) + "\n"
        assert chunk.text in shown


def test_links_of_elements_and_files_are_found() -> None:
    note = parse_excalidraw(PATH, LAYOUTS["compressed"])

    assert [(link.target, link.subpath) for link in note.links] == [
        ("Water", None),
        ("Brewing", "#Steps"),
        ("leaf.png", None),
    ]


def test_what_follows_a_drawing_keeps_its_line() -> None:
    text = LAYOUTS["json"] + "\nAfter [[Tea]].\n"

    note = parse_excalidraw(PATH, text)

    (link,) = [link for link in note.links if link.target == "Tea"]
    assert text.split("\n")[link.line - 1] == "After [[Tea]]."
    assert "Secret" not in note.text


def test_a_section_called_drawing_that_holds_words_is_kept() -> None:
    note = parse_excalidraw(PATH, f"{FRONT}# Drawing\n\nI draw [[Tea]].\n")

    assert [link.target for link in note.links] == ["Tea"]


def test_ordinary_json_in_a_drawing_note_is_kept() -> None:
    text = f'{FRONT}```json\n{{"tea": 1}}\n```\n'

    assert parse_excalidraw(PATH, text).text == text


def test_the_mark_above_the_words_stays_in_the_text() -> None:
    note = parse_excalidraw(PATH, LAYOUTS["commented above"])

    assert "%%\n# Excalidraw Data" in note.text


PARTS = [
    "%%",
    "# Drawing",
    "## Text Elements",
    "```json",
    "```",
    "{",
    '"excalidraw"',
    "",
    "a ^b",
    "---",
    "ä",
]


@given(st.lists(st.sampled_from([*PARTS, "\ud800", "\r"]), max_size=20).map("\n".join))
def test_any_drawing_is_read_and_keeps_its_line_numbers(text: str) -> None:
    note = parse_excalidraw(PATH, text)

    assert note.kind == "excalidraw"
    assert note.text.count("\n") <= text.count("\n")
    chunks = split(note, SplitRules()).chunks
    assert "".join(chunk.text[chunk.overlap :] for chunk in chunks) == note.text


@pytest.mark.parametrize(
    "text",
    [
        "# Drawing\n" * 30_000,
        "%%\n" * 50_000,
        "```json\n{" * 20_000,
        "%%" + "\n" * 99999,
    ],
    ids=range(4),
)
def test_hostile_drawings_are_read(text: str) -> None:
    assert parse_excalidraw(PATH, text).kind == "excalidraw"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.excalidraw.md", "", True),
        ("a.Excalidraw.MD", "", True),
        ("a.md", FRONT, True),
        ("a.md", "---\r\n'excalidraw-plugin': raw\r\n---\r\n", True),
        ("a.md", "---\ntags: [x]\n---\nexcalidraw-plugin: parsed\n", False),
        ("a.md", "excalidraw-plugin: parsed\n", False),
        ("a.md", "---\nexcalidraw-plugin: parsed\n", False),
        ("a.md", "---\nabout: excalidraw-plugin\n---\n", False),
    ],
)
def test_a_drawing_is_known_by_its_name_or_its_frontmatter(
    path: str, text: str, *, expected: bool
) -> None:
    assert is_excalidraw(NotePath(path), text) is expected


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("a/Tea.md", "Oolong.\n", "markdown"),
        ("a/Tea.MD", "Oolong.\n", "markdown"),
        ("a/Tea.md", LAYOUTS["json"], "excalidraw"),
        ("a/Tea.canvas", "{}", "canvas"),
        ("a/Tea.base", "views: []\n", "base"),
    ],
)
def test_the_reader_chooses_the_parser(path: str, text: str, kind: str) -> None:
    note = read_note(NotePath(path), text)

    assert (note.kind, note.title) == (kind, "Tea")


def test_a_base_keeps_its_text_and_has_no_links() -> None:
    note = read_note(NotePath("Tea.base"), "\ufefffilters: 'file == [[Tea]]'\n")

    assert note.text == "filters: 'file == [[Tea]]'\n"
    assert note.links == ()
