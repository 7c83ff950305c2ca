"""`index --verify` compares every row that comes from a note with the note's file."""
# ruff: noqa: S608 - the statements are ours

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import apsw
import pytest
import xxhash
from vault_harness import VaultHarness

NOTE = """---
aliases: [Brew]
origin: Fujian
tags: [drinks/tea]
---
# Steeping

Oolong is steeped at 90 degrees, see [[Pot]] and ![[leaf.png]]. ^steep

- [ ] buy leaves
- [x] boil water #done

> [!tip] Patience
> Wait.

season:: spring
"""
FILES: dict[str, str | bytes] = {
    "Tea.md": NOTE,
    "Pot.md": "a pot of clay, for [[Tea]]",
    "leaf.png": b"\x89PNG",
    "Other/Pan.md": "---\ntitle: Pan\n---\na pan",
}
FORGED = "Oolong is poison, FORGED"
TEA = "(select id from files where path = 'Tea.md')"
POT = "(select id from files where path = 'Pot.md')"

TABLES = (
    "notes", "chunks", "headings", "links", "tags", "properties", "tasks", "blocks",
    "fields", "callouts", "note_secrets",
)  # fmt: skip

TAMPERED = {
    "chunk text": f"update chunks set text = '{FORGED}', digest = "
    f"'{xxhash.xxh3_128_hexdigest(FORGED.encode())}' where note_id = {TEA}",
    "chunk lines": f"update chunks set start_line = 1, end_line = 99 "
    f"where note_id = {TEA}",
    "chunk heading": f"update chunks set heading_path = '[\"FORGED\"]' "
    f"where note_id = {TEA}",
    "chunk removed": f"delete from chunks where note_id = {POT}",
    "title": f"update notes set title = 'FORGED' where id = {TEA}",
    "alias": f"update notes set aliases = '[\"FORGED\"]' where id = {TEA}",
    "day": f"update notes set day = '2001-01-01' where id = {TEA}",
    "warning": f"update notes set warnings = '[\"FORGED\"]' where id = {TEA}",
    "heading": "update headings set text = 'FORGED'",
    "heading removed": "delete from headings",
    "link": "update links set target = 'FORGED', name_key = 'forged'",
    "link end": f"update links set target_id = {POT} where note_id = {POT}",
    "link end removed": "update links set target_id = null",
    "link removed": "delete from links",
    "tag": "update tags set name = 'FORGED', folded = 'forged'",
    "tag added": f"insert into tags select id, 99, 'f', 'f', 0, 1, 0, 1 from notes "
    f"where id = {POT}",
    "property": "update properties set value = '\"FORGED\"'",
    "task": "update tasks set text = 'FORGED', status = '!'",
    "block": "update blocks set name = 'forged'",
    "field": "update fields set value = 'FORGED'",
    "callout": "update callouts set title = 'FORGED'",
    "secrets": f"insert into note_secrets values ({TEA}, 7)",
    "file kind": "update files set kind = 'canvas' where path = 'Tea.md'",
    "file name": "update files set name_key = 'forged' where path = 'Pot.md'",
    "file path": "update files set path = 'Forged.md' where path = 'Tea.md'",
    "note of a picture": "insert into notes select f.id, n.kind, 'FORGED', 'x', "
    "n.encoding, n.day, n.aliases, n.error, n.warnings from files f, notes n "
    "where f.path = 'leaf.png' limit 1",
    "note of no file": "insert into files (path, kind, size, mtime_ns, stamp, name_key)"
    " values ('FORGED.md', 'markdown', 1, 1, 1, 'forged')",
}


def dump(folder: Path) -> dict[str, list[str]]:
    """Return every row that comes from a file, with paths for ids."""
    with closing(apsw.Connection(str(folder / "index.db"))) as db:
        paths = dict(db.execute("select id, path from files"))
        found = {
            "files": list(db.execute(
                "select path, kind, size, mtime_ns, disk_path, name_key from files"
            )),
            "links": list(db.execute("select note_id, seq, target_id from links")),
        }  # fmt: skip
        found["links"] = [(paths[i], n, paths.get(end)) for i, n, end in found["links"]]
        for table in TABLES:
            names = columns(db, table)
            owner = "id" if table == "notes" else "note_id"
            rest = ", ".join(names - {"id", "note_id", "target_id"})
            rows = db.execute(f"select {owner}, {rest} from {table}")
            found[f"rows of {table}"] = [(paths[i], *row) for i, *row in rows]
    return {table: sorted(map(repr, rows)) for table, rows in found.items()}


