"""Read an Excalidraw drawing: a note whose text elements and links are worth finding.

The drawing itself (JSON, plain or compressed, fenced or bare) is no text. It stands at
the end of the file, so the note's text is the file up to it, and lines and offsets are
those of the file. Where something follows the drawing, its lines are left empty
instead; line numbers then still agree with the file, offsets behind it do not.

The ids that Excalidraw puts behind each text element (`^abc12345`) are block ids: links
lead to them, so they stay where they are.
"""

import re
from typing import Final

from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.obsidian.parse import parse_note

SUFFIX: Final = ".excalidraw.md"

FRONTMATTER_CHARS: Final = 65_536
"""How far the property that marks a drawing is looked for: the cap on frontmatter."""

_PROPERTY: Final = re.compile(r"^[\"']?excalidraw-plugin[\"']?[ \t]*:", re.MULTILINE)
_CLOSING: Final = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_HEADING: Final = re.compile(r"^#{1,2} Drawing[ \t]*\r?\n\s*", re.MULTILINE)
_FENCE: Final = re.compile(
    r"^(`{3,}|~{3,})[ \t]*(compressed-json|json)[ \t]*\r?\n\s*", re.MULTILINE
)
_COMMENT: Final = re.compile(r"^%%[ \t]*\r?$", re.MULTILINE)
_OPENER: Final = re.compile(
    r"^%%(?=\s*^#{1,2} (?:Excalidraw Data|Text Elements)\b)", re.MULTILINE
)


def is_excalidraw(path: NotePath, text: str) -> bool:
    """Whether a note is a drawing, by its name or by its frontmatter."""
    if path.lower().endswith(SUFFIX):
        return True
    if not text.startswith("---"):
        return False
    closing = _CLOSING.search(text, 3, FRONTMATTER_CHARS)
    end = closing.start() if closing else 0
    return _PROPERTY.search(text, 3, end) is not None


def parse_excalidraw(path: NotePath, text: str) -> Note:
    """Return what a drawing says in words; its `text` holds no drawing."""
    words = without_drawing(text.removeprefix("\ufeff"))
    # Newer files open their comment above the text elements. These are to be read as
    # text, so the mark is painted over, at equal length, while parsing.
    opener = _OPENER.search(words)
    if opener is None:
        return parse_note(path, words)._replace(kind="excalidraw")
    start, end = opener.span()
    note = parse_note(path, f"{words[:start]}  {words[end:]}")
    shown = f"{note.text[:start]}%%{note.text[end:]}"
    return note._replace(kind="excalidraw", text=shown)


def without_drawing(text: str) -> str:
    """Return the text of a file without its drawing; line numbers stay as they are."""
    found = _drawing(text)
    if found is None:
        return text
    start, end = found
    if not text[end:].strip():
        return text[:start]
    return text[:start] + "\n" * text.count("\n", start, end) + text[end:]


def _drawing(text: str) -> tuple[int, int] | None:
    """Where the drawing stands, with its heading and the comment marks around it."""
    for heading in _HEADING.finditer(text):
        fence = _FENCE.match(text, heading.end())
        if fence is not None:
            return _with_marks(text, heading.start(), _fence_end(text, fence))
        if text.startswith("{", heading.end()):
            mark = _COMMENT.search(text, heading.end())
            end = mark.start() if mark else len(text)
            return _with_marks(text, heading.start(), end)
    for fence in _FENCE.finditer(text):
        if fence[2] == "compressed-json" or _is_scene(text, fence.end()):
            return _with_marks(text, fence.start(), _fence_end(text, fence))
    return None


def _is_scene(text: str, at: int) -> bool:
    opening = text[at : at + 200]
    return opening.startswith("{") and '"excalidraw"' in opening


def _fence_end(text: str, fence: re.Match[str]) -> int:
    closing = re.compile(rf"^{fence[1]}+[ \t]*\r?$", re.MULTILINE)
    found = closing.search(text, fence.end())
    return found.end() if found else len(text)


def _with_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Take in the comment marks that stand right before and behind."""
    before = text[:start].rstrip()
    if before.endswith("%%") and _COMMENT.match(text, len(before) - 2):
        start = len(before) - 2
    behind = _COMMENT.match(text, end + len(text[end:]) - len(text[end:].lstrip()))
    return start, behind.end() if behind else end
