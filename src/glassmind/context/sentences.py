"""A short answer in sentences of the notes that were found, each cited.

A sentence counts by the words of the question that it holds, rare ones counting more,
and by how well its note fits. Sentences are those of paragraphs and items, however
their lines are wrapped. Nothing is said where no sentence of a note that fits holds
most of what was asked, the rarest word above all: no answer is better than noise.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum
from typing import NamedTuple

from glassmind.context.alone import CLOSERS, NO_END
from glassmind.context.asking import Lookup, in_link
from glassmind.context.captured import is_unapproved
from glassmind.context.choose import may_stop
from glassmind.context.cutting import Entry, found_text
from glassmind.context.passages import Candidate, Stretch
from glassmind.model.context import AnswerSentence
from glassmind.obsidian.hidden_text import holds_hidden
from glassmind.obsidian.sentences import MARKER, sentence_spans

MOST_SENTENCES = 3
LOOKED_AT = 8
"""Notes, from the best, whose sentences may answer: further down they seldom do."""

LEAST_WORDS, LEAST_WEIGHT, SURE_WEIGHT = 0.6, 0.5, 0.65
"""Of the words of a question, and of what they count together, a sentence must hold so
much to be told; the last, where it lacks the rarest of them. Of 435 questions of a real
vault 146 are answered, 106 from a note that was wanted; without the last two and the
next it was 118 of 212."""

LEAST_FIT = 0.8
"""How well a note must fit to answer, against the best that does not ask, too. On the
questions of the same vault others gave 29 more wrong answers and no more right ones."""

NAMED = 0.5
"""What a word counts that only the title or a heading above a sentence holds."""

FEWEST_WORDS, LONGEST_CHARS = 5, 400
"""Less is a label, and more is no short answer."""

SAME = 0.6
"""Share of words from which two sentences say the same."""

AS_GOOD = 0.8
"""Of what the best sentence says, what another must that is told beside it."""

CONFIDENT = 0.4
"""Confidence from which sentences are told: well above what is doubtful."""

_ALONE = re.compile(
    r"[\s>]*(?:$|#{1,6}\s|\||```|~~~|\$\$|---|___|\*\*\*|===|\[\^|%%|(?:=+|-+)\s*$)"
)
"""A line that no sentence goes across: blank, a heading, a table, code, a footnote."""

_UNDERLINE = re.compile(r"(?P<quoted>[\s>]*)(?:=+|-+)\s*$")
"""A line that makes a heading of the paragraph above it."""

_ITEM = re.compile(r"[\s>]*(?:[-+*]|\d{1,3}[.)])\s")
_CALLOUT = re.compile(r"[\s>]*\[!")
_QUOTE = re.compile(r"\s*>")
_NO_SENTENCE = re.compile(
    r"[\s>]*(?:!\[|\[!|[-+*]\s+\[.\]|[-+*\s]*[\[(]?[\w -]+::|[\w-]+:\s*\S*$|<)",
    re.DOTALL,
)
"""A picture, the title of a callout, a task, a property."""

_MADE = ("`=", "`$=", "<%", "{{")
"""What a query or a template in a text begins with."""

_FENCES = ("```", "~~~", "$$")
_ENDED = (".", "!", "\u3002", "\uff01", "\u2026")
_LINKS = re.compile(r"!?\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\)|https?://\S+")
_WORD = re.compile(r"\w+(?:[-'\u2019]\w+)*")


class Told(NamedTuple):
    """A sentence that answers: its text, and the characters of a passage it is."""

    text: str
    candidate: Candidate
    passage: int
    place: tuple[int, int]

    @property
    def stretch(self) -> Stretch:
        """The passage."""
        return self.candidate.passages[self.passage]

    def sentence(self, receipt: str = "") -> AnswerSentence:
        """Return it as it is shown."""
        return AnswerSentence(self.text, self.candidate.note.path, receipt)


class _Said(NamedTuple):
    score: float
    told: Told
    words: frozenset[str]


class _Counted(NamedTuple):
    """The words of a question, what those count that notes have, and the rarest."""

    typed: frozenset[str]
    known: Mapping[str, float]
    total: float
    rarest: frozenset[str]


def answer_from(
    candidates: Sequence[Candidate],
    words: Lookup,
    agent: str,
    is_seen: Callable[[Told], bool] = lambda _: True,
) -> list[Told]:
    """Return up to three sentences that say something to a question, best first.

    None of a note that an agent wrote and nobody approved, nor of what is no note, nor
    one that is not seen.
    """
    if words.typed.isdisjoint(words.weights):
        return []
    counted, first = _counted(words), candidates[:LOOKED_AT]
    said = [one.relevance for one in first if "?" not in found_text(one)]
    least = LEAST_FIT * max(said, default=0.0)  # a note that asks too fits best of all
    found = [
        said
        for candidate in first
        if candidate.relevance >= least and _may_answer(candidate, agent)
        for said in _sentences(candidate, words, counted)
    ]
    found.sort(key=lambda one: -one.score)
    chosen: list[_Said] = []
    for one in found:
        if len(chosen) == MOST_SENTENCES or one.score < AS_GOOD * found[0].score:
            break
        new = not any(_alike(one.words, other.words) for other in chosen)
        if new and is_seen(one.told):
            chosen.append(one)
    return [one.told for one in chosen]


def _may_answer(candidate: Candidate, agent: str) -> bool:
    path, generated = candidate.note.path, candidate.note.generated
    return path.endswith(".md") and not is_unapproved(path, agent, generated=generated)


def cited(told: Sequence[Told], entries: Sequence[Entry]) -> tuple[AnswerSentence, ...]:
    """Return those sentences that passages show, with the receipts of these."""
    shown = {entry.candidate.note.path: entry for entry in entries}
    made = []
    for one in told:
        entry = shown.get(one.candidate.note.path)
        if entry is None:
            continue
        for cut in entry.cuts:
            inside = cut.start <= one.place[0] and one.place[1] <= cut.end
            if cut.reading.stretch is one.stretch and inside:
                made.append(one.sentence(entry.receipt(cut)))
                break
    return tuple(made)


def _sentences(
    candidate: Candidate, words: Lookup, counted: _Counted
) -> Iterator[_Said]:
    titled = words.words(candidate.note.title)
    untitled = counted.known.keys() - titled
    for number, stretch in enumerate(candidate.passages):
        places = words.places(stretch.text)
        if not places:
            continue
        heads = words.words(" ".join(stretch.headings[0][1]))
        if not _score({word for _, word in places}, titled | heads, counted):
            continue
        for start, end in _blocks(stretch, [at for at, _ in places]):
            inside = [one for one in places if start <= one[0] < end]
            above = titled | words.words(" ".join(stretch.heading_path(start)))
            if not _score({word for _, word in inside}, above, counted):
                continue
            for place in _whole(stretch, (start, end)):
                near = [one for one in inside if place[0] <= one[0] < place[1]]
                held = {word for at, word in near if not in_link(stretch.text, at)}
                named = above.union(word for _, word in near)
                score = _score(held, named, counted)
                if not score or (untitled and untitled.isdisjoint(named)):
                    continue
                text = _plain(stretch.text[slice(*place)])
                linked = "[" in text or "://" in text
                own = _LINKS.sub("", text) if linked else text
                spoken = frozenset(_WORD.findall(own.lower()))
                if len(spoken) >= FEWEST_WORDS or not text.isascii():
                    score *= 0.5 + candidate.relevance / 2
                    yield _Said(score, Told(text, candidate, number, place), spoken)


def _counted(words: Lookup) -> _Counted:
    known = {word: words.weights[word] for word in words.typed & words.weights.keys()}
    most = max(known.values())
    rarest = frozenset(word for word, weight in known.items() if weight == most)
    return _Counted(words.typed, known, fsum(known.values()), rarest)


def _score(held: set[str], above: set[str], counted: _Counted) -> float:
    """Return what a sentence says to a question; nothing where that is too little.

    `held` are the words it holds, `above` those of the notes it links to, of its own
    and of its headings.
    """
    typed, known, total, rarest = counted
    held, above = held & typed, (above - held) & typed
    said = len(held) + NAMED * len(above)
    if not held or said < LEAST_WORDS * len(typed):
        return 0.0
    weighed = fsum([known.get(word, 0.0) for word in held])
    weighed += NAMED * fsum([known.get(word, 0.0) for word in above])
    lacks = rarest.isdisjoint(held) and rarest.isdisjoint(above)
    share = weighed / total
    return share if share >= (SURE_WEIGHT if lacks else LEAST_WEIGHT) else 0.0


def _blocks(stretch: Stretch, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs and items that hold some characters, in order."""
    text, over = stretch.text, stretch.body
    fences = [at for sign in _FENCES for at in _begun_by(sign, text)]
    for at in places:
        if at < over:
            continue
        if sum(fence <= at for fence in fences) % 2:
            continue
        start, over = _block(text, at)
        if start < over:
            yield start, over
        over = max(over, at + 1)


