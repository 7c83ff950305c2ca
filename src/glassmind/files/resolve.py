"""Where a link leads: the names of the vault's files, and Obsidian's rules over them.

The index maps a folded file name to the files of that name. Most names have one file
and cost one lookup. Files that share a name are also listed, when such a link is first
met, under every way their paths can end (`n.md`, `y/n.md`, `x/y/n.md`), each list
sorted, so that the files below a folder are a slice of it and nothing is scanned twice.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from unicodedata import normalize

from glassmind.model import NotePath
from glassmind.obsidian.folding import fold

NOTE_SUFFIX = ".md"

ROOTED = ("./", "../", "/")
"""How targets begin that mean one very file, wherever others of its name are."""

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


def name_key(target: str) -> str:
    """Return the key that a link shares with every file it could ever lead to.

    When a file appears or disappears, only links with that file's key can change their
    end. Every trailing `.md` is dropped, since `[[a.md]]` may mean `a.md` or `a.md.md`.
    """
    name = fold(target.rpartition("/")[2])
    while name.endswith(NOTE_SUFFIX):
        name = name.removesuffix(NOTE_SUFFIX)
    return name


@dataclass(slots=True)
class _Namesakes:
    """The files of one name by the folded ends of their paths, and answers given.

    A whole path is listed with a `/` before it. Lists are in code point order.
    """

    endings: dict[str, list[str]]
    answers: dict[tuple[str, str], str | None] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Iterable[str]) -> "_Namesakes":
        endings: dict[str, list[str]] = {}
        for path in sorted(paths):
            for ending in _endings(fold(path)):
                endings.setdefault(ending, []).append(path)
        return cls(endings)

    def nearest(self, ending: str, exact: str, folder: str) -> str | None:
        """Return the file ending so that is first below `folder`, or else anywhere."""
        found = self.endings.get(ending)
        if found is None or len(found) == 1:
            return found[0] if found else None
        answer = self.answers.get((exact, folder))
        if answer is None:
            below = _below(found, folder)
            if below:
                answer = min(below, key=lambda path: _order(path, exact))
            else:
                answer = self.nearest(ending, exact, "")
            self.answers[exact, folder] = answer
        return answer


class Names:
    """The names of all files of a vault, kept as files come and go."""

    def __init__(self) -> None:
        self._files: dict[str, str | set[str]] = {}
        self._namesakes: dict[str, _Namesakes] = {}

    @classmethod
    def of(cls, paths: Iterable[str]) -> "Names":
        """Return the names of these files."""
        names = cls()
        for path in paths:
            names.add(path)
        return names

    def add(self, path: str) -> None:
        """Let links lead to this file; a path already known changes nothing."""
        name = fold(path.rpartition("/")[2])
        known = self._files.setdefault(name, path)
        if known is path:
            return
        if isinstance(known, set):
            known.add(path)
        elif known != path:
            self._files[name] = {known, path}
        self._namesakes.pop(name, None)

    def remove(self, path: str) -> None:
        """Let no link lead to this file; a path not known changes nothing."""
        name = fold(path.rpartition("/")[2])
        known = self._files.get(name)
        if isinstance(known, set):
            known.discard(path)
            if len(known) == 1:
                self._files[name] = known.pop()
        elif known == path:
            del self._files[name]
        self._namesakes.pop(name, None)

    def paths(self) -> Iterator[str]:
        """Yield the path of every file, in no order."""
        for known in self._files.values():
            if isinstance(known, str):
                yield known
            else:
                yield from known

    def is_shared(self, path: str) -> bool:
        """Whether several files have the name of this one, of those Obsidian sees."""
        known = self._files.get(fold(path.rpartition("/")[2]))
        if not isinstance(known, set):
            return False
        return sum("/." not in f"/{one}" for one in known) > 1

    def is_plain(self, target: str) -> bool:
        """Whether a wikilink to this target leads to one file, wherever it stands."""
        name = fold(target.rpartition("/")[2])
        known = (self._files.get(name), self._files.get(name + NOTE_SUFFIX))
        shared = any(isinstance(one, set) for one in known)
        return not shared and not target.startswith(ROOTED)

    def resolve(
        self, target: str, source: NotePath, *, markdown: bool = False
    ) -> NotePath | None:
        """Return the file that a link in `source` leads to, or None.

        `target` is the path part of the link, already percent-decoded. A name with a
        dot is tried as it stands, then as a note without its `.md`. `./` and `../`
        start at the source's folder, `/` at the root: only that very file will do. Any
        other target is the end of a path: files below the source's folder come first,
        then the shortest path, the one in the case written, the first in code point
        order. Aliases lead nowhere, nor does a path that leaves the vault. With
        `markdown`, a target with a URL scheme leads out of the vault.
        """
        if not target:
            return source
        if markdown and _SCHEME.match(target):
            return None
        text = target if target.isascii() else normalize("NFC", target)
        if text.startswith(ROOTED):
            whole = rooted(text, source)
            if whole is None:
                return None
            text = whole
        if "." in text.rpartition("/")[2]:
            found = self._find(text, source)
            if found is not None:
                return found
        return self._find(text + NOTE_SUFFIX, source)

    def _find(self, text: str, source: NotePath) -> NotePath | None:
        """Return the nearest file whose path ends so, or is so when `/` leads."""
        ending = fold(text)
        name = ending.rpartition("/")[2]
        known = self._files.get(name)
        if known is None:
            return None
        if isinstance(known, str):
            fits = name == ending or ending in _endings(fold(known))
            return NotePath(known) if fits else None
        namesakes = self._namesakes.get(name)
        if namesakes is None:
            namesakes = self._namesakes[name] = _Namesakes.of(known)
        found = namesakes.nearest(ending, text, source.rpartition("/")[0])
        return None if found is None else NotePath(found)


def rooted(text: str, source: NotePath) -> str | None:
    """Return the path from the root, `/` leading, or None when it leaves the vault."""
    if text.startswith("/"):
        return "/" + text.lstrip("/")
    folders = source.split("/")[:-1]
    for part in text.split("/"):
        if part == "..":
            if not folders:
                return None
            folders.pop()
        elif part != ".":
            folders.append(part)
    return "/" + "/".join(folders)


def _endings(path: str) -> Iterator[str]:
    """Yield every run of whole segments that ends a path, and `/` with all of it."""
    start = len(path)
    while (start := path.rfind("/", 0, start)) >= 0:
        yield path[start + 1 :]
    yield path
    yield "/" + path


def _below(paths: list[str], folder: str) -> list[str]:
    """Return those of the sorted paths that stand in this folder or deeper."""
    if not folder:
        return paths
    # "0" is the character after "/"
    return paths[bisect_left(paths, f"{folder}/") : bisect_left(paths, f"{folder}0")]


def _order(path: str, exact: str) -> tuple[int, bool, str]:
    return len(path), not f"/{path}".endswith(f"/{exact.removeprefix('/')}"), path
