"""Who may read what: the scope of a client, as its owner wrote it."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from glassmind.model import NotePath

RuleKind: TypeAlias = Literal["folder", "tag", "property"]


class ReadRule(NamedTuple):
    """Notes by their folder, tag or property; `excluded` where they may not be read.

    `value` is None for a property that only has to be there.
    """

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
        """Whether one is seen."""
        return (one in self.ids) is not self.hidden


class NoteMarks(NamedTuple):
    """What of a note decides who may read it.

    `tags` are those that Obsidian knows, without `#`; `unread` is what stands where
    its properties should, if these cannot be read.
    """

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
