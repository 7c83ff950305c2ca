"""The pure parts of benchmarks/compare.py: masking, generation, grouping, matching."""

from pathlib import Path
from typing import Any

import pytest
from compare_calls import (
    Facts,
    Generator,
    next_page,
    read_help,
    read_routes,
    read_tools,
)
from compare_differences import (
    Difference,
    Equality,
    Listed,
    Report,
    VaultFiles,
    read_listed,
    without_wording,
)
from compare_sides import (
    Call,
    Program,
    Renamed,
    Reply,
    Side,
    harvested,
    is_installed,
    remember_values,
)

NOW = 1_780_000_000.0  # 2026-05-28
CALL = Call("mcp", "search", {"query": "tea"})


@pytest.fixture
def equality() -> Equality:
    return Equality(("/copies/old", "/copies/new"), NOW)


def differences(equality: Equality, old: Any, new: Any) -> list[Difference]:
    return list(equality.differences(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("at 2026-05-28T10:00:00Z", "at 2026-05-28T10:00:01+00:00"),
        ("in /copies/old/Tea.md", "in /copies/new/Tea.md"),
        ("change 20260528-abcde", "change 20260528-fghij"),
        ("<notes-a7f6d464>", "<notes-00000001>"),
        ("held by process 12", "held by process 345"),
    ],
)
def test_texts_that_differ_in_times_folders_ids_or_processes_are_equal(
    equality: Equality, old: Any, new: Any
) -> None:
    assert equality.same_text(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("at 2024-05-28T10:00:00Z", "at 2024-05-28T10:00:01Z"),
        ("Tea.md", "Coffee.md"),
        ("text\n", "text"),
        ("change 20260528-abcde", "change 20260528-abcdef"),
    ],
)
def test_other_texts_differ(equality: Equality, old: Any, new: Any) -> None:
    assert not equality.same_text(old, new)


def test_an_id_stands_for_one_id_of_the_other_side(equality: Equality) -> None:
    assert equality.same_text("20260528-aaaaa", "20260528-bbbbb")
    assert equality.same_text("20260528-aaaaa", "20260528-bbbbb")
    assert not equality.same_text("20260528-aaaaa", "20260528-ccccc")
    assert not equality.same_text("20260528-ddddd", "20260528-bbbbb")


def test_differences_have_the_path_of_the_value(equality: Equality) -> None:
    old = {"hits": [{"path": "A.md", "score": 1.0}], "gone": 1, "n": 1}
    new = {"hits": [{"path": "B.md", "score": 1.0}], "n": 2, "more": 1}
    assert differences(equality, old, new) == [
        ("hits.#.path", "A.md", "B.md"),
        ("gone", 1, "(missing)"),
        ("n", 1, 2),
        ("more", "(missing)", 1),
    ]


def test_lists_of_different_lengths_are_one_difference(equality: Equality) -> None:
    found = differences(equality, {"hits": [1, 2]}, {"hits": [1]})
    assert found == [("hits.#", "2 items", "1 items")]


def test_durations_times_of_the_run_and_the_last_digit_are_equal(
    equality: Equality,
) -> None:
    old = {"seconds": 1.5, "ms": 3, "at": NOW + 5, "score": 0.12345, "index_bytes": 7}
    new = {"seconds": 2.5, "ms": 4, "at": NOW + 9, "score": 0.12346, "index_bytes": 9}
    assert not differences(equality, old, new)


@pytest.mark.parametrize(
    ("old", "new"), [(1, 2), (0.5, 0.51), (True, 1), (None, 0), ("1", 1)]
)
def test_numbers_and_types_that_differ_are_reported(
    equality: Equality, old: Any, new: Any
) -> None:
    assert differences(equality, {"x": old}, {"x": new}) == [("x", old, new)]


