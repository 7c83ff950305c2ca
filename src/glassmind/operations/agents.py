"""Operations on agents: clients with a token and a scope, and what they have read."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Annotated, Any

from msgspec import UNSET, Struct, UnsetType

from glassmind.access.clients import Client, clients_of
from glassmind.access.scopes import (
    SETS,
    read_names,
    read_scope,
    rule_as_text,
    scope_in_words,
)
from glassmind.engine import Engine
from glassmind.errors import BadValue, GlassmindError
from glassmind.model.access import DisclosedNotes, ReadFilter, ReadRule, Scope
from glassmind.obsidian.text import Style, counted, on_one_line
from glassmind.operations.find import Since, Until, most
from glassmind.operations.registry import (
    Arguments,
    Command,
    NoArguments,
    NoNotes,
    Result,
    arg,
    copied,
    operation,
    shown,
)
from glassmind.search.query import midnight, parse_day
from glassmind.store.logs import is_called

SHOWN_ONCE = (
    "this token is not shown again; a program sends it as Authorization: Bearer TOKEN"
)

NOTES_SHOWN = 8  # notes of one answer that are shown; JSON has all
MOST_WRITES = 10_000  # recorded writes that are searched for moves of a note

SCOPE = (
    "What it may read: folder:Projects, tag:work, property:status=public; "
    "=-folder:Journal excludes."
)


class ClientArguments(Arguments):
    name: Annotated[str, arg("The client's name.", positional="words")]


class AddClientArguments(ClientArguments):
    scope: Annotated[list[str], arg(SCOPE, metavar="RULE")] = ()  # type: ignore[assignment]
    toolset: Annotated[
        list[str], arg(f"Tool sets it may use, of {', '.join(SETS)}.", metavar="SETS")
    ] = ()  # type: ignore[assignment]


class SetClientArguments(AddClientArguments):
    all_notes: Annotated[bool, arg("Remove the rules: all but private notes.")] = False
    all_tools: Annotated[bool, arg("Remove the sets: all tools served.")] = False


class ListedClient(Struct, frozen=True, kw_only=True):
    name: str
    scope: list[str]
    toolsets: list[str]
    created: str
    used: str | None


class ClientsResult(NoNotes, frozen=True, kw_only=True):
    empty_without = ("clients",)
    clients: list[ListedClient]


class ClientResult(NoNotes, ListedClient, frozen=True, kw_only=True):
    """One client; a new one has a token. The counts are of notes."""

    text_only = ("notices",)
    token: str | UnsetType = UNSET
    readable: int | UnsetType = UNSET
    hidden: int | UnsetType = UNSET
    notices: list[str]


class RevokedResult(NoNotes, frozen=True, kw_only=True):
    name: str
    revoked: bool = True


def _clients_text(result: ClientsResult, _: Any, style: Style) -> Iterator[str]:
    if not result.clients:
        yield "no client has its own token; add one: glassmind clients add NAME"
    for client in result.clients:
        yield f"{style.strong(client.name)}  {style.faint(_last_used(client))}"
        yield f"    reads {_reads(client)}"


def _client_text(result: ClientResult, _: Any, __: Style) -> Iterator[str]:
    yield f"{result.name} may read {_reads(result)}"
    if isinstance(result.readable, int):
        notes = counted(result.readable, "note")
        yield f"these are {notes}; {result.hidden:,} are hidden from it"
    yield f"added {result.created}"
    yield _last_used(result)


def _reads(client: ListedClient) -> str:
    return scope_in_words(read_scope(client.scope, client.toolsets))


def _last_used(client: ListedClient) -> str:
    return f"last used {client.used}" if client.used else "never used"


def _listed(client: Client) -> ListedClient:
    rules = [rule_as_text(rule) for rule in client.scope.rules]
    sets, used = list(client.scope.toolsets), client.used or None
    return copied(ListedClient, client, scope=rules, toolsets=sets, used=used)


def _client(
    vault: Engine, client: Client, *, token: str = "", counts: bool = False
) -> ClientResult:
    notices: list[str] = []
    found: dict[str, Any] = {"readable": UNSET, "hidden": UNSET}
    with suppress(GlassmindError):  # nothing is indexed yet
        unmatched = [rule for rule in client.scope.rules if not _matches(vault, rule)]
        notices = [f"no note fits {rule_as_text(rule)} yet" for rule in unmatched]
        if counts:
            total = vault.list_notes(limit=1).total
            readable = vault.seen_by(client.scope).list_notes(limit=1).total
            found |= {"readable": readable, "hidden": total - readable}
    if token:
        reads = f"{client.name} may read {scope_in_words(client.scope)}"
        notices += [reads, SHOWN_ONCE]
    listed, given = _listed(client), token or UNSET
    return copied(ClientResult, listed, token=given, notices=notices, **found)


def _matches(vault: Engine, rule: ReadRule) -> bool:
    wanted: dict[str, str | None] = {rule.kind: rule.name}
    if rule.kind == "property":
        wanted = {"property_name": rule.name, "property_value": rule.value}
    return vault.list_notes(**wanted, limit=1).total > 0  # type: ignore[arg-type]


def _scope_in(arguments: AddClientArguments) -> Scope:
    sets = read_names(arguments.toolset) if arguments.toolset else ()
    scope = read_scope(arguments.scope, sets)
    return scope._replace(toolsets=read_names(scope.toolsets) if scope.toolsets else ())


@operation(
    group="Agents",
    for_people=_clients_text,
    command=Command("clients list", usual=True),
)
def clients(vault: Engine, _arguments: NoArguments) -> ClientsResult:
    """List the clients that have a token, and what they may read."""
    found = clients_of(vault.config).used()
    return ClientsResult(clients=[_listed(client) for client in found])


@operation(
    group="Agents",
    for_people=lambda result, _, __: f"{result.token}\n",
    command=Command("clients add"),
)
def add_client(vault: Engine, arguments: AddClientArguments) -> ClientResult:
    """Create a token for a program, with its own scope."""
    client, token = clients_of(vault.config).add(arguments.name, _scope_in(arguments))
    return _client(vault, client, token=token)


@operation(group="Agents", for_people=_client_text, command=Command("clients show"))
def show_client(vault: Engine, arguments: ClientArguments) -> ClientResult:
    """Show one client, and how many notes it may read."""
    known = clients_of(vault.config)
    name = known.named(arguments.name).name
    (client,) = (client for client in known.used() if client.name == name)
    return _client(vault, client, counts=True)


@operation(
    group="Agents",
    for_people=lambda result, _, __: f"{result.name} may now read {_reads(result)}\n",
    command=Command("clients set"),
)
def set_client(vault: Engine, arguments: SetClientArguments) -> ClientResult:
    """Change the scope of a client."""
    known = clients_of(vault.config)
    before, scope = known.named(arguments.name).scope, _scope_in(arguments)
    all_notes, all_tools = arguments.all_notes, arguments.all_tools
    if scope.rules and all_notes:
        raise BadValue("scope all_notes", "cannot be used together")
    if scope.toolsets and all_tools:
        raise BadValue("toolset all_tools", "cannot be used together")
    if not (scope.rules or scope.toolsets or all_notes or all_tools):
        names = "scope toolset all_notes all_tools"
        raise BadValue(names, "are missing: give at least one")
    rules = scope.rules if scope.rules or all_notes else before.rules
    sets = scope.toolsets if scope.toolsets or all_tools else before.toolsets
    return _client(vault, known.change(arguments.name, Scope(rules, sets)))


@operation(
    group="Agents",
    for_people=lambda result, _, __: f"{result.name} has no access any more\n",
    command=Command("clients revoke"),
)
def revoke_client(vault: Engine, arguments: ClientArguments) -> RevokedResult:
    """Revoke a client's token, effective at once."""
    return RevokedResult(name=clients_of(vault.config).revoke(arguments.name).name)


