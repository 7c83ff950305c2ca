"""A vault with private notes full of words that stand nowhere else.

Each place of a note has a word of its own. Who asks for one may hear it again, since it
is what was asked; any other is a leak.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from http_harness import Answer, Web, answer_of
from route_table import Route
from surface_arguments import Argument, arguments_of
from vault_harness import VaultHarness

from glassmind.access.scopes import read_scope
from glassmind.edit.vault import EditRequest
from glassmind.model.access import EVERY_AGENT, Scope
from glassmind.model.edits import Append
from glassmind.serve.tool import McpTool

CANARY = re.compile(r"zq[a-z]{3,}", re.IGNORECASE)

PUBLIC = {
    "Tea.md": "---\ntags: [drink]\n---\n# Leaves\nOolong tea is steeped twice, says "
    "[[Lab book]]. See [[Cup]] and [[Nowhere]].\n\n- [ ] buy tea\n",
    "Cup.md": "# Cups\nA cup of tea, made of clay. Back to [[Tea]].\n",
    "Pot.md": "# Pots\nAn oolong pot of clay for [[Tea]] and [[Cup]]. #drink\n\n"
    "The old ledger says more, and [[Old ledger]] all of it.\n",
    "Kettle.md": "---\nproject: Shop\n---\nWater for [[Pot]] is boiled here: tea.\n",
}

PRIVATE: Mapping[str, str | bytes] = {
    "Deep/Zqname.md": "---\nprivate: true\naliases: [zqalias, Old ledger]\n"
    "tags: [zqtag, drink]\ntitle: Zqtitle\nzqprop: zqvalue\nproject: Shop\n"
    "up: '[[Tea]]'\n---\n# Zqheading\n"
    "zqtext zqalpha oolong tea of clay, steeped twice, says [[Tea]] and [[Zqghost]].\n"
    "\n- [ ] zqtask of tea\n\n> [!note] zqcallout\n> zqquote\n\nzqfield:: zqinline\n\n"
    "A paragraph of tea ^zqblock\n\n![[zqpicture.png]]\n",
    "Lab book.md": "---\nprivate: yes\n---\nzqlab tea notes on [[Tea]] and [[Cup]]\n",
    "Zqbroken.md": "---\nprivate: true\nmore: [un\n---\nzqinvalid tea, clay [[Tea]]\n",
    "Zqfolder/Zqday.md": "zqdaily oolong tea of clay [[Tea]] #zqmood\n",
    "Zqfolder/Zqboard.canvas": '{"nodes": [{"id": "a", "type": "text", "x": 0, '
    '"y": 0, "width": 1, "height": 1, "text": "zqcanvas tea"}], "edges": []}',
    "Zqfolder/Zqspoilt.md": b"zqnul \0\n",
    "Zqfolder/Zqtwin (conflicted copy 2024-05-01).md": "zqcopy of tea\n",
    "Zqtagged.md": "zqmarked oolong tea of clay [[Tea]] #own/zqinner\n",
    "zqpicture.png": b"zqbytes",
    ".agent/inbox/Zqwaits.md": "---\nkind: memory\nproject: Shop\nprivate: true\n"
    "client: zqother\n---\n> [!agent] zqwaiting\n\n- [ ] keep\n\nzqkept of tea\n",
    ".agent/decisions/Zqmemo.md": "---\nkind: decision\nproject: Shop\nprivate: true\n"
    "client: zqclient\nstatus: current\n---\nzqdecided: tea of clay from [[Tea]]\n",
}

CANARIES = frozenset(
    word.lower()
    for text in (*PRIVATE, *PRIVATE.values(), "zqadded zqmoved zqdeep zqout")
    for word in CANARY.findall(text if isinstance(text, str) else text.decode())
)
"""Every word that stands in private notes alone, their names too."""

SETTINGS: Mapping[str, object] = {
    "access__private_folders": ("Zqfolder",),
    "access__private_tags": ("own",),
    "writes__mode": "allow",
}

NAMES = ("Tea", "Deep/Zqname.md", "zqalias", "Lab book", "Zqbroken", "Zqfolder/Zqday")
OTHERS = ("Cup", *NAMES[1:])
"""What stands beside one of `NAMES`, where two notes are asked for."""
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

FINDINGS = ("ghosts:nowhere",)
UNTOLD_FINDINGS = ("ghosts:zqghost", "invalid_yaml:Zqbroken.md")
"""What the health of the vault finds: for all, and for its owner alone."""

LIKE_A_MEMO = {"kind": "decision", "text": "tea of clay from Tea", "project": "Shop"}
"""What is nearly said by a memo that is private."""

SAMPLES: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        ("name", "note", "root_note", "source", "from", "a", "about"), NAMES
    ),
    **dict.fromkeys(("target", "to", "into", "b"), OTHERS),
    **dict.fromkeys(("query", "question"), ASKED),
    "text": (*ASKED, *NAMES, "Old ledger"),
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
    **dict.fromkeys(("key", "finding"), (*FINDINGS, *UNTOLD_FINDINGS)),
    "path": ("Deep/Zqname.md",),
    "check": ("ghosts",),
}

WHOLE: Mapping[str, tuple[dict[str, Any], ...]] = {
    "glassmind_rename_heading": (
        {"name": "Tea", "heading": "Leaves", "new": "A", "dry_run": True},
    ),
    "glassmind_rename_tag": tuple(
        {"old": old, "new": new, "dry_run": True}
        for old, new in (("drink", "A"), ("zqtag", "A"), ("drink", "own"))
    ),
    "glassmind_merge": tuple(
        {"source": source, "into": into, "dry_run": True}
        for name in OTHERS
        for source, into in (("Tea", name), (name, "Tea"))
    ),
    "glassmind_split": (
        {"name": "Tea", "heading": "Leaves", "dry_run": True},
        {"name": "zqalias", "heading": "Zqheading", "dry_run": True},
    ),
    "edit_note": tuple(
        {"name": name, "mode": "append", "content": "x", "dryRun": True}
        for name in NAMES
    ),
    "glassmind_dismiss": (
        *({"a": "Tea", "b": name} for name in reversed(OTHERS)),
        *({"a": "Tea", "b": name, "restore": True} for name in reversed(OTHERS)),
    ),
    "glassmind_dismiss_finding": tuple(
        {"key": key} for key in reversed(SAMPLES["finding"])
    ),
    "glassmind_capture": (LIKE_A_MEMO,),
    "glassmind_add_suggested_links": tuple(
        {"name": name, "mentions": True, "dry_run": True} for name in ("Pot", *NAMES)
    ),
    "/capture": (LIKE_A_MEMO,),
    "/split": tuple(
        {"name": name, **which, "dry_run": True}
        for name in NAMES
        for which in ({"heading": "Leaves"}, {"heading": "Zqheading"}, {"level": 1})
    ),
    "/graph/dismiss": tuple({"a": "Tea", "b": name} for name in OTHERS[1:]),
    "/graph/finding/dismiss": tuple({"key": key} for key in UNTOLD_FINDINGS),
}
"""What tools and routes are called with that answer only if told several things that
fit, or that are asked for only once otherwise."""

OF_CHANGES = {
    "/changes/{id}",
    "/changes/{id}/undo",
    "/changes/{id}/apply",
    "glassmind_show_change",
    "glassmind_undo_change",
    "apply_edit_preview",
}
"""Verbs that take the id of a change."""

OF_RECEIPTS = {"/verify", "glassmind_verify"}
"""Verbs that take receipts."""

CHANGE_ID = re.compile(r"\b\d{8}-[a-z0-9]{5}\b")

SELDOM = {"/metrics", "/openapi.json"}
"""Routes that are asked once: what they are given does not change what they tell."""

KEEPING = {"/capture", "/graph/dismiss", "/graph/finding/dismiss"}
"""Routes where what is given stays, and is told to others."""


class World(NamedTuple):
    """A vault of which somebody with a scope may not read the notes of `PRIVATE`."""

    files: Mapping[str, str | bytes]
    settings: Mapping[str, object]
    scope: Scope


def world_of(kind: str) -> World:
    """Return a vault whose notes are kept by being private, or by rules of a kind.

    For the rules no note is private: what is kept is so from their client alone.
    """
    if kind == "private":
        return World({**PUBLIC, **PRIVATE}, SETTINGS, EVERY_AGENT)
    settings = {"writes__mode": "allow"}
    kept = {path: _open(raw) for path, raw in PRIVATE.items()}
    if kind == "excluded":
        rules = ["-property:kept", "-folder:Zqfolder", "-tag:own"]
        return World({**PUBLIC, **kept}, settings, read_scope(rules))
    named = dict(_named(kind))
    rules = {
        "folder": ["folder:Harness"],
        "tag": ["tag:shown"],
        "property": ["property:shown=yes"],
    }[kind]
    return World({**named, **kept}, settings, read_scope(rules))


def _open(raw: str | bytes) -> str | bytes:
    """Return a private note as one that says only that it is kept."""
    return re.sub(r"(?m)^private: ", "kept: ", raw) if isinstance(raw, str) else raw


def _named(kind: str) -> Iterator[tuple[str, str]]:
    """Yield the notes for all, as a rule of a kind names them."""
    for path, text in PUBLIC.items():
        if kind == "folder":
            yield f"Harness/{path}", text
        elif kind == "tag":
            yield path, f"{text}\n#shown\n"
        else:
            head, rest = "---\nshown: yes\n", text.removeprefix("---\n")
            yield path, head + (rest if rest != text else f"---\n{text}")


def told_vault(harness: VaultHarness, world: World | None = None) -> VaultHarness:
    """Fill a vault, have its owner use and change what is kept, and return it."""
    world = world or world_of("private")
    harness.write(world.files)
    engine = harness.open(**world.settings)
    engine.index()
    owner = EditRequest(client="cli")
    for note in ("Deep/Zqname.md", "Lab book.md"):
        engine.read(note)
        engine.editing.edit(note, [Append("zqadded tea\n")], owner)
    engine.editing.move("Zqtagged.md", "Zqmoved.md", owner)
    engine.memory.pin("Deep/Zqname.md")
    engine.bundles.summarize("Shop")
    engine.search("zqalpha")
    return harness


def samples_in(harness: VaultHarness, verb: str) -> Mapping[str, tuple[Any, ...]]:
    """Return what a verb is given in a vault: ids of changes too, if it takes some.

    They are made for it, since of what was only shown the oldest goes. What verifies is
    given receipts of lines that moved from one private place to another.
    """
    if verb in OF_RECEIPTS:
        packed = harness.engine.bundles.pack("zqmarked").notes
        now = [excerpt.receipt for note in packed for excerpt in note.excerpts]
        (moved,) = [one for one in now if one.startswith("Zqmoved.md:")]
        once = moved.replace("Zqmoved", "Zqtagged")
        return {**SAMPLES, "receipts": (*SAMPLES["receipts"], [moved], [once])}
    if verb not in OF_CHANGES:
        return SAMPLES
    editing, owner = harness.engine.editing, EditRequest(client="cli")
    trial, edits = owner._replace(dry_run=True), [Append("steeped once\n")]
    told = editing.changesets(limit=100).changesets
    kept = [one.id for one in told if CANARY.search(one.draft.title)]
    kept.append(editing.edit("Deep/Zqname.md", edits, trial).changeset.id)
    done = editing.edit("Cup", edits, owner).changeset.id
    shown = editing.edit("Pot", edits, trial).changeset.id
    return {**SAMPLES, "id": (done, shown, *kept), "previewId": (shown, *kept)}


def leaks(reply: str, given: object) -> list[str]:
    """Return what a reply says that stands in private notes alone, and was not asked.

    Part of a word that was asked for is no news either. What only begins like one is an
    id by chance.
    """
    asked = str(given).lower()
    found = {word for word in CANARY.findall(reply.lower()) if word not in asked}
    return sorted(
        word
        for word in found
        if any(word.startswith(one) or one.startswith(word) for one in CANARIES)
    )


def calls_of(
    arguments: Iterable[Argument],
    *,
    writes: bool = False,
    samples: Mapping[str, tuple[Any, ...]] = SAMPLES,
) -> Iterator[dict[str, Any]]:
    """Yield what a verb is called with: the usual, and each argument otherwise.

    What may be wished for or not is once as it is not by itself. One that `writes` and
    cannot be tried is given nothing else: what it is given is told.

    Raises:
        KeyError: an argument has to be given that nothing is known for.
    """
    table = list(arguments)
    usual = {one.name: _samples(one, samples)[0] for one in table if one.required}
    known = {one.name for one in table}
    if "dry_run" in known:
        usual["dry_run"] = True
    if "dryRun" in known:
        usual["dryRun"] = True
    yield usual
    for one in table:
        if one.kind == "boolean" and one.name not in usual:
            yield {**usual, one.name: not one.default}
    if writes and known.isdisjoint(("dry_run", "dryRun")):
        return
    for one in table:
        if one.name in samples or one.choices:
            tried = _samples(one, samples)
            yield from ({**usual, one.name: value} for value in tried)


def calls_of_tool(
    tool: McpTool, samples: Mapping[str, tuple[Any, ...]] = SAMPLES
) -> Iterator[dict[str, Any]]:
    """Yield what a tool is called with."""
    yield from calls_of(arguments_of(tool), writes=not tool.read_only, samples=samples)
    yield from WHOLE.get(tool.name, ())
    if tool.name == "apply_edit_preview":
        yield from ({"previewId": sample} for sample in samples["previewId"][1:])


def _samples(
    argument: Argument, samples: Mapping[str, tuple[Any, ...]]
) -> tuple[Any, ...]:
    if argument.choices:
        return argument.choices
    if argument.kind == "boolean":
        return (True, False)
    return samples[argument.name]


def told_by(web: Web, route: Route, given: Mapping[str, Any], **head: str) -> str:
    """Return all that a route answers: its headers and its body."""
    return text_of(answer_of(web, route, given, **head))


def text_of(answer: Answer) -> str:
    """Return the headers and the body of an answer."""
    heads = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
    return f"{heads}\n{answer.body.decode()}"


def calls_of_route(
    route: Route, samples: Mapping[str, tuple[Any, ...]] = SAMPLES
) -> list[dict[str, Any]]:
    """Return what a route is called with."""
    writes = route.method == "POST" and route.path in KEEPING
    calls = list(calls_of(arguments_of(route), writes=writes, samples=samples))
    calls += WHOLE.get(route.path, ())
    return calls[:1] if route.path in SELDOM else calls
