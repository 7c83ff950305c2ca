"""Suggested links: notes that should be linked, why, and the edit that adds the link.

Candidates come from names in the text, from similar notes and from properties without a
link back. All but the last are ranked by one sum of signs. The best are then checked
against the notes on disk: whether the name is still in the prose, and where the link
would go.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush, nlargest
from itertools import chain
from math import fsum, log
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from glassmind.errors import BadLimit, VaultError
from glassmind.files.names import LinkWriter, Names
from glassmind.files.read import VaultFiles
from glassmind.files.settings import obsidian_settings
from glassmind.graph.dismissals import dismissals_for
from glassmind.graph.link_edits import (
    LinkedPage,
    edit_for,
    page_from,
)
from glassmind.graph.link_graph import current_words, link_graph
from glassmind.graph.names import (
    COMMON_WORDS,
    NameMention,
    NameTable,
    Pieces,
    habits_in,
    is_telling,
    mentions_in,
    name_table,
    pieces_of,
    rough_pieces,
)
from glassmind.graph.reciprocal import (
    Missing,
    missing_answers,
    spelling_of,
)
from glassmind.graph.similar import similarity_notices
from glassmind.links.graph import NOWHERE, LinkGraph, common_nodes
from glassmind.model import NotePath
from glassmind.model.suggestions import (
    Mention,
    Sign,
    SignName,
    Suggestion,
    SuggestionKind,
    Suggestions,
    suggestion_key,
)
from glassmind.obsidian.prose import readable_text
from glassmind.search.notes import notes_for
from glassmind.vault import RecentResults, Vault

Strengths: TypeAlias = NDArray[np.float64]
"""A number from 0 to 1 for every node of the link graph."""

WEIGHTS: Final[Mapping[SignName, float]] = {
    "mentions": 0.22,
    "mentioned": 0.22,
    "votes": 0.20,
    "similarity": 0.12,
    "worded": 0.12,
    "wording": 0.12,
}
"""They add up to 1. Learnt on five vaults; see docs/ranking.md."""

KINDS: Final[Mapping[SignName, SuggestionKind]] = {
    "votes": "neighbours",
    "worded": "words",
    "wording": "words",
    "similarity": "similar",
}
"""The kind of a suggestion without a mention, by its strongest sign."""

REASONS: Final[Mapping[SignName, str]] = {
    "mentions": "its name stands in the text without a link",
    "mentioned": "it says this note's name without a link",
    "votes": "notes like this one are linked with it",
    "worded": "it says words of this note's name",
    "wording": "words of its name stand in the text",
    "similarity": "the notes are alike",
}

OPPOSITE: Final[Mapping[SignName, SignName]] = {
    "mentions": "mentioned",
    "mentioned": "mentions",
    "worded": "wording",
    "wording": "worded",
}
"""What a sign is called from the other note; the others are symmetrical."""

LEAST = 0.10
"""A lower score is not a suggestion: in the sample vault a tenth of the offers, and one
in twenty-five of the hidden links, were below it."""

LEAST_OF_VAULT = 0.15
"""The same for a whole vault: in the sample vault none of those below it was right, and
six of the seven above it were."""

MOST = 1_000  # the largest limit
PAGED = 100  # up to this limit candidates are the same: stable pages

CHECKED = 3
"""Candidates of a whole vault for each suggestion: about one name in three is in code
or in a link."""

PRIOR = (0.0, 0.25, 0.6, 0.8)
"""How likely a name of one, two, three words is meant where it stands, before the
vault's links say so: `click` is a verb more often than a library."""

PRIOR_WEIGHT = 3.0  # passages that this prior is worth
INFLECTED = 0.8  # what a plural counts against the name as it was given
LOWER_CASE = 0.5  # a word in small letters where the name has a capital

MOST_MENTIONING, MOST_WORDED = 500, 2_000
"""Passages looked up for a name and for a word of a name."""

VOTERS = 10  # similar notes whose links count
MOST_SHARED = 5  # common notes, common tags and namesakes that are shown
UNKNOWN = -1.0  # the cosine of a note without a vector
ROUNDING = 1e-9  # by how much two sums of the same shares may differ

