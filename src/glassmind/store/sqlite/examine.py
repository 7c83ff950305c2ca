"""Reading every page and every passage of the rows, to find what is wrong."""

from typing import Any

import apsw
import xxhash

PASSAGES = """
select f.path, c.digest, c.text from chunks c join files f on f.id = c.note_id
"""


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
    except (apsw.Error, UnicodeDecodeError) as error:
        return str(error)
    return None
