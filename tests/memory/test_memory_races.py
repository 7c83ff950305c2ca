"""Several who act on the same memos at once, and deaths between two writes."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from memory_harness import agent_files, called, kept, text_of, waiting
from vault_harness import VaultHarness

from glassmind.errors import MemoryNotFound, NoteChanged, NotWaiting, WriteFailed
from glassmind.files.write import VaultWriter
from glassmind.memory import inbox

pytestmark = pytest.mark.slow

DRIVE = Path(__file__).parents[1] / "support" / "memory_act_program.py"
GONE = {"NotWaiting", "MemoryNotFound"}

KILLED_AT = {"merge": (60, 90, 120), "forget": (45, 60, 75)}
"""Calls of the system between which each act writes, or has just written."""

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")


@pytest.fixture
def harness(vault: VaultHarness) -> VaultHarness:
    vault.indexed({"Diary.md": "mine"})
    return vault


def said(harness: VaultHarness, text: str, *, trash: bool) -> int:
    """Return how often a line stands in the trash, or outside of it."""
    line = re.compile(rf"^(?:> )?{re.escape(text)}$", re.MULTILINE)
    return sum(
        len(line.findall(text_of(harness, f".agent/{path}")))
        for path in agent_files(harness)
        if path.startswith(".trash/") == trash
    )


def start(harness: VaultHarness, acts: Sequence[Sequence[str]], **more: Any) -> Any:
    """Start a program, and wait until it is ready to act."""
    settings = {"index.location": str(harness.place), **harness.settings}
    asked = {"vault": str(harness.root), "settings": settings, "acts": acts, **more}
    call = [sys.executable, str(DRIVE), json.dumps(asked)]
    pipe = subprocess.PIPE
    program = subprocess.Popen(call, stdin=pipe, stdout=pipe, text=True)
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    return program


def at_once(harness: VaultHarness, *acts: Sequence[Sequence[str]]) -> list[list[str]]:
    """Let programs act at once; return what each was refused, act by act."""
    programs = [start(harness, some) for some in acts]
    for program in programs:
        program.stdin.write("\n")
        program.stdin.flush()
    return [json.loads(one.communicate(timeout=120)[0]) for one in programs]


def test_of_two_who_act_on_the_same_memos_one_is_told_and_nothing_is_lost_or_doubled(
    harness: VaultHarness,
) -> None:
    harness.open()
    ours, theirs = [], []
    each = range(3)
    for n in each:
        a, b, e = (waiting(harness, f"{x}{n} waits", project="Tea") for x in "ABE")
        base, old, new, into = (
            kept(harness, f"{x}{n} base", project="Tea") for x in "BCDE"
        )
        ours += [
            ("accept", a.path),
            ("merge", b.path, called(base)),
            ("supersede", called(old), called(new)),
            ("merge", e.path, called(into)),
        ]
        theirs += [
            ("reject", a.path),
            ("accept", b.path),
            ("forget", called(new)),
            ("forget", called(into)),
        ]
    harness.close()

    told = at_once(harness, ours, theirs)

    harness.index()
    current = {
        memory.text for memory in harness.engine.memory.recall(limit=200).memories
    }
    for n in each:
        one, other = (some[4 * n : 4 * n + 4] for some in told)
        for which in (0, 1):
            done, refused = sorted([one[which], other[which]])
            assert (done, refused in GONE) == ("", True)
        assert said(harness, f"A{n} waits", trash=False) == (one[0] == "")
        assert said(harness, f"B{n} waits", trash=False) == 1
        assert other[2:] == ["", ""]
        assert f"C{n} base" in current
        assert said(harness, f"D{n} base", trash=False) == 0
        assert said(harness, f"E{n} waits", trash=False) == (one[3] != "")
        assert said(harness, f"E{n} base", trash=False) == 0
        assert said(harness, f"E{n} base", trash=True) == 1
    assert not list(harness.root.rglob("*.part"))


@posix
@pytest.mark.parametrize(
    "act", ["merge", pytest.param("forget", marks=pytest.mark.slow)]
)
def test_who_is_killed_within_an_act_loses_nothing_and_again_makes_it_good(
    harness: VaultHarness, act: str
) -> None:
    harness.open()
    for meant in KILLED_AT[act]:
        base = kept(harness, f"Base {meant} here", project="Tea")
        memo = waiting(harness, f"Remark {meant} here", project="Tea")
        names = [memo.path, called(base)] if act == "merge" else [called(base)]

        program = start(harness, [[act, *names]], dies_at=meant)
        program.communicate("\n", timeout=60)
        assert program.returncode != 0, "it was not killed"

        both = (False, True)
        for text in (f"Base {meant} here", f"Remark {meant} here"):
            assert sum(said(harness, text, trash=where) for where in both) >= 1
        harness.index()
        with suppress(MemoryNotFound, NotWaiting):  # it had come to its end
            getattr(harness.engine.memory, act)(*names)
        assert said(harness, f"Base {meant} here", trash=act == "forget") == 1
        assert said(harness, f"Base {meant} here", trash=act != "forget") == 0
        assert said(harness, f"Remark {meant} here", trash=False) == 1
    assert not list(harness.root.rglob("*.part"))


def meanwhile(patch: pytest.MonkeyPatch, module: Any, path: str, happens: Any) -> None:
    """Let something happen, once, right before a file is rewritten by a module."""
    usual, once = module.rewrite, iter([happens])

    def late(writer: Any, which: str, *args: Any, **named: Any) -> Any:
        if which == path:
            for act in once:
                act()
        return usual(writer, which, *args, **named)

    patch.setattr(module, "rewrite", late)


def test_a_memo_that_a_person_deletes_meanwhile_is_not_made_anew_by_a_merge(
    harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, memo = kept(harness, "Use copper"), waiting(harness, "Use copper, 0.6 mm")
    meanwhile(monkeypatch, inbox, base.path, (harness.root / base.path).unlink)

    with pytest.raises(MemoryNotFound):
        harness.engine.memory.merge(memo.path, base.path)

    assert agent_files(harness) == {memo.path.removeprefix(".agent/")}


def test_what_cannot_be_linked_both_ways_is_not_linked_at_all(
    harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = kept(harness, "Use tin"), kept(harness, "Use copper")
    before = text_of(harness, old.path)
    usual = VaultWriter.put

    def full(writer: VaultWriter, path: str, *args: Any, **named: Any) -> Any:
        if path == new.path:
            raise WriteFailed(path, "no space left")
        return usual(writer, path, *args, **named)

    monkeypatch.setattr(VaultWriter, "put", full)

    with pytest.raises(WriteFailed):
        harness.engine.memory.supersede(old.path, new.path)

    assert text_of(harness, old.path) == before


def test_what_was_superseded_counts_again_when_the_new_one_is_forgotten(
    harness: VaultHarness,
) -> None:
    harness.open()
    old, new = kept(harness, "Use tin"), kept(harness, "Use copper")
    before = text_of(harness, old.path)
    memory = harness.engine.memory
    memory.supersede(called(old), called(new))

    gone = memory.forget(called(new))

    assert [one.text for one in memory.recall().memories] == ["Use tin"]
    assert memory.recall().memories[0].status == "current"
    assert gone.notices == (
        f"{called(old)} counts again: what had its place is forgotten",
    )
    assert text_of(harness, old.path) == before


def test_what_has_a_later_successor_stays_superseded_by_that(
    harness: VaultHarness,
) -> None:
    first, second = kept(harness, "Use straw"), kept(harness, "Use tin")
    third = kept(harness, "Use copper")
    memory = harness.engine.memory
    memory.supersede(first.path, second.path)
    memory.supersede(second.path, third.path)

    gone = memory.forget(second.path)

    assert gone.notices == ()
    assert [one.text for one in memory.recall().memories] == ["Use copper"]
    assert third.path.removesuffix(".md") in text_of(harness, first.path)


def test_what_cannot_be_forgotten_keeps_the_place_of_the_old_one(
    harness: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = kept(harness, "Use tin"), kept(harness, "Use copper")
    harness.engine.memory.supersede(old.path, new.path)
    before = text_of(harness, old.path)

    def full(*_: Any, **__: Any) -> Any:
        raise WriteFailed(new.path, "no space left")

    monkeypatch.setattr(VaultWriter, "move", full)

    with pytest.raises(WriteFailed):
        harness.engine.memory.forget(new.path)

    assert sorted(text_of(harness, old.path)) == sorted(before)


def test_a_successor_that_a_person_deleted_has_no_place(harness: VaultHarness) -> None:
    old, new = kept(harness, "Use tin"), kept(harness, "Use copper")
    harness.engine.memory.supersede(old.path, new.path)

    harness.remove(new.path)
    harness.index()

    assert [memory.text for memory in harness.engine.memory.recall().memories] == [
        "Use tin"
    ]


def test_an_edit_of_a_text_that_changed_meanwhile_is_refused(
    harness: VaultHarness,
) -> None:
    memo = waiting(harness, "Use copper")
    raw = text_of(harness, memo.path)
    harness.write({memo.path: raw.replace("Use copper", "Use copper, I agree")})

    with pytest.raises(NoteChanged):
        harness.engine.memory.edit(memo.path, "Use tin", before="Use copper")

    assert text_of(harness, memo.path) == raw.replace(
        "Use copper", "Use copper, I agree"
    )
