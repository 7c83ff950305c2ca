"""Notes and files: what is known, what a hit shows, projects, counts and lists."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, Unpack

from xxhash import xxh3_128_hexdigest

from glassmind.errors import IndexDamaged
from glassmind.model import NotePath, Span
from glassmind.model.context import ProjectName, ProjectNote, SectionHeading
from glassmind.model.index import (
    FileFilter,
    KnownFile,
    KnownNote,
    LinkEnd,
    NoteFacts,
    NoteFilter,
    NoteLinks,
    NoteList,
    Stats,
    UnresolvedName,
)
from glassmind.model.memory import MOST_AT_ONCE
from glassmind.model.search import ChunkText, HitChunk
from glassmind.obsidian.properties import plain_name, projects_in, values_in
from glassmind.obsidian.text import fold, heading_address
from glassmind.store.sqlite.vectors import VectorRows

_MINUTE_NS = 60 * 10**9
_TROUBLED = "n.error is not null or n.warnings <> '[]'"
_THESE = "in (select value from json_each(?))"
_AMONG = "in (select value from json_each(:{}))"
_LOCAL_DAY = "date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime')"

_HIT_ROWS = """
select c.id, f.path, n.title, c.heading_path, c.start_line, c.end_line, c.chunk_index,
  c.digest, f.mtime_ns, c.text, c.note_id,
  exists (select 1 from properties p where p.note_id = c.note_id
    and p.value = 'true' and lower(p.name) = 'generated'),
  (select x.id from files x where x.path = f.path) is f.id
from chunks c join notes n on n.id = c.note_id join files f on f.id = c.note_id
where c.id in (select value from json_each(?))
"""
"""The last column asks the index of paths, which holds each a second time."""


_WHICH_FILES = {
    "ids": f"f.id {_AMONG.format('ids')}",
    "paths": f"f.path {_AMONG.format('paths')}",
    "folder": "f.path > :folder || '/' and f.path < :folder || '0'",
    "name_key": "f.name_key = :name_key",
}
"""The character "0" follows "/", so that the index of paths answers."""

_WHICH_NOTES = {
    **_WHICH_FILES,
    "titles": f"n.title {_AMONG.format('titles')}",
    "digests": "exists (select 1 from json_each(:digests) d "
    "where n.digest >= d.value and n.digest < d.value || 'g')",
    "link_keys": "n.id in (select l.note_id from links l "
    f"where l.name_key {_AMONG.format('link_keys')})",
    "kind": "n.kind = :kind",
    "tag": "n.id in (select t.note_id from tags t where t.folded = :tag "
    "or (t.folded >= :tag || '/' and t.folded < :tag || '0'))",
    "heading": "n.id in (select h.note_id from headings h where h.text = :heading)",
    "first_day": "n.day >= :first_day",
    "last_day": "n.day <= :last_day",
}


_MOST_NAMES, _SUGGESTED, _SIMILARITY = 5_000, 3, 0.7
"""Names of each kind that are compared, those that are suggested, and how similar."""

_COUNTS = f"""
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
  (select count(*) from notes n where {_TROUBLED}),
  (select count(*) from notes n where not exists (select 1 from chunks c
   where c.note_id = n.id and c.text <> ''))
"""
_COUNTED = (
    "notes", "chunks", "tags", "links", "ghosts", "attachments", "tasks", "headings",
    "troubled", "empty_notes",
)  # fmt: skip
_FACTS = """
select f.path, n.title, n.kind, f.size, f.mtime_ns, n.day, n.aliases,
  (select json_group_array(distinct t.name) from tags t where t.note_id = n.id),
  (select json_group_object(p.name, json(p.value)) from properties p
   where p.note_id = n.id)
from notes n join files f on f.id = n.id
"""
_LIST = f"""
{_FACTS}
where (:folder = '' or f.path like :folder escape '\\')
  and (:tag = '' or exists (select 1 from tags t where t.note_id = n.id
       and (t.folded = :tag or t.folded like :below escape '\\')))
  and (:property = '' or exists (select 1 from properties p where p.note_id = n.id
       and fold(p.name) = :property and (:value is null
         or (:value = 'null' and p.value in ('[]', '{{}}'))
         or exists (select 1 from json_each(p.value) e where :value =
              case when e.type in ('true', 'false', 'null') then e.type
              else fold(e.value) end))))
  and (:since is null or coalesce(n.day, {_LOCAL_DAY}) >= :since)
  and (:until is null or coalesce(n.day, {_LOCAL_DAY}) < :until)
  and (:kind = '' or n.kind = :kind)
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
_UNRESOLVED = f"""
{_LINKS} join notes m on m.id = l.note_id
where l.target_id is null and fold(l.target) in (:name, :name || '.md')
"""
_AROUND = """
coalesce(l.property, ''), l.embed, l.line,
  (select json_array(l.line - c.start_line, c.text) from chunks c
   where c.note_id = l.note_id and l.line between c.start_line and c.end_line
   order by c.chunk_index limit 1)
"""

