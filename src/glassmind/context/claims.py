"""Reading what a note states: `Budget: 900 EUR`, `rent:: 340`, `The kiln weighs 80 kg`.

Only what can be understood for sure is a claim. Quotations, code, tables, questions,
what is struck out, what would be and what once was state nothing.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from glassmind.context.claim_words import (
    BYGONE,
    COUNTING,
    ENTRY_STOPS,
    MONTHS,
    OUGHT,
    OWNING,
    PAST,
    POINTING,
    PRONOUNS,
    RUNNING,
    TOLD,
    UNSURE,
    VERBS,
)
from glassmind.context.stated import FIRST, PUT, stated_lines
from glassmind.context.values import (
    Value,
    product_value,
    property_value,
    read_value,
    somebody,
)

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
_POSSESSOR = re.compile("['\u2019]s\\b")
_LINK = re.compile(
    r"!?\[\[(?:[^\]|]*/)?(?P<name>[^\]|#/]*)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]"
)
_BYGONE = re.compile(r"\b(?:" + "|".join(BYGONE) + r")", re.IGNORECASE)


class Claim(NamedTuple):
    """What a line states: of which subject, in its own words, which value.

    `hint` is what the verb adds to the subject, as `price` for `costs`; `lead` is what
    stands before a colon in front of the subject. `years` are those that the sentence
    names beside the value, and other times that it holds for: days, seasons, quarters.
    """

    line: int
    subject: str
    hint: str
    value: Value
    form: ClaimForm
    lead: str = ""
    is_past: bool = False
    years: frozenset[str] = frozenset()


@lru_cache(maxsize=1024)  # a note is read anew only when it was changed
def _claims_in(digest: str, text: str, body: int) -> tuple[Claim, ...]:
    del digest  # it is what the text is known by, and cheaper to compare
    return tuple(
        claim
        for number, line in stated_lines(text, body)
        for claim in claims_in_line(line, number)
    )


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
        return
    if not FIRST.keys().isdisjoint(line.lower().split()):
        for sentence in _sentences(line):
            if not sentence.rstrip().endswith("?"):
                yield from _sentence(sentence, number)


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
    told = key.rpartition(" ")[2].casefold() in TOLD and len(rest.split()) <= SPARE
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
    if value is None and (whole := _LINKED_KEY.fullmatch(f"{key} {rest}")):
        key, rest = whole["key"], whole["rest"]
        value = read_value(rest)
    if value is None or _words_behind(rest[value.after :]) > SPARE:
        return None
    if _BYGONE.search(line):
        return None
    years = _narrowed(rest[value.after :])
    return Claim(number, key, "", value, "entry", years=years)


def _put(line: str, number: int) -> Claim | None:
    """Return how far a thing is by what somebody did: `We put [[Acme]] on hold`."""
    found = PUT.match(line.lstrip()) if "[[" in line else None
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


def _sentence(sentence: str, number: int) -> Iterator[Claim]:
    """Yield what a sentence states: at most one thing for each verb in it."""
    tokens, lowered = sentence.split(), sentence.lower().split()
    for at, token in enumerate(lowered[:-1]):
        verb = _verb_at(lowered, at) if token in FIRST else None
        if verb is None:
            continue
        rest, told = " ".join(tokens[at + len(verb) :]), " ".join(verb)
        # what begins with its verb is said of the note: `Opens at 6:00`
        said = " ".join(tokens[:at]) if at else VERBS[told]
        value = _value(told, rest) if said else None
        if value is not None:
            claim = _claim(said, told, value, rest, number)
            if claim:
                yield claim


def _value(verb: str, rest: str) -> Value | None:
    """Return the value behind a verb, of the sort that it comes with."""
    if verb in RUNNING:
        return product_value(rest)
    return somebody(rest) if verb in OWNING else read_value(rest)


def _verb_at(words: Sequence[str], at: int) -> tuple[str, ...] | None:
    for verb in FIRST[words[at]]:
        if verb == tuple(words[at : at + len(verb)]):
            return verb
    return None


def _claim(said: str, verb: str, value: Value, rest: str, number: int) -> Claim | None:
    """Return a claim of what was said before a verb; None where nothing is sure."""
    past = verb in PAST
    if len(_QUOTES.findall(said)) % 2 or _is_unsure(said):
        return None
    if _BYGONE.search(said) or (past and _BYGONE.search(rest)):
        return None
    cuts = list(_CUT.finditer(said))
    cut = cuts[-1] if cuts else None
    subject = said[cut.end() :] if cut else said
    lead = said[: cut.start()] if cut and cut[0].strip() in (":", "–", "-") else ""  # noqa: RUF001
    words = _WORD.findall(subject.casefold())
    if not _is_subject(words) or not _suits(verb, value):
        return None
    hint = value.unit if verb in COUNTING else VERBS[verb]
    hint = value.name if verb in RUNNING else hint
    beside = said[: cut.start() if cut else 0] + rest[value.after :]
    years = _narrowed(beside)
    return Claim(number, subject, hint, value, "sentence", lead, past, years)


def _is_subject(words: Sequence[str]) -> bool:
    """Whether words name something, rather than point to it."""
    named = 0 < len(words) <= 2 * LONGEST_KEY and words[0] not in PRONOUNS
    return named and POINTING.isdisjoint(words)


def _suits(verb: str, value: Value) -> bool:
    """Whether a verb is one that such a value comes with."""
    if verb in COUNTING:
        return value.kind == "number" and bool(value.unit)
    return value.kind != "status" or not (VERBS[verb] or verb in OUGHT)


def _is_unsure(text: str) -> bool:
    return not UNSURE.isdisjoint(_WORD.findall(text.casefold()))


def links_in(text: str) -> list[str]:
    """Return the names that the links of a text lead to."""
    return [link["name"] for link in _LINK.finditer(text)] if "[[" in text else []


@lru_cache(maxsize=4096)  # the same titles and names are compared for every question
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a subject or a name as they are compared: of links the names.

    Plurals and the `s` of a possessor are taken off.
    """
    linked = "[[" in text
    plain = _LINK.sub(lambda link: f" {link['name']} ", text) if linked else text
    plain = _POSSESSOR.sub("", plain.casefold())
    return tuple(_singular(word) for word in _WORD.findall(plain))


def _singular(word: str) -> str:
    short = len(word) < 4 or word.endswith(("ss", "us", "is"))  # noqa: PLR2004
    return word if short or not word.endswith("s") else word[:-1]
