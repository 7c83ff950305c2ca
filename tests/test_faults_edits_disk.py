"""Every verb that edits, killed at any call, or refused by the disk at any."""

import errno
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from edit_faults_desk import KINDS, VERBS, Stage, named, patched
from edit_faults_drive import ENOUGH
from faults.desk import Desk
from faults.strace import FAILING, count_calls, need_strace, run_failing
from vault_desk import VaultDesk
from write_drive import Counted

from glassmind.errors import GlassmindError
from glassmind.errors.writing import NotTakenBack, WriteFailed
from glassmind.store.changesets import ChangesetFolder
from glassmind.types.editing import Changeset

DRIVE = Path(__file__).with_name("edit_faults_drive.py")
ORDER = list(VERBS)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")
every_verb = pytest.mark.parametrize("verb", ORDER, ids=named(ORDER))
every_kind = pytest.mark.parametrize("verb", KINDS, ids=named(KINDS))

SOME = ("several edits", "move note", "approve")
"""Verbs whose calls of the system fail for real where not all are tried."""

SPREAD = 11
"""Of so many calls one is tried where not all are, another for each verb."""


def steps_of(verb: str, *, slow: bool) -> tuple[int, int]:
    """Return the first call to be tried, and how far it is to the next."""
    return (1, 1) if slow else (1 + ORDER.index(verb) * 4 % SPREAD, SPREAD)


