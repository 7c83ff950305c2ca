"""What a person dismissed: pairs of similar notes and findings, as lines of a file.

The file is in the agent folder, easy to read and to edit by hand. It is not a note and
holds no link, so that neither the graph nor a search ever sees it.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from threading import Lock
from typing import NamedTuple, TypeAlias
from unicodedata import normalize

from glassmind.errors import (
    BadWish,
    FileGone,
    FindingAbsent,
    NoteNotFound,
    VaultError,
    WritesOff,
)
from glassmind.files.names import name_key
from glassmind.files.read import Unreadable, VaultFiles, decode, digest_of
from glassmind.files.write import FileText, Permit, VaultWriter, rewrite
from glassmind.model import NotePath
from glassmind.model.health import FindingNow
from glassmind.model.suggestions import (
    Dismissals,
    Dismissed,
    Dismissible,
)
from glassmind.obsidian.text import fold
from glassmind.search.notes import notes_for
from glassmind.store.sqlite.change_log import note_log
from glassmind.store.sqlite.pairs import PairRows
from glassmind.vault import Vault

PAIRED = " <> "
"""Between the paths of two notes in a subject."""

_ONE = re.compile(r"(.+)", re.DOTALL)
_TWO = re.compile(rf"(.+?){PAIRED}(.+)", re.DOTALL)

SHAPES: Mapping[str, re.Pattern[str]] = {
    "invalid_yaml": _ONE,
    "conflict_copies": _ONE,
    "missing_reciprocal": re.compile(r"(.+?\.md) .+?: (.+)", re.DOTALL),
    "broken_links": re.compile(r"(.+?) -> ([^#]+)#.*", re.DOTALL),
    "orphans": _ONE,
    "near_duplicates": _TWO,
    "weakly_tied": _TWO,
    "category_mismatch": _ONE,
    "god_nodes": _ONE,
    "stale_themes": _ONE,
    "one_source": re.compile(r"(.+) <- \S+", re.DOTALL),
}
"""How the subjects of each check are made; the groups are paths.

