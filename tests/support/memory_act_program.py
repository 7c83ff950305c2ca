"""A program that does things to memos: many in a row, or until it is killed.

Usage: memory_act_program.py REQUEST, JSON with `vault` and `settings`, and the `acts`
to do, each a verb of memory and its names. It says that it is ready and begins when a
line comes in. With `dies_at` it is killed at that call of the system, counted from
there. Prints of each act what was refused; nothing where it was done.
"""

import json
import os
import sys
from typing import Any

from write_program import CALLS, Counted, die

from glassmind import open_vault
from glassmind.errors import GlassmindError
from glassmind.files import folder


def main() -> None:
    request: dict[str, Any] = json.loads(sys.argv[1])
    told = []
    with open_vault(request["vault"], settings=request["settings"], env={}) as engine:
        memory = engine.memory
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        if "dies_at" in request:
            counted = Counted(request["dies_at"], die)
            for name in CALLS:
                setattr(os, name, counted.around(getattr(os, name)))
            folder.rename_new = counted.around(folder.rename_new)
        for verb, *names in request["acts"]:
            try:
                getattr(memory, verb)(*names)
                told.append("")
            except GlassmindError as error:
                told.append(type(error).__name__)
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
