"""No name that an agent gives leads a write out of the vault, whatever it may edit."""

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_harness import visit
from path_table import NAMES, lay
from vault_harness import VaultHarness

from glassmind.serve.mcp.server import make_server

EDIT = {"op": "append", "text": "x"}

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("glassmind_edit", "name", {"edits": [EDIT]}),
    ("glassmind_create", "title", {"text": "x"}),
    ("glassmind_create", "folder", {"title": "New", "text": "x"}),
    ("glassmind_create", "template", {"title": "New", "text": "x", "dry_run": True}),
    ("glassmind_move", "destination", {"source": "Inside.md", "dry_run": True}),
    ("glassmind_move", "source", {"destination": "Moved.md"}),
    ("glassmind_delete", "name", {"confirm": True}),
    ("glassmind_merge", "source", {"into": "Inside", "confirm": True}),
    ("glassmind_split", "folder",
     {"name": "Inside", "heading": "Inside", "dry_run": True}),
    ("glassmind_undo_change", "id", {}),
    ("edit_note", "name", {"mode": "append", "content": "x"}),
    ("create_note", "directory", {"title": "Made", "content": "x"}),
    ("link_notes", "source", {"target": "Inside", "context": "x"}),
    ("move_note", "source", {"destination": "Gone/"}),
    ("delete_note", "name", {"confirm": True}),
]  # fmt: skip


def around(root: Path) -> dict[Path, object]:
    """Return what stands beside the vault, the index and the home of the test."""
    return {
        file: file.read_bytes() if file.is_file() else None
        for file in root.parent.iterdir()
        if file.name not in {root.name, "index", "home"}
    }


@pytest.mark.parametrize(
    ("tool", "argument", "given"), CALLS, ids=[f"{one[0]} {one[1]}" for one in CALLS]
)
def test_a_name_that_is_a_trap_changes_nothing_outside_where_all_is_allowed(
    vault: VaultHarness, tool: str, argument: str, given: dict[str, Any]
) -> None:
    fence = lay(vault.root)
    vault.open(writes__mode="allow")
    vault.index()
    before = around(vault.root)
    settings = sorted((vault.root / ".obsidian").rglob("*"))

    async def body(client: Client) -> list[str]:
        calls = [{**given, argument: name} for name in NAMES.values()]
        done = [await client.call_tool(tool, call) for call in calls]
        return [answer.model_dump_json() for answer in done]

    server = make_server(vault.engine, toolsets=["write", "brain"])
    answers = visit(server, body)

    fence.assert_untouched(*answers)
    assert not [said for said in answers if "unexpected" in said.lower()]
    assert around(vault.root) == before
    assert sorted((vault.root / ".obsidian").rglob("*")) == settings
