"""Two vaults with the same visible notes, and calls for every tool and route.

The vaults differ only in notes that the client must not see. A client that calls both
must get the same replies.
"""

import codecs
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import pytest
from anyio.from_thread import start_blocking_portal
from http_harness import Web, serving
from mcp import Client
from mcp_harness import structured_server
from mcp_types import Implementation
from semantic_harness import MeaningHarness, WordModel
from vault_harness import NOON

from glassmind.access.clients import clients_of
from glassmind.access.scopes import SETS, read_scope
from glassmind.edit.vault import EditRequest
from glassmind.engine import Engine
from glassmind.model.access import EVERY_AGENT, Scope
from glassmind.model.edits import Append
from glassmind.vault import Vault

DAY_S = 86_400
CREATED = re.compile(rb"(?m)^(created:) .*$")

TOOLSETS = tuple(name for name in SETS if name != "query")

TEA = "oolong sencha matcha leaves steeped gently in warm water for guests at noon"
RAIL = "locomotive carriage whistle timetable platform freight junction and sleeper"
SOIL = "compost trowel mulch earthworm perennial harvest orchard and wheelbarrow"

VISIBLE: Mapping[str, str | bytes] = {
    "Open/Tea.md": "---\ntags: [drink]\naliases: [Brew]\nproject: Shop\n---\n# Leaves\n"
    f"{TEA}. See [[Cup]], [[Kettle]] and [[Nowhere]].\n\n- [ ] buy tea #drink\n\n"
    "## Rules\nSteep it twice ^rule\n",
    "Open/Cup.md": f"# Cups\nA cup of {TEA}. Back to [[Tea]] and [[Pot]].\n",
    "Open/Pot.md": f"---\nup: '[[Tea]]'\n---\n# Pots\nA pot of {TEA}. #drink\n\n"
    "The Station sells [[Cup]]s.\n",
    "Open/Kettle.md": "---\nup: '[[Tea]]'\nproject: Shop\n---\nBoil water for the "
    f"[[Pot]] and the [[Cup]]: {TEA}.\n\n- [x] descale the kettle\n",
    "Open/Mug.md": f"A mug of {TEA} without any link, close to many others.\n",
    "Open/Train.md": "---\ntags: [travel]\n---\n# Trains\n"
    f"{RAIL}. It leaves from [[Station]] on [[Track]].\n\n![[map.png]]\n",
    "Open/Track.md": f"Rails: {RAIL}. See [[Train]] and [[Signal]]. #travel\n",
    "Open/Signal.md": f"Lights: {RAIL}. For [[Station]] and [[Track]].\n",
    "Open/Station.md": "---\naliases: [Halt]\n---\n"
    f"House: {RAIL}. [[Train]]. #Travel\n",
    "Open/Depot.md": f"Sheds: {RAIL}, but no link to anything at all.\n",
    "Open/Garden.md": "---\nstatus: draft\n---\n"
    f"{SOIL}. [[Seed]], [[Rake]], [[Bed]].\n",
    "Open/Seed.md": f"---\nstatus: done\n---\nSow: {SOIL}. [[Garden]] and [[Bed]].\n",
    "Open/Rake.md": f"Tool: {SOIL}. [[Garden]] and [[Nowhere]].\n",
    "Open/Bed.md": f"Beds: {SOIL}. [[Rake]]. What do we plant next?\n",
    "Open/2024-05-01.md": "Drank [[Tea]] on the [[Train]] to the [[Garden]].\n",
    "Open/map.png": b"\x89PNG bytes",
    ".agent/decisions/Leaves.md": "---\nkind: decision\nproject: Shop\n"
    "client: reader\nstatus: current\ncreated: 2024-05-01\n---\n"
    "We buy oolong from [[Tea]].\n",
    ".agent/questions/Price.md": "---\nkind: question\nproject: Shop\nclient: reader\n"
    "status: open\ncreated: 2024-05-01\n---\nWhat does sencha cost?\n",
}

_HEAD = "---\nprivate: true\n{}---\n"
_LINKS = "[[Tea]] [[Train]] [[Garden]] [[Cup]] [[Signal]] [[Bed]] [[Mug]] [[Nowhere]]"

HUB = "Shut/Zqhub.md"

