"""What the index holds beside the notes' own values: rows in and out of the store."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, TypedDict

from msgspec import Struct

from glassmind.model import Digest, NotePath, PropertyValue, Span
from glassmind.model.notes import Chunk, Note
from glassmind.model.suggestions import UNPAIRED, PairStatus
from glassmind.model.vectors import Coverage

FileKind: TypeAlias = Literal["markdown", "canvas", "base", "attachment"]


TO_HASH, UNREAD = 0, -1
"""Stamps that no file has: of one to be hashed again, and of one never read so far."""


class FileFacts(Struct, frozen=True):
    """A file as one `stat` shows it.

    `stamp` is one number made of size, times and inode: equal stamps mean an unchanged
    file, another stamp means that the content hash has to decide. `disk_path` is the
    name the disk has for it where that is not Unicode NFC.
    """

    path: NotePath
    kind: FileKind
    size: int
    mtime_ns: int
    stamp: int
    disk_path: str | None = None


class Skipped(Struct, frozen=True):
    """A file that is not in the index, and the reason a person can act on.

    `unknown` means that it may well be a note we cannot see now (unreadable, not
    downloaded): what the index knows of it stays.
    """

    path: NotePath
    reason: str
    unknown: bool = False


Stage: TypeAlias = Literal[
    "wait", "scan", "read", "resolve", "words", "embed", "vectors", "pairs",
    "confidence", "measure",
]  # fmt: skip
"""What a run of indexing is at, or one of measuring."""


class Progress(NamedTuple):
    stage: Stage
    done: int
    total: int


ShowProgress: TypeAlias = Callable[[Progress], None]
"""Called often while long work goes on, so it must be cheap."""


class IndexOptions(TypedDict):
    reason: str
    paths: tuple[str, ...]
    embed: bool
    narrow: bool
    verify: bool
    rebuild: bool
    compact: bool
    accept_deletions: bool
    wait_s: float | None


class IndexReport(Struct, frozen=True):
    """What one run of indexing did; the first counts are of notes.

    Of chunks are `embedded` (by the model), `reused` (a vector that was there already)
    and `left` (still without one). `held` notes seem gone and were kept all the same.
    `renamed` are the notes that moved, each from where and to where.
    """

    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    notes: int = 0
    seconds: float = 0.0
    skipped: Sequence[Skipped] = ()
    warnings: Sequence[str] = ()
    rebuilt: bool = False
    compacted: bool = False
    embedded: int = 0
    reused: int = 0
    left: int = 0
    held: int = 0
    renamed: Sequence[tuple[NotePath, NotePath]] = ()


class Indexed(NamedTuple):
    """A note read and split: everything the store writes for it."""

    file: FileFacts
    note: Note
    digest: Digest
    encoding: str
    day: str | None
    chunks: Sequence[Chunk]
    warnings: Sequence[str] = ()
    ends: Sequence[int | None] | None = None
    secrets: int = 0


class UndecidedLink(NamedTuple):
    note_id: int
    seq: int
    source: NotePath
    kind: str
    target: str
    name_key: str


WatchMode: TypeAlias = Literal["watching", "polling", "off"]
"""Told of changes by the system, looking for them every few seconds, or neither."""

Cause: TypeAlias = Literal["start", "events", "rescan", "poll", "vectors"]
"""Why the index was brought up to the vault; `vectors` followed the text."""


class WatchState(Struct, frozen=True):
    """How the watching of a vault stands.

    `reason` says why it is not `watching`. `since` is when this mode began and
    `reconciled` when the whole vault was last compared with the index, both in ISO
    8601, empty for never. `pending` counts changes not taken in yet, `error` is what
    went wrong last and was not made good, `pid` is who watches.
    """

    mode: WatchMode = "off"
    reason: str = ""
    since: str = ""
    reconciled: str = ""
    pending: int = 0
    error: str = ""
    pid: int = 0


UNWATCHED = WatchState()  # nobody follows the vault


class IndexUpdated(Struct, frozen=True):
    """The index was brought up to the vault; no `paths` means a look at all of it."""

    cause: Cause
    report: IndexReport
    paths: tuple[str, ...] = ()


class WatchModeChanged(Struct, frozen=True):
    """Changes are noticed in another way from now on."""

    mode: WatchMode
    reason: str = ""


class UpdateFailed(Struct, frozen=True):
    """Changes could not be taken in; it is tried again after `again_s`."""

    message: str
    again_s: float


class ChangeRecovered(Struct, frozen=True):
    """A change of notes that was cut short was brought to its end, or waits still."""

    message: str


News: TypeAlias = IndexUpdated | WatchModeChanged | UpdateFailed | ChangeRecovered
"""What whoever follows a vault is told."""

TellNews: TypeAlias = Callable[[News], None]


class KnownFile(NamedTuple):
    """A file of the index; `stamp` tells whether it was changed since."""

    id: int
    path: NotePath
    stamp: int
    size: int
    mtime_ns: int


class FileFilter(TypedDict, total=False):
    """Which files are meant: those that pass every filter that is given."""

    ids: Collection[int]
    paths: Collection[str]
    folder: str
    name_key: str


class KnownNote(NamedTuple):
    """A note of the index; `error` says why its properties cannot be read."""

    id: int
    path: NotePath
    title: str
    aliases: tuple[str, ...]
    kind: str
    digest: str
    day: str | None
    error: str | None


class NoteFilter(TypedDict, total=False):
    """Which notes are meant: those that pass every filter that is given.

    Notes in a folder are those anywhere below it, and notes with a tag have it, or one
    below it, in any case. `link_keys` are `name_key`s of what notes link to; `digests`
    are the beginnings of digests.
    """

    ids: Collection[int]
    paths: Collection[str]
    titles: Collection[str]
    digests: Collection[str]
    name_key: str
    link_keys: Collection[str]
    kind: str
    folder: str
    tag: str
    heading: str
    first_day: str
    last_day: str


class NoteFacts(Struct, frozen=True):
    """A note as a list shows it."""

    path: NotePath
    title: str
    kind: str
    size: int
    mtime_ns: int
    day: str | None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, object] = {}


class NoteText(Struct, frozen=True):
    """A note, or the part of it that was asked for, as it stands on disk now.

    `notices` tell of lines that were cited and do not stand where they did, and
    `generated` marks what an agent wrote and no person has approved.
    """

    path: NotePath
    title: str
    text: str
    span: Span
    digest: str
    heading_path: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    generated: bool = False


class GuessedNote(NoteText, frozen=True):
    """The note whose name is closest to one that no note has."""


class LinkEnd(Struct, frozen=True):
    """A link seen from one of its notes: what stands at the other end of it.

    `path` is None where no file is called `target` yet, and `title` is then the target
    as written. `line` and `context`, the paragraph around the link, are of the note
    that holds it; `property` is empty for a link in the text.
    """

    path: NotePath | None
    title: str
    target: str
    property: str
    embed: bool
    line: int
    context: str


class NoteLinks(Struct, frozen=True):
    """A note with the links that leave it and those that lead to it.

    Links of a note to itself and to attachments are not among them. Of many, only the
    first are here; the totals count all.
    """

    note: NoteFacts
    outgoing: tuple[LinkEnd, ...]
    incoming: tuple[LinkEnd, ...]
    outgoing_total: int
    incoming_total: int


class UnresolvedName(Struct, frozen=True):
    """A name that links lead to and that no file has; `links` counts them.

    `incoming` are the first of them, where one name was asked about.
    """

    target: str
    links: int
    incoming: tuple[LinkEnd, ...] = ()


class Stats(Struct, frozen=True, kw_only=True):
    """How much the index holds; `troubled` notes have something to mend.

    Of the `embeddable` chunks so many are `embedded`, in the space that answers, and
    `embedded_notes` have some of these. An `empty` note has no text to embed. In so
    many notes there are `secrets`, which are hidden in the index.
    """

    notes: int
    chunks: int
    tags: int
    links: int
    ghosts: int
    attachments: int
    tasks: int
    headings: int
    skipped: int
    skipped_by_reason: Mapping[str, int]
    index_bytes: int
    folder: str
    last_run: str | None
    troubled: int = 0
    embedded: int = 0
    embeddable: int = 0
    space: str = ""
    width: int = 0
    embedded_notes: int = 0
    empty_notes: int = 0
    secrets: int = 0


class Status(Struct, frozen=True):
    """What is current of an index.

    `words_behind` and `vectors_behind` are changes yet to be taken in, None for all of
    them. `model` is what the settings name and `space` what answers now, both empty
    for none; `coverage` counts chunks. `writing` and `embedding` name who is at it,
    `watch` says whether anybody follows the vault, `daemon` which process answers for
    all others that stay with it. `pairs` counts notes that are alike. `llm` names the
    model that writes answers and `hindsight` the bank of memories that is asked, both
    empty for none; neither was asked. In so many notes there are `secrets`, which are
    hidden in the index. `former` says that other settings made the vectors that answer.
    `lacks_model` is true if the chosen model cannot be used.
    """

    notes: int
    chunks: int
    words_behind: int | None
    model: str
    space: str
    coverage: Coverage
    vectors_behind: int | None
    writing: str
    embedding: str
    sizes: Mapping[str, int]
    folder: str
    notices: Sequence[str] = ()
    watch: WatchState = UNWATCHED
    daemon: str = ""
    pairs: PairStatus = UNPAIRED
    llm: str = ""
    hindsight: str = ""
    secrets: int = 0
    former: bool = False
    lacks_model: bool = False


CheckState: TypeAlias = Literal["ok", "warn", "fail"]


class Check(Struct, frozen=True):
    """One thing a doctor looked at; `fix` says what to do unless all is well."""

    name: str
    state: CheckState
    finding: str
    fix: str = ""


class NoteList(Struct, frozen=True):
    """Notes that pass the filters, and how many there are in all.

    `notices` say in what way the list may not be what the vault holds.
    """

    notes: Sequence[NoteFacts]
    total: int
    notices: Sequence[str] = ()


OWED = "owed"
"""The setting of the rows with the head that an edit brought them to: whoever searches
next waits for its words."""


class ChunkPassage(NamedTuple):
    chunk_id: int
    headings: Sequence[str]
    text: str


class Document(NamedTuple):
    note_id: int
    path: NotePath
    title: str
    aliases: Sequence[str]
    tags: Sequence[str]
    properties: Sequence[tuple[str, PropertyValue]]
    day: str | None
    mtime_ns: int
    passages: Sequence[ChunkPassage]


SPLITTER_VERSION = 3
"""Raised whenever a note would be split otherwise: part of the index fingerprint."""


class SplitRules(Struct, frozen=True):
    """How long a passage is.

    A passage aims at `target_tokens`, its overlap included. It goes beyond them rather
    than leave a scrap or break a block that fits: by `min_chars` as a rule, and never
    to more than twice the target, unless it holds code, math, a table or a callout that
    is longer (see `split_zones`).
    """

    target_tokens: int = 500
    overlap_tokens: int = 80
    min_chars: int = 200
    max_chunks: int = 1000
