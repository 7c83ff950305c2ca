"""What the file of a memo is called when it comes out of the inbox.

Its own name, with two exceptions. A name that no index reads, as that of a copy which
a sync tool made, would hide what was just approved. And a name that we gave tells what
the agent said: where a person made another text of it, that is what it is called by.
"""

import re

from glassmind.errors import VaultError
from glassmind.files.names import NOTE_SUFFIX
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.memo_names import (
    TRASH,
    days_title,
    is_read,
    title_from,
    title_in,
)
from glassmind.memory.record import MOST_RECORDS, write_log
from glassmind.model.memory import Memo

_NUMBER = re.compile(r" \d{1,9}\Z")
_DAY_CHARS = len("2000-01-01")


def name_kept(cabinet: Cabinet, memo: Memo) -> str:
    """Return the name that a memo of the inbox gets where it is moved to."""
    name = memo.path.rpartition("/")[2]
    title = title_from(memo.text, memo.kind)
    if is_read(name) and (_tells(memo, title) or not _is_ours(cabinet, name)):
        return name
    stem = name.removesuffix(NOTE_SUFFIX)
    is_dated = days_title(stem) != stem
    day = stem[:_DAY_CHARS] if is_dated else memo.created[:_DAY_CHARS]
    return f"{day} {title}{NOTE_SUFFIX}".lstrip()


def _tells(memo: Memo, title: str) -> bool:
    """Whether a name says what the text begins with; it may have a number."""
    named = title_in(memo.path)
    return title in (named, _NUMBER.sub("", named))


def _is_ours(cabinet: Cabinet, name: str) -> bool:
    """Whether a file was made under its name by us, by the record of our writes."""
    try:
        with cabinet.files() as files:
            log = write_log(
                files, cabinet.folder, limit=MOST_RECORDS, since=None, path=None
            )
    except VaultError:  # a name that nobody can tell of is a person's
        return False
    made = (one.path for one in log.records if one.before is None)
    hidden = f"/{TRASH}/"  # where copies go under the names that files have
    return any(path.endswith(f"/{name}") and hidden not in path for path in made)
