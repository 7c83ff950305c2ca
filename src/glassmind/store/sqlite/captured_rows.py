"""Asking the rows which captures may be about the notes of a bundle.

All that can be told in SQL is asked before the latest are taken, lest what still holds
vanish behind what came later and is about something else. The answer may hold a few
too many: properties are read closely by who asks.
"""

import json
import re
from typing import Any
from unicodedata import normalize

import apsw

from glassmind.model.sections import MemoWish

MEMOS = 300
"""Captures of one kind that are looked at, the latest ones: a bundle shows ten."""

_PROPERTY = "from properties p where p.note_id = n.id and lower(p.name) ="
ANY = "select 1 from files where path > :below and path < :after limit 1"
CAPTURED = f"""
select n.id from notes n join files f on f.id = n.id
where f.path > :below and f.path < :after
and exists (select 1 {_PROPERTY} 'kind' and instr(lower(p.value), :kind))
and not exists (select 1 {_PROPERTY} 'status'
  and lower(p.value ->> '$') in (select value from json_each(:closed)))
and (n.id in (select value from json_each(:ids))
  or exists (select 1 {_PROPERTY} 'project' and exists (
    select 1 from json_each(:names) w where instr(lower(p.value), w.value)))
  or exists (select 1 {_PROPERTY} 'sources' and exists (
    select 1 from json_each(:paths) w where instr(p.value, w.value))))
order by (select max(p.value) {_PROPERTY} 'created') desc, f.path
limit cast(:limit as integer)
"""  # noqa: S608 - our own words
"""For a bare `limit :limit` SQLite would plan anew at each call, by what is bound."""
_PLAIN = re.compile(r"[ !#-\[\]-~]+")
"""What JSON holds as it stands, and SQL knows the small letters of."""


def has_files(db: apsw.Connection, folder: str) -> bool:
    """Whether there is anything below a folder."""
    rows: Any = db.execute(ANY, {"below": f"{folder}/", "after": f"{folder}0"})
    return next(iter(rows), None) is not None


def captured(db: apsw.Connection, wish: MemoWish) -> tuple[list[int], bool]:
    """Return the captures that may be wished for, the latest first.

    And whether there are more of them than are looked at.
    """
    bound = {
        "below": f"{wish.agent}/",
        "after": f"{wish.agent}0",
        "kind": wish.kind,
        "closed": json.dumps(sorted(wish.closed)),
        "ids": json.dumps(sorted(wish.note_ids)),
        "names": json.dumps(sorted({_needle(_small(one)) for one in wish.projects})),
        "paths": json.dumps(sorted({_needle(one) for one in wish.paths})),
        "limit": MEMOS + 1,
    }
    rows: Any = db.execute(CAPTURED, bound)
    ids = [row[0] for row in rows]
    return ids[:MEMOS], len(ids) > MEMOS


def _small(name: str) -> str:
    """Return a name in small letters; what is composed holds no part of a letter."""
    return normalize("NFC", name).lower()


def _needle(text: str) -> str:
    """Return the longest part of a text that is found in JSON of any case."""
    return max(_PLAIN.findall(text), key=len, default="")
