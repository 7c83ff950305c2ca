r"""Regular expressions written by a user, taken only if they cannot run away.

Python's engine backtracks: `(a+)+$` doubles its time with each character. A pattern is
taken when it is short, repeats nothing that itself repeats or branches, refers to no
group and leaves few ways to match; and it is only tried on paths up to
`PATH_LIMIT_CHARS`. What is left takes a fraction of a second on a path made to hurt,
and microseconds on any other.
"""

import re
from dataclasses import dataclass

PATTERN_LIMIT_CHARS = 200
"""Beyond what a person types as an exclusion; bounds what compiling can cost."""

PATH_LIMIT_CHARS = 512
"""Longer paths are not tried: the cost grows with the cube of this."""

OPEN_BITS, CHOICE_BITS, EFFORT_BITS = 9, 2, 20
"""What an open-ended repeat may cost (2^9 is the path limit), what an optional piece or
a first branch may, and all together: two repeats, or one and a handful of branches."""

FIXED_LIMIT = 64
"""A counted repeat is unrolled, so a large count makes a large pattern."""

_TOKEN = re.compile(
    r"""
      (?P<escape>   \\. )
    | (?P<set>      \[\^?\]? (?: \\. | [^\]\\] )* \] )
    | (?P<open>     \( (?: \? (?: <[=!] | <\w+> | [:=!] ) )? )
    | (?P<close>    \) )
    | (?P<branch>   \| )
    | (?P<repeat>   (?: [*+?] | \{ \d+ (?: , \d* )? \} ) \?? )
    | (?P<other>    . )
    """,
    re.VERBOSE | re.DOTALL,
)
_IDLE_ENDS = re.compile(r"^\^?(?:\.\*\??)+|(?<!\\)(?:\.\*\??)+\$?$")


def compile_safely(source: str) -> re.Pattern[str] | str:
    """Return a pattern to search for, or why it is not taken.

    `source` is in JavaScript's syntax, as Obsidian has it.
    """
    if len(source) > PATTERN_LIMIT_CHARS:
        return f"it is longer than {PATTERN_LIMIT_CHARS} characters"
    # `.*` at either end matches whatever stands there, so a search needs none.
    source = _IDLE_ENDS.sub("", source)
    danger = _danger(source)
    if danger:
        return danger
    try:
        return re.compile(re.sub(r"\(\?<(?=\w)", "(?P<", source))
    except re.error as fault:
        return f"it is no regular expression ({fault.msg})"


@dataclass(slots=True)
class _Group:
    """What has been read of a group; `fan` if its last piece repeats or branches."""

    busy: bool = False
    branches: bool = False
    fan: bool = False


def _danger(source: str) -> str | None:
    """Return why a pattern might run away, or None."""
    groups = [_Group()]
    effort = 0
    for token in _TOKEN.finditer(source):
        kind, text = token.lastgroup, token.group()
        here = groups[-1]
        if kind == "escape" and text[1] in "123456789k":
            return "it refers back to a group"
        if kind == "repeat" and here.fan and not text.startswith("?"):
            return "it repeats what itself repeats or branches"
        fan = False
        if kind == "repeat":
            effort += _effort(text)
            here.busy = fan = True
        elif kind == "branch":
            effort += 1 if here.branches else CHOICE_BITS
            here.busy = here.branches = True
        elif kind == "open":
            groups.append(_Group())
        elif kind == "close" and len(groups) > 1:
            fan = groups.pop().busy
            groups[-1].busy |= fan
        groups[-1].fan = fan
    return "it leaves too many ways to match" if effort > EFFORT_BITS else None


def _effort(repeat: str) -> int:
    """Return the bits of choice that a repeat leaves to the engine."""
    if repeat.startswith("?"):
        return CHOICE_BITS
    fixed = re.fullmatch(r"\{(\d+)\}", repeat)
    if fixed and int(fixed[1]) <= FIXED_LIMIT:
        return 0
    return OPEN_BITS
