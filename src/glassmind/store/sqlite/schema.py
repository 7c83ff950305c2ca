"""The tables of `index.db`, and the version of its schema.

Ids are never used twice (`autoincrement`): a sidecar that still names the chunk of an
old note then finds no row, rather than the passage of another note. Types are strict
and JSON is checked, so that an examination finds the row that a damaged disk changed.
"""

import os

import apsw

OF_NOTES = (
    "chunks", "headings", "tags", "properties", "tasks", "blocks", "fields", "callouts"
)  # fmt: skip
"""Tables whose rows have the id of their note; `links` is another."""

APPLICATION_ID = 0x676C6D64
"""The letters "glmd": tells our files from any other SQLite database."""

_PART = """
  note_id integer not null references notes(id) on delete cascade,
  seq integer not null
"""
_PLACED = """
  line integer not null, start_byte integer not null, end_byte integer not null
"""
_PART_KEY = "primary key (note_id, seq)) without rowid, strict"
_LOGGED = """
  seq integer primary key autoincrement,
  note_id integer not null,
  token blob not null) strict
"""
_TABLES = f"""
create table settings (
  key text primary key, value text not null
) without rowid, strict;
create table files (
  id integer primary key autoincrement,
  path text not null unique,
  kind text not null,
  size integer not null,
  mtime_ns integer not null,
  stamp integer not null,
  disk_path text,
  name_key text not null
) strict;
create index files_by_name on files(name_key);
create index files_by_time on files(mtime_ns);
create table notes (
  id integer primary key references files(id) on delete cascade,
  kind text not null,
  title text not null,
  digest text not null,
  encoding text not null,
  day text,
  aliases text not null check (json_valid(aliases) and aliases like '[%'),
  error text,
  warnings text not null
) strict;
create index notes_by_digest on notes(digest);
create index notes_by_title on notes(title);
create index notes_by_day on notes(day) where day is not null;
create table chunks (
  id integer primary key autoincrement,
  note_id integer not null references notes(id) on delete cascade,
  chunk_index integer not null,
  kind text not null,
  heading_path text not null
    check (json_valid(heading_path) and heading_path like '[%'),
  start_line integer not null,
  end_line integer not null,
  overlap integer not null,
  tokens integer not null,
  digest text not null,
  text text not null,
  start_byte integer not null,
  unique (note_id, chunk_index)
) strict;
create index chunks_by_byte on chunks(note_id, start_byte);
create table headings (
  {_PART},
  level integer not null,
  text text not null,
  {_PLACED},
  {_PART_KEY};
create table links (
  {_PART},
  kind text not null,
  embed integer not null,
  target text not null,
  subpath text,
  display text,
  property text,
  {_PLACED},
  name_key text not null,
  target_id integer references files(id) on delete set null,
  settled integer not null default 0,
  {_PART_KEY};
create index links_by_name on links(name_key);
create index links_by_target on links(target_id);
create index links_unsettled on links(settled) where settled = 0;
create table tags (
  {_PART},
  name text not null,
  folded text not null,
  in_properties integer not null,
  {_PLACED},
  {_PART_KEY};
create index tags_by_name on tags(folded);
create table properties (
  {_PART},
  name text not null,
  value text not null check (json_valid(value)),
  {_PART_KEY};
create index properties_by_name on properties(name);
create table tasks (
  {_PART},
  status text not null,
  text text not null,
  line integer not null,
  depth integer not null,
  parent_line integer,
  start_byte integer not null,
  end_byte integer not null,
  {_PART_KEY};
create table blocks (
  {_PART},
  name text not null,
  {_PLACED},
  {_PART_KEY};
create table fields (
  {_PART},
  key text not null,
  value text not null,
  form text not null,
  {_PLACED},
  {_PART_KEY};
create table callouts (
  {_PART},
  kind text not null,
  title text not null,
  fold text not null,
  start_line integer not null,
  end_line integer not null,
  start_byte integer not null,
  end_byte integer not null,
  {_PART_KEY};
create table skipped (
  path text primary key, reason text not null, unknown integer not null
) without rowid, strict;
create table changes (
  {_LOGGED};
create table index_runs (
  id integer primary key autoincrement,
  started_at text not null,
  reason text not null,
  seconds real,
  added integer not null default 0,
  changed integer not null default 0,
  moved integer not null default 0,
  removed integer not null default 0,
  unchanged integer not null default 0,
  failures text not null default '[]'
) strict;
"""
_VECTORS = f"""
create table spaces (
  id integer primary key autoincrement,
  name text not null unique,
  width integer not null check (width > 0),
  settings text not null check (json_valid(settings)),
  created text not null
) strict;
create table vectors (
  id integer primary key autoincrement,
  space_id integer not null references spaces(id),
  key blob not null check (length(key) = 16),
  digest blob not null,
  rows blob not null,
  unique (space_id, key)
) strict;
create table chunk_vectors (
  chunk_id integer not null references chunks(id) on delete cascade,
  space_id integer not null references spaces(id),
  vector_id integer not null references vectors(id),
  enriched integer not null default 0,
  primary key (chunk_id, space_id)
) without rowid, strict;
create index chunk_vectors_by_vector on chunk_vectors(vector_id);
create table note_vectors (
  note_id integer not null references notes(id) on delete cascade,
  space_id integer not null references spaces(id),
  vector blob not null,
  primary key (note_id, space_id)
) without rowid, strict;
create table vector_changes (
  {_LOGGED};
"""
"""The keys begin with the chunk and the note, so that dropping one finds its rows."""
_ANSWERS = """(
  select s.id from settings t join spaces s on s.name = t.value where t.key = 'space'
)"""
_KNOWLEDGE = f"""
create table link_changes (
  {_LOGGED};
create table pairs (
  note_id integer not null,
  other_id integer not null,
  similarity real not null,
  primary key (note_id, other_id)
) without rowid, strict;
create index pairs_by_other on pairs(other_id);
create table pair_changes (
  seq integer primary key autoincrement,
  note_id integer not null,
  token blob not null default (randomblob(8))
) strict;
create index pair_changes_by_note on pair_changes(note_id);
create trigger note_vector_put after insert on note_vectors
when new.space_id = {_ANSWERS} begin
  insert into pair_changes (note_id) values (new.note_id);
end;
create trigger note_vector_gone after delete on note_vectors
when old.space_id = {_ANSWERS} begin
  insert into pair_changes (note_id) values (old.note_id);
end;
create trigger note_moved after update of path on files
when exists (select 1 from note_vectors v where v.note_id = new.id) begin
  insert into pair_changes (note_id) values (new.id);
end;
create table themes (
  id integer primary key autoincrement,
  label text not null,
  summary text not null check (json_valid(summary))
) strict;
create table theme_members (
  note_id integer primary key references files(id) on delete cascade,
  theme_id integer not null references themes(id) on delete cascade,
  influence real not null
) without rowid, strict;
create index theme_members_by_theme on theme_members(theme_id);
"""
"""A row of `pairs` says that a note is among the most similar of another. It outlives
its notes, which are written anew at every change: who pairs notes reads in
`pair_changes` whose vectors came or went since, and who reads pairs leaves out those of
no note. A note is in one theme at most. It stays there while it is written anew, so
that a theme is known again: its file is, all the time. Pairs
are made of the vectors that answer; who lets another space answer logs all notes."""

