"""Asking the rows what speaks for a note as a decision or a question.

Most vaults have few of these signs, and hundreds of notes are asked about: what there
is none of in all the vault is not looked for in any note.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import apsw

from glassmind.model.sections import APART, SectionSign
from glassmind.store.sqlite.read_before import ReadBefore

_TYPE = ("type", "typ")
SPELT = json.dumps(
    ["".join(one) for word in _TYPE for one in product(*(c + c.upper() for c in word))]
)
"""The property `type` in all cases, since the index of names tells them apart."""

_IDS = "(select value from json_each(:ids))"
SOME = """
select exists (select 1 from properties
    where name in (select value from json_each(:spelt))),
  exists (select 1 from json_each(:tags) w
    join tags t on t.folded >= w.value and t.folded < w.value || '0'),
  exists (select 1 from callouts)
"""
"""Of tags also those that only begin so: `0` comes next to `/`, which parts them."""
TYPES = f"""
select note_id, 'type', value, 0, 0 from properties
where note_id in {_IDS} and lower(name) in {_TYPE}
"""  # noqa: S608 - our own words
_TOP = "iif(instr(folded, '/'), substr(folded, 1, instr(folded, '/') - 1), folded)"
TAGS = f"""
select note_id, 'tag', folded, iif(in_properties, 0, line), 0 from tags
where note_id in {_IDS} and {_TOP} in (select value from json_each(:tags))
"""  # noqa: S608 - our own words
CALLOUTS = f"""
select note_id, 'callout', lower(kind), start_line, end_line from callouts
where note_id in {_IDS} and lower(kind) in (select value from json_each(:callouts))
"""  # noqa: S608 - our own words
HEADS = f"""
select n.id, n.title || :apart || coalesce((
  select group_concat(h.text, :apart) from headings h
  where h.note_id = n.id and length(h.text) <= :longest), '')
from notes n where n.id in {_IDS}
"""  # noqa: S608 - our own words


class SignRows:
    """A view of the rows for one bundle; what was read stays at hand."""

    def __init__(self, db: apsw.Connection, read: ReadBefore) -> None:
        self._db = db
        self._parts, self._signs, self._heads = read.parts, read.signs, read.heads

    def signs(
        self, note_ids: Collection[int], tags: Sequence[str], callouts: Sequence[str]
    ) -> list[SectionSign]:
        """Return what speaks for notes and their lines, by note and line."""
        words = (json.dumps(tags), json.dumps(callouts))
        parts = self._held(words)
        if not parts:
            return []
        known = self._signs.setdefault(words, {})
        new = [note_id for note_id in note_ids if note_id not in known]
        known.update((note_id, []) for note_id in new)
        for part in parts:
            asked = self._ask(part, new, tags=words[0], callouts=words[1])
            for sign in map(SectionSign._make, asked):
                known[sign.note_id].append(sign)
        found = [sign for at in note_ids if known[at] for sign in known[at]]
        return sorted(found, key=lambda one: (one.note_id, one.form, one.start_line))

    def _held(self, words: tuple[str, str]) -> list[str]:
        """Return how to ask for what the vault has some of."""
        if words not in self._parts:
            bound = {"spelt": SPELT, "tags": words[0]}
            held: Any = self._db.execute(SOME, bound).fetchone()
            parts = zip((TYPES, TAGS, CALLOUTS), held, strict=True)
            self._parts[words] = [part for part, is_held in parts if is_held]
        return self._parts[words]

    def heads(self, note_ids: Collection[int], longest: int) -> Mapping[int, str]:
        """Return the title and the short headings of notes, set apart by `APART`."""
        known = self._heads.setdefault(longest, {})
        new = [note_id for note_id in note_ids if note_id not in known]
        known.update(self._ask(HEADS, new, longest=longest, apart=APART))
        return {at: known[at] for at in note_ids if at in known}

    def _ask(
        self, statement: str, ids: Collection[int], **bound: str | int
    ) -> Iterable[Any]:
        if not ids:
            return ()
        return self._db.execute(statement, {"ids": json.dumps(sorted(ids)), **bound})
