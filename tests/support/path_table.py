"""Names that lead, or seem to lead, out of a vault; no entry point may follow one."""

import os
import socket
from pathlib import Path
from typing import NamedTuple

CANARY = "the canary sings outside of the vault"
"""What stands in every file that nobody may be shown."""

OUTSIDE = "Outside.md"
"""A file beside the vault's folder that holds the canary."""

NAMES: dict[str, str] = {
    "climbs": f"../{OUTSIDE}",
    "climbs without its suffix": f"../{OUTSIDE.removesuffix('.md')}",
    "climbs from a folder": f"Folder/../../{OUTSIDE}",
    "climbs far": "../../../../../../../../etc/passwd",
    "is the parent": "..",
    "is the vault": ".",
    "is of the system": "/etc/passwd",
    "is of the home": "~/.ssh/id_rsa",
    "is an address": "file:///etc/passwd",
    "is an address without slashes": "file:/etc/passwd",
    "is encoded": f"%2e%2e/{OUTSIDE}",
    "is encoded whole": f"%2e%2e%2f{OUTSIDE}",
    "is encoded twice": f"%252e%252e%252f{OUTSIDE}",
    "is encoded overlong": f"%c0%ae%c0%ae/{OUTSIDE}",
    "has backslashes": f"..\\{OUTSIDE}",
    "has encoded backslashes": f"..%5c{OUTSIDE}",
    "has a drive": "C:\\Windows\\win.ini",
    "has a drive and slashes": "C:/Windows/win.ini",
    "is on a server": "\\\\server\\share\\Note.md",
    "is on a server with slashes": "//server/share/Note.md",
    "holds a nul": "Inside.md\0.png",
    "holds an encoded nul": "Inside.md%00.png",
    "ends with a dot": f"../{OUTSIDE}.",
    "ends with a blank": f"../{OUTSIDE} ",
    "is a stream": "Inside.md:secret",
    "is the default stream": "Inside.md::$DATA",
    "is a device": "CON",
    "is another device": "NUL.md",
    "has full-width dots": f"\uff0e\uff0e/{OUTSIDE}",
    "has a full-width slash": f"..\uff0f{OUTSIDE}",
    "is too long": "a" * 300 + ".md",
    "is far too long": "a/" * 2_500 + "b.md",
    "is empty": "",
    "is blank": " ",
    "is a link out of the vault": "Link out.md",
    "goes through a link": "Link folder/Outside.md",
    "hangs in the air": "Dangling.md",
    "turns in a circle": "Circle.md",
    "is a pipe": "Pipe.md",
    "is a socket": "Socket.md",
    "is a secret": ".env",
    "is the settings of Obsidian": ".obsidian/app.json",
}
"""By what is wrong with each. The files that some of them need are laid by `lay`."""


class Fence(NamedTuple):
    """A vault and a file outside of it that must be neither read nor changed."""

    root: Path
    outside: Path

    def assert_untouched(self, *answers: object) -> None:
        """Fail when an answer holds the canary, or the file outside changed."""
        for answer in answers:
            assert CANARY not in str(answer)
            assert "root:x:" not in str(answer)
        assert self.outside.read_text("utf-8") == f"# Outside\n\n{CANARY}\n"
        assert sorted(p.name for p in self.outside.parent.glob("Outside*")) == [OUTSIDE]


def lay(root: Path) -> Fence:
    """Lay a vault's folder out with one good note, `Inside.md`, and many traps."""
    outside = root.parent / OUTSIDE
    outside.write_text(f"# Outside\n\n{CANARY}\n", "utf-8")
    (root / "Inside.md").write_text("# Inside\n\nAll is well.\n", "utf-8")
    (root / "Folder").mkdir(exist_ok=True)
    (root / "Link out.md").symlink_to(outside)
    (root / "Link folder").symlink_to(root.parent, target_is_directory=True)
    (root / "Dangling.md").symlink_to(root / "nowhere.md")
    (root / "Circle.md").symlink_to(root / "Circle.md")
    (root / ".env").write_text(CANARY, "utf-8")
    (root / ".obsidian").mkdir(exist_ok=True)
    (root / ".obsidian" / "app.json").write_text(f'"{CANARY}"', "utf-8")
    os.mkfifo(root / "Pipe.md")
    _lay_socket(root)
    return Fence(root, outside)


def _lay_socket(root: Path) -> None:
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(root)  # an address of a socket is short; a path of a test is not
        try:
            listener.bind("Socket.md")
        finally:
            os.chdir(here)
