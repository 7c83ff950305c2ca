"""`glassmind init`: choose a vault, configure it, index it, tell what comes next."""

import os
import sys
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from glassmind.config.load import configured_vault, vault_around
from glassmind.config.places import FILE_NAME, config_home, current_folder
from glassmind.config.trust import read_vault_settings, record_trust
from glassmind.config.values import AGENT_DIR
from glassmind.config.write import new_file, set_key, write_config
from glassmind.errors import NoVault, SeveralVaults, VaultChosen, WrongUsage
from glassmind.render.reports import report_as_json
from glassmind.render.style import counted
from glassmind.serve.cli import exits
from glassmind.serve.cli.beginning import WORDS_ALONE, Begun, begin
from glassmind.serve.cli.called import own_call
from glassmind.serve.cli.opening import config_of, file_of, named_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.vault.agent_folder import make_agent_folder
from glassmind.vault.choose import checked_vault, known_vaults

if TYPE_CHECKING:
    from glassmind.config import Config

ANY_QUESTION = "what did I write last week"
"""What anybody can ask, whose titles make no question."""

TITLES = 20
"""Newest notes looked at for one whose title can be searched for as it is."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What was chosen: the vault, its file, whether that stood, folders made."""

    vault: Path
    file: Path
    kept: bool
    made: list[Path]


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("vault_folder", nargs="?", metavar="VAULT", help="default: the one around")
    add("--in-vault", action="store_true", help="write the file into the vault")
    add("--agent-dir", action="store_true", help=f"make {AGENT_DIR}/ in the vault")
    add("--force", action="store_true", help="replace a configuration that is there")
    add("--yes", action="store_true", help="ask nothing: of several, take the first")
    add("--no-index", action="store_true", help="write the configuration alone")
    add("--no-embed", action="store_true", help="index text alone, fetch no model")


def run(args: Namespace, output: Output) -> int:
    """Choose, write down, index, and tell what comes next."""
    if getattr(args, "config", None) and args.in_vault:
        raise WrongUsage("--in-vault and --config name two files; give one", "init")
    settled = _settled(args, _chosen(args, output))
    if not output.as_json:
        _tell_choice(settled, output, agent_dir=args.agent_dir)
    call = _call(args, settled)
    if args.no_index:
        _tell_next(settled, None, [f"{call} index"], output)
        return exits.OK
    args.vault = str(settled.vault)
    config = config_of(args)
    for warning in config.warnings:
        output.notice(warning)
    try:
        begun = begin(config, output, call, embed=not args.no_embed)
    except KeyboardInterrupt:
        output.fault(f"stopped; what was read is kept, and {call} index goes on")
        return exits.INTERRUPTED
    _tell_begun(begun, call, output)
    follows = [_search(config, call), f"{call} connect claude-code"]
    _tell_next(settled, begun, follows, output)
    return exits.INTERRUPTED if begun.stopped else exits.OK


def _chosen(args: Namespace, output: Output) -> Path:
    """Return the vault that is named, stood in, configured, or listed by Obsidian.

    Raises:
        VaultAbsent: the one named is no folder that can be read.
        UnlikelyVault: it is none that anybody means.
        SeveralVaults: there is a choice, and nobody to make it.
        NoVault: there is none.
    """
    named = args.vault_folder or getattr(args, "vault", None)
    if named:
        folder = current_folder() / Path(named).expanduser()
        return checked_vault(folder, os.environ, "the command line")
    stood_in = vault_around(current_folder(), config_home(os.environ))
    if stood_in is not None:
        return stood_in
    file = named_of(args)  # which may be yet to be written
    if not args.force and (file is None or file.exists()):
        configured = config_of(args, need_vault=False)
        if "vault.path" in configured.origins:
            return configured.vault.path
    known = [vault.path for vault in known_vaults(os.environ)]
    if not known:
        raise NoVault(looked=True)
    return known[0] if len(known) == 1 or args.yes else _asked(known, output)


def _asked(known: list[Path], output: Output) -> Path:
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or output.as_json:
        raise SeveralVaults([str(path) for path in known])
    sys.stderr.write("Obsidian knows these vaults:\n")
    for number, path in enumerate(known, 1):
        sys.stderr.write(f"  {number}. {output.style.clean(str(path))}\n")
    while True:
        sys.stderr.write(f"Which one? [1-{len(known)}] ")
        sys.stderr.flush()
        answer = sys.stdin.readline()
        if not answer:
            raise SeveralVaults([str(path) for path in known])
        if answer.strip().isdigit() and 1 <= int(answer) <= len(known):
            return known[int(answer) - 1]