The other checks are about words that stand in many notes."""

WORDED = frozenset(["one_source"])
"""Checks with subjects of a file and of words that may stand in any others."""


def paths_in(check: str, subject: str) -> tuple[NotePath, ...]:
    """Return the files that a subject names, in order; none where it names none."""
    found = SHAPES[check].fullmatch(subject) if check in SHAPES else None
    return () if found is None else tuple(NotePath(p) for p in found.groups() if p)


def names_all(check: str) -> bool:
    """Whether the files that a subject names are all that its finding is about."""
    return check in SHAPES and check not in WORDED


def renamed(
    check: str, subject: str, now: Mapping[NotePath, NotePath]
) -> Iterator[str]:
    """Yield what a finding may be called after its notes got the names in `now`.

    Of two notes that are alike the one that comes first stands first.
    """
    paths = paths_in(check, subject)
    called = [now.get(path, path) for path in paths]
    yield _with_paths(check, subject, called)
    if SHAPES.get(check) is _TWO and tuple(called) != paths:
        yield _with_paths(check, subject, sorted(called))


def _with_paths(check: str, subject: str, paths: Sequence[NotePath]) -> str:
    """Return a subject with other paths in the place of its own."""
    found = SHAPES[check].fullmatch(subject) if paths else None
    if found is None:
        return subject
    parts, at = [], 0
    for group, path in enumerate(paths, 1):
        parts += [subject[at : found.start(group)], path]
        at = found.end(group)
    return "".join([*parts, subject[at:]])


_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+')
_QUOTED = json.JSONDecoder(strict=False)
_PLAIN = re.compile(r"[\w./-]+")
_WITH_END = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

FILE = "dismissed.txt"
"""The name of the file in the agent folder."""

HEAD = (
    "# What Glassmind is not to bring up again: pairs of similar notes, and findings",
    "# of `glassmind health`. Delete a line to hear of it again.",
)

SHORT = 12
"""Letters of a digest in a line: 48 bits, and it counts only where the path fails."""

MOST_SHOWN = 10
"""Lines that are reported as wrong."""

EMPTY = digest_of(b"")


class Side(NamedTuple):
    """A note that a line names, with what it was then, where the line says so."""

    path: NotePath
    title: str = ""
    digest: str = ""

    @property
    def is_recorded(self) -> bool:
        """True if the program wrote it, and so knew the note."""
        return bool(self.title or self.digest)


class Dismissal(NamedTuple):
    """A line of the file: a finding, or a pair of notes, which has no check.

    `titles` and `digests` are those that the notes in `paths` had then.
    """

    check: str
    subject: str
    paths: tuple[NotePath, ...]
    titles: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()

    @property
    def sides(self) -> list[Side]:
        """The notes that the line names."""
        none, count = ("",) * len(self.paths), len(self.paths)
        titles = self.titles if len(self.titles) == count else none
        digests = self.digests if len(self.digests) == count else none
        return list(map(Side, self.paths, titles, digests))

    @property
    def line(self) -> str:
        """The text of the line; `parse_line` understands it."""
        words = ["pair", *map(_quoted, self.paths)]
        if self.check:
            known = _PLAIN.fullmatch(self.check)
            check = self.check if known else json.dumps(self.check)
            words = ["finding", check, _quoted(self.subject)]
        if any(self.titles) or any(self.digests):
            words += ["titles", *map(_quoted, self.titles)]
        if any(self.digests):
            words += ["digests", *(digest or '""' for digest in self.digests)]
        return " ".join(words)


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)


def finding_line(
    check: str, subject: str, titles: Sequence[str] = (), digests: Sequence[str] = ()
) -> Dismissal:
    """Return the line that dismisses a finding."""
    paths = paths_in(check, subject)
    return Dismissal(check, subject, paths, tuple(titles), tuple(digests))


def pair_line(
    paths: Sequence[str], titles: Sequence[str] = (), digests: Sequence[str] = ()
) -> Dismissal:
    """Return the line that dismisses a pair, with the path first that comes first."""
    known = [NotePath(normalize("NFC", path)) for path in paths]
    order = sorted(range(2), key=known.__getitem__)
    return Dismissal(
        "",
        "",
        tuple(known[at] for at in order),
        tuple(titles[at] for at in order if titles),
        tuple(digests[at] for at in order if digests),
    )


def lines_in(text: str) -> list[str]:
    """Return the lines of a text, each with its end."""
    return _WITH_END.findall(text)


def parse_line(line: str) -> Dismissal | str | None:
    """Return what a line dismisses, None for no such line, or what is wrong with it.

        pair "Tea/Oolong.md" "Tea/Sencha.md" titles "Oolong" "Sencha" digests 1f0c 9a3e
        finding orphans "Inbox/Scratch.md" titles "Scratch" digests 77b2

    Words with blanks are in double quotes, as in JSON. Titles and digests are left out
    in lines that are written by hand.
    """
    text = line.strip().removeprefix("\ufeff")
    if not text or text.startswith("#"):
        return None
    if '"' in _WORD.sub("", text):
        return "its quotes do not match"
    try:
        words = [_plain(word) for word in _WORD.findall(text)]
    except ValueError:  # half a character, too
        return "its quotes do not match"
    found = _dismissal(words)
    if found is None and words[0] == "pair":
        return 'write: pair "A.md" "B.md"'
    return found or 'write: finding CHECK "A.md", or pair "A.md" "B.md"'


def _dismissal(words: Sequence[str]) -> Dismissal | None:
    match words:
        case ["pair", one, other, *rest] if one != other:
            recorded = _recorded(rest)
            if recorded and all(len(words) in {0, 2} for words in recorded):
                return pair_line((one, other), *recorded)
        case ["finding", check, subject, *rest] if check:
            recorded = _recorded(rest)
            if recorded:
                return finding_line(check, subject, *recorded)
    return None


def _recorded(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]] | None:
    """Return the titles and digests at the end of a line; None if it is wrong."""
    if not words:
        return (), ()
    half = len(words) // 2
    if words[0] != "titles":
        return None
    if half > 1 and len(words) % 2 == 0 and words[half] == "digests":
        return words[1:half], words[half + 1 :]
    return words[1:], ()


def _plain(word: str) -> str:
    if word.startswith('"'):
        word = str(_QUOTED.decode(word)) if "\\" in word else word[1:-1]
    word.encode()
    return word


def parse(
    lines: Iterable[str], file: str
) -> tuple[list[tuple[int, Dismissal]], list[str]]:
    """Return what lines dismiss, by number, and a sentence for each that is broken."""
    found: list[tuple[int, Dismissal]] = []
    problems = []
    for number, line in enumerate(lines, start=1):
        parsed = parse_line(line)
        if isinstance(parsed, str):
            problems.append(f"{file} line {number} is not followed: {parsed}")
        elif parsed is not None:
            found.append((number, parsed))
    return found, problems


Meanings: TypeAlias = "Mapping[Side, NotePath | None]"
"""The note that each side means now; None for no note."""


def _clean(path: str) -> NotePath:
    """Return a path without what a person may put before it."""
    while path.startswith(("./", "/")):
        path = path.removeprefix("./").removeprefix("/")
    return NotePath(path)


def meanings_of(sides: Collection[Side], rows: PairRows) -> Meanings:
    """Return which notes sides mean now, looked up together.

    The path counts, unless one other note has the bytes of then. A note that is
    elsewhere is known by its path in other letters, by these bytes, or by the name of
    its file; each counts where it is that of one note alone.
    """
    paths = {side: _clean(side.path) for side in sides}
    there = rows.there(set(paths.values())) if paths else set()
    known = rows.known(there)
    same = {
        side
        for side, path in paths.items()
        if path in there and known.get(path, ("", ""))[1].startswith(side.digest)
    }
    moved = paths.keys() - same
    digested = rows.digested({side.digest for side in moved if side.digest})
    named = rows.namesakes({name_key(paths[side]) for side in moved})
    meant: dict[Side, NotePath | None] = {side: paths[side] for side in same}
    for side in moved:
        path = paths[side]
        namesakes = named.get(name_key(path), [])
        respelled = [one for one in namesakes if fold(one) == fold(path)]
        by_digest = digested.get(side.digest, []) if side.digest else []
        by_name = namesakes if side.is_recorded or "/" not in path else []
        ways = (by_digest, [path]) if path in there else (respelled, by_digest, by_name)
        meant[side] = next((way[0] for way in ways if len(way) == 1), None)
    return meant


def dismissals_for(vault: Vault) -> "DismissalBook":
    """Return the dismissals that are visible in a vault."""
    return vault.part(DismissalBook)


class DismissalBook:
    """The dismissals of one vault as they are in its file; for any number of threads.

    The file is read again when it changed. In a scope, lines about files that are not
    visible do not exist: they are neither reported nor changed; and problems of lines
    are not reported, as they name notes.
    """

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self.path = NotePath(f"{vault.agent_folder}/{FILE}")
        self._lock = Lock()
        self._read: tuple[object, list[tuple[int, Dismissal]], list[str]]
        self._read = (None, [], [])
        self._known: tuple[object, Dismissals] = (None, Dismissals())

    @property
    def sees_all(self) -> bool:
        """True if every note is visible."""
        return self._vault.scope is None

    def _pairs(self) -> PairRows:
        return PairRows(self._vault.whole.reader.connection())

    def _head(self) -> str:
        """Return as of when notes are known by the names that they have now."""
        head = self._vault.reader.log().head()
        if self.sees_all:
            return head
        return f"{head} {note_log(self._vault.reader.connection()).head()}"

    def _visible(self, paths: Collection[NotePath]) -> Collection[NotePath]:
        """Return those of some files that are visible."""
        if self.sees_all:
            return paths
        reader = self._vault.reader
        there = PairRows(reader.connection()).there(paths)
        others = there.symmetric_difference(paths)
        skipped = reader.rows().skipped() if others else ()
        return there.union(path for path, *_ in skipped if path in others)

    def now(self) -> Dismissals:
        """Return what is dismissed now, under the names that notes have now."""
        with self._lock:
            stamp, lines, problems = self._read = self._lines()
            state = (stamp, self._head()) if lines else stamp
            if not lines or self._known[0] != state:
                self._known = state, self._resolved(lines, problems)
            known = self._known[1]
            return known if self.sees_all else Dismissals(known.pairs, known.findings)

    def _lines(self) -> tuple[object, list[tuple[int, Dismissal]], list[str]]:
        """Return the lines of the file, read again if its stamp is another."""
        try:
            with VaultFiles(self._vault.config.vault.path) as files:
                at = files.stat(self.path)
                stamp = (at.st_mtime_ns, at.st_ctime_ns, at.st_size, at.st_ino)
                if self._read[0] == stamp:
                    return self._read
                text = decode(files.read(self.path))
        except FileGone:
            return None, [], []
        except VaultError as error:
            return None, [], [f"{error}; nothing in it is followed"]
        if isinstance(text, Unreadable):
            return stamp, [], [f"{self.path} is not followed: {text.reason}"]
        return stamp, *parse(lines_in(text.text), self.path)

    def _resolved(
        self, lines: Sequence[tuple[int, Dismissal]], problems: Sequence[str]
    ) -> Dismissals:
        meant = self._meant([line for _, line in lines])
        wrong, lost = list(problems), list[str]()
        for number, line in lines:
            for side in line.sides:
                place = f"{self.path} line {number}"
                if meant[side] is None and side.is_recorded:
                    gone = f"{side.path} is gone, or was both moved and changed"
                    lost.append(f"{place}: {gone}")
                elif meant[side] is None and not line.check:
                    unknown = f'no one note is called "{side.path}"'
                    wrong.append(f"{place} is not followed: {unknown}")
        followed = self._visible_lines([line for _, line in lines], meant)
        return Dismissals(
            frozenset(pair for one in followed if (pair := _pair_now(one, meant))),
            frozenset(key for one in followed for key in _findings_now(one, meant)),
            _few(wrong, "more lines are not followed"),
            _few(lost, "more lines name notes that are not there"),
        )

    def _meant(self, lines: Iterable[Dismissal]) -> Meanings:
        sides = {side for line in lines for side in line.sides}
        return meanings_of(sides, self._pairs())

    def _visible_lines(
        self, lines: Sequence[Dismissal], meant: Meanings
    ) -> list[Dismissal]:
        """Return the lines that are about nothing but files that are seen."""
        if self.sees_all:
            return list(lines)
        about = [{meant[s] or _clean(s.path) for s in line.sides} for line in lines]
        seen = set(self._visible(set().union(*about)))
        return [line for line, notes in zip(lines, about, strict=True) if notes <= seen]

    def _is_visible(self, one: Dismissal) -> bool:
        """True if something is about files that are seen, by the names of now."""
        paths = set(one.paths)
        return paths <= set(self._visible(paths))

    def pair(self, one: NotePath, other: NotePath) -> Dismissal:
        """Return the line that two notes are dismissed by."""
        return pair_line((one, other), *self._records((one, other)))

    def finding(self, check: str, subject: str) -> Dismissal:
        """Return the line that a finding is dismissed by."""
        return finding_line(check, subject, *self._records(paths_in(check, subject)))

    def _records(self, paths: Sequence[NotePath]) -> tuple[list[str], list[str]]:
        """Return the titles of notes and, where no other note has it, their digests."""
        known = self._pairs().known(paths) if paths else {}
        heads = {d[:SHORT] for _, d in known.values() if d != EMPTY}
        having = self._pairs().digested(heads)
        every = {*known, *chain.from_iterable(having.values())}
        seen = set(self._visible(every))
        alone = {head for head, notes in having.items() if len(seen & {*notes}) == 1}
        found = [known[p] if p in known and p in seen else ("", "") for p in paths]
        digests = [d[:SHORT] if d[:SHORT] in alone else "" for _, d in found]
        return [title for title, _ in found], digests

    def add(self, one: Dismissal, *, why: str) -> Dismissed:
        """Dismiss something for good, unless it is dismissed already.

        Raises:
            WriteRefused: the settings or the disk do not let it be written.
        """

        def change(found: FileText) -> str:
            if any(self._same_lines(lines_in(found.text), one)):
                return found.text
            text = found.text or found.newline.join((*HEAD, ""))
            if not text.endswith(("\n", "\r")):
                text += found.newline
            return f"{text}{one.line}{found.newline}"

        return self._changed(one, change, why)

    def drop(self, one: Dismissal, *, why: str) -> Dismissed:
        """Take a dismissal back; every line that says so goes, all others stay.

        Raises:
            WriteRefused: the settings or the disk do not let it be written.
        """

        def change(found: FileText) -> str:
            lines = lines_in(found.text)
            same = self._same_lines(lines, one)
            return "".join(line for line, it in zip(lines, same, strict=True) if not it)

        return self._changed(one, change, why)

    def untouched(self, one: Dismissal) -> Dismissed:
        """Return the result for something that was not dismissed, and is not now."""
        return Dismissed(self.path, one.line, changed=False)

    def _changed(
        self, one: Dismissal, change: Callable[[FileText], str], why: str
    ) -> Dismissed:
        if not self._is_visible(one):
            return self.untouched(one)
        writes = self._vault.config.writes
        permit = Permit(self._vault.agent_folder, writes.agent_dir_writable)
        writer = VaultWriter(self._vault.config.vault.path, permit, client="cli")
        done = rewrite(writer, self.path, change, why=why)
        return Dismissed(self.path, one.line, changed=done is not None)

    def _same_lines(self, lines: Sequence[str], one: Dismissal) -> list[bool]:
        """Return which lines dismiss something, be it under a former name."""
        parsed = [parse_line(line) for line in lines]
        known = [line for line in parsed if isinstance(line, Dismissal)]
        meant = self._meant([*known, one])
        seen = self._visible_lines(known, meant)
        same = {line for line in seen if _is_same(line, one, meant)}
        return [line in same for line in parsed]


def _pair_now(one: Dismissal, meant: Meanings) -> Dismissible | None:
    """Return the two notes of a pair as they are called now; None if it is not one."""
    if one.check:
        return None
    ends = frozenset(meant[side] or _clean(side.path) for side in one.sides)
    return ends if len(ends) > 1 else None


def _findings_now(one: Dismissal, meant: Meanings) -> set[tuple[str, str]]:
    """Return what a finding may be called now; nothing for a pair."""
    if not one.check:
        return set()
    now = {side.path: meant[side] or side.path for side in one.sides}
    return {(one.check, subject) for subject in renamed(one.check, one.subject, now)}


def _is_same(line: Dismissal, one: Dismissal, meant: Meanings) -> bool:
    if (line.check, line.subject, line.paths) == (one.check, one.subject, one.paths):
        return True
    if one.check:
        return (one.check, one.subject) in _findings_now(line, meant)
    return _pair_now(line, meant) == frozenset(one.paths)


def _few(texts: Sequence[str], more: str) -> tuple[str, ...]:
    """Return the first sentences, and how many more there are."""
    left = len(texts) - MOST_SHOWN
    return (*texts[:MOST_SHOWN], *([f"{left:,} {more}"] if left > 0 else []))


DISMISSED, RESTORED = "dismissed", "dismissal taken back"
"""Why a line was written, for the record."""

UNDISMISSED, UNRESTORED = "nothing was dismissed", "no dismissal was taken back"
"""What came of an act while nothing may be written."""


def dismiss_pair(vault: Vault, a: str, b: str) -> Dismissed:
    """Dismiss two notes by their names.

    Raises:
        NoteNotFound: no note has one of the names, be it but for a slip.
        BadWish: both names mean one note.
        WritesOff: the settings let nothing be written.
    """
    _check_writes(vault, UNDISMISSED)
    return dismissals_for(vault).add(_named(vault, a, b), why=DISMISSED)


def restore_pair(vault: Vault, a: str, b: str) -> Dismissed:
    """Take the dismissal of two notes back; raises as `dismiss_pair`."""
    _check_writes(vault, UNRESTORED)
    return dismissals_for(vault).drop(_named(vault, a, b), why=RESTORED)


def dismiss_finding(vault: Vault, now: FindingNow) -> Dismissed:
    """Dismiss what a check of vault health finds now.

    Raises:
        FindingAbsent: it does not, and that was not dismissed before.
        WritesOff: the settings let nothing be written.
    """
    _check_writes(vault, UNDISMISSED)
    if now.state != "there" and not now.dismissed:
        raise FindingAbsent(now.key, now.reason or "")
    return dismissals_for(vault).add(_finding(vault, now.key), why=DISMISSED)


def restore_finding(vault: Vault, now: FindingNow) -> Dismissed:
    """Take the dismissal of a finding back, whether it still is one or not.

    Raises:
        WritesOff: the settings let nothing be written.
    """
    _check_writes(vault, UNRESTORED)
    line = _finding(vault, now.key)
    if now.state != "there" and not now.dismissed:
        return dismissals_for(vault).untouched(line)
    return dismissals_for(vault).drop(line, why=RESTORED)


def _check_writes(vault: Vault, undone: str) -> None:
    writes = vault.config.writes
    if not writes.agent_dir_writable:
        raise WritesOff(writes.agent_dir, undone)


def _named(vault: Vault, a: str, b: str) -> Dismissal:
    one, other = _called(vault, a), _called(vault, b)
    if one == other:
        raise BadWish("a pair", f"of {one} and itself", "of two notes")
    return dismissals_for(vault).pair(one, other)


def _called(vault: Vault, name: str) -> NotePath:
    """Return the note of a name; what is written does not stand on a guess."""
    path = notes_for(vault).sure(name)
    if path is None:
        raise NoteNotFound(name, (notes_for(vault).find(name),))
    return path


def _finding(vault: Vault, key: str) -> Dismissal:
    check, _, subject = key.partition(":")
    return dismissals_for(vault).finding(check, subject)
