"""An index inside a vault is used only if this user built it and nobody changed it."""

import shutil
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import apsw
import pytest
from vault_harness import VaultHarness

from glassmind import Engine, open_vault
from glassmind.errors import (
    GlassmindError,
    IndexAbsent,
    IndexUntrusted,
    IndexUnwritable,
)
from glassmind.model.index import Progress

NOTES = {"Tea.md": "oolong is steeped at 90 degrees", "Links.md": "see [[Tea]]"}
FORGED = "oolong is steeped with FORGED poison"

PLACES = {"vault": ".agent/cache", "plugin": ".obsidian/plugins/glassmind"}


@pytest.fixture(params=PLACES)
def inside(vault: VaultHarness, request: pytest.FixtureRequest) -> Path:
    """Index a vault whose index is inside it, and return the folder of index.db."""
    vault.open(index__location=request.param)
    vault.indexed(NOTES)
    vault.close()
    return vault.root / PLACES[request.param]


def forge(folder: Path) -> None:
    """Change what the index says of a note, as a sound database."""
    with closing(apsw.Connection(str(folder / "index.db"))) as db:
        db.execute("update chunks set text = ? where text like 'oolong%'", (FORGED,))
        assert db.changes() == 1


def as_another_user(vault: VaultHarness, location: str = "vault") -> Engine:
    """Open the vault with another home."""
    home = str(vault.root.parent / "another-home")
    settings = {"index.location": location, "embeddings.backend": "none"}
    return open_vault(vault.root, settings=settings, env={"HOME": home})


def told(engine: Engine, text: str) -> str:
    """Return the text of the best hit."""
    return engine.search(text).hits[0].snippet.text


def test_an_index_inside_the_vault_answers_its_user(
    vault: VaultHarness, inside: Path
) -> None:
    vault.open()
    assert vault.found("oolong") == ["Tea.md"]
    vault.indexed({"New.md": "sencha"})
    assert vault.found("sencha") == ["New.md"]
    vault.close()

    vault.open()
    assert vault.found("sencha") == ["New.md"]
    assert vault.index().warnings == ()
    assert vault.index(verify=True).warnings == ()
    assert vault.index(rebuild=True).warnings == ()
    assert (inside / "index.db").is_file()


def test_rows_that_another_program_edited_are_not_served(
    vault: VaultHarness, inside: Path
) -> None:
    forge(inside)
    vault.open()

    with pytest.raises(IndexUntrusted, match="glassmind index"):
        vault.ask("oolong")
    report = vault.index()

    assert [w for w in report.warnings if "rebuilt" in w] == list(report.warnings)
    assert len(report.warnings) == 1
    assert str(inside) in report.warnings[0]
    assert told(vault.engine, "oolong") == NOTES["Tea.md"]
    assert vault.index().warnings == ()


def test_rows_edited_under_an_open_engine_are_not_served(
    vault: VaultHarness, inside: Path
) -> None:
    vault.open()
    assert vault.found("oolong") == ["Tea.md"]
    forge(inside)

    with pytest.raises(IndexUntrusted):
        vault.ask("oolong")


@pytest.mark.parametrize("how", ["vault", "plugin", "data"])
def test_an_index_that_came_with_the_vault_is_not_believed(
    vault: VaultHarness, inside: Path, how: str
) -> None:
    forge(inside)

    with as_another_user(vault, how) as engine:
        with pytest.raises(IndexAbsent):
            engine.search("oolong")
        engine.index()
        assert told(engine, "oolong") == NOTES["Tea.md"]


