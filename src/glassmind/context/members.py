"""Which notes are meant: those of a project, and those changed since a day."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from glassmind.errors.context import ProjectUnknown
from glassmind.model.projects import ProjectNote
from glassmind.model.sections import ChangedRow
from glassmind.obsidian.project_names import parse_project
from glassmind.ports.stages import Projects

SUMMARIES = "summaries"
"""The part of the agent folder that holds what was made of notes: these say it
themselves, so that nothing is packed of it, lest a bundle feed on bundles."""


class Changes(Protocol):
    """When notes were changed, and which stands where."""

    def changed(self, since: str, agent: str, /) -> Sequence[ChangedRow]:
        """Return the notes changed on a day or later, the last one first.

        `agent` is the agent folder, whose files are no company to others.
        """

    def placed(self, paths: Collection[str], /) -> Mapping[str, int]:
        """Return the ids of the notes at some paths."""


def members_of(
    projects: Callable[[], Projects], project: str | None
) -> Sequence[ProjectNote]:
    """Return the notes of a project, by path; none where no project is named.

    Raises:
        ProjectUnknown: no note belongs to it.
    """
    if project is None or not project.strip():
        return ()
    known = projects()
    found = known.members(parse_project(project))
    if not found:
        raise ProjectUnknown(project, known.closest(project))
    return found
