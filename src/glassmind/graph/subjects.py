"""What the subjects of findings name: the notes in them, by their paths."""

import re
from collections.abc import Iterator, Mapping, Sequence

from glassmind.model import NotePath

PAIRED = " <> "
"""Between the paths of two notes in a subject."""

_ONE = re.compile(r"(.+)", re.DOTALL)
_TWO = re.compile(rf"(.+?){PAIRED}(.+)", re.DOTALL)
_ONE_OR_TWO = re.compile(rf"(.+?)(?:{PAIRED}(.+))?", re.DOTALL)

SHAPES: Mapping[str, re.Pattern[str]] = {
    "invalid_yaml": _ONE,
    "conflict_copies": _ONE_OR_TWO,
    "missing_reciprocal": re.compile(r"(.+?\.md) .+?: (.+)", re.DOTALL),
    "broken_links": re.compile(r"(.+?) -> ([^#]+)#.*", re.DOTALL),
    "orphans": _ONE,
    "near_duplicates": _TWO,
    "weakly_tied": _TWO,
    "category_mismatch": _ONE,
    "god_nodes": _ONE,
    "stale_themes": _ONE,
    "one_source": re.compile(r"(.+) <- \S+", re.DOTALL),
    "oversized": _ONE,
    "unlinked_attachments": _ONE,
}
"""How the subjects of each check are made; the groups are paths.

The other checks are about words that stand in many notes."""

WORDED = frozenset(["one_source"])
"""Checks with subjects of a file and of words that may stand in any others."""


def paths_in(check: str, subject: str) -> tuple[NotePath, ...]:
    """Return the files that a subject names, in order; none where it names none."""
    found = SHAPES[check].fullmatch(subject) if check in SHAPES else None
    return () if found is None else tuple(NotePath(p) for p in found.groups() if p)


def names_all(check: str) -> bool:
    """Whether the files that a subject names are all that its finding is about."""
    return check in SHAPES and check not in WORDED


def renamed(
    check: str, subject: str, now: Mapping[NotePath, NotePath]
) -> Iterator[str]:
    """Yield what a finding may be called after its notes got the names in `now`.

    Of two notes that are alike the one that comes first stands first.
    """
    paths = paths_in(check, subject)
    called = [now.get(path, path) for path in paths]
    yield _with_paths(check, subject, called)
    if SHAPES.get(check) is _TWO and tuple(called) != paths:
        yield _with_paths(check, subject, sorted(called))


def _with_paths(check: str, subject: str, paths: Sequence[NotePath]) -> str:
    """Return a subject with other paths in the place of its own."""
    found = SHAPES[check].fullmatch(subject) if paths else None
    if found is None:
        return subject
    parts, at = [], 0
    for group, path in enumerate(paths, 1):
        parts += [subject[at : found.start(group)], path]
        at = found.end(group)
    return "".join([*parts, subject[at:]])
