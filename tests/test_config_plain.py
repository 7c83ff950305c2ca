"""Plain TOML is read as the library reads it, or not at all."""

import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassmind.config.describe import commented_file
from glassmind.config.plain import parse_plain

PIECES = st.sampled_from(
    [
        *"\n\n\n\n\r\t #=[]{}\"'.,\\-_+:abx01",
        "[a]\n",
        "[b]\n",
        "a = ",
        "b=",
        "x = 1\n",
        '"text"',
        '"""',
        "true",
        "0.5",
        "007",
        "1_000",
        '["a", "b"]',
        "[]",
        "\u00a0",
        "\u0661",
        "\x00",
        "é",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
@example("a = \u0661\n")
@example("[a]\nx = 1\n[a]\n")
@example("a = 1\n[a]\n")
@example("a = 1.\n")
@example('a = ["a,b"]\n')
@example("a\r = 1\n")
@example('a = "x\ty"\n')
def test_what_is_read_plainly_is_what_the_library_reads(text: str) -> None:
    found = parse_plain(text)

    if found is not None:
        assert found == tomllib.loads(text)
        assert repr(found) == repr(tomllib.loads(text))


def test_the_file_we_write_is_plain() -> None:
    text = commented_file("/home/ada/My Notes")

    assert parse_plain(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '[search]\nlimit = 3\nfusion = "rrf"\nlink_weight = 0.10\n',
        '[index]\r\nignore_dirs = [".git", "Old"]\r\ninclude_agent_dir = false\r\n',
        "# nothing\n\n",
        "",
    ],
)
def test_a_plain_file_needs_no_library(text: str) -> None:
    assert parse_plain(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "limit = 3 # few",
        'a = "x\\n"',
        "a.b = 1",
        "[[a]]",
        "[a.b]",
        "a",
        "a =",
        "a = 'x'",
    ],
)
def test_what_is_not_plain_is_left_to_the_library(text: str) -> None:
    assert parse_plain(text) is None
