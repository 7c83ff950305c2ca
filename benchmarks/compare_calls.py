"""Generate calls from a vault's own content and from what a commit offers.

The catalogue (tools, routes, commands) is read from the earlier commit, so an operation
that the later one lost is still called. The same vault, catalogue and seed give the
same calls.
"""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from compare_sides import Call, Reply, Request, Side

Schema = dict[str, Any]

SURFACE_SHARES = {"mcp": 0.7, "rest": 0.2, "cli": 0.1}
SKIPPED_COMMANDS = {
    "init", "watch", "mcp", "serve", "connect", "disconnect", "service", "completion",
    "models", "eval", "tune", "backup", "restore", "daemon", "help", "config", "trust",
    "open", "page",
}  # fmt: skip
"""They run until stopped, download, take minutes, or act outside vault and index."""

SKIPPED_OPTIONS = {
    "help", "vault", "config", "json", "quiet", "verbose", "no-color", "version",
    "file", "edits", "markdown", "paths", "format", "rebuild", "list", "set-json",
}  # fmt: skip
OFTEN = re.compile("edit|restructure|_move|_changes|_search|undo|apply|approve")
"""Operations that are called four times as often as others."""

USUAL = {
    "name", "note", "heading", "text", "content", "new", "confirm", "yes", "find",
    "line", "to", "sentence", "block", "query",
}  # fmt: skip
RARE = {
    "index", "dry_run", "dry-run", "expected", "expect", "verify", "level",
    "template", "from_buffer",
}  # fmt: skip
TOGETHER = {
    "rename-heading": {"what", "name", "heading", "new", "dry_run"},
    "rename-tag": {"what", "name", "new", "dry_run"},
    "merge": {"what", "name", "new", "confirm", "dry_run"},
    "split": {"what", "name", "heading", "folder", "dry_run"},
    "findings": {"what", "checks", "dry_run"},
    "links": {"what", "name", "keys", "mentions", "dry_run"},
}
"""Arguments that go with a value of `what`."""

INSTEAD = {
    "edit task": ({"line"}, "find"),
    "glassmind_dismiss": ({"a", "b"}, "finding"),
    "glassmind_health": ({"checks", "limit"}, "finding"),
}
"""Arguments that earlier commits did not take together."""

SPOILED_SHARE = 0.12
ODD_TEXTS = (
    "", "   ", "No such note", "../outside.md", "/etc/hostname", "a\u202eb", "100%",
    "e\u0301te\u0301", "🦆 \u0645\u0631\u062d\u0628\u0627", "x" * 3_000, "[[", "tag:",
    '"open phrase', "-only -minus", "Note.md#", "\u200b", "CON", "a/b/../c",
)  # fmt: skip
ODD_NUMBERS: tuple[Any, ...] = (-1, 0, 10**9, 1.5, "ten", None)
POSITIONALS = {
    "move": ("name", "destination"), "merge": ("name", "into"),
    "rename-heading": ("name", "heading", "new"), "rename-tag": ("tag", "new"),
    "supersede": ("memory", "memory"), "forget": ("memory",), "split": ("name",),
    "inbox merge": ("memory", "memory"), "inbox accept": ("memory",),
    "inbox edit": ("memory",), "inbox reject": ("memory",),
    "graph path": ("name", "target"), "graph dismiss": ("name", "target"),
    "graph restore": ("name", "target"), "edit create": ("title",),
    "clients add": ("client",), "clients show": ("client",), "clients set": ("client",),
    "clients revoke": ("client",), "proposals approve": ("proposed",),
    "proposals reject": ("proposed",), "proposals show": ("proposed",),
    "changeset apply": ("previewed",), "changeset undo": ("applied",),
}  # fmt: skip
"""What commands take where the placeholders of their help do not say it."""

