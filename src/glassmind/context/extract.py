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
from glassmind.context.passages import LineRange
from glassmind.context.question_words import Lookup, in_link
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
    for match in _NAME.finditer(text):
        before = text[max(0, match.start() - 2) : match.start()]
        begins = match.start() == 0 and not text.startswith("[[")
        name = re.sub(r"['\u2019]s$", "", match[0].lower())
        is_name = not (match[0][0].islower() or begins or before in {". ", "! ", "? "})
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
_ASKS, _CLOSERS = ("?", "\uff1f", "\u061f"), " *_~)]}\"'\u201d\u2019\u00bb"
"""How a question ends, which answers none."""
_LINK = re.compile(r"\[\[[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\([^()\n]*\)")
_SEE = frozenset(("see", "also", "compare", "cf", "siehe", "auch", "vgl"))
"""Words around a link that say nothing beside it."""
_MARKUP = ("![[", "<%", "{{", "`=", "`$=")
"""What is replaced by something else when the note is shown."""


class Sentence(NamedTuple):
    """Characters of a stretch that can be quoted; `text` is what they say in a line."""

    start: int
    end: int
    text: str
    kind: PieceKind = "sentence"


def pieces_of(stretch: LineRange) -> list[Sentence]:
    """Return the pieces of a passage in order: those that begin in its focus."""
    first, last = stretch.focus
    return [
        sentence
        for sentence in (*property_pieces(stretch), *_pieces(stretch))
        if first <= sentence.start < last
        and FEWEST_CHARS <= len(sentence.text) <= MOST_CHARS
        and not holds_hidden(stretch.text[sentence.start : sentence.end])
        and not sentence.text.rstrip(_CLOSERS).endswith(_ASKS)
        and not any(sign in sentence.text for sign in _MARKUP)
        and not (sentence.kind == "sentence" and _is_only_link(sentence.text))
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


def property_pieces(stretch: LineRange) -> Iterator[Sentence]:
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


def _property(text: str, start: int, end: int) -> Sentence:
    name, _, value = text[start:end].partition(":")
    lines = [line for line in value.split("\n") if not line.startswith("#")]
    values = [line.strip(" -\t\r\"'") for line in lines]
    if _SCALAR.fullmatch(values[0]):
        values[0] = ""
    value = ", ".join(filter(None, values))
    name = name.strip(" \"'")
    return Sentence(start, end, f"{name}: {value}" if value else "", "property")


def _pieces(stretch: LineRange) -> Iterator[Sentence]:
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
            sentences = iter((Sentence(block.start, block.end, said, "row"),))
        else:
            begun = max(body, text.rfind("\n", 0, block.start) + 1)
            over = text.find("\n", block.end)
            line = text[block.end : over if over >= 0 else len(text)].rstrip()
            sentences = _sentences(stretch, begun, block.end + len(line))
        for piece in sentences if block.kind != "code" else ():
            near = bisect_right(starts, piece.end - 1) - 1
            if near < 0 or hidden[near][1] <= piece.start:
                yield piece


def _sentences(stretch: LineRange, start: int, end: int) -> Iterator[Sentence]:
    first = max(start, stretch.focus[0] - AROUND)
    last = min(end, stretch.focus[1] + AROUND)
    block = stretch.text[first:last]
    for begun, over in sentence_spans(block):
        is_torn = (first > start and not begun) or (last < end and over == len(block))
        if block[begun:over].strip() and not is_torn:
            yield Sentence(first + begun, first + over, plain(block[begun:over]))


def _row(row: str, head: str) -> str:
    names = cells_of(head) if head else []
    cells = enumerate(cells_of(row))
    named = ((names[at] if at < len(names) else "", cell) for at, cell in cells if cell)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named)


# --- the sentences that answer, for bundles ------------------------------------------

MOST_SENTENCES = 3
"""Sentences of the answer of a bundle."""

CONFIDENT = 0.4
"""Search confidence from which there is one: well above what is doubtful."""

LEAST_WORDS, LEAST_WEIGHT, SURE_WEIGHT = 0.6, 0.5, 0.65
"""Of the words of a question, and of what they count together, a sentence must hold so
much; the last, if it lacks the rarest of them. Of 435 questions of a real vault 146 are
answered, 106 from a relevant note; without the last two and the next, 118 of 212."""

