"""`glassmind clients`: who may ask for the vault by a token of its own, and what."""

from argparse import SUPPRESS, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from glassmind.access.clients import Client, Clients, clients_of
from glassmind.access.scopes import read_scope, rule_as_text
from glassmind.engine import Engine
from glassmind.errors import GlassmindError, WrongUsage
from glassmind.errors.access import BadClientName
from glassmind.render.style import Style, counted
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import one_name
from glassmind.serve.cli.opening import config_of, engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.mcp.callers import USUAL, plain_caller
from glassmind.serve.mcp.toolsets import EMPTY, SETS, read_names, tools_of
from glassmind.types.access import ReadRule, Scope

TOLD_ONCE = (
    "this token is not shown again; a program sends it as Authorization: Bearer TOKEN"
)


class Action(NamedTuple):
    """One thing to do: what help says of it, how it writes its words, what does it."""

    about: str
    names: str
    run: Callable[[Namespace, Output], int]


def _add(args: Namespace, output: Output) -> int:
    name = one_name(args.names, "clients add", "client")
    if plain_caller(name, "") != name.strip() or name.strip().casefold() == USUAL:
        said = "records have that name for you, or for Glassmind itself"
        raise BadClientName(name, said)
    scope = _checked(_given(args), output)
    with engine_of(args, output) as engine:
        made, token = clients_of(engine.config).add(name, scope)
        _warn(engine, made.scope.rules, output)
    if output.as_json:
        output.json(_as_json(made) | {"token": token})
        return exits.OK
    output.line(token)
    output.notice(f"{made.name} may read {_reads(made.scope)}")
    output.notice(TOLD_ONCE)
    return exits.OK


def _list(args: Namespace, output: Output) -> int:
    if args.names:
        raise WrongUsage("clients list takes no names", "clients")
    found = _clients(args).used()
    if output.as_json:
        output.json({"clients": list(map(_as_json, found))})
    else:
        output.text(_table(found, output.style))
    return exits.OK if found else exits.NOTHING


def _show(args: Namespace, output: Output) -> int:
    name = one_name(args.names, "clients show", "client")
    known = _clients(args)
    scope = known.named(name).scope
    (client,) = [one for one in known.used() if one.name == scope.client]
    with engine_of(args, output) as engine:
        counts = _counts(engine, scope)
        _warn(engine, scope.rules, output)
    if output.as_json:
        output.json(_as_json(client) | counts)
    else:
        output.text("".join(f"{line}\n" for line in _told(client, counts)))
    return exits.OK


def _set(args: Namespace, output: Output) -> int:
    name = one_name(args.names, "clients set", "client")
    known = _clients(args)
    before = known.named(name).scope
    scope = _checked(_changed(args, before), output)
    with engine_of(args, output) as engine:
        made = known.change(name, scope)
        _warn(engine, made.scope.rules, output)
    if output.as_json:
        output.json(_as_json(made))
    else:
        output.line(f"{made.name} may read {_reads(made.scope)} from now on")
    return exits.OK


def _changed(args: Namespace, before: Scope) -> Scope:
    """Return another scope: what is given takes the place of what was there."""
    given, wishes = _given(args), vars(args)
    all_notes, all_tools = wishes.get("all_notes"), wishes.get("all_tools")
    if (given.rules and all_notes) or (given.toolsets and all_tools):
        said = "--all-notes goes without --scope, and --all-tools without --toolset"
        raise WrongUsage(said, "clients")
    if not (given.rules or given.toolsets or all_notes or all_tools):
        said = "clients set takes --scope, --toolset, --all-notes or --all-tools"
        raise WrongUsage(said, "clients")
    rules = given.rules if given.rules or all_notes else before.rules
    sets = given.toolsets if given.toolsets or all_tools else before.toolsets
    return Scope(rules, sets)


def _revoke(args: Namespace, output: Output) -> int:
    name = one_name(args.names, "clients revoke", "client")
    gone = _clients(args).revoke(name)
    if output.as_json:
        output.json({"name": gone.name, "revoked": True})
    else:
        output.line(f"{gone.name} is let in no more")
    return exits.OK


