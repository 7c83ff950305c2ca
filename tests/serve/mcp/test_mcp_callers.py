"""What a caller goes by where its acts are put on record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.access.clients import NAME_CHARS, plain_caller


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("claude-code", "claude-code"),
        ("", "mcp"),
        (" \n ", "mcp"),
        ("two\nlines: yes", "two lines: yes"),
        ("CLI", "mcp"),
        ("Obsidian", "mcp"),
        ("glass mind", "mcp"),
        ("c\u200bli", "mcp"),
        ("\uff43\uff4c\uff49", "mcp"),
        ("http\u3164", "mcp"),
        ("_library_", "mcp"),
        ("obsidian-sync", "obsidian-sync"),
        ("person", "mcp"),
        ("x" * 200, "x" * NAME_CHARS),
        ("half \ud800", "half \\ud800"),
    ],
)
def test_a_caller_goes_by_its_own_name_on_one_line(said: str, name: str) -> None:
    assert plain_caller(said, "mcp") == name


@given(st.text())
def test_no_name_passes_for_the_user_or_breaks_a_line(said: str) -> None:
    name = plain_caller(said, "mcp")

    assert len(name.splitlines()) == 1
    assert name.casefold() not in {"cli", "person", "user"}
    assert 0 < len(name) <= NAME_CHARS
    name.encode("utf-8")
