"""How a link to a file is written: for all who make one, or write one anew.

What is written depends on where it stands, on the files there are, and on the habits of
the vault and of the link that was there before.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import relpath
from typing import NamedTuple

from glassmind.files.obsidian import LinkFormat
from glassmind.obsidian.folding import fold
from glassmind.files.resolve import NOTE_SUFFIX, Names
from glassmind.model import NotePath
from glassmind.model.notes import Link

_UNSAFE = re.compile(r"[ #%()<>\\\[\]\"`\t]")
"""What ends or changes the target of a Markdown link."""

_BRACKET = re.compile(r"([\\\[\]])")


def written(target: str, shown: str, *, markdown: bool, heading: str = "") -> str:
    """Return a link to a target, the end of a path, that shows these words.

    A Markdown target has its suffix, and shows its name where no words are given; a
    wikilink shows its target then.
    """
    if markdown:
        words = shown or target.rpartition("/")[2].removesuffix(NOTE_SUFFIX)
        place = f"{_safe(target)}#{_safe(heading)}" if heading else _safe(target)
        shielded = _BRACKET.sub(r"\\\1", words)
        return f"[{shielded}]({place})"
    place = f"{target}#{heading}" if heading else target
    return f"[[{place}]]" if shown in {"", place} else f"[[{place}|{shown}]]"


def _safe(text: str) -> str:
    return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", text)


def short_names(target: NotePath, files: Names) -> Iterator[str]:
    """Yield names of a file from the shortest on, without the suffix of notes.

    As in Obsidian, a name that several files have is not used while the path will do.
    """
    whole = target.removesuffix(NOTE_SUFFIX)
    parts = whole.split("/")
    if files.is_shared(target):
        yield whole
    yield from ("/".join(parts[-size:]) for size in range(1, len(parts) + 1))
    yield f"/{whole}"  # where a note of that name stands nearer


@dataclass(frozen=True, slots=True)
class Pen:
    """How links are written in a vault: resolved by its files, in its own style."""

    files: Names
    markdown: bool = False
    link_format: LinkFormat = "shortest"

    def written(self, source: NotePath, target: NotePath, shown: str) -> Iterator[str]:
        """Yield the ways to write a link that shows these words, the usual first.

        None where every name of the target has a letter that no link can hold.
        """
        if self.markdown:
            destination = self._shortest(source, target, NOTE_SUFFIX)
            if destination is not None:
                yield written(destination, shown, markdown=True)
        name = self._shortest(source, target, "")
        if name is None:
            name = self._shortest(source, target, NOTE_SUFFIX)
        if name is None:
            return
        link = written(name, shown, markdown=False)
        yield link
        if "|" in link:
            yield link.replace("|", "\\|", 1)  # inside a table

    def _shortest(self, source: NotePath, target: NotePath, suffix: str) -> str | None:
        """Return the name of a file, or as much of its path as leads there."""
        for end in self._ends(source, target):
            name = end + suffix
            if self.files.resolve(name, source) == target:
                return name
        return None

    def _ends(self, source: NotePath, target: NotePath) -> Iterator[str]:
        """Yield names of a file, without the suffix of notes, the vault's own first."""
        whole = target.removesuffix(NOTE_SUFFIX)
        if self.link_format == "relative":
            yield _near(source, whole)
            yield _marked(_near(source, whole))
        if self.link_format == "absolute":
            yield whole
        yield from short_names(target, self.files)

    def leads_to(self, link: Link, source: NotePath) -> NotePath | None:
        """Return where a link ends."""
        markdown = link.kind == "markdown"
        return self.files.resolve(link.target, source, markdown=markdown)


class Respelling(NamedTuple):
    """A link that leads to a file and must be written anew.

    `written` is its path part, in the note `source` as it was called then; it led to
    `before`. It shall lead from `home` to `target`.
    """

    written: str
    source: NotePath
    before: NotePath
    home: NotePath
    target: NotePath


def spellings(link: Respelling, files: Names, link_format: LinkFormat) -> Iterator[str]:
    """Yield the path parts that lead to the target, the most like the old one first.

    A bare name stays bare while it leads there, and grows as the vault's setting has
    it: by the shortest, also where other files have that name. One from the root, from
    the note or with `/` first stays such; a suffix that was there stays, one that was
    not is added only where nothing else will do.
    """
    grows = link_format == "shortest" and files.is_shared(link.target)
    seen: set[str] = set()
    for suffixed in (_is_suffixed(link), True):
        name: str = link.target
        if not suffixed:
            name = name.removesuffix(NOTE_SUFFIX)
        for text in _forms(link, name, link_format, grows=grows):
            if text not in seen and files.resolve(text, link.home) == link.target:
                yield text
            seen.add(text)


def _is_suffixed(link: Respelling) -> bool:
    if not link.target.endswith(NOTE_SUFFIX):
        return True
    return fold(_base(link.written)) == fold(_base(link.before))


def _forms(
    link: Respelling, name: str, link_format: LinkFormat, *, grows: bool
) -> Iterator[str]:
    if link.written.startswith("/"):
        yield f"/{name}"
    elif link.written.startswith(("./", "../")):
        yield _marked(_near(link.home, name))
    elif "/" not in link.written:
        if not grows:
            yield _base(name)
        if link_format == "relative":
            yield _near(link.home, name)
            yield _marked(_near(link.home, name))
    elif link_format == "relative" and _was_near(link):
        yield _near(link.home, name)
        yield _marked(_near(link.home, name))
    yield name
    yield f"/{name}"
    yield _marked(_near(link.home, name))
    yield _base(name)


def _near(source: str, name: str) -> str:
    """Return a path from the folder of a note."""
    return relpath(name, source.rpartition("/")[0] or ".")


def _marked(near: str) -> str:
    return near if near.startswith("../") else f"./{near}"


def _was_near(link: Respelling) -> bool:
    """Whether a path was written from the note's own folder, without a mark of it."""
    near = _near(link.source, link.before)
    return fold(link.written) in (fold(near), fold(near.removesuffix(NOTE_SUFFIX)))


def _base(path: str) -> str:
    return path.rpartition("/")[2]
