"""What kind of thing a question wants to hear: a number, a day, a sum, a name.

Told from its words, of English and the most frequent of German, Spanish and French. A
sentence that is about the same and has nothing of that kind does not answer: "Amara
grew up on a barge" is no answer to what that was called. What stands in the question
already is nothing new.
"""

import re
from collections.abc import Callable, Sequence

_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty "
    "seventy eighty ninety hundred thousand million once twice half dozen none nobody "
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert tausend "
    "dos tres cuatro cinco seis siete ocho nueve diez cien mil "
    "deux trois quatre cinq six sept huit neuf dix cent mille"
)
_NUMBER = re.compile(
    rf"\d[\d.,:]*|\b(?:{'|'.join(dict.fromkeys(_NUMBERS.split()))})(?:-\w+)?\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b\d{1,2}[:.]\d\d\b|o['\u2019]clock|\b(?:noon|midnight|mittags?|mitternacht"
    r"|midi|minuit|mediodía|medianoche)\b|\b\d{1,2} ?(?:am|pm|h|Uhr)\b"
    r"|\b\d{1,2}h\d\d\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:jan(?:uary)?|feb(?:ruary)?|march|apr(?:il)?|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
    r"|\b(?:mar|may) \d|\d (?:mar|may)\b"
    r"|\b(?:spring|summer|autumn|winter|easter|christmas|morning|evening|night|dawn"
    r"|weekend|today|tomorrow|yesterday|days?|weeks?|months?|years?)\b"
    r"|\b(?:1[89]|20)\d\d\b|\b\d{1,2}[:.]\d\d\b"
    r"|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|februar"
    r"|oktober|dezember|woche|monat|jahr|frühling|frühjahr|sommer|herbst)\w*"
    r"|\b(?:märz|mai|juni|juli|tage[ns]?|heute|morgens?|gestern|abends?)\b"
    r"|\b(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo"
    r"|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|primavera"
    r"|verano|otoño|invierno|días?|semanas?|meses|años?)\b"
    r"|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars"
    r"|avril|juin|juillet|août|septembre|octobre|novembre|décembre|printemps|été"
    r"|automne|hiver|jours?|semaines?|mois|ans?|années?)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"\d[\d.,]*\s*(?:€|\$|£|¥|euros?|pounds?|dollars?|yen|cents?|k\b)|[€$£¥]\s*\d"
    r"|\b(?:rent|price|cost|fee|wage|salar|paid|pay|miete|preis)\w*\b.{0,30}\d"
    r"|\d.{0,30}\b(?:euro|pound|yen)|\b(?:free|nothing)\b|[:|]\s*[\d.,]+(?:\s|$|;)",
    re.IGNORECASE,
)
_WEIGHT = re.compile(
    r"\d[\d.,]*\s*(?:kg|kilos?|kilograms?|tonnes?|tons?|g|grams?|lbs?|pounds?)\b",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![\d-])(?!\d{4}-\d\d-\d\d)\d[\d ()/+-]{5,}")
_CODE = re.compile(r"\d|`")
_UNSPACED = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7ff"
_NAME = re.compile(rf"[{_UNSPACED}]{{2,}}|\b[^\W\d_{_UNSPACED}][\w'\u2019.-]+")
"""What may be a name: one where it has a capital, or in a script without any."""
_WORD = re.compile(r"\w+")

Holds = Callable[[str, str], bool]
"""Whether a sentence, the second, has what a question, the first, wants to hear."""


def _new(pattern: re.Pattern[str]) -> Holds:
    """Return whether a sentence has something that fits and was not asked with."""

    def holds(question: str, said: str) -> bool:
        known = set(_WORD.findall(question.lower()))
        found = (match[0].lower() for match in pattern.finditer(said))
        return any(not known.issuperset(_WORD.findall(one)) for one in found)

    return holds


_new_number, _new_day, _new_time = _new(_NUMBER), _new(_DAY), _new(_TIME)


