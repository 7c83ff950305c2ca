"""What names and headings are compared by."""

from unicodedata import normalize

# A sigma is lower-cased by what follows it ("ΟΔΟΣ" but "ΟΔΟΣ.md"), so one form is kept;
# no-break spaces, which keyboards slip into links, count as spaces.
_ALIKE = str.maketrans({"\u03c2": "\u03c3", "\u00a0": " ", "\u202f": " "})


def fold(text: str) -> str:
    """Return what two names are compared by: NFC, lower case, one kind of space.

    Lower case as Obsidian has it, not Python's `casefold`: `Straße` and `Strasse` are
    two notes. No locale has a say: a Turkish dotted capital folds to `i` and a dot
    above, a dotless `i` to itself, so neither is the `i` of another name.
    """
    if text.isascii():
        return text.lower()
    return normalize("NFC", normalize("NFC", text).lower().translate(_ALIKE))
