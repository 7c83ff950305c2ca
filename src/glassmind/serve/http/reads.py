"""How the server is: GET /health, GET /metrics and GET /index/{job}."""

import time
from collections.abc import Mapping
from typing import Any, get_args

from glassmind.errors import GlassmindError
from glassmind.serve.http.asked import Asked
from glassmind.serve.http.errors import Refusal, Refused
from glassmind.serve.http.metrics import MEDIA_TYPE
from glassmind.serve.http.replies import Reply, answered
from glassmind.types.catalogue import Status
from glassmind.types.watch import WatchMode
from glassmind.version import __version__

NO_JOB = Refusal(404, "no_job", "there is no such job", "POST /index starts one")

HEALTH_S = 1.0
"""Seconds for which the last health report is reused."""


def get_health(asked: Asked) -> Reply:
    """Report what works; without a token, only that the server is up."""
    up = {"status": "ok", "version": f"glassmind {__version__}"}
    if not asked.known:
        return answered(up, of_notes=False)
    place = {"vault_path": str(asked.engine.config.vault.path)}
    return answered({**up, **_health(asked), **place}, of_notes=False)


def _health(asked: Asked) -> dict[str, Any]:
    kept, scope = asked.desk.kept, asked.identity.scope
    found: dict[str, Any]
    with asked.desk.lock:  # one looks, however many ask, for each scope
        at, found = kept.get(scope, (float("-inf"), {}))
        if time.monotonic() - at > HEALTH_S:
            found = health_of(asked)
            kept[scope] = (time.monotonic(), found)
    return found


def health_of(asked: Asked) -> dict[str, Any]:
    """Return which channels answer now; one that the settings leave out is no fault."""
    try:
        status: Status | None = asked.engine.status()
    except GlassmindError:
        status = None
    words = status is not None and status.words_behind is not None
    meaning = status is not None and _has_meaning(status)
    without = asked.engine.config.embeddings.backend == "none"
    followed = status is not None and not status.watch.error
    recalls = asked.engine.recalls()
    well = words and followed and (meaning or without) and recalls is not False
    return {
        "status": "ok" if well else "degraded",
        "channels": {
            "lexical": words,
            "bm25": words,
            "semantic": meaning,
            "graph": status is not None,
            "hindsight": bool(recalls),
        },
        "note_count": status.notes if status else 0,
    }


def _has_meaning(status: Status) -> bool:
    lacks_model = any(
        said.startswith("words and links only") for said in status.notices
    )
    return bool(status.space) and status.coverage.covered > 0 and not lacks_model


def get_job(asked: Asked) -> Reply:
    """Show how far an index run is."""
    job = asked.desk.jobs.find(asked.given["job"])
    if job is None:
        raise Refused(NO_JOB)
    return answered(job.as_json())._replace(shown=job.sources())


def get_metrics(asked: Asked) -> Reply:
    """Answer with figures of the requests and of the index."""
    text = asked.desk.metrics.text(_gauges(asked))
    return Reply(200, text.encode(), media_type=MEDIA_TYPE)


def _gauges(asked: Asked) -> Mapping[str, tuple[str, Mapping[str, float]]]:
    try:
        status = asked.engine.status()
    except GlassmindError:
        return {"glassmind_up": ("Whether there is an index.", {"": 0})}
    coverage = status.coverage
    sizes = {f'{{part="{name}"}}': size for name, size in status.sizes.items()}
    behind = {
        '{part="words"}': _count(status.words_behind),
        '{part="vectors"}': _count(status.vectors_behind),
    }
    modes = get_args(WatchMode)
    watched = {f'{{mode="{mode}"}}': mode == status.watch.mode for mode in modes}
    return {
        "glassmind_up": ("Whether there is an index.", {"": 1}),
        "glassmind_notes": ("Notes in the index.", {"": status.notes}),
        "glassmind_chunks": ("Chunks in the index.", {"": status.chunks}),
        "glassmind_index_bytes": ("Room that the index takes.", sizes),
        "glassmind_chunks_to_embed": ("Chunks to embed.", {"": coverage.total}),
        "glassmind_chunks_embedded": ("Of these, embedded.", {"": coverage.covered}),
        "glassmind_behind": ("Changes yet to be taken in; -1: all.", behind),
        "glassmind_watch": ("How changes are noticed.", watched),
        "glassmind_watch_pending": ("Changes noticed.", {"": status.watch.pending}),
        "glassmind_writing": (
            "Whether a writer is at work.",
            {"": bool(status.writing)},
        ),
    }


def _count(behind: int | None) -> int:
    return -1 if behind is None else behind
