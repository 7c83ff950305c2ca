"""Search by keywords, meaning, links and days at once.

Keywords and meaning vote first, side by side. Their best lead the other channels. All
votes become one ranking of notes, which a few bounded adjustments and, if wanted, a
cross-encoder correct.
"""

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from glassmind.errors import GlassmindError
from glassmind.model import NotePath
from glassmind.model.search import (
    Adjustment,
    AdjustmentName,
    ChannelName,
    Hit,
    SearchReply,
)
from glassmind.search import channels
from glassmind.search.confidence import signals_of
from glassmind.search.hits import hits_of
from glassmind.search.intent import Guess
from glassmind.search.plan import (
    RANKS_ALONE,
    Run,
    guess_for,
    understand,
)
from glassmind.search.query import Question, unheeded
from glassmind.search.ranking import (
    CANDIDATES,
    COLD,
    LIFTS,
    RRF_K,
    Ranking,
    Weights,
    adjust,
    fuse,
    losses,
    rerank,
    stretch_of,
    votes_for,
    with_facts,
)
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.store.protocol import Keywords

NEAR, FAR = 50, 500
"""Hits that a steady answer is made of: of up to so many by one search, and the rest by
one that reaches further."""

ADJUSTED = 50  # notes, from the best, that adjustments look at
LEADERS: tuple[ChannelName, ...] = ("lexical", "semantic")
"""The channels that are asked first, and lead others."""


def search(
    vault: Vault, index: "Keywords", question: Question, reach: int
) -> SearchReply:
    """Return the hits for a question; `reach` is how many hits channels look for.

    Raises NoteNotFound, AmbiguousName or IndexDamaged.
    """
    run, ranking = run_search(vault, index, question, reach)
    hits = tuple(hits_of(run, ranking))
    degraded = list(run.degraded)
    if run.semantic is not None:
        try:
            degraded += filter(None, [run.models.lag()])
        except GlassmindError as error:
            degraded.append(str(error))
    degraded += unheeded(run.wish, by_meaning=run.vector is not None)
    curve = run.models.curve() if "semantic" in run.votes else None
    return SearchReply(
        question.text,
        hits,
        tuple(degraded),
        run.wish.mode,
        run.intent,
        None if curve is None else curve.probability(signals_of(run, hits)),
        channels=tuple(n for n in run.channels if n in run.votes and n in run.weights),
        reranked=run.reranked,
        semantic_failure=run.failed.get("semantic", ""),
    )


def steady_search(vault: Vault, index: "Keywords", question: Question) -> SearchReply:
    """Return hits of which a shorter answer is always the beginning."""
    wish = question.wish
    near = search(vault, index, question, NEAR)
    if not NEAR <= len(near.hits) < wish.limit:
        return near
    rest = question._replace(wish=wish._replace(facts=False))  # they are in the first
    far = search(vault, index, rest, FAR)

    def place(hit: Hit) -> tuple[NotePath, int]:
        return hit.path, 0 if wish.unique == "notes" else hit.chunk_index

    shown = {place(hit) for hit in near.hits}
    behind = (hit for hit in far.hits if place(hit) not in shown)
    return near._replace(hits=(*near.hits, *behind)[: wish.limit])


def run_search(
    vault: Vault, index: "Keywords", question: Question, reach: int
) -> tuple[Run, Ranking]:
    """Ask the channels, and rank what they found."""
    run = Run(vault, index, question, channels.CHANNELS, reach)
    guess = ask_leaders(run)
    understand(run, guess, lambda: list(leading_notes(run)))
    run.leaders = list(leading_notes(run).items())
    for name in run.channels:
        if name in run.weights and name not in LEADERS:
            run.ask(name)
    ranking = fused(run, run.channels, run.weights)
    add_adjustments(run, ranking)
    if run.intent == "backlink":  # the note asked about is not an answer
        ranking.drop([k for k in ranking.keys if ranking.notes[k] in run.roots])
    if run.wish.rerank == "on":
        add_verdicts(run, ranking)
    lower_superseded(run, ranking)
    return run, ranking


def ask_leaders(run: Run) -> Guess | None:
    """Ask keywords and meaning, side by side; return the intent that rules guess.

    Raises IndexDamaged.
    """
    for channel in reversed(run.channels.values()):  # those that wait for others first
        channel.begin()
    semantic = threading.Thread(target=run.ask, args=("semantic",), name="semantic")
    if run.semantic is not None:
        semantic.start()
    try:
        if run.weights.keys() & {"lexical", "graph", "implicit"}:
            run.votes["lexical"] = list(run.channels["lexical"].candidates())
        return guess_for(run)
    finally:
        if run.semantic is not None:
            semantic.join()


