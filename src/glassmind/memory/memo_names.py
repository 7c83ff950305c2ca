"""What a memo is called: the day and its first words, fit for every file system."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import count

from glassmind.errors import PathOutsideVault
from glassmind.files.ignore import IgnoreRules
from glassmind.files.read import safe_path
from glassmind.model import NotePath
from glassmind.model.memory import MEMO_FOLDERS, MemoKind, MemoPlace
from glassmind.obsidian.secrets import redacted

TITLE_CHARS, TITLE_BYTES = 60, 180
"""As much of the first words as a list shows, and a name of 255 bytes has room for."""

INBOX, TRASH = "inbox", ".trash"
"""Where memos wait for a person, and where those go that are forgotten; what stands in
the trash is hidden from every index, ours and Obsidian's."""

_LINK = re.compile(r"!?\[\[([^\[\]|]*\|)?([^\[\]]*)\]\]|!?\[([^\[\]]*)\]\([^()]*\)")
_MARKUP = re.compile(r"^(?:[\s>#*+-]|\d+[.)]\s|\[.?\]\s)+|[*_`~=]{2,}|`")
_BARRED = re.compile(r'[\[\]#^|\\/:*?"<>\x00-\x1f\x7f]|%(?=[0-9A-Fa-f]{2})')
"""What a name may not hold on Windows or in a link of Obsidian, or what reads as an
escape."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d ")


def title_from(text: str, kind: MemoKind) -> str:
    """Return the first words of a text as a name; the kind where it has no words.

    A credential in them is hidden: a name stands in lists and links.
    """
    for line in redacted(text).splitlines():
        said = _MARKUP.sub("", _LINK.sub(_shown, line))
        title = _fitting(" ".join(map(_seen, _BARRED.sub(" ", said).split())))
        if any(sign.isalnum() for sign in title) and _is_name(title):
            return title
    return kind.capitalize()


def _shown(link: re.Match[str]) -> str:
    return (link[2] or "") if link[3] is None else link[3]


def _seen(word: str) -> str:
    """Return a word without what is not seen, in the form that file systems compare."""
    seen = (sign for sign in word if unicodedata.category(sign)[0] != "C")
    return unicodedata.normalize("NFC", "".join(seen))


def _fitting(title: str) -> str:
    """Return whole words, as many as a name has room for."""
    words = " ".join(title.split())
    cut = words[:TITLE_CHARS].encode()[:TITLE_BYTES].decode(errors="ignore")
    if cut != words and " " in cut[TITLE_CHARS // 2 :]:
        cut = cut.rpartition(" ")[0]
    return cut.strip(" .,;-")


def _is_name(title: str) -> bool:
    """Whether a file may be called so, and is read when it is."""
    try:
        path = safe_path(f"2000-01-01 {title}.md")
    except PathOutsideVault:
        return False
    return is_read(path)


def is_read(name: str) -> bool:
    """Whether a file that is called so is read, as far as its name tells."""
    return IgnoreRules().file(name) is None


def names_for(day: str, title: str) -> Iterator[str]:
    """Yield names that the file of a memo may have, the best first."""
    return (f"{name}.md" for name in numbered_titles(f"{day} {title}"))


def numbered_titles(title: str) -> Iterator[str]:
    """Yield a title, and then the same with a number."""
    yield title
    for number in count(2):
        yield f"{title} {number}"


def title_in(path: NotePath) -> str:
    """Return the title that the name of a file tells."""
    return days_title(path.rpartition("/")[2].removesuffix(".md"))


def days_title(name: str) -> str:
    """Return a name without the day that it begins with."""
    return _DAY.sub("", name, count=1) or name


def place_of(path: NotePath, folder: str) -> MemoPlace:
    """Return where a file of the agent folder stands."""
    if path.startswith(f"{folder}/{INBOX}/"):
        return "inbox"
    return "trash" if path.startswith(f"{folder}/{TRASH}/") else "kept"


def kind_in(path: NotePath, folder: str) -> MemoKind | None:
    """Return the kind that a file has by the folder it stands in, if by any."""
    part = path.removeprefix(f"{folder}/").partition("/")[0]
    return next((kind for kind, known in MEMO_FOLDERS.items() if known == part), None)
