"""What is handed out goes on record outside of the vault; each event counts once."""

import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vault_harness import VaultHarness, usage_files, usage_text

from glassmind.store.logs import UsageLogFiles, event_of, use_folder
from glassmind.store.sqlite.memory import UseWrites

FILES = {
    "Tea.md": "Oolong is brewed hot. [[Kettle]]\n",
    "Kettle.md": "A kettle for oolong.\n",
    "Pump.md": "The pump is no tea.\n",
}


def lines(vault: VaultHarness) -> list[dict[str, object]]:
    """Return what is on record."""
    return [json.loads(line) for line in usage_text(vault.folder).splitlines()]


def events(vault: VaultHarness) -> list[tuple[str, str]]:
    """Return the verbs and paths that the rows hold, in order."""
    rows = vault.rows("select verb, path from memory_events order by id")
    return [(verb, path) for verb, path in rows]


def test_a_search_and_a_read_go_on_record_without_what_was_asked(
    vault: VaultHarness,
) -> None:
    vault.indexed(FILES)
    vault.engine.client = "harness"

    vault.ask("oolong or secretly")
    vault.engine.read("Pump")

    first, second = lines(vault)
    assert set(first) == {"at", "verb", "client", "paths"}
    assert (first["verb"], first["client"]) == ("search", "harness")
    assert "Tea.md" in str(first["paths"])
    assert second["verb"] == "read"
    assert second["paths"] == ["Pump.md"]
    assert "secretly" not in usage_text(vault.folder)


def test_a_search_that_finds_nothing_is_no_use(vault: VaultHarness) -> None:
    vault.indexed(FILES)

    vault.ask("nowhere")

    assert lines(vault) == []


def test_the_top_of_a_list_counts_and_each_note_once(vault: VaultHarness) -> None:
    vault.indexed({f"Note {n}.md": "oolong\n" for n in range(9)})

    vault.ask("oolong", limit=9)
    vault.ask("oolong", limit=9, unique="chunks")

    assert [len(line["paths"]) for line in lines(vault)] == [5, 5]  # type: ignore[arg-type]


def test_the_record_is_for_its_owner_alone(vault: VaultHarness) -> None:
    vault.indexed(FILES)

    vault.ask("oolong")

    mode = stat.S_IMODE(usage_files(vault.folder)[0].stat().st_mode)
    assert mode == 0o600


def test_nothing_is_recorded_where_the_settings_say_so(vault: VaultHarness) -> None:
    vault.open(memory__record_use=False)
    vault.indexed(FILES)

    vault.ask("oolong")

    assert lines(vault) == []
    notices = vault.engine.memory.temperatures().notices
    assert notices == ("use is not recorded, as memory.record_use says",)


def test_what_our_own_stages_ask_is_nobodys_use(vault: VaultHarness) -> None:
    vault.indexed(FILES)

    vault.engine.knowledge.connections("Tea")
    vault.engine.knowledge.rank(about="oolong")
    vault.engine.memory.recall("oolong")
    vault.engine.warm()

    assert lines(vault) == []


def test_what_is_recalled_and_packed_is_use(vault: VaultHarness) -> None:
    vault.indexed(FILES)
    vault.engine.client = "harness"
    memo = vault.engine.memory.capture("memory", "The kettle is descaled.").memory

    vault.engine.memory.recall("kettle")
    vault.engine.bundles.pack("oolong")

    recalled, packed = lines(vault)
    assert (recalled["verb"], recalled["client"]) == ("recall", "harness")
    assert recalled["paths"] == [memo.path]
    assert packed["verb"] == "context"
    assert "Tea.md" in str(packed["paths"])


def test_an_index_in_the_vault_has_its_record_elsewhere(
    vault: VaultHarness, tmp_path: Path
) -> None:
    vault.open(index__location="vault")
    vault.settings["index.location"] = "vault"
    vault.indexed(FILES)

    vault.ask("oolong")

    assert not list(vault.root.rglob("use*.jsonl"))
    (record,) = usage_files(tmp_path)
    assert not record.is_relative_to(vault.root)


