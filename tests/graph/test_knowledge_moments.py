"""Answers about the graph are of one moment, and say what is not known of it."""

from collections.abc import Collection

import pytest
from vault_harness import VaultHarness

from glassmind.model.graph import GraphLink
from glassmind.store.sqlite.rows import SqliteRows

Keys = Collection[tuple[int, int]]

BEFORE = "Here is [[A]] only.\n\nAnd there is [[B]] too.\n"
AFTER = "Swapped [[B]] stands first.\n\nLater [[A]] stands.\n"


def written_meanwhile(vault: VaultHarness, patched: pytest.MonkeyPatch) -> None:
    """Let another program rewrite a note while an answer is being put together."""
    read, other = SqliteRows.link_sentences, vault.open()

    def late(rows: SqliteRows, keys: Keys) -> dict[tuple[int, int], str]:
        vault.write({"N.md": AFTER})
        other.index()
        return read(rows, keys)

    patched.setattr(SqliteRows, "link_sentences", late)


def test_connections_are_told_as_of_one_moment(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"A.md": "", "B.md": "", "N.md": BEFORE})
    asked = vault.engine.knowledge
    written_meanwhile(vault, monkeypatch)

    first, then = asked.connections("N"), asked.connections("N")

    assert said(first.hops[0].neighbours[0].edges) == ["Here is [[A]] only."]
    assert said(then.hops[0].neighbours[0].edges) == ["Later [[A]] stands."]


def test_chains_are_told_as_of_one_moment(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"A.md": "", "B.md": "", "N.md": BEFORE})
    asked = vault.engine.knowledge
    written_meanwhile(vault, monkeypatch)

    (chain,) = asked.path("N", "A").chains

    assert said(chain.steps[0].edges) == ["Here is [[A]] only."]


def said(edges: tuple[GraphLink, ...]) -> list[str]:
    return [edge.sentence for edge in edges]
