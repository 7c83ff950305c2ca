"""Whole vaults of other people's notes, when they are at hand: every one is read."""

from pathlib import Path

import pytest
from markdown_harness import Placed, read, source_of

VAULTS = Path(__file__).parents[3] / "shared" / "data" / "vaults"
LIMIT = 200
"""Notes read of each vault: enough variety, and seconds rather than a minute."""


@pytest.mark.parametrize("name", ["lyz", "tasks-docs", "tasks-demo", "kepano"])
def test_every_note_of_a_real_vault_is_read(name: str) -> None:
    files = sorted((VAULTS / name).rglob("*.md"))[:LIMIT]
    if not files:
        pytest.skip(f"the vault {name} is not here")

    for file in files:
        note = read(file.read_text(encoding="utf-8", errors="replace"))
        pieces: list[Placed] = [*note.links, *note.tags, *note.headings, *note.regions]
        for piece in pieces:
            assert source_of(note, piece).strip()
        covered = sum(block.end - block.start for block in note.blocks)
        assert covered <= len(note.text.encode())
        for heading in note.headings:
            line = note.text.split("\n")[heading.line - 1]
            assert line.lstrip().startswith("#") or heading.level <= 2


def test_links_of_a_real_vault_are_all_seen() -> None:
    files = sorted((VAULTS / "kepano").rglob("*.md"))
    if not files:
        pytest.skip("the vault kepano is not here")

    notes = [read(file.read_text(encoding="utf-8")) for file in files]

    assert any(link.kind == "property" for note in notes for link in note.links)
    assert any(note.frontmatter.error for note in notes)
    assert all(not note.frontmatter.error or note.frontmatter.end for note in notes)
