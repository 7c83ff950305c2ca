"""Reading every page and every passage of the rows, to find what is wrong."""

from collections import deque
from typing import Any

import apsw
import xxhash

PASSAGES = """
select f.path, c.digest, c.text from chunks c join files f on f.id = c.note_id
"""


OTHERS = (
    "select * from settings",
    "select * from files",
    "select * from notes",
    "select * from chunks",
    "select * from headings",
    "select * from links",
    "select * from tags",
    "select * from properties",
    "select * from tasks",
    "select * from blocks",
    "select * from fields",
    "select * from callouts",
    "select * from skipped",
)
"""Read for their letters alone: bytes that are no text raise."""


def said(error: Exception) -> str:
    """Return what an error says in one line: SQLite shows all of a damaged schema."""
    text = " ".join(str(error).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


LONGEST = 200
"""Characters of what SQLite says that a user is shown."""


def wrong_with(db: apsw.Connection) -> str | None:
    """Return the first thing wrong: a page, a reference, or a passage that changed."""
    try:
        found = str(db.execute("pragma integrity_check(1)").get)
        if found != "ok":
            return found.splitlines()[-1]
        if next(iter(db.execute("pragma foreign_key_check")), None) is not None:
            return "a row belongs to a note that is not there"
        passages: Any = db.execute(PASSAGES)
        for path, digest, text in passages:
            if xxhash.xxh3_128_hexdigest(str(text).encode()) != digest:
                return f"a passage of {path} is not what was indexed"
        for statement in OTHERS:
            deque(db.execute(statement), maxlen=0)
    except (apsw.Error, UnicodeDecodeError) as error:
        return said(error)
    return None
