"""Files that let the system index on a schedule: those of systemd and launchd."""

import plistlib
from collections.abc import Sequence

from msgspec import Struct

HOUR_MIN = 60

SYSTEMD_FOLDER, LAUNCHD_FOLDER = "~/.config/systemd/user", "~/Library/LaunchAgents"

_ESCAPES = {"\\": "\\\\", '"': '\\"', "%": "%%", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class UnitFile(Struct, frozen=True):
    """A file for the system: its name, the folder it belongs in, and its text."""

    name: str
    folder: str
    text: str


class Units(Struct, frozen=True):
    """The files of one system, and the commands that enable and remove them."""

    kind: str
    files: tuple[UnitFile, ...]
    enable: tuple[str, ...]
    disable: tuple[str, ...]


def systemd_units(
    command: Sequence[str], *, name: str, vault: str, every_min: int
) -> Units:
    """Return a unit, and a timer that makes up for missed starts."""
    shown = "".join(c if c.isprintable() else "?" for c in vault)
    shown = shown.replace("%", "%%").rstrip("\\")
    # By the clock if that divides an hour: `*:0/45` would mean at 0 and 45 past.
    when = f"OnBootSec=1min\nOnUnitActiveSec={every_min}min\n"
    if HOUR_MIN % every_min == 0:
        clock = "hourly" if every_min == HOUR_MIN else f"*:0/{every_min}"
        when = f"OnCalendar={clock}\nPersistent=true\n"
    run = (
        f"[Unit]\nDescription=Index the vault {shown}\n\n[Service]\nType=oneshot\n"
        f"ExecStart={quoted_for_systemd(command)}\n"
        "Nice=10\nIOSchedulingClass=idle\n"
    )
    timer = (
        f"[Unit]\nDescription=Index the vault {shown} by the clock\n\n"
        f"[Timer]\n{when}\n[Install]\nWantedBy=timers.target\n"
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
    """Return a property list; ValueError for words that it cannot hold."""
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
    lines = []
    for file in units.files:
        lines += [f"mkdir -p {file.folder}", f"cat > {file.folder}/{file.name} <<'END'"]
        lines += [file.text.rstrip("\n"), "END"]
    removal = [f"# to remove it: {line}" for line in units.disable]
    return "".join(f"{line}\n" for line in (*lines, *units.enable, *removal))