def columns(db: apsw.Connection, table: str) -> set[str]:
    return {str(row[1]) for row in db.execute(f"pragma table_info({table})")}


def tamper(vault: VaultHarness, statements: Iterable[str]) -> None:
    with closing(vault.database()) as db:
        for statement in statements:
            db.execute(statement)
            assert db.changes(), statement


@pytest.fixture
def fresh(vault: VaultHarness) -> dict[str, list[str]]:
    """Index the files, and return the rows."""
    vault.indexed(FILES)
    vault.close()
    return dump(vault.folder)


@pytest.mark.parametrize("what", TAMPERED)
def test_a_row_that_does_not_match_its_file_is_repaired(
    vault: VaultHarness, fresh: dict[str, list[str]], what: str
) -> None:
    tamper(vault, [TAMPERED[what]])
    assert dump(vault.folder) != fresh

    report = vault.index(verify=True)
    vault.close()

    assert dump(vault.folder) == fresh
    assert report.notes == 3
    assert "FORGED" not in str(vault.ask("poison forged").hits)


def test_a_verified_index_equals_a_new_one(
    vault: VaultHarness, fresh: dict[str, list[str]], tmp_path: Path
) -> None:
    both_notes = {"file path", "chunk removed", "heading removed", "link removed"}
    tamper(vault, [TAMPERED[name] for name in TAMPERED if name not in both_notes])

    report = vault.index(verify=True)
    vault.close()

    assert dump(vault.folder) == fresh
    repaired = [line for line in report.warnings if "did not match" in line]
    assert len(repaired) == 1
    assert "Pot.md" in repaired[0]
    assert "Tea.md" in repaired[0]
    assert vault.index(verify=True).warnings == ()


def test_the_words_of_a_repaired_note_are_found_again(
    vault: VaultHarness, fresh: dict[str, list[str]]
) -> None:
    del fresh
    tamper(vault, [TAMPERED["chunk text"]])
    vault.index(compact=True)
    assert vault.found("poison") == ["Tea.md"]

    report = vault.index(verify=True)

    assert (report.changed, report.unchanged) == (1, 2)
    assert vault.found("poison") == []
    assert vault.found("steeped") == ["Tea.md"]


def test_a_moved_note_is_compared_too(
    vault: VaultHarness, fresh: dict[str, list[str]]
) -> None:
    del fresh
    tamper(vault, [TAMPERED["chunk text"]])
    vault.move("Tea.md", "Drinks/Tea.md")

    report = vault.index(verify=True)

    assert report.moved == 1
    assert vault.found("steeped") == ["Drinks/Tea.md"]
    assert "FORGED" not in str(vault.rows("select text from chunks"))


def test_a_forged_label_of_a_theme_is_worked_out_again(vault: VaultHarness) -> None:
    groups = [[f"{letter}{n}" for n in range(6)] for letter in "ab"]
    vault.indexed({
        f"{name}.md": " ".join(f"[[{other}]]" for other in group if other != name)
        for group in groups
        for name in group
    })  # fmt: skip
    labels = [theme.label for theme in vault.engine.knowledge.themes().themes]
    assert len(labels) == 2
    vault.close()
    tamper(vault, ["update themes set label = 'FORGED'"])

    vault.index(verify=True)
    vault.engine.knowledge.themes()

    assert vault.rows("select label from themes order by 1") == [
        (label,) for label in sorted(labels)
    ]


def test_sound_rows_are_not_written_again(
    vault: VaultHarness, fresh: dict[str, list[str]]
) -> None:
    heads = "select max(seq) from changes union all select max(seq) from link_changes"
    before = vault.rows(heads)

    report = vault.index(verify=True)

    assert (report.changed, report.unchanged, report.warnings) == (0, 3, ())
    assert vault.rows(heads) == before
    vault.close()
    assert dump(vault.folder) == fresh
