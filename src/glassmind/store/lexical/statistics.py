"""Word statistics of the passages that a caller can see.

Tantivy counts every passage of the index, hidden and deleted ones too. A caller who
does not see all of them must not learn from a score or from a guessed word what they
say, so every decision about a query goes by the counts here.
"""

import json
from collections.abc import Iterable
from functools import cached_property
from math import fsum, log
from typing import TYPE_CHECKING, Any

import tantivy

from glassmind.store.lexical.place import MARKER_NOTE

if TYPE_CHECKING:
    from glassmind.model.access import Seen

Q = tantivy.Query
MUST, NOT = tantivy.Occur.Must, tantivy.Occur.MustNot

FEW = 500
"""Passages up to which looking at each is faster than a query with a filter, which
takes 0.3 ms however few it finds."""

DIGITS = 3
"""Digits kept of a scaled score. Tantivy computes with 32 bits, so scores of about 10
that should be equal differ by some 0.000002."""

MOST_KEPT = 20_000
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
    return Q.boolean_query([(MUST, query), (NOT if seen.hidden else MUST, these)])


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
        """Return how many visible passages have a term in a field."""
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
        return score if self._is_whole else round(score, DIGITS)

    @cached_property
    def _is_whole(self) -> bool:
        """True if the counts of the index are those of the visible passages."""
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
        told = json.loads(query.explain(self.searcher, hits[0][1]).to_json())
        return int(_detail(told, "N, "))

    def _counted(self, field: str, term: str, indexed: int) -> int:
        query = Q.term_query(self._schema, field, term, "basic")
        if indexed > FEW or self._seen is None or not self._seen.ids:
            return self._found(query)
        hits = self.searcher.search(query, limit=indexed, count=False).hits
        notes = self.searcher.fast_field_values("note", [place for _, place in hits])
        return sum(note is not None and self._seen.has(int(note)) for note in notes)

    def _keep(self, field: str, counts: Iterable[tuple[str, int]]) -> None:
        if len(self._counts) >= MOST_KEPT:
            self._counts.clear()
        self._counts.update(((field, term), count) for term, count in counts)

    def _found(self, query: tantivy.Query) -> int:
        """Return how many visible documents a query finds."""
        query = only_visible(self._schema, query, self._seen)
        found = self.searcher.search(query, limit=1, count=True)
        return int(found.count or 0)  # type: ignore[attr-defined] # no stub


def _idf(count: int, total: int) -> float:
    """Return the inverse document frequency as tantivy defines it."""
    return log(1 + (total - count + 0.5) / (count + 0.5))


def _detail(explanation: dict[str, Any], name: str) -> float:
    """Return a value of an explanation by how its description begins.

    Raises:
        ValueError: there is no such value.
    """
    if explanation["description"].startswith(name):
        return float(explanation["value"])
    for part in explanation.get("details", ()):
        try:
            return _detail(part, name)
        except ValueError:
            continue
    raise ValueError(f"tantivy explains no value {name!r}")