NO_VECTORS = (
    "nothing is embedded yet, so that notes are compared by their words alone; "
    "glassmind index embeds where a model is chosen"
)
BY_HAND = "; its properties are written so that they have to be edited by hand"


class Facts(Struct, frozen=True, eq=False):
    """Names, words and links of all notes at one state of the index.

    `names` are those of each note, `used` counts the notes in which a link shows some
    words. By node: `words` of the names, `whole` how rare they are together, `offered`
    if it may be suggested, `days` if it is a daily note. `rarity` of a word is from 0
    to 1, `holders` are the nodes whose names have it. `missing` are property links
    without a link back, `spellings` how the vault writes the properties for these.
    """

    net: LinkGraph
    table: NameTable
    names: Mapping[int, Sequence[Pieces]]
    used: Mapping[tuple[Pieces, int], int]
    tags: Mapping[int, frozenset[str]]
    words: Sequence[frozenset[str]]
    rarity: Mapping[str, float]
    holders: Mapping[str, NDArray[np.int64]]
    whole: Strengths
    offered: NDArray[np.bool_]
    days: NDArray[np.bool_]
    pen: LinkWriter
    missing: Sequence[Missing]
    spellings: Mapping[str, str]

    def likelihood(self, name: Pieces, note_id: int, passages: int) -> float:
        """Return how likely a name in so many passages means a note."""
        given = name in self.names.get(note_id, ())
        exact = given or (name, note_id) in self.used
        count = sum(1 for piece in name if piece.isalnum())
        prior = PRIOR[min(count, len(PRIOR) - 1)] if given or not exact else 0.0
        used = self.used.get((name, note_id), 0)
        seen = max(passages, used)
        share = (used + prior * PRIOR_WEIGHT) / (seen + PRIOR_WEIGHT)
        return share if exact else share * INFLECTED


def facts_of(vault: Vault, net: LinkGraph) -> Facts:
    rows = vault.rows()
    settings = obsidian_settings(vault.config.vault.path)
    habits, agents = habits_in(settings), f"{vault.config.writes.agent_dir}/"
    named, anchors = rows.note_names(), rows.anchors()
    names = {
        note_id: tuple(dict.fromkeys(pieces_of(name) for name in given))
        for note_id, given in named
    }
    used = _used(anchors, names)
    texts = chain(
        (name for _, given in named for name in given),
        (_link_name(text) for _, text, _ in anchors),
    )
    words = [
        frozenset(p for name in names.get(note, ()) for p in name if _is_word(p))
        for note in net.ids.tolist()
    ]
    holders: dict[str, list[int]] = {}
    for node, own in enumerate(words):
        for word in own:
            holders.setdefault(word, []).append(node)
    notes = 1 + len(words)
    rarity = {w: log(notes / len(h)) / log(notes) for w, h in holders.items()}
    links = [
        (link.source_id, link.target_id or 0, link.property)
        for link in sorted(rows.links(in_property=True, between_notes=True))
    ]
    missing = missing_answers(links)
    offered = [
        path.endswith(".md")
        and not path.startswith(agents)
        and not habits.is_template(path)
        for path in net.paths
    ]
    return Facts(
        net=net,
        table=name_table(names, used, texts=texts),
        names=names,
        used=used,
        tags={
            note: frozenset(map(str.lower, tags)) for note, tags in rows.tags().items()
        },
        words=words,
        rarity=rarity,
        holders={word: np.array(at, np.int64) for word, at in holders.items()},
        whole=np.array([fsum(rarity[w] for w in own) for own in words], np.float64),
        offered=np.array(offered, np.bool_),
        days=np.array([habits.is_day(path) for path in net.paths], np.bool_),
        pen=LinkWriter(
            Names.of(rows.paths()), rows.writes_markdown(), settings.link_format
        ),
        missing=missing,
        spellings={m.answer: spelling_of(m.answer, links) for m in missing},
    )