_WORD = re.compile(r"[^\W\d_]{4,}")
_TAG = re.compile(r"(?<![\w/#])#([^\W\d][\w/-]*)")
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)
_PROPERTY = re.compile(r"^([A-Za-z][\w-]*):", re.MULTILINE)
_BLOCK = re.compile(r"\^([A-Za-z0-9-]+)\s*$", re.MULTILINE)
_TASK = re.compile(r"\s*[-*+] \[.\] ")
_LINE = re.compile(r"\S.{8,80}")


@dataclass
class Facts:
    """What calls can name of a vault: the text of each note, tags and folders."""

    notes: dict[str, str] = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)

    def update(self, changes: dict[str, bytes | None]) -> None:
        """Take over changed files by path; None is a file that was removed."""
        for path, content in changes.items():
            hidden = "/." in f"/{path.removeprefix('.agent/')}"
            if path.endswith(".md") and not hidden:
                self.notes.pop(path, None)
                if content is not None:
                    self.notes[path] = content.decode("utf-8", "replace")
        self.notes = dict(sorted(self.notes.items()))
        tags = {tag for text in self.notes.values() for tag in _TAG.findall(text)}
        self.tags = sorted(tags) or ["none"]
        above = {str(PurePosixPath(path).parent) for path in self.notes}
        self.folders = sorted(above - {"."}) or ["Folder"]


@dataclass(frozen=True)
class Operation:
    """Something a commit offers: its arguments as JSON schemas by name."""

    surface: str
    name: str
    arguments: dict[str, Schema]
    required: frozenset[str]
    places: dict[str, str] = field(default_factory=dict)
    """Where REST takes each argument: path, query or body."""
    positionals: tuple[str, ...] = ()


def read_tools(tools: list[dict[str, Any]]) -> Iterator[Operation]:
    """Yield the operations of an MCP tools/list."""
    for tool in tools:
        schema = tool["inputSchema"]
        required = frozenset(schema.get("required", ()))
        yield Operation("mcp", tool["name"], schema.get("properties", {}), required)
    for method, arguments in {
        "resources/list": {"cursor": {"type": "string"}},
        "resources/read": {"uri": {"type": "string"}},
        "resources/templates/list": {},
        "prompts/list": {},
    }.items():
        yield Operation("mcp", method, arguments, frozenset(arguments) - {"cursor"})


def read_routes(document: dict[str, Any]) -> Iterator[Operation]:
    """Yield the operations of an OpenAPI document."""
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            arguments, places, required = {}, {}, set()
            for given in route.get("parameters", ()):
                arguments[given["name"]] = given.get("schema", {})
                places[given["name"]] = given["in"]
                if given.get("required"):
                    required.add(given["name"])
            content = route.get("requestBody", {}).get("content", {})
            body = content.get("application/json", {}).get("schema", {})
            while "$ref" in body:
                body = document["components"]["schemas"][body["$ref"].split("/")[-1]]
            for name, schema in body.get("properties", {}).items():
                arguments[name], places[name] = schema, "body"
            required |= set(body.get("required", ()))
            name = f"{method.upper()} {path}"
            yield Operation("rest", name, arguments, frozenset(required), places)


def read_commands(side: Side) -> Iterator[Operation]:
    """Yield the operations of the command line, by reading its help."""
    top = side.program.run(["help", "--all"], side.env)
    if top.returncode:  # commits before `glassmind help`
        top = side.program.run(["--help"], side.env)
    for command in dict.fromkeys(listed_commands(top.stdout)):
        if command in SKIPPED_COMMANDS:
            continue
        text = side.program.run([command, "--help"], side.env).stdout
        parts = re.split(
            r"(?im)^(?:(?:actions|commands):|usage: .* ACTION \.\.\.)$", text
        )
        actions = listed_commands(parts[-1]) if len(parts) > 1 else []
        for action in actions:
            done = side.program.run([command, action, "--help"], side.env)
            yield read_help(f"{command} {action}", done.stdout)
        if not actions:
            yield read_help(command, text)


