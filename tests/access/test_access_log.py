"""The access log itself: lines by many hands, files by day, what is asked of it."""

import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli_harness import Inside, Program
from mcp import Client
from mcp_harness import call, visit
from vault_harness import VaultHarness

from glassmind import open_vault
from glassmind.model.access import (
    DisclosedLines,
    DisclosedNotes,
    LoggedAnswer,
    ReadFilter,
)
from glassmind.serve.mcp.server import make_server
from glassmind.store.logs import MOST_NAMED, AccessLogFiles

NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
TEA = DisclosedNotes(
    (DisclosedLines("Tea.md", 3, 9), DisclosedLines("Sub/Pot.md")), ("Cup.md",)
)


class Clock:
    """A clock that shows the moment that a test wants."""

    def __init__(self, moment: datetime = NOON) -> None:
        self.moment = moment

    def __call__(self) -> int:
        return int(self.moment.timestamp()) * 10**9


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob("access-log-*"))


def test_a_line_says_when_to_whom_by_which_way_and_which_lines(tmp_path: Path) -> None:
    access_log = AccessLogFiles([tmp_path / "data"], keep_days=90, clock_ns=Clock())

    assert access_log.append("http", "POST /search", "a client", TEA)

    (file,) = (tmp_path / "data").glob("access-log-*")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text("utf-8")) == {
        "at": "2026-03-12T12:00:00.000000+00:00",
        "client": "a client",
        "surface": "http",
        "verb": "POST /search",
        "passages": [["Tea.md", 3, 9], ["Sub/Pot.md"]],
        "named": ["Cup.md"],
        "more_named": 0,
    }
    assert list(access_log.readings()) == [
        LoggedAnswer(NOON, "a client", "http", "POST /search", *TEA)
    ]


def test_an_answer_without_a_note_is_not_on_record(tmp_path: Path) -> None:
    access_log = AccessLogFiles([tmp_path], keep_days=90)

    assert access_log.append("http", "GET /stats", "a client", DisclosedNotes())

    assert files(tmp_path) == []


def test_of_a_long_list_the_first_names_are_kept_and_the_others_counted(
    tmp_path: Path,
) -> None:
    access_log = AccessLogFiles([tmp_path], keep_days=90)
    names = tuple(f"{number}.md" for number in range(MOST_NAMED + 7))

    access_log.append("http", "GET /graph/rank", "a client", DisclosedNotes((), names))

    (found,) = access_log.readings()
    assert (found.named, found.more_named) == (names[:MOST_NAMED], 7)


def test_a_day_has_its_file_and_a_full_one_is_followed_by_the_next(
    tmp_path: Path,
) -> None:
    now = Clock()
    access_log = AccessLogFiles([tmp_path], keep_days=90, full_bytes=300, clock_ns=now)

    for number in range(4):
        now.moment += timedelta(days=number == 3)
        access_log.append("http", f"verb {number}", "a client", TEA)

    assert files(tmp_path) == [
        "access-log-2026-03-12.000.jsonl",
        "access-log-2026-03-12.001.jsonl",
        "access-log-2026-03-13.000.jsonl",
    ]
    verbs = [reading.verb for reading in access_log.readings()]
    assert verbs == ["verb 3", "verb 2", "verb 1", "verb 0"]


def test_what_is_older_than_the_settings_say_goes(tmp_path: Path) -> None:
    for day in (0, 5, 11):
        at = Clock(NOON + timedelta(days=day))
        AccessLogFiles([tmp_path], keep_days=10, clock_ns=at).append(
            "http", "v", "c", TEA
        )

    assert files(tmp_path) == [
        "access-log-2026-03-17.000.jsonl",
        "access-log-2026-03-23.000.jsonl",
    ]


def test_the_oldest_goes_first_where_all_of_it_takes_too_much_room(
    tmp_path: Path,
) -> None:
    access_log = AccessLogFiles(
        [tmp_path], keep_days=90, full_bytes=300, most_bytes=1_500, clock_ns=Clock()
    )

    for number in range(20):
        assert access_log.append("http", f"verb {number}", "a client", TEA)

    verbs = [reading.verb for reading in access_log.readings()]
    assert verbs[0] == "verb 19"
    assert "verb 0" not in verbs
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < 2_000


