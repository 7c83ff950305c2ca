"""Letting a person change a text in the editor of their choice."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from glassmind.errors import WrongUsage

VARIABLES = ("VISUAL", "EDITOR")
"""Who names the editor, in the order that git and crontab ask too."""


def edited(text: str, command: str) -> str:
    """Return a text as a person left it.

    Raises:
        WrongUsage: nobody is there to edit it, no editor is named, it failed, or what
            it left is no text.
    """
    editor = next(filter(None, (os.environ.get(name) for name in VARIABLES)), "")
    if not editor.strip() or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WrongUsage("no text is given: use --text, or set EDITOR", command)
    with TemporaryDirectory(prefix="glassmind-") as folder:
        file = Path(folder, "memo.md")
        try:
            file.write_text(text, "utf-8")
            # what the person who sits there chose to run
            subprocess.run([*shlex.split(editor), str(file)], check=True)  # noqa: S603
            return file.read_text("utf-8")
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            said = f"{editor!r} did not edit it ({error}); nothing was changed"
            raise WrongUsage(said, command) from error
