"""How much a bundle says for its tokens, against the best chunks cut at as many.

What it is held against is the plain way: the chunks of the same search in the order of
their scores, each whole, under the same title, label and receipt, until the budget is
full. One rule for both says which notes count: those of which a sentence or two are
shown, or a passage as a whole.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from glassmind.context.budget import TokenCounter
from glassmind.context.markdown import (
    bundle_as_markdown,
    note_block,
    source_line,
)
from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.metrics import mean
from glassmind.model.context import Bundle, BundleNote, Excerpt
from glassmind.model.evaluation import BundleFigures
from glassmind.model.search import Hit, SearchReply
from glassmind.obsidian.receipts import receipt_of
from glassmind.obsidian.text import iso_time
from glassmind.wiring import LocalAdapters
from glassmind.wiring.context import counter_for

if TYPE_CHECKING:
    from glassmind.engine import Engine

BUDGETS = (1_000, 3_000, 6_000)
"""Tokens: a glance, a part of a prompt, and what a bundle has by default."""

CHUNKS = 60
"""Chunks that are asked for: more than the largest budget holds."""

PER = 1_000
"""Tokens that distinct relevant notes are told of."""

SHOWN_TOKENS = 24
"""Of a note's text, so that it counts where no passage is whole: a sentence. Below it
stand scraps such as the mark of a list, which tell nobody what the note says."""


class _Held(NamedTuple):
    """What a bundle and plain chunks hold for one query.

    The shares of the relevant notes, and how many they are; `right` is whether the
    answer cites one of them, None where there is no answer.
    """

    recall: float
    plain_recall: float
    notes: int
    plain_notes: int
    right: bool | None


def bundle_figures(
    engine: "Engine",
    queries: Sequence[GoldQuery],
    show: Callable[[int, int], None] = lambda _done, _all: None,
    *,
    budgets: Sequence[int] = BUDGETS,
) -> list[BundleFigures]:
    """Return what bundles and plain chunks hold of the relevant notes, by budget.

    Notes that a query is not judged by are filtered away in both; a query whose notes
    no filter can name, or that has no answer then, is passed over.
    """
    asked = [query for query in queries if _can_be_asked(query)]
    counter = counter_for(LocalAdapters(engine.config))()
    found: dict[int, list[_Held]] = {budget: [] for budget in budgets}
    for number, query in enumerate(asked, 1):
        text = _text(query)
        reply = engine.search(text, unique="chunks", limit=CHUNKS)
        for budget in budgets:
            ours = engine.bundles.pack(text, budget_tokens=budget)
            plain = chunks_within(engine, reply, budget, counter)
            found[budget].append(_held(query, ours, plain, counter))
        show(number, len(asked))
    return [_figures(budget, rows) for budget, rows in found.items()]


def _held(
    query: GoldQuery, ours: Bundle, plain: set[str], counter: TokenCounter
) -> _Held:
    relevant, wanted = query.grades.keys(), len(query.grades)
    held, cut = len(relevant & notes_shown(ours, counter)), len(relevant & plain)
    cited = {sentence.path for sentence in ours.answer}
    right = bool(relevant & cited) if cited else None
    return _Held(held / wanted, cut / wanted, held, cut, right)


def _figures(budget: int, rows: Sequence[_Held]) -> BundleFigures:
    scale = PER / budget
    answers = [float(row.right) for row in rows if row.right is not None]
    return BundleFigures(
        budget,
        len(rows),
        mean([row.recall for row in rows]),
        mean([row.plain_recall for row in rows]),
        mean([float(row.notes) for row in rows]) * scale,
        mean([float(row.plain_notes) for row in rows]) * scale,
        len(answers) / len(rows) if rows else 0.0,
        mean(answers) if answers else None,
    )


def _can_be_asked(query: GoldQuery) -> bool:
    named = not any('"' in path for path in query.left_out)
    return named and not query.left_out >= query.grades.keys()


def _text(query: GoldQuery) -> str:
    filters = (f'-path:"{path}"' for path in sorted(query.left_out))
    return " ".join([query.text, *filters])


def notes_shown(bundle: Bundle, counter: TokenCounter) -> set[str]:
    """Return the notes of a bundle that say something: see `SHOWN_TOKENS`."""
    return {
        note.path
        for note in bundle.notes
        if not all(excerpt.trimmed for excerpt in note.excerpts)
        or sum(counter.count(excerpt.text) for excerpt in note.excerpts) >= SHOWN_TOKENS
    }


def chunks_within(
    engine: "Engine", reply: SearchReply, budget_tokens: int, counter: TokenCounter
) -> set[str]:
    """Return the notes whose chunks, best first, fit a budget.

    The last counts where it is cut, if as much of it fits as counts in a bundle.
    """
    frame = Bundle(
        reply.query,
        budget_tokens,
        0,
        counter.name,
        confidence=reply.confidence,
        doubtful=reply.is_doubtful,
        channels=reply.channels,
        intent=reply.intent,
        degraded=reply.degraded,
    )
    left = budget_tokens - counter.count(bundle_as_markdown(frame))
    held: set[str] = set()
    for hit in reply.hits:
        note = _as_note(engine, hit)
        excerpt = note.excerpts[0]
        whole = note_block(note, _number) + source_line(excerpt.receipt, "[10]")
        cost, text = counter.count(whole), counter.count(excerpt.text)
        least = cost - text + min(text, SHOWN_TOKENS)
        if least <= left:
            held.add(hit.path)
        left -= cost
        if left <= 0:
            break
    return held


def _as_note(engine: "Engine", hit: Hit) -> BundleNote:
    _, chunks = engine.chunks(hit.path)
    chunk = chunks[hit.chunk_index]
    under = chunk.heading_path[-1] if chunk.heading_path else ""
    receipt = receipt_of(hit.path, under, chunk.lines, chunk.text)
    excerpt = Excerpt(chunk.heading_path, chunk.lines, chunk.text, receipt)
    day = iso_time(hit.mtime_ns)[:10]
    return BundleNote(
        hit.path, hit.title, day, hit.relevance, "", hit.channels, (excerpt,)
    )


def _number(_: str) -> str:
    return "[10]"
