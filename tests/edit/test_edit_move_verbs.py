"""Moves by the verbs of an engine, on the disk and with what keeps changesets."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from editing_harness import SAMPLE, ends_in, snapshot

from glassmind import Engine, open_vault
from glassmind.edit.vault import EditRequest
from glassmind.model import NotePath

ASKING = EditRequest()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    root = tmp_path / "Notes"
    shutil.copytree(SAMPLE, root, symlinks=True)
    settings = {
        "index.location": str(tmp_path / "index"),
        "embeddings.backend": "none",
        "writes.user_notes": "allow",
    }
    made = open_vault(root, settings=settings, env={"HOME": str(tmp_path / "home")})
    made.index(embed=False)
    yield made
    made.close()


def notes_of(root: Path) -> dict[str, bytes]:
    """Return the files of a vault, records of what was written aside."""
    logs = ".agent/logs/"
    return {path: raw for path, raw in snapshot(root).items() if logs not in path}


@pytest.mark.parametrize(
    ("out", "back"),
    [
        (("Projects/", "Areas/Work"), ("Areas/Work/", "Projects")),
        (("Heron network", "People/Heron"), ("Heron", "Projects/Heron network")),
        (("Recipes/", "recipes"), ("recipes/", "Recipes")),
    ],
)
def test_a_move_and_back_by_the_verbs_leaves_every_byte(
    engine: Engine, tmp_path: Path, out: tuple[str, str], back: tuple[str, str]
) -> None:
    root = tmp_path / "Notes"
    before = notes_of(root)

    moved = engine.editing.move(*out, ASKING)
    assert moved.applied
    assert notes_of(root) != before
    assert engine.editing.move(*back, ASKING).applied

    assert notes_of(root) == before


def test_a_moved_folder_is_undone_to_the_byte(engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "Notes"
    before = notes_of(root)

    moved = engine.editing.move("Projects/", "Areas/Work", ASKING)
    engine.editing.undo(moved.changeset.id, ASKING)

    assert notes_of(root) == before


def test_what_goes_to_the_trash_comes_back(engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "Notes"
    before = notes_of(root)

    gone = engine.editing.delete("Heron network", ASKING, confirm=True)
    assert (root / ".trash/Projects/Heron network.md").exists()
    assert any("lead nowhere" in risk for risk in gone.changeset.draft.risks)
    engine.editing.undo(gone.changeset.id, ASKING)

    assert notes_of(root) == before


def test_the_index_knows_the_new_ends_at_once(engine: Engine, tmp_path: Path) -> None:
    moved = engine.editing.move("Heron network", "People/Heron", ASKING)

    assert moved.index == "fresh"
    root = tmp_path / "Notes"
    paths = [NotePath(path) for path in notes_of(root) if not path.startswith(".")]
    leading = sum(
        end == "People/Heron.md"
        for links in ends_in(root, sorted(paths)).values()
        for _, end, _ in links
    )
    assert leading >= moved.changeset.draft.rewritten.links
