"""How the path of a link is written: what is escaped, and how."""

import re
from html import unescape

from glassmind.obsidian.scalar_places import in_scalar

_UNSAFE = re.compile(r"[\x00-\x20\x7f%()<>\\\[\]\"`]")
"""What ends or changes a Markdown destination, or stands for something else."""

_UNSAFE_ANGLED = re.compile(r"[\x00-\x1f\x7f%<>\\]")
_RISKY = re.compile(r"[$*_~=!^|{}]")
"""What may pair with another of its kind before or behind a link."""

_WIDE = re.compile(r"[^\x00-\x7f]")
_WIDE_ESCAPE = re.compile(rb"%[89A-Fa-f][0-9A-Fa-f]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
_ESCAPED = re.compile(rf"\\([!-/:-@\[-`{{-~])|({_ENTITY.pattern})|.", re.DOTALL)


def styled(text: str, form: str, now: bytes, *, careful: bool) -> str:
    """Return a path or subpath as it is written in a link of this form.

    `form` is that of `LinkParts`, `now` what the link says. `careful` shields signs
    that only sometimes mean more than themselves.
    """
    *style, way = form.split()
    if way != "wiki":
        text = _escaped(
            text, angled=way == "angled", wide=bool(_WIDE_ESCAPE.search(now))
        )
        if not style:
            text = _ENTITY.sub(lambda match: f"\\{match[0]}", text)
            text = _RISKY.sub(r"\\\g<0>", text) if careful else text
    return in_scalar(text, style[0]) if style else text


def _escaped(text: str, *, angled: bool, wide: bool) -> str:
    escaped = (_UNSAFE_ANGLED if angled else _UNSAFE).sub(_percent, text)
    return _WIDE.sub(_percent, escaped) if wide else escaped


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def unescaped(written: str) -> str:
    """Return a destination without escapes and entities, as Markdown reads it."""
    if "\\" not in written and "&" not in written:
        return written
    return "".join(_letter(match) for match in _ESCAPED.finditer(written))


def mark_in(written: str) -> int:
    """Return where the subpath of a destination begins, or its end."""
    for match in _ESCAPED.finditer(written):
        if _letter(match) == "#":
            return match.start()
    return len(written)


def _letter(match: re.Match[str]) -> str:
    return match[1] or (unescape(match[2]) if match[2] else match[0])
