"""`glassmind doctor`: what is well, what is not, and what to do about it."""

from argparse import Namespace
from collections.abc import Sequence

from glassmind.errors import BadConfigFile, BadSetting, NoVault, VaultAbsent
from glassmind.render.reports import checks_as_json
from glassmind.render.reports_text import checks_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import config_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.types.catalogue import Check
from glassmind.wiring import engine_for

CHOOSE = "choose one: glassmind init, or --vault PATH"


def add_arguments(_parser: CommandParser) -> None:
    """Tell the parser what the command takes: nothing of its own."""


def run(args: Namespace, output: Output) -> int:
    """Examine, and say by the exit code whether anything failed."""
    checks = _checks(args)
    if output.as_json:
        output.json(checks_as_json(checks))
    else:
        output.text(checks_as_text(checks, output.style))
    failed = any(check.state == "fail" for check in checks)
    return exits.USAGE if failed else exits.OK


def _checks(args: Namespace) -> list[Check]:
    """Return what was looked at; without a vault, how far one comes and why no more."""
    # Warnings of the configuration are among the findings.
    try:
        config = config_of(args)
    except NoVault:
        finding = "none is chosen, and none is around the current folder"
        warnings = config_of(args, need_vault=False).warnings
        return [*_of_config(warnings), Check("vault", "fail", finding, CHOOSE)]
    except VaultAbsent as error:
        fix = f"mount its disk, or {CHOOSE}"
        return [Check("vault", "fail", str(error), fix)]
    except (BadConfigFile, BadSetting) as error:
        return [Check("config", "fail", str(error), "mend what it names")]
    with engine_for(config) as engine:
        return engine.doctor()


def _of_config(warnings: Sequence[str]) -> list[Check]:
    if not warnings:
        return [Check("config", "ok", "every setting is understood")]
    see = "see: glassmind config show --origin"
    return [Check("config", "warn", warning, see) for warning in warnings]
