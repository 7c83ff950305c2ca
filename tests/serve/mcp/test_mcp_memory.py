"""Context and memory over the protocol: packed, fenced, captured, never promoted."""

import json
import re
import subprocess
import sys
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import Client
from mcp_harness import (
    ERAS,
    LIMIT_S,
    by_stdio,
    call,
    environment,
    structured_server,
    text_of,
    visit,
)
from model_harness import real_models
from test_mcp_fence import inside
from tokenizers import Tokenizer
from vault_harness import VaultHarness, usage_text

from glassmind.models.cards import MINILM
from glassmind.obsidian.text import estimate_tokens
from glassmind.serve.mcp.toolsets import tools_of
from glassmind.store.lock import WriterLock

SETS = ("core", "memory")
LEAST_TOKENS = 300

PACKETS: dict[str, dict[str, Any]] = {
    "glassmind_context": {"query": "heron radio battery"},
    "glassmind_hot_context": {},
    "glassmind_brief": {},
    "glassmind_summarize": {"project": "Heron network"},
}
"""Tools that answer with a packet, and how each is called."""

TEA = {
    "Tea.md": "---\nproject: Tea house\n---\n# Tea\n\nOolong brews at 90 degrees.\n",
    "Cups.md": "# Cups\n\n- [ ] Buy cups for [[Tea]]\n",
}


def captured(harness: VaultHarness, **given: Any) -> Any:
    return call(structured_server(harness.engine), "glassmind_capture", **given)


@pytest.fixture
def tea(vault: VaultHarness) -> VaultHarness:
    vault.indexed(TEA)
    return vault


@pytest.mark.parametrize("tool", PACKETS)
@pytest.mark.parametrize("budget", [350, 1_000, 3_000, None])
def test_a_packet_keeps_to_its_budget_fence_and_all(
    sample: VaultHarness, tool: str, budget: int | None
) -> None:
    server = structured_server(sample.engine, toolsets=SETS)

    answer = call(server, tool, **PACKETS[tool], budget=budget)

    assert not answer.is_error, text_of(answer)
    assert len(answer.content) == 1
    said = text_of(answer)
    assert estimate_tokens(said) <= (budget or 6_000)
    assert inside(said)


@pytest.mark.parametrize("budget", [400, 1_000, 3_000])
def test_tokens_are_those_of_the_model_where_there_is_one(
    real: VaultHarness, budget: int
) -> None:
    place = real_models(MINILM) / MINILM.id / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(place))
    tokenizer.no_truncation()
    server = structured_server(real.engine, toolsets=SETS)

    for tool, given in PACKETS.items():
        said = text_of(call(server, tool, **given, budget=budget))
        ids = tokenizer.encode(said, add_special_tokens=False).ids
        assert len(ids) <= budget, tool


def test_a_budget_that_is_too_small_is_told_with_one_that_will_do(
    vault: VaultHarness,
) -> None:
    long = "Kingfisher of the weir by the mill and the meadow behind it " * 5
    vault.indexed({f"{long[:200]}.md": f"---\ntitle: {long}\n---\n{long}\n"})
    server = structured_server(vault.engine)
    asked = {"query": long[:300], "budget": LEAST_TOKENS}

    answer = call(server, "glassmind_context", **asked)
    least = re.search(r"allow (\d+) or more", text_of(answer))
    assert answer.is_error
    assert f"{LEAST_TOKENS} tokens" in text_of(answer)
    assert least is not None
    assert int(least[1]) > LEAST_TOKENS
    again = call(server, "glassmind_context", **asked | {"budget": int(least[1])})

    assert not again.is_error, text_of(again)


