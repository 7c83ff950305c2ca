"""A memo as a Markdown note, and back again.

Frontmatter in a fixed order, then the text to the letter. A task is a list item with a
box. What waits in the inbox says so above its text, with a box that a person may tick.
Whatever a person adds in Obsidian, other properties among it, stays when facts change.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final, cast

from msgspec.structs import replace

from glassmind.errors import MemoryUnreadable, NotEditable, PathOutsideVault
from glassmind.files.ignore import IgnoreRules
from glassmind.files.read import safe_path
from glassmind.model import NotePath, PropertyValue
from glassmind.model.edits import ChangeProperty, is_over
from glassmind.model.memory import KEEP, MEMO_FOLDERS, MemoKind, MemoPlace, MemoryItem
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.properties import MARKER
from glassmind.obsidian.property_edits import with_property
from glassmind.obsidian.secrets import redacted
from glassmind.obsidian.yaml_text import Fact, property_lines


def marker_lines(client: str) -> tuple[str, str, str]:
    said = f"> [!agent] Captured by {client}; not approved yet"
    return said, "", f"- [ ] {KEEP}"


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
STATUS_CHARS = 80  # a status is a word or two

SUPERSEDED = "superseded"
_ENDS = re.compile(r"\r\n?")


def memo_text(memo: MemoryItem) -> str:
    lines = [line for fact in facts_of(memo) for line in property_lines(*fact)]
    above = "\n".join(marker_lines(memo.client))
    marker = f"{above}\n\n" if memo.place == "inbox" else ""
    return "\n".join(["---", *lines, "---", "", f"{marker}{body_of(memo)}", ""])


def facts_of(memo: MemoryItem) -> Iterable[tuple[str, Fact]]:
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


def body_of(memo: MemoryItem) -> str:
    """Return the text as it stands in a note: that of a task has a box."""
    if memo.kind != "task":
        return memo.text
    box = _BOX_OF.get(memo.status, memo.box or " ")
    first, *more = memo.text.split("\n")
    return "\n".join([f"- [{box}] {first}", *(line and f"  {line}" for line in more)])


def with_box(memo: MemoryItem, box: str) -> MemoryItem:
    own = _own(box)
    return replace(memo, status=BOXES.get(box, memo.status), box=own) if box else memo


def _own(box: str) -> str:
    return "" if box in BOXES else box.strip()


def kind_of_note(
    path: NotePath, properties: Mapping[str, object], folder: str
) -> MemoKind | None:
    named = properties.get("kind")
    part = path.removeprefix(f"{folder}/").partition("/")[0]
    for kind in MEMO_FOLDERS:
        if named == kind:
            return kind
    by_folder = (kind for kind, known in MEMO_FOLDERS.items() if known == part)
    return next(by_folder, None)


def memo_without_text(
    path: NotePath, properties: Mapping[str, object], folder: str
) -> MemoryItem | None:
    kind = kind_of_note(path, properties, folder)
    facts = cast("Mapping[str, PropertyValue]", properties)
    return None if kind is None else _memo_of(path, facts, "", kind, folder)


def read_memo(path: NotePath, text: str, folder: str) -> MemoryItem | None:
    """Return the memo that a note is, if it is one.

    A task whose box is ticked is over, whatever the property says.
    """
    head = read_head(text)
    said = head.frontmatter.properties
    kind = kind_of_note(path, said, folder)
    if kind is None:
        return None
    body = text[head.length :]
    if _is_marked(said, path, folder):
        body = unmarked(body)
    return _memo_of(path, said, body, kind, folder)


def _memo_of(
    path: NotePath,
    said: Mapping[str, PropertyValue],
    body: str,
    kind: MemoKind,
    folder: str,
) -> MemoryItem:
    text, box = plain_ends(body.strip("\r\n")), ""
    if kind == "task" and (match := _TASK.match(text)):
        first, *more = text[match.end() :].split("\n")
        dedented = (re.sub(r"^ {1,2}", "", line) for line in more)
        text, box = "\n".join([first, *dedented]), match["box"]
    return MemoryItem(
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
    return _ENDS.sub("\n", text) if "\r" in text else text


def unmarked(body: str) -> str:
    """Return the text of a memo without what says that it waits.

    What a person wrote above that, or into it, stays above the text.
    """
    match = _marker(body)
    if match is None:
        return body
    newline = "\r\n" if "\r\n" in match[0] else "\n"
    parts = (body[: match.start()], match["mine"], body[match.end() :])
    stripped = (part.strip("\r\n") for part in parts)
    return f"{newline}{newline}".join(part for part in stripped if part)


def _marker(body: str) -> re.Match[str] | None:
    """Return the first callout of ours with its box.

    The text of the memo stands below it, and cannot show another in its place: only
    the first box counts, and nothing that stands in code, or below it.
    """
    match, box = MARKER.search(body), _BOX.search(body)
    if match is None or box is None or box.start() < match.start("mine"):
        return None
    return None if _CODE.search(body, 0, match.start()) else match


def is_ticked(text: str) -> bool:
    match = _marker(text[read_head(text).length :])
    return match is not None and match["box"] in _TICKED


def without_marker(text: str) -> str:
    length = read_head(text).length
    body = text[length:]
    after = unmarked(body)
    newline = "\r\n" if "\r\n" in text[:length] else "\n"
    return text if after == body else f"{text[:length]}{newline}{after}{newline}"


def with_facts(text: str, facts: Mapping[str, Fact | None], path: NotePath) -> str:
    """Return a note with other properties: None removes one, everything else stays."""
    newline = "\r\n" if text.startswith("---\r\n") else "\n"
    for name, fact in facts.items():
        value: PropertyValue = (
            fact if fact is None or isinstance(fact, str | bool) else [*fact]
        )
        change = ChangeProperty(name, "unset" if fact is None else "set", value)
        try:
            text = with_property(path, text, change, newline)
        except NotEditable as error:
            raise MemoryUnreadable(path, error.reason) from error
    return text


def _is_marked(said: Mapping[str, PropertyValue], path: NotePath, folder: str) -> bool:
    """Whether a marker is ours to take off: a text that is kept may look like one."""
    said_so = said.get("generated")
    if said_so is False:  # approved: it died on its way out of the inbox, or stays
        return False
    return said_so is True or place_of(path, folder) == "inbox"


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


def _text(found: PropertyValue) -> str:
    return "" if found is None or isinstance(found, list | dict) else str(found)


def _texts(found: PropertyValue) -> tuple[str, ...]:
    items = found if isinstance(found, list) else [found]
    return tuple(text for item in items if (text := _text(item)))


TITLE_CHARS, TITLE_BYTES = 60, 180
"""As much of the first words as a list shows, and a name of 255 bytes has room for."""

INBOX, TRASH = "inbox", ".trash"
"""Where memos wait for a person, and where those go that are forgotten; what stands in
the trash is hidden from every index, ours and Obsidian's."""

