"""From a parsed query to a tantivy query, by the statistics of visible passages.

Tantivy counts every passage of the index, hidden and deleted ones too. A caller who
does not see all of them must not learn from a score or from a guessed word what they
say, so every decision about a query goes by the counts here.

The score of a hit is a plain sum over fields and words, so the shares of its fields add
up to it. Queries are built as objects, never as text: punctuation means nothing.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from math import fsum, log
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import tantivy

from glassmind.model.search import Filter, WordQuery
from glassmind.store.lexical import analysis, files
from glassmind.store.lexical.analysis import IndexTerms
from glassmind.store.lexical.files import (
    MARKER_NOTE,
    PATH,
    PROPERTY,
    SEPARATOR,
    STEMMED_FIELDS,
    TAG,
    WEIGHTS,
    day_number,
    name_term,
)

if TYPE_CHECKING:
    from glassmind.model.access import Seen


Q = tantivy.Query
MUST, SHOULD, _NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot

_FEW = 500
"""Passages up to which looking at each is faster than a query with a filter, which
takes 0.3 ms however few it finds."""

_DIGITS = 3
"""Digits kept of a scaled score. Tantivy computes with 32 bits, so scores of about 10
that should be equal differ by some 0.000002."""

_MOST_KEPT = 20_000
"""Counts that are kept; at about 200 bytes each they take 4 MB."""


def only_visible(
    schema: tantivy.Schema, query: tantivy.Query, seen: "Seen | None"
) -> tantivy.Query:
    """Return a query that finds passages of visible notes only."""
    if seen is None or (seen.hidden and not seen.ids):
        return query
    if not seen.ids:
        return Q.empty_query()
    these = Q.term_set_query(schema, "note", sorted(seen.ids))
    these = Q.const_score_query(these, 0.0)
    return Q.boolean_query([(MUST, query), (_NOT if seen.hidden else MUST, these)])


class WordStatistics:
    """Counts of terms for one caller, in one state of the index; keeps what it counted.

    `seen` is None for the owner, who gets the counts of the index itself. So does a
    caller from whom nothing is hidden, unless the index still holds deleted passages.
    """

    def __init__(
        self,
        schema: tantivy.Schema,
        searcher: tantivy.Searcher,
        seen: "Seen | None" = None,
    ) -> None:
        self.searcher = searcher
        self._schema, self._seen = schema, seen
        self._counts: dict[tuple[str, str], int] = {}

    @cached_property
    def total(self) -> int:
        """Visible passages; the marker document of the index counts as one."""
        if self._is_whole or self._seen is None:
            return self.searcher.num_docs
        marker = 0 if self._seen.hidden else 1
        return self._found(Q.all_query()) + marker

    def count(self, field: str, term: str) -> int:
        indexed = self.searcher.doc_freq(field, term)
        if not indexed or self._is_whole:
            return indexed
        known = self._counts.get((field, term))
        if known is None:
            known = self._counted(field, term, indexed)
            self._keep(field, [(term, known)])
        return known

    def most_frequent(self, field: str, prefix: str, limit: int) -> list[str]:
        """Return visible terms with a prefix, the most frequent first."""
        if self._is_whole:
            found = self.searcher.terms_with_prefix(field, prefix, limit=limit)
        else:
            visible = only_visible(self._schema, Q.all_query(), self._seen)
            found = self.searcher.terms_with_prefix(field, prefix, visible, limit)
            self._keep(field, found)
        return [term for term, _ in found]

    def scale(self, field: str, *terms: str) -> float:
        """Return the factor from tantivy's BM25 score to one by visible passages.

        The score of a term or phrase is proportional to the sum of its terms' inverse
        document frequencies. The average field length stays that of the whole index.
        """
        if self._is_whole:
            return 1.0
        indexed = self.searcher.doc_freq
        visible = fsum(_idf(self.count(field, term), self.total) for term in terms)
        whole = fsum(_idf(indexed(field, term), self._indexed) for term in terms)
        return visible / whole

    def rounded(self, score: float) -> float:
        """Return a scaled score without its 32-bit rounding errors.

        They depend on how often a word occurs in hidden notes.
        """
        return score if self._is_whole else round(score, _DIGITS)

    @cached_property
    def _is_whole(self) -> bool:
        seen = self._seen
        if seen is None:
            return True
        return seen.hidden and not seen.ids and self._indexed == self.searcher.num_docs

    @cached_property
    def _indexed(self) -> int:
        """Documents that tantivy scores by, deleted ones included.

        Only the explanation of a score tells it; every commit has a marker to explain.
        """
        query = Q.term_query(self._schema, "note", MARKER_NOTE)
        hits = self.searcher.search(query, limit=1, count=False).hits
        if not hits:
            return self.searcher.num_docs
        explanation = json.loads(query.explain(self.searcher, hits[0][1]).to_json())
        count = _detail(explanation, "N, ")
        if count is None:
            raise ValueError("tantivy does not explain how many documents there are")
        return int(count)

    def _counted(self, field: str, term: str, indexed: int) -> int:
        query = Q.term_query(self._schema, field, term, "basic")
        if indexed > _FEW or self._seen is None or not self._seen.ids:
            return self._found(query)
        hits = self.searcher.search(query, limit=indexed, count=False).hits
        notes = self.searcher.fast_field_values("note", [place for _, place in hits])
        return sum(note is not None and self._seen.has(int(note)) for note in notes)

    def _keep(self, field: str, counts: Iterable[tuple[str, int]]) -> None:
        if len(self._counts) >= _MOST_KEPT:
            self._counts.clear()
        self._counts.update(((field, term), count) for term, count in counts)

    def _found(self, query: tantivy.Query) -> int:
        query = only_visible(self._schema, query, self._seen)
        found = self.searcher.search(query, limit=1, count=True)
        return int(found.count or 0)  # type: ignore[attr-defined] # no stub


def _idf(count: int, total: int) -> float:
    """Return the inverse document frequency as tantivy defines it."""
    return log(1 + (total - count + 0.5) / (count + 0.5))


def _detail(explanation: dict[str, Any], name: str) -> float | None:
    """Return a value of an explanation by how its description begins."""
    if explanation["description"].startswith(name):
        return float(explanation["value"])
    found = (_detail(part, name) for part in explanation.get("details", ()))
    return next((value for value in found if value is not None), None)


_SHORTEST, LONG = 4, 8
"""Letters: shorter words resemble too many others; longer ones may hold two slips."""

_MOST = 20
"""Most guesses for one word, the most frequent first."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def guesses(word: str, statistics: WordStatistics) -> list[str]:
    """Return visible words one slip away from `word`, the most frequent first.

    A slip is a letter too many, too few, wrong, or swapped with its neighbour. In the
    first letter it is found for the letters of English.
    """
    if not is_guessable(word):
        return []
    found: dict[str, int] = {}
    stem = analysis.stemmed.analyze(word)[0]
    fields = [("body", word), ("title", stem), ("headings", stem)]
    for field, wanted in fields if len(stem) >= _SHORTEST else fields[:1]:
        for start in _starts(wanted):
            for term, _ in statistics.searcher.terms_with_prefix(field, start):
                if one_slip(wanted, term) and (count := statistics.count(field, term)):
                    found[term] = max(count, found.get(term, 0))
    return sorted(found, key=lambda term: (-found[term], term))[:_MOST]