def driven(*words: str) -> subprocess.Popen[str]:
    """Start a program that does a verb."""
    source = Path(__file__).parents[1] / "src"
    path = os.pathsep.join([str(source), str(DRIVE.parent)])
    return subprocess.Popen(
        [sys.executable, str(DRIVE), *words],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def check_kills(place: Path, verb: str, first: int, step: int) -> None:
    """Kill it at some calls; afterwards all is old, or all is new."""
    old, new = (
        {path: raw.decode() for path, raw in files.items()}
        for files in Stage(place, verb).ends()
    )
    running = driven("kill", str(place), verb, str(first), str(step))
    _, said = running.communicate(timeout=280)
    assert running.returncode == 0, said
    ends = []
    for file in place.glob("*.json"):
        found = json.loads(file.read_bytes())
        assert found["files"] in (old, new), (verb, file.stem)
        ends.append(found["files"] == new)
        assert ends[-1] or not found["survived"], (verb, file.stem)
    assert len(ends) > 2


@every_kind
def test_a_verb_that_is_killed_leaves_the_old_or_the_new_and_nothing_else(
    tmp_path: Path, verb: str
) -> None:
    check_kills(tmp_path, verb, *steps_of(verb, slow=False))


@pytest.mark.slow
@every_verb
def test_a_verb_that_is_killed_at_each_call_leaves_the_old_or_the_new(
    tmp_path: Path, verb: str
) -> None:
    check_kills(tmp_path, verb, *steps_of(verb, slow=True))


class Refusal:
    """One call fails, as on a disk that is full or broken."""

    def __init__(self, code: int, meant: int) -> None:
        self.said = os.strerror(code)
        self._code, self._meant = code, meant
        self.counted = Counted(meant, self._fail)

    def _fail(self) -> None:
        raise OSError(self._code, self.said)

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        for place, name, call in patched(self.counted):
            patch.setattr(place, name, call)

    @property
    def came(self) -> bool:
        return self.counted.calls >= self._meant


Ends = tuple[dict[str, bytes], dict[str, bytes]]


def check_refusal(stage: Stage, refusal: Refusal, ends: Ends) -> None:
    """Let the disk refuse a call of a verb; it says so, and all is old or all new."""
    old, new = ends
    stage.begin()
    told: GlassmindError | str = ""
    with stage.opened() as desk, pytest.MonkeyPatch.context() as patch:
        refusal.patch(patch)
        try:
            done = stage.act(desk)
        except GlassmindError as error:
            told = error
        else:  # what waited is looked at again where the index could not follow
            risks = done.changeset.draft.risks
            told = "" if done.applied else f"{done.changeset.state}: {risks}"
    if told:
        assert refusal.said in str(told)
    if not isinstance(told, NotTakenBack):
        known = {p: raw for p, raw in stage.files().items() if p in old or p in new}
        assert known == (old if told else new)
    assert stage.restarted() == (old if told else new)


def check_refusals(place: Path, verb: str, code: int, first: int, step: int) -> None:
    stage = Stage(place, verb)
    ends = stage.ends()
    for meant in range(first, ENOUGH, step):
        refusal = Refusal(code, meant)
        check_refusal(stage, refusal, ends)
        if not refusal.came:
            assert meant > first, "no call came to be refused"
            return
    raise AssertionError("a verb takes fewer calls")


CODES = pytest.mark.parametrize(
    "code", [errno.ENOSPC, errno.EIO], ids=["full", "broken"]
)


@every_verb
@CODES
def test_a_call_that_the_disk_refuses_is_told_and_all_is_old_or_all_is_new(
    tmp_path: Path, verb: str, code: int
) -> None:
    first, step = steps_of(verb, slow=False)
    further = first if code == errno.EIO else first + step // 2

    check_refusals(tmp_path, verb, code, further, step)


@pytest.mark.slow
@every_verb
@CODES
def test_each_call_that_the_disk_refuses_is_told_and_all_is_old_or_all_is_new(
    tmp_path: Path, verb: str, code: int
) -> None:
    check_refusals(tmp_path, verb, code, *steps_of(verb, slow=True))


@pytest.mark.parametrize(
    ("verb", "name"), [("approve", "shift"), ("apply", "shift"), ("append", "keep")]
)
def test_what_the_book_notes_and_fails_all_the_same_is_not_made_later(
    tmp_path: Path, verb: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path, verb)
    old, _ = stage.ends()
    real = getattr(ChangesetFolder, name)

    def noted(*given: object) -> None:
        monkeypatch.setattr(ChangesetFolder, name, real)
        real(*given)
        raise WriteFailed("a changeset", "No space left on device")

    with stage.opened() as desk:
        before = [one.state for one in changesets(desk)]
        monkeypatch.setattr(ChangesetFolder, name, noted)
        with pytest.raises(WriteFailed):
            stage.act(desk)
        after = [one.state for one in changesets(desk)]

    assert after == (before or ["failed"])
    assert stage.restarted() == old


def changesets(desk: VaultDesk) -> Sequence[Changeset]:
    return desk.engine.editing.changesets().changesets


ROWS_SAY = ("disk I/O error", "database or disk is full")
"""What SQLite says where the rows cannot be written, whichever call it was."""


class Traced(Desk):
    """A program that does one verb, to be looked on by strace."""

    def __init__(self, place: Path, verb: str) -> None:
        self.place, self.stage = place, Stage(place, verb)
        self.log = place / "strace.log"
        self.old, self.new = self.stage.ends()

    def start(self, *_: object, **__: object) -> subprocess.Popen[str]:
        return driven("once", str(self.place), self.stage.verb.name)

    def calls(self) -> list[tuple[str, int]]:
        """Return each call that may fail, with its number."""
        most = count_calls(self, self.log)
        return [(name, n) for name in sorted(most) for n in range(1, most[name] + 1)]

    def check(self, call: str, number: int) -> None:
        """Let one call fail; it is named, or nothing comes of it; all is old or new."""
        self.stage.begin()
        done = run_failing(self, self.log, call, number)
        what = f"{call} number {number}: {done}"
        assert done.code in (0, 1), what
        if done.code:
            assert done.err.count("\n") == 1, what
            said = os.strerror(getattr(errno, FAILING[call]))
            assert any(word in done.err for word in (said, *ROWS_SAY)), what
        after = self.stage.restarted()
        assert after in ((self.new,) if not done.code else (self.old, self.new)), what


@pytest.mark.parametrize("verb", SOME, ids=named(SOME))
def test_a_system_call_that_fails_is_told_and_all_is_old_or_all_is_new(
    tmp_path: Path, verb: str
) -> None:
    need_strace()
    traced = Traced(tmp_path, verb)
    found = traced.calls()
    rng = random.Random(ORDER.index(verb))

    for call, number in rng.sample(found, 2):
        traced.check(call, number)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@every_kind
def test_each_system_call_that_fails_is_told_and_all_is_old_or_all_is_new(
    tmp_path: Path, verb: str
) -> None:
    need_strace()
    traced = Traced(tmp_path, verb)

    for call, number in traced.calls():
        # most files that are opened are only read, and by every verb alike
        if call != "openat" or number % SPREAD == 0 or verb == KINDS[0]:
            traced.check(call, number)
