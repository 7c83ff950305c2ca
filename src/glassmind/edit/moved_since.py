"""Where files are that were moved since a change of them."""

from collections.abc import Iterator
from itertools import takewhile

from glassmind.edit.desk import Desk
from glassmind.files.trash import is_trashed
from glassmind.model.editing import Changeset


def moves_since(desk: Desk, known: Changeset) -> list[tuple[str, str]]:
    """Return from where to where changesets after one moved something, in order."""
    later, _ = (desk.told or desk.book).listed(("applied",))
    since = list(takewhile(lambda one: one.id != known.id, later))
    return [pair for one in reversed(since) for pair in _moves(one)]


def _moves(changeset: Changeset) -> Iterator[tuple[str, str]]:
    for step in changeset.draft.steps:
        if step.path and step.path != step.to and not is_trashed(step.to):
            yield step.path, step.to
