"""What an answer shows of the vault, read off its values.

Every verb of every surface answers with values of JSON, so this one look at them tells
which notes a client was given, and no verb has to remember to say so. It errs on the
side of more: a text beside the path of a note counts as text of that note unless its
name is known for something else, so that what a new verb shows is on record before
anybody thinks of it here.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from glassmind.markdown.receipts import parse_receipt
from glassmind.types.ledger import Passage, Shown

Quotes: TypeAlias = Mapping[str, tuple[str, ...]]

LISTS = (list, tuple)
HOLDING = (dict, *LISTS)

NOTES = (".md", ".canvas", ".base")
"""How paths of notes end."""

STUBS = "_stub/"
"""How the id of a note begins that nobody wrote; see `brain_stubs`."""

PATHS = ("path", "id", "nodeId", "source", "sourceId", "note", "file")
"""Under what the note stands that the texts beside it are of; the first that is one."""

LINES = ("line", "chunkStartLine")

NAMES = frozenset(
    ("children", "connected_via", "cycles", "derived_from", "examples", "files",
     "gone", "hub", "incoming", "last_connections_root", "last_file_deleted",
     "last_file_outgoing", "last_file_read", "last_search_results", "members",
     "namesakes", "nodeIds", "nodes", "now", "other_path", "outgoing", "paths",
     "roots", "shared_notes", "sources", "superseded_by", "supersedes", "target",
     "targetId", "to", "via", *PATHS)
)  # fmt: skip
"""What may name notes and is never text of one. What a caller asked is not among it: a
question may end like the path of a note."""

PLAIN = frozenset(
    ("action", "advice", "aliases", "approve", "box", "changeset", "channel",
     "channels", "check", "chunkHeading", "chunkId", "client", "commit", "created",
     "date", "day", "degraded", "digest", "directions", "finding", "fix", "format",
     "hash",
     "heading", "heading_path", "index", "intent", "key", "kind", "label", "level",
     "link", "links", "match_reason", "matched", "message", "metric", "mode",
     "modified", "name", "next_cursor", "notices", "origin", "other_title",
     "other_uri", "place", "previewId", "problem", "problems", "project",
     "property", "query", "reason", "reasons", "receipt", "receipts", "risks",
     "rule", "section", "severity", "shared_tags", "source_title", "source_uri",
     "standing", "state", "status", "summary", "support", "tag", "tags",
     "target_title", "target_uri", "time", "title", "tokenizer", "tool",
     "troubles", "undoes", "untrusted", "uri", "vault", "verb", "verdict",
     "warning", "warnings", "why")
)  # fmt: skip
"""What tells of a note and is no text of it: names, times, addresses, our own words."""

LINE = "line"
"""What names notes among other words, where it is a text: the line of a dismissal."""

SKIPPED = frozenset(
    ("next_actions", "args", "stub", "counts", "aliases", "channels", "degraded",
     "directions", "heading_path", "lines", "marks", "notices", "reasons",
     "shared_tags", "tags")
)  # fmt: skip
"""Lists and tables without a note: names that the caller said or is told elsewhere, a
note yet to be written, and words of our own."""

TEXTS = frozenset(("properties", "frontmatter", "snippet"))
"""Text of a note in a table, whose keys may be the note's own and say nothing to us."""

OF_OUTER = frozenset(("mentions",))
"""Texts of the note that is asked about, listed under what they name."""

OWN = "outgoing"
"""Links of a note: what stands around them is its own text, not that of their ends."""

SHARED = "events"
"""Links to and from a note, whose sentence may be of either end."""

_FILE = re.compile(r"^--- (?:a/(.+)|/dev/null)\n\+\+\+ b/(.+)$", re.MULTILINE)
_KEYED = re.compile(r'"([^"]+)"')
_MOVED = re.compile(r"^(?:rename from|rename to|deleted|kept as) (.+)$", re.MULTILINE)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+", re.MULTILINE)


def shown_in(values: object, quotes: Quotes | None = None) -> Shown:
    """Return the passages that values hold, and the notes that they name beside.

    `quotes` are reasons that hold text of other notes than that which they are for.
    """
    found = _Found(quotes or {})
    found.within("", values, None, None)
    given = {one.path for one in found.passages}
    named = (path for path in found.named if path not in given)
    return Shown(tuple(found.passages), tuple(named))


