"""Reads the claims of a note: `Rent: 340 EUR`, "The kiln weighs 80 kg".

A line states a value behind a colon or a verb. Quotations, code, questions, guesses and
what is past state nothing. When in doubt, a line states nothing.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from glassmind.context.note_lines import HEADING, NoteLines, unmarked
from glassmind.context.values import (
    MONTHS,
    Value,
    read_value,
    whole_value,
    word_set,
    word_table,
)
from glassmind.obsidian.prose import without_comments

ClaimForm: TypeAlias = Literal["property", "entry", "sentence"]

LONGEST_LINE = 600
"""Characters of a line that is read: longer lines are rarely written by hand."""

LONGEST_SUBJECT = 12
"""Words of a subject; half as many before a colon."""

SPARE_WORDS = 4
"""Words allowed behind a value, and words of a value that is a text."""

_SAME_WORDS = word_table(
    "price cost fee kosten kostet preis gebühr;due deadline frist fällig;"
    "owner lead leader responsible verantwortlich;place venue location ort;"
    "start begin beginn beginnt;end ende endet;weight weigh wiegt gewicht heavy;"
    "length last dauer dauert duration take long;width wide breit;"
    "height high tall hoch;depth deep tief;status state stand"
)
_STOPS = word_set(
    "the a an of for in on at to and our its with by from date new current currently "
    "now der die das des dem den ein eine einer eines für im am zu zum zur von vom und"
)
"""Words that do not tell one attribute from another."""

_PRONOUNS = word_set(
    "it its they he she his her hers this that these those there we you i our your my "
    "their which who what one some each both es er sie wir ich man sein seine ihr ihre "
    "mein meine dies dieser diese today yesterday tomorrow heute gestern morgen"
)
_CLAUSE_END = re.compile(r"[.,;)!](?:\s|$)")
_ENTRY = re.compile(r"\s*(?P<key>[^:|`]{1,60}?)::?[ \t]+(?P<rest>\S.*)$")
_VERB = re.compile(
    r"(?:^|\s)(?P<verb>(?P<being>is|are|ist|sind|beträgt|remains|moved to"
    r"|verschoben auf)|(?P<having>has|have|hat)|costs?|kostet|weighs|wiegt|starts?"
    r"|begins?|beginnt|ends|endet|opens|closes|leaves|lasts|dauert|takes)\s+",
    re.IGNORECASE,
)
_HAS_VALUE = re.compile(r"\d|\[\[")
_SENTENCE_END = re.compile(
    rf"[.!?][ \t]+(?=[^\s\da-zäöü])(?!(?i:{'|'.join(MONTHS)})\b)"
)
_CUT = re.compile(
    r"[,;\u2013\u2014]\s|\b(?:and|but|so|because|that|und|aber|weil|dass)\s"
)
_DOUBT = re.compile(
    r"\b(?:if|unless|whether|when|suppose|should|would|could|might|may|maybe|perhaps"
    r"|wenn|falls|ob|sollte|würde|könnte|vielleicht|example|beispiel|assume|imagine"
    r"|once|after|where|while|although|until|before|formerly|previously|originally"
    r"|last year|earlier|no longer|not|früher|damals|bisher|ursprünglich|nicht)\b"
    '|["\u201c\u201d\u201e\u00ab\u00bb]',
    re.IGNORECASE,
)
"""Before a value: it is a guess, past, or somebody else's words."""

_MARKUP = re.compile(r"~~.*?~~|%%.*?%%|\*+|==|(?<!\w)_+|_+(?!\w)")
LINK = re.compile(
    r"!?\[\[(?:[^\]|]*/)?(?P<name>[^\]|#/]*)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]"
)
_WORD = re.compile(r"[^\W_]+")


class Claim(NamedTuple):
    """What a line states of a subject; `hint` is what the verb adds: `price`."""

    line: int
    subject: str
    value: Value
    form: ClaimForm
    hint: str = ""


@lru_cache(maxsize=1024)  # a note is read again only after it changed
def claims_of(digest: str, text: str, body: int) -> tuple[Claim, ...]:
    del digest  # compares faster than the text
    page = NoteLines(without_comments(text).split("\n"))
    return tuple(
        claim
        for number, line in enumerate(page.lines[body - 1 :], body)
        if len(line) <= LONGEST_LINE
        if "::" in line or _HAS_VALUE.search(line)
        if ":" in line or _VERB.search(line)
        if number not in page.fenced and not _is_other(line)
        for claim in claims_in_line(unmarked(line), number)
    )


def _is_other(line: str) -> bool:
    plain = line.lstrip(" \t")
    code = line.startswith(("    ", "\t")) and plain[:1] not in "-*+"
    return code or plain.startswith((">", "|")) or HEADING.match(line) is not None


def claims_in_line(line: str, number: int = 1) -> Iterator[Claim]:
    plain = _MARKUP.sub(lambda found: "" if found[0][0] in "*=_" else " ", line)
    if claim := _entry(plain, number):
        yield claim
        return
    start = 0
    for end in [*(found.end() for found in _SENTENCE_END.finditer(plain)), len(plain)]:
        if not plain[start:end].rstrip().endswith("?"):
            yield from _in_sentence(plain[start:end], number)
        start = end


def _entry(line: str, number: int) -> Claim | None:
    found = _ENTRY.match(line)
    if found is None or found["rest"].rstrip().endswith("?"):
        return None
    key, rest = found["key"].strip(), found["rest"]
    if not _is_subject(key, LONGEST_SUBJECT // 2) or _DOUBT.search(rest):
        return None
    value = read_value(rest)
    if value is None:
        short = len(rest.split()) <= SPARE_WORDS and not any(map(str.isdigit, rest))
        return Claim(number, key, whole_value(rest), "entry") if short else None
    fits = len(_tail(rest, value[1]).split()) <= SPARE_WORDS
    return Claim(number, key, value[0], "entry") if fits else None


def _in_sentence(sentence: str, number: int) -> Iterator[Claim]:
    for found in _VERB.finditer(sentence):
        # `Opens at 6:00` is about the note
        before = sentence[: found.start()] or found["verb"]
        if _DOUBT.search(before):
            return
        subject, rest = _CUT.split(before)[-1].strip(), sentence[found.end() :]
        value = read_value(rest)
        if value is None or not _is_subject(subject, LONGEST_SUBJECT):
            continue
        is_status = value[0].kind == "text"
        tail = "" if is_status else _tail(rest, value[1])
        hint = "" if found["being"] else found["verb"]
        if found["having"]:  # counts something: `has 120 seats`
            hint = value[0].unit
        if (hint or found["being"]) and len(tail.split()) <= SPARE_WORDS:
            yield Claim(number, subject, value[0], "sentence", f"{hint} {tail}")


def _tail(text: str, at: int) -> str:
    return _CLAUSE_END.split(text[at:], maxsplit=1)[0].strip(" .!")


def _is_subject(text: str, longest: int) -> bool:
    words = _WORD.findall(text.casefold())
    known = 0 < len(words) <= longest and _PRONOUNS.isdisjoint(words)
    return known and not _DOUBT.search(text)


@lru_cache(maxsize=2048)
def attribute_of(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(_SAME_WORDS.get(word, word) for word in words) - _STOPS
