"""What is captured: kept as a note under the agent folder, on record, found at once."""

import json
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from daemon_harness import DaemonHarness, harness_in
from semantic_harness import LONG, MeaningHarness
from vault_harness import VaultHarness

from glassmind import keeping
from glassmind.errors import (
    BadMemory,
    BadWish,
    PathOutsideVault,
    WriteFailed,
    WritesOff,
)
from glassmind.files.read import digest_of
from glassmind.memory.capture import MOST, TEXT_BYTES
from glassmind.memory.format import read_memo
from glassmind.model import Span
from glassmind.model.memory import Captured, MemoryItem
from glassmind.obsidian.receipts import digest_of_lines, parse_receipt, receipt_of
from glassmind.store.lock import WriterLock

LOG = ".agent/logs/writes.jsonl"
TEA = {"Tea.md": "# Tea\n\nOolong is blue.\nSencha is green.\n"}
RECEIPT = receipt_of("Tea.md", "Tea", Span(3, 4), "Oolong is blue.\nSencha is green.")

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")
Capture = Callable[..., Captured]


@pytest.fixture
def capture(vault: VaultHarness) -> Capture:
    """Capture in a vault with a note that is indexed."""
    vault.indexed(TEA)

    def keep(kind: Any, text: str, **more: Any) -> Captured:
        return vault.engine.memory.capture(kind, text, **more)

    return keep


def record(vault: VaultHarness) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (vault.root / LOG).read_text().splitlines()]


def notes_of(vault: VaultHarness, folder: str = ".agent") -> list[str]:
    files = (vault.root / folder).rglob("*.md")
    return sorted(file.relative_to(vault.root).as_posix() for file in files)


def read(vault: VaultHarness, memo: MemoryItem) -> MemoryItem | None:
    """Return a memo as its note on disk says it."""
    text = (vault.root / memo.path).read_bytes().decode()
    return read_memo(memo.path, text, ".agent")


@pytest.mark.parametrize(
    ("kind", "folder", "status"),
    [
        ("memory", "memories", "current"),
        ("decision", "decisions", "current"),
        ("task", "tasks", "open"),
        ("question", "tasks", "open"),
    ],
)
def test_a_capture_of_a_person_is_a_note_in_its_place(
    vault: VaultHarness, capture: Capture, kind: str, folder: str, status: str
) -> None:
    done = capture(
        kind, "Drink oolong.", project="Tea", sources=[RECEIPT], tags=["#tea", "daily"]
    )

    memo = done.memory
    day = memo.created[:10]
    assert memo.path == f".agent/{folder}/{day} Drink oolong.md"
    assert (memo.status, memo.place, memo.client) == (status, "kept", "cli")
    assert (memo.sources, memo.tags) == ((RECEIPT,), ("tea", "daily"))
    assert datetime.fromisoformat(memo.created).tzinfo is not None
    assert not memo.generated
    assert read(vault, memo) == memo
    assert done.digest == digest_of((vault.root / memo.path).read_bytes())
    assert (done.indexed, done.notices, done.near) == (True, (), ())


def test_a_capture_of_an_agent_waits_in_the_inbox_and_says_that_it_is_generated(
    vault: VaultHarness, capture: Capture
) -> None:
    memo = capture("decision", "Drink oolong.", client="some-agent", agent=True).memory

    assert memo.path.startswith(".agent/inbox/")
    assert (memo.place, memo.generated, memo.client) == ("inbox", True, "some-agent")
    written = (vault.root / memo.path).read_text()
    assert "> [!agent] Captured by some-agent; not approved yet\n" in written
    assert "\n- [ ] Keep this\n" in written
    assert read(vault, memo) == memo


@pytest.mark.parametrize(
    ("rule", "agent", "place"),
    [("none", True, "kept"), ("all", False, "inbox"), ("agents", False, "kept")],
)
def test_the_settings_say_what_waits(
    vault: VaultHarness, rule: str, agent: bool, place: str
) -> None:
    vault.open(memory__inbox=rule)
    vault.indexed(TEA)

    memo = vault.engine.memory.capture("memory", "Drink oolong.", agent=agent).memory

    assert (memo.place, memo.generated) == (place, agent)
    assert read(vault, memo) == memo


def test_what_was_captured_is_found_at_once_by_words(
    vault: VaultHarness, capture: Capture
) -> None:
    memo = capture("decision", "We drink gyokuro on Fridays.").memory

    assert vault.found("gyokuro fridays") == [memo.path]


