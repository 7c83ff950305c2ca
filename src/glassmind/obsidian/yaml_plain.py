"""The YAML that nearly all notes have, read without a YAML parser.

One regular expression knows flat properties: plain and quoted scalars, `[a, b]` and
`- item` lines, without comments, escapes, anchors or continuation lines. What it does
not match is left to `yaml_core`, and what it does match `yaml_core` reads alike. On a
short note the YAML parser would take a quarter of the time of reading it.
"""

import re
from typing import Final

from glassmind.model import PropertyValue
from glassmind.obsidian.yaml_core import Leaf, Loaded, resolve_plain

# All that YAML allows outside ASCII, but line breaks and the byte order mark.
_WIDE: Final = "\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_QUOTED: Final = rf'"[ !#-\[\]-~{_WIDE}]*+"' + rf"|'[ -&(-~{_WIDE}]*+'"
# Some of what may begin a plain scalar: no sign that YAML could take for its own.
_FIRST: Final = r"[\w/.(+~]"
# A colon before a blank would end a key, a number sign behind one begin a comment.
_PLAIN: Final = rf'{_FIRST}(?:[ -"$-9;-~{_WIDE}]++|:(?![ \n])|(?<! )#)*+'
_SCALAR: Final = rf"(?:{_QUOTED}|{_PLAIN})"
_MEMBER: Final = rf"(?:{_QUOTED}|{_FIRST}[\w ./()+*%$&=@!^~-]*+)"
_BARE, _FLOW, _LINES = 2, 3, 4
_ENTRY: Final = re.compile(
    r"(\w(?:[\w ./-]{0,98}\w)?):(?:"
    rf" +(?:({_SCALAR})|(\[ *+(?:{_MEMBER}(?: *+, *+{_MEMBER})*+)? *+\])) *+\n"
    rf"| *+\n((?P<indent> *+)- +{_SCALAR} *+\n(?:(?P=indent)- +{_SCALAR} *+\n)*+)?"
    r")\n*+"
)
_MEMBERS: Final = re.compile(rf"({_MEMBER})")
_ITEMS: Final = re.compile(rf" *+- +({_SCALAR}) *+\n")


def load_plain(text: str) -> Loaded | None:
    """Return what `yaml_core.load` returns if the text is plain all through.

    Else None, and so for an empty text and for one that gives a property twice.
    """
    properties: dict[str, PropertyValue] = {}
    leaves: list[Leaf] = []
    at, end = 0, len(text)
    while at < end:
        entry = _ENTRY.match(text, at)
        if entry is None or entry[1] in properties:
            return None
        properties[entry[1]] = _value(entry, leaves)
        at = entry.end()
    return Loaded(properties, tuple(leaves), ()) if properties else None


def _value(entry: re.Match[str], leaves: list[Leaf]) -> PropertyValue:
    """Return the value of a property, adding its scalars to `leaves`."""
    key, bare, flow, lines, _ = entry.groups()
    if bare:
        leaf = _leaf((key,), bare, entry.start(_BARE))
        leaves.append(leaf)
        return leaf.value
    if flow:
        members = _MEMBERS.finditer(entry.string, *entry.span(_FLOW))
    elif lines:
        members = _ITEMS.finditer(entry.string, *entry.span(_LINES))
    else:
        colon = entry.end(1) + 1
        leaves.append(Leaf((key,), None, colon, colon))
        return None
    found = [_leaf((key, n), m[1], m.start(1)) for n, m in enumerate(members)]
    leaves.extend(found)
    return [leaf.value for leaf in found]


def _leaf(path: tuple[str] | tuple[str, int], written: str, start: int) -> Leaf:
    if written[0] in "\"'":
        return Leaf(path, written[1:-1], start, start + len(written))
    text = written.rstrip(" ")
    return Leaf(path, resolve_plain(text), start, start + len(text))
