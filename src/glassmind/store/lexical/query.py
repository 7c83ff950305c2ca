"""From a taken-apart query to a tantivy query.

A hit's score is a plain sum over fields and words, so the shares of its fields add up
to it. Queries are built as objects, never as text: no punctuation can mean anything.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from unicodedata import normalize

import tantivy

from glassmind.model.search import Filter, WordQuery
from glassmind.store.lexical import fields, words
from glassmind.store.lexical.fields import (
    PATH,
    PROPERTY,
    SEPARATOR,
    STEMMED_FIELDS,
    TAG,
    WEIGHTS,
    day_number,
    name_term,
)
from glassmind.store.lexical.marks import Terms
from glassmind.store.lexical.statistics import WordStatistics

Q = tantivy.Query
MUST, SHOULD, NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot

NEIGHBOURS_LIFT = 0.6
"""What two query words standing next to each other add, relative to the words alone."""

COMMON = 0.05
"""Share of the passages from which a word is common. Two common words together say
little and cost most: leaving them out changes nDCG@10 by .002 (docs/ranking.md)."""

PREFIX_LIMIT = 50
"""Most words a prefix stands for, the most frequent first."""

MISSPELT_SHARE = 0.7
"""What a guessed word counts against one that stands as typed."""

SOMEWHERE = ("body", "title", "aliases", "headings", "tags", "properties")
"""The fields a phrase may stand in."""

LONGEST_PATTERN = 100
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
        self.terms = Terms()

    def conditions(self, query: WordQuery) -> list[tuple[tantivy.Occur, tantivy.Query]]:
        """Return what a chunk must and must not be; adds nothing to any score."""
        found = [(MUST, self._somewhere(phrase)) for phrase in query.phrases]
        found += [(NOT, self._somewhere(phrase)) for phrase in query.excluded]
        for condition in query.filters:
            wanted = Q.const_score_query(self._filter(condition), 0.0)
            found.append((NOT if condition.negated else MUST, wanted))
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
            self.terms.exact.update(words.exact.analyze(words.spaced_part(phrase)))
            for field, terms in self._phrase(phrase):
                wanted = self._in_a_row(field, terms)
                scale = self._statistics.scale(field, *terms)
                yield field, Q.boost_query(wanted, WEIGHTS[field] * scale)

    def _whole_name(self, query: WordQuery) -> Iterator[tuple[str, tantivy.Query]]:
        """Lift the note that is called just what was typed."""
        name = name_term(" ".join(query.words))
        if name and self._statistics.count("name", name):
            wanted = Q.term_query(self._schema, "name", name, "basic")
            scale = self._statistics.scale("name", name)
            yield "name", Q.boost_query(wanted, WEIGHTS["name"] * scale)

    def _neighbours(self, typed: Sequence[str]) -> Iterator[tuple[str, tantivy.Query]]:
        """Lift passages where two of the words stand together, one not common."""
        statistics = self._statistics
        most = statistics.total * COMMON
        stems = [words.stemmed.analyze(word)[0] for word in typed]
        rare = {stem: statistics.count("body_stem", stem) <= most for stem in stems}
        for one, other in pairwise(stems):
            if (rare[one] or rare[other]) and one != other:
                near = Q.phrase_query(self._schema, "body_stem", [one, other], slop=1)
                scale = statistics.scale("body_stem", one, other)
                yield "body_stem", Q.boost_query(near, NEIGHBOURS_LIFT * scale)

    def _typed_words(self, query: WordQuery) -> list[str]:
        """Return the wanted words as indexed, without those that say nothing."""
        text = " ".join(words.prepared(word) for word in query.words)
        exact = words.exact.analyze(text)
        wanted = [w for w in exact if w not in STOPWORDS] or exact
        return list(dict.fromkeys(wanted))

    def _term(self, field: str, term: str, boost: float) -> tuple[str, tantivy.Query]:
        wanted = Q.term_query(self._schema, field, term, "freq")
        scale = self._statistics.scale(field, term)
        return field, Q.boost_query(wanted, boost * scale)

    def _word(self, word: str) -> Iterator[tuple[str, tantivy.Query]]:
        stem = words.stemmed.analyze(word)[0]
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
        stem = words.stemmed.analyze(word)[0]
        count = self._statistics.count
        return count("body", word) > 0 or any(
            count(field, stem) > 0 for field in STEMMED_FIELDS if field != "body_stem"
        )

    def _misspelt(self, word: str) -> Iterator[tuple[str, tantivy.Query]]:
        from glassmind.store.lexical import spelling  # noqa: PLC0415 - rare

        guesses = spelling.guesses(word, self._statistics)
        for guess in guesses:
            self.terms.guessed[guess] = word
            yield from self._guess(guess)
        if not guesses and spelling.is_guessable(word):
            distance = 2 if len(word) >= spelling.LONG else 1
            near = Q.fuzzy_term_query(self._schema, "body", word, distance)
            yield "body", near

    def _guess(self, guess: str) -> Iterator[tuple[str, tantivy.Query]]:
        """Look in two fields only, or frequent guesses would bury the rarer ones."""
        stem = words.stemmed.analyze(guess)[0]
        self.terms.exact.add(guess)
        self.terms.stems.add(stem)
        yield self._term("body", guess, MISSPELT_SHARE * 2)
        yield self._term("title", stem, MISSPELT_SHARE * WEIGHTS["title"])

    def _prefix(self, prefix: str) -> Iterator[tuple[str, tantivy.Query]]:
        for start in words.exact.analyze(words.prepared(prefix))[-1:]:
            self.terms.prefixes.add(start)
            for field, boost in (("body", 1.0), ("title", WEIGHTS["title"])):
                for term in self._statistics.most_frequent(field, start, PREFIX_LIMIT):
                    yield self._term(field, term, boost)

    def _runs(self, text: str) -> Iterator[tuple[str, tantivy.Query]]:
        """Note the runs for marking; a lone character is looked for in every run."""
        for run in words.runs_of(text):
            self.terms.runs.update((run, *words.pairs_of(run)))
            if len(run) == 1:
                yield self._term("singles", run, WEIGHTS["singles"])

    @staticmethod
    def _phrase(phrase: str) -> Iterator[tuple[str, list[str]]]:
        """Yield each field with the terms of a phrase in it."""
        text = words.prepared(phrase)
        exact, stems = words.exact.analyze(text), words.stemmed.analyze(text)
        for field in SOMEWHERE if exact else ():
            yield field, exact if field == "body" else stems

    def _in_a_row(self, field: str, terms: Sequence[str]) -> tantivy.Query:
        if len(terms) == 1:  # a phrase of one word makes tantivy panic
            return Q.term_query(self._schema, field, terms[0], "freq")
        return Q.phrase_query(self._schema, field, list(terms))

    def _somewhere(self, phrase: str) -> tantivy.Query:
        places = [self._in_a_row(field, terms) for field, terms in self._phrase(phrase)]
        lone = phrase.strip().lower()
        if words.runs_of(lone) == [lone] and len(lone) == 1:
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
        if len(value.encode()) <= LONGEST_PATTERN:
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
        number = day_number(wanted.day.isoformat())
        kind, schema = tantivy.FieldType.Integer, self._schema
        if wanted.kind == "before":
            return Q.range_query(schema, "day", kind, None, number, include_upper=False)
        return Q.range_query(schema, "day", kind, number, None)


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
    return Q.regex_query(fields.schema(), "fact", pattern)


def _literal(text: str) -> str:
    return "".join(f"\\{c}" if c in _META else c for c in text)
