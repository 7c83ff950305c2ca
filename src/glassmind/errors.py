"""Everything that can go wrong, named for what happened.

Each error carries its facts and prints as a sentence or two that say what to do.
"""

import re
from collections.abc import Mapping, Sequence
from errno import EACCES, EPERM, EROFS
from os import strerror
from shlex import quote
from typing import Any, NamedTuple

NOT_ALLOWED = frozenset([strerror(EACCES), strerror(EPERM)])
"""Messages of the system where a user may not read or write."""

NOT_WRITABLE = NOT_ALLOWED | {strerror(EROFS)}


class Disclosed(NamedTuple):
    """Notes that the message of an error names, and those whose text it quotes.

    `of_any` is true if it may quote any note.
    """

    named: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    of_any: bool = False


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
OTHERS = "tell the user; other notes can still be read"


class GlassmindError(Exception):
    """What a user can act on, with its meaning for each surface, set by the class.

    `status` is that of HTTP, and `hint` says there what to do next; `remedy` says it to
    a model, and `option` at the end of a message of the CLI. `quotes_notes` is false if
    the message holds only our own words and the caller's. `digest` is that of a note
    that changed since it was read.
    """

    exit_code, status = BUG, 500
    hint = remedy = option = ""
    quotes_notes = True
    digest = ""

    def __init_subclass__(cls, **facts: object) -> None:
        for name, value in facts.items():
            setattr(cls, name, value)

    def discloses(self) -> Disclosed:
        return Disclosed()


def error_json(error: BaseException, message: str) -> dict[str, Any]:
    kind = type(error).__name__ if isinstance(error, GlassmindError) else "Unexpected"
    if isinstance(error, KeyboardInterrupt):
        kind = "Interrupted"
    values, digest = {"kind": kind, "message": message}, getattr(error, "digest", "")
    return {"error": values | ({"digest": digest} if digest else {})}


def way_in(reason: str, otherwise: str) -> str:
    """Return the remedy for a folder that cannot be read."""
    if reason in NOT_ALLOWED:
        return (
            "its owner has to let you read it (on macOS: System Settings, Privacy & "
            "Security, Files and Folders, for your terminal)"
        )
    return otherwise


class IndexFault(
    GlassmindError, exit_code=INDEX, status=503, hint=RESTART, quotes_notes=False
):
    """The index beside the vault cannot be used as asked."""


class QueryError(GlassmindError, exit_code=USAGE, status=422, hint=SEE_SCHEMA):
    """What was asked cannot be understood."""


class WrongUsage(QueryError, quotes_notes=False):
    def __init__(self, problem: str, command: str = "") -> None:
        see = " ".join(word for word in ("glassmind", command, "--help") if word)
        link = " See:" if problem.endswith("?") else "; see:"
        super().__init__(f"{problem}{link} {see}")


class NothingAsked(QueryError, quotes_notes=False):
    def __init__(self) -> None:
        super().__init__("nothing to search for is given: write words or a filter")


class BadLimit(QueryError, quotes_notes=False):
    def __init__(self, limit: int, most: int) -> None:
        super().__init__(f"limit {limit} cannot be met: it must be from 1 to {most:,}")


class BadWish(QueryError, quotes_notes=False):
    def __init__(self, name: str, value: object, bounds: str) -> None:
        super().__init__(f"{name} {value} cannot be met: it must be {bounds}")


class BadDate(QueryError, quotes_notes=False):
    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:80]!r} is not a date: write YYYY-MM-DD, YYYY-MM, YYYY, today, "
            "yesterday, or how long ago, such as 7d, 2w, 3m, 1y"
        )


class IndexAbsent(
    IndexFault,
    hint="POST /index makes one",
    remedy="ask again in a moment if a first indexing is under way",
):
    def __init__(self, folder: str) -> None:
        super().__init__(f"no index in {folder} yet; run: glassmind index")
        self.folder = folder


class IndexUntrusted(IndexAbsent):
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.reason = (
            f"The index in {folder} was not built here, or was changed by another "
            "program."
        )
        IndexFault.__init__(self, f"{self.reason} Run: glassmind index")


class NotEmbedded(IndexFault, hint="POST /index embeds"):
    def __init__(self, lacking: str, remedy: str) -> None:
        super().__init__(f"{lacking}; {remedy}")


