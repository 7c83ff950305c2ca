"""What a base says of many files at once: how their paths begin, or a bare name.

`file.path.startsWith("A/")` follows a folder that moves, for all that begins so goes
with it. A name that any note may have stays: whether it means the one that moves is
for a person to say.
"""

from collections.abc import Iterator

from glassmind.edit.relink_text import Relink
from glassmind.files.resolve import Names
from glassmind.obsidian.base_refs import Ref


def begun_anew(ref: Ref, relink: Relink) -> str | None:
    """Return how paths begin then that begin so now; None where that is not sure."""
    for old, new in relink.folders.items():
        if ref.value.startswith(f"{old}/"):
            return new + ref.value[len(old) :]
        if ref.value == old:
            alone = _is_alone(ref, old, relink.before)
            return new if alone and _is_alone(ref, new, relink.after) else None
    return None


def maybe_meant(ref: Ref, relink: Relink) -> tuple[str, str] | None:
    """Return what a name that stays may have meant, with what it is called then."""
    for old, new in _moved(ref, relink):
        if ref.kind == "name":
            if _last(old) != _last(new) and ref.value in (_last(old), _stem(old)):
                return old, new
        elif _is_begun(old, ref.value) and not new.startswith(ref.value):
            return old, new
    return None


def _moved(ref: Ref, relink: Relink) -> Iterator[tuple[str, str]]:
    if ref.kind in ("folder_start", "path_start"):
        yield from relink.folders.items()
    if ref.kind in ("path_start", "name"):
        yield from relink.goes.items()


def _is_begun(path: str, value: str) -> bool:
    """Whether a text is the beginning of this very name, not of a folder above it."""
    rest = path[len(value) :]
    return path.startswith(value) and "/" not in rest and value[-1:] not in ("", "/")


def _is_alone(ref: Ref, start: str, names: Names) -> bool:
    """Whether nothing begins so but a folder of this name and what is in it."""
    for path in names.paths():
        said = path if ref.kind == "path_start" else path.rpartition("/")[0]
        if said.startswith(start) and not f"{said}/".startswith(f"{start}/"):
            return False
    return True


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    name = _last(path)
    return name.rpartition(".")[0] or name