HIDDEN: Mapping[str, str | bytes] = {
    HUB: _HEAD.format(
        "aliases: [Cup, Station, Brew]\ntags: [drink, travel, zqtag]\nproject: Shop\n"
        "up: '[[Tea]]'\nstatus: zqstatus\n"
    )
    + f"# Zqhead\nzqtext {_LINKS} [[Zqghost]]\n\n- [ ] zqtask for [[Tea]] #drink\n\n"
    "zqfield:: zqinline\n\n> [!note] zqcallout\n\nzqpara ^zqblock ![[zqpicture.png]]\n",
    "Shut/Zqlab.md": _HEAD.format("up: '[[Train]]'\n")
    + f"zqlab {_LINKS} #own/zqinner\n",
    "Shut/Zqday.md": _HEAD.format("") + f"zqday [[Zqhub]] [[Zqlab]] {_LINKS}\n",
    "Shut/Zqtwin of Depot.md": _HEAD.format("")
    + f"Sheds: {RAIL}, but zqlink [[Depot]]\n",
    "Shut/Zqbroken.md": "---\nprivate: true\nmore: [un\n---\nzqbroken [[Tea]]\n",
    "Shut/Deep/Zqboard.canvas": '{"nodes": [{"id": "a", "type": "file", "file": '
    '"Open/Tea.md", "x": 0, "y": 0, "width": 1, "height": 1}], "edges": []}',
    "Shut/Deep/Zqspoilt.md": b"zqnul \0\n",
    "Shut/Deep/zqpicture.png": b"zqbytes",
    "Shut/Zqmemo.md": _HEAD.format("kind: decision\nproject: Shop\nstatus: current\n")
    + "zqdecided: [[Tea]] supersedes\n",
    "Shut/Zqasked.md": _HEAD.format("kind: question\nproject: Shop\n") + "zqwhy?\n",
    **{
        f"Shut/Zqcopy {at:02}.md": _HEAD.format("") + f"A mug of {TEA} zqcopy{at}\n"
        for at in range(24)
    },
}
"""Links, tags, properties, tasks, names and copies that would change much if counted.

The copies alone would fill the list of similar notes of every note about tea.
"""

_KEPT = re.compile(r"(private|kind|status|project): \S+|\w+(?=: )|\.md|[{}\"]")


def _other_words(raw: str | bytes) -> str | bytes:
    """Return a note of the same shape that shares no word, link or name with it."""
    if isinstance(raw, bytes) or raw.startswith("{"):
        return raw.replace("Tea.md", "Cup.md") if isinstance(raw, str) else raw
    head, mark, body = raw.removeprefix("---\n").rpartition("---\n")
    kept = [one.span() for one in _KEPT.finditer(head)]
    letters = [
        letter if any(a <= at < b for a, b in kept) else codecs.encode(letter, "rot13")
        for at, letter in enumerate(head)
    ]
    # What links to the hub is written again when that moves, in both vaults.
    parts = [codecs.encode(part, "rot13") for part in body.split("[[Zqhub]]")]
    return f"---\n{''.join(letters)}{mark}{'[[Zqhub]]'.join(parts)}"


OTHERS: Mapping[str, str | bytes] = {
    path: _other_words(raw) for path, raw in HIDDEN.items()
}
"""Notes as long as those, field by field, with other words, links, tags and names.

The scores of keyword search depend on the average length of all notes, and on nothing
else of hidden ones; see docs/security.md.
"""

SECOND: Mapping[str, Mapping[str, str | bytes]] = {"none": {}, "others": OTHERS}
"""The hidden notes of the second vault."""

NAMES = ("Tea", "Open/Garden.md", "Mug", "Absent")
QUERIES = (
    "oolong sencha",
    "locomotive timetable platform",
    "what is steeped in warm water",
    "compost tag:#travel",
    "matcha path:Open",
    "notes linked to Tea",
)

