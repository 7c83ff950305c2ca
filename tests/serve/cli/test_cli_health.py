"""Vault health and what the vault calls things, from the command line."""

from pathlib import Path

import pytest
from cli_harness import Inside, with_index, with_sample

KEY = "orphans:Inbox/Untitled.md"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    return Inside(with_index(tmp_path_factory.mktemp("health")))


def test_health_tells_a_score_and_what_is_to_be_mended(program: Inside) -> None:
    report = program.json("health")
    shown = program.run("health")

    assert shown.returncode == 0
    assert shown.stdout.startswith(f"Health: {report['score']} of 100")
    found = [check for check in report["checks"] if check["count"]]
    assert {"ghosts", "orphans", "invalid_yaml"} <= {check["name"] for check in found}
    for check in found:
        assert len(check["examples"]) <= 3
        assert check["fix"]


def test_more_findings_are_shown_when_asked_for(program: Inside) -> None:
    def examples(*asked: str) -> int:
        (check,) = program.json("health", "--check", "ghosts", *asked)["checks"]
        return len(check["examples"])

    assert examples("-n", "1") == 1
    assert examples() == 3
    assert examples("--all") > 3


def test_a_report_in_markdown_is_short_unless_wanted_whole(program: Inside) -> None:
    short = program.run("health", "--markdown").stdout
    whole = program.run("health", "--markdown", "--all").stdout

    assert short.startswith("# Vault health\n")
    assert len(short) < 2_000
    assert len(whole) > len(short)


@pytest.mark.parametrize(("least", "code"), [("0", 0), ("100", 2)])
def test_a_low_score_fails_where_that_is_wished(
    program: Inside, least: str, code: int
) -> None:
    done = program.run("health", "--fail-below", least)

    assert done.returncode == code
    assert done.stdout.startswith("Health: ")


def test_a_finding_is_dismissed_for_good_and_can_be_brought_back(
    tmp_path: Path,
) -> None:
    program = Inside(with_sample(tmp_path))
    program.run("index")

    def keys() -> set[str]:
        (check,) = program.json("health", "--check", "orphans", "--all")["checks"]
        return {finding["key"] for finding in check["examples"]}

    assert KEY in keys()
    assert program.json("health", "--dismiss", KEY)["changed"] is True
    assert KEY not in keys()
    assert program.json("health", "--restore", KEY)["changed"] is True
    assert KEY in keys()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--check", "zeppelins"], "there is no check 'zeppelins'"),
        (["--dismiss", "zeppelins:a"], "there is no check 'zeppelins'"),
        (["--dismiss", "orphans"], "'orphans' names no finding"),
        (["--restore", "zeppelin"], "'zeppelin' names no finding"),
        (["--dismiss", KEY, "--markdown"], "--markdown cannot be used with --dismiss"),
        (["--fail-below", "101"], "--fail-below must be 100 or less"),
        (["--fix", "--dismiss", KEY], "--fix cannot be used with --dismiss"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(
    program: Inside, asked: list[str], said: str
) -> None:
    done = program.run("health", *asked)

    assert done.returncode == 2
    assert said in done.stderr


def test_what_is_no_finding_is_neither_mended_nor_dismissed(program: Inside) -> None:
    done = program.run("health", "--dismiss", "orphans:Zeppelin.md")

    assert done.returncode == 3
    assert "'orphans:Zeppelin.md' is no finding now" in done.stderr


def test_the_score_of_some_checks_is_said_to_be_theirs(program: Inside) -> None:
    whole, alone, both = (
        program.run("health", *asked).stdout.splitlines()[0]
        for asked in (
            [],
            ["--check", "orphans"],
            ["--check", "orphans", "--check", "ghosts"],
        )
    )
    report = program.run("health", "--check", "orphans", "--markdown").stdout

    assert whole.endswith(" of 100")
    assert alone.endswith(" of 100 by this check alone")
    assert both.endswith(" of 100 by these checks alone")
    assert " of 100** by this check alone." in report
    assert program.json("health", "--check", "orphans")["partial"] is True
    assert program.json("health")["partial"] is False


def test_a_fix_names_the_command_that_helps_and_json_the_verb(program: Inside) -> None:
    asked = ("health", "--check", "orphans")

    assert "See glassmind graph suggest NOTE." in program.run(*asked).stdout
    assert program.json(*asked)["checks"][0]["verb"] == "suggest"


def test_a_name_that_the_vault_has_is_told_with_the_link_to_write(
    program: Inside,
) -> None:
    there = program.run("resolve", "heron", "network")
    found = program.json("resolve", "heron", "network")
    new = program.run("resolve", "Zeppelin hangar")

    assert there.returncode == 0
    assert found["verdict"] == "exists"
    assert found["link"] == "[[Heron network]]"
    assert new.returncode == 1
    assert new.stdout.startswith("new")


def test_nothing_to_resolve_is_refused(program: Inside) -> None:
    done = program.run("resolve", " ")

    assert done.returncode == 2
    assert "TEXT is missing" in done.stderr


def test_the_vocabulary_of_the_vault_is_told_in_part_and_in_whole(
    program: Inside,
) -> None:
    some = program.json("ontology", "-n", "2")
    shown = program.run("ontology").stdout

    assert len(some["properties"]["shown"]) == 2
    assert some["properties"]["total"] > 2
    assert "Tags\n" in shown
    assert "#project" in shown


def test_what_a_note_names_is_matched_and_nothing_is_written(program: Inside) -> None:
    before = {file: file.read_bytes() for file in program.vault.rglob("*.md")}

    found = program.json("ingest", "2025", "in", "review")
    shown = program.run("ingest", "2025 in review")

    states = {entity["name"]: entity["state"] for entity in found["entities"]}
    assert states["Lin Yuwei"] == "match"
    assert "[[Lin Yuwei]]" in shown.stdout
    assert {file: file.read_bytes() for file in program.vault.rglob("*.md")} == before
