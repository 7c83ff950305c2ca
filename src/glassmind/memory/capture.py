"""Saving memories: check what a client gives, write it, and index it at once."""

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from threading import Lock
from typing import NamedTuple

from msgspec import Struct, structs
from msgspec.structs import replace

from glassmind.errors import (
    BadMemory,
    BadWish,
    GlassmindError,
    IndexFault,
    VaultError,
)
from glassmind.memory.format import (
    BOXES,
    FIRST_STATUS,
    INBOX,
    memo_text,
    plain_ends,
    title_from,
    with_box,
)
from glassmind.memory.near import nearby
from glassmind.memory.vault import MemoryStore, not_indexed
from glassmind.memory.writing import retained, write_new
from glassmind.model import NotePath
from glassmind.model.index import GuessedNote
from glassmind.model.memory import (
    CAPTURED,
    MEMO_FOLDERS,
    Captured,
    MemoKind,
    MemoryItem,
)
from glassmind.obsidian.elements import is_tag
from glassmind.obsidian.frontmatter import MAX_BYTES, read_head
from glassmind.obsidian.properties import parse_project
from glassmind.obsidian.receipts import bare, parse_receipt, receipt_of, receipt_text
from glassmind.search.notes import notes_for
from glassmind.search.verify import verify

TEXT_BYTES = 1024 * 1024
"""A memo is a thought, not an archive; a book chapter still fits."""

PROJECT_CHARS, CLIENT_CHARS, TAG_CHARS, SOURCE_CHARS = 200, 80, 100, 1000
"""Each is on one line; a path of 255 characters and a heading are a source."""

MOST = 32  # sources, or tags, of one memo: all of them fit the frontmatter that is read

UNKNOWN = "unknown"
"""The client of a capture without a client's name."""

_UNFIT = re.compile(r"[^\w .,@+:/()-]|://")
"""What a client's name does not need, and could be a link, a tag or markup."""

_SELECTOR = re.compile(r"(?:folder|tag|property)\s*:\s*", re.IGNORECASE)
_TASK = re.compile(r"[-*+] \[(?P<box>.)\][ \t]+")
_OPEN = re.compile(r"^[ \t]*[-*+] \[ \][ \t]", re.MULTILINE)

ACCEPTED = (
    "name a receipt as context prints it, a note, or a part of one: Note.md:12-18, "
    "Note.md#Heading"
)
"""What may be a source, for errors."""


class Claim(Struct, frozen=True):
    """What a client wants to save, unchecked."""

    kind: str
    text: str
    project: str = ""
    sources: Sequence[str] = ()
    tags: Sequence[str] = ()
    client: str = "cli"
    agent: bool = False


def captured(vault: MemoryStore, claim: Claim) -> Captured:
    """Save a memory."""
    vault.check_writes("nothing was captured")
    kind = next((known for known in CAPTURED if known == claim.kind), None)
    if kind is None:
        raise BadWish("kind", repr(claim.kind[:40]), f"one of {', '.join(CAPTURED)}")
    rule = vault.config.memory.inbox
    origin = provenance_of(vault, claim.client) if claim.agent else Provenance()
    waits = rule == "all" or origin.held or (rule == "agents" and claim.agent)
    project = _project_name(claim.project)
    sources, notices = _sources(vault, claim.sources)
    checked = replace(claim, project=project, sources=sources)
    folder = INBOX if waits else MEMO_FOLDERS[kind]
    memo = _memo(vault, checked, kind, folder, origin)
    if project:
        with suppress(IndexFault), vault.faults():
            hint = vault.unknown_project(project)
            if hint is not None:
                notices.append(f"the project {project!r} is new to this vault{hint}")
    done = _saved(vault, memo, f"capture a {kind}", notices)
    sent = retained(vault, done.memory)
    return structs.replace(done, notices=(*done.notices, *sent))


def summary_kept(vault: MemoryStore, claim: Claim, title: str) -> Captured:
    """Save a summary; see `captured`.

    Its properties name the first sources only; its text names them all.
    """
    vault.check_writes("no summary was kept")
    sources, _ = _sources(vault, tuple(claim.sources)[:MOST], verified=False)
    checked = replace(claim, sources=sources)
    memo = _memo(vault, checked, "summary", MEMO_FOLDERS["summary"], Provenance())
    named = replace(memo, title=title_from(title, "summary"))
    return _saved(vault, named, "keep a summary")


