"""A vault with private notes full of words that stand nowhere else.

Each place of a note has a word of its own. Who asks for one may hear it again, since it
is what was asked; any other is a leak.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vault_desk import VaultDesk

from glassmind.editing.asking import Asking
from glassmind.surfaces.mcp.tool import REQUIRED, Argument
from glassmind.types.editing import Append

CANARY = re.compile(r"zq[a-z]+", re.IGNORECASE)

PUBLIC = {
    "Tea.md": "---\ntags: [drink]\n---\n# Leaves\nOolong tea is steeped twice, says "
    "[[Lab book]]. See [[Cup]] and [[Nowhere]].\n\n- [ ] buy tea\n",
    "Cup.md": "# Cups\nA cup of tea, made of clay. Back to [[Tea]].\n",
    "Pot.md": "# Pots\nAn oolong pot of clay for [[Tea]] and [[Cup]]. #drink\n",
    "Kettle.md": "---\nproject: Shop\n---\nWater for [[Pot]] is boiled here: tea.\n",
}

PRIVATE = {
    "Deep/Zqname.md": "---\nprivate: true\naliases: [zqalias]\ntags: [zqtag, drink]\n"
    "title: Zqtitle\nzqprop: zqvalue\nproject: Shop\nup: '[[Tea]]'\n---\n# Zqheading\n"
    "zqtext zqalpha oolong tea of clay, steeped twice, says [[Tea]] and [[Zqghost]].\n"
    "\n- [ ] zqtask of tea\n\n> [!note] zqcallout\n> zqquote\n\nzqfield:: zqinline\n\n"
    "A paragraph of tea ^zqblock\n\n![[zqpicture.png]]\n",
    "Lab book.md": "---\nprivate: yes\n---\nzqlab tea notes on [[Tea]] and [[Cup]]\n",
    "Zqbroken.md": "---\nprivate: true\nmore: [un\n---\nzqinvalid tea of clay [[Tea]]\n",
    "Zqfolder/Zqday.md": "zqdaily oolong tea of clay [[Tea]] #zqmood\n",
    "Zqfolder/Zqboard.canvas": '{"nodes": [{"id": "a", "type": "text", "x": 0, '
    '"y": 0, "width": 1, "height": 1, "text": "zqcanvas tea"}], "edges": []}',
    "Zqtagged.md": "zqmarked oolong tea of clay [[Tea]] #own/zqinner\n",
    "zqpicture.png": b"zqbytes",
    ".agent/decisions/Zqmemo.md": "---\nkind: decision\nproject: Shop\nprivate: true\n"
    "client: zqclient\nstatus: current\n---\nzqdecided: tea of clay from [[Tea]]\n",
}

SETTINGS: Mapping[str, object] = {
    "access__private_folders": ("Zqfolder",),
    "access__private_tags": ("own",),
    "writes__mode": "allow",
}

NAMES = ("Tea", "Deep/Zqname.md", "zqalias", "Lab book", "Zqbroken", "Zqfolder/Zqday")
ASKED = (
    "oolong tea of clay",
    "zqalpha",
    "zqalpa",
    '"zqtext zqalpha" tea',
    "tea tag:#zqtag",
    "tea path:deep",
    "tea [zqprop]",
    "what did the Lab book say",
)
"""What is asked for: what is there for all, what is private, to the letter or not."""

SAMPLES: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        (
            "name",
            "note",
            "root_note",
            "source",
            "target",
            "from",
            "to",
            "into",
            "a",
            "b",
            "about",
        ),
        NAMES,
    ),  # fmt: skip
    **dict.fromkeys(("query", "question", "text"), ASKED),
    "folder": ("", "Zqfolder", "Deep"),
    "directory": ("", "Zqfolder", "Deep"),
    "tag": ("drink", "zqtag", "own"),
    "tags": (["drink"], ["zqtag"]),
    "property": ("project", "zqprop"),
    "project": ("Shop", "zqnone"),
    "destination": ("Moved/",),
    "title": ("Brand new",),
    "template": ("Deep/Zqname.md",),
    "content": ("a line",),
    "context": ("See {{link}}.",),
    "heading": ("Leaves", "Zqheading"),
    "new": ("Renamed",),
    "old": ("drink", "zqtag"),
    "kind": ("memory",),
    "what": ("findings", "links", "rename-tag"),
    "receipts": (["Tea.md:4-5@00000000"], ["Deep/Zqname.md:1-9@00000000"]),
    "edits": ([{"op": "append", "text": "x"}],),
    "id": ("20260101-aaaaa",),
    "previewId": ("20260101-aaaaa",),
    "key": ("broken-link:Tea.md",),
    "finding": ("broken-link:Tea.md",),
    "job": ("1",),
    "path": ("Deep/Zqname.md",),
    "check": ("ghosts",),
}


def told_vault(desk: VaultDesk) -> VaultDesk:
    """Fill a vault, have its owner use and change what is private, and return it."""
    desk.write({**PUBLIC, **PRIVATE})
    engine = desk.open(**SETTINGS)
    engine.index()
    owner = Asking(client="cli")
    for note in ("Deep/Zqname.md", "Lab book.md"):
        engine.read(note)
        engine.editing.edit(note, [Append("zqadded tea\n")], owner)
    engine.editing.move("Zqtagged.md", "Zqmoved.md", owner)
    engine.memory.pin("Deep/Zqname.md")
    engine.search("zqalpha")
    return desk


def leaks(reply: str, given: object) -> list[str]:
    """Return what a reply says that stands in private notes alone, and was not asked.

    Part of a word that was asked for is no news either.
    """
    asked = str(given).lower()
    return sorted({w for w in CANARY.findall(reply.lower()) if w not in asked})


def calls_of(
    arguments: Iterable[Argument], *, writes: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield what a verb is called with: the usual, and each argument otherwise.

    One that `writes` and cannot be tried is called once: what it is given is told.

    Raises:
        KeyError: an argument has to be given that nothing is known for.
    """
    table = list(arguments)
    usual = {one.name: _samples(one)[0] for one in table if one.default is REQUIRED}
    known = {one.name for one in table}
    if "dry_run" in known:
        usual["dry_run"] = True
    if "dryRun" in known:
        usual["dryRun"] = True
    yield usual
    if writes and known.isdisjoint(("dry_run", "dryRun")):
        return
    for one in table:
        if one.name in SAMPLES or one.choices:
            yield from ({**usual, one.name: value} for value in _samples(one))


def _samples(argument: Argument) -> tuple[Any, ...]:
    if argument.choices:
        return argument.choices
    if argument.kind == "boolean":
        return (True, False)
    return SAMPLES[argument.name]
