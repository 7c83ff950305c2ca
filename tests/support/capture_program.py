"""A program that captures: many things in a row, or until it is killed.

Usage: capture_program.py REQUEST, JSON with `vault` and `settings`, the `texts`
to capture and whether it does so as an `agent`. With `dies_at` it is killed at that
call of the system, counted from the first capture on. Prints what came of each.
"""

import json
import os
import sys
from typing import Any

from write_program import CALLS, Counted, die

from glassmind import open_vault
from glassmind.files import folder


def main() -> None:
    request: dict[str, Any] = json.loads(sys.argv[1])
    done = []
    with open_vault(request["vault"], settings=request["settings"], env={}) as engine:
        memory = engine.memory
        if "dies_at" in request:
            counted = Counted(request["dies_at"], die)
            for name in CALLS:
                setattr(os, name, counted.around(getattr(os, name)))
            folder.rename_new = counted.around(folder.rename_new)
        for text in request["texts"]:
            kept = memory.capture(
                "memory",
                text,
                project=request.get("project", ""),
                client=request.get("client", "drive"),
                agent=request.get("agent", False),
            )
            done.append([kept.memory.path, kept.indexed])
    sys.stdout.write(json.dumps(done))


if __name__ == "__main__":
    main()