LEAST_FIT = 0.8
"""How relevant a note must be to answer, against the best that asks nothing."""

NAMED = 0.5
"""What a word counts that only a link, the title or a heading of a sentence holds."""

FEWEST_WORDS, LONGEST_SENTENCE = 5, 400
"""Shorter is a label, longer is not a short answer."""

SAME, AS_GOOD = 0.6, 0.8
"""Share of words from which two sentences say the same; and what part of the best score
another sentence must reach."""

_NOT_A_SENTENCE = re.compile(
    r"[\s>]*(?:!\[|\[[!^]|[-+*]\s+\[.\]|[-+*\s]*[\[(]?[\w -]+::|[\w-]+:\s*\S*$|<)",
    re.DOTALL,
)
"""A picture, the title of a callout, a task, a property."""
_NO_END = (":", ",", ";")
_ENDED = (".", "!", "\u3002", "\uff01", "\u2026")
_ADDRESSES = re.compile(r"!?\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\)|https?://\S+")
_COMPOUND = re.compile(r"\w+(?:[-'\u2019]\w+)*")


class NumberedPassage(NamedTuple):
    """A passage that pieces are taken from; `fit` is its relevance."""

    number: int
    stretch: LineRange
    fit: float
    title: str = ""


class ChosenSentence(NamedTuple):
    """A piece that answers, of the passage of a number, and how well it does."""

    number: int
    piece: Sentence
    score: float


def by_words(
    passages: Sequence[NumberedPassage], words: Lookup
) -> list[ChosenSentence]:
    """Return up to three sentences that hold most of a question, best first.

    None if no sentence of a note that fits does: no answer is better than noise.
    """
    if words.typed.isdisjoint(words.weights):
        return []
    fits = [one.fit for one in passages if "?" not in one.stretch.found]
    least = LEAST_FIT * max(fits, default=0.0)  # a note that asks too fits best of all
    chosen_sentences = [
        sentence
        for passage in passages
        if passage.fit >= least
        for sentence in _answering(passage, words)
    ]
    chosen_sentences.sort(key=lambda one: -one.score)
    sentences: list[ChosenSentence] = []
    held: list[set[str]] = []
    for one in chosen_sentences:
        if (
            len(sentences) == MOST_SENTENCES
            or one.score < AS_GOOD * chosen_sentences[0].score
        ):
            break
        own = _own_words(one.piece)
        if not any(_overlap(own, other) >= SAME for other in held):
            sentences.append(one)
            held.append(own)
    return sentences


def _answering(passage: NumberedPassage, words: Lookup) -> Iterator[ChosenSentence]:
    stretch, title = passage.stretch, words.words(passage.title)
    text, places = stretch.text, words.places(stretch.text)
    untitled = (words.typed & words.weights.keys()) - title
    above = title | words.words(" ".join(stretch.headings[0][1]))
    if not _score({word for _, word in places}, above, words):
        return
    for piece in pieces_of(stretch._replace(focus=(stretch.body, len(text)))):
        near = [place for place in places if piece.start <= place[0] < piece.end]
        if not near or piece.kind != "sentence" or not _is_whole(stretch, piece):
            continue
        held = {word for at, word in near if not in_link(text, at)}
        under = stretch.heading_path(piece.start)
        named = title | words.words(" ".join(under)) | {word for _, word in near}
        score = _score(held, named, words)
        if score and not (untitled and untitled.isdisjoint(named)):
            score *= 0.5 + passage.fit / 2
            yield ChosenSentence(passage.number, piece, score)


def _is_whole(stretch: LineRange, piece: Sentence) -> bool:
    text = stretch.text[piece.start : piece.end]
    said = text.rstrip(_CLOSERS)
    is_short = len(_own_words(piece)) < FEWEST_WORDS and piece.text.isascii()
    if is_short or len(text) > LONGEST_SENTENCE or said.endswith(_NO_END):
        return False
    begins = piece.start > 0 or stretch.first_line == 1
    behind = stretch.text[piece.end :].strip()
    ends = said.endswith(_ENDED) or stretch.ends or behind != ""
    return begins and ends and not _NOT_A_SENTENCE.match(text)


