"""What the index tells of itself and of its notes, without searching."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from msgspec import Struct

from glassmind.model import NotePath, Span
from glassmind.model.pairs import UNPAIRED, PairStatus
from glassmind.model.vectors import Coverage
from glassmind.model.watch import UNWATCHED, WatchState


@dataclass(frozen=True, slots=True)
class NoteFacts:
    """A note as a list shows it."""

    path: NotePath
    title: str
    kind: str
    size: int
    mtime_ns: int
    day: str | None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NoteText:
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


@dataclass(frozen=True, slots=True)
class GuessedNote(NoteText):
    """The note whose name is closest to one that no note has."""


@dataclass(frozen=True, slots=True)
class LinkEnd:
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


@dataclass(frozen=True, slots=True)
class NoteLinks:
    """A note with the links that leave it and those that lead to it.

    Links of a note to itself and to attachments are not among them. Of many, only the
    first are here; the totals count all.
    """

    note: NoteFacts
    outgoing: tuple[LinkEnd, ...]
    incoming: tuple[LinkEnd, ...]
    outgoing_total: int
    incoming_total: int


@dataclass(frozen=True, slots=True)
class Ghost:
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


@dataclass(frozen=True, slots=True)
class Status:
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


@dataclass(frozen=True, slots=True)
class Check:
    """One thing a doctor looked at; `fix` says what to do unless all is well."""

    name: str
    state: CheckState
    finding: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class NoteList:
    """Notes that pass the filters, and how many there are in all.

    `notices` say in what way the list may not be what the vault holds.
    """

    notes: Sequence[NoteFacts]
    total: int
    notices: Sequence[str] = ()
