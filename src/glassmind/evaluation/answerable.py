"""Questions that a vault can answer, and the same ones with the answer taken away."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from glassmind.evaluation.calibrate import quality
from glassmind.evaluation.gold import GoldQuery
from glassmind.types.evaluation import Quality

if TYPE_CHECKING:
    from glassmind.engine import Engine
    from glassmind.types.search import SearchReply

NOWHERE = "no such note"
"""What no path holds: both questions of a pair have a filter, so neither stands out."""

LIMIT = 10
"""Hits asked for, as a person would."""


class Posed(NamedTuple):
    """A question to a vault that holds its answer, or does not."""

    query: GoldQuery
    text: str
    answerable: bool


def posed(queries: Sequence[GoldQuery]) -> Iterator[Posed]:
    """Yield each query twice: as it is, and with every relevant note filtered away.

    Notes that a query is not judged by are filtered away in both. A query whose notes
    no filter can name, or that has no answer even so, is passed over.
    """
    for query in queries:
        without = {*query.grades, *query.left_out}
        if (
            any('"' in path for path in without)
            or query.left_out >= query.grades.keys()
        ):
            continue
        yield Posed(query, _filtered(query.text, query.left_out), answerable=True)
        yield Posed(query, _filtered(query.text, without), answerable=False)


def _filtered(text: str, paths: Collection[str]) -> str:
    filters = (f'-path:"{path}"' for path in sorted(paths) or [NOWHERE])
    return " ".join([text, *filters])


def ask_posed(
    engine: "Engine",
    queries: Sequence[GoldQuery],
    show: Callable[[int, int], None] = lambda _done, _all: None,
) -> Iterator[tuple[Posed, "SearchReply"]]:
    """Yield every question of `posed` with what an engine replies to it."""
    asked = list(posed(queries))
    for number, one in enumerate(asked, 1):
        yield one, engine.search(one.text, limit=LIMIT)
        show(number, len(asked))


def confidence_quality(
    engine: "Engine",
    queries: Sequence[GoldQuery],
    show: Callable[[int, int], None] = lambda _done, _all: None,
) -> Quality | None:
    """Return how good an engine's confidence is; None where it gives none."""
    sure, answerable = [], []
    for one, reply in ask_posed(engine, queries, show):
        if reply.confidence is not None:
            sure.append(reply.confidence)
            answerable.append(one.answerable)
    return quality(sure, answerable) if sure else None