def test_only_items_changed_during_the_run_may_come_in_another_order(
    equality: Equality,
) -> None:
    first = {"path": "A.md", "modified": "2026-05-28T10:00:00Z"}
    second = {"path": "B.md", "modified": "2026-05-28T10:00:00Z"}
    assert not differences(equality, [first, second], [second, first])
    older = [item | {"modified": "2020-01-01"} for item in (first, second)]
    assert differences(equality, older, older[::-1])


def test_only_hits_with_the_same_score_may_come_in_another_order(
    equality: Equality,
) -> None:
    tied = [{"path": "A.md", "score": 0.5}, {"path": "B.md", "score": 0.5}]
    assert not differences(equality, tied, tied[::-1])
    ranked = [{"path": "A.md", "score": 0.6}, {"path": "B.md", "score": 0.5}]
    assert differences(equality, ranked, ranked[::-1])


def test_a_reply_differs_by_status_before_json_and_text(equality: Equality) -> None:
    old, new = Reply("ok", {"a": 1}, "one"), Reply("error", {"a": 2}, "two")
    (found,) = equality.replies(old, new, text=True)
    assert found[0] == "(status)"


def test_text_is_compared_only_if_asked_for(equality: Equality) -> None:
    old, new = Reply(0, None, "same\none"), Reply(0, None, "same\ntwo")
    assert not list(equality.replies(old, new, text=False))
    assert list(equality.replies(old, new, text=True)) == [("(text)", "one", "two")]


def test_a_call_without_an_answer_is_a_difference_on_both_sides(
    equality: Equality,
) -> None:
    dead = Reply("ConnectionError", None, failed=True)
    assert list(equality.replies(dead, dead, text=False))


def test_vault_bytes_are_compared_exactly_outside_the_agent_folder(
    equality: Equality,
) -> None:
    old = {"A.md": b"2026-05-28T10:00:00Z\n", "B.md": b"end\n", "C.md": b""}
    new = {"A.md": b"2026-05-28T10:00:01Z\n", "B.md": b"end", "D.md": b""}
    kinds = [(kind, old[:4]) for kind, old, _ in equality.files(old, new)]
    assert kinds == [
        ("(vault bytes)", "A.md"),
        ("(vault bytes)", "B.md"),
        ("(vault file)", "C.md"),
        ("(vault file)", "(mis"),
    ]


def test_generated_times_and_ids_are_equal_in_the_agent_folder(
    equality: Equality,
) -> None:
    old = {".agent/m 0123abcd.md": b"created: 2026-05-28T10:00:00Z\n"}
    new = {".agent/m 4567cdef.md": b"created: 2026-05-28T10:00:03Z\n"}
    assert not list(equality.files(old, new))


def test_vault_files_reports_what_changed_and_what_was_removed(tmp_path: Path) -> None:
    (tmp_path / "A.md").write_bytes(b"one")
    (tmp_path / "B.md").write_bytes(b"two")
    files = VaultFiles(tmp_path)
    assert files.changes() == {"A.md": b"one", "B.md": b"two"}
    assert files.changes() == {}
    (tmp_path / "A.md").write_bytes(b"other")
    (tmp_path / "B.md").unlink()
    assert files.changes() == {"A.md": b"other", "B.md": None}
    assert files.contents == {"A.md": b"other"}


def listed(tmp_path: Path, **entry: str) -> list[Listed]:
    file = tmp_path / "expected.toml"
    lines = (f'{key} = "{value}"' for key, value in entry.items())
    file.write_text("[[difference]]\n" + "\n".join(lines), "utf-8")
    return read_listed(file)


def test_differences_are_grouped_and_matched_with_the_list(tmp_path: Path) -> None:
    report = Report()
    report.add(CALL, ("hits.#.score", 1, 2), 7)
    report.add(CALL, ("hits.#.score", 3, 4), 8)
    report.add(CALL, ("total", 1, 2), 9)
    entry = {"surface": "*", "operation": "search", "reason": "new scores"}
    entries = listed(tmp_path, **entry, path="hits.*", since="0.2")
    entries += listed(tmp_path, **entry, path="gone", since="0.2")
    unused = report.match(entries)
    assert [group.count for group in report.groups.values()] == [2, 1]
    assert [entry.path for entry in unused] == ["gone"]
    assert report.unlisted == 1
    first, second = report.lines()
    assert "(2x): new scores" in first
    assert "DIFFERENT mcp search: total" in second
    assert "call 9" in second


