"""A request that was understood, and what answers it."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from glassmind.engine import Engine
from glassmind.operations.registry import Operation
from glassmind.serve.http.answers_talk import Talk
from glassmind.serve.http.jobs import Job, Jobs
from glassmind.serve.http.metrics import Metrics
from glassmind.serve.http.replies import Reply
from glassmind.serve.http.security import ANONYMOUS, Identity
from glassmind.serve.mcp.tool import Argument
from glassmind.types.access import Scope


class Desk(NamedTuple):
    """What every route may use: an engine that sees what the caller may.

    `whole` sees all; what it finds is kept in the index and told to nobody.
    """

    engine: Engine
    whole: Engine
    jobs: Jobs
    metrics: Metrics
    lock: threading.Lock
    kept: dict[Scope, tuple[float, dict[str, Any]]]
    """Health, which is answered from memory for a moment, and when it was looked at;
    what one scope is told is not for another."""


class Asked(NamedTuple):
    """One request; `known` tells that it showed a token, and `identity` whose.

    The engine of its desk sees what that caller may. `accept` is what its header says
    of the kinds of answers it would rather have.
    """

    desk: Desk
    given: Mapping[str, Any]
    known: bool
    accept: str = ""
    identity: Identity = ANONYMOUS

    @property
    def engine(self) -> Engine:
        """The vault that is asked."""
        return self.desk.engine


USUAL = "http"
"""The name on record of a client that gives none."""

ANY = "any"
"""In the place of sets of tools: every client may ask."""


class Route(NamedTuple):
    """One path: what it takes, what answers, and how that looks.

    `run` is called in a thread; a job in place of an answer is waited for, and a talk
    answers in a thread of its own, which a model may hold for long. `schema` names the
    shape of an answer in `schemas`, and `fails` are statuses beyond those of every
    route; `other_types` are those of other shapes that may be asked for. One that
    is `quick` never waits behind searches. `called` is what the operation is called
    where its path has the beginning of another. `sets` are those of MCP tools that do
    the same: a client that may use one of them may ask; without any, nobody may but
    who has the vault's own token.
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
    sets: tuple[str, ...] = ()
    operation: Operation | None = None

    @property
    def name(self) -> str:
        """What the operation is called, such as `get_notes`."""
        return self.called or (
            f"{self.method.lower()}_{self.path.strip('/').partition('/{')[0]}".replace(
                "/", "_"
            ).replace(".json", "")
        )

    def is_for(self, identity: Identity) -> bool:
        """Whether a caller may ask it, as far as its sets of tools say so."""
        if identity.is_owner or ANY in self.sets:
            return True
        usable = identity.scope.toolsets
        return bool(self.sets) and not (usable and set(usable).isdisjoint(self.sets))
