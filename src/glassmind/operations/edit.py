"""Operations that change notes: move."""

import re
from collections.abc import Iterator
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from glassmind.editing.asking import Asking
from glassmind.engine import Engine
from glassmind.operations.edit_text import changed_for_models, changed_for_people
from glassmind.operations.names import note_name
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    Result,
    Route,
    Tool,
    arg,
    operation,
    shown,
)
from glassmind.types import Digest
from glassmind.types import editing as changes
from glassmind.types.ledger import Passage, Shown

APPROVE = "glassmind proposals approve"
"""The command by which a person applies a proposal; nothing else can."""

PROPOSED = "Where the user's settings want it, this only makes a proposal."
PATIENT_S = 120.0
"""Seconds for a change: a folder with thousands of links takes a while."""

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+", re.MULTILINE)

Name = Annotated[str, Meta(max_length=4_096)]
DigestText = Annotated[str, Meta(min_length=8, max_length=128)]

Expected = Annotated[
    DigestText | None,
    arg(
        "Digest of the note as you read it, or its first 8 characters or more.",
        flag="--expect",
        metavar="DIGEST",
        for_models="digest of the note as it was read, or its first 8 letters or more",
    ),
]
DryRun = Annotated[
    bool,
    arg(
        "Show what would change, and change nothing.",
        for_models="show what would be done, change nothing",
    ),
]


class MoveArguments(Arguments, frozen=True, kw_only=True):
    source: Annotated[
        Name,
        arg(
            "What to move: a note, another file or a folder.",
            positional="word",
            for_models="note, file or folder",
        ),
    ]
    destination: Annotated[
        Name,
        arg(
            "Its new name, path, or folder (ending in /).",
            positional="word",
            for_models="new path; a folder ends in /",
        ),
    ]
    expected: Expected = None
    dry_run: DryRun = False


class LinksRewritten(Struct, frozen=True):
    """How many links were rewritten, and in how many files."""

    files: int
    occurrences: int


class ChangedFile(Struct, frozen=True, kw_only=True):
    """One file of a change. `path` is None for a new file; digests are sha256."""

    path: str | None
    to: str
    before: str | None
    after: str | None
    added: int
    removed: int
    diff: str


class ChangeResult(Result, frozen=True, kw_only=True):
    """What came of an edit: applied, proposed, or only previewed."""

    id: str | None
    state: changes.ChangeState
    verb: str
    title: str
    created: str
    client: str
    links_rewritten: LinksRewritten
    adopted: int
    risks: list[str]
    undoes: str | None
    reason: str
    approve: str | None
    applied: bool
    files: list[ChangedFile]
    index: changes.IndexState
    notices: list[str]
    closed: bool | UnsetType = UNSET
    """True if the caller can no longer read a file that this change writes."""

    @property
    def changes_nothing(self) -> bool:
        """Whether every file is already as it should be."""
        same = (one.path == one.to and one.before == one.after for one in self.files)
        return not self.closed and all(same)

    def sources(self) -> Shown:
        """Return the notes whose lines the diffs show, and the notes they name."""
        return shown(
            [
                passage
                for file in self.files
                if file.path
                for passage in diff_passages(file.path, file.diff)
            ],
            [name for file in self.files for name in (file.path, file.to)],
        )


@operation(
    group="Edit",
    for_people=changed_for_people,
    for_models=changed_for_models,
    writes=True,
    command=Command(),
    tool=Tool(
        title="Move or rename",
        sets=("write",),
        description=(
            "Give a note, another file or a folder another name or place. Every link "
            "that led there leads there afterwards; nothing is written over. "
            f"{PROPOSED}"
        ),
        destructive=True,
        idempotent=False,
        timeout_s=PATIENT_S,
    ),
    route=Route("POST", "/move", sets=("write",), fails=(403, 404, 409)),
)
def move(vault: Engine, arguments: MoveArguments, caller: Caller) -> ChangeResult:
    """Move or rename a note, file or folder, and update all links to it."""
    done = vault.editing.move(
        note_name(vault, arguments.source, "source"),
        arguments.destination,
        asking(vault, caller, dry_run=arguments.dry_run),
        expected=digest(arguments.expected),
    )
    return change_result(done)


def asking(vault: Engine, caller: Caller, *, dry_run: bool) -> Asking:
    """Return who asks for a change, and whether they read untrusted text before."""
    tainted = vault.tainted(caller.client)
    return Asking(client=caller.client, dry_run=dry_run, tainted=tainted)


def digest(text: str | None) -> Digest | None:
    """Return the digest that a caller read."""
    return None if text is None else Digest(text.lower())


def change_result(done: changes.Changed) -> ChangeResult:
    """Return the typed result of an edit."""
    changeset, draft = done.changeset, done.changeset.draft
    waits = changeset.state == "proposed"
    return ChangeResult(
        id=changeset.id or None,
        state=changeset.state,
        verb=draft.verb,
        title=draft.title,
        created=changeset.created,
        client=changeset.client,
        links_rewritten=LinksRewritten(draft.rewritten.files, draft.rewritten.links),
        adopted=draft.adopted,
        risks=list(draft.risks),
        undoes=changeset.undoes,
        reason=changeset.reason,
        approve=f"{APPROVE} {changeset.id}" if waits else None,
        applied=done.applied,
        files=[
            ChangedFile(
                path=file.path,
                to=file.to,
                before=file.before,
                after=file.after,
                added=file.added,
                removed=file.removed,
                diff=file.diff,
            )
            for file in done.files
        ],
        index=done.index,
        notices=list(done.notices),
        closed=True if done.closed else UNSET,
    )


def diff_passages(path: str, diff: str) -> Iterator[Passage]:
    """Yield the lines of a file that a unified diff shows as they were before."""
    for first, count in _HUNK.findall(diff):
        lines = int(count or 1)
        if lines:
            yield Passage(path, int(first), int(first) + lines - 1)