class IndexBusy(IndexFault, hint="try again later", remedy="searching works meanwhile"):
    def __init__(self, holder: str, waited_s: float) -> None:
        super().__init__(
            f"the index is being written by {holder}; waited {waited_s:.0f} s. "
            "Try again when it is done"
        )
        self.holder, self.waited_s = holder, waited_s


class IndexTaken(IndexBusy):
    def __init__(self, holder: str) -> None:
        IndexFault.__init__(
            self,
            f"{holder} writes the index now, since this one was stopped for a while; "
            "what was written is kept. Run it again",
        )
        self.holder, self.waited_s = holder, 0.0


class IndexUnwritable(IndexFault):
    def __init__(self, folder: str, reason: str) -> None:
        super().__init__(
            f"the index in {folder} cannot be written ({reason}); free the disk or set "
            "index.location to a folder you can write"
        )
        self.folder = folder


class IndexDamaged(IndexFault):
    def __init__(self, file: str, reason: str) -> None:
        # whatever is not the rows themselves is made anew from them
        wish = "--rebuild" if file.endswith("index.db") else "--verify"
        super().__init__(f"{file} is damaged ({reason}); run: glassmind index {wish}")
        self.file, self.reason = file, reason


class IndexTooNew(IndexFault):
    def __init__(self, file: str, found: int, known: int) -> None:
        super().__init__(
            f"{file} has schema {found}, this release knows {known}; "
            "upgrade glassmind, or run: glassmind index --rebuild"
        )
        self.file = file


class BackupExists(IndexFault, exit_code=USAGE):
    def __init__(self, file: str) -> None:
        super().__init__(f"{file} exists already; name another file")
        self.file = file


class BackupUnwritable(IndexFault):
    def __init__(self, folder: str, reason: str) -> None:
        remedy = "name a file in a folder you can write"
        super().__init__(f"the backup was not written in {folder} ({reason}); {remedy}")
        self.folder = folder


class BackupMissing(IndexFault):
    def __init__(self, file: str) -> None:
        super().__init__(f"there is no file {file}; name what glassmind backup wrote")
        self.file = file


class BackupDamaged(IndexFault):
    def __init__(self, file: str, reason: str) -> None:
        super().__init__(
            f"{file} is not a valid backup ({reason}); nothing was changed"
        )
        self.file = file


ELSEWHERE = "; name another file: --config FILE, or the variable GLASSMIND_CONFIG"


class ConfigError(GlassmindError, exit_code=USAGE, quotes_notes=False):
    """Something in the configuration cannot be used."""


class NoVault(ConfigError):
    def __init__(self, *, looked: bool = False) -> None:
        others = (
            "name the folder of your notes: glassmind init FOLDER (Obsidian lists no "
            "vault on this machine)"
        )
        ways = (
            "run glassmind init, which finds those of Obsidian, or glassmind init "
            "FOLDER; or pass --vault FOLDER, set GLASSMIND_VAULT_PATH, or stand in a "
            "vault (a folder with .obsidian)"
        )
        super().__init__(f"no vault is chosen: {others if looked else ways}")


class BadConfigFile(ConfigError):
    def __init__(self, file: str, line: int, problem: str) -> None:
        place = f"{file}:{line}" if line else file
        then = ELSEWHERE if problem in NOT_ALLOWED else ""
        super().__init__(f"{place} cannot be read as configuration: {problem}{then}")
        self.file, self.line = file, line


class BadSetting(ConfigError):
    def __init__(self, key: str, origin: str, problem: str) -> None:
        super().__init__(f"{key} (from {origin}) {problem}")
        self.key = key


class VaultAbsent(ConfigError, exit_code=VAULT):
    def __init__(self, path: str, origin: str, problem: str = "") -> None:
        usual = (
            "is not a folder; check the path, and that its disk is there, or choose "
            "another: glassmind init FOLDER"
        )
        super().__init__(f"the vault {path} (from {origin}) {problem or usual}")
        self.path = path


class UnlikelyVault(ConfigError):
    def __init__(self, folder: str, finding: str, instead: str) -> None:
        super().__init__(
            f"{folder} {finding}; {instead} (to take it all the same: glassmind config "
            f"set vault.path {quote(folder)})"
        )
        self.folder = folder


class InsideVault(UnlikelyVault):
    """It is a part of a vault."""


