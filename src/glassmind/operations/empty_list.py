"""Why a list is empty: which filter no note passes, and what looks similar to it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from glassmind.engine import Engine
from glassmind.markdown.style import shortened
from glassmind.retrieval.query import parse_day

if TYPE_CHECKING:
    from glassmind.operations.find import ListArguments
    from glassmind.types.catalogue import NoteFacts

LOOKED_AT = 10_000
"""Notes whose tags, folders and properties are compared: the last modified."""

SHOWN = 3

SIMILARITY = 0.5
"""Half of the characters in order, as for names; chosen by eye."""


class Reason(NamedTuple):
    """What is wrong with one filter; `closest` are similar values that would match."""

    argument: str
    said: str
    closest: tuple[str, ...] = ()


def property_filter(text: str) -> tuple[str, str | None]:
    """Return name and value of `name`, `name=value` or `[name:value]`."""
    plain = text.strip()
    if plain.startswith("[") and plain.endswith("]"):
        plain = plain[1:-1]
    name, *value = re.split("[=:]", plain, maxsplit=1)
    return name.strip(), value[0].strip().strip('"') if value else None


def empty_reasons(engine: Engine, given: "ListArguments") -> list[Reason]:
    """Return which filters of an empty list no note passes."""
    if given.since and given.until:
        today = datetime.now().astimezone().date()
        since, until = (parse_day(day, today) for day in (given.since, given.until))
        if since >= until:
            days = f"no day is since {since} and before {until}"
            return [Reason("until", f"{days}: until is excluded")]
    notes = engine.list_notes(newest=True, limit=LOOKED_AT).notes
    found = list(_reasons(engine, given, notes))
    filters = ("folder", "tag", "property", "since", "until")
    several = [name for name in filters if getattr(given, name)]
    if not found and len(several) > 1:
        said = "some notes pass each filter, but no note passes all of them"
        found.append(Reason(several[-1], said))
    return found


def _reasons(
    engine: Engine, given: "ListArguments", notes: Sequence["NoteFacts"]
) -> Iterator[Reason]:
    def is_empty(**filters: Any) -> bool:
        return not engine.list_notes(limit=1, **filters).total

    folder, tag = given.folder, given.tag
    if folder and is_empty(folder=folder):
        folders = {str(a) for one in notes for a in PurePosixPath(one.path).parents}
        said = f"no note is in the folder {shortened(folder)!r}"
        yield Reason("folder", said, _closest(folder.strip("/"), folders - {"."}))
    if tag and is_empty(tag=tag):
        tags = {name for note in notes for name in note.tags}
        said = f"no note has the tag {shortened(tag)!r}"
        yield Reason("tag", said, _closest(tag.strip("#/ "), tags))
    name, value = property_filter(given.property)
    if name and is_empty(property_name=name):
        names = {name for note in notes for name in note.properties}
        said = f"no note has the property {shortened(name)!r}"
        yield Reason("property", said, _closest(name, names))
    elif (
        name
        and value is not None
        and is_empty(property_name=name, property_value=value)
    ):
        values = {text for note in notes for text in _values(note, name)}
        said = f"no note has {shortened(name)!r} as {shortened(value)!r}"
        near = _closest(value, values) or sorted(values)[:SHOWN]
        yield Reason("property", said, tuple(f"{name}={text}" for text in near))


def _values(note: "NoteFacts", name: str) -> Iterator[str]:
    for key, value in note.properties.items():
        if key.lower() == name.lower():
            several = value if isinstance(value, list) else [value]
            yield from (text for text in several if isinstance(text, str) and text)


def _closest(wanted: str, known: Iterable[str]) -> tuple[str, ...]:
    folded = {text.casefold(): text for text in sorted(known)}
    near = get_close_matches(wanted.casefold(), list(folded), SHOWN, SIMILARITY)
    return tuple(folded[text] for text in near)
