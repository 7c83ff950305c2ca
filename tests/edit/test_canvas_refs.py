"""What a canvas refers to, found and written anew in its own JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.errors import EditRefused
from glassmind.obsidian.file_refs import CanvasRef, canvas_refs, canvas_respelled

CANVAS = """\
{
\t"nodes":[
\t\t{"id":"1","type":"file","file":"Notes/Über.md","subpath":"#A","x":0,"y":0},
\t\t{"type":"text","text":"see [[B]]\\n\\"and\\" \\u00fc / more","id":"2"},
\t\t{"id":"3", "type": "group", "label":"file", "background": "p.png"},
\t\t{"id":"4","type":"link","url":"https://x.org","text":"[[no]]"},
\t\t{"id":"5","type":"file","file":"C.md"}
\t],
\t"edges":[{"id":"e","fromNode":"1","toNode":"2","label":"file"}]
}"""


def written(source: bytes, *changes: tuple[CanvasRef, str]) -> bytes:
    for start, end, new in reversed(canvas_respelled(source, changes)):
        source = source[:start] + new + source[end:]
    return source


def test_files_pictures_and_texts_are_found_with_their_places() -> None:
    source = CANVAS.encode()

    found = canvas_refs(source)

    assert [(ref.kind, ref.value) for ref in found] == [
        ("file", "Notes/Über.md"),
        ("text", 'see [[B]]\n"and" ü / more'),
        ("file", "p.png"),
        ("file", "C.md"),
    ]
    for ref in found:
        start, end = ref.span
        assert json.loads(source[start:end]) == ref.value
    assert found[0].subpath is not None
    assert found[0].subpath.value == "#A"


def test_a_value_is_written_into_its_own_string_and_nowhere_else() -> None:
    source = CANVAS.encode()
    file, text, picture, _ = canvas_refs(source)

    got = written(
        source, (file, "Ö/N.md"), (text, text.value.replace("B", "C d")), (picture, "q")
    )

    assert got.decode() == (
        CANVAS.replace("Notes/Über.md", "Ö/N.md")
        .replace("see [[B]]", "see [[C d]]")
        .replace("\\u00fc", "ü")
        .replace("p.png", "q")
    )


def test_the_part_of_a_file_is_written_where_there_is_none_too() -> None:
    source = CANVAS.encode()
    first, *_, last = canvas_refs(source)
    assert first.subpath is not None
    assert last.subpath is not None

    got = written(source, (first.subpath, "#^b"), (last.subpath, "#H"))

    assert got.decode() == CANVAS.replace('"#A"', '"#^b"').replace(
        '"C.md"', '"C.md","subpath":"#H"'
    )


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        (r"a\/b.md", "c/d.md", r"c\/d.md"),
        (r"\u00fc.md", "ö.md", r"\u00f6.md"),
        (r"\u00fc \ud83d\ude00.md", "ü \U0001f601.md", r"\u00fc \ud83d\ude01.md"),
        (r"ü \u00fc.md", "ü ü.txt", "ü ü.txt"),
        ("ü.md", 'a"\\\tö', r"a\"\\\tö"),
        (r"\ud800.md", "\ud800 x.md", r"\ud800 x.md"),
        (r"a\\/b", "c/d", "c/d"),
        ("", "x", "x"),
    ],
)
def test_escapes_are_written_as_the_file_has_them(
    before: str, value: str, after: str
) -> None:
    frame = '\ufeff{{"nodes":[{{"type":"file","file":"{}"}}]}}'
    source = frame.format(before).encode()
    (ref,) = canvas_refs(source)

    assert written(source, (ref, value)).decode() == frame.format(after)


@pytest.mark.parametrize(
    "text",
    [
        "", "{}", "[]", "{", '{"nodes":{}}', '{"nodes":[1,[],"x",{"type":"file"}]}',
        '{"nodes":[{"type":"file","file":7}]}', "\xff", '{"edges":[{"text":"x"}]}',
        '{"nodes":[{"inner":{"type":"file","file":"x"},"type":"file"}]}',
        '{"nodes":[{"type":"file","file":"a","file":1}]}', "[" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_canvas_refers_to_nothing(text: str) -> None:
    assert canvas_refs(text.encode("latin-1")) == []


def test_of_a_name_said_twice_the_last_counts() -> None:
    source = b'{"nodes":[{"type":"file","file":"a","file":"b"}]}'
    (ref,) = canvas_refs(source)

    assert written(source, (ref, "c")) == source.replace(b'"b"', b'"c"')


def test_what_stands_elsewhere_than_it_was_read_is_refused() -> None:
    (ref,) = canvas_refs(b'{"nodes":[{"type":"file","file":"abc"}]}')

    with pytest.raises(EditRefused):
        canvas_respelled(b'{"nodes": [{"type":"file","file":"abc"}]}', [(ref, "x")])


values = st.text(max_size=12) | st.text('"\\/\n\tü[]|#', max_size=8)
nodes = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"type": st.just("file"), "file": values}, optional={"subpath": values}
        ),
        st.fixed_dictionaries({"type": st.just("text"), "text": values}),
        st.fixed_dictionaries({"type": st.just("link"), "url": values}),
        st.fixed_dictionaries({"type": st.just("group"), "background": values}),
    ),
    min_size=1,
    max_size=5,
)


@given(nodes, st.booleans(), st.sampled_from([None, 1, "\t"]), values, st.integers(0))
def test_a_round_trip_restores_the_bytes_and_none_outside_change(
    cards: list[dict[str, str]],
    ascii_only: bool,
    indent: int | str | None,
    value: str,
    chosen: int,
) -> None:
    edges = [{"label": "ü"}]  # so that the style shows
    cards.append({"type": "text", "text": ""})
    source = json.dumps(
        {"nodes": cards, "edges": edges}, ensure_ascii=ascii_only, indent=indent
    ).encode("utf-8")
    refs = canvas_refs(source)
    number = chosen % len(refs)
    ref = refs[number]

    there = written(source, (ref, value))
    start, end = ref.span
    tail = len(source) - end

    assert there[: start + 1] == source[: start + 1]
    assert there[len(there) - tail - 1 :] == source[end - 1 :]
    again = canvas_refs(there)[number]
    assert again.value == value
    assert written(there, (again, ref.value)) == source
