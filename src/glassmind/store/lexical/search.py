"""Searching the keyword index."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from heapq import nsmallest
from math import fsum, log1p
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import tantivy

from glassmind.errors import IndexDamaged, IndexFault
from glassmind.model.access import Seen
from glassmind.model.search import Candidate, WordQuery
from glassmind.store.lexical import analysis
from glassmind.store.lexical.analysis import Marks
from glassmind.store.lexical.files import (
    FOLDER,
    META,
    SHOWN_AS,
    faults_named,
    linked_copy,
    name_term,
    open_index,
    read_marker,
)
from glassmind.store.lexical.query import (
    MUST,
    SHOULD,
    STOPWORDS,
    Composer,
    WordStatistics,
    any_of,
    only_visible,
)

Q = tantivy.Query
_Hit: TypeAlias = tuple[float, tantivy.DocAddress]
_NAME = "the word index"
_LONGEST_NAME, _MOST_WORDS, MOST_NAMESAKES = 8, 40, 200
"""Words of a name, and of a text that is looked through; chunks of namesakes."""

_MOST_CALLERS = 8
"""Callers whose word statistics are kept, each with its own view of the notes."""

_MORE = 4
"""How many times more hits are taken when too many of them were not seen."""

_PUNCTUATION = " .,;:!?\"'()[]{}<>\u201c\u201d\u2018\u2019\u00ab\u00bb\u2026"


class _State:
    """The files of the index as they were at the last look."""

    def __init__(self, place: Path) -> None:
        self.index = open_index(place)
        self.searcher = self.index.searcher()
        self.statistics: dict[Seen | None, WordStatistics] = {}
        self.marker: str | None = None

    def look(self, *, anew: bool) -> None:
        """Read how far the index has come, after opening the latest commit if `anew`.

        Damaged files have come nowhere.
        """
        try:
            with faults_named(_NAME):
                if anew:
                    self.index.reload()
                    self.searcher, self.statistics = self.index.searcher(), {}
                self.marker = read_marker(self.searcher, self.index.schema)
        except IndexDamaged:
            self.marker = None


def _nothing_hidden() -> None:
    return None


class KeywordIndex:
    """The keyword index, open for reading; every note is visible.

    tantivy makes a lock file even to read, so an index in a folder that cannot be
    written is read through a temporary folder of links.
    """

    def __init__(
        self,
        state: _State,
        visible: Callable[[], Seen | None] = _nothing_hidden,
        links: "TemporaryDirectory[str] | None" = None,
    ) -> None:
        self._state, self._visible, self._links = state, visible, links

    @classmethod
    def open(cls, folder: Path) -> "KeywordIndex | None":
        """Return the keyword index of an index folder; None if it cannot be opened."""
        place = folder / FOLDER
        if not (place / META).is_file():
            return None
        try:
            links = None if os.access(place, os.W_OK) else linked_copy(place)
            with faults_named(str(place)):
                return cls(_State(Path(links.name) if links else place), links=links)
        except (IndexFault, OSError):
            return None

    def visible_to(self, visible: Callable[[], Seen]) -> "KeywordIndex":
        """Return a view of this index that finds visible notes only."""
        return KeywordIndex(self._state, visible)

    def reaches(self, head: str) -> bool:
        """Whether it shows everything up to `head`, looking again if need be."""
        if self._state.marker is None:  # most likely it was opened just now
            self._state.look(anew=False)
        if self._state.marker != head:
            self._state.look(anew=True)
        return self._state.marker == head

    @faults_named(_NAME)
    def named(self, text: str) -> list[int]:
        """Return the notes whose whole title or alias stands in a text.

        The longest name first; a part of a name that was found is not looked for.
        """
        typed = text.split()[:_MOST_WORDS]
        taken: set[int] = set()
        found: dict[int, None] = {}
        for length in range(min(_LONGEST_NAME, len(typed)), 0, -1):
            for start in range(len(typed) - length + 1):
                places = range(start, start + length)
                if taken.isdisjoint(places):
                    name = " ".join(typed[start : start + length])
                    if notes := self._called(name):
                        taken.update(places)
                        found.update(dict.fromkeys(notes))
        return list(found)

    def _called(self, name: str) -> list[int]:
        """Return the visible notes of a name; a word that says nothing is none."""
        term, state = name_term(name.strip(_PUNCTUATION)), self._state
        if not term or term in STOPWORDS or not state.searcher.doc_freq("name", term):
            return []
        query = Q.term_query(state.index.schema, "name", term, "basic")
        query = self._only_visible(query)
        hits = state.searcher.search(query, limit=MOST_NAMESAKES, count=False).hits
        return sorted({note for note, _ in self._notes_of(hits)})

    @faults_named(_NAME)
    def standing(self, phrase: str, limit: int) -> tuple[int, list[int]]:
        """Return how many passages hold a phrase, and the notes of the first `limit`.

        A single letter of a script without blanks is no phrase: it stands nowhere.
        """
        terms = analysis.folded(phrase).split()
        if not terms:
            return 0, []
        schema = self._state.index.schema
        query = (
            Q.term_query(schema, "body", terms[0])
            if len(terms) == 1
            else Q.phrase_query(schema, "body", list(terms))
        )
        query = self._only_visible(query)
        found = self._state.searcher.search(query, limit=max(1, limit), count=True)
        known = sorted({note for note, _ in self._notes_of(found.hits[:limit])})
        return int(found.count or 0), known  # type: ignore[attr-defined] # no stub

    def _notes_of(self, hits: Sequence[_Hit]) -> Iterator[tuple[int, float]]:
        """Yield the note and the score of each hit; the marker document has none."""
        places = [place for _, place in hits]
        notes = self._state.searcher.fast_field_values("note", places)
        for note, (score, _) in zip(notes, hits, strict=True):
            if note is not None:
                yield int(note), score

    @faults_named(_NAME)
    def ask(self, query: WordQuery) -> "TantivyQuery":
        """Return the query, ready to be put to the state of the last look."""
        schema = self._state.index.schema
        return TantivyQuery(schema, self._statistics(), query, self._visible())

    def _only_visible(self, query: tantivy.Query) -> tantivy.Query:
        return only_visible(self._state.index.schema, query, self._visible())

    def _statistics(self) -> WordStatistics:
        state, seen = self._state, self._visible()
        known, searcher = state.statistics, state.searcher
        statistics = known.get(seen)
        if statistics is None or statistics.searcher is not searcher:
            if len(known) >= _MOST_CALLERS:
                known.clear()
            statistics = known[seen] = WordStatistics(
                state.index.schema, searcher, seen
            )
        return statistics

    def close(self) -> None:
        """Give the files back; a view leaves them to its owner."""
        if self._links is not None:
            self._links.cleanup()


class TantivyQuery:
    """One query put to one state of the index. Raises IndexDamaged."""

    def __init__(
        self,
        schema: tantivy.Schema,
        statistics: WordStatistics,
        query: WordQuery,
        seen: Seen | None = None,
    ) -> None:
        self._schema, self._statistics, self._seen = schema, statistics, seen
        self._searcher = statistics.searcher
        composer = Composer(schema, statistics)
        self._clauses = list(composer.wanted(query))
        self._conditions = composer.conditions(query)
        terms = composer.terms
        self._marks, self._guessed = Marks(terms), terms.guessed
        self._stems = terms.stems | terms.runs

    @faults_named(_NAME)
    def best(self, limit: int) -> list[Candidate]:
        """Return the best chunks, best first.

        Without any word to look for, what passes the filters comes newest first: by
        the day of its note, and of one day by the last change.
        """
        if not self._clauses:
            return self._newest(limit)
        # flat, not field by field: tantivy skips what cannot be among the best
        parts = [(SHOULD, part) for _, part in self._clauses]
        if self._conditions:
            wanted = Q.boolean_query(parts)
            return self._run(
                Q.boolean_query([(MUST, wanted), *self._conditions]), limit
            )
        return self._run(Q.boolean_query(parts), limit)

    @faults_named(_NAME)
    def allowed(self) -> list[Candidate] | None:
        """Return the chunks that pass filters, phrases and exclusions, if any."""
        if not self._conditions:
            return None
        query = Q.boolean_query([(MUST, Q.all_query()), *self._conditions])
        query = only_visible(self._schema, query, self._seen)
        most = max(1, self._searcher.num_docs)
        hits = self._searcher.search(query, limit=most, count=False).hits
        return self._candidates(hits)

    def coverage(self, text: str) -> float:
        """Return how much of the query's words stand in a text, rare ones first."""
        weights = self._rarities
        if not weights:
            return 0.0
        there = self._finder.stems_in(text)
        found = fsum(weight for stem, weight in weights.items() if stem in there)
        return found / fsum(weights.values())

    @cached_property
    def _finder(self) -> analysis.StemFinder:
        return analysis.StemFinder(self._rarities.keys())

    @cached_property
    def _rarities(self) -> dict[str, float]:
        """The stems of the query's words, each with how rare it is."""
        statistics = self._statistics
        count = max(1, statistics.total)
        return {
            stem: log1p(count / (0.5 + statistics.count("body_stem", stem)))
            for stem in sorted(self._stems)
        }

    @faults_named(_NAME)
    def shares(self, chunk_ids: Sequence[int]) -> dict[int, dict[str, float]]:
        """Return what each field gave to each chunk: one small search per field."""
        shares: dict[int, dict[str, float]] = {chunk: {} for chunk in chunk_ids}
        if not chunk_ids:
            return shares
        these = Q.term_set_query(self._schema, "chunk", list(chunk_ids))
        these = Q.const_score_query(these, 0.0)
        by_field: dict[str, list[tantivy.Query]] = {}
        for field, part in self._clauses:
            by_field.setdefault(SHOWN_AS.get(field, field), []).append(part)
        for name, parts in by_field.items():
            query = Q.boolean_query([(MUST, these), (MUST, any_of(parts))])
            for candidate in self._run(query, len(chunk_ids)):
                fields = shares.get(candidate.chunk_id)
                if fields is None:
                    raise ValueError("it finds chunks that were not asked for")
                fields[name] = fields.get(name, 0.0) + candidate.score
        return shares

    def typed(self, word: str) -> str | None:
        """Return what was typed where `word` was guessed to be meant."""
        return self._guessed.get(word)

    def places(self, text: str) -> list[int]:
        """Return where each term is first met in a text, in order."""
        return self._marks.places(text)

    def mark(self, text: str) -> list[tuple[int, int]]:
        """Return the ranges of characters that match, in order, none overlapping."""
        return self._marks.find(text)

    def _run(self, query: tantivy.Query, limit: int) -> list[Candidate]:
        """Return the best visible passages of a query.

        Where few notes are hidden, more are taken and those left out: a condition
        would keep tantivy from skipping what cannot be among the best.
        """
        seen, most = self._seen, limit
        if seen is None or not seen.hidden:
            query = only_visible(self._schema, query, seen)
            return self._candidates(self._hits(query, limit))
        while True:
            hits = self._hits(query, most)
            candidates = [
                candidate
                for candidate in self._candidates(hits)
                if seen.has(candidate.note_id)
            ]
            if len(candidates) >= limit or len(hits) < most:
                return candidates[:limit]
            most *= _MORE

    def _hits(self, query: tantivy.Query, limit: int) -> Sequence[_Hit]:
        return self._searcher.search(query, limit=limit, count=False).hits

    def _newest(self, limit: int) -> list[Candidate]:
        if not self._conditions:
            return []
        query = Q.boolean_query([(MUST, Q.all_query()), *self._conditions])
        query = only_visible(self._schema, query, self._seen)
        most = max(1, self._searcher.num_docs)
        hits = self._searcher.search(query, limit=most, count=False).hits
        places = [place for _, place in hits]
        fields = ("day", "mtime", "chunk", "note")
        values = [self._searcher.fast_field_values(name, places) for name in fields]
        known = [
            (-int(day), -int(at), int(chunk), int(note))
            for day, at, chunk, note in zip(*values, strict=True)
            if None not in (day, at, chunk, note)
        ]
        newest = nsmallest(limit, known)
        return [Candidate(chunk, note, 0.0) for _, _, chunk, note in newest]

    def _candidates(self, hits: Sequence[_Hit]) -> list[Candidate]:
        places = [place for _, place in hits]
        chunks = self._searcher.fast_field_values("chunk", places)
        notes = self._searcher.fast_field_values("note", places)
        rounded = self._statistics.rounded
        return [
            Candidate(int(chunk), int(note), rounded(score))
            for chunk, note, (score, _) in zip(chunks, notes, hits, strict=True)
            if chunk is not None and note is not None
        ]