SAMPLES: Mapping[str, tuple[Any, ...]] = {
    **dict.fromkeys(("name", "note", "root_note", "source", "from", "a"), NAMES),
    **dict.fromkeys(("target", "to", "into", "b"), ("Depot", "Train", "Absent")),
    **dict.fromkeys(("query", "question"), QUERIES),
    "about": ("oolong sencha", "Tea"),
    "text": ("We drink oolong at noon", "Station", "Brew", "Halt"),
    **dict.fromkeys(("folder", "directory"), ("Open", "Shut", "")),
    "tag": ("drink", "travel"),
    "tags": (["drink"],),
    "property": ("project", "up", "status=draft"),
    "properties": ({"status": "new"},),
    "frontmatter": ({"status": "new"},),
    "project": ("Shop", "Nothing"),
    "destination": ("Open/Moved.md", "Elsewhere/"),
    "title": ("Brand new", "Tea"),
    "template": ("Open/Tea.md",),
    "content": ("a line about [[Tea]]",),
    "context": ("See {{link}}.",),
    "heading": ("Leaves", "Absent"),
    "new": ("Renamed",),
    "old": ("drink", "travel"),
    "receipts": (["Open/Tea.md:4-5@00000000"],),
    "sources": (["Open/Tea.md"],),
    "edits": ([{"op": "append", "text": "x"}],),
    "expected": ("0" * 64,),
    **dict.fromkeys(("id", "previewId"), ("20240501-aaaaa",)),
    **dict.fromkeys(("key", "finding"), ("ghosts:nowhere", "orphans:Open/Mug.md")),
    "keys": (["absent"],),
    "checks": (["ghosts"], ["near_duplicates", "orphans"]),
    "check": (["ghosts"], ["near_duplicates", "orphans"]),
    "path": ("Open/Tea.md",),
    "paths": (["Open/Tea.md"],),
    **dict.fromkeys(("since", "until"), ("2024-05-01", "2 days")),
    **dict.fromkeys(("theme", "themeId"), ("1", "2", "Tea", "99")),
    "resolution": (0.5, 3.0),
    "limit": (2, 100),
    **dict.fromkeys(("top_k", "max_results"), (3,)),
    **dict.fromkeys(("depth", "maxDepth", "most_hops", "hop_depth"), (3,)),
    **dict.fromkeys(("least_inbound", "minIncomingLinks"), (1,)),
    **dict.fromkeys(("budget", "max_tokens", "maxContentLength"), (2000,)),
    **dict.fromkeys(("least", "threshold", "fuzzyThreshold"), (0.5,)),
    "min_similarity": (0.3,),
    "lines": ("1-3",),
    "offset": (1,),
    "cursor": ("absent",),
    "client": ("reader",),
    **dict.fromkeys(("index", "headingIndex", "line", "level"), (1,)),
    **dict.fromkeys(("search", "value"), ("water",)),
    "valueJson": ('"water"',),
}
"""Values of every argument, by its name. The first is used where one is required."""

WHOLE: Mapping[str, tuple[dict[str, Any], ...]] = {
    "glassmind_similar": ({"name": "Mug", "least": 0.1, "limit": 50},),
    "glassmind_rank": (
        {"metric": "bridging", "theme": "1"},
        {"metric": "hubs", "ghosts": True, "limit": 50},
    ),
    "glassmind_path": ({"source": "Cup", "target": "Bed", "ghosts": True},),
    "glassmind_rename_heading": ({"name": "Tea", "heading": "Leaves", "new": "A"},),
    "glassmind_rename_tag": ({"old": "drink", "new": "A", "dry_run": True},),
    "glassmind_merge": ({"source": "Mug", "into": "Cup", "dry_run": True},),
    "glassmind_split": ({"name": "Tea", "heading": "Rules", "dry_run": True},),
    "glassmind_dismiss": (
        {"a": "Tea", "b": "Mug"},
        {"a": "Tea", "b": "Mug", "restore": True},
    ),
    "glassmind_dismiss_finding": (
        {"key": "ghosts:nowhere"},
        {"key": "ghosts:nowhere", "restore": True},
    ),
    "glassmind_add_suggested_links": (
        {"name": "Pot", "mentions": True, "dry_run": True},
    ),
    "glassmind_capture": (
        {"kind": "decision", "text": "We buy oolong from Tea", "project": "Shop"},
    ),
    "/split": ({"name": "Tea", "heading": "Rules", "dry_run": True},),
    "/search": (
        {"query": "oolong sencha", "explain": True, "intent": "conceptual"},
        {"query": "timetable", "explain": True, "root_note": "Tea", "hop_depth": 3},
    ),
}
"""Calls whose arguments only work together."""


class Call(NamedTuple):
    """One call; without a toolset it is a route, whose verb is method and path."""

    verb: str
    given: Mapping[str, Any]
    writes: bool = False
    toolset: str = ""


ONCE = {"/metrics", "/openapi.json"}
"""Routes that are called with the least arguments alone. A refreshed resolution would
be stored for all later replies."""

READING = {"/search", "/context", "/verify"}
"""Routes that are posted to and change nothing."""

WRITES = (
    Call(
        "glassmind_edit",
        {"name": "Mug", "edits": [{"op": "append", "text": "[[Pot]]\n"}]},
        toolset="write",
    ),
    Call(
        "glassmind_move",
        {"source": "Mug", "destination": "Open/Beaker.md"},
        toolset="write",
    ),
    Call(
        "glassmind_create",
        {"title": "Saucer", "folder": "Open", "text": "For [[Cup]] and [[Train]]."},
        toolset="write",
    ),
)
"""Changes that an agent makes between two rounds of reads."""


