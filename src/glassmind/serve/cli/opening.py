"""From the options of every command to a configuration and an engine."""

import os
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from glassmind.config import Config, load_config
from glassmind.config.places import current_folder, named_file, own_file
from glassmind.engine import Engine
from glassmind.serve.cli.output import Output


def config_of(
    args: Namespace,
    *,
    need_vault: bool = True,
    flags: Mapping[str, object] | None = None,
) -> Config:
    """Return the settings in force; `flags` are those that a command implies.

    Raises:
        ConfigError: they cannot be used.
    """
    file = getattr(args, "config", None)
    return load_config(
        flags={"vault.path": getattr(args, "vault", None), **(flags or {})},
        env=os.environ,
        cwd=current_folder(),
        file=Path(file) if file else None,
        need_vault=need_vault,
    )


def named_of(args: Namespace) -> Path | None:
    """Return the file that an option or the variable names; None where neither does."""
    return named_file(os.environ, current_folder(), getattr(args, "config", None))


def file_of(args: Namespace) -> Path:
    """Return the file in which settings of one's own are kept, there or not."""
    return own_file(os.environ, current_folder(), getattr(args, "config", None))


def engine_of(args: Namespace, output: Output, *, need_vault: bool = True) -> Engine:
    """Return the engine of the vault that is meant, having told of odd settings.

    If the vault has a daemon, that one does what needs a model.

    Raises:
        ConfigError: the vault or a setting cannot be used.
    """
    config = config_of(args, need_vault=need_vault)
    for warning in config.warnings:
        output.notice(warning)
    from glassmind.serve.daemon import client_engine  # noqa: PLC0415 - tantivy

    engine = client_engine(config)
    engine.client = "cli"
    return engine
