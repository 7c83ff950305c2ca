"""What a base refers to, found in its expressions and written anew in place."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from glassmind.errors import EditRefused
from glassmind.obsidian.file_refs import BaseRef, base_refs, base_respelled
from glassmind.obsidian.yaml_text import quoted

BASE = """\
# every note on tea
filters:
  and:
    - file.hasLink("Tea")           # notes on it
    - 'file.inFolder("Drinks/Hot")'
    - "file.folder != 'Drinks/Cold' && file.path == 'a/B.md'"
    - not:
        - link("Größe#Heading", "shown") == up
formulas:
  up: |
    if(file("Tea").path == "x",
       link("Other Note"), "[[Tea|t]] and [[Tea#h]]")
  long: >-
    "Drinks/Hot" == file.folder ||
    this.file.hasLink("Tea")
views:
  - type: table
    name: link("Tea")
    filters: file.folder == "Drinks/Hot"
    order: [file.name]
properties:
  file.name:
    displayName: '[[Tea]]'
"""


def written(source: bytes, *changes: tuple[BaseRef, str]) -> bytes:
    for start, end, new in reversed(base_respelled(source, changes)):
        source = source[:start] + new + source[end:]
    return source


def values(text: str) -> list[tuple[str, str]]:
    return [(ref.kind, ref.value) for ref in base_refs(text.encode())]


def test_names_in_expressions_are_found_with_their_places() -> None:
    source = BASE.encode()

    found = base_refs(source)

    assert [(ref.kind, ref.value) for ref in found] == [
        ("note", "Tea"),
        ("folder", "Drinks/Hot"),
        ("folder", "Drinks/Cold"),
        ("path", "a/B.md"),
        ("note", "Größe"),
        ("note", "Tea"),
        ("note", "Other Note"),
        ("note", "Tea"),
        ("note", "Tea"),
        ("folder", "Drinks/Hot"),
        ("note", "Tea"),
        ("folder", "Drinks/Hot"),
    ]
    for ref in found:
        assert source[slice(*ref.span)].decode() == ref.value


def test_every_name_is_written_in_its_place_and_nothing_else_changes() -> None:
    source = BASE.encode()
    refs = base_refs(source)

    teas = [(ref, "Mate") for ref in refs if ref.value == "Tea"]
    hot = [(ref, "Très chaud") for ref in refs if ref.value == "Drinks/Hot"]
    got = written(source, *teas, *hot).decode()

    assert got == (
        BASE.replace("Drinks/Hot", "Très chaud")
        .replace('hasLink("Tea")', 'hasLink("Mate")')
        .replace('file("Tea")', 'file("Mate")')
        .replace("[[Tea|", "[[Mate|")
        .replace("[[Tea#", "[[Mate#")
    )


@pytest.mark.parametrize(
    "expression",
    [
        'title == "Tea"',
        'file.folder == "Tea" + x',
        'file.folder + "Tea" == x',
        'x + "Tea" == file.folder',
        'link("Tea" + name)',
        'x.link("Tea")',
        'note.file.folder == "Tea"',
        'file.hasTag("Tea")',
        'list("Tea")',
        'file.path.contains("Tea")',
        'file.name.startsWith("Tea")',
        'x.file.path.startsWith("Tea")',
        'this.file.name == "Tea"',
        'title.startsWith("Tea")',
        'startsWith("Tea")',
        '/link("Tea")/.matches(file.name)',
        'link("https://example.org")',
        'link("")',
        'link("#Heading")',
        "hasLink(this.file)",
        '"link(Tea)"',
        'link("Tea',
        'link("Te\na")',
    ],
)
def test_what_is_only_a_text_is_no_reference(expression: str) -> None:
    assert values(yaml.safe_dump({"filters": expression})) == []


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("a / link('T') / 2", [("note", "T")]),
        ("file.name == 'T'", [("name", "T")]),
        ("x && 'T' != file.basename", [("name", "T")]),
        ("file.folder.startsWith('a/')", [("folder_start", "a/")]),
        ("!file.path.startsWith('a/S') || x", [("path_start", "a/S")]),
        ("!file.inFolder('T/U')", [("folder", "T/U")]),
        ("[link('A'), link('B')]", [("note", "A"), ("note", "B")]),
        ("'T' != file.path", [("path", "T")]),
        ("(file.folder=='T')", [("folder", "T")]),
        ("up == '[[A/B]]'", [("note", "A/B")]),
        ("link('[[A]]')", [("note", "A")]),
    ],
)
def test_expressions_are_read_as_words(
    expression: str, found: list[tuple[str, str]]
) -> None:
    for style in ("'", '"', "|", ">", None):
        text = yaml.safe_dump({"filters": {"or": [expression]}}, default_style=style)

        assert values(text) == found


@pytest.mark.parametrize(
    ("before", "value"),
    [
        ("link('A')", "it's"),
        ("'link(\"A\")'", "it's"),
        ('"link(\\"A\\")"', 'a"b'),
        ('link("A")', "a: b"),
        ("link('A')", "a #b"),
    ],
)
def test_a_name_that_needs_other_quotes_is_refused(before: str, value: str) -> None:
    source = f"filters: {before}\n".encode()
    (ref,) = base_refs(source)

    with pytest.raises(EditRefused):
        base_respelled(source, [(ref, value)])


def test_what_repeats_a_scalar_follows_it() -> None:
    source = b"filters: &f link('A')\nviews:\n  - filters: *f\n"
    (ref,) = base_refs(source)

    assert written(source, (ref, "B")) == source.replace(b"'A'", b"'B'")


@pytest.mark.parametrize(
    "text", ["", "filters: [", "- a", "x", "filters: !x link('A')", "views: 3"]
)
def test_what_is_no_base_refers_to_nothing(text: str) -> None:
    assert base_refs(text.encode()) == []
    assert base_refs(b"\xff") == []


def test_a_base_that_changed_since_it_was_read_is_refused() -> None:
    (ref,) = base_refs(b"filters: link('A')")

    with pytest.raises(EditRefused):
        base_respelled(b"filters:  link('A')", [(ref, "B")])


names = st.text(
    st.characters(
        codec="utf-8", exclude_characters="[]|#\n", categories=["L", "N", "P"]
    ),
    min_size=1,
    max_size=12,
).filter(lambda name: "://" not in name)
calls = st.sampled_from(
    ["link({})", "file.hasLink({})", "file.inFolder({})", "file.folder == {}"]
)
quotes = st.sampled_from(["'", '"'])


@st.composite
def bases(draw: st.DrawFn) -> bytes:
    lines = ["\ufeff# ü" if draw(st.booleans()) else "# ü", "filters:", "  and:"]
    for _ in range(draw(st.integers(1, 4))):
        quote = draw(quotes)
        name = draw(names).replace("\\", "\\\\").replace(quote, f"\\{quote}")
        said = draw(calls).format(quote + name + quote)
        single = "'" + said.replace("'", "''") + "'"
        yaml_text = quoted(said) if draw(st.booleans()) else single
        lines.append(f"    - {yaml_text}  # why")
    return ("\r\n" if draw(st.booleans()) else "\n").join([*lines, ""]).encode()


@given(bases(), names, st.integers(0))
def test_a_round_trip_restores_the_bytes_and_none_outside_change(
    source: bytes, name: str, chosen: int
) -> None:
    refs = base_refs(source)
    ref = refs[chosen % len(refs)]

    there = written(source, (ref, name))
    start, end = ref.span

    assert there[:start] == source[:start]
    assert there.endswith(source[end:])
    again = base_refs(there)[chosen % len(refs)]
    assert again.value == name
    assert written(there, (again, ref.value)) == source
