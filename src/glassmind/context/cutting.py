"""What is shown of passages on the way into a bundle, and what stands around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET

from glassmind.context.choose import Reading
from glassmind.context.markdown import (
    excerpt_label,
    source_line,
    title_line,
)
from glassmind.context.passages import Candidate, Stretch
from glassmind.model import NotePath, Span
from glassmind.model.context import BundleNote, Excerpt, Receipt
from glassmind.model.passages import PackedNote
from glassmind.obsidian.address import iso_time
from glassmind.obsidian.quoted import fenced
from glassmind.obsidian.receipts import receipt_text

Part = tuple[Stretch, int, int]
"""Lines of a note, and the characters of them that are shown."""

NUMBER = "[10]"
"""Stands for the number of a source while its length is counted."""

LINES, DIGEST, DIGEST_TOKENS = Span(10, 100), "", 12
"""Stand for lines and digest of a receipt while its length is counted. Sixteen digits
of a digest are 9 to 12 tokens, and nobody knows them beforehand."""


EMPTY, EVERY_FLAG = fenced(""), "; goes on"
"""A fence around nothing, and what is told of most passages."""


@dataclass(slots=True, eq=False)
class Cut:
    """What is shown of a passage: its characters, and the tokens of these."""

    reading: Reading
    start: int
    end: int
    tokens: int

    @property
    def text(self) -> str:
        """The characters."""
        return self.reading.stretch.text[self.start : self.end]

    @property
    def goes_on(self) -> bool:
        """Whether the passage has more than is shown."""
        return self.reading.stretch.goes_on(self.start, self.end)


@dataclass(slots=True)
class Entry:
    """A note on its way into a bundle; `spare` are passages it does not show yet."""

    candidate: Candidate
    cuts: list[Cut]
    spare: list[Stretch]
    made: BundleNote | None = None

    @property
    def first(self) -> Cut:
        """The best of its passages, which grows first."""
        return self.cuts[0]

    def note(self) -> BundleNote:
        """Return the note with its passages in the order of their lines."""
        if self.made is None:
            path = self.candidate.note.path
            excerpts = [
                stretch.excerpt(path, start, end)
                for stretch, start, end in joined(self.cuts)
            ]
            self.made = _note_of(self.candidate, tuple(excerpts))
        return self.made

    def receipt(self, cut: Cut) -> str:
        """Return that of the passage which holds one, or is it."""
        first, last = _lines(cut)
        return next(
            one.receipt
            for one in self.note().excerpts
            if one.lines.start <= first and last <= one.lines.end
        )

    def show(self, cut: Cut, instead: Cut | None = None) -> None:
        """Show a passage, in place of a shorter one if that is given."""
        if instead is None:
            self.cuts.append(cut)
        else:
            self.cuts[self.cuts.index(instead)] = cut
        self.made = None

    def hide(self) -> None:
        """Show no longer what was shown last."""
        self.cuts.pop()
        self.made = None


def label_of(candidate: Candidate, further: Stretch | None = None) -> str:
    """Return what stands around a passage, its source included, but for the digest.

    The first of a note has its title above it; a `further` one has not.
    """
    stretch = further or candidate.passages[0]
    under = stretch.heading_path(stretch.focus[0])
    heading = under[-1] if under else ""
    receipt = receipt_text(Receipt(candidate.note.path, heading, LINES, DIGEST))
    label = excerpt_label(under, LINES, NUMBER, EVERY_FLAG)
    title = "" if further else _title_of(candidate)
    return f"{title}{label}{EMPTY}{source_line(receipt, NUMBER)}"


def _title_of(candidate: Candidate) -> str:
    note = candidate.note
    return title_line(
        note.title,
        _day(note),
        candidate.channels,
        generated=note.generated,
        superseded_by=note.superseded_by,
    )


def _note_of(candidate: Candidate, excerpts: tuple[Excerpt, ...]) -> BundleNote:
    note = candidate.note
    return BundleNote(
        note.path,
        note.title,
        _day(note),
        candidate.relevance,
        candidate.why,
        candidate.channels,
        excerpts,
        note.generated,
        note.superseded_by,
        candidate.quoted or UNSET,
    )


def _day(note: PackedNote) -> str:
    """Return the day of a note; empty where its file was written with many others."""
    return note.day or ("" if note.at_once else iso_time(note.mtime_ns)[:10])


def marked(
    candidates: Sequence[Candidate], replaced: Mapping[NotePath, str]
) -> Sequence[Candidate]:
    """Return notes, those marked that another is in the place of, by its title."""
    if not replaced:  # as mostly
        return candidates
    return [
        one._replace(
            note=one.note._replace(superseded_by=replaced.get(one.note.path, ""))
        )
        for one in candidates
    ]


def overlap(one: Cut, other: Cut) -> bool:
    """Whether two passages of a note show a line twice."""
    first, second = (_lines(cut) for cut in (one, other))
    return first[0] <= second[1] and second[0] <= first[1]


def joined(cuts: Sequence[Cut]) -> list[Part]:
    """Return what is shown of a note in the order of its lines.

    Where nothing but blank lines stands between two, they are one.
    """
    if len(cuts) == 1:  # as of most notes
        (cut,) = cuts
        return [(cut.reading.stretch, cut.start, cut.end)]
    made: list[Part] = []
    for cut in sorted(cuts, key=_lines):
        part = (cut.reading.stretch, cut.start, cut.end)
        both = _both(made[-1], part) if made else None
        if both:
            made[-1] = both
        else:
            made.append(part)
    return made


def _both(one: Part, other: Part) -> Part | None:
    """Return two parts of a note as one; None where something stands between them."""
    (stretch, start, end), (next_one, begun, over) = one, other
    if end < len(stretch.text) and stretch.text[end] != "\n":
        return None  # it ends within a line
    if begun and next_one.text[begun - 1] != "\n":
        return None
    line = stretch.first_line + stretch.text.count("\n", 0, end)
    first = next_one.first_line + next_one.text.count("\n", 0, begun)
    blank = "\n" * (first - line)
    before, after = next_one.text[:begun], stretch.text[end:]
    if first != line + 1 and not (before.endswith(blank) or after.startswith(blank)):
        return None
    text = stretch.text[:end] + blank + next_one.text[begun:]
    moved = end + len(blank) - begun
    headings = (
        *((at, path) for at, path in stretch.headings if at <= end),
        *((at + moved, path) for at, path in next_one.headings if at >= begun),
    )
    focus = (min(stretch.focus[0], end), max(end, next_one.focus[1] + moved))
    whole = stretch._replace(
        text=text, focus=focus, headings=headings, ends=next_one.ends
    )
    return whole, start, over + moved


def _lines(cut: Cut) -> tuple[int, int]:
    stretch = cut.reading.stretch
    first = stretch.first_line + stretch.text.count("\n", 0, cut.start)
    return first, first + stretch.text.count("\n", cut.start, cut.end)


def found_text(candidate: Candidate) -> str:
    """Return the passage that a note was found by."""
    stretch = candidate.passages[0]
    return stretch.text[slice(*stretch.focus)]


def numbered(_: str) -> str:
    """Stand for what cites while its length is counted."""
    return NUMBER
