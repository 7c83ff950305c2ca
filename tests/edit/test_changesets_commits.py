"""Changes as commits of the repository that a vault is, by a real git."""

import shutil
from pathlib import Path
from unicodedata import normalize

import pytest
from git_harness import GitHarness

from glassmind.files.git import commit

WHO = "[user]\n\tname = Ada\n\temail = ada@example.invalid\n"

HOOKS = (
    "pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "pre-auto-gc",
    "post-index-change", "reference-transaction",
)  # fmt: skip
PROGRAMS = (
    "core.fsmonitor", "gpg.program", "core.editor", "core.pager", "diff.external",
    "filter.x.clean", "filter.x.process", "core.sshCommand", "core.askPass",
    "credential.helper", "core.alternateRefsCommand", "uploadpack.packObjectsHook",
)  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose user git knows."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / ".gitconfig").write_text(WHO, "utf-8")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    root.mkdir()
    return root


@pytest.fixture
def git(vault: Path) -> GitHarness:
    harness = GitHarness(vault)
    for name in ("Tea.md", "Other.md", "old/a.md", "old/deep/b.md"):
        file = vault / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{name}\n", "utf-8")
    harness.commit("2024-01-01")
    return harness


def last(git: GitHarness) -> list[str]:
    """Return what the last commit did, file by file."""
    shown = git.git("show", "--format=", "--name-status", "--no-renames", "HEAD")
    return sorted(shown.replace("\t", " ").splitlines())


def status(git: GitHarness) -> list[str]:
    _branch, *files = git.git("status", "--porcelain", "--branch").splitlines()
    return files


def test_a_changed_note_is_committed_by_its_user(git: GitHarness, vault: Path) -> None:
    (vault / "Tea.md").write_text("sencha\n", "utf-8")

    said = commit(vault, "append to Tea.md", ["Tea.md"])

    assert said == ""
    assert last(git) == ["M Tea.md"]
    told = git.git("log", "-1", "--format=%an <%ae> %cn %s")
    assert told == "Ada <ada@example.invalid> Ada append to Tea.md"
    assert status(git) == []
    assert git.git("fsck") == ""


def test_what_the_user_staged_stays_staged_and_uncommitted(
    git: GitHarness, vault: Path
) -> None:
    (vault / "Other.md").write_text("staged\n", "utf-8")
    (vault / "New.md").write_text("staged too\n", "utf-8")
    git.git("add", "Other.md", "New.md")
    (vault / "Other.md").write_text("and more\n", "utf-8")
    (vault / "old/a.md").write_text("not staged\n", "utf-8")
    (vault / "Tea.md").write_text("sencha\n", "utf-8")

    assert commit(vault, "Tea", ["Tea.md"]) == ""

    assert last(git) == ["M Tea.md"]
    assert git.git("diff", "--cached", "--name-status").split() == [
        "A", "New.md", "M", "Other.md",
    ]  # fmt: skip
    assert git.git("show", ":Other.md") == "staged"
    assert "old/a.md" in git.git("diff", "--name-only")


def test_new_moved_and_deleted_notes_are_committed(
    git: GitHarness, vault: Path
) -> None:
    (vault / "New.md").write_text("new\n", "utf-8")
    (vault / "Tea.md").rename(vault / "Green tea.md")
    (vault / ".trash").mkdir()
    (vault / "Other.md").rename(vault / ".trash/Other.md")

    said = commit(
        vault,
        "all",
        ["New.md", "Tea.md", "Green tea.md", "Other.md", ".trash/Other.md", "none.md"],
    )

    assert said == ""
    assert last(git) == [
        "A .trash/Other.md", "A Green tea.md", "A New.md", "D Other.md", "D Tea.md",
    ]  # fmt: skip
    assert status(git) == []


def test_of_a_moved_folder_what_git_knew_is_committed(
    git: GitHarness, vault: Path
) -> None:
    (vault / "old/private.md").write_text("never added\n", "utf-8")
    (vault / "old").rename(vault / "new")

    assert commit(vault, "move", ["old", "new"]) == ""

    assert last(git) == [
        "A new/a.md", "A new/deep/b.md", "D old/a.md", "D old/deep/b.md",
    ]  # fmt: skip
    assert status(git) == ["?? new/private.md"]


