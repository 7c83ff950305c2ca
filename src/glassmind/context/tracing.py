"""Where the lines of a note may stand that is no longer where it was.

The likeliest first: notes of its name in other folders, notes that the index does not
know yet, notes that have these lines at the same place, as one that was renamed has,
and notes with the heading.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Protocol

from glassmind.context.seeking import Effort, plain_lines, stands_at
from glassmind.files.names import name_key
from glassmind.model import NotePath, Span
from glassmind.model.context import Receipt

LIMIT = 50
"""Notes looked at for each reason: more have nothing but a common name in common."""


class Traces(Protocol):
    """What is known of notes that may be a former one."""

    def named(self, key: str, limit: int, /) -> list[NotePath]:
        """Return the first notes whose file names have a key of names."""

    def under(self, heading: str, limit: int, /) -> list[NotePath]:
        """Return the first notes that have a heading."""

    def around(self, span: Span, /) -> Iterator[tuple[NotePath, int, str]]:
        """Yield the passages that hold these lines of their notes."""

    def known(
        self, paths: Collection[NotePath], /
    ) -> Mapping[NotePath, tuple[int, int]]:
        """Return those of some files that are known, by size and time; in order."""

    def stamps(self) -> Mapping[NotePath, int]:
        """Return every file that is known."""


def likely(
    receipt: Receipt,
    traces: Traces,
    new: Callable[[], Sequence[NotePath]],
    effort: Effort,
) -> Iterator[NotePath]:
    """Yield the notes that may hold the lines of a receipt now, each once.

    `new` returns those that the index does not know yet.
    """
    seen = {receipt.path}
    for path in _by_reason(receipt, traces, new, effort):
        if path not in seen:
            seen.add(path)
            yield path


def _by_reason(
    receipt: Receipt,
    traces: Traces,
    new: Callable[[], Sequence[NotePath]],
    effort: Effort,
) -> Iterator[NotePath]:
    yield from traces.named(name_key(receipt.path), LIMIT)
    yield from new()[:LIMIT]
    yield from islice(_at_the_same_place(receipt, traces, effort), LIMIT)
    if receipt.heading:
        yield from traces.under(receipt.heading, LIMIT)


def _at_the_same_place(
    receipt: Receipt, traces: Traces, effort: Effort
) -> Iterator[NotePath]:
    """Yield the notes whose passages say that the lines stand where they stood."""
    start, end = receipt.span
    for path, first, text in traces.around(receipt.span):
        if effort.is_spent:
            return
        effort.spend(len(text))
        inside = Span(start - first + 1, end - first + 1)
        if stands_at(plain_lines(text), inside, receipt.digest):
            yield path
