"""Counting and listing what the rows hold."""

import json
from collections.abc import Mapping
from typing import Any

import apsw

from glassmind.model import NotePath, Span
from glassmind.model.catalogue import (
    Ghost,
    LinkEnd,
    NoteFacts,
    NoteLinks,
    NoteList,
    Stats,
)
from glassmind.model.projects import ProjectName, ProjectNote
from glassmind.model.search import ChunkText
from glassmind.obsidian.text import fold, heading_address
from glassmind.store.sqlite.project_rows import ProjectRows
from glassmind.store.sqlite.read import Rows
from glassmind.store.sqlite.vector_rows import VectorRows

COUNTS = """
select
  (select count(*) from notes),
  (select count(*) from chunks),
  (select count(distinct folded) from tags),
  (select count(*) from links),
  (select count(distinct lower(target)) from links where target_id is null
    and settled),
  (select count(*) from files f where f.kind = 'attachment'),
  (select count(*) from tasks),
  (select count(*) from headings),
  (select count(*) from notes where error is not null or warnings <> '[]'),
  (select count(*) from notes n where not exists (select 1 from chunks c
   where c.note_id = n.id and c.text <> ''))
"""
LAST_RUN = """
select started_at from index_runs where seconds > 0 order by id desc limit 1
"""
REASONS = "select reason, count(*) from skipped group by reason order by 2 desc, 1"
_FACTS = """
select f.path, n.title, n.kind, f.size, f.mtime_ns, n.day, n.aliases,
  (select json_group_array(distinct t.name) from tags t where t.note_id = n.id),
  (select json_group_object(p.name, json(p.value)) from properties p
   where p.note_id = n.id)
from notes n join files f on f.id = n.id
"""
_PASSING = """
where (:folder = '' or f.path like :folder escape '\\')
  and (:tag = '' or exists (select 1 from tags t where t.note_id = n.id
       and (t.folded = :tag or t.folded like :below escape '\\')))
  and (:property = '' or exists (select 1 from properties p where p.note_id = n.id
       and fold(p.name) = :property and (:value is null
         or (:value = 'null' and p.value in ('[]', '{}'))
         or exists (select 1 from json_each(p.value) e where :value =
              case when e.type in ('true', 'false', 'null') then e.type
              else fold(e.value) end))))
  and (:since is null or coalesce(n.day,
       date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime')) >= :since)
  and (:until is null or coalesce(n.day,
       date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime')) < :until)
  and (:kind = '' or n.kind = :kind)
"""
LIST = f"{_FACTS} {_PASSING}"
FACTS_OF = f"{_FACTS} where f.path = ?"
PAGE = " order by f.path limit :limit offset :offset"
NEWEST = " order by f.mtime_ns desc, f.path limit :limit offset :offset"
CHUNKS_OF = """
select c.chunk_index, c.kind, c.heading_path, c.start_line, c.end_line, c.tokens,
  c.overlap, c.digest, c.text
from chunks c join files f on f.id = c.note_id where f.path = ? order by c.chunk_index
"""
_LINKS = """
from links l join files s on s.id = l.note_id
  left join files t on t.id = l.target_id left join notes n on n.id = l.target_id
"""
_OUTGOING = f"""
{_LINKS} where s.path = :path and l.target <> '' and l.target_id is not l.note_id
  and (l.target_id is null or n.id is not null)
"""
_INCOMING = f"""
{_LINKS} join notes m on m.id = l.note_id
where t.path = :path and l.note_id <> l.target_id
"""
_AROUND = """
coalesce(l.property, ''), l.embed, l.line,
  (select json_array(l.line - c.start_line, c.text) from chunks c
   where c.note_id = l.note_id and l.line between c.start_line and c.end_line
   order by c.chunk_index limit 1)
"""
OUTGOING = f"""
select t.path, coalesce(n.title, l.target), l.target, {_AROUND} {_OUTGOING}
order by l.seq limit :limit
"""
INCOMING = f"""
select s.path, m.title, l.target, {_AROUND} {_INCOMING}
order by s.path, l.seq limit :limit
"""
OUTGOING_COUNT = f"select count(*) {_OUTGOING}"
INCOMING_COUNT = f"select count(*) {_INCOMING}"

GHOSTS = """
select min(target), count(*) from links
where target_id is null and target <> '' and settled
group by lower(target) order by lower(target)
"""

_TO_GHOST = f"""
{_LINKS} join notes m on m.id = l.note_id
where l.target_id is null and fold(l.target) in (:name, :name || '.md')
"""
GHOST = f"select min(l.target), count(*) {_TO_GHOST}"
TO_GHOST = f"""
select s.path, m.title, l.target, {_AROUND} {_TO_GHOST}
order by s.path, l.seq limit :limit
"""

LONGEST_CONTEXT = 500
"""Characters of a paragraph that is shown whole; of a longer one it is the line."""