ACTIONS: Mapping[str, Action] = {
    "list": Action("every client, and what it may read", "", _list),
    "add": Action("let a program in by a token of its own", "NAME", _add),
    "show": Action("one client, and how much it may read", "NAME", _show),
    "set": Action("give a client another scope", "NAME", _set),
    "revoke": Action("let a client in no more, at once", "NAME", _revoke),
}
"""By name, in the order that help lists them; without one, they are listed."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes: each action has a parser of its own."""
    with_scope = dict.fromkeys(("--scope", "--toolset"), "goes with add and set")
    with_set = dict.fromkeys(("--all-notes", "--all-tools"), "goes with set")
    parser.take_actions("action", "names", {**with_scope, **with_set})
    for name, action in ACTIONS.items():
        own = parser.add_action(name, action.about, action.names)
        if action.names:
            own.take_words("names", "NAME", "what the client is called")
        if name in {"add", "set"}:
            _add_scope(own)
        if name == "set":
            add = own.add_argument
            about = "drop the rules: all but private notes"
            add("--all-notes", action="store_true", default=SUPPRESS, help=about)
            about = "drop the sets: all tools that are served"
            add("--all-tools", action="store_true", default=SUPPRESS, help=about)


def _add_scope(parser: CommandParser) -> None:
    parser.add_argument(
        "--scope",
        metavar="RULE",
        action="append",
        default=SUPPRESS,
        help="what it may read, such as folder:Projects, tag:work, "
        "property:status=public; =-folder:Journal excludes",
    )
    parser.add_argument(
        "--toolset",
        metavar="SETS",
        action="append",
        default=SUPPRESS,
        help=f"sets of tools it may use, of {', '.join(SETS)}",
    )


def run(args: Namespace, output: Output) -> int:
    """Do what the action says; without one, list the clients."""
    return ACTIONS[args.action or "list"].run(args, output)


def _given(args: Namespace) -> Scope:
    """Return the scope that the options are."""
    sets = [name for value in getattr(args, "toolset", ()) for name in value.split(",")]
    return read_scope(getattr(args, "scope", ()), filter(None, map(str.strip, sets)))


def _clients(args: Namespace) -> Clients:
    return clients_of(config_of(args))


def _checked(scope: Scope, output: Output) -> Scope:
    """Return a scope whose sets of tools are there and go together.

    Raises:
        UnknownToolset, ToolsetsClash: they are not, or do not.
    """
    if not scope.toolsets:
        return scope
    names = read_names(scope.toolsets)
    tools_of(names)
    for name in EMPTY.intersection(names):
        output.notice(f"the set of tools {name} is empty as yet")
    return scope._replace(toolsets=names)


def _warn(engine: Engine, rules: Sequence[ReadRule], output: Output) -> None:
    """Say which rules no note of the vault fits, as far as it is indexed."""
    with suppress(GlassmindError):
        for rule in rules:
            if not _fitting(engine, rule):
                output.notice(f"no note fits {rule_as_text(rule)} as yet")


def _fitting(engine: Engine, rule: ReadRule) -> int:
    if rule.kind == "folder":
        return engine.list_notes(folder=rule.name, limit=1).total
    if rule.kind == "tag":
        return engine.list_notes(tag=rule.name, limit=1).total
    return engine.list_notes(
        property_name=rule.name, property_value=rule.value, limit=1
    ).total


def _counts(engine: Engine, scope: Scope) -> dict[str, int]:
    """Return how many notes a scope lets be read and how many not, if that is known."""
    with suppress(GlassmindError):
        total = engine.list_notes(limit=1).total
        seen = engine.seen_by(scope).list_notes(limit=1).total
        return {"readable": seen, "hidden": total - seen}
    return {}


def _as_json(client: Client) -> dict[str, object]:
    return {
        "name": client.name,
        "scope": list(map(rule_as_text, client.scope.rules)),
        "toolsets": list(client.scope.toolsets),
        "created": client.created,
        "used": client.used or None,
    }


def _table(found: Sequence[Client], style: Style) -> str:
    if not found:
        return "no client has a token of its own; glassmind clients add makes one\n"
    lines = []
    for client in found:
        used = f"last used {client.used}" if client.used else "never used"
        head = f"{style.strong(client.name)}  {style.faint(used)}"
        lines.append(f"{head}\n    reads {_reads(client.scope)}\n")
    return "".join(lines)


def _told(client: Client, counts: Mapping[str, int]) -> Iterator[str]:
    yield f"{client.name} may read {_reads(client.scope)}"
    if counts:
        notes = counted(counts["readable"], "note")
        yield f"these are {notes}, and {counts['hidden']:,} it may not read"
    yield f"added {client.created}"
    yield f"last used {client.used}" if client.used else "never used"


def _reads(scope: Scope) -> str:
    """Return what a scope means, in words."""
    named = [rule_as_text(rule) for rule in scope.rules if not rule.excluded]
    barred = [rule_as_text(rule)[1:] for rule in scope.rules if rule.excluded]
    said = " or ".join(named) or "everything"
    said += f", never {' or '.join(barred)}" if barred else ""
    tools = f"; tools of {', '.join(scope.toolsets)}" if scope.toolsets else ""
    return f"{said}, but nothing private{tools}"
