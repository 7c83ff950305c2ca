"""Which kind of answer a client gets, by what its request says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.serve.http.replies import prefers


def wants_markdown(accept: str) -> bool:
    return prefers(accept, "text/markdown", "text/*")


@pytest.mark.parametrize(
    ("accept", "markdown"),
    [
        ("", False),
        ("*/*", False),
        ("application/json", False),
        ("text/markdown", True),
        ("Text/Markdown; charset=utf-8", True),
        ("text/*", True),
        ("text/markdown, application/json", True),
        ("text/markdown, application/json;q=0.9", True),
        ("application/json;q=0.9, text/markdown;q=0.5", False),
        ("text/markdown, */*;q=0.8", True),
        ("text/html,application/xhtml+xml,*/*;q=0.8", False),
        ("text/html", False),
    ],
)
def test_markdown_is_for_those_who_prefer_it(accept: str, *, markdown: bool) -> None:
    assert wants_markdown(accept) is markdown


@given(st.text(alphabet="textmarkdownq=;,*/.019 "))
def test_whatever_a_header_says_is_read(accept: str) -> None:
    assert wants_markdown(accept) in {True, False}
