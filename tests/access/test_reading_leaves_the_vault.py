"""Whatever is read, searched or asked, the vault stays byte for byte as it is."""

import os
import shutil
import stat
from pathlib import Path

import pytest
from cli_harness import SAMPLE, Inside, with_sample
from http_harness import serving
from mcp_harness import call
from vault_harness import VaultHarness

from glassmind.serve.mcp.server import make_server

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

    record = list(program.home.rglob("use-*.jsonl"))
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


POSTED: tuple[tuple[str, dict[str, object]], ...] = (
    ("/search", {"query": "river gauge"}),
    ("/context", {"query": "battery chemistry"}),
    ("/hot-context", {}),
    ("/brief", {"project": "Heron network"}),
    ("/verify", {"receipts": ["Home.md:1-2@00000000"]}),
    ("/recall", {"query": "radio"}),
)
GOT = ("/hot", "/inbox", "/log", "/stats", "/health", "/notes/Home.md")


@pytest.fixture
def asked(vault: VaultHarness) -> VaultHarness:
    """A vault with notes, a capture and a pin, which is about to be asked."""
    shutil.copytree(SAMPLE, vault.root, dirs_exist_ok=True)
    vault.index()
    vault.engine.memory.capture("decision", "Radio it is, from May on.", agent=True)
    vault.engine.memory.pin("Home")
    return vault


def test_nothing_that_is_asked_over_http_changes_the_vault(asked: VaultHarness) -> None:
    before = everything_in(asked.root)

    with serving(asked.engine) as web:
        codes = {path: web.post(path, body).status for path, body in POSTED}
        codes |= {path: web.get(path).status for path in GOT}

    assert all(code < 500 for code in codes.values()), codes
    assert {codes["/search"], codes["/context"], codes["/hot"]} == {200}
    assert everything_in(asked.root) == before


CALLED: tuple[tuple[str, dict[str, object]], ...] = (
    ("glassmind_search", {"query": "river gauge"}),
    ("glassmind_read", {"name": "Home"}),
    ("glassmind_context", {"query": "battery chemistry"}),
    ("glassmind_hot_context", {}),
    ("glassmind_recall", {"query": "radio"}),
    ("glassmind_brief", {}),
)


def test_nothing_that_a_tool_is_asked_changes_the_vault(asked: VaultHarness) -> None:
    server = make_server(asked.engine, toolsets=("core", "memory"))
    before = everything_in(asked.root)

    answers = [call(server, tool, **arguments) for tool, arguments in CALLED]

    assert not any(answer.is_error for answer in answers)
    assert everything_in(asked.root) == before
