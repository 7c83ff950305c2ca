"""Long work that steps back behind all other work of the process."""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

STEP_BACK = 10
"""How much less of a busy machine it gets, in the system's own measure."""


def aside(work: Callable[[], T], rest: Callable[[], None]) -> T:
    """Return what some work returns, or raise what it raises, letting others go first.

    It is done in a thread of its own; `rest` is called there in the end, to let go of
    what the thread holds.
    """

    def errand() -> T:
        try:
            return work()
        finally:
            rest()

    with ThreadPoolExecutor(1, "glassmind-aside", _step_back) as pool:
        return pool.submit(errand).result()


def _step_back() -> None:
    if sys.platform == "linux":  # elsewhere the whole process would
        os.nice(STEP_BACK)
