"""The folders that a change makes: taken back with it, if they are empty then."""

import os
from collections.abc import Iterator
from dataclasses import replace

from glassmind.edit.desk import Desk
from glassmind.model import NotePath
from glassmind.model.editing import Changeset, Draft

MADE = "folders_made"
"""The fact of a draft that says which folders were not there before it."""


def with_folders(desk: Desk, draft: Draft) -> Draft:
    """Return a draft that knows which folders it makes, the outer ones first."""
    wanted = dict.fromkeys(one for step in draft.steps for one in _above(step.to))
    made = [
        folder
        for folder in wanted
        if not os.path.isdir(desk.root / folder)  # noqa: PTH112 - says so of any name
    ]
    if not made and MADE not in draft.facts:
        return draft
    facts = {name: fact for name, fact in draft.facts.items() if name != MADE}
    return replace(draft, facts={**facts, MADE: made} if made else facts)


def take_away_folders(desk: Desk, undone: Changeset) -> None:
    """Take away the folders that a changeset made, as far as nothing is in them."""
    made = undone.draft.facts.get(MADE)
    if isinstance(made, list):
        desk.files.clear([NotePath(str(folder)) for folder in reversed(made)])


def _above(path: NotePath) -> Iterator[NotePath]:
    parts = path.split("/")[:-1]
    for at in range(1, len(parts) + 1):
        yield NotePath("/".join(parts[:at]))
