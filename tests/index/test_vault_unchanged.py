"""A vault under git is clean after all that reads, shows, proposes and rejects."""

import shutil
from pathlib import Path

import pytest
from cli_harness import SAMPLE, Inside, with_sample
from edit_faults_harness import FILES, KETTLE, PLAN, TEA
from git_harness import GitHarness
from http_harness import serving
from mcp_harness import call
from test_reading_leaves_the_vault import everything_in
from vault_harness import VaultHarness

from glassmind.serve.mcp.server import make_server

READS: tuple[tuple[str, ...], ...] = (
    ("index",),
    ("index", "--verify"),
    ("search", "river", "gauge"),
    ("context", "battery", "chemistry"),
    ("ask", "--no-model", "who decided on batteries?"),
    ("brief",),
    ("read", "Home"),
    ("health",),
    ("graph", "suggest"),
    ("graph", "suggest", "Home"),
    ("changeset", "list"),
    ("changeset", "log"),
    ("proposals", "list"),
)

EDITS: tuple[tuple[str, ...], ...] = (
    ("edit", "append", TEA, "--text", "More."),
    ("edit", "prepend", TEA, "--text", "First."),
    ("edit", "replace", TEA, "--find", "oolong", "--text", "sencha"),
    ("edit", "heading", TEA, "--heading", "Brewing", "--text", "Cold water."),
    ("edit", "block", TEA, "--block", "brew", "--text", "Cold water."),
    ("edit", "property", TEA, "--name", "status", "--set", "done"),
    ("edit", "line", TEA, "--line", "7", "--text", "Drink nothing."),
    ("edit", "task", TEA, "--find", "buy leaves"),
    ("edit", "link", TEA, "--to", "Kettle", "--sentence", "Needs {link}."),
    ("edit", "create", "Whisk", "--text", "For [[Tea]].", "--folder", "Green"),
    ("edit", "delete", TEA, "--yes"),
    ("move", TEA, "Black/Tea.md"),
    ("move", "Green", "Colours/Green"),
    ("rename-heading", TEA, "Brewing", "Steeping"),
    ("rename-tag", "drink", "brew"),
    ("merge", KETTLE, TEA, "--yes"),
    ("split", TEA, "--heading", "Brewing"),
    ("health", "--fix"),
    ("graph", "suggest", "--apply"),
)


def all_but_git(vault: Path) -> dict[str, tuple[object, ...]]:
    """Return what is in a vault, but for what git writes when it is asked."""
    git = str(vault / ".git")
    return {p: one for p, one in everything_in(vault).items() if not p.startswith(git)}


class Repository:
    """A vault whose every file is committed, and the program beside it."""

    def __init__(self, root: Path) -> None:
        self.program = Inside(with_sample(root))
        self.vault = self.program.vault
        for path, raw in FILES.items():
            (self.vault / path).parent.mkdir(parents=True, exist_ok=True)
            (self.vault / path).write_bytes(raw)
        self._git = GitHarness(self.vault)
        self._git.commit("2024-01-01")

    def run(self, *words: str) -> str:
        """Run the program, and return what it prints; git sees nothing of it."""
        done = self.program.run(*words)
        assert done.returncode in {0, 1}, (words, done.stderr)
        assert "Traceback" not in done.stderr, words
        assert self.status() == "", words
        return done.stdout

    def status(self) -> str:
        return self._git.git("status", "--porcelain", "--ignored")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_a_repository_is_clean_after_all_that_reads(repository: Repository) -> None:
    for words in READS:
        repository.run(*words)


def test_a_repository_is_clean_after_dry_runs(repository: Repository) -> None:
    repository.run("index")
    before = all_but_git(repository.vault)

    for words in EDITS:
        assert repository.run(*words, "--dry-run")
        assert all_but_git(repository.vault) == before, words

    assert repository.program.json("changeset", "list")["total"] >= len(EDITS) - 2


def test_a_repository_is_clean_after_proposals_and_after_they_are_rejected(
    repository: Repository,
) -> None:
    repository.run("index")
    before = all_but_git(repository.vault)
    for words in EDITS:
        assert repository.run(*words)
    listed = repository.program.json("proposals", "list")
    found = [one["id"] for one in listed["changesets"]]
    assert len(found) >= len(EDITS) - 2

    for identity in found:
        repository.run("proposals", "show", identity)
        repository.run("proposals", "reject", identity)

    assert repository.program.json("proposals", "list")["total"] == 0
    assert all_but_git(repository.vault) == before


def test_of_a_proposal_that_is_approved_git_sees_the_notes_and_the_record_alone(
    repository: Repository,
) -> None:
    repository.run("index")
    repository.run("edit", "append", TEA, "--text", "More.")
    [waits] = repository.program.json("proposals", "list")["changesets"]

    done = repository.program.run("proposals", "approve", waits["id"], "--yes")

    assert done.returncode == 0, done.stderr
    seen = {line.split()[-1] for line in repository.status().splitlines()}
    assert seen == {TEA, ".agent/logs/"}
    assert (repository.vault / TEA).read_bytes() == FILES[TEA] + b"More.\n"
    assert (repository.vault / PLAN).read_bytes() == FILES[PLAN]


@pytest.fixture
def committed(vault: VaultHarness) -> tuple[VaultHarness, GitHarness]:
    """A vault under git, open in the usual mode."""
    shutil.copytree(SAMPLE, vault.root, dirs_exist_ok=True)
    vault.write(FILES)
    git = GitHarness(vault.root)
    git.commit("2024-01-01")
    vault.index()
    return vault, git


TOOLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("glassmind_edit", {"name": TEA, "edits": [{"op": "append", "text": "x"}]}),
    ("glassmind_create", {"title": "Whisk", "text": "For [[Tea]]."}),
    ("glassmind_move", {"source": TEA, "destination": "Black/Tea.md"}),
    ("glassmind_delete", {"name": TEA, "confirm": True}),
    ("glassmind_changes", {}),
    ("edit_note", {"name": TEA, "mode": "append", "content": "x"}),
    ("create_note", {"title": "Bowl", "content": "x"}),
    ("link_notes", {"source": TEA, "target": KETTLE, "context": "x"}),
    ("move_note", {"source": KETTLE, "destination": "Pots/"}),
    ("delete_note", {"name": KETTLE, "confirm": True}),
)


def test_a_repository_is_clean_whatever_an_agent_proposes(
    committed: tuple[VaultHarness, GitHarness],
) -> None:
    vault, git = committed
    before = all_but_git(vault.root)
    server = make_server(vault.engine, toolsets=["write", "brain"])

    for tool, given in TOOLS:
        answer = call(server, tool, **given)
        assert not answer.is_error, (tool, answer)
        assert git.git("status", "--porcelain", "--ignored") == "", tool

    assert all_but_git(vault.root) == before


def test_a_repository_is_clean_after_proposals_over_http(
    committed: tuple[VaultHarness, GitHarness],
) -> None:
    vault, git = committed
    before = all_but_git(vault.root)
    edit = {"name": TEA, "edits": [{"op": "append", "text": "x"}]}

    with serving(vault.engine) as web:
        assert web.post("/edit", edit).status == 200
        assert web.post("/edit", {**edit, "dry_run": True}).status == 200

    assert vault.engine.editing.changesets(["proposed"]).total == 1
    assert git.git("status", "--porcelain", "--ignored") == ""
    assert all_but_git(vault.root) == before
