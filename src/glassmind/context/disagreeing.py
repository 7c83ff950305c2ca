"""What the sources of an answer do not agree on, and which of them do not hold."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from glassmind.context.asking import Lookup
from glassmind.context.conflicts.rules import conflicts
from glassmind.context.scope import Scope
from glassmind.context.shelf import Shelf
from glassmind.model import NotePath
from glassmind.model.context import Conflict

MOST_CONFLICTS = 3
"""Of one answer: what is asked about, not all that is open."""


class Disagreement(NamedTuple):
    """Conflicts of some notes, and the titles of what took the place of others."""

    found: Sequence[Conflict] = ()
    replaced: Mapping[NotePath, str] = {}

    def about(
        self, words: Lookup, told: Collection[str], paths: Collection[NotePath]
    ) -> tuple[Conflict, ...]:
        """Return the conflicts that a question, or its answer, is about.

        One of whose sides is cited: it says a value that was told, or is about most
        words of the question.
        """
        return tuple(
            one
            for one in self.found
            if one.kind != "superseded"
            and any(side.path in paths for side in one.sides)
            and (_is_told(one, told) or _is_asked(one, words))
        )[:MOST_CONFLICTS]


def disagreement(shelf: Shelf, scope: Scope) -> Disagreement:
    """Return what some notes do not agree on."""
    if not scope.note_ids:
        return Disagreement()
    found = conflicts(shelf.sections(), scope)
    replaced = {
        one.sides[1].path: one.sides[0].title
        for one in found
        if one.kind == "superseded"
    }
    return Disagreement(found, replaced)


def _is_told(one: Conflict, told: Collection[str]) -> bool:
    return any(side.value and side.value in text for side in one.sides for text in told)


def _is_asked(one: Conflict, words: Lookup) -> bool:
    held = words.words(one.about) & words.typed
    return bool(words.typed) and 2 * len(held) > len(words.typed)
