"""A symbolic link looks to an agent like a file that is missing, or a taken name."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from http_harness import Web, serving
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_harness import call, structured_server, visit
from vault_harness import VaultHarness

from glassmind.edit.vault import EditRequest
from glassmind.errors import PathOutsideVault
from glassmind.model.access import EVERY_AGENT
from glassmind.model.edits import Append

MISSING = "None.md"
HIDDEN = ("Veiled.md", "Keep/Veiled.md")
LINKED = ("Link.md", "Lost.md", "Loop.md", "Inner.md", "Out/Far.md", "Kept/Veiled.md")

Ask = Callable[[str], str]

READING: dict[str, tuple[str, str]] = {
    "read": ("GET", "/notes/{}"),
    "connections": ("GET", "/graph/connections?name={}"),
}
WRITING: dict[str, tuple[str, dict[str, object]]] = {
    "edit": ("/edit", {"name": 0, "edits": [{"op": "append", "text": "y"}]}),
    "delete": ("/delete", {"name": 0, "confirm": True}),
    "move": ("/move", {"source": 0, "destination": "Q"}),
    "merge": ("/merge", {"source": 0, "into": "A", "confirm": True}),
    "merge into": ("/merge", {"source": "A", "into": 0, "confirm": True}),
    "split": ("/split", {"name": 0, "heading": "H"}),
    "rename a heading": ("/rename-heading", {"name": 0, "heading": "H", "new": "I"}),
    "template": ("/notes", {"title": "T", "template": 0, "dry_run": True}),
    "capture": ("/capture", {"kind": "memory", "text": "x", "sources": [0]}),
    "verify": ("/verify", {"receipts": ["{}:1-2@00000000"]}),
}
TAKING: dict[str, tuple[str, dict[str, object]]] = {
    "create": ("/notes", {"title": 0, "text": "x", "dry_run": True}),
    "move to": ("/move", {"source": "A", "destination": 0, "dry_run": True}),
}


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    harness = VaultHarness(Path(tmp_path_factory.mktemp("links")))
    outside = harness.root.parent / "elsewhere"
    outside.mkdir()
    (outside / "Far.md").write_text("outside", "utf-8")
    private = "---\nprivate: true\n---\n# H\n"
    harness.write({"A.md": "# H\nx\n", "Veiled.md": private, "Keep/Veiled.md": "# H\n"})
    links = {
        "Link.md": outside / "Far.md",
        "Lost.md": outside / "absent.md",
        "Loop.md": harness.root / "Loop.md",
        "Inner.md": harness.root / "Veiled.md",
        "Out": outside,
        "Kept": harness.root / "Keep",
    }
    for name, target in links.items():
        (harness.root / name).symlink_to(target)
    harness.open(writes__mode="allow", access__private_folders=("Keep",)).index()
    yield harness
    harness.close()


@pytest.fixture(scope="module")
def web(linked: VaultHarness) -> Iterator[Web]:
    with serving(linked.engine) as web:
        yield web


def plain(text: str, name: str) -> str:
    """Return a reply without the name that was given, and without random fences."""
    text = text.replace(name, "NAME").replace(name.removesuffix(".md"), "NAME")
    return re.sub(r"notes-\w+", "notes", text)


def filled(body: object, name: str) -> object:
    if isinstance(body, dict):
        return {key: filled(value, name) for key, value in body.items()}
    if isinstance(body, list):
        return [filled(value, name) for value in body]
    if isinstance(body, str):
        return body.replace("{}", name)
    return name if body == 0 and body is not False else body


def posted(web: Web, route: str, body: object, name: str) -> str:
    answer = web.post(route, filled(body, name))
    return plain(f"{answer.status} {answer.body.decode()}", name)


@pytest.mark.parametrize("operation", [*READING, *WRITING])
def test_over_http_hidden_and_linked_files_are_missing(
    web: Web, operation: str
) -> None:
    def ask(name: str) -> str:
        if operation in READING:
            answer = web.get(READING[operation][1].format(name))
            return plain(f"{answer.status} {answer.body.decode()}", name)
        return posted(web, *WRITING[operation], name)

    missing = ask(MISSING)

    assert {name: ask(name) for name in (*HIDDEN, *LINKED)} == dict.fromkeys(
        (*HIDDEN, *LINKED), missing
    )
    if operation != "verify":
        assert missing[0] == "4"


@pytest.mark.parametrize("operation", TAKING)
def test_over_http_a_linked_name_is_taken_like_a_hidden_one(
    web: Web, operation: str
) -> None:
    route, body = TAKING[operation]
    taken = posted(web, route, body, HIDDEN[0])

    assert taken.startswith("409")
    for name in LINKED:
        assert posted(web, route, body, name) == taken


def test_over_mcp_hidden_and_linked_files_are_missing(linked: VaultHarness) -> None:
    server = structured_server(
        linked.engine.seen_by(EVERY_AGENT), toolsets=("core", "write")
    )

    async def read(client: Client) -> dict[str, str]:
        found = {}
        for name in (MISSING, *HIDDEN, *LINKED):
            with pytest.raises(MCPError) as refused:
                await client.read_resource(f"note://{name}")
            error = refused.value
            found[name] = plain(f"{error.code} {error.message} {error.data}", name)
        return found

    resources = visit(server, read)
    edits = {
        name: plain(
            call(
                server,
                "glassmind_edit",
                name=name,
                edits=[{"op": "append", "text": "y"}],
            ).model_dump_json(),
            name,
        )
        for name in (MISSING, *HIDDEN, *LINKED)
    }
    reads = {
        name: plain(call(server, "glassmind_read", name=name).model_dump_json(), name)
        for name in (MISSING, *HIDDEN, *LINKED)
    }

    for replies in (resources, edits, reads):
        assert set(replies.values()) == {replies[MISSING]}


def test_the_owner_is_told_that_a_path_is_a_symbolic_link(linked: VaultHarness) -> None:
    with pytest.raises(PathOutsideVault, match="symbolic link"):
        linked.engine.editing.edit("Link.md", [Append("y")], EditRequest())
