"""The vault is changed over HTTP as its settings say, and nothing is approved there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_harness import Web, serving
from route_table import ROUTES
from vault_harness import VaultHarness

from glassmind.operations.arguments import LONGEST_NOTE

PAGE = Path(__file__).parents[3] / "docs" / "http.md"

NOTES: dict[str, str | bytes] = {
    "Tea.md": "# Tea\n\nOolong rests. #drink\n\n## Leaves\n\n- [ ] buy oolong\n",
    "Cups.md": "For [[Tea]], see [[Tea#Leaves]] and [[Ghost]].\n",
}


@pytest.fixture
def web(vault: VaultHarness) -> Iterator[Web]:
    vault.open(writes__mode="allow")
    vault.indexed(NOTES)
    with serving(vault.engine) as web:
        yield web


@pytest.fixture
def asking(vault: VaultHarness) -> Iterator[Web]:
    """A server whose user wants to be asked."""
    vault.open(writes__mode="propose")
    vault.indexed(NOTES)
    with serving(vault.engine) as web:
        yield web


def test_a_note_is_edited_and_the_next_search_finds_it(
    web: Web, vault: VaultHarness
) -> None:
    edits = [
        {"op": "append", "text": "Zeppelins too."},
        {"op": "task", "find": "buy oolong"},
    ]

    done = web.post("/edit", {"name": "Tea", "edits": edits, "client": "a script"})

    assert done.status == 200, done.body
    told = done.json
    assert (told["state"], told["applied"], told["index"]) == ("applied", True, "fresh")
    assert told["client"] == "a script"
    assert "\n- [x] buy oolong\n" in vault.text("Tea.md")
    assert vault.text("Tea.md").endswith("\nZeppelins too.\n")
    found = web.post("/search", {"query": "zeppelins", "mode": "fulltext"}).json
    assert [hit["path"] for hit in found["hits"]] == ["Tea.md"]


def test_a_note_that_is_not_what_was_read_is_a_conflict_with_its_digest(
    web: Web, vault: VaultHarness
) -> None:
    read = web.get("/notes/Tea.md").json["digest"]
    edit = {"name": "Tea.md", "edits": [{"op": "append", "text": "x"}]}

    first = web.post("/edit", {**edit, "expected": read})
    again = web.post("/edit", {**edit, "expected": read})

    assert first.status == 200
    assert (again.status, again.code) == (409, "note_changed")
    now = again.json["error"]["digest"]
    assert now == web.get("/notes/Tea.md").json["digest"]
    assert vault.text("Tea.md").count("x") == 1
    assert web.post("/edit", {**edit, "expected": now[:8]}).status == 200


def test_what_has_to_be_asked_for_changes_nothing_and_no_route_approves_it(
    asking: Web, vault: VaultHarness
) -> None:
    before = {path: (vault.root / path).read_bytes() for path in NOTES}
    edit = {"name": "Tea.md", "edits": [{"op": "append", "text": "x"}]}

    done = asking.post("/edit", edit).json
    identity = done["id"]

    assert (done["state"], done["applied"]) == ("proposed", False)
    assert done["approve"] == f"glassmind proposals approve {identity}"
    for word in ("apply", "approve", "undo", "accept"):
        refused = asking.post(f"/changes/{identity}/{word}", {})
        assert refused.status in {403, 404, 409}, word
    for route in ROUTES:
        assert "approve" not in route.path
    assert {path: (vault.root / path).read_bytes() for path in NOTES} == before
    assert asking.get(f"/changes/{identity}").json["state"] == "proposed"


def test_what_was_shown_can_be_applied_where_that_may_happen_at_once(
    web: Web, vault: VaultHarness
) -> None:
    edit = {"name": "Tea.md", "edits": [{"op": "append", "text": "x"}]}

    shown = web.post("/edit", {**edit, "dry_run": True}).json
    before = vault.text("Tea.md")
    done = web.post(f"/changes/{shown['id']}/apply", {})

    assert shown["state"] == "previewed"
    assert "x" not in before
    assert done.json["applied"]
    assert vault.text("Tea.md").endswith("x\n")


def test_what_was_shown_is_proposed_where_the_user_has_to_approve_it(
    asking: Web, vault: VaultHarness
) -> None:
    edit = {"name": "Tea.md", "edits": [{"op": "append", "text": "x"}]}
    before = vault.text("Tea.md")
    shown = asking.post("/edit", {**edit, "dry_run": True}).json

    waits = asking.post(f"/changes/{shown['id']}/apply", {})

    assert waits.status == 200, waits.body
    assert (waits.json["id"], waits.json["state"]) == (shown["id"], "proposed")
    assert waits.json["approve"] == f"glassmind proposals approve {shown['id']}"
    assert vault.text("Tea.md") == before


def test_what_takes_a_note_away_is_confirmed_also_when_it_was_shown(
    web: Web, vault: VaultHarness
) -> None:
    shown = web.post("/delete", {"name": "Tea.md", "dry_run": True}).json["id"]

    refused = web.post(f"/changes/{shown}/apply", {})
    kept = (vault.root / "Tea.md").exists()
    done = web.post(f"/changes/{shown}/apply", {"confirm": True})

    assert (refused.status, refused.code, kept) == (422, "confirm_first", True)
    assert done.json["applied"]
    assert not (vault.root / "Tea.md").exists()


def test_a_change_of_nothing_is_not_told_as_made(web: Web) -> None:
    edits = [{"op": "replace", "find": "Oolong", "text": "Oolong"}]

    done = web.post("/edit", {"name": "Tea.md", "edits": edits}).json

    assert (done["applied"], done["state"], done["id"]) == (False, "previewed", None)
    assert "nothing was changed" in done["notices"][0]
    assert web.get("/changes").json["total"] == 0


def test_a_note_is_made_with_its_properties_and_never_written_over(
    web: Web, vault: VaultHarness
) -> None:
    given = {"title": "Ghost", "text": "Boo.\n", "properties": {"kind": "spirit"}}

    made = web.post("/notes", given)
    again = web.post("/notes", given)

    assert made.status == 200, made.body
    assert made.json["adopted"] == 1
    assert vault.text("Ghost.md") == "---\nkind: spirit\n---\nBoo.\n"
    assert (again.status, again.code) == (409, "name_taken")


def test_a_note_is_moved_with_its_links_and_moved_back_by_undo(
    web: Web, vault: VaultHarness
) -> None:
    before = vault.text("Cups.md")

    done = web.post("/move", {"source": "Tea.md", "destination": "Drinks/Green tea"})
    moved = vault.text("Cups.md")
    back = web.post(f"/changes/{done.json['id']}/undo", {"client": "a script"})

    assert done.json["links_rewritten"] == {"files": 1, "occurrences": 2}
    assert "[[Green tea#Leaves]]" in moved
    assert back.json["undoes"] == done.json["id"]
    assert vault.text("Cups.md") == before
    assert (vault.root / "Tea.md").exists()


def test_a_note_is_deleted_only_when_it_is_confirmed(
    web: Web, vault: VaultHarness
) -> None:
    refused = web.post("/delete", {"name": "Tea.md"})
    done = web.post("/delete", {"name": "Tea.md", "confirm": True})

    assert (refused.status, refused.code) == (422, "confirm_first")
    assert done.json["files"][0]["to"] == ".trash/Tea.md"
    assert (vault.root / ".trash" / "Tea.md").exists()
    assert not (vault.root / "Tea.md").exists()


@pytest.mark.parametrize(
    ("path", "given", "held"),
    [
        (
            "/rename-heading",
            {"name": "Tea", "heading": "Leaves", "new": "Buds"},
            "[[Tea#Buds]]",
        ),
        ("/merge", {"source": "Tea", "into": "Cups", "confirm": True}, "Oolong rests"),
    ],
)
def test_what_links_lead_to_follows(
    web: Web, vault: VaultHarness, path: str, given: dict[str, Any], held: str
) -> None:
    done = web.post(path, given)

    assert done.status == 200, done.body
    assert held in vault.text("Cups.md")


def test_a_tag_is_renamed_and_a_section_becomes_a_note(
    web: Web, vault: VaultHarness
) -> None:
    tag = web.post("/rename-tag", {"old": "drink", "new": "brew"})
    split = web.post("/split", {"name": "Tea", "heading": "Leaves"})

    assert tag.status == split.status == 200, split.body
    assert "#brew" in vault.text("Tea.md")
    assert "buy oolong" in vault.text("Leaves.md")


def test_of_two_sections_of_one_name_the_index_says_which_is_meant(
    web: Web, vault: VaultHarness
) -> None:
    given = {"name": "Twice", "heading": "Day"}
    web.post("/notes", {"title": "Twice", "text": "## Day\n\nsun\n\n## Day\n\nrain\n"})

    unsaid = web.post("/split", given)
    split = web.post("/split", {**given, "index": 1})

    assert unsaid.status == 409
    assert split.status == 200, split.body
    assert vault.text("Day.md") == "## Day\n\nrain\n"


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("/delete", {"name": "Tea", "confirm": True}),
        ("/move", {"source": "Tea", "destination": "Drinks/"}),
        ("/rename-heading", {"name": "Tea", "heading": "Leaves", "new": "Buds"}),
        ("/merge", {"source": "Tea", "into": "Cups", "confirm": True}),
        ("/split", {"name": "Tea", "heading": "Leaves"}),
    ],
)
def test_a_note_that_is_another_than_was_read_is_not_touched_by_any_route(
    web: Web, vault: VaultHarness, path: str, given: dict[str, Any]
) -> None:
    files = {file: file.read_bytes() for file in vault.root.rglob("*.md")}
    now = vault.engine.read("Tea").digest

    refused = web.post(path, {**given, "expected": "0" * 64})
    left = {file: file.read_bytes() for file in vault.root.rglob("*.md")}
    done = web.post(path, {**given, "expected": now[:12]})

    assert refused.status == 409, refused.body
    assert refused.json["error"]["digest"] == now
    assert left == files
    assert done.json["applied"], done.body


def test_changes_are_listed_the_newest_first_and_by_state(web: Web) -> None:
    edit = {"name": "Tea.md", "edits": [{"op": "append", "text": "x"}]}
    made = [web.post("/edit", edit).json["id"] for _ in range(2)]
    shown = web.post("/edit", {**edit, "dry_run": True}).json["id"]

    found = web.get("/changes?state=applied&limit=1").json
    every = web.get("/changes").json

    assert [one["id"] for one in found["changesets"]] == made[:0:-1]
    assert found["total"] == 2
    assert {one["id"] for one in every["changesets"]} == {*made, shown}
    assert web.get(f"/changes/{made[0]}").json["files"][0]["diff"]


@pytest.mark.parametrize(
    ("path", "given", "status"),
    [
        ("/edit", {"name": "Tea.md", "edits": []}, 422),
        ("/edit", {"name": "Tea.md", "edits": [{"op": "burn"}]}, 422),
        ("/edit", {"name": "Tea.md", "edits": [{"op": "line", "line": 99, "text": ""}]},
         422),
        ("/edit", {"name": "Tea.md", "edits": [{"op": "heading", "heading": "Leaves",
         "text": "x", "where": ""}]}, 422),
        ("/edit", {"name": "Nobody", "edits": [{"op": "append", "text": "x"}]}, 404),
        ("/edit", {"name": "../x.md", "edits": [{"op": "append", "text": "x"}]}, 422),
        (
            "/edit",
            {"name": "Tea.md", "edits": [{"op": "replace", "find": "q", "text": ""}]},
            409,
        ),
        (
            "/edit",
            {"name": "Tea.md",
             "edits": [{"op": "replace", "find": "oolong rests", "text": "x"}]},
            409,
        ),
        ("/notes", {"title": "../out", "text": ""}, 422),
        ("/notes", {"title": "a:b", "text": ""}, 422),
        ("/move", {"source": "Tea.md", "destination": "Cups.md"}, 409),
        ("/move", {"source": "Tea.md", "destination": "../out.md"}, 422),
        ("/changes/20261116-zzzzz/undo", {}, 404),
        ("/changes/20261116-zzzzz/undo", {"id": "x"}, 422),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_and_changes_nothing(
    web: Web, vault: VaultHarness, path: str, given: dict[str, Any], status: int
) -> None:
    files = {file: file.read_bytes() for file in vault.root.rglob("*.md")}

    refused = web.post(path, given)

    assert refused.status == status, refused.body
    assert refused.json["error"]["hint"]
    assert str(vault.root) not in refused.body.decode()
    assert {file: file.read_bytes() for file in vault.root.rglob("*.md")} == files


def test_what_is_nearest_to_a_text_is_told_with_its_blanks(
    web: Web, vault: VaultHarness
) -> None:
    vault.write({"Tea.md": "a  b\n"})

    edits = [{"op": "replace", "find": "a b", "text": "x"}]
    refused = web.post("/edit", {"name": "Tea", "edits": edits})

    assert refused.code == "no_match"
    assert refused.json["error"]["message"].endswith("line 1 (1.00): 'a  b'")


def test_a_text_is_as_long_for_a_new_note_as_for_an_edit(web: Web) -> None:
    def statuses(text: str) -> list[int]:
        edits = [{"op": "append", "text": "x"}, {"op": "append", "text": text}]
        made = web.post("/notes", {"title": "Long", "text": text, "dry_run": True})
        done = web.post("/edit", {"name": "Tea", "edits": edits, "dry_run": True})
        return [made.status, done.status]

    assert statuses("x" * LONGEST_NOTE) == [200, 200]
    assert statuses("x" * (LONGEST_NOTE + 1)) == [422, 422]
    assert f"at most {LONGEST_NOTE:,} characters" in PAGE.read_text("utf-8")


def test_errors_name_what_helps_over_http_alone(web: Web) -> None:
    delete = web.post("/delete", {"name": "Tea.md"}).json["error"]
    unknown = web.get("/changes/20261116-zzzzz").json["error"]

    assert "confirm" in delete["hint"]
    assert "GET /changes" in unknown["hint"]
    for said in (*delete.values(), *unknown.values()):
        assert "--" not in said
        assert "glassmind " not in said


def test_what_is_not_applied_is_not_taken_back_and_where_it_stands_is_named(
    asking: Web,
) -> None:
    edits = [{"op": "append", "text": "x"}]
    waits = asking.post("/edit", {"name": "Tea.md", "edits": edits}).json["id"]

    refused = asking.post(f"/changes/{waits}/undo", {})

    assert (refused.status, refused.code) == (409, "wrong_state")
    assert "proposed, not applied" in refused.json["error"]["message"]
    assert refused.json["error"]["hint"] == "GET /changes/{id} shows its state"


def test_where_nothing_may_be_written_that_is_said(vault: VaultHarness) -> None:
    vault.open(writes__mode="off")
    vault.indexed(NOTES)
    with serving(vault.engine) as web:
        edit = {"name": "Tea.md", "edits": [{"op": "append", "text": "x"}]}
        refused = web.post("/edit", edit)

    assert (refused.status, refused.code) == (403, "policy_forbids")


def test_a_client_cannot_go_by_the_name_of_the_user(web: Web) -> None:
    edit = {"name": "Tea.md", "edits": [{"op": "append", "text": "x"}]}

    assert web.post("/edit", {**edit, "client": "cli"}).json["client"] == "http"


def test_a_body_is_read_whole_where_an_id_stands_in_the_path(web: Web) -> None:
    given = {"client": "x" * 2_000}

    refused = web.post("/changes/20261116-zzzzz/undo", given)

    assert (refused.status, refused.code) == (422, "bad_argument")


def test_an_answer_fits_its_schema(web: Web) -> None:
    schema = web.get("/openapi.json").json["components"]["schemas"]
    edit = {"name": "Tea.md", "edits": [{"op": "append", "text": "x"}]}

    done, listed = web.post("/edit", edit).json, web.get("/changes").json

    assert set(done) == set(schema["ChangeResult"]["required"])
    assert set(listed) == set(schema["ChangesResult"]["required"])
    assert set(listed["changesets"][0]) == set(schema["ListedChange"]["required"])
