"""The fields of a document in the word index, and how much a match in each counts."""

from datetime import date

import tantivy

from glassmind.store.lexical import words

WEIGHTS: dict[str, float] = {
    "title": 1.2,
    "aliases": 1.2,
    "headings": 0.5,
    "tags": 0.6,
    "path": 0.3,
    "properties": 0.3,
    "body": 1.0,
    "body_stem": 1.0,
    "name": 3.0,
    "singles": 1.0,
}
"""What a match in each field counts; chosen on several sets, see docs/ranking.md."""

SHOWN_AS = {
    "name": "title",
    "body_stem": "body",
    "singles": "body",
}
"""Fields that a person knows by another name."""

STEMMED_FIELDS = (
    "title",
    "aliases",
    "headings",
    "tags",
    "path",
    "properties",
    "body_stem",
)

TAG, PATH, PROPERTY = "#", "/", "="
"""Each term of the field `fact`, which filters look in, begins with one of these.

One field of three kinds of terms takes half the work of three fields.
"""

SEPARATOR = "\x1f"
"""Stands between a property's name and value; no YAML plain text holds it."""


def schema() -> tantivy.Schema:
    """Return the schema; a change of it makes the sidecar rebuild itself."""
    build = tantivy.SchemaBuilder()
    for name in STEMMED_FIELDS:
        build.add_text_field(name, tokenizer_name=words.STEMMED)
    build.add_text_field("body", tokenizer_name=words.EXACT)
    build.add_text_field("singles", tokenizer_name=words.SINGLES, index_option="basic")
    for name in ("fact", "name"):
        build.add_text_field(name, tokenizer_name="raw", index_option="basic")
    build.add_integer_field("day", fast=True)
    build.add_integer_field("mtime", fast=True)
    build.add_integer_field("note", indexed=True, fast=True)
    build.add_integer_field("chunk", indexed=True, fast=True)
    build.add_text_field(
        "marker", stored=True, tokenizer_name="raw", index_option="basic"
    )
    return build.build()


_EPOCH_DAY = date(1970, 1, 1).toordinal()


def day_number(day: str) -> int:
    """Return an ISO day as days since 1970."""
    return date.fromisoformat(day).toordinal() - _EPOCH_DAY


def local_day(seconds: int) -> str:
    """Return the day, where this machine is, of a moment counted from 1970."""
    try:
        return date.fromtimestamp(seconds).isoformat()  # noqa: DTZ012 - local is meant
    except (OverflowError, OSError, ValueError):
        return "1970-01-01"  # a file from no time that a calendar knows


def name_term(text: str) -> str:
    """Return what a whole title or alias is looked up by."""
    return words.folded(text) or text.strip().lower()
