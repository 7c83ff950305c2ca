"""An entry goes into a text and out of it, whatever else a person wrote there."""

import json
import tomllib

import pytest
from connect_desk import entry_for
from hypothesis import given, settings
from hypothesis import strategies as st

from glassmind.serve.connect.programs import PROGRAMS
from glassmind.serve.connect.texts import JsonForm, TomlForm, Unfit

JSON, TOML = JsonForm("servers"), TomlForm("servers")
ENTRY = entry_for(PROGRAMS["vscode"])
SMALL: dict[str, object] = {"command": "x", "args": []}

Held = dict[str, object]

words = st.sampled_from(["a", "servers", 'q"{', "// no", "/* no */", ",}", "é\u2028"])
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner),
    max_leaves=5,
)
lists = st.dictionaries(words, values, max_size=3)
indents = st.sampled_from([None, 0, 2, 4, "\t"])
ends = st.sampled_from(["\n", "\r\n"])


@settings(max_examples=40, deadline=None)
@given(rest=st.dictionaries(words, values), held=lists, indent=indents, end=ends)
def test_any_json_takes_an_entry_and_gives_it_back_to_the_byte(
    rest: Held, held: Held, indent: int | str | None, end: str
) -> None:
    text = json.dumps({**rest, "servers": held}, indent=indent).replace("\n", end)

    made = JSON.with_entry(text, "glassmind", ENTRY)

    assert json.loads(made) == {**rest, "servers": {**held, "glassmind": ENTRY}}
    assert JSON.without_entry(made, "glassmind") == text


@settings(max_examples=40, deadline=None)
@given(rest=lists.filter(lambda rest: "servers" not in rest), indent=indents, end=ends)
def test_any_json_without_a_list_gets_one(
    rest: Held, indent: int | str | None, end: str
) -> None:
    text = json.dumps(rest, indent=indent).replace("\n", end)

    made = JSON.with_entry(text, "glassmind", ENTRY)

    assert json.loads(made) == {**rest, "servers": {"glassmind": ENTRY}}
    assert list(json.loads(made)) == ["servers", *rest]
    gone = JSON.without_entry(made, "glassmind")
    assert json.loads(gone) == {**rest, "servers": {}}


gaps = st.sampled_from(["", " ", "\n", "/* , } */", '// { , "\n', "\t// é\r\n\t"])


@settings(max_examples=40, deadline=None)
@given(
    parts=st.lists(gaps, min_size=16, max_size=16),
    trailing=st.booleans(),
    count=st.integers(0, 2),
)
def test_any_comments_stay_where_they_are(
    parts: list[str], trailing: bool, count: int
) -> None:
    gap = iter(parts)
    held = [
        f'{next(gap)}"s{n}"{next(gap)}:{next(gap)}{{"u": "http://x/*"}}{next(gap)}'
        for n in range(count)
    ]
    inside = ",".join(held) + ("," if trailing and held else "") + next(gap)
    text = f'{next(gap)}{{{next(gap)}"servers"{next(gap)}:{next(gap)}{{{inside}}}}}'
    text += next(gap)

    made = JSON.with_entry(text, "glassmind", SMALL)

    assert list(JSON.servers(made)) == ["glassmind", *JSON.servers(text)]
    assert JSON.servers(made)["glassmind"] == SMALL
    gone = JSON.without_entry(made, "glassmind")
    assert JSON.servers(gone) == JSON.servers(text)
    assert without_blanks(gone) == without_blanks(text)


def without_blanks(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"servers": {"g": 1}}', '{"servers": {}}'),
        ('{"servers": {"g": 1, "b": 2}}', '{"servers": { "b": 2}}'),
        ('{"servers": {"a": 1, "g": 2, "b": 3}}', '{"servers": {"a": 1, "b": 3}}'),
        ('{"servers": {"a": 1, "g": 2,}}', '{"servers": {"a": 1,}}'),
        ('{"servers": {"a": 1 /* , */, "g": 2}}', '{"servers": {"a": 1 /* , */}}'),
        ('{"servers": {\n// me\n"g": 1, "b": 2}}', '{"servers": {\n// me\n "b": 2}}'),
        ('{"servers": {// me\n"g": 1}}', '{"servers": {// me\n}}'),
        ('{"servers": {"a": 1, // a\n"g": 2}}', '{"servers": {"a": 1 // a\n}}'),
    ],
)
def test_an_entry_anywhere_in_a_list_is_taken_out(text: str, left: str) -> None:
    assert JSON.without_entry(text, "g") == left


def test_tables_of_an_entry_with_lines_between_them_go_together() -> None:
    text = "[servers.g]\na = 1\n\n\n[servers.g.env]\nb = 2\n\n[other]\nc = 3\n"

    assert TOML.without_entry(f"d = 4\n\n{text}", "g") == "d = 4\n\n[other]\nc = 3\n"


def test_an_entry_that_stands_there_twice_is_left_to_its_owner() -> None:
    text = '{"servers": {"g": 1,\n"g": 2}}'

    with pytest.raises(Unfit, match="by hand"):
        JSON.with_entry(text, "g", SMALL)
    with pytest.raises(Unfit, match="by hand"):
        JSON.without_entry(text, "g")


TABLES = [
    "[servers]\n",
    "# a\n[servers.a]  # [servers.g]\ncommand = 'x'\nargs = [\n  '[servers.g]',\n]\n",
    '[servers.b.env]\nX = """\n[servers.glassmind]\n"""\n',
    "[[other]]\nday = 2026-11-16\n\n[[other]]\nnot = nan\n",
    "\n\n# about what follows\n[last]\nx = {a = 1}\n",
]


@settings(max_examples=40, deadline=None)
@given(picked=st.lists(st.sampled_from(TABLES), unique=True), end=ends)
def test_any_toml_takes_an_entry_and_gives_it_back(picked: list[str], end: str) -> None:
    text = ("top = 1 # so\n" + "".join(sorted(picked, key=TABLES.index))).replace(
        "\n", end
    )

    made = TOML.with_entry(text, "glassmind", SMALL)
    grown = TOML.with_entry(made, "glassmind", {"command": "y", "args": ["1", "2"]})
    gone = TOML.without_entry(grown, "glassmind")

    assert TOML.servers(grown)["glassmind"] == {"command": "y", "args": ["1", "2"]}
    assert repr(tomllib.loads(gone)) == repr(tomllib.loads(text))
    assert gone.rstrip() == text.rstrip()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[servers.g]\ncommand = 'x'\n", ""),
        ("[servers.g]\na = 1\n\n# b\n[servers.b]\n", "# b\n[servers.b]\n"),
        ("[a]\n\n[servers.g]\na = 1\n\n[b]\n", "[a]\n\n[b]\n"),
        ("[ servers . 'g' ]\na = 1\n[servers.g.env]\nb = 2\n[c]\n", "[c]\n"),
        ("[servers]\n[servers.g]\n[servers.'g.h']\n", "[servers]\n[servers.'g.h']\n"),
    ],
)
def test_a_table_anywhere_in_a_file_is_taken_out(text: str, left: str) -> None:
    assert TOML.without_entry(text, "g") == left


@pytest.mark.parametrize("text", ["servers.g.a = 1\n", "[servers]\ng.a = 1\n"])
def test_an_entry_of_dotted_keys_is_left_to_its_owner(text: str) -> None:
    with pytest.raises(Unfit, match="by hand"):
        TOML.without_entry(text, "g")


def test_an_inline_table_of_servers_is_left_to_its_owner() -> None:
    with pytest.raises(Unfit, match="by hand"):
        TOML.with_entry("servers = {a = {b = 1}}\n", "g", SMALL)
