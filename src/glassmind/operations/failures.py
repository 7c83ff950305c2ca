"""What each error means to a caller: exit code, HTTP status, and what to do next.

One table for every surface. The first row whose class fits an error decides, so
subclasses come before their bases.
"""

from typing import NamedTuple

from glassmind import errors
from glassmind.errors import (
    GlassmindError,
    context,
    editing,
    knowledge,
    memory,
    serving,
    writing,
)
from glassmind.errors import config as configuration
from glassmind.errors import models as model_errors

USAGE, VAULT, INDEX, MODEL, CONFLICT, BUG = 2, 3, 4, 5, 6, 70
"""Exit codes; docs/cli.md has the same table. 70 is EX_SOFTWARE of sysexits.h."""

RESTART = "run glassmind doctor where the vault is"
SEE_SCHEMA = "see /openapi.json for what it takes"
MODE = "the settings say what may be written: writes.mode"


class Failure(NamedTuple):
    """How the surfaces report one kind of error.

    `hint` is for HTTP clients, `remedy` for models, `option` for people at a terminal.
    `quotes_notes` is false for errors whose message holds only our own words and the
    caller's; all others may contain text of the vault.
    """

    error: type[GlassmindError]
    exit_code: int
    status: int
    hint: str
    remedy: str = ""
    option: str = ""
    quotes_notes: bool = True


