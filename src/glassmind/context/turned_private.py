"""Notes that were made private since they were indexed: told from their files."""

from collections.abc import Iterable, Mapping

from glassmind.context.shelf import Shelf
from glassmind.errors import VaultError
from glassmind.markdown.frontmatter import read_head
from glassmind.types import NotePath
from glassmind.vault.decode import Decoded, decode
from glassmind.vault.read import VaultFiles

MEANS_YES = frozenset(("true", "yes", "on", "1"))
"""What people write who want a property to be true, as YAML and as text."""


def turned_private(shelf: Shelf, changed: Iterable[NotePath]) -> set[NotePath]:
    """Return which of some notes say now that they are private.

    One that cannot be read any more counts as private: nobody can say that it is not.
    """
    found: set[NotePath] = set()
    paths = list(changed)
    if not paths:
        return found
    try:
        with VaultFiles(shelf.root) as files:
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
    return not isinstance(made, Decoded) or says_private(_properties(made.text))


def _properties(text: str) -> Mapping[str, object]:
    return read_head(text).frontmatter.properties


def says_private(properties: Mapping[str, object]) -> bool:
    """Whether the properties of a note make it one for its owner alone."""
    return any(
        name.lower() == "private" and str(value).lower() in MEANS_YES
        for name, value in properties.items()
    )
