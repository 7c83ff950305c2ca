"""Put a text in the place of another: one that stands there once, or is most alike."""

import re
from collections.abc import Sequence

from glassmind.edit.text.likeness import LONGEST_CHARS, Window, nearest
from glassmind.edit.text.page import Page, Planned
from glassmind.errors.editing import BadEdit, EditRefused, NoMatch, SeveralMatches
from glassmind.model.editing import Replace, Splice
from glassmind.obsidian.positions import line_at

NAMED = 3
"""How many of the nearest are named where nothing matches."""

NEAR = 0.4
"""Less alike is not worth naming."""

CLOSE = 0.05
"""Two places whose likeness differs by less cannot be told apart by it."""

SHOWN_CHARS = 400
"""Of a longer text the beginning is enough to say where it nearly stands."""

LARGEST_CHARS = 1_000_000
"""In a longer note the nearest are not looked for: that takes seconds."""

_HOW = "give more of the text around it, so that it occurs once"
_STOPS = ".?!"


def replaced(page: Page, edit: Replace) -> Planned:
    """Return how one text is replaced by another.

    Raises:
        BadEdit: there is nothing to look for, or no such threshold.
        NoMatch: it does not stand there, nor does anything so much alike.
        SeveralMatches: it stands there, or something as much alike, several times.
    """
    if not edit.find:
        raise BadEdit("there is no text to look for")
    text = page.written(edit.text)
    exact = _exact(page, edit.find)
    if len(exact) == 1:
        start, end = exact[0]
        return _planned(page, Splice(start, end, text), 1.0)
    if exact:
        raise _several(page, edit.find, exact)
    if edit.fuzzy is None:
        raise _missing(page, edit.find)
    start, end, alike = _loose(page, edit.find, edit.fuzzy)
    if text[-1:].decode("latin-1") in tuple(_STOPS) and _stop_follows(page, end):
        end += 1
    return _planned(page, Splice(start, end, text), alike)


def _planned(page: Page, splice: Splice, alike: float) -> Planned:
    found = page.source[splice.start : splice.end].decode()
    return Planned([splice], facts={"similarity": round(alike, 4), "found": found})


def _exact(page: Page, find: str) -> list[tuple[int, int]]:
    """Return where a text stands, overlaps too, be lines ended as they may."""
    pieces = re.split(rb"\r\n?|\n", find.encode(errors="surrogatepass"))
    # A pattern takes twice as long, and most texts are of one line.
    if len(pieces) == 1:
        return _plain(page.source, pieces[0])
    pattern = rb"(?:\r\n|(?<!\r)\n)".join(map(re.escape, pieces))
    return [
        match.span(1) for match in re.finditer(rb"(?=(" + pattern + rb"))", page.source)
    ]


def _plain(source: bytes, find: bytes) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = source.find(find)
    while at >= 0:
        found.append((at, at + len(find)))
        at = source.find(find, at + 1)
    return found


def _loose(page: Page, find: str, least: float) -> tuple[int, int, float]:
    """Return the one stretch of the body that is most like a text.

    The same in another case goes before all that is only alike.
    """
    if not 0 < least <= 1:
        raise BadEdit(f"similarity must be above 0 and at most 1 (got {least})")
    if len(find) > LONGEST_CHARS:
        raise BadEdit(f"only up to {LONGEST_CHARS} characters are looked for loosely")
    body = page.source[page.note.frontmatter.end :].decode()
    same = [Window(*span, 1.0) for span in _caseless(body, find)]
    found = same or nearest(body, find, least=least, limit=10)
    if not found:
        raise _missing(page, find)
    best = found[0]
    as_good = [w for w in found if w.likeness > best.likeness - CLOSE]
    spans = [_bytes_of(page, body, window) for window in as_good]
    if len(spans) > 1:
        raise _several(page, find, sorted(spans))
    return (*spans[0], best.likeness)


def _caseless(body: str, find: str) -> list[tuple[int, int]]:
    pieces = re.split(r"\r\n?|\n", find)
    pattern = r"(?:\r\n|(?<!\r)\n)".join(map(re.escape, pieces))
    found = re.finditer(f"(?=({pattern}))", body, re.IGNORECASE)
    return [match.span(1) for match in found]


def _bytes_of(page: Page, body: str, window: Window) -> tuple[int, int]:
    start = page.note.frontmatter.end + len(body[: window.start].encode())
    return start, start + len(body[window.start : window.end].encode())


def _stop_follows(page: Page, end: int) -> bool:
    """Whether one full stop follows: a text that brings its own takes its place."""
    stops = tuple(mark.encode() for mark in _STOPS)
    after = page.source[end : end + 2]
    return after[:1] in stops and after[1:] not in stops


def _several(page: Page, find: str, spans: Sequence[tuple[int, int]]) -> SeveralMatches:
    lines = [line_at(page.starts, start) for start, _ in spans]
    return SeveralMatches(page.path, find, lines, _HOW)


def _missing(page: Page, find: str) -> EditRefused:
    """Return that a text does not stand there, with what is most like it."""
    text = page.note.text
    near: list[Window] = []
    if len(text) <= LARGEST_CHARS:
        near = nearest(text, find[:SHOWN_CHARS], least=NEAR, limit=NAMED)
    named = [
        (1 + text.count("\n", 0, w.start), text[w.start : w.end], round(w.likeness, 4))
        for w in near
    ]
    return NoMatch(page.path, find, named)