class ConfigUnwritable(ConfigError):
    def __init__(self, file: str, reason: str) -> None:
        then = ELSEWHERE if reason in NOT_WRITABLE else ""
        super().__init__(f"{file} was not written: {reason}{then}")
        self.file = file


class VaultError(GlassmindError, exit_code=VAULT, status=503, hint=CHECK_DISK):
    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(message)
        self.path = path

    def discloses(self) -> Disclosed:
        return Disclosed((self.path,))


class MassDeletion(
    VaultError, status=409, hint="POST /index with accept_deletions", quotes_notes=False
):
    def __init__(self, gone: int, known: int) -> None:
        super().__init__(
            f"{gone} of {known} notes seem gone; nothing was removed from the index. "
            "If the vault is all there, run: glassmind index --accept-deletions"
        )


class VaultMissing(VaultError, quotes_notes=False):
    def __init__(self, root: str, reason: str) -> None:
        super().__init__(
            f"the vault {root} cannot be read ({reason}); "
            + way_in(reason, "check the path, and that its disk is mounted")
        )
        self.root = root


class PathOutsideVault(
    VaultError, status=422, hint="name a file relative to the vault", quotes_notes=False
):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path[:200]!r} is no path inside the vault ({reason}); name a file "
            "relative to the vault, such as Folder/Note.md",
            path,
        )


class SymlinkInPath(PathOutsideVault):
    def __init__(self, path: str) -> None:
        super().__init__(path, "it contains a symbolic link")


class FileUnreadable(
    VaultError, status=409, hint="fix what it names, then POST /index", remedy=OTHERS
):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}", path)
        self.reason = reason


class FileGone(FileUnreadable, status=404, hint="POST /index updates the index"):
    def __init__(self, path: str) -> None:
        super().__init__(path, "there is no such file; index again if it was moved")


class NotDownloaded(FileUnreadable):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, f"it is {reason}")


class FileTooLarge(FileUnreadable):
    def __init__(self, path: str, limit_bytes: int, remedy: str = "") -> None:
        super().__init__(path, f"it is larger than {limit_bytes:,} bytes{remedy}")


class NoteNotFound(
    VaultError,
    status=404,
    hint="name a note by its path, title or alias",
    remedy="search for the note",
):
    def __init__(self, name: str, closest: tuple[str, ...] = ()) -> None:
        hint = f"; closest: {', '.join(closest)}" if closest else ""
        super().__init__(f"no note is called {name[:200]!r}{hint}")
        self.closest = closest
        self.quotes_notes = bool(closest)

    def discloses(self) -> Disclosed:
        return Disclosed(self.closest)


class AmbiguousName(VaultError, status=409, hint="give the path"):
    def __init__(self, name: str, candidates: tuple[str, ...], total: int) -> None:
        more = f" and {total - len(candidates)} more" if total > len(candidates) else ""
        super().__init__(
            f"{name[:200]!r} may mean {', '.join(candidates)}{more}; give the path"
        )
        self.candidates, self.total = candidates, total

    def discloses(self) -> Disclosed:
        return Disclosed(self.candidates)


class HeadingNotFound(
    VaultError,
    status=404,
    hint="read the note without a heading",
    remedy="read the note without a heading to see its headings",
):
    def __init__(self, path: str, heading: str, there: tuple[str, ...]) -> None:
        known = f"; it has: {', '.join(there[:10])}" if there else "; it has none"
        super().__init__(f"{path} has no heading {heading[:200]!r}{known}", path)
        self.there = there

    def discloses(self) -> Disclosed:
        return Disclosed((self.path,), (self.path,) if self.there else ())


class AmbiguousHeading(
    VaultError,
    status=409,
    hint="add the one above it, as Above#Heading",
    remedy="or read by lines",
    option=", or use --lines",
):
    def __init__(self, path: str, heading: str, lines: tuple[int, ...]) -> None:
        at = ", ".join(str(line) for line in lines[:10])
        super().__init__(
            f"{path} has {heading[:200]!r} {len(lines)} times (lines {at}); "
            "name the heading above it too, as Above#Heading",
            path,
        )


class LinesOutOfRange(
    VaultError,
    status=404,
    hint="read the note without lines",
    remedy="read the note without lines to see how many it has",
):
    def __init__(self, path: str, wanted: str, count: int) -> None:
        lines = "1 line" if count == 1 else f"{count} lines"
        super().__init__(f"{path} has {lines}; {wanted} is not among them", path)


