"""Two changes of one text brought together, line by line.

Lines are compared as bytes, with whatever ends them. Lines that stand once in both
texts are found first, as they part long texts into short ones (Cohen's patience diff);
what lies between is compared by `difflib`. Changes that do not overlap are both kept;
so are those that touch, where one of them only adds lines. Otherwise one side has to
give way, and the place is named.

A last line that nothing ends is compared as if it were ended, so that to add a line
behind it is no change of it; whether the text ends so is settled by itself.
"""

import re
from bisect import bisect_left, bisect_right
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from difflib import SequenceMatcher
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from glassmind.errors import HiddenWords
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
from glassmind.obsidian.secrets import HiddenRange, hidden_ranges, redacted

if TYPE_CHECKING:
    from glassmind.edit.desk import Desk


MOST_PAIRS = 200_000
"""Pairs of equal lines that are weighed in one stretch: two tenths of a second at most.
Beyond them, as in thousands of lines all alike, it counts as changed as a whole."""


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
        """Whether both changes are in it whole."""
        return not self.conflicts


def lines_in(raw: bytes) -> list[bytes]:
    """Return the lines of a text, each with its end; joined they are the text."""
    return BytesIO(raw).readlines()


def hunks_between(one: Sequence[bytes], other: Sequence[bytes]) -> list[Hunk]:
    """Return where two lists of lines differ, in order; no two hunks touch."""
    begin, end = _same_ends(one, other)
    found: list[Hunk] = []
    at, other_at = begin, begin
    stop = (len(one) - end, len(other) - end)
    for here, there in [*_anchors(one, other, begin, end), stop]:
        found += _stretch(one, other, Hunk(at, here, other_at, there))
        at, other_at = here + 1, there + 1
    return _joined(found)


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
    """Return what ends the first line of the first text that has an ended one."""
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
    """Return the lines of the other text that stand for some lines of the base."""
    if not hunks:
        return begin, end
    first, last = hunks[0], hunks[-1]
    return first.other_start - (first.start - begin), last.other_end + end - last.end


def _groups(
    left: Sequence[Hunk], right: Sequence[Hunk]
) -> Iterator[tuple[list[Hunk], list[Hunk]]]:
    """Yield the hunks of both sides that are in each other's way, together.

    Hunks that both add lines at one place are, too.
    """
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
    """Whether a hunk overlaps what begins before it, or touches it and is alike."""
    if hunk.start != known.end:
        return hunk.start < known.end
    return (hunk.start < hunk.end) == (known.start < known.end)


def _same_ends(one: Sequence[bytes], other: Sequence[bytes]) -> tuple[int, int]:
    """Return how many lines are the same at the beginning, and at the end."""
    most = min(len(one), len(other))
    begin = 0
    while begin < most and one[begin] == other[begin]:
        begin += 1
    end = 0
    while end < most - begin and one[-1 - end] == other[-1 - end]:
        end += 1
    return begin, end


