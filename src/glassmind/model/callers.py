"""Whom work is done for, where one engine serves many: said around each call."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CALLER: ContextVar[str] = ContextVar("caller", default="")
"""Who asks now, in this thread; empty where it is whom the engine was opened for."""


@contextmanager
def known_as(name: str) -> Iterator[None]:
    """Have all that is handed out inside go on record as handed to `name`."""
    token = CALLER.set(name)
    try:
        yield
    finally:
        CALLER.reset(token)