def leading_notes(run: Run) -> dict[int, float]:
    """Return the notes that keywords and meaning found, with their scores.

    They lead other channels even where they have no vote themselves.
    """
    weights = {**dict.fromkeys(LEADERS, 1.0), **run.weights}
    return fused(run, LEADERS, weights).by_note()


def fused(run: Run, names: Iterable[ChannelName], weights: Weights) -> Ranking:
    """Return one ranking of notes, or of chunks, from the votes of some channels."""
    voting = [name for name in names if name in run.votes and weights.get(name)]
    notes: dict[int, int] = {}
    best_chunks: dict[int, int] | None = None
    if run.wish.unique == "chunks":
        best_chunks = {}
        for name in LEADERS:
            for chunk, note, _ in run.votes.get(name, ()):
                best_chunks.setdefault(note, chunk)
        notes = {chunk: note for name in voting for chunk, note, _ in run.votes[name]}
        notes.update({chunk: note for note, chunk in best_chunks.items()})
    votes = {name: votes_for(run.votes[name], run.pool, best_chunks) for name in voting}
    if best_chunks is None:
        notes = {key: key for found in votes.values() for key in found.scores}
    if run.fact_cosines and votes.get("semantic"):
        votes["semantic"] = with_facts(votes["semantic"], run.fact_cosines)
    scores = {name: found.scores for name, found in votes.items()}
    shares = fuse(run.wish.fusion, scores, weights)
    chunks = {name: found.chunks for name, found in votes.items()}
    return Ranking(shares, {**notes, **{key: key for key in run.facts}}, chunks)


def lifts_of(run: Run) -> Mapping[AdjustmentName, float]:
    fusion, settings = run.wish.fusion, run.vault.config
    hot, pinned = settings.memory.hot_weight, settings.memory.pinned_weight
    lifts = {**LIFTS, "hot": hot, "pinned": pinned}
    if fusion in RANKS_ALONE:  # where the best has 1 / 61 a channel
        lifts = {name: lift / (RRF_K + 1) for name, lift in lifts.items()}
    if fusion == "weighted_sum":
        lifts["recency"] = settings.search.recency_weight
        lifts["tag"] = settings.search.tag_weight
    if run.is_about_days and "recent" in run.weights:
        lifts["recency"] = 0.0  # the day of a note says what is newer
    return lifts


def add_adjustments(run: Run, ranking: Ranking) -> None:
    """Add what lifts the best notes, such as a recent change; drop what is gone."""
    lifts = lifts_of(run)
    if not any(lifts.values()):
        return
    head = [key for key in ranking.keys[:ADJUSTED] if key not in run.facts]
    notes = [ranking.notes[key] for key in head]
    changed = {file.id: file.mtime_ns for file in run.rows.files(ids=notes)}
    tags = run.rows.tags(notes) if lifts.get("tag") else {}
    by_activity = lifts.get("hot") or lifts.get("pinned")
    activity = run.vault.hooks.activity(run.vault) if by_activity else {}
    adjustments: dict[int, list[Adjustment]] = {}
    for key in head:
        note = ranking.notes[key]
        if note in changed:
            facts = (changed[note], tags.get(note, ()))
            active = activity.get(note, COLD)
            adjustments[key] = adjust(facts, active, run.text, lifts, run.today)
    ranking.drop([key for key in head if key not in adjustments])
    ranking.add(adjustments)


def add_verdicts(run: Run, ranking: Ranking) -> None:
    best = {k: c[0] for k in ranking.keys[:CANDIDATES] if (c := ranking.chunks_of(k))}
    rows = run.rows.hit_rows([chunk for chunk in best.values() if chunk > 0])
    chunks = {**run.facts, **rows}
    texts = {key: chunks[chunk].text for key, chunk in best.items() if chunk in chunks}
    rest = (ranking.scores[key] for key in ranking.keys if key not in texts)
    try:
        adjustments = rerank(
            run.text,
            [stretch_of(text, run.query.places(text)) for text in texts.values()],
            [ranking.scores[key] for key in texts],
            run.models.reranker,
            budget_s=run.vault.config.search.rerank_budget_ms / 1000,
            floor=next(rest, 0.0),
        )
    except GlassmindError as error:
        run.degraded.append(f"rerank: {error}")
        return
    run.reranked = len(adjustments)
    ranking.add(
        {key: [adjustment] for key, adjustment in zip(texts, adjustments, strict=False)}
    )


def lower_superseded(run: Run, ranking: Ranking) -> None:
    """Put notes below those that took their place.

    Last of all, so that nothing puts the old above the new again.
    """
    reader, loss = run.vault.store, lifts_of(run).get("superseded", 0.0)
    successors = reader.successors()
    if not successors or not loss:
        return
    lost = losses(ranking.by_note(), successors, loss)
    superseded = [key for key in ranking.keys if ranking.notes[key] in lost]
    ranking.add({key: [lost[ranking.notes[key]]] for key in superseded})