def test_what_git_ignores_is_left_out(git: GitHarness, vault: Path) -> None:
    (vault / ".gitignore").write_text(".trash/\nOther.md\n", "utf-8")
    git.commit("2024-01-02")
    (vault / ".trash").mkdir()
    (vault / "Tea.md").rename(vault / ".trash/Tea.md")
    (vault / "Other.md").write_text("known, so it counts\n", "utf-8")

    said = commit(vault, "delete", ["Tea.md", ".trash/Tea.md", "Other.md"])

    assert said == ""
    assert last(git) == ["D Tea.md", "M Other.md"]


def test_where_nothing_is_left_to_commit_nothing_is(
    git: GitHarness, vault: Path
) -> None:
    head = git.git("rev-parse", "HEAD")
    (vault / ".gitignore").write_text("secret/\n", "utf-8")
    (vault / "secret").mkdir()
    (vault / "secret/a.md").write_text("x", "utf-8")

    assert commit(vault, "t", ["Tea.md", "secret/a.md", "none.md"]) == ""
    assert commit(vault, "t", []) == ""
    assert git.git("rev-parse", "HEAD") == head


def test_odd_names_are_no_patterns(git: GitHarness, vault: Path) -> None:
    names = ["*.md", ":(top)x.md", "-a.md", 'q"u.md', "a\tb.md", "caf\u00e9 [1].md"]
    for name in names:
        (vault / name).write_text("odd\n", "utf-8")
    (vault / "Tea.md").write_text("not this\n", "utf-8")

    assert commit(vault, "odd", names) == ""

    tracked = git.git("-c", "core.quotePath=false", "ls-files", "-z").split("\0")
    assert set(names) < set(tracked)
    assert status(git) == [" M Tea.md"]


def test_a_name_that_the_disk_spells_decomposed_is_found(
    git: GitHarness, vault: Path
) -> None:
    name = normalize("NFD", "caf\u00e9.md")
    (vault / name).write_text("odd\n", "utf-8")

    assert commit(vault, "t", ["caf\u00e9.md"]) == ""

    assert status(git) == []


