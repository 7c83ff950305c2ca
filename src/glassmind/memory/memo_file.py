"""A memo as a Markdown note, and back again.

Frontmatter in a fixed order, then the text to the letter. A task is a list item with a
box. What waits in the inbox says so above its text, with a box that a person may tick.
Whatever a person adds in Obsidian, other properties among it, stays when facts change.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, cast

from glassmind.errors.memory import MemoUnreadable
from glassmind.memory.memo_names import kind_in, place_of, title_in
from glassmind.model import NotePath, PropertyValue
from glassmind.model.memory import KEEP, Memo, MemoKind, marker_lines
from glassmind.model.statuses import is_over
from glassmind.obsidian.frontmatter import Head, read_head
from glassmind.obsidian.properties import MARKER
from glassmind.obsidian.yaml_text import Fact, property_lines

FIRST_STATUS: Final[dict[MemoKind, str]] = {
    "memory": "current",
    "decision": "current",
    "task": "open",
    "question": "open",
    "summary": "current",
}
"""What a memo is when it is new."""

_BOX = re.compile(rf"^[ \t>]*[-*+] \[(?P<box>.)\] {KEEP}\b", re.MULTILINE)
_CODE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)

_TASK = re.compile(r"[-*+] \[(?P<box>.)\] ?")
_TICKED = frozenset("xX")
BOXES = {"x": "done", "X": "done", "-": "cancelled"}
"""What boxes of tasks say; all others are open, as tasks are counted in Obsidian."""

_BOX_OF = {"done": "x", "cancelled": "-"}
STATUS_CHARS = 80
"""A status is a word or two."""

SUPERSEDED = "superseded"
_ENDS = re.compile(r"\r\n?")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ENTRY = re.compile(r"""(["']?)(?P<name>[^\s"'#:-][^"':]*)\1[ \t]*:(?=\s|\Z)""")


def memo_text(memo: Memo) -> str:
    """Return the note of a memo, whole."""
    lines = [line for fact in facts_of(memo) for line in property_lines(*fact)]
    marker = f"{marker_of(memo)}\n\n" if memo.place == "inbox" else ""
    return "\n".join(["---", *lines, "---", "", f"{marker}{body_of(memo)}", ""])


def facts_of(memo: Memo) -> Iterable[tuple[str, Fact]]:
    """Yield what the frontmatter says, in its order; what is empty is left out."""
    facts: tuple[tuple[str, Fact], ...] = (
        ("kind", memo.kind),
        ("project", memo.project),
        ("created", memo.created),
        ("client", memo.client),
        ("sources", memo.sources),
        ("status", memo.status),
        ("tags", memo.tags),
        ("generated", memo.generated),
        ("derived-from", memo.derived_from),
        ("untrusted", memo.untrusted),
        ("supersedes", memo.supersedes),
        ("superseded-by", memo.superseded_by),
    )
    return (fact for fact in facts if fact[1])


def marker_of(memo: Memo) -> str:
    """Return what stands above a memo that waits for a person."""
    return "\n".join(marker_lines(memo.client))


def body_of(memo: Memo) -> str:
    """Return the text as it stands in a note: that of a task has a box."""
    if memo.kind != "task":
        return memo.text
    box = _BOX_OF.get(memo.status, memo.box or " ")
    first, *more = memo.text.split("\n")
    return "\n".join([f"- [{box}] {first}", *(line and f"  {line}" for line in more)])


def with_box(memo: Memo, box: str) -> Memo:
    """Return a task as its box says it is; as it was where that says nothing."""
    if not box:
        return memo
    return replace(memo, status=BOXES.get(box, memo.status), box=_own(box))


def _own(box: str) -> str:
    """Return what stands in a box, where no status says the same."""
    return "" if box in BOXES else box.strip()


def read_memo(path: NotePath, text: str, folder: str) -> Memo | None:
    """Return the memo that a note is, by its `kind` or its folder; None for none.

    A task whose box is ticked is over, whatever the property says. A note that holds
    the memos of a project is none itself: see `memo_sections`.
    """
    head = read_head(text)
    said = head.frontmatter.properties
    if said.get("layout") == "project":
        return None
    kind = _kind(said.get("kind")) or kind_in(path, folder)
    if kind is None:
        return None
    body = text[head.length :]
    if _is_marked(said, path, folder):
        body = unmarked(body)
    return memo_from(path, said, body, kind, folder=folder)


def memo_from(
    path: NotePath,
    said: Mapping[str, PropertyValue],
    body: str,
    kind: MemoKind,
    *,
    folder: str,
) -> Memo:
    """Return the memo of some properties and a text; its lines end plainly."""
    text, box = plain_ends(body.strip("\r\n")), ""
    if kind == "task":
        text, box = _unboxed(text)
    return Memo(
        path=path,
        kind=kind,
        title=title_in(path),
        text=text,
        project=_text(said.get("project")),
        created=_text(said.get("created")),
        client=_text(said.get("client")),
        status=_status(said, kind, box),
        place=place_of(path, folder),
        sources=_texts(said.get("sources")),
        tags=_texts(said.get("tags")),
        generated=said.get("generated") is True,
        superseded_by=_text(said.get("superseded-by")),
        supersedes=", ".join(_texts(said.get("supersedes"))),
        derived_from=_texts(said.get("derived-from")),
        untrusted=said.get("untrusted") is True,
        box=_own(box),
    )


def plain_ends(text: str) -> str:
    """Return a text whose lines end with a line feed; returns end them for Markdown."""
    return _ENDS.sub("\n", text) if "\r" in text else text


def unmarked(body: str) -> str:
    """Return the text of a memo without what says that it waits.

    What a person wrote above that, or into it, stays above the text.
    """
    found = _marker(body)
    if found is None:
        return body
    newline = "\r\n" if "\r\n" in found[0] else "\n"
    parts = (body[: found.start()], found["mine"], body[found.end() :])
    stripped = (part.strip("\r\n") for part in parts)
    return f"{newline}{newline}".join(part for part in stripped if part)


def _marker(body: str) -> re.Match[str] | None:
    """Return the first callout of ours with its box.

    The text of the memo stands below it, and cannot show another in its place: only
    the first box counts, and nothing that stands in code, or below it.
    """
    found, box = MARKER.search(body), _BOX.search(body)
    if found is None or box is None or box.start() < found.start("mine"):
        return None
    return None if _CODE.search(body, 0, found.start()) else found


def is_ticked(text: str) -> bool:
    """Whether a person ticked the box of a memo that waits."""
    found = _marker(text[read_head(text).length :])
    return found is not None and found["box"] in _TICKED


def is_oddly_ticked(text: str) -> bool:
    """Whether a box is ticked that may be ours, but does not stand where we put it."""
    body = text[read_head(text).length :]
    ticked = any(found["box"] in _TICKED for found in _BOX.finditer(body))
    return ticked and _marker(body) is None


def without_marker(text: str) -> str:
    """Return the note of a memo that has not to wait any more."""
    length = read_head(text).length
    body = text[length:]
    after = unmarked(body)
    newline = "\r\n" if "\r\n" in text[:length] else "\n"
    return text if after == body else f"{text[:length]}{newline}{after}{newline}"


def with_facts(text: str, facts: Mapping[str, Fact | None], path: NotePath) -> str:
    """Return a note with other properties; None takes one away, all else stays.

    Raises:
        MemoUnreadable: the frontmatter cannot be changed without losing something.
    """
    head = read_head(text)
    if head.frontmatter.error:
        raise MemoUnreadable(path, head.frontmatter.error)
    lines = _block(text, head)
    newline = "\r\n" if text[: head.length].startswith("---\r\n") else "\n"
    for name, fact in facts.items():
        new = [] if fact is None else property_lines(name, fact)
        lines = _replaced(lines, name, [f"{line}{newline}" for line in new])
    block = f"---{newline}{''.join(lines)}---{newline}"
    changed = block + (text[head.length :] or newline)
    _check(changed, head, facts, path)
    return changed


def _block(text: str, head: Head) -> list[str]:
    """Return the lines between the two marks of a frontmatter, with their ends."""
    return _LINE.findall(text[: head.length])[1:-1] if head.length else []


def _replaced(lines: list[str], name: str, new: list[str]) -> list[str]:
    """Return the lines of a block with those of one property replaced, or added."""
    start = next((n for n, line in enumerate(lines) if _named(line) == name), None)
    if start is None:
        return [*lines, *new]
    end = start + 1
    while end < len(lines) and lines[end][0] in " \t-" and lines[end].strip():
        end += 1
    return [*lines[:start], *new, *lines[end:]]


def _named(line: str) -> str:
    found = _ENTRY.match(line)
    return found["name"].strip() if found else ""


def _check(
    changed: str, before: Head, facts: Mapping[str, Fact | None], path: NotePath
) -> None:
    """Refuse a change that did more, or less, than it was to do."""
    wanted = dict(before.frontmatter.properties)
    for name, fact in facts.items():
        wanted.pop(name, None)
        if fact is not None:
            wanted[name] = fact if isinstance(fact, str | bool) else list(fact)
    after = read_head(changed).frontmatter
    if after.error or after.properties != wanted:
        reason = "its properties are written in a way that cannot be changed here"
        raise MemoUnreadable(path, f"{reason}; edit them in Obsidian")


def _is_marked(said: Mapping[str, PropertyValue], path: NotePath, folder: str) -> bool:
    """Whether a marker is ours to take off: a text that is kept may look like one."""
    said_so = said.get("generated")
    if said_so is False:  # approved: it died on its way out of the inbox, or stays
        return False
    return said_so is True or place_of(path, folder) == "inbox"


def _unboxed(text: str) -> tuple[str, str]:
    """Return the text of a task without its box, and what is in the box."""
    found = _TASK.match(text)
    if found is None:
        return text, ""
    first, *more = text[found.end() :].split("\n")
    return "\n".join([first, *(_dedented(line) for line in more)]), found["box"]


def _dedented(line: str) -> str:
    return line[min(2, len(line) - len(line.lstrip(" "))) :]


def _status(said: Mapping[str, PropertyValue], kind: MemoKind, box: str) -> str:
    """Return what a memo is by its property and its box, in a person's own word.

    What one of both says to be over is over: a person changes but one of them.
    """
    found = said.get("status")
    word = " ".join(found.split())[:STATUS_CHARS] if isinstance(found, str) else ""
    if word == SUPERSEDED or said.get("superseded-by"):
        return SUPERSEDED
    if box in BOXES and not is_over(word, decided=False):
        return BOXES[box]
    return word or FIRST_STATUS[kind]


def _kind(found: PropertyValue) -> MemoKind | None:
    known = isinstance(found, str) and found in FIRST_STATUS
    return cast("MemoKind", found) if known else None


def _text(found: PropertyValue) -> str:
    return "" if found is None or isinstance(found, list | dict) else str(found)


def _texts(found: PropertyValue) -> tuple[str, ...]:
    items = found if isinstance(found, list) else [found]
    return tuple(text for item in items if (text := _text(item)))
