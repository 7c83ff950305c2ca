"""`glassmind service`: print files that let the system index on a schedule."""

import os
import plistlib
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from glassmind.config import Config
from glassmind.config.places import current_folder, index_name
from glassmind.errors import WrongUsage
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import config_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import LocalCommand, option

HOUR_MIN = 60

USUAL_MIN = 15
"""Minutes between two runs: one that finds nothing new takes a tenth of a second."""

SYSTEMD_FOLDER, LAUNCHD_FOLDER = "~/.config/systemd/user", "~/Library/LaunchAgents"

_ESCAPES = {"\\": "\\\\", '"': '\\"', "%": "%%", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class UnitFile:
    """A file for the system: its name, the folder it belongs in, and its text."""

    name: str
    folder: str
    text: str


@dataclass(frozen=True, slots=True)
class Units:
    """The files of one system, and the commands that enable and remove them."""

    kind: str
    files: tuple[UnitFile, ...]
    enable: tuple[str, ...]
    disable: tuple[str, ...]


def service(args: Namespace, output: Output) -> int:
    """Print the files for this vault; nothing is installed."""
    config = config_of(args)
    kind = args.kind or ("launchd" if sys.platform == "darwin" else "systemd")
    units = _units_of(config, kind, _command_of(args, config), args.every)
    if output.as_json:
        output.json(asdict(units))
    else:
        output.verbatim(units_as_script(units))
    return exits.OK


def _command_of(args: Namespace, config: Config) -> list[str]:
    """Return the command that indexes this vault from any folder."""
    chosen = getattr(args, "config", None) or os.environ.get("GLASSMIND_CONFIG")
    named = []
    if chosen:
        named = ["--config", str(current_folder() / Path(chosen).expanduser())]
    vault = ["--vault", str(config.vault.path)]
    return [sys.executable, "-m", "glassmind", *vault, *named, "index", "--quiet"]


def _units_of(config: Config, kind: str, command: list[str], every_min: int) -> Units:
    """Return the files for a system.

    Raises:
        WrongUsage: a property list cannot hold the name of the vault.
    """
    vault = str(config.vault.path)
    letters = index_name(config.vault.path).encode("ascii", "replace").decode()
    name = f"glassmind-{letters.replace('?', '_')}"
    if kind == "systemd":
        return systemd_units(command, name=name, vault=vault, every_min=every_min)
    try:
        return launchd_units(command, name=name, every_min=every_min)
    except ValueError as error:
        problem = f"a property list cannot hold the name {vault!r}"
        raise WrongUsage(problem, "service") from error


def systemd_units(
    command: Sequence[str], *, name: str, vault: str, every_min: int
) -> Units:
    """Return a unit that runs the command, and a timer that starts it.

    The timer makes up for a start that was missed while the machine was off.
    """
    shown = "".join(c if c.isprintable() else "?" for c in vault)
    shown = shown.replace("%", "%%").rstrip("\\")
    run = (
        f"[Unit]\nDescription=Index the vault {shown}\n\n[Service]\nType=oneshot\n"
        f"ExecStart={quoted_for_systemd(command)}\n"
        "Nice=10\nIOSchedulingClass=idle\n"
    )
    timer = (
        f"[Unit]\nDescription=Index the vault {shown} by the clock\n\n"
        f"[Timer]\n{_schedule(every_min)}\n[Install]\nWantedBy=timers.target\n"
    )
    files = (
        UnitFile(f"{name}.service", SYSTEMD_FOLDER, run),
        UnitFile(f"{name}.timer", SYSTEMD_FOLDER, timer),
    )
    enable = (
        "systemctl --user daemon-reload",
        f"systemctl --user enable --now {name}.timer",
    )
    disable = (
        f"systemctl --user disable --now {name}.timer",
        "rm " + " ".join(f"{SYSTEMD_FOLDER}/{file.name}" for file in files),
    )
    return Units("systemd", files, enable, disable)


def _schedule(every_min: int) -> str:
    """Return when a timer starts: by the clock, if that divides an hour.

    Otherwise by the time since the last start: `*:0/45` would mean at 0 and 45 past.
    """
    if HOUR_MIN % every_min:
        return f"OnBootSec=1min\nOnUnitActiveSec={every_min}min\n"
    when = "hourly" if every_min == HOUR_MIN else f"*:0/{every_min}"
    return f"OnCalendar={when}\nPersistent=true\n"


def quoted_for_systemd(command: Sequence[str]) -> str:
    """Return a command for `ExecStart=`, where only the first word may have a `$`."""
    program, *words = ['"' + "".join(map(_escaped, word)) + '"' for word in command]
    return " ".join([program, *(word.replace("$", "$$") for word in words)])


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable():
        return letter
    raw = letter.encode("utf-8", "surrogateescape")
    return "".join(f"\\x{byte:02x}" for byte in raw)


def launchd_units(command: Sequence[str], *, name: str, every_min: int) -> Units:
    """Return a property list that runs the command now and every few minutes.

    Raises:
        ValueError: a word has characters that a property list cannot hold.
    """
    if not all(word.isprintable() for word in command):
        raise ValueError("a property list holds no control characters")
    label = f"io.{name}"
    content = {
        "Label": label,
        "ProgramArguments": list(command),
        "StartInterval": every_min * 60,
        "RunAtLoad": True,
        "ProcessType": "Background",
        "LowPriorityIO": True,
    }
    text = plistlib.dumps(content, sort_keys=False).decode("utf-8")
    path = f"{LAUNCHD_FOLDER}/{label}.plist"
    disable = (f"launchctl bootout gui/$(id -u)/{label}", f"rm {path}")
    file = UnitFile(f"{label}.plist", LAUNCHD_FOLDER, text)
    enable = (f"launchctl bootstrap gui/$(id -u) {path}",)
    return Units("launchd", (file,), enable, disable)


def units_as_script(units: Units) -> str:
    """Return a shell script that writes the files and enables them."""
    lines = []
    for file in units.files:
        lines += [f"mkdir -p {file.folder}", f"cat > {file.folder}/{file.name} <<'END'"]
        lines += [file.text.rstrip("\n"), "END"]
    removal = [f"# to remove it: {line}" for line in units.disable]
    return "".join(f"{line}\n" for line in (*lines, *units.enable, *removal))


def _minutes(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text) <= HOUR_MIN:
        return int(text)
    raise ArgumentTypeError(f"minutes must be from 1 to {HOUR_MIN} (got {text})")


COMMANDS = {
    "service": LocalCommand(
        service,
        (
            option("action", choices=("print",), help="print a script that sets it up"),
            option(
                "--kind", choices=("systemd", "launchd"), help="default: this system"
            ),
            option(
                "--every",
                type=_minutes,
                default=USUAL_MIN,
                metavar="MINUTES",
                help=f"how often to index, from 1 to {HOUR_MIN} minutes",
            ),
        ),
    )
}