class OffsetOutOfRange(
    VaultError, status=404, hint="begin with offset 0", remedy="begin with offset 0"
):
    def __init__(self, path: str, offset: int, length: int) -> None:
        super().__init__(
            f"{path} has {length} characters; offset {offset} is past them", path
        )


class WriteRefused(VaultError, status=409, hint=MODE):
    """A file of the vault was not written; it is as it was."""


class WritesOff(WriteRefused, quotes_notes=False):
    def __init__(self, path: str, undone: str = "") -> None:
        done = undone or f"{path} was not written"
        super().__init__(
            f"{done}: the settings let nothing be written to the "
            'vault; set writes.mode to "agent-only" or more, and leave '
            "writes.agent_dir a folder",
            path,
        )


class NoteChanged(
    WriteRefused, exit_code=CONFLICT, hint="read it again: digest is its digest now"
):
    def __init__(self, path: str, *, expected: str, found: str) -> None:
        super().__init__(f"{path} changed since it was read; read it again", path)
        self.expected, self.found, self.digest = expected, found, found


class NoteGone(NoteChanged):
    def __init__(self, path: str, *, expected: str) -> None:
        super().__init__(path, expected=expected, found="")
        why = "deleted or renamed since"
        self.args = (f"{path} is gone, {why}: reject what was proposed, and ask anew",)


class NameTaken(WriteRefused, hint="choose another name"):
    def __init__(self, path: str, but: str = "") -> None:
        said = f"{path} was not written: there is a file of that name"
        super().__init__(f"{said}, but {but}" if but else said, path)


class WriteFailed(
    WriteRefused, status=503, hint="fix the file or disk it names, and retry"
):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} was not written: {reason}; it is as it was", path)


class NotTakenBack(VaultError):
    def __init__(self, path: str, count: int, reason: str) -> None:
        others = f" and {count - 1} more" if count > 1 else ""
        super().__init__(
            f"{path}{others} could not be put back after a change failed ({reason}); "
            "the next edit finishes it or takes it back",
            path,
        )


SAID_CHARS, SHOWN_CHARS = 60, 200
"""Characters of an error's message that repeat an argument, and that quote a note."""

_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|.)")


class EditRefused(VaultError, status=409, hint=SEE_TEXT):
    """An edit was not made; every file is as it was.

    `place` names the edit in a list of several, such as `edits[2]`.
    """

    def __init__(self, said: str, path: str = "", *, place: str = "") -> None:
        super().__init__(f"{place}: {said}" if place else said, path)
        self.said, self.place = said, place


class BadEdit(EditRefused, exit_code=USAGE, status=422, hint=SEE_SCHEMA):
    """An edit that makes no sense: an empty text to find, a line that is absent."""


class HiddenWords(BadEdit):
    def __init__(self, mark: str) -> None:
        super().__init__(
            f"{mark} stands in the place of a credential that is not shown to you, and "
            "is not in the note: find other words, or name the line, and do not write "
            "it; nothing was changed"
        )


class NoMatch(
    EditRefused,
    hint="GET /notes/{name} shows the text; a replace may be fuzzy",
    remedy="give the text exactly as the note has it",
):
    """The text to change is not in the note, or not on this `line`."""

    def __init__(
        self,
        path: str,
        wanted: str,
        nearest: Sequence[tuple[int, str, float]] = (),
        *,
        line: int | None = None,
    ) -> None:
        place = f"in {path}" if line is None else f"on line {line} of {path}"
        super().__init__(_no_match(place, wanted, nearest), path)
        self.wanted, self.nearest = wanted, tuple(nearest)
        self.line = line

    def discloses(self) -> Disclosed:
        return Disclosed((self.path,), (self.path,) if self.nearest else ())


class NoSuchLevel(NoMatch, hint="GET /notes/{name} shows its headings", remedy=""):
    def __init__(self, path: str, level: int, levels: Sequence[int]) -> None:
        listed = ", ".join(map(str, levels))
        said = f"it has those of level {listed}" if levels else "it has none at all"
        EditRefused.__init__(self, f"no heading of level {level} is in {path}; {said}")
        self.path, self.wanted, self.nearest = path, f"level {level}", ()
        self.line = None


