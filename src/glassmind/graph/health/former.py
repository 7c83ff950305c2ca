"""Which file a name means that links lead to in vain, where that can be told.

A file may have had the name, be it elsewhere now, have it as an alias, or be called so
but for marks and number. The first of these that any file answers to decides, and only
where no second one does.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from glassmind.errors.knowledge import NoHistory
from glassmind.files.attachments import is_attachment
from glassmind.files.history import every_change, repository_of
from glassmind.files.resolve import NOTE_SUFFIX, fold, name_key
from glassmind.graph.folding import folded, in_singular
from glassmind.graph.health.linked import place_of
from glassmind.graph.health.sight import Sight
from glassmind.model import NotePath
from glassmind.model.health import LostLink
from glassmind.model.history import FileChange
from glassmind.model.repairs import FormerName, Unmended

MOST_SECONDS = 5.0
"""How long the history may be read: what it does not tell by then is not mended."""

MOST_NAMED = 3
"""Files that are told of a name that may mean several."""

NO_FILE = "no file is called so, was called so, or has it as an alias"
OUTSIDE = "it is outside of the vault"

Nameable: TypeAlias = Callable[[Collection[str]], Collection[str]]
"""Returns those of some former paths that may be told of."""


class _Known(NamedTuple):
    """What files of a vault are called besides their names, and were called."""

    aliases: Mapping[str, Sequence[NotePath]]
    forms: Mapping[str, Sequence[NotePath]]
    former: Mapping[str, Sequence[NotePath]]


def former_names(
    sight: Sight,
    root: Path,
    wanted: Mapping[str, Sequence[LostLink]],
    nameable: Nameable,
) -> tuple[list[FormerName], list[Unmended]]:
    """Return what names that no file has mean, and those that cannot be told."""
    if not wanted:
        return [], []
    known = _known(sight, root, nameable)
    made: list[FormerName] = []
    left: list[Unmended] = []
    for subject, links in wanted.items():
        found = _meant(sight, known, subject, links)
        if isinstance(found, Unmended):
            left.append(found)
        else:
            made += found
    return made, left


def _meant(
    sight: Sight, known: _Known, subject: str, links: Sequence[LostLink]
) -> list[FormerName] | Unmended:
    """Return what a name means, once for each way in which links say it."""
    key, place = f"ghosts:{subject}", place_of(links[0])
    if place.startswith("../"):
        return Unmended(key, OUTSIDE)
    name = place.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
    for files, why, shown in _ways(sight, known, subject, name):
        if len(files) > 1:
            told = ", ".join(files[:MOST_NAMED])
            more = " or others" if len(files) > MOST_NAMED else ""
            return Unmended(key, f"it may mean any of {told}{more}")
        if files:
            sources: dict[str, dict[NotePath, None]] = {}
            for link in links:
                sources.setdefault(fold(place_of(link)), {})[link.path] = None
            return [
                FormerName(key, _noted(was), files[0], tuple(notes), why, shown)
                for was, notes in sources.items()
            ]
    return Unmended(key, NO_FILE)


def _ways(
    sight: Sight, known: _Known, subject: str, name: str
) -> Iterator[tuple[Sequence[NotePath], str, bool]]:
    """Yield the files that a name may mean, the surest way of telling first."""
    were = [path for path in known.former.get(subject, ()) if _is_there(sight, path)]
    yield were, "it was called so", False
    if "/" in subject:
        called = fold(name)
        there = [
            path
            for path in sight.rows.files_called(name_key(name))
            if fold(path.rpartition("/")[2]).removesuffix(NOTE_SUFFIX) == called
        ]
        yield there, "it is called so, in another folder", False
    if not is_attachment(name):
        yield known.aliases.get(fold(name), ()), "it has that as an alias", True
        form = in_singular(folded(name))
        said = "it is called so but for marks, case or number"
        yield known.forms.get(form, ()) if form else (), said, True


def _is_there(sight: Sight, path: NotePath) -> bool:
    return path in sight.by_path or path in sight.rows.files_called(name_key(path))


def _noted(place: str) -> NotePath:
    """Return the path of the file that would stand at a place."""
    is_whole = is_attachment(place) or place.endswith(NOTE_SUFFIX)
    return NotePath(place if is_whole else f"{place}{NOTE_SUFFIX}")


def _known(sight: Sight, root: Path, nameable: Nameable) -> _Known:
    aliases: dict[str, dict[NotePath, None]] = {}
    forms: dict[str, dict[NotePath, None]] = {}
    for note in sight.written:
        name = note.path.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        for alias in note.aliases:
            aliases.setdefault(fold(alias), {})[note.path] = None
        for title in (note.title, name, *note.aliases):
            forms.setdefault(in_singular(folded(title)), {})[note.path] = None
    return _Known(_lists(aliases), _lists(forms), _lists(_former(root, nameable)))


def _lists(
    found: Mapping[str, Mapping[NotePath, None]],
) -> dict[str, Sequence[NotePath]]:
    return {name: list(paths) for name, paths in found.items()}


def _former(root: Path, nameable: Nameable) -> dict[str, dict[NotePath, None]]:
    """Return what files were called, by every end of those paths that may be told."""
    found: dict[str, dict[NotePath, None]] = {}
    try:
        repository = repository_of(root, timeout_s=MOST_SECONDS)
    except NoHistory:
        return found
    changes = every_change(repository, timeout_s=MOST_SECONDS)
    renames = list(_renames(changes))
    told = nameable({former for former, _ in renames})
    for former, now in renames:
        if former not in told:
            continue
        parts = fold(former).removesuffix(NOTE_SUFFIX).split("/")
        for size in range(1, len(parts) + 1):
            found.setdefault("/".join(parts[-size:]), {})[NotePath(now)] = None
    return found


def _renames(changes: Iterable[FileChange]) -> Iterator[tuple[str, str]]:
    """Yield each path that a file had and the one it has; the latest comes first."""
    goes: dict[str, str] = {}
    for change in changes:
        if change.kind == "renamed" and change.former:
            goes[change.former] = goes.get(change.path, change.path)
            yield change.former, goes[change.former]
