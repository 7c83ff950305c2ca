"""Files that let a system run a command every few minutes: systemd's and launchd's."""

import plistlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

UnitKind: TypeAlias = Literal["systemd", "launchd"]

HOUR_MIN = 60

_ESCAPES = {"\\": "\\\\", '"': '\\"', "%": "%%", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@dataclass(frozen=True, slots=True)
class UnitFile:
    """A file for the system: its name, the folder it belongs in, and its text."""

    name: str
    folder: str
    text: str


@dataclass(frozen=True, slots=True)
class Units:
    """The files of one kind, and the commands that put them to work."""

    kind: UnitKind
    files: tuple[UnitFile, ...]
    enable: tuple[str, ...]
    disable: tuple[str, ...]
    """The commands that take them away again."""


def systemd_units(
    command: Sequence[str], *, name: str, vault: str, every_min: int
) -> Units:
    """Return a unit that runs the command and a timer that starts it.

    A start that was missed while the machine slept or was off is made up for.
    """
    run = UnitFile(
        f"{name}.service",
        "~/.config/systemd/user",
        "[Unit]\n"
        f"Description=Index the vault {_described(vault)}\n"
        "\n"
        "[Service]\n"
        "Type=oneshot\n"
        f"ExecStart={quoted_for_systemd(command)}\n"
        "Nice=10\n"
        "IOSchedulingClass=idle\n",
    )
    timer = UnitFile(
        f"{name}.timer",
        "~/.config/systemd/user",
        "[Unit]\n"
        f"Description=Index the vault {_described(vault)} by the clock\n"
        "\n"
        "[Timer]\n"
        f"{_when(every_min)}"
        "\n"
        "[Install]\n"
        "WantedBy=timers.target\n",
    )
    enable = (
        "systemctl --user daemon-reload",
        f"systemctl --user enable --now {timer.name}",
    )
    disable = (
        f"systemctl --user disable --now {timer.name}",
        f"rm {run.folder}/{run.name} {timer.folder}/{timer.name}",
    )
    return Units("systemd", (run, timer), enable, disable)


def _when(every_min: int) -> str:
    """Return when a timer starts: by the clock where an hour has whole parts of it.

    Else by what has gone by: `*:0/45` would mean at 0 and 45 past.
    """
    if HOUR_MIN % every_min:
        return f"OnBootSec=1min\nOnUnitActiveSec={every_min}min\n"
    when = "hourly" if every_min == HOUR_MIN else f"*:0/{every_min}"
    return f"OnCalendar={when}\nPersistent=true\n"


def quoted_for_systemd(command: Sequence[str]) -> str:
    """Return a command as `ExecStart=` takes it, each word as it is.

    In the first word, which names the program, systemd leaves `$` alone.
    """
    program, *words = [_quoted(word) for word in command]
    return " ".join([program, *(word.replace("$", "$$") for word in words)])


def _quoted(word: str) -> str:
    return '"' + "".join(_escaped(c) for c in word) + '"'


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable():
        return letter
    raw = letter.encode("utf-8", "surrogateescape")
    return "".join(f"\\x{byte:02x}" for byte in raw)


def _described(vault: str) -> str:
    """Return a path as a line of text may show it, where `%` begins a specifier."""
    shown = "".join(c if c.isprintable() else "?" for c in vault)
    return shown.replace("%", "%%").rstrip("\\")


def launchd_units(command: Sequence[str], *, name: str, every_min: int) -> Units:
    """Return a property list that runs the command now and every few minutes.

    Raises:
        ValueError: a word has characters that no property list can hold.
    """
    if not all(word.isprintable() for word in command):
        raise ValueError("a property list holds no control characters")
    label = f"io.{name}"
    wanted = {
        "Label": label,
        "ProgramArguments": list(command),
        "StartInterval": every_min * 60,
        "RunAtLoad": True,
        "ProcessType": "Background",
        "LowPriorityIO": True,
    }
    text = plistlib.dumps(wanted, sort_keys=False).decode("utf-8")
    file = UnitFile(f"{label}.plist", "~/Library/LaunchAgents", text)
    enable = f"launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/{file.name}"
    disable = (
        f"launchctl bootout gui/$(id -u)/{label}",
        f"rm {file.folder}/{file.name}",
    )
    return Units("launchd", (file,), (enable,), disable)


def units_as_json(units: Units) -> dict[str, object]:
    """Return the files and how to put them to work."""
    return {
        "kind": units.kind,
        "files": [
            {"name": file.name, "folder": file.folder, "text": file.text}
            for file in units.files
        ],
        "enable": list(units.enable),
        "disable": list(units.disable),
    }


def units_as_text(units: Units) -> str:
    """Return a script for a shell that writes the files and puts them to work."""
    lines = []
    for file in units.files:
        lines += [f"mkdir -p {file.folder}", f"cat > {file.folder}/{file.name} <<'END'"]
        lines += [file.text.rstrip("\n"), "END"]
    undone = [f"# to take it away: {line}" for line in units.disable]
    return "".join(f"{line}\n" for line in (*lines, *units.enable, *undone))
