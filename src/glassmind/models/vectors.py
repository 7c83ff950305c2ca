"""Vectors brought to unit length."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from glassmind.models.cards import ModelCard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from glassmind.model.vectors import Vector


def unit(vector: "NDArray[np.floating]") -> "Vector":
    """Return a vector of length one in the same direction.

    A vector without direction, of an empty text, points along the first axis.
    """
    import numpy as np  # noqa: PLC0415 - not to list models

    made = np.asarray(vector, dtype=np.float32)
    length = np.linalg.norm(made)
    if not length > 0:
        made = np.zeros_like(made)
        made[0] = 1.0
        return made
    return made / length


VERSION = 1  # raised when text is cut, pooled or prefixed in another way than before
SHOWN = 16  # digits of a sha256: enough that no two files of models share them


def space_of(card: ModelCard, weights: str) -> str:
    """Return the name of the space that a model's vectors lie in."""
    return " ".join(
        [
            f"{card.id}@{weights[:SHOWN]}",
            f"{card.width} wide",
            f"{card.pooling} of {card.window}",
            f"{card.query_prefix!r} {card.passage_prefix!r}",
            f"v{VERSION}",
        ]
    )


In = TypeVar("In")
Out = TypeVar("Out")

AHEAD = 2  # pieces of work under way for each thread: one at work, one waiting for it


def usable_cores() -> int:
    try:
        return len(os.sched_getaffinity(0)) or 1
    except AttributeError:  # neither macOS nor Windows ties a process to cores
        return os.cpu_count() or 1


def in_order(
    work: Callable[[In], Out], items: Iterable[In], *, threads: int, ahead: int = AHEAD
) -> Iterator[Out]:
    """Yield the result of each item, in their order, working on a few at once.

    Nothing is begun before the first result is asked for, and at most `ahead` items for
    each thread are begun before they are. When the caller has enough, what has not been
    begun is dropped. An error is raised where its result would stand.
    """
    if threads <= 1:
        yield from map(work, items)
        return
    waiting: deque[Future[Out]] = deque()
    pool = ThreadPoolExecutor(threads, "glassmind-model")
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= threads * ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
