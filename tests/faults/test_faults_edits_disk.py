"""Every verb that edits, killed at any call, or refused by the disk at any."""

import errno
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from edit_faults_harness import KINDS, VERBS, Stage, Stages, named, patched
from edit_faults_program import ENOUGH
from fault_tools.harness import Harness
from fault_tools.strace import FAILING, count_calls, need_strace, run_failing
from vault_harness import VaultHarness
from write_program import Counted

from glassmind.errors import GlassmindError, NotTakenBack, WriteFailed
from glassmind.model.edits import Changeset
from glassmind.store.changesets import ChangesetFolder

DRIVE = Path(__file__).parents[1] / "support" / "edit_faults_program.py"
ORDER = list(VERBS)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it"),
]
every_verb = pytest.mark.parametrize("verb", ORDER, ids=named(ORDER))
every_kind = pytest.mark.parametrize("verb", KINDS, ids=named(KINDS))

KILLED_S = 280
"""How long it may take to kill one verb at all its calls."""

SPREAD = 11
"""Of so many calls one is tried where not all are, another for each verb."""


def steps_of(verb: str, *, slow: bool) -> tuple[int, int]:
    """Return the first call to be tried, and how far it is to the next."""
    return (1, 1) if slow else (1 + ORDER.index(verb) * 4 % SPREAD, SPREAD)


def driven(*words: str, stderr: int | None = subprocess.PIPE) -> subprocess.Popen[str]:
    """Start a program that does verbs."""
    source = Path(__file__).parents[2] / "src"
    path = os.pathsep.join([str(source), str(DRIVE.parent)])
    return subprocess.Popen(
        [sys.executable, str(DRIVE), *words],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


class Killer:
    """A program that has others killed; it has all imported, and stays for the next."""

    def __init__(self) -> None:
        self._running = driven("kill", stderr=None)

    def kill(self, stage: Stage, first: int, step: int, into: Path) -> str:
        """Have a verb killed at some calls; return what went wrong, if anything did.

        What the next one found after each is written down in a folder.
        """
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        wanted = (str(stage.place), stage.verb.name, first, step, str(into))
        limit = threading.Timer(KILLED_S, self._running.kill)
        limit.start()
        try:
            print(json.dumps(wanted), file=self._running.stdin, flush=True)
            said = self._running.stdout.readline()
        finally:
            limit.cancel()
        return str(json.loads(said)) if said else "it ended, or was ended"

    def close(self) -> None:
        self._running.communicate(timeout=60)


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    started = Killer()
    yield started
    started.close()


def check_kills(
    killer: Killer, stage: Stage, steps: tuple[int, int], into: Path
) -> None:
    """Kill it at some calls; afterwards all is old, or all is new."""
    old, new = (
        {path: raw.decode() for path, raw in files.items()} for files in stage.ends()
    )
    assert killer.kill(stage, *steps, into) == ""
    ends = []
    for file in into.glob("*.json"):
        found = json.loads(file.read_bytes())
        assert found["files"] in (old, new), (stage.verb.name, file.stem)
        ends.append(found["files"] == new)
        assert ends[-1] or not found["survived"], (stage.verb.name, file.stem)
    assert len(ends) > 2


@every_kind
def test_a_verb_that_is_killed_leaves_the_old_or_the_new_and_nothing_else(
    killer: Killer, stages: Stages, verb: str, tmp_path: Path
) -> None:
    check_kills(killer, stages.of(verb), steps_of(verb, slow=False), tmp_path)


@pytest.mark.slow
@every_verb
def test_a_verb_that_is_killed_at_each_call_leaves_the_old_or_the_new(
    killer: Killer, stages: Stages, verb: str, tmp_path: Path
) -> None:
    check_kills(killer, stages.of(verb), steps_of(verb, slow=True), tmp_path)


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
    with stage.opened() as harness, pytest.MonkeyPatch.context() as patch:
        refusal.patch(patch)
        try:
            done = stage.act(harness)
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


def check_refusals(stage: Stage, code: int, first: int, step: int) -> None:
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


@every_kind
@CODES
def test_a_call_that_the_disk_refuses_is_told_and_all_is_old_or_all_is_new(
    stages: Stages, verb: str, code: int
) -> None:
    first, step = steps_of(verb, slow=False)
    further = first if code == errno.EIO else first + step // 2

    check_refusals(stages.of(verb), code, further, step)


@pytest.mark.slow
@every_verb
@CODES
def test_each_call_that_the_disk_refuses_is_told_and_all_is_old_or_all_is_new(
    stages: Stages, verb: str, code: int
) -> None:
    check_refusals(stages.of(verb), code, *steps_of(verb, slow=True))


@pytest.mark.parametrize(
    ("verb", "name"),
    [
        ("append", "keep"),
        pytest.param("approve", "shift", marks=pytest.mark.slow),
        pytest.param("apply", "shift", marks=pytest.mark.slow),
    ],
)
def test_what_the_book_notes_and_fails_all_the_same_is_not_made_later(
    stages: Stages, verb: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = stages.of(verb)
    old, _ = stage.ends()
    real = getattr(ChangesetFolder, name)

    def noted(*given: object) -> None:
        monkeypatch.setattr(ChangesetFolder, name, real)
        real(*given)
        raise WriteFailed("a changeset", "No space left on device")

    with stage.opened() as harness:
        before = [changeset.state for changeset in changesets(harness)]
        monkeypatch.setattr(ChangesetFolder, name, noted)
        with pytest.raises(WriteFailed):
            stage.act(harness)
        after = [changeset.state for changeset in changesets(harness)]

    assert after == (before or ["failed"])
    assert stage.restarted() == old


def changesets(harness: VaultHarness) -> Sequence[Changeset]:
    return harness.engine.editing.changesets().changesets


ROWS_SAY = ("disk I/O error", "database or disk is full")
"""What SQLite says where the rows cannot be written, whichever call it was."""


class Traced(Harness):
    """A program that does one verb, to be looked on by strace."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage, self.log = stage, folder / "strace.log"
        self.old, self.new = self.stage.ends()

    def start(self, *_: object, **__: object) -> subprocess.Popen[str]:
        return driven("once", str(self.stage.place), self.stage.verb.name)

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


@pytest.mark.slow
@pytest.mark.timeout(1800)
@every_kind
def test_each_system_call_that_fails_is_told_and_all_is_old_or_all_is_new(
    stages: Stages, verb: str, tmp_path: Path
) -> None:
    need_strace()
    traced = Traced(stages.of(verb), tmp_path)

    for call, number in traced.calls():
        # most files that are opened are only read, and by every verb alike
        if call != "openat" or number % SPREAD == 0 or verb == KINDS[0]:
            traced.check(call, number)
