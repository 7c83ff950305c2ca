"""Who may read what: the scope of a client, as its owner wrote it."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from glassmind.model import NotePath

RuleKind: TypeAlias = Literal["folder", "tag", "property"]


class ReadRule(NamedTuple):
    """Notes by their folder, tag or property; `excluded` where they may not be read."""

    kind: RuleKind
    name: str
    value: str | None = None
    excluded: bool = False


class Scope(NamedTuple):
    """What a client may read: all that one rule names and none excludes.

    Without a rule that names something, it is the whole vault but for what is excluded.
    What is private is nobody's, whatever the rules say. `toolsets` are those it may
    use; none named means all that are served. What `client` itself left in the agent
    folder it may read as well.
    """

    rules: tuple[ReadRule, ...] = ()
    toolsets: tuple[str, ...] = ()
    client: str = ""


EVERY_AGENT = Scope()
"""The scope of an agent that nobody gave one: all but what is private."""


class Seen(NamedTuple):
    """Which notes or chunks are seen: these, or where they are `hidden` all others."""

    ids: frozenset[int]
    hidden: bool = True

    def has(self, one: int) -> bool:
        return (one in self.ids) is not self.hidden


class NoteMarks(NamedTuple):
    """What of a note decides who may read it."""

    path: NotePath
    tags: tuple[str, ...] = ()
    properties: Mapping[str, object] = MappingProxyType({})
    unread: str = ""


def said_once(properties: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Return what is said of each name; of one that stands twice, a list of it all."""
    found: dict[str, object] = {}
    for name, value in properties:
        if name in found:
            known = found[name]
            found[name] = [*(known if isinstance(known, list) else [known]), value]
        else:
            found[name] = value
    return found


CALLER: ContextVar[str] = ContextVar("caller", default="")
"""Who asks now, in this thread; empty where it is whom the engine was opened for."""


@contextmanager
def known_as(name: str) -> Iterator[None]:
    """Have all that is handed out inside go on record as handed to `name`."""
    token = CALLER.set(name)
    try:
        yield
    finally:
        CALLER.reset(token)


Surface: TypeAlias = Literal["mcp-stdio", "mcp-http", "http"]
"""The way by which a client asks."""


class DisclosedLines(NamedTuple):
    """Lines of a note whose text was given; without lines, text of it that has none.

    Such text is a part of the note whose place the answer does not tell, such as an
    excerpt or its properties, so the whole of it has to be reckoned with.
    """

    path: str
    first: int = 0
    last: int = 0


class DisclosedNotes(NamedTuple):
    passages: tuple[DisclosedLines, ...] = ()
    named: tuple[str, ...] = ()


class LoggedAnswer(NamedTuple):
    """One answer: when, to whom, by which way, to which verb, and what it showed."""

    at: datetime
    client: str
    surface: str
    verb: str
    passages: tuple[DisclosedLines, ...]
    named: tuple[str, ...]
    more_named: int = 0


class ReadFilter(NamedTuple):
    """Which readings are asked for; empty means all."""

    client: str = ""
    notes: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