def _memo(
    vault: MemoryStore, claim: Claim, kind: MemoKind, folder: str, origin: "Provenance"
) -> MemoryItem:
    text = checked_text(claim.text, kind)
    blank = MemoryItem(
        path=NotePath(f"{vault.folder}/{folder}"),
        kind=kind,
        title=title_from(text, kind),
        text=text,
        project=checked_project(claim.project),
        created=vault.now().isoformat(timespec="seconds"),
        client=_client(claim.client),
        status=FIRST_STATUS[kind],
        place="inbox" if folder == INBOX else "kept",
        sources=tuple(claim.sources),
        tags=_tags(claim.tags),
        generated=claim.agent,
        derived_from=origin.derived_from,
        untrusted=origin.untrusted,
    )
    item = with_box(blank, box_of(claim.text, kind))
    if read_head(memo_text(item)).frontmatter.error:
        raise BadMemory("memo", f"its facts take more than {MAX_BYTES:,} bytes")
    return item


def _saved(
    vault: MemoryStore, memo: MemoryItem, why: str, notices: Sequence[str] = ()
) -> Captured:
    written, digest = write_new(vault, memo, why)
    problem = ""
    if (error := vault.refresh([written.path])) is not None:
        problem = not_indexed(error)
    elif vault.exact(written.path) is None:
        problem = (
            "the index leaves it out: see index.include_agent_dir, .glassmindignore "
            "and the files that Obsidian excludes"
        )
    return Captured(
        written,
        digest,
        near=nearby(vault, written),
        indexed=not problem,
        notices=(*([f"it is kept, but {problem}"] if problem else ()), *notices),
    )


# Checks of what a client gives


def checked_text(text: str, kind: MemoKind) -> str:
    """Return a text as it is saved: without empty lines around it.

    A task loses the box that it begins with; see `box_of`.
    """
    plain = plain_ends(text.strip("\r\n"))
    if box := box_of(text, kind):
        plain = _TASK.sub("", plain, count=1)
        if box in BOXES and _OPEN.search(plain):
            problem = "the box it begins with is over, and another is open"
            raise BadMemory("text", f"{problem}; capture each task by itself")
    if not any(sign.isprintable() and not sign.isspace() for sign in plain):
        raise BadMemory("text", "it says nothing")
    if "\0" in plain:
        raise BadMemory("text", "it holds NUL characters, so it would be no text file")
    if _is_broken(plain):
        raise BadMemory("text", "it holds half a character (a surrogate)")
    if (size := len(plain.encode())) > TEXT_BYTES:
        problem = f"it has {size:,} bytes, and {TEXT_BYTES:,} are the most"
        raise BadMemory("text", f"{problem}; keep a part of it, with its source")
    return plain


def box_of(text: str, kind: MemoKind) -> str:
    match = _TASK.match(text.lstrip("\r\n")) if kind == "task" else None
    return match["box"] if match and match["box"].isprintable() else ""


def checked_project(project: str) -> str:
    """Return the name of a project; raises `BadMemory` unless it is one short line."""
    plain = project.strip()
    if len(plain.splitlines()) > 1 or len(plain) > PROJECT_CHARS:
        raise BadMemory("project", f"it is one line of at most {PROJECT_CHARS} signs")
    if _is_broken(plain):
        raise BadMemory("project", "it holds characters that are none")
    return plain


def _project_name(project: str) -> str:
    plain = checked_project(project)
    parsed = parse_project(plain)
    if parsed.form != "any" or _SELECTOR.match(plain):
        name = _SELECTOR.sub("", parsed.name) or "Atlas"
        problem = f"{plain[:80]!r} picks notes and names no project"
        raise BadMemory("project", f"{problem}; write its name alone, such as {name!r}")
    if any(part.strip() in {".", ".."} for part in re.split(r"[/\\]", plain)):
        problem = f"{plain[:80]!r} leads elsewhere"
        raise BadMemory("project", f"{problem}; write its name, such as 'Atlas'")
    return plain


def _client(client: str) -> str:
    words = " ".join(_UNFIT.sub(" ", client).split())
    return words[:CLIENT_CHARS].strip() or UNKNOWN


def _tags(tags: Sequence[str]) -> tuple[str, ...]:
    names = dict.fromkeys(tag.strip().removeprefix("#") for tag in tags)
    for name in names:
        if len(name) > TAG_CHARS or not is_tag(name):
            problem = f"{name[:40]!r} is none: letters, digits, _, - and / make one"
            raise BadMemory("tag", f"{problem}, and not digits alone")
    if len(names) > MOST:
        raise BadMemory("list of tags", f"{MOST} are the most")
    return tuple(names)


