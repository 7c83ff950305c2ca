"""A process that stays with a vault and does what it is told, line by line.

Usage: daemon_program.py REQUEST, a JSON object with `vault` and `settings`; `fake` lets
a model of words stand for the real one, and `watch` lets it follow the vault. Each line
on standard input is a JSON list of a verb and what it takes; each is answered by a line
of JSON. Prints "up" first, and what is logged to standard error.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from glassmind.access.scopes import read_scope
from glassmind.config import load_config
from glassmind.errors import GlassmindError
from glassmind.serve.daemon.host import VaultHost
from glassmind.vault import Vault


def use_words_as_model() -> None:
    """Let a model of words embed, whatever the settings name."""
    from semantic_harness import WordModel  # noqa: PLC0415 - numpy only where it is asked

    model = WordModel()
    adapters: Any = Vault
    adapters.embedder = lambda _: model
    adapters.embedder_of = lambda *_: model
    model.asked = 0  # type: ignore[attr-defined]
    query, passages = model.query, model.passages

    def counted(text: str, /) -> Any:
        model.asked += 1  # type: ignore[attr-defined]
        return query(text)

    def slowly(parts: Any, /) -> Any:
        for rows in passages(parts):
            model.asked += 1  # type: ignore[attr-defined]
            time.sleep(SLOW.get("embed_s", 0.0))
            yield rows

    model.query = counted  # type: ignore[method-assign]
    model.passages = slowly  # type: ignore[method-assign]
    SLOW["model"] = model


SLOW: dict[str, Any] = {}


def answer(  # noqa: PLR0911 - one for each verb
    host: VaultHost, verb: str, wanted: dict[str, Any]
) -> Any:
    match verb:
        case "role":
            return "daemon" if host._is_daemon.is_set() else "client"
        case "search":
            engine, rules = host.engine, wanted.pop("scope", None)
            if rules is not None:
                engine = engine.seen_by(read_scope(rules))
            reply = engine.search(**wanted)
            return {
                "paths": [hit.path for hit in reply.hits],
                "channels": reply.channels,
                "degraded": reply.degraded,
            }
        case "index":
            report = host.engine.index(**wanted)
            return {"added": report.added, "notes": report.notes, "left": report.left,
                    "warnings": list(report.warnings)}  # fmt: skip
        case "capture":
            done = host.engine.memory.capture(**wanted)
            return {"path": done.memory.path, "indexed": done.indexed}
        case "slow":
            SLOW.update(wanted)
            return None
        case "asked":
            return SLOW["model"].asked
        case "modules":
            return sorted(set(wanted["names"]) & set(sys.modules))
    raise LookupError(verb)


def main() -> None:
    request = json.loads(sys.argv[1])
    if request.get("fake"):
        use_words_as_model()
    flags = {"vault.path": request["vault"], **request["settings"]}
    config = load_config(flags=flags, env={}, cwd=Path("/"))
    host = VaultHost(
        config,
        watch=bool(request.get("watch")),
        log=lambda said: print(said, file=sys.stderr, flush=True),  # noqa: T201
    )
    host.start()
    say("up")
    for line in sys.stdin:
        verb, wanted = json.loads(line)
        began = time.monotonic()
        try:
            found = {"value": answer(host, verb, wanted)}
        except GlassmindError as error:
            found = {"error": type(error).__name__, "said": str(error)}
        say({**found, "seconds": time.monotonic() - began})
    began = time.monotonic()
    host.close()
    say({"closed": time.monotonic() - began})


def say(what: Any) -> None:
    print(json.dumps(what), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