def _anchors(
    one: Sequence[bytes], other: Sequence[bytes], begin: int, end: int
) -> list[tuple[int, int]]:
    """Return lines that stand once in both, as many as are in the same order."""
    mine, theirs = one[begin : len(one) - end], other[begin : len(other) - end]
    here, there = Counter(mine), Counter(theirs)
    places = {line: at for at, line in enumerate(theirs, begin) if there[line] == 1}
    pairs = [
        (at, places[line])
        for at, line in enumerate(mine, begin)
        if here[line] == 1 and line in places
    ]
    return _rising(pairs)


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest run of pairs in which both numbers grow."""
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for at, (_, there) in enumerate(pairs):
        pile = bisect_left(ends, there)
        before.append(tops[pile - 1] if pile else -1)
        ends[pile : pile + 1] = [there]
        tops[pile : pile + 1] = [at]
    found: list[tuple[int, int]] = []
    at = tops[-1] if tops else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _stretch(
    one: Sequence[bytes], other: Sequence[bytes], part: Hunk
) -> Iterator[Hunk]:
    """Yield where two stretches differ."""
    mine, theirs = one[part.start : part.end], other[part.other_start : part.other_end]
    if not mine and not theirs:
        return
    here, there = Counter(mine), Counter(theirs)
    pairs = sum(count * there[line] for line, count in here.items())
    if not pairs or pairs > MOST_PAIRS:
        yield from _trimmed(mine, theirs, part)
        return
    for tag, a, b, c, d in SequenceMatcher(
        None, mine, theirs, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            first, second = part.start, part.other_start
            yield Hunk(first + a, first + b, second + c, second + d)


def _trimmed(
    mine: Sequence[bytes], theirs: Sequence[bytes], part: Hunk
) -> Iterator[Hunk]:
    begin, end = _same_ends(mine, theirs)
    hunk = Hunk(
        part.start + begin, part.end - end, part.other_start + begin,
        part.other_end - end,
    )  # fmt: skip
    if hunk.start < hunk.end or hunk.other_start < hunk.other_end:
        yield hunk


def _joined(hunks: Sequence[Hunk]) -> list[Hunk]:
    """Make one of hunks that touch."""
    found: list[Hunk] = []
    for hunk in hunks:
        if found and (found[-1].end, found[-1].other_end) == hunk[::2]:
            known = found.pop()
            hunk = Hunk(known.start, hunk.end, known.other_start, hunk.other_end)  # noqa: PLW2901
        found.append(hunk)
    return found


LEAST_LETTERS = 8
"""So many letters in a row of a credential are a part of it that counts."""

HIDDEN = "(hidden)"
"""What stands for a credential of whichever kind."""

_KEY_END = re.compile(r"-----(?:BEGIN|END)[A-Z0-9 ]+-----")
"""The first or last line of a private key, which by itself says nothing."""


def refuse_unhiding(draft: Draft) -> None:
    """Refuse a change after which a credential can be read that was hidden before.

    Raises:
        HiddenWords: it is such a one.
    """
    before, after = _sides(draft.steps)
    if _turned(before, after) or (draft.verb == "split" and _in_names(draft, before)):
        raise HiddenWords(HIDDEN)


def hidden_on_a_side(steps: Sequence[Step]) -> AbstractSet[str] | None:
    """Return what is hidden before some steps or after them, and not on both sides.

    None where every text was looked at, and nothing is hidden in any, as is usual.
    """
    before, after = _sides(steps)
    texts = sum((step.before is not None) + 1 for step in steps if not step.folder)
    sides = [*before, *after]
    if len(sides) == texts and not any(side.hidden for side in sides):
        return None
    return _turned(before, after) | _turned(after, before)


def is_bare(text: str, letters: HiddenRange, hidden: Sequence[HiddenRange]) -> bool:
    """Whether some letters of a text can be read, or a part of them that counts."""
    if _KEY_END.fullmatch(text[letters.start : letters.end]):
        return False
    least = min(LEAST_LETTERS, letters.end - letters.start)
    at = letters.start
    first = max(0, bisect_right(hidden, letters) - 1)
    for row in range(first, len(hidden)):
        start, end = hidden[row]
        if end <= at:
            continue
        if start >= letters.end:
            break
        if start - at >= least:
            return True
        at = end
    return letters.end - at >= least


def _in_names(draft: Draft, before: Sequence["_Side"]) -> bool:
    """Whether a note would be called by a credential that a heading holds."""
    values = _hidden_in(before)
    return any(value in step.to for step in draft.steps for value in values)


class _Side(NamedTuple):
    """A text, and what of it is hidden."""

    text: str
    hidden: Sequence[HiddenRange]

    def values(self) -> Iterator[str]:
        for start, end in self.hidden:
            value = self.text[start:end]
            if len(value) >= LEAST_LETTERS and not _KEY_END.fullmatch(value):
                yield value

    def seen(self, values: AbstractSet[str]) -> Counter[str]:
        """Return how often each of some values can be read here.

        The text is gone through once, however many they are: by their last letters,
        as the first are often those of the issuer.
        """
        ends: dict[str, set[int]] = {}
        for value in values:
            ends.setdefault(value[-LEAST_LETTERS:], set()).add(len(value))
        found = Counter[str]()
        text = self.text
        for end in range(LEAST_LETTERS, len(text) + 1):
            for size in ends.get(text[end - LEAST_LETTERS : end], ()):
                value = text[max(0, end - size) : end]
                if value in values and is_bare(
                    text, HiddenRange(end - size, end), self.hidden
                ):
                    found[value] += 1
        return found


def _sides(steps: Sequence[Step]) -> tuple[list[_Side], list[_Side]]:
    """Return texts before and after; what is in the trash is read by nobody."""
    before: list[_Side] = []
    after: list[_Side] = []
    for step in steps:
        if step.folder:
            continue
        if step.before is not None and step.path and not is_trashed(step.path):
            before += _side(step.before)
        if not is_trashed(step.to):
            after += _side(step.after)
    return before, after


def _side(raw: bytes) -> list[_Side]:
    found = decode(raw)
    if isinstance(found, Unreadable):
        return []
    return [_Side(found.text, hidden_ranges(found.text))]


def _turned(before: Sequence[_Side], after: Sequence[_Side]) -> AbstractSet[str]:
    """Return what is hidden less often after, and can be read more often."""
    gone = _hidden_in(before) - _hidden_in(after)
    if not gone:
        return frozenset()
    now, then = _seen_in(after, gone.keys()), _seen_in(before, gone.keys())
    return {value for value in now if now[value] > then[value]}


def _hidden_in(sides: Sequence[_Side]) -> Counter[str]:
    return Counter(value for side in sides for value in side.values())


def _seen_in(sides: Sequence[_Side], values: AbstractSet[str]) -> Counter[str]:
    found = Counter[str]()
    for side in sides:
        found += side.seen(values)
    return found


CONTEXT = 3
"""Lines shown around a change, as every program that shows diffs does."""

MOST_BYTES = 2_000_000
"""How large a file may be of which lines are shown: far above any note."""

MOST_SHOWN = 40_000
"""Characters of one diff: some ten pages, and about as many tokens as a reader has."""

MOST_SHOWN_IN_ALL = 400_000
"""Characters of all diffs of a changeset; beyond them, counts alone."""

DAMAGED = "damaged"
"""The fact of a draft in a list that could not be read: why."""

_NO_END = "\\ No newline at end of file\n"


def changed(changeset: Changeset, *, notices: Sequence[str] = ()) -> Changed:
    """Return what came of a changeset, with a diff for each file of it."""
    files = diffs_of(changeset.draft.steps)
    return Changed(changeset, files, notices=tuple(notices))


def diffs_of(steps: Sequence[Step]) -> tuple[FileDiff, ...]:
    """Return what steps do to each file; beyond some length, the counts alone."""
    room = MOST_SHOWN_IN_ALL
    files: list[FileDiff] = []
    also = hidden_on_a_side(steps)
    for step in steps:
        files.append(file_diff(step, room=room, also=also))
        room = max(0, room - len(files[-1].diff))
    return tuple(files)


def changesets_of(
    desk: "Desk", states: Sequence[ChangeState] = (), *, limit: int | None = None
) -> ChangesetList:
    """Return what is kept, the newest first; what cannot be read is a notice."""
    found, total = (desk.told or desk.book).listed(states, limit=limit)
    damaged = [str(one.draft.facts[DAMAGED]) for one in found if _is_damaged(one)]
    whole = tuple(one for one in found if not _is_damaged(one))
    return ChangesetList(whole, total - len(damaged), tuple(damaged))


def files_of(changesets: Sequence[Changeset]) -> list[NotePath]:
    """Return the files that changes are about, whose names stand in what is told."""
    return paths_of(step for one in changesets for step in one.draft.steps)


def paths_of(steps: Iterable[Step]) -> list[NotePath]:
    """Return every path that steps take something from or bring something to."""
    both = (path for step in steps for path in (step.path, step.to))
    return list(dict.fromkeys(path for path in both if path is not None))


def _is_damaged(changeset: Changeset) -> bool:
    return DAMAGED in changeset.draft.facts


def file_diff(
    step: Step, *, room: int = MOST_SHOWN, also: Collection[str] | None = ()
) -> FileDiff:
    """Return what a step does to its file; the diff has some `room` of characters.

    `also` are credentials that are hidden though one side does not tell them as such;
    None where it is known that there are none at all.
    A file that is no text, or is too large, is a sentence in the place of lines.
    """
    before = None if step.before is None else digest_of(step.before)
    after = digest_of(step.after)
    head = _head(step)
    if step.folder or step.before == step.after:
        return FileDiff(step.path, step.to, before, after, 0, 0, head)
    one, other = _text(step.before or b""), _text(step.after)
    if one is None or other is None:
        said = f"{head}It is not a text file: {_sizes(step)}.\n"
        return FileDiff(step.path, step.to, before, after, 0, 0, said)
    mine, theirs = lines_in(one), lines_in(other)
    if max(len(one), len(other)) > MOST_BYTES:
        removed = (Counter(mine) - Counter(theirs)).total()
        added = (Counter(theirs) - Counter(mine)).total()
        said = f"{head}It is too large to be shown: {_sizes(step)}.\n"
        return FileDiff(step.path, step.to, before, after, added, removed, said)
    hunks = hunks_between(mine, theirs)
    added = sum(hunk.other_end - hunk.other_start for hunk in hunks)
    removed = sum(hunk.end - hunk.start for hunk in hunks)
    if also is not None:
        mine, theirs = _without_secrets(one, also), _without_secrets(other, also)
    shown = _shown(step, mine, theirs, hunks, min(room, MOST_SHOWN))
    return FileDiff(step.path, step.to, before, after, added, removed, head + shown)


def _text(raw: bytes) -> bytes | None:
    """Return the text of a file as UTF-8; None for one that holds none."""
    if b"\0" not in raw and raw.isascii():
        return raw
    found = decode(raw)
    if isinstance(found, Unreadable):
        return None
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw  # a mark that comes or goes is a change
    return found.text.encode()


def _without_secrets(text: bytes, also: Collection[str]) -> list[bytes]:
    """Return the lines of a text, as many as it has, with credentials hidden."""
    said = redacted(text.decode(errors="surrogateescape"))
    for value in sorted(also, key=len, reverse=True):
        said = said.replace(value, HIDDEN)
    return lines_in(said.encode(errors="surrogateescape"))


def _sizes(step: Step) -> str:
    after = f"{len(step.after):,} bytes"
    if step.before is None:
        return after
    return f"{len(step.before):,} bytes before, {after} after"


def _head(step: Step) -> str:
    """Return how a move is told, as git does it; empty for a file that stays."""
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
    """Return a unified diff, ended by a sentence where there is no room for all."""
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
        there = first.other_start - (first.start - begin)
        upto = last.other_end + (end - last.end)
        yield f"@@ -{_range(begin, end)} +{_range(there, upto)} @@\n"
        at = begin
        for hunk in group:
            yield from _marked(" ", mine[at : hunk.start])
            yield from _marked("-", mine[hunk.start : hunk.end])
            yield from _marked("+", theirs[hunk.other_start : hunk.other_end])
            at = hunk.end
        yield from _marked(" ", mine[at:end])


def _together(hunks: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    """Yield hunks whose surroundings meet, together."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.start - group[-1].end > 2 * CONTEXT:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _range(begin: int, end: int) -> str:
    """Return lines as a unified diff counts them: of none, the one before."""
    length = end - begin
    if length == 1:
        return str(begin + 1)
    return f"{begin + 1 if length else begin},{length}"


def _marked(mark: str, lines: Sequence[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.decode(errors="replace")
        yield f"{mark}{text}" if text.endswith("\n") else f"{mark}{text}\n{_NO_END}"
