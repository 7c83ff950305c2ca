"""Edits never show an agent the path of a hidden note, in a diff or in a note."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from http_harness import Web, serving
from mcp_harness import call, structured_server
from vault_harness import VaultHarness

from glassmind import Engine
from glassmind.edit.vault import EditRequest
from glassmind.model.access import EVERY_AGENT

FENCE = re.compile(r"</?notes-\w+>")
PRIVATE = "---\nprivate: true\n---\n"
PUBLIC = {"Index.md": "Read [[Plan]] first.\n", "Other.md": "# Plan\nA section.\n"}
FILES = {
    "Secret/Plan.md": f"{PRIVATE}The plan.\n",
    "Secret/Own.md": f"{PRIVATE}Also see [[Plan]].\n",
    **PUBLIC,
}

OPERATIONS: dict[str, tuple[str, dict[str, Any], str, dict[str, Any]]] = {
    "create": (
        "/notes",
        {"title": "Plan", "text": "x"},
        "glassmind_create",
        {"title": "Plan", "text": "x"},
    ),
    "move": (
        "/move",
        {"source": "Other", "destination": "Plan"},
        "glassmind_move",
        {"source": "Other", "destination": "Plan"},
    ),
    "move a folder": (
        "/move",
        {"source": "Sub/Inner/", "destination": "In"},
        "glassmind_move",
        {"source": "Sub/Inner/", "destination": "In"},
    ),
    "split": (
        "/split",
        {"name": "Other", "heading": "Plan"},
        "glassmind_split",
        {"name": "Other", "heading": "Plan"},
    ),
}


class Reply(NamedTuple):
    """What a client reads: all of it, and whether the call was refused."""

    text: str
    refused: bool


class Surfaces:
    """One vault, called over HTTP or MCP."""

    def __init__(self, name: str, engine: Engine, web: Web) -> None:
        self.name, self.engine, self.web = name, engine, web

    def run(self, operation: str, **more: Any) -> Reply:
        route, body, tool, arguments = OPERATIONS[operation]
        return self.call(route, body | more, tool, arguments | more)

    def call(
        self,
        route: str,
        body: Mapping[str, Any],
        tool: str,
        arguments: Mapping[str, Any],
    ) -> Reply:
        if self.name == "http":
            answer = self.web.post(route, dict(body))
            return Reply(answer.body.decode(), answer.status >= 400)
        server = structured_server(
            self.engine.seen_by(EVERY_AGENT), toolsets=("core", "write")
        )
        result = call(server, tool, **arguments)
        return Reply(result.model_dump_json(), bool(result.is_error))

    def changes(self) -> str:
        """Return everything a client can read of the changesets."""
        listed = self.web.get("/changes")
        shown = [
            self.web.get(f"/changes/{one['id']}").body.decode()
            for one in listed.json["changesets"]
        ]
        return "\n".join([listed.body.decode(), *shown])


@pytest.fixture(params=["http", "mcp"])
def surface(
    request: pytest.FixtureRequest, vault: VaultHarness
) -> Iterator[Callable[..., Surfaces]]:
    opened: list[Any] = []

    def start(files: Mapping[str, str], **settings: object) -> Surfaces:
        vault.write(files)
        engine = vault.open(**{"writes__mode": "allow", **settings})
        engine.index()
        serve = serving(engine)
        opened.append(serve)
        return Surfaces(request.param, engine, serve.__enter__())

    yield start
    for serve in opened:
        serve.__exit__(None, None, None)


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_new_note_with_the_name_of_a_hidden_one_is_refused_as_taken(
    surface: Callable[..., Surfaces], vault: VaultHarness, operation: str, dry_run: bool
) -> None:
    files = {**FILES, "Sub/Inner/Plan.md": "x", "Index.md": "Read [[Plan]] first.\n"}
    if operation != "move a folder":
        del files["Sub/Inner/Plan.md"]
    else:  # the link leads to the hidden note only while that has the shorter path
        files["Secret/Plan.md"], files["Sec/Plan.md"] = (
            "Public.\n",
            FILES["Secret/Plan.md"],
        )
    at = surface(files)

    reply = at.run(operation, dry_run=dry_run)

    assert reply.refused
    assert "there is a file of that name" in reply.text
    assert "Sec" not in reply.text
    assert vault.text("Index.md") == "Read [[Plan]] first.\n"
    assert "Sec" not in at.changes()
    assert not (vault.root / "Plan.md").exists()


def test_a_note_is_not_moved_away_from_a_hidden_note_it_links_to_by_name(
    surface: Callable[..., Surfaces], vault: VaultHarness
) -> None:
    files = {
        "Sec/Plan.md": f"{PRIVATE}x",
        "A.md": "[[Plan]]",
        "Boxes/Plan.md": "y",
        "Boxes/Into.md": "z",
    }
    at = surface(files)

    moved = at.call(
        "/move",
        {"source": "A", "destination": "Boxes/A"},
        "glassmind_move",
        {"source": "A", "destination": "Boxes/A"},
    )
    merged = at.call(
        "/merge",
        {"source": "A", "into": "Boxes/Into", "confirm": True},
        "glassmind_merge",
        {"source": "A", "into": "Boxes/Into", "confirm": True},
    )

    assert moved.refused
    assert merged.refused
    assert "Sec" not in moved.text + merged.text
    assert {path: vault.text(path) for path in files} == files


def test_a_relative_link_to_a_hidden_note_follows_the_note_it_is_in(
    surface: Callable[..., Surfaces], vault: VaultHarness
) -> None:
    at = surface({"Log/Day.md": f"{PRIVATE}x", "Work/A.md": "[d](../Log/Day.md)"})

    moved = at.call(
        "/move",
        {"source": "Work/A", "destination": "Work/Deep/A"},
        "glassmind_move",
        {"source": "Work/A", "destination": "Work/Deep/A"},
    )

    assert not moved.refused
    assert vault.text("Work/Deep/A.md") == "[d](../../Log/Day.md)"


def test_a_link_to_a_hidden_note_is_not_made_longer_while_it_leads_there(
    surface: Callable[..., Surfaces], vault: VaultHarness
) -> None:
    at = surface(FILES)

    done = at.call(
        "/notes",
        {"title": "Archive of plans/Plan", "text": "x"},
        "glassmind_create",
        {"title": "Archive of plans/Plan", "text": "x"},
    )

    assert not done.refused
    assert "Secret" not in done.text + at.changes()
    assert vault.text("Index.md") == "Read [[Plan]] first.\n"
    moved = at.engine.editing.move("Secret/Plan", "Secret/Strategy", EditRequest())
    assert moved.applied  # the link still led to the hidden note
    assert vault.text("Index.md") == "Read [[Strategy]] first.\n"


def test_a_link_in_a_capture_does_not_tell_that_a_hidden_note_exists(
    surface: Callable[..., Surfaces], vault: VaultHarness
) -> None:
    hidden = {"Secret/Plan.md": FILES["Secret/Plan.md"], "Other.md": "x"}
    at = surface(hidden)
    at.call(
        "/capture",
        {"kind": "memory", "text": "See [[Plan]]."},
        "glassmind_capture",
        {"kind": "memory", "text": "See [[Plan]]."},
    )

    taken = at.run("create", title="Other", dry_run=True)
    hidden_too = at.run("create", dry_run=True)

    assert taken.refused
    told = FENCE.sub("", taken.text).replace("Other.md", "Plan.md")
    assert FENCE.sub("", hidden_too.text) == told


def test_a_canvas_does_not_show_the_path_of_a_hidden_note(
    surface: Callable[..., Surfaces], vault: VaultHarness
) -> None:
    card = {"id": "a", "type": "text", "x": 0, "y": 0, "width": 1, "height": 1}
    files = {
        "Secret/Plan.md": FILES["Secret/Plan.md"],
        "Board.canvas": json.dumps(
            {"nodes": [{**card, "text": "[[Plan]]"}], "edges": []}
        ),
    }
    at = surface(files)

    reply = at.run("create", dry_run=True)

    assert reply.refused
    assert "Secret" not in reply.text


def test_undoing_a_move_does_not_show_the_path_of_a_hidden_note(
    surface: Callable[..., Surfaces], vault: VaultHarness
) -> None:
    at = surface({"Plan.md": "x", "Index.md": "y"})
    moved = at.web.post("/move", {"source": "Plan", "destination": "Old plan"}).json
    vault.write(
        {"Secret/Plan.md": FILES["Secret/Plan.md"], "Index.md": "Read [[Plan]].\n"}
    )
    at.engine.index()

    undone = at.call(
        f"/changes/{moved['id']}/undo",
        {},
        "glassmind_undo_change",
        {"id": moved["id"]},
    )

    assert undone.refused
    assert "Secret" not in undone.text + at.changes()
    assert vault.text("Index.md") == "Read [[Plan]].\n"


def test_a_proposal_that_its_owner_has_to_approve_again_shows_no_hidden_path(
    surface: Callable[..., Surfaces], vault: VaultHarness
) -> None:
    at = surface({"Index.md": "y"}, writes__mode="propose")
    proposed = at.web.post("/notes", {"title": "Plan", "text": "x"}).json
    vault.write(
        {"Secret/Plan.md": FILES["Secret/Plan.md"], "Index.md": "Read [[Plan]].\n"}
    )
    at.engine.index()

    replaced = at.engine.editing.approve(proposed["id"]).changeset

    assert replaced.state == "proposed"
    assert "[[Secret/Plan]]" in at.engine.editing.show(replaced.id).files[0].diff
    assert replaced.id in at.changes()
    assert "Secret" not in at.changes()


def test_links_to_a_hidden_note_that_was_renamed_outside_are_the_owners(
    surface: Callable[..., Surfaces], vault: VaultHarness
) -> None:
    at = surface({"Secret/Plan.md": FILES["Secret/Plan.md"], **PUBLIC, "Note.md": "x"})
    (vault.root / "Secret/Plan.md").rename(vault.root / "Secret/Strategy.md")
    at.engine.index()

    done = at.call(
        "/move",
        {"source": "Note", "destination": "Note 2"},
        "glassmind_move",
        {"source": "Note", "destination": "Note 2"},
    )

    titles = [
        changeset.draft.title for changeset in at.engine.editing.changesets().changesets
    ]
    assert any("Secret/Strategy.md" in title for title in titles)  # for the owner
    assert not done.refused
    assert "Secret" not in done.text + at.changes()


def test_a_visible_note_renamed_outside_shows_no_path_of_a_hidden_one(
    surface: Callable[..., Surfaces], vault: VaultHarness
) -> None:
    at = surface({**FILES, "Idea.md": "Long enough to be recognised.\n"})
    vault.write({"Index.md": "Read [[Plan]] and [[Idea]] first.\n"})
    at.engine.index()
    (vault.root / "Idea.md").rename(vault.root / "Plan.md")
    at.engine.index()

    at.run("create", title="Other note")

    (offer,) = [
        changeset
        for changeset in at.engine.editing.changesets().changesets
        if changeset.draft.verb == "relink"
    ]
    whole = at.engine.editing.show(offer.id)
    assert any("[[Secret/Plan]]" in file.diff for file in whole.files)
    assert "Secret" not in at.changes()


def test_deleting_a_note_does_not_tell_that_its_links_will_lead_to_a_hidden_one(
    surface: Callable[..., Surfaces], vault: VaultHarness
) -> None:
    at = surface({**FILES, "Plan.md": "x"})

    done = at.call(
        "/delete",
        {"name": "Plan.md", "confirm": True, "dry_run": True},
        "glassmind_delete",
        {"name": "Plan.md", "confirm": True, "dry_run": True},
    )

    assert not done.refused
    assert "1 link will lead nowhere" in done.text
    assert "another file" not in done.text


def test_the_owner_still_gets_longer_links(vault: VaultHarness) -> None:
    vault.write(FILES)
    engine = vault.open(writes__mode="allow")
    engine.index()

    engine.editing.create("Plan", "x", EditRequest())

    assert vault.text("Index.md") == "Read [[Secret/Plan]] first.\n"
