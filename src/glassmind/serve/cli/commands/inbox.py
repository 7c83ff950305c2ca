"""`glassmind inbox`: what agents captured, and what becomes of it."""

from argparse import SUPPRESS, Namespace
from collections.abc import Callable, Mapping
from typing import NamedTuple

from glassmind.engine import Engine
from glassmind.errors import VaultError, WrongUsage
from glassmind.errors.memory import EditSetAside
from glassmind.render.memos import inbox_as_json
from glassmind.render.memos_text import inbox_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import STDIN, notice_all, one_name, piped_text
from glassmind.serve.cli.commands.forget import show_moved
from glassmind.serve.cli.commands.supersede import two_names
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser, Once
from glassmind.types.memory import Memo, Moved

EDIT = "inbox edit"


class Action(NamedTuple):
    """One thing to do: what help says of it, and how it writes the names."""

    about: str
    names: str
    run: Callable[[Engine, Namespace], Moved] | None


def _accept(engine: Engine, args: Namespace) -> Moved:
    return engine.memory.accept(one_name(args.names, "inbox accept", "memo"))


def _reject(engine: Engine, args: Namespace) -> Moved:
    return engine.memory.reject(one_name(args.names, "inbox reject", "memo"))


def _merge(engine: Engine, args: Namespace) -> Moved:
    return engine.memory.merge(*two_names(args.names, "inbox merge"))


def _edit(engine: Engine, args: Namespace) -> Moved:
    name = one_name(args.names, EDIT, "memo")
    text = getattr(args, "text", None)
    if text is None:
        return _edit_by_hand(engine, name)
    return engine.memory.edit(name, piped_text(EDIT) if text == STDIN else text)


def _edit_by_hand(engine: Engine, name: str) -> Moved:
    """Let a person edit a memo as it is now; what they wrote is not lost.

    Raises:
        EditSetAside: it changed meanwhile, or cannot be written.
    """
    from glassmind.serve.cli.editor import edited, set_aside  # noqa: PLC0415

    before = _waiting_text(engine, name)
    text = edited(before, EDIT).rstrip("\n")
    if text == before.rstrip("\n"):
        raise WrongUsage("the text is as it was; inbox accept keeps it so", EDIT)
    try:
        return engine.memory.edit(name, text, before=before)
    except VaultError as error:
        raise EditSetAside(str(error), str(set_aside(text))) from error


def _waiting_text(engine: Engine, name: str) -> str:
    """Return what a memo says that waits under a name.

    Raises:
        WrongUsage: no one memo does.
    """
    waiting = [one.memo for one in engine.memory.inbox(promote=False).waiting]
    found = [memo for memo in waiting if name in _names(memo)]
    if len(found) != 1:
        raise WrongUsage(f"no one memo waits as {name!r}; see inbox list", EDIT)
    return found[0].text


def _names(memo: Memo) -> tuple[str, ...]:
    file = memo.path.rpartition("/")[2]
    return memo.path, file, file.removesuffix(".md"), memo.title


ACTIONS: Mapping[str, Action] = {
    "list": Action("what waits", "", None),
    "accept": Action("keep a memo, in its place", "NAME", _accept),
    "edit": Action("keep a memo with another text", "NAME", _edit),
    "merge": Action("add a memo to one that is kept", "NAME INTO", _merge),
    "reject": Action("move a memo to the trash", "NAME", _reject),
}
"""By name, in the order that help lists them; without one, what waits is listed."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes: each action has a parser of its own."""
    parser.take_actions("action", "names", {"--text": "goes with edit"})
    for name, action in ACTIONS.items():
        own = parser.add_action(name, action.about, action.names)
        if action.names:
            own.take_words("names", "NAME", "path, file name or title, without a slip")
        if name == "edit":
            own.add_argument(
                "--text",
                metavar="TEXT",
                action=Once,
                default=SUPPRESS,
                help="the new text; - takes what is piped in",
            )


def run(args: Namespace, output: Output) -> int:
    """Do what the action says; without one, list what waits."""
    act = ACTIONS[args.action or "list"].run
    with engine_of(args, output) as engine:
        if act is None:
            return _list(engine, args, output)
        show_moved(act(engine, args), output)
    return exits.OK


def _list(engine: Engine, args: Namespace, output: Output) -> int:
    if args.names:
        raise WrongUsage("inbox list takes no names", "inbox")
    found = engine.memory.inbox()
    notice_all(output, found.troubles)
    if output.as_json:
        output.json(inbox_as_json(found))
    else:
        writable = engine.config.writes.agent_dir_writable
        output.text(inbox_as_text(found, output.style, writable=writable))
    return exits.OK if found.waiting or found.promoted else exits.NOTHING