def test_who_begins_where_the_oldest_went_already_adds_behind_what_is_there(
    tmp_path: Path,
) -> None:
    now = Clock()

    def another() -> AccessLogFiles:
        room = {"full_bytes": 300, "most_bytes": 1_500}
        return AccessLogFiles([tmp_path], keep_days=90, **room, clock_ns=now)

    idle, busy = another(), another()
    idle.append("http", "idle", "a client", TEA)
    for number in range(20):
        busy.append("http", f"verb {number}", "a client", TEA)
    another().append("http", "fresh", "a client", TEA)
    idle.append("http", "awake", "a client", TEA)
    for number in range(2):
        busy.append("http", f"late {number}", "a client", TEA)

    verbs = [reading.verb for reading in busy.readings()]
    assert verbs[:5] == ["late 1", "late 0", "awake", "fresh", "verb 19"]


def test_a_line_that_a_full_disk_cut_short_takes_none_with_it(tmp_path: Path) -> None:
    access_log = AccessLogFiles([tmp_path], keep_days=90, clock_ns=Clock())
    access_log.append("http", "first", "a client", TEA)
    (file,) = tmp_path.glob("access-log-*")
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:50])

    access_log.append("http", "second", "a client", TEA)
    file.write_bytes(file.read_bytes() + b"\xff\n[]\n{}\n")

    assert [reading.verb for reading in access_log.readings()] == ["second", "first"]


def test_where_the_first_folder_takes_no_line_the_next_one_does(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    access_log = AccessLogFiles(
        [tmp_path / "file" / "data", tmp_path / "spare"], keep_days=90
    )

    assert access_log.append("http", "v", "c", TEA)

    assert files(tmp_path / "spare")
    assert not access_log.trouble()
    assert AccessLogFiles([tmp_path / "file"], keep_days=90).trouble()
    assert not AccessLogFiles([], keep_days=90).append("http", "v", "c", TEA)


ADDING = """
import sys
from pathlib import Path
from glassmind.store.logs import AccessLogFiles
from glassmind.model.access import DisclosedLines, DisclosedNotes
access_log = AccessLogFiles([Path(sys.argv[1])], keep_days=90, full_bytes=20_000)
for number in range(200):
    lines = DisclosedLines("Tea.md", number + 1, number + 2)
    shown = DisclosedNotes((lines,), ("x" * 400 + ".md",))
    assert access_log.append("http", "v", sys.argv[2], shown)
"""


def test_many_programs_add_lines_at_once_and_none_is_lost(tmp_path: Path) -> None:
    names = ["a", "b", "c"]
    running = [
        subprocess.Popen([sys.executable, "-c", ADDING, str(tmp_path), name])
        for name in names
    ]
    assert [one.wait(60) for one in running] == [0, 0, 0]

    found = list(AccessLogFiles([tmp_path], keep_days=90).readings())

    assert len(files(tmp_path)) > 1
    for name in names:
        lines = {one.passages[0].first for one in found if one.client == name}
        assert lines == set(range(1, 201))


@pytest.mark.parametrize(
    ("wanted", "verbs"),
    [
        (ReadFilter(client="b"), ["two"]),
        (ReadFilter(notes=("tea",)), ["three", "one"]),
        (ReadFilter(notes=("Sub/Tea.md",)), ["three"]),
        (ReadFilter(notes=("Sub/",)), ["three", "two"]),
        (ReadFilter(notes=("Ea.md",)), []),
        (ReadFilter(since=NOON + timedelta(hours=1)), ["three", "two"]),
        (ReadFilter(until=NOON + timedelta(hours=1)), ["one"]),
        (ReadFilter(since=NOON, until=NOON + timedelta(days=2)), ["two", "one"]),
    ],
)
def test_readings_are_found_by_client_note_and_time(
    tmp_path: Path, wanted: ReadFilter, verbs: list[str]
) -> None:
    now, given = (
        Clock(),
        {
            "one": ("a", DisclosedNotes((DisclosedLines("Tea.md", 1, 2),))),
            "two": ("b", DisclosedNotes((DisclosedLines("Sub/Pot.md", 1, 2),))),
            "three": ("a", DisclosedNotes((), ("Sub/Tea.md", "Cup.md"))),
        },
    )
    access_log = AccessLogFiles([tmp_path], keep_days=90, clock_ns=now)
    for verb, (client, shown) in given.items():
        access_log.append("http", verb, client, shown)
        now.moment += timedelta(days=1)

    found = list(access_log.readings(wanted))

    assert [one.verb for one in found] == verbs
    if wanted.notes:
        assert "Cup.md" not in str(found)


def test_an_answer_is_given_though_the_access_log_cannot_be_written(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"Tea.md": "oolong\n"})
    access_log = vault.engine.access_log
    assert access_log is not None
    monkeypatch.setattr(access_log, "folders", (Path(os.devnull),))

    answer = call(make_server(vault.engine), "glassmind_read", name="Tea")

    assert not answer.is_error
    assert "not recorded" in str(vault.engine.status().notices)
    checks = {check.name: check for check in vault.engine.doctor()}
    assert checks["access log"].state == "warn"