_MEMORY = """
create table memory_events (
  id integer primary key autoincrement,
  at text not null,
  verb text not null,
  client text not null,
  path text not null,
  file_id integer references files(id) on delete set null
) strict;
create index memory_events_by_time on memory_events(at);
create index memory_events_by_file on memory_events(file_id)
  where file_id is not null;
"""
"""A row says that a note was handed out. Rows are only added, and the oldest go when
they warm nothing any more; a note that moves keeps its own by its file."""

_SECRETS = """
create table note_secrets (
  note_id integer primary key references notes(id) on delete cascade,
  count integer not null check (count > 0)
) strict;
"""
"""How many credentials were hidden in a note before it was kept; most have no row."""


CURRENT = OLDEST = 6
"""Versions of the schema: this one, and the oldest that a migration can begin from."""


def version_of(db: apsw.Connection) -> int:
    """Return how many migrations the file has seen; 0 for an empty file."""
    return int(db.pragma("user_version"))


def migrate(db: apsw.Connection) -> None:
    """Make the tables of an empty file."""
    if version_of(db) == CURRENT:
        return
    db.execute("begin immediate")
    try:
        db.execute(f"{_TABLES}{_VECTORS}{_KNOWLEDGE}{_MEMORY}{_SECRETS}")
        db.execute("insert into settings values ('epoch', ?)", (os.urandom(8).hex(),))
        db.execute(f"pragma application_id = {APPLICATION_ID}")
        db.execute(f"pragma user_version = {CURRENT}")
    except BaseException:
        db.execute("rollback")
        raise
    db.execute("commit")