def is_guessable(word: str) -> bool:
    """Whether the word may be a slip: long enough, and no number or code."""
    return len(word) >= _SHORTEST and not any(letter.isdigit() for letter in word)


def _starts(word: str) -> list[str]:
    """Return how every word one slip away begins; few words begin like the longer ones.

    The first letter stands unless the slip is in it: then it is one too many, swapped,
    lost or wrong.
    """
    lost = (letter + word[:2] for letter in _LETTERS)
    wrong = (letter + word[1:3] for letter in _LETTERS)
    starts = (word[0], word[1:3], word[1] + word[0], *lost, *wrong)
    return [s for s in dict.fromkeys(starts) if s == word[0] or s[0] != word[0]]


def one_slip(a: str, b: str) -> bool:
    """Whether the words differ by exactly one insertion, loss, change or swap."""
    if a == b or abs(len(a) - len(b)) > 1:
        return False
    start = 0
    while a[start : start + 1] == b[start : start + 1] != "":
        start += 1
    a, b = a[start:], b[start:]
    if len(a) != len(b):
        return a[1:] == b or a == b[1:]
    is_swapped = a[:2] == b[1::-1] and a[2:] == b[2:]
    return a[1:] == b[1:] or is_swapped


_NEIGHBOURS_LIFT = 0.6
"""What two query words standing next to each other add, relative to the words alone."""

