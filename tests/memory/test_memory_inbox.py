"""What waits in the inbox: shown, kept, changed, merged, put away, ticked."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memo_desk import (
    agent_files,
    dying_at,
    kept,
    recorded,
    text_of,
    tick,
    waiting,
)
from vault_desk import VaultDesk
from watch_desk import QUICK, Follower, until

from glassmind.errors import (
    AmbiguousName,
    BadMemory,
    MemoryNotFound,
    NotAMemory,
    NotWaiting,
    WritesOff,
)
from glassmind.model.memory import Inbox, MemoKind

DRIVE = Path(__file__).parents[1] / "support" / "inbox_drive.py"


@pytest.fixture
def desk(vault: VaultDesk) -> VaultDesk:
    """A vault with one note of its own."""
    vault.indexed({"Diary.md": "oolong"})
    return vault


def titles(inbox: Inbox) -> list[str]:
    return [one.title for one in inbox.waiting]


def test_an_inbox_without_anything_is_empty(desk: VaultDesk) -> None:
    assert desk.engine.memory.inbox() == Inbox(())


def test_what_waits_is_shown_oldest_first_and_marked(desk: VaultDesk) -> None:
    later, first = waiting(desk, "Zinc roof"), waiting(desk, "Ask about gutters")
    for memo, hour in ((first, "08"), (later, "09")):
        raw = text_of(desk, memo.path)
        said = raw.replace(memo.created, f"2026-03-01T{hour}:00:00+00:00")
        desk.write({memo.path: said})

    found = desk.engine.memory.inbox()

    assert titles(found) == ["Ask about gutters", "Zinc roof"]
    assert all(one.generated and not one.checked for one in found.waiting)
    assert not found.problems


def test_an_accepted_memo_stands_in_its_place_and_says_since_when(
    desk: VaultDesk,
) -> None:
    memo = waiting(desk, "Use copper.\n\nIt lasts longer.", project="Roof")

    done = desk.engine.memory.accept("Use copper", client="someone")

    assert done.before == memo.path
    assert done.memory.path == f".agent/decisions/{memo.path.rpartition('/')[2]}"
    assert (done.memory.place, done.memory.generated) == ("kept", False)
    text = text_of(desk, done.memory.path)
    assert text.endswith("---\n\nUse copper.\n\nIt lasts longer.\n")
    assert "generated: false" in text
    assert "approved: 20" in text
    assert "Keep this" not in text
    assert "[!agent]" not in text
    assert desk.found("copper") == [done.memory.path]


def test_every_act_is_on_record_with_who_did_it(desk: VaultDesk) -> None:
    waiting(desk, "Use copper")
    waiting(desk, "Use tin")
    before = len(recorded(desk))

    desk.engine.memory.accept("Use copper", client="someone")
    desk.engine.memory.reject("Use tin", client="another")

    lines = recorded(desk)[before:]
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
def test_each_kind_has_its_place(desk: VaultDesk, kind: str, folder: str) -> None:
    memo = waiting(desk, "Copper or tin", kind)  # type: ignore[arg-type]

    done = desk.engine.memory.accept(memo.path)

    assert done.memory.path.startswith(f".agent/{folder}/")
    assert (done.memory.text, done.memory.kind) == ("Copper or tin", kind)


def test_a_name_that_is_taken_gets_a_number_and_nothing_is_overwritten(
    desk: VaultDesk,
) -> None:
    first = kept(desk, "Use copper")
    before = text_of(desk, first.path)
    waiting(desk, "Use copper")

    done = desk.engine.memory.accept("Use copper")

    assert done.memory.path.endswith("Use copper 2.md")
    assert text_of(desk, first.path) == before


def test_what_a_person_changed_in_obsidian_survives(desk: VaultDesk) -> None:
    memo = waiting(desk, "Use copper", tags=["roof"])
    raw = text_of(desk, memo.path)
    head, _, body = raw.partition("---\n\n")
    lines = head.splitlines()[1:]
    mine = "\n".join(["---", "rating: 5", *reversed([*lines])])
    mine = mine.replace("tags:\n", "").replace("  - roof\n", "")
    mine += '\nmood: "quiet: very"\ntags: [roof, house]\n---\n\n'
    text = (mine + body.rstrip("\n") + "\nI agree.\n").replace("\n", "\r\n")
    desk.write({".agent/inbox/Copper it is.md": b"\xef\xbb\xbf" + text.encode()})
    desk.remove(memo.path)

    done = desk.engine.memory.accept("Copper it is")

    found = (desk.root / done.memory.path).read_bytes()
    assert done.memory.path == ".agent/decisions/Copper it is.md"
    assert found.startswith(b"\xef\xbb\xbf---\r\nrating: 5\r\n")
    assert b'mood: "quiet: very"\r\n' in found
    assert found.endswith(b"Use copper\r\nI agree.\r\n")
    assert found.count(b"\n") == found.count(b"\r\n")
    assert done.memory.tags == ("roof", "house")
    assert b"Keep this" not in found


def test_an_edited_memo_has_the_new_text_and_its_old_facts(desk: VaultDesk) -> None:
    waiting(desk, "Use tin", project="Roof", tags=["metal"])

    done = desk.engine.memory.edit("Use tin", "Use copper\n\nTin rusts.")

    assert done.memory.text == "Use copper\n\nTin rusts."
    assert (done.memory.project, done.memory.tags) == ("Roof", ("metal",))
    assert (done.memory.place, done.memory.generated) == ("kept", False)
    assert "tin rusts" in text_of(desk, done.memory.path).lower()


def test_an_edit_to_nothing_is_refused_and_the_memo_waits(desk: VaultDesk) -> None:
    memo = waiting(desk, "Use tin")
    before = text_of(desk, memo.path)

    with pytest.raises(BadMemory, match="says nothing"):
        desk.engine.memory.edit("Use tin", "  \n ")

    assert text_of(desk, memo.path) == before


def test_a_rejected_memo_is_in_the_trash_and_no_search_finds_it(
    desk: VaultDesk,
) -> None:
    memo = waiting(desk, "Use tin")
    before = text_of(desk, memo.path)

    done = desk.engine.memory.reject("Use tin")

    assert done.memory.path == f".agent/.trash/inbox/{memo.path.rpartition('/')[2]}"
    assert done.memory.place == "trash"
    assert text_of(desk, done.memory.path) == before
    assert desk.found("tin") == []
    assert not desk.engine.memory.inbox().waiting


def test_a_merged_memo_adds_its_text_its_sources_and_its_tags(
    desk: VaultDesk,
) -> None:
    receipt = "Diary.md"
    first = kept(desk, "Use copper", tags=["roof"])
    memo = waiting(
        desk, "Use copper, 0.6 mm", tags=["roof", "metal"], sources=[receipt]
    )

    done = desk.engine.memory.merge(memo.path, "Use copper")

    assert done.memory.path == first.path
    assert done.before == memo.path
    assert done.memory.text == "Use copper\n\nUse copper, 0.6 mm"
    assert done.memory.tags == ("roof", "metal")
    assert done.memory.sources == memo.sources
    assert not desk.engine.memory.inbox().waiting
    assert f".trash/inbox/{memo.path.rpartition('/')[2]}" in agent_files(desk)


def test_what_the_kept_one_says_already_is_not_said_twice(desk: VaultDesk) -> None:
    kept(desk, "Use copper\n\nIt lasts longer.")
    memo = waiting(desk, "It lasts longer.")

    done = desk.engine.memory.merge(memo.path, "Use copper")

    assert done.memory.text == "Use copper\n\nIt lasts longer."


def test_a_task_that_gets_more_text_stays_one_task(desk: VaultDesk) -> None:
    kept(desk, "Order copper", "task")
    memo = waiting(desk, "Order copper soon\n\nsixty sheets", "task")

    done = desk.engine.memory.merge(memo.path, "Order copper")

    assert done.memory.text == "Order copper\n\nOrder copper soon\n\nsixty sheets"
    assert text_of(desk, done.memory.path).count("- [ ]") == 1


@pytest.mark.parametrize("meant", [1, 2])
def test_a_death_within_a_merge_loses_nothing_and_again_makes_it_good(
    desk: VaultDesk, meant: int
) -> None:
    kept(desk, "Use copper")
    memo = waiting(desk, "Use copper, 0.6 mm")

    with dying_at(meant) as begun:
        desk.engine.memory.merge(memo.path, "Use copper")
    assert (len(begun), memo.path in {f".agent/{p}" for p in agent_files(desk)}) == (
        meant,
        True,
    )
    done = desk.engine.memory.merge(memo.path, "Use copper")

    assert done.memory.text == "Use copper\n\nUse copper, 0.6 mm"
    assert not desk.engine.memory.inbox().waiting


@pytest.mark.parametrize("meant", [1, 2])
def test_a_death_within_an_acceptance_is_made_good_by_the_next_look(
    desk: VaultDesk, meant: int
) -> None:
    memo = waiting(desk, "Use copper")

    with dying_at(meant) as begun:
        desk.engine.memory.accept("Use copper")
    assert len(begun) == meant
    found = desk.engine.memory.inbox()

    if meant == 1:  # nothing was written yet: it waits as before
        assert titles(found) == ["Use copper"]
    else:
        assert [one.before for one in found.promoted] == [memo.path]
        assert found.promoted[0].memory.text == "Use copper"


def test_near_duplicates_are_proposed_and_nothing_is_merged(desk: VaultDesk) -> None:
    first = kept(desk, "Use copper for the roof of the shed")
    kept(desk, "Use copper for the roof of the shed", "memory")
    kept(desk, "Paint the shed green")
    waiting(desk, "We use copper for the roof of the shed")

    (one,) = desk.engine.memory.inbox().waiting

    assert [near.path for near in one.near] == [first.path]
    assert 0.6 < one.near[0].similarity < 1
    assert len(agent_files(desk)) == 4


@pytest.mark.parametrize("box", ["x", "X"])
@pytest.mark.parametrize("behind", ["", " \u2705 2026-03-01", "\r"])
def test_a_ticked_box_is_enough_when_the_inbox_is_looked_at(
    desk: VaultDesk, box: str, behind: str
) -> None:
    memo = waiting(desk, "Use copper")
    waiting(desk, "Use tin")
    tick(desk, memo, box)
    raw = text_of(desk, memo.path)
    desk.write({memo.path: raw.replace("Keep this", f"Keep this{behind}")})

    found = desk.engine.memory.inbox()

    assert titles(found) == ["Use tin"]
    assert [one.memory.title for one in found.promoted] == ["Use copper"]
    assert recorded(desk)[-1]["client"] == "obsidian"
    assert desk.found("copper") == [found.promoted[0].memory.path]


def test_who_only_looks_writes_nothing(desk: VaultDesk) -> None:
    memo = waiting(desk, "Use copper")
    tick(desk, memo)
    before = text_of(desk, memo.path)

    found = desk.engine.memory.inbox(promote=False)

    assert [one.checked for one in found.waiting] == [True]
    assert text_of(desk, memo.path) == before


def test_a_run_of_indexing_promotes_what_was_ticked(desk: VaultDesk) -> None:
    memos = [waiting(desk, f"Use metal {number} here") for number in range(5)]
    for memo in memos[:3]:
        tick(desk, memo)
    raw = text_of(desk, memos[0].path)  # as a plugin of Obsidian ticks it
    desk.write({memos[0].path: raw.replace("Keep this", "Keep this \u2705 2026-03-01")})

    report = desk.index()
    again = desk.index()

    assert not report.warnings
    assert titles(desk.engine.memory.inbox(promote=False)) == [
        "Use metal 3 here",
        "Use metal 4 here",
    ]
    assert len(desk.engine.memory.recall(kind="decision").memories) == 5
    assert (again.added, again.changed, again.moved, again.removed) == (0, 0, 0, 0)


def test_a_folder_that_obsidian_shows_serves_as_well(desk: VaultDesk) -> None:
    desk.open(writes__agent_dir="Agents/ours")
    memo, other = waiting(desk, "Use copper"), waiting(desk, "Use tin")
    tick(desk, memo)

    desk.index()
    gone = desk.engine.memory.reject("Use tin")

    assert memo.path.startswith("Agents/ours/inbox/")
    assert desk.found("copper") == [memo.path.replace("/inbox/", "/decisions/")]
    assert gone.memory.path.startswith("Agents/ours/.trash/inbox/")
    assert desk.found("tin") == []
    assert not (desk.root / other.path).exists()


def test_a_box_of_the_text_itself_promotes_nothing(desk: VaultDesk) -> None:
    memo = waiting(desk, "- [x] Keep this\n- [x] and that", "memory")

    desk.index()

    assert [one.path for one in desk.engine.memory.inbox().waiting] == [memo.path]


def test_a_ticked_memo_that_cannot_be_moved_is_a_warning_of_the_run(
    desk: VaultDesk,
) -> None:
    memo = waiting(desk, "Use copper")
    raw = text_of(desk, memo.path).replace("status: current\n", "status: [current\n")
    desk.write({memo.path: raw})
    tick(desk, memo)

    report = desk.index()

    assert report.changed == 1
    assert "is not a memory: The frontmatter is not valid YAML" in report.warnings[-1]
    assert text_of(desk, memo.path).count("- [x] Keep this") == 1


def test_nothing_is_promoted_while_writes_are_off(desk: VaultDesk) -> None:
    memo = waiting(desk, "Use copper")
    tick(desk, memo)
    before = text_of(desk, memo.path)
    desk.open(writes__mode="off")

    report = desk.index()
    found = desk.engine.memory.inbox()

    assert not report.warnings
    assert (len(found.waiting), found.promoted, found.problems) == (1, (), ())
    assert found.waiting[0].checked
    assert text_of(desk, memo.path) == before


def test_every_act_is_refused_while_writes_are_off(desk: VaultDesk) -> None:
    first, memo = kept(desk, "Use copper"), waiting(desk, "Use tin")
    kept(desk, "Use slate")
    before = {path: text_of(desk, f".agent/{path}") for path in agent_files(desk)}
    memory = desk.open(writes__mode="off").memory

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

    after = {path: text_of(desk, f".agent/{path}") for path in agent_files(desk)}
    assert after == before


def test_only_what_waits_is_accepted(desk: VaultDesk) -> None:
    kept(desk, "Use copper")

    with pytest.raises(NotWaiting):
        desk.engine.memory.accept("Use copper")
    with pytest.raises(NotAMemory):
        desk.engine.memory.accept("Diary")
    with pytest.raises(MemoryNotFound, match=r"closest: .*Use copper\.md"):
        desk.engine.memory.accept("Use coppr")


def test_the_one_that_waits_is_meant_before_the_one_that_is_kept(
    desk: VaultDesk,
) -> None:
    first, memo = kept(desk, "Use copper"), waiting(desk, "Use copper")

    with pytest.raises(AmbiguousName):
        desk.engine.memory.forget("Use copper")
    done = desk.engine.memory.merge("Use copper", "Use copper")

    assert (done.before, done.memory.path) == (memo.path, first.path)


def test_files_of_the_inbox_that_are_no_memos_are_told_and_left_alone(
    desk: VaultDesk,
) -> None:
    desk.write(
        {
            ".agent/inbox/Mine.md": "a note of my own",
            ".agent/inbox/Sketch.md": b"\x89PNG\r\n\x1a\n\x00\x00",
            ".agent/inbox/photo.png": b"\x89PNG",
        }
    )

    found = desk.engine.memory.inbox()

    assert not found.waiting
    assert len(found.problems) == 2
    assert found.problems[0].startswith(".agent/inbox/Mine.md is not a memory")
    with pytest.raises(NotAMemory):
        desk.engine.memory.reject("inbox/Mine")


def test_what_waits_is_shown_before_there_is_an_index(vault: VaultDesk) -> None:
    done = vault.engine.memory.capture("memory", "Use copper", agent=True)

    found = vault.engine.memory.inbox()

    assert [one.path for one in found.waiting] == [done.memory.path]
    assert "looked for in the inbox alone" in found.problems[0]
    assert vault.engine.memory.accept("Use copper").memory.place == "kept"


def test_of_several_that_accept_at_once_one_wins_and_the_others_are_told(
    desk: VaultDesk,
) -> None:
    paths = [waiting(desk, f"Use metal {number} here").path for number in range(8)]
    desk.close()
    call = [sys.executable, str(DRIVE), str(desk.root), str(desk.place)]
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
    assert len(desk.engine.memory.recall(limit=50).memories) == len(paths)
    assert not desk.engine.memory.inbox().waiting
    names = [path for path in agent_files(desk) if path.startswith("decisions/")]
    assert len(names) == len(paths)


def test_ticking_is_enough_while_the_vault_is_followed(desk: VaultDesk) -> None:
    memo = waiting(desk, "Use copper")
    desk.settings |= QUICK
    new = f".agent/decisions/{memo.path.rpartition('/')[2]}"

    with Follower(desk.open()) as follower:
        follower.ready()
        tick(desk, memo)
        until(lambda: desk.found("copper") == [new], "it was not promoted")

    assert not (desk.root / memo.path).exists()
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
    desk: VaultDesk, text: str, kind: MemoKind, meant: int
) -> None:
    memo = waiting(desk, text, kind)

    with dying_at(meant):
        desk.engine.memory.accept(memo.path)
    if (desk.root / memo.path).exists():  # it died on the way
        desk.engine.memory.accept(memo.path)

    (found,) = desk.engine.memory.recall(kind=kind).memories
    lines = text.replace("\r\n", "\n").replace("\r", "\n")  # ends are kept as one kind
    assert (found.text, found.place) == (lines, "kept")
    desk.engine.memory.forget(found.path)
