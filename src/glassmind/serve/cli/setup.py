"""`glassmind init`, `connect` and `disconnect`: set up a vault and other programs."""

import os
import shlex
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from glassmind.access.clients import clients_of
from glassmind.access.scopes import read_names
from glassmind.config import Config
from glassmind.config.load import vault_around
from glassmind.config.places import config_home, current_folder
from glassmind.config.values import AGENT_DIR
from glassmind.errors import (
    INTERRUPTED,
    OK,
    ConfigError,
    ModelFault,
    NoVault,
    WrongUsage,
)
from glassmind.files.vaults import (
    checked_vault,
    configure_vault,
    init_commands,
    known_vaults,
)
from glassmind.index.background import gently
from glassmind.obsidian.text import counted
from glassmind.operations.maintain import IndexResult, index_result
from glassmind.operations.registry import joined
from glassmind.serve import connect
from glassmind.serve.cli.opening import (
    config_of,
    file_of,
    named_of,
    opened,
    path_of,
    words_of,
)
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import LocalCommand, flag, one_of, option
from glassmind.serve.cli.start import CLIENT, TOOLS

TITLES = 20  # newest notes to look through for a title of plain words

WITHOUT_MODEL = (
    "search uses keywords and links for now; with a network: {call} models fetch, then "
    "{call} index; without: {call} models fetch --from FOLDER"
)


class FirstRun(NamedTuple):
    report: IndexResult
    problem: str = ""
    stopped: bool = False


def init(args: Namespace, output: Output) -> int:
    """Choose a vault, configure and index it."""
    file = getattr(args, "config", None)
    one_of(args, "init", "--in-vault", "--config")
    vault = configure_vault(
        _choose_vault(args, output),
        os.environ,
        file=None if args.in_vault else file_of(args),
        force=args.force,
        agent_dir=args.agent_dir,
    )
    if not output.as_json:
        strong, kept = output.style.strong, " (as it was)" if vault.kept else ""
        output.line(f"Vault: {strong(str(vault.vault))}")
        output.line(f"Configuration: {strong(str(vault.file))}{kept}")
        if args.agent_dir:
            output.line(f"Agent folder: {strong(str(vault.vault / AGENT_DIR))}")
        output.flush()
    call = own_call()  # finds the same vault again
    if args.in_vault:
        call += f" --vault {shlex.quote(str(vault.vault))}"
    elif file:
        call += f" --config {shlex.quote(str(vault.file))}"
    done, follows = None, [f"{call} index"]
    if not args.no_index:
        args.vault = str(vault.vault)
        config = config_of(args)
        output.notices(config.warnings)
        try:
            done = first_run(config, output, call, embed=not args.no_embed)
        except KeyboardInterrupt:
            output.fault(f"stopped; what was read is kept, and {call} index continues")
            return INTERRUPTED
        _show_run(done, call, output)
        example = f'{call} search "{_example_query(config)}"'
        follows = [example, f"{call} connect claude-code"]
    values = {
        "vault": str(vault.vault),
        "config": str(vault.file),
        "kept": vault.kept,
        "made": [str(folder) for folder in vault.made],
        "index": done.report.to_json() if done else None,
        "model_problem": done.problem if done else "",
        "next": follows,
    }
    lines = zip(("Next", "Then"), map(output.style.strong, follows), strict=False)
    output.result(values, joined(f"{word}: {line}" for word, line in lines))
    return INTERRUPTED if done and done.stopped else OK


def _choose_vault(args: Namespace, output: Output) -> Path:
    named = args.vault_folder or getattr(args, "vault", None)
    if named:
        return checked_vault(path_of(named), os.environ, "the command line")
    around = vault_around(current_folder(), config_home(os.environ))
    if around is not None:
        return around
    file = named_of(args)  # it may not exist yet
    if not args.force and (file is None or file.exists()):
        configured = config_of(args, need_vault=False)
        if "vault.path" in configured.origins:
            return configured.vault.path
    known = [vault.path for vault in known_vaults(os.environ)]
    if not known:
        raise NoVault(looked=True)
    return known[0] if len(known) == 1 or args.yes else _asked(known, output)


def _asked(known: list[Path], output: Output) -> Path:
    names = [str(path) for path in known]
    several = ConfigError(
        f"Obsidian knows {len(known)} vaults; choose one: {init_commands(names)}"
    )
    if not output.can_ask:
        raise several
    sys.stderr.write("Obsidian knows these vaults:\n")
    for number, name in enumerate(names, 1):
        sys.stderr.write(f"  {number}. {output.style.clean(name)}\n")
    while answer := output.ask(f"Which one? [1-{len(known)}]"):
        if answer.strip().isdigit() and 1 <= int(answer) <= len(known):
            return known[int(answer) - 1]
    raise several


