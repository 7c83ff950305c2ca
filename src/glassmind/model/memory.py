"""What agents and people leave in the agent folder, and how warm notes are."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from glassmind.model import Digest, NotePath

MemoKind: TypeAlias = Literal["memory", "decision", "task", "question", "summary"]
MEMO_FOLDERS: dict[MemoKind, str] = {
    "memory": "memories",
    "decision": "decisions",
    "task": "tasks",
    "question": "tasks",
    "summary": "summaries",
}
"""The folder of each kind below the agent folder."""

CAPTURED: tuple[MemoKind, ...] = ("memory", "decision", "task", "question")
"""What may be captured; summaries are made."""

MemoPlace: TypeAlias = Literal["inbox", "kept", "trash"]

KEEP = "Keep this"  # what the box of a memo says that waits for a person


class MemoryItem(Struct, frozen=True):
    """A saved memory, decision, task, question or summary, as its note says it.

    `created` is a time with its zone, `client` who captured it, `sources` receipts or
    notes. `status` is `current`, `open`, `done`, `superseded`, or a person's own word.
    `generated` is true until a person approves it. `derived_from` are notes that its
    client had read before; `untrusted` says that one of them came from an untrusted
    source. `box` is the mark in the box of a task if it is neither blank nor its
    status, such as `/`.
    """

    path: NotePath
    kind: MemoKind
    title: str
    text: str
    project: str
    created: str
    client: str
    status: str
    place: MemoPlace
    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    generated: bool = False
    superseded_by: str = ""
    supersedes: str = ""
    derived_from: tuple[str, ...] = ()
    untrusted: bool = False
    box: str = ""


class MemoryNoteRow(NamedTuple):
    path: NotePath
    title: str
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, object] = {}


class SimilarMemory(MemoryItem, frozen=True, kw_only=True):
    """A memory that says nearly the same; `similarity` 1 is the same."""

    similarity: float


class RecalledMemory(MemoryItem, frozen=True, kw_only=True):
    """A memory that was found: its share of the best score, and why it is here."""

    relevance: float
    why: str


class WaitingMemory(MemoryItem, frozen=True, kw_only=True):
    """A memory in the inbox; `checked` if a person ticked its box."""

    checked: bool = False
    near: tuple[SimilarMemory, ...] = ()


M = TypeVar("M", bound=MemoryItem)


def extended(kind: type[M], memo: MemoryItem, **more: Any) -> M:
    return kind(**asdict(memo), **more)


class Captured(Struct, frozen=True):
    """A memory that was saved. `near` are those it may be one with; nothing was merged.

    `indexed` tells whether a search finds it already; `notices` say why not.
    """

    memory: MemoryItem
    digest: Digest
    near: tuple[SimilarMemory, ...] = ()
    indexed: bool = True
    notices: tuple[str, ...] = ()


class Recalled(Struct, frozen=True):
    """Memories, best or newest first, and how many there are in all.

    `confidence` is the probability that one of them answers the query, where a search
    by meaning can tell.
    """

    memories: tuple[RecalledMemory, ...]
    total: int
    degraded: tuple[str, ...] = ()
    confidence: float | None = None
    doubtful: bool = False


class Inbox(Struct, frozen=True):
    """Memories to review, oldest first; `problems` are files that hold no memory."""

    waiting: tuple[WaitingMemory, ...]
    promoted: tuple["Moved", ...] = ()
    problems: tuple[str, ...] = ()


class Moved(Struct, frozen=True):
    """A memo that has another place now: it was promoted, rejected or forgotten.

    `before` is its former path.
    """

    memory: MemoryItem
    before: NotePath
    notices: tuple[str, ...] = ()


class Promoted(Struct, frozen=True):
    """Memos whose boxes a person ticked, moved to their places, and what could not."""

    moved: tuple[Moved, ...] = ()
    problems: tuple[str, ...] = ()


class Superseded(Struct, frozen=True):
    """A memo that another has taken the place of."""

    old: MemoryItem
    new: MemoryItem
    notices: tuple[str, ...] = ()


HeatLevel: TypeAlias = Literal["hot", "warm", "cold"]


class ActiveNote(Struct, frozen=True):
    """How active a note is, from 0 to 1, and the reasons."""

    path: NotePath
    title: str
    heat: float
    level: HeatLevel
    reasons: tuple[str, ...]
    pinned: bool = False


class ActiveProject(Struct, frozen=True):
    """A project with recently changed or retrieved notes; `last` is the latest day."""

    name: str
    notes: int
    last: str


class ActivityOverview(Struct, frozen=True):
    """The warmest notes first, the projects that are active, and how many of each.

    `waiting` counts what is in the inbox, of which nothing is among them.
    """

    notes: tuple[ActiveNote, ...]
    projects: tuple[ActiveProject, ...] = ()
    hot: int = 0
    warm: int = 0
    cold: int = 0
    notices: tuple[str, ...] = ()
    waiting: int = 0


class Pins(Struct, frozen=True):
    """What is pinned, in the order of its file; `problems` are lines that say nothing.

    `changed` is the note that was just pinned or let go, if any was; `gone` are those
    that are in the file and not in the vault.
    """

    paths: tuple[NotePath, ...]
    problems: tuple[str, ...] = ()
    changed: NotePath | None = None
    gone: tuple[NotePath, ...] = ()


class WriteRecord(Struct, frozen=True):
    """A write: when, to which file, why, by which client, and its digests.

    `to` is where a file was moved. `undone` says that the write did not happen.
    """

    at: str
    path: NotePath
    why: str
    client: str
    before: Digest | None
    after: Digest | None
    bytes: int
    undone: bool = False
    to: NotePath | None = None


class WriteLog(Struct, frozen=True):
    """Writes, the newest first, and how many there are in all."""

    records: tuple[WriteRecord, ...]
    total: int
    problems: tuple[str, ...] = ()


NOTES_A_MINUTE = 5
"""Files that a person changes in a minute; where more were, it was a program, such as a
sync or a checkout, and what each change says of a person shrinks as there are more."""

MOST_AT_ONCE = 20
"""Files changed about one minute beyond which none of it was an edit: four times what a
person does, and fewer than any vault has that is checked out."""


def alone(company: int) -> float:
    """Return how far a change among so many about its minute was a person's own."""
    if company > MOST_AT_ONCE:
        return 0.0
    return min(1.0, NOTES_A_MINUTE / max(1, company))


class UseEvent(NamedTuple):
    at: datetime
    verb: str
    client: str
    paths: tuple[str, ...]


class UsageEvents(NamedTuple):
    events: list[UseEvent]
    upto: dict[str, int]


class DayUse(NamedTuple):
    note_id: int
    verb: str
    day: str
    times: int


class EditEvent(NamedTuple):
    note_id: int
    mtime_ns: int
    company: int