def _is_word(piece: str) -> bool:
    return piece.isalnum() and piece not in COMMON_WORDS


def _link_name(text: str) -> str:
    return text.rpartition("/")[2].removesuffix(".md")


def _used(
    anchors: Iterable[tuple[int, str, int]], names: Mapping[int, Sequence[Pieces]]
) -> dict[tuple[Pieces, int], int]:
    """Words that one note used once, and no name of the other has, are not a name."""
    used: dict[tuple[Pieces, int], int] = {}
    for note_id, text, count in anchors:
        pieces = pieces_of(_link_name(text))
        if note_id in names and is_telling(pieces):
            used[pieces, note_id] = used.get((pieces, note_id), 0) + count
    held = {note: {p for name in own for p in name} for note, own in names.items()}
    return {
        (pieces, note): count
        for (pieces, note), count in used.items()
        if count > 1 or not held[note].isdisjoint(set(pieces) - COMMON_WORDS)
    }


def facts_for(vault: Vault) -> Facts:
    key = vault.store.head(), link_graph(vault)
    return vault.part(_recent_facts).get(key, lambda: facts_of(vault, key[1]))


def _recent_facts(_: Vault) -> RecentResults:
    return RecentResults(1)


class Pages:
    """Notes as they are on disk, each read once."""

    def __init__(self, files: VaultFiles) -> None:
        self._files = files
        self._read: dict[NotePath, LinkedPage | None] = {}

    def at(self, path: str) -> LinkedPage | None:
        """Return a note; None if it is gone or not Markdown in UTF-8."""
        known = NotePath(path)
        if known not in self._read:
            try:
                self._read[known] = page_from(known, self._files.read(known))
            except VaultError:
                self._read[known] = None
        return self._read[known]


class NodeCandidates(Struct, frozen=True):
    """What one note says of all others; one that is not `open_` has the score 0."""

    node: int
    open_: NDArray[np.bool_]
    cosines: Strengths
    signs: Mapping[SignName, Strengths]
    scores: Strengths


class PairCandidate(NamedTuple):
    """Two notes that may be linked, seen from `node`.

    `alone` if it may be suggested though neither names the other; `paired` if it is,
    however low its score, because the two are stored as similar. `spot` is where the
    note names the other, `back` where the other names it (known once checked).
    """

    score: float
    node: int
    other: int
    strengths: Mapping[SignName, float]
    cosine: float
    spot: NameMention | None
    alone: bool
    paired: bool
    back: NameMention | None = None


