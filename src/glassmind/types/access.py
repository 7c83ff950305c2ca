"""Who may read what: the scope of a client, as its owner wrote it."""

from typing import Literal, NamedTuple, TypeAlias

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
    use; none named means all that are served.
    """

    rules: tuple[ReadRule, ...] = ()
    toolsets: tuple[str, ...] = ()


EVERY_AGENT = Scope()
"""The scope of an agent that nobody gave one: all but what is private."""
