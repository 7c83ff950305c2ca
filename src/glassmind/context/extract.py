"""The sentences, rows and properties of passages that answer a question.

A piece that is about the question and has nothing of the kind it asks for, such as a
number or a name, does not answer it. What is in the question already is nothing new.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp, fsum, isnan, log
from time import monotonic
from typing import Literal, NamedTuple, TypeAlias

from glassmind.context.note_lines import blocks_of, cells_of
from glassmind.context.passages import Stretch
from glassmind.context.question_words import Lookup
from glassmind.context.values import MONTHS, NUMBER_WORDS
from glassmind.errors import ModelFault
from glassmind.models.protocols import Reranker
from glassmind.obsidian.hidden_text import comment_spans, holds_hidden
from glassmind.obsidian.text import MARKER, PROPERTY, sentence_spans

_NUMBER = re.compile(
    rf"\d[\d.,:]*|\b(?:{'|'.join(NUMBER_WORDS)}|none|nobody)(?:-\w+)?\b", re.IGNORECASE
)
_DAY = re.compile(
    rf"\b(?:{'|'.join(month.capitalize() for month in MONTHS)})\b"
    r"|(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"
    r"|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)\w*"
    r"|\b(?:spring|summer|autumn|winter|easter|christmas|morning|noon|midnight|evening"
    r"|night|weekend|today|tomorrow|yesterday|days?|weeks?|months?|years?|mittags?"
    r"|woche|monat|jahr|frühjahr|sommer|herbst|tage[ns]?|heute|morgens?|abends?)\b)"
)
_UNSPACED = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7ff"
_NAME = re.compile(rf"[{_UNSPACED}]{{2,}}|\b[^\W\d_{_UNSPACED}][\w'\u2019.-]+")
"""What may be a name: if it has a capital, or is in a script without any."""
_WORD = re.compile(r"\w+")
_REASON = re.compile(
    r"\b(?:because|since|so that|therefore|otherwise|reasons?|why|due to|in order to"
    r"|weil|denn|damit|deshalb|gründe?|warum)\b",
    re.IGNORECASE,
)


def _has_new(pattern: re.Pattern[str], question: str, text: str) -> bool:
    known = set(_WORD.findall(question.lower()))
    found = (match[0].lower() for match in pattern.finditer(text))
    return any(not known.issuperset(_WORD.findall(match)) for match in found)


def _has_new_name(question: str, text: str) -> bool:
    known = set(_WORD.findall(question.lower()))
    for found in _NAME.finditer(text):
        before = text[max(0, found.start() - 2) : found.start()]
        begins = found.start() == 0 and not text.startswith("[[")
        name = re.sub(r"['\u2019]s$", "", found[0].lower())
        is_name = not (found[0][0].islower() or begins or before in {". ", "! ", "? "})
        if is_name and not known.issuperset(_WORD.findall(name)):
            return True
    return False


_KINDS: Sequence[tuple[re.Pattern[str], Callable[[str, str], bool]]] = tuple(
    (re.compile(pattern, re.IGNORECASE), has)
    for pattern, has in (
        (r"e-?mail", lambda _, text: "@" in text),
        (
            (
                r"\b(?:when|deadline|wann)\b|um wie ?viel uhr"
                r"|\b(?:what|which) (?:time|hour|year|date|day|month|evening|week)\b"
            ),
            lambda question, text: (
                _has_new(_DAY, question, text) or _has_new(_NUMBER, question, text)
            ),
        ),
        (
            (
                r"\bhow (?:many|much|often|tall|high|deep|long|far|old|big|heavy|cold"
                r"|hot|wide|large)\b|\bwie ?(?:viele?|oft|lange?|hoch|alt)\b"
                r"|\b(?:telefon|(?:tele)?phone|password|pin|percentage|height|weighs?"
                r"|costs?|price|rent|owe|salary|pay|wiegt|kostet)"
            ),
            lambda question, text: _has_new(_NUMBER, question, text),
        ),
        (
            (
                r"^\W*(?:who|whom|whose|wer|wem|wen)\b|\bname of\b|\bcalled\b"
                r"|['\u2019]s (?:sur)?name\b|\bwie heißt"
            ),
            _has_new_name,
        ),
    )
)
"""What asks for a kind, and whether a text has that."""

_WHY = re.compile(r"^\W*(?:why|warum|weshalb|wieso)\b", re.IGNORECASE)


def has_kind(question: str, text: str, heading: str = "") -> bool:
    """Return true if a text has what a question asks for; anything else has it too.

    A reason may be one by its heading.
    """
    if _WHY.match(question):
        return _REASON.search(f"{heading}: {text}") is not None
    return all(has(question, text) for asks, has in _KINDS if asks.search(question))


# --- pieces of passages -------------------------------------------------------------

PieceKind: TypeAlias = Literal["sentence", "row", "property"]

FEWEST_CHARS, MOST_CHARS = 6, 600
"""Less says nothing, and more is no answer but a passage."""

AROUND = 2 * MOST_CHARS
"""Characters around what was found in which sentences are looked for: a line may be as
long as a book."""

_CODE = re.compile(r"`[^`\n]+`")
_CALLOUT = re.compile(r"\[![^\]\n]+\][-+]?(?:\s+|$)")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]:\s*")
_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+$")
_SCALAR = re.compile(r"[|>][-+]?\d?")
"""What a value of several lines begins with."""
_ASKS, _CLOSERS = ("?", "\uff1f", "\u061f"), " *_)\"'\u201d\u2019"
"""How a question ends, which answers none."""
_LINK = re.compile(r"\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\([^()\n]*\)")
_SEE = frozenset(("see", "also", "compare", "cf", "siehe", "auch", "vgl"))
"""Words around a link that say nothing beside it."""
_MARKUP = ("![[", "<%", "{{", "`=", "`$=")
"""What is replaced by something else when the note is shown."""


class Piece(NamedTuple):
    """Characters of a stretch that can be quoted; `text` is what they say in a line."""

    start: int
    end: int
    text: str
    kind: PieceKind = "sentence"


def pieces_of(stretch: Stretch) -> list[Piece]:
    """Return the pieces of a passage in order: those that begin in its focus."""
    first, last = stretch.focus
    return [
        one
        for one in (*property_pieces(stretch), *_pieces(stretch))
        if first <= one.start < last
        and FEWEST_CHARS <= len(one.text) <= MOST_CHARS
        and not holds_hidden(stretch.text[one.start : one.end])
        and not one.text.rstrip(_CLOSERS).endswith(_ASKS)
        and not any(sign in one.text for sign in _MARKUP)
        and not (one.kind == "sentence" and _is_only_link(one.text))
    ]


def _is_only_link(text: str) -> bool:
    if "[[" not in text and "](" not in text:
        return False
    return _SEE.issuperset(_WORD.findall(_LINK.sub(" ", text).lower()))


def plain(text: str) -> str:
    lines = (MARKER.sub("", line).strip() for line in text.split("\n"))
    line = " ".join(line for line in lines if line)
    for mark in (_CALLOUT, _FOOTNOTE):
        begun = mark.match(line)
        line = line[begun.end() :] if begun else line
    return _BLOCK_ID.sub("", line).strip()


def property_pieces(stretch: Stretch) -> Iterator[Piece]:
    text, over = stretch.text, stretch.body
    at, begun = text.find("\n") + 1, -1
    while at < over:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        closes = text[at:end].rstrip() == "---"
        if closes or PROPERTY.match(text, at, end):
            if begun >= 0:
                yield _property(text, begun, at - 1)
            begun = -1 if closes else at
        at = end + 1


def _property(text: str, start: int, end: int) -> Piece:
    name, _, value = text[start:end].partition(":")
    lines = [line for line in value.split("\n") if not line.startswith("#")]
    values = [line.strip(" -\t\r\"'") for line in lines]
    if _SCALAR.fullmatch(values[0]):
        values[0] = ""
    value = ", ".join(filter(None, values))
    name = name.strip(" \"'")
    return Piece(start, end, f"{name}: {value}" if value else "", "property")


def _pieces(stretch: Stretch) -> Iterator[Piece]:
    text, body = stretch.text, stretch.body
    without_code = _CODE.sub(lambda code: "`" * len(code[0]), text)
    hidden = [span for span in comment_spans(without_code) if span[1] > body]
    starts, shown, at = [start for start, _ in hidden], list[str](), 0
    for start, end in hidden:
        blank = re.sub(r"[^\n]", " ", text[start:end])
        shown += [text[at:start], blank]
        at = end
    for block in blocks_of("".join([*shown, text[at:]]), body):
        if block.kind == "row":
            said = _row(text[block.start : block.end], block.head)
            found = iter((Piece(block.start, block.end, said, "row"),))
        else:
            begun = max(body, text.rfind("\n", 0, block.start) + 1)
            over = text.find("\n", block.end)
            line = text[block.end : over if over >= 0 else len(text)].rstrip()
            found = _sentences(stretch, begun, block.end + len(line))
        for piece in found if block.kind != "code" else ():
            near = bisect_right(starts, piece.end - 1) - 1
            if near < 0 or hidden[near][1] <= piece.start:
                yield piece


def _sentences(stretch: Stretch, start: int, end: int) -> Iterator[Piece]:
    first = max(start, stretch.focus[0] - AROUND)
    last = min(end, stretch.focus[1] + AROUND)
    block = stretch.text[first:last]
    for begun, over in sentence_spans(block):
        is_torn = (first > start and not begun) or (last < end and over == len(block))
        if block[begun:over].strip() and not is_torn:
            yield Piece(first + begun, first + over, plain(block[begun:over]))


def _row(row: str, head: str) -> str:
    names = cells_of(head) if head else []
    cells = enumerate(cells_of(row))
    named = ((names[at] if at < len(names) else "", cell) for at, cell in cells if cell)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named)


# --- the pieces that answer ---------------------------------------------------------

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
    r"|was ist)\b",
    re.IGNORECASE,
)

ALIKE = 0.8
"""Share of words from which two pieces say the same."""

DENIES = frozenset((
    "no", "not", "never", "none", "isn't", "wasn't", "don't", "doesn't", "didn't",
    "won't", "can't", "nicht", "kein", "keine", "keinen", "nie",
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
    is_why = _WHY.match(question) is not None
    total = fsum(words.weights.get(word, 0.0) for word in words.typed) or 1.0
    for passage in passages:
        opening = OPENING if _is_about(question, passage, words) else 0.0
        for piece in pieces_of(passage.stretch):
            held = words.words(piece.text) & words.typed
            share = fsum(words.weights.get(word, 0.0) for word in held) / total
            under = passage.stretch.heading_path(piece.start)
            is_kind = has_kind(question, piece.text, under[-1] if under else "")
            opens = opening if piece.kind == "sentence" else 0.0
            if opens > 0:
                share, is_kind, opening = 1.0, True, opening - OPENING / 3
            score = share + FITTING * passage.fit - (0 if is_kind else OTHER_KIND)
            score += opens
            read = _read_as(piece, passage.title, opens=opens > 0)
            told = ChosenPiece(passage.number, piece, score)
            may_answer = is_kind or is_why
            yield _Scored(told, share, is_kind, may_answer, read)


def _read(
    question: str,
    found: Sequence[_Scored],
    reranker: Callable[[], Reranker],
    clock: Callable[[], float],
) -> tuple[list[_Scored], str]:
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
    short = opens or piece.kind != "sentence" or len(piece.text.split()) < SHORT
    return f"{title}: {piece.text}" if short and title else piece.text


def _is_about(question: str, passage: Passage, words: Lookup) -> bool:
    if passage.stretch.first_line > FIRST_LINES or not _WHO_IS.match(question):
        return False
    return bool(words.typed) and words.typed <= words.words(passage.title)


def _odds(verdict: float) -> float:
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
    told = [one.told for one in chosen]
    first = {one.number: at for at, one in reversed(list(enumerate(told)))}
    return tuple(sorted(told, key=lambda one: (first[one.number], one.piece.start)))


def _likelihood(found: Sequence[_Scored], confidence: float | None) -> float | None:
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
