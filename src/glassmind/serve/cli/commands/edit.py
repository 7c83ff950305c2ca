"""`glassmind edit`: change the text of a note, make one or delete one."""

import json
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from glassmind.engine import Engine
from glassmind.errors import WrongUsage
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import one_name
from glassmind.serve.cli.changing import (
    carried_out,
    file_text,
    is_confirmed,
    text_of,
)
from glassmind.serve.cli.commands.edit_options import (
    OPTIONS,
    add_option,
    add_property_acts,
)
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.types.editing import (
    AddLink,
    Append,
    AtBlock,
    AtHeading,
    AtLine,
    Changed,
    ChangeProperty,
    Prepend,
    Replace,
    SetTask,
    TextEdit,
)

if TYPE_CHECKING:  # help does without it
    from glassmind.editing.asking import Asking

Verb: TypeAlias = "Callable[[Engine, Asking], Changed]"

WORDS = ("text", "file")
LAST = ("expect", "dry_run")
"""Options of whatever writes a text, and of whatever edits one."""


class Action(NamedTuple):
    """One verb: what help says of it, which options it takes, what edits it means."""

    about: str
    takes: tuple[str, ...]
    edits: Callable[[Namespace, str], Sequence[TextEdit]] | None = None


def _append(args: Namespace, command: str) -> Sequence[TextEdit]:
    return [Append(text_of(args, command))]


def _prepend(args: Namespace, command: str) -> Sequence[TextEdit]:
    return [Prepend(text_of(args, command))]


def _replace(args: Namespace, command: str) -> Sequence[TextEdit]:
    return [Replace(args.find, text_of(args, command), args.fuzzy)]


def _heading(args: Namespace, command: str) -> Sequence[TextEdit]:
    text = text_of(args, command)
    return [AtHeading(args.heading, text, args.where, args.scope, args.index)]


def _block(args: Namespace, command: str) -> Sequence[TextEdit]:
    return [AtBlock(args.block, text_of(args, command), args.where)]


def _line(args: Namespace, command: str) -> Sequence[TextEdit]:
    first, last = args.line
    if last is None:
        raise WrongUsage("--line takes both ends of several lines", command)
    text = text_of(args, command)
    return [AtLine(first, text, args.where, None if last == first else last)]


def _property(args: Namespace, _: str) -> Sequence[TextEdit]:
    if args.unset:
        return [ChangeProperty(args.name, "unset")]
    if args.add is not None:
        return [ChangeProperty(args.name, "add", args.add)]
    if args.remove is not None:
        return [ChangeProperty(args.name, "remove", args.remove)]
    value = args.set if args.set is not None else args.set_json
    return [ChangeProperty(args.name, "set", value)]


def _task(args: Namespace, command: str) -> Sequence[TextEdit]:
    if (args.line is None) == (args.find is None):
        raise WrongUsage("a task is named by --line or by --find", command)
    return [SetTask(args.status, args.line, args.find or "")]


def _link(args: Namespace, _: str) -> Sequence[TextEdit]:
    return [AddLink(args.to, args.sentence, args.heading or "")]


def _listed(args: Namespace, command: str) -> Sequence[TextEdit]:
    from glassmind.serve.edits import read_edits  # noqa: PLC0415 - only now

    try:
        found = json.loads(file_text(args.edits, command))
    except (ValueError, RecursionError):
        raise WrongUsage(f"{args.edits} holds no JSON", command) from None
    given = found.get("edits") if isinstance(found, dict) else found
    if not isinstance(given, list) or not all(isinstance(o, dict) for o in given):
        raise WrongUsage(f"{args.edits} holds no list of edits", command)
    return read_edits(command, given)