def listed_commands(text: str) -> list[str]:
    """Return the names that a help text lists, one a line."""
    return re.findall(
        r"^ {2,4}([a-z][a-z-]+)(?: [A-Z[][A-Z \[\].]*)?(?: {2,}| (?=the same))\S",
        text,
        re.MULTILINE,
    )


def read_help(name: str, text: str) -> Operation:
    """Read the options and positional arguments of a command's help text."""
    options: dict[str, Schema] = {}
    pattern = r" +(?:-\w, )?--([a-z][a-z-]*)(?:,? -\w)?(?:,? --[a-z-]+)* ?(\S*)"
    for line in text.splitlines():
        found = re.match(pattern, line)
        if found is None or found[1] in SKIPPED_OPTIONS:
            continue
        option, placeholder = found[1], found[2].rstrip(",")
        if placeholder.startswith("{"):
            options[option] = {"enum": placeholder.strip("{}").split(",")}
        elif placeholder[:1].isupper():
            kinds = dict.fromkeys(["N", "INTEGER"], "integer")
            kinds |= dict.fromkeys(["R", "C", "SHARE", "FLOAT"], "number")
            options[option] = {"type": kinds.get(placeholder, "string")}
        else:
            options[option] = {"type": "boolean"}
    usage = text.partition("\n\n")[0].replace("\n", " ")
    rest = re.sub(r"\[-[^\]]*\]|\[OPTION[^\]]*\]|\([^)]*\)", " ", usage)
    words = re.findall(r"\{[^}]*\}|\b[A-Z][A-Z_]*\b", rest)
    default = tuple(word if word[0] == "{" else word.lower() for word in words)
    positionals = POSITIONALS.get(name, default)
    for given in positionals:
        options.pop(given, None)  # the text of a capture is given once
    return Operation("cli", name, options, frozenset(), positionals=positionals)