def test_a_vault_may_not_do_without_the_access_log_and_its_owner_may(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "oolong\n"})
    settings = vault.root / "glassmind.toml"
    settings.write_text("[access]\nlog = false\nlog_days = 1\n")

    kept = vault.open().config.access
    chosen = vault.open(access__log=False)
    call(make_server(chosen), "glassmind_read", name="Tea")

    assert (kept.log, kept.log_days) == (True, 90)
    assert chosen.access_log is None
    assert files(vault.folder) == []
    assert chosen.doctor()


@pytest.fixture
def program(tmp_path: Path) -> Inside:
    """The program beside a vault whose notes two clients have read."""
    made = Program(tmp_path)
    made.vault.mkdir()
    (made.vault / "Tea.md").write_text("# Tea\n\noolong\n")
    (made.vault / "Pot.md").write_text("a pot\n")
    inside = Inside(made)
    assert inside.run("index").returncode == 0
    return inside


def read_by(program: Inside, client: str, *notes: str) -> None:
    """Let a client read some notes."""

    async def body(one: Client) -> None:
        for note in notes:
            await one.call_tool("glassmind_read", {"name": note})

    with open_vault(program.vault, env=program.env) as engine:
        visit(make_server(engine), body, name=client)


def test_the_command_says_that_nothing_was_read_yet(program: Inside) -> None:
    done = program.run("access-log")

    assert (done.returncode, done.stdout) == (1, "")
    assert "no client has read anything" in done.stderr
    assert program.json("access-log") == {"readings": [], "more": False}


def test_the_command_tells_who_read_what_the_newest_first(program: Inside) -> None:
    read_by(program, "first", "Tea", "Pot")
    read_by(program, "second\x1b[31m", "Tea")

    said = program.run("access-log").stdout
    found = program.json("access-log", "--limit", "2")

    assert said.index("second") < said.index("first")
    assert "\x1b" not in said
    assert said.count("Tea.md:1-3") == 2
    assert [one["client"] for one in found["readings"]] == ["second\\x1b[31m", "first"]
    assert found["more"] is True
    assert found["readings"][1]["passages"] == [{"path": "Pot.md", "lines": [1, 1]}]


def test_the_command_finds_by_client_note_and_day(program: Inside) -> None:
    read_by(program, "first", "Tea", "Pot")
    read_by(program, "second", "Tea")

    def clients(*options: str) -> list[str]:
        return [
            one["client"] for one in program.json("access-log", *options)["readings"]
        ]

    assert clients("--client", "first") == ["first", "first"]
    assert clients("--note", "tea") == ["second", "first"]
    assert clients("--since", "today") == ["second", "first", "first"]
    assert clients("--until", "today") == []
    assert "fits" in program.run("access-log", "--until", "yesterday").stderr
    assert program.run("access-log", "--since", "whenever").returncode == 2


def test_a_note_that_was_moved_is_found_under_its_old_path_too(program: Inside) -> None:
    read_by(program, "first", "Tea")
    moved = program.run("move", "Tea.md", "Drinks/Oolong.md")
    assert moved.returncode == 0, moved.stderr
    (waiting,) = program.json("proposals")["changesets"]
    done = program.run("proposals", "approve", waiting["id"], "--yes")
    assert done.returncode == 0, done.stderr
    read_by(program, "second", "Oolong")

    found = program.json("access-log", "--note", "Oolong")["readings"]

    assert [one["client"] for one in found] == ["second", "first"]


def test_the_command_says_that_its_owner_wants_no_access_log(program: Inside) -> None:
    done = program.run("access-log", GLASSMIND_ACCESS_LOG="false")

    assert done.returncode == 1
    assert "access.log is false" in done.stderr
    assert "read" in program.run("doctor", GLASSMIND_ACCESS_LOG="false").stdout


def test_what_the_owner_reads_is_not_in_the_access_log(program: Inside) -> None:
    program.run("read", "Tea")
    program.run("search", "oolong")

    assert program.json("access-log")["readings"] == []
