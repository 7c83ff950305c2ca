"""Answers around one long list: as much of it as fits, and a cursor for the rest.

The list is cut from the very values that the command line prints, so that all ways to
ask say the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from glassmind.operations.model_text import fenced, labelled, one_line
from glassmind.serve.mcp.cursors import Cursor, read_cursor, trace_of, write_cursor
from glassmind.serve.mcp.pages import MOST_TOKENS, USUAL_TOKENS, fitting, tokens_of
from glassmind.serve.mcp.tool import Action, Answer, Call
from glassmind.serve.mcp.tools.shapes import concise, is_detailed

LEAST_ROOM = 500
"""Tokens that a list has at least, whatever stands around it."""

CHANGED = (
    "what was found changed since the cursor was given: some may come twice or be "
    "missing; to be sure, ask again without it"
)


class Listing(NamedTuple):
    """Values around a list that may be long.

    `items` are all that were found; `put` returns the values with some of them in their
    place, `brief` an item as a concise answer has it, and `lines` tells an item in
    words, with the number it has. `head` is said before the list in our own words,
    `around` and `notices` are lines with words of notes that stand above it, and
    `nothing` is said when it is empty. No page has more than `most` items. `behind`
    returns lines in our own words about those of a page, and `next_reads` calls that
    are worth making because of them.
    """

    items: Sequence[Mapping[str, Any]]
    put: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]]
    brief: Callable[[Mapping[str, Any]], dict[str, Any]]
    lines: Callable[[int, Mapping[str, Any]], Iterable[str]]
    head: str = ""
    around: tuple[str, ...] = ()
    nothing: str = "Nothing was found."
    notices: tuple[str, ...] = ()
    most: int | None = None
    behind: Callable[[Sequence[Mapping[str, Any]]], Iterable[str]] = lambda _: ()
    next_reads: Callable[[Sequence[Mapping[str, Any]]], Iterable[Action]] = lambda _: ()


def kept(*names: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return what cuts an item down to some of what it says."""
    return lambda item: concise(item, names)


def in_place(
    values: Mapping[str, Any], key: str
) -> Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any]]:
    """Return what puts items where a list stands among values."""
    return lambda shown: {**values, key: list(shown)}


def wanted(tool: str, given: Mapping[str, Any]) -> int:
    """Return how many items to ask the engine for: one more than a page may show.

    Raises:
        BadArgument: the cursor is not one that this call gave.
    """
    return read_cursor(tool, given).offset + int(given["limit"]) + 1


def answer_of(
    tool: str,
    call: Call,
    listing: Listing,
    *,
    actions: Sequence[Action] = (),
    links: Iterable[str] = (),
) -> Answer:
    """Return one page of a list with all that stands around it.

    `links` are notes that a detailed answer leads to.
    """
    page = _Page(tool, call.given, listing)
    content = {
        **listing.put(page.shown),
        "truncated": page.truncated,
        "next_cursor": page.cursor,
    }
    paths = tuple(dict.fromkeys(links)) if is_detailed(call.given) else ()
    hints = (*actions, *listing.next_reads(page.shown), *page.actions())
    return Answer("\n".join(page.lines()), labelled(content), hints, paths)


class _Page:
    """The items of one answer out of all that were found."""

    def __init__(self, tool: str, given: Mapping[str, Any], listing: Listing) -> None:
        self._tool, self._given, self._listing = tool, given, listing
        self._begun = read_cursor(tool, given)
        everything = listing.items
        self._before = everything[: self._begun.offset]
        behind = everything[self._begun.offset :]
        asked = behind[: listing.most]
        detailed = is_detailed(given)
        made = asked if detailed else [listing.brief(one) for one in asked]
        budget = MOST_TOKENS if detailed else USUAL_TOKENS
        room = max(budget - tokens_of(listing.put(())), LEAST_ROOM)
        self.shown = fitting(list(made), lambda one: one, room)
        self.truncated = len(self.shown) < len(asked)
        self._end = self._begun.offset + len(self.shown)
        self._seen = everything[: self._end]
        self._more = len(behind) > len(self.shown)

    @property
    def cursor(self) -> str | None:
        if not self._more:
            return None
        following = Cursor(self._end, trace_of(*self._seen))
        return write_cursor(self._tool, self._given, following)

    def lines(self) -> Iterator[str]:
        listing, begun = self._listing, self._begun
        if begun.offset and trace_of(*self._before) != begun.trace:
            yield f"Notice: {CHANGED}"
        if listing.head:
            yield listing.head
        rows = [f"notice: {one_line(said)}" for said in listing.notices]
        rows += [] if begun.offset else listing.around
        for number, item in enumerate(self.shown, begun.offset + 1):
            rows.extend(listing.lines(number, item))
        if not self.shown:
            yield "No more of them." if begun.offset else listing.nothing
        if rows:
            yield fenced("\n".join(rows))
        yield from listing.behind(self.shown)
        if self.truncated:
            yield "Truncated to fit."
        if self.cursor:
            yield f"More: the same call with cursor={self.cursor}"

    def actions(self) -> Iterator[Action]:
        if self.cursor:
            again = {k: v for k, v in self._given.items() if v not in (None, "")}
            yield Action(self._tool, again | {"cursor": self.cursor}, "see more")
