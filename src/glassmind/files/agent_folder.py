"""The folder in a vault that belongs to agents."""

import os
from pathlib import Path

from glassmind.errors import FolderUnwritable, PathOutsideVault

PARTS = ("memories", "decisions", "tasks", "summaries", "inbox", "logs", "cache")
"""What has its own place in it."""


def make_agent_folder(root: Path, name: str) -> list[Path]:
    """Make the folder and its parts where they are missing; return those made.

    Raises:
        PathOutsideVault: the name, or a link in its place, leads out of the vault.
        FolderUnwritable: the disk refused.
    """
    made = []
    base = Path(os.path.realpath(root))
    for part in PARTS:
        folder = Path(os.path.realpath(base / name / part))
        if base not in folder.parents:
            raise PathOutsideVault(f"{name}/{part}", "it leads out of the vault")
        try:
            if not folder.is_dir():
                folder.mkdir(parents=True)
                made.append(folder)
        except OSError as error:
            raise FolderUnwritable(str(folder), error.strerror or str(error)) from error
    return made
