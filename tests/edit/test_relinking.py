"""Links written anew: which change, how they are written, and what stays."""

import codecs
from collections.abc import Mapping
from dataclasses import replace

import pytest

from glassmind.edit.relink_text import Relink, relinked
from glassmind.files.names import Names
from glassmind.files.settings import LinkFormat, ObsidianSettings
from glassmind.model import NotePath

FILES = ("a/Tea.md", "a/Cup.md", "b/Milk.md", "Home.md", "pic.png", "b/x/Home.md")
HOME = NotePath("Home.md")


def relink(
    goes: Mapping[str, str],
    link_format: LinkFormat = "shortest",
    files: tuple[str, ...] = FILES,
    gone: tuple[str, ...] = (),
) -> Relink:
    """Return what moving files does to names."""
    after = [goes.get(path, path) for path in files if path not in gone]
    return Relink(
        Names.of(files),
        Names.of(after),
        {NotePath(old): NotePath(new) for old, new in goes.items()},
        settings=ObsidianSettings({}, (), link_format=link_format),
    )


def text_after(
    text: str, goes: Mapping[str, str], *, source: str = "Home.md", **more: object
) -> str:
    """Return a note's text when files have other names."""
    change = relink(goes, **more)  # type: ignore[arg-type]
    path = NotePath(source)
    home = change.goes.get(path, path)
    return relinked(path, text.encode(), home, change).raw.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[Tea]]", "[[Oat]]"),
        ("[[tea|x]]", "[[Oat|x]]"),
        ("[[Tea.md]]", "[[Oat.md]]"),
        ("[[a/Tea]]", "[[c/Oat]]"),
        ("[[/a/Tea]]", "[[/c/Oat]]"),
        ("[[./a/Tea]]", "[[./c/Oat]]"),
        ("![[Tea#Brew#Hot|x]]", "![[Oat#Brew#Hot|x]]"),
        ("[[Tea#^id]]", "[[Oat#^id]]"),
        ("[x](a/Tea.md#b)", "[x](c/Oat.md#b)"),
        ("[x](./a/Tea.md)", "[x](./c/Oat.md)"),
        ("[x](Tea)", "[x](Oat)"),
        ("[r]\n\n[r]: <a/Tea.md>", "[r]\n\n[r]: <c/Oat.md>"),
        ("---\nup: '[[a/Tea]]'\n---\n", "---\nup: '[[c/Oat]]'\n---\n"),
        (
            "---\nl: [&x '[[Tea]]', *x]\n---\n[[Tea]]",
            "---\nl: [&x '[[Oat]]', *x]\n---\n[[Oat]]",
        ),
        ("|a|\n|-|\n|![[Tea\\|9]]|", "|a|\n|-|\n|![[Oat\\|9]]|"),
    ],
)
def test_every_form_of_a_link_follows_its_note(before: str, after: str) -> None:
    assert text_after(before, {"a/Tea.md": "c/Oat.md"}) == after


@pytest.mark.parametrize(
    "text",
    [
        "[[#Brew]] and [[Milk]] and [[Teapot]] and [Tea](https://x.org/Tea.md)",
        "`[[Tea]]`\n\n```\n[[a/Tea]]\n```\n~~~md\n[[Tea]]\n~~~\n    [[Tea]]\n",
        "````\n```\n[[Tea]]\n```\n````\n",
        "\\[[Tea]] and <!-- x --> and $[[Tea]]$",
        "<div>[[Tea]]</div>\n",
    ],
)
def test_what_is_no_link_to_the_note_stays(text: str) -> None:
    assert text_after(text, {"a/Tea.md": "c/Oat.md"}) == text


def test_a_bare_link_stays_where_only_the_folder_changes() -> None:
    text = "[[Tea]] [x](Tea.md) ![[pic.png]]"

    assert text_after(text, {"a/Tea.md": "c/Tea.md", "pic.png": "d/pic.png"}) == text


def test_other_case_alone_leaves_links_as_they_are() -> None:
    assert text_after("[[Tea]] [[a/Tea]]", {"a/Tea.md": "a/tea.md"}) == (
        "[[Tea]] [[a/Tea]]"
    )


