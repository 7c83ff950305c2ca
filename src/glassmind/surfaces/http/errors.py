"""Errors over HTTP: each has a status, a code, a message and a hint.

A message may name notes by their path in the vault, but no other path of the machine.
"""

import errno
import re
import tempfile
from pathlib import Path
from typing import NamedTuple, TypeAlias

from glassmind import errors
from glassmind.config import Config
from glassmind.config.places import index_locations
from glassmind.errors.context import CitedGone, ProjectUnknown
from glassmind.errors.editing import (
    BadEdit,
    ChangesetUnknown,
    ConfirmFirst,
    EditRefused,
    NeedsApproval,
    NoMatch,
    NowhereToKeep,
    PolicyForbids,
    SeveralMatches,
    WrongState,
)
from glassmind.errors.knowledge import (
    AmbiguousTheme,
    BadFindingKey,
    FindingAbsent,
    NoteIsGhost,
    UnknownCheck,
    UnknownTheme,
)
from glassmind.errors.memory import MemoUnreadable
from glassmind.errors.serving import BadArgument
from glassmind.errors.writing import (
    NameTaken,
    NoteChanged,
    WriteFailed,
    WriteRefused,
)
from glassmind.operations.model_text import on_one_line
from glassmind.surfaces.conflicts import digest_now
from glassmind.surfaces.http.labels import labelled
from glassmind.surfaces.http.replies import Reply, encoded
from glassmind.surfaces.mcp.faults import names_notes

RETRY = ((b"retry-after", b"5"),)

Row: TypeAlias = tuple[type[errors.GlassmindError], int, str]

BY_ERROR: tuple[Row, ...] = (
    (BadArgument, 422, "see /openapi.json for what it takes"),
    (UnknownTheme, 404, "GET /graph/themes lists them"),
    (UnknownCheck, 404, "GET /graph/health lists them"),
    (BadFindingKey, 404, "GET /graph/health shows the keys of findings"),
    (FindingAbsent, 404, "GET /graph/health shows the keys of findings"),
    (ProjectUnknown, 404, "give its name, folder:PATH, #tag or property:KEY=VALUE"),
    (CitedGone, 404, "read the note it names without lines, or search anew"),
    (AmbiguousTheme, 409, "give its number"),
    (MemoUnreadable, 409, "mend the note, or move it out of the agent folder"),
    (BadEdit, 422, "see /openapi.json for what it takes"),
    (ConfirmFirst, 422, "send confirm: true"),
    (ChangesetUnknown, 404, "GET /changes lists them"),
    (NoMatch, 409, "GET /notes/{name} shows what stands there; a replace may be fuzzy"),
    (SeveralMatches, 409, "say more of it, or name a line"),
    (PolicyForbids, 403, "the settings say what may be written: writes.mode"),
    (NeedsApproval, 403, "a person approves it: glassmind proposals approve"),
    (WrongState, 409, "GET /changes/{id} shows its state"),
    (NowhereToKeep, 503, "set index.location to a folder that can be written"),
    (EditRefused, 409, "GET /notes/{name} shows what stands there"),
    (NoteChanged, 409, "read it again: digest is what it is now"),
    (NameTaken, 409, "choose another name"),
    (WriteFailed, 503, "mend the file or the disk it names, then try again"),
    (WriteRefused, 409, "the settings say what may be written: writes.mode"),
    (errors.QueryError, 422, "see /openapi.json for what it takes"),
    (NoteIsGhost, 404, "ghosts=true shows what does"),
    (errors.NoteNotFound, 404, "name a note by its path, title or alias"),
    (errors.HeadingNotFound, 404, "read the note without a heading"),
    (errors.LinesOutOfRange, 404, "read the note without lines"),
    (errors.FileGone, 404, "POST /index brings the index up to the vault"),
    (errors.AmbiguousName, 409, "give the path"),
    (errors.AmbiguousHeading, 409, "name the heading above it too, as Above#Heading"),
    (errors.MassDeletion, 409, "POST /index with accept_deletions, if it is so"),
    (errors.PathOutsideVault, 422, "name a file relative to the vault"),
    (errors.FileUnreadable, 409, "mend what the message names; POST /index looks anew"),
    (errors.IndexAbsent, 503, "POST /index makes one"),
    (errors.NotEmbedded, 503, "POST /index embeds"),
    (errors.IndexBusy, 503, "try again later"),
    (errors.VaultError, 503, "check that the vault's disk is there"),
    (errors.IndexFault, 503, "run glassmind doctor where the vault is"),
    (errors.ModelFault, 503, "run glassmind doctor where the vault is"),
)
"""The first row that matches an error decides."""


