"""What one stage takes of another, since none imports the other."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from glassmind.model.context import ProjectName, ProjectNote

if TYPE_CHECKING:
    from glassmind.model.search import SearchReply

Searched: TypeAlias = "Callable[..., SearchReply]"
"""A search with the wishes of `Engine.search`, which is not taken on record as use."""


class Projects(Protocol):
    """Which notes a project has."""

    def members(self, project: ProjectName, /) -> Sequence[ProjectNote]:
        """Return the notes of a project, by path."""

    def closest(self, name: str, /) -> Sequence[str]:
        """Return what there is that a name may be a slip of, the closest first."""
