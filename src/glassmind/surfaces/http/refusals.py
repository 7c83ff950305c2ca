"""From what went wrong to what a client is told: a status, a code, a sentence.

A sentence names notes as the vault knows them, and never a place on the machine.
"""

import errno
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

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
from glassmind.surfaces.http.replies import Refusal
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
"""The first that fits decides."""

WHOLE = "the vault"
"""What is named where no file is to blame, but another program that is editing."""

FAULT = Refusal(
    500,
    "unexpected",
    "the server failed in a way it did not expect",
    "try again; what it told on stderr says where it was",
)
BUSY = Refusal(503, "busy", "too many requests are waiting", "try again", RETRY)
LATE = Refusal(503, "late", "the answer took too long", "ask for less", RETRY)
STOPPING = Refusal(503, "stopping", "the server is about to end", "try again", RETRY)


def refusal_of(error: errors.GlassmindError, config: Config) -> Refusal:
    """Return what a client is told of an error."""
    for kind, status, hint in (*_ours_to_mend(error), *BY_ERROR):
        if isinstance(error, kind):
            headers = RETRY if isinstance(error, errors.IndexBusy) else ()
            said = on_one_line(without_places(str(error), error, config))
            code, digest = code_of(type(error)), digest_now(error)
            named = names_notes(error)
            return Refusal(status, code, said, hint, headers, digest, named)
    return FAULT


def _ours_to_mend(error: errors.GlassmindError) -> Sequence[Row]:
    """Return what decides before the table: of a write that no disk can be blamed for.

    A name may be too long for any, or a file none that is written: a pipe, a folder.
    """
    if not isinstance(error, WriteFailed) or error.path == WHOLE:
        return ()
    code = getattr(error.__cause__, "errno", None)
    if code == errno.ENAMETOOLONG:
        return ((WriteFailed, 422, "give a shorter name"),)
    if error.__cause__ is None or code in {errno.ENOTDIR, errno.EISDIR}:
        return ((WriteFailed, 409, "name another file, or mend the one it names"),)
    return ()


def code_of(kind: type) -> str:
    """Return the name of an error's class, written_so."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


def without_places(text: str, error: object, config: Config) -> str:
    """Return a sentence with every place on the machine cut down to its name."""
    for value in vars(error).values():
        if isinstance(value, str) and Path(value).is_absolute():
            text = text.replace(value, Path(value).name)
    return placeless(text, config)


def placeless(text: str, config: Config) -> str:
    """Return a sentence that names folders of ours by what they are for."""
    for root, shown in _roots(config):
        text = re.sub(rf"{re.escape(root)}(?:/[^\s'\",;()]*)?", shown, text)
    return text


def _roots(config: Config) -> list[tuple[str, str]]:
    """Return the folders that a sentence may name, the longest first."""
    known = {str(config.vault.path): "the vault", str(config.index_home): "the index"}
    known |= {str(place): "the index" for place in index_locations(config)}
    known |= {tempfile.gettempdir(): "a folder", str(Path.home()): "a folder"}
    roots = [(root, shown) for root, shown in known.items() if len(root) > 1]
    return sorted(roots, key=lambda pair: -len(pair[0]))