def _own_words(piece: Sentence) -> set[str]:
    return set(_COMPOUND.findall(_ADDRESSES.sub("", piece.text).lower()))


def _score(held: set[str], named: set[str], words: Lookup) -> float:
    """Return what a sentence says to a question; 0 if that is too little.

    `held` are the words it holds, `named` those of its links, its title and headings.
    """
    typed, weights = words.typed, words.weights
    known = {word: weights[word] for word in typed & weights.keys()}
    held, named = held & typed, (named - held) & typed
    if not held or len(held) + NAMED * len(named) < LEAST_WORDS * len(typed):
        return 0.0
    weighed = fsum([known.get(word, 0.0) for word in held])
    weighed += NAMED * fsum([known.get(word, 0.0) for word in named])
    most = max(known.values())
    has_rarest = any(known.get(word) == most for word in held | named)
    share = weighed / fsum(known.values())
    return share if share >= (LEAST_WEIGHT if has_rarest else SURE_WEIGHT) else 0.0


def _overlap(words: set[str], others: set[str]) -> float:
    return len(words & others) / max(1, min(len(words), len(others)))


# --- the pieces that answer, for `ask` ----------------------------------

MOST_TOLD = 4
"""Pieces of an answer: with fewer, one in ten loses what was asked for."""

READ = 32
"""Pieces, from those with most words, that are read together with the question."""

READ_S = 2.0
"""Seconds for that; what is not read by then is not part of the answer."""

FITTING = 0.3
"""What it counts that a piece is of the best passage."""

OTHER_KIND, OTHER_KIND_READ = 0.1, 0.15
"""What a piece loses that has nothing of the kind asked for."""

NEAR, NEAR_READ = 0.2, 0.5
"""How far behind the best another piece of the answer may be."""

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

SURE = 0.7
"""How likely a piece must be to answer."""

READ_CURVE, READ_ALONE = (0.21, 0.16, 0.35), (0.27, 0.0, 1.18)
WORD_CURVE, WORDS_ALONE = (0.9, 0.36, -1.13), (4.0, 0.0, -1.56)
"""What the best piece, the confidence of the search and nothing at all count, fitted to
questions with and without an answer (docs/evaluation.md)."""


class Extract(NamedTuple):
    """The best pieces for a question, in the order in which they are shown.

    `likelihood` is how likely they answer it; None where nobody knows. They are the
    answer if that `is_sure`. `lacks` says why no model has read them, if so.
    """

    pieces: tuple[ChosenSentence, ...]
    likelihood: float | None
    is_sure: bool
    lacks: str = ""


class _Scored(NamedTuple):
    """A piece, its share of the question's words, and what it gains beside that.

    `read_as` is what the model reads.
    """

    number: int
    piece: Sentence
    share: float
    gain: float
    is_kind: bool
    read_as: str

    def score(self, fit: float, other_kind: float) -> float:
        return fit + self.gain - (0 if self.is_kind else other_kind)

    def chosen(self, fit: float, other_kind: float) -> ChosenSentence:
        return ChosenSentence(self.number, self.piece, self.score(fit, other_kind))


def extract(  # noqa: PLR0913 - all that an answer hangs on
    question: str,
    passages: Sequence[NumberedPassage],
    words: Lookup,
    reranker: Callable[[], Reranker],
    confidence: float | None,
    *,
    clock: Callable[[], float] = monotonic,
) -> Extract:
    found = [
        scored for passage in passages for scored in _scored(question, passage, words)
    ]
    if not found:  # which is no reason to load a model
        return Extract((), None, is_sure=False)
    found.sort(key=lambda scored: -scored.score(scored.share, OTHER_KIND))
    is_why = _WHY.match(question) is not None
    kind = [scored for scored in found if scored.is_kind or is_why]
    try:
        read = _read(question, found[:READ], reranker(), clock)
    except ModelFault as fault:
        sentences = [scored.chosen(scored.share, OTHER_KIND) for scored in found]
        best = max((scored.share for scored in kind), default=0.0)
        curve = WORD_CURVE if confidence is not None else WORDS_ALONE
        return _extract(
            sentences, NEAR, _likelihood(curve, best, confidence), str(fault)
        )
    sentences = [scored.chosen(odds / 10, OTHER_KIND_READ) for odds, scored in read]
    best = max((odds for odds, scored in read if scored in kind), default=LEAST_ODDS)
    curve = READ_CURVE if confidence is not None else READ_ALONE
    return _extract(sentences, NEAR_READ, _likelihood(curve, best, confidence))