_COMMON = 0.05
"""Share of the passages from which a word is common. Two common words together say
little and cost most: leaving them out changes nDCG@10 by .002 (docs/ranking.md)."""

_PREFIX_LIMIT = 50
"""Most words a prefix stands for, the most frequent first."""

_MISSPELT_SHARE = 0.7
"""What a guessed word counts against one that stands as typed."""

_SOMEWHERE = ("body", "title", "aliases", "headings", "tags", "properties")
"""The fields a phrase may stand in."""

_LONGEST_PATTERN = 100
"""Bytes; tantivy refuses a pattern of 1,000 states, about four to a byte."""

_META = frozenset("\\.+*?()|[]{}^$")

STOPWORDS = frozenset(
    word
    for line in (
        "a about all also am an and any are as at be been but by can could did do",
        "does for from had has have how i if in into is it its just me my not of on",
        "or our out s so some t than that the their them then there these they this",
        "to was we were what when where which who whom why will with would you your",
    )
    for word in line.split()
)
"""English words that say nothing of what is sought; used only if no others are left."""


class Composer:
    """Builds the tantivy query for a word query.

    `statistics` decides which words are known, so a word that occurs in hidden notes
    only is unknown and never guessed. `terms` are the words that a snippet marks; it is
    complete once `wanted` was read to its end.
    """

    def __init__(self, schema: tantivy.Schema, statistics: WordStatistics) -> None:
        self._schema = schema
        self._statistics = statistics
        self._searcher = statistics.searcher
        self.terms = IndexTerms()

    def conditions(self, query: WordQuery) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        """Return what a chunk must and must not be; adds nothing to any score."""
        found = [(MUST, self._somewhere(phrase)) for phrase in query.phrases]
        found += [(_NOT, self._somewhere(phrase)) for phrase in query.excluded]
        for condition in query.filters:
            wanted = Q.const_score_query(self._filter(condition), 0.0)
            found.append((_NOT if condition.negated else MUST, wanted))
        return found

    def wanted(self, query: WordQuery) -> Iterator[tuple[str, tantivy.Query]]:
        """Yield each clause with its field; none where no word is wanted."""
        typed = self._typed_words(query)
        for word in typed:
            yield from self._word(word)
            if not self._known(word):
                yield from self._misspelt(word)
        yield from self._whole_name(query)
        yield from self._neighbours(typed)
        for prefix in query.prefixes:
            yield from self._prefix(prefix)
        for text in (*query.words, *query.prefixes, *query.phrases):
            yield from self._runs(text.lower())
        for phrase in query.phrases:
            self.terms.exact.update(
                analysis.exact.analyze(analysis.spaced_part(phrase))
            )
            for field, terms in self._phrase(phrase):
                wanted = self._in_a_row(field, terms)
                scale = self._statistics.scale(field, *terms)
                yield field, Q.boost_query(wanted, WEIGHTS[field] * scale)

    def _whole_name(self, query: WordQuery) -> Iterator[tuple[str, tantivy.Query]]:
        name = name_term(" ".join(query.words))
        if name and self._statistics.count("name", name):
            wanted = Q.term_query(self._schema, "name", name, "basic")
            scale = self._statistics.scale("name", name)
            yield "name", Q.boost_query(wanted, WEIGHTS["name"] * scale)

    def _neighbours(self, typed: Sequence[str]) -> Iterator[tuple[str, tantivy.Query]]:
        """Lift passages where two of the words stand together, one not common."""
        statistics = self._statistics
        most = statistics.total * _COMMON
        stems = [analysis.stemmed.analyze(word)[0] for word in typed]
        rare = {stem: statistics.count("body_stem", stem) <= most for stem in stems}
        for one, other in pairwise(stems):
            if (rare[one] or rare[other]) and one != other:
                near = Q.phrase_query(self._schema, "body_stem", [one, other], slop=1)
                scale = statistics.scale("body_stem", one, other)
                yield "body_stem", Q.boost_query(near, _NEIGHBOURS_LIFT * scale)

    def _typed_words(self, query: WordQuery) -> list[str]:
        """Return the wanted words as indexed, without those that say nothing."""
        text = " ".join(analysis.prepared(word) for word in query.words)
        exact = analysis.exact.analyze(text)
        wanted = [w for w in exact if w not in STOPWORDS] or exact
        return list(dict.fromkeys(wanted))

    def _term(self, field: str, term: str, boost: float) -> tuple[str, tantivy.Query]:
        wanted = Q.term_query(self._schema, field, term, "freq")
        scale = self._statistics.scale(field, term)
        return field, Q.boost_query(wanted, boost * scale)

    def _word(self, word: str) -> Iterator[tuple[str, tantivy.Query]]:
        stem = analysis.stemmed.analyze(word)[0]
        self.terms.exact.add(word)
        self.terms.stems.add(stem)
        for field in STEMMED_FIELDS:
            if self._statistics.count(field, stem):
                yield self._term(field, stem, WEIGHTS[field])
        if self._statistics.count("body", word):
            yield self._term("body", word, WEIGHTS["body"])

    def _known(self, word: str) -> bool:
        """Whether the word stands somewhere as typed.

        Where only passages hold its stem the form may be a slip all the same: the stem
        of "resonably" is that of "resonance".
        """
        stem = analysis.stemmed.analyze(word)[0]
        count = self._statistics.count
        return count("body", word) > 0 or any(
            count(field, stem) > 0 for field in STEMMED_FIELDS if field != "body_stem"
        )

    def _misspelt(self, word: str) -> Iterator[tuple[str, tantivy.Query]]:

        found = guesses(word, self._statistics)
        for guess in found:
            self.terms.guessed[guess] = word
            yield from self._guess(guess)
        if not found and is_guessable(word):
            distance = 2 if len(word) >= LONG else 1
            near = Q.fuzzy_term_query(self._schema, "body", word, distance)
            yield "body", near

    def _guess(self, guess: str) -> Iterator[tuple[str, tantivy.Query]]:
        """Look in two fields only, or frequent guesses would bury the rarer ones."""
        stem = analysis.stemmed.analyze(guess)[0]
        self.terms.exact.add(guess)
        self.terms.stems.add(stem)
        yield self._term("body", guess, _MISSPELT_SHARE * 2)
        yield self._term("title", stem, _MISSPELT_SHARE * WEIGHTS["title"])

    def _prefix(self, prefix: str) -> Iterator[tuple[str, tantivy.Query]]:
        for start in analysis.exact.analyze(analysis.prepared(prefix))[-1:]:
            self.terms.prefixes.add(start)
            for field, boost in (("body", 1.0), ("title", WEIGHTS["title"])):
                for term in self._statistics.most_frequent(field, start, _PREFIX_LIMIT):
                    yield self._term(field, term, boost)

    def _runs(self, text: str) -> Iterator[tuple[str, tantivy.Query]]:
        """Note the runs for marking; a lone character is looked for in every run."""
        for run in analysis.runs_of(text):
            self.terms.runs.update((run, *analysis.pairs_of(run)))
            if len(run) == 1:
                yield self._term("singles", run, WEIGHTS["singles"])

    @staticmethod
    def _phrase(phrase: str) -> Iterator[tuple[str, list[str]]]:
        text = analysis.prepared(phrase)
        exact, stems = analysis.exact.analyze(text), analysis.stemmed.analyze(text)
        for field in _SOMEWHERE if exact else ():
            yield field, exact if field == "body" else stems

    def _in_a_row(self, field: str, terms: Sequence[str]) -> tantivy.Query:
        if len(terms) == 1:  # a phrase of one word makes tantivy panic
            return Q.term_query(self._schema, field, terms[0], "freq")
        return Q.phrase_query(self._schema, field, list(terms))

    def _somewhere(self, phrase: str) -> tantivy.Query:
        places = [self._in_a_row(field, terms) for field, terms in self._phrase(phrase)]
        lone = phrase.strip().lower()
        if analysis.runs_of(lone) == [lone] and len(lone) == 1:
            places.append(Q.term_query(self._schema, "singles", lone, "basic"))
        return Q.const_score_query(any_of(places) if places else Q.empty_query(), 0.0)

    def _filter(self, wanted: Filter) -> tantivy.Query:
        value = normalize("NFC", wanted.value or "").lower()
        match wanted.kind:
            case "tag":
                tag = value.lstrip("#").rstrip("/")
                return Q.term_query(self._schema, "fact", TAG + tag, "basic")
            case "path":
                return self._holding(value, f".*{_literal(value)}.*", lambda path: path)
            case "file":
                pattern = f"(.*/)?[^/]*{_literal(value)}[^/]*"
                return self._holding(
                    value, pattern, lambda path: path.rpartition("/")[2]
                )
            case "property":
                return self._property(wanted.name.lower(), wanted.value)
            case "before" | "after":
                return self._dated(wanted)
            case "among":
                return self._one_of([PATH + path.lower() for path in wanted.paths])

    def _holding(
        self, value: str, pattern: str, part: Callable[[str], str]
    ) -> tantivy.Query:
        """Return what finds the notes whose path, or a part of it, holds a value."""
        if len(value.encode()) <= _LONGEST_PATTERN:
            return _matching(PATH + pattern)
        known = self._searcher.terms_with_prefix("fact", PATH)
        return self._one_of([term for term, _ in known if value in part(term[1:])])

    def _property(self, name: str, value: str | None) -> tantivy.Query:
        """Return what finds a property: there, equal, or holding the value as words."""
        start = f"{PROPERTY}{name}{SEPARATOR}"
        terms = [t for t, _ in self._searcher.terms_with_prefix("fact", start)]
        if value is not None:
            words_of = rf"(?<![^\W_]){re.escape(value.lower())}(?![^\W_])"
            holds = re.compile(words_of).search
            terms = [term for term in terms if holds(term[len(start) :])]
        return self._one_of(terms)

    def _one_of(self, facts: list[str]) -> tantivy.Query:
        if not facts:
            return Q.empty_query()
        return Q.term_set_query(self._schema, "fact", facts)

    def _dated(self, wanted: Filter) -> tantivy.Query:
        if wanted.day is None:
            return Q.empty_query()
        day = day_number(wanted.day.isoformat())
        kind, schema = tantivy.FieldType.Integer, self._schema
        if wanted.kind == "before":
            return Q.range_query(schema, "day", kind, None, day, include_upper=False)
        return Q.range_query(schema, "day", kind, day, None)


def any_of(parts: Sequence[tantivy.Query]) -> tantivy.Query:
    """Return what matches where one of the parts does, their scores added up."""
    if len(parts) == 1:
        return parts[0]
    return Q.boolean_query([(SHOULD, part) for part in parts])


@lru_cache(maxsize=64)
def _matching(pattern: str) -> tantivy.Query:
    """Return what finds facts of a pattern; making it takes milliseconds.

    The agent folder's is asked with every question.
    """
    return Q.regex_query(files.schema(), "fact", pattern)


def _literal(text: str) -> str:
    return "".join(f"\\{c}" if c in _META else c for c in text)
