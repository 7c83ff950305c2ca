"""Why a list is empty: which filter no note passes, and what looks similar to it."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from glassmind.engine import Engine
from glassmind.render.style import shortened
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
    days = _days(given)
    if days is not None:
        return [days]
    notes = engine.list_notes(newest=True, limit=LOOKED_AT).notes
    found = [
        reason
        for reason in (
            _folder(engine, given.folder, notes),
            _tag(engine, given.tag, notes),
            _property(engine, given.property, notes),
        )
        if reason is not None
    ]
    filters = ("folder", "tag", "property", "since", "until")
    several = [name for name in filters if getattr(given, name)]
    if not found and len(several) > 1:
        said = "some notes pass each filter, but no note passes all of them"
        found.append(Reason(several[-1], said))
    return found


def _days(given: "ListArguments") -> Reason | None:
    if not given.since or not given.until:
        return None
    today = datetime.now().astimezone().date()
    since, until = (
        parse_day(getattr(given, name), today) for name in ("since", "until")
    )
    if since < until:
        return None
    return Reason(
        "until", f"no day is since {since} and before {until}: until is excluded"
    )


def _folder(engine: Engine, folder: str, notes: Sequence["NoteFacts"]) -> Reason | None:
    if not folder or engine.list_notes(folder=folder, limit=1).total:
        return None
    there = {above for note in notes for above in _above(note.path)}
    said = f"no note is in the folder {shortened(folder)!r}"
    return Reason("folder", said, _closest(folder.strip("/"), there))


def _above(path: str) -> Iterator[str]:
    """Yield every folder above a note."""
    while path := path.rpartition("/")[0]:
        yield path


def _tag(engine: Engine, tag: str, notes: Sequence["NoteFacts"]) -> Reason | None:
    if not tag or engine.list_notes(tag=tag, limit=1).total:
        return None
    there = {one for note in notes for one in note.tags}
    said = f"no note has the tag {shortened(tag)!r}"
    return Reason("tag", said, _closest(tag.strip("#/ "), there))


def _property(engine: Engine, text: str, notes: Sequence["NoteFacts"]) -> Reason | None:
    name, value = property_filter(text)
    if not name:
        return None
    if not engine.list_notes(property_name=name, limit=1).total:
        there = {one for note in notes for one in note.properties}
        said = f"no note has the property {shortened(name)!r}"
        return Reason("property", said, _closest(name, there))
    found = engine.list_notes(property_name=name, property_value=value, limit=1)
    if value is None or found.total:
        return None
    values = {one for note in notes for one in _values(note, name)}
    said = f"no note has {shortened(name)!r} as {shortened(value)!r}"
    near = _closest(value, values) or tuple(sorted(values)[:SHOWN])
    return Reason("property", said, tuple(f"{name}={one}" for one in near))


def _values(note: "NoteFacts", name: str) -> Iterator[str]:
    for key, value in note.properties.items():
        if key.lower() == name.lower():
            several = value if isinstance(value, list) else [value]
            yield from (one for one in several if isinstance(one, str) and one)


def _closest(wanted: str, there: set[str]) -> tuple[str, ...]:
    folded = {one.casefold(): one for one in sorted(there)}
    near = get_close_matches(wanted.casefold(), list(folded), SHOWN, SIMILARITY)
    return tuple(folded[one] for one in near)
