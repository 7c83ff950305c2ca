"""Reading single notes and lists."""

from glassmind.search.notes import NoteReader
from glassmind.store.sqlite.notes import Catalogue
from glassmind.vault import Vault


def notes_for(vault: Vault) -> NoteReader:
    """Return what reads single notes and lists of a vault."""

    def catalogue() -> Catalogue:
        return Catalogue(vault.reader.connection(), vault.config.index.embed_min_chars)

    vault.ensure_temporary()
    return NoteReader(
        vault.config,
        vault.place.folders,
        vault.reader.rows,
        catalogue,
        notices=vault.watch_problems,
        files=vault.files,
    )