class Twin:
    """One of the two vaults, as its client meets it over MCP and HTTP."""

    def __init__(
        self, stack: ExitStack, harness: MeaningHarness, engine: Engine, web: Web
    ):
        self.harness, self.web = harness, web
        self._portal = stack.enter_context(start_blocking_portal())
        self._clients = {
            name: stack.enter_context(
                self._portal.wrap_async_context_manager(
                    Client(
                        structured_server(engine, toolsets=(name,)),
                        client_info=Implementation(name="reader", version="1"),
                    )
                )
            )
            for name in TOOLSETS
        }

    def settle(self) -> None:
        """Give changed files times that do not depend on the clock, and index them."""
        for file in self.harness.root.rglob("*"):
            if file.is_file() and file.stat().st_mtime > NOON + DAY_S:
                path = str(file.relative_to(self.harness.root))
                at = NOON + zlib.crc32(path.encode()) % DAY_S
                file.write_bytes(CREATED.sub(rb"\1 2024-05-01", file.read_bytes()))
                os.utime(file, (at, at))
        self.harness.index(verify=True)

    def tools(self) -> list[tuple[str, Any]]:
        """Return every tool as the server lists it, with its toolset."""
        return [
            (name, tool)
            for name, client in self._clients.items()
            for tool in self._portal.call(client.list_tools).tools
        ]

    def routes(self) -> dict[tuple[str, str], Any]:
        """Return the arguments of every route in the OpenAPI description."""
        described = self.web.get("/openapi.json").json
        return {
            (method.upper(), path): _arguments(operation)
            for path, methods in described["paths"].items()
            for method, operation in methods.items()
        }

    def reply(self, call: Call) -> str:
        """Return the whole reply to a call."""
        if call.toolset:
            client = self._clients[call.toolset]
            answer = self._portal.call(client.call_tool, call.verb, dict(call.given))
            return str(answer.model_dump_json(indent=1))
        method, path = call.verb.split()
        return self._asked(method, path, call.given)

    def _asked(self, method: str, path: str, given: Mapping[str, Any]) -> str:
        rest = dict(given)
        for name in given:
            if f"{{{name}}}" in path:
                path = path.replace(f"{{{name}}}", quote(str(rest.pop(name))))
        if method == "POST":
            answer = self.web.post(path, rest)
        else:
            said = {
                name: json.dumps(one) if isinstance(one, bool) else one
                for name, one in rest.items()
            }
            answer = self.web.get(f"{path}?{urlencode(said, doseq=True)}".rstrip("?"))
        return f"{answer.status}\n{pretty(answer.body)}"


def calls_of(twin: Twin) -> Iterator[Call]:
    """Yield calls of every tool and route that the servers list.

    Raises:
        LookupError: an argument has no values in the table.
    """
    for toolset, tool in twin.tools():
        writes = not tool.annotations.read_only_hint
        for given in arguments_for(tool.name, tool.input_schema):
            yield Call(tool.name, given, writes, toolset)
    for (method, path), schema in twin.routes().items():
        writes = method == "POST" and path not in READING
        for given in arguments_for(path, schema):
            yield Call(f"{method} {path}", given, writes)


def _arguments(operation: Any) -> dict[str, Any]:
    """Return the arguments of an operation as one JSON schema."""
    if "requestBody" in operation:
        body = operation["requestBody"]["content"]["application/json"]["schema"]
    else:
        body = {}
    properties, required = dict(body.get("properties", {})), [*body.get("required", ())]
    for one in operation.get("parameters", ()):
        properties[one["name"]] = one.get("schema", {})
        required += [one["name"]] if one.get("required") else []
    return {"properties": properties, "required": required}


def open_twin(
    stack: ExitStack, root: Path, hidden: Mapping[str, Any], kind: str
) -> Twin:
    """Return an indexed and served vault with these hidden notes."""
    root.mkdir()
    harness = MeaningHarness(root)
    stack.callback(harness.close)
    settings: dict[str, Any] = {"writes__mode": "allow", "search__implicit_weight": 0.4}
    scope = EVERY_AGENT
    if kind == "private":
        settings["access__private_tags"] = ("own",)
        settings["access__private_folders"] = ("Shut/Deep",)
    else:
        hidden = {path: _without_mark(raw) for path, raw in hidden.items()}
        scope = read_scope(KINDS[kind])._replace(client="reader")
    files = {**VISIBLE, **hidden}
    if kind == "tag":
        files = {p: _tagged(p, raw) for p, raw in files.items()}
    harness.write(files)
    engine = harness.open(**settings)
    engine.index()
    if HUB in hidden:
        _use_hub(engine, linked="[[Zqghost]]" in str(hidden[HUB]))
    engine.index()
    clients = clients_of(engine.config)
    if scope is EVERY_AGENT:
        web = stack.enter_context(serving(engine, clients=clients))
    else:
        token = clients.add("reader", Scope(scope.rules))[1]
        served = stack.enter_context(serving(engine, clients=clients))
        web = Web(served.port, token)
    return Twin(stack, harness, engine.seen_by(scope), web)