def test_more_budget_holds_more(sample: VaultHarness) -> None:
    server = structured_server(sample.engine)

    few, many = (
        text_of(call(server, "glassmind_context", query="heron", budget=budget))
        for budget in (500, 4_000)
    )

    assert len(few) < len(many)


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("glassmind_context", {}, "query is missing"),
        ("glassmind_context", {"query": " "}, "nothing to search for"),
        ("glassmind_context", {"query": "tea", "budget": 10}, "200 or more (got 10)"),
        ("glassmind_context", {"query": "x", "budget": 100_001}, "100000 or less"),
        ("glassmind_context", {"query": "x", "project": "Zeppelin"}, "Zeppelin"),
        ("glassmind_brief", {"since": "soon"}, "soon"),
        ("glassmind_capture", {"kind": "memory"}, "text is missing"),
        ("glassmind_capture", {"kind": "summary", "text": "x"}, "one of memory"),
        ("glassmind_capture", {"kind": "memory", "text": " "}, "text"),
        ("glassmind_recall", {"since": "soon"}, "soon"),
        ("glassmind_verify", {"receipts": []}, "no receipt is given"),
        ("glassmind_verify", {"receipts": ["odd"] * 1_001}, "at most 1000 items"),
    ],
)
def test_a_call_that_cannot_be_met_says_what_to_do(
    tea: VaultHarness, tool: str, given: dict[str, Any], said: str
) -> None:
    answer = call(structured_server(tea.engine, toolsets=SETS), tool, **given)

    assert answer.is_error
    assert said in text_of(answer)
    assert "nexpected" not in text_of(answer)


def test_a_capture_waits_in_the_inbox_under_the_name_of_its_client(
    tea: VaultHarness,
) -> None:
    answer = captured(
        tea,
        kind="decision",
        text="We brew oolong at 85 degrees from now on.",
        project="Tea house",
        tags=["tea"],
    )

    assert not answer.is_error, text_of(answer)
    memo = answer.structured_content["memory"]
    assert memo["place"] == "inbox"
    assert memo["generated"] is True
    assert memo["path"].startswith(".agent/inbox/")
    assert memo["path"] in inside(text_of(answer))
    assert "until the user accepts" in text_of(answer)
    written = (tea.root / memo["path"]).read_text("utf-8")
    assert "generated: true" in written
    assert "client: mcp" in written
    assert "We brew oolong at 85 degrees" in written
    (record,) = tea.engine.memory.log().records
    assert (record.path, record.client) == (memo["path"], "mcp")


def test_what_was_captured_is_found_at_once(tea: VaultHarness) -> None:
    captured(tea, kind="memory", text="The samovar stands in the cellar.")
    server = structured_server(tea.engine, toolsets=SETS)

    found = call(server, "glassmind_search", query="samovar").structured_content
    recalled = call(server, "glassmind_recall", query="samovar").structured_content
    packed = text_of(call(server, "glassmind_context", query="samovar cellar"))

    assert "samovar stands" in found["hits"][0]["snippet"]["text"]
    assert (
        recalled["memories"][0]["text"].strip() == "The samovar stands in the cellar."
    )
    assert "The samovar stands in the cellar." in inside(packed)


def test_the_same_captured_again_is_told_and_both_are_kept(tea: VaultHarness) -> None:
    said = {"kind": "memory", "text": "The samovar stands in the cellar."}

    first = captured(tea, **said).structured_content
    second = captured(tea, **said)

    (near,) = second.structured_content["near"]
    assert near["path"] == first["memory"]["path"]
    assert near["similarity"] == 1
    assert near["path"] in inside(text_of(second))
    assert "captured before" in text_of(second)
    assert first["memory"]["path"] != second.structured_content["memory"]["path"]
    assert len(tea.engine.memory.inbox(promote=False).waiting) == 2