def _begun_by(sign: str, text: str) -> Iterator[int]:
    """Yield where lines begin that a sign does, be it in a list or a quotation."""
    at = text.find(sign)
    while at >= 0:
        first, last = _line(text, at)
        if not text[first:at].strip(" \t>"):
            yield first
        at = text.find(sign, last)


def _block(text: str, at: int) -> tuple[int, int]:
    """Return the paragraph or item around a character; nothing where there is none.

    A paragraph that is a heading by the line below it is none.
    """
    start, end = _line(text, at)
    if _ALONE.match(text[start:end]) or _CALLOUT.match(text[start:end]):
        return at, at
    while start and not _ITEM.match(text[start:end]):
        first, last = _line(text, start - 1)
        before = text[first:last]
        if _ALONE.match(before) or _CALLOUT.match(before):
            break
        start = first
    while end < len(text):
        first, last = _line(text, end + 1)
        if _ALONE.match(text[first:last]) or _ITEM.match(text[first:last]):
            break
        end = last
    return (at, at) if _is_underlined(text, start, end) else (start, end)


def _is_underlined(text: str, start: int, end: int) -> bool:
    first, last = _line(text, end + 1)
    below = _UNDERLINE.match(text[first:last]) if first > end else None
    if below is None or _ITEM.match(text[start:end]):
        return False
    said = text[_line(text, end)[0] : end]
    depth = len(said) - len(said.lstrip(" \t>"))
    return said[:depth].count(">") == below["quoted"].count(">")


