"""How this program is called from a shell, as whoever runs it can type it again."""

import shlex
import shutil

from glassmind.serve.connect.launching import NAME, launch_of, this_program


def own_call() -> str:
    """Return the words that start this program again: its name, where that is enough.

    `uvx` runs it from a cache, which is on nobody's path afterwards; a private
    environment is on none at all.
    """
    running = this_program()
    words = launch_of(running).words
    if words == (running.on_path,):
        return NAME
    if words[1:3] == ("tool", "run") and shutil.which("uvx"):
        return shlex.join(["uvx", *words[3:]])
    return shlex.join(words)
