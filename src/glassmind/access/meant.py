"""The tags that a person may have meant for a note, for rules that forbid.

Obsidian takes a list called `tags` for tags, and nothing else. Somebody who locked a
note, or a program that marked a page from the web, may have written a word, `tag`, or
properties that are no YAML: a rule that should hold must not fail by that. So more is
taken for a tag here than anywhere else, and where properties cannot be read at all,
that is said.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from unicodedata import normalize

from glassmind.files.read import Unreadable, decode
from glassmind.files.scan import kind_of
from glassmind.model import NotePath, PropertyValue
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.notes import read_note

NAMES = ("tags", "tag")
"""What a property of tags is called, in any case; Obsidian knows the first."""

MERGED = "<<"  # what YAML calls properties that are taken over from elsewhere
_BETWEEN = re.compile(r"[\s,;]+")


def _key(name: str) -> re.Pattern[str]:
    """Return a pattern for a property, whose value goes down to the next one."""
    rest = r"[ \t]*:(?P<rest>.*(?:\n(?:[ \t]|-).*)*)"
    pattern = rf"(?:^|[{{,])[ \t]*[\"']?{name}[\"']?{rest}"
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


_KEY = _key("tags?")

_MARKS = re.compile(r"[\s,;\[\]{}\"'|>]+")
_OPENING = re.compile(r"---[ \t]*\r?\n")


class NoteTags(NamedTuple):
    """The tags of a note, without `#`; not `sure` where its properties are unread."""

    tags: tuple[str, ...] = ()
    sure: bool = True

    def has(self, name: str) -> bool:
        whole = folded(name.lstrip("#"))
        return any(is_in(folded(tag), whole) for tag in self.tags)


def meant_tags(path: NotePath, raw: bytes | None) -> NoteTags:
    """Return all that may be meant as a tag of a file; nothing if there is none."""
    return _meant(path, raw, whole=True)


def head_tags(path: NotePath, raw: bytes | None) -> NoteTags:
    """Return what may be meant as a tag before the text of a note; faster."""
    return _meant(path, raw, whole=False)


def _meant(path: NotePath, raw: bytes | None, *, whole: bool) -> NoteTags:
    if raw is None or kind_of(path) == "attachment":
        return NoteTags()
    decoded = decode(raw)
    if isinstance(decoded, Unreadable):
        return NoteTags(sure=False)
    tags = [tag.name for tag in read_note(path, decoded.text).tags] if whole else []
    head, _, length = read_head(decoded.text)
    tags += tags_in(head.properties)
    if head.error is not None or head.warnings:
        tags += _written(decoded.text[:length])
    elif not length and _OPENING.match(decoded.text):
        tags += _written(decoded.text)  # a block that nothing closes
    return NoteTags(tuple(dict.fromkeys(filter(None, tags))), head.error is None)


def folded(name: str) -> str:
    return normalize("NFC", name).casefold()


def is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def tags_in(properties: object) -> Iterator[str]:
    if isinstance(properties, list):
        for prop in properties:
            yield from tags_in(prop)
    elif isinstance(properties, Mapping):
        for name, value in properties.items():
            if str(name).strip().lower() in NAMES:
                yield from _bare(_words(value))
            elif name == MERGED:
                yield from tags_in(value)


def _words(value: PropertyValue) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _words(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield from _BETWEEN.split(name)
            yield from _words(one)
    elif value is not None:
        yield from _BETWEEN.split(str(value))


def written_as(name: str, text: str) -> Iterator[str]:
    """Yield what stands behind a name, whatever kind of text that is."""
    yield from (match["rest"] for match in _key(re.escape(name)).finditer(text))


def _written(text: str) -> Iterator[str]:
    """Yield the words behind a name for tags, whatever kind of text that is."""
    for match in _KEY.finditer(text):
        yield from _bare(_MARKS.split(match["rest"]))


def _bare(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield word.strip("#/")
