"""`glassmind ledger`: which client was given which passages, when."""

from argparse import Namespace
from datetime import UTC, date, datetime, time
from itertools import islice

from glassmind.render.ledger import readings_as_json, sums_as_json
from glassmind.render.ledger_text import readings_as_text, sums_as_text
from glassmind.retrieval.query import parse_day
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import add_limit
from glassmind.serve.cli.opening import config_of, engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.store.ledger import Ledger, is_called
from glassmind.store.ledger_sums import summed
from glassmind.types.ledger import Wanted
from glassmind.wiring.ledger import ledger_for

LIMIT = 20

MOST_WRITES = 10_000
"""Writes of the vault's record that are looked through for moves."""

OFF = "what clients read is not recorded: access.ledger is false"
NONE_YET = "no client was given anything yet"
NONE_FIT = "nothing on the ledger fits"


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("--client", metavar="NAME", help="what one client was given")
    folder = "a folder with a / at its end"
    add("--note", metavar="NOTE", help=f"who was given a note, or notes of {folder}")
    add("--since", metavar="DAY", help="of that day or later")
    add("--until", metavar="DAY", help="before that day")
    add("--by", choices=("client", "note"), help="add it up by client, or by note")
    add_limit(parser, f"most answers or sums to show ({LIMIT})", LIMIT)


def run(args: Namespace, output: Output) -> int:
    """Print what is on record, and say by the exit code whether anything is."""
    config = config_of(args)
    ledger = ledger_for(config)
    if ledger is None:
        output.notice(OFF)
        if output.as_json:
            output.json(readings_as_json([], more=False))
        return exits.NOTHING
    if trouble := ledger.trouble():
        output.notice(trouble)
    ledger.purge()
    wanted = _wanted(args, output)
    show = _show_sums if args.by else _show_readings
    found = show(ledger, wanted, args, output)
    if not found:
        output.notice(NONE_FIT if next(ledger.readings(), None) else NONE_YET)
    return exits.OK if found else exits.NOTHING


def _wanted(args: Namespace, output: Output) -> Wanted:
    today = datetime.now().astimezone().date()
    return Wanted(
        args.client or "",
        _names_of(args, output) if args.note else (),
        args.since and midnight(parse_day(args.since, today)),
        args.until and midnight(parse_day(args.until, today)),
    )


def midnight(day: date) -> datetime:
    """Return when a day begins here; the first and the last of all, by UTC."""
    begin = datetime.combine(day, time.min)
    try:
        return begin.astimezone()
    except (OverflowError, ValueError):
        return begin.replace(tzinfo=UTC)


def _names_of(args: Namespace, output: Output) -> tuple[str, ...]:
    """Return a name, and the paths that notes so called had before they were moved."""
    with engine_of(args, output) as engine:
        records = engine.memory.log(limit=MOST_WRITES).records
    names = [args.note]
    for one in records:  # the newest first: each move leads to the one before it
        if one.to is not None and any(is_called(one.to, name) for name in names):
            names.append(one.path)
    return tuple(dict.fromkeys(names))


def _show_readings(
    ledger: Ledger, wanted: Wanted, args: Namespace, output: Output
) -> bool:
    found = list(islice(ledger.readings(wanted), args.limit + 1))
    shown, more = found[: args.limit], len(found) > args.limit
    if output.as_json:
        output.json(readings_as_json(shown, more=more))
    else:
        output.text(readings_as_text(shown, output.style, more=more))
    return bool(found)


def _show_sums(ledger: Ledger, wanted: Wanted, args: Namespace, output: Output) -> bool:
    sums = summed(ledger.readings(wanted), args.by)
    shown, total = sums[: args.limit], len(sums)
    if output.as_json:
        output.json(sums_as_json(shown, args.by, total=total))
    else:
        output.text(sums_as_text(shown, args.by, output.style, total=total))
    return bool(sums)