class SeveralMatches(EditRefused, hint="give more of it, or a line number"):
    def __init__(self, path: str, wanted: str, lines: Sequence[int], how: str) -> None:
        listed = ", ".join(map(str, lines[:10]))
        super().__init__(
            f"{_short(wanted)} occurs {len(lines)} times in {path}, on lines {listed}; "
            f"{how}",
            path,
        )
        self.wanted, self.lines = wanted, tuple(lines)


class NotEditable(EditRefused):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} was not edited: {reason}", path)
        self.reason = reason


class PolicyForbids(EditRefused, status=403, hint=MODE):
    def __init__(self, path: str, rule: str) -> None:
        super().__init__(f"{path} was not edited: {rule} does not let it be", path)


class NeedsApproval(EditRefused, status=403, hint="run glassmind proposals approve"):
    def __init__(self, identity: str) -> None:
        super().__init__(
            f"{identity} waits for a person: glassmind proposals approve {identity}"
        )


class ChangesetUnknown(
    EditRefused,
    status=404,
    hint="GET /changes lists them",
    remedy="list the changes to see which there are",
):
    def __init__(self, identity: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(_no_changeset(identity, nearest))
        self.nearest = tuple(nearest)


class WrongState(EditRefused, hint="GET /changes/{id} shows its state"):
    def __init__(self, identity: str, state: str, wanted: str) -> None:
        super().__init__(f"{identity} is {state}, not {wanted}: nothing was done")


class ConfirmFirst(
    EditRefused,
    exit_code=USAGE,
    status=422,
    hint="send confirm: true",
    remedy="ask the user first, then give confirm true",
    option=" (--yes)",
):
    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: say that you mean it")
        self.what = what


class NowhereToKeep(
    EditRefused, status=503, hint="set index.location to a writable folder"
):
    """There is no writable folder outside the vault for undo data."""

    def __init__(self, reason: str = "") -> None:
        why = f" ({reason})" if reason else ""
        super().__init__(
            "nothing was edited: no folder outside of the vault takes what would undo "
            f"it{why}; set index.location to a folder you can write"
        )


def _short(text: str, most: int = SAID_CHARS) -> str:
    """Return a text in quotes, cut, with control characters escaped as in JSON."""
    plain = text.replace("\r\n", "\n")
    cut = plain if len(plain) <= most else f"{plain[: most - 3]}..."
    return _ESCAPE.sub(lambda m: f"\\u00{m[1]}" if m[1] else m[0], repr(cut))


def _no_changeset(identity: str, nearest: Sequence[str]) -> str:
    wanted = identity.strip().lower()
    matches = [name for name in nearest if wanted and name.startswith(wanted)]
    if len(matches) > 1:
        more = f" and {len(matches) - 10} more" if len(matches) > 10 else ""  # noqa: PLR2004
        listed = ", ".join(matches[:10])
        return f"{len(matches)} changesets begin with {identity!r}: {listed}{more}"
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    return f"there is no changeset {identity!r}{hint}"


def _no_match(
    place: str, wanted: str, nearest: Sequence[tuple[int, str, float]]
) -> str:
    said = f"{_short(wanted)} does not stand {place}"
    if not nearest:
        return f"{said}; read it again"
    shown = "; ".join(
        f"line {line} ({like:.2f}): {_short(text, SHOWN_CHARS)}"
        for line, text, like in nearest
    )
    return f"{said}; nearest are {shown}"


class BadMemory(QueryError):
    def __init__(self, part: str, problem: str) -> None:
        super().__init__(f"the {part} cannot be kept: {problem}; nothing was written")


class MemoryUnreadable(
    VaultError, status=409, hint="fix it, or move it to another folder"
):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} is not a valid memory: {reason}", path)


class UnknownKind(QueryError, quotes_notes=False):
    def __init__(self, kind: str, known: tuple[str, ...]) -> None:
        super().__init__(f"kind must be one of {', '.join(known)} (got {kind[:80]!r})")


class MemoryNotFound(NoteNotFound):
    def __init__(self, name: str, closest: tuple[str, ...] = ()) -> None:
        super().__init__(name, closest)
        hint = f"; closest: {', '.join(closest)}" if closest else ""
        self.args = (f"no memory named {name[:200]!r}{hint}",)


class NotMemory(VaultError):
    def __init__(self, path: str, folder: str) -> None:
        super().__init__(
            f"{path} is not a memory: only what was captured below {folder}/ can be "
            "moved or marked",
            path,
        )
        self.folder = folder


