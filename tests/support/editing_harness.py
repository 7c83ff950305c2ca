"""A vault with an index, and the parts that edit it."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from glassmind import Engine, open_vault
from glassmind.edit.vault import EditVault
from glassmind.errors import GlassmindError, NameTaken, NoteChanged, NoteNotFound
from glassmind.files.ignore import IgnoreRules
from glassmind.files.names import Names
from glassmind.files.read import Decoded, decode
from glassmind.model import NotePath
from glassmind.model.edits import Changeset, Draft, FileStep, Standing
from glassmind.model.notes import Link
from glassmind.obsidian.notes import read_note
from glassmind.store.changesets import ChangesetFolder
from glassmind.store.place import index_name
from glassmind.store.sqlite.connection import open_reader
from glassmind.store.sqlite.rows import SqliteRows

SAMPLE = Path(__file__).parents[2] / "sample-vault"

OTHERS = Path(__file__).parents[3] / "shared" / "data" / "vaults"
"""Where larger vaults lie beside a checkout; tests over them say so when absent."""


class PlainChanger:
    """Changes files as steps say, and trusts that nobody else does."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Be the only one: nobody else is here."""
        yield

    def read(self, path: NotePath, /) -> bytes | None:
        """Return the bytes of a file; None where there is none."""
        file = self.root / path
        return file.read_bytes() if file.is_file() else None

    def apply(
        self,
        steps: Sequence[FileStep],
        /,
        *,
        why: str,
        client: str,
        meanwhile: Callable[[], None] = lambda: None,
        afterwards: Callable[[], None] = lambda: None,
    ) -> None:
        """Take every step: what is written first, then files, then folders."""
        del why, client
        self._check(steps)
        meanwhile()
        for step in steps:
            if not step.folder and step.before != step.after:
                file = self.root / (step.path or step.to)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(step.after)
        for step in sorted(steps, key=lambda step: step.folder):
            if step.path is not None and step.path != step.to:
                place = self.root / step.to
                place.parent.mkdir(parents=True, exist_ok=True)
                (self.root / step.path).rename(place)
        afterwards()

    def _check(self, steps: Sequence[FileStep]) -> None:
        for step in steps:
            if step.path is not None and not step.folder:
                raw = self.read(step.path)
                if raw != step.before:
                    raise NoteChanged(step.path, expected="", found="")
            if step.path != step.to and (self.root / step.to).exists():
                raise NameTaken(step.to)

    def standing(self, steps: Sequence[FileStep], /) -> Sequence[Standing]:
        """Return how each file stands now."""
        return ["new" if self.read(step.to) == step.after else "old" for step in steps]

    def clear(self, folders: Sequence[NotePath], /) -> None:
        """Folders are left where they are."""
        del folders

    def settle(self, steps: Sequence[FileStep], /, *, forward: bool, why: str) -> None:
        """Nothing is ever left over."""
        del steps, forward, why


