"""Reading what a note states: `Budget: 900 EUR`, `rent:: 340`, `The kiln weighs 80 kg`.

Only what can be understood for sure is a claim. Quotations, code, questions,
what is struck out, what would be and what once was state nothing.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from glassmind.context.conflicts.claim_words import (
    BYGONE,
    COUNTING,
    ENTRY_STOPS,
    MONTHS,
    OUGHT,
    PAST,
    POINTING,
    PRONOUNS,
    RUNNING,
    SYSTEMS,
    TOLD,
    UNSURE,
    VERBS,
)
from glassmind.context.conflicts.naming_words import (
    AT_WILL,
    CODED,
    LANDS,
    NAMING,
    OWNERS,
    PERSONS,
    ROLES,
)
from glassmind.context.conflicts.pointing import is_lead, lead_of, pointed, untold
from glassmind.context.conflicts.stated import FIRST, LEADS, PUT, stated_lines
from glassmind.context.conflicts.subject_words import LINK
from glassmind.context.conflicts.tables import row_values
from glassmind.context.conflicts.values import (
    Value,
    code_value,
    product_value,
    property_value,
    read_value,
    somebody,
    whole_name,
)
from glassmind.obsidian.prose import without_comments

ClaimForm: TypeAlias = Literal["property", "field", "entry", "sentence"]

MOST_LINES = 600
"""Lines of a note that are read: what is selected is seldom a book."""

LONGEST_KEY = 6
"""Words before a colon that may be the name of a value."""

SPARE = 4
"""Words behind the value of an entry: with more it is a sentence that has a colon."""

_END = re.compile(r"[.!?][ \t]+(?=[^\s\da-zäöü])")
_ENTRY = re.compile(
    r"[*_\s]*(?P<key>[^\W\d_\[]?[^:|`*]{1,60}?|\[\[[^\]]+\]\])[*_]*\s*"
    r":[*_]*[ \t]+(?P<rest>\S.*)$"
)
_FIELD = re.compile(
    r"[*_\s(\[]*(?P<key>[^\W\d_][\w \t/-]{0,40}?)[*_]*::[ \t]*(?P<rest>\S.*)$"
)
_LINKED_KEY = re.compile(
    r"(?P<key>\[\[[^\]]+\]\](?: [^\W\d_]+){1,3}) (?P<rest>\d[^\s,;]*(?: \S+)?)"
)
"""`[[atlas]]: ip 10.0.0.9`, once the colon is off."""
_HAVING = re.compile(
    r"(?:the|an?|den|die|das|eine?n?)\s+(?P<noun>[^\W\d]+(?: [^\W\d]+){0,2}?)\s+"
    r"(?:(?:of|von)\s+)?(?P<value>(?:[\d+(]|[A-Z]+-?\d).*)"
)
"""`has the IP address 10.0.0.9`, once the verb is off."""
_PURPOSE = re.compile(r"\s*(?:for|für)\s", re.IGNORECASE)
"""What stands between an amount and what alone it is for."""
_BEING = frozenset(("is", "ist"))
"""Verbs that come between what somebody is and who that is."""
_REASON = re.compile(r",?\s(?:so|because|but|weil|denn|aber|damit)\s")
_PIECE = re.compile(r"[,;]\s+")
_BEHIND = re.compile(
    r"\s*(?:at|in|for|of|on|im|in der|bei|für)\s+(?:(?:the|der|die|das|den)\s+)?"
    r"(?P<link>\[\[[^\]]+\]\])",
    re.IGNORECASE,
)
"""`A lesson costs 14 euros at the [[Swimming hall]]`: of which thing, said at last."""
_QUOTES = re.compile('["\u201c\u201d\u201e\u00ab\u00bb]')
_CUT = re.compile(
    r"[,;:\u2013\u2014]\s|\s-\s|\b(?:and|but|so|because|that|und|aber|denn|weil|dass)\s",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.;,(](?:\s|$)")
_NARROWER = re.compile(
    r"(?<!since )(?<!since the )(?<!seit )(?<!\d)(?:19|20)\d\d(?![\d-])"
    r"|(?<!since )(?<!since the )(?<!seit )\b(?:q[1-4]|weekday|weekend|summer|winter"
    r"|spring|autumn|monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag"
    r"|mittwoch|donnerstag|freitag|samstag|sonntag|werktag|sommer|herbst|frühling)"
    r"(?=(?:en|s)?\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_BYGONE = re.compile(r"\b(?:" + "|".join(BYGONE) + r")", re.IGNORECASE)


class Claim(NamedTuple):
    """What a line states: of which subject, in its own words, which value.

    `hint` is what the verb adds to the subject, as `price` for `costs`; `lead` is what
    stands before a colon in front of the subject. `years` are those that the sentence
    names beside the value, and other times that it holds for: days, seasons, quarters.
    What `points` is said of the thing that `lead` names, or else of the note's.
    """

    line: int
    subject: str
    hint: str
    value: Value
    form: ClaimForm
    lead: str = ""
    is_past: bool = False
    years: frozenset[str] = frozenset()
    points: bool = False


@lru_cache(maxsize=1024)  # a note is read anew only when it was changed
def _claims_in(digest: str, text: str, body: int) -> tuple[Claim, ...]:
    del digest  # it is what the text is known by, and cheaper to compare
    text = without_comments(text)
    said = [
        claim
        for number, line in stated_lines(text, body)
        for claim in claims_in_line(line, number)
    ]
    rows = [
        Claim(number, head, "", value, "entry", lead=thing, points=True)
        for number, thing, head, value in row_values(text, body)
    ]
    return tuple(sorted([*said, *rows], key=_line_of) if rows else said)


def _line_of(claim: Claim) -> int:
    return claim.line


def claims_of(digest: str, lines: Sequence[str], body: int) -> tuple[Claim, ...]:
    """Return what the lines of a note state from a line on, in order."""
    return _claims_in(digest, "\n".join(lines[: body + MOST_LINES]), body)


def forget() -> None:
    """Forget what notes were read to state, so that they are read again."""
    _claims_in.cache_clear()


def claims_in_line(line: str, number: int = 1) -> Iterator[Claim]:
    """Yield what one line states."""
    if "::" in line and (field := _FIELD.match(line)):
        value = property_value(field["rest"].rstrip(" )]"))
        yield Claim(number, field["key"].strip(), "", value, "field")
        return
    if claim := _entry(line, number) or _put(line, number):
        yield claim
        if "[[" in claim.subject and claim.form == "entry":
            yield from _more(line, number)
        return
    if not FIRST.keys().isdisjoint(line.lower().split()):
        before = ""
        for sentence in _sentences(line):
            if not sentence.rstrip().endswith("?"):
                yield from _sentence(sentence, number, before)
            before += f"{sentence} "


def _sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line with their ends.

    An initial ends none, nor does the number of a day before its month.
    """
    start = 0
    for end in _END.finditer(line):
        at = end.start()
        if line[at] == "." and line[max(0, at - 2) : at - 1] in (" ", "."):
            continue
        if line[at - 1 : at].isdigit() and _word_at(line, end.end()) in MONTHS:
            continue
        yield line[start : at + 1]
        start = end.end()
    yield line[start:]


