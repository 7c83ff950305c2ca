"""What is not read is not read, and the user can see why."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from glassmind.vault.ignore import UNLISTED, IgnoreRules, load_rules
from glassmind.vault.patterns import PATH_LIMIT_CHARS, compile_safely


def rules_with(root: Path, *filters: object, ignore: str = "") -> IgnoreRules:
    config = root / ".obsidian"
    config.mkdir()
    settings = {"userIgnoreFilters": list(filters)}
    (config / "app.json").write_text(json.dumps(settings), "utf-8")
    if ignore:
        (root / ".glassmindignore").write_text(ignore, "utf-8")
    return load_rules(root)


@pytest.mark.parametrize(
    "path",
    [".obsidian", ".obsidian-work", ".git", ".trash", "x/.stversions", ".agent/.x"],
)
def test_hidden_folders_are_left_out_and_not_listed(path: str) -> None:
    assert IgnoreRules().folder(path) == UNLISTED


@pytest.mark.parametrize(
    "path", [".hidden.md", "x/.#Note.md", ".envrc.md", ".DS_Store"]
)
def test_hidden_files_are_left_out_and_not_listed(path: str) -> None:
    assert IgnoreRules().file(path) == UNLISTED


@pytest.mark.parametrize(
    "path",
    [
        "Note.sync-conflict-20240101-120000-ABCDEFG.md",
        "Note (conflicted copy 2024-01-01).md",
        "Note (Conflicted copy PHONE 202401011200).md",
        "Note (Ann's conflicted copy 2024-01-01).md",
        "x/~$Report.md",
        "Note.md.tmp",
        "Note.md~",
        "Note.md.SWP",
        "server.pem",
        "keys/private.KEY",
        "prod.env",
        ".env",
        ".env.local",
        "x/staging.env.example",
        "x.env.baseline",
        "safe.kdbx",
        "cert.p12",
        "cert.PFX",
        "putty.ppk",
        "id_rsa",
        "keys/id_ed25519",
    ],
)
def test_leftovers_and_secrets_are_listed_with_a_reason(path: str) -> None:
    assert IgnoreRules().file(path)


@pytest.mark.parametrize(
    "path",
    [
        "Note.md",
        "id_card.md",
        "tmp.md",
        "key.md",
        "a.env.md",
        "a ~ b.md",
        "env.md",
        "~x.md",
    ],
)
def test_ordinary_names_are_read(path: str) -> None:
    assert IgnoreRules().file(path) is None


def test_the_agents_folder_is_read_but_for_its_cache_and_logs(tmp_path: Path) -> None:
    rules = load_rules(tmp_path)

    assert rules.folder(".agent") is None
    assert rules.folder(".agent/memory") is None
    assert rules.folder(".agent/cache") == UNLISTED
    assert rules.folder(".agent/logs") == UNLISTED
    assert load_rules(tmp_path, include_agent_dir=False).folder(".agent") == UNLISTED


@pytest.mark.parametrize("agent", [".agent", ".mind", "Agents", "Work/Agents/"])
def test_what_is_ours_alone_is_not_read_whatever_the_agents_folder_is_called(
    tmp_path: Path, agent: str
) -> None:
    rules = load_rules(tmp_path, agent_dir=agent)
    unread = load_rules(tmp_path, agent_dir=agent, include_agent_dir=False)
    folder = agent.strip("/")

    assert rules.folder(folder) is None
    assert unread.folder(folder) == UNLISTED
    for name in ("memories", "inbox", "decisions", "tasks", "summaries"):
        assert rules.folder(f"{folder}/{name}") is None
    for name in ("cache", "logs", ".trash"):
        assert rules.folder(f"{folder}/{name}") == UNLISTED
    for name in ("dismissed.txt", "pinned.txt", ".glassmind-12.part"):
        assert rules.file(f"{folder}/{name}") == UNLISTED


def test_a_folder_of_the_vault_may_be_called_as_one_of_the_agents_is(
    tmp_path: Path,
) -> None:
    for rules in (load_rules(tmp_path), load_rules(tmp_path, agent_dir="")):
        assert rules.folder("logs") is None
        assert rules.folder("Work/cache") is None
        assert rules.file("pinned.txt") is None


def test_rules_with_another_agents_folder_judge_every_file_again(
    tmp_path: Path,
) -> None:
    assert load_rules(tmp_path, agent_dir="Agents").seed != load_rules(tmp_path).seed


def test_a_folder_is_ignored_by_name_anywhere_or_by_its_path(tmp_path: Path) -> None:
    rules = load_rules(tmp_path, ignore_dirs=["Templates", "a/Old/"])

    assert rules.folder("node_modules")
    assert rules.folder("x/y/templates")
    assert rules.folder("a/Old")
    assert rules.folder("b/Old") is None


def test_obsidians_excluded_files_are_followed(tmp_path: Path) -> None:
    rules = rules_with(tmp_path, "Archive/", "Inbox/One.md", r"/\.excalidraw\.md$/", 7)

    assert rules.folder("Archive")
    assert rules.file("Inbox/One.md")
    assert rules.file("Inbox/Two.md") is None
    assert rules.file("x/Sketch.excalidraw.md")
    assert rules.folder("Archives") is None
    assert not rules.warnings


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$",
        r"(a|aa)+$",
        r"(a|b?)*x",
        r"(.*a){20}",
        r"(a)\1",
        "a*" * 3 + "b",
        "a?" * 30 + "a" * 30,
        "(a|a)" * 20 + "b",
        "x" * 300,
        "[",
        "(",
    ],
)
def test_a_pattern_that_might_run_away_is_not_followed_and_said_so(
    tmp_path: Path, pattern: str
) -> None:
    rules = rules_with(tmp_path, f"/{pattern}/")

    assert rules.file("a" * 400 + ".md") is None
    assert len(rules.warnings) == 1
    assert "is not followed" in rules.warnings[0]


@pytest.mark.parametrize(
    "pattern", ["a*a*b", "a*a*a?b", "a?" * 9 + "a" * 9 + "b", "a{0,60}a{0,60}b"]
)
def test_the_worst_pattern_that_is_taken_ends_soon_on_the_worst_path(
    pattern: str,
) -> None:
    taken = compile_safely(pattern)

    assert not isinstance(taken, str)
    assert taken.search("a" * PATH_LIMIT_CHARS) is None


@pytest.mark.parametrize(
    ("pattern", "hit", "miss"),
    [
        (r".*\.png", "x/a.png", "x/a.md"),
        (r"^Daily\/\d{4}-\d{2}", "Daily/2024-01-02.md", "x/Daily/2024-01.md"),
        (r"(^|\/)_templates\/", "x/_templates/a.md", "x_templates/a.md"),
        (r"^(?!Notes\/)", "Other/a.md", "Notes/a.md"),
        (r"(?<year>\d{4})", "2024.md", "a.md"),
        (r"\.(png|jpe?g|gif|webp|svg)$", "a.jpeg", "a.md"),
    ],
)
def test_everyday_patterns_are_followed(pattern: str, hit: str, miss: str) -> None:
    taken = compile_safely(pattern)

    assert not isinstance(taken, str)
    assert taken.search(hit)
    assert not taken.search(miss)


@pytest.mark.parametrize(
    "text", ["{", "[]", '"x"', '{"userIgnoreFilters": 3}', "[" * 9999]
)
def test_settings_that_cannot_be_read_exclude_nothing(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text(text)

    rules = load_rules(tmp_path)

    assert rules.file("Note.md") is None


def test_the_ignore_file_follows_git_with_negation(tmp_path: Path) -> None:
    rules = rules_with(tmp_path, ignore="*.log.md\nDrafts/*\n!Drafts/Keep.md\n/Old/\n")

    assert rules.file("x/a.log.md")
    assert rules.folder("Drafts") is None
    assert rules.file("Drafts/Other.md")
    assert rules.file("Drafts/Keep.md") is None
    assert rules.folder("Old")
    assert rules.folder("x/Old") is None


def test_an_ignore_line_full_of_stars_is_not_followed_and_said_so(
    tmp_path: Path,
) -> None:
    rules = rules_with(tmp_path, ignore="*a*a*a*a*a*b\n")

    assert rules.file("a" * 200) is None
    assert "too many" in rules.warnings[0]


def test_the_ignore_files_parser_is_loaded_only_for_an_ignore_file(
    tmp_path: Path,
) -> None:
    code = (
        "import sys, pathlib; from glassmind.vault.ignore import load_rules;"
        "load_rules(pathlib.Path(sys.argv[1])); print('pathspec' in sys.modules)"
    )

    command = [sys.executable, "-c", code, os.fspath(tmp_path)]
    shown = subprocess.run(command, capture_output=True, check=True, timeout=60)

    assert shown.stdout.strip() == b"False"


def test_the_seed_differs_exactly_when_the_rules_do(tmp_path: Path) -> None:
    plain = load_rules(tmp_path)

    assert load_rules(tmp_path).seed == plain.seed
    assert load_rules(tmp_path, ignore_dirs=["x"]).seed != plain.seed
    assert load_rules(tmp_path, include_agent_dir=False).seed != plain.seed
    assert rules_with(tmp_path, "Archive/").seed != plain.seed
