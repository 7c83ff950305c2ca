"""`glassmind tune`: better settings for this vault, if there are any beyond noise."""

import os
from argparse import Namespace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from glassmind.config import Config
from glassmind.config.places import FILE_NAME, VAULT_NAMES, present
from glassmind.config.reference import as_toml
from glassmind.config.trust import keep_trust
from glassmind.errors import WrongUsage
from glassmind.serve.cli import exits
from glassmind.serve.cli.measuring import (
    add_measuring_options,
    counted_by,
    opener_of,
)
from glassmind.serve.cli.opening import config_of, file_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.cli.progress import shown_progress

if TYPE_CHECKING:
    from glassmind.types.evaluation import TuneReport


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("--dry-run", action="store_true", help="tell what was found, write nothing")
    add("--undo", action="store_true", help="take the last tuning back")
    add("--no-prefixes", action="store_true", help="embed nothing anew")
    add("--in-vault", action="store_true", help="write to the vault's own file")
    add_measuring_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Tune, or take it back, and tell by which figures."""
    if args.undo:
        return _undo(args, output)
    # numpy and what it draws in, which no other command should pay for.
    from glassmind.evaluation.bench import Wanted, own_bench  # noqa: PLC0415
    from glassmind.evaluation.tune import enough, tune  # noqa: PLC0415

    with shown_progress(output) as progress:
        wanted = Wanted(
            fresh=args.fresh,
            limit_queries=enough(args.limit_queries),
            seed=args.seed,
            progress=progress,
        )
        with own_bench(opener_of(args), wanted) as bench:
            show, prefixes = counted_by(progress), not args.no_prefixes
            report = tune(bench, seed=args.seed, show=show, prefixes=prefixes)
    for notice in report.notices:
        output.notice(notice)
    if report.accepted and not args.dry_run:
        report = _written(report, args, output)
    _show(report, output)
    return exits.OK


def _written(report: "TuneReport", args: Namespace, output: Output) -> "TuneReport":
    from glassmind.evaluation.settings import write_choice  # noqa: PLC0415 - as above

    config = config_of(args)
    file = _file(args, config)
    today = datetime.now().astimezone().date()
    with keep_trust(config.vault.path, os.environ):
        write_choice(config, report, file, in_vault=args.in_vault, today=today)
    for path, origin in _overruled(config_of(args), report).items():
        output.notice(f"{path} is not what was written: {origin} says otherwise")
    if any(path.startswith("embeddings.") for path in report.chosen.settings):
        output.notice("the vault is to be embedded anew; run: glassmind index")
    return report._replace(file=str(file))


def _overruled(config: Config, report: "TuneReport") -> dict[str, str]:
    """Return the settings that something stronger than the file still sets."""
    found = {}
    for path, value in report.chosen.settings.items():
        section, _, name = path.partition(".")
        if getattr(getattr(config, section), name) != value:
            found[path] = config.origins[path]
    return found


def _file(args: Namespace, config: Config) -> Path:
    """Return the file that is meant: the vault's, the one named, or the user's."""
    if args.in_vault and getattr(args, "config", None):
        raise WrongUsage("--in-vault and --config name two files; give one", "tune")
    if not args.in_vault:
        return file_of(args)
    vault = config.vault.path
    return next(iter(present(vault, VAULT_NAMES)), vault / FILE_NAME)


def _undo(args: Namespace, output: Output) -> int:
    from glassmind.evaluation.settings import undo  # noqa: PLC0415 - as above

    config = config_of(args)
    with keep_trust(config.vault.path, os.environ):
        done = undo(config, dry_run=args.dry_run)
    for path in done.kept:
        output.notice(f"{path} was changed since, and is left as it is")
    if output.as_json:
        settings = dict(done.settings)
        output.json({"file": done.file, "settings": settings, "kept": list(done.kept)})
        return exits.OK
    said = "Would be taken back" if args.dry_run else "Taken back"
    output.line(f"{said} in {output.style.strong(done.file)}")
    for path, value in done.settings.items():
        output.line(f"  {path} = {as_toml(value)}")
    return exits.OK


def _show(report: "TuneReport", output: Output) -> None:
    if output.as_json:
        from glassmind.render.evaluation import tuning_as_json  # noqa: PLC0415

        output.json(tuning_as_json(report))
        return
    from glassmind.render.evaluation_text import tuning_as_text  # noqa: PLC0415

    output.text(tuning_as_text(report, output.style))
    if report.file:
        output.line(f"Written to {output.style.strong(report.file)}")
    elif report.accepted:
        output.line("Nothing was written: that was a dry run")