LONGEST_CONTEXT = 500
"""Characters of a paragraph that is shown whole; of a longer one it is the line."""


_IN_FOLDER = """
select n.id, f.path from notes n join files f on f.id = n.id
where ?1 or instr('/' || lower(f.path), ?2) > 0
"""
_TAGGED = """
select n.id, f.path, t.folded from tags t
join notes n on n.id = t.note_id join files f on f.id = n.id
where ?1 or t.folded = ?2 or (t.folded > ?2 || '/' and t.folded < ?2 || '0')
"""
_TITLED = """
select n.id, f.path, n.title from notes n join files f on f.id = n.id
where ?1 or lower(n.title) = ?2
"""


class NoteRows(VectorRows):
    """Notes and files, the notes of projects, lists and counts."""

    def files(self, *, limit: int = -1, **which: Unpack[FileFilter]) -> list[KnownFile]:
        """Return the files that pass, notes and attachments, by path."""
        statement = f"""
            select f.id, f.path, f.stamp, f.size, f.mtime_ns from files f
            where {where(_WHICH_FILES, which)} order by f.path limit :limit
        """
        rows = self._db.execute(statement, _bound(which, limit))
        return [KnownFile(*row) for row in rows]

    def notes(self, *, limit: int = -1, **which: Unpack[NoteFilter]) -> list[KnownNote]:
        """Return the notes that pass, by path."""
        statement = f"""
            select n.id, f.path, n.title, n.aliases, n.kind, n.digest, n.day, n.error
            from notes n join files f on f.id = n.id
            where {where(_WHICH_NOTES, which)} order by f.path limit :limit
        """
        return [
            KnownNote._make((*row[:3], tuple(json.loads(row[3])), *row[4:]))
            for row in self._db.execute(statement, _bound(which, limit))
        ]

    def note_ids(self, **which: Unpack[NoteFilter]) -> set[int]:
        """Return the ids of the notes that pass."""
        statement = f"""
            select n.id from notes n join files f on f.id = n.id
            where {where(_WHICH_NOTES, which)}
        """
        return {row[0] for row in self._db.execute(statement, _bound(which))}

    def stamps(self) -> dict[NotePath, int]:
        return dict(self._rows("select path, stamp from files"))

    def count(self, table: Literal["notes", "chunks"]) -> int:
        return int(self._value(f"select count(*) from {table}"))

    def secret_notes(self) -> dict[NotePath, int]:
        """Return the notes in which credentials are hidden, and how many in each."""
        return dict(
            self._rows("""
            select f.path, s.count from note_secrets s join files f on f.id = s.note_id
            order by f.path
        """)
        )

    def paths(self) -> list[NotePath]:
        """Return every known file, notes and attachments, by path."""
        return [row[0] for row in self._rows("select path from files order by path")]

    def skipped(self) -> list[tuple[NotePath, str, bool]]:
        """Return what the last run skipped: path, reason, may it be a note."""
        rows = self._rows("select path, reason, unknown from skipped order by path")
        return [(path, reason, bool(unknown)) for path, reason, unknown in rows]

    def troubled(self, limit: int) -> tuple[int, list[tuple[NotePath, str]]]:
        """Count the notes with a problem; return the first with what it is."""
        count = self._value(f"select count(*) from notes n where {_TROUBLED}")
        statement = f"""
            select f.path, coalesce(n.error, json_extract(n.warnings, '$[0]'))
            from notes n join files f on f.id = n.id
            where {_TROUBLED} order by f.path limit ?
        """
        return int(count), self._rows(statement, limit).fetchall()

    def unfinished(self) -> bool:
        last = "select seconds is null from index_runs order by id desc limit 1"
        return bool(self._value(last))

    def is_whole(self) -> bool:
        ended = "select exists (select 1 from index_runs where seconds is not null)"
        return bool(self._value(ended))

    def chunk_places(
        self, chunk_ids: Sequence[int], *, listed: bool = False
    ) -> dict[int, tuple[float | str, ...]]:
        """Return what ties are broken by: newest note, path, place in the note.

        A list goes by the day of the note before all that.
        """
        day = f"-coalesce(julianday(coalesce(n.day, {_LOCAL_DAY})), 0)"
        statement = f"""
            select c.id, {day if listed else 0}, -f.mtime_ns, f.path, c.chunk_index
            from chunks c join notes n on n.id = c.note_id
            join files f on f.id = c.note_id
            where c.id in (select value from json_each(?))
        """
        return {row[0]: row[1:] for row in self._for(statement, chunk_ids)}

    def hit_rows(self, chunk_ids: Sequence[int]) -> dict[int, HitChunk]:
        """Return what a hit shows for each chunk that is still there, by chunk id."""
        chunks = {}
        for chunk, path, title, under, *rest, text, note, made, is_placed in self._for(
            _HIT_ROWS, chunk_ids
        ):
            first, last, index, digest, mtime_ns = rest
            if not is_placed:
                raise IndexDamaged("index.db", f"{path} is not where it was written")
            if xxh3_128_hexdigest(text.encode()) != digest:
                reason = f"a passage of {path} is not what was indexed"
                raise IndexDamaged("index.db", reason)
            place = (chunk, path, title, headings_in(under), Span(first, last), index)
            chunks[chunk] = HitChunk(*place, digest, mtime_ns, text, note, bool(made))
        return chunks

    def names(self, note_ids: Collection[int]) -> dict[int, tuple[NotePath, str]]:
        """Return path and title of each note."""
        statement = f"""
            select f.id, f.path, n.title from files f join notes n on n.id = f.id
            where f.id {_THESE}
        """
        return {row[0]: (row[1], row[2]) for row in self._for(statement, note_ids)}

    def crowded(self, times: Iterable[int]) -> set[int]:
        """Return those of some times of files about which very many were written.

        Such a time says nothing. What is in the agent folder counts as well.
        """
        statement = f"""
            select k.value from json_each(?) k where (
              select count(*) from (
                select 1 from files where mtime_ns >= (k.value - 1) * {_MINUTE_NS}
                and mtime_ns < (k.value + 2) * {_MINUTE_NS} limit {MOST_AT_ONCE + 1}
              )
            ) > {MOST_AT_ONCE}
        """
        minutes = {time: time // _MINUTE_NS for time in times}
        found = {row[0] for row in self._for(statement, set(minutes.values()))}
        return {time for time, minute in minutes.items() if minute in found}

    def tags(
        self, note_ids: Collection[int] | None = None
    ) -> dict[int, tuple[str, ...]]:
        """Return the tags of each note that has some, as written, in that order."""
        found: dict[int, dict[str, str]] = {}
        for note_id, name in self._of_notes("note_id, name from tags", note_ids):
            found.setdefault(note_id, {}).setdefault(name.lower(), name)
        return {note_id: tuple(names.values()) for note_id, names in found.items()}

    def headings(
        self, note_ids: Collection[int] | None = None
    ) -> dict[int, list[SectionHeading]]:
        """Return the headings of each note that has some, in order."""
        headings: dict[int, list[SectionHeading]] = {}
        columns = "note_id, level, text, line from headings"
        for row in self._of_notes(columns, note_ids):
            headings.setdefault(row[0], []).append(SectionHeading._make(row))
        return headings

    def blocks(self, note_ids: Collection[int]) -> dict[int, set[str]]:
        """Return the block ids of each note that has some."""
        rows = self._of_notes("note_id, name from blocks", note_ids)
        return {note_id: set(names) for note_id, names in self._grouped(rows).items()}

    def properties_of(self, note_ids: Collection[int]) -> dict[int, dict[str, object]]:
        found: dict[int, dict[str, object]] = {}
        columns = "note_id, name, value from properties"
        for note_id, name, value in self._of_notes(columns, note_ids):
            found.setdefault(note_id, {})[name] = json.loads(value)
        return found

    def _of_notes(self, columns: str, note_ids: Collection[int] | None) -> Any:
        """Return rows of some notes, or of all, in their order."""
        if note_ids is None:
            return self._rows(f"select {columns} order by note_id, seq")
        statement = f"select {columns} where note_id {_THESE} order by note_id, seq"
        return self._for(statement, note_ids)

    def project_notes(self, project: ProjectName) -> list[ProjectNote]:
        """Return the notes of a project, by path, each with the first rule it meets."""
        notes: dict[int, ProjectNote] = {}
        for note in self._by_rules(project):
            notes.setdefault(note.note_id, note)
        return sorted(notes.values(), key=lambda note: note.path)

    def projects_like(self, name: str) -> tuple[str, ...]:
        """Return projects that a name may be a typo of, the closest first.

        What properties say, names of folders, and tags with their `#`; one word of a
        name is enough.
        """
        known: dict[str, str] = {}
        for text, folded in self._known():
            known.setdefault(folded, text)
        for folded, text in list(known.items()):
            for word in folded.split():
                known.setdefault(word, text)
        typed = fold(plain_name(name)).lstrip("#").strip("/")
        from difflib import get_close_matches  # noqa: PLC0415 - only after a typo

        found = get_close_matches(typed, known, n=2 * _SUGGESTED, cutoff=_SIMILARITY)
        return tuple(dict.fromkeys(known[match] for match in found))[:_SUGGESTED]

    def _known(self) -> Iterable[tuple[str, str]]:
        """Return all that may be called a project, with how it is compared."""
        values = """
            select value from properties where name in ('project', 'Project', 'PROJECT')
            group by value limit ?
        """
        for (value,) in self._rows(values, _MOST_NAMES):
            for text in projects_in(json.loads(value)):
                yield text, fold(text)
        # what is left of a path without the letters of its last part
        folders = """
            select distinct rtrim(path, replace(path, '/', '')) from files
            where path like '%/%' limit ?
        """
        for (above,) in self._rows(folders, _MOST_NAMES):
            for part in above.strip("/").split("/"):
                if part and not part.startswith("."):
                    yield part, fold(part)
        tags = "select folded from tags group by folded limit ?"
        for (tag,) in self._rows(tags, _MOST_NAMES):
            yield f"#{tag}", fold(tag)

    def _by_rules(self, project: ProjectName) -> Iterable[ProjectNote]:
        """Yield the notes of a project by each rule that its name may mean.

        A bare name is all of these: a folder of that name anywhere in a path, a tag of
        that name or below it, also under `#project/`, the property `project` with that
        value, and the note of that name. Names compare as in Obsidian, without case and
        however their letters are composed. SQLite knows the case of ASCII alone, so
        other names are compared here.
        """
        name, form = fold(project.name), project.form
        if name and form in {"any", "property"}:
            yield from self._with_property(project)
        if name and form in {"any", "folder"}:
            part = f"/{name}/"
            for note_id, path in self._named(_IN_FOLDER, name, part):
                at = f"/{fold(path)}".find(part)
                if at == 0 or (at > 0 and "/" not in name):  # with a `/`, it is a path
                    yield ProjectNote(note_id, path, f"in the folder {project.name}")
        if name and form in {"any", "tag"}:
            above = ("", "project/", "projects/") if form == "any" else ("",)
            yield from self._tagged([f"{one}{project.name}" for one in above])
        if name and form == "any":
            for note_id, path, title in self._named(_TITLED, name, name):
                if fold(title) == name:
                    yield ProjectNote(note_id, path, "the note of that name")

    def _tagged(self, names: Iterable[str]) -> Iterable[ProjectNote]:
        for name in names:
            tag = fold(name).replace(" ", "-")
            for note_id, path, found in self._named(_TAGGED, tag, tag):
                if f"{fold(found)}/".startswith(f"{tag}/"):
                    yield ProjectNote(note_id, path, f"tagged #{name}")

    def _named(self, statement: str, name: str, key: str) -> Any:
        return self._rows(statement, not name.isascii(), key)

    def _with_property(self, project: ProjectName) -> Iterable[ProjectNote]:
        key, name = fold(project.key), fold(project.name)
        names = self._rows("select distinct name from properties")
        keys = [found for (found,) in names if fold(found) == key]
        statement = """
            select n.id, f.path, p.value from properties p
            join notes n on n.id = p.note_id join files f on f.id = n.id
            where p.name in (select value from json_each(?))
        """
        for note_id, path, value in self._for(statement, keys):
            if name in map(fold, values_in(json.loads(value))):
                yield ProjectNote(note_id, path, f"{project.key}: {project.name}")

    def stats(self, *, folder: str, index_bytes: int, least_chars: int) -> Stats:
        """Return the counts; below `least_chars` a chunk gets no vector."""
        counts = dict(zip(_COUNTED, next(iter(self._rows(_COUNTS))), strict=True))
        reasons: dict[str, int] = dict(
            self._rows("""
            select reason, count(*) from skipped group by reason order by 2 desc, 1
        """)
        )
        last_run = """
            select started_at from index_runs where seconds > 0
            order by id desc limit 1
        """
        space = self.answering_space()
        coverage = self.coverage(space, least_chars)
        return Stats(
            **counts,
            skipped=sum(reasons.values()),
            skipped_by_reason=reasons,
            index_bytes=index_bytes,
            folder=folder,
            last_run=self._value(last_run),
            embedded=coverage.covered,
            embeddable=coverage.total,
            space=space.name if space else "",
            width=space.width if space else 0,
            embedded_notes=self.notes_in(space),
            secrets=len(self.secret_notes()),
        )

    def list_notes(
        self, wanted: Mapping[str, Any], *, newest: bool = False
    ) -> NoteList:
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
        self._know_fold()
        total: Any = self._db.execute(f"select count(*) from ({_LIST})", bound).get
        order = "f.mtime_ns desc, f.path" if newest else "f.path"
        page = f"{_LIST} order by {order} limit :limit offset :offset"
        return NoteList([_note(row) for row in self._db.execute(page, bound)], total)

    def note_chunks(self, path: NotePath) -> list[ChunkText]:
        """Return a note's chunks in order."""
        statement = """
            select c.chunk_index, c.kind, c.heading_path, c.start_line, c.end_line,
              c.tokens, c.overlap, c.digest, c.text
            from chunks c join files f on f.id = c.note_id where f.path = ?
            order by c.chunk_index
        """
        texts = []
        for index, kind, headings, first, last, *rest in self._rows(statement, path):
            under = tuple(json.loads(headings))
            heading, lines = heading_address(path, under), Span(first, last)
            texts.append(ChunkText(index, kind, under, heading, lines, *rest))
        return texts

    def note_links(self, path: NotePath, *, limit: int) -> NoteLinks:
        """Return a note of the index with its links, each way the first so many."""
        (note,) = map(_note, self._rows(f"{_FACTS} where f.path = ?", path))
        bound = {"path": path, "limit": limit}
        outgoing = f"""
            select t.path, coalesce(n.title, l.target), l.target, {_AROUND} {_OUTGOING}
            order by l.seq limit :limit
        """
        return NoteLinks(
            note,
            self._ends(outgoing, bound),
            self._incoming(_INCOMING, bound),
            *(
                int(str(self._db.execute(f"select count(*) {rows}", bound).get))
                for rows in (_OUTGOING, _INCOMING)
            ),
        )

    def ghosts(self, name: str = "", *, limit: int = -1) -> list[UnresolvedName]:
        """Return the targets of unresolved links, in order.

        With a `name`, only that one, in whatever case, with the first links to it.
        """
        if not name:
            statement = """
                select min(target), count(*) from links
                where target_id is null and target <> '' and settled
                group by lower(target) order by lower(target) limit ?
            """
            return [UnresolvedName(*row) for row in self._rows(statement, limit)]
        self._know_fold()
        bound = {"name": _fold(name).removesuffix(".md"), "limit": limit}
        counted = f"select min(l.target), count(*) {_UNRESOLVED}"
        target, count = next(iter(self._db.execute(counted, bound)))
        if not count:
            return []
        return [
            UnresolvedName(
                str(target), int(str(count)), self._incoming(_UNRESOLVED, bound)
            )
        ]

    def _know_fold(self) -> None:
        """Define fold(): SQLite's own lower() knows ASCII alone."""
        self._db.create_scalar_function("fold", _fold, 1, deterministic=True)

    def _incoming(self, rows: str, bound: Mapping[str, Any]) -> tuple[LinkEnd, ...]:
        statement = f"""
            select s.path, m.title, l.target, {_AROUND} {rows}
            order by s.path, l.seq limit :limit
        """
        return self._ends(statement, bound)

    def _ends(self, statement: str, bound: Mapping[str, Any]) -> tuple[LinkEnd, ...]:
        return tuple(map(_end, self._db.execute(statement, dict(bound))))


def where(known: Mapping[str, str], which: Mapping[str, Any]) -> str:
    return " and ".join(known[name] for name in which) or "true"


def _bound(which: Mapping[str, Any], limit: int = -1) -> dict[str, Any]:
    bound: dict[str, Any] = {"limit": limit}
    for name, value in which.items():
        bound[name] = value if isinstance(value, str) else json.dumps([*value])
    if "tag" in bound:
        bound["tag"] = bound["tag"].removeprefix("#").lower()
    return bound


@lru_cache(maxsize=4_000)
def headings_in(text: str) -> tuple[str, ...]:
    """Return the headings of a row; passages of one note share most of theirs."""
    if "\\" not in text:  # then every quotation mark begins a heading or ends it
        return tuple(text.split('"')[1::2])
    return tuple(json.loads(text))


def _pattern(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"{escaped}%"


def _fold(*values: Any) -> str:
    return fold(str(values[0]))


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
