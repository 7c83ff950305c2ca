"""A vault in which each check of vault health finds one thing, and how to mend it."""

from collections.abc import Mapping

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def words(seed: str, count: int) -> list[str]:
    """Return words that no other seed has."""
    return [
        f"{seed}{_LETTERS[at // 26 % 26]}{_LETTERS[at % 26]}{at // 676 or ''}"
        for at in range(count)
    ]


def text(seed: str, count: int) -> str:
    """Return a text of words that no other seed has."""
    return " ".join(words(seed, count))


def circle(folder: str, names: str, properties: Mapping[str, str]) -> dict[str, str]:
    """Return notes that all link to each other, each with its own properties."""
    notes = {}
    for name in names:
        others = " ".join(f"[[{folder} {other}]]" for other in names if other != name)
        said = properties.get(name, properties.get("", ""))
        head = f"---\n{said}\n---\n" if said else ""
        notes[f"{folder}/{folder} {name}.md"] = (
            f"{head}{text(f'{folder.lower()}{name.lower()}', 12)} {others}\n"
        )
    return notes


ENTRIES = 40

HUB = "Hub"
"""What most notes link to, so that nothing is an orphan by accident."""


def entry(at: int) -> str:
    """Return one of the many notes that link to the hub."""
    after = f"[[Entry {(at + 1) % ENTRIES:02}]]"
    return (
        f"{text(f'entry{_LETTERS[at // 26]}{_LETTERS[at % 26]}', 6)} {after} [[{HUB}]]"
    )


def linked(body: str) -> str:
    """Return a body with a link to the hub."""
    return f"{body}\n\n[[{HUB}]]\n"


ALIKE = words("alike", 40)
TWIN = words("twin", 120)


def with_parent(seed: str) -> str:
    """Return a note that names its parent."""
    return f'---\nparent: "[[Branch]]"\n---\n{text(seed, 10)}\n'


def branch(*names: str) -> str:
    """Return a note that names its children."""
    listed = "".join(f'  - "[[{name}]]"\n' for name in names)
    return f"---\nchildren:\n{listed}---\n{text('branch', 10)} [[{HUB}]]\n"


def clipped(domain: str) -> str:
    """Return the property of a note that comes from somewhere."""
    return f"source: https://{domain}/page"


GARDEN = {"": "category: garden", "G": "category: cooking"}
KITCHEN = {"": "category: cooking"}
PRESS = {"": clipped("gazette.example"), "F": clipped("other.example")}

PLANTED: dict[str, str | bytes] = {
    f"{HUB}.md": text("hub", 10),
    **{f"Log/Entry {at:02}.md": entry(at) for at in range(ENTRIES)},
    **circle("Garden", "ABCDEFG", GARDEN),
    **circle("Kitchen", "ABCDEF", KITCHEN),
    **circle("Press", "ABCDEF", PRESS),
    "Broken.md": linked("---\ntags: [tea\n---\n" + text("broken", 10)),
    "Plan.md": linked(text("plan", 30)),
    "Plan.sync-conflict-20240301-101112-ABCDEFG.md": text("plan", 30),
    "Branch.md": branch("Leaf one", "Leaf two", "Leaf three"),
    "Leaf one.md": with_parent("leafone"),
    "Leaf two.md": with_parent("leaftwo"),
    "Leaf three.md": with_parent("leafthree"),
    "Leaf four.md": with_parent("leaffour"),
    "Reader.md": linked(f"{text('reader', 10)} [[Plan#Not there]]"),
    "Dreamer.md": linked(f"{text('dreamer', 10)} [[Unwritten]]"),
    "Alone.md": text("alone", 10),
    "Twin.md": linked(" ".join(TWIN)),
    "Other twin.md": linked(" ".join([*TWIN[:60], "changed", *TWIN[61:]])),
    "Alike.md": linked(" ".join(ALIKE)),
    "Kindred.md": linked(" ".join(ALIKE[::2] + ALIKE[1::2])),
    "Tagged one.md": linked(f"{text('taggedone', 10)} #book-notes"),
    "Tagged two.md": linked(f"{text('taggedtwo', 10)} #book-notes"),
    "Tagged three.md": linked(f"{text('taggedthree', 10)} #book_notes"),
    "Due one.md": linked(f"---\ndue-date: 2024-01-02\n---\n{text('dueone', 10)}"),
    "Due two.md": linked(f"---\ndue-date: 2024-01-03\n---\n{text('duetwo', 10)}"),
    "Due three.md": linked(f"---\ndue_date: 2024-01-04\n---\n{text('duethree', 10)}"),
}

FOUND = {
    "invalid_yaml": "Broken.md",
    "conflict_copies": "Plan.sync-conflict-20240301-101112-ABCDEFG.md",
    "missing_reciprocal": "Branch.md children: Leaf four.md",
    "broken_links": "Reader.md -> Plan.md#Not there",
    "ghosts": "unwritten",
    "orphans": "Alone.md",
    "near_duplicates": "Other twin.md <> Twin.md",
    "weakly_tied": "Alike.md <> Kindred.md",
    "category_mismatch": "Garden/Garden G.md",
    "inconsistent_tags": "tag book note",
    "inconsistent_properties": "property due date",
    "one_source": "Press/Press A.md <- gazette.example",
}
"""The subject of the one finding of each check."""

MENDED: dict[str, dict[str, str | bytes | None]] = {
    "invalid_yaml": {"Broken.md": linked(f"---\ntags: [tea]\n---\n{text('x', 10)}")},
    "conflict_copies": {"Plan.sync-conflict-20240301-101112-ABCDEFG.md": None},
    "missing_reciprocal": {
        "Branch.md": branch("Leaf one", "Leaf two", "Leaf three", "Leaf four")
    },
    "broken_links": {"Reader.md": linked(f"{text('reader', 10)} [[Plan]]")},
    "ghosts": {"Unwritten.md": text("unwritten", 10)},
    "orphans": {"Alone.md": linked(text("alone", 10))},
    "near_duplicates": {"Other twin.md": linked(text("othertwin", 60))},
    "weakly_tied": {"Kindred.md": linked(" ".join(["[[Alike]]", *ALIKE[::2]]))},
    "category_mismatch": {
        path: note
        for path, note in circle("Garden", "ABCDEFG", {"": "category: garden"}).items()
        if path == "Garden/Garden G.md"
    },
    "inconsistent_tags": {
        "Tagged three.md": linked(f"{text('taggedthree', 10)} #book-notes")
    },
    "inconsistent_properties": {
        "Due three.md": linked(f"---\ndue-date: 2024-01-04\n---\n{text('d', 10)}")
    },
    "one_source": {
        path: note
        for path, note in circle(
            "Press", "ABCDEF", PRESS | {"E": clipped("third.example")}
        ).items()
        if path == "Press/Press E.md"
    },
}
"""What to write, or to delete, so that the one finding of a check is mended."""