def named_notes(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts that are paths of notes, each once."""
    return tuple(dict.fromkeys(text for text in texts if _is_note(text)))


class _Owner:
    """The note, or some lines of it, that the texts in some values are of."""

    __slots__ = ("first", "has_text", "last", "path")

    def __init__(self, path: str, lines: tuple[int, int]) -> None:
        self.path, (self.first, self.last) = path, lines
        self.has_text = False


class _Found:
    """What was found so far, each once and in the order it came."""

    def __init__(self, quotes: Quotes) -> None:
        self._quotes = quotes
        self.passages: dict[Passage, None] = {}
        self.named: dict[str, None] = {}

    def within(
        self, key: str, value: Any, owner: _Owner | None, outer: _Owner | None
    ) -> None:
        """Look through what stands under a key of the values of `owner`.

        Those stand inside the values of `outer`.
        """
        inner = outer if key in OF_OUTER else owner
        if isinstance(value, dict):
            self._values(value, inner)
            return
        for one in value if isinstance(value, LISTS) else ():
            if isinstance(one, str):
                if key not in PLAIN:
                    self._text(key, one, inner)
            elif isinstance(one, dict) and key == OWN and inner is not None:
                self._end(one, inner)
            elif isinstance(one, dict):
                self._values(one, inner)
                if key == SHARED and inner is not None and _has_text(one):
                    inner.has_text = True
            else:
                self.within(key, one, owner, outer)

    def _values(self, values: Mapping[str, Any], outer: _Owner | None) -> None:
        owner, quotes = _owner_of(values, outer), self._quotes
        for key, value in values.items():
            if isinstance(value, str):
                if quotes and value in quotes:
                    quoted = map(Passage, quotes[value])
                    self.passages |= dict.fromkeys(quoted)
                if key not in PLAIN:
                    self._text(key, value, owner)
            elif not value or key in SKIPPED or not isinstance(value, HOLDING):
                continue
            elif key in TEXTS and owner is not None:
                owner.has_text = True
            else:
                self.within(key, value, owner, outer)
        if owner is not None and owner is not outer:
            if owner.has_text:
                self.passages[Passage(owner.path, owner.first, owner.last)] = None
            else:
                self.named[owner.path] = None

    def _text(self, key: str, value: str, owner: _Owner | None) -> None:
        """Take a text that is not `PLAIN`."""
        if key in NAMES:
            if _is_note(value):
                self.named[value] = None
            elif "@" in value and (cited := parse_receipt(value)):
                self.named[cited.path] = None
        elif key == LINE:
            self.named |= dict.fromkeys(named_notes(_KEYED.findall(value)))
        elif not value or (key == "diff" and self._diff(value)):
            return
        elif owner is not None:
            owner.has_text = True

    def _end(self, values: Mapping[str, Any], owner: _Owner) -> None:
        """Take the end of a link that `owner` has, with its own text around it."""
        end = _owner_of(values, None)
        if end is not None:
            self.named[end.path] = None
        owner.has_text = owner.has_text or _has_text(values)

    def _diff(self, text: str) -> bool:
        """Take the lines that a diff shows of files as they were, if it is one."""
        heads, moved = list(_FILE.finditer(text)), _MOVED.findall(text)
        self.named |= dict.fromkeys(named_notes(moved))
        ends = [*(head.start() for head in heads[1:]), len(text)]
        for head, end in zip(heads, ends, strict=False):
            self.named[head[2]] = None
            for hunk in _HUNK.finditer(text, head.end(), end) if head[1] else ():
                first, count = int(hunk[1]), int(hunk[2] or 1)
                if count:
                    self.passages[Passage(head[1], first, first + count - 1)] = None
        return bool(heads or moved)


def _owner_of(values: Mapping[str, Any], outer: _Owner | None) -> _Owner | None:
    """Return what the texts of some values are of."""
    path = values.get("path")  # most often, and at once
    if not path or not _is_path(path):
        path = next((p for p in map(values.get, PATHS) if p and _is_path(p)), None)
    lines, receipt = _lines_in(values), values.get("receipt")
    if path is not None and values.get("ghost") is True:
        return None
    if lines is None and isinstance(receipt, str) and receipt:
        cited = parse_receipt(receipt)
        if cited is not None:
            path = path or cited.path
            lines = (cited.span.start, cited.span.end)
    if path is not None:
        return _Owner(path, lines or (0, 0))
    if lines is None or outer is None:
        return outer
    return _Owner(outer.path, lines)


def _is_path(value: object) -> bool:
    return isinstance(value, str) and _is_note(value)


def _lines_in(values: Mapping[str, Any]) -> tuple[int, int] | None:
    lines = values.get("lines")
    if lines and isinstance(lines, LISTS) and len(lines) == 2:  # noqa: PLR2004
        first, last = lines
    elif values.keys().isdisjoint(LINES):
        return None
    else:
        first = values.get("line") or values.get("chunkStartLine")
        last = values.get("chunkEndLine", first)
    if isinstance(first, int) and isinstance(last, int) and first > 0:
        return (first, last)
    return None


def _has_text(values: Mapping[str, Any]) -> bool:
    return any(
        isinstance(value, str) and value and key not in PLAIN and key not in NAMES
        for key, value in values.items()
    )


def _is_note(text: str) -> bool:
    return text[-7:].lower().endswith(NOTES) and not text.startswith(STUBS)
