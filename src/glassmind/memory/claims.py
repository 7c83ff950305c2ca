"""What a caller says of a memo, as it may be kept: bounded, clean, one line each."""

import re
from collections.abc import Sequence

from glassmind.errors import BadWish
from glassmind.errors.memory import BadMemo
from glassmind.memory.memo_file import BOXES, plain_ends
from glassmind.model.memory import CAPTURED, MemoKind
from glassmind.obsidian.elements import is_tag
from glassmind.obsidian.properties import parse_project

TEXT_BYTES = 1024 * 1024
"""A memo is a thought, not an archive; a book chapter still fits."""

PROJECT_CHARS, CLIENT_CHARS, TAG_CHARS, SOURCE_CHARS = 200, 80, 100, 1000
"""Each is a name on one line; a path of 255 letters and a heading are a source."""

MOST = 32
"""Sources, or tags, of one memo: all of them fit the frontmatter that is read."""

UNKNOWN = "unknown"
"""Who captured what nobody put a name to."""

_UNFIT = re.compile(r"[^\w .,@+:/()-]|://")
"""What a client's name has no need of, and could be a link, a tag or markup."""

_SELECTOR = re.compile(r"(?:folder|tag|property)\s*:\s*", re.IGNORECASE)
_PARTED = re.compile(r"[/\\]")
_TASK = re.compile(r"[-*+] \[(?P<box>.)\][ \t]+")
_OPEN = re.compile(r"^[ \t]*[-*+] \[ \][ \t]", re.MULTILINE)


def kind_said(kind: str) -> MemoKind:
    """Return a kind that may be captured.

    Raises:
        BadWish: there is no such kind.
    """
    found = next((known for known in CAPTURED if known == kind), None)
    if found is None:
        raise BadWish("kind", repr(kind[:40]), f"one of {', '.join(CAPTURED)}")
    return found


def text_said(text: str, kind: MemoKind) -> str:
    """Return a text as it is kept: to the letter, but for empty lines around it.

    Lines end as those of the note do.

    A task loses the box that it begins with, which is told apart: see `box_said`.

    Raises:
        BadMemo: it is empty, too large, or no text, or a task that is over with one
            below it that is not.
    """
    said = plain_ends(text.strip("\r\n"))
    if box := box_said(text, kind):
        said = _TASK.sub("", said, count=1)
        if box in BOXES and _OPEN.search(said):
            problem = "the box it begins with is over, and another is open"
            raise BadMemo("text", f"{problem}; capture each task by itself")
    if not any(sign.isprintable() and not sign.isspace() for sign in said):
        raise BadMemo("text", "it says nothing")
    if "\0" in said:
        raise BadMemo("text", "it holds NUL characters, so it would be no text file")
    try:
        size = len(said.encode())
    except UnicodeEncodeError as fault:
        raise BadMemo("text", "it holds half a character (a surrogate)") from fault
    if size > TEXT_BYTES:
        said_size = f"it has {size:,} bytes, and {TEXT_BYTES:,} are the most"
        raise BadMemo("text", f"{said_size}; keep a part of it, with its source")
    return said


def box_said(text: str, kind: MemoKind) -> str:
    """Return what is in the box that the text of a task begins with; empty for none."""
    found = _TASK.match(text.lstrip("\r\n")) if kind == "task" else None
    return found["box"] if found and found["box"].isprintable() else ""


def project_said(project: str) -> str:
    """Return a project as it was said.

    Raises:
        BadMemo: it is more than a line, or longer than a name.
    """
    said = project.strip()
    if len(said.splitlines()) > 1 or len(said) > PROJECT_CHARS:
        raise BadMemo("project", f"it is one line of at most {PROJECT_CHARS} signs")
    if is_broken(said):
        raise BadMemo("project", "it holds characters that are none")
    return said


def project_named(project: str) -> str:
    """Return a project as it is written into a memo: its name, and no selector.

    Raises:
        BadMemo: it picks notes instead of naming a project, or it is no name.
    """
    said = project_said(project)
    meant = parse_project(said)
    if meant.form != "any" or _SELECTOR.match(said):
        name = _SELECTOR.sub("", meant.name) or "Atlas"
        problem = f"{said[:80]!r} picks notes and names no project"
        raise BadMemo("project", f"{problem}; write its name alone, such as {name!r}")
    if any(part.strip() in {".", ".."} for part in _PARTED.split(said)):
        problem = f"{said[:80]!r} leads elsewhere"
        raise BadMemo("project", f"{problem}; write its name, such as 'Atlas'")
    return said


def client_said(client: str) -> str:
    """Return what a client goes by: plain words on one line."""
    words = " ".join(_UNFIT.sub(" ", client).split())
    return words[:CLIENT_CHARS].strip() or UNKNOWN


def tags_said(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags without their `#`, each once.

    Raises:
        BadMemo: one is no tag of Obsidian, or there are too many.
    """
    said = dict.fromkeys(tag.strip().removeprefix("#") for tag in tags)
    for tag in said:
        if len(tag) > TAG_CHARS or not is_tag(tag):
            problem = f"{tag[:40]!r} is none: letters, digits, _, - and / make one"
            raise BadMemo("tag", f"{problem}, and not digits alone")
    if len(said) > MOST:
        raise BadMemo("list of tags", f"{MOST} are the most")
    return tuple(said)


def is_broken(text: str) -> bool:
    """Whether a text holds what no file of text does."""
    return any("\ud800" <= sign <= "\udfff" or sign == "\0" for sign in text)