class Generator:
    """Makes calls; a seed and the facts given so far decide which."""

    def __init__(self, operations: list[Operation], seed: str, facts: Facts) -> None:
        self._random = random.Random(seed)
        self._choose = self._random.choice
        self._operations = operations
        self._waiting: dict[str, list[Operation]] = {key: [] for key in SURFACE_SHARES}
        self._facts = facts
        self._path = self._note = ""
        self._makers = dict(self._text_makers())

    def next_call(self) -> Call:
        """Return the next call: each operation of a surface comes once a round."""
        shares = list(SURFACE_SHARES.values())
        (surface,) = self._random.choices(list(SURFACE_SHARES), shares)
        waiting = self._waiting[surface]
        if not waiting:
            for operation in self._operations:
                if operation.surface == surface:
                    waiting += [operation] * (4 if OFTEN.search(operation.name) else 1)
            self._random.shuffle(waiting)
        return self.call(waiting.pop())

    def call(self, operation: Operation) -> Call:
        """Return a call of one operation, at times a wrong one."""
        self._path, self._note = self._choose(list(self._facts.notes.items()))
        arguments = {
            name: self._value(name, schema)
            for name, schema in operation.arguments.items()
            if name in operation.required or self._random.random() < _share(name)
        }
        arguments.pop("cursor", None)  # the next page is fetched where there is one
        if "theme" not in operation.name:  # what a theme holds is compared there
            arguments.pop("theme", None)
            arguments.pop("themeId", None)
        first, second = INSTEAD.get(operation.name, (set(), ""))
        if first & arguments.keys():
            arguments.pop(second, None)
        self._fit(operation, arguments)
        if self._random.random() < SPOILED_SHARE:
            self._spoil(arguments, operation)
        make = {"mcp": _tool_call, "rest": _route_call, "cli": self._command}
        request = make[operation.surface](operation, arguments)
        return Call(operation.surface, operation.name, request)

    def _fit(self, operation: Operation, arguments: dict[str, Any]) -> None:
        """Make arguments fit each other where they hardly ever would by chance."""
        if operation.name == "edit_note":
            arguments.clear()
            arguments |= self._window_edit() | {"name": self._note_name()}
            if self._random.random() < 0.3:
                arguments["dryRun"] = True
        elif operation.name in {"edit property", "edit frontmatter"}:
            kept = self._choose(["set", "add", "remove", "unset"])
            value = True if kept == "unset" else self._words(1)
            arguments.clear()
            arguments |= {"name": self._property(), kept: value}
        elif arguments.get("what") in TOGETHER:
            for name in arguments.keys() - TOGETHER[arguments["what"]]:
                del arguments[name]
            if arguments["what"] == "rename-tag":
                arguments["name"] = self._tag()
            elif arguments["what"] == "merge":
                arguments["new"] = self._other()
        if arguments.get("action") == "undo" or operation.name.endswith("/undo"):
            arguments["id"] = self._reference("changeset:applied|")
        elif operation.name.endswith("{id}/apply"):
            arguments["id"] = self._reference("changeset:previewed|")

    def _value(self, name: str, schema: Schema) -> Any:
        """Return a value for an argument, by its type and its name."""
        if "enum" in schema:
            return self._choose(
                [value for value in schema["enum"] if value is not None]
            )
        kinds = schema.get("type", "string")
        kind = (
            kinds if isinstance(kinds, str) else next(k for k in kinds if k != "null")
        )
        if kind == "boolean":
            return name in {"confirm", "yes"} or self._random.random() < 0.5
        if kind in {"integer", "number"}:
            return self._number(name, schema, kind)
        if kind == "object":
            return {self._property(): self._words(2)}
        if kind == "array":
            count = self._choose([1, 1, 2])
            one = partial(self._value, name.removesuffix("s"), {})
            make = self._edit if name == "edits" else one
            return [make() for _ in range(count)]
        return self._makers.get(name.replace("-", "_").lower(), self._query)()

    def _number(self, name: str, schema: Schema, kind: str) -> float:
        if kind == "number":
            return round(self._random.uniform(schema.get("minimum", 0), 1), 2)
        least = schema.get("minimum", 200 if name == "budget" else 1)
        top = self._note.count("\n") if name == "line" else least + 12
        top = min(schema.get("maximum", 3_000), 3_000 if least >= 100 else top)
        return self._random.randint(least, max(least, top))

    def _text_makers(self) -> Iterator[tuple[str, Callable[[], str]]]:
        """Yield the names of text arguments with the methods that make them."""
        # fmt: off
        methods: dict[str, Callable[[], str]] = {
            "name note source a root root_note from path template": self._note_name,
            "target to into b": self._other,
            "folder directory": self._folder,
            "tag old": self._tag,
            "property": self._property,
            "since until": self._day,
            "text content sentence context": self._text,
            "title": lambda: self._words(2),
            "new set add remove": lambda: self._words(1),
            "expected expect": lambda: self._reference(f"digest:{self._path}|"),
            "heading": self._heading,
            "destination": self._destination,
            "status": lambda: self._choose(["toggle", "x", "/"]),
            "lines line": self._line_range,
            "project": self._project,
            "find search": self._existing_text,
            "memory": self._memory,
            "uri": lambda: f"note://{self._other()}",
            "client": lambda: "reader",
            "scope": lambda: f"folder:{self._folder()}",
            "toolset": lambda: "core,graph",
        }
        references = {
            "id proposed": "changeset:proposed|", "applied": "changeset:applied|",
            "previewed": "changeset:previewed|", "previewid": "previewId:",
            "receipt": "receipt:", "finding dismiss again restore": "finding:",
            "key apply": "suggestion:", "check": "check:", "theme themeid": "label:",
            "cursor": "cursor:", "job": "job:",
        }
        # fmt: on
        for names, kind in references.items():
            methods[names] = partial(self._reference, kind)
        for names, method in methods.items():
            yield from ((name, method) for name in names.split())

    def _found(self, pattern: re.Pattern[str], default: str) -> str:
        """Return something of the current note."""
        found: list[str] = pattern.findall(self._note)
        return self._choose(found or [default])

    def _heading(self) -> str:
        return self._found(_HEADING, "Notes")

    def _property(self) -> str:
        return self._found(_PROPERTY, "status")

    def _existing_text(self) -> str:
        return self._found(_LINE, "nothing to find")

    def _words(self, count: int) -> str:
        return " ".join(self._found(_WORD, "empty") for _ in range(count))

    def _note_name(self) -> str:
        path = self._path if self._random.random() < 0.95 else self._other()
        stem = PurePosixPath(path).stem
        return self._choose([path, path, path, stem, stem.lower()])

    def _other(self) -> str:
        return self._choose(list(self._facts.notes))

    def _memory(self) -> str:
        paths = [path for path in self._facts.notes if path.startswith(".agent/")]
        return self._choose(paths or ["No memory"])

    def _tag(self) -> str:
        return self._choose(self._facts.tags)

    def _folder(self) -> str:
        return self._choose(self._facts.folders)

    def _text(self) -> str:
        body = self._words(5)
        return self._choose(
            [body, f"{body}.\n", f"- [ ] {body}", f"- {body}\n- [[{self._other()}]]",
             f"\n{body} #{self._tag()}\n\n", f"{body}  ", f"`{body}`\r\nnext line"]
        )  # fmt: skip

    def _query(self) -> str:
        words = self._words(self._choose([1, 2, 2, 4]))
        return self._choose(
            [words, words, words, f'"{words}"', f"{words} tag:{self._tag()}",
             f"{words} -{self._words(1)}", f"what is {words}?", self._heading(),
             f"{words} path:{self._folder()}", f"{words} since 2024"]
        )  # fmt: skip

    def _day(self) -> str:
        days = ["7d", "2w", "2024-01-01", "2025-06-30", "yesterday", "2026-02", "today"]
        return self._choose(days)

    def _destination(self) -> str:
        name, folder = self._words(2), self._folder()
        return self._choose([name, f"{folder}/{name}.md", f"{folder}/"])

    def _line(self) -> int:
        return self._random.randint(1, max(1, self._note.count("\n")))

    def _line_range(self) -> str:
        first = self._line()
        return self._choose([str(first), f"{first}-{first + 4}", f"{first}-"])

    def _project(self) -> str:
        name = PurePosixPath(self._path).stem
        return self._choose([name, f"folder:{self._folder()}", f"#{self._tag()}"])

    def _reference(self, kind: str) -> str:
        """Return a reference to one of the latest values of this kind in replies."""
        return f"⟦{kind}{self._random.randrange(3)}⟧"

    def _edit(self) -> dict[str, Any]:
        """Return one step of an edit, in the form of `glassmind_edit`."""
        where = self._choose(["replace", "before", "after"])
        act = self._choose(["set", "set", "add", "remove"])
        value = self._choose([self._words(2), 3, True, [self._tag()]])
        lines = enumerate(self._note.splitlines(), 1)
        tasks = [number for number, line in lines if _TASK.match(line)]
        steps: list[dict[str, Any]] = [
            {"op": "append", "text": self._text()},
            {"op": "prepend", "text": self._text()},
            {"op": "replace", "find": self._existing_text(), "text": self._text()},
            {"op": "property", "name": self._property(), "act": act, "value": value},
            {"op": "property", "name": self._property(), "act": "unset"},
            {"op": "line", "line": self._line(), "text": self._text(), "where": where},
            {"op": "link", "target": self._other(), "sentence": "See {link}."},
        ]
        if _HEADING.search(self._note):
            step = {"op": "heading", "heading": self._heading(), "text": self._text()}
            steps += [step | {"where": where}, step | {"scope": "body"}]
        if _BLOCK.search(self._note):
            block = self._found(_BLOCK, "")
            steps.append({"op": "block", "block": block, "text": self._text()})
        if tasks:
            status = self._choose(["toggle", "x", "/"])
            steps.append({"op": "task", "line": self._choose(tasks), "status": status})
        return self._choose(steps)

    def _window_edit(self) -> dict[str, Any]:
        """Return one edit in the form of the compatible `edit_note`."""
        step, text = self._edit(), {"content": self._text()}
        where = self._choose(["replace", "before", "after"])
        modes: dict[str, dict[str, Any]] = {
            "prepend": {"mode": "prepend", **text},
            "replace": {"mode": "replace_window", "search": step.get("find"), **text},
            "heading": {"mode": "patch_heading", "heading": step.get("heading"),
                        "headingOp": where, **text},
            "property": {"mode": "patch_frontmatter", "key": step.get("name"),
                         "value": step.get("value")},
            "line": {"mode": "at_line", "line": step.get("line"), "lineOp": where,
                     **text},
        }  # fmt: skip
        return modes.get(step["op"], {"mode": "append", **text})

    def _spoil(self, arguments: dict[str, Any], operation: Operation) -> None:
        kind = self._choose(["odd", "odd", "odd", "unknown", "drop"])
        if kind == "unknown" and operation.surface != "cli":
            arguments["no_such_argument"] = 1
        elif names := sorted(arguments.keys() - {"what", "action"}):
            name = self._choose(names)
            if kind == "drop":
                del arguments[name]
            elif isinstance(arguments[name], int | float):
                arguments[name] = self._choose(ODD_NUMBERS)
            else:
                arguments[name] = self._choose(ODD_TEXTS)

    def _command(self, operation: Operation, arguments: dict[str, Any]) -> Request:
        argv = operation.name.split()
        for name in operation.positionals:
            if name.startswith("{"):
                argv.append(self._choose(name.strip("{}").split(",")))
            elif self._random.random() > SPOILED_SHARE / 2:
                argv.append(self._value(name, {}))
            else:
                argv.append(self._choose(ODD_TEXTS))
        for name, value in arguments.items():
            if value is not False:
                argv.append(f"--{name}" if value is True else f"--{name}={value}")
        if self._random.random() < 0.03:
            argv.append("--no-such-option")
        return {"argv": [*argv, "--json"]}


