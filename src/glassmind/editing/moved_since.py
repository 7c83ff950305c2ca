"""Where files are that were moved since a change of them."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from glassmind.editing.desk import Desk
from glassmind.types import NotePath
from glassmind.types.editing import Changeset, Step
from glassmind.vault.trash import is_trashed


def moves_since(desk: Desk, known: Changeset) -> list[Step]:
    """Return what was moved by changesets after one, in order."""
    later, _ = desk.book.listed(("applied",))
    since = list(takewhile(lambda one: one.id != known.id, later))
    return [step for one in reversed(since) for step in _moves(one)]


def _moves(changeset: Changeset) -> Iterator[Step]:
    for step in changeset.draft.steps:
        is_moved = step.path is not None and step.path != step.to
        if is_moved and not is_trashed(step.to):
            yield step


def gone_to(path: NotePath, moved: Sequence[Step]) -> NotePath:
    """Return where a file is after some moves."""
    for step in moved:
        if step.path == path:
            path = step.to
        elif step.folder and path.startswith(f"{step.path}/"):
            path = NotePath(step.to + path[len(step.path or "") :])
    return path