class Refusal(NamedTuple):
    """Why a request fails, and what to do about it.

    `digest` is that of a note which changed since the caller read it. `names_notes`
    marks a message that may contain text of the vault.
    """

    status: int
    code: str
    message: str
    hint: str
    headers: tuple[tuple[bytes, bytes], ...] = ()
    digest: str = ""
    names_notes: bool = False


class Refused(Exception):
    """Ends a request with an error response."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class Disconnected(Exception):
    """The client closed the connection before it had its answer."""


WHOLE_VAULT = "the vault"
"""The path in a `WriteFailed` that is about no single file."""

NOT_JSON = Refusal(
    415,
    "not_json",
    "only JSON is accepted",
    "send the header Content-Type: application/json",
)
FAULT = Refusal(
    500,
    "unexpected",
    "an unexpected error occurred in the server",
    "try again; the log on stderr says where it happened",
)
BUSY = Refusal(503, "busy", "too many requests are waiting", "try again", RETRY)
LATE = Refusal(503, "late", "the answer took too long", "ask for less", RETRY)
STOPPING = Refusal(503, "stopping", "the server is shutting down", "try again", RETRY)


def refusal_of(error: errors.GlassmindError, config: Config) -> Refusal:
    """Return the error response of an exception."""
    for kind, status, hint in (*_write_failure(error), *BY_ERROR):
        if isinstance(error, kind):
            return Refusal(
                status,
                code_of(type(error)),
                on_one_line(without_places(str(error), error, config)),
                hint,
                RETRY if isinstance(error, errors.IndexBusy) else (),
                digest_now(error),
                names_notes(error),
            )
    return FAULT


def _write_failure(error: errors.GlassmindError) -> tuple[Row, ...]:
    """Return a row for a failed write that is the caller's mistake, not the disk's."""
    if not isinstance(error, WriteFailed) or error.path == WHOLE_VAULT:
        return ()
    code = getattr(error.__cause__, "errno", None)
    if code == errno.ENAMETOOLONG:
        return ((WriteFailed, 422, "give a shorter name"),)
    if error.__cause__ is None or code in {errno.ENOTDIR, errno.EISDIR}:
        return ((WriteFailed, 409, "name another file, or repair the one it names"),)
    return ()


def refused(refusal: Refusal) -> Reply:
    """Return an error as a response."""
    return Reply(refusal.status, encoded(error_body(refusal)), refusal.headers)


def error_body(refusal: Refusal) -> object:
    """Return the JSON of an error response; names of notes are labelled."""
    body = {"error": error_of(refusal)}
    return labelled(body) if refusal.names_notes else body


def error_of(refusal: Refusal) -> dict[str, str]:
    """Return the JSON of the error itself."""
    made = {"code": refusal.code, "message": refusal.message, "hint": refusal.hint}
    return made | ({"digest": refusal.digest} if refusal.digest else {})


def code_of(kind: type) -> str:
    """Return the name of an error's class in snake case."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


def without_places(text: str, error: object, config: Config) -> str:
    """Return a message in which every absolute path is reduced to its name."""
    for value in vars(error).values():
        if isinstance(value, str) and Path(value).is_absolute():
            text = text.replace(value, Path(value).name)
    return placeless(text, config)


def placeless(text: str, config: Config) -> str:
    """Return a message in which our own folders are named by their purpose."""
    known = {str(config.vault.path): "the vault", str(config.index_home): "the index"}
    known |= {str(place): "the index" for place in index_locations(config)}
    known |= {tempfile.gettempdir(): "a folder", str(Path.home()): "a folder"}
    for root in sorted(known, key=len, reverse=True):
        if len(root) > 1:
            pattern = rf"{re.escape(root)}(?:/[^\s'\",;()]*)?"
            text = re.sub(pattern, known[root], text)
    return text