def first_run(config: Config, output: Output, call: str, *, embed: bool) -> FirstRun:
    """Index, fetch the model, embed: Ctrl-C keeps each part that was done."""
    root = str(config.vault.path)
    with opened(config) as engine, output.progress() as progress:
        report = engine.index(embed=False, progress=progress)
    done = FirstRun(index_result(root, report))
    output.notices(done.report.all_notices())
    if not embed or config.embeddings.backend == "none":
        return done
    if output.shows_progress and report.added:
        output.notice(
            f"{counted(report.notes, 'note')} can be searched by keywords now; "
            f"embedding follows. Ctrl-C is safe: {call} index continues from there"
        )
    try:
        if problem := _fetch_model(config, output):
            return done._replace(problem=problem)
        with opened(config) as engine, output.progress() as progress:
            index_report = engine.index(progress=gently(progress))
    except KeyboardInterrupt:
        return done._replace(stopped=True)
    fresh = [text for text in index_report.warnings if text not in report.warnings]
    counts = {
        name: getattr(index_report, name) for name in ("embedded", "reused", "left")
    }
    report = replace(report, **counts, warnings=(*report.warnings, *fresh))
    output.notices(fresh)
    return FirstRun(index_result(root, report))


def _fetch_model(config: Config, output: Output) -> str:
    from glassmind.models import library  # noqa: PLC0415 - loads ssl

    try:
        with output.progress() as progress:
            watch = progress or (lambda _: None)
            done = list(library.fetch(config, (), watch=watch))
    except ModelFault as error:
        return str(error)
    output.notices(model.notice for model in done if model.notice)
    return next((model.problem for model in done if model.problem), "")


def own_call() -> str:
    """Return how a shell starts this again; not every environment is on the path."""
    running = connect.this_program()
    words = connect.launch_of(running)
    if words == (running.on_path,):
        return connect.NAME
    if words[1:3] == ("tool", "run") and shutil.which("uvx"):
        return shlex.join(["uvx", *words[3:]])
    return shlex.join(words)


def _example_query(config: Config) -> str:
    with opened(config) as engine:
        listed = engine.list_notes(newest=True, limit=TITLES).notes
    for note in listed:
        words, is_template = note.title.split(), "template" in note.path.lower()
        if len(words) > 1 and all(map(str.isalpha, words)) and not is_template:
            return " ".join(words)
    return "what did I write last week"


def _show_run(done: FirstRun, call: str, output: Output) -> None:
    report, embedded = done.report, done.report.embedded + done.report.reused
    if not report.notes:
        output.notice(f"there are no notes yet; write some, then: {call} index")
    if done.problem:
        output.notices([done.problem, WITHOUT_MODEL.format(call=call)])
    if done.stopped:
        output.fault(f"stopped; what was done is kept, and {call} index continues")
    if output.as_json:
        return
    output.line(f"Indexed: {counted(report.notes, 'note')} in {report.seconds:.1f} s")
    if embedded or report.left:
        left = f", {report.left:,} left" if report.left else ""
        output.line(f"Embedded: {embedded:,} passages{left}")


PASSED_ON = ("GLASSMIND_CONFIG", "GLASSMIND_VAULT_PATH")
"""Variables whose value the entry contains; programs pass on hardly any variable."""

DONE = {
    "connected": "Connected {title} to {vault}",
    "changed": "Changed how {title} is connected to {vault}",
    "unchanged": "{title} is already connected to {vault}",
    "absent": "{title} is not connected: no {name} in {file}",
    "disconnected": "Disconnected {title}",
}