ACTIONS: Mapping[str, Action] = {
    "append": Action("add text at the end", (*WORDS, *LAST), _append),
    "prepend": Action(
        "add text at the beginning, behind the properties", (*WORDS, *LAST), _prepend
    ),
    "replace": Action(
        "put a text in the place of one that stands there once",
        ("find", "fuzzy", *WORDS, *LAST),
        _replace,
    ),
    "heading": Action(
        "change what stands under a heading, or beside it",
        ("heading", "where", "scope", "index", *WORDS, *LAST),
        _heading,
    ),
    "block": Action(
        "change a block that has an id", ("block", "where", *WORDS, *LAST), _block
    ),
    "property": Action("change a property", ("name", *LAST), _property),
    "frontmatter": Action("the same as property", ("name", *LAST), _property),
    "line": Action(
        "change lines by their number", ("line", "where", *WORDS, *LAST), _line
    ),
    "task": Action(
        "tick a task, or give it another status",
        ("task_line", "task", "status", *LAST),
        _task,
    ),
    "link": Action(
        "add a sentence with a link", ("to", "sentence", "below", *LAST), _link
    ),
    "apply": Action("make all edits of a file, or none", ("edits", *LAST), _listed),
    "create": Action(
        "make a note", (*WORDS, "folder", "property", "template", "dry_run")
    ),
    "delete": Action("move a note to the trash", ("yes", *LAST)),
}
"""By name, in the order that help lists them."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes: each action has a parser of its own."""
    parser.take_actions("action", "names", _elsewhere())
    for name, action in ACTIONS.items():
        title = name == "create"
        own = parser.add_action(name, action.about, "TITLE" if title else "NOTE")
        about = (
            "its name, or its path" if title else "path, title or alias, to the letter"
        )
        own.take_words("names", "NAME", about)
        for option in action.takes:
            add_option(own, option)
        if action.edits is _property:
            add_property_acts(own)


def _elsewhere() -> dict[str, str]:
    """Return with which actions each option goes, by how it is written."""
    users: dict[str, list[str]] = {}
    for name, action in ACTIONS.items():
        for option in action.takes:
            users.setdefault(OPTIONS[option].flag, []).append(name)
    for flag in ("--set", "--set-json", "--add", "--remove", "--unset"):
        users[flag] = ["property", "frontmatter"]
    return {flag: f"goes with {', '.join(names)}" for flag, names in users.items()}


def run(args: Namespace, output: Output) -> int:
    """Do what the action says; without one, tell which there are."""
    if args.action is None:
        return _list_actions(output)
    command = f"edit {args.action}"
    name = one_name(args.names, command)
    return carried_out(args, output, _verb(args, output, name, command))


def _verb(args: Namespace, output: Output, name: str, command: str) -> Verb:
    if args.action == "create":
        return _created(args, name, command)
    if args.action == "delete":
        question = f"Move {name} to the trash?"
        confirm = args.dry_run or is_confirmed(args, output, question)
        return lambda engine, asking: engine.editing.delete(
            name, asking, confirm=confirm, expected=args.expect
        )
    make = ACTIONS[args.action].edits
    edits = make(args, command) if make is not None else ()
    return lambda engine, asking: engine.editing.edit(
        name, edits, asking, expected=args.expect
    )


def _created(args: Namespace, name: str, command: str) -> Verb:
    text = text_of(args, command, usual="")
    properties = dict(args.property)
    if len(properties) < len(args.property):
        raise WrongUsage("a property is given twice", command)
    return lambda engine, asking: engine.editing.create(
        name,
        text,
        asking,
        folder=args.folder,
        properties=properties or None,
        template=args.template or "",
    )


def _list_actions(output: Output) -> int:
    if output.as_json:
        listed = [{"name": name, "help": one.about} for name, one in ACTIONS.items()]
        output.json({"actions": listed})
        return exits.OK
    output.line("usage: glassmind edit ACTION NOTE ...")
    output.line()
    for name, one in ACTIONS.items():
        output.line(f"  {name:<10} {one.about}")
    output.line()
    output.line("glassmind edit ACTION --help tells what an action takes.")
    return exits.OK
