"""What of a vault is not read: hidden entries, leftovers, secrets, exclusions.

A rule returns `None` to read a thing, a reason to skip and list it, and `UNLISTED` for
what nobody expects in a list (`.git`, `.obsidian`, every other dot entry).
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from unicodedata import normalize

import xxhash

from glassmind.errors import FileGone, VaultError
from glassmind.files.read import VaultFiles
from glassmind.obsidian.text import fold

PROGRAM_LIMIT = 4_000
"""RE2 instructions in all patterns of one file. The worst patterns of this size need
0.1 s for a path of 500 characters; a usual regular expression has 10 to 100."""

SIMPLE_GLOB_SHARE = 5
"""A glob with one wildcard or none counts for a fifth. RE2 matches any number of them
with states that it computes once; a usual ignore line has about 20 instructions."""

PATTERN_LIMIT_CHARS = 1_000
"""Longer than any useful pattern; bounds the time to translate and compile one."""

PATTERNS_LIMIT = 1_000
"""Patterns used from one file; bounds the time to translate and compile all of them."""

_TOO_LONG = f"it is longer than {PATTERN_LIMIT_CHARS:,} characters"
_WILDCARDS = re.compile(r"\*+|[?\[]")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|.)", re.DOTALL)


class _Patterns:
    """The patterns of one untrusted file, compiled by RE2 within `PROGRAM_LIMIT`.

    Python's `re` backtracks: `(a+)+$` doubles its time with each character. RE2
    searches in time linear in the path, times the size of the compiled program.
    """

    def __init__(self) -> None:
        import re2  # noqa: PLC0415 - 6 ms, only for a vault with patterns

        self._re2, self._size = re2, 0
        self.options = re2.Options()
        self.options.log_errors = False
        self.options.never_capture = True
        self.rejected: list[tuple[str, str]] = []

    def takes(self, pattern: str, regex: str, share: int = 1) -> bool:
        try:
            size = self._re2.compile(regex, self.options).programsize // share + 1
        except UnicodeEncodeError:
            return self.reject(pattern, "it is not valid Unicode")
        except self._re2.error as error:
            # The part after the colon repeats the pattern.
            said = error.args[0].partition(b":")[0].decode()
            return self.reject(pattern, f"RE2 reports {said!r}")
        if self._size + size > PROGRAM_LIMIT:
            return self.reject(pattern, "the patterns together are too large")
        self._size += size
        return True

    def reject(self, pattern: str, reason: str) -> bool:
        self.rejected.append((pattern, reason))
        return False

    def warnings(self, source: str) -> list[str]:
        if not self.rejected:
            return []
        pattern, reason = self.rejected[0]
        shown = f"the pattern {pattern[:SHOWN_CHARS]!r} is not used: {reason}"
        more = len(self.rejected) - 1
        rest = f"; nor are {more:,} more" if more else ""
        return [f"{source}: {shown}{rest}. Simplify them."]


def _regex_test(
    sources: Iterable[str], warnings: list[str]
) -> Callable[[str], bool] | None:
    import re2  # noqa: PLC0415 - see `_Patterns`

    patterns, taken = _Patterns(), 0
    found = re2.Set.SearchSet(patterns.options)
    for source in sources:
        regex = _ESCAPE.sub(
            lambda escape: rf"\x{{{escape[1]}}}" if escape[1] else escape[0], source
        )
        if len(source) > PATTERN_LIMIT_CHARS:
            patterns.reject(f"/{source}/", _TOO_LONG)
        elif patterns.takes(f"/{source}/", regex):
            found.Add(regex)
            taken += 1
    warnings += patterns.warnings("excluded files in Obsidian's settings")
    if not taken:
        return None
    found.Compile()
    return lambda path: bool(found.Match(path.encode(errors="replace").decode()))


def _glob_test(
    lines: Sequence[str], warnings: list[str]
) -> Callable[[str], bool | None] | None:
    # 40 ms, only for a vault with an ignore file
    from pathspec import GitIgnoreSpec  # noqa: PLC0415
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # noqa: PLC0415

    patterns, taken = _Patterns(), list[GitIgnoreSpecPattern]()
    for count, line in enumerate(lines):
        if count >= PATTERNS_LIMIT:
            patterns.reject(line, f"only the first {PATTERNS_LIMIT:,} are used")
            continue
        if len(line) > PATTERN_LIMIT_CHARS:
            patterns.reject(line, _TOO_LONG)
            continue
        try:
            pattern = GitIgnoreSpecPattern(line)
        except (ValueError, re.error):
            patterns.reject(line, "it is not a valid pattern")
            continue
        regex = pattern.regex  # None for a line that matches nothing, such as "/"
        wildcards = _WILDCARDS.findall(line.removeprefix("!").removeprefix("**/"))
        share = SIMPLE_GLOB_SHARE if len(wildcards) <= 1 else 1
        if regex is not None and patterns.takes(line, str(regex.pattern), share):
            taken.append(pattern)
    warnings += patterns.warnings(IGNORE_FILE)
    if not taken:
        return None
    spec = GitIgnoreSpec(taken, backend="re2")
    return lambda path: spec.check_file(path.encode(errors="replace").decode()).include


UNLISTED = ""
AGENT_DIR = ".agent"
IGNORE_FILE = ".glassmindignore"
DEFAULT_IGNORE_DIRS = (".obsidian", ".git", ".trash", "node_modules")

CONFLICT_COPY = "a conflict copy made by a sync tool; merge it into its note"
KEY_FILE = "by its name it may hold a secret"
"""Why a file of keys is left out; `!name` in the ignore file takes it in."""

RULES_VERSION = 4
"""Raised when the built-in rules change, so that every file is judged again."""

SETTINGS_LIMIT_BYTES = 1024 * 1024
MOST_JUDGED = 50_000
SHOWN_CHARS = 80
OURS = frozenset({"dismissed.txt", "pinned.txt"})
"""What a person dismissed and pinned, in the agent folder: written by us for us, no
attachment of a note."""

PRIVATE = frozenset({"cache", "logs"})
"""Folders in the agent folder that are neither indexed nor watched."""

_CONFLICT = re.compile(
    r"\.sync-conflict-|\([^()]*conflicted copy[^()]*\)", re.IGNORECASE
)
_LEFTOVER = re.compile(r"~\$.*|.*(?:\.tmp|\.swp|~)", re.IGNORECASE | re.DOTALL)
_SECRET = re.compile(
    r".*\.(?:pem|key|env|p12|pfx|p8|ppk|jks|keystore|kdbx?)"
    r"|.*\.env\.(?!(?:md|canvas|base)\Z)[^.]*|id_[^.]*",
    re.IGNORECASE | re.DOTALL,
)
"""Keys of servers and people, what programs are told of them, safes of passwords."""


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """One vault's rules; `seed` differs whenever they may judge a file otherwise.

    `agent` is the agent folder; the usual one is taken for one beside it. `judged` are
    the folders that were asked for: those of a vault are, at every look at it.
    """

    agent_dir: bool = True
    folders: frozenset[str] = frozenset(DEFAULT_IGNORE_DIRS)
    prefixes: tuple[str, ...] = ()
    matches: Callable[[str], bool] | None = field(default=None, compare=False)
    listed: Callable[[str], bool | None] | None = field(default=None, compare=False)
    warnings: tuple[str, ...] = ()
    seed: int = RULES_VERSION
    agent: str = AGENT_DIR
    judged: dict[str, str | None] = field(default_factory=dict, compare=False)

    def folder(self, path: str) -> str | None:
        try:
            return self.judged[path]
        except KeyError:
            if len(self.judged) >= MOST_JUDGED:
                self.judged.clear()
            return self.judged.setdefault(path, self._judged(path))

    def _judged(self, path: str) -> str | None:
        above, _, name = path.rpartition("/")
        if path == self.agent or path == AGENT_DIR:  # noqa: PLR1714 - asked of each
            return None if self.agent_dir else UNLISTED
        if name.startswith(".") or (name in PRIVATE and self._is_agents(above)):
            return UNLISTED
        if fold(name) in self.folders or fold(path) in self.folders:
            return "a folder that is set to be ignored"
        return _conflict(name) or self._excluded(f"{path}/")

    def file(self, path: str) -> str | None:
        above, _, name = path.rpartition("/")
        is_listed = None if self.listed is None else self.listed(path)
        if _SECRET.fullmatch(name) and is_listed is not False:
            return KEY_FILE
        if name.startswith(".") or (name in OURS and self._is_agents(above)):
            return UNLISTED
        if _LEFTOVER.fullmatch(name):
            return "a temporary file of an editor"
        # What matches a folder need not match what is in it: only files are asked for.
        matched = self.matches is not None and self.matches(path)
        reason = "excluded in Obsidian's settings" if matched else None
        return _conflict(name) or self._excluded(path) or reason

    def left_out(self, path: str, *, folder: bool = False) -> str | None:
        at = path.find("/")
        reason = None
        while at >= 0 and reason is None:
            reason = self.folder(path[:at])
            at = path.find("/", at + 1)
        if reason is not None:
            return reason
        return self.folder(path) if folder else self.file(path)

    def of_templates(self) -> "IgnoreRules":
        """Return the rules for the folder of templates.

        Obsidian's exclusions and ignored folders only keep it out of searches.
        """
        usual = frozenset(DEFAULT_IGNORE_DIRS)
        return replace(self, folders=usual, prefixes=(), matches=None, judged={})

    def _is_agents(self, folder: str) -> bool:
        return folder in (AGENT_DIR, self.agent)

    def _excluded(self, path: str) -> str | None:
        if self.prefixes and path.startswith(self.prefixes):
            return "excluded in Obsidian's settings"
        if self.listed is not None and self.listed(path):
            return f"excluded by {IGNORE_FILE}"
        return None


def load_rules(
    root: Path,
    *,
    ignore_dirs: Iterable[str] = (),
    include_agent_dir: bool = True,
    agent_dir: str = AGENT_DIR,
    config_dir: str = ".obsidian",
) -> IgnoreRules:
    warnings: list[str] = []
    with VaultFiles(root) as files:
        settings = _read(files, f"{config_dir}/app.json", warnings)
        lines = _read(files, IGNORE_FILE, warnings)
    agent = agent_dir.strip("/") or AGENT_DIR
    own = (tuple(ignore_dirs), include_agent_dir, agent)
    return _rules(settings, lines, *own, tuple(warnings))


@lru_cache(maxsize=8)
def _rules(  # noqa: PLR0913, PLR0917 - all that rules are made from
    settings: str,
    lines: str,
    ignore_dirs: tuple[str, ...],
    include_agent_dir: bool,  # noqa: FBT001
    agent: str,
    troubles: tuple[str, ...],
) -> IgnoreRules:
    warnings = list(troubles)
    filters = _filters(settings, warnings)
    chosen = [fold(entry.strip("/")) for entry in (*DEFAULT_IGNORE_DIRS, *ignore_dirs)]
    folders = frozenset(filter(None, chosen))
    state = (RULES_VERSION, include_agent_dir, agent, sorted(folders), filters, lines)
    regexes = [entry[1:-1] for entry in filters if _is_pattern(entry)]
    globs = [line for line in lines.splitlines() if line.strip() and line[0] != "#"]
    rules = IgnoreRules(
        agent_dir=include_agent_dir,
        folders=folders,
        prefixes=tuple(entry for entry in filters if not _is_pattern(entry)),
        matches=_regex_test(regexes, warnings) if regexes else None,
        listed=_glob_test(globs, warnings) if globs else None,
        warnings=(),
        seed=xxhash.xxh3_64_intdigest(repr(state).encode()),
        agent=agent,
    )
    return replace(rules, warnings=tuple(warnings))  # known once all is compiled


def _conflict(name: str) -> str | None:
    return CONFLICT_COPY if _CONFLICT.search(name) else None


def _read(files: VaultFiles, path: str, warnings: list[str]) -> str:
    try:
        return files.read(path, limit_bytes=SETTINGS_LIMIT_BYTES).decode("utf-8-sig")
    except FileGone:
        return ""
    except VaultError as fault:
        warnings.append(f"{fault}; its rules are not followed")
    except UnicodeDecodeError:
        warnings.append(f"{path} is not UTF-8; its rules are not followed")
    return ""


def _filters(settings: str, warnings: list[str]) -> tuple[str, ...]:
    try:
        parsed = json.loads(settings) if settings.strip() else {}
    except (ValueError, RecursionError):
        warnings.append(
            "Obsidian's app.json is not JSON; its exclusions are not followed"
        )
        return ()
    entries = parsed.get("userIgnoreFilters") if isinstance(parsed, dict) else None
    if not isinstance(entries, list):
        return ()
    texts = [entry for entry in entries if isinstance(entry, str) and entry]
    if len(texts) > PATTERNS_LIMIT:
        warnings.append(
            f"Obsidian's settings exclude {len(texts):,} paths; only the first "
            f"{PATTERNS_LIMIT:,} are used. Exclude whole folders instead."
        )
    return tuple(normalize("NFC", text) for text in texts[:PATTERNS_LIMIT])


def _is_pattern(entry: str) -> bool:
    return len(entry) > 2 and entry[0] == entry[-1] == "/"  # noqa: PLR2004


SUFFIXES = frozenset(
    [
        "avif", "bmp", "gif", "jpeg", "jpg", "png", "svg", "webp", "flac", "m4a", "mp3",
        "ogg", "wav", "3gp", "mkv", "mov", "mp4", "ogv", "webm", "pdf",
    ]
)  # fmt: skip


def is_attachment(path: str) -> bool:
    return path.rpartition(".")[2].lower() in SUFFIXES
