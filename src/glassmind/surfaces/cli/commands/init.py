"""`glassmind init`: choose a vault and write a configuration for it."""

import os
import shlex
import sys
from argparse import Namespace
from pathlib import Path

from glassmind.config.discover import known_vaults
from glassmind.config.files import current_folder
from glassmind.config.load import vault_around
from glassmind.config.places import config_home
from glassmind.config.write import free_place, write_config
from glassmind.config.write_sections import AGENT_DIR
from glassmind.errors import NoVault, SeveralVaults, VaultAbsent, WrongUsage
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.opening import config_of, named_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser
from glassmind.vault.agent_folder import make_agent_folder


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("vault_folder", nargs="?", metavar="VAULT", help="default: the one around")
    add("--in-vault", action="store_true", help="write the file into the vault")
    add("--agent-dir", action="store_true", help=f"make {AGENT_DIR}/ in the vault")
    add("--force", action="store_true", help="replace a configuration that is there")
    add("--yes", action="store_true", help="ask nothing: of several, take the first")


def run(args: Namespace, output: Output) -> int:
    """Write the configuration and tell what comes next."""
    given = getattr(args, "config", None)
    if given and args.in_vault:
        raise WrongUsage("--in-vault and --config name two files; give one", "init")
    vault, env = _chosen(args, output), os.environ
    where = {"named": named_of(args), "in_vault": args.in_vault, "force": args.force}
    # What can be refused comes before what is written.
    free_place(vault, env, **where)
    made = make_agent_folder(vault, AGENT_DIR) if args.agent_dir else []
    file = write_config(vault, env, **where)
    follows = _next_command("vault", vault) if args.in_vault else _next_command()
    if given:
        follows = _next_command("config", file)
    if output.as_json:
        made_paths = [str(folder) for folder in made]
        report = {"vault": str(vault), "config": str(file), "made": made_paths}
        output.json({**report, "next": follows})
        return exits.OK
    style = output.style
    output.line(f"Vault: {style.strong(str(vault))}")
    output.line(f"Configuration: {style.strong(str(file))}")
    if args.agent_dir:
        output.line(f"Agent folder: {style.strong(str(vault / AGENT_DIR))}")
    output.line(f"Next: {style.strong(follows)}")
    return exits.OK


def _next_command(option: str = "", place: Path | None = None) -> str:
    named = f" --{option} {shlex.quote(str(place))}" if option else ""
    return f"glassmind{named} index"


def _chosen(args: Namespace, output: Output) -> Path:
    """Return the vault that is named, stood in, listed by Obsidian, or configured.

    Raises:
        VaultAbsent: the one named is no folder.
        SeveralVaults: there is a choice, and nobody to make it.
        NoVault: there is none.
    """
    named = args.vault_folder or getattr(args, "vault", None)
    if named:
        folder = current_folder() / Path(named).expanduser()
        if not folder.is_dir():
            raise VaultAbsent(str(folder), "the command line")
        return folder
    stood_in = vault_around(current_folder(), config_home(os.environ))
    if stood_in is not None:
        return stood_in
    known = [vault.path for vault in known_vaults(os.environ)]
    if len(known) == 1 or (known and args.yes):
        return known[0]
    if known:
        return _asked(known, output)
    file = named_of(args)
    if file is not None and not file.exists():  # the one that is to be written
        raise NoVault
    return config_of(args).vault.path


def _asked(known: list[Path], output: Output) -> Path:
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or output.as_json:
        raise SeveralVaults(tuple(str(path) for path in known))
    sys.stderr.write("Obsidian knows these vaults:\n")
    for number, path in enumerate(known, 1):
        sys.stderr.write(f"  {number}. {output.style.clean(str(path))}\n")
    while True:
        sys.stderr.write(f"Which one? [1-{len(known)}] ")
        sys.stderr.flush()
        answer = sys.stdin.readline()
        if not answer:
            raise SeveralVaults(tuple(str(path) for path in known))
        if answer.strip().isdigit() and 1 <= int(answer) <= len(known):
            return known[int(answer) - 1]
