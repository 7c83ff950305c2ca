"""The options of `glassmind graph`, each told to the parsers of the actions it has."""

from argparse import SUPPRESS, ArgumentTypeError
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple

from glassmind.render.graph_files import GRAPH_FILES
from glassmind.surfaces.cli.parser import CommandParser, at_least_one, at_least_zero
from glassmind.types.ranks import METRICS

DEPTHS = (1, 2, 3)
SHAPES = ("text", "json", *GRAPH_FILES)


class Option(NamedTuple):
    """One option: how it is written, what help says of it, and what argparse is told.

    What is not given is left to the engine; help says in brackets what that is then.
    """

    flags: tuple[str, ...]
    about: str
    told: Mapping[str, Any]


def positive(text: str) -> float:
    """Return a number above 0; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not isfinite(number) or number <= 0:
        raise ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def _valued(kind: Callable[[str], object], metavar: str) -> Mapping[str, Any]:
    return {"type": kind, "metavar": metavar}


FLAG: Mapping[str, Any] = {"action": "store_true"}

OPTIONS: Mapping[str, Option] = {
    "limit": Option(("--limit", "-n"), "", _valued(at_least_one, "N")),
    "ghosts": Option(
        ("--ghosts",), "count names in that links lead to and no file has", FLAG
    ),
    "depth": Option(
        ("--depth",), "how many links away (1)", {"type": int, "choices": DEPTHS}
    ),
    "format": Option(
        ("--format",),
        "as text, as JSON, or the notes and links as a graph (text)",
        {"choices": SHAPES},
    ),
    "subgraph": Option(
        ("--subgraph",), "in JSON, the links among these notes too", FLAG
    ),
    "most_hops": Option(
        ("--most-hops",), "most links in a chain (6)", _valued(at_least_one, "N")
    ),
    "common": Option(
        ("--no-common",),
        "leave out the notes that both are linked with",
        {"action": "store_false"},
    ),
    "apply": Option(
        ("--apply",),
        "make the links: those of these keys, or all that would be listed",
        {"nargs": "*", "metavar": "KEY"},
    ),
    "mentions": Option(
        ("--all-mentions",), "with --apply, every name that should be a link", FLAG
    ),
    "dry_run": Option(("--dry-run",), "with --apply, only show it", FLAG),
    "theme": Option(
        ("--theme",), "one theme alone, by its number or label", {"metavar": "THEME"}
    ),
    "resolution": Option(
        ("--resolution",),
        "above 1 more and smaller ones, below 1 fewer (graph.theme_resolution)",
        _valued(positive, "R"),
    ),
    "refresh": Option(
        ("--refresh",),
        "find them anew and keep them; without --resolution by that of the settings",
        FLAG,
    ),
    "least": Option(
        ("--least",), "least cosine between two notes (0)", _valued(float, "C")
    ),
    "metric": Option(("--metric",), "what counts (influence)", {"choices": METRICS}),
    "about": Option(
        ("--about",), "only around what a search finds", {"metavar": "QUERY"}
    ),
    "least_inbound": Option(
        ("--least-inbound",),
        "only notes that so many others lead to (0)",
        _valued(at_least_zero, "N"),
    ),
}
"""By what the engine calls them; what a limit counts, each action says."""


def add_option(parser: CommandParser, name: str, about: str = "") -> None:
    """Tell the parser of an option, in other words where an action has them."""
    option = OPTIONS[name]
    parser.add_argument(
        *option.flags,
        dest=name,
        default=SUPPRESS,
        help=about or option.about,
        **option.told,
    )