class MisplacedMemory(VaultError):
    def __init__(self, path: str, folder: str, *, waits: bool = False) -> None:
        kept = "set `generated: false` in it to approve it where it is, or "
        super().__init__(
            f"{path} was captured, but is outside of {folder}/, where nothing is "
            f"written for you: {kept if waits else ''}move it back below {folder}/",
            path,
        )
        self.folder = folder


class NotWaiting(VaultError):
    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} does not wait in the inbox; see: glassmind inbox list", path
        )


class StillWaiting(VaultError):
    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} still waits in the inbox; first run: "
            f"glassmind inbox accept {quote(path)}",
            path,
        )


class NotMerged(VaultError):
    def __init__(self, path: str, into: str, reason: str) -> None:
        super().__init__(
            f"{path} is not merged with {into}: {reason}, so nobody would find it "
            f"there; to keep it on its own: glassmind inbox accept {quote(path)}",
            path,
        )


class NotSuperseded(VaultError):
    def __init__(self, old: str, new: str, reason: str) -> None:
        super().__init__(f"{old} is not superseded by {new}: {reason}")


class UnknownTheme(QueryError, status=404, hint="GET /graph/themes lists them"):
    def __init__(self, name: str, closest: tuple[str, ...] = ()) -> None:
        hint = f"closest: {', '.join(closest)}" if closest else "there are no themes"
        super().__init__(f"no theme is called {name[:200]!r}; {hint}")
        self.name, self.closest = name, closest
        self.quotes_notes = bool(closest)

    def discloses(self) -> Disclosed:
        return Disclosed(self.closest, of_any=bool(self.closest))


class AmbiguousTheme(QueryError, status=409, hint="give its number"):
    def __init__(self, name: str, ids: tuple[int, ...]) -> None:
        named = ", ".join(map(str, ids))
        super().__init__(f"{name[:200]!r} may mean the themes {named}; give the id")


class UnknownCheck(
    QueryError, status=404, hint="GET /graph/health lists them", quotes_notes=False
):
    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(
            f"there is no check {name[:80]!r}; choose from {', '.join(known)}"
        )


class BadFindingKey(QueryError, status=404, hint=SEE_KEYS, quotes_notes=False):
    def __init__(self, key: str) -> None:
        super().__init__(
            f"{key[:200]!r} names no finding; take the key that health shows for it, "
            "such as 'orphans:Inbox/Scratch.md'"
        )


class FindingAbsent(VaultError, status=404, hint=SEE_KEYS):
    def __init__(self, key: str, reason: str = "") -> None:
        why = f"cannot be looked for: {reason}" if reason else "is no finding now"
        super().__init__(
            f"{key[:200]!r} {why}; health shows the keys of those there are"
        )


class NoteIsGhost(
    NoteNotFound,
    hint="ghosts=true shows what links to it",
    remedy="ask with ghosts (or includeStubs) to see what links to it",
    option="; --ghosts shows what links to it",
):
    def __init__(self, name: str, links: int) -> None:
        super().__init__(name)
        lead = "1 link leads" if links == 1 else f"{links:,} links lead"
        self.args = (f"{self.args[0]}, but {lead} to that name",)


class NoHistory(VaultError, quotes_notes=False):
    """The git history of a vault cannot be read."""


class NoReceipts(QueryError, quotes_notes=False):
    def __init__(self) -> None:
        super().__init__(
            "no receipt is given: write them as bundles do, path#heading:12-18@digest"
        )


class CitedGone(
    VaultError,
    status=404,
    hint="read the note without lines, or search again",
    remedy="search for it again",
):
    def __init__(self, receipt: str, reason: str) -> None:
        super().__init__(f"what {receipt[:400]} cites cannot be read: {reason}")


class ProjectUnknown(VaultError, status=404, hint=PROJECT_NAMES):
    def __init__(self, name: str, closest: Sequence[str] = ()) -> None:
        hint = f"; closest: {', '.join(closest)}" if closest else ""
        super().__init__(
            f"no note belongs to a project {name[:200]!r}: name a folder, a tag such "
            f"as '#atlas', or what the property 'project' of some note says{hint}"
        )
        self.closest = tuple(closest)
        self.quotes_notes = bool(closest)

    def discloses(self) -> Disclosed:
        return Disclosed(self.closest, of_any=bool(self.closest))