class SuggestionFinder:
    """Finds suggestions for one call, and keeps what it reads until the call ends."""

    def __init__(self, vault: Vault, pages: Pages) -> None:
        self._vault, self.pages = vault, pages
        self.facts = facts_for(vault)
        self.rows = vault.rows()
        self.words = current_words(vault)
        self.dismissed = dismissals_for(vault).now()
        space = self.rows.answering_space()
        parts = [*self.rows.all_vectors(space)] if space else []
        known = np.array([note for notes, _ in parts for note in notes], np.int64)
        nodes = self.facts.net.nodes_of(known)
        raw = np.frombuffer(b"".join(rows for _, rows in parts), "<f4")
        vectors = raw.reshape(-1, space.width if space else 1)
        self._nodes, self._vectors = nodes[nodes >= 0], vectors[nodes >= 0]
        self._spots: dict[int, Mapping[int, NameMention]] = {}
        self._standing: dict[tuple[Pieces, int], tuple[int, NDArray[np.int64]]] = {}

    def outlook(self, node: int) -> NodeCandidates:
        facts, page = self.facts, self.pages.at(self.facts.net.paths[node])
        own = words_in(page) if page else frozenset()
        cosines = self._cosines(node)
        signs: dict[SignName, Strengths] = {
            "mentions": self._mentions(node),
            "mentioned": self._mentioned(node),
            "votes": _votes(facts.net, cosines),
            "similarity": _above_usual(cosines),
            "worded": self._worded(node),
            "wording": _wording(facts, node, own),
        }
        open_ = facts.offered.copy()
        open_[node] = False
        open_[facts.net.around(node)] = False
        total: Strengths = np.zeros(len(facts.net))
        for name, weight in WEIGHTS.items():
            total = total + weight * signs[name]
        return NodeCandidates(node, open_, cosines, signs, np.where(open_, total, 0))

    def _cosines(self, node: int) -> Strengths:
        """Return the cosine of one note with each node; -1 where it is unknown."""
        found = np.full(len(self.facts.net), UNKNOWN)
        own = self._vectors[self._nodes == node]
        if len(own):
            found[self._nodes] = self._vectors @ own[0]
            found[node] = UNKNOWN
        return found

    def spots(self, node: int) -> Mapping[int, NameMention]:
        if node not in self._spots:
            net = self.facts.net
            page = self.pages.at(net.paths[node])
            named = mentions_in(page.note, self.facts.table) if page else {}
            at = {net.node_of(note): spot for note, spot in named.items()}
            self._spots[node] = {n: spot for n, spot in at.items() if n is not None}
        return self._spots[node]

    def _mentions(self, node: int) -> Strengths:
        found, net = np.zeros(len(self.facts.net)), self.facts.net
        for other, spot in self.spots(node).items():
            passages = self._holding(spot.name, 0)[0]
            likely = self.facts.likelihood(spot.name, int(net.ids[other]), passages)
            if len(spot.name) == 1 and spot.text.islower():
                likely *= 1 if net.titles[other].islower() else LOWER_CASE
            found[other] = np.sqrt(likely / len(spot.notes))
        return found

    def _mentioned(self, node: int) -> Strengths:
        found, facts = np.zeros(len(self.facts.net)), self.facts
        note_id = int(facts.net.ids[node])
        for name in facts.table.names_of(note_id):
            count, nodes = self._holding(name, MOST_MENTIONING)
            likely = facts.likelihood(name, note_id, count)
            strength = float(np.sqrt(likely / len(facts.table.notes[name])))
            found[nodes] = np.maximum(found[nodes], strength)
        found[node] = 0
        return found

    def _worded(self, node: int) -> Strengths:
        found: Strengths = np.zeros(len(self.facts.net))
        whole = float(self.facts.whole[node])
        for word in sorted(self.facts.words[node]) if whole else ():
            holding = self._holding((word,), MOST_WORDED)[1]
            found[holding] += self.facts.rarity[word] / whole
        found[node] = 0
        return np.minimum(found, 1) ** 2

    def _holding(self, name: Pieces, limit: int) -> tuple[int, NDArray[np.int64]]:
        key = name, limit
        if key not in self._standing:
            count, notes = 0, list[int]()
            if self.words is not None:
                count, notes = self.words.standing(" ".join(name), limit)
            nodes = self.facts.net.nodes_of(np.array(notes, np.int64)).astype(np.int64)
            self._standing[key] = count, nodes[nodes != NOWHERE]
        return self._standing[key]

    def of_note(self, note: NotePath, limit: int) -> list[Suggestion]:
        node = self.facts.net.node_at(note)
        candidates: Iterable[PairCandidate] = ()
        if node is not None:
            outlook = self.outlook(node)
            paired = np.zeros(len(self.facts.net), np.bool_)
            for pair in self._vault.store.rows().similar_pairs(note):
                other = self.facts.net.node_at(pair.other_path)
                if other is not None:
                    paired[other] = outlook.open_[other]
            candidates = [
                self._candidate(outlook, at, alone=not self._days((node, at)),
                                paired=bool(paired[at]))
                for at in np.flatnonzero((outlook.scores >= LEAST) | paired).tolist()
            ]  # fmt: skip
        return self._best(candidates, note, LEAST, limit)

    def of_vault(self, limit: int) -> list[Suggestion]:
        """In a whole vault, notes not stored as similar have to name each other."""
        most = CHECKED * limit
        similar = self._similar_pairs()
        known = {frozenset(pair) for pair in similar}
        wanted: dict[frozenset[int], tuple[int, int]] = {}
        for pair in [*self._likely_mentions(most), *similar[:most]]:
            wanted.setdefault(frozenset(pair), pair)
        by_node: dict[int, list[int]] = {}
        for pair in wanted.values():
            node, other = pair
            if self.pages.at(self.facts.net.paths[node]) is None:
                node, other = other, node  # a drawing, say, which cannot be edited
            by_node.setdefault(node, []).append(other)
        candidates: list[PairCandidate] = []
        for node, others in sorted(by_node.items()):
            outlook = self.outlook(node)
            for other in others:
                alike = frozenset((node, other)) in known
                paired = alike and bool(outlook.open_[other])
                candidates.append(
                    self._candidate(outlook, other, alone=alike, paired=paired)
                )
        return self._best(candidates, None, LEAST_OF_VAULT, limit)

    def _likely_mentions(self, most: int) -> list[tuple[int, int]]:
        facts = self.facts

        def likely() -> Iterator[tuple[float, int, int]]:
            for node in np.flatnonzero(facts.offered).tolist():
                strengths = np.where(facts.offered, self._mentioned(node), 0)
                strengths[facts.net.around(node)] = 0
                for source in np.flatnonzero(strengths).tolist():
                    yield float(strengths[source]), -source, -node

        return [(-a, -b) for _, a, b in nlargest(most, likely())]

    def _similar_pairs(self) -> list[tuple[int, int]]:
        node_at, found = self.facts.net.node_at, []
        for pair in self._vault.store.rows().similar_pairs():
            node, other = node_at(pair.path), node_at(pair.other_path)
            if node is not None and other is not None and not self._days((node, other)):
                found.append((node, other))
        return found

    def _days(self, nodes: tuple[int, int]) -> bool:
        return all(bool(self.facts.days[node]) for node in nodes)

    def _candidate(
        self, outlook: NodeCandidates, other: int, *, alone: bool, paired: bool
    ) -> PairCandidate:
        strengths = {name: float(sign[other]) for name, sign in outlook.signs.items()}
        return PairCandidate(
            float(outlook.scores[other]),
            outlook.node,
            other,
            strengths,
            float(outlook.cosines[other]),
            self.spots(outlook.node).get(other),
            alone,
            paired,
        )

    def _best(
        self,
        candidates: Iterable[PairCandidate],
        note: NotePath | None,
        least: float,
        limit: int,
    ) -> list[Suggestion]:
        suggestions = list(self._ranked(candidates, least, limit))
        for missing in answers_about(self.facts, note, self.dismissed.has_pair)[:limit]:
            answer = answer_suggested(missing, self.facts, self.pages)
            if answer is not None:
                suggestions.append(answer)
        suggestions.sort(
            key=lambda suggestion: (
                -suggestion.score,
                suggestion.source,
                suggestion.target,
            )
        )
        return suggestions[:limit]

    def _ranked(
        self, candidates: Iterable[PairCandidate], least: float, limit: int
    ) -> Iterator[Suggestion]:
        """Yield the best that hold on disk; what falls goes back into the heap."""
        heap = [
            (
                -pair_candidate.score,
                pair_candidate.node,
                pair_candidate.other,
                pair_candidate,
            )
            for pair_candidate in candidates
        ]
        heapify(heap)
        pairs, places = set[frozenset[int]](), set[tuple[NotePath, int]]()
        while heap and limit:
            _, node, other, candidate = heappop(heap)
            ends = frozenset((node, other))
            path, two = (NotePath(self.facts.net.paths[end]) for end in (node, other))
            if ends in pairs or self.dismissed.has_pair(path, two):
                continue
            if candidate.score < least and not candidate.paired:
                continue
            checked = self._checked(candidate)
            if checked.score < candidate.score - ROUNDING:
                heappush(heap, (-checked.score, node, other, checked))
                continue
            if not (checked.alone or checked.spot or checked.back):
                continue
            pairs.add(ends)
            suggestion = self._suggested(checked)
            place = (
                (suggestion.source, suggestion.mention.bytes[0])
                if suggestion.mention
                else None
            )
            if place is None or place not in places:  # a namesake is in the first
                limit -= 1
                yield suggestion
            if place is not None:
                places.add(place)

    def _checked(self, one: PairCandidate) -> PairCandidate:
        strengths, back, facts = dict(one.strengths), None, self.facts
        if strengths["mentioned"]:
            back = self.spots(one.other).get(one.node)
            strengths["mentioned"] *= back is not None
        page = self.pages.at(facts.net.paths[one.other])
        if strengths["worded"] and page is not None:
            held = facts.words[one.node] & words_in(page)
            share = fsum(facts.rarity[w] for w in held) / float(facts.whole[one.node])
            strengths["worded"] = min(strengths["worded"], min(share, 1.0) ** 2)
        score = fsum(weight * strengths[name] for name, weight in WEIGHTS.items())
        return one._replace(score=score, strengths=strengths, back=back)

    def _suggested(self, one: PairCandidate) -> Suggestion:
        net, tags = self.facts.net, self.facts.tags
        node, other, spot, signs = one.node, one.other, one.spot, _signs(one.strengths)
        if spot is None and (one.back or self.pages.at(net.paths[node]) is None):
            node, other, spot = other, node, one.back
            signs = _from_the_other(signs)
        source, target = NotePath(net.paths[node]), NotePath(net.paths[other])
        mention = None if spot is None else self._mention(spot, other)
        own, theirs = (tags.get(int(net.ids[n]), frozenset()) for n in (node, other))
        best, page = signs[0].name if signs else "similarity", self.pages.at(source)
        return Suggestion(
            key=suggestion_key(source, target),
            kind=KINDS.get(best, "words") if mention is None else "mention",
            source=source,
            source_title=net.titles[node],
            target=target,
            target_title=net.titles[other],
            score=fsum(sign.share for sign in signs),
            reason=_reason(signs, mention, one.cosine),
            signs=signs,
            mention=mention,
            similarity=None if one.cosine == UNKNOWN else one.cosine,
            shared_notes=tuple(
                NotePath(net.paths[shared])
                for shared in common_nodes(net, node, other)[:MOST_SHARED]
            ),
            shared_tags=tuple(sorted(own & theirs))[:MOST_SHARED],
            edit=edit_for(page, target, self.facts.pen, mention=mention)
            if page
            else None,
        )

    def _mention(self, spot: NameMention, meant: int) -> Mention:
        net = self.facts.net
        nodes = (net.node_of(note) for note in spot.notes)
        others = sorted(node for node in nodes if node is not None and node != meant)
        namesakes = tuple(NotePath(net.paths[node]) for node in others[:MOST_SHARED])
        place = spot.start, spot.end
        return Mention(spot.text, spot.line, place, spot.sentence, namesakes)


