"""Asking the rows which notes a project has.

A bare name is all of these: a folder of that name anywhere in a path, a tag of that
name or below it, be it under `#project/` or not, the property `project` with that
value, and the note of that name.
Names compare as Obsidian compares them, without case and however their letters are
composed. SQLite knows the case of ASCII alone, so other names are compared here.
"""

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import apsw

from glassmind.model.projects import ProjectName, ProjectNote
from glassmind.obsidian.properties import plain_name, projects_in, values_in
from glassmind.obsidian.text import fold

FOLDER = """
select n.id, f.path from notes n join files f on f.id = n.id
where :wide or instr('/' || lower(f.path), :inside) > 0
"""
TAG = """
select n.id, f.path, t.folded from tags t
join notes n on n.id = t.note_id join files f on f.id = n.id
where :wide or t.folded = :tag or (t.folded > :below and t.folded < :after)
"""
PROPERTY = """
select n.id, f.path, p.value from properties p
join notes n on n.id = p.note_id join files f on f.id = n.id
where p.name in (select value from json_each(:keys))
"""
KEYS = "select distinct name from properties"
TITLE = """
select n.id, f.path, n.title from notes n join files f on f.id = n.id
where :wide or lower(n.title) = :name
"""

NAMED = """
select value from properties where name in ('project', 'Project', 'PROJECT')
group by value limit :most
"""
FOLDERS = """
select distinct rtrim(path, replace(path, '/', '')) from files
where path like '%/%' limit :most
"""
"""What is left of a path without the letters of its last part."""
TAGS = "select folded from tags group by folded limit :most"

MOST, SHOWN, ALIKE = 5_000, 3, 0.7
"""Names of each sort that are compared, those that are told, and how alike they are."""


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

    def closest(self, name: str) -> tuple[str, ...]:
        """Return projects that a name may be a slip of, the closest first.

        What properties say, names of folders, and tags with their `#`; one word of a
        name is enough.
        """
        known: dict[str, str] = {}
        for said, folded in self._known():
            known.setdefault(folded, said)
        for folded, said in list(known.items()):
            for word in folded.split():
                known.setdefault(word, said)
        asked = fold(plain_name(name)).lstrip("#").strip("/")
        found = get_close_matches(asked, known, n=2 * SHOWN, cutoff=ALIKE)
        return tuple(dict.fromkeys(known[one] for one in found))[:SHOWN]

    def _known(self) -> Iterable[tuple[str, str]]:
        """Return all that may be called a project, with how it is compared."""
        bound = {"most": MOST}
        for (value,) in self._ask(NAMED, bound):
            for said in projects_in(json.loads(value)):
                yield said, fold(said)
        for (above,) in self._ask(FOLDERS, bound):
            for part in above.strip("/").split("/"):
                if part and not part.startswith("."):
                    yield part, fold(part)
        for (tag,) in self._ask(TAGS, bound):
            yield f"#{tag}", fold(tag)

    def _by_rules(self, project: ProjectName) -> Iterable[ProjectNote]:
        if not project.name:
            return
        bare = project.form == "any"
        if bare or project.form == "property":
            yield from self._with_property(project)
        if bare or project.form == "folder":
            yield from self._in_folder(project.name)
        if bare or project.form == "tag":
            above = ("", "project/", "projects/") if bare else ("",)
            for kind in above:
                yield from self._tagged(f"{kind}{project.name}")
        if bare:
            yield from self._called(project.name)

    def _in_folder(self, name: str) -> Iterable[ProjectNote]:
        """Return the notes in a folder of that name, or below it.

        One with a `/` in it is a path from the vault.
        """
        folder, why = fold(name), f"in the folder {name}"
        bound = {"wide": not folder.isascii(), "inside": f"/{folder}/"}
        for note_id, path in self._ask(FOLDER, bound):
            at = f"/{fold(path)}".find(f"/{folder}/")
            if at == 0 or (at > 0 and "/" not in folder):
                yield ProjectNote(note_id, path, why)

    def _tagged(self, name: str) -> Iterable[ProjectNote]:
        tag = fold(name).replace(" ", "-")
        wide = not tag.isascii()
        bound = {"wide": wide, "tag": tag, "below": f"{tag}/", "after": f"{tag}0"}
        for note_id, path, found in self._ask(TAG, bound):
            if f"{fold(found)}/".startswith(f"{tag}/"):
                yield ProjectNote(note_id, path, f"tagged #{name}")

    def _called(self, name: str) -> Iterable[ProjectNote]:
        title = fold(name)
        bound = {"wide": not title.isascii(), "name": title}
        for note_id, path, found in self._ask(TITLE, bound):
            if fold(found) == title:
                yield ProjectNote(note_id, path, "the note of that name")

    def _with_property(self, project: ProjectName) -> Iterable[ProjectNote]:
        key, name = fold(project.key), fold(project.name)
        keys = [found for (found,) in self._ask(KEYS, {}) if fold(found) == key]
        for note_id, path, value in self._ask(PROPERTY, {"keys": json.dumps(keys)}):
            if name in map(fold, values_in(json.loads(value))):
                yield ProjectNote(note_id, path, f"{project.key}: {project.name}")

    def _ask(self, statement: str, bound: Mapping[str, Any]) -> Iterable[Any]:
        return self._db.execute(statement, bound)