class BudgetTooSmall(QueryError, quotes_notes=False):
    def __init__(self, budget_tokens: int, least: int) -> None:
        super().__init__(
            f"nothing useful fits into {budget_tokens} tokens; allow {least} or more"
        )
        self.budget_tokens, self.least = budget_tokens, least


class ModelFault(
    GlassmindError, exit_code=MODEL, status=503, hint=RESTART, quotes_notes=False
):
    """A model cannot be used; search goes on without it and says so."""


class UnknownModel(ModelFault):
    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"no model is called {name!r}; known are: {', '.join(known)}")
        self.known = tuple(known)


class ModelAbsent(ModelFault):
    def __init__(self, model: str, tried: str = "") -> None:
        fetch = f"run: glassmind models fetch {model}"
        then = f"it could not be fetched: {tried}" if tried else fetch
        super().__init__(f"the model {model} is not on this machine; {then}")


class ModelDamaged(ModelFault):
    def __init__(self, model: str, file: str) -> None:
        super().__init__(
            f"{file} of the model {model} is not what it should be; run: "
            f"glassmind models fetch {model}"
        )
        self.file = file


class ModelFailed(ModelFault):
    def __init__(self, model: str, reason: str) -> None:
        super().__init__(f"the model {model} gave no answer ({reason})")
        self.model, self.reason = model, reason


class OtherWidth(ModelFailed):
    def __init__(self, model: str, *, found: int, known: int) -> None:
        then = "where that is right, run: glassmind index --rebuild"
        super().__init__(model, f"{found} numbers in place of {known}; {then}")


class RemoteRefused(ModelFault):
    def __init__(
        self,
        host: str,
        setting: str = "embeddings.allow_remote",
        sent: str = "note text",
    ) -> None:
        super().__init__(
            f"{host} is not this machine, and {sent} would go there; set "
            f"{setting} = true in your own settings if you want that"
        )


class HindsightFailed(GlassmindError):
    def __init__(self, reason: str) -> None:
        super().__init__(f"Hindsight gave no answer ({reason})")


class ServingFault(GlassmindError, exit_code=USAGE, quotes_notes=False):
    """A call from outside cannot be taken, or a server cannot be started."""


class BadArgument(ServingFault, status=422, hint=SEE_SCHEMA):
    def __init__(self, tool: str, problem: str) -> None:
        super().__init__(f"{tool}: {problem}" if tool else problem)
        self.problem = problem

    def message_with(self, _: Mapping[str, str]) -> str:
        """Return the message with a surface's own names for the arguments."""
        return str(self)


class BadValue(BadArgument):
    """An operation cannot use what it was given; `names` are those of its arguments.

    Each surface puts the tool, route or command first, and may use its own names for
    the arguments.
    """

    def __init__(self, names: str, problem: str) -> None:
        self.names, self.rest = names.split(), problem
        super().__init__("", self.message_with({}))

    def message_with(self, labels: Mapping[str, str]) -> str:
        """Return the message with a surface's own names for the arguments."""
        *others, last = [labels.get(name, name) for name in self.names]
        listed = f"{', '.join(others)} and {last}" if others else last
        return f"{listed} {self.rest}"


class UnknownToolset(ServingFault):
    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(
            f"there is no set of tools {name[:80]!r}; choose from {', '.join(known)}"
        )


class CallAbandoned(ServingFault):
    def __init__(self) -> None:
        super().__init__("the call was given up by who made it; what was done is kept")


class AccessFault(ServingFault):
    """A problem with a client, or with what it may read."""


class BadScope(AccessFault):
    def __init__(self, text: str, problem: str) -> None:
        super().__init__(
            f"{text[:80]!r} is not a rule: {problem}; write folder:Projects, tag:work, "
            "property:status=public or toolset:core, with - before one that excludes"
        )


class ClientUnknown(AccessFault):
    def __init__(self, name: str, nearest: Sequence[str] = ()) -> None:
        meant = " or ".join(nearest)
        said = f"did you mean {meant}?" if meant else "see: glassmind clients list"
        super().__init__(f"no client is called {name[:80]!r}; {said}")


class ClientsUnreadable(AccessFault):
    def __init__(self, file: str, reason: str) -> None:
        super().__init__(
            f"the clients in {file} cannot be read ({reason}), so every client is "
            "refused; fix the file, or delete it and add the clients again"
        )
        self.file = file
