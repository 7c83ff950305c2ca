"""Asking the rows which notes another has taken the place of.

What no longer exists has taken no place: a link that leads nowhere counts for nothing,
nor does one to a memo that is gone from the note of its project. A note that was given
another name since is found by what it says itself: that it supersedes the other. What
is no link is a person's word, and counts.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import apsw

if TYPE_CHECKING:
    from glassmind.model.adjustments import Successor

_LOST = """
l.subpath is not null
and exists (select 1 from properties q where q.note_id = l.target_id
  and q.name = 'layout' and q.value = '"project"')
and not exists (select 1 from headings h where h.note_id = l.target_id
  and '#' || h.text = l.subpath)
"""
SUCCESSORS = f"""
select p.note_id, p.value,
  (select l.target_id from links l
   where l.note_id = p.note_id and l.property = p.name and l.target_id is not null
   and not ({_LOST}) order by l.seq limit 1),
  exists (select 1 from links l where l.note_id = p.note_id and l.property = p.name),
  (select f.path from links l join files f on f.id = l.note_id
   where l.target_id = p.note_id and l.property in ('supersedes', 'Supersedes')
   and l.note_id <> p.note_id order by f.path limit 1)
from properties p where p.name in (
  'superseded-by', 'superseded_by', 'superseded by', 'supersededBy',
  'Superseded-by', 'Superseded_by', 'Superseded by', 'SupersededBy')
"""  # noqa: S608 - our own words
"""By the ways a name is written: an index finds these among all properties at once."""

ID = "select id from files where path = ?"


def successors_in(db: apsw.Connection) -> "Mapping[int, Successor]":
    """Return what took the place of each note that says so; 0 is no note we know."""
    rows: Any = db.execute(SUCCESSORS)
    said = list(rows)
    return _existing(db, said) if said else {}


def _existing(
    db: apsw.Connection, said: list[tuple[Any, ...]]
) -> "Mapping[int, Successor]":
    """Return the successors that still exist, of what notes say."""
    # in most vaults nothing was superseded
    from glassmind.model.adjustments import Successor  # noqa: PLC0415

    found = {}
    for note_id, value, target_id, linked, renamed in said:
        name = _named(json.loads(value))
        if not name or target_id == note_id:
            continue
        if target_id is not None or not linked:
            found[note_id] = Successor(target_id or 0, name)
        elif renamed is not None:
            found[note_id] = Successor(db.execute(ID, (renamed,)).get, _stem(renamed))
    return found


def _named(value: object) -> str:
    """Return what the property names first; empty where it names nothing."""
    # in most vaults nothing was superseded
    from glassmind.obsidian.properties import plain_name  # noqa: PLC0415

    first = value[0] if isinstance(value, list) and value else value
    return plain_name(first) if isinstance(first, str) else ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
