"""What each error means to a caller: exit code, HTTP status, and what to do next.

One table for every surface. The first row whose class fits an error decides, so
subclasses come before their bases.
"""

import errno
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from glassmind import errors
from glassmind.errors import GlassmindError

OK, NOTHING, USAGE, VAULT, INDEX, MODEL, CONFLICT = range(7)
BUG, INTERRUPTED = 70, 130
"""Exit codes; docs/cli.md has the same table. NOTHING: nothing was found, or changed.
70 is EX_SOFTWARE of sysexits.h; 130 is what shells report after Ctrl-C."""

RESTART = "run glassmind doctor where the vault is"
SEE_SCHEMA = "see /openapi.json for what it takes"
SEE_TEXT = "GET /notes/{name} shows the text"
SEE_KEYS = "GET /graph/health shows the keys of findings"
CHECK_DISK = "check that the vault's disk is there"
PROJECT_NAMES = "give its name, folder:PATH, #tag or property:KEY=VALUE"
MODE = "the settings say what may be written: writes.mode"


class Failure(NamedTuple):
    error: type[GlassmindError] | tuple[type[GlassmindError], ...]
    exit_code: int
    status: int
    hint: str

    @property
    def remedy(self) -> str:
        return REMEDIES.get(self.error, "")

    @property
    def option(self) -> str:
        return OPTIONS.get(self.error, "")

    @property
    def quotes_notes(self) -> bool:
        """False for errors whose message holds only our own words and the caller's."""
        return self.error not in OWN_WORDS


WRONG = (
    errors.BadArgument,
    errors.NoReceipts,
    errors.BudgetTooSmall,
    errors.UnknownKind,
    errors.BadDate,
    errors.BadLimit,
    errors.BadWish,
    errors.NothingAsked,
    errors.WrongUsage,
)
UNUSABLE = (errors.QueryError, errors.BadEdit)
OURS = (errors.ServingFault, errors.ConfigError)

FAILURES: tuple[Failure, ...] = tuple(
    Failure(*row)
    for row in (
        # graph and health
        (errors.UnknownTheme, USAGE, 404, "GET /graph/themes lists them"),
        (errors.AmbiguousTheme, USAGE, 409, "give its number"),
        (errors.UnknownCheck, USAGE, 404, "GET /graph/health lists them"),
        (errors.BadFindingKey, USAGE, 404, SEE_KEYS),
        (errors.FindingAbsent, VAULT, 404, SEE_KEYS),
        (errors.NoteIsGhost, VAULT, 404, "ghosts=true shows what links to it"),
        (errors.NoHistory, VAULT, 503, CHECK_DISK),
        (WRONG, USAGE, 422, SEE_SCHEMA),
        (UNUSABLE, USAGE, 422, SEE_SCHEMA),
        (errors.VaultAbsent, VAULT, 500, ""),
        (OURS, USAGE, 500, ""),
        # edits
        (errors.ConfirmFirst, USAGE, 422, "send confirm: true"),
        (errors.ChangesetUnknown, VAULT, 404, "GET /changes lists them"),
        (errors.NoSuchLevel, VAULT, 409, "GET /notes/{name} shows its headings"),
        (errors.NoMatch, VAULT, 409, f"{SEE_TEXT}; a replace may be fuzzy"),
        (errors.SeveralMatches, VAULT, 409, "give more of it, or a line number"),
        (errors.PolicyForbids, VAULT, 403, MODE),
        (errors.NeedsApproval, VAULT, 403, "run glassmind proposals approve"),
        (errors.WrongState, VAULT, 409, "GET /changes/{id} shows its state"),
        (errors.NowhereToKeep, VAULT, 503, "set index.location to a writable folder"),
        (errors.EditRefused, VAULT, 409, SEE_TEXT),
        # writing files
        (errors.NoteChanged, CONFLICT, 409, "read it again: digest is its digest now"),
        (errors.NameTaken, VAULT, 409, "choose another name"),
        (errors.WriteFailed, VAULT, 503, "fix the file or disk it names, and retry"),
        (errors.WritesOff, VAULT, 409, MODE),
        (errors.WriteRefused, VAULT, 409, MODE),
        # notes and files
        (errors.ProjectUnknown, VAULT, 404, PROJECT_NAMES),
        (errors.CitedGone, VAULT, 404, "read the note without lines, or search again"),
        (errors.MemoUnreadable, VAULT, 409, "fix it, or move it to another folder"),
        (errors.NoteNotFound, VAULT, 404, "name a note by its path, title or alias"),
        (errors.HeadingNotFound, VAULT, 404, "read the note without a heading"),
        (errors.LinesOutOfRange, VAULT, 404, "read the note without lines"),
        (errors.OffsetOutOfRange, VAULT, 404, "begin with offset 0"),
        (errors.AmbiguousName, VAULT, 409, "give the path"),
        (errors.AmbiguousHeading, VAULT, 409, "add the one above it, as Above#Heading"),
        (errors.MassDeletion, VAULT, 409, "POST /index with accept_deletions"),
        (errors.PathOutsideVault, VAULT, 422, "name a file relative to the vault"),
        (errors.FileGone, VAULT, 404, "POST /index updates the index"),
        (errors.FileUnreadable, VAULT, 409, "fix what it names, then POST /index"),
        (errors.VaultMissing, VAULT, 503, CHECK_DISK),
        (errors.VaultError, VAULT, 503, CHECK_DISK),
        # the index and the models
        (errors.IndexAbsent, INDEX, 503, "POST /index makes one"),
        (errors.NotEmbedded, INDEX, 503, "POST /index embeds"),
        (errors.IndexBusy, INDEX, 503, "try again later"),
        (errors.BackupExists, USAGE, 503, RESTART),
        (errors.IndexFault, INDEX, 503, RESTART),
        (errors.ModelFault, MODEL, 503, RESTART),
    )
)