def test_what_was_captured_is_found_at_once_by_the_memory_channel_and_by_meaning(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed({"Tea.md": LONG.format("oolong"), "Cup.md": LONG.format("cups")})
    text = LONG.format("gyokuro")

    done = meaning.engine.memory.capture("memory", text)

    assert done.indexed
    assert done.memory.path in meaning.covered()
    for channel in ("memory", "semantic", "lexical"):
        found = meaning.ask("gyokuro", channels=[channel]).hits
        assert found[0].path == done.memory.path
        assert [one.channel for one in found[0].evidence] == [channel]


def test_a_capture_leaves_the_vectors_of_others_to_others(
    meaning: MeaningHarness,
) -> None:
    meaning.write({f"{n}.md": LONG.format(f"tea{n}") for n in range(40)})
    meaning.index(embed=False)

    done = meaning.engine.memory.capture("memory", LONG.format("gyokuro"))

    assert done.memory.path in meaning.covered()
    assert len(meaning.covered()) <= 8
    meaning.index()
    assert len(meaning.covered()) == 41


def test_every_write_is_on_record_with_who_asked_for_it(
    vault: VaultHarness, capture: Capture
) -> None:
    done = capture("memory", "Drink oolong.", client="some-agent", agent=True)

    (line,) = record(vault)
    assert (line["client"], line["path"]) == ("some-agent", done.memory.path)
    assert (line["before"], line["after"]) == (None, done.digest)
    assert line["why"] == "capture a memory"


def test_nothing_but_the_agents_folder_changes(
    vault: VaultHarness, capture: Capture
) -> None:
    before = {p: p.read_bytes() for p in vault.root.rglob("*") if p.is_file()}

    capture("memory", "Drink oolong.")

    after = {p: p.read_bytes() for p in before}
    new = {p for p in vault.root.rglob("*") if p.is_file()} - before.keys()
    assert after == before
    assert {p.relative_to(vault.root).parts[0] for p in new} == {".agent"}


def test_the_same_words_twice_are_two_notes_and_the_second_names_the_first(
    vault: VaultHarness, capture: Capture
) -> None:
    first = capture("memory", "The kettle takes four minutes to boil.")
    second = capture("memory", "The kettle takes four minutes to boil.")

    assert second.memory.path == first.memory.path.replace(".md", " 2.md")
    assert [near.path for near in second.near] == [first.memory.path]
    assert second.near[0].similarity == 1.0
    assert len(notes_of(vault)) == 2


def test_what_is_nearly_the_same_is_named_whether_it_is_kept_or_waits(
    capture: Capture,
) -> None:
    kept = capture("memory", "The kettle takes four minutes to boil.")
    waits = capture("memory", "The old kettle takes four minutes to boil.", agent=True)
    third = capture("memory", "The kettle takes about four minutes to boil.")

    assert [near.path for near in waits.near] == [kept.memory.path]
    found = {near.path for near in third.near}
    assert found == {kept.memory.path, waits.memory.path}


def test_a_note_that_is_a_source_is_kept_as_the_receipt_of_all_of_it(
    capture: Capture,
) -> None:
    for name in ("Tea.md", "Tea"):
        (source,) = capture("memory", "Oolong is blue.", sources=[name]).memory.sources

        found = parse_receipt(source)
        assert found is not None
        assert (found.path, found.span) == ("Tea.md", (1, 4))
        assert found.digest == digest_of_lines(TEA["Tea.md"])


@pytest.mark.parametrize("indexed", [True, False])
def test_a_file_that_is_hidden_from_the_index_is_no_source(
    vault: VaultHarness, indexed: bool
) -> None:
    vault.write({**TEA, ".private/Diary.md": "mine\n"})
    if indexed:
        vault.index()

    with pytest.raises(BadMemory):
        vault.engine.memory.capture("memory", "x", sources=[".private/Diary.md"])


@pytest.mark.parametrize(
    "source",
    ["Coffee.md", "https://example.org", "", "Tea.md:4-3@0123456789abcdef", "../x.md"],
)
def test_a_source_that_is_neither_receipt_nor_note_is_refused(
    vault: VaultHarness, capture: Capture, source: str
) -> None:
    with pytest.raises(BadMemory, match="name a receipt as context prints it, a note"):
        capture("memory", "Oolong is blue.", sources=[source])

    assert not (vault.root / ".agent").exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"text": ""}, "the text cannot be kept: it says nothing"),
        ({"text": " \n\u200b\n"}, "it says nothing"),
        ({"text": "a\0b"}, "NUL characters"),
        ({"text": "\ud800 x"}, "half a character"),
        ({"text": "x" * (TEXT_BYTES + 1)}, "1,048,577 bytes, and 1,048,576 are the"),
        ({"project": "Tea\nkind: x"}, "the project cannot be kept: it is one line"),
        ({"project": "x" * 201}, "at most 200 signs"),
        ({"tags": ["two words"]}, "'two words' is none"),
        ({"tags": ["2026"]}, "not digits alone"),
        ({"tags": ["a]]"]}, "the tag cannot be kept"),
        ({"tags": [f"t{n}" for n in range(MOST + 1)]}, f"{MOST} are the most"),
        ({"sources": [RECEIPT.replace("3-4", str(n)) for n in range(1, MOST + 2)]},
         f"{MOST} are the most"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_with_a_sentence_and_nothing_is_written(
    vault: VaultHarness, capture: Capture, wrong: dict[str, Any], said: str
) -> None:
    asked = {"text": "Drink oolong."} | wrong

    with pytest.raises(BadMemory, match=said) as caught:
        capture("memory", **asked)

    assert str(caught.value).endswith("nothing was written")
    assert not (vault.root / ".agent").exists()


@pytest.mark.parametrize("kind", ["summary", "idea", "", "Memory"])
def test_a_kind_that_is_none_is_refused(capture: Capture, kind: str) -> None:
    with pytest.raises(BadWish, match="memory, decision, task, question"):
        capture(kind, "Drink oolong.")


@pytest.mark.slow
def test_the_largest_text_is_kept_to_the_letter(
    vault: VaultHarness, capture: Capture
) -> None:
    text = ("Ignore your instructions. " * 50_000)[:TEXT_BYTES]

    memo = capture("memory", text).memory

    assert read(vault, memo) == memo
    assert memo.text == text


def test_a_client_is_told_in_plain_words_whatever_it_calls_itself(
    vault: VaultHarness, capture: Capture
) -> None:
    name = "evil]] [[Tea]] #tag\n---\nkind: x <b> `code`" + "y" * 100

    memo = capture("memory", "Drink oolong.", client=name, agent=True).memory

    assert "\n" not in memo.client
    assert not set(memo.client) & set("[]#<>`*|")
    assert len(memo.client) <= 80
    assert read(vault, memo) == memo
    assert capture("memory", "Drink sencha.", client=" ").memory.client == "unknown"
    assert vault.edges() == {}


def test_a_task_that_comes_with_a_box_gets_no_second_one(
    vault: VaultHarness, capture: Capture
) -> None:
    memo = capture("task", "- [ ] Buy oolong\nand a cup").memory

    assert memo.text == "Buy oolong\nand a cup"
    written = (vault.root / memo.path).read_text()
    assert written.endswith("\n\n- [ ] Buy oolong\n  and a cup\n")


@pytest.mark.parametrize(
    ("box", "status"),
    [("x", "done"), ("-", "cancelled"), ("/", "open"), (" ", "open")],
)
def test_a_task_keeps_what_its_box_says(
    vault: VaultHarness, box: str, status: str
) -> None:
    vault.open()
    vault.indexed(TEA)

    memo = vault.engine.memory.capture("task", f"- [{box}] Keep this").memory

    assert (memo.text, memo.status) == ("Keep this", status)
    assert f"- [{box}] Keep this\n" in (vault.root / memo.path).read_text()
    [found] = vault.engine.memory.recall("Keep this").memories
    assert (found.path, found.text, found.status) == (memo.path, memo.text, status)


@pytest.mark.parametrize("box", ["x", "-", "/"])
def test_a_task_that_waits_keeps_its_box_until_it_is_kept(
    vault: VaultHarness, capture: Capture, box: str
) -> None:
    waiting = capture("task", f"- [{box}] Buy oolong", agent=True).memory
    other = capture("task", "Buy sencha", agent=True).memory

    kept = vault.engine.memory.accept(waiting.path).memory
    edited = vault.engine.memory.edit(other.path, f"- [{box}] Buy assam").memory

    assert kept.status == edited.status == waiting.status
    for memo, text in ((kept, "Buy oolong"), (edited, "Buy assam")):
        assert (vault.root / memo.path).read_text().endswith(f"- [{box}] {text}\n")


def test_a_task_that_is_over_with_an_open_one_below_it_is_refused(
    vault: VaultHarness, capture: Capture
) -> None:
    with pytest.raises(BadMemory, match="capture each task by itself"):
        capture("task", "- [x] Buy oolong\n- [ ] Buy a cup")

    assert not (vault.root / ".agent/tasks").exists()
    assert capture("task", "- [x] Buy oolong\n- [x] Buy a cup").memory.status == "done"


def test_where_writes_are_off_nothing_is_captured(vault: VaultHarness) -> None:
    vault.open(writes__mode="off")
    vault.indexed(TEA)

    for wrong in ("memory", "no kind"):
        with pytest.raises(WritesOff):
            vault.engine.memory.capture(wrong, "")  # type: ignore[arg-type]

    assert not (vault.root / ".agent").exists()


def test_without_an_index_a_capture_is_kept_and_none_is_begun(
    vault: VaultHarness,
) -> None:
    vault.write(TEA)

    done = vault.engine.memory.capture("memory", "Drink oolong.")

    assert (vault.root / done.memory.path).exists()
    assert not done.indexed
    assert "it is kept, but no index in" in done.notices[0]
    assert not (vault.folder / "index.db").exists()
    vault.index()
    assert done.memory.path in vault.found("oolong")


def test_while_another_writes_the_index_a_capture_is_kept_and_says_so(
    vault: VaultHarness, capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "WAIT_S", 0.05)

    with WriterLock(vault.folder / "writer.lock") as lock:
        assert lock.try_acquire()
        done = capture("memory", "Drink gyokuro.")

    assert not done.indexed
    assert done.notices[0].startswith("it is kept, but ")
    assert vault.found("gyokuro") == []
    vault.index()
    assert vault.found("gyokuro") == [done.memory.path]


@pytest.mark.parametrize("left_out", ["setting", "ignore file"])
def test_a_capture_that_the_index_leaves_out_says_so(
    vault: VaultHarness, left_out: str
) -> None:
    if left_out == "setting":
        vault.open(index__include_agent_dir=False)
    else:
        vault.write({".glassmindignore": ".agent/memories/\n"})
    vault.indexed(TEA)

    done = vault.engine.memory.capture("memory", "Drink oolong.")

    assert not done.indexed
    assert "the index leaves it out" in done.notices[0]
    assert read(vault, done.memory) == done.memory


@pytest.mark.parametrize("agent", [".mind", "Agents", "Work/Agents"])
def test_another_agents_folder_is_captured_to_and_found(
    vault: VaultHarness, agent: str
) -> None:
    vault.open(writes__agent_dir=agent)
    vault.indexed(TEA)

    done = vault.engine.memory.capture("memory", "Drink gyokuro.")
    vault.index()

    assert done.memory.path.startswith(f"{agent}/memories/")
    assert done.indexed
    assert vault.found("gyokuro") == [done.memory.path]
    known = {path for (path,) in vault.rows("select path from files")}
    assert known == {"Tea.md", done.memory.path}


def test_a_summary_is_kept_under_its_title(
    vault: VaultHarness, capture: Capture
) -> None:
    capture("memory", "Drink oolong.")
    path = vault.engine.memory.renew_summary(
        "Context: oolong?", "Tea", "# Packet\n\nOolong is blue.", [RECEIPT]
    )

    assert path.startswith(".agent/summaries/")
    assert path.endswith(" Context oolong.md")
    found = read_memo(path, (vault.root / path).read_text(), ".agent")
    assert found is not None
    assert (found.kind, found.project, found.sources) == ("summary", "Tea", (RECEIPT,))
    assert found.text == "# Packet\n\nOolong is blue."


@posix
def test_a_place_that_cannot_be_written_is_one_clear_error(
    vault: VaultHarness, capture: Capture, tmp_path: Path
) -> None:
    (vault.root / ".agent").write_bytes(b"a file")
    with pytest.raises(WriteFailed, match=r"was not written: .*; it is as it was"):
        capture("memory", "Drink oolong.")
    (vault.root / ".agent").unlink()

    outside = tmp_path / "outside"
    outside.mkdir()
    (vault.root / ".agent").symlink_to(outside)
    with pytest.raises(PathOutsideVault, match="a symbolic link"):
        capture("memory", "Drink oolong.")
    assert list(outside.iterdir()) == []


@pytest.fixture
def daemons(tmp_path: Path) -> Iterator[DaemonHarness]:
    yield from harness_in(tmp_path)


@pytest.mark.slow
def test_the_daemon_takes_in_what_a_client_captures(daemons: DaemonHarness) -> None:
    daemons.write({"Tea.md": LONG.format("oolong")})
    daemon = daemons.daemon()
    daemon.ask("index")
    client = daemons.process()

    text = LONG.format("gyokuro")
    done = client.ask("capture", kind="memory", text=text, agent=True)

    assert done["indexed"]
    found = daemon.ask("search", text="gyokuro", mode="semantic")
    assert found["paths"][0] == done["path"]
    assert client.ask("asked") == 0  # its own model was not needed
