"""Which names that files had may be told to whoever asks."""

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glassmind.graph.study import Study

OUTSIDE = "../"
"""How the path of a file begins that stood beside the vault, in its repository."""


def nameable(study: "Study", former: Collection[str]) -> set[str]:
    """Return those of some former paths that may be told of by their place.

    No rule knows a place outside of the vault; only who sees all is told of such.
    """
    if not former:
        return set()
    with study.files() as files:
        return {
            path
            for path in former
            if files.may_name(path) and (files.sees_all or not path.startswith(OUTSIDE))
        }
