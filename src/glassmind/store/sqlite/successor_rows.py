"""Asking the rows which notes another has taken the place of."""

import json
from collections.abc import Mapping
from typing import Any

import apsw

from glassmind.markdown.project_names import plain_name
from glassmind.types.search import Successor

SUCCESSORS = """
select p.note_id, p.value, (
  select l.target_id from links l
  where l.note_id = p.note_id and l.property = p.name and l.target_id is not null
  order by l.seq limit 1)
from properties p where p.name in (
  'superseded-by', 'superseded_by', 'superseded by', 'supersededBy',
  'Superseded-by', 'Superseded_by', 'Superseded by', 'SupersededBy')
"""
"""By the ways a name is written: an index finds these among all properties at once."""


def successors_in(db: apsw.Connection) -> Mapping[int, Successor]:
    """Return what took the place of each note that says so; 0 is no note we know."""
    rows: Any = db.execute(SUCCESSORS)
    found = {}
    for note_id, value, target_id in rows:
        name = _named(json.loads(value))
        if name and target_id != note_id:
            found[note_id] = Successor(target_id or 0, name)
    return found


def _named(value: object) -> str:
    """Return what the property names first; empty where it names nothing."""
    first = value[0] if isinstance(value, list) and value else value
    return plain_name(first) if isinstance(first, str) else ""
