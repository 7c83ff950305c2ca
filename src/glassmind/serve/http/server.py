"""The server's own state, and the operations on it: health, metrics, jobs, themes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from msgspec import UNSET, Struct, UnsetType

from glassmind.engine import Engine
from glassmind.errors import GlassmindError
from glassmind.model.index import Status
from glassmind.operations.graph import (
    Resolution,
    ThemesArguments,
    ThemesResult,
    themes,
)
from glassmind.operations.registry import (
    Arguments,
    Caller,
    FileForm,
    NoArguments,
    NoNotes,
    Route,
    arg,
    operation,
)
from glassmind.serve.http.calls import (
    JOB_ROOM,
    KEPT_JOBS,
    MODEL_ROOM,
    HttpCall,
    Job,
    JobState,
    Workers,
)
from glassmind.serve.http.replies import Refusal, Refused
from glassmind.version import __version__

NO_JOB = Refusal(404, "no_job", "there is no such job", "POST /index starts one")

ANY = "any"
"""In place of a tool set: every client may use the route."""


class Metrics:
    """Counts requests; written by the event loop, read by any thread."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: Counter[tuple[str, int]] = Counter()

    def count(self, route: str, status: int, seconds: float) -> None:
        self._requests[route, status] += 1
        self._seconds[route, status] += seconds  # type: ignore[assignment]

    def lines(self) -> Iterator[str]:
        for name, meaning, counter in (
            ("requests", "Requests answered.", self._requests),
            ("seconds", "Time from heads to the ends of answers.", self._seconds),
        ):
            values = {
                f'{{route="{route}",status="{status}"}}': value
                for (route, status), value in sorted(counter.copy().items())
            }
            yield from _metric(f"http_{name}_total", meaning, values, "counter")


@dataclass(frozen=True)
class ServerState:
    """What lives as long as the server; `engine` sees the whole vault."""

    engine: Engine
    metrics: Metrics = field(default_factory=Metrics)
    jobs: dict[str, Job] = field(default_factory=dict)
    indexing: Workers = field(default_factory=lambda: Workers(1, JOB_ROOM))
    workers: Workers = field(default_factory=Workers)
    quick: Workers = field(default_factory=Workers)
    models: Workers = field(default_factory=lambda: Workers(room=MODEL_ROOM))

    def close(self) -> None:
        for workers in (self.models, self.indexing, self.quick, self.workers):
            workers.close()

    def begin(self, call: HttpCall) -> Job:
        """Run an operation when the jobs before it are over; refuse if many wait."""
        job = Job(call)
        job.future = self.indexing.start(call, job.run)
        self.jobs[job.id] = job
        if len(self.jobs) > KEPT_JOBS:
            del self.jobs[next(iter(self.jobs))]
        return job


@dataclass(frozen=True, kw_only=True)
class HttpCaller(Caller):
    """Who asks over HTTP, with or without a token."""

    server: ServerState
    has_token: bool


class Channels(Struct, frozen=True):
    lexical: bool
    bm25: bool
    semantic: bool
    graph: bool
    hindsight: bool


class Health(NoNotes):
    """Without a token, only `status` and `version`."""

    status: Literal["ok", "degraded"] = "ok"
    version: str = f"glassmind {__version__}"
    channels: Channels | UnsetType = UNSET
    note_count: int | UnsetType = UNSET
    vault_path: str | UnsetType = UNSET


@operation(group="Maintain", route=Route("GET", "/health", sets=(ANY,), quick=True))
def server_health(vault: Engine, _: NoArguments, caller: HttpCaller) -> Health:
    """Report what works; without a token, only that the server is up."""
    if not caller.has_token:
        return Health()
    status, config = _status(vault), vault.config
    lexical = status is not None and status.words_behind is not None
    semantic = status is not None and _has_vectors(status)
    watched = status is not None and not status.watch.error
    recalls = vault.recalls()
    # a channel that the settings leave out is not a fault
    well = lexical and watched and (semantic or config.embeddings.backend == "none")
    return Health(
        status="ok" if well and recalls is not False else "degraded",
        channels=Channels(
            lexical, lexical, semantic, status is not None, bool(recalls)
        ),
        note_count=status.notes if status else 0,
        vault_path=str(config.vault.path),
    )


def _status(vault: Engine) -> Status | None:
    try:
        return vault.status()
    except GlassmindError:
        return None


def _has_vectors(status: Status) -> bool:
    covered = status.space and status.coverage.covered > 0
    return bool(covered) and not status.lacks_model


class MetricsResult(NoNotes):
    text: str


@operation(
    group="Maintain",
    route=Route("GET", "/metrics", quick=True),
    files={
        "": FileForm(
            "text/plain; version=0.0.4; charset=utf-8", lambda result: result.text
        )
    },
)
def metrics(vault: Engine, _: NoArguments, caller: HttpCaller) -> MetricsResult:
    """Show metrics in the text format of Prometheus."""
    lines = [*caller.server.metrics.lines(), *_gauges(_status(vault)), ""]
    return MetricsResult(text="\n".join(lines))


def _gauges(status: Status | None) -> Iterator[str]:
    yield from _metric("up", "Whether there is an index.", {"": status is not None})
    if status is None:
        return
    behind = {"words": status.words_behind, "vectors": status.vectors_behind}
    for name, meaning, values in (
        ("notes", "Notes in the index.", status.notes),
        ("chunks", "Chunks in the index.", status.chunks),
        ("index_bytes", "Size of the index.", _labelled("part", status.sizes)),
        ("chunks_to_embed", "Chunks to embed.", status.coverage.total),
        ("chunks_embedded", "Of these, embedded.", status.coverage.covered),
        ("behind", "Changes not included yet; -1: all.", _labelled("part", behind)),
    ):
        yield from _metric(name, meaning, values)


def _metric(name: str, meaning: str, values: Any, kind: str = "gauge") -> Iterator[str]:
    yield f"# HELP glassmind_{name} {meaning}"
    yield f"# TYPE glassmind_{name} {kind}"
    for labels, value in (values if isinstance(values, dict) else {"": values}).items():
        yield f"glassmind_{name}{labels} {-1 if value is None else value:.12g}"


def _labelled(label: str, values: Mapping[str, float | None]) -> dict[str, Any]:
    return {f'{{{label}="{name}"}}': value for name, value in values.items()}


class JobArguments(Arguments):
    job: Annotated[str, arg("The `job` that POST /index returned.", longest=100)]


@operation(
    group="Maintain",
    route=Route("GET", "/index/{job}", fails=(404,), quick=True),
)
def index_job(_: Engine, arguments: JobArguments, caller: HttpCaller) -> JobState:
    """Show how far an index run is."""
    job = caller.server.jobs.get(arguments.job)
    if job is None:
        raise Refused(NO_JOB)
    return job.state()


class RefreshArguments(Arguments):
    resolution: Resolution = None


@operation(group="Graph", route=Route("POST", "/graph/themes/refresh"))
def refresh_themes(
    vault: Engine, arguments: RefreshArguments, caller: HttpCaller
) -> ThemesResult:
    """Find the themes again and store them in the index."""
    whole = caller.server.engine
    whole.knowledge.themes(refresh=True, resolution=arguments.resolution)
    return themes(vault, ThemesArguments(), caller)