def _extract(
    found: list[ChosenSentence], near: float, likelihood: float, lacks: str = ""
) -> Extract:
    """Return the best, and what is not far behind and says something else."""
    found.sort(key=lambda sentence: -sentence.score)
    sentences: list[ChosenSentence] = []
    for sentence in found:
        if len(sentences) == MOST_TOLD or sentence.score < found[0].score - near:
            break
        if not any(_is_same(sentence.piece, other.piece) for other in sentences):
            sentences.append(sentence)
    first = {
        sentence.number: at for at, sentence in reversed(list(enumerate(sentences)))
    }
    sentences.sort(key=lambda sentence: (first[sentence.number], sentence.piece.start))
    return Extract(tuple(sentences), likelihood, likelihood >= SURE, lacks)


def _scored(
    question: str, passage: NumberedPassage, words: Lookup
) -> Iterator[_Scored]:
    total = fsum(words.weights.get(word, 0.0) for word in words.typed) or 1.0
    opening = OPENING if _is_about(question, passage, words) else 0.0
    for piece in pieces_of(passage.stretch):
        held = words.words(piece.text) & words.typed
        share = fsum(words.weights.get(word, 0.0) for word in held) / total
        under = passage.stretch.heading_path(piece.start)
        is_kind = has_kind(question, piece.text, under[-1] if under else "")
        gain, is_sentence = FITTING * passage.fit, piece.kind == "sentence"
        is_short = not is_sentence or len(piece.text.split()) < SHORT
        if is_sentence and opening > 0:
            share, is_kind, is_short = 1.0, True, True
            gain += opening
            opening -= OPENING / 3
        title = f"{passage.title}: " if is_short and passage.title else ""
        read_as = title + piece.text
        yield _Scored(passage.number, piece, share, gain, is_kind, read_as)


def _read(
    question: str,
    found: Sequence[_Scored],
    reranker: Reranker,
    clock: Callable[[], float],
) -> list[tuple[float, _Scored]]:
    """Return the pieces that were read in time, with the log odds that they answer."""
    read: list[tuple[float, _Scored]] = []
    verdicts = reranker.scores(question, [scored.read_as for scored in found])
    until: float | None = None
    for scored, verdict in zip(found, verdicts, strict=False):
        read.append((max(LEAST_ODDS, _odds(verdict)), scored))
        now = clock()  # from the first on: before it a model may be loaded
        until = now + READ_S if until is None else until
        if now > until:
            break
    return read


def _is_about(question: str, passage: NumberedPassage, words: Lookup) -> bool:
    if passage.stretch.first_line > FIRST_LINES or not _WHO_IS.match(question):
        return False
    return bool(words.typed) and words.typed <= words.words(passage.title)


def _odds(verdict: float) -> float:
    if isnan(verdict):
        return LEAST_ODDS
    sure = min(max(verdict, 1e-7), 1 - 1e-7)
    return log(sure / (1 - sure))


def _is_same(piece: Sentence, other: Sentence) -> bool:
    """Whether two pieces say the same: not with other figures, nor if one denies it."""
    words, others = set(piece.text.lower().split()), set(other.text.lower().split())
    if _has_figure(words - others) and _has_figure(others - words):
        return False
    if words.isdisjoint(DENIES) != others.isdisjoint(DENIES):
        return False
    return _overlap(words, others) >= ALIKE


def _has_figure(words: Iterable[str]) -> bool:
    return any(letter.isdigit() for word in words for letter in word)


def _likelihood(
    curve: tuple[float, float, float], best: float, confidence: float | None
) -> float:
    sure = 0.0 if confidence is None else _odds(confidence)
    return 1 / (1 + exp(-(curve[0] * best + curve[1] * sure + curve[2])))
