"""Files that go to the vault's trash, and notes that come into it."""

from glassmind.editing.desk import Desk
from glassmind.editing.places import Ground, origin_of
from glassmind.editing.relinking import carried, draft_with_links
from glassmind.editing.universe import inside, universe_of
from glassmind.errors import NoteNotFound
from glassmind.errors.writing import NameTaken
from glassmind.types import NotePath
from glassmind.types.editing import Draft, Step
from glassmind.vault.resolve import fold
from glassmind.vault.trash import trash_place


def plan_delete(desk: Desk, name: str) -> Draft:
    """Return the change that moves a note, or another file, to the vault's trash.

    A folder goes there only if its name is given with a `/` behind it. The risks say
    how many links will lead nowhere, or to another file of that name.

    Raises:
        NoteNotFound, AmbiguousName: there is no such file, or more than one.
    """
    seen = universe_of(desk)
    ground = Ground.of(desk, seen.paths)
    origin = origin_of(desk, ground, name)
    if origin.folder and not name.endswith("/"):
        raise NoteNotFound(name, (f"{origin.path}/",))
    place = trash_place(origin.path, ground.disk.is_there)
    step = Step(origin.path, place, None, b"", folder=True)
    files = inside(origin.path, seen.paths)
    if not origin.folder:
        raw = desk.files.read(origin.path)
        if raw is None:
            raise NoteNotFound(name)
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
        facts,
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
    for other in (*seen.paths, *ground.folders):
        if fold(other) == fold(path):
            raise NameTaken(other)
    if ground.disk.is_there(path):
        raise NameTaken(path)
    step = Step(None, path, None, raw)
    return draft_with_links(desk, "create", f"make {path}", [step], universe=seen)
