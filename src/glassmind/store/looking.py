"""Whether somebody holds a lock, found out without touching it.

Who tries a lock to learn whether it is free holds it for a moment, in which whoever
comes for it is turned away. What every search asks must not do that.
"""

from pathlib import Path

LOCKS = Path("/proc/locks")


def is_held(file: Path) -> bool:
    """Whether a lock is held now, as far as the system tells: Linux alone does.

    The number of a file is compared and not its disk, as some disks of several layers
    go by one name there and another in `stat`.
    """
    try:
        found = f":{file.stat().st_ino} "
        return any(
            found in line for line in LOCKS.read_text("ascii", "replace").splitlines()
        )
    except OSError:
        return False
