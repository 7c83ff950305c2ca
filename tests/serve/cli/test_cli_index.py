"""Making, examining and copying an index from the command line."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Inside, Program, with_note, with_sample
from rich import progress

from glassmind.engine import Engine
from glassmind.model.index import Progress
from glassmind.serve.cli.output import Output


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Inside(with_note(tmp_path))


def test_a_run_tells_what_it_did_and_what_it_left_out(tmp_path: Path) -> None:
    program = Inside(with_sample(tmp_path))

    done = program.run("index")

    first, second, *rest = done.stdout.splitlines()
    assert re.fullmatch(r"Indexed \d+ notes of /\S+ in \d+\.\d\d s", first)
    assert re.fullmatch(
        r"  \d+ added, 0 changed, 0 moved, 0 removed, 0 unchanged", second
    )
    assert rest[0] == "Skipped 2:"
    assert "  1 excluded by .glassmindignore: Drafts" in rest


def test_a_run_tells_what_is_to_be_mended_in_the_notes(tmp_path: Path) -> None:
    program = Inside(with_sample(tmp_path))

    done = program.run("index")

    assert (
        "glassmind: Recipes/Cardamom buns.md: The property oven is given twice; "
        "the first value counts."
    ) in done.stderr.splitlines()


def test_a_run_tells_the_first_of_many_warnings_and_counts_the_rest(
    program: Program,
) -> None:
    for number in range(15):
        (program.vault / f"{number}.md").write_text("---\na: [\n---\n", "utf-8")

    done = program.run("index")

    told = done.stderr.splitlines()
    assert len(told) == 11
    assert told[-1] == "glassmind: and 5 more like these; --json lists all"


def test_a_second_run_finds_what_changed(program: Program) -> None:
    program.run("index")
    (program.vault / "Coffee.md").write_text("Espresso.", "utf-8")

    report = program.json("index")

    assert (report["added"], report["changed"], report["notes"]) == (1, 0, 2)
    assert report["unchanged"] == 1
    assert report["rebuilt"] is False


def test_the_index_can_be_made_anew_checked_and_compacted(program: Program) -> None:
    program.run("index")

    rebuilt = program.json("index", "--rebuild")
    compacted = program.json("index", "--verify", "--compact")

    assert (rebuilt["rebuilt"], rebuilt["added"]) == (True, 1)
    assert compacted["compacted"] is True


def test_a_vault_that_seems_to_be_gone_is_not_believed(program: Program) -> None:
    for number in range(100):
        (program.vault / f"{number}.md").write_text(f"Note {number}", "utf-8")
    program.run("index")
    for number in range(100):
        (program.vault / f"{number}.md").unlink()

    refused = program.run("index")
    accepted = program.json("index", "--accept-deletions")

    assert refused.returncode == 3
    assert "--accept-deletions" in refused.stderr
    assert accepted["removed"] == 100


def test_indexing_leaves_no_trace_in_the_vault(program: Program) -> None:
    program.run("index")

    assert {path.name for path in program.vault.iterdir()} == {".obsidian", "Tea.md"}


def test_a_terminal_shows_progress_with_rate_and_a_pipe_none(program: Program) -> None:
    shown = program.on_terminal("index")
    quiet = program.on_terminal("index", "--rebuild", "--quiet")

    assert "Reading notes" in shown
    assert "━" in shown
    assert re.search(r"\d:\d\d:\d\d|-:--:--", shown)
    assert "Indexed" in shown
    assert "Reading notes" not in quiet


class Watched(Output):
    """An output that somebody watches."""

    shows_progress = True


def test_a_bar_pulses_until_it_is_known_how_much_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[float | None] = []
    update = progress.Progress.update

    def watched(bars: progress.Progress, task: progress.TaskID, **now: Any) -> None:
        update(bars, task, **now)
        shown.append(bars.tasks[task].total)

    monkeypatch.setattr(progress.Progress, "update", watched)

    with Watched().progress() as show:
        assert show
        for done, total in ((10, 0), (20, 0), (30, 40)):
            show(Progress("scan", done, total))

    assert shown == [None, None, 40]


def test_a_run_that_is_interrupted_says_that_nothing_is_lost(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "index", interrupt)

    done = program.run("index")

    assert done.returncode == 130
    assert "what was indexed is kept" in done.stderr


def test_a_doctor_finds_all_well_or_says_what_to_do(program: Program) -> None:
    before = program.run("doctor")
    program.run("index")
    after = program.run("doctor")
    found = program.json("doctor")

    assert before.returncode == after.returncode == 0
    assert "warn index: there is no index yet\n     run: glassmind index" in (
        before.stdout
    )
    assert "ok   index.db: " in after.stdout
    assert found["ok"] is True
    assert {"name", "state", "finding", "fix"} == set(found["checks"][0])


def test_a_doctor_fails_on_damage(program: Program) -> None:
    folder = Path(_index_folder(program))
    database = folder / "index.db"
    database.write_bytes(database.read_bytes()[:4096] + b"\xff" * 65536)

    done = program.run("doctor")

    assert done.returncode == 2
    assert "\nfail " in done.stdout
    assert "run: glassmind index --rebuild" in done.stdout


def test_a_doctor_without_a_vault_says_how_to_choose_one(program: Program) -> None:
    done = program.bare("doctor")
    found = json.loads(program.bare("doctor", "--json").stdout)

    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.splitlines()[0] == "ok   config: every setting is understood"
    assert "\nfail vault: none is chosen" in done.stdout
    assert "\n     choose one: glassmind init, or --vault PATH\n" in done.stdout
    assert found["ok"] is False
    assert found["checks"][-1]["name"] == "vault"


def test_a_doctor_whose_vault_is_gone_says_what_to_do(program: Program) -> None:
    done = program.bare("doctor", "--vault", program.home / "unmounted")

    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.startswith("fail vault: the vault ")
    assert "     mount its disk, or choose one: " in done.stdout


def test_a_doctor_reads_no_further_than_a_setting_that_cannot_be(
    program: Program,
) -> None:
    program.settings.parent.mkdir(parents=True)
    program.settings.write_text("[search]\nlimit = 0\n", "utf-8")

    found = program.json("doctor")

    (check,) = found["checks"]
    assert (check["name"], check["state"]) == ("config", "fail")
    assert "search.limit" in check["finding"]


def _index_folder(program: Program) -> str:
    program.run("index")
    return str(program.json("stats")["folder"])


@pytest.mark.parametrize(
    "command",
    [["search", "tea"], ["read", "Tea"], ["read-chunks", "Tea"], ["list"], ["stats"]],
)
def test_what_needs_an_index_says_how_to_make_one(
    program: Program, command: list[str]
) -> None:
    done = program.run(*command)

    assert done.returncode == 4
    assert done.stderr.endswith("run: glassmind index\n")


def test_an_index_goes_to_a_file_and_comes_back(program: Program) -> None:
    program.run("index")
    copy = program.home / "copy.db"
    saved = program.run("backup", copy)
    (program.vault / "Coffee.md").write_text("Espresso.", "utf-8")
    program.run("index")

    restored = program.run("restore", copy)

    assert saved.returncode == 0
    assert str(copy) in saved.stdout
    assert restored.returncode == 0
    assert program.run("list").stdout == "Tea.md\n"


def test_a_copy_replaces_no_file(program: Program) -> None:
    program.run("index")
    copy = program.home / "copy.db"
    first = program.json("backup", copy)

    second = program.run("--json", "backup", copy)

    assert first["bytes"] == copy.stat().st_size
    assert second.returncode == 2
    assert json.loads(second.stdout)["error"]["kind"] == "BackupExists"


def test_a_copy_that_cannot_be_written_is_an_error_in_words(program: Program) -> None:
    program.run("index")

    done = program.run("backup", program.home / "nowhere/copy.db")

    assert done.returncode == 4
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("content", [None, b"no database at all"])
def test_what_is_no_copy_changes_nothing(
    program: Program, content: bytes | None
) -> None:
    program.run("index")
    copy = program.home / "copy.db"
    if content is not None:
        copy.write_bytes(content)

    done = program.run("restore", copy)

    assert done.returncode == 4
    assert program.run("list").stdout == "Tea.md\n"