def _new_name(question: str, said: str) -> bool:
    """Whether a name is there that was not asked with, be it not the first word."""
    known = set(_WORD.findall(question.lower()))
    return any(
        not known.issuperset(
            _WORD.findall(re.sub(r"['\u2019]s$", "", found[0].lower()))
        )
        and not found[0][0].islower()
        and (found.start() > 0 or said.startswith("[["))
        and said[max(0, found.start() - 2) : found.start()] not in {". ", "! ", "? "}
        for found in _NAME.finditer(said)
    )


def _time(question: str, said: str) -> bool:
    day = _DAY.search(said) is not None and _new_number(question, said)
    return day or _new_time(question, said)


def _day(question: str, said: str) -> bool:
    return _new_day(question, said) or _new_number(question, said)


_KINDS: Sequence[tuple[re.Pattern[str], Holds]] = tuple(
    (re.compile(pattern, re.IGNORECASE), holds)
    for pattern, holds in (
        (r"e-?mail", lambda _, said: "@" in said),
        (r"\b(?:tele)?phone\b|\btelefon", _new(_PHONE)),
        (r"\bpassword|\bpin\b|\b(?:registration|account) number", _new(_CODE)),
        (r"\bwhat (?:time|hour)\b|um wie ?viel uhr|a qué hora|quelle heure", _time),
        (r"\bweighs?\b|\bwiegt\b", _new(_WEIGHT)),
        (
            (
                r"\bcosts?\b|\bprice\b|\brent\b|\bowe\b|\bsalary|\bpay\b|\bkostet"
                r"|cuánto (?:cost|gast|cuest)|how much (?:money|of the (?:grant|bud))"
            ),
            _new(_MONEY),
        ),
        (
            (
                r"\bhow (?:many|much|often|tall|high|deep|long|far|old|big|heavy|cold"
                r"|hot|wide|large)\b|\bcuánt[oa]s?\b|\bcombien\b|\bpercentage"
                r"|\bwie ?(?:viele?|oft|lange?|hoch|alt)\b|\bheight of\b"
                r"|\bwhat (?:grade|score)\b"
            ),
            _new_number,
        ),
        (
            (
                r"\b(?:when|deadline|wann|cuándo|quand)\b"
                r"|\b(?:what|which) (?:year|date|day|month|evening|week)\b"
            ),
            _day,
        ),
        (
            (
                r"^\W*(?:who|whom|whose|wer|wem|wen|quién|qui)\b|\bname of\b|\bcalled\b"
                r"|['\u2019]s (?:sur)?name\b|\bwie heißt|\bse llama|\bs['\u2019]appelle"
            ),
            _new_name,
        ),
    )
)
"""What asks for which kind; the first that fit decide."""

MOST_KINDS = 2
"""Of one question: when, and for how much."""

_WHY = re.compile(r"^\W*(?:why|warum|weshalb|wieso|pourquoi|por qué)\b", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because|since|so that|therefore|otherwise|reasons?|why|due to|in order to"
    r"|weil|denn|damit|deshalb|gründe?|warum|parce que|raisons?|porque|para que"
    r"|razón|razones)\b",
    re.IGNORECASE,
)
_CAR = re.compile(r"\bcar\b", re.IGNORECASE)
"""A reason in French, where it is asked for in French: elsewhere it has wheels."""


class AnswerKind:
    """What kind of thing a question wants to hear; `is_why` where that is a reason."""

    def __init__(self, question: str) -> None:
        self._question = question
        why = _WHY.match(question)
        self.is_why = why is not None
        self._in_french = why is not None and "pourquoi" in why[0].lower()
        asked = [holds for asks, holds in _KINDS if asks.search(question)]
        # why it is called so wants no name
        self._holds = [] if self.is_why else asked[:MOST_KINDS]

    def is_in(self, said: str, heading: str = "") -> bool:
        """Whether a sentence has something of the kind, or is a reason by its heading.

        Reasons are also given without any word that says so; whoever asks why gets
        those that have one first.
        """
        if self.is_why:
            text = f"{heading}: {said}"
            french = self._in_french and _CAR.search(text) is not None
            return french or _REASON.search(text) is not None
        return all(holds(self._question, said) for holds in self._holds)
