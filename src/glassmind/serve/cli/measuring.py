"""What `eval` and `tune` share: their options, opening vaults, showing progress."""

import os
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path

from glassmind.config import load_config
from glassmind.config.places import current_folder
from glassmind.engine import Engine
from glassmind.serve.cli.parser import CommandParser, at_least_one, at_least_zero
from glassmind.types.files import Progress
from glassmind.wiring import engine_for


def add_measuring_options(parser: CommandParser) -> None:
    """Tell the parser what both commands take."""
    add = parser.add_argument
    add("--limit-queries", type=at_least_one, metavar="N", help="ask at most so many")
    seed = "what chance begins with"
    add("--seed", type=at_least_zero, default=0, metavar="N", help=seed)
    add("--fresh", action="store_true", help="index anew, whatever is kept of before")


def opener_of(
    args: Namespace,
) -> Callable[[Path | None, Mapping[str, object]], Engine]:
    """Return what opens the vault that is meant, or another, with more settings.

    Raises:
        ConfigError: when it is called, and a setting cannot be used.
    """
    file = getattr(args, "config", None)

    def opened(root: Path | None, settings: Mapping[str, object]) -> Engine:
        vault = root or getattr(args, "vault", None)
        config = load_config(
            flags={"vault.path": vault, **settings},
            env=os.environ,
            cwd=current_folder(),
            file=Path(file) if file else None,
        )
        return engine_for(config)

    return opened


def counted_by(
    progress: Callable[[Progress], None] | None,
) -> Callable[[int, int], None]:
    """Return what shows how many questions were asked; nothing when nobody watches."""

    def show(done: int, total: int) -> None:
        if progress is not None:
            progress(Progress("measure", done, total))

    return show
