"""Checks of files: properties that cannot be read, sizes, attachments left over."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

from glassmind.files.attachments import is_attachment
from glassmind.files.resolve import fold
from glassmind.graph.health.sight import Sight
from glassmind.model import NotePath
from glassmind.model.health import Finding, Unchecked, finding

OVERSIZED_TOKENS = 25_000
"""About a hundred pages: a fifth of what a model with 128,000 tokens can hold, so that
an agent which reads the note has room for little else."""

_LINE = re.compile(r" \(line (\d+)\)")
_FOLDER = re.compile(r"""[^\s"'`(<\[|=/\\{}$>.]/$""")
"""The end of a folder that has a name; `./`, `../` and what code puts in have none."""

FOLDER_CHARS = 256
"""What is looked at before a name: the longest that a folder can be called."""

_TOO_LARGE = "it is larger than"


def invalid_yaml(sight: Sight) -> list[Finding]:
    """Return the notes whose properties cannot be read."""
    found = []
    for note in sight.notes:
        if note.error is not None and not sight.habits.is_template(note.path):
            line = _LINE.search(note.error)
            at = int(line[1]) if line else 1
            what = _LINE.sub("", note.error.rstrip("."))
            what = what[:1].lower() + what[1:]
            found.append(finding("invalid_yaml", note.path, note.path, at, what))
    return found


def oversized(sight: Sight) -> list[Finding]:
    """Return the notes that are too long to be read at once, the longest first."""
    found = [
        finding("oversized", path, path, 0, "too large to be indexed")
        for path, reason in sight.rows.skipped()
        if _TOO_LARGE in reason and path.endswith(".md")
    ]
    long = [note for note in sight.written if note.tokens > OVERSIZED_TOKENS]
    long.sort(key=lambda note: (-note.tokens, note.path))
    for note in long:
        what = f"about {note.tokens:,} tokens long"
        found.append(finding("oversized", note.path, note.path, 0, what))
    return found


def unlinked_attachments(sight: Sight) -> list[Finding] | Unchecked:
    """Return the pictures, sounds, films and papers that no note shows or names.

    A note names a file by writing what it is called, be it in a property, in HTML, in
    code, or in a note that is left out of the index.
    """
    files = [
        path
        for path in sight.rows.unlinked_attachments()
        if is_attachment(path) and sight.is_written(path)
    ]
    files = _unnamed(sight.rows.texts_with(_endings(files)), files)
    if not files:
        return []
    unseen = sight.grounds.unseen()
    files = _unnamed(unseen.texts, files)
    if files and unseen.unread:
        return Unchecked(
            f"{unseen.unread} is left out of the index and cannot be read; it may show "
            "some"
        )
    what = "no note shows it, links to it or names it"
    return [finding("unlinked_attachments", path, path, 0, what) for path in files]


def _unnamed(texts: Iterable[str], paths: Sequence[NotePath]) -> list[NotePath]:
    found = named_in(texts, paths) if paths else set()
    return [path for path in paths if path not in found]


def named_in(texts: Iterable[str], paths: Iterable[str]) -> set[str]:
    """Return those of some files whose names stand in texts.

    Where a folder stands before the name it has to be that of the file.
    """
    called: dict[str, list[str]] = {}
    for path in paths:
        called.setdefault(fold(path.rpartition("/")[2]), []).append(path)
    lengths, longest = sorted({len(name) for name in called}), max(map(len, called))
    endings = "|".join(map(re.escape, sorted(_endings(called))))
    ending = re.compile(endings, re.IGNORECASE)
    found: set[str] = set()
    for text in texts:
        for place in ending.finditer(text):
            # Three letters for one where it is written as in an address.
            start = max(0, place.end() - 3 * longest - FOLDER_CHARS)
            before = text[start : place.end()]
            for said in {fold(before), fold(unquote(before))}:
                for length in lengths:
                    ahead, name = said[:-length], said[-length:]
                    found.update(p for p in called.get(name, ()) if _is_at(p, ahead))
    return found


def _is_at(path: str, ahead: str) -> bool:
    """Whether a file may be meant by its name with this before it."""
    if ahead[-1:].isalnum():
        return False  # the name of another file ends so
    folder = fold(path.rpartition("/")[0].rpartition("/")[2])
    return _FOLDER.search(ahead) is None or (
        bool(folder) and ahead.endswith(f"{folder}/")
    )


def _endings(paths: Iterable[str]) -> set[str]:
    """Return how some files end, each with its dot, in lower case."""
    return {f".{path.rpartition('.')[2].lower()}" for path in paths}
