"""Scopes as their owner writes them: one rule a text, such as `-folder:Journal`.

What cannot be understood is never taken for something else: a rule that excludes and
means nothing would give away what it was to keep.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeAlias, cast
from unicodedata import category, normalize

from glassmind.errors import AccessFault, BadScope, UnknownToolset
from glassmind.model.access import ReadRule, RuleKind, Scope

TOOLSET = "toolset"
KINDS: tuple[RuleKind, ...] = ("folder", "tag", "property")

LONGEST = 500  # letters of a rule; names of files have 255 bytes each

SETS = (
    "core", "graph", "memory", "write", "query", "brain", "graphrag", "knowledge"
)  # fmt: skip
"""Every set of tools."""

_BREAKING = frozenset(("Cc", "Cs", "Zl", "Zp"))
DEFAULT_SETS = ("core",)

Part: TypeAlias = ReadRule | str  # a rule about notes, or the name of a set of tools


def read_scope(texts: Iterable[str], toolsets: Iterable[str] = ()) -> Scope:
    """Return the scope that some rules are, each once; raises `BadScope`.

    `toolsets` are names of sets beside those that a rule names.
    """
    parts = list(map(read_rule, texts))
    rules = dict.fromkeys(part for part in parts if isinstance(part, ReadRule))
    sets = dict.fromkeys([*(p for p in parts if isinstance(p, str)), *toolsets])
    return Scope(tuple(rules), tuple(sets))


def read_names(given: Iterable[str]) -> tuple[str, ...]:
    names = [name.strip().lower() for value in given for name in value.split(",")]
    for name in filter(None, names):
        if name not in SETS:
            raise UnknownToolset(name, SETS)
    return tuple(dict.fromkeys(filter(None, names))) or DEFAULT_SETS


def sets_within(scope: Scope, wanted: Iterable[str] | None) -> tuple[str, ...]:
    """Return the sets of a client: its own, or those of them that are wanted."""
    if not wanted:
        return scope.toolsets or DEFAULT_SETS
    named, own = read_names(wanted), scope.toolsets
    found = tuple(name for name in named if not own or name in own)
    if not found:
        raise AccessFault(
            f"{scope.client!r} may not use {', '.join(named)}, only {', '.join(own)}; "
            "glassmind clients set changes that"
        )
    return found


def read_rule(text: str) -> Part:
    """Return what one text says: a rule, or the name of a set of tools.

    `Projects/` and `#work` are understood as a folder and a tag. Raises BadScope.
    """
    plain = normalize("NFC", text).strip()
    # letters without width may be in a name
    if len(plain) > LONGEST or any(category(c) in _BREAKING for c in plain):
        raise BadScope(text, "it is too long, or is not one line of text")
    excluded = plain.startswith("-")
    bare = plain[1:].lstrip() if excluded else plain
    kind, name = _kind_and_name(text, bare)
    if kind == TOOLSET:
        return _toolset(text, name, excluded=excluded)
    if kind == "property":
        return _property(text, name, excluded=excluded)
    read = _folder if kind == "folder" else _tag
    return ReadRule(cast("RuleKind", kind), read(text, name), excluded=excluded)


def _kind_and_name(text: str, bare: str) -> tuple[str, str]:
    if bare.startswith("#"):
        return "tag", bare
    kind, colon, name = bare.partition(":")
    known = (*KINDS, TOOLSET)
    if colon and kind.strip().lower() in known:
        return kind.strip().lower(), name.strip()
    if colon:
        near = get_close_matches(kind.strip().lower(), known, 1)
        hint = f", did you mean {near[0]}:?" if near else ""
        raise BadScope(text, f"there is no {kind.strip()[:40]!r}{hint}")
    if "/" in bare:
        return "folder", bare
    said = f"is {bare[:40]!r} a folder, a tag or a property?" if bare else "it is empty"
    raise BadScope(text, said)


def _folder(text: str, name: str) -> str:
    parts = name.strip("/ ").split("/")
    if parts == [""]:
        raise BadScope(text, "it names no folder; without a rule, all may be read")
    if any(part.strip() in {"", ".", ".."} for part in parts):
        raise BadScope(text, "a folder is written as it stands in the vault")
    return "/".join(parts)


def _tag(text: str, name: str) -> str:
    tag = name.strip("#/ ")
    if not tag or any(letter.isspace() or letter == "#" for letter in tag):
        raise BadScope(text, "a tag is one word, and #work/heron stands below #work")
    return tag


def _property(text: str, said: str, *, excluded: bool) -> ReadRule:
    name, equals, value = (part.strip() for part in said.partition("="))
    if not name or ":" in name:
        raise BadScope(text, "a property is written name=value, or as its name alone")
    if equals and not value:
        raise BadScope(text, f"no value stands behind {name[:40]}=")
    return ReadRule("property", name, value if equals else None, excluded)


def _toolset(text: str, name: str, *, excluded: bool) -> str:
    if excluded:
        raise BadScope(text, "name the sets of tools that may be used instead")
    if not name or not name.replace("-", "").isalnum():
        raise BadScope(text, "it names no set of tools")
    return name.lower()


def rule_as_text(rule: ReadRule) -> str:
    sign = "-" if rule.excluded else ""
    value = "" if rule.value is None else f"={rule.value}"
    return f"{sign}{rule.kind}:{rule.name}{value}"


def scope_as_texts(scope: Scope) -> list[str]:
    toolsets = [f"{TOOLSET}:{name}" for name in scope.toolsets]
    return [*map(rule_as_text, scope.rules), *toolsets]


def scope_in_words(scope: Scope) -> str:
    named = [rule_as_text(rule) for rule in scope.rules if not rule.excluded]
    excluded = [rule_as_text(rule)[1:] for rule in scope.rules if rule.excluded]
    text = " or ".join(named) or "everything"
    text += f", never {' or '.join(excluded)}" if excluded else ""
    tools = f"; tools of {', '.join(scope.toolsets)}" if scope.toolsets else ""
    return f"{text}, but nothing private{tools}"
