"""Changes of a vault: edits of one text, and changesets over many files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, get_args

from glassmind.model import Digest, NotePath, PropertyValue
from glassmind.model.context import May

Where: TypeAlias = Literal["replace", "before", "after"]
"""What is done beside or in the place of something that is there."""

WHERE: tuple[Where, ...] = get_args(Where)

Scope: TypeAlias = Literal["section", "body"]
"""Of a heading: all up to the next of its rank, or the first paragraph below it."""

PropertyAct: TypeAlias = Literal["set", "unset", "add", "remove"]

TOGGLE = "toggle"  # the status of a task that means the other one
FUZZY = 0.7  # how alike a text must be to one that is looked for loosely


@dataclass(frozen=True, slots=True)
class Append:
    """Add text at the end; what is there is ended by a line feed first."""

    text: str


@dataclass(frozen=True, slots=True)
class Prepend:
    """Add text at the beginning, behind the properties."""

    text: str


@dataclass(frozen=True, slots=True)
class Replace:
    """Put a text in the place of one that stands there exactly once."""

    find: str
    text: str
    fuzzy: float | None = None


@dataclass(frozen=True, slots=True)
class AtHeading:
    """Change what stands under a heading, or beside it.

    `heading` is its text, or several from the outside in with `#` between them.
    `index` chooses among headings of one name, from 0. The heading itself stays. With
    the scope "section", before is above the heading and after is at the end of its
    section; with "body", they are above and below the first paragraph under it.
    """

    heading: str
    text: str
    where: Where = "replace"
    scope: Scope = "section"
    index: int | None = None


@dataclass(frozen=True, slots=True)
class AtBlock:
    """Change a block that has an id; the id stays."""

    block: str
    text: str
    where: Where = "replace"


@dataclass(frozen=True, slots=True)
class ChangeProperty:
    """Set or unset a property, or one item of a list."""

    name: str
    act: PropertyAct = "set"
    value: PropertyValue = None


@dataclass(frozen=True, slots=True)
class AtLine:
    """Change lines by number, from 1, the properties counted; `last` is included."""

    line: int
    text: str
    where: Where = "replace"
    last: int | None = None


@dataclass(frozen=True, slots=True)
class SetTask:
    """Give a task another status: one sign, or `toggle`."""

    status: str = TOGGLE
    line: int | None = None
    find: str = ""


@dataclass(frozen=True, slots=True)
class AddLink:
    """Add a sentence with a link to a note, which need not exist yet.

    `sentence` may hold the mark `{link}` where the link is to stand; otherwise it
    follows it. With `heading`, at the end of that section.
    """

    target: str
    sentence: str
    heading: str = ""


TextEdit: TypeAlias = (
    Append
    | Prepend
    | Replace
    | AtHeading
    | AtBlock
    | ChangeProperty
    | AtLine
    | SetTask
    | AddLink
)


class Splice(NamedTuple):
    """Bytes of a text, half open, and what is to stand in their place."""

    start: int
    end: int
    text: bytes


class FileStep(NamedTuple):
    """What becomes of one file, or with `folder` of a whole folder that is moved.

    A new file has no `path` and no `before`. One that is deleted goes `to` the trash.
    """

    path: NotePath | None
    to: NotePath
    before: bytes | None
    after: bytes
    folder: bool = False


class Rewritten(NamedTuple):
    links: int = 0
    files: int = 0


NO_LINKS = Rewritten()

MOVED = "moved"
"""Draft fact: files that were renamed outside of Glassmind, old path to new path."""

OWNERS_PLAN = "owners_plan"
"""Draft fact: the change was planned over all notes, hidden ones included, on behalf
of the owner: an approval planned it again, or files were renamed outside."""

LINKS_IN = "links_in"
"""The fact of a draft that has the files in which links were written anew, beside those
that it is about, each with how many: pairs of a path and a number."""

ChangeVerb: TypeAlias = Literal[
    "edit", "create", "delete", "move", "rename-heading", "rename-tag", "merge",
    "split", "relink", "repair", "undo",
]  # fmt: skip

Standing: TypeAlias = Literal["old", "new", "other"]
"""If a file is as a step found it, as the step leaves it, or neither."""

ChangeState: TypeAlias = Literal[
    "previewed", "proposed", "applying", "applied", "undone", "rejected", "failed"
]
STATES: tuple[ChangeState, ...] = get_args(ChangeState)


@dataclass(frozen=True, slots=True)
class Draft:
    """A change that was thought out, and neither kept nor made."""

    verb: ChangeVerb
    title: str
    steps: tuple[FileStep, ...]
    rewritten: Rewritten = NO_LINKS
    adopted: int = 0
    risks: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Changeset:
    """A change over one or many files, under one id, wherever it has got to.

    `created` is a time with its zone, `client` who asked for it. `undoes` is the id of
    the one that it takes back; `reason` says why it failed or waits.
    """

    id: str
    state: ChangeState
    created: str
    client: str
    draft: Draft
    undoes: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What a changeset does to one file, for people: a unified diff and its counts.

    `path` is None for a new file; `to` differs from it where the file is moved.
    """

    path: NotePath | None
    to: NotePath
    before: Digest | None
    after: Digest
    added: int
    removed: int
    diff: str


IndexState: TypeAlias = Literal["fresh", "pending"]


@dataclass(frozen=True, slots=True)
class Changed:
    """What came of a verb that edits: made, proposed or only shown.

    `index` tells whether a search finds it as it is now; for what was not applied it
    is fresh. `notices` say what a person should know. What is nothing at all has no id,
    as it is kept nowhere. `closed` are files that whoever asked could read before it
    and cannot after it, where they are then; `files` are without them.
    """

    changeset: Changeset
    files: tuple[FileDiff, ...]
    index: IndexState = "fresh"
    notices: tuple[str, ...] = ()
    closed: tuple[NotePath, ...] = ()

    @property
    def applied(self) -> bool:
        return self.changeset.state == "applied" and not self.is_empty

    @property
    def is_empty(self) -> bool:
        same = (
            diff.path == diff.to and diff.before == diff.after for diff in self.files
        )
        return not self.closed and all(same)


@dataclass(frozen=True, slots=True)
class ChangesetList:
    """Changesets, the newest first, and how many there are in all."""

    changesets: tuple[Changeset, ...]
    total: int
    notices: tuple[str, ...] = ()


class Verdict(NamedTuple):
    may: May
    rule: str


class Applied(NamedTuple):
    """A write that was made: the file's content before and after, by digest."""

    path: NotePath
    before: Digest | None
    after: Digest
    size_bytes: int


CLOSED = frozenset((
    "done", "answered", "closed", "resolved", "solved", "cancelled", "canceled",
    "rejected", "dropped", "superseded", "obsolete",
    "erledigt", "beantwortet", "geschlossen", "gelöst", "verworfen",
))  # fmt: skip
"""Statuses of a question or a task that nobody waits for any more."""

OVERRULED = frozenset((
    "superseded", "rejected", "deprecated", "obsolete", "withdrawn", "declined",
    "replaced", "ersetzt", "verworfen", "abgelehnt", "überholt",
))  # fmt: skip
"""Statuses of a decision that does not hold, or never did."""


def is_over(status: str, *, decided: bool) -> bool:
    """Whether a status says that something is over; `decided`, that it never holds."""
    return status.casefold() in (OVERRULED if decided else CLOSED)