def _pattern(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"{escaped}%"


def _fold(*values: Any) -> str:
    return fold(str(values[0]))


class Catalogue:
    """Lists and counts over an open database.

    Below `least_chars` a chunk gets no vector.
    """

    def __init__(self, db: apsw.Connection, least_chars: int = 0) -> None:
        self._db, self._least_chars = db, least_chars
        # SQLite's own lower() knows ASCII alone
        db.create_scalar_function("fold", _fold, 1, deterministic=True)

    def members(self, project: ProjectName) -> list[ProjectNote]:
        """Return the notes of a project, by path."""
        return ProjectRows(self._db).members(project)

    def closest(self, name: str) -> tuple[str, ...]:
        """Return projects that a name may be a slip of, the closest first."""
        return ProjectRows(self._db).closest(name)

    def stats(self, *, folder: str, index_bytes: int) -> Stats:
        """Return how much there is."""
        counts: Any = next(iter(self._db.execute(COUNTS)))
        notes, chunks, tags, links, ghosts, attachments, tasks, headings = counts[:8]
        found: Any = self._db.execute(REASONS).fetchall()
        reasons: dict[str, int] = dict(found)
        last: Any = self._db.execute(LAST_RUN).get
        vectors = VectorRows(self._db)
        space = vectors.answering()
        coverage = vectors.coverage(space, self._least_chars)
        return Stats(
            notes=notes,
            chunks=chunks,
            tags=tags,
            links=links,
            ghosts=ghosts,
            attachments=attachments,
            tasks=tasks,
            headings=headings,
            skipped=sum(reasons.values()),
            skipped_by_reason=reasons,
            index_bytes=index_bytes,
            folder=folder,
            last_run=last,
            troubled=counts[8],
            embedded=coverage.covered,
            embeddable=coverage.total,
            space=space.name if space else "",
            width=space.width if space else 0,
            embedded_notes=vectors.notes_in(space),
            empty_notes=counts[9],
            secrets=len(Rows(self._db).secret_notes()),
        )

    def notes(self, wanted: Mapping[str, Any], *, newest: bool = False) -> NoteList:
        """Return the notes that pass; `wanted` holds every name the statement binds."""
        folder = str(wanted["folder"]).strip("/")
        tag = str(wanted["tag"]).lstrip("#").rstrip("/").lower()
        bound = {
            **wanted,
            "folder": _pattern(f"{folder}/") if folder else "",
            "tag": tag,
            "below": _pattern(f"{tag}/"),
            "property": _fold(wanted["property"]),
            "value": wanted["value"] and _fold(wanted["value"]),
        }
        total: Any = self._db.execute(f"select count(*) from ({LIST})", bound).get  # noqa: S608 - our own constant
        page = self._db.execute(LIST + (NEWEST if newest else PAGE), bound)
        return NoteList([_note(row) for row in page], int(total))

    def chunks_of(self, path: NotePath) -> list[ChunkText]:
        """Return a note's chunks in order."""
        rows: Any = self._db.execute(CHUNKS_OF, (path,))
        found = []
        for index, kind, headings, first, last, *rest in rows:
            under = tuple(json.loads(headings))
            heading, lines = heading_address(path, under), Span(first, last)
            found.append(ChunkText(index, kind, under, heading, lines, *rest))
        return found

    def links_of(self, path: NotePath, *, limit: int) -> NoteLinks:
        """Return a note of the index with its links, each way the first so many."""
        (note,) = map(_note, self._db.execute(FACTS_OF, (path,)))
        bound = {"path": path, "limit": limit}
        out: Any = self._db.execute(OUTGOING, bound)
        inward: Any = self._db.execute(INCOMING, bound)
        counts: Any = [
            self._db.execute(count, {"path": path}).get
            for count in (OUTGOING_COUNT, INCOMING_COUNT)
        ]
        return NoteLinks(note, tuple(map(_end, out)), tuple(map(_end, inward)), *counts)

    def ghosts(self) -> list[Ghost]:
        """Return the names that links lead to in vain, in order."""
        return [Ghost(*row) for row in self._db.execute(GHOSTS)]

    def ghost(self, name: str, *, limit: int) -> Ghost | None:
        """Return one such name, in whatever case, with the first links to it."""
        bound = {"name": _fold(name).removesuffix(".md"), "limit": limit}
        target, count = next(iter(self._db.execute(GHOST, bound)))
        if not count:
            return None
        return Ghost(target, count, tuple(map(_end, self._db.execute(TO_GHOST, bound))))


def _end(row: tuple[Any, ...]) -> LinkEnd:
    path, title, target, property_name, embed, line, around = row
    if property_name:
        context = f"{property_name}: [[{target}]]"
    else:
        context = "" if around is None else _paragraph(*reversed(json.loads(around)))
    return LinkEnd(path, title, target, property_name, bool(embed), line, context)


def _paragraph(text: str, at: int) -> str:
    """Return the lines around one of a text, up to the next blank ones."""
    lines = text.split("\n")
    first = last = min(at, len(lines) - 1)
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    whole = "\n".join(lines[first : last + 1]).strip()
    line = lines[min(at, len(lines) - 1)].strip()
    return whole if len(whole) <= LONGEST_CONTEXT else line[:LONGEST_CONTEXT]


def _note(row: tuple[Any, ...]) -> NoteFacts:
    path, title, kind, size, mtime_ns, day, aliases, tags, properties = row
    return NoteFacts(
        path=NotePath(path),
        title=title,
        kind=kind,
        size=size,
        mtime_ns=mtime_ns,
        day=day,
        tags=tuple(json.loads(tags)),
        aliases=tuple(json.loads(aliases)),
        properties=json.loads(properties),
    )