def test_an_entry_of_the_list_needs_a_reason(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must have"):
        listed(tmp_path, surface="*", operation="*", path="*", since="0.2")


def test_the_committed_list_can_be_read() -> None:
    from compare import EXPECTED  # noqa: PLC0415

    assert isinstance(read_listed(EXPECTED), list)


TOOLS = [
    {
        "name": "glassmind_edit",
        "inputSchema": {
            "properties": {
                "name": {"type": "string"},
                "edits": {"type": "array", "items": {"properties": {}}},
            },
            "required": ["name", "edits"],
        },
    }
]
DOCUMENT = {
    "paths": {
        "/notes/{name}": {
            "get": {
                "parameters": [
                    {"name": "name", "in": "path", "required": True},
                    {"name": "raw", "in": "query", "schema": {"type": "boolean"}},
                ]
            }
        }
    }
}
HELP = """usage: glassmind read [-h] [--heading TEXT] [--raw]
                      [NAME ...]

options:
  --heading TEXT  one section
  --limit N, -n N  most lines
  --mode {a,b}    how
  --raw           as it is
  --json          print JSON
"""


def calls(seed: str, count: int = 200) -> list[Call]:
    facts = Facts()
    facts.update({"Tea.md": b"# Green\n\nSome words here #drink\n", ".x/No.md": b""})
    operations = [*read_tools(TOOLS), *read_routes(DOCUMENT), read_help("read", HELP)]
    generator = Generator(operations, seed, facts)
    return [generator.next_call() for _ in range(count)]


def test_the_same_seed_makes_the_same_calls() -> None:
    assert calls("1") == calls("1")
    assert calls("1") != calls("2")


def test_calls_cover_every_operation_with_right_and_wrong_values() -> None:
    made = calls("1")
    names = {call.operation for call in made}
    assert {"glassmind_edit", "GET /notes/{name}", "read", "resources/read"} <= names
    edits = [call for call in made if call.operation == "glassmind_edit"]
    arguments = [call.request["params"]["arguments"] for call in edits]
    assert any(each.get("name") == "Tea.md" for each in arguments)
    assert any("no_such_argument" in each for each in arguments)
    assert any("name" not in each for each in arguments)


def test_help_tells_options_and_positional_arguments() -> None:
    command = read_help("read", HELP)
    assert command.positionals == ("name",)
    assert command.arguments == {
        "heading": {"type": "string"},
        "limit": {"type": "integer"},
        "mode": {"enum": ["a", "b"]},
        "raw": {"type": "boolean"},
    }


def test_a_reply_with_a_cursor_is_followed_by_the_next_page() -> None:
    params = {"name": "glassmind_list", "arguments": {"limit": 2}}
    call = Call("mcp", "glassmind_list", {"method": "tools/call", "params": params})
    more = next_page(call, Reply("ok", {"next_cursor": "WyIx"}))
    assert more is not None
    assert more.request["params"]["arguments"] == {"limit": 2, "cursor": "⟦cursor:0⟧"}
    assert next_page(call, Reply("ok", {"next_cursor": None})) is None


def test_references_stand_for_values_of_the_same_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (Side(n, Program(()), tmp_path, tmp_path, {}) for n in ("old", "new"))
    sent: list[Any] = []

    def send(side: Side, _surface: str, request: Any) -> Reply:
        sent.append(request["argv"])
        state = {"id": f"{side.name}-id", "state": "proposed"}
        return Reply("ok", [state] if side is old else [state, state | {"id": "more"}])

    monkeypatch.setattr(Side, "_sent", send)
    call = Call("cli", "approve", {"argv": ["⟦changeset:proposed|0⟧"]})
    for _ in range(2):
        remember_values((old, new), (old.run(call), new.run(call)))
    assert sent == [["none-yet"], ["none-yet"], ["old-id"], ["new-id"]]


def test_replies_give_values_by_kind() -> None:
    reply = {"files": [{"path": "A.md", "digest": "d1"}], "next_cursor": "c"}
    found = {(kind, text) for (_, kind), text in harvested(reply)}
    assert found == {("digest:A.md|", "d1"), ("cursor:", "c")}


def test_a_requirement_is_met_by_the_installed_version() -> None:
    assert is_installed("pytest>=2")
    assert not is_installed("pytest<2")
    assert not is_installed("no-such-distribution-anywhere")
    assert is_installed("no-such-distribution-anywhere; python_version < '3'")


def test_a_renamed_operation_gets_the_later_names() -> None:
    entry = Renamed(
        surface="mcp",
        operation="restructure",
        now="merge",
        when={"what": "merge"},
        arguments={"name": "source"},
    )
    given = {"what": "merge", "name": "A", "confirm": True}
    params = {"name": "restructure", "arguments": given}
    call = Call("mcp", "restructure", {"method": "tools/call", "params": params})

    later = entry.apply(call)

    assert entry.fits(call)
    assert later.request["params"] == {
        "name": "merge",
        "arguments": {"source": "A", "confirm": True},
    }
    other = {"name": "restructure", "arguments": {"what": "split"}}
    assert not entry.fits(Call("mcp", "restructure", {"params": other}))


def test_a_renamed_argument_of_a_route_or_a_command_is_replaced() -> None:
    route = Renamed(surface="rest", operation="POST /edit", arguments={"note": "name"})
    call = Call("rest", "POST /edit", {"method": "POST", "body": {"note": "A"}})
    command = Renamed(surface="cli", operation="ledger", now="access-log")

    assert route.apply(call).request["body"] == {"name": "A"}
    ledger = Call("cli", "ledger", {"argv": ["ledger", "--json"]})
    assert command.apply(ledger).request == {"argv": ["access-log", "--json"]}


def test_an_entry_may_need_an_argument_and_leave_others_out() -> None:
    entry = Renamed(
        surface="rest",
        operation="POST /dismiss",
        having="finding",
        arguments={"finding": "key", "limit": ""},
    )
    body = {"finding": "f", "limit": 1, "restore": True}
    call = Call("rest", "POST /dismiss", {"method": "POST", "body": body})

    assert entry.fits(call)
    assert entry.apply(call).request["body"] == {"key": "f", "restore": True}
    assert not entry.fits(Call("rest", "POST /dismiss", {"body": {"a": "A"}}))


def test_parameters_of_a_catalogue_are_compared_by_name() -> None:
    parameters = [{"name": "limit", "in": "query", "description": "How many."}]
    named = {"limit": {"name": "limit", "in": "query"}}
    assert without_wording({"parameters": parameters}) == {"parameters": named}


def test_notes_read_before_a_memory_was_saved_are_not_compared(
    equality: Equality,
) -> None:
    texts = [f"---\nderived-from:\n  - {name}.md\n---\nTea\n" for name in "AB"]
    old, new = ({".agent/inbox/Tea.md": text.encode()} for text in texts)
    assert not list(equality.files(old, new))


def test_a_renamed_key_is_compared_with_its_new_name() -> None:
    equality = Equality(("/old", "/new"), NOW, {"memo": "memory"})

    assert not list(equality.differences({"memo": {"a": 1}}, {"memory": {"a": 1}}))
    assert list(equality.differences({"memo": 1}, {"memory": 2})) == [("memory", 1, 2)]
    assert not list(equality.differences({"memo": 1}, {"memo": 1}))
