"""The rows: what is written comes back, older and foreign files are told apart."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.errors import (
    BackupDamaged,
    GlassmindError,
    IndexAbsent,
    IndexDamaged,
    IndexTooNew,
)
from glassmind.files.names import name_key
from glassmind.model import Digest, NotePath
from glassmind.model.index import Document, FileFacts, Indexed, SplitRules
from glassmind.model.notes import Note
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.split import split
from glassmind.store.sqlite import schema
from glassmind.store.sqlite.change_log import ChangeLog, text_log
from glassmind.store.sqlite.connection import open_reader, open_writer
from glassmind.store.sqlite.rows import SqliteRows
from glassmind.store.sqlite.writer import SqliteWriter

LINES = (
    *("# Heading", "## Deeper #tag", "- [ ] open task", "- [x] done [[Link|shown]]"),
    *("text #tag/nested and #Tag", "[[Note#Part]]", "![[pic.png|100]]", "key:: value"),
    *("[md](Other%20Note.md)", "a block ^block-1", "> [!note]- Title\n> body"),
    *(
        "```\ncode [[no]]\n```",
        "  - [/] deeper",
        "[inline:: field]",
        "",
        "日本語 #日本",
    ),
)
HEADS = (
    "",
    "---\naliases: [One, Two]\ntags: [a, b/c]\ncount: 5\n---\n",
    '---\nrelated: "[[Link]]"\nlist: [1, two, 3.5, true, null]\n---\n',
    "---\nnested: {a: {b: 1}}\nempty:\n---\n",
    "---\nbroken: [unclosed\n---\n",
)
notes = st.tuples(
    st.sampled_from(HEADS), st.lists(st.sampled_from(LINES), max_size=12)
).map(lambda parts: parts[0] + "\n".join(parts[1]))


def written(vault: VaultHarness, statement: str) -> list[tuple[Any, ...]]:
    return vault.rows(f"{statement} order by seq")


def check_rows(vault: VaultHarness, note: Note) -> None:
    """Assert that every row of the one note says what was read."""
    front = note.frontmatter
    assert written(
        vault, "select level, text, line, start_byte, end_byte from headings"
    ) == [(h.level, h.text, h.line, h.start, h.end) for h in note.headings]
    assert written(
        vault,
        "select kind, embed, target, subpath, display, property, line, start_byte, "
        "end_byte from links",
    ) == [
        (
            k.kind,
            k.embed,
            k.target,
            k.subpath,
            k.display,
            k.property,
            k.line,
            k.start,
            k.end,
        )
        for k in note.links
    ]
    assert written(
        vault, "select name, in_properties, line, start_byte, end_byte from tags"
    ) == [(t.name, t.in_properties, t.line, t.start, t.end) for t in note.tags]
    assert written(
        vault,
        "select status, text, line, depth, parent_line, start_byte, end_byte "
        "from tasks",
    ) == [
        (t.status, t.text, t.line, t.depth, t.parent_line, t.start, t.end)
        for t in note.tasks
    ]
    found = written(vault, "select name, value from properties")
    assert {name: json.loads(value) for name, value in found} == dict(front.properties)
    assert [name for name, _ in found] == list(front.properties)
    assert written(vault, "select name, line, start_byte, end_byte from blocks") == [
        (b.name, b.line, b.start, b.end) for b in note.block_ids
    ]
    assert written(
        vault, "select key, value, form, line, start_byte, end_byte from fields"
    ) == [(f.key, f.value, f.form, f.line, f.start, f.end) for f in note.fields]
    assert written(
        vault, "select kind, title, fold, start_line, end_line from callouts"
    ) == [(c.kind, c.title, c.fold, c.span.start, c.span.end) for c in note.callouts]


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=notes)
def test_what_is_read_of_a_note_comes_back_from_the_rows(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    vault = VaultHarness(tmp_path_factory.mktemp("rows"))
    vault.indexed({"Note.md": text})

    note = read_note(NotePath("Note.md"), text)

    check_rows(vault, note)
    (row,) = vault.rows("select kind, title, aliases, error is null from notes")
    vault.close()
    aliases = json.dumps(list(note.aliases), separators=(",", ":"))
    assert row == ("markdown", "Note", aliases, note.frontmatter.error is None)


@settings(max_examples=12, deadline=None)
@given(text=notes)
def test_chunks_without_their_overlaps_are_the_note(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    vault = VaultHarness(tmp_path_factory.mktemp("chunks"))
    vault.open(index__chunk_target_tokens=20, index__chunk_overlap_tokens=5)
    vault.indexed({"Note.md": text})

    path, chunks = vault.engine.chunks("Note")
    vault.close()

    body = text.splitlines(keepends=True)
    assert path == "Note.md"
    for chunk in chunks:
        lines = "".join(body[chunk.lines.start - 1 : chunk.lines.end])
        assert chunk.text in lines
        assert 0 <= chunk.overlap <= len(chunk.text)
    assert [chunk.chunk_index for chunk in chunks] == list(range(len(chunks)))


def test_a_document_of_the_word_index_has_all_that_is_known_of_its_note(
    vault: VaultHarness,
) -> None:
    vault.indexed({
        "x/Tea 2024-01-02.md": "---\naliases: [Cha]\nn: 1\n---\n# Top\n\ntext #B #a/b\n"
    })  # fmt: skip
    db = open_reader(vault.folder)

    note_id, mtime = vault.rows("select id, mtime_ns from files")[0]
    found = text_log(db).current([note_id, 999])
    db.close()

    (document,) = found
    head, last = document.passages
    assert document == Document(
        note_id=note_id,
        path=NotePath("x/Tea 2024-01-02.md"),
        title="Tea 2024-01-02",
        aliases=["Cha"],
        tags=["a/b", "b"],
        properties=[("aliases", ["Cha"]), ("n", 1)],
        day="2024-01-02",
        mtime_ns=mtime,
        passages=[head, last],
    )
    assert (head.headings, list(last.headings)) == ([], ["Top"])
    assert "text #B" in last.text


def indexed(path: str, text: str) -> Indexed:
    note = read_note(NotePath(path), text)
    return Indexed(
        file=FileFacts(NotePath(path), "markdown", len(text), 5, 7),
        note=note,
        digest=Digest("0"),
        encoding="utf-8",
        day=None,
        chunks=split(note, SplitRules(target_tokens=20, min_chars=5)).chunks,
    )


def test_steps_that_are_taken_together_happen_all_or_none(tmp_path: Path) -> None:
    writer = SqliteWriter(tmp_path, name_key)
    writer.begin()

    with writer.together():
        with writer.transaction() as step:
            step.put_notes([indexed("a.md", "text")])
        with writer.transaction() as step:
            step.set("another", "step")
        begun_elsewhere = SqliteRows(open_reader(tmp_path)).setting("another")
    with suppress(ZeroDivisionError), writer.together():
        with writer.transaction() as step:
            step.put_notes([indexed("b.md", "text")])
        raise ZeroDivisionError
    log = text_log(open_reader(tmp_path))
    handed, known = log.current([2]), (log.pending(log.head()), log.pending("x:1:log"))
    paths = writer.rows().paths()
    with writer.transaction() as step:
        step.set("another", "alone")
    written = SqliteRows(open_reader(tmp_path)).setting("another")
    writer.close()

    assert begun_elsewhere is None
    assert known == (0, None)
    assert paths == ["a.md"]
    assert handed == []
    assert written == "alone"


@pytest.fixture
def log(vault: VaultHarness) -> Iterator[ChangeLog[Document]]:
    vault.indexed({"A.md": "a", "B.md": "b"})
    db = open_reader(vault.folder)
    yield text_log(db)
    db.close()


def test_a_log_knows_the_markers_it_gave_and_no_others(
    log: ChangeLog[Document],
) -> None:
    epoch, seq, token = log.head().split(":")

    assert log.holds(log.head())
    assert log.pending(log.head()) == 0
    assert log.after(log.head(), 10) == ([], log.head())
    for marker in (
        f"other:{seq}:{token}", f"{epoch}:{seq}:00", f"{epoch}:99:{token}",
        f"{epoch}:x:{token}", f"{epoch}:0:", "", ":::", "nonsense",
    ):  # fmt: skip
        assert not log.holds(marker)
        assert log.pending(marker) is None


def test_notes_come_by_path_in_batches(vault: VaultHarness) -> None:
    vault.indexed({"c.md": "1", "a.md": "2", "b.md": "3", "x.png": b"4"})
    db = open_reader(vault.folder)

    batches = list(text_log(db).all_notes(2))
    db.close()

    names = dict(vault.rows("select id, path from files"))
    assert [[names[i] for i in batch] for batch in batches] == [
        ["a.md", "b.md"],
        ["c.md"],
    ]


def test_a_fresh_file_has_the_current_schema_and_an_epoch_of_its_own(
    tmp_path: Path,
) -> None:
    epochs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        db = open_writer(tmp_path / name)
        assert schema.version_of(db) == schema.CURRENT
        assert db.pragma("application_id") == schema.APPLICATION_ID
        epochs.append(text_log(db).head())
        db.close()

    assert epochs[0] != epochs[1]


def test_opening_a_current_file_again_changes_nothing(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "a"})
    before = vault.rows("select * from settings order by key")

    open_writer(vault.folder).close()

    assert vault.rows("select * from settings order by key") == before


def tampered(vault: VaultHarness, statement: str) -> None:
    vault.close()
    db = vault.database()
    db.execute(statement)
    db.close()


def test_a_file_of_a_later_release_is_left_alone_and_said_to_be_so(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "a"})
    tampered(vault, "pragma user_version = 99")

    for ask in (lambda: vault.ask("a"), vault.index, vault.engine.stats):
        with pytest.raises(IndexTooNew, match="schema 99"):
            ask()

    assert not list(vault.folder.glob("*.broken*"))


def test_a_file_of_a_later_release_can_be_rebuilt_when_asked(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "alpha"})
    tampered(vault, "pragma user_version = 99")

    vault.index(rebuild=True)

    assert vault.found("alpha") == ["A.md"]


@pytest.mark.parametrize("version", [0, 7])
def test_the_database_of_another_program_is_set_aside_not_written_into(
    vault: VaultHarness, version: int
) -> None:
    vault.folder.mkdir(parents=True)
    other = vault.database()
    other.execute(
        "create table notes (mine text); insert into notes values ('keep me')"
    )
    other.pragma("user_version", version)
    other.close()

    report = vault.indexed({"A.md": "alpha"})

    (aside,) = vault.folder.glob("index.db.broken-*")
    db = apsw.Connection(str(aside))
    kept = db.execute("select mine from notes").get
    tables = db.execute("select count(*) from sqlite_master").get
    db.close()
    assert (kept, tables) == ("keep me", 1)
    assert any("kept as" in warning for warning in report.warnings)
    assert vault.found("alpha") == ["A.md"]


def test_a_file_that_is_no_database_is_told_by_a_reader_and_replaced_by_a_writer(
    vault: VaultHarness,
) -> None:
    vault.folder.mkdir(parents=True)
    (vault.folder / "index.db").write_bytes(b"not a database, but long enough" * 50)

    with pytest.raises(IndexDamaged):
        vault.ask("alpha")
    vault.indexed({"A.md": "alpha"})

    assert vault.found("alpha") == ["A.md"]


@pytest.mark.parametrize("content", [None, b""])
def test_no_file_and_an_empty_one_are_no_index_yet(
    tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "index.db").write_bytes(content)

    with pytest.raises(IndexAbsent):
        open_reader(tmp_path)


def test_a_reader_cannot_write(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "a"})
    db = open_reader(vault.folder)

    with pytest.raises(apsw.ReadOnlyError):
        db.execute("delete from notes")
    db.close()


def test_a_folder_with_odd_letters_in_its_name_can_hold_an_index(
    tmp_path: Path,
) -> None:
    vault = VaultHarness(tmp_path / "a?b#c%20 d&mode=rw é")
    vault.indexed({"A.md": "alpha"})

    assert vault.found("alpha") == ["A.md"]
    vault.close()


def test_a_backup_is_one_file_that_can_be_restored(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "alpha"})
    copy = vault.place / "copy.db"
    vault.engine.backup(copy)
    vault.remove("A.md")
    vault.indexed({"B.md": "beta"})

    vault.engine.restore(copy, force=True)

    assert [file.name for file in vault.place.iterdir() if file.is_file()] == [
        "copy.db"
    ]
    assert vault.found("alpha") == ["A.md"]
    assert vault.found("beta") == []


def test_after_a_restore_the_next_run_brings_the_vault_back(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "alpha"})
    copy = vault.place / "copy.db"
    vault.engine.backup(copy)
    vault.indexed({"B.md": "beta"})
    vault.engine.restore(copy)

    report = vault.index()

    assert (report.added, report.notes) == (1, 2)
    assert vault.found("beta") == ["B.md"]


@pytest.mark.parametrize("content", [b"", b"no database" * 100])
def test_a_backup_that_is_none_changes_nothing(
    vault: VaultHarness, content: bytes
) -> None:
    vault.indexed({"A.md": "alpha"})
    copy = vault.place / "copy.db"
    copy.write_bytes(content)

    with pytest.raises(BackupDamaged):
        vault.engine.restore(copy)

    assert vault.found("alpha") == ["A.md"]


def test_a_backup_never_replaces_a_file_and_names_what_it_cannot_write(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "alpha"})
    there = vault.place / "there.db"
    there.write_bytes(b"mine")

    with pytest.raises(GlassmindError, match="exists already"):
        vault.engine.backup(there)
    with pytest.raises(GlassmindError, match="nowhere"):
        vault.engine.backup(vault.place / "nowhere" / "copy.db")
    with pytest.raises(GlassmindError, match="missing"):
        vault.engine.restore(vault.place / "missing.db")

    assert there.read_bytes() == b"mine"