class AccessLogArguments(Arguments):
    client: Annotated[str, arg("Only what this client read.", metavar="NAME")] = ""
    note: Annotated[
        str, arg("Only who read this note, or a folder that ends in /.", metavar="NOTE")
    ] = ""
    since: Since = None
    until: Until = None
    limit: Annotated[int, most("entries (20)", None)] = 20


class ReadPassage(Struct, frozen=True):
    path: str
    lines: tuple[int, int] | None


class LoggedRead(Struct, frozen=True, kw_only=True):
    """One answer; `more_named` counts names of notes that are not listed."""

    at: str
    client: str
    surface: str
    verb: str
    passages: list[ReadPassage]
    named: list[str]
    more_named: int


class AccessLogResult(Result, frozen=True, kw_only=True):
    """Entries, newest first."""

    empty_without = ("readings",)
    text_only = ("notices",)
    readings: list[LoggedRead]
    more: bool
    notices: list[str]

    def sources(self) -> DisclosedNotes:
        named = [name for entry in self.readings for name in entry.named]
        named += [place.path for entry in self.readings for place in entry.passages]
        return shown(named=named)


def _access_log_text(result: AccessLogResult, _: Any, style: Style) -> Iterator[str]:
    head = ("", "")
    for entry in result.readings:
        at = datetime.fromisoformat(entry.at).astimezone()
        if head != (day := f"{at:%Y-%m-%d}", entry.client):
            head = (day, entry.client)
            yield f"{day}  {style.strong(on_one_line(entry.client))}"
        verb = style.clean(on_one_line(entry.verb))
        yield f"  {at:%H:%M:%S}  {verb} {style.faint(f'({entry.surface})')}"
        yield from (f"    {line}" for line in _note_lines(entry, style))
    if result.more:
        yield style.faint("and older ones; see --limit, --since and --until")


