"""Credentials in changes, three-way merge of texts, and diffs of changesets."""

import re
from bisect import bisect_right
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from io import BytesIO
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple

from glassmind.edit.page import Page
from glassmind.edit.text_edits import Edited
from glassmind.edit.vault import EditVault
from glassmind.errors import (
    EditRefused,
    HiddenWords,
    NoMatch,
    NotEditable,
    SeveralMatches,
)
from glassmind.files.read import Unreadable, decode, digest_of
from glassmind.files.steps import is_trashed
from glassmind.model import NotePath, Span
from glassmind.model.edits import (
    Changed,
    Changeset,
    ChangesetList,
    ChangeState,
    Draft,
    FileDiff,
    Step,
)
from glassmind.model.notes import Note
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.secrets import HiddenRange, hidden_ranges, redacted

if TYPE_CHECKING:
    from glassmind.edit.vault import EditVault


_MARK = re.compile(rb"\(hidden(?:: [A-Za-z0-9 .-]{1,40})?\)")

_WORD_LETTERS = 16
"""Of a word that stands for a credential: none is found out while an edit is made."""

_OWNERS = "only the owner can edit that: it holds credentials that are not shown to you"

LEAST_LETTERS = 8
"""So many letters in a row of a credential are a part of it that counts."""

HIDDEN = "(hidden)"
_KEY_END = re.compile(r"-----(?:BEGIN|END)[A-Z0-9 ]+-----")
"""The first or last line of a private key, which by itself says nothing."""

_hidden_letters = lru_cache(maxsize=16)(hidden_ranges)


def refuse_unhiding(draft: Draft) -> None:
    before = [
        text
        for step in draft.steps
        if step.path and not is_trashed(step.path)
        for text in texts_of(step, step.before)
    ]
    after = [
        text
        for step in draft.steps
        if not is_trashed(step.to)
        for text in texts_of(step, step.after)
    ]
    hidden = hidden_values(before)
    # a heading that holds one would be the name of a note
    is_named = draft.verb == "split" and any(
        value in step.to for step in draft.steps for value in hidden
    )
    if is_named or any(
        _bare_count(value, after) > _bare_count(value, before)
        for value in hidden - hidden_values(after)
    ):
        raise HiddenWords(HIDDEN)


def texts_of(step: Step, raw: bytes | None) -> list[str]:
    found = None if raw is None or step.folder else decode(raw)
    return [] if found is None or isinstance(found, Unreadable) else [found.text]


def hidden_values(texts: Iterable[str]) -> Counter[str]:
    values = (text[start:end] for text in texts for start, end in _hidden_letters(text))
    return Counter(
        value
        for value in values
        if len(value) >= LEAST_LETTERS and not _KEY_END.fullmatch(value)
    )


def _bare_count(value: str, texts: Iterable[str]) -> int:
    return sum(
        is_bare(text, HiddenRange(found.start(), found.end()), _hidden_letters(text))
        for text in texts
        for found in re.finditer(re.escape(value), text)
    )


def is_bare(text: str, letters: HiddenRange, hidden: Sequence[HiddenRange]) -> bool:
    """True if some letters of a text can be read, or a part of them that counts."""
    if _KEY_END.fullmatch(text[letters.start : letters.end]):
        return False
    least = min(LEAST_LETTERS, letters.end - letters.start)
    at = letters.start
    for start, end in hidden[max(0, bisect_right(hidden, letters) - 1) :]:
        if start >= letters.end:
            break
        if start - at >= least:
            return True
        at = max(at, end)
    return letters.end - at >= least


def refuse_marks(draft: Draft) -> None:
    before, after = Counter[bytes](), Counter[bytes]()
    for step in draft.steps:
        if step.before is not None:
            before.update(_MARK.findall(step.before))
            after.update(_MARK.findall(step.after))
    for mark in after - before:
        raise HiddenWords(mark.decode())


def edit_as_shown(raw: bytes, edit: Callable[[bytes], Edited]) -> Edited:
    """Return what an edit makes of a note whose credentials were not shown.

    The edit sees random words in their place. It is refused where it touches one, or
    where a credential could be read after it.
    """
    masked = _Masked.of(raw)
    if masked is None:
        return edit(raw)
    try:
        found = edit(masked.raw)
    except EditRefused as error:
        raise _without_words(masked, error) from None
    after = found.raw.decode()
    text, back = masked.unmasked(after)
    if masked.name in text:  # the edit cut into what stands for a credential
        raise EditRefused(_OWNERS)
    hidden = hidden_ranges(text)
    if any(is_bare(text, letters, hidden) for letters in back):
        raise HiddenWords(HIDDEN)
    if _is_broken(text) and not _is_broken(after):
        raise EditRefused(_OWNERS)
    risks = tuple(map(masked.said, found.risks))
    return Edited(text.encode(), risks, masked.said(found.facts))


