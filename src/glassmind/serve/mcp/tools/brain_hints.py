"""What the tools of obsidian-brain say beside their reply: state, and what to do next.

A hint may name a tool that is not served (yet): whoever shows them leaves it out.
"""

from collections.abc import Sequence

from glassmind.serve.mcp.tool import Action

REMEMBERED = 10
"""Results of a search that the state lists, as obsidian-brain has it."""

FEWEST_WORDS = 2
"""What a simplified query keeps at least; one word finds anything."""

CROWD = 10
"""Neighbours above which themes are worth a look, as obsidian-brain has it."""

STOPWORDS = frozenset(
    word
    for line in (
        "a about all am an and any are as at be been but by can could did do does",
        "for from had has have how i if in into is it its me my of on or our she",
        "should so than that the their them then there these they this those to",
        "was we were what when where which who whom why will with would you your",
    )
    for word in line.split()
)
"""Words that say little of what is looked for."""


class Hint(Action):
    """An action with the one line that obsidian-brain calls its description."""

    __slots__ = ()

    @property
    def description(self) -> str:
        """What calling the tool does, in a few words."""
        return DESCRIPTIONS[self.tool]


DESCRIPTIONS = {
    "read_note": "Read the best match",
    "find_connections": "See what is linked with it",
    "search": "Search with fewer words",
    "create_note": "Write a note that links already lead to",
    "detect_themes": "See which groups these notes fall into",
    "find_path_between": "See how the furthest note is reached",
    "rank_notes": "See which notes links lead to least",
}


def search_hints(query: str, mode: str, found: Sequence[str]) -> list[Hint]:
    """Return what may follow a search; `found` are ids, best first."""
    if not found:
        simpler = simplified(query)
        again = {"query": simpler, "mode": mode}
        return [Hint("search", again, "nothing was found")] if simpler else []
    hints = [Hint("read_note", {"name": found[0]}, "it is the best match")]
    if len(found) > 1:
        reason = f"{len(found)} notes were found, and links may join them"
        hints.append(Hint("find_connections", {"name": found[0], "depth": 2}, reason))
    return hints


def note_hints(
    note_id: str, outgoing: Sequence[str], unresolved: Sequence[str]
) -> list[Hint]:
    """Return what may follow the reading of a note."""
    hints = []
    if unresolved:
        reason = f"{len(unresolved)} of its links lead to no note yet"
        wanted = {"title": unresolved[0], "content": ""}
        hints.append(Hint("create_note", wanted, reason))
    if outgoing:
        reason = f"the note leads to {len(outgoing)} others"
        hints.append(Hint("find_connections", {"name": note_id}, reason))
    return hints


def connection_hints(root: str, count: int, furthest: str) -> list[Hint]:
    """Return what may follow a look around a note; `furthest` is empty for none."""
    hints = []
    if count > CROWD:
        reason = f"{count} notes are connected, and themes may sort them"
        hints.append(Hint("detect_themes", {}, reason))
    if furthest:
        ends = {"from": root, "to": furthest}
        hints.append(Hint("find_path_between", ends, "it is the furthest of them"))
    return hints


def deleted_hints() -> list[Hint]:
    """Return what may follow when a note is gone: some may be linked by none now."""
    reason = "notes that it led to may have no link left"
    return [Hint("rank_notes", {"minIncomingLinks": 0}, reason)]


def simplified(query: str) -> str:
    """Return a query with half of the words that count; empty when none is simpler."""
    words = [w for w in query.split() if w.lower().strip("?!.,;:") not in STOPWORDS]
    kept = words[: max(FEWEST_WORDS, (len(words) + 1) // 2)]
    simpler = " ".join(kept)
    is_simpler = len(kept) >= FEWEST_WORDS and simpler != " ".join(query.split())
    return simpler if is_simpler else ""
