"""What is embedded of a chunk, and the key by which its vector is found again."""

import xxhash

from glassmind.model.vectors import Embeddable, Unembedded
from glassmind.obsidian.memo_words import is_noted, own_words
from glassmind.obsidian.secrets import redacted

WORDS_AROUND = 40
"""Words of each neighbour that go with an enriched chunk: a sentence or two."""


def embeddable(chunk: Unembedded, *, enriched: bool = False) -> Embeddable:
    """Return what is embedded of a chunk: where it stands, and what it says.

    Where it stands is said as "Project Alpha / Status Updates"; `enriched` adds the end
    of the chunk before it and the beginning of the one after it. Credentials are
    hidden: rows have none, but titles are names of files, and rows may be old. So is
    what is noted of a memo, which it does not say.
    """
    under = [h for h in chunk.heading_path if h.casefold() != chunk.title.casefold()]
    context = " / ".join([chunk.title, *under])
    if enriched:
        before = "" if is_noted(chunk.before) else own_words(chunk.before)
        before = " ".join(before.split()[-WORDS_AROUND:])
        after = " ".join(chunk.after.split()[:WORDS_AROUND])
        context = "\n".join(part for part in (context, before, after) if part)
    return Embeddable(redacted(context), redacted(own_words(chunk.text)))


def key_of(part: Embeddable) -> bytes:
    """Return 16 bytes that only the same text in the same context has."""
    return xxhash.xxh3_128_digest(f"{part.context}\0{part.text}".encode())
