"""Checks of files: properties that cannot be read, sizes, attachments left over."""

import re
from urllib.parse import unquote

from glassmind.knowledge.health.sight import Sight
from glassmind.types.health import Finding
from glassmind.vault.attachments import is_attachment
from glassmind.vault.resolve import fold

OVERSIZED_TOKENS = 25_000
"""About a hundred pages: a fifth of what a model with 128,000 tokens can hold, so that
an agent which reads the note has room for little else."""

_LINE = re.compile(r" \(line (\d+)\)")
_SHOWN = re.compile(r"""(?:src|href)\s*=\s*["']?([^"'>\s][^"'>]*)""", re.IGNORECASE)
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
            found.append(Finding("invalid_yaml", note.path, note.path, at, what))
    return found


def oversized(sight: Sight) -> list[Finding]:
    """Return the notes that are too long to be read at once, the longest first."""
    found = [
        Finding("oversized", path, path, 0, "too large to be indexed")
        for path, reason in sight.rows.skipped()
        if _TOO_LARGE in reason and path.endswith(".md")
    ]
    long = [note for note in sight.written if note.tokens > OVERSIZED_TOKENS]
    long.sort(key=lambda note: (-note.tokens, note.path))
    for note in long:
        what = f"about {note.tokens:,} tokens long"
        found.append(Finding("oversized", note.path, note.path, 0, what))
    return found


def unlinked_attachments(sight: Sight) -> list[Finding]:
    """Return the pictures, sounds, films and papers that no note shows or names.

    A property may name one without a link, and HTML may show one.
    """
    files = [
        path
        for path in sight.rows.unlinked_attachments()
        if is_attachment(path) and sight.is_written(path)
    ]
    named = _named_files(sight) if files else set()
    return [
        Finding(
            "unlinked_attachments",
            path,
            path,
            0,
            "no indexed note shows it or links to it",
        )
        for path in files
        if fold(path.rpartition("/")[2]) not in named
    ]


def _named_files(sight: Sight) -> set[str]:
    """Return the folded names of files that are named otherwise than by a link."""
    texts = [one.value for one in sight.said if isinstance(one.value, str)]
    lists = [one.value for one in sight.said if isinstance(one.value, list)]
    texts += [value for values in lists for value in values if isinstance(value, str)]
    for text in sight.rows.marked_up():
        texts += _SHOWN.findall(text)
    return {fold(unquote(text).rpartition("/")[2].strip()) for text in texts}