def test_a_link_is_lengthened_when_a_new_twin_would_take_it() -> None:
    before = Names.of(("b/Foobar.md", "S.md"))
    after = Names.of(("b/Foobar.md", "S.md", "Foobar.md"))

    found = relinked(
        NotePath("S.md"), b"[[Foobar]]", NotePath("S.md"), Relink(before, after)
    )

    assert found.raw == b"[[b/Foobar]]"
    assert (found.links, found.adopted) == (1, 0)


def test_a_rooted_link_is_written_where_no_shorter_one_leads_there() -> None:
    before = Names.of(("Foo.md", "a/S.md"))
    after = Names.of(("Foo.md", "a/S.md", "a/Foo.md"))

    found = relinked(
        NotePath("a/S.md"), b"[[Foo]]", NotePath("a/S.md"), Relink(before, after)
    )

    assert found.raw == b"[[/Foo]]"


def test_the_links_of_a_moved_note_lead_where_they_led() -> None:
    text = "[[./Cup]] [x](../b/Milk.md) [[Home]] [[#h]] [[Tea#h]] [[nowhere]]"

    after = text_after(text, {"a/Tea.md": "b/x/Tea.md"}, source="a/Tea.md")

    assert after == (
        "[[../../a/Cup]] [x](../Milk.md) [[/Home]] [[#h]] [[Tea#h]] [[nowhere]]"
    )


def test_a_ghost_that_gets_its_note_is_counted_and_stays() -> None:
    change = relink({"a/Tea.md": "c/Oat.md"})

    found = relinked(NotePath("Home.md"), b"[[Oat]]", NotePath("Home.md"), change)

    assert (found.raw, found.links, found.adopted) == (b"[[Oat]]", 0, 1)


def test_links_to_what_is_deleted_stay_and_are_counted() -> None:
    change = relink({}, gone=("Home.md", "a/Tea.md"))
    text = b"[[Tea]] [[Home]] [x](/Home.md)"

    found = relinked(NotePath("a/Cup.md"), text, NotePath("a/Cup.md"), change)

    assert (found.raw, found.lost, found.elsewhere) == (text, 2, 1)


def test_byte_order_mark_and_line_ends_stay() -> None:
    change = relink({"a/Tea.md": "c/Oat.md"})
    text = "é\r\n[[Tea]]\nü\r"

    raw = codecs.BOM_UTF8 + text.encode()
    found = relinked(NotePath("Home.md"), raw, NotePath("Home.md"), change)

    assert found.raw == codecs.BOM_UTF8 + text.replace("Tea", "Oat").encode()


def test_what_cannot_be_written_stays_and_is_told() -> None:
    damaged = "ééééééé [[Tea]]".encode() + b"\xff"
    odd = relink({"a/Tea.md": "c/Ωat.md"})
    barred = relink({"a/Tea.md": "c/O]]t.md"})
    home = NotePath("Home.md")

    for raw, change in (
        (damaged, odd),
        ("é [[Tea]]".encode("cp1252"), odd),
        (b"[[Tea]]", barred),
    ):
        found = relinked(home, raw, home, change)
        assert (found.raw, found.links, len(found.risks)) == (raw, 0, 1)


OLD = "é [[Tea]] [x](Tea.md) [[Milk]]\n"


def test_the_texts_of_a_drawing_follow_and_the_drawing_stays() -> None:
    drawing = (
        "---\nexcalidraw-plugin: parsed\n---\n# Text Elements\n[[Tea]] ^abc\n\n"
        "## Embedded Files\n1: [[a/Tea]]\n%%\n## Drawing\n```json\n"
        '{"type":"excalidraw","text":"[[Tea]]"}\n```\n%%'
    )

    after = text_after(drawing, {"a/Tea.md": "c/Oat.md"}, source="b/Milk.md")

    wanted = drawing.replace("[[Tea]] ^", "[[Oat]] ^").replace("[[a/Tea]]", "[[c/Oat]]")
    assert after == wanted


