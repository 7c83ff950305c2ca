"""Words that say nothing by themselves, by their language; and words that deny."""

import re
from collections.abc import Iterable, Mapping
from unicodedata import name


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOPS: Mapping[str, frozenset[str]] = {
    "en": _listed(
        "a about after all also am an and any are as at be because been before being "
        "both but by can cannot could did do does doing done each few for from get "
        "gets got had has have having he her here hers him his how i if in into is it "
        "its just may me might more most much must my no nor not of off on one only or "
        "other our out over own s same shall she should so some such t than that the "
        "their them then there these they this those to too under until up us very was "
        "we were what when where which while who whom whose why will with would yes "
        "you your"
    ),
    "de": _listed(
        "aber alle als also am an auch auf aus bei beim bin bis da das dass dein dem "
        "den denn der des dich die dies diese dieser dieses dir doch du durch ein eine "
        "einem einen einer eines er es etwas für hat hatte haben ich ihm ihn ihr ihre "
        "im in ins ist ja kann kein keine man mein mich mir mit nach nein nicht noch "
        "nur ob oder ohne sehr sein seine seit sich sie sind so soll über um und uns "
        "unser vom von vor war waren was weil wenn wer wie wir wird wo wurde wurden zu "
        "zum zur"
    ),
    "fr": _listed(
        "à au aux avec ce ces cette dans de des du elle en est et eux il ils je la le "
        "les leur lui ma mais me mes mon ne nos notre nous on ou où par pas plus pour "
        "qu que qui sa se ses si son sont sur ta te tes toi ton tu un une vos votre "
        "vous était été"
    ),
    "es": _listed(
        "al como con de del desde donde el ella ellos en entre era es esta este esto "
        "fue ha hay la las le les lo los más me mi muy no nos o para pero por porque "
        "que quien se ser si sin sobre son su sus también te tu un una y ya yo"
    ),
}
"""The commonest words of a language: sentences that share but these share nothing."""

EVERY_STOP = frozenset[str]().union(*STOPS.values())

CALENDAR = _listed(
    "january february march april may june july august september october november "
    "december januar februar märz mai juni juli oktober dezember jan feb mar apr jun "
    "jul aug sep sept oct okt nov dec dez monday tuesday wednesday thursday friday "
    "saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag am pm"
)
"""Names of what figures can say as well."""

_DENIES = re.compile(
    r"(?<![^\W_])(?:not|no(?!\.?\s?\d)|never|cannot|none|nobody|nothing|neither|nor"
    r"|nicht|kein(?:e|em|en|er|es)?|nie|niemals|niemand|nichts|ne|pas|jamais|aucune?"
    r"|nunca|jamás|nadie|não|non(?!-)|niet|geen)(?![^\W_])"
    r"|n['\u2019]t(?![^\W_])|(?<![^\W_])n['\u2019](?=[^\W_])|[不没沒]",
    re.IGNORECASE,
)


def denials(text: str) -> list[tuple[int, int]]:
    """Return where a text has a word such as `not`, in order."""
    return [found.span() for found in _DENIES.finditer(text)]


def are_foreign(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether words are of other languages than others, or of other letters."""
    one, other = list(some), list(others)
    letters = _scripts(one), _scripts(other)
    if all(letters) and not letters[0] & letters[1]:
        return True
    said, cited = languages_of(one), languages_of(other)
    return bool(said) and bool(cited) and not said & cited


def languages_of(words: Iterable[str]) -> frozenset[str]:
    """Return the languages that words are most likely of: none where none is known."""
    told = list(words)
    counts = {
        lang: sum(word in stops for word in told) for lang, stops in STOPS.items()
    }
    best = max(counts.values())
    return frozenset(lang for lang, count in counts.items() if best and count == best)


def _scripts(words: Iterable[str]) -> set[str]:
    letters = {letter for word in words for letter in word if letter.isalpha()}
    return {name(letter, "").partition(" ")[0] for letter in letters}
