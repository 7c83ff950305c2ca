"""Which files are not as the index knows them, at the cost of one `lstat` for each."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from glassmind.files.read import VaultFiles
from glassmind.files.scan import within
from glassmind.model import NotePath


class Lag(NamedTuple):
    """Files that have another size or time now, and files that are not there."""

    changed: tuple[NotePath, ...] = ()
    gone: tuple[NotePath, ...] = ()


def lag_of(root: Path, known: Mapping[NotePath, tuple[int, int]]) -> Lag:
    """Return which files are not of the size and time they are known by, in order.

    Nothing is opened. A file that cannot be looked at, or that a sync keeps elsewhere,
    is neither changed nor gone.

    Raises:
        VaultMissing: the root is no folder that can be opened.
    """
    changed, absent = [], []
    for path, seen in known.items():
        try:
            facts = os.lstat(f"{root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            absent.append(path)
        except OSError:
            continue
        else:
            if (facts.st_size, within(facts.st_mtime_ns)) != seen:
                changed.append(path)
    if not absent:
        return Lag(tuple(changed))
    return _looked_for(root, known, changed, absent)


def _looked_for(
    root: Path,
    known: Mapping[NotePath, tuple[int, int]],
    changed: Sequence[NotePath],
    absent: Sequence[NotePath],
) -> Lag:
    """Return the same once those that seem absent were sought by other spellings."""
    found, gone = list(changed), []
    with VaultFiles(root) as files:
        for path in absent:
            if files.exists(path):
                facts = files.stat(path)
                if (facts.st_size, within(facts.st_mtime_ns)) != known[path]:
                    found.append(path)
            elif not files.is_offloaded(path):
                gone.append(path)
    return Lag(tuple(found), tuple(gone))
