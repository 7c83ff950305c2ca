"""What a changeset does to each file, as people read it: unified diffs and counts."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from glassmind.edit.three_way import Hunk, hunks_between, lines_in
from glassmind.edit.unhiding import HIDDEN, hidden_on_a_side
from glassmind.files.decode import Unreadable, decode
from glassmind.files.read import digest_of
from glassmind.files.trash import is_trashed
from glassmind.model import NotePath
from glassmind.model.editing import (
    Changed,
    Changeset,
    ChangesetList,
    ChangeState,
    FileDiff,
    Step,
)
from glassmind.obsidian.secrets import redacted

if TYPE_CHECKING:
    from glassmind.edit.desk import Desk

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
