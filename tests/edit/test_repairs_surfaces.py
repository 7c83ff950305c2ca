"""Repairs from a shell, over HTTP and by tools: shown, proposed or made."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Inside, Program
from http_harness import Web, serving
from mcp_harness import call, structured_server, text_of
from route_table import ROUTES
from vault_harness import VaultHarness

from glassmind import errors as exits

NOTES: dict[str, str | bytes] = {
    "Barometer.md": "---\naliases: [Glass]\n---\nIt falls before rain. #weather\n",
    "Log.md": "The [[glass]] fell. #weather\n",
    "Deep Work.md": "About focus. #Weather\n",
    "Diary.md": "I read Deep Work today.\n",
}
MENDED = "The [[Barometer|glass]] fell. #weather\n"
LINKED = "I read [[Deep Work]] today.\n"
KEY = "Diary.md -> Deep Work.md"


@pytest.fixture
def program(tmp_path: Path) -> Inside:
    made = Inside(Program(tmp_path))
    (made.vault / ".obsidian").mkdir(parents=True)
    for path, text in NOTES.items():
        (made.vault / path).write_text(str(text), "utf-8")
    assert made.run("index").returncode == exits.OK
    return made


def said(program: Inside, path: str) -> str:
    return (program.vault / path).read_text("utf-8")


def test_a_fix_waits_until_a_person_approves_it_and_then_less_is_found(
    program: Inside,
) -> None:
    before = program.json("health")["findings"]

    done = program.json("health", "--fix")

    assert (done["state"], done["verb"]) == ("proposed", "repair")
    assert said(program, "Log.md") == NOTES["Log.md"]
    program.run("proposals", "approve", done["id"], "--yes")
    assert said(program, "Log.md") == MENDED
    assert program.json("health")["findings"] < before


def test_one_check_is_fixed_and_a_dry_run_only_shows_it(program: Inside) -> None:
    program.env["GLASSMIND_WRITES_MODE"] = "allow"

    shown = program.run("health", "--fix", "--check", "ghosts", "--dry-run")

    assert "+The [[Barometer|glass]] fell." in shown.stdout
    assert said(program, "Log.md") == NOTES["Log.md"]
    done = program.json("health", "--fix", "--check", "ghosts")
    assert [one["to"] for one in done["files"]] == ["Log.md"]
    assert said(program, "Log.md") == MENDED


@pytest.mark.parametrize(
    "words",
    [
        ("health", "--dry-run"),
        ("health", "--fix", "--dismiss", "orphans:A.md"),
        ("health", "--fix", "--markdown"),
        ("health", "--fix", "--all"),
        ("health", "--fix", "--check", "bogus"),
        ("graph", "suggest", "--dry-run"),
        ("graph", "suggest", "--all-mentions"),
    ],
    ids=" ".join,
)
def test_what_does_not_go_together_is_refused(
    program: Inside, words: tuple[str, ...]
) -> None:
    assert program.run(*words).returncode == exits.USAGE


@pytest.mark.parametrize(
    "words", [(KEY,), ("--all-mentions",), ()], ids=["key", "mentions", "listed"]
)
def test_suggestions_are_followed_from_a_shell(
    program: Inside, words: tuple[str, ...]
) -> None:
    program.env["GLASSMIND_WRITES_MODE"] = "allow"
    keys = [one["key"] for one in program.json("graph", "suggest")["suggestions"]]

    done = program.json("graph", "suggest", "--apply", *words)

    assert KEY in keys
    assert done["applied"]
    assert said(program, "Diary.md") == LINKED


def test_the_key_of_a_suggestion_stands_in_its_first_line(program: Inside) -> None:
    assert f"{KEY}  " in program.run("graph", "suggest", "Diary").stdout


def test_a_key_that_is_none_is_told_and_nothing_changes(program: Inside) -> None:
    done = program.run("graph", "suggest", "--apply", "A.md -> B.md")

    assert "A.md -> B.md: nothing of that key is suggested now" in done.stderr
    assert said(program, "Diary.md") == NOTES["Diary.md"]


@pytest.fixture
def web(vault: VaultHarness) -> Iterator[Web]:
    vault.open(writes__mode="allow")
    vault.indexed(NOTES)
    with serving(vault.engine) as web:
        yield web


def test_over_http_findings_are_mended_and_suggestions_followed(
    web: Web, vault: VaultHarness
) -> None:
    shown = web.post("/graph/health/fix", {"check": ["ghosts"], "dry_run": True}).json
    fixed = web.post("/graph/health/fix", {"check": ["ghosts"], "client": "page"}).json
    keys = [one["key"] for one in web.get("/graph/suggest").json["suggestions"]]
    linked = web.post("/graph/suggest/apply", {"keys": keys[:1]}).json

    assert (shown["state"], fixed["state"]) == ("previewed", "applied")
    assert fixed["client"] == "page"
    assert linked["verb"] == "repair"
    assert (vault.root / "Log.md").read_text("utf-8") == MENDED
    assert (vault.root / "Diary.md").read_text("utf-8") == LINKED
    assert web.post("/graph/health/fix", {"check": ["bogus"]}).status == 404


def test_no_route_of_a_repair_approves_it(vault: VaultHarness) -> None:
    vault.open(writes__mode="propose")
    vault.indexed(NOTES)
    with serving(vault.engine) as web:
        done = web.post("/graph/health/fix", {}).json

    assert done["state"] == "proposed"
    assert (vault.root / "Log.md").read_text("utf-8") == NOTES["Log.md"]
    assert not any("approve" in route.path for route in ROUTES)


FIX, LINK = "glassmind_fix_findings", "glassmind_add_suggested_links"


def asked(vault: VaultHarness, tool: str, **given: Any) -> Any:
    server = structured_server(vault.engine, toolsets=["graph", "write"])
    answer = call(server, tool, **given)
    return answer.structured_content if not answer.is_error else text_of(answer)


def test_an_agent_mends_and_links_as_far_as_it_may(vault: VaultHarness) -> None:
    vault.open(writes__mode="allow")
    vault.indexed(NOTES)

    shown = asked(vault, FIX, dry_run=True)
    fixed = asked(vault, FIX, check=["ghosts", "inconsistent_tags"])
    linked = asked(vault, LINK, keys=[KEY])

    assert [one["state"] for one in (shown, fixed, linked)] == [
        "previewed",
        "applied",
        "applied",
    ]
    assert (vault.root / "Log.md").read_text("utf-8") == MENDED
    assert (vault.root / "Diary.md").read_text("utf-8") == LINKED


def test_what_an_agent_may_not_do_at_once_waits(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    done = asked(vault, LINK, mentions=True)

    assert done["state"] == "proposed"
    assert (vault.root / "Diary.md").read_text("utf-8") == NOTES["Diary.md"]
