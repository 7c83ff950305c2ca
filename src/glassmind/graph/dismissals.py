"""What a person dismissed: pairs of similar notes and findings, as lines of a file.

    pair "Tea/Oolong.md" "Tea/Sencha.md"
    finding orphans "Inbox/Scratch.md"

The file is in the agent folder, easy to read and to edit by hand. It is not a note and
holds no link, so that neither the graph nor a search ever sees it. A line is about the
notes that have its paths.
"""

import json
import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from glassmind.errors import (
    BadWish,
    FileGone,
    FindingAbsent,
    NoteNotFound,
    VaultError,
    WritesOff,
)
from glassmind.files.read import Unreadable, VaultFiles, decode
from glassmind.files.write import FileText, Permit, VaultWriter, rewrite
from glassmind.model import NotePath
from glassmind.model.health import FindingNow
from glassmind.model.suggestions import Dismissals, Dismissed
from glassmind.search.notes import notes_for
from glassmind.vault import Vault

PAIRED = " <> "  # between the paths of two notes in a subject

_PATH = re.compile(r"(.+)", re.DOTALL)
_TWO_PATHS = re.compile(rf"(.+?){PAIRED}(.+)", re.DOTALL)

SHAPES: Mapping[str, re.Pattern[str]] = {
    "invalid_yaml": _PATH,
    "conflict_copies": _PATH,
    "missing_reciprocal": re.compile(r"(.+?\.md) .+?: (.+)", re.DOTALL),
    "broken_links": re.compile(r"(.+?) -> ([^#]+)#.*", re.DOTALL),
    "orphans": _PATH,
    "near_duplicates": _TWO_PATHS,
    "weakly_tied": _TWO_PATHS,
    "category_mismatch": _PATH,
    "one_source": re.compile(r"(.+) <- \S+", re.DOTALL),
}
"""The shape of the subjects of each check; the groups are paths.

The other checks are about words that many notes have."""

WORDED = frozenset(["one_source"])  # of a file and of words
FILE = "dismissed.txt"  # the name of the file in the agent folder

HEAD = (
    "# What Glassmind is not to bring up again: pairs of similar notes, and findings",
    "# of `glassmind health`. Delete a line to hear of it again.",
)

MOST_SHOWN = 10  # lines that are reported as wrong

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+')
_PLAIN = re.compile(r"[\w./-]+")

DISMISSED, RESTORED = "dismissed", "dismissal taken back"  # in the log of writes


class Dismissal(NamedTuple):
    """A line of the file: a finding, or a pair of notes, which has no check."""

    check: str
    subject: str
    paths: tuple[NotePath, ...]

    @property
    def line(self) -> str:
        """The text of the line; `parse_line` understands it."""
        if not self.check:
            return " ".join(["pair", *map(_quoted, self.paths)])
        plain = _PLAIN.fullmatch(self.check)
        check = self.check if plain else _quoted(self.check)
        return f"finding {check} {_quoted(self.subject)}"


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=not word.isprintable())


def finding_line(check: str, subject: str) -> Dismissal:
    match = SHAPES[check].fullmatch(subject) if check in SHAPES else None
    paths = (NotePath(path) for path in (match.groups() if match else ()))
    return Dismissal(check, subject, tuple(paths))


def pair_line(one: str, other: str) -> Dismissal:
    return Dismissal("", "", tuple(NotePath(path) for path in sorted((one, other))))


def parse_line(line: str) -> Dismissal | str | None:
    """Return what a line dismisses, None for no such line, or what is wrong with it."""
    text = line.strip().removeprefix("\ufeff")
    if not text or text.startswith("#"):
        return None
    if '"' in _WORD.sub("", text):
        return "its quotes do not match"
    try:
        words = [
            str(json.loads(word, strict=False)) if word.startswith('"') else word
            for word in _WORD.findall(text)
        ]
        "".join(words).encode()  # fails for half a character
    except ValueError:
        return "its quotes do not match"
    match words:
        case ["pair", one, other, *_] if one != other:
            return pair_line(one, other)
        case ["finding", check, subject, *_] if check:
            return finding_line(check, subject)
    return 'write: finding CHECK "A.md", or pair "A.md" "B.md"'


def dismissals_for(vault: Vault) -> "DismissalBook":
    return vault.part(DismissalBook)