def test_no_program_that_the_repository_names_is_run(
    git: GitHarness, vault: Path, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {ran}\nexit 1\n", "utf-8")
    program.chmod(0o755)
    hooks = vault / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        shutil.copy(program, hooks / name)
    for key in PROGRAMS:
        git.git("config", key, str(program))
    for key in ("commit.gpgSign", "filter.x.required", "tag.gpgSign"):
        git.git("config", key, "true")
    git.git("config", "core.hooksPath", str(hooks))
    (vault / "Tea.md").write_text("sencha\n", "utf-8")

    assert commit(vault, "t", ["Tea.md"]) == ""

    assert not ran.exists()
    (vault / ".gitattributes").write_text("*.md filter=x\n", "utf-8")
    (vault / "Tea.md").write_text("assam\n", "utf-8")
    said = commit(vault, "t", ["Tea.md"])
    assert said == (
        "the change was not committed: git passes Tea.md through the program 'x', "
        "which we do not run; commit it yourself"
    )
    assert not ran.exists()


def test_settings_cannot_lead_it_to_other_files(
    git: GitHarness, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "Tea.md").write_text("stolen\n", "utf-8")
    git.git("config", "core.worktree", str(other))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nowhere/index"))
    (vault / "Tea.md").write_text("mine\n", "utf-8")

    assert commit(vault, "t", ["Tea.md"]) == ""

    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert git.git("show", "HEAD:Tea.md") == "mine"


def test_line_ends_are_kept_as_git_is_told_to(git: GitHarness, vault: Path) -> None:
    git.git("config", "core.autocrlf", "true")
    (vault / "Tea.md").write_bytes(b"one\r\ntwo\r\n")

    assert commit(vault, "t", ["Tea.md"]) == ""

    assert git.git("cat-file", "-s", "HEAD:Tea.md") == "8"
    assert (vault / "Tea.md").read_bytes() == b"one\r\ntwo\r\n"
    assert status(git) == []


def test_a_user_that_git_does_not_know_is_told(
    git: GitHarness, vault: Path, home: Path
) -> None:
    (home / ".gitconfig").write_text("", "utf-8")
    (vault / "Tea.md").write_text("sencha\n", "utf-8")

    said = commit(vault, "t", ["Tea.md"])

    assert "git does not know who commits; set user.name and user.email" in said
    assert status(git) == [" M Tea.md"]


def test_a_vault_that_is_a_folder_of_a_repository(git: GitHarness, vault: Path) -> None:
    inside = vault / "old"
    (inside / "a.md").write_text("changed\n", "utf-8")
    (inside / "deep/b.md").unlink()
    (inside / "c.md").write_text("new\n", "utf-8")
    (vault / "Tea.md").write_text("not this\n", "utf-8")

    assert commit(inside, "t", ["a.md", "deep/b.md", "c.md"]) == ""

    assert last(git) == ["A old/c.md", "D old/deep/b.md", "M old/a.md"]
    assert status(git) == [" M Tea.md"]


def test_a_vault_that_is_a_work_tree_of_its_own(
    git: GitHarness, vault: Path, tmp_path: Path
) -> None:
    beside = tmp_path / "beside"
    git.git("worktree", "add", "-q", "-b", "side", str(beside))
    head = git.git("rev-parse", "HEAD")
    (beside / "Tea.md").write_text("sencha\n", "utf-8")

    assert commit(beside, "t", ["Tea.md"]) == ""

    assert git.git("rev-parse", "HEAD") == head
    assert git.git("show", "side:Tea.md") == "sencha"


def test_the_first_commit_of_all(vault: Path) -> None:
    git = GitHarness(vault)
    (vault / "Tea.md").write_text("oolong\n", "utf-8")
    (vault / "Other.md").write_text("x\n", "utf-8")

    assert commit(vault, "begin", ["Tea.md"]) == ""

    assert git.git("log", "--format=%s") == "begin"
    assert status(git) == ["?? Other.md"]


def test_a_merge_under_way_is_not_disturbed(git: GitHarness, vault: Path) -> None:
    (vault / ".git/MERGE_HEAD").write_text(git.git("rev-parse", "HEAD"), "utf-8")
    (vault / "Tea.md").write_text("sencha\n", "utf-8")

    assert "a merge, a rebase or the like is under way" in commit(
        vault, "t", ["Tea.md"]
    )


def test_a_locked_index_commits_nothing(git: GitHarness, vault: Path) -> None:
    head = git.git("rev-parse", "HEAD")
    (vault / ".git/index.lock").write_bytes(b"")
    (vault / "Tea.md").write_text("sencha\n", "utf-8")

    said = commit(vault, "t", ["Tea.md"])

    assert "index.lock" in said
    assert git.git("rev-parse", "HEAD") == head


def test_a_vault_without_a_repository_is_told(vault: Path) -> None:
    (vault / "Tea.md").write_text("x", "utf-8")

    said = commit(vault, "t", ["Tea.md"])

    assert said == "the change was not committed: the vault is no git repository"


def test_a_link_is_not_committed_in_the_place_of_a_note(
    git: GitHarness, vault: Path
) -> None:
    (vault / "Tea.md").unlink()
    (vault / "Tea.md").symlink_to("/etc/hostname")

    assert commit(vault, "t", ["Tea.md"]) == ""
    assert git.git("show", "HEAD:Tea.md") == "Tea.md"


def test_git_that_takes_too_long_is_told(git: GitHarness, vault: Path) -> None:
    (vault / "Tea.md").write_text("x", "utf-8")

    said = commit(vault, "t", ["Tea.md"], timeout_s=0.0)

    assert said.startswith("the change was not committed: git could not be asked")


def test_many_paths_are_taken_in_parts(git: GitHarness, vault: Path) -> None:
    names = [f"{'long name ' * 9}{at}.md" for at in range(600)]
    for name in names:
        (vault / name).write_text("x\n", "utf-8")

    assert commit(vault, "many", names) == ""

    assert len(last(git)) == 600
    assert status(git) == []
