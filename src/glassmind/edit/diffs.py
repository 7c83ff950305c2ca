"""Credentials in changes, three-way merge of texts, and diffs of changesets."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from io import BytesIO
from secrets import token_hex
from typing import Any, NamedTuple

from glassmind.edit.page import EditedPage
from glassmind.edit.text_edits import Edited
from glassmind.edit.vault import EditVault
from glassmind.errors import EditRefused, HiddenWords, NoMatch, SeveralMatches
from glassmind.files.read import Unreadable, decode, digest_of
from glassmind.files.steps import is_trashed
from glassmind.model import NotePath
from glassmind.model.edits import (
    Changed,
    Changeset,
    ChangesetList,
    ChangeState,
    Draft,
    FileDiff,
    FileStep,
)
from glassmind.model.notes import Note
from glassmind.obsidian.secrets import hidden_ranges, redacted

HIDDEN = "(hidden)"
_MARK = re.compile(rb"\(hidden(?:: [A-Za-z0-9 .-]{1,40})?\)")
_OWNERS = "only the owner can edit that: it holds credentials that are not shown to you"

LEAST_LETTERS = 8
"""Shorter credentials are not looked for in other texts, where they would be words."""

_KEY_END = re.compile(r"-----(?:BEGIN|END)[A-Z0-9 ]+-----")
"""The first or last line of a private key, which by itself says nothing."""

_hidden_ranges = lru_cache(maxsize=16)(hidden_ranges)


def refuse_marks(draft: Draft) -> None:
    """Refuse to write more of the marks that are shown in place of credentials."""
    before, after = Counter[bytes](), Counter[bytes]()
    for step in draft.steps:
        if step.before is not None:
            before.update(_MARK.findall(step.before))
            after.update(_MARK.findall(step.after))
    for mark in after - before:
        raise HiddenWords(mark.decode())


def refuse_unhiding(draft: Draft) -> None:
    """Refuse a change after which a credential could be read that is hidden now."""
    steps = draft.steps
    olds = [(s, s.before) for s in steps if s.path and not is_trashed(s.path)]
    news = [(s, s.after) for s in steps if not is_trashed(s.to)]
    before = [text for step, raw in olds for text in texts_of(step, raw)]
    after = [text for step, raw in news for text in texts_of(step, raw)]
    hidden = _hidden_values(before)
    # a heading that holds one would be the name of a note
    if draft.verb == "split" and any(v in s.to for s in steps for v in hidden):
        raise HiddenWords(HIDDEN)
    for value in hidden - _hidden_values(after):
        if _readable(value, after) > _readable(value, before):
            raise HiddenWords(HIDDEN)


def texts_of(step: FileStep, raw: bytes | None) -> list[str]:
    text = None if raw is None or step.folder else decode(raw)
    return [] if text is None or isinstance(text, Unreadable) else [text.text]


def _hidden_values(texts: Iterable[str]) -> Counter[str]:
    values = (text[start:end] for text in texts for start, end in _hidden_ranges(text))
    return Counter(
        value
        for value in values
        if len(value) >= LEAST_LETTERS and not _KEY_END.fullmatch(value)
    )


def _readable(value: str, texts: Iterable[str]) -> int:
    """Return how often a value stands in texts where it is not hidden."""
    return sum(
        not _is_hidden(text, *match.span())
        for text in texts
        for match in re.finditer(re.escape(value), text)
    )


def _is_hidden(text: str, start: int, end: int) -> bool:
    if _KEY_END.fullmatch(text[start:end]):
        return True
    return any(first <= start and end <= last for first, last in _hidden_ranges(text))


def edit_as_shown(raw: bytes, edit: Callable[[bytes], Edited]) -> Edited:
    """Return what an edit makes of a note whose credentials were not shown.

    The edit sees random words in their place. It is refused where it touches one, or
    where a credential could be read after it.
    """
    masked = _Masked.of(raw)
    if masked is None:
        return edit(raw)
    try:
        edited = edit(masked.raw)
    except EditRefused as error:
        raise masked.refusal(error) from None
    text = ""
    restored: list[tuple[int, int]] = []
    for at, part in enumerate(masked.words.split(edited.raw.decode())):
        value = masked.values[int(part)] if at % 2 else part
        if at % 2:
            restored.append((len(text), len(text) + len(value)))
        text += value
    if masked.name in text:  # the edit cut into what stands for a credential
        raise EditRefused(_OWNERS)
    if not all(_is_hidden(text, start, end) for start, end in restored):
        raise HiddenWords(HIDDEN)
    risks = tuple(map(masked.redacted, edited.risks))
    return Edited(text.encode(), risks, masked.redacted(edited.facts))


def look_as_shown(
    vault: EditVault, page: EditedPage, look: Callable[[Note], object]
) -> None:
    """Raise what a look at the note raises if its credentials are not shown."""
    masked = None if vault.sight is None else _Masked.of(page.raw)
    if masked is None:
        return
    try:
        look(EditedPage.of(page.path, masked.raw).note)
    except EditRefused as error:
        raise masked.refusal(error) from None


@dataclass(frozen=True, slots=True)
class _Masked:
    """A text with the words `name-0-`, `name-1-` ... in place of hidden values."""

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
        name, parts, done = f"hidden-{token_hex(8)}", [], 0
        for at, (start, end) in enumerate(hidden):
            parts.append(f"{text[done:start]}{name}-{at}-")
            done = end
        masked = "".join((*parts, text[done:])).encode()
        values = [text[start:end] for start, end in hidden]
        return cls(masked, name, re.compile(rf"{name}-(\d+)-"), values)

    def redacted(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.words.sub(HIDDEN, value)
        if isinstance(value, Mapping):
            return {self.redacted(name): self.redacted(v) for name, v in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(map(self.redacted, value))
        return value

    def refusal(self, error: EditRefused) -> EditRefused:
        if isinstance(error, NoMatch | SeveralMatches):
            mark = _MARK.search(error.wanted.encode(errors="replace"))
            if mark is not None:
                return HiddenWords(mark[0].decode())
        if type(error) is NoMatch:  # its lines were cut short, maybe within a word
            near = self.redacted(error.nearest)
            said = NoMatch(error.path, error.wanted, near, line=error.line).said
            error.args = (f"{error.place}: {said}" if error.place else said,)
            error.said = said
        error.args = self.redacted(error.args)
        for name, value in vars(error).items():
            setattr(error, name, self.redacted(value))
        return error


class Hunk(NamedTuple):
    """Lines of one text, half open, in whose place the other has others."""

    start: int
    end: int
    other_start: int
    other_end: int


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
    opcodes = SequenceMatcher(None, mine, theirs).get_opcodes()
    return [
        Hunk(begin + a, begin + b, begin + c, begin + d)
        for tag, a, b, c, d in opcodes
        if tag != "equal"
    ]


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Bring two changes of one text together; None where they conflict.

    They conflict where both changed the same lines, or replaced lines that touch, in
    different ways. Of what both add at one place, ours comes first.
    """
    if theirs in (base, ours):
        return ours
    if base == ours:
        return theirs
    texts = (base, ours, theirs)
    if any(b"\0" in raw for raw in texts):
        return None
    newline = b"\r\n" if any(b"\r\n" in raw for raw in texts) else b"\n"
    was, here, there = (not raw or raw.endswith(b"\n") for raw in texts)
    old, mine, yours = (
        lines_in(raw if not raw or raw.endswith(b"\n") else raw + newline)
        for raw in texts
    )
    our_hunks = _replacements(old, mine)
    their_hunks = [h for h in _replacements(old, yours) if h not in our_hunks]
    if any(_conflict(h, other) for h in their_hunks for other in our_hunks):
        return None
    merged: list[bytes] = []
    at = 0
    for start, end, lines in sorted(our_hunks + their_hunks, key=lambda h: h[:2]):
        merged += old[at:start] + lines
        at = end
    raw = b"".join(merged + old[at:])
    is_ended = there if here == was else here
    return raw if is_ended else raw.removesuffix(newline)


