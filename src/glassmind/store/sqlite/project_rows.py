"""Asking the rows which notes a project has.

A bare name is all of these: a folder of that name anywhere in a path, a tag of that
name or below it, the property `project` with that value, and the note of that name.
Names compare as Obsidian compares them, without case.
"""

import json
from collections.abc import Iterable
from typing import Any

import apsw

from glassmind.markdown.project_names import plain_name
from glassmind.types.projects import ProjectName, ProjectNote

FOLDER = """
select n.id, f.path, 'folder' from notes n join files f on f.id = n.id
where instr('/' || lower(f.path), :inside) > 0
"""
TAG = """
select n.id, f.path, 'tag' from notes n join files f on f.id = n.id
where n.id in (select note_id from tags where folded = :tag
  or (folded > :below and folded < :after))
"""
PROPERTY = """
select n.id, f.path, p.value from properties p
join notes n on n.id = p.note_id join files f on f.id = n.id
where lower(p.name) = :key
"""
TITLE = """
select n.id, f.path, 'note' from notes n join files f on f.id = n.id
where lower(n.title) = :name
"""


class ProjectRows:
    """What an open database knows of projects."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def members(self, project: ProjectName) -> list[ProjectNote]:
        """Return the notes of a project, by path, each with the first rule it meets."""
        found: dict[int, ProjectNote] = {}
        for note in self._by_rules(project):
            found.setdefault(note.note_id, note)
        return sorted(found.values(), key=lambda note: note.path)

    def _by_rules(self, project: ProjectName) -> Iterable[ProjectNote]:
        name = project.name.lower()
        if not name:
            return
        wanted = {project.form} if project.form != "any" else {"property"}
        if project.form == "any":
            wanted |= {"folder", "tag", "title"}
        if "property" in wanted:
            yield from self._with_property(project.key.lower(), name)
        if "folder" in wanted:
            anywhere = project.form == "any" or "/" not in name
            yield from self._in_folder(name, anywhere=anywhere)
        if "tag" in wanted:
            tag = name.replace(" ", "-")
            bound = {"tag": tag, "below": f"{tag}/", "after": f"{tag}0"}
            for note_id, path, _ in self._ask(TAG, bound):
                yield ProjectNote(note_id, path, f"tagged #{project.name}")
        if "title" in wanted:
            for note_id, path, _ in self._ask(TITLE, {"name": name}):
                yield ProjectNote(note_id, path, "the note of that name")

    def _in_folder(self, name: str, *, anywhere: bool) -> Iterable[ProjectNote]:
        """Return the notes in a folder of that name, or below it."""
        for note_id, path, _ in self._ask(FOLDER, {"inside": f"/{name}/"}):
            if anywhere or path.lower().startswith(f"{name}/"):
                yield ProjectNote(note_id, path, f"in the folder {name}")

    def _with_property(self, key: str, name: str) -> Iterable[ProjectNote]:
        for note_id, path, value in self._ask(PROPERTY, {"key": key}):
            if name in {plain_name(one).lower() for one in _texts(json.loads(value))}:
                yield ProjectNote(note_id, path, f"{key}: {name}")

    def _ask(self, statement: str, bound: dict[str, str]) -> Iterable[Any]:
        return self._db.execute(statement, bound)


def _texts(value: object) -> list[str]:
    """Return the texts of a property: one, or those of a list."""
    many = value if isinstance(value, list) else [value]
    return [one for one in many if isinstance(one, str)]