def _told(key: str, rest: str) -> Value | None:
    """Return the few words behind `Owner:` and the like."""
    name = key.rpartition(" ")[2].casefold()
    if name in SYSTEMS:
        return product_value(rest)
    if name in CODED and (code := code_value(rest)):
        return code
    told = (name in TOLD or name in ROLES) and len(rest.split()) <= SPARE
    return property_value(rest.strip()) if told else None


def _words_behind(text: str) -> int:
    """Return how many words follow up to the end of their clause."""
    return len(_CLAUSE.split(text)[0].replace("*", " ").split())


def _word_at(line: str, at: int) -> str:
    found = _WORD.match(line, at)
    return found[0].casefold() if found else ""


def _entry(line: str, number: int) -> Claim | None:
    """Return what `Key: value` states; None for a sentence that has a colon."""
    found = _ENTRY.match(line) if ":" in line else None
    if found is None or found["key"].strip(" .").casefold() in ENTRY_STOPS:
        return None
    key, rest = found["key"].strip(), found["rest"]
    if key.startswith("[") and not key.startswith("[["):  # the words of a link
        return None
    if (
        not 0 < len(key.split()) <= LONGEST_KEY
        or _is_unsure(key)
        or rest.rstrip().endswith("?")
    ):
        return None
    value = _told(key, rest) or read_value(rest)
    if value is None and (whole := _linked_key(key, _PIECE.split(rest)[0])):
        key, rest = whole["key"], whole["rest"]
        value = read_value(rest)
    if value is None or _words_behind(rest[value.after :]) > SPARE:
        return None
    if _BYGONE.search(line) or (key[0] == "[" and _PURPOSE.match(rest, value.after)):
        return None
    years = _narrowed(rest[value.after :])
    return Claim(number, key, "", value, "entry", years=years)


def _linked_key(key: str, piece: str) -> re.Match[str] | None:
    return _LINKED_KEY.fullmatch(f"{key} {piece}") if key.startswith("[[") else None


def _more(line: str, number: int) -> Iterator[Claim]:
    """Yield what else is said behind a link: `[[atlas]]: 10.0.0.9, port 80`."""
    key, _, rest = line.partition(":")
    for piece in _PIECE.split(rest)[1:]:
        whole = _linked_key(key.strip("*_ "), piece.strip(" ."))
        value = read_value(whole["rest"]) if whole else None
        if whole and value:
            yield Claim(number, whole["key"], "", value, "entry")


def _put(line: str, number: int) -> Claim | None:
    """Return how far a thing is by what somebody did: `We put [[Acme]] on hold`.

    Or who has it: `Tomas leads [[Acme]]`.
    """
    if "[[" not in line:
        return None
    if (found := LEADS.match(line.lstrip())) and (value := somebody(found["who"])):
        return Claim(number, found["link"], "owner", value, "sentence")
    found = PUT.match(line.lstrip())
    if found is None:
        return None
    said = found["held"] or found["done"]
    value = read_value("active" if said.lower() == "resumed" else said)
    if value is None:
        return None
    return Claim(number, found["link"], "", value._replace(text=said), "sentence")


