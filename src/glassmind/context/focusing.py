"""Searching in a project: its folder, its tag and its property are filters of a query.

A bare name may be several of these. Each of them is searched by itself then, and the
hits are put together by how well they fit.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from glassmind.context.members import members_of
from glassmind.context.shelf import Shelf
from glassmind.markdown.project_names import parse_project
from glassmind.ports.stages import Projects, Searched
from glassmind.types import NotePath
from glassmind.types.projects import ProjectForm, ProjectName
from glassmind.types.search import Hit, SearchReply

FORMS: dict[ProjectForm, Callable[[ProjectName], str]] = {
    "folder": lambda project: f'path:"{project.name}/"',
    "tag": lambda project: f"tag:{project.name.replace(' ', '-')}",
    "property": lambda project: f'[{project.key}:"{project.name}"]',
}
"""What a project is as a filter of a query."""

WIDE = 5
"""Times as many hits are asked for where no filter says what belongs to a project."""

UNSAID = frozenset('"[]:\n')
"""What no filter can say, since it would end it."""


class Focus(NamedTuple):
    """The notes of a project, and the filters that find them."""

    note_ids: frozenset[int]
    paths: frozenset[NotePath]
    filters: tuple[str, ...]


def focus_on(shelf: Shelf, project: str | None) -> Focus | None:
    """Return what a project is; None where none was named.

    Raises:
        ProjectUnknown: no note belongs to it.
    """
    members = members_of(shelf.projects, project)
    if not members or project is None:
        return None
    ids = frozenset(note.note_id for note in members)
    paths = frozenset(NotePath(note.path) for note in members)
    return Focus(ids, paths, _filters(shelf.projects(), parse_project(project), ids))


def _filters(
    rows: Projects, project: ProjectName, members: frozenset[int]
) -> tuple[str, ...]:
    """Return as many filters as it takes to reach all notes of a project."""
    if set(project.name) & UNSAID:
        return ()
    filters: list[str] = []
    reached: set[int] = set()
    for form, filter_of in FORMS.items():
        if project.form in {form, "any"}:
            found = {one.note_id for one in rows.members(project._replace(form=form))}
            if found - reached:
                filters.append(filter_of(project))
                reached |= found
    if members - reached:
        filters.append(f'file:"{project.name}"')
    return tuple(filters)


def focused(
    search: Searched, query: str, focus: Focus | None, *, limit: int, **wishes: Any
) -> SearchReply:
    """Return the answer to a question, of the notes of a project if there is one."""
    if focus is None:
        return search(query, limit=limit, **wishes)
    replies = [
        search(f"{query} {one}", limit=limit, **wishes) for one in focus.filters
    ] or [search(query, limit=limit * WIDE, **wishes)]
    best: dict[NotePath, Hit] = {}
    for reply in replies:
        for hit in reply.hits:
            known = best.get(hit.path)
            better = known is None or hit.relevance > known.relevance
            if hit.path in focus.paths and better:
                best[hit.path] = hit
    hits = sorted(best.values(), key=lambda hit: (-hit.relevance, hit.path))
    return replies[0]._replace(
        query=query,
        hits=tuple(hits[:limit]),
        degraded=tuple(dict.fromkeys(s for one in replies for s in one.degraded)),
    )
