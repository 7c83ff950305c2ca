"""What stands around the passages of a bundle, and what makes room for them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from msgspec import structs

from glassmind.context.cutting import found_text
from glassmind.context.markdown import (
    bundle_as_markdown,
    follow_line,
    section,
)
from glassmind.context.passages import Candidate
from glassmind.model import NotePath
from glassmind.model.context import Bundle, BundleNote, Dropped
from glassmind.obsidian.address import heading_address
from glassmind.obsidian.tokens import estimate_tokens

Count = Callable[[str], int]
"""Returns how many tokens a text has."""

JOINT_TOKENS = 8
"""Kept for what parts take more where they meet."""

MOST_FOLLOWED = 3

ORDER = ("suggested", "decisions", "tasks", "questions", "conflicts")
"""The sections in the order in which they make room for passages."""

ITEM_TOKENS = 40
"""About what one thing of a section takes, its source included."""


_NO_NOTE = BundleNote(NotePath(""), "", "", 0.0, "", (), ())
"""Stands for the notes while the frame of a bundle is counted."""


def fixed_tokens(
    frame: Bundle, dropped: Sequence[Dropped], found: int, count: Count
) -> int:
    """Return what a bundle takes whatever it shows, and to tell what it does not.

    So many notes were found, of which none, or all, may be shown.
    """
    most = [Dropped(name, found, 0) for name in ("notes", "near-duplicates")]
    told = (*most, *dropped) if found else ()
    bare = bundle_as_markdown(structs.replace(frame, notes=(_NO_NOTE,), dropped=told))
    return count(bare) + count(section("Sources", ["-\n"])) + JOINT_TOKENS


def follow_ups(notes: Sequence[BundleNote], left: int, count: Count) -> tuple[str, ...]:
    """Return where to read on: notes of which more was found than is shown."""
    left -= count(section("Read on", ["-\n"]))
    kept: list[str] = []
    for note in notes:
        if len(kept) == MOST_FOLLOWED:
            break
        excerpt = note.excerpts[0]
        if not excerpt.trimmed:
            continue
        address = heading_address(note.path, excerpt.heading_path)
        cost = count(follow_line(address))
        if cost <= left:
            kept.append(address)
            left -= cost
    return tuple(kept)


def without_last(made: Bundle) -> Bundle | None:
    """Return a bundle with one thing less beside its passages; None for no such."""
    if made.follow_ups:
        return structs.replace(made, follow_ups=made.follow_ups[:-1])
    for name in ORDER:
        if held := getattr(made, name):
            more = Dropped(name, 1, ITEM_TOKENS)
            dropped = counted((*made.dropped, more))
            return structs.replace(made, **{name: held[:-1], "dropped": dropped})
    return None


def left_out(missed: Sequence[Candidate], repeated: int) -> list[Dropped]:
    """Return the notes that were found and are not shown."""
    made = []
    if missed:
        sizes = [estimate_tokens(found_text(one)) for one in missed]
        made.append(Dropped("notes", len(sizes), sum(sizes)))
    if repeated:
        made.append(Dropped("near-duplicates", repeated, 0))
    return made


def at_least(dropped: Sequence[Dropped], cut: Collection[str]) -> tuple[Dropped, ...]:
    """Return what was left out, and of which sections there is more than is known."""
    return tuple(replace(one, at_least=one.section in cut) for one in dropped)


def counted(dropped: Sequence[Dropped]) -> tuple[Dropped, ...]:
    """Return what was left out, each section once."""
    made: dict[str, Dropped] = {}
    for one in dropped:
        old = made.get(one.section, Dropped(one.section, 0, 0))
        count, tokens = old.count + one.count, old.tokens + one.tokens
        more = old.at_least or one.at_least
        made[one.section] = Dropped(one.section, count, tokens, more)
    return tuple(made.values())
