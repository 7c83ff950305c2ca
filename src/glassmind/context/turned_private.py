"""Notes that were made private since they were indexed: told from their files."""

from collections.abc import Iterable

from glassmind.context.shelf import Shelf
from glassmind.errors import VaultError
from glassmind.files.decode import Decoded, decode
from glassmind.files.read import VaultFiles
from glassmind.model import NotePath
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.privacy import says_private


def turned_private(shelf: Shelf, changed: Iterable[NotePath]) -> set[NotePath]:
    """Return which of some notes say now that they are private.

    One that cannot be read any more counts as private: nobody can say that it is not.
    """
    found: set[NotePath] = set()
    paths = list(changed)
    if not paths:
        return found
    try:
        with shelf.files() as files:
            for path in paths:
                if _is_private(files, path):
                    found.add(path)
    except VaultError:
        found.update(paths)
    return found


def _is_private(files: VaultFiles, path: NotePath) -> bool:
    try:
        made = decode(files.read(path))
    except VaultError:
        return True
    if not isinstance(made, Decoded):
        return True
    return says_private(read_head(made.text).frontmatter.properties)
