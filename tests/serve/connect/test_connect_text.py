"""An entry goes into a text and out of it, and all other values stay."""

import json
import tomllib

import pytest
from connect_harness import entry_for
from hypothesis import given, settings
from hypothesis import strategies as st

from glassmind.serve.connect import PROGRAMS, Form, TomlForm, UnsupportedClient

JSON, TOML = Form("servers"), TomlForm("servers")
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
indents = st.sampled_from(["  ", "    ", "\t"])


@settings(max_examples=40, deadline=None)
@given(rest=st.dictionaries(words, values), held=lists, indent=indents)
def test_any_json_takes_an_entry_and_gives_it_back(
    rest: Held, held: Held, indent: str
) -> None:
    whole = json.dumps({**rest, "servers": held}, indent=indent, ensure_ascii=False)
    text = f"{whole}\n"

    made = JSON.changed(text, "glassmind", ENTRY)

    assert json.loads(made) == {**rest, "servers": {**held, "glassmind": ENTRY}}
    assert JSON.changed(made, "glassmind", None) == text


def test_an_entry_that_stands_there_twice_is_left_to_its_owner() -> None:
    text = '{"servers": {"g": 1,\n"g": 2}}'

    for entry in (SMALL, None):
        with pytest.raises(UnsupportedClient, match="by hand"):
            JSON.changed(text, "g", entry)


def test_json_with_comments_is_left_to_its_owner() -> None:
    with pytest.raises(UnsupportedClient, match="no comments"):
        JSON.changed('{"servers": {} /* mine */}', "g", SMALL)


TABLES = [
    "[servers]\n",
    "# a\n[servers.a]  # [servers.g]\ncommand = 'x'\nargs = [\n  '[servers.g]',\n]\n",
    '[servers.b.env]\nX = """\n[servers.glassmind]\n"""\n',
    "[[other]]\nday = 2026-11-16\n\n[[other]]\nnot = nan\n",
    "\n\n# about what follows\n[last]\nx = {a = 1}\n",
]


@settings(max_examples=40, deadline=None)
@given(picked=st.lists(st.sampled_from(TABLES), unique=True))
def test_any_toml_takes_an_entry_and_gives_it_back(picked: list[str]) -> None:
    text = "top = 1 # so\n" + "".join(sorted(picked, key=TABLES.index))

    made = TOML.changed(text, "glassmind", SMALL)
    grown = TOML.changed(made, "glassmind", {"command": "y", "args": ["1", "2"]})
    gone = TOML.changed(grown, "glassmind", None)

    assert TOML.servers(grown)["glassmind"] == {"command": "y", "args": ["1", "2"]}
    assert repr(tomllib.loads(gone)) == repr(tomllib.loads(text))
    assert gone.rstrip() == text.rstrip()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[a]\n\n[servers.g]\na = 1\n\n[b]\n", "[a]\n\n[b]\n"),
        ("[ servers . 'g' ]\na = 1\n[servers.g.env]\nb = 2\n[c]\n", "[c]\n"),
        ("[servers]\n[servers.g]\n[servers.'g.h']\n", "[servers]\n[servers.'g.h']\n"),
    ],
)
def test_a_table_anywhere_in_a_file_is_taken_out(text: str, left: str) -> None:
    assert TOML.changed(text, "g", None) == left


@pytest.mark.parametrize(
    "text", ["servers = {a = {b = 1}}\n", "[servers.g]\na = 1\n\n# b\n[servers.b]\n"]
)
def test_what_would_be_lost_or_cannot_be_read_is_left_to_its_owner(text: str) -> None:
    with pytest.raises(UnsupportedClient, match="by hand"):
        TOML.changed(text, "g", SMALL)
