"""Names that files and folders may be given: for all that make, move or split notes.

A name must be one on every system that the vault may be synced to, and one that a link
can hold; otherwise its links would break, or the note would be lost elsewhere.
"""

import re
from collections.abc import Callable

from glassmind.errors.editing import BadEdit
from glassmind.files.names import described_character, refused_character

LONGEST_NAME_BYTES = 255
"""What Linux takes for one name; other systems take a little more."""

BARRED = re.compile(r'%%|\[\[|\]\]|[#^|\[\]\\:*?"<>]')
"""What no link can hold, or some file system refuses."""

_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
_SHOWN = 80


def _never(_: str) -> bool:
    return False


def trimmed(name: str) -> str:
    """Return a name as it was given, without blanks around the whole of it."""
    return name.strip()


def check_new_name(
    path: str,
    *,
    folder: bool = False,
    is_there: Callable[[str], bool] = _never,
    former: str = "",
) -> None:
    """Refuse a path that no file, or with `folder` no folder, should be given.

    `is_there` tells of folders that have their names already, and `former` is the path
    that the thing has now: what was called so before stays. Whether it is a path inside
    of the vault at all is for others to say.

    Raises:
        BadEdit: a part of it is no name; says which, why, and what to do.
    """
    *folders, base = path.split("/")
    kept = {".", "..", *former.split("/")}
    above = ""
    for part in folders:
        above = f"{above}/{part}".removeprefix("/")
        if part not in kept and not is_there(above):
            _check_part(part, part)
    if base not in kept:
        _check_part(base, base if folder else stem_of(base))


def stem_of(name: str) -> str:
    """Return the name of a file without its suffix, if it has one."""
    return name.rpartition(".")[0] if "." in name else name


def unreserved(name: str) -> str:
    """Return a name made of a heading; one of a device gets a word more."""
    return f"{name} note" if _DEVICE.match(name) else name


def _check_part(part: str, stem: str) -> None:
    shown = repr(part[:_SHOWN])
    if not stem.strip():
        raise BadEdit("a note needs a name, and so does every folder it is in")
    if part != part.strip() or stem != stem.strip():
        raise BadEdit(
            f"{shown} begins or ends with a blank, which links to it would lose: "
            "leave it out"
        )
    if stem.endswith(".") or part.endswith("."):
        raise BadEdit(f"{shown} ends in a dot, which some systems drop: leave it out")
    if _DEVICE.match(part):
        raise BadEdit(f"{shown} is that of a device on Windows: choose another name")
    unseen = refused_character(part)
    if unseen:
        raise BadEdit(
            f"{shown} contains {described_character(unseen)}, which cannot be seen in "
            "a name. Leave it out."
        )
    found = BARRED.findall(part)
    if found:
        told = " ".join(dict.fromkeys(found))
        raise BadEdit(
            f"{shown} is no name for files and links, choose another: it has {told}"
        )
    if len(part.encode("utf-8", "surrogatepass")) > LONGEST_NAME_BYTES:
        raise BadEdit(f"{shown} is too long a name: choose a shorter one")
