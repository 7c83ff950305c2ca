"""What is not read is not read, and the user can see why."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from vault_harness import VaultHarness

from glassmind.files.ignore import (
    PATTERNS_LIMIT,
    PROGRAM_LIMIT,
    UNLISTED,
    IgnoreRules,
    load_rules,
)


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


SLOW_WHEN_BACKTRACKING = [
    r"(a+)+$",
    r"(a|aa)+$",
    r"(a|b?)*x",
    r"(.*a){20}b",
    "a*" * 30 + "b",
    "a?" * 30 + "a" * 300 + "b",
    "(a|a)" * 20 + "b",
    *(f"a*a*b{number}" for number in range(100)),
]


@pytest.mark.timeout(60)
def test_no_excluded_files_pattern_can_stall_an_index(vault: VaultHarness) -> None:
    filters = [f"/{pattern}/" for pattern in SLOW_WHEN_BACKTRACKING]
    settings = {"userIgnoreFilters": [*filters, "/Hidden/"]}
    folder = "a" * 200
    notes = {f"{folder}/{folder}/{'a' * 50}{number}.md": "tea" for number in range(20)}

    report = vault.indexed(
        {".obsidian/app.json": json.dumps(settings), "Hidden.md": "tea", **notes}
    )

    assert report.notes == 20
    assert not report.warnings
    assert [skipped.path for skipped in report.skipped] == ["Hidden.md"]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"^(?!Notes\/)", "invalid perl operator"),
        (r"(?<=a)b", "invalid perl operator"),
        (r"(a)\1", "invalid escape sequence"),
        (r"(?<year>\d)\k<year>", "invalid escape sequence"),
        ("(((a{100}){100}){100})", "invalid repetition size"),
        (r"\p{L}{100}", "too large"),
        ("x" * 1_001, "longer than 1,000 characters"),
        ("\ud800", "not valid Unicode"),
        ("[", "missing ]"),
        ("(", "missing )"),
    ],
)
def test_an_unusable_pattern_is_reported_once_and_skipped(
    tmp_path: Path, pattern: str, reason: str
) -> None:
    rules = rules_with(tmp_path, f"/{pattern}/", "/Hidden/")

    (warning,) = rules.warnings
    assert reason in warning
    assert repr(f"/{pattern}/"[:80]) in warning
    assert rules.file("b.md") is None
    assert rules.file("Hidden.md")


def test_the_warning_about_a_pattern_has_no_control_characters(tmp_path: Path) -> None:
    rules = rules_with(tmp_path, "/(\x1b[2J\u202e\n/")

    assert all(warning.isprintable() for warning in rules.warnings)


def test_of_many_unusable_patterns_one_is_named_and_the_rest_counted(
    tmp_path: Path,
) -> None:
    rules = rules_with(tmp_path, *["/(/"] * 500, ignore="a\\\n" * 500)

    assert len(rules.warnings) == 2
    assert all("499 more" in warning for warning in rules.warnings)


def test_excluded_paths_beyond_the_limit_are_reported(tmp_path: Path) -> None:
    rules = rules_with(tmp_path, *(f"F{n}/" for n in range(PATTERNS_LIMIT + 1)))

    assert rules.folder(f"F{PATTERNS_LIMIT - 1}")
    assert rules.folder(f"F{PATTERNS_LIMIT}") is None
    assert len(rules.warnings) == 1


def test_patterns_as_large_as_allowed_still_match(tmp_path: Path) -> None:
    rules = rules_with(
        tmp_path,
        *(f"/{'a.*' * 30}b{n}/" for n in range(PROGRAM_LIMIT // 400)),
        "/Hidden/",
        ignore="Drafts/\n" + "*a*a*a*b\n" * 30 + f"{'x' * 60}*.log\n" * 100,
    )
    path = "a" * 500

    assert not rules.warnings
    assert rules.file(f"{path}.md") is None
    assert rules.file(f"{path}/Hidden.md")
    assert rules.file(f"{path}b0.md") == "excluded in Obsidian's settings"
    assert rules.file(f"x/{path}b") == "excluded by .glassmindignore"
    assert rules.folder("Drafts")


@pytest.mark.parametrize(
    ("pattern", "hit", "miss"),
    [
        (r".*\.png", "x/a.png", "x/a.md"),
        (r"^Daily\/\d{4}-\d{2}", "Daily/2024-01-02.md", "x/Daily/2024-01.md"),
        (r"(^|\/)_templates\/", "x/_templates/a.md", "x_templates/a.md"),
        (r"(?<year>\d{4})", "2024.md", "a.md"),
        (r"\.(png|jpe?g|gif|webp|svg)$", "a.jpeg", "a.md"),
        (r"^\u00c9t\xe9\.md$", "Été.md", "Ete.md"),
        (r"^.{5}$", "Ü.pdf", "UU.pdf"),
        ("archive", "x/archive.pdf", "x/Archive.pdf"),
    ],
)
def test_everyday_patterns_are_followed(
    tmp_path: Path, pattern: str, hit: str, miss: str
) -> None:
    rules = rules_with(tmp_path, f"/{pattern}/")

    assert rules.file(hit)
    assert rules.file(miss) is None
    assert not rules.warnings


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


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "line",
    [
        "*a" * 300 + "*b",
        "**/" * 300 + "*a*a*a*a*b",
        "**/a/" * 150 + "*b",
        "[a-z]*" * 150 + "b",
        "?*" * 400 + "b",
    ],
)
def test_no_ignore_line_can_stall_an_index(vault: VaultHarness, line: str) -> None:
    folder = "a/" * 100 + "a" * 100
    notes = {f"{folder}/{'a' * 100}{number}.md": "tea" for number in range(20)}

    report = vault.indexed({".glassmindignore": line, **notes})

    assert report.notes == 20
    assert not report.warnings


@pytest.mark.timeout(60)
def test_an_ignore_file_full_of_patterns_is_used_up_to_a_limit(tmp_path: Path) -> None:
    lines = "".join(f"{'*a' * 20}*b{number}\n" for number in range(8_000))
    rules = rules_with(tmp_path, ignore=f"Drafts/\n{lines}Late/\n")

    assert rules.folder("Drafts")
    assert rules.folder("Late") is None
    assert "too large" in rules.warnings[0]
    for number in range(100):
        assert rules.file(f"{'a' * 400}{number}.md") is None


@pytest.mark.parametrize("line", ["!", "a\\", "\\", "[z-a]", "\ufeff[b-a]"])
def test_an_invalid_ignore_line_is_reported_and_skipped(
    tmp_path: Path, line: str
) -> None:
    rules = rules_with(tmp_path, ignore=f"Drafts/\n{line}\nOld/\n")

    assert rules.folder("Drafts")
    assert rules.folder("Old")
    (warning,) = rules.warnings
    assert repr(line) in warning


def test_a_path_that_is_not_valid_unicode_matches_no_pattern(tmp_path: Path) -> None:
    rules = rules_with(tmp_path, "/Hidden/", ignore="Drafts/\n")

    assert rules.file("\udcff.md") is None


def test_pattern_engines_are_imported_only_for_a_vault_with_patterns(
    tmp_path: Path,
) -> None:
    code = (
        "import sys, pathlib; from glassmind.files.ignore import load_rules;"
        "load_rules(pathlib.Path(sys.argv[1]));"
        "print({'pathspec', 're2'}.isdisjoint(sys.modules))"
    )

    command = [sys.executable, "-c", code, os.fspath(tmp_path)]
    shown = subprocess.run(command, capture_output=True, check=True, timeout=60)

    assert shown.stdout.strip() == b"True"


def test_the_seed_differs_exactly_when_the_rules_do(tmp_path: Path) -> None:
    plain = load_rules(tmp_path)

    assert load_rules(tmp_path).seed == plain.seed
    assert load_rules(tmp_path, ignore_dirs=["x"]).seed != plain.seed
    assert load_rules(tmp_path, include_agent_dir=False).seed != plain.seed
    assert rules_with(tmp_path, "Archive/").seed != plain.seed
