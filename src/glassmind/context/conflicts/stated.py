"""The lines of a note that may state something, found without reading each of them.

A statement has a colon, a verb that comes before a value, or somebody who put a linked
thing on hold; and a number, or words for how far a thing is or whose it is.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from glassmind.context.conflicts.claim_words import TOLD, VERBS, WEEKDAYS
from glassmind.context.conflicts.naming_words import NAMING, ROLES
from glassmind.context.conflicts.values import STATUS_TOLD, TELLING
from glassmind.context.note_lines import HEADING, ITEM, NoteLines, unmarked

LONGEST_LINE = 600
"""Characters of a line that is read: longer ones are seldom written by hand."""

_STRUCK = re.compile(r"~~.*?~~|%%.*?%%|<!--.*?-->")
_CALLOUT = re.compile(r"[ \t]*>[ \t]*\[!(?P<kind>[^\]]+)\]")
PUT = re.compile(
    r"(?:(?:we|i|wir|ich)\s+)?(?:(?:have|finally|now|just)\s+)*(?:put|(?P<done>paused"
    r"|cancelled|canceled|abandoned|scrapped|resumed))\s+(?:the\s+)?"
    r"(?P<link>\[\[[^\]]+\]\])(?(done)(?=\s*(?:[.,;!]|$|today|for now|until|because))"
    r"|\s+(?P<held>on hold))",
    re.IGNORECASE,
)
"""Somebody who has put a thing on hold: a sentence that begins with whom or with it."""
LEADS = re.compile(
    r"(?P<who>[^\W\d_a-zäöü]\S*(?: [^\W\d_a-zäöü]\S*){0,3}) (?:(?:now|is|ist)\s+)*"
    r"(?:leads|owns|manages|leitet|betreut|responsible for|in charge of"
    r"|verantwortlich für|zuständig für)\s+(?:the\s+)?(?P<link>\[\[[^\]]+\]\])(?![\w-])"
)
"""Somebody who has a thing: a sentence that begins with whom."""
_COMMON = frozenset((
    "is", "has", "now", "in", "at", "by", "to", "for", "was", "für", "bei", "von",
    "nach", "wird", "ist",
))  # fmt: skip
_PUTTING = (
    "leads", "owns", "manages", "leitet", "betreut", "responsible for",
    "in charge of", "verantwortlich für", "zuständig für",
    "put", "paused", "cancelled", "canceled", "abandoned", "scrapped", "resumed",
)  # fmt: skip
"""What stands before the thing in such a sentence."""
_TOLD = tuple(sorted(TOLD | ROLES))
_TOLD_ENDS = frozenset(key[-2:] for key in _TOLD)
_TELLING = frozenset(TELLING)
_NAMING = {word for verb in NAMING for word in verb.split() if word not in _COMMON}
"""Words one of which each verb before a name has."""
_NAMES = tuple(f"{verb} " for verb in NAMING)
_ROLE = re.compile(rf"\b(?:{'|'.join(sorted(ROLES))}) (?:[^.]{{0,60}} )?is[t ]")
_IS_NAMED = re.compile(r" is (?:now )?(?:[A-ZÄÖÜ]|\[\[)")
_WEEKDAY = re.compile(
    rf"\b(?:{'|'.join(WEEKDAYS)}|(?:every|each|jeden) [a-z]+(?:day|tag|woch))\b"
)
_DIGIT = re.compile(r"\d")
_QUOTING = frozenset(("quote", "cite", "example", "zitat", "beispiel"))
_BEING = ("be", "been")
"""Before these stands another verb, but for what people write in haste."""

FIRST: dict[str, list[tuple[str, ...]]] = {}
for _verb in sorted(VERBS, key=lambda verb: -len(verb.split())):
    FIRST.setdefault(_verb.split()[0], []).append(tuple(_verb.split()))
"""The verbs that may come between a thing and its value, by their first word; those of
more words first."""

_VERB = re.compile(
    " (?:"
    + "|".join(
        f"{letter}(?:{'|'.join(verb[1:] for verb in verbs)})"
        for letter, verbs in groupby(sorted({*FIRST, *_BEING}), key=itemgetter(0))
    )
    + ") [^\n]*"
)
"""Finds the first verb of a line in small letters, where spaces stand around words; by
the first letter, since most words have none of these."""


def stated_lines(text: str, body: int) -> Iterator[tuple[int, str]]:
    """Yield the lines from a line on that may state something, without their marks."""
    page, verbs = NoteLines(text.split("\n")), _lines_with_verbs(text)
    quoted = _quoted_lines(page.lines, body) if ">" in text else ()
    marked = ">" in text or _may_strike(text)
    for number, line in enumerate(page.lines[body - 1 :], body):
        if not (
            number in verbs
            or ":" in line
            or ("[[" in line and _is_put(line))
            or (marked and (">" in line or _may_strike(line)))  # a verb may be hidden
        ):
            continue
        if not (
            _DIGIT.search(line)
            or (number in verbs and _is_told(line))
            or _may_state(line)
        ):
            continue
        if len(line) > LONGEST_LINE:
            continue
        if number in quoted or number in page.fenced or _is_other(line):
            continue
        plain = unmarked(line)
        yield number, _STRUCK.sub("", plain) if _may_strike(plain) else plain


def _is_other(line: str) -> bool:
    """Whether a line is a row of a table, a heading or code."""
    if line[0].isalpha():
        return False
    if line.lstrip(" \t").startswith("|") or HEADING.match(line):
        return True
    return line.startswith(("    ", "\t")) and not ITEM.match(line)


def _may_strike(text: str) -> bool:
    """Whether something may be struck out; one sign is found faster than two."""
    return "~" in text or "%" in text or "<" in text


def _may_state(line: str) -> bool:
    """Whether a line without a number may state something in words."""
    if ":" in line and ("::" in line or "@" in line or _has_key(line)):
        return True
    if "[[" not in line:
        return False
    plain = unmarked(line)
    return bool(PUT.match(plain) or LEADS.match(plain))


def _has_key(line: str) -> bool:
    """Whether before a colon stands what a few words may tell of."""
    *keys, _ = line.lower().split(":")
    bare = (key.rstrip("*_") for key in keys)
    return any(key[-2:] in _TOLD_ENDS and key.endswith(_TOLD) for key in bare)


def _is_told(line: str) -> bool:
    """Whether a line with a verb may tell how far a thing is, whose, or its name."""
    if " is " in line and _IS_NAMED.search(line):
        return True
    words = line.lower()
    if ("day" in words or "tag" in words or "woch" in words) and _WEEKDAY.search(words):
        return True
    apart = words.split()
    if not _NAMING.isdisjoint(apart) and any(verb in words for verb in _NAMES):
        return True
    if "@" in words or (not ROLES.isdisjoint(apart) and _ROLE.search(words)):
        return True
    return not _TELLING.isdisjoint(apart) and bool(STATUS_TOLD.search(words))


def _is_put(line: str) -> bool:
    """Whether before its first link a line says that somebody did so with it."""
    said = line[: line.index("[[")].lower().rstrip()
    return said.removesuffix("the").rstrip().endswith(_PUTTING)


def _quoted_lines(lines: Sequence[str], body: int) -> frozenset[int]:
    """Return the lines from a line on that are somebody else's words."""
    found, quoting, before = set(), False, False
    for number, line in enumerate(lines[body - 1 :], body):
        here = ">" in line and line.lstrip(" \t").startswith(">")
        if here:
            callout = _CALLOUT.match(line)
            if callout:
                quoting = callout["kind"].casefold() in _QUOTING
            elif not before:
                quoting = True
            if quoting:
                found.add(number)
        before = here
    return frozenset(found)


def _lines_with_verbs(text: str) -> set[int]:
    """Return the lines that hold a verb which may come between a thing and its value.

    All lines are looked at in one go: one by one takes several times as long.
    """
    words = f" {text.lower()} ".replace("\n", " \n ")
    words = words.replace("\t", " ").replace("\u00a0", " ")
    found, number, counted = set(), 1, 0
    for verb in _VERB.finditer(words):
        number += words.count("\n", counted, verb.start())
        counted = verb.start()
        found.add(number)
    return found
