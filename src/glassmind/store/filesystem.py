"""What kind of disk a folder lies on, as far as the index has to care."""

import os
import sys
from pathlib import Path

NETWORK_KINDS = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "davfs", "9p",
     "fuse.sshfs", "fuse.rclone", "fuse.gvfsd-fuse", "ncpfs", "glusterfs", "ceph"}
)  # fmt: skip
"""File systems that several hosts can share, where SQLite's WAL is not safe."""

_MOUNTS = Path("/proc/self/mounts")


def filesystem_kind(folder: Path, mounts: Path = _MOUNTS) -> str:
    """Return the type of the file system of `folder`; empty if it cannot be told."""
    if sys.platform == "win32":  # pragma: no cover
        return "smbfs" if str(folder).startswith("\\\\") else ""
    try:
        lines = mounts.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return ""
    here = os.path.realpath(folder)
    best, kind = "", ""
    for line in lines:
        parts = line.split()
        if len(parts) < 3:  # noqa: PLR2004 - device, place, type
            continue
        place = parts[1].replace("\\040", " ")
        inside = here == place or here.startswith(place.rstrip("/") + "/")
        if inside and len(place) >= len(best):
            best, kind = place, parts[2]
    return kind


def on_network(folder: Path, mounts: Path = _MOUNTS) -> bool:
    """Whether the folder may be shared with other hosts."""
    return filesystem_kind(folder, mounts) in NETWORK_KINDS
