"""Questions that a vault can answer, and questions that it cannot.

Of the latter there are two kinds. The same questions with the answer taken away are the
harder: what stands next to an answer is often half of one. Questions of strangers are
about things in hardly any vault, which is what a person means by "nothing there".
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from calibrate import Quality, quality
from strange_questions import STRANGERS

from glassmind.evaluation.gold import GoldQuery
from glassmind.search.query import plain

if TYPE_CHECKING:
    from glassmind.engine import Engine
    from glassmind.model.search import SearchReply

NOWHERE = "no such note"
"""What no path holds: both questions of a pair have a filter, so neither stands out."""

LIMIT = 10
"""Hits asked for, as a person would."""


KINDS = ("taken away", "strangers")
"""Why a question has no answer."""


class Posed(NamedTuple):
    """A question to a vault that holds its answer, or `lacking` says why not."""

    text: str
    lacking: str = ""

    @property
    def answerable(self) -> bool:
        """Whether the vault holds an answer."""
        return not self.lacking


def posed(
    queries: Sequence[GoldQuery], strangers: Sequence[str] = STRANGERS
) -> Iterator[Posed]:
    """Yield each query as it is, and with every relevant note filtered away; then more.

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
        yield Posed(_filtered(query.text, query.left_out))
        yield Posed(_filtered(query.text, without), KINDS[0])
    for text in strangers:
        yield Posed(_filtered(plain(text), ()), KINDS[1])


def _filtered(text: str, paths: Collection[str]) -> str:
    filters = (f'-path:"{path}"' for path in sorted(paths) or [NOWHERE])
    return " ".join([text, *filters])


def ask_posed(
    engine: "Engine",
    queries: Sequence[GoldQuery],
    show: Callable[[int, int], None] = lambda _done, _all: None,
    *,
    strangers: Sequence[str] = STRANGERS,
) -> Iterator[tuple[Posed, "SearchReply"]]:
    """Yield every question of `posed` with what an engine replies to it."""
    asked = list(posed(queries, strangers))
    for number, one in enumerate(asked, 1):
        yield one, engine.search(one.text, limit=LIMIT)
        show(number, len(asked))


def confidence_quality(
    engine: "Engine",
    queries: Sequence[GoldQuery],
    show: Callable[[int, int], None] = lambda _done, _all: None,
) -> dict[str, Quality]:
    """Return how good an engine's confidence is, against each kind without an answer.

    Empty where it gives none.
    """
    sure: dict[str, list[float]] = {}
    for one, reply in ask_posed(engine, queries, show):
        if reply.confidence is not None:
            sure.setdefault(one.lacking, []).append(reply.confidence)
    there = sure.pop("", [])
    return {
        kind: quality([*there, *away], [True] * len(there) + [False] * len(away))
        for kind, away in sure.items()
    }
