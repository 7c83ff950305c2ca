"""A note that is swapped for a link while it is read never shows what is outside."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from http_harness import serving
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_harness import structured_server
from vault_harness import VaultHarness

from glassmind.errors import GlassmindError

CANARY = "the canary sings outside"
INSIDE = "oolong rests inside"
NOTE = "Folder/Tea.md"

LIMIT_S = 60.0
"""How long a test waits until both outcomes were seen."""

READS = 150
"""Reads at least, each at whatever moment of a swap."""

Reader = Callable[[], str]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="links need rights"),
]


@contextmanager
def swapped(harness: VaultHarness, what: str) -> Iterator[None]:
    """Swap the note, or its folder, for a link to the canary and back, all the time."""
    outside = harness.root.parent / "outside"
    outside.mkdir()
    (outside / "Tea.md").write_text(CANARY, "utf-8")
    done, broken = threading.Event(), []
    place = harness.root / (NOTE if what == "note" else "Folder")
    swap = swap_file if what == "note" else swap_folder

    def run() -> None:
        try:
            while not done.is_set():
                swap(place, outside / "Tea.md" if what == "note" else outside)
        except OSError as error:
            broken.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(LIMIT_S)
    assert not thread.is_alive()
    assert not broken


def swap_file(place: Path, outside: Path) -> None:
    """Put a link where a file is, and the file again, each in one step."""
    aside = outside.parent / "aside"
    aside.symlink_to(outside)
    aside.replace(place)
    aside.write_text(INSIDE, "utf-8")
    aside.replace(place)


def swap_folder(place: Path, outside: Path) -> None:
    """Put a link where a folder is, and the folder again."""
    kept = outside.parent / "kept"
    place.rename(kept)
    place.symlink_to(outside)
    place.unlink()
    kept.rename(place)


def check(read: Reader) -> None:
    """Read until both outcomes were seen; none of it is the canary."""
    seen, deadline = [0, 0], time.monotonic() + LIMIT_S
    while sum(seen) < READS or not all(seen):
        said = read()
        assert CANARY not in said
        seen[INSIDE in said] += 1
        assert time.monotonic() < deadline, f"refused and read: {seen}"


@pytest.fixture(params=["note", "folder"])
def racing(
    vault: VaultHarness, request: pytest.FixtureRequest
) -> Iterator[VaultHarness]:
    vault.indexed({NOTE: INSIDE})
    with swapped(vault, request.param):
        yield vault


def test_the_engine_reads_the_note_or_nothing(racing: VaultHarness) -> None:
    def read() -> str:
        try:
            return racing.engine.read(NOTE).text
        except GlassmindError as error:
            return str(error)

    check(read)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("glassmind_read", {"name": NOTE}),
        ("read_note", {"name": NOTE, "mode": "full"}),
        ("", {"uri": f"note://{NOTE}"}),
    ],
    ids=["core", "brain", "resource"],
)
def test_a_client_of_the_protocol_reads_the_note_or_nothing(
    racing: VaultHarness, tool: str, given: dict[str, Any]
) -> None:
    server = structured_server(racing.engine, toolsets=["core", "brain"])

    async def asked(client: Client) -> str:
        if tool:
            return (await client.call_tool(tool, given)).model_dump_json()
        try:
            found = (await client.read_resource(given["uri"])).contents[0]
        except MCPError as error:
            return str(error)
        assert isinstance(found, types.TextResourceContents)
        return found.text

    async def run() -> None:
        async with Client(server) as client:
            seen, deadline = [0, 0], time.monotonic() + LIMIT_S
            while sum(seen) < READS or not all(seen):
                said = await asked(client)
                assert CANARY not in said
                seen[INSIDE in said] += 1
                assert time.monotonic() < deadline, f"refused and read: {seen}"

    anyio.run(run)


def test_a_client_of_http_reads_the_note_or_nothing(racing: VaultHarness) -> None:
    with serving(racing.engine) as web:

        def read() -> str:
            return web.get(f"/notes/{NOTE}").body.decode()

        check(read)


def test_indexing_takes_in_the_note_or_nothing(racing: VaultHarness) -> None:
    deadline = time.monotonic() + LIMIT_S
    for _ in range(20):
        racing.engine.index(verify=True, accept_deletions=True)
        assert racing.found("canary", mode="fulltext") == []
        assert time.monotonic() < deadline
