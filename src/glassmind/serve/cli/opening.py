"""From the options of every command to a configuration and an engine."""

import os
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from glassmind.config import Config, load_config
from glassmind.config.places import current_folder, named_file, own_file
from glassmind.engine import Engine
from glassmind.serve.cli.output import Output
from glassmind.serve.daemon import client_engine


def config_of(
    args: Namespace,
    *,
    need_vault: bool = True,
    flags: Mapping[str, object] | None = None,
) -> Config:
    file = getattr(args, "config", None)
    return load_config(
        flags={"vault.path": getattr(args, "vault", None), **(flags or {})},
        env=os.environ,
        cwd=current_folder(),
        file=Path(file) if file else None,
        need_vault=need_vault,
    )


def named_of(args: Namespace) -> Path | None:
    """Return the file that the option or the variable names, if there is one."""
    return named_file(os.environ, current_folder(), getattr(args, "config", None))


def file_of(args: Namespace) -> Path:
    """Return the file of the user's own settings; it may not exist."""
    return own_file(os.environ, current_folder(), getattr(args, "config", None))


def path_of(written: str) -> Path:
    return current_folder() / Path(written).expanduser()


def words_of(args: Namespace, config: Config) -> list[str]:
    """Return the options with which a command finds the same vault from any folder."""
    words = ["--vault", str(current_folder() / config.vault.path)]
    if named := named_of(args):
        words += ["--config", str(current_folder() / named)]
    return words


def engine_of(args: Namespace, output: Output, *, need_vault: bool = True) -> Engine:
    config = config_of(args, need_vault=need_vault)
    output.notices(config.warnings)
    return opened(config)


def opened(config: Config) -> Engine:
    engine = client_engine(config)
    engine.client = "cli"
    return engine
