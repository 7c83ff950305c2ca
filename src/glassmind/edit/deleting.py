"""Files that go to the vault's trash, and notes that come into it."""

from glassmind.edit.desk import Desk
from glassmind.edit.places import Ground, as_there, origin_bytes, origin_of
from glassmind.edit.relinking import carried, draft_with_links, links_in
from glassmind.edit.universe import inside, universe_of
from glassmind.errors import NoteNotFound
from glassmind.errors.writing import NameTaken
from glassmind.files.resolve import fold
from glassmind.files.trash import trash_place
from glassmind.model import Digest, NotePath
from glassmind.model.editing import Draft, Step


def plan_delete(desk: Desk, name: str, *, expected: Digest | None = None) -> Draft:
    """Return the change that moves a note, or another file, to the vault's trash.

    A folder goes there only if its name is given with a `/` behind it. The risks say
    how many links will lead nowhere, or to another file of that name. `expected` is the
    digest of the file that the caller read.

    Raises:
        NoteNotFound, AmbiguousName: there is no such file, or more than one.
        NoteChanged: it is not what the caller read.
        BadEdit: a folder has no digest.
        FileUnreadable: it is left out of the index.
    """
    seen = universe_of(desk)
    ground = Ground.of(desk, seen.paths)
    origin = origin_of(desk, ground, name)
    if origin.folder and not name.endswith("/"):
        raise NoteNotFound(name, (f"{origin.path}/",))
    place = trash_place(origin.path, ground.disk.is_there)
    step = Step(origin.path, place, None, b"", folder=True)
    files = inside(origin.path, seen.paths)
    raw = origin_bytes(desk, origin, expected)
    if raw is not None:
        step, files = Step(origin.path, place, raw, raw), [origin.path]
    found = carried(desk, [step], seen)
    facts = {"files": len(files), "lost": found.lost, "elsewhere": found.elsewhere}
    return Draft(
        "delete",
        f"move {origin.path} to the trash",
        found.steps,
        found.rewritten,
        found.adopted,
        (*_losses(found.lost, found.elsewhere), *found.risks),
        {**facts, **links_in(found.counted)},
    )


def _losses(lost: int, elsewhere: int) -> list[str]:
    said = []
    if lost:
        said.append(f"{_links(lost)} will lead nowhere")
    if elsewhere:
        said.append(f"{_links(elsewhere)} will lead to another file of that name")
    return said


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count} links"


def plan_new(desk: Desk, path: NotePath, raw: bytes) -> Draft:
    """Return the change that makes a note.

    `adopted` counts the links that led nowhere and lead to it then. Links that would
    lead to it although they mean another file of its name are written longer.

    Raises:
        NameTaken: there is such a file, or one that differs in case only.
    """
    seen = universe_of(desk)
    ground = Ground.of(desk, seen.paths)
    path = as_there(path, ground)
    for other in (*seen.paths, *ground.folders):
        if fold(other) == fold(path):
            raise NameTaken(other)
    ground.disk.refuse_taken(path)
    step = Step(None, path, None, raw)
    return draft_with_links(desk, "create", f"make {path}", [step], universe=seen)