def _is_broken(text: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" or sign == "\0" for sign in text)


# Sources


def _sources(
    vault: MemoryStore, sources: Sequence[str], *, verified: bool = True
) -> tuple[tuple[str, ...], list[str]]:
    """Return sources as receipts, each once, and notices about changed ones.

    With `verified`, the lines exist; lines that moved are cited from their new place.
    """
    names = dict.fromkeys(source.strip() for source in sources)
    if len(names) > MOST:
        raise BadMemory("list of sources", f"{MOST} are the most")
    receipts: dict[str, None] = {}
    notices: dict[str, None] = {}
    for name in names:
        if not name or len(name) > SOURCE_CHARS or _is_broken(name):
            raise BadMemory("source", f"{name[:80]!r} is none: {ACCEPTED}")
        known, notice = parse_receipt(name), ""
        if known is None:
            receipt = _receipt_for(vault, bare(name))
        elif verified:
            receipt, notice = _checked_receipt(vault, receipt_text(known))
        else:
            receipt = receipt_text(known)
        receipts[receipt] = None
        notices |= {notice: None} if notice else {}
    return tuple(receipts), list(notices)


def _checked_receipt(vault: MemoryStore, receipt: str) -> tuple[str, str]:
    try:
        check = verify(vault.vault, [receipt])[0]
    except GlassmindError as error:
        raise BadMemory("source", str(error)) from error
    if check.state == "unchanged":
        return receipt, ""
    if check.state == "moved" and check.now:
        return check.now, f"a source is cited from where it stands now: {check.note}"
    if check.state == "changed":
        return receipt, f"the source {receipt} is kept as it was: {check.note}"
    raise BadMemory("source", f"the lines of {receipt} are not there: {check.note}")


def _receipt_for(vault: MemoryStore, place: str) -> str:
    try:
        with vault.faults():
            text = notes_for(vault.vault).read(place)
    except (IndexFault, VaultError) as error:
        raise BadMemory("source", f"{error}; {ACCEPTED}") from error
    if isinstance(text, GuessedNote):
        raise BadMemory("source", f"no note is called {place[:80]!r}; {ACCEPTED}")
    if not text.text.strip():
        raise BadMemory("source", f"{text.path} says nothing there")
    heading = text.heading_path[-1] if text.heading_path else ""
    return receipt_of(text.path, heading, text.span, text.text)


# Provenance: what a client read before it saved something

MOST_CLIENTS, MOST_NOTES = 500, 500
"""Clients, and notes of each, that are remembered, the latest: clients choose their
own names."""

MOST_DERIVED = 20  # notes that a capture names, the latest

NAMELESS = ("http", "mcp")
"""Clients without a name: what they were given may be any client's."""


class Provenance(NamedTuple):
    """Where a capture may come from; `held`: a person has to approve it."""

    derived_from: tuple[NotePath, ...] = ()
    untrusted: bool = False
    held: bool = False


class Given:
    """The notes that clients of a process were given; for any number of threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._notes: OrderedDict[tuple[str, str], OrderedDict[str, bool]] = (
            OrderedDict()
        )

    def hand(
        self, vault: str, client: str, texts: Iterable[str], named: Iterable[str] = ()
    ) -> None:
        with self._lock:
            known = self._notes.setdefault((vault, client), OrderedDict())
            self._notes.move_to_end((vault, client))
            for path in named:
                known.setdefault(path, False)
            for path in texts:
                known[path] = True
                known.move_to_end(path)
            while len(known) > MOST_NOTES:
                known.popitem(last=False)
            while len(self._notes) > MOST_CLIENTS:
                self._notes.popitem(last=False)

    def to(self, vault: str, client: str) -> dict[str, bool]:
        found: dict[str, bool] = {}
        with self._lock:
            for name in dict.fromkeys((*NAMELESS, client)):
                for path, is_text in self._notes.get((vault, name), {}).items():
                    found[path] = found.pop(path, False) or is_text
        return found


GIVEN = Given()
"""What was given in this process."""


def provenance_of(vault: MemoryStore, client: str) -> Provenance:
    given = GIVEN.to(str(vault.root), client)
    texts = [NotePath(path) for path, is_text in given.items() if is_text]
    untrusted = bool(given) and vault.is_untrusted([NotePath(path) for path in given])
    held = untrusted and vault.config.writes.approve_after_untrusted
    try:
        with vault.faults():  # only notes that this client may read are named
            known = [
                path for path in texts[-MOST_DERIVED:] if vault.exact(path) == path
            ]
    except IndexFault:
        known = []
    return Provenance(tuple(known), untrusted, held)
