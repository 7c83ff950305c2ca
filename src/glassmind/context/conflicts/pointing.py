"""Subjects that point to a thing: `She works at`, `Its phone is`, `For Lisbon we fly`.

A pronoun means what was named before it in its line, or else what its note is about.
Where it may mean somebody else, nothing is sure.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from glassmind.context.conflicts.claim_words import (
    COUNTING,
    MONTHS,
    POINTING,
    RUNNING,
    VERBS,
)
from glassmind.context.conflicts.naming_words import (
    DOING,
    KINSHIP,
    NAMING,
    OURSELVES,
    OWNERS,
    PERSONS,
)
from glassmind.context.conflicts.values import Value

LONGEST_PART = 3
"""Words behind `its` that may name a part or a property of a thing."""

_ADVERBS = frozenset(
    ("also", "now", "currently", "still", "usually", "normally", "will")
)
_WORD = re.compile(r"[^\W_]+")
_LINK = re.compile(r"\[\[[^\]]+\]\]")
_FOR = re.compile(
    r"\W*(?:for|in|on|at|für|bei|beim|in der|in dem|im)\s+"
    r"(?P<thing>(?:(?:the|our|my|der|die|das|den|unsere?n?)\s+)?\S.*?)\s*$",
    re.IGNORECASE,
)
_FOR_US = re.compile(r"(?P<lead>\W*\w+\s.*\S),?\s+(?:we|i|wir|ich)\s*$", re.IGNORECASE)
_TELLS = re.compile(
    r"\W*(?:we|i|they|he|she|wir|ich)\s+(?:have\s+|had\s+|all\s+)*"
    r"(?:agreed|decided|found|learned|learnt|heard|noticed|saw|measured|checked"
    r"|confirmed|noted|was told|were told)\s+(?:on\s+)?(?=\S)"
    r"|\W*(?:the\s+)?\w+\s+(?:says|said|wrote|writes|sagt)\s+(?=\S)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"[^\w\[]*(?:(?:the|our|my|der|die|das)\s+)?", re.IGNORECASE)
_NOUN = re.compile(
    r"(?:^|\W)(?<!\bat )(?<!\bin )(?<!\bon )(?:the|our|my|der|die|das"
    r"|den|dem|einem?n?|(?<!is )(?<!was )(?<!as )an?)"
    r"\s+[^\W\d_]",
    re.IGNORECASE,
)
_NAMED = re.compile(r"([^\W\d_]+)[ ,]+([A-ZÄÖÜ][^\W\d_]+)(?: [A-ZÄÖÜ]\w+)*")
_PLACING = frozenset(("at", "in", "for", "from", "to", "on", "bei", "nach", "aus"))
"""Words before the name of a place or a firm, which no pronoun means."""
_LAST = re.compile(r".*[.!?;]\s+(?=\S)", re.DOTALL)


class Pointed(NamedTuple):
    """What is said of a thing that a pronoun means, and what names that thing.

    `lead` is empty where it is what the note is about.
    """

    subject: str
    lead: str


def untold(subject: str) -> str:
    """Return a subject without who told of it: `We agreed the roof`."""
    found = _TELLS.match(subject)
    return subject[found.end() :] if found else subject


def lead_of(text: str) -> str:
    """Return the thing in `For the regatta`; the text where it begins otherwise."""
    found = _FOR.match(text)
    return _ARTICLE.sub("", found["thing"], count=1) if found else text


def is_lead(text: str) -> bool:
    """Whether a text says what the rest of its sentence is about."""
    return _FOR.match(text) is not None


def pointed(subject: str, verb: str, value: Value, before: str) -> Pointed | None:
    """Return what a subject with a pronoun means; None where it has none or is unsure.

    `before` is all that stands before it in its line.
    """
    found = _FOR_US.match(subject)
    if found and is_lead(found["lead"]):
        led = lead_of(found["lead"])
        return Pointed("", led) if _is_done(verb, value) else None
    words = _WORD.findall(subject.casefold())
    rest = [word for word in words[1:] if word not in _ADVERBS]
    lead = _antecedent(before) if words and _fits(words[0], rest, verb, value) else None
    return Pointed(" ".join(rest), lead) if lead is not None else None


def _fits(pronoun: str, rest: Sequence[str], verb: str, value: Value) -> bool:
    """Whether what follows a pronoun can be said of one thing."""
    if pronoun in OWNERS:
        named = 0 < len(rest) <= LONGEST_PART and value.kind != "status"
        return named and POINTING.isdisjoint(rest) and KINSHIP.isdisjoint(rest)
    if pronoun in OURSELVES:
        return not rest and _is_done(verb, value)
    return pronoun in PERSONS and not rest and _is_own(verb, value)


def _is_done(verb: str, value: Value) -> bool:
    """Whether a verb tells what people do about their note's thing, and when."""
    return VERBS[verb] in DOING and value.kind != "status"


def _is_own(verb: str, value: Value) -> bool:
    """Whether a verb tells what somebody or something is or has.

    `It is` and `It takes` are said of anything, but for how long or wide it is.
    """
    if value.measure and value.measure not in ("away", "late", "entfernt"):
        return True
    known = verb in NAMING or verb in COUNTING or verb in RUNNING or VERBS[verb]
    return bool(known) and VERBS[verb] != "length" and value.kind != "status"


def _names_others(before: str) -> bool:
    """Whether a text speaks of more than a link or what it begins with.

    A noun behind an article, or a name: `Met [[Oda]] and Tom`.
    """
    if _NOUN.search(before):
        return True
    return any(
        not (word[0].isupper() or word in _PLACING or name.casefold() in MONTHS)
        for word, name in _NAMED.findall(_LINK.sub(" ", before))
    )


def _antecedent(before: str) -> str | None:
    """Return what a pronoun behind a text means: its link, or what its end begins with.

    Empty where nothing was named; None where it may be several.
    """
    words = _WORD.findall(before.casefold())
    if not KINSHIP.isdisjoint(words) or _names_others(before):
        return None
    links = {*_LINK.findall(before)} if "[[" in before else set()
    if links:
        return _ARTICLE.sub("", before, count=1) if len(links) == 1 else None
    last = _LAST.sub("", before.strip().rstrip(".!;,:") + " ")
    head = _WORD.findall(_ARTICLE.sub("", last, count=1))[:1]
    known = not head or head[0].casefold() in PERSONS | OURSELVES | OWNERS
    return "" if known else head[0]