def words_in(page: LinkedPage) -> frozenset[str]:
    return frozenset(rough_pieces(readable_text(page.note)))


def _wording(facts: Facts, node: int, words: frozenset[str]) -> Strengths:
    found: Strengths = np.zeros(len(facts.net))
    for word in sorted(facts.holders.keys() & words):
        found[facts.holders[word]] += facts.rarity[word]
    found[node] = 0
    return np.divide(found, facts.whole, out=found, where=found > 0) ** 2


def _votes(net: LinkGraph, cosines: Strengths) -> Strengths:
    found: Strengths = np.zeros(len(net))
    voters = np.argsort(-cosines, kind="stable")[:VOTERS]
    weights = np.maximum(cosines[voters], 0)
    whole = float(weights.sum())
    for voter, weight in zip(voters.tolist(), weights.tolist(), strict=True):
        if weight:
            found[net.around(voter)] += weight / whole
    return np.sqrt(found)


def _above_usual(cosines: Strengths) -> Strengths:
    known = cosines[cosines > UNKNOWN]
    if not len(known):
        return np.zeros(len(cosines))
    usual = min(float(np.median(known)), 0.99)
    return np.clip((cosines - usual) / (1 - usual), 0, 1)


def _signs(strengths: Mapping[SignName, float]) -> tuple[Sign, ...]:
    signs = [
        Sign(name, strengths[name], weight * strengths[name], REASONS[name])
        for name, weight in WEIGHTS.items()
        if strengths[name] > 0
    ]
    return tuple(sorted(signs, key=lambda sign: -sign.share))


