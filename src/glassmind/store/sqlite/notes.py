"""Asking the rows: what is known, and what a hit says."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import apsw

from glassmind.errors import IndexDamaged
from glassmind.model import NotePath, Span
from glassmind.model.context import ProjectName, ProjectNote
from glassmind.model.index import Ghost, LinkEnd, NoteFacts, NoteLinks, NoteList, Stats
from glassmind.model.search import ChunkText
from glassmind.obsidian.properties import plain_name, projects_in, values_in
from glassmind.obsidian.text import fold, heading_address
from glassmind.store.sqlite.vectors import VectorRows

_STAMPS = "select path, stamp from files"
_STAMPS_IN = "select path, stamp from files where path >= ? and path < ?"
_STAMPS_OF = """
select f.path, f.stamp from json_each(?) k join files f on f.path = k.value
"""
_ANY_BELOW = "select exists (select 1 from files where path >= ? and path < ?)"
_ANY_UNSETTLED = "select exists (select 1 from links where settled = 0)"
_DIGESTS = "select f.path, n.digest from notes n join files f on f.id = n.id"
_HAS_SECRETS = "select 1 from sqlite_master where name = 'note_secrets'"
_SECRETS = """
select f.path, s.count from note_secrets s join files f on f.id = s.note_id
order by f.path
"""
_DIGESTS_OF = """
select f.path, n.digest from json_each(?) k join files f on f.path = k.value
join notes n on n.id = f.id
"""
_PATHS = "select path from files"
_NOTE_PATHS = "select f.path from files f join notes n on n.id = f.id"
_ID_OF = "select id from files where path = ?"
_SETTING = "select value from settings where key = ?"
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
_OWNER_AGREES = """
select (select x.id from chunks x where x.note_id = c.note_id
        and x.chunk_index = c.chunk_index) is c.id
from chunks c where c.id = ?
"""
_CHUNK_PLACES = """
select c.id, -f.mtime_ns, f.path, c.chunk_index
from chunks c join files f on f.id = c.note_id
where c.id in (select value from json_each(?))
"""
_LISTED_PLACES = """
select c.id, -coalesce(julianday(coalesce(n.day,
    date(f.mtime_ns / 1000000000, 'unixepoch', 'localtime'))), 0),
  -f.mtime_ns, f.path, c.chunk_index
