"""What is captured goes to Hindsight, once nobody waits for an approval."""

from collections.abc import Iterator

import pytest
from hindsight_harness import HindsightHarness, as_json, fact, remembering
from memory_harness import kept, tick, waiting
from vault_harness import VaultHarness

WAIT_S = 15.0
"""How long a call hangs that nobody ends."""

QUESTION = "when do we roast the oolong"
TEXT = "We roast the oolong on Fridays, never on Mondays."


@pytest.fixture
def memory() -> Iterator[HindsightHarness]:
    """A server that remembers nothing yet."""
    with remembering() as harness:
        yield harness


@pytest.fixture
def harness(vault: VaultHarness, memory: HindsightHarness) -> VaultHarness:
    """A vault whose captures go there too."""
    vault.open(hindsight__url=memory.url, hindsight__retain=True)
    vault.indexed({"Tea.md": "Oolong is brewed hot.\n"})
    return vault


def test_what_a_person_captures_is_told_at_once(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    memo = kept(harness, TEXT, project="Tea", tags=["roasting"])

    (heard,) = memory.heard
    assert heard.path == "/v1/default/banks/default/memories"
    assert heard.body["async"] is True
    (item,) = heard.body["items"]
    assert item["content"] == TEXT
    assert item["timestamp"] == memo.created
    assert item["document_id"] == f"glassmind:Notes:{memo.path}"
    assert item["update_mode"] == "replace"
    assert item["tags"] == ["roasting"]
    assert item["metadata"]["path"] == memo.path
    assert item["metadata"]["kind"] == "decision"
    assert item["metadata"]["project"] == "Tea"
    assert all(isinstance(value, str) for value in item["metadata"].values())


def test_what_waits_is_told_when_it_is_accepted_and_not_before(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    memo = waiting(harness, TEXT)
    harness.engine.memory.inbox()
    harness.index()
    assert memory.heard == []

    moved = harness.engine.memory.accept(memo.path)

    (item,) = memory.retained
    assert item["content"] == TEXT
    assert item["metadata"]["path"] == moved.memory.path
    assert moved.notices == ()


def test_what_is_rejected_is_never_told(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    harness.engine.memory.reject(waiting(harness, TEXT).path)

    assert memory.heard == []


def test_what_is_edited_is_told_as_it_is_then(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    harness.engine.memory.edit(waiting(harness, TEXT).path, "We roast on Saturdays.")

    (item,) = memory.retained
    assert item["content"] == "We roast on Saturdays."


@pytest.mark.parametrize("looked", ["index", "inbox"])
def test_what_is_ticked_is_told(
    harness: VaultHarness, memory: HindsightHarness, looked: str
) -> None:
    tick(harness, waiting(harness, TEXT))

    if looked == "index":
        harness.index()
    else:
        harness.engine.memory.inbox()

    (item,) = memory.retained
    assert item["content"] == TEXT


def test_what_is_merged_replaces_what_was_told(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    memo = kept(harness, TEXT)
    more = waiting(harness, "The drum is cleaned first.")

    harness.engine.memory.merge(more.path, memo.path)

    first, second = memory.retained
    assert first["document_id"] == second["document_id"]
    assert TEXT in second["content"]
    assert "drum" in second["content"]


def test_what_is_merged_with_something_that_waits_is_not_told(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    other = waiting(harness, TEXT)
    more = waiting(harness, "The drum is cleaned first.")

    harness.engine.memory.merge(more.path, other.path)

    assert memory.heard == []


def test_without_the_setting_nothing_is_told(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    harness.open(hindsight__retain=False)

    kept(harness, TEXT)

    assert memory.heard == []


def test_a_server_that_fails_costs_a_notice_and_no_memo(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    memory.misbehave = lambda _: as_json({}, 500)

    done = harness.engine.memory.capture("decision", TEXT)
    again = harness.engine.memory.capture("memory", "The kettle is descaled in May.")
    moved = harness.engine.memory.accept(waiting(harness, "The drum is cleaned.").path)

    assert (harness.root / done.memory.path).is_file()
    assert done.indexed
    assert "Hindsight was not told of it" in done.notices[0]
    assert "HTTP 500" in done.notices[0]
    assert "is asked again in" in again.notices[0]
    assert "Hindsight was not told of it" in moved.notices[0]
    assert (harness.root / moved.memory.path).is_file()
    assert len(memory.heard) == 1


def test_a_server_that_hangs_holds_a_capture_no_longer_than_set(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    harness.open(hindsight__timeout_s=0.2)
    memory.misbehave = memory.hang

    done = harness.engine.memory.capture("decision", TEXT)

    assert "it took longer than 0.2 s" in done.notices[0]


def test_another_machine_is_not_told_without_consent(harness: VaultHarness) -> None:
    harness.open(hindsight__url="http://192.0.2.1:8888")

    done = harness.engine.memory.capture("decision", TEXT)

    assert "hindsight.allow_remote" in done.notices[0]
    assert (harness.root / done.memory.path).is_file()


KEY = "AKIA" + "IOSFODNN7EXAMPLQ"
"""In parts, so that nobody takes it for one that was lost."""


def test_no_credential_is_told(harness: VaultHarness, memory: HindsightHarness) -> None:
    kept(harness, f"The bucket of {KEY} is roasted.", project=f"Of {KEY}")

    (item,) = memory.retained
    assert KEY not in repr(item)
    assert "hidden: AWS key" in item["content"]


@pytest.mark.parametrize("said", ["private: true", "Private: yes", 'private: "on"'])
def test_a_private_memo_is_never_told(
    harness: VaultHarness, memory: HindsightHarness, said: str
) -> None:
    memo = waiting(harness, TEXT)
    text = (harness.root / memo.path).read_text("utf-8")
    harness.write({memo.path: text.replace("---\n", f"---\n{said}\n", 1)})

    moved = harness.engine.memory.accept(memo.path)

    assert said in (harness.root / moved.memory.path).read_text("utf-8")
    assert memory.heard == []
    assert moved.notices == ()


def test_a_server_that_says_it_did_not_take_it_has_failed(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    memory.misbehave = lambda _: as_json({"success": False, "items_count": 0})

    done = harness.engine.memory.capture("decision", TEXT)

    assert "Hindsight was not told of it" in done.notices[0]
    assert "it did not take it" in done.notices[0]


def test_what_is_forgotten_is_not_recalled(
    harness: VaultHarness, memory: HindsightHarness
) -> None:
    memo = kept(harness, TEXT)
    told = memory.retained[0]["document_id"]
    memory.facts = [fact(1, TEXT, document_id=told), fact(2, f"{TEXT} By {KEY}.")]

    harness.engine.memory.forget(memo.path)

    hits = harness.ask(QUESTION, channels=("hindsight",)).hits
    facts = [hit for hit in hits if not hit.is_note]
    assert [hit.path for hit in facts] == ["hindsight://default/fact-2"]
    assert KEY not in repr(hits)
