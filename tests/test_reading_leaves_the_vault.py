"""Whatever is read, searched or asked, the vault stays byte for byte as it is."""

import os
import stat
from pathlib import Path

import pytest
from cli_desk import Inside, with_sample

ASKED = (
    ("search", "river", "gauge"),
    ("search", "--mode", "hybrid", "who", "decided", "on", "batteries"),
    ("context", "battery", "chemistry"),
    ("context", "--project", "Heron network", "radio"),
    ("verify", "Home.md:1-2@00000000"),
    ("read", "Home"),
    ("read", "Home", "--raw"),
    ("read-chunks", "Home"),
    ("list", "--newest"),
    ("brief",),
    ("brief", "--project", "Heron network"),
    ("summarize", "--project", "Heron network", "--no-save"),
    ("hot",),
    ("hot", "--context"),
    ("hot", "--project", "Heron network"),
    ("pin", "--list"),
    ("recall",),
    ("recall", "radio"),
    ("inbox", "list"),
    ("log",),
    ("graph", "themes"),
    ("graph", "connections", "Home"),
    ("graph", "rank"),
    ("ontology",),
    ("resolve", "heron"),
    ("ingest", "Home"),
    ("stats",),
    ("status",),
    ("health",),
    ("doctor",),
    ("config", "show"),
)
"""A line for each thing that is asked of a vault without wanting anything written."""


def everything_in(vault: Path) -> dict[str, tuple[object, ...]]:
    """Return each file and folder with its bytes, mode and time.

    The index may stand in the cache of the agent folder, whose own time tells of it.
    """
    cache = vault / ".agent" / "cache"
    found: dict[str, tuple[object, ...]] = {}
    for folder, _, files in os.walk(vault):
        here = Path(folder)
        if here.is_relative_to(cache):
            continue
        facts = here.stat()
        found[str(here)] = (stat.S_IMODE(facts.st_mode), facts.st_mtime_ns)
        for name in files:
            file = here / name
            facts = file.stat()
            mode = stat.S_IMODE(facts.st_mode)
            found[str(file)] = (file.read_bytes(), mode, facts.st_mtime_ns)
    return found


@pytest.mark.parametrize("place", ["data", "vault"])
def test_nothing_that_is_asked_changes_the_vault(tmp_path: Path, place: str) -> None:
    program = Inside(with_sample(tmp_path))
    program.env["GLASSMIND_INDEX_LOCATION"] = place
    assert program.run("index").returncode == 0
    captured = program.run("capture", "decision", "--text", "Radio it is, from May on.")
    assert captured.returncode == 0, captured.stderr
    assert program.run("pin", "Home").returncode == 0
    before = everything_in(program.vault)

    for asked in ASKED:
        done = program.run(*asked)
        assert done.returncode in {0, 1}, (asked, done.stderr)
        assert "Traceback" not in done.stderr
        assert everything_in(program.vault) == before, asked

    record = list(program.home.rglob("use.jsonl"))
    assert len(record) == 1
    assert b'"verb":"search","client":"cli"' in record[0].read_bytes()


def test_where_nothing_may_be_written_all_of_it_still_answers(tmp_path: Path) -> None:
    program = Inside(with_sample(tmp_path))
    program.env["GLASSMIND_WRITES_MODE"] = "off"
    assert program.run("index").returncode == 0
    before = everything_in(program.vault)

    codes = {asked[0]: program.run(*asked).returncode for asked in ASKED}
    refused = program.run("pin", "Home")

    assert set(codes.values()) <= {0, 1}
    assert refused.returncode not in {0, 1}
    assert everything_in(program.vault) == before
