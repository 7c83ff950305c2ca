"""Inline Dataview fields: their three forms, and where each may stand."""

import json
from pathlib import Path
from typing import Any

import pytest
from markdown_harness import read, source_of

from glassmind.obsidian.elements import (
    LONGEST_LINE,
    bracketed_fields,
    dated_fields,
    whole_line_field,
)

SHARED = Path(__file__).parents[3] / "shared" / "spec" / "vectors" / "dql-cases.json"


def pairs(text: str) -> list[tuple[str, str, str]]:
    return [(item.key, item.value, item.form) for item in read(text).fields]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[a:: 1] x (b:: 2)", [("a", "1"), ("b", "2")]),
        ("[a:: 1][b:: 2]", [("a", "1")]),
        ("(a:: [b:: 2])", [("a", "[b:: 2]")]),
        ("[a:: [[Link]]]", [("a", "[[Link]]")]),
        ("[a:: x [y] (z]", [("a", "x [y] (z")]),
        (r"[a:: \[x]", [("a", r"\[x")]),
        ("[[[[a:: 16]]", [("a", "16")]),
        ("[a::]", [("a", "")]),
        ("[my key! :: v]", [("my key!", "v")]),
        ("[a [b]:: c]", []),
        ("[a: 1] [] (x)", []),
        ("[a:: 1", []),
    ],
)
def test_bracketed_fields_balance_their_brackets(
    line: str, expected: list[tuple[str, str]]
) -> None:
    assert [(item.key, item.value) for item in bracketed_fields(line)] == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a:: 1", ("a", "1")),
        ("**Bold key**:: 1", ("Bold key", "1")),
        ("_key_:: 1", ("_key_", "1")),
        ("`a`:: 1", ("a", "1")),
        ("> - a:: 1", ("a", "1")),
        ("a/b c-d:: 1", ("a/b c-d", "1")),
        ("日期:: 1", ("日期", "1")),
        ("a:: b:: c", ("a", "b:: c")),
        ("a::", ("a", "")),
        ("x \U0001f600 a:: 1", None),
        ("a: 1", None),
        ("https://x::y", None),
        ("a, b:: c", None),
    ],
)
def test_a_whole_line_is_a_field_when_words_stand_before_the_mark(
    line: str, expected: tuple[str, str] | None
) -> None:
    found = whole_line_field(line)

    assert (found and (found.key, found.value)) == expected


def test_fields_are_read_everywhere_even_in_code_and_comments() -> None:
    assert pairs(
        "a:: 1\n- b:: 2\n1. c:: 3\n\n```\nd:: 4\n```\n\n%% [e:: 5] %%\n> f:: 6\n"
    ) == [
        ("a", "1", "line"),
        ("b", "2", "line"),
        ("c", "3", "line"),
        ("d", "4", "line"),
        ("e", "5", "bracket"),
        ("f", "6", "line"),
    ]


def test_a_task_has_no_whole_line_field_but_its_dates_count() -> None:
    assert pairs("- [ ] a:: 1\n- [ ] t [b:: 2] \U0001f4c5 2026-03-04\n") == [
        ("b", "2", "bracket"),
        ("due", "2026-03-04", "emoji"),
    ]


def test_a_dated_sign_outside_lists_is_no_field() -> None:
    assert pairs("\U0001f4c5 2026-03-04") == []


@pytest.mark.parametrize(
    "text", ["---\na: 'b:: c'\n---\n", ":: x", "[:: x]", "a:: " + "x" * LONGEST_LINE]
)
def test_what_is_not_read_as_a_field(text: str) -> None:
    assert pairs(text) == []


def test_a_field_knows_its_bytes_and_its_line() -> None:
    note = read("über (ключ:: да)\r\n- **ü**:: x  \r\n")

    bracketed, whole = note.fields

    assert (source_of(note, bracketed), bracketed.line) == ("(ключ:: да)", 1)
    assert (source_of(note, whole), whole.line) == ("ü**:: x", 2)
    assert (whole.key, whole.value) == ("ü", "x")


def test_the_shared_dataview_cases_agree() -> None:
    if not SHARED.exists():
        pytest.skip(f"the shared cases are not here: {SHARED.name}")
    cases = json.loads(SHARED.read_text(encoding="utf-8"))["cases"]
    extract = [case for case in cases if case["area"] == "inline.extract"]

    for case in extract:
        line, expected = case["input"], case["expected"]
        bracketed = bracketed_fields(line)
        assert [_as_case(item) for item in bracketed] == _wanted(expected["bracketed"])
        both = sorted([*bracketed, *dated_fields(line)], key=lambda item: item.start)
        wanted = _wanted(expected["with_task_emoji"])
        assert [_as_case(item) for item in both] == wanted
        if not bracketed and "full_line_if_no_bracketed" in expected:
            whole = whole_line_field(line)
            found = whole and {"key": whole.key, "value": whole.value}
            assert found == expected["full_line_if_no_bracketed"], line
    assert extract


def _as_case(item: Any) -> tuple[str, str]:
    return item.key, item.value


def _wanted(fields: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(item["key"], item["value"]) for item in fields]
