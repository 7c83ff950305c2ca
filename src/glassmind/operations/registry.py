"""The registry: one declaration of an operation serves the CLI, MCP, HTTP and docs.

An operation is a function `(vault, arguments) -> result`, or
`(vault, arguments, caller) -> result` if it matters who asks. Its arguments and its
result are typed structs. `@operation` registers it together with two text renderers,
one for people and one for models, which tools need, and with what each surface needs
beyond the types: the command's path, the tool's set, the route. A surface never repeats
a shape.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import (
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    TypeVar,
    dataclass_transform,
    get_type_hints,
)

import msgspec
from msgspec import Meta, Struct

from glassmind.engine import Engine
from glassmind.errors import ConfigError
from glassmind.model.access import DisclosedLines, DisclosedNotes
from glassmind.models.protocols import Cancellation
from glassmind.obsidian.text import Style

Surface: TypeAlias = Literal["cli", "mcp", "http"]
Group: TypeAlias = Literal[
    "Find", "Context", "Memory", "Edit", "Graph", "Queries", "Agents", "Maintain"
]
Positional: TypeAlias = Literal["word", "words", "list"]
"""A positional argument of a command: one word, or all remaining words, as one text or
as a list."""

MODULES = (
    "find",
    "ask",
    "context",
    "edit",
    "memory",
    "graph",
    "health",
    "maintain",
    "agents",
)
"""Modules with operations, in the order in which they are listed."""

BY_IMPORT_TIME = sorted(MODULES, key=lambda name: name not in {"find", "maintain"})
"""The same, those first that are imported in no time."""

Run = TypeVar("Run", bound=Callable[..., Any])
Part = TypeVar("Part", bound=Struct)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Arguments(Struct, frozen=True, kw_only=True):
    """Base of all arguments. Unknown names are rejected when they are read."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Result(Struct, frozen=True, kw_only=True):
    """Base of all results; its fields are the JSON of every surface.

    A field may have a type of the domain if its names are those of the JSON. Fields in
    `text_only` are not part of the JSON: only the text renderers use them. If there is
    a `list_field`, the JSON is the list in it. A result is empty if all fields of
    `empty_without` are.
    """

    text_only: ClassVar[tuple[str, ...]] = ()
    list_field: ClassVar[str] = ""
    empty_without: ClassVar[tuple[str, ...]] = ()
    notice_field: ClassVar[str] = "notices"

    def to_json(self) -> Any:
        values: Any
        try:
            values = msgspec.json.decode(msgspec.json.encode(self))
        except UnicodeEncodeError:  # a name of a file with lone surrogates
            values = _with_lists(msgspec.to_builtins(self))
        for name in self.text_only:
            values.pop(name, None)
        return values[self.list_field] if self.list_field else values

    def sources(self) -> DisclosedNotes:
        raise NotImplementedError

    def all_notices(self) -> Sequence[str]:
        notices: Sequence[str] = getattr(self, self.notice_field, ())
        return notices

    def is_empty(self) -> bool:
        names = self.empty_without
        return bool(names) and not any(getattr(self, name) for name in names)


def _with_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_lists(item) for name, item in value.items()}
    return [*map(_with_lists, value)] if isinstance(value, (list, tuple)) else value


class NoArguments(Arguments, frozen=True, kw_only=True):
    pass


class NoNotes(Result, frozen=True, kw_only=True):
    def sources(self) -> DisclosedNotes:
        return DisclosedNotes()


class Caller(Struct, frozen=True):
    """Who asks, and how. `client` is the name that is recorded.

    `notice` prints a message beside the result, for a person at the CLI. `halt` is set
    when no client waits.
    """

    surface: Surface
    client: str
    progress: Callable[[Any], None] | None = None
    notice: Callable[[str], None] = lambda _: None
    halt: Cancellation | None = None

    @property
    def is_agent(self) -> bool:
        return self.surface != "cli"


class ModelView(Struct, frozen=True):
    """How a model wants a result; `first` is the page's first item, from 1."""

    detailed: bool = False
    first: int = 1


PeopleText: TypeAlias = Callable[[Any, Any, Style], str | Iterable[str]]
ModelText: TypeAlias = Callable[[Any, ModelView], str]


