"""What waits in the inbox: shown, kept, changed, merged, put away, ticked."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memory_harness import (
    agent_files,
    dying_at,
    kept,
    recorded,
    text_of,
    tick,
    waiting,
)
from vault_harness import VaultHarness
from watch_harness import QUICK, Follower, until

from glassmind.errors import (
    AmbiguousName,
    BadMemory,
    MemoryNotFound,
    NotMemory,
    NotWaiting,
    WritesOff,
)
from glassmind.model.memory import Inbox, MemoKind

DRIVE = Path(__file__).parents[1] / "support" / "inbox_program.py"


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "oolong"})
    return vault


def titles(inbox: Inbox) -> list[str]:
    return [one.title for one in inbox.waiting]


def test_an_inbox_without_anything_is_empty(harness: VaultHarness) -> None:
    assert harness.engine.memory.inbox() == Inbox(())


def test_what_waits_is_shown_oldest_first_and_marked(harness: VaultHarness) -> None:
    later, first = waiting(harness, "Zinc roof"), waiting(harness, "Ask about gutters")
    for memo, hour in ((first, "08"), (later, "09")):
        raw = text_of(harness, memo.path)
        said = raw.replace(memo.created, f"2026-03-01T{hour}:00:00+00:00")
        harness.write({memo.path: said})

    found = harness.engine.memory.inbox()

    assert titles(found) == ["Ask about gutters", "Zinc roof"]
    assert all(one.generated and not one.checked for one in found.waiting)
    assert not found.problems


def test_an_accepted_memo_stands_in_its_place_and_says_since_when(
    harness: VaultHarness,
) -> None:
    memo = waiting(harness, "Use copper.\n\nIt lasts longer.", project="Roof")

    done = harness.engine.memory.accept("Use copper", client="someone")

    assert done.before == memo.path
    assert done.memory.path == f".agent/decisions/{memo.path.rpartition('/')[2]}"
    assert (done.memory.place, done.memory.generated) == ("kept", False)
    text = text_of(harness, done.memory.path)
    assert text.endswith("---\n\nUse copper.\n\nIt lasts longer.\n")
    assert "generated: false" in text
    assert "approved: 20" in text
    assert "Keep this" not in text
    assert "[!agent]" not in text
    assert harness.found("copper") == [done.memory.path]


def test_every_act_is_on_record_with_who_did_it(harness: VaultHarness) -> None:
    waiting(harness, "Use copper")
    waiting(harness, "Use tin")
    before = len(recorded(harness))

    harness.engine.memory.accept("Use copper", client="someone")
    harness.engine.memory.reject("Use tin", client="another")

    lines = recorded(harness)[before:]
    assert [(line["client"], line["why"], "to" in line) for line in lines] == [
        ("someone", "accepted from the inbox", False),
        ("someone", "accepted from the inbox", True),
        ("another", "rejected from the inbox", True),
    ]


@pytest.mark.parametrize(
    ("kind", "folder"),
    [
        ("memory", "memories"),
        ("decision", "decisions"),
        ("task", "tasks"),
        ("question", "tasks"),
    ],
)
def test_each_kind_has_its_place(harness: VaultHarness, kind: str, folder: str) -> None:
    memo = waiting(harness, "Copper or tin", kind)  # type: ignore[arg-type]

    done = harness.engine.memory.accept(memo.path)

    assert done.memory.path.startswith(f".agent/{folder}/")
    assert (done.memory.text, done.memory.kind) == ("Copper or tin", kind)


def test_a_name_that_is_taken_gets_a_number_and_nothing_is_overwritten(
    harness: VaultHarness,
) -> None:
    first = kept(harness, "Use copper")
    before = text_of(harness, first.path)
    waiting(harness, "Use copper")

    done = harness.engine.memory.accept("Use copper")

    assert done.memory.path.endswith("Use copper 2.md")
    assert text_of(harness, first.path) == before


def test_what_a_person_changed_in_obsidian_survives(harness: VaultHarness) -> None:
    memo = waiting(harness, "Use copper", tags=["roof"])
    raw = text_of(harness, memo.path)
    head, _, body = raw.partition("---\n\n")
    lines = head.splitlines()[1:]
    mine = "\n".join(["---", "rating: 5", *reversed([*lines])])
    mine = mine.replace("tags:\n", "").replace("  - roof\n", "")
    mine += '\nmood: "quiet: very"\ntags: [roof, house]\n---\n\n'
    text = (mine + body.rstrip("\n") + "\nI agree.\n").replace("\n", "\r\n")
    harness.write({".agent/inbox/Copper it is.md": b"\xef\xbb\xbf" + text.encode()})
    harness.remove(memo.path)

    done = harness.engine.memory.accept("Copper it is")

    found = (harness.root / done.memory.path).read_bytes()
    assert done.memory.path == ".agent/decisions/Copper it is.md"
    assert found.startswith(b"\xef\xbb\xbf---\r\nrating: 5\r\n")
    assert b'mood: "quiet: very"\r\n' in found
    assert found.endswith(b"Use copper\r\nI agree.\r\n")
    assert found.count(b"\n") == found.count(b"\r\n")
    assert done.memory.tags == ("roof", "house")
    assert b"Keep this" not in found


def test_an_edited_memo_has_the_new_text_and_its_old_facts(
    harness: VaultHarness,
) -> None:
    waiting(harness, "Use tin", project="Roof", tags=["metal"])

    done = harness.engine.memory.edit("Use tin", "Use copper\n\nTin rusts.")

    assert done.memory.text == "Use copper\n\nTin rusts."
    assert (done.memory.project, done.memory.tags) == ("Roof", ("metal",))
    assert (done.memory.place, done.memory.generated) == ("kept", False)
    assert "tin rusts" in text_of(harness, done.memory.path).lower()


def test_an_edit_to_nothing_is_refused_and_the_memo_waits(
    harness: VaultHarness,
) -> None:
    memo = waiting(harness, "Use tin")
    before = text_of(harness, memo.path)

    with pytest.raises(BadMemory, match="says nothing"):
        harness.engine.memory.edit("Use tin", "  \n ")

    assert text_of(harness, memo.path) == before


def test_a_rejected_memo_is_in_the_trash_and_no_search_finds_it(
    harness: VaultHarness,
) -> None:
    memo = waiting(harness, "Use tin")
    before = text_of(harness, memo.path)

    done = harness.engine.memory.reject("Use tin")

    assert done.memory.path == f".agent/.trash/inbox/{memo.path.rpartition('/')[2]}"
    assert done.memory.place == "trash"
    assert text_of(harness, done.memory.path) == before
    assert harness.found("tin") == []
    assert not harness.engine.memory.inbox().waiting


def test_a_merged_memo_adds_its_text_its_sources_and_its_tags(
    harness: VaultHarness,
) -> None:
    receipt = "Diary.md"
    first = kept(harness, "Use copper", tags=["roof"])
    memo = waiting(
        harness, "Use copper, 0.6 mm", tags=["roof", "metal"], sources=[receipt]
    )

    done = harness.engine.memory.merge(memo.path, "Use copper")

    assert done.memory.path == first.path
    assert done.before == memo.path
    assert done.memory.text == "Use copper\n\nUse copper, 0.6 mm"
    assert done.memory.tags == ("roof", "metal")
    assert done.memory.sources == memo.sources
    assert not harness.engine.memory.inbox().waiting
    assert f".trash/inbox/{memo.path.rpartition('/')[2]}" in agent_files(harness)


def test_what_the_kept_one_says_already_is_not_said_twice(
    harness: VaultHarness,
) -> None:
    kept(harness, "Use copper\n\nIt lasts longer.")
    memo = waiting(harness, "It lasts longer.")

    done = harness.engine.memory.merge(memo.path, "Use copper")

    assert done.memory.text == "Use copper\n\nIt lasts longer."


def test_a_task_that_gets_more_text_stays_one_task(harness: VaultHarness) -> None:
    kept(harness, "Order copper", "task")
    memo = waiting(harness, "Order copper soon\n\nsixty sheets", "task")

    done = harness.engine.memory.merge(memo.path, "Order copper")

    assert done.memory.text == "Order copper\n\nOrder copper soon\n\nsixty sheets"
    assert text_of(harness, done.memory.path).count("- [ ]") == 1


@pytest.mark.parametrize("meant", [1, 2])
def test_a_death_within_a_merge_loses_nothing_and_again_makes_it_good(
    harness: VaultHarness, meant: int
) -> None:
    kept(harness, "Use copper")
    memo = waiting(harness, "Use copper, 0.6 mm")

    with dying_at(meant) as begun:
        harness.engine.memory.merge(memo.path, "Use copper")
    assert (len(begun), memo.path in {f".agent/{p}" for p in agent_files(harness)}) == (
        meant,
        True,
    )
    done = harness.engine.memory.merge(memo.path, "Use copper")

    assert done.memory.text == "Use copper\n\nUse copper, 0.6 mm"
    assert not harness.engine.memory.inbox().waiting


@pytest.mark.parametrize("meant", [1, 2])
def test_a_death_within_an_acceptance_is_made_good_by_the_next_look(
    harness: VaultHarness, meant: int
) -> None:
    memo = waiting(harness, "Use copper")

    with dying_at(meant) as begun:
        harness.engine.memory.accept("Use copper")
    assert len(begun) == meant
    found = harness.engine.memory.inbox()

    if meant == 1:  # nothing was written yet: it waits as before
        assert titles(found) == ["Use copper"]
    else:
        assert [one.before for one in found.promoted] == [memo.path]
        assert found.promoted[0].memory.text == "Use copper"


def test_near_duplicates_are_proposed_and_nothing_is_merged(
    harness: VaultHarness,
) -> None:
    first = kept(harness, "Use copper for the roof of the shed")
    kept(harness, "Use copper for the roof of the shed", "memory")
    kept(harness, "Paint the shed green")
    waiting(harness, "We use copper for the roof of the shed")

    (one,) = harness.engine.memory.inbox().waiting

    assert [near.path for near in one.near] == [first.path]
    assert 0.6 < one.near[0].similarity < 1
    assert len(agent_files(harness)) == 4


@pytest.mark.parametrize("box", ["x", "X"])
@pytest.mark.parametrize("behind", ["", " \u2705 2026-03-01", "\r"])
def test_a_ticked_box_is_enough_when_the_inbox_is_looked_at(
    harness: VaultHarness, box: str, behind: str
) -> None:
    memo = waiting(harness, "Use copper")
    waiting(harness, "Use tin")
    tick(harness, memo, box)
    raw = text_of(harness, memo.path)
    harness.write({memo.path: raw.replace("Keep this", f"Keep this{behind}")})

    found = harness.engine.memory.inbox()

    assert titles(found) == ["Use tin"]
    assert [one.memory.title for one in found.promoted] == ["Use copper"]
    assert recorded(harness)[-1]["client"] == "obsidian"
    assert harness.found("copper") == [found.promoted[0].memory.path]


def test_who_only_looks_writes_nothing(harness: VaultHarness) -> None:
    memo = waiting(harness, "Use copper")
    tick(harness, memo)
    before = text_of(harness, memo.path)

    found = harness.engine.memory.inbox(promote=False)

    assert [one.checked for one in found.waiting] == [True]
    assert text_of(harness, memo.path) == before


def test_a_run_of_indexing_promotes_what_was_ticked(harness: VaultHarness) -> None:
    memos = [waiting(harness, f"Use metal {number} here") for number in range(5)]
    for memo in memos[:3]:
        tick(harness, memo)
    raw = text_of(harness, memos[0].path)  # as a plugin of Obsidian ticks it
    harness.write(
        {memos[0].path: raw.replace("Keep this", "Keep this \u2705 2026-03-01")}
    )

    report = harness.index()
    again = harness.index()

    assert not report.warnings
    assert titles(harness.engine.memory.inbox(promote=False)) == [
        "Use metal 3 here",
        "Use metal 4 here",
    ]
    assert len(harness.engine.memory.recall(kind="decision").memories) == 5
    assert (again.added, again.changed, again.moved, again.removed) == (0, 0, 0, 0)


def test_a_folder_that_obsidian_shows_serves_as_well(harness: VaultHarness) -> None:
    harness.open(writes__agent_dir="Agents/ours")
    memo, other = waiting(harness, "Use copper"), waiting(harness, "Use tin")
    tick(harness, memo)

    harness.index()
    gone = harness.engine.memory.reject("Use tin")

    assert memo.path.startswith("Agents/ours/inbox/")
    assert harness.found("copper") == [memo.path.replace("/inbox/", "/decisions/")]
    assert gone.memory.path.startswith("Agents/ours/.trash/inbox/")
    assert harness.found("tin") == []
    assert not (harness.root / other.path).exists()


def test_a_box_of_the_text_itself_promotes_nothing(harness: VaultHarness) -> None:
    memo = waiting(harness, "- [x] Keep this\n- [x] and that", "memory")

    harness.index()

    assert [one.path for one in harness.engine.memory.inbox().waiting] == [memo.path]


def test_a_ticked_memo_that_cannot_be_moved_is_a_warning_of_the_run(
    harness: VaultHarness,
) -> None:
    memo = waiting(harness, "Use copper")
    raw = text_of(harness, memo.path).replace("status: current\n", "status: [current\n")
    harness.write({memo.path: raw})
    tick(harness, memo)

    report = harness.index()

    assert report.changed == 1
    assert "is not a memory: The frontmatter is not valid YAML" in report.warnings[-1]
    assert text_of(harness, memo.path).count("- [x] Keep this") == 1


def test_nothing_is_promoted_while_writes_are_off(harness: VaultHarness) -> None:
    memo = waiting(harness, "Use copper")
    tick(harness, memo)
    before = text_of(harness, memo.path)
    harness.open(writes__mode="off")

    report = harness.index()
    found = harness.engine.memory.inbox()

    assert not report.warnings
    assert (len(found.waiting), found.promoted, found.problems) == (1, (), ())
    assert found.waiting[0].checked
    assert text_of(harness, memo.path) == before


def test_every_act_is_refused_while_writes_are_off(harness: VaultHarness) -> None:
    first, memo = kept(harness, "Use copper"), waiting(harness, "Use tin")
    kept(harness, "Use slate")
    before = {path: text_of(harness, f".agent/{path}") for path in agent_files(harness)}
    memory = harness.open(writes__mode="off").memory

    for undone, act in (
        ("accepted", lambda: memory.accept(memo.path)),
        ("edited", lambda: memory.edit(memo.path, "Use zinc")),
        ("merged", lambda: memory.merge(memo.path, first.path)),
        ("rejected", lambda: memory.reject(memo.path)),
        ("forgotten", lambda: memory.forget(first.path)),
        ("superseded", lambda: memory.supersede(first.path, "Use slate")),
    ):
        with pytest.raises(WritesOff, match=f"^nothing was {undone}: the settings"):
            act()

    after = {path: text_of(harness, f".agent/{path}") for path in agent_files(harness)}
    assert after == before


def test_only_what_waits_is_accepted(harness: VaultHarness) -> None:
    kept(harness, "Use copper")

    with pytest.raises(NotWaiting):
        harness.engine.memory.accept("Use copper")
    with pytest.raises(NotMemory):
        harness.engine.memory.accept("Diary")
    with pytest.raises(MemoryNotFound, match=r"closest: .*Use copper\.md"):
        harness.engine.memory.accept("Use coppr")


def test_the_one_that_waits_is_meant_before_the_one_that_is_kept(
    harness: VaultHarness,
) -> None:
    first, memo = kept(harness, "Use copper"), waiting(harness, "Use copper")

    with pytest.raises(AmbiguousName):
        harness.engine.memory.forget("Use copper")
    done = harness.engine.memory.merge("Use copper", "Use copper")

    assert (done.before, done.memory.path) == (memo.path, first.path)


def test_files_of_the_inbox_that_are_no_memos_are_told_and_left_alone(
    harness: VaultHarness,
) -> None:
    harness.write(
        {
            ".agent/inbox/Mine.md": "a note of my own",
            ".agent/inbox/Sketch.md": b"\x89PNG\r\n\x1a\n\x00\x00",
            ".agent/inbox/photo.png": b"\x89PNG",
        }
    )

    found = harness.engine.memory.inbox()

    assert not found.waiting
    assert len(found.problems) == 2
    assert found.problems[0].startswith(".agent/inbox/Mine.md is not a memory")
    with pytest.raises(NotMemory):
        harness.engine.memory.reject("inbox/Mine")


def test_what_waits_is_shown_before_there_is_an_index(vault: VaultHarness) -> None:
    done = vault.engine.memory.capture("memory", "Use copper", agent=True)

    found = vault.engine.memory.inbox()

    assert [one.path for one in found.waiting] == [done.memory.path]
    assert "looked for in the inbox alone" in found.problems[0]
    assert vault.engine.memory.accept("Use copper").memory.place == "kept"


def test_of_several_that_accept_at_once_one_wins_and_the_others_are_told(
    harness: VaultHarness,
) -> None:
    paths = [waiting(harness, f"Use metal {number} here").path for number in range(8)]
    harness.close()
    call = [sys.executable, str(DRIVE), str(harness.root), str(harness.place)]
    env = {**os.environ, "PYTHONWARNINGS": "error"}

    running = [
        subprocess.Popen([*call, *paths], stdout=subprocess.PIPE, env=env)
        for _ in range(3)
    ]
    said = [json.loads(one.communicate(timeout=120)[0]) for one in running]

    for path in paths:
        *told, won = sorted(one[path] for one in said)
        assert won == "won"
        assert set(told) <= {"NotWaiting", "MemoryNotFound"}
    assert len(harness.engine.memory.recall(limit=50).memories) == len(paths)
    assert not harness.engine.memory.inbox().waiting
    names = [path for path in agent_files(harness) if path.startswith("decisions/")]
    assert len(names) == len(paths)


def test_ticking_is_enough_while_the_vault_is_followed(harness: VaultHarness) -> None:
    memo = waiting(harness, "Use copper")
    harness.settings |= QUICK
    new = f".agent/decisions/{memo.path.rpartition('/')[2]}"

    with Follower(harness.open()) as follower:
        follower.ready()
        tick(harness, memo)
        until(lambda: harness.found("copper") == [new], "it was not promoted")

    assert not (harness.root / memo.path).exists()
    assert follower.hindered == []


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))
    .map(lambda text: text.strip("\r\n"))
    .filter(lambda text: any(sign.isalnum() for sign in text))
    | st.just("> [!agent] Captured by me; not approved yet\n\n- [x] Keep this\n\nno")
    | st.sampled_from(["---\nkind: task\n---\n\n- [x] Keep this", "a\rb\r\n\rc"]),
    st.sampled_from(["memory", "decision", "question"]),
    st.sampled_from([1, 2, 3]),
)
def test_an_accepted_text_is_kept_to_the_letter_whatever_it_says(
    harness: VaultHarness, text: str, kind: MemoKind, meant: int
) -> None:
    memo = waiting(harness, text, kind)

    with dying_at(meant):
        harness.engine.memory.accept(memo.path)
    if (harness.root / memo.path).exists():  # it died on the way
        harness.engine.memory.accept(memo.path)

    (found,) = harness.engine.memory.recall(kind=kind).memories
    lines = text.replace("\r\n", "\n").replace("\r", "\n")  # ends are kept as one kind
    assert (found.text, found.place) == (lines, "kept")
    harness.engine.memory.forget(found.path)