def connect_program(args: Namespace, output: Output) -> int:
    """Add Glassmind to another program."""
    _check_name(args, "connect")
    config = config_of(args)
    program, file = connect.PROGRAMS[args.program], _file_of(args)
    launch = connect.launch_of(connect.this_program())
    words = [*launch, "mcp", *words_of(args, config)]
    if args.client:
        words += ["--client", clients_of(config).named(args.client).name]
    if args.tools:
        words += ["--tools", ",".join(read_names(args.tools))]
    entry, vault = connect.entry_of(words, program), str(config.vault.path)
    notices = [*_connect_notices(config)]
    values: dict[str, object] = {"vault": vault, "entry": entry, "notices": notices}
    if args.shown:
        text = program.form.changed("", args.name, entry)
        output.notices(notices)
        common = {"program": args.program, "name": args.name, "file": str(file)}
        values |= {**common, "state": "printed", "text": text}
        output.result(values, output.style.clean(f"In {file}:\n\n{text}"))
        return OK
    done = connect.connect(file, program.form, args.name, entry, force=args.force)
    if done.made:
        notices.append(f"{file} was not there before; is {program.title} installed?")
    output.notices(notices)
    follows = program.follows.format(name=args.name)
    values["next"] = follows
    facts = [f"entry: {args.name} in {file}", f"starts: {shlex.join(words)}"]
    _report(args, done, values, facts, follows, output)
    return OK


def disconnect_program(args: Namespace, output: Output) -> int:
    """Remove the entry that connect wrote."""
    _check_name(args, "disconnect")
    program, file = connect.PROGRAMS[args.program], _file_of(args)
    done = connect.connect(file, program.form, args.name, None, force=args.force)
    facts = [f"removed: {args.name} from {file}"]
    _report(args, done, {}, facts, f"restart {program.title} if it is running", output)
    return OK


def _report(  # noqa: PLR0913, PLR0917 - what both commands print
    args: Namespace,
    done: connect.Outcome,
    values: dict[str, object],
    facts: list[str],
    follows: str,
    output: Output,
) -> None:
    backup = str(done.backup) if done.backup else None
    names = {"program": args.program, "name": args.name, "file": str(_file_of(args))}
    title, vault = connect.PROGRAMS[args.program].title, values.get("vault")
    lines = [DONE[done.state].format(title=title, vault=vault, **names)]
    if done.state != "absent":
        facts += [f"as it was: {backup}"] if backup else []
        lines += [f"  {fact}" for fact in facts]
    lines = [output.style.clean(line) for line in lines]
    if done.state not in {"absent", "unchanged"}:
        lines.append(f"Next: {output.style.strong(follows)}")
    state = {"state": done.state, "backup": backup}
    output.result({**names, **state, **values}, joined(lines))


def _check_name(args: Namespace, command: str) -> None:
    if not connect.NAMES.fullmatch(args.name):
        problem = f"--name must be letters, digits, - and _ (got {args.name!r})"
        raise WrongUsage(problem, command)


def _file_of(args: Namespace) -> Path:
    if not args.file:
        home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() may raise
        machine = connect.HostSystem(sys.platform, home, os.environ)
        return connect.PROGRAMS[args.program].file(machine)
    file = path_of(args.file)
    if not file.parent.is_dir():
        raise WrongUsage(f"--file: there is no folder {file.parent}", "connect")
    return file


def _connect_notices(config: Config) -> Iterator[str]:
    yield from config.warnings
    own = (key for key in os.environ if key.startswith("GLASSMIND_"))
    if left := [key for key in own if key not in PASSED_ON]:
        yield (
            f"not passed on: {', '.join(sorted(left))}; settings for every program "
            "belong in the configuration (glassmind config set)"
        )
    if config.server.transport == "http":
        yield (
            'server.transport is "http", so the server would listen instead of '
            "answering over stdio; run: glassmind config set server.transport stdio"
        )


_ENTRY = (
    option("program", "the program that starts us", choices=tuple(connect.PROGRAMS)),
    option("--name", "name of the entry", "N", default=connect.NAME),
    option("--file", "that program's file, if it is elsewhere", "FILE"),
)

COMMANDS = {
    "init": LocalCommand(
        init,
        "Maintain",
        (
            option("vault_folder", "default: this one", "VAULT", nargs="?"),
            flag("--in-vault", "write the file into the vault"),
            flag("--agent-dir", f"make {AGENT_DIR}/ in the vault"),
            flag("--force", "replace an existing configuration"),
            flag("--yes", "ask nothing: of several vaults, take the first"),
            flag("--no-index", "write the configuration only"),
            flag("--no-embed", "index text only, fetch no model"),
        ),
    ),
    "connect": LocalCommand(
        connect_program,
        "Agents",
        (
            *_ENTRY,
            flag("--print", "print the entry, write nothing", dest="shown"),
            CLIENT,
            TOOLS,
            flag("--force", "replace an entry that is not ours"),
        ),
    ),
    "disconnect": LocalCommand(
        disconnect_program,
        "Agents",
        (*_ENTRY, flag("--force", "remove an entry that is not ours")),
    ),
}