def _narrowed(text: str) -> frozenset[str]:
    """Return the times that a text says something holds for."""
    return frozenset(word.casefold() for word in _NARROWER.findall(text))


def _sentence(sentence: str, number: int, before: str) -> Iterator[Claim]:
    """Yield what a sentence states: at most one thing for each verb in it."""
    tokens, lowered = sentence.split(), sentence.lower().split()
    for at, token in enumerate(lowered[:-1]):
        verb = _verb_at(lowered, at) if token in FIRST else None
        if verb is None:
            continue
        rest, told = " ".join(tokens[at + len(verb) :]), " ".join(verb)
        # what begins with its verb is said of the note: `Opens at 6:00`
        said = " ".join(tokens[:at]) if at else VERBS[told] or NAMING.get(told, "")
        if told in COUNTING and (had := _HAVING.match(rest)):
            said, told, rest = _having(said, had["noun"]), "is", had["value"]
        value = _value(told, rest) if said else None
        if value is None and told in _BEING:
            value = _named(lowered[:at], rest)
        if value is not None:
            claim = _claim(said, told, value, rest, number, before)
            if claim:
                yield claim


def _named(said: Sequence[str], rest: str) -> Value | None:
    """Return the name or the code that something is said to be.

    In German every noun has a capital, so only who somebody is counts there.
    """
    if not CODED.isdisjoint(said) and (code := code_value(rest)):
        return code
    if not ROLES.isdisjoint(said):
        return somebody(rest)
    told = len(said) > 1 and AT_WILL.isdisjoint(said) and "ist" not in said
    return whole_name(rest.removeprefix("now ")) if told else None


def _having(said: str, noun: str) -> str:
    """Return what is had as what something has: `Its IP address`."""
    return f"its {noun}" if said.casefold() in PERSONS else f"{said} {noun}"


def _value(verb: str, rest: str) -> Value | None:
    """Return the value behind a verb, of the sort that it comes with."""
    if verb in RUNNING:
        return product_value(rest)
    value = read_value(rest)
    named = verb in NAMING and (value is None or value.kind == "status")
    return somebody(rest) if named else value


def _hint(verb: str, value: Value) -> str:
    """Return what a verb says its value is of."""
    if verb in RUNNING:
        return value.name
    if value.kind == "text" and verb in NAMING:
        land = NAMING[verb] == "home" and value.name in LANDS
        return "country" if land else NAMING[verb]
    return value.unit if verb in COUNTING else VERBS[verb]


def _verb_at(words: Sequence[str], at: int) -> tuple[str, ...] | None:
    for verb in FIRST[words[at]]:
        if verb == tuple(words[at : at + len(verb)]):
            return verb
    return None


def _claim(  # noqa: PLR0913, PLR0917 - a sentence in its parts
    said: str, verb: str, value: Value, rest: str, number: int, before: str
) -> Claim | None:
    """Return a claim of what was said before a verb; None where nothing is sure."""
    past = verb in PAST
    if len(_QUOTES.findall(said)) % 2 or _is_unsure(said):
        return None
    if _BYGONE.search(said) or (past and _BYGONE.search(rest)):
        return None
    cuts = list(_CUT.finditer(said))
    cut = cuts[-1] if cuts else None
    aside = said[: cut.start()] if cut else ""
    subject = untold(said[cut.end() :] if cut else said)
    led = cut and (cut[0].strip() in (":", "–", "-") or is_lead(aside))  # noqa: RUF001
    lead = lead_of(aside) if led else ""
    if not _suits(verb, value):
        return None
    behind = _REASON.split(rest[value.after :])[0]
    years = _narrowed(LINK.sub("", aside) + behind)
    points = False
    if not _is_subject(_WORD.findall(subject.casefold())):
        meant = pointed(subject, verb, value, "" if lead else before + aside)
        if meant is None:
            return None
        subject, lead, points = meant.subject, meant.lead or lead, True
    elif "[[" not in subject and (of := _BEHIND.match(rest, value.after)):
        subject = f"{subject} {of['link']}"
    hint = _hint(verb, value)
    return Claim(number, subject, hint, value, "sentence", lead, past, years, points)


def _is_subject(words: Sequence[str]) -> bool:
    """Whether words name something, rather than point to it."""
    if not 0 < len(words) <= 2 * LONGEST_KEY:
        return False
    first = words[1] if words[0] == "das" and len(words) > 1 else words[0]
    named = first not in PRONOUNS and first not in OWNERS
    return named and POINTING.isdisjoint(words)


def _suits(verb: str, value: Value) -> bool:
    """Whether a verb is one that such a value comes with."""
    if verb in COUNTING:
        return value.kind == "number" and bool(value.unit)
    if VERBS[verb] == "phone":
        return value.kind == "address"
    return value.kind != "status" or not (VERBS[verb] or verb in OUGHT)


def _is_unsure(text: str) -> bool:
    return not UNSURE.isdisjoint(_WORD.findall(text.casefold()))