def _share(name: str) -> float:
    """Return how often an optional argument is given."""
    return 0.9 if name in USUAL else 0.06 if name in RARE else 0.25


def _tool_call(operation: Operation, arguments: dict[str, Any]) -> Request:
    if "/" in operation.name:
        return {"method": operation.name, "params": arguments}
    params = {"name": operation.name, "arguments": arguments}
    return {"method": "tools/call", "params": params}


def _route_call(operation: Operation, arguments: dict[str, Any]) -> Request:
    method, path = operation.name.split(" ", 1)
    request: Request = {"method": method, "path": path, "path_values": {}, "query": {}}
    if "body" in operation.places.values():
        request["body"] = {}
    for name, value in arguments.items():
        place = operation.places.get(name, "body" if "body" in request else "query")
        text = str(value).lower() if isinstance(value, bool) else value
        if place == "body":
            request["body"][name] = value
        else:
            request["path_values" if place == "path" else "query"][name] = text
    return request


def next_page(call: Call, reply: Reply) -> Call | None:
    """Return the call for the next page of a reply over MCP, if there is one."""
    more = isinstance(reply.json, dict) and reply.json.get("next_cursor")
    if call.surface != "mcp" or not more:
        return None
    params = call.request["params"]
    arguments = params["arguments"] | {"cursor": "⟦cursor:0⟧"}
    request = call.request | {"params": params | {"arguments": arguments}}
    return Call(call.surface, call.operation, request)
