"""Every command and option is documented, and every shell can complete them."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_harness import Inside, Program, with_index
from vault_harness import VaultHarness

from glassmind import errors as exits
from glassmind.obsidian.receipts import receipts_in
from glassmind.serve.cli.completion import ANYWHERE, SHELLS, offers_of, script_of
from glassmind.serve.cli.program import all_commands, parsers_of

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "cli.md").read_text("utf-8")

MADE_UP = "@0f1e2d3c4b5a6978"
"""The digest of a receipt that is there to be wrong."""


def sections() -> dict[str, str]:
    """Return what the page says under each heading."""
    parts = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def section_of(command: str) -> str:
    pattern = re.compile(rf"`glassmind {re.escape(command)}( [^`]*)?`")
    (found,) = [text for head, text in sections().items() if pattern.fullmatch(head)]
    return found


def options_of(command: str) -> set[str]:
    return {
        name
        for parser in parsers_of(command).values()
        for action in parser._actions
        for name in action.option_strings
    }


def test_the_page_has_every_command_and_no_other() -> None:
    heads = re.findall(r"^## `glassmind ([\w-]+)", PAGE, re.MULTILINE)

    assert sorted(heads) == sorted(all_commands())


@pytest.mark.parametrize("command", all_commands())
def test_every_option_is_documented_where_it_belongs(command: str) -> None:
    everywhere = sections()["Options of every command"]

    for name in options_of(command):
        common = name in {*ANYWHERE, "--help", "-h", "-q", "-v"}
        assert f"`{name}" in (everywhere if common else section_of(command))


@pytest.mark.parametrize("command", all_commands())
def test_every_option_that_is_documented_is_there(command: str) -> None:
    rows = re.findall(r"^\| (`-.+?) \|", section_of(command), re.MULTILINE)
    documented = {name for row in rows for name in re.findall(r"`(-[\w-]+)", row)}

    assert documented <= options_of(command)


@pytest.mark.parametrize("command", all_commands())
def test_every_command_has_an_example_and_tells_its_json(command: str) -> None:
    text = section_of(command)

    assert "```" in text
    assert "JSON: " in text


PROJECT = ("--project", "Heron network")

ANSWERS: dict[str, tuple[str, ...]] = {
    "context": ("what is decided about the radio", *PROJECT),
    "ask": ("why did we change the battery chemistry",),
    "verify": ("Home.md:1@0f1e2d3c",),
    "brief": ("--since", "2020"),
    "summarize": (*PROJECT, "--no-save"),
    "hot": (),
    "capture": ("memory", "The ford freezes.", *PROJECT),
    "recall": (),
    "inbox": (),
    "log": (),
    "pin": ("Home",),
    "edit": ("append", "Home.md", "--text", "- rain"),
    "move": ("Home.md", "Archive/", "--dry-run"),
    "changeset": ("list",),
    "proposals": ("list",),
}
"""Commands whose JSON has many names, and with what it has them all."""

ALSO = {
    "context": ("search",),
    "brief": ("context",),
    "recall": ("capture",),
    "inbox": ("capture",),
    "move": ("edit",),
    "changeset": ("edit",),
    "proposals": ("changeset", "edit"),
}
"""Whose names a section refers to."""


def names_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, held in value.items():
            yield name
            yield from names_in(held)
    elif isinstance(value, list):
        for held in value:
            yield from names_in(held)


def test_every_name_in_the_json_of_an_answer_is_documented(tmp_path: Path) -> None:
    program = Inside(with_index(tmp_path))

    for command, words in ANSWERS.items():
        found = program.json(command, *words)
        text = "".join(map(section_of, (command, *ALSO.get(command, ()))))
        missing = {name for name in names_in(found) if f"`{name}`" not in text}
        assert (command, missing) == (command, set())


def test_every_exit_code_is_documented() -> None:
    table = sections()["Exit codes"]

    names = "OK NOTHING USAGE VAULT INDEX MODEL CONFLICT BUG INTERRUPTED"
    numbers = {getattr(exits, name) for name in names.split()}
    documented = re.findall(r"^\| (\d+) \|", table, re.MULTILINE)
    assert {int(code) for code in documented} == numbers


@pytest.mark.parametrize("shell", SHELLS)
def test_a_completion_names_every_command_and_option(shell: str) -> None:
    script = script_of(shell)

    for key, words in offers_of().items():
        assert all(word in script for word in [*key.split(), *words])


def test_bash_completes_commands_options_and_values(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    script = Program(tmp_path).bare("completion", "bash").stdout

    def completed(*words: str) -> list[str]:
        typed = " ".join(f"'{word}'" for word in ("glassmind", *words))
        asked = (
            f"COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _glassmind; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(
            [bash, "--norc", "-c", f"{script}\n{asked}"],
            capture_output=True,
            encoding="utf-8",
            timeout=30,
            check=True,
        )
        assert done.stderr == ""
        return done.stdout.split()

    assert completed("sea") == ["search"]
    assert completed("hel") == ["help"]
    assert completed("help", "sea") == ["search"]
    assert completed("help", "--al") == ["--all"]
    assert completed("--json", "rea") == ["read", "read-chunks"]
    assert completed("search", "--ex") == ["--explain"]
    assert completed("search", "--unique", "") == ["notes", "chunks"]
    assert completed("search", "heron", "-n", "") == []
    assert completed("config", "se") == ["set"]
    assert completed("graph", "con") == ["connections"]
    assert completed("graph", "connections", "--format", "g") == ["graphml"]
    assert completed("capture", "de") == ["decision"]
    assert completed("inbox", "re") == ["reject"]
    assert completed("inbox", "edit", "--te") == ["--text"]
    assert completed("graph", "path", "--me") == []
    assert completed("graph", "rank", "--me") == ["--metric"]
    assert completed("graph", "Alder bridge", "--me") == []
    assert completed("models", "--js") == ["--json"]
    assert completed("context", "--pro") == ["--project"]
    assert completed("recall", "--kind", "su") == ["summary"]
    assert completed("health", "--fail") == ["--fail-below"]
    assert "--vault" in completed("--v")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_can_read_their_completion(shell: str, tmp_path: Path) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"there is no {shell} here")
    script = tmp_path / "completion"
    script.write_text(script_of(shell), "utf-8")

    done = subprocess.run([found, "-n", script], timeout=30, check=False)

    assert done.returncode == 0


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_receipt_in_an_example_holds_in_the_sample_vault(
    sample: VaultHarness, page: Path
) -> None:
    cited = receipts_in(page.read_text("utf-8"))
    real = [one for one in cited if not one.endswith(MADE_UP)]

    found = sample.engine.bundles.verify(real) if real else []

    assert [one.receipt for one in found if one.state != "unchanged"] == []


@pytest.mark.parametrize("page", [*PAGES, ROOT / "run"], ids=lambda page: page.name)
def test_a_project_in_an_example_is_one_of_the_sample_vault(
    sample: VaultHarness, page: Path
) -> None:
    said = re.findall(r"--project (\"[^\"]+\"|[^\s`]+)", page.read_text("utf-8"))
    names = {name.strip('"') for name in said} - {"P", "P`"}

    for name in names:
        assert sample.engine.search("river", project=name, mode="fulltext") is not None
