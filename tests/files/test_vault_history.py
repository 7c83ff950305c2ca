"""A history is read as it was written, and a vault cannot make git run anything."""

import os
import subprocess
from pathlib import Path

import pytest
from git_harness import WHO, GitHarness

from glassmind.errors import NoHistory
from glassmind.files import git
from glassmind.files.git import FileChange, read_history

SECONDS = 30.0


@pytest.fixture
def harness(tmp_path: Path) -> GitHarness:
    """A repository with one note, changed once."""
    (tmp_path / "vault").mkdir()
    harness = GitHarness(tmp_path / "vault")
    note = harness.root / "Tea.md"
    note.write_text("[[one]]\n")
    harness.commit("2021-01-01")
    note.write_text("[[one]]\n[[two]]\n")
    harness.commit("2021-02-02")
    return harness


def happened(harness: GitHarness) -> list[FileChange]:
    return list(read_history(harness.root, timeout_s=SECONDS).changes)


HOSTILE = {
    "external difference": "[diff]\n\texternal = {run}\n",
    "text conversion": '[diff "x"]\n\ttextconv = {run}\n\tcommand = {run}\n',
    "signature": "[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {run}\n",
    "watching of files": "[core]\n\tfsmonitor = {run}\n\thooksPath = {folder}\n",
    "filter": '[filter "x"]\n\tclean = {run}\n\tsmudge = {run}\n\tprocess = {run}\n',
    "pager and alias": (
        "[core]\n\tpager = {run}\n\teditor = {run}\n[pager]\n\tlog = {run}\n"
        "[alias]\n\tlog = !{run}\n\trev-parse = !{run}\n"
    ),
    "fetching": (
        "[core]\n\trepositoryformatversion = 1\n\tsshCommand = {run}\n"
        "[extensions]\n\tpartialClone = origin\n"
        '[remote "origin"]\n\turl = ext::{run}\n\tpromisor = true\n'
        '[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n'
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_vault_cannot_make_git_run_a_program(
    harness: GitHarness, tmp_path: Path, kind: str
) -> None:
    mark, run = tmp_path / "it ran", tmp_path / "run.sh"
    run.write_text(f"#!/bin/sh\necho ran >> '{mark}'\n")
    run.chmod(0o755)
    (harness.root / ".gitattributes").write_text("*.md diff=x filter=x\n")
    _sign_the_last_commit(harness)
    said = HOSTILE[kind].format(run=run, folder=tmp_path)
    with (harness.root / ".git" / "config").open("a") as config:
        config.write(said)
    if kind == "fetching":
        _lose_a_blob(harness)

    happened(harness)
    happened(harness)

    assert not mark.exists()
    if kind in {"external difference", "text conversion", "signature", "fetching"}:
        _log_as_a_person_would(harness)
        assert mark.exists(), "the trap would not have caught git either"


def _sign_the_last_commit(harness: GitHarness) -> None:
    """Put what looks like a signature onto the last commit."""
    text = harness.git("cat-file", "commit", "HEAD")
    head, _, body = text.partition("\n\n")
    armour = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    made = subprocess.run(
        [
            "git",
            "-C",
            str(harness.root),
            "hash-object",
            "-t",
            "commit",
            "-w",
            "--stdin",
        ],
        input=f"{head}\n{armour}\n\n{body}\n",
        env={**os.environ, **WHO},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    harness.git("update-ref", "HEAD", made.stdout.strip())


def _lose_a_blob(harness: GitHarness) -> None:
    blob = subprocess.run(
        ["git", "hash-object", "--stdin"],
        input="[[one]]\n", capture_output=True, text=True, timeout=60, check=True,
    ).stdout.strip()  # fmt: skip
    file = harness.root / ".git" / "objects" / blob[:2] / blob[2:]
    file.unlink()


def _log_as_a_person_would(harness: GitHarness) -> None:
    subprocess.run(
        ["git", "-C", str(harness.root), "log", "-p", "--ext-diff"],
        env={**os.environ, **WHO},
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_variables_of_ours_do_not_lead_to_another_repository(
    harness: GitHarness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))

    assert [change.path for change in happened(harness)] == ["Tea.md", "Tea.md"]
    assert not (tmp_path / "trace").exists()


def test_reading_leaves_the_repository_as_it_is(harness: GitHarness) -> None:
    def state() -> dict[str, bytes]:
        files = sorted((harness.root / ".git").rglob("*"))
        return {str(file): file.read_bytes() for file in files if file.is_file()}

    before = state()

    happened(harness)

    assert state() == before


@pytest.mark.parametrize(
    "name",
    ['q"uote.md', "tab\there.md", "line\nfeed.md", "Été.md", "Cafe\u0301.md",
     " blank .md", ":(glob)**.md", "*.md", "-p.md", "back\\slash.md"],
)  # fmt: skip
def test_a_name_of_any_letters_is_read_as_it_is(harness: GitHarness, name: str) -> None:
    (harness.root / name).write_text("[[text]] of it\n")
    harness.commit("2021-03-03")
    path = name.replace("e\u0301", "é")

    assert happened(harness)[0].path == path


def test_what_happened_is_told_from_the_end_with_former_names(
    harness: GitHarness,
) -> None:
    (harness.root / "a b").mkdir()
    harness.git("mv", "Tea.md", 'a b/Te"a.md')
    harness.commit("2021-03-03")

    found = happened(harness)

    assert [(one.kind, one.path, one.former) for one in found] == [
        ("renamed", 'a b/Te"a.md', "Tea.md"),
        ("changed", "Tea.md", ""),
        ("added", "Tea.md", ""),
    ]


def test_a_note_made_from_a_template_is_new(harness: GitHarness) -> None:
    text = "".join(f"line {n} of the template\n" for n in range(20))
    (harness.root / "Template.md").write_text(text)
    harness.commit("2021-03-03")
    (harness.root / "Note.md").write_text(f"{text}and more\n")
    (harness.root / "Template.md").write_text(f"{text}changed\n")
    harness.commit("2021-04-04")

    made = happened(harness)[0]

    assert (made.kind, made.path, made.commit.day) == ("added", "Note.md", "2021-04-04")


def test_what_is_outside_of_the_vault_has_no_path_of_it(harness: GitHarness) -> None:
    (harness.root / "sub").mkdir()
    harness.git("config", "diff.relative", "true")
    harness.git("mv", "Tea.md", "sub/Tea.md")
    harness.commit("2021-03-03")

    found = read_history(harness.root / "sub", timeout_s=SECONDS).changes

    assert [(one.path, one.former) for one in found] == [
        ("Tea.md", "../Tea.md"), ("../Tea.md", ""), ("../Tea.md", "")
    ]  # fmt: skip


CHANGING = {
    "first commits hidden": "[log]\n\tshowRoot = false\n\tfollow = true\n",
    "letters": "[i18n]\n\tlogOutputEncoding = UTF-16\n\tcommitEncoding = UTF-16\n",
    "another folder": "[core]\n\tworktree = {folder}\n",
    "all is binary": "[core]\n\tbigFileThreshold = 1\n",
    "hunks": "[diff]\n\tinterHunkContext = 9\n\tcontext = 9\n\trelative = true\n",
    "names": "[diff]\n\tnoprefix = true\n\tmnemonicPrefix = true\n",
    "shape": "[log]\n\tdate = raw\n[format]\n\tpretty = oneline\n",
    "colour": "[color]\n\tui = always\n\tdiff = always\n",
}


@pytest.mark.parametrize("kind", CHANGING)
def test_settings_of_the_vault_do_not_change_what_is_told(
    harness: GitHarness, tmp_path: Path, kind: str
) -> None:
    whole = happened(harness)
    with (harness.root / ".git" / "config").open("a") as config:
        config.write(CHANGING[kind].format(folder=tmp_path))

    assert happened(harness) == whole


def test_what_is_too_long_is_read_up_to_there(
    harness: GitHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read_history(harness.root, timeout_s=SECONDS)
    assert len(whole.changes) == 2
    assert not whole.cut
    monkeypatch.setattr(git, "MOST_COMMITS", 1)

    part = read_history(harness.root, timeout_s=SECONDS)

    assert len(part.changes) == 1
    assert part.cut


def test_a_folder_that_only_looks_like_a_repository_is_none(tmp_path: Path) -> None:
    for folder in ("objects", "refs"):
        (tmp_path / folder).mkdir()
    (tmp_path / "HEAD").write_text("ref: refs/heads/main\n")

    with pytest.raises(NoHistory):
        read_history(tmp_path, timeout_s=SECONDS)
