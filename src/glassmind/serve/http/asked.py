"""Routes, and requests whose arguments were read."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from glassmind.engine import Engine
from glassmind.operations.registry import Operation
from glassmind.serve.http import limits
from glassmind.serve.http.jobs import Job, Jobs
from glassmind.serve.http.metrics import Metrics
from glassmind.serve.http.replies import Reply
from glassmind.serve.http.security import ANONYMOUS, Identity
from glassmind.serve.http.streams import Stream
from glassmind.serve.mcp.tool import Argument
from glassmind.types.access import Scope


class Desk(NamedTuple):
    """What every route may use: an engine that sees what the caller may.

    `whole` sees everything; what it finds is stored in the index and not sent.
    """

    engine: Engine
    whole: Engine
    jobs: Jobs
    metrics: Metrics
    lock: threading.Lock
    kept: dict[Scope, tuple[float, dict[str, Any]]]
    """The last health report for each scope, and when it was made."""


class Asked(NamedTuple):
    """One request; `known` if it came with a valid token, and `identity` whose.

    `accept` is its `Accept` header.
    """

    desk: Desk
    given: Mapping[str, Any]
    known: bool
    accept: str = ""
    identity: Identity = ANONYMOUS

    @property
    def engine(self) -> Engine:
        """The engine, which sees what the caller may."""
        return self.desk.engine


USUAL = "http"
"""The name on record of a client that gives none."""

ANY = "any"
"""In place of toolsets: every client may use the route."""


class Route(NamedTuple):
    """One path and method, its arguments, and the function that answers.

    `run` is called in a thread; it may return a job, which is waited for, or a stream,
    which runs in a thread of its own. `schema` names the response in `schemas`, and
    `fails` are statuses beyond those of every route. A `quick` route never waits behind
    searches. `called` replaces the operation id that is made from the path. `sets` are
    toolsets: clients that may use one of them may use the route, and without any only
    the owner of the vault's token may.
    """

    method: str
    path: str
    doc: str
    run: Callable[[Asked], Reply | Job | Stream]
    schema: str
    arguments: tuple[Argument, ...] = ()
    fails: tuple[int, ...] = ()
    media_type: str = "application/json"
    other_types: tuple[str, ...] = ()
    quick: bool = False
    called: str = ""
    sets: tuple[str, ...] = ()
    operation: Operation | None = None

    @property
    def name(self) -> str:
        """The operation id, such as `get_notes`."""
        return self.called or (
            f"{self.method.lower()}_{self.path.strip('/').partition('/{')[0]}".replace(
                "/", "_"
            ).replace(".json", "")
        )

    @property
    def limit_s(self) -> float:
        """Seconds for an answer."""
        is_change = self.method == "POST" and "write" in self.sets
        usual_s = limits.WRITE_S if is_change else limits.ANSWER_S
        return limits.TIME_LIMITS.get(self.path, usual_s)

    def is_for(self, identity: Identity) -> bool:
        """Return whether the toolsets of a caller allow the route."""
        if identity.is_owner or ANY in self.sets:
            return True
        usable = identity.scope.toolsets
        return bool(self.sets) and not (usable and set(usable).isdisjoint(self.sets))
