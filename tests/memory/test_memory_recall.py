"""What was captured, asked for again; forgotten, superseded, alone or among others."""

from datetime import date

import pytest
from memory_harness import (
    agent_files,
    called,
    dying_at,
    kept,
    recorded,
    text_of,
    waiting,
)
from vault_harness import VaultHarness

from glassmind.errors import (
    BadDate,
    BadLimit,
    IndexAbsent,
    MemoryNotFound,
    NotMemory,
    NotSuperseded,
    StillWaiting,
    UnknownKind,
)
from glassmind.model.memory import Recalled


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with notes of its own."""
    vault.indexed({"Diary.md": "copper", "Work/Roof.md": "slate"})
    vault.open()
    return vault


def titles(found: Recalled) -> list[str]:
    return [memory.title for memory in found.memories]


def redate(harness: VaultHarness, text: str, moment: str) -> None:
    """Say that something was captured at another time."""
    for path in agent_files(harness):
        raw = text_of(harness, f".agent/{path}")
        if text in raw:
            at = raw.rindex("created: ", 0, raw.rindex(text)) + len("created: ")
            end = raw.index("\n", at)
            harness.write({f".agent/{path}": raw[:at] + moment + raw[end:]})
    harness.index()


def test_without_an_index_nothing_is_recalled(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        vault.engine.memory.recall()


def test_nothing_captured_is_nothing_recalled(harness: VaultHarness) -> None:
    assert harness.engine.memory.recall() == Recalled((), 0)
    assert harness.engine.memory.recall("copper").memories == ()


def test_the_newest_come_first_without_a_query(harness: VaultHarness) -> None:
    for text, hour in (("Use copper", "10"), ("Use slate", "12"), ("Use tin", "11")):
        kept(harness, text)
        redate(harness, text, f"2026-03-01T{hour}:00:00+00:00")

    found = harness.engine.memory.recall(limit=2)

    assert titles(found) == ["Use slate", "Use tin"]
    assert found.total == 3
    assert found.memories[0].why == "captured 2026-03-01"


def test_a_query_finds_memos_alone_and_says_why(harness: VaultHarness) -> None:
    kept(harness, "Use copper for the roof")
    kept(harness, "Paint the shed green")

    found = harness.engine.memory.recall("copper")

    assert titles(found) == ["Use copper for the roof"]
    assert found.memories[0].text == "Use copper for the roof"
    assert found.memories[0].relevance == 1.0
    assert "copper" in found.memories[0].why


@pytest.mark.parametrize("query", ['"copper', "-tin copper", "copper path:nowhere x"])
def test_whatever_a_query_holds_only_memos_are_found(
    harness: VaultHarness, query: str
) -> None:
    kept(harness, "Use copper")

    found = harness.engine.memory.recall(query)

    assert all(memory.path.startswith(".agent/") for memory in found.memories)


def test_filters_hold_with_and_without_a_query(harness: VaultHarness) -> None:
    kept(harness, "Use copper", project="Roof")
    kept(harness, "Order copper", "task", project="Roof")
    kept(harness, "Copper pots shine", "memory", project="Kitchen")
    recall = harness.engine.memory.recall

    for query in (None, "copper"):
        assert titles(recall(query, kind="task")) == ["Order copper"]
        assert set(titles(recall(query, project="roof"))) == {
            "Use copper",
            "Order copper",
        }
        assert titles(recall(query, project="[[Kitchen]]")) == ["Copper pots shine"]
        assert recall(query, project="Cellar").total == 0
        assert titles(recall(query, kind="decision", project="Kitchen")) == []


def test_days_are_those_of_the_capture(harness: VaultHarness) -> None:
    kept(harness, "Use copper")
    redate(harness, "Use copper", "2026-03-01T12:00:00+00:00")
    recall, today = harness.engine.memory.recall, date(2026, 3, 8)

    assert recall(since="2026-03-01", today=today).total == 1
    assert recall(since="7d", until="today", today=today).total == 1
    assert recall(until="2026-03-01", today=today).total == 0
    assert recall("copper", since="3d", today=today).total == 0
    with pytest.raises(BadDate):
        recall(since="someday")


def test_what_cannot_be_met_is_said(harness: VaultHarness) -> None:
    with pytest.raises(UnknownKind, match="memory, decision, task, question, summary"):
        harness.engine.memory.recall(kind="idea")  # type: ignore[arg-type]
    with pytest.raises(BadLimit):
        harness.engine.memory.recall(limit=0)


def test_what_waits_is_recalled_and_says_so(harness: VaultHarness) -> None:
    waiting(harness, "Use copper")

    (found,) = harness.engine.memory.recall("copper").memories

    assert (found.place, found.generated) == ("inbox", True)


def test_a_folder_that_is_left_out_of_the_index_is_said_to_be(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Diary.md": "oolong"})
    vault.open(index__include_agent_dir=False)
    memo = kept(vault, "Use copper")

    found = vault.engine.memory.recall()

    assert (found.total, len(found.degraded)) == (0, 1)
    assert "index.include_agent_dir" in found.degraded[0]
    assert vault.engine.memory.forget(memo.path).memory.place == "trash"


def test_notes_of_a_person_in_the_agent_folder_are_no_memos(
    harness: VaultHarness,
) -> None:
    harness.indexed({".agent/Readme.md": "copper", ".agent/mine/x.md": "copper"})

    assert harness.engine.memory.recall("copper").total == 0
    with pytest.raises(NotMemory):
        harness.engine.memory.forget("Readme")


def test_a_forgotten_memo_is_in_the_trash_and_can_be_moved_back(
    harness: VaultHarness,
) -> None:
    kept(harness, "Use copper")
    kept(harness, "Use slate")

    done = harness.engine.memory.forget("Use copper", client="someone")

    assert done.memory.place == "trash"
    assert done.memory.path.startswith(".agent/.trash/decisions/")
    assert "Use copper" in text_of(harness, done.memory.path)
    assert titles(harness.engine.memory.recall()) == ["Use slate"]
    assert harness.found("copper") == ["Diary.md"]
    assert {line["client"] for line in recorded(harness)[2:]} == {"someone"}

    harness.move(done.memory.path, ".agent/decisions/Again.md")
    harness.index()
    again = [memory.text for memory in harness.engine.memory.recall("copper").memories]
    assert again == ["Use copper"]


def test_forgetting_two_of_one_name_keeps_both(harness: VaultHarness) -> None:
    for tag in ("roof", "wall"):
        kept(harness, "Use copper", tags=[tag])
        harness.engine.memory.forget("Use copper")

    trash = [path for path in agent_files(harness) if path.startswith(".trash/")]
    texts = [text_of(harness, f".agent/{path}") for path in sorted(trash)]
    assert sorted("- roof" in text for text in texts) == [False, True]
    assert harness.engine.memory.recall().total == 0


def test_what_is_named_as_closest_comes_near_to_what_was_said(
    harness: VaultHarness,
) -> None:
    for text in ("Use copper", "Paint the shed", "屋根は銅にする"):
        kept(harness, text)

    for name in ("a", "p", "us", "é", "?"):
        with pytest.raises(MemoryNotFound) as told:
            harness.engine.memory.supersede(name, "b")
        assert told.value.closest == ()
    for name, near in (("shed", "Paint the shed"), ("銅", "屋根は銅にする")):
        with pytest.raises(MemoryNotFound, match=f"closest: .*{near}"):
            harness.engine.memory.supersede(name, "b")


def test_only_memos_called_so_to_the_letter_are_forgotten(
    harness: VaultHarness,
) -> None:
    kept(harness, "Use copper")
    before = agent_files(harness)

    with pytest.raises(NotMemory, match=r"Diary\.md is not a memory"):
        harness.engine.memory.forget("Diary")
    with pytest.raises(NotMemory):
        harness.engine.memory.forget("Work/Roof.md")
    with pytest.raises(MemoryNotFound, match="closest: "):
        harness.engine.memory.forget("Use coper")
    with pytest.raises(MemoryNotFound):
        harness.engine.memory.forget("../../etc/passwd")
    with pytest.raises((MemoryNotFound, NotMemory)):
        harness.engine.memory.forget(".agent/logs/writes.jsonl")

    assert agent_files(harness) == before
    assert (harness.root / "Diary.md").exists()


def test_a_superseded_memo_and_the_new_one_name_each_other(
    harness: VaultHarness,
) -> None:
    kept(harness, "Use tin")
    kept(harness, "Use copper")

    done = harness.engine.memory.supersede("Use tin", "Use copper")

    assert (done.old.status, done.new.status) == ("superseded", "current")
    assert done.old.superseded_by.startswith("[[.agent/decisions/")
    assert done.new.supersedes.startswith("[[.agent/decisions/")
    recall = harness.engine.memory.recall
    assert titles(recall()) == ["Use copper"]
    assert set(titles(recall(superseded=True))) == {"Use copper", "Use tin"}
    assert titles(recall("tin")) == ["Use copper"]  # which says what it took over


def test_what_a_person_deleted_supersedes_nothing(harness: VaultHarness) -> None:
    old, new = kept(harness, "Use tin for it"), kept(harness, "Use copper for it")
    harness.engine.memory.supersede(called(old), called(new))
    harness.remove(new.path)
    harness.index()

    assert titles(harness.engine.memory.recall()) == [old.title]
    (hit,) = harness.ask("tin").hits
    assert not any(adjustment.name == "superseded" for adjustment in hit.adjustments)
    near = harness.engine.memory.capture("decision", "Use tin for it").near
    assert [one.path for one in near] == [old.path]


def test_what_has_another_name_since_supersedes_all_the_same(
    harness: VaultHarness,
) -> None:
    harness.open()
    old, new = kept(harness, "Use tin"), kept(harness, "Use copper", project="Roof")
    harness.engine.memory.supersede(called(old), called(new))
    harness.move(new.path, ".agent/decisions/Another name.md")
    harness.index()

    assert titles(harness.engine.memory.recall()) == ["Another name"]


def test_to_supersede_twice_is_as_once(harness: VaultHarness) -> None:
    kept(harness, "Use tin")
    kept(harness, "Use copper")
    first = harness.engine.memory.supersede("Use tin", "Use copper")
    lines = len(recorded(harness))

    again = harness.engine.memory.supersede("Use tin", "Use copper")

    assert (again.old, again.new) == (first.old, first.new)
    assert len(recorded(harness)) == lines


def test_one_memo_may_take_the_place_of_two(harness: VaultHarness) -> None:
    for text in ("Use tin", "Use zinc", "Use copper"):
        kept(harness, text)
    harness.engine.memory.supersede("Use tin", "Use copper")

    done = harness.engine.memory.supersede("Use zinc", "Use copper")

    assert done.new.supersedes.count("[[") == 2
    assert titles(harness.engine.memory.recall()) == ["Use copper"]


def test_no_memo_takes_its_own_place_nor_goes_in_a_circle(
    harness: VaultHarness,
) -> None:
    for text in ("Use tin", "Use zinc", "Use copper"):
        kept(harness, text)
    supersede = harness.engine.memory.supersede
    supersede("Use tin", "Use zinc")
    supersede("Use zinc", "Use copper")
    lines = len(recorded(harness))

    with pytest.raises(NotSuperseded, match="the same memo"):
        supersede("Use tin", "Use tin")
    with pytest.raises(NotSuperseded, match="superseded by it already"):
        supersede("Use copper", "Use tin")
    with pytest.raises(NotSuperseded, match="has its place"):
        supersede("Use tin", "Use copper")

    assert len(recorded(harness)) == lines


def test_what_waits_is_accepted_before_it_takes_a_place(harness: VaultHarness) -> None:
    kept(harness, "Use tin")
    waiting(harness, "Use copper")

    with pytest.raises(StillWaiting):
        harness.engine.memory.supersede("Use tin", "Use copper")

    assert "superseded" not in text_of(harness, kept(harness, "Use zinc").path)


@pytest.mark.parametrize("meant", [1, 2])
def test_a_death_between_the_two_writes_is_made_good_by_doing_it_again(
    harness: VaultHarness, meant: int
) -> None:
    kept(harness, "Use tin")
    kept(harness, "Use copper")

    with dying_at(meant) as begun:
        harness.engine.memory.supersede("Use tin", "Use copper")
    assert len(begun) == meant
    harness.index()
    done = harness.engine.memory.supersede("Use tin", "Use copper")

    assert done.old.superseded_by
    assert done.new.supersedes


@pytest.mark.parametrize("meant", [1, 2])
def test_a_death_within_forgetting_loses_nothing(
    harness: VaultHarness, meant: int
) -> None:
    memo = kept(harness, "Use copper")
    kept(harness, "Use slate")
    before = text_of(harness, memo.path)

    with dying_at(meant) as begun:
        harness.engine.memory.forget("Use copper")
    if len(begun) == meant:  # a note of its own takes one step, and is at one place
        assert text_of(harness, memo.path) == before
        harness.engine.memory.forget("Use copper")

    trash = [path for path in agent_files(harness) if path.startswith(".trash/")]
    assert len(trash) == 1
    assert "Use copper" in text_of(harness, f".agent/{trash[0]}")
    assert titles(harness.engine.memory.recall()) == ["Use slate"]


def test_a_query_that_no_memo_comes_near_recalls_none(harness: VaultHarness) -> None:
    kept(harness, "The roof is made of copper.")

    found = harness.engine.memory.recall("zebra quantum flux")

    assert (found.memories, found.total, found.doubtful) == ((), 0, False)


def test_a_query_without_a_word_that_is_known_recalls_nothing_by_filters_alone(
    harness: VaultHarness,
) -> None:
    kept(harness, "Copper roofs last.", tags=["metal"])

    assert harness.engine.memory.recall("zzz").memories == ()
    assert titles(harness.engine.memory.recall("tag:metal")) == ["Copper roofs last"]


def test_summaries_are_recalled_behind_what_was_captured(vault: VaultHarness) -> None:
    vault.indexed({"Kiln.md": "The kiln is fired on Monday, the kiln of the mill.\n"})
    old = kept(vault, "We fire on Monday, in the kiln.")
    vault.engine.bundles.pack("kiln fired on which day", save=True)
    new = kept(vault, "We fire on Tuesday, in the kiln.")
    vault.engine.memory.supersede(old.path, new.path)

    found = vault.engine.memory.recall("kiln fired on which day").memories

    assert [one.kind for one in found] == ["decision", "summary"]
    assert found[0].path == new.path
    assert 1.0 == found[0].relevance >= found[1].relevance
