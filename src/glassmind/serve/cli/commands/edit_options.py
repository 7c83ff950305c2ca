"""The options of `glassmind edit`, each told to the parsers of the actions it has."""

import json
from argparse import ArgumentTypeError
from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from glassmind.errors.serving import BadArgument
from glassmind.operations import find
from glassmind.serve.cli.changing import ABOUT_DRY_RUN, ABOUT_YES
from glassmind.serve.cli.parser import CommandParser, Once, at_least_zero
from glassmind.types.editing import FUZZY, TOGGLE, WHERE, Scope

SHORTEST_DIGEST = 8
"""Letters of a digest, at least: fewer might be those of another text."""


class Option(NamedTuple):
    """One option: how it is written, what help says of it, what argparse is told."""

    flag: str
    about: str
    told: Mapping[str, Any]


def line_range(text: str) -> tuple[int, int | None]:
    """Return the ends of `12-34` or of one line; the type of an option.

    Raises:
        ArgumentTypeError: it is not a range of lines.
    """
    try:
        found = find.line_range(text)
    except BadArgument as error:
        raise ArgumentTypeError(error.problem) from None
    if found is None:
        raise ArgumentTypeError("no line is given")
    return found


def share(text: str) -> float:
    """Return a number from 0 to 1; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return number


def digest(text: str) -> str:
    """Return a digest, or its beginning; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    if len(text) < SHORTEST_DIGEST or not text.isalnum():
        least = f"{SHORTEST_DIGEST} letters of it or more"
        raise ArgumentTypeError(f"{text!r} is no digest, nor {least}")
    return text.lower()


def value(text: str) -> object:
    """Return the value that a text means: a number or a truth where it is written so.

    What would not be written the same again stays text, such as `1.10` and `007`.
    """
    try:
        found = json.loads(text)
    except ValueError:
        return text
    plain = isinstance(found, bool | int | float)
    return found if plain and json.dumps(found) == text else text


def json_value(text: str) -> object:
    """Return a value that is written as JSON; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ArgumentTypeError(f"{text!r} is no JSON") from None


def named_value(text: str) -> tuple[str, object]:
    """Return the name and the value of `KEY=VALUE`; the type of an option.

    Raises:
        ArgumentTypeError: it is written otherwise.
    """
    name, equals, said = text.partition("=")
    if not equals or not name.strip():
        raise ArgumentTypeError(f"{text!r} is not written as KEY=VALUE")
    return name.strip(), value(said)


def _word(metavar: str, **more: Any) -> Mapping[str, Any]:
    return {"metavar": metavar, "action": Once, **more}


_MUST = {"required": True}

OPTIONS: Mapping[str, Option] = {
    "text": Option("--text", "what to write; - takes what is piped in", _word("TEXT")),
    "file": Option("--file", "a file that holds it; - as above", _word("FILE")),
    "find": Option("--find", "the text that stands there", _word("TEXT", **_MUST)),
    "fuzzy": Option(
        "--fuzzy",
        f"take the text that is most like it, if it is so much alike; {FUZZY} is fair",
        {"metavar": "SHARE", "type": share},
    ),
    "heading": Option(
        "--heading", "its text; Above#Below for one below", _word("TEXT", **_MUST)
    ),
    "below": Option("--heading", "at the end of that section", _word("TEXT")),
    "where": Option(
        "--where", "in its place, or beside it", {"choices": WHERE, "default": WHERE[0]}
    ),
    "scope": Option(
        "--scope",
        "all up to the next heading of its rank, or the first paragraph",
        {"choices": get_args(Scope), "default": "section"},
    ),
    "index": Option(
        "--index",
        "which of several headings of one name, from 0",
        {"metavar": "N", "type": at_least_zero},
    ),
    "block": Option("--block", "the id of the block, ^ or not", _word("ID", **_MUST)),
    "name": Option("--name", "the property", _word("KEY", **_MUST)),
    "line": Option(
        "--line",
        "a line by its number from 1, or several as 3-5; properties count",
        _word("A[-B]", type=line_range, **_MUST),
    ),
    "task_line": Option("--line", "the line of the task", _word("N", type=int)),
    "task": Option("--find", "what the task says, or a part of it", _word("TEXT")),
    "status": Option(
        "--status",
        "the sign between the brackets, or toggle (toggle)",
        {"metavar": "SIGN", "default": TOGGLE},
    ),
    "to": Option("--to", "the note that the link leads to", _word("NOTE", **_MUST)),
    "sentence": Option(
        "--sentence",
        "what is said of it; {link} in it is where the link stands, else the end",
        _word("TEXT", **_MUST),
    ),
    "folder": Option("--folder", "the folder of the new note", _word("FOLDER")),
    "template": Option("--template", "a note to begin with", _word("NOTE")),
    "property": Option(
        "--property",
        "a property of the new note; several times",
        {
            "metavar": "KEY=VALUE",
            "action": "append",
            "default": [],
            "type": named_value,
        },
    ),
    "edits": Option(
        "--edits", "a file with a JSON list of edits; -", _word("FILE", **_MUST)
    ),
    "expect": Option(
        "--expect",
        "the digest that you read, or 8 letters of it: else nothing is written",
        _word("DIGEST", type=digest),
    ),
    "yes": Option("--yes", ABOUT_YES, {"action": "store_true"}),
    "dry_run": Option("--dry-run", ABOUT_DRY_RUN, {"action": "store_true"}),
}
"""By what the actions call them; what they are stored under is their flag."""


def add_option(parser: CommandParser, name: str) -> None:
    """Tell the parser of an action of an option."""
    option = OPTIONS[name]
    parser.add_argument(option.flag, help=option.about, **option.told)


def add_property_acts(parser: CommandParser) -> None:
    """Tell the parser what can be done with a property; one of it has to be."""
    acts = parser.add_mutually_exclusive_group(required=True)
    add = acts.add_argument
    add(
        "--set",
        metavar="VALUE",
        type=value,
        help="give it this value: a number or true where it is written so, else text",
    )
    add("--set-json", metavar="JSON", type=json_value, help="the same, written as JSON")
    add("--add", metavar="ITEM", type=value, help="add an item to its list")
    add("--remove", metavar="ITEM", type=value, help="take an item out of its list")
    add("--unset", action="store_true", help="take the property out")