def arg(  # noqa: PLR0913 - a declaration names every part
    description: str,
    *,
    positional: Positional | None = None,
    flag: str = "",
    short: str = "",
    metavar: str = "",
    separator: str = "",
    from_stdin: Callable[[str], list[str]] | None = None,
    file: str = "",
    pattern: str = "",
    note_text: bool = False,
    only: tuple[Surface, ...] = ("cli", "mcp", "http"),
    for_models: str | None = None,
    ge: float | None = None,
    le: float | None = None,
    longest: int | None = None,
) -> Meta:
    """Describe one argument.

    A positional with a `flag` can be given either way. `separator` splits one CLI value
    into a list. The word `-` means standard input, or the items that `from_stdin` finds
    in it. `file` is a CLI option that names a file with the value; if it is required,
    it is also read from a pipe. With `note_text`, the argument becomes text of a note:
    it may be long, and an empty text is a value. `pattern` is for HTTP clients.
    `for_models` replaces the description where every word costs tokens.
    """
    extra = {
        "positional": positional,
        "flag": flag,
        "short": short,
        "metavar": metavar,
        "separator": separator,
        "from_stdin": from_stdin,
        "file": file,
        "pattern": pattern,
        "note_text": note_text,
        "only": only,
        "for_models": description if for_models is None else for_models,
        "bounds": Meta(ge=ge, le=le, max_length=longest),  # type: ignore[call-overload]
    }
    return Meta(description=description, extra=extra)


class TextForm(Struct, frozen=True):
    flag: str
    help: str
    render: PeopleText


class FileForm(Struct, frozen=True):
    media_type: str
    render: Callable[[Any], str]


class Command(Struct, frozen=True):
    """How the CLI offers an operation.

    The `usual` command of a group runs if its second word is left out. A path that ends
    in an option, such as `health --fix`, runs instead of the command before it if that
    option is given; the argument with that flag takes its value. Aliases are (path,
    preset arguments). `exit_code` replaces 1 for an empty result, else 0. `form` is an
    option that prints another text. `piped`
    renders a result if the output is not a terminal; `live` makes what shows it on one.
    Before a person is asked to confirm, `preview` returns a result to show.
    """

    path: str = ""
    usual: bool = False
    everyday: bool = False
    expert: bool = False
    form: TextForm | None = None
    aliases: tuple[tuple[str, dict[str, object]], ...] = ()
    exit_code: Callable[[Any, Any], int] | None = None
    verbatim: bool = False
    piped: PeopleText | None = None
    live: Callable[[Any], Any] | None = None
    preview: Callable[[Engine, Any], Any] | None = None
    needs_vault: bool = True
    shows_progress: bool = False
    without_config: Callable[[ConfigError], Any] | None = None


class Paging(Struct, frozen=True):
    """How MCP shows a long result in pages: `items` is the name of its list.

    An answer to a larger limit must begin with the answer to a smaller one; if it does
    not, `grows` is false, and pages divide the one answer. `inner` is the list in each
    of the items whose elements are counted. `most` bounds the limit of a page,
    `furthest` that of the operation; `usual` is for a limit of None.
    """

    items: str
    most: int
    inner: str = ""
    grows: bool = True
    furthest: int = 10_000
    usual: Callable[[Engine], int] | None = None


class Tool(Struct, frozen=True):
    """How MCP offers an operation; the hints are those of the protocol.

    A tool without a `toolset` is in the first set of its route.
    """

    title: str
    description: str = ""
    toolset: str = ""
    destructive: bool = False
    idempotent: bool = True
    timeout_s: float = 30.0
    page: Paging | None = None
    name: str = ""