from chunks c join notes n on n.id = c.note_id join files f on f.id = c.note_id
where c.id in (select value from json_each(?))
"""
_TROUBLED = """
select f.path, coalesce(n.error, json_extract(n.warnings, '$[0]'))
from notes n join files f on f.id = n.id
where n.error is not null or n.warnings <> '[]' order by f.path limit ?
"""
_TROUBLED_COUNT = """
select count(*) from notes where error is not null or warnings <> '[]'
"""
_NAMED = """
select f.path, n.title, n.aliases from notes n join files f on f.id = n.id
order by f.path
"""
_NOTES_AT = """
select f.path from files f join notes n on n.id = f.id
where f.path in (?, ?) order by f.path
"""
_NOTES_TITLED = """
select f.path from notes n join files f on f.id = n.id where n.title = ? order by f.path
"""
_NOTES_NAMED = """
select f.path from files f join notes n on n.id = f.id
where f.name_key = ? order by f.path
"""


class Rows:
    """A view of the rows at one moment of reading; owns nothing but its connection."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def stamps(self) -> dict[NotePath, int]:
        """Return the stamp of every known file."""
        rows: Any = self._db.execute(_STAMPS).fetchall()
        return dict(rows)

    def stamps_in(self, folder: str) -> dict[NotePath, int]:
        """Return the stamp of every known file directly in a folder; "" is the root."""
        start = f"{folder}/" if folder else ""
        bounds = (start, f"{folder}0" if folder else "\U0010ffff")  # "0" follows "/"
        found: Any = self._db.execute(_STAMPS_IN, bounds)
        return {path: stamp for path, stamp in found if "/" not in path[len(start) :]}

    def stamps_of(self, paths: Collection[str]) -> dict[NotePath, int]:
        """Return the stamps of those of some files that are known."""
        rows: Any = self._db.execute(_STAMPS_OF, (json.dumps(list(paths)),)).fetchall()
        return dict(rows)

    def any_below(self, path: str) -> bool:
        """Whether a file is known in the folder of that path, or in one below it."""
        return bool(self._db.execute(_ANY_BELOW, (f"{path}/", f"{path}0")).get)

    def digests(self) -> dict[NotePath, str]:
        """Return the content hash of every known note."""
        rows: Any = self._db.execute(_DIGESTS).fetchall()
        return dict(rows)

    def note_count(self) -> int:
        """Return how many notes are known."""
        return int(self._db.execute("select count(*) from notes").get)

    def is_settled(self) -> bool:
        """Whether every link has its end."""
        return not self._db.execute(_ANY_UNSETTLED).get

    def counts(self) -> tuple[int, int]:
        """Return how many notes and chunks there are."""
        chunks: Any = self._db.execute("select count(*) from chunks").get
        return self.note_count(), int(chunks)

    def secret_notes(self) -> dict[NotePath, int]:
        """Return the notes in which credentials are hidden, and how many in each."""
        if self._db.execute(_HAS_SECRETS).get is None:  # an older release wrote it
            return {}
        found: Any = self._db.execute(_SECRETS).fetchall()
        return dict(found)

    def digests_of(self, paths: Sequence[NotePath]) -> dict[NotePath, str]:
        """Return the content hash of those of some files that are known notes."""
        rows: Any = self._db.execute(_DIGESTS_OF, (json.dumps(paths),)).fetchall()
        return dict(rows)

    def paths(self) -> list[NotePath]:
        """Return every known file, notes and attachments, in no order."""
        return [row[0] for row in self._db.execute(_PATHS)]

    def note_paths(self) -> set[NotePath]:
        """Return every known note."""
        return {row[0] for row in self._db.execute(_NOTE_PATHS)}

    def named(self) -> list[tuple[NotePath, str, tuple[str, ...]]]:
        """Return path, title and aliases of every note, by path."""
        rows = self._db.execute(_NAMED)
        return [(path, title, tuple(json.loads(a))) for path, title, a in rows]

    def notes_at(self, path: str, other: str) -> list[NotePath]:
        """Return which of two paths are notes, by path."""
        return [row[0] for row in self._db.execute(_NOTES_AT, (path, other))]

    def notes_titled(self, title: str) -> list[NotePath]:
        """Return the notes of a title, to the letter, by path."""
        return [row[0] for row in self._db.execute(_NOTES_TITLED, (title,))]

    def notes_named(self, key: str) -> list[NotePath]:
        """Return the notes whose file names have a key of names, by path."""
        return [row[0] for row in self._db.execute(_NOTES_NAMED, (key,))]

    def id_of(self, path: NotePath) -> int:
        """Return the id of a known file."""
        return int(self._db.execute(_ID_OF, (path,)).get)

    def skipped(self) -> list[tuple[NotePath, str, bool]]:
        """Return what the last run skipped: path, reason, may it be a note."""
        rows = self._db.execute(
            "select path, reason, unknown from skipped order by path"
        )
        return [(path, reason, bool(unknown)) for path, reason, unknown in rows]

    def troubled(self, limit: int) -> tuple[int, list[tuple[NotePath, str]]]:
        """Count the notes with something to mend; name the first with what it is."""
        count = int(self._db.execute(_TROUBLED_COUNT).get)
        rows: Any = self._db.execute(_TROUBLED, (limit,)).fetchall()
        return count, rows

    def unfinished(self) -> bool:
        """Whether the last run of indexing was cut short."""
        last = "select seconds is null from index_runs order by id desc limit 1"
        return bool(self._db.execute(last).get)

    def is_whole(self) -> bool:
        """Whether any run of indexing came to its end."""
        ended = "select exists (select 1 from index_runs where seconds is not null)"
        return bool(self._db.execute(ended).get)

    def setting(self, key: str) -> str | None:
        """Return one remembered setting."""
        found = self._db.execute(_SETTING, (key,)).get
        return None if found is None else str(found)

    def chunk_places(self, chunk_ids: Sequence[int]) -> dict[int, tuple[int, str, int]]:
        """Return what ties are broken by: newest note, path, place in the note."""
        found = self._db.execute(_CHUNK_PLACES, (json.dumps(chunk_ids),))
        return {row[0]: row[1:] for row in found}

    def listed_places(
        self, chunk_ids: Sequence[int]
    ) -> dict[int, tuple[float, int, str, int]]:
        """Return what a list goes by: the note's day, its last change, path, place."""
        found: Any = self._db.execute(_LISTED_PLACES, (json.dumps(chunk_ids),))
        return {row[0]: row[1:] for row in found}

    def owner_agrees(self, chunk_id: int) -> bool:
        """Whether a chunk's row and the index of its table name the same note."""
        return bool(self._db.execute(_OWNER_AGREES, (chunk_id,)).get)

    def hit_rows(self, chunk_ids: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        """Return what a hit shows for each chunk that is still there, by chunk id.

        Raises:
            IndexDamaged: a row says another thing than the indexes of its table.
        """
        shown = {}
        found: Any = self._db.execute(_HIT_ROWS, (json.dumps(chunk_ids),))
        for row in found:
            if not row[-1]:
                raise IndexDamaged("index.db", f"{row[1]} is not where it was written")
            shown[row[0]] = row[:-1]
        return shown


_PATHS_EDIT_ROWS = "select path from files order by path"
_LINKING = """
select distinct f.path from links l join files f on f.id = l.note_id
where l.name_key in (select value from json_each(?)) order by f.path
"""
_INSIDE = "select path from files where path >= ? and path < ? order by path"
_TAGGED = """
select distinct f.path from tags t join files f on f.id = t.note_id
where t.folded = ?1 or (t.folded >= ?1 || '/' and t.folded < ?1 || '0')
order by f.path
"""
_OF_KIND = """
select f.path from notes n join files f on f.id = n.id
where n.kind = ? order by f.path
"""


class SqliteEditRows:
    """Where in a vault something is spoken of, over an open database."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def paths(self) -> list[NotePath]:
        """Return every file that a link may lead to."""
        return self._ask(_PATHS_EDIT_ROWS)

    def linking(self, keys: Collection[str], /) -> list[NotePath]:
        """Return the notes with a link whose target has one of these `name_key`s."""
        return self._ask(_LINKING, (json.dumps(sorted(keys)),))

    def inside(self, folder: str, /) -> list[NotePath]:
        """Return the files below a folder, all of them for the empty name."""
        if not folder:
            return self.paths()
        return self._ask(_INSIDE, (f"{folder}/", f"{folder}0"))  # "0" follows "/"

    def tagged(self, tag: str, /) -> list[NotePath]:
        """Return the notes with a tag, or one below it, in any case."""
        return self._ask(_TAGGED, (tag.removeprefix("#").lower(),))

    def of_kind(self, kind: str, /) -> list[NotePath]:
        """Return the notes of a kind, such as canvas or base."""
        return self._ask(_OF_KIND, (kind,))

    def _ask(self, statement: str, bound: tuple[str, ...] = ()) -> list[NotePath]:
        rows: Any = self._db.execute(statement, bound)
        return [NotePath(path) for (path,) in rows]


_NAMED_TRACE_ROWS = """
select f.path from files f join notes n on n.id = f.id
where f.name_key = ? order by f.path limit ?
"""
_UNDER = """
select distinct f.path from headings h join files f on f.id = h.note_id
where h.text = ? order by f.path limit ?
"""
_AROUND = """
select f.path, c.start_line, c.text from chunks c join files f on f.id = c.note_id
where c.start_line <= ? and c.end_line >= ? order by f.path, c.chunk_index
"""
_KNOWN = """
select f.path, f.size, f.mtime_ns from json_each(?) k join files f on f.path = k.value
"""


class TraceRows:
    """What an open database knows of notes that may be a former one."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def named(self, key: str, limit: int) -> list[NotePath]:
        """Return the first notes whose file names have a key of names; by path."""
        return [row[0] for row in self._ask(_NAMED_TRACE_ROWS, (key, limit))]

    def under(self, heading: str, limit: int) -> list[NotePath]:
        """Return the first notes that have a heading; by path."""
        return [row[0] for row in self._ask(_UNDER, (heading, limit))]

    def around(self, span: Span) -> Iterator[tuple[NotePath, int, str]]:
        """Yield the passages that hold these lines of their notes.

        Each with its path, the line it begins on and its text; by path.
        """
        yield from self._ask(_AROUND, (span.start, span.end))

    def stamps(self) -> dict[NotePath, int]:
        """Return every file that is known, with the stamp it was read by."""
        return dict(self._ask(_STAMPS, ()))

    def known(self, paths: Collection[NotePath]) -> dict[NotePath, tuple[int, int]]:
        """Return those of some files that are known, by size and time; in order."""
        found = self._ask(_KNOWN, (json.dumps(list(paths)),))
        return {path: (size, mtime_ns) for path, size, mtime_ns in found}

    def _ask(self, statement: str, bound: tuple[Any, ...]) -> Any:
        return self._db.execute(statement, bound)


_FOLDER = """
select n.id, f.path from notes n join files f on f.id = n.id
where :wide or instr('/' || lower(f.path), :inside) > 0
"""
_TAG = """
select n.id, f.path, t.folded from tags t
join notes n on n.id = t.note_id join files f on f.id = n.id
where :wide or t.folded = :tag or (t.folded > :below and t.folded < :after)
"""
_PROPERTY = """
select n.id, f.path, p.value from properties p
join notes n on n.id = p.note_id join files f on f.id = n.id
where p.name in (select value from json_each(:keys))
"""
_KEYS = "select distinct name from properties"
_TITLE = """
select n.id, f.path, n.title from notes n join files f on f.id = n.id
where :wide or lower(n.title) = :name
"""

_NAMED_PROJECT_ROWS = """
select value from properties where name in ('project', 'Project', 'PROJECT')
group by value limit :most
"""
_FOLDERS = """
select distinct rtrim(path, replace(path, '/', '')) from files
where path like '%/%' limit :most
"""
"""What is left of a path without the letters of its last part."""
_TAGS = "select folded from tags group by folded limit :most"

_MOST, _SHOWN, _ALIKE = 5_000, 3, 0.7
"""Names of each sort that are compared, those that are told, and how alike they are."""


class ProjectRows:
    """What an open database knows of projects."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def members(self, project: ProjectName) -> list[ProjectNote]:
        """Return the notes of a project, by path, each with the first rule it meets."""
        found: dict[int, ProjectNote] = {}
        for note in self._by_rules(project):
            found.setdefault(note.note_id, note)
        return sorted(found.values(), key=lambda note: note.path)

    def closest(self, name: str) -> tuple[str, ...]:
        """Return projects that a name may be a slip of, the closest first.

        What properties say, names of folders, and tags with their `#`; one word of a
        name is enough.
        """
        known: dict[str, str] = {}
        for said, folded in self._known():
            known.setdefault(folded, said)
        for folded, said in list(known.items()):
            for word in folded.split():
                known.setdefault(word, said)
        asked = fold(plain_name(name)).lstrip("#").strip("/")
        from difflib import get_close_matches  # noqa: PLC0415 - only after a typo

        found = get_close_matches(asked, known, n=2 * _SHOWN, cutoff=_ALIKE)
        return tuple(dict.fromkeys(known[one] for one in found))[:_SHOWN]

    def _known(self) -> Iterable[tuple[str, str]]:
        """Return all that may be called a project, with how it is compared."""
        bound = {"most": _MOST}
        for (value,) in self._ask(_NAMED_PROJECT_ROWS, bound):
            for said in projects_in(json.loads(value)):
                yield said, fold(said)
        for (above,) in self._ask(_FOLDERS, bound):
            for part in above.strip("/").split("/"):
                if part and not part.startswith("."):
                    yield part, fold(part)
        for (tag,) in self._ask(_TAGS, bound):
            yield f"#{tag}", fold(tag)

    def _by_rules(self, project: ProjectName) -> Iterable[ProjectNote]:
        if not project.name:
            return
        bare = project.form == "any"
        if bare or project.form == "property":
            yield from self._with_property(project)
        if bare or project.form == "folder":
            yield from self._in_folder(project.name)
        if bare or project.form == "tag":
            above = ("", "project/", "projects/") if bare else ("",)
            for kind in above:
                yield from self._tagged(f"{kind}{project.name}")
        if bare:
            yield from self._called(project.name)

    def _in_folder(self, name: str) -> Iterable[ProjectNote]:
        """Return the notes in a folder of that name, or below it.

        One with a `/` in it is a path from the vault.
        """
        folder, why = fold(name), f"in the folder {name}"
        bound = {"wide": not folder.isascii(), "inside": f"/{folder}/"}
        for note_id, path in self._ask(_FOLDER, bound):
            at = f"/{fold(path)}".find(f"/{folder}/")
            if at == 0 or (at > 0 and "/" not in folder):
                yield ProjectNote(note_id, path, why)

    def _tagged(self, name: str) -> Iterable[ProjectNote]:
        tag = fold(name).replace(" ", "-")
        wide = not tag.isascii()
        bound = {"wide": wide, "tag": tag, "below": f"{tag}/", "after": f"{tag}0"}
        for note_id, path, found in self._ask(_TAG, bound):
            if f"{fold(found)}/".startswith(f"{tag}/"):
                yield ProjectNote(note_id, path, f"tagged #{name}")

    def _called(self, name: str) -> Iterable[ProjectNote]:
        title = fold(name)
        bound = {"wide": not title.isascii(), "name": title}
        for note_id, path, found in self._ask(_TITLE, bound):
            if fold(found) == title:
                yield ProjectNote(note_id, path, "the note of that name")

    def _with_property(self, project: ProjectName) -> Iterable[ProjectNote]:
        key, name = fold(project.key), fold(project.name)
        keys = [found for (found,) in self._ask(_KEYS, {}) if fold(found) == key]
        for note_id, path, value in self._ask(_PROPERTY, {"keys": json.dumps(keys)}):
            if name in map(fold, values_in(json.loads(value))):
                yield ProjectNote(note_id, path, f"{project.key}: {project.name}")

    def _ask(self, statement: str, bound: Mapping[str, Any]) -> Iterable[Any]:
        return self._db.execute(statement, bound)


_COUNTS = """
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
_LAST_RUN = """
select started_at from index_runs where seconds > 0 order by id desc limit 1
"""
_REASONS = "select reason, count(*) from skipped group by reason order by 2 desc, 1"
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
_LIST = f"{_FACTS} {_PASSING}"
_FACTS_OF = f"{_FACTS} where f.path = ?"
_PAGE = " order by f.path limit :limit offset :offset"
_NEWEST = " order by f.mtime_ns desc, f.path limit :limit offset :offset"
_CHUNKS_OF = """
select c.chunk_index, c.kind, c.heading_path, c.start_line, c.end_line, c.tokens,
  c.overlap, c.digest, c.text
from chunks c join files f on f.id = c.note_id where f.path = ? order by c.chunk_index
"""
_LINKS = """
from links l join files s on s.id = l.note_id
  left join files t on t.id = l.target_id left join notes n on n.id = l.target_id
"""
_OUTGOING_ROWS = f"""
{_LINKS} where s.path = :path and l.target <> '' and l.target_id is not l.note_id
  and (l.target_id is null or n.id is not null)
"""
_INCOMING_ROWS = f"""
{_LINKS} join notes m on m.id = l.note_id
where t.path = :path and l.note_id <> l.target_id
"""
_AROUND_CATALOGUE = """
coalesce(l.property, ''), l.embed, l.line,
  (select json_array(l.line - c.start_line, c.text) from chunks c
   where c.note_id = l.note_id and l.line between c.start_line and c.end_line
   order by c.chunk_index limit 1)
"""
_OUTGOING = f"""
select t.path, coalesce(n.title, l.target), l.target, {_AROUND_CATALOGUE}
{_OUTGOING_ROWS}
order by l.seq limit :limit
"""
_INCOMING = f"""
select s.path, m.title, l.target, {_AROUND_CATALOGUE} {_INCOMING_ROWS}
order by s.path, l.seq limit :limit
"""
_OUTGOING_COUNT = f"select count(*) {_OUTGOING_ROWS}"
_INCOMING_COUNT = f"select count(*) {_INCOMING_ROWS}"

_GHOSTS = """
select min(target), count(*) from links
where target_id is null and target <> '' and settled
group by lower(target) order by lower(target)
"""

_TO_GHOST_ROWS = f"""
{_LINKS} join notes m on m.id = l.note_id
where l.target_id is null and fold(l.target) in (:name, :name || '.md')
"""
_GHOST = f"select min(l.target), count(*) {_TO_GHOST_ROWS}"
_TO_GHOST = f"""
select s.path, m.title, l.target, {_AROUND_CATALOGUE} {_TO_GHOST_ROWS}
order by s.path, l.seq limit :limit
"""

_LONGEST_CONTEXT = 500
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
        counts: Any = next(iter(self._db.execute(_COUNTS)))
        notes, chunks, tags, links, ghosts, attachments, tasks, headings = counts[:8]
        found: Any = self._db.execute(_REASONS).fetchall()
        reasons: dict[str, int] = dict(found)
        last: Any = self._db.execute(_LAST_RUN).get
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
        total: Any = self._db.execute(f"select count(*) from ({_LIST})", bound).get  # noqa: S608 - our own constant
        page = self._db.execute(_LIST + (_NEWEST if newest else _PAGE), bound)
        return NoteList([_note(row) for row in page], int(total))

    def chunks_of(self, path: NotePath) -> list[ChunkText]:
        """Return a note's chunks in order."""
        rows: Any = self._db.execute(_CHUNKS_OF, (path,))
        found = []
        for index, kind, headings, first, last, *rest in rows:
            under = tuple(json.loads(headings))
            heading, lines = heading_address(path, under), Span(first, last)
            found.append(ChunkText(index, kind, under, heading, lines, *rest))
        return found

    def links_of(self, path: NotePath, *, limit: int) -> NoteLinks:
        """Return a note of the index with its links, each way the first so many."""
        (note,) = map(_note, self._db.execute(_FACTS_OF, (path,)))
        bound = {"path": path, "limit": limit}
        out: Any = self._db.execute(_OUTGOING, bound)
        inward: Any = self._db.execute(_INCOMING, bound)
        counts: Any = [
            self._db.execute(count, {"path": path}).get
            for count in (_OUTGOING_COUNT, _INCOMING_COUNT)
        ]
        return NoteLinks(note, tuple(map(_end, out)), tuple(map(_end, inward)), *counts)

    def ghosts(self) -> list[Ghost]:
        """Return the names that links lead to in vain, in order."""
        return [Ghost(*row) for row in self._db.execute(_GHOSTS)]

    def ghost(self, name: str, *, limit: int) -> Ghost | None:
        """Return one such name, in whatever case, with the first links to it."""
        bound = {"name": _fold(name).removesuffix(".md"), "limit": limit}
        target, count = next(iter(self._db.execute(_GHOST, bound)))
        if not count:
            return None
        return Ghost(
            target, count, tuple(map(_end, self._db.execute(_TO_GHOST, bound)))
        )


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
    return whole if len(whole) <= _LONGEST_CONTEXT else line[:_LONGEST_CONTEXT]


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