def _from_the_other(signs: Sequence[Sign]) -> tuple[Sign, ...]:
    turned = []
    for sign in signs:
        name = OPPOSITE.get(sign.name, sign.name)
        reason = REASONS[name]
        if name == "votes":
            reason = "it is linked with notes like that one"
        turned.append(Sign(name, sign.strength, sign.share, reason))
    return tuple(turned)


def _reason(signs: Sequence[Sign], mention: Mention | None, cosine: float) -> str:
    if mention is None:
        reasons = [sign.reason for sign in signs[:2]] or [REASONS["similarity"]]
        alike = REASONS["similarity"] in reasons
        more = f" ({cosine:.2f})" if alike and cosine > 0 else ""
        return f"{' and '.join(reasons)}{more}"
    reason = f"it says {mention.text!r} on line {mention.line} without a link"
    if not mention.namesakes:
        return reason
    first, *paths = mention.namesakes
    more = " and others have" if paths else " has"
    return f"{reason}, a name that {first}{more} too"


def answers_about(
    facts: Facts,
    note: NotePath | None,
    is_dismissed: Callable[[NotePath, NotePath], bool],
) -> list[Missing]:
    """Return the missing links back, of one note both ways, the surest first."""
    missings = []
    for missing in facts.missing:
        nodes = [facts.net.node_of(end) for end in (missing.source, missing.target)]
        paths = [
            NotePath(facts.net.paths[node])
            for node in nodes
            if node is not None and facts.offered[node]
        ]
        if len(paths) < len(nodes) or is_dismissed(paths[0], paths[1]):
            continue
        if note is None or note in paths:
            missings.append(missing)
    return missings