FAILURES: tuple[Failure, ...] = (
    Failure(serving.BadArgument, USAGE, 422, SEE_SCHEMA, quotes_notes=False),
    Failure(serving.ServingFault, USAGE, 500, "", quotes_notes=False),
    Failure(configuration.VaultAbsent, VAULT, 500, "", quotes_notes=False),
    Failure(configuration.ConfigError, USAGE, 500, "", quotes_notes=False),
    # what was asked
    Failure(knowledge.UnknownTheme, USAGE, 404, "GET /graph/themes lists them"),
    Failure(knowledge.AmbiguousTheme, USAGE, 409, "give its number"),
    Failure(
        knowledge.UnknownCheck,
        USAGE,
        404,
        "GET /graph/health lists them",
        quotes_notes=False,
    ),
    Failure(
        knowledge.BadFindingKey,
        USAGE,
        404,
        "GET /graph/health shows the keys of findings",
        quotes_notes=False,
    ),
    Failure(context.NoReceipts, USAGE, 422, SEE_SCHEMA, quotes_notes=False),
    Failure(context.BudgetTooSmall, USAGE, 422, SEE_SCHEMA, quotes_notes=False),
    Failure(memory.UnknownKind, USAGE, 422, SEE_SCHEMA, quotes_notes=False),
    Failure(errors.BadDate, USAGE, 422, SEE_SCHEMA, quotes_notes=False),
    Failure(errors.BadLimit, USAGE, 422, SEE_SCHEMA, quotes_notes=False),
    Failure(errors.BadWish, USAGE, 422, SEE_SCHEMA, quotes_notes=False),
    Failure(errors.NothingAsked, USAGE, 422, SEE_SCHEMA, quotes_notes=False),
    Failure(errors.WrongUsage, USAGE, 422, SEE_SCHEMA, quotes_notes=False),
    Failure(errors.QueryError, USAGE, 422, SEE_SCHEMA),
    # edits
    Failure(editing.BadEdit, USAGE, 422, SEE_SCHEMA),
    Failure(
        editing.ConfirmFirst,
        USAGE,
        422,
        "send confirm: true",
        "ask the user first, then give confirm true",
        " (--yes)",
    ),
    Failure(
        editing.ChangesetUnknown, VAULT, 404, "GET /changes lists them", "{changes}"
    ),
    Failure(editing.NoSuchLevel, VAULT, 409, "GET /notes/{name} shows its headings"),
    Failure(
        editing.NoMatch,
        VAULT,
        409,
        "GET /notes/{name} shows the text; a replace may be fuzzy",
        "give the text exactly as the note has it",
    ),
    Failure(editing.SeveralMatches, VAULT, 409, "give more of it, or a line number"),
    Failure(editing.PolicyForbids, VAULT, 403, MODE),
    Failure(
        editing.NeedsApproval,
        VAULT,
        403,
        "a person approves it: glassmind proposals approve",
    ),
    Failure(editing.WrongState, VAULT, 409, "GET /changes/{id} shows its state"),
    Failure(
        editing.NowhereToKeep,
        VAULT,
        503,
        "set index.location to a folder that can be written",
    ),
    Failure(editing.EditRefused, VAULT, 409, "GET /notes/{name} shows the text"),
    # writing files
    Failure(
        writing.NoteChanged, CONFLICT, 409, "read it again: digest is its digest now"
    ),
    Failure(writing.NameTaken, VAULT, 409, "choose another name"),
    Failure(
        writing.WriteFailed, VAULT, 503, "fix the file or disk it names, and retry"
    ),
    Failure(writing.WritesOff, VAULT, 409, MODE, quotes_notes=False),
    Failure(writing.WriteRefused, VAULT, 409, MODE),
    # notes and files
    Failure(
        knowledge.FindingAbsent,
        VAULT,
        404,
        "GET /graph/health shows the keys of findings",
    ),
    Failure(
        knowledge.NoteIsGhost,
        VAULT,
        404,
        "ghosts=true shows the notes that link to it",
        "ask with ghosts (or includeStubs) to see what links to it",
        "; --ghosts shows what links to it",
    ),
    Failure(
        knowledge.NoHistory,
        VAULT,
        503,
        "check that the vault's disk is there",
        quotes_notes=False,
    ),
    Failure(
        context.ProjectUnknown,
        VAULT,
        404,
        "give its name, folder:PATH, #tag or property:KEY=VALUE",
    ),
    Failure(
        context.CitedGone,
        VAULT,
        404,
        "read the note it names without lines, or search again",
        "find it again with {search}",
    ),
    Failure(
        memory.MemoUnreadable,
        VAULT,
        409,
        "fix the note, or move it out of the agent folder",
    ),
    Failure(
        errors.NoteNotFound,
        VAULT,
        404,
        "name a note by its path, title or alias",
        "find the note with {search}",
    ),
    Failure(
        errors.HeadingNotFound,
        VAULT,
        404,
        "read the note without a heading",
        "read the note without a heading to see its headings",
    ),
    Failure(
        errors.LinesOutOfRange,
        VAULT,
        404,
        "read the note without lines",
        "read the note without lines to see how many it has",
    ),
    Failure(
        errors.OffsetOutOfRange,
        VAULT,
        404,
        "begin with offset 0, and go on with next_offset",
        "begin with offset 0",
    ),
    Failure(errors.AmbiguousName, VAULT, 409, "give the path"),
    Failure(
        errors.AmbiguousHeading,
        VAULT,
        409,
        "name the heading above it too, as Above#Heading",
        "or read by lines",
        ", or use --lines",
    ),
    Failure(
        errors.MassDeletion,
        VAULT,
        409,
        "POST /index with accept_deletions, if it is so",
        quotes_notes=False,
    ),
    Failure(
        errors.PathOutsideVault,
        VAULT,
        422,
        "name a file relative to the vault",
        quotes_notes=False,
    ),
    Failure(
        errors.FileGone,
        VAULT,
        404,
        "POST /index updates the index",
        "tell the user; other notes can still be read",
    ),
    Failure(
        errors.FileUnreadable,
        VAULT,
        409,
        "fix what the message names, then POST /index",
        "tell the user; other notes can still be read",
    ),
    Failure(
        errors.VaultMissing,
        VAULT,
        503,
        "check that the vault's disk is there",
        quotes_notes=False,
    ),
    Failure(errors.VaultError, VAULT, 503, "check that the vault's disk is there"),
    # the index and the models
    Failure(
        errors.IndexAbsent,
        INDEX,
        503,
        "POST /index makes one",
        "ask again in a moment if a first indexing is under way",
        quotes_notes=False,
    ),
    Failure(errors.NotEmbedded, INDEX, 503, "POST /index embeds", quotes_notes=False),
    Failure(
        errors.IndexBusy,
        INDEX,
        503,
        "try again later",
        "searching works meanwhile",
        quotes_notes=False,
    ),
    Failure(errors.BackupExists, USAGE, 503, RESTART, quotes_notes=False),
    Failure(errors.IndexFault, INDEX, 503, RESTART, quotes_notes=False),
    Failure(model_errors.ModelFault, MODEL, 503, RESTART, quotes_notes=False),
)

UNEXPECTED = Failure(GlassmindError, BUG, 500, "")


def failure_of(error: GlassmindError) -> Failure:
    """Return how an error is reported."""
    found = (row for row in FAILURES if isinstance(error, row.error))
    return next(found, UNEXPECTED)


def quotes_notes(error: GlassmindError) -> bool:
    """Return whether the message of an error may contain text of the vault."""
    closest = (errors.NoteNotFound, knowledge.UnknownTheme, context.ProjectUnknown)
    if isinstance(error, closest):
        return bool(error.closest)
    return failure_of(error).quotes_notes


def digest_now(error: BaseException) -> str:
    """Return the digest of a note that changed since it was read; empty otherwise."""
    return error.found if isinstance(error, writing.NoteChanged) else ""
