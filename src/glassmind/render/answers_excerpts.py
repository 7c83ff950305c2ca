"""Excerpts of notes as people read them: one line, without the marks of Markdown."""

import re
from collections.abc import Iterable

from glassmind.render.quoted import one_line

_HEADING = re.compile(r"#{1,6}\s+")
_INNER = re.compile(r"(?<=\s)#{1,6}\s+(?=\S)")
_QUOTE = re.compile(r"(?<!\S)>(?:\s+\[![^\]\s]+\][+-]?)?(?!\S)")
"""What begins a line of a quotation or of a callout."""

_RULE = re.compile(r"(?<!\S)(?:-{3,}|\*{3,}|_{3,}|={3,})(?!\S)")
_UNDER = re.compile(r"(?<!\S)\|(?:\s*:?-+:?\s*\|)+(?!\S)")
"""The line below the first row of a table."""

_ROWS = re.compile(r"\s*(?<!\S)\|(?:\s+\|)+(?!\S)")
_CELLS = re.compile(r"\s*(?<!\S)\|(?!\S)")
_TWICE = re.compile(r"([:.;,])[,;]")
_DOTS = "..."


def plain_excerpt(excerpt: str, headings: Iterable[str] = ()) -> str:
    """Return an excerpt without marks of headings, quotations, rules and tables.

    `headings` are those it stands below, which are told beside it and not repeated.
    """
    text = _RULE.sub(" ", _UNDER.sub(" ", _QUOTE.sub(" ", one_line(excerpt))))
    text = _without(text.strip(), [one_line(one) for one in headings])
    text = _CELLS.sub(",", _ROWS.sub(";", _INNER.sub("· ", text)))
    return " ".join(_TWICE.sub(r"\1", text).strip(" ,;·").split())


def _without(text: str, headings: list[str]) -> str:
    """Return a text without the headings that it begins with."""
    while mark := _HEADING.match(text):
        text = text[mark.end() :]
        known = max((one for one in headings if text.startswith(one)), default="")
        if not known:
            return text
        text = text[len(known) :].lstrip()
    return text


def repeats(excerpt: str, said: Iterable[str]) -> bool:
    """Whether an excerpt says nothing that is not said already."""
    bare = excerpt.removesuffix(_DOTS).strip()
    return any(bare in plain_excerpt(one) for one in said)