def look_as_shown(vault: EditVault, page: Page, look: Callable[[Note], object]) -> None:
    masked = None if vault.sight is None else _Masked.of(page.raw)
    if masked is None:
        return
    try:
        look(Page.of(page.path, masked.raw).note)
    except EditRefused as error:
        raise _without_words(masked, error) from None


class _Masked(NamedTuple):
    raw: bytes
    name: str
    words: re.Pattern[str]
    values: Sequence[str]

    @classmethod
    def of(cls, raw: bytes) -> "_Masked | None":
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return None  # it is not edited
        hidden = hidden_ranges(text)
        if not hidden:
            return None
        name = f"hidden-{token_hex(_WORD_LETTERS // 2)}"
        masked = "".join(_masked(text, hidden, name)).encode()
        values = [text[start:end] for start, end in hidden]
        return cls(masked, name, re.compile(rf"{name}-(\d+)-"), values)

    def unmasked(self, text: str) -> tuple[str, list[HiddenRange]]:
        parts: list[str] = []
        back: list[HiddenRange] = []
        done = at = 0
        for word in self.words.finditer(text):
            value = self.values[int(word[1])]
            parts += [text[done : word.start()], value]
            at += word.start() - done
            back.append(HiddenRange(at, at + len(value)))
            at, done = at + len(value), word.end()
        return "".join((*parts, text[done:])), back

    def said(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.words.sub(HIDDEN, value)
        if isinstance(value, Mapping):
            return {self.said(name): self.said(each) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(self.said, value))
        return value


def _masked(text: str, hidden: Sequence[HiddenRange], name: str) -> Iterator[str]:
    done = 0
    for at, (start, end) in enumerate(hidden):
        yield f"{text[done:start]}{name}-{at}-"
        done = end
    yield text[done:]


def _is_broken(text: str) -> bool:
    return read_head(text).frontmatter.error is not None


def _without_words(masked: _Masked, error: EditRefused) -> EditRefused:
    if isinstance(error, NoMatch | SeveralMatches):
        mark = _MARK.search(error.wanted.encode(errors="replace"))
        if mark is not None:
            return HiddenWords(mark[0].decode())
    if type(error) is NoMatch:  # before its lines are cut short
        nearest = masked.said(error.nearest)
        said = NoMatch(error.path, error.wanted, nearest, line=error.line).said
        error.args = (f"{error.place}: {said}" if error.place else said,)
        error.said = said
    error.args = masked.said(error.args)
    for name, value in vars(error).items():
        setattr(error, name, masked.said(value))
    if isinstance(error, NotEditable):
        return EditRefused(f"{error.said}; {_OWNERS}", place=error.place)
    return error


class Hunk(NamedTuple):
    """Lines of one text, half open, in whose place the other has others."""

    start: int
    end: int
    other_start: int
    other_end: int


class Merged(NamedTuple):
    """A text with two changes in it; `conflicts` are lines where ours was kept."""

    raw: bytes
    conflicts: tuple[Span, ...] = ()

    @property
    def is_clean(self) -> bool:
        return not self.conflicts


def lines_in(raw: bytes) -> list[bytes]:
    """Return the lines of a text, each with its end; joined they are the text."""
    return BytesIO(raw).readlines()


def hunks_between(one: Sequence[bytes], other: Sequence[bytes]) -> list[Hunk]:
    """Return where two lists of lines differ, in order; no two hunks touch."""
    most = min(len(one), len(other))
    begin = next((n for n in range(most) if one[n] != other[n]), most)
    most -= begin
    end = next((n for n in range(most) if one[-1 - n] != other[-1 - n]), most)
    mine, theirs = one[begin : len(one) - end], other[begin : len(other) - end]
    # lines that a long text repeats count as noise there, which keeps this linear
    found = SequenceMatcher(None, mine, theirs).get_opcodes()
    return [
        Hunk(begin + a, begin + b, begin + c, begin + d)
        for tag, a, b, c, d in found
        if tag != "equal"
    ]


def merge(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """Bring two changes of one text together.

    Where both changed the same lines, or replaced lines that touch, in different ways,
    ours stands; the conflict names the lines of `ours`. Of what both add at one place
    ours comes first. A file with NUL bytes is one line. A byte order mark that all have
    is a part of no line.
    """
    if all(raw.startswith(BOM_UTF8) for raw in (base, ours, theirs)):
        bare = (raw.removeprefix(BOM_UTF8) for raw in (base, ours, theirs))
        merged = merge(*bare)
        return merged._replace(raw=BOM_UTF8 + merged.raw)
    if theirs in (base, ours):
        return Merged(ours)
    if base == ours:
        return Merged(theirs)
    texts = (base, ours, theirs)
    if any(b"\0" in raw for raw in texts):
        return Merged(ours, (Span(1, max(1, len(lines_in(ours)))),))
    newline = _newline(texts)
    old, mine, yours = (lines_in(_ended(raw, newline)) for raw in texts)
    merged = _merged(old, mine, yours)
    was, here, there = map(_is_ended, texts)
    if there if here == was else here:
        return merged
    return merged._replace(raw=merged.raw.removesuffix(newline))


def _is_ended(raw: bytes) -> bool:
    return not raw or raw.endswith(b"\n")


def _ended(raw: bytes, newline: bytes) -> bytes:
    return raw if _is_ended(raw) else raw + newline


def _newline(texts: Sequence[bytes]) -> bytes:
    first = next((lines_in(raw)[0] for raw in texts if b"\n" in raw), b"")
    return b"\r\n" if first.endswith(b"\r\n") else b"\n"


def _merged(old: list[bytes], mine: list[bytes], yours: list[bytes]) -> Merged:
    out: list[bytes] = []
    conflicts: list[Span] = []
    at = 0
    for left, right in _groups(hunks_between(old, mine), hunks_between(old, yours)):
        begin = min(hunk.start for hunk in (*left, *right))
        end = max(hunk.end for hunk in (*left, *right))
        out += old[at:begin]
        at = end
        my_begin, my_end = _over(left, begin, end)
        first, last = _over(right, begin, end)
        ours, theirs = mine[my_begin:my_end], yours[first:last]
        if left and right and ours != theirs:
            if begin == end:  # both only add
                ours += theirs
            else:
                conflicts.append(Span(my_begin + 1, max(my_begin + 1, my_end)))
        out += ours if left else theirs
    out += old[at:]
    return Merged(b"".join(out), tuple(conflicts))


def _over(hunks: Sequence[Hunk], begin: int, end: int) -> tuple[int, int]:
    if not hunks:
        return begin, end
    first, last = hunks[0], hunks[-1]
    return first.other_start - (first.start - begin), last.other_end + end - last.end


def _groups(
    left: Sequence[Hunk], right: Sequence[Hunk]
) -> Iterator[tuple[list[Hunk], list[Hunk]]]:
    """Yield the hunks of both sides that overlap, or add at one place, together."""
    sided = [(hunk, 0) for hunk in left] + [(hunk, 1) for hunk in right]
    group: tuple[list[Hunk], list[Hunk]] = ([], [])
    known: Hunk | None = None  # all of the group in one
    for hunk, side in sorted(sided, key=lambda one: one[0][:2]):
        if known is not None and not _is_in_the_way(known, hunk):
            yield group
            group, known = ([], []), None
        group[side].append(hunk)
        known = hunk if known is None else known._replace(end=max(known.end, hunk.end))
    if known is not None:
        yield group


def _is_in_the_way(known: Hunk, hunk: Hunk) -> bool:
    if hunk.start != known.end:
        return hunk.start < known.end
    return (hunk.start < hunk.end) == (known.start < known.end)


CONTEXT = 3
"""Lines shown around a change, as every program that shows diffs does."""

MOST_BYTES = 2_000_000
MOST_SHOWN = 40_000
"""Characters of one diff: some ten pages, and about as many tokens as a reader has."""

MOST_SHOWN_IN_ALL = 400_000
DAMAGED = "damaged"
"""The fact of a draft in a list that could not be read: why."""

_NO_END = "\\ No newline at end of file\n"


def changed(changeset: Changeset, *, notices: Sequence[str] = ()) -> Changed:
    files = diffs_of(changeset.draft.steps)
    return Changed(changeset, files, notices=tuple(notices))


def diffs_of(steps: Sequence[Step]) -> tuple[FileDiff, ...]:
    room = MOST_SHOWN_IN_ALL
    files: list[FileDiff] = []
    texts = (
        text for s in steps for raw in (s.before, s.after) for text in texts_of(s, raw)
    )
    hidden = hidden_values(texts)
    for step in steps:
        files.append(file_diff(step, room=room, hidden=hidden))
        room = max(0, room - len(files[-1].diff))
    return tuple(files)


def changesets_of(
    vault: "EditVault", states: Sequence[ChangeState] = (), *, limit: int | None = None
) -> ChangesetList:
    """Return what is kept, the newest first; what cannot be read is a notice."""
    found, total = (vault.visible_changesets or vault.changesets).listed(
        states, limit=limit
    )
    damaged = [str(one.draft.facts[DAMAGED]) for one in found if _is_damaged(one)]
    whole = tuple(one for one in found if not _is_damaged(one))
    return ChangesetList(whole, total - len(damaged), tuple(damaged))


def files_of(changesets: Sequence[Changeset]) -> list[NotePath]:
    return paths_of(step for one in changesets for step in one.draft.steps)


def paths_of(steps: Iterable[Step]) -> list[NotePath]:
    both = (path for step in steps for path in (step.path, step.to))
    return list(dict.fromkeys(path for path in both if path is not None))


def _is_damaged(changeset: Changeset) -> bool:
    return DAMAGED in changeset.draft.facts


def file_diff(
    step: Step, *, room: int = MOST_SHOWN, hidden: Collection[str] = ()
) -> FileDiff:
    """Return what a step does to its file; the diff has `room` characters at most."""

    def result(diff: str, added: int = 0, removed: int = 0) -> FileDiff:
        before = None if step.before is None else digest_of(step.before)
        after = digest_of(step.after)
        diff = _head(step) + diff
        return FileDiff(step.path, step.to, before, after, added, removed, diff)

    if step.folder or step.before == step.after:
        return result("")
    sides = _text(step.before or b""), _text(step.after)
    if sides[0] is None or sides[1] is None:
        return result(f"It is not a text file: {_sizes(step)}.\n")
    mine, theirs = lines_in(sides[0]), lines_in(sides[1])
    if max(map(len, (sides[0], sides[1]))) > MOST_BYTES:
        removed = (Counter(mine) - Counter(theirs)).total()
        added = (Counter(theirs) - Counter(mine)).total()
        return result(f"It is too large to be shown: {_sizes(step)}.\n", added, removed)
    hunks = hunks_between(mine, theirs)
    added = sum(hunk.other_end - hunk.other_start for hunk in hunks)
    removed = sum(hunk.end - hunk.start for hunk in hunks)
    mine = _without_secrets(sides[0], mine, hidden)
    theirs = _without_secrets(sides[1], theirs, hidden)
    shown = _shown(step, mine, theirs, hunks, min(room, MOST_SHOWN))
    return result(shown, added, removed)


def _text(raw: bytes) -> bytes | None:
    if b"\0" not in raw and raw.isascii():
        return raw
    found = decode(raw)
    if isinstance(found, Unreadable):
        return None
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw  # a mark that comes or goes is a change
    return found.text.encode()


def _without_secrets(
    raw: bytes, lines: list[bytes], hidden: Collection[str]
) -> list[bytes]:
    text = raw.decode(errors="surrogateescape")
    safe = redacted(text)
    for value in sorted(hidden, key=len, reverse=True):
        safe = safe.replace(value, HIDDEN)
    return lines if safe == text else lines_in(safe.encode(errors="surrogateescape"))


def _sizes(step: Step) -> str:
    after = f"{len(step.after):,} bytes"
    if step.before is None:
        return after
    return f"{len(step.before):,} bytes before, {after} after"


def _head(step: Step) -> str:
    end = "/" if step.folder else ""
    if step.path is None or step.path == step.to:
        return ""
    if is_trashed(step.to):
        return f"deleted {step.path}{end}\nkept as {step.to}{end}\n"
    return f"rename from {step.path}{end}\nrename to {step.to}{end}\n"


def _shown(
    step: Step,
    mine: Sequence[bytes],
    theirs: Sequence[bytes],
    hunks: Sequence[Hunk],
    room: int,
) -> str:
    name = "/dev/null" if step.path is None else f"a/{step.path}"
    shown = [f"--- {name}\n", f"+++ b/{step.to}\n"]
    room -= sum(map(len, shown))
    lines = _lines(mine, theirs, hunks)
    for line in lines:
        room -= len(line)
        if room < 0:
            left = 1 + sum(1 for _ in lines)
            shown.append(f"... {left:,} more lines of this diff are not shown\n")
            break
        shown.append(line)
    return "".join(shown)


def _lines(
    mine: Sequence[bytes], theirs: Sequence[bytes], hunks: Sequence[Hunk]
) -> Iterator[str]:
    for group in _together(hunks):
        first, last = group[0], group[-1]
        begin = max(0, first.start - CONTEXT)
        end = min(len(mine), last.end + CONTEXT)
        there, upto = _over(group, begin, end)
        yield f"@@ -{_range(begin, end)} +{_range(there, upto)} @@\n"
        at = begin
        for hunk in group:
            yield from _marked(" ", mine[at : hunk.start])
            yield from _marked("-", mine[hunk.start : hunk.end])
            yield from _marked("+", theirs[hunk.other_start : hunk.other_end])
            at = hunk.end
        yield from _marked(" ", mine[at:end])


def _together(hunks: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.start - group[-1].end > 2 * CONTEXT:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _range(begin: int, end: int) -> str:
    length = end - begin
    if length == 1:
        return str(begin + 1)
    return f"{begin + 1 if length else begin},{length}"


def _marked(mark: str, lines: Sequence[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.decode(errors="replace")
        yield f"{mark}{text}" if text.endswith("\n") else f"{mark}{text}\n{_NO_END}"