def _replacements(
    old: list[bytes], new: list[bytes]
) -> list[tuple[int, int, list[bytes]]]:
    return [(h.start, h.end, new[h[2] : h[3]]) for h in hunks_between(old, new)]


def _conflict(
    one: tuple[int, int, list[bytes]], other: tuple[int, int, list[bytes]]
) -> bool:
    (start, end, _), (first, last, _) = one, other
    if start < end and first < last:
        return start <= last and first <= end
    # a place to add lines at conflicts only inside of replaced lines
    return (
        max(start, first) < min(end, last)
        or first < start == end < last
        or (start < first == last < end)
    )


CONTEXT = 3
"""Lines shown around a change, as every program that shows diffs does."""

MOST_BYTES = 2_000_000
MOST_SHOWN = 40_000
"""Characters of one diff: some ten pages, and about as many tokens as a reader has."""

MOST_SHOWN_IN_ALL = 400_000
DAMAGED = "damaged"
"""The fact of a draft in a list that could not be read: why."""


def changed(changeset: Changeset, *, notices: Sequence[str] = ()) -> Changed:
    files = diffs_of(changeset.draft.steps)
    return Changed(changeset, files, notices=tuple(notices))


def diffs_of(steps: Sequence[FileStep]) -> tuple[FileDiff, ...]:
    room = MOST_SHOWN_IN_ALL
    files: list[FileDiff] = []
    hidden = _hidden_values(
        text for s in steps for raw in (s.before, s.after) for text in texts_of(s, raw)
    )
    for step in steps:
        files.append(file_diff(step, room=room, hidden=hidden))
        room = max(0, room - len(files[-1].diff))
    return tuple(files)


