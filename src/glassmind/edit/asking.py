"""Who asks for a change, and how."""

from typing import NamedTuple


class Asking(NamedTuple):
    """Who asks: `client` goes on record. `dry_run` shows and changes nothing.

    `tainted` says that the caller was given text before that nobody vouches for; the
    settings may then ask for approval. `why` is a word for the record.
    """

    client: str = "cli"
    dry_run: bool = False
    tainted: bool = False
    why: str = ""
