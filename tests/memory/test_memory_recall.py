"""What was captured, asked for again; forgotten, superseded, alone or among others."""

from datetime import date

import pytest
from memo_desk import agent_files, called, dying_at, kept, recorded, text_of, waiting
from vault_desk import VaultDesk

from glassmind.errors import (
    BadDate,
    BadLimit,
    IndexAbsent,
    MemoryNotFound,
    NotAMemory,
    NotSuperseded,
    StillWaiting,
    UnknownKind,
)
from glassmind.model.memory import Recalled


@pytest.fixture
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with notes of its own."""
    vault.indexed({"Diary.md": "copper", "Work/Roof.md": "slate"})
    vault.open()
    return vault


def titles(found: Recalled) -> list[str]:
    return [memory.title for memory in found.memories]


def redate(desk: VaultDesk, text: str, moment: str) -> None:
    """Say that something was captured at another time."""
    for path in agent_files(desk):
        raw = text_of(desk, f".agent/{path}")
        if text in raw:
            at = raw.rindex("created: ", 0, raw.rindex(text)) + len("created: ")
            end = raw.index("\n", at)
            desk.write({f".agent/{path}": raw[:at] + moment + raw[end:]})
    desk.index()


def test_without_an_index_nothing_is_recalled(vault: VaultDesk) -> None:
    with pytest.raises(IndexAbsent):
        vault.engine.memory.recall()


def test_nothing_captured_is_nothing_recalled(desk: VaultDesk) -> None:
    assert desk.engine.memory.recall() == Recalled((), 0)
    assert desk.engine.memory.recall("copper").memories == ()


def test_the_newest_come_first_without_a_query(desk: VaultDesk) -> None:
    for text, hour in (("Use copper", "10"), ("Use slate", "12"), ("Use tin", "11")):
        kept(desk, text)
        redate(desk, text, f"2026-03-01T{hour}:00:00+00:00")

    found = desk.engine.memory.recall(limit=2)

    assert titles(found) == ["Use slate", "Use tin"]
    assert found.total == 3
    assert found.memories[0].why == "captured 2026-03-01"


def test_a_query_finds_memos_alone_and_says_why(desk: VaultDesk) -> None:
    kept(desk, "Use copper for the roof")
    kept(desk, "Paint the shed green")

    found = desk.engine.memory.recall("copper")

    assert titles(found) == ["Use copper for the roof"]
    assert found.memories[0].text == "Use copper for the roof"
    assert found.memories[0].relevance == 1.0
    assert "copper" in found.memories[0].why


@pytest.mark.parametrize("query", ['"copper', "-tin copper", "copper path:nowhere x"])
def test_whatever_a_query_holds_only_memos_are_found(
    desk: VaultDesk, query: str
) -> None:
    kept(desk, "Use copper")

    found = desk.engine.memory.recall(query)

    assert all(memory.path.startswith(".agent/") for memory in found.memories)


def test_filters_hold_with_and_without_a_query(desk: VaultDesk) -> None:
    kept(desk, "Use copper", project="Roof")
    kept(desk, "Order copper", "task", project="Roof")
    kept(desk, "Copper pots shine", "memory", project="Kitchen")
    recall = desk.engine.memory.recall

    for query in (None, "copper"):
        assert titles(recall(query, kind="task")) == ["Order copper"]
        assert set(titles(recall(query, project="roof"))) == {
            "Use copper",
            "Order copper",
        }
        assert titles(recall(query, project="[[Kitchen]]")) == ["Copper pots shine"]
        assert recall(query, project="Cellar").total == 0
        assert titles(recall(query, kind="decision", project="Kitchen")) == []


def test_days_are_those_of_the_capture(desk: VaultDesk) -> None:
    kept(desk, "Use copper")
    redate(desk, "Use copper", "2026-03-01T12:00:00+00:00")
    recall, today = desk.engine.memory.recall, date(2026, 3, 8)

    assert recall(since="2026-03-01", today=today).total == 1
    assert recall(since="7d", until="today", today=today).total == 1
    assert recall(until="2026-03-01", today=today).total == 0
    assert recall("copper", since="3d", today=today).total == 0
    with pytest.raises(BadDate):
        recall(since="someday")


def test_what_cannot_be_met_is_said(desk: VaultDesk) -> None:
    with pytest.raises(UnknownKind, match="memory, decision, task, question, summary"):
        desk.engine.memory.recall(kind="idea")  # type: ignore[arg-type]
    with pytest.raises(BadLimit):
        desk.engine.memory.recall(limit=0)


def test_what_waits_is_recalled_and_says_so(desk: VaultDesk) -> None:
    waiting(desk, "Use copper")

    (found,) = desk.engine.memory.recall("copper").memories

    assert (found.place, found.generated) == ("inbox", True)


def test_a_folder_that_is_left_out_of_the_index_is_said_to_be(
    vault: VaultDesk,
) -> None:
    vault.indexed({"Diary.md": "oolong"})
    vault.open(index__include_agent_dir=False)
    memo = kept(vault, "Use copper")

    found = vault.engine.memory.recall()

    assert (found.total, len(found.degraded)) == (0, 1)
    assert "index.include_agent_dir" in found.degraded[0]
    assert vault.engine.memory.forget(memo.path).memory.place == "trash"


def test_notes_of_a_person_in_the_agent_folder_are_no_memos(desk: VaultDesk) -> None:
    desk.indexed({".agent/Readme.md": "copper", ".agent/mine/x.md": "copper"})

    assert desk.engine.memory.recall("copper").total == 0
    with pytest.raises(NotAMemory):
        desk.engine.memory.forget("Readme")


def test_a_forgotten_memo_is_in_the_trash_and_can_be_moved_back(
    desk: VaultDesk,
) -> None:
    kept(desk, "Use copper")
    kept(desk, "Use slate")

    done = desk.engine.memory.forget("Use copper", client="someone")

    assert done.memory.place == "trash"
    assert done.memory.path.startswith(".agent/.trash/decisions/")
    assert "Use copper" in text_of(desk, done.memory.path)
    assert titles(desk.engine.memory.recall()) == ["Use slate"]
    assert desk.found("copper") == ["Diary.md"]
    assert {line["client"] for line in recorded(desk)[2:]} == {"someone"}

    desk.move(done.memory.path, ".agent/decisions/Again.md")
    desk.index()
    again = [memory.text for memory in desk.engine.memory.recall("copper").memories]
    assert again == ["Use copper"]


def test_forgetting_two_of_one_name_keeps_both(desk: VaultDesk) -> None:
    for tag in ("roof", "wall"):
        kept(desk, "Use copper", tags=[tag])
        desk.engine.memory.forget("Use copper")

    trash = [path for path in agent_files(desk) if path.startswith(".trash/")]
    texts = [text_of(desk, f".agent/{path}") for path in sorted(trash)]
    assert sorted("- roof" in text for text in texts) == [False, True]
    assert desk.engine.memory.recall().total == 0


def test_what_is_named_as_closest_comes_near_to_what_was_said(desk: VaultDesk) -> None:
    for text in ("Use copper", "Paint the shed", "屋根は銅にする"):
        kept(desk, text)

    for name in ("a", "p", "us", "é", "?"):
        with pytest.raises(MemoryNotFound) as told:
            desk.engine.memory.supersede(name, "b")
        assert told.value.closest == ()
    for name, near in (("shed", "Paint the shed"), ("銅", "屋根は銅にする")):
        with pytest.raises(MemoryNotFound, match=f"closest: .*{near}"):
            desk.engine.memory.supersede(name, "b")


def test_only_memos_called_so_to_the_letter_are_forgotten(desk: VaultDesk) -> None:
    kept(desk, "Use copper")
    before = agent_files(desk)

    with pytest.raises(NotAMemory, match=r"Diary\.md is not a memory"):
        desk.engine.memory.forget("Diary")
    with pytest.raises(NotAMemory):
        desk.engine.memory.forget("Work/Roof.md")
    with pytest.raises(MemoryNotFound, match="closest: "):
        desk.engine.memory.forget("Use coper")
    with pytest.raises(MemoryNotFound):
        desk.engine.memory.forget("../../etc/passwd")
    with pytest.raises((MemoryNotFound, NotAMemory)):
        desk.engine.memory.forget(".agent/logs/writes.jsonl")

    assert agent_files(desk) == before
    assert (desk.root / "Diary.md").exists()


def test_a_superseded_memo_and_the_new_one_name_each_other(desk: VaultDesk) -> None:
    kept(desk, "Use tin")
    kept(desk, "Use copper")

    done = desk.engine.memory.supersede("Use tin", "Use copper")

    assert (done.old.status, done.new.status) == ("superseded", "current")
    assert done.old.superseded_by.startswith("[[.agent/decisions/")
    assert done.new.supersedes.startswith("[[.agent/decisions/")
    recall = desk.engine.memory.recall
    assert titles(recall()) == ["Use copper"]
    assert set(titles(recall(superseded=True))) == {"Use copper", "Use tin"}
    assert titles(recall("tin")) == ["Use copper"]  # which says what it took over


def test_what_a_person_deleted_supersedes_nothing(desk: VaultDesk) -> None:
    old, new = kept(desk, "Use tin for it"), kept(desk, "Use copper for it")
    desk.engine.memory.supersede(called(old), called(new))
    desk.remove(new.path)
    desk.index()

    assert titles(desk.engine.memory.recall()) == [old.title]
    (hit,) = desk.ask("tin").hits
    assert not any(adjustment.name == "superseded" for adjustment in hit.adjustments)
    near = desk.engine.memory.capture("decision", "Use tin for it").near
    assert [one.path for one in near] == [old.path]


def test_what_has_another_name_since_supersedes_all_the_same(desk: VaultDesk) -> None:
    desk.open()
    old, new = kept(desk, "Use tin"), kept(desk, "Use copper", project="Roof")
    desk.engine.memory.supersede(called(old), called(new))
    desk.move(new.path, ".agent/decisions/Another name.md")
    desk.index()

    assert titles(desk.engine.memory.recall()) == ["Another name"]


def test_to_supersede_twice_is_as_once(desk: VaultDesk) -> None:
    kept(desk, "Use tin")
    kept(desk, "Use copper")
    first = desk.engine.memory.supersede("Use tin", "Use copper")
    lines = len(recorded(desk))

    again = desk.engine.memory.supersede("Use tin", "Use copper")

    assert (again.old, again.new) == (first.old, first.new)
    assert len(recorded(desk)) == lines


def test_one_memo_may_take_the_place_of_two(desk: VaultDesk) -> None:
    for text in ("Use tin", "Use zinc", "Use copper"):
        kept(desk, text)
    desk.engine.memory.supersede("Use tin", "Use copper")

    done = desk.engine.memory.supersede("Use zinc", "Use copper")

    assert done.new.supersedes.count("[[") == 2
    assert titles(desk.engine.memory.recall()) == ["Use copper"]


def test_no_memo_takes_its_own_place_nor_goes_in_a_circle(desk: VaultDesk) -> None:
    for text in ("Use tin", "Use zinc", "Use copper"):
        kept(desk, text)
    supersede = desk.engine.memory.supersede
    supersede("Use tin", "Use zinc")
    supersede("Use zinc", "Use copper")
    lines = len(recorded(desk))

    with pytest.raises(NotSuperseded, match="the same memo"):
        supersede("Use tin", "Use tin")
    with pytest.raises(NotSuperseded, match="superseded by it already"):
        supersede("Use copper", "Use tin")
    with pytest.raises(NotSuperseded, match="has its place"):
        supersede("Use tin", "Use copper")

    assert len(recorded(desk)) == lines


def test_what_waits_is_accepted_before_it_takes_a_place(desk: VaultDesk) -> None:
    kept(desk, "Use tin")
    waiting(desk, "Use copper")

    with pytest.raises(StillWaiting):
        desk.engine.memory.supersede("Use tin", "Use copper")

    assert "superseded" not in text_of(desk, kept(desk, "Use zinc").path)


@pytest.mark.parametrize("meant", [1, 2])
def test_a_death_between_the_two_writes_is_made_good_by_doing_it_again(
    desk: VaultDesk, meant: int
) -> None:
    kept(desk, "Use tin")
    kept(desk, "Use copper")

    with dying_at(meant) as begun:
        desk.engine.memory.supersede("Use tin", "Use copper")
    assert len(begun) == meant
    desk.index()
    done = desk.engine.memory.supersede("Use tin", "Use copper")

    assert done.old.superseded_by
    assert done.new.supersedes


@pytest.mark.parametrize("meant", [1, 2])
def test_a_death_within_forgetting_loses_nothing(desk: VaultDesk, meant: int) -> None:
    memo = kept(desk, "Use copper")
    kept(desk, "Use slate")
    before = text_of(desk, memo.path)

    with dying_at(meant) as begun:
        desk.engine.memory.forget("Use copper")
    if len(begun) == meant:  # a note of its own takes one step, and is at one place
        assert text_of(desk, memo.path) == before
        desk.engine.memory.forget("Use copper")

    trash = [path for path in agent_files(desk) if path.startswith(".trash/")]
    assert len(trash) == 1
    assert "Use copper" in text_of(desk, f".agent/{trash[0]}")
    assert titles(desk.engine.memory.recall()) == ["Use slate"]


def test_a_query_that_no_memo_comes_near_recalls_none(desk: VaultDesk) -> None:
    kept(desk, "The roof is made of copper.")

    found = desk.engine.memory.recall("zebra quantum flux")

    assert (found.memories, found.total, found.doubtful) == ((), 0, False)


def test_a_query_without_a_word_that_is_known_recalls_nothing_by_filters_alone(
    desk: VaultDesk,
) -> None:
    kept(desk, "Copper roofs last.", tags=["metal"])

    assert desk.engine.memory.recall("zzz").memories == ()
    assert titles(desk.engine.memory.recall("tag:metal")) == ["Copper roofs last"]


def test_summaries_are_recalled_behind_what_was_captured(vault: VaultDesk) -> None:
    vault.indexed({"Kiln.md": "The kiln is fired on Monday, the kiln of the mill.\n"})
    old = kept(vault, "We fire on Monday, in the kiln.")
    vault.engine.bundles.pack("kiln fired on which day", save=True)
    new = kept(vault, "We fire on Tuesday, in the kiln.")
    vault.engine.memory.supersede(old.path, new.path)

    found = vault.engine.memory.recall("kiln fired on which day").memories

    assert [one.kind for one in found] == ["decision", "summary"]
    assert found[0].path == new.path
    assert 1.0 == found[0].relevance >= found[1].relevance