def test_a_vault_that_holds_every_data_folder_has_no_record(tmp_path: Path) -> None:
    inside, outside = tmp_path / "vault" / "data", tmp_path / "data"

    assert use_folder([inside], tmp_path / "vault") is None
    assert use_folder([inside, outside], tmp_path / "vault") == outside
    (tmp_path / "way").symlink_to(tmp_path / "vault")
    assert use_folder([tmp_path / "way" / "x"], tmp_path / "vault") is None


def test_a_run_takes_each_event_in_once(vault: VaultHarness) -> None:
    vault.indexed(FILES)
    vault.engine.read("Tea")
    vault.index()
    vault.index()
    vault.engine.read("Pump")
    vault.index()

    assert events(vault) == [("read", "Tea.md"), ("read", "Pump.md")]


def test_an_index_made_anew_takes_all_of_the_record_in_again(
    vault: VaultHarness,
) -> None:
    vault.indexed(FILES)
    vault.engine.read("Tea")
    vault.index()
    before = events(vault)

    vault.index(rebuild=True)

    assert events(vault) == before == [("read", "Tea.md")]


def test_a_copy_that_is_put_back_takes_in_what_came_after_it(
    vault: VaultHarness, tmp_path: Path
) -> None:
    vault.indexed(FILES)
    vault.engine.read("Tea")
    vault.index()
    vault.engine.backup(tmp_path / "copy.db")
    vault.engine.read("Pump")
    vault.index()

    vault.engine.restore(tmp_path / "copy.db")
    vault.index()

    assert events(vault) == [("read", "Tea.md"), ("read", "Pump.md")]


def _fail(*_: object) -> None:
    raise LookupError