_LINK = re.compile(r"!?\[\[([^\[\]|]*\|)?([^\[\]]*)\]\]|!?\[([^\[\]]*)\]\([^()]*\)")
_MARKUP = re.compile(r"^(?:[\s>#*+-]|\d+[.)]\s|\[.?\]\s)+|[*_`~=]{2,}|`")
_BARRED = re.compile(r'[\[\]#^|\\/:*?"<>\x00-\x1f\x7f]|%(?=[0-9A-Fa-f]{2})')
"""What a name may not hold on Windows or in a link of Obsidian, or what reads as an
escape."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d ")


def title_from(text: str, kind: MemoKind) -> str:
    """Return the first words of a text as a name; the kind where it has no words.

    A credential in them is hidden: a name stands in lists and links.
    """
    for line in redacted(text).splitlines():
        unlinked = _LINK.sub(lambda link: link[3] or link[2] or "", line)
        plain = _BARRED.sub(" ", _MARKUP.sub("", unlinked))
        visible = (sign for sign in plain if unicodedata.category(sign)[0] != "C")
        words = unicodedata.normalize("NFC", " ".join("".join(visible).split()))
        title = words[:TITLE_CHARS].encode()[:TITLE_BYTES].decode(errors="ignore")
        if title != words and " " in title[TITLE_CHARS // 2 :]:
            title = title.rpartition(" ")[0]
        title = title.strip(" .,;-")
        with suppress(PathOutsideVault):
            is_named = is_read(safe_path(f"2000-01-01 {title}.md"))
            if is_named and any(sign.isalnum() for sign in title):
                return title
    return kind.capitalize()


def is_read(name: str) -> bool:
    """Return true if a file of that name is indexed."""
    return IgnoreRules().file(name) is None


def title_in(path: NotePath) -> str:
    name = path.rpartition("/")[2].removesuffix(".md")
    return _DAY.sub("", name, count=1) or name


def place_of(path: NotePath, folder: str) -> MemoPlace:
    if path.startswith(f"{folder}/{INBOX}/"):
        return "inbox"
    return "trash" if path.startswith(f"{folder}/{TRASH}/") else "kept"