def answer_suggested(missing: Missing, facts: Facts, pages: Pages) -> Suggestion | None:
    """Return a missing link back as a suggestion; None if a note is gone by now."""
    net = facts.net
    asking, asked = net.node_of(missing.source), net.node_of(missing.target)
    if asking is None or asked is None:
        return None
    source, target = NotePath(net.paths[asked]), NotePath(net.paths[asking])
    page = pages.at(source)
    name = facts.spellings.get(missing.answer, missing.answer)
    reason = (
        f"{net.titles[asking]} has it as {missing.asked}, and "
        f"its own {name} does not lead back"
    )
    edit = edit_for(page, target, facts.pen, name=name) if page else None
    if edit is None:
        reason += BY_HAND
    return Suggestion(
        key=suggestion_key(source, target, name),
        kind="reciprocal",
        source=source,
        source_title=net.titles[asked],
        target=target,
        target_title=net.titles[asking],
        score=missing.sure,
        reason=reason,
        signs=(Sign("reciprocal", missing.sure, missing.sure, reason),),
        property=name,
        edit=edit,
    )


def suggest(vault: Vault, name: str | None = None, *, limit: int = 20) -> Suggestions:
    """Return what should be linked; see `suggestions_for`. Nothing is written."""
    note = None if name is None else notes_for(vault).find(name)
    return suggestions_for(vault, note, limit=limit)


def suggestions_for(vault: Vault, note: NotePath | None, *, limit: int) -> Suggestions:
    """Return what should be linked, best first, each with the edit that would do it."""
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    with vault.files() as files:
        finder = SuggestionFinder(vault, Pages(files))
        if note is None:
            suggestions = finder.of_vault(PAGED if limit <= PAGED else MOST)[:limit]
        else:
            suggestions = finder.of_note(note, limit)
    return Suggestions(note, tuple(suggestions), tuple(_unknown(vault, note)))


def _unknown(vault: Vault, note: NotePath | None) -> Iterator[str]:
    if vault.rows().answering_space() is None:
        yield NO_VECTORS
    elif note is None:
        yield from similarity_notices(vault)
        return
    yield from dismissals_for(vault).now().problems