def test_a_log_that_came_with_the_vault_is_not_replayed(
    vault: VaultHarness, inside: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(inside, copy)
    with closing(apsw.Connection(str(copy / "index.db"))) as db:
        db.pragma("journal_mode", "wal")
        db.execute("update chunks set text = ? where text like 'oolong%'", (FORGED,))
        shutil.copyfile(copy / "index.db-wal", inside / "index.db-wal")
    vault.open()

    with pytest.raises(IndexUntrusted):
        vault.ask("oolong")
    vault.index()

    assert told(vault.engine, "oolong") == NOTES["Tea.md"]


def test_an_older_copy_of_the_own_index_is_not_believed(
    vault: VaultHarness, inside: Path, tmp_path: Path
) -> None:
    shutil.copytree(inside, tmp_path / "copy")
    vault.open()
    vault.indexed({"Tea.md": "sencha"})
    vault.close()
    shutil.rmtree(inside)
    shutil.copytree(tmp_path / "copy", inside)
    vault.open()

    with pytest.raises(IndexUntrusted):
        vault.ask("oolong")


def test_only_the_rows_are_inside_the_vault(vault: VaultHarness, inside: Path) -> None:
    vault.open()
    vault.ask("oolong")
    assert vault.engine.status().sizes["words"] > 0
    assert vault.engine.status().folder == str(inside)
    vault.close()

    assert [file.name for file in inside.iterdir()] == ["index.db"]


def test_a_rebuild_removes_what_else_came_with_the_vault(
    vault: VaultHarness, inside: Path
) -> None:
    (state,) = vault.root.parent.joinpath("home").rglob("vault-index.json")
    shutil.copytree(state.parent / "lexical", inside / "lexical")
    (inside / "vectors" / "space-0").mkdir(parents=True)
    (inside / "vectors" / "space-0" / "header").write_bytes(b"shipped")
    forge(inside)
    vault.open()

    vault.index()

    names = {file.name.partition(".broken-")[0] for file in inside.rglob("*")}
    assert names == {"index.db", "vectors"}
    assert vault.found("oolong") == ["Tea.md"]


def test_a_run_that_fails_leaves_an_index_that_is_still_trusted(
    vault: VaultHarness, inside: Path
) -> None:
    def stop(progress: Progress) -> None:
        if progress.stage == "read":
            raise KeyboardInterrupt

    vault.open()
    vault.write({"New.md": "sencha"})
    with pytest.raises(KeyboardInterrupt):
        vault.index(progress=stop)

    assert vault.found("oolong") == ["Tea.md"]
    assert vault.index().warnings == ()
    assert (inside / "index.db").is_file()


def test_a_search_during_a_run_is_answered(vault: VaultHarness, inside: Path) -> None:
    found: list[list[str]] = []

    def look(progress: Progress) -> None:
        if progress.stage == "read":
            with as_same_user(vault) as other:
                found.append([hit.path for hit in other.search("oolong").hits])

    vault.open()
    vault.write({"New.md": "sencha"})
    vault.index(progress=look)

    assert found == [["Tea.md"]]
    assert (inside / "index.db").is_file()


def test_searches_beside_a_writer_are_all_answered(
    vault: VaultHarness, inside: Path
) -> None:
    stop, faults = Event(), list[str]()

    def search() -> None:
        with as_same_user(vault) as other:
            while not stop.is_set():
                try:
                    faults.extend([] if other.search("oolong").hits else ["no hits"])
                except GlassmindError as error:
                    faults.append(str(error))

    vault.open()
    thread = Thread(target=search)
    thread.start()
    try:
        for number in range(10):
            vault.write({"New.md": f"sencha number{number}"})
            assert vault.index().warnings == ()
    finally:
        stop.set()
        thread.join(timeout=60)
    assert faults == []
    assert (inside / "index.db").is_file()


def as_same_user(vault: VaultHarness) -> Engine:
    home = str(vault.root.parent / "home")
    return open_vault(vault.root, settings=vault.settings, env={"HOME": home})


def test_a_run_that_was_killed_while_it_wrote_leads_to_a_rebuild(
    vault: VaultHarness, inside: Path
) -> None:
    (record,) = vault.root.parent.joinpath("home").rglob("vault-index.json")
    record.write_text('"writing"')
    vault.open()

    with pytest.raises(IndexUntrusted):
        vault.ask("oolong")
    assert "rebuilt" in vault.index().warnings[0]
    assert vault.found("oolong") == ["Tea.md"]
    assert (inside / "index.db").is_file()


def test_without_a_data_folder_no_index_is_kept_in_the_vault(
    vault: VaultHarness,
) -> None:
    vault.write(NOTES)
    home = vault.root.parent / "home"
    home.mkdir()
    (home / ".local").write_text("a file where the data folder would be")

    with (
        as_same_user_in(vault, "vault") as engine,
        pytest.raises(IndexUnwritable),
    ):
        engine.index()

    assert not (vault.root / ".agent").exists()


def as_same_user_in(vault: VaultHarness, location: str) -> Engine:
    vault.settings["index.location"] = location
    return as_same_user(vault)


def test_the_doctor_says_that_an_index_is_not_trusted(
    vault: VaultHarness, inside: Path
) -> None:
    forge(inside)

    checks = vault.open().doctor()

    (check,) = [check for check in checks if check.name == "index"]
    assert check.state == "warn"
    assert "changed by another program" in check.finding


def test_an_error_names_the_folder_and_the_command() -> None:
    error: GlassmindError = IndexUntrusted("/notes/.agent/cache")

    assert str(error) == (
        "The index in /notes/.agent/cache was not built here, or was changed by "
        "another program. Run: glassmind index"
    )