@dataclass
class EditingHarness:
    """A vault in a folder of its own, its index, and a harness over both."""

    root: Path
    place: Path
    engine: Engine
    files: PlainChanger
    book: ChangesetFolder
    late: GlassmindError | None = None
    _readers: list[Any] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        folder: Path,
        files: Mapping[str, str | bytes] | None = None,
        *,
        copy: Path | None = None,
    ) -> "EditingHarness":
        """Return a harness for these files, or for the copy of a vault."""
        root, place = folder / "Notes", folder / "index"
        if copy is not None:
            shutil.copytree(copy, root, symlinks=True)
        (root / ".obsidian").mkdir(parents=True, exist_ok=True)
        for path, text in (files or {}).items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode() if isinstance(text, str) else text)
        settings = {"index.location": str(place), "embeddings.backend": "none"}
        engine = open_vault(root, settings=settings, env={"HOME": str(folder / "home")})
        made = cls(root, place, engine, PlainChanger(root), ChangesetFolder(folder))
        made.refresh(())
        return made

    def refresh(
        self, paths: Sequence[NotePath], /, *, wait_s: float | None = None
    ) -> GlassmindError | None:
        """Bring files into the index."""
        del wait_s
        if self.late is None:
            self.engine.index(embed=False, paths=paths, accept_deletions=True)
        return self.late

    def rows(self) -> SqliteRows:
        """Return the rows as they are now."""
        reader = open_reader(self.place / index_name(self.root))
        self._readers.append(reader)
        return SqliteRows(reader)

    @property
    def harness(self) -> EditVault:
        """The editing parts that planners take."""
        made: Any = EditVault(self.engine._vault, self.refresh)
        made.find, made.exact, made.rows = self.sure_one, self.sure, self.rows
        made.files, made.changesets, made.faults = self.files, self.book, nullcontext
        made.rules = IgnoreRules
        return cast("EditVault", made)

    def sure(self, name: str) -> NotePath | None:
        """Return the one note that is called so."""
        found = [path for path in self.paths() if Path(path).stem == name]
        return found[0] if len(found) == 1 else None

    def sure_one(self, name: str) -> NotePath:
        """Return the note that is called so."""
        found = self.sure(name)
        if found is None:
            raise NoteNotFound(name)
        return found

    def paths(self) -> list[NotePath]:
        """Return every file that a link may lead to, as the index has it now."""
        self.refresh(())
        return self.rows().paths()

    def apply(self, draft: Draft) -> Changeset:
        """Make a change, and keep it as applied."""
        changeset = self.book.made(draft, "applied", client="test")
        self.files.apply(draft.steps, why="test", client="test")
        self.book.keep(changeset)
        return changeset

    def text(self, path: str) -> str:
        """Return what a file says."""
        return (self.root / path).read_bytes().decode()

    def ends(self) -> dict[NotePath, list[tuple[str, NotePath | None, str | None]]]:
        """Return where every link of every note leads, by the resolver."""
        return ends_in(self.root, self.paths())

    def close(self) -> None:
        """Let go of the vault."""
        for reader in self._readers:
            reader.close()
        self.engine.close()


def ends_in(
    root: Path, paths: Sequence[NotePath]
) -> dict[NotePath, list[tuple[str, NotePath | None, str | None]]]:
    """Return where every link of the notes of a folder leads."""
    names = Names.of(paths)
    found: dict[NotePath, list[tuple[str, NotePath | None, str | None]]] = {}
    for path in paths:
        if path.lower().endswith((".md", ".canvas")):
            raw = (root / path).read_bytes()
            found[path] = [
                (link.target, _end(names, link, path), link.subpath)
                for link in _links(path.rpartition("/")[2], raw)
            ]
    return found


@lru_cache(maxsize=4096)
def _links(name: str, raw: bytes) -> tuple[Link, ...]:
    """Return the links of a file; those of a whole vault are asked for again soon."""
    decoded = decode(raw)
    if not isinstance(decoded, Decoded):
        return ()
    return read_note(NotePath(name), decoded.text).links


def _end(names: Names, link: Link, path: NotePath) -> NotePath | None:
    if link.kind == "canvas":  # a card names its file by the whole path
        exact = names.resolve(f"/{link.target}", path)
        if exact is not None:
            return exact
    return names.resolve(link.target, path, markdown=link.kind == "markdown")


def snapshot(root: Path) -> dict[str, bytes]:
    """Return every file of a folder with its bytes."""
    return {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in sorted(root.rglob("*"))
        if file.is_file() and not file.is_symlink()
    }


def outside_agent(root: Path) -> dict[str, bytes]:
    """Return every file but those in the folder of agents, with its bytes."""
    every = snapshot(root)
    return {path: raw for path, raw in every.items() if not path.startswith(".agent/")}


MakeHarness = Callable[..., EditingHarness]
"""Makes a harness: of files, or of the copy of a vault."""


def harnesses_in(folder: Path) -> Iterator[MakeHarness]:
    """Yield what makes harnesses in a folder; they are closed in the end."""
    made: list[EditingHarness] = []

    def of(
        files: Mapping[str, str | bytes] | None = None, *, copy: Path | None = None
    ) -> EditingHarness:
        place = folder / str(len(made))
        place.mkdir()
        made.append(EditingHarness.of(place, files, copy=copy))
        return made[-1]

    yield of
    for harness in made:
        harness.close()
