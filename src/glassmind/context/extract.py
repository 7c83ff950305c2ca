"""What kind of thing a question wants to hear: a number, a day, a sum, a name.

Told from its words, of English and the most frequent of German, Spanish and French. A
sentence that is about the same and has nothing of that kind does not answer: "Amara
grew up on a barge" is no answer to what that was called. What stands in the question
already is nothing new.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp, fsum, isnan, log
from time import monotonic
from typing import Literal, NamedTuple, TypeAlias

from glassmind.context.passages import Stretch
from glassmind.context.question_words import Lookup
from glassmind.errors import ModelFault
from glassmind.models.protocols import Reranker
from glassmind.obsidian.hidden_text import holds_hidden
from glassmind.obsidian.text import HEADING, MARKER, PROPERTY, sentence_spans

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


PieceKind: TypeAlias = Literal["sentence", "row", "property"]

FEWEST_CHARS, MOST_CHARS = 6, 600
"""Less says nothing, and more is no answer but a passage."""

AROUND = 2 * MOST_CHARS
"""Characters around what was found in which sentences are looked for: a line may be as
long as a book, and what begins elsewhere or goes on for longer is not told."""

_QUOTED = re.compile(r"[\s>]*")
_FENCE = re.compile(
    r"(?:(?:[-+*]|\d{1,9}[.)])\s+)*(`{3,}+(?=[^`]*$)|~{3,}+|\$\$(?!.*\$\$))"
)
"""What code and mathematics of several lines begin with, be it in an item."""
_COMMENT = re.compile(r"(`+)[^`]*`+|%%|<!--")
"""Where a comment may begin; in code none does."""
_ITEM = re.compile(r"(?:[-+*]|\d{1,9}[.)])\s")
_CALLOUT = re.compile(r"\[![^\]\n]+\][-+]?(?:\s+|$)")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:\s*")
_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+$")
_SCALAR = re.compile(r"[|>][-+]?\d?")
"""What a value of several lines begins with."""
_CELL = re.compile(r"(?<!\\)\|")
_UNDER_HEAD = re.compile(r":?-+:?")
_ASKS, _CLOSERS = ("?", "\uff1f", "\u061f"), " *_)\"'\u201d\u2019"
"""How a question ends, which answers none."""
_LINK = re.compile(r"\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\([^()\n]*\)")
_OWN_WORD = re.compile(r"\w+")
_SEE = frozenset(
    ("see", "also", "compare", "cf", "siehe", "auch", "vgl", "voir", "ver")
)
"""Words around a link that say nothing beside it."""
_MARKUP = ("![[", "<%", "{{", "`=", "`$=")
"""What is made of something else when the note is shown."""


class Piece(NamedTuple):
    """Characters of a stretch that can be told, and how; `text` is one line."""

    start: int
    end: int
    text: str
    kind: PieceKind = "sentence"


def pieces_of(stretch: Stretch) -> list[Piece]:
    """Return the pieces of a passage in order: those that begin in its focus."""
    first, last = stretch.focus
    found = [*_properties(stretch), *_told(stretch)]
    return [
        one
        for one in found
        if first <= one.start < last
        and FEWEST_CHARS <= len(one.text) <= MOST_CHARS
        and not holds_hidden(stretch.text[one.start : one.end])
        and not one.text.rstrip(_CLOSERS).endswith(_ASKS)
        and not any(sign in one.text for sign in _MARKUP)
        and not (one.kind == "sentence" and _points_only(one.text))
    ]


def _points_only(text: str) -> bool:
    """Whether a sentence does nothing but lead to another place."""
    if "[[" not in text and "](" not in text:
        return False
    own = _LINK.sub(" ", text).lower()
    return all(word in _SEE for word in _OWN_WORD.findall(own))


def plain(said: str) -> str:
    """Return words of a note in one line, without the marks that lines begin with."""
    lines = [MARKER.sub("", line).strip() for line in said.split("\n")]
    titled = _CALLOUT.match(lines[0])
    if titled and len(lines) > 1 and lines[0][titled.end() :][-1:].isalnum():
        lines[0] += ":"
    line = " ".join(line for line in lines if line)
    for mark in (_CALLOUT, _FOOTNOTE):
        begun = mark.match(line)
        line = line[begun.end() :] if begun else line
    return _BLOCK_ID.sub("", line).strip()


def _properties(stretch: Stretch) -> Iterator[Piece]:
    """Yield the properties of a note with what stands below their names."""
    over, at = stretch.body, stretch.text.find("\n") + 1
    begun: int | None = None
    while at < over:
        end = _line_end(stretch.text, at)
        line = stretch.text[at:end]
        closes = line.rstrip() == "---"
        if closes or PROPERTY.match(line):
            if begun is not None:
                yield _property(stretch.text, begun, at - 1)
            begun = None if closes else at
        at = end + 1


def _property(text: str, start: int, end: int) -> Piece:
    name, _, value = text[start:end].partition(":")
    lines = [line for line in value.split("\n") if not line.startswith("#")]
    values = [line.strip(" -\t\r\"'") for line in lines]
    if _SCALAR.fullmatch(values[0]):
        values[0] = ""
    said = ", ".join(one for one in values if one)
    name = name.strip(" \"'")
    return Piece(start, end, f"{name}: {said}" if said else "", "property")


class _Line(NamedTuple):
    """A line; `said` is empty where nothing is shown, `depth` counts quotations."""

    start: int
    end: int
    said: str
    depth: int = 0

    @property
    def stands_alone(self) -> bool:
        """Whether it belongs to no paragraph that has begun before it."""
        said = self.said
        begins = _ITEM.match(said) or HEADING.match(said) or _CALLOUT.match(said)
        return bool(begins or _FOOTNOTE.match(said)) or _is_rule(said) or not said


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


class _Shown:
    """Reads lines, and knows what code or comment one of them stands in."""

    def __init__(self) -> None:
        self._until, self._depth = "", 0

    def shown(self, said: str, depth: int) -> str:
        """Return what is told of the next line: nothing of code and comments."""
        if self._until and depth < self._depth:  # a quotation ends, and what is in it
            self._until = ""
        if self._until:
            if self._closes(said):
                self._until = ""
            return ""
        fence = _FENCE.match(said)
        left_open = "".join(one.left_open for one in _comments(said))
        self._until = fence[1] if fence else left_open
        self._depth = depth if fence else 0
        return "" if self._until else said

    def _closes(self, said: str) -> bool:
        sign = self._until
        if sign[0] in "`~":
            return said.startswith(sign) and not said.strip(sign[0])
        return sign in said


class _Comment(NamedTuple):
    """Where a comment stands; `left_open` is what would end it, if nothing does."""

    start: int
    end: int
    left_open: str = ""


def _comments(said: str) -> Iterator[_Comment]:
    at = 0
    while found := _COMMENT.search(said, at):
        at = found.end()
        if found[1] is not None:  # code
            continue
        closes = "%%" if found[0] == "%%" else "-->"
        over = said.find(closes, at)
        if over < 0:
            yield _Comment(found.start(), len(said), closes)
            return
        at = over + len(closes)
        yield _Comment(found.start(), at)


def _lines(text: str, at: int) -> list[_Line]:
    """Return the lines from a place on, with what is told of each."""
    found, reading = [], _Shown()
    while at < len(text):
        end = _line_end(text, at)
        line = text[at:end]
        marks = _QUOTED.match(line)
        before = marks[0] if marks else ""
        depth = before.count(">")
        said = reading.shown(line[len(before) :].rstrip(), depth)
        found.append(_Line(at, end, said, depth))
        at = end + 1
    return found


def _told(stretch: Stretch) -> Iterator[Piece]:
    """Yield sentences, items and rows behind the properties."""
    lines, at = _lines(stretch.text, stretch.body), 0
    while at < len(lines):
        line = lines[at]
        if _is_head(lines, at):
            over = _table_end(lines, at + 2)
            names = _cells(line.said)
            for row in lines[at + 2 : over]:
                yield Piece(row.start, row.end, _row(row.said, names), "row")
            at = over
        elif _is_row(line.said):  # of a table that begins before the passage
            if not _is_under_head(line.said):
                yield Piece(line.start, line.end, _row(line.said, ()), "row")
            at += 1
        elif not line.said or HEADING.match(line.said) or _is_rule(line.said):
            at += 1
        else:
            over = _block_end(lines, at)
            if not _is_underlined(lines, at, over):
                yield from _sentences(stretch, line.start, lines[over - 1].end)
            at = over


def _block_end(lines: Sequence[_Line], at: int) -> int:
    """Return where the lines of a paragraph or item end that begins with a line."""
    depth, at = lines[at].depth, at + 1
    while at < len(lines):
        line = lines[at]
        table = _is_row(line.said) or _is_head(lines, at)
        if line.stands_alone or line.depth > depth or table:
            break
        at += 1
    return at


def _is_rule(said: str) -> bool:
    """Whether a line is drawn across the page, or under a heading."""
    bare = said.replace(" ", "").replace("\t", "")
    return bool(bare) and bare[0] in "-*_=" and not bare.strip(bare[0])


def _is_underlined(lines: Sequence[_Line], at: int, over: int) -> bool:
    """Whether the lines of a paragraph are a heading by the line below them."""
    if over == len(lines) or _ITEM.match(lines[at].said):
        return False
    below = lines[over]
    drawn = bool(below.said) and (
        not below.said.strip("=") or not below.said.strip("-")
    )
    return drawn and below.depth == lines[at].depth


def _is_row(said: str) -> bool:
    return len(said) > 1 and said[0] == said[-1] == "|"


def _is_under_head(said: str) -> bool:
    """Whether a line is the one under the names of columns."""
    if "-" not in said or said.strip("|:- \t"):
        return False
    return all(_UNDER_HEAD.fullmatch(cell) for cell in _cells(said))


def _is_head(lines: Sequence[_Line], at: int) -> bool:
    """Whether a table begins with a line: as many columns stand on the next."""
    if at + 1 == len(lines) or "|" not in lines[at].said:
        return False
    head, below = lines[at].said, lines[at + 1].said
    return _is_under_head(below) and len(_cells(head)) == len(_cells(below))


def _table_end(lines: Sequence[_Line], at: int) -> int:
    while at < len(lines) and not lines[at].stands_alone:
        at += 1
    return at


def _sentences(stretch: Stretch, start: int, end: int) -> Iterator[Piece]:
    """Yield the sentences of a block, of a long one those where the focus is."""
    first = max(start, stretch.focus[0] - AROUND)
    last = min(end, stretch.focus[1] + AROUND)
    block = stretch.text[first:last]
    hidden = list(_comments(block))
    for begun, over in sentence_spans(block):
        said = block[begun:over]
        torn = (first > start and not begun) or (last < end and over == len(block))
        conceals = any(one.start < over and begun < one.end for one in hidden)
        if said.strip() and not (torn or conceals):
            yield Piece(first + begun, first + over, plain(said))


def _row(said: str, names: Sequence[str]) -> str:
    """Return a row with the names of its columns, as far as there are any."""
    shown = []
    for number, cell in enumerate(_cells(said)):
        name = names[number] if number < len(names) else ""
        if cell:
            shown.append(f"{name}: {cell}" if name else cell)
    return "; ".join(shown)


def _cells(said: str) -> list[str]:
    """Return the cells of a row, with or without a line at its sides."""
    cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(said.strip())]
    if len(cells) > 1 and not cells[0]:
        cells = cells[1:]
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


MOST_TOLD = 4
"""Pieces of an answer: with fewer, one in ten loses what was asked for."""

READ = 32
"""Pieces, from those with most words, that are read together with the question."""

READ_S = 2.0
"""Seconds for that; what is not read by then is not told."""

FITTING = 0.3
"""What it counts that a piece is of the best passage."""

OTHER_KIND, OTHER_KIND_READ = 0.1, 0.15
"""What a piece loses that has nothing of the kind asked for."""

NEAR, NEAR_READ = 0.2, 0.5
"""How far behind the best another piece may be that is told beside it."""

LEAST_ODDS = -12.0
"""The log odds of what reads least of all like an answer."""

SHORT = 7
"""Words below which a sentence is read behind the title of its note."""

OPENING, FIRST_LINES = 0.6, 20
"""What the first sentence of a note gains where it is asked who or what that is, and
how far down it may begin."""

_WHO_IS = re.compile(
    r"\W*(?:(?:who|what)(?: is| was| are|['\u2019]s)|tell me about|summari[sz]e|wer ist"
    r"|was ist|qui est|qu['\u2019]est-ce que|qui[ée]n es|qu[ée] es)\b",
    re.IGNORECASE,
)

ALIKE = 0.8
"""Share of words from which two pieces say the same."""

DENIES = frozenset((
    "no", "not", "never", "none", "isn't", "wasn't", "don't", "doesn't", "didn't",
    "won't", "can't", "nicht", "kein", "keine", "keinen", "nie", "ne", "pas", "jamais",
    "nunca",
))  # fmt: skip
"""Words that make a sentence say the contrary of another that is like it."""

TOLD = 0.7
"""How likely an answer must be to be told."""


class ChosenPiece(NamedTuple):
    """A piece that answers, of the passage of a number, and how well it does."""

    number: int
    piece: Piece
    score: float


class Extract(NamedTuple):
    """The best pieces for a question, in the order they are told in.

    `likelihood` is how likely they answer it; None where there are none. `lacks` says
    why nobody has read them, if so.
    """

    told: tuple[ChosenPiece, ...]
    likelihood: float | None
    read: bool
    lacks: str = ""


class Passage(NamedTuple):
    """A passage that pieces are taken of; `fit` is its relevance."""

    number: int
    stretch: Stretch
    fit: float
    title: str = ""


class _Scored(NamedTuple):
    told: ChosenPiece
    share: float
    is_kind: bool
    may_answer: bool
    read: str
    odds: float | None = None


def extract(  # noqa: PLR0913 - all that an answer hangs on
    question: str,
    passages: Sequence[Passage],
    words: Lookup,
    reranker: Callable[[], Reranker],
    confidence: float | None,
    *,
    clock: Callable[[], float] = monotonic,
) -> Extract:
    """Return the pieces that answer a question best, and how likely they do."""
    found = list(_by_words(question, passages, words))
    found.sort(key=lambda one: -one.told.score)
    read, lacks = _read(question, found[:READ], reranker, clock)
    if read:
        found = sorted(read, key=lambda one: -one.told.score)
    chosen = _chosen(found, NEAR_READ if read else NEAR)
    likely = _likelihood(found, confidence)
    return Extract(_in_order(chosen), likely, bool(read), lacks)


def _by_words(
    question: str, passages: Sequence[Passage], words: Lookup
) -> Iterator[_Scored]:
    """Yield every piece with what its words say."""
    wanted = AnswerKind(question)
    total = fsum(words.weights.get(word, 0.0) for word in words.typed) or 1.0
    for passage in passages:
        opening = OPENING if _is_about(question, passage, words) else 0.0
        for piece in pieces_of(passage.stretch):
            held = words.words(piece.text) & words.typed
            share = fsum(words.weights.get(word, 0.0) for word in held) / total
            under = passage.stretch.heading_path(piece.start)
            is_kind = wanted.is_in(piece.text, under[-1] if under else "")
            opens = opening if piece.kind == "sentence" else 0.0
            if opens > 0:
                share, is_kind, opening = 1.0, True, opening - OPENING / 3
            score = share + FITTING * passage.fit - (0 if is_kind else OTHER_KIND)
            score += opens
            read = _read_as(piece, passage.title, opens=opens > 0)
            told = ChosenPiece(passage.number, piece, score)
            may_answer = is_kind or wanted.is_why
            yield _Scored(told, share, is_kind, may_answer, read)


def _read(
    question: str,
    found: Sequence[_Scored],
    reranker: Callable[[], Reranker],
    clock: Callable[[], float],
) -> tuple[list[_Scored], str]:
    """Return pieces with what reading them says; none where nobody reads, and why."""
    made: list[_Scored] = []
    if not found:  # which is no reason to load a model
        return made, ""
    try:
        verdicts = reranker().scores(question, [one.read for one in found])
        until: float | None = None
        for one, verdict in zip(found, verdicts, strict=False):
            odds = max(LEAST_ODDS, _odds(verdict))
            fit = one.told.score - one.share + (0 if one.is_kind else OTHER_KIND)
            score = odds / 10 + fit - (0 if one.is_kind else OTHER_KIND_READ)
            made.append(one._replace(told=one.told._replace(score=score), odds=odds))
            now = clock()  # from the first on: before it a model may be loaded
            until = now + READ_S if until is None else until
            if now > until:
                break
    except ModelFault as fault:
        return [], str(fault)
    return made, ""


def _read_as(piece: Piece, title: str, *, opens: bool) -> str:
    """Return what is read of a piece: a short one says little without its note."""
    short = opens or piece.kind != "sentence" or len(piece.text.split()) < SHORT
    return f"{title}: {piece.text}" if short and title else piece.text


def _is_about(question: str, passage: Passage, words: Lookup) -> bool:
    """Whether a question asks who or what a note is, and this is how that begins."""
    if passage.stretch.first_line > FIRST_LINES or not _WHO_IS.match(question):
        return False
    return bool(words.typed) and words.typed <= words.words(passage.title)


def _odds(verdict: float) -> float:
    """Return the log odds of a probability; of one that is no number, the least."""
    if isnan(verdict):
        return LEAST_ODDS
    sure = min(max(verdict, 1e-7), 1 - 1e-7)
    return log(sure / (1 - sure))


def _chosen(found: Sequence[_Scored], near: float) -> list[_Scored]:
    """Return the best, and what is not far behind and says something else."""
    chosen: list[_Scored] = []
    for one in found:
        best = chosen[0].told.score if chosen else one.told.score
        if len(chosen) == MOST_TOLD or one.told.score < best - near:
            break
        if not any(_alike(one.told.piece, other.told.piece) for other in chosen):
            chosen.append(one)
    return chosen


def _alike(one: Piece, other: Piece) -> bool:
    """Whether two pieces say the same: not with other figures, nor if one denies it."""
    words, others = set(one.text.lower().split()), set(other.text.lower().split())
    if _has_figure(words - others) and _has_figure(others - words):
        return False
    if words.isdisjoint(DENIES) != others.isdisjoint(DENIES):
        return False
    return len(words & others) >= ALIKE * min(len(words), len(others))


def _has_figure(words: Iterable[str]) -> bool:
    return any(letter.isdigit() for word in words for letter in word)


def _in_order(chosen: Sequence[_Scored]) -> tuple[ChosenPiece, ...]:
    """Return what is told with the best first, and what stands together together."""
    told = [one.told for one in chosen]
    first = {one.number: at for at, one in reversed(list(enumerate(told)))}
    return tuple(sorted(told, key=lambda one: (first[one.number], one.piece.start)))


def _likelihood(found: Sequence[_Scored], confidence: float | None) -> float | None:
    """Return how likely the best pieces answer; None where there are none."""
    if not found:
        return None
    kind = [one for one in found if one.may_answer]
    sure = None if confidence is None or isnan(confidence) else _odds(confidence)
    odds = max((one.odds for one in kind if one.odds is not None), default=None)
    share = max((one.share for one in kind), default=0.0)
    if any(one.odds is not None for one in found):
        best = LEAST_ODDS if odds is None else odds
        return _curve(READ_CURVE if sure is not None else READ_ALONE, best, sure)
    return _curve(WORD_CURVE if sure is not None else WORDS_ALONE, share, sure)


READ_CURVE, READ_ALONE = (0.21, 0.16, 0.35), (0.27, 0.0, 1.18)
WORD_CURVE, WORDS_ALONE = (0.9, 0.36, -1.13), (4.0, 0.0, -1.56)
"""What the best piece, the confidence of the search and nothing at all count, fitted to
questions with and without an answer (docs/evaluation.md)."""


def _curve(
    weights: tuple[float, float, float], best: float, sure: float | None
) -> float:
    value = weights[0] * best + weights[1] * (sure or 0.0) + weights[2]
    return 1 / (1 + exp(-value))