KINDS: Mapping[str, list[str]] = {
    "private": [],
    "folder": ["folder:Open"],
    "excluded": ["-folder:Shut"],
    "tag": ["tag:shown"],
}
"""What hides the notes: their own property, or the rules of a client."""


def _without_mark(raw: str | bytes) -> str | bytes:
    return raw.replace("private: true\n", "") if isinstance(raw, str) else raw


def _tagged(path: str, raw: str | bytes) -> str | bytes:
    if isinstance(raw, bytes) or not path.startswith("Open/"):
        return raw
    return f"{raw}\n#shown\n"


def _use_hub(engine: Engine, *, linked: bool) -> None:
    """Read, edit and move a hidden note as its owner; pin it if it has links."""
    owner, moved = EditRequest(client="cli"), HUB.replace("hub", "moved")
    engine.read(HUB)
    engine.search('"zqtext"')
    added = "zqadded [[Rake]]\n" if linked else "zqadded Rake\n"
    engine.editing.edit(HUB, [Append(added)], owner)
    engine.editing.move(HUB, moved, owner)
    if linked:
        engine.memory.pin(moved)
        engine.knowledge.dismiss_finding("ghosts", "zqghost")


def word_model(patch: pytest.MonkeyPatch) -> None:
    """Let every vault use a small model of words."""
    model = WordModel()
    patch.setattr(Vault, "embedder", lambda _: model)
    patch.setattr(Vault, "embedder_of", lambda *_: model)


def arguments_for(verb: str, schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield arguments for a tool or route: the least it takes, then each other value.

    Raises:
        LookupError: an argument has no values in the table.
    """
    properties = schema.get("properties", {})
    values = {name: _values(verb, name, one) for name, one in properties.items()}
    least = {name: values[name][0] for name in schema.get("required", ())}
    least |= {name: True for name in ("dry_run", "dryRun") if name in properties}
    yield least
    if verb in ONCE:
        return
    for name, known in values.items():
        if name in {"dry_run", "dryRun", "confirm", "from_buffer"}:
            continue
        yield from ({**least, name: one} for one in known if least.get(name) != one)
    yield from WHOLE.get(verb, ())


def _values(verb: str, name: str, schema: Any) -> tuple[Any, ...]:
    if choices := [one for one in schema.get("enum", ()) if one is not None]:
        return tuple(choices)
    if "boolean" in schema.get("type", ()):
        return (True, False)
    if name not in SAMPLES:
        raise LookupError(f"add values for the argument {name!r} of {verb} to SAMPLES")
    return SAMPLES[name]


MASKS = (
    (re.compile(r"(?<!\d)\d{8}-[a-z0-9]{5}\b"), "<change>"),
    (re.compile(r'("(?:job|digest|after)": ")[0-9a-f]{16,32}'), r"\1<random>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?"),
     "<time>"),
    (re.compile(r"(?!2024)20\d\d-\d\d-\d\d"), "<today>"),
    (re.compile(r"notes-[0-9a-f]{8}\b"), "<fence>"),
    (re.compile(r"index/Notes-[0-9a-f]{8}\b"), "<index>"),
    (re.compile(r'(cursor(?:": "|=))[\w-]{30,}'), r"\1<cursor>"),
    (re.compile(r'("(?:seconds|took_ms|elapsed_ms|ms|took)": )[\d.]+'), r"\1<time>"),
)  # fmt: skip
"""What differs by nature: random ids, times, digests of captures (which hold a time),
and cursors, which hold a digest of the unmasked reply."""


def masked(reply: str, twin: Twin) -> str:
    """Return a reply without what differs between any two vaults."""
    reply = reply.replace(str(twin.harness.root.parent), "<root>")
    for pattern, mask in MASKS:
        reply = pattern.sub(mask, reply)
    return reply


def pretty(body: bytes) -> str:
    """Return a body over many lines, for a difference that can be read."""
    try:
        return json.dumps(json.loads(body), indent=1)
    except ValueError:
        return body.decode(errors="replace")
