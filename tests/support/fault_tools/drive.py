"""One verb of the engine on one vault, run as a program of its own.

Usage: drive.py REQUEST, a JSON object with `vault`, `verb` and what the verb takes.
Prints the answer as one line of JSON. An error that a user may see goes to standard
error as its one sentence, with exit status 1; any other ends in a traceback.
"""

import importlib
import json
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import msgspec

import glassmind
from glassmind.engine import Engine, open_vault
from glassmind.errors import GlassmindError

UNUSED = (
    "__main__",
    "models",
    "evaluation",
    "context",
    "graph",
    "memory",
    "serve",
)
"""What no verb here needs, but for what the rest imports of it.

To import it takes as long as all else; ONNX Runtime leaves a folder in the home of its
user.
"""


def import_everything() -> None:
    """Import all that is used now: later the user may not be let near them."""
    import_below(glassmind.__path__, "glassmind.")
    for name in ("tantivy", "apsw", "tempfile", "shutil", "ctypes", "encodings.idna"):
        importlib.import_module(name)


def import_below(folders: Iterable[str], prefix: str) -> None:
    """Import the modules of a package, and of those in it, but what is not used."""
    for module in pkgutil.iter_modules(folders, prefix):
        if module.name.removeprefix("glassmind.") not in UNUSED:
            found = importlib.import_module(module.name)
            if module.ispkg:
                import_below(found.__path__, f"{module.name}.")


def plain(value: Any) -> Any:
    """Return a value as JSON has it, each record as an object."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.to_builtins(value)
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        names = list(value._fields)
    elif isinstance(value, list | tuple):
        return [plain(item) for item in value]
    else:
        return value
    return {name: plain(getattr(value, name)) for name in names}


def index(engine: Engine, wanted: dict[str, Any]) -> Any:
    return plain(engine.index(**wanted))


def search(engine: Engine, wanted: dict[str, Any]) -> Any:
    return plain(engine.search(**wanted))


def backup(engine: Engine, wanted: dict[str, Any]) -> Any:
    return engine.backup(Path(wanted["file"]))


def restore(engine: Engine, wanted: dict[str, Any]) -> Any:
    return engine.restore(Path(wanted["file"]))


def doctor(engine: Engine, _: dict[str, Any]) -> Any:
    return [plain(check) for check in engine.doctor()]


def stats(engine: Engine, _: dict[str, Any]) -> Any:
    return plain(engine.stats())


def notes(engine: Engine, wanted: dict[str, Any]) -> Any:
    return plain(engine.list_notes(**wanted))


def read(engine: Engine, wanted: dict[str, Any]) -> Any:
    return plain(engine.read(**wanted))


def rounds(engine: Engine, wanted: dict[str, Any]) -> Any:
    """Index or search again and again; return how often each worked."""
    done = 0
    for turn in range(wanted["count"]):
        if (turn + wanted["offset"]) % wanted["index_every"] == 0:
            engine.index()
        else:
            reply = engine.search(wanted["text"])
            for hit in reply.hits:
                if not (hit.snippet.text and hit.path.endswith(".md")):
                    raise ValueError(f"not a well-formed hit: {hit}")
        done += 1
    return done


VERBS: dict[str, Callable[[Engine, dict[str, Any]], Any]] = {
    verb.__name__: verb
    for verb in (index, search, backup, restore, doctor, stats, notes, read, rounds)
}


def main() -> int:
    request = json.loads(sys.argv[1])
    import_everything()
    if request.get("user"):
        os.setgroups([])
        os.setgid(request["user"])
        os.setuid(request["user"])
    if request.get("wait"):
        print("ready", flush=True)  # noqa: T201
        sys.stdin.readline()
    try:
        with open_vault(request["vault"], settings=request.get("settings")) as engine:
            answer = [VERBS[verb](engine, wanted) for verb, wanted in request["verbs"]]
    except GlassmindError as error:
        return say(2, str(error))
    return say(1, json.dumps(answer, default=str))


def say(descriptor: int, text: str) -> int:
    """Write a line by a call of its own: a test may let all others fail."""
    os.writev(descriptor, [text.encode(errors="replace") + b"\n"])
    return descriptor - 1


if __name__ == "__main__":
    sys.exit(main())