def _settled(args: Namespace, vault: Path) -> Settled:
    """Write down which vault was chosen; a file that is there keeps all it says.

    Raises:
        VaultChosen: it names another vault, which is still there.
        ConfigUnwritable, FolderUnwritable, PathOutsideVault: it cannot be written.
    """
    env, in_vault = os.environ, args.in_vault
    file = vault / FILE_NAME if in_vault else file_of(args)
    stands = file.exists() and not args.force
    said = configured_vault(file) if stands and not in_vault else None
    same = said is not None and os.path.realpath(said) == os.path.realpath(vault)
    # One that we may not see is gone.
    if said is not None and not same and os.path.isdir(said):  # noqa: PTH112
        raise VaultChosen(str(file), str(said), str(vault))
    where = {"named": named_of(args), "in_vault": in_vault, "force": True}
    # Refuse before anything is written.
    fresh = new_file(vault, env, **where)
    made = make_agent_folder(vault, AGENT_DIR) if args.agent_dir else []
    if not stands:
        file = fresh
        write_config(file, vault, in_vault=in_vault)
        if in_vault:
            _trust(vault, env)
    elif not same and not in_vault:
        set_key(file, "vault.path", str(vault.resolve()))
    return Settled(vault, file, stands and (same or in_vault), made)


def _trust(vault: Path, env: Mapping[str, str]) -> None:
    """Trust the settings that were just written into the vault.

    A `.env` beside them, which somebody else may have put there, is not trusted unread.
    """
    settings, _ = read_vault_settings(vault)
    if settings is not None and settings.dotenv is None:
        record_trust(settings, env)


def _call(args: Namespace, settled: Settled) -> str:
    """Return how a command begins that is to find the same vault again."""
    call = own_call()
    if args.in_vault:
        return f"{call} --vault {quote(str(settled.vault))}"
    if getattr(args, "config", None):
        return f"{call} --config {quote(str(settled.file))}"
    return call


def _search(config: "Config", call: str) -> str:
    """Return a search that finds something: for the newest title of plain words."""
    from glassmind.wiring import engine_for  # noqa: PLC0415 - as `opening` does

    with engine_for(config) as engine:
        listed = engine.list_notes(newest=True, limit=TITLES).notes
    for note in listed:
        words, template = note.title.split(), "template" in note.path.lower()
        if len(words) > 1 and all(map(str.isalpha, words)) and not template:
            return f'{call} search "{" ".join(words)}"'
    return f'{call} search "{ANY_QUESTION}"'


def _tell_choice(settled: Settled, output: Output, *, agent_dir: bool) -> None:
    style = output.style
    kept = " (as it was)" if settled.kept else ""
    output.line(f"Vault: {style.strong(str(settled.vault))}")
    output.line(f"Configuration: {style.strong(str(settled.file))}{kept}")
    if agent_dir:
        output.line(f"Agent folder: {style.strong(str(settled.vault / AGENT_DIR))}")
    output.flush()


def _tell_begun(begun: Begun, call: str, output: Output) -> None:
    """Tell what stands: to the reader of stdout, and what is lacking to a person."""
    report, embedded = begun.report, begun.report.embedded + begun.report.reused
    if not report.notes:
        output.notice(f"there are no notes as yet; write some, then: {call} index")
    if begun.model:
        output.notice(begun.model)
        output.notice(WORDS_ALONE.format(call=call))
    if begun.stopped:
        output.fault(f"stopped; what was done is kept, and {call} index goes on")
    if output.as_json:
        return
    notes = counted(report.notes, "note")
    output.line(f"Indexed: {notes} in {report.seconds:.1f} s")
    if embedded or report.left:
        left = f", {report.left:,} left" if report.left else ""
        output.line(f"Embedded: {embedded:,} passages{left}")


def _tell_next(
    settled: Settled, begun: Begun | None, follows: list[str], output: Output
) -> None:
    if not output.as_json:
        for word, line in zip(("Next", "Then"), follows, strict=False):
            output.line(f"{word}: {output.style.strong(line)}")
        return
    told = {
        "vault": str(settled.vault),
        "config": str(settled.file),
        "kept": settled.kept,
        "made": [str(folder) for folder in settled.made],
        "index": report_as_json(begun.report) if begun else None,
        "model_problem": begun.model if begun else "",
        "next": follows,
    }
    output.json(told)