def test_cards_of_a_canvas_follow_files_and_folders() -> None:
    canvas = (
        '{"nodes":[\n\t{"id":"1","type":"file","file":"a/Tea.md","subpath":"#x"},\n'
        '\t{"id":"2","type":"text","text":"[[Tea]]\\n`[[Tea]]` \\u00e9"},\n'
        '\t{"id":"3","type":"file","file":"pic.png"}],"edges":[]}'
    )
    change = relink({"a/Tea.md": "c/Oat Ä.md"})
    path = NotePath("b/Board.canvas")

    found = relinked(path, canvas.encode(), path, change)

    assert found.links == 2
    assert b'"file":"c/Oat ' in found.raw
    assert b"[[Oat " in found.raw
    assert b"`[[Tea]]`" in found.raw
    assert found.raw.count(b"\n") == canvas.count("\n")


def test_names_in_a_base_follow_files_and_folders() -> None:
    base = (
        'filters:\n  and:\n    - file.inFolder("a") # here\n'
        "    - file.hasLink('Tea')\n    - link(\"a/Tea\") == this\n"
        '    - file.path != "a/Tea.md"\n    - file.inFolder("ab")\n'
    )
    goes = {"a/Tea.md": "c/Tea.md", "a/Cup.md": "c/Cup.md"}
    change = relink(goes)
    moved = Relink(
        change.before, change.after, change.goes, None, change.settings, {"a": "c"}
    )
    path = NotePath("Board.base")

    found = relinked(path, base.encode(), path, moved)

    assert found.raw.decode() == base.replace('"a"', '"c"').replace("a/Tea", "c/Tea")
    assert found.links == 3


def base_after(
    filters: str, moved: Relink, source: str = "Board.base"
) -> tuple[str, tuple[str, ...]]:
    """Return the filter of a base when files have other names, and what is told."""
    path = NotePath(source)
    raw = f"# all\nfilters: {filters}\n".encode()
    found = relinked(path, raw, path, moved)
    assert found.links == (found.raw != raw)
    return found.raw.decode().splitlines()[1].removeprefix("filters: "), tuple(
        found.risks
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('file.folder.startsWith("a/")', 'file.folder.startsWith("z/y/")'),
        ("file.path.startsWith('a/S')", "file.path.startsWith('z/y/S')"),
        ("x && !file.path.startsWith('a/')", "x && !file.path.startsWith('z/y/')"),
        ('file.folder.startsWith("b/")', 'file.folder.startsWith("b/")'),
        ('file.folder.startsWith("/")', 'file.folder.startsWith("/")'),
    ],
)
def test_what_begins_with_a_folder_that_moves_follows_it(
    before: str, after: str
) -> None:
    goes = {"a/Tea.md": "z/y/Tea.md", "a/Cup.md": "z/y/Cup.md"}
    moved = replace(relink(goes), folders={"a": "z/y"})

    assert base_after(before, moved) == (after, ())


@pytest.mark.parametrize(
    "filters",
    ['file.folder.startsWith("a")', 'file.path.startsWith("a")'],
)
def test_what_begins_like_a_folder_that_moves_and_another_stays(
    filters: str,
) -> None:
    goes = {"a/Tea.md": "z/Tea.md", "a/Cup.md": "z/Cup.md"}
    moved = relink(goes, files=(*FILES, "attic/Old.md"))

    after, _ = base_after(filters, replace(moved, folders={"a": "z"}))

    assert after == filters


@pytest.mark.parametrize(
    "filters",
    [
        'file.name == "Tea"',
        "file.name != 'Tea.md'",
        "x && 'Tea' == file.basename",
        'file.path.startsWith("a/")',
        'file.name == "Cup"',
        'file.name == "tea leaf"',
    ],
)
def test_names_in_a_base_that_may_be_those_of_any_note_stay(filters: str) -> None:
    assert base_after(filters, relink({"a/Tea.md": "a/Oat.md"})) == (filters, ())


def test_the_name_of_a_note_that_only_moves_stays_without_a_word() -> None:
    moved = relink({"a/Tea.md": "b/Tea.md"})

    assert base_after('file.name == "Tea"', moved) == ('file.name == "Tea"', ())
