"""Links in files of an old encoding, which Obsidian reads as UTF-8 all the same.

Of a letter beyond ASCII it makes another there, so that a link with one leads nowhere.
"""

from collections.abc import Iterable

from glassmind.model import NotePath
from glassmind.model.editing import Splice
from glassmind.model.notes import Link


def is_garbled(source: bytes, splices: Iterable[Splice], encoding: str) -> bool:
    """Whether what Obsidian reads would be none for it once it is written anew.

    That which the encoding has not at all is left to whoever writes it.
    """
    return any(
        source[start:end].isascii()
        and not written.isascii()
        and _has(encoding, written)
        for start, end, written in splices
    )


def garbled(path: NotePath, link: Link, said: str) -> str:
    """Return what is told of a link that stays, for it cannot say something else."""
    return (
        f"{path}, line {link.line}: {link.target} stays, for in a file that is not "
        f"UTF-8 Obsidian would not read {said}; save it as UTF-8, and write the link "
        "by hand"
    )


def unread(path: NotePath, encoding: str, link: str) -> tuple[str, ...]:
    """Return what is told of a link that is added to a file, if it is read by none."""
    if encoding == "utf-8" or link.isascii():
        return ()
    said = f"Obsidian would not read {link} in it; save it as UTF-8"
    return (f"{path} is not UTF-8, so that {said}",)


def _has(encoding: str, written: bytes) -> bool:
    try:
        written.decode().encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