class Route(Struct, frozen=True):
    """How HTTP offers an operation.

    Without sets, only the owner's token may use it. A quick route never waits behind
    searches. A `job` may take hours, and has its own thread.
    """

    method: Literal["GET", "POST"]
    path: str
    sets: tuple[str, ...] = ()
    fails: tuple[int, ...] = ()
    quick: bool = False
    id: str = ""
    job: bool = False

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(kw_only=True, eq=False)
class Operation:
    """One operation, as declared; a decorator, which registers its function.

    Without `for_models`, a model gets the lines for people, between marks. `detail`
    names an argument that `--json` and detailed answers set. The argument `format`
    chooses from `files`. `events` are the types of what it reports while it runs.
    """

    group: Group
    for_people: PeopleText = lambda *_: ""
    for_models: ModelText | None = None
    writes: bool = False
    detail: str = ""
    command: Command | None = None
    tool: Tool | None = None
    route: Route | None = None
    files: Mapping[str, FileForm] = field(default_factory=dict)
    markdown: Callable[[Any], str] | None = None
    events: Mapping[str, type] = field(default_factory=dict)
    function: Callable[..., Any] = field(init=False)
    name: str = field(init=False)
    summary: str = field(init=False)
    arguments: type[Arguments] = field(init=False)
    result: type[Result] = field(init=False)
    takes_caller: bool = field(init=False)

    def __call__(self, function: Run) -> Run:
        parameters = list(inspect.signature(function).parameters)
        hints = get_type_hints(function)
        self.function, self.name = function, function.__name__
        self.summary = (inspect.getdoc(function) or "").partition("\n")[0]
        self.arguments, self.result = hints[parameters[1]], hints["return"]
        self.takes_caller = "caller" in parameters
        if self.name in OPERATIONS:
            raise ValueError(f"operation {self.name!r} is declared twice")
        OPERATIONS[self.name] = self
        return function

    def run(self, vault: Engine, arguments: Arguments, caller: Caller) -> Any:
        if self.takes_caller:
            return self.function(vault, arguments, caller)
        return self.function(vault, arguments)

    @property
    def tool_name(self) -> str:
        return (self.tool and self.tool.name) or f"glassmind_{self.name}"

    @property
    def toolset(self) -> str:
        named = self.tool.toolset if self.tool else ""
        return named or (self.route.sets[0] if self.route else "")

    @property
    def command_path(self) -> str:
        return (self.command and self.command.path) or self.name.replace("_", "-")

    @property
    def command_paths(self) -> dict[str, dict[str, object]]:
        if self.command is None:
            return {}
        return {self.command_path: {}, **dict(self.command.aliases)}


operation = Operation

OPERATIONS: dict[str, Operation] = {}


def joined(text: str | Iterable[str]) -> str:
    return text if isinstance(text, str) else "".join(f"{line}\n" for line in text)


def all_operations() -> list[Operation]:
    for module in MODULES:
        import_module(f"{__package__}.{module}")
    places = {f"{__package__}.{module}": at for at, module in enumerate(MODULES)}
    found = OPERATIONS.values()
    return sorted(found, key=lambda op: places.get(op.function.__module__, len(places)))


def find_commands(word: str) -> dict[str, tuple[Operation, dict[str, object]]]:
    """Return commands and presets, importing modules until one has the word."""
    found: dict[str, tuple[Operation, dict[str, object]]] = {}
    for module in BY_IMPORT_TIME:
        import_module(f"{__package__}.{module}")
        for op in OPERATIONS.values():
            for path, preset in op.command_paths.items():
                if path.partition(" ")[0] == word:
                    found[path] = (op, preset)
        if word in found:
            break
    return found


def shown(
    passages: Iterable[DisclosedLines] = (), named: Iterable[str | None] = ()
) -> DisclosedNotes:
    """Return sources: notes whose text is in a result, and notes it only names."""
    passages = tuple(dict.fromkeys(passages))
    texts = {passage.path for passage in passages}
    names = dict.fromkeys(name for name in named if name and name not in texts)
    return DisclosedNotes(passages, tuple(names))


def copied(kind: type[Part], source: Any, /, **others: Any) -> Part:
    """Return a struct whose fields are the attributes of `source`, or `others`.

    Tuples become lists.
    """
    values = {}
    for name in kind.__struct_fields__:
        value = others[name] if name in others else getattr(source, name)
        values[name] = list(value) if isinstance(value, tuple) else value
    return kind(**values)


def parts_of(value: Any) -> Iterator[Struct]:
    """Yield every struct in a value, beginning with the value itself."""
    if isinstance(value, Struct):
        yield value
        value = [getattr(value, name) for name in value.__struct_fields__]
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from parts_of(item)


NOTE_SUFFIXES = (".md", ".canvas", ".base")


def note_paths(names: Iterable[str | None]) -> list[str]:
    """Return the names that are paths of notes: no attachments, no unresolved links."""
    return [name for name in names if name and name.lower().endswith(NOTE_SUFFIXES)]
