"""Reading every page and every passage of the rows, to find what is wrong."""

from typing import Any

import apsw
import xxhash

from glassmind.store.sqlite.connection import is_sound

PASSAGES = """
select f.path, c.digest, c.text from chunks c join files f on f.id = c.note_id
"""


def wrong_with(db: apsw.Connection) -> str | None:
    """Return the first thing wrong: a page, a reference, or a passage that changed."""
    wrong = is_sound(db)
    if wrong is not None:
        return wrong
    try:
        if next(iter(db.execute("pragma foreign_key_check")), None) is not None:
            return "a row belongs to a note that is not there"
        passages: Any = db.execute(PASSAGES)
        for path, digest, text in passages:
            if xxhash.xxh3_128_hexdigest(text.encode()) != digest:
                return f"a passage of {path} is not what was indexed"
    except apsw.Error as error:
        return str(error)
    return None
