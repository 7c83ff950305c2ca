"""A request that was understood, and what answers it."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from glassmind.engine import Engine
from glassmind.surfaces.http.answers_talk import Talk
from glassmind.surfaces.http.jobs import Job, Jobs
from glassmind.surfaces.http.meter import Meter
from glassmind.surfaces.http.replies import Reply
from glassmind.surfaces.mcp.tool import Argument


class Desk(NamedTuple):
    """What every route may use."""

    engine: Engine
    jobs: Jobs
    meter: Meter
    lock: threading.Lock
    kept: dict[str, Any]
    """What is answered from memory for a moment, by name."""


class Asked(NamedTuple):
    """One request; `known` tells that it showed the token.

    `accept` is what its header says of the kinds of answers it would rather have.
    """

    desk: Desk
    given: Mapping[str, Any]
    known: bool
    accept: str = ""

    @property
    def engine(self) -> Engine:
        """The vault that is asked."""
        return self.desk.engine


class Route(NamedTuple):
    """One path: what it takes, what answers, and how that looks.

    `run` is called in a thread; a job in place of an answer is waited for, and a talk
    answers in a thread of its own, which a model may hold for long. `schema` names the
    shape of an answer in `schemas`, and `fails` are statuses beyond those of every
    route; `other_types` are those of other shapes that may be asked for. One that
    is `quick` never waits behind searches. `called` is what the operation is called
    where its path has the beginning of another.
    """

    method: str
    path: str
    doc: str
    run: Callable[[Asked], Reply | Job | Talk]
    schema: str
    arguments: tuple[Argument, ...] = ()
    fails: tuple[int, ...] = ()
    media_type: str = "application/json"
    other_types: tuple[str, ...] = ()
    quick: bool = False
    called: str = ""

    @property
    def name(self) -> str:
        """What the operation is called, such as `get_notes`."""
        return self.called or (
            f"{self.method.lower()}_{self.path.strip('/').partition('/{')[0]}".replace(
                "/", "_"
            ).replace(".json", "")
        )