class DismissalBook:
    """The dismissals of one vault as they are in its file; for any number of threads.

    In a scope, lines about files that are not visible do not exist: they are neither
    reported nor changed; and problems of lines are not reported, as they name notes.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self.path = NotePath(f"{vault.agent_folder}/{FILE}")

    @property
    def sees_all(self) -> bool:
        return self._vault.scope is None

    def now(self) -> Dismissals:
        dismissals, problems = self._lines()
        if not self.sees_all:
            dismissals, problems = self._visible(dismissals), []
        left = len(problems) - MOST_SHOWN
        more = [f"{left:,} more lines are not followed"] if left > 0 else []
        return Dismissals(
            frozenset(
                frozenset(dismissal.paths)
                for dismissal in dismissals
                if not dismissal.check
            ),
            frozenset(
                (dismissal.check, dismissal.subject)
                for dismissal in dismissals
                if dismissal.check
            ),
            (*problems[:MOST_SHOWN], *more),
        )

    def _lines(self) -> tuple[list[Dismissal], list[str]]:
        try:
            with VaultFiles(self._vault.config.vault.path) as files:
                text = decode(files.read(self.path))
        except FileGone:
            return [], []
        except VaultError as error:
            return [], [f"{error}; nothing in it is followed"]
        if isinstance(text, Unreadable):
            return [], [f"{self.path} is not followed: {text.reason}"]
        dismissals, problems = list[Dismissal](), list[str]()
        for number, line in enumerate(_split(text.text), start=1):
            parsed = parse_line(line)
            if isinstance(parsed, str):
                where = f"{self.path} line {number}"
                problems.append(f"{where} is not followed: {parsed}")
            elif parsed is not None:
                dismissals.append(parsed)
        return dismissals, problems

    def _visible(self, found: Collection[Dismissal]) -> list[Dismissal]:
        about = {path for dismissal in found for path in dismissal.paths}
        if not about:
            return list(found)
        reader = self._vault.store
        there = {file.path for file in reader.rows().files(paths=about)}
        if there < about:
            there |= {path for path, *_ in reader.rows().skipped()}
        return [dismissal for dismissal in found if there.issuperset(dismissal.paths)]

    def settle(self, one: Dismissal, *, dismiss: bool) -> Dismissed:
        """Dismiss something for good, or drop every line that does; others stay."""
        if not self.sees_all and not self._visible([one]):
            return Dismissed(self.path, one.line, changed=False)

        def change(found: FileText) -> str:
            lines = _split(found.text)
            if not dismiss:
                return "".join(line for line in lines if parse_line(line) != one)
            if one in map(parse_line, lines):
                return found.text
            text = found.text or found.newline.join((*HEAD, ""))
            if not text.endswith(("\n", "\r")):
                text += found.newline
            return f"{text}{one.line}{found.newline}"

        writes = self._vault.config.writes
        permit = Permit(self._vault.agent_folder, writes.agent_dir_writable)
        writer = VaultWriter(self._vault.config.vault.path, permit, client="cli")
        why = DISMISSED if dismiss else RESTORED
        done = rewrite(writer, self.path, change, why=why)
        return Dismissed(self.path, one.line, changed=done is not None)


def _split(text: str) -> list[str]:
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)


def settle_pair(vault: Vault, a: str, b: str, *, dismiss: bool) -> Dismissed:
    _check_writes(vault, dismiss=dismiss)
    path, other = _called(vault, a), _called(vault, b)
    if path == other:
        raise BadWish("a pair", f"of {path} and itself", "of two notes")
    return dismissals_for(vault).settle(pair_line(path, other), dismiss=dismiss)


def settle_finding(vault: Vault, now: FindingNow, *, dismiss: bool) -> Dismissed:
    _check_writes(vault, dismiss=dismiss)
    check, _, subject = now.key.partition(":")
    book, line = dismissals_for(vault), finding_line(check, subject)
    is_known = now.state == "there" or now.dismissed
    if dismiss and not is_known:
        raise FindingAbsent(now.key, now.reason or "")
    if not is_known:
        return Dismissed(book.path, line.line, changed=False)
    return book.settle(line, dismiss=dismiss)


def _check_writes(vault: Vault, *, dismiss: bool) -> None:
    writes = vault.config.writes
    if not writes.agent_dir_writable:
        undone = "nothing was dismissed" if dismiss else "no dismissal was taken back"
        raise WritesOff(writes.agent_dir, undone)


def _called(vault: Vault, name: str) -> NotePath:
    """Return the note of a name; what is written is not based on a guess."""
    path = notes_for(vault).sure(name)
    if path is None:
        raise NoteNotFound(name, (notes_for(vault).find(name),))
    return path