def test_a_run_that_dies_while_it_takes_use_in_takes_it_in_later(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(FILES)
    vault.engine.read("Tea")

    with monkeypatch.context() as patched:
        patched.setattr(UseWrites, "set", _fail)  # the last thing that it writes
        with pytest.raises(LookupError):
            vault.index()
    vault.index()

    assert events(vault) == [("read", "Tea.md")]


def test_a_note_that_moves_keeps_its_use(vault: VaultHarness) -> None:
    vault.indexed(FILES)
    for _ in range(3):
        vault.engine.read("Tea")
    vault.index()
    vault.move("Tea.md", "Drinks/Oolong.md")
    vault.index()

    warm = vault.engine.memory.temperatures().notes[0]

    assert warm.path == "Drinks/Oolong.md"
    assert "retrieved 3 times in the last week" in warm.reasons


def test_many_threads_and_processes_lose_no_line(tmp_path: Path) -> None:
    log = UsageLogFiles(tmp_path, full_bytes=20_000)
    program = (
        "import sys; from pathlib import Path\n"
        "from glassmind.store.logs import UsageLogFiles\n"
        "log = UsageLogFiles(Path(sys.argv[1]), full_bytes=20_000)\n"
        "for n in range(200): log.append('read', sys.argv[2], [f'Note {n}.md'])\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path), name])
        for name in ("a", "b")
    ]

    def add(name: str) -> None:
        for n in range(200):
            assert log.append("read", name, [f"Note {n}.md"])

    threads = [Thread(target=add, args=(name,)) for name in ("c", "d")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    for one in started:
        assert one.wait(20) == 0

    found = log.tail({}).events
    seen = {(event.client, event.paths[0]) for event in found}
    assert len(found) == len(seen) == 800


def test_runs_take_each_event_in_once_while_others_add_more(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(FILES)
    log = UsageLogFiles(vault.folder, full_bytes=15_000)

    def add(name: str) -> None:
        for n in range(300):
            assert log.append("read", f"{name} {n}", ["Tea.md"])

    threads = [Thread(target=add, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        vault.index()
    for thread in threads:
        thread.join(20)
    vault.index()

    rows = vault.rows("select client, count(*) from memory_events group by client")
    assert {count for _, count in rows} == {1}
    assert len(rows) == 600


def test_where_there_is_no_place_for_the_record_hot_says_so(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.store.sqlite.store.use_folder", lambda *_: None)
    vault.indexed(FILES)

    assert vault.found("oolong")

    (notice,) = vault.engine.memory.temperatures().notices
    assert notice.startswith("use is not recorded: no data folder")
    (check,) = [one for one in vault.engine.doctor() if one.name == "use"]
    assert check.state == "warn"


def test_a_full_file_is_followed_by_the_next_and_the_oldest_go(tmp_path: Path) -> None:
    log = UsageLogFiles(tmp_path, full_bytes=1_000, most_bytes=8_000)

    for n in range(200):
        log.append("read", "harness", [f"Note {n:03d}.md"])

    assert len(list(tmp_path.iterdir())) == 8
    kept = [event.paths[0] for event in log.tail({}).events]
    assert kept == [f"Note {n:03d}.md" for n in range(200 - len(kept), 200)]
    assert len(kept) > 60


def test_what_was_folded_is_known_when_its_file_is_full(tmp_path: Path) -> None:
    log = UsageLogFiles(tmp_path, full_bytes=500)
    folded: dict[str, int] = {}
    seen = []

    for n in range(40):
        log.append("read", "harness", [f"Note {n}.md"])
        if n % 3 == 0:
            found = log.tail(folded)
            seen += [event.paths[0] for event in found.events]
            folded |= found.upto
    seen += [event.paths[0] for event in log.tail(folded).events]

    assert seen == [f"Note {n}.md" for n in range(40)]


def test_a_line_that_was_cut_short_takes_no_other_with_it(tmp_path: Path) -> None:
    log = UsageLogFiles(tmp_path)
    log.append("read", "harness", ["A.md"])
    with usage_files(tmp_path)[0].open("ab") as file:
        file.write(b'{"at":"2026-01-01T00:00:00+00:00","verb":"re')
    log.append("read", "harness", ["B.md"])
    with usage_files(tmp_path)[0].open("ab") as file:
        file.write(b'{"at":"2026-01-01T00:00:0')

    found = log.tail({})
    log.append("read", "harness", ["C.md"])

    assert [event.paths for event in found.events] == [("A.md",), ("B.md",)]
    assert [e.paths for e in log.tail(found.upto).events] == [("C.md",)]


def test_a_record_that_is_taken_away_is_begun_anew(tmp_path: Path) -> None:
    log = UsageLogFiles(tmp_path / "data")
    log.append("read", "harness", ["A.md"])
    usage_files(tmp_path / "data")[0].unlink()

    assert log.append("read", "harness", ["B.md"])
    assert [event.paths for event in log.tail({}).events] == [("B.md",)]


def test_a_disk_that_takes_nothing_costs_no_answer(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(FILES)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("glassmind.store.logs.os.write", full)

    assert vault.found("oolong")


def test_a_folder_that_cannot_be_listed_costs_no_run(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(FILES)
    vault.ask("oolong")

    def refused(self: Path, pattern: str) -> list[Path]:
        raise OSError(28, f"no space left for {self}/{pattern}")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "glob", refused)
        vault.index()

    assert len(events(vault)) == len(FILES) - 1


def test_a_link_in_the_place_of_the_record_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious.md"
    precious.write_text("mine")
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / f"use-{datetime.now(UTC):%Y-%m}.000.jsonl").symlink_to(precious)

    assert not UsageLogFiles(folder).append("read", "harness", ["A.md"])
    assert precious.read_text() == "mine"


@given(st.binary(max_size=200))
def test_no_line_is_too_broken_to_be_passed_over(raw: bytes) -> None:
    found = event_of(raw)

    assert found is None or found.at.tzinfo is UTC


@given(
    st.text(max_size=20),
    st.lists(st.text(st.characters(), max_size=20), max_size=4),
    st.datetimes(timezones=st.just(UTC)),
)
def test_an_event_comes_back_as_it_was(
    client: str, paths: list[str], at: datetime
) -> None:
    said = {
        "at": at.isoformat(),
        "verb": "read",
        "client": client,
        "paths": paths,
    }
    raw = json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")

    found = event_of(raw)

    assert found is not None
    assert (found.at, found.client, list(found.paths)) == (at, client, paths)


def test_a_folder_for_the_record_is_made_for_its_owner(tmp_path: Path) -> None:
    log = UsageLogFiles(tmp_path / "a" / "b")

    assert log.append("read", "harness", ["A.md"])
    assert stat.S_IMODE(os.stat(tmp_path / "a" / "b").st_mode) == 0o700  # noqa: PTH116