def _line(text: str, at: int) -> tuple[int, int]:
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def _whole(stretch: Stretch, block: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a paragraph that are whole and may be told."""
    start, end = block
    text = stretch.text[start:end]
    if _is_no_sentence(text):
        return
    stops = may_stop(text, 0, len(text))
    spans = sentence_spans(text) if stops else [(0, len(text))]
    for number, (first, last) in enumerate(spans):
        said = text[first:last]
        if last - first > LONGEST_CHARS or said.rstrip(CLOSERS).endswith(NO_END):
            continue
        if start + first == 0 and stretch.first_line > 1:
            continue  # it may have begun before the passage
        ended = said.rstrip(CLOSERS).endswith(_ENDED)
        if number + 1 == len(spans) and not ended and _goes_on(stretch, end):
            continue
        # nothing is answered by what a reader of the note does not see
        if not (_is_no_sentence(said) or holds_hidden(said)):
            yield start + first, start + last


def _is_no_sentence(text: str) -> bool:
    return any(sign in text for sign in _MADE) or _NO_SENTENCE.match(text) is not None


def _goes_on(stretch: Stretch, end: int) -> bool:
    """Whether a paragraph that ends here may have lines behind the passage."""
    return not stretch.ends and stretch.text[end:] in {"", "\n"}


def _plain(said: str) -> str:
    """Return a sentence in one line, without the marks at the beginning of lines."""
    return " ".join(MARKER.sub("", line).strip() for line in said.split("\n"))


def _alike(words: frozenset[str], others: frozenset[str]) -> bool:
    return len(words & others) >= SAME * min(len(words), len(others))