def _note_lines(entry: LoggedRead, style: Style) -> Iterator[str]:
    places: dict[str, list[tuple[int, int] | None]] = {}
    for passage in entry.passages:
        places.setdefault(passage.path, []).append(passage.lines)
    for path, spans in list(places.items())[:NOTES_SHOWN]:
        yield style.clean(f"{on_one_line(path)}{_lines_of(spans)}")
    if len(places) > NOTES_SHOWN:
        yield style.faint(f"and {counted(len(places) - NOTES_SHOWN, 'more note')}")
    if entry.named:
        first = ", ".join(on_one_line(path) for path in entry.named[:NOTES_SHOWN])
        left = len(entry.named) - NOTES_SHOWN + entry.more_named
        rest = f" and {left:,} more" if left > 0 else ""
        yield style.faint(f"only named: {first}{rest}")


def _lines_of(spans: Sequence[tuple[int, int] | None]) -> str:
    if None in spans:
        return ""  # a passage without lines may be any part of the note
    known = sorted({span for span in spans if span})
    texts = (f"{first}-{last}" if first < last else f"{first}" for first, last in known)
    return f":{','.join(texts)}"


@operation(group="Agents", for_people=_access_log_text, command=Command("access-log"))
def access_log(vault: Engine, arguments: AccessLogArguments) -> AccessLogResult:
    """Show which client read which passages, and when."""
    log = vault.access_log
    if log is None:
        off = "what clients read is not recorded: access.log is false"
        return AccessLogResult(readings=[], more=False, notices=[off])
    notices = [problem] if (problem := log.trouble()) else []
    log.purge()
    today, limit = datetime.now().astimezone().date(), arguments.limit
    since, until = (
        midnight(parse_day(day, today)) if day else None
        for day in (arguments.since, arguments.until)
    )
    notes = _names_of(vault, arguments.note) if arguments.note else ()
    answers = log.readings(ReadFilter(arguments.client, notes, since, until))
    rows = [
        copied(
            LoggedRead,
            entry,
            at=entry.at.isoformat(),
            passages=[
                ReadPassage(p.path, (p.first, p.last) if p.first else None)
                for p in entry.passages
            ],
        )
        for entry in islice(answers, limit + 1)
    ]
    if not rows:
        notices.append("no entry fits, or no client has read anything")
    more = len(rows) > limit
    return AccessLogResult(readings=rows[:limit], more=more, notices=notices)


def _names_of(vault: Engine, note: str) -> tuple[str, ...]:
    """Return a name, and the paths that such notes had before they were moved."""
    names = [note]
    # the newest record comes first, so each move leads to the one before it
    for record in vault.memory.log(limit=MOST_WRITES).records:
        if record.to is not None and any(is_called(record.to, name) for name in names):
            names.append(record.path)
    return tuple(dict.fromkeys(names))
