"""A run may be told which files changed, and then looks only where they stand."""

from pathlib import Path

import pytest
from vault_harness import VaultHarness


def test_only_the_folders_of_the_paths_given_are_looked_at(
    vault: VaultHarness, reads: list[str]
) -> None:
    vault.indexed({"a/One.md": "one", "a/b/Deep.md": "deep", "c/Two.md": "two"})
    vault.write({"a/One.md": "one [[New]]", "a/New.md": "new", "c/Two.md": "two more"})
    vault.remove("a/b/Deep.md")
    reads.clear()

    report = vault.engine.index(paths=["a/One.md"])

    assert (report.added, report.changed, report.removed) == (1, 1, 0)
    assert sorted(reads) == ["a/New.md", "a/One.md"]
    assert vault.edges()["a/One.md", "New"] == "a/New.md"
    assert vault.found("new")[0] == "a/New.md"
    assert vault.found("more") == []


def test_a_run_over_some_folders_then_over_all_equals_one_over_all(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {"Top.md": "top", "a/One.md": "one", "a/bin.md": b"\0", "c/x.md": b"\0"}
    )
    vault.write({"a/Two.md": "two", "Top.md": "top changed"})
    vault.move("a/One.md", "c/One.md")

    vault.engine.index(paths=["a/One.md", "c/One.md", "Top.md"])

    assert vault.engine.stats().skipped == 2
    kept = vault.rows("select path from files order by path")
    vault.index(verify=True)
    assert vault.rows("select path from files order by path") == kept
    assert vault.found("two") == ["a/Two.md"]
    assert vault.found("changed") == ["Top.md"]


@pytest.mark.parametrize("gone", ["a/One.md", "b/Two.md", "nowhere/Three.md"])
def test_a_path_whose_folder_is_gone_makes_the_run_look_everywhere(
    vault: VaultHarness, gone: str
) -> None:
    vault.indexed({"a/One.md": "one", "b/Two.md": "two"})
    vault.remove("a/One.md", "b/Two.md")
    (vault.root / "a").rmdir()
    (vault.root / "b").rmdir()

    report = vault.engine.index(paths=[gone], accept_deletions=True)

    assert (report.removed, report.notes) == (2, 0)


def test_a_folder_reached_through_a_link_is_not_looked_into(
    vault: VaultHarness, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "Secret.md").write_text("canary", "utf-8")
    vault.indexed({"One.md": "one"})
    (vault.root / "link").symlink_to(outside, target_is_directory=True)

    vault.engine.index(paths=["link/Secret.md"])

    assert vault.found("canary") == []