def test_while_another_writes_the_index_a_capture_is_kept_for_later(
    tea: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.keeping.WAIT_S", 0.05)
    lock = WriterLock(tea.folder / "writer.lock")
    assert lock.try_acquire()

    answer = captured(tea, kind="memory", text="The samovar is busy.")
    lock.release()

    assert not answer.is_error
    assert answer.structured_content["indexed"] is False
    assert "do not capture it again" in text_of(answer)
    tea.index()
    assert tea.found("samovar") == [answer.structured_content["memory"]["path"]]


def test_the_inbox_is_listed_and_what_is_ticked_stays_where_it_is(
    tea: VaultHarness,
) -> None:
    path = captured(tea, kind="task", text="Descale the kettle.").structured_content[
        "memory"
    ]["path"]
    file = tea.root / path
    ticked = file.read_text("utf-8").replace("[ ]", "[x]", 1)
    file.write_text(ticked, "utf-8")

    answer = call(structured_server(tea.engine, toolsets=SETS), "glassmind_inbox")

    (waiting,) = answer.structured_content["waiting"]
    assert waiting["path"] == path
    assert "Descale the kettle." in inside(text_of(answer))
    assert file.read_text("utf-8") == ticked


@pytest.mark.parametrize("text", ["", "Sencha.", "---\nkind: odd\n---\nSencha.\n"])
def test_a_memo_that_a_person_wrote_in_any_way_is_recalled(
    tea: VaultHarness, text: str
) -> None:
    tea.indexed({".agent/memories/Own.md": text, ".agent/inbox/Own.md": text})
    server = structured_server(tea.engine, toolsets=SETS)

    recalled, waiting = (
        call(server, tool) for tool in ("glassmind_recall", "glassmind_inbox")
    )

    assert not recalled.is_error, text_of(recalled)
    assert not waiting.is_error, text_of(waiting)


def test_nothing_an_agent_is_given_promotes_or_takes_away() -> None:
    verbs = "accept|reject|merge|edit|forget|supersede|pin|promote|delete"

    for tool in tools_of(SETS):
        assert not re.search(verbs, tool.name)
        assert tool.read_only == (tool.name != "glassmind_capture")
        assert not tool.destructive


def test_where_nothing_may_be_written_a_capture_is_refused(vault: VaultHarness) -> None:
    vault.open(writes__mode="off")
    vault.indexed(TEA)

    answer = captured(vault, kind="memory", text="The samovar is empty.")

    assert answer.is_error
    assert "writes.mode" in text_of(answer)
    assert not (vault.root / ".agent").exists()


def test_receipts_of_a_packet_are_verified(tea: VaultHarness) -> None:
    server = structured_server(tea.engine, toolsets=SETS)
    packed = text_of(call(server, "glassmind_context", query="oolong degrees"))
    receipts = sorted(set(re.findall(r"\S+:\d+(?:-\d+)?@[0-9a-f]+", packed)))
    assert receipts

    before = call(server, "glassmind_verify", receipts=receipts)
    tea.write({"Tea.md": "# Tea\n\nAll is new.\n"})
    after = call(server, "glassmind_verify", receipts=receipts)

    states = {one["state"] for one in before.structured_content["receipts"]}
    assert states == {"unchanged"}
    states = {one["state"] for one in after.structured_content["receipts"]}
    assert states <= {"changed", "gone"}
    assert "Tea.md" in inside(text_of(after))


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_goes_by_the_name_that_it_gives_itself(
    tea: VaultHarness, mode: str
) -> None:
    given = {"kind": "memory", "text": "The samovar sings."}

    async def run(name: str) -> Any:
        who = types.Implementation(name=name, version="1")
        server = structured_server(tea.engine)
        with anyio.fail_after(LIMIT_S):
            async with Client(server, client_info=who, mode=mode) as client:
                return await client.call_tool("glassmind_capture", given)

    for name in ("heron-agent", "two\nlines", "cli"):
        assert not anyio.run(run, name).is_error

    clients = [record.client for record in tea.engine.memory.log().records]
    assert clients == ["mcp", "two lines", "heron-agent"]


def test_what_a_client_is_handed_is_on_record_under_its_name(tea: VaultHarness) -> None:
    async def run(name: str) -> Any:
        who = types.Implementation(name=name, version="1")
        with anyio.fail_after(LIMIT_S):
            async with Client(structured_server(tea.engine), client_info=who) as client:
                return await client.call_tool("glassmind_read", {"name": "Tea"})

    for name in ("heron-agent", "cli"):
        assert not anyio.run(run, name).is_error
    tea.engine.read("Tea")

    text = usage_text(tea.folder)
    lines = [json.loads(line) for line in text.splitlines()]
    assert [one["client"] for one in lines] == ["heron-agent", "mcp", "library"]


@pytest.mark.parametrize(
    "mode", ["auto", pytest.param("legacy", marks=pytest.mark.slow)]
)
def test_a_client_over_stdio_finds_what_it_captured(
    tea: VaultHarness, mode: str
) -> None:
    async def body(client: Client) -> Any:
        given = {"kind": "memory", "text": f"The samovar sings, says {mode}."}
        done = await client.call_tool("glassmind_capture", given)
        assert not done.is_error, text_of(done)
        found = await client.call_tool("glassmind_search", {"query": "samovar sings"})
        assert found.structured_content["hits"]
        packed = await client.call_tool("glassmind_context", {"query": "samovar"})
        assert "The samovar sings" in text_of(packed)
        return done.structured_content["memory"]["path"]

    path = visit(by_stdio(tea), body, mode=mode)

    assert f"The samovar sings, says {mode}." in (tea.root / path).read_text("utf-8")
    (record,) = tea.engine.memory.log().records
    assert record.client == "mcp"  # which is what the client of the SDK calls itself


@pytest.mark.slow
def test_two_clients_that_capture_at_once_lose_nothing(tea: VaultHarness) -> None:
    count = 8

    async def client_of(name: str, paths: list[str]) -> None:
        async with Client(by_stdio(tea)) as client:
            for number in range(count):
                said = {"kind": "memory", "text": f"{name} has seen heron {number}."}
                done = await client.call_tool("glassmind_capture", said)
                assert not done.is_error, text_of(done)
                paths.append(done.structured_content["memory"]["path"])

    async def run() -> list[str]:
        paths: list[str] = []
        with anyio.fail_after(LIMIT_S):
            async with anyio.create_task_group() as beside:
                for name in ("Ada", "Bo"):
                    beside.start_soon(client_of, name, paths)
        return paths

    paths = anyio.run(run)

    assert len(set(paths)) == 2 * count
    texts = [(tea.root / path).read_text("utf-8") for path in paths]
    for name in ("Ada", "Bo"):
        for number in range(count):
            said = f"{name} has seen heron {number}."
            assert sum(said in text for text in texts) == 1
    assert tea.engine.memory.log(limit=100).total == 2 * count
    tea.index()
    assert tea.engine.memory.recall(limit=100).total == 2 * count


def test_tools_of_the_set_cost_few_tokens() -> None:
    program = (
        "import json; from glassmind.serve.mcp.toolsets import tools_of; "
        "from glassmind.serve.mcp.calls import tool_card; "
        "print(json.dumps([tool_card(t).model_dump(by_alias=True, exclude_none=True, "
        "mode='json') for t in tools_of(['memory'])]))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )

    assert len(json.loads(done.stdout)) == 5
    assert len(done.stdout) / 3.5 < 1_000


def test_what_the_program_prints_stands_in_the_packet(sample: VaultHarness) -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "glassmind", "context", "--budget", "1000", "heron"],
        env=environment(sample),
        cwd=sample.root,
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT_S,
        check=True,
    ).stdout

    answer = call(
        structured_server(sample.engine),
        "glassmind_context",
        query="heron",
        budget=1_060,
    )

    assert inside(text_of(answer)).strip() == printed.strip()


LONG = ("The samovar is brass, and old. " * 500).strip()


@pytest.mark.parametrize(
    ("tool", "key"), [("glassmind_recall", "memories"), ("glassmind_inbox", "waiting")]
)
def test_a_long_memo_leaves_room_for_the_others(
    tea: VaultHarness, tool: str, key: str
) -> None:
    for text in ("Oolong brews hot.", LONG, "Sencha brews cool."):
        captured(tea, kind="memory", text=text)
    server = structured_server(tea.engine, toolsets=SETS)

    answer = call(server, tool)
    whole = call(server, tool, response_format="detailed")

    assert answer.structured_content["next_cursor"] is None
    assert LONG in [one["text"] for one in answer.structured_content[key]]
    assert "Oolong brews hot." in text_of(answer)
    assert "Sencha brews cool." in text_of(answer)
    assert f"{LONG[:200]}" in text_of(answer)
    assert LONG not in text_of(answer)
    assert LONG in text_of(whole)
