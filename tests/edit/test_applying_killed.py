"""A kill -9 at any call of the system: after settling all is old, or all is new."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from applying_harness import ASKING, ApplyingHarness
from applying_program import EVERYTHING, harness_at
from changing_harness import NEW, OLD, SYSTEM, edit, files_of, made
from changing_program import ENOUGH
from write_program import Counted

from glassmind.edit.applying import applied, settle
from glassmind.edit.proposals import undo
from glassmind.errors import VaultError
from glassmind.files import folder
from glassmind.model.edits import ChangeState, Draft

DRIVE = Path(__file__).parents[1] / "support" / "applying_program.py"

TAKEN_BACK = {**OLD, ".trash/Fresh/Leaf.md": b"leaf"}
"""All as it was, but for what was made: that is in the trash."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it"),
]


def killed(place: Path, verb: str, step: int) -> list[ApplyingHarness]:
    """Return vaults whose editors were killed, and one whose editor was not."""
    source = Path(__file__).parents[2] / "src"
    path = os.pathsep.join([str(source), str(DRIVE.parent)])
    subprocess.run(
        [sys.executable, str(DRIVE), str(place), str(step), verb],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
        timeout=280,
    )
    tried = sorted(place.iterdir(), key=lambda one: int(one.name))
    return [harness_at(one) for one in tried]


def root_of(harness: ApplyingHarness) -> Path:
    return harness.home.parent / "Notes"


def settled(harness: ApplyingHarness) -> dict[str, bytes]:
    """Let somebody else come after who was killed, and return the files then."""
    settle(harness.harness())
    with harness.files.turn():  # sweeps what was staged before anything was kept
        assert harness.book.unfinished() == []
    return files_of(root_of(harness))


def states(harness: ApplyingHarness) -> list[ChangeState]:
    return sorted(changeset.state for changeset in harness.book.listed()[0])


STEPS = [23, pytest.param(1, marks=pytest.mark.slow)]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("verb", ["apply", "settle"])
def test_who_is_killed_applying_leaves_the_old_or_the_new(
    tmp_path: Path, verb: str, step: int
) -> None:
    ends = set()

    for harness in killed(tmp_path, verb, step):
        assert (settled(harness), states(harness)) in (
            (OLD, []),
            (NEW, ["applied"]),
        )
        assert settle(harness.harness()) == ()
        ends.add(len(states(harness)))

    assert ends == ({0, 1} if verb == "apply" else {1})


@pytest.mark.parametrize("step", STEPS)
def test_who_is_killed_approving_leaves_a_proposal_or_the_new(
    tmp_path: Path, step: int
) -> None:
    for harness in killed(tmp_path, "approve", step):
        assert (settled(harness), states(harness)) in (
            (OLD, ["proposed"]),
            (NEW, ["applied"]),
        )


@pytest.mark.parametrize("step", STEPS)
def test_who_is_killed_undoing_leaves_it_done_or_undone(
    tmp_path: Path, step: int
) -> None:
    for harness in killed(tmp_path, "undo", step):
        assert (settled(harness), states(harness)) in (
            (NEW, ["applied"]),
            (TAKEN_BACK, ["applied", "undone"]),
        )


def test_what_was_killed_is_taken_back_where_somebody_edited_meanwhile(
    tmp_path: Path,
) -> None:
    taken_back = 0

    for harness in killed(tmp_path, "apply", 17):
        root = root_of(harness)
        interrupted = bool(harness.book.unfinished())
        (root / "Cup.md").write_bytes(b"mine")
        files = settled(harness)
        if interrupted:
            assert files == {**OLD, "Cup.md": b"mine"}
            assert states(harness) == ["failed"]
            taken_back += 1

    assert taken_back > 0


def failing(patch: pytest.MonkeyPatch, meant: int) -> Counted:
    """Let one call of the system fail, as a full disk does."""

    def fail() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    counted = Counted(meant, fail)
    for name in SYSTEM:
        patch.setattr(os, name, counted.around(getattr(os, name)))
    for name in ("_system_rename",):
        patch.setattr(folder, name, counted.around(getattr(folder, name)))
    return counted


def test_a_call_that_fails_leaves_the_old_and_says_so_or_the_new(
    tmp_path: Path,
) -> None:
    ends = set()
    for meant in range(1, ENOUGH):
        place = tmp_path / str(meant)
        made(place / "Notes", OLD)
        harness = harness_at(place)
        known = harness.harness()
        with pytest.MonkeyPatch.context() as patch:
            counted = failing(patch, meant)
            try:
                told = applied(known, EVERYTHING, ASKING).changeset.state
            except (VaultError, OSError):
                told = "failed"
        expected = {"applied": (NEW, {"applied"}), "failed": (OLD, {"failed"})}
        files, kept = settled(harness), set(states(harness))
        assert (files, kept or {"failed"}) == expected[told]
        ends.add(told)
        if counted.calls < meant:
            break

    assert ends == {"applied", "failed"}


def test_a_change_of_every_kind_is_taken_back_and_brought_back(tmp_path: Path) -> None:
    made(tmp_path / "Notes", OLD)
    harness = harness_at(tmp_path)

    first = applied(harness.harness(), EVERYTHING, ASKING).changeset.id
    assert files_of(root_of(harness)) == NEW
    second = undo(harness.harness(), first, ASKING).changeset.id
    assert files_of(root_of(harness)) == TAKEN_BACK
    undo(harness.harness(), second, ASKING)
    assert files_of(root_of(harness)) == NEW


def test_what_was_edited_inside_a_moved_folder_stays_when_it_moves_back(
    tmp_path: Path,
) -> None:
    made(tmp_path / "Notes", OLD)
    harness = harness_at(tmp_path)
    first = applied(harness.harness(), EVERYTHING, ASKING).changeset.id
    later = edit("New/home/Pot.md", NEW["New/home/Pot.md"], b"mine\n")
    applied(harness.harness(), Draft("edit", "later", (later,)), ASKING)

    done = undo(harness.harness(), first, ASKING)

    assert done.changeset.state == "proposed"
    assert done.changeset.draft.risks == (
        "New/home/Pot.md: line 1 was edited since, and stays as it is",
    )
    applied(harness.harness(), harness.book.get(done.changeset.id), ASKING)
    assert files_of(root_of(harness)) == {**TAKEN_BACK, "Old/Pot.md": b"mine\n"}