def changesets_of(
    vault: EditVault, states: Sequence[ChangeState] = (), *, limit: int | None = None
) -> ChangesetList:
    """Return what is kept, the newest first; what cannot be read is a notice."""
    listed, total = (vault.visible_changesets or vault.changesets).listed(
        states, limit=limit
    )
    whole = tuple(each for each in listed if DAMAGED not in each.draft.facts)
    damaged = [
        str(each.draft.facts[DAMAGED]) for each in listed if DAMAGED in each.draft.facts
    ]
    return ChangesetList(whole, total - len(damaged), tuple(damaged))


def paths_of(steps: Iterable[FileStep]) -> list[NotePath]:
    both = (path for step in steps for path in (step.path, step.to))
    return list(dict.fromkeys(path for path in both if path is not None))


def file_diff(
    step: FileStep, *, room: int = MOST_SHOWN, hidden: Collection[str] = ()
) -> FileDiff:
    """Return what a step does to its file; the diff has `room` characters at most."""

    def result(diff: str, added: int = 0, removed: int = 0) -> FileDiff:
        before = None if step.before is None else digest_of(step.before)
        after = digest_of(step.after)
        diff = _head(step) + diff
        return FileDiff(step.path, step.to, before, after, added, removed, diff)

    if step.folder or step.before == step.after:
        return result("")
    old, new = _text(step.before or b""), _text(step.after)
    sizes = f"{len(step.after):,} bytes"
    if step.before is not None:
        sizes = f"{len(step.before):,} bytes before, {sizes} after"
    if old is None or new is None:
        return result(f"It is not a text file: {sizes}.\n")
    mine, theirs = lines_in(old), lines_in(new)
    if max(len(old), len(new)) > MOST_BYTES:
        removed = (Counter(mine) - Counter(theirs)).total()
        added = (Counter(theirs) - Counter(mine)).total()
        return result(f"It is too large to be shown: {sizes}.\n", added, removed)
    hunks = hunks_between(mine, theirs)
    added = sum(hunk.other_end - hunk.other_start for hunk in hunks)
    removed = sum(hunk.end - hunk.start for hunk in hunks)
    mine = _without_secrets(old, mine, hidden)
    theirs = _without_secrets(new, theirs, hidden)
    name = "/dev/null" if step.path is None else f"a/{step.path}"
    diff = f"--- {name}\n+++ b/{step.to}\n"
    lines = _diff_lines(mine, theirs, hunks)
    for line in lines:
        if len(diff) + len(line) > min(room, MOST_SHOWN):
            left = 1 + sum(1 for _ in lines)
            diff += f"... {left:,} more lines of this diff are not shown\n"
            break
        diff += line
    return result(diff, added, removed)


def _text(raw: bytes) -> bytes | None:
    if b"\0" not in raw and raw.isascii():
        return raw
    text = decode(raw)
    if isinstance(text, Unreadable):
        return None
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw  # a mark that comes or goes is a change
    return text.text.encode()


def _without_secrets(
    raw: bytes, lines: list[bytes], hidden: Collection[str]
) -> list[bytes]:
    text = raw.decode(errors="surrogateescape")
    safe = redacted(text)
    for value in sorted(hidden, key=len, reverse=True):
        safe = safe.replace(value, HIDDEN)
    return lines if safe == text else lines_in(safe.encode(errors="surrogateescape"))


def _head(step: FileStep) -> str:
    end = "/" if step.folder else ""
    if step.path is None or step.path == step.to:
        return ""
    if is_trashed(step.to):
        return f"deleted {step.path}{end}\nkept as {step.to}{end}\n"
    return f"rename from {step.path}{end}\nrename to {step.to}{end}\n"


def _diff_lines(
    mine: Sequence[bytes], theirs: Sequence[bytes], hunks: Sequence[Hunk]
) -> Iterator[str]:
    # not by difflib, which would show a change of a hidden credential as none
    groups: list[list[Hunk]] = []
    for hunk in hunks:
        if groups and hunk.start - groups[-1][-1].end <= 2 * CONTEXT:
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    for group in groups:
        first, last = group[0], group[-1]
        begin = max(0, first.start - CONTEXT)
        end = min(len(mine), last.end + CONTEXT)
        other = first.other_start - first.start + begin
        other_end = last.other_end - last.end + end
        yield f"@@ -{_range(begin, end)} +{_range(other, other_end)} @@\n"
        at = begin
        for hunk in group:
            yield from _marked(" ", mine[at : hunk.start])
            yield from _marked("-", mine[hunk.start : hunk.end])
            yield from _marked("+", theirs[hunk.other_start : hunk.other_end])
            at = hunk.end
        yield from _marked(" ", mine[at:end])


def _range(begin: int, end: int) -> str:
    length = end - begin
    if length == 1:
        return str(begin + 1)
    return f"{begin + 1 if length else begin},{length}"


def _marked(mark: str, lines: Sequence[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.decode(errors="replace")
        end = "" if text.endswith("\n") else "\n\\ No newline at end of file\n"
        yield f"{mark}{text}{end}"
