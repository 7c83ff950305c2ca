"""Memos live through anything: acts in any order, held against what they should do."""

import errno
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from memory_harness import agent_files, dying_at, kept, text_of, tick, waiting
from vault_harness import VaultHarness
from write_program import Counted

from glassmind.errors import VaultError
from glassmind.model.memory import MemoryItem

STEPS = 12
"""Acts in a row: enough for a memo to wait, be kept, superseded and forgotten."""


class Memos(RuleBasedStateMachine):
    """Captures, and all that can become of them, beside sets that say what should."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory(ignore_cleanup_errors=True)
        self.harness = VaultHarness(Path(self._folder.name))
        self.said: set[str] = set()
        self.where: dict[str, str] = {}
        self.superseded: dict[str, str] = {}

    @initialize()
    def begin(self) -> None:
        self.harness.open()
        self.harness.indexed({"Diary.md": "mine"})

    def teardown(self) -> None:
        self.harness.close()
        self._folder.cleanup()

    def _new(self) -> str:
        text = f"Remark {len(self.said)} alone"
        self.said.add(text)
        return text

    def _in(self, *places: str) -> list[str]:
        return sorted(text for text, place in self.where.items() if place in places)

    def _memo(self, text: str) -> MemoryItem:
        found = self.harness.engine.memory.recall(limit=200, superseded=True).memories
        return next(one for one in found if text in one.text)

    def _name(self, text: str) -> str:
        memo = self._memo(text)
        return memo.path

    @rule()
    def keep(self) -> None:
        text = self._new()
        kept(self.harness, text)
        self.where[text] = "kept"

    @rule()
    def wait(self) -> None:
        text = self._new()
        waiting(self.harness, text)
        self.where[text] = "inbox"

    @precondition(lambda self: self._in("inbox"))
    @rule(pick=st.integers(0, 9), meant=st.integers(1, 4))
    def accept(self, pick: int, meant: int) -> None:
        text = self._picked(pick, "inbox")
        with dying_at(meant):
            self.harness.engine.memory.accept(self._memo(text).path)
        self.harness.engine.memory.inbox()
        self.harness.index()
        if self._memo(text).place == "kept":
            self.where[text] = "kept"

    @precondition(lambda self: self._in("inbox"))
    @rule(pick=st.integers(0, 9))
    def tick_the_box(self, pick: int) -> None:
        text = self._picked(pick, "inbox")
        tick(self.harness, self._memo(text))
        self.harness.index()
        self.where[text] = "kept"

    @precondition(lambda self: self._in("inbox"))
    @rule(pick=st.integers(0, 9))
    def reject(self, pick: int) -> None:
        text = self._picked(pick, "inbox")
        self.harness.engine.memory.reject(self._memo(text).path)
        self.where[text] = "trash"

    @precondition(lambda self: self._in("inbox") and self._in("kept"))
    @rule(pick=st.integers(0, 9), meant=st.integers(1, 3))
    def merge(self, pick: int, meant: int) -> None:
        text, into = self._picked(pick, "inbox"), self._picked(pick, "kept")
        names = self._memo(text).path, self._name(into)
        with dying_at(meant) as begun:
            self.harness.engine.memory.merge(*names)
        if len(begun) == meant:
            self.harness.engine.memory.merge(*names)
        memo = self._memo(into)
        assert memo.text.count(text) == 1
        self.where[text] = "merged"

    @precondition(lambda self: self._in("kept"))
    @rule(pick=st.integers(0, 9), meant=st.integers(1, 3))
    def forget(self, pick: int, meant: int) -> None:
        text = self._picked(pick, "kept")
        name, whole = self._name(text), self._memo(text).text
        with dying_at(meant) as begun:
            self.harness.engine.memory.forget(name)
        if len(begun) == meant:
            self.harness.engine.memory.forget(name)
        for said in self.said:
            if said in whole:
                self.where[said] = "trash"
        later = self.superseded.pop(text, None)
        for old in [old for old, new in self.superseded.items() if new == text]:
            del self.superseded[old]  # it counts again, unless there is a later one
            if later is not None:
                self.superseded[old] = later

    @precondition(lambda self: len(self._in("kept")) > 1)
    @rule(pick=st.integers(0, 9))
    def supersede(self, pick: int) -> None:
        current = [text for text in self._in("kept") if text not in self.superseded]
        if len(current) > 1:
            old, new = current[pick % len(current)], current[pick % len(current) - 1]
            self.harness.engine.memory.supersede(self._name(old), self._name(new))
            self.superseded[old] = new

    def _picked(self, pick: int, place: str) -> str:
        found = self._in(place)
        return found[pick % len(found)]

    @invariant()
    def nothing_is_lost(self) -> None:
        files = "\n".join(
            text_of(self.harness, f".agent/{path}")
            for path in agent_files(self.harness)
        )
        assert all(text in files for text in self.said)
        assert text_of(self.harness, "Diary.md") == "mine" if self.said else True

    @invariant()
    def what_is_recalled_is_what_is_there(self) -> None:
        if not self.said:
            return
        found = self.harness.engine.memory.recall(limit=200, superseded=True).memories
        everything = [one.text for one in found]
        assert len(everything) == len(set(everything))
        for place in ("inbox", "kept"):
            texts = {one.text.split("\n")[0] for one in found
                     if one.place == place}  # fmt: skip
            assert texts == set(self._in(place))
        current = self.harness.engine.memory.recall(limit=200).memories
        hidden = {one.text.split("\n")[0] for one in found} - {
            one.text.split("\n")[0] for one in current
        }
        assert hidden == set(self.superseded) & set(self._in("kept"))


HEALTH = [HealthCheck.too_slow, HealthCheck.filter_too_much]
TestMemos = pytest.mark.slow(Memos.TestCase)
TestMemos.settings = settings(
    max_examples=15,
    stateful_step_count=STEPS,
    deadline=None,
    suppress_health_check=HEALTH,
)


CHANGING = ("write", "fsync", "fchmod", "link", "rename", "replace", "unlink", "mkdir")


def failing(patch: pytest.MonkeyPatch, meant: int, code: int) -> Counted:
    """Let the n-th call of the system fail that changes something."""

    def fail() -> None:
        raise OSError(code, os.strerror(code))

    counted = Counted(meant, fail)
    for name in CHANGING:
        patch.setattr(os, name, counted.around(getattr(os, name)))
    return counted


@pytest.mark.skipif(os.name == "nt", reason="POSIX alone has these calls")
@pytest.mark.parametrize("act", ["accept", "merge", "reject", "forget"])
def test_whatever_the_disk_refuses_nothing_is_lost_and_again_makes_it_good(
    vault: VaultHarness, act: str
) -> None:
    memory = vault.engine.memory  # without an index: the disk refuses us alone
    refused = 0
    for meant in range(1, 200):
        text = f"Remark {meant} alone"
        memo = waiting(vault, text)
        into = kept(vault, f"Base {meant} here").path if act == "merge" else ""
        names = (memo.path, into) if into else (memo.path,)

        with pytest.MonkeyPatch.context() as patch:
            counted = failing(patch, meant, errno.ENOSPC)
            try:
                getattr(memory, act)(*names)
            except VaultError:
                refused += 1
        if (vault.root / memo.path).exists():
            assert text in text_of(vault, memo.path)
            getattr(memory, act)(*names)

        holding = [
            path
            for path in agent_files(vault)
            if text in text_of(vault, f".agent/{path}")
        ]
        assert len(holding) == (2 if act == "merge" else 1)
        if counted.calls < meant:
            break
    assert refused >= 2  # a move is written down, and then made in one step
    assert not list(vault.root.rglob("*.part"))