OTHERS = "tell the user; other notes can still be read"
REMEDIES: Mapping[object, str] = {
    errors.ConfirmFirst: "ask the user first, then give confirm true",
    errors.ChangesetUnknown: "list the changes to see which there are",
    errors.NoMatch: "give the text exactly as the note has it",
    errors.NoteIsGhost: "ask with ghosts (or includeStubs) to see what links to it",
    errors.CitedGone: "search for it again",
    errors.NoteNotFound: "search for the note",
    errors.HeadingNotFound: "read the note without a heading to see its headings",
    errors.LinesOutOfRange: "read the note without lines to see how many it has",
    errors.OffsetOutOfRange: "begin with offset 0",
    errors.AmbiguousHeading: "or read by lines",
    errors.FileGone: OTHERS,
    errors.FileUnreadable: OTHERS,
    errors.IndexAbsent: "ask again in a moment if a first indexing is under way",
    errors.IndexBusy: "searching works meanwhile",
}
OPTIONS: Mapping[object, str] = {
    errors.ConfirmFirst: " (--yes)",
    errors.NoteIsGhost: "; --ghosts shows what links to it",
    errors.AmbiguousHeading: ", or use --lines",
}
OWN_WORDS: Collection[object] = {
    WRONG,
    OURS,
    errors.VaultAbsent,
    errors.UnknownCheck,
    errors.BadFindingKey,
    errors.NoHistory,
    errors.WritesOff,
    errors.MassDeletion,
    errors.PathOutsideVault,
    errors.VaultMissing,
    errors.IndexAbsent,
    errors.NotEmbedded,
    errors.IndexBusy,
    errors.BackupExists,
    errors.IndexFault,
    errors.ModelFault,
}

BAD_NAME = (errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR)
"""Why a write fails because of the file's name, and not of the disk."""

UNEXPECTED = Failure(GlassmindError, BUG, 500, "")


def failure_of(error: GlassmindError) -> Failure:
    found = next((row for row in FAILURES if isinstance(error, row.error)), UNEXPECTED)
    if isinstance(error, errors.WriteFailed) and error.path != "the vault":
        cause = error.__cause__
        if cause is None or getattr(cause, "errno", None) in BAD_NAME:
            hint = "name another file, or fix the one it names"
            return found._replace(status=409, hint=hint)
    return found


def quotes_notes(error: GlassmindError) -> bool:
    closest = (errors.NoteNotFound, errors.UnknownTheme, errors.ProjectUnknown)
    if isinstance(error, closest):
        return bool(error.closest)
    return failure_of(error).quotes_notes


def digest_now(error: BaseException) -> str:
    """Return the digest of a note that changed since it was read; empty otherwise."""
    return error.found if isinstance(error, errors.NoteChanged) else ""


def error_json(error: BaseException, message: str) -> dict[str, Any]:
    kind = type(error).__name__ if isinstance(error, GlassmindError) else "Unexpected"
    if isinstance(error, KeyboardInterrupt):
        kind = "Interrupted"
    values, digest = {"kind": kind, "message": message}, digest_now(error)
    return {"error": values | ({"digest": digest} if digest else {})}
