"""What a caller goes by where its acts are put on record."""

import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.access.clients import NAME_CHARS, plain_caller
from glassmind.serve.mcp.calls import caller_of, session_of


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


@given(st.text())
def test_the_id_of_a_session_brings_back_the_name_of_its_client(said: str) -> None:
    session = session_of(said)

    request = SimpleNamespace(headers={"mcp-session-id": session})
    assert caller_of(None, request) == plain_caller(said, "mcp")
    assert re.fullmatch("[!-~]*", session)  # all that the protocol allows


def test_no_two_sessions_of_a_client_have_one_id() -> None:
    assert session_of("claude-code") != session_of("claude-code")


@given(st.text(alphabet=st.characters(codec="latin-1")))
def test_an_id_that_is_made_up_passes_for_nobody_else(session: str) -> None:
    name = caller_of(None, SimpleNamespace(headers={"mcp-session-id": session}))

    assert name == plain_caller(name, "mcp")
