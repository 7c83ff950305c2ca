"""Passwords in addresses: what stands before a host, unless it only stands for one."""

import re

NAME_CHARS = 512
"""The longest name and password that are looked for before a host."""

PORT_FIGURES = 5
"""Ports go up to 65535."""

HIDDEN = "(hidden: password)"

_NAMED = re.compile(r"://[^\s/:]*+:\S")
_ADDRESS = re.compile(
    r"""://([^\s/?#:"'`<>|]*+):([^\s/?#"'`<>|]+)@(?=[\w\[$<{])""", re.ASCII
)
# What a manual writes where yours would be.
_STAND_IN = re.compile(
    r"""(?ix) \*+ (?: (?-i:[A-Z_]+) \*+ )?
      | < .* > | \{ .* \} | \[ .* \] | \( .* \) | % .* %
      | \$ (?: (?-i:[A-Z_][A-Z0-9_]*) | \d{1,2} | env:\w+
             | [\w.:]* (?: pass | pwd | pw | token | secret | key ) [\w.]* )
      | \** (?:your|my|the|some)? [-_]?
        (?: pass | passwd | password | pwd | pw | token | secret | key | api[-_]?key )
        (?:[-_]?here)? \**
      | (.)\1{2,} """
)
_FILLED_IN = re.compile(r"(?:\$\{|\$\(|\{\{)[^})]{0,60}[})]")
_OPENED = re.compile(r"[^\])}]*[\[({][^\])}]*")
_VARIABLE = re.compile(r"[$%{]\w+[%}]?")
# A host has a port, and somebody's mail follows right behind it.
_PORT = re.compile(r"\d{1,5}[),;\]}].*")
_HOST = re.compile(r"localhost|[\d.]+", re.ASCII)


def names_somebody(text: str) -> bool:
    """Whether an address may have a name and a password before its host."""
    at = text.find("@")
    while at >= 0:
        address = text.rfind("://", max(0, at - NAME_CHARS), at)
        if address >= 0 and _NAMED.match(text, address, at):
            return True
        at = text.find("@", at + 1)
    return False


def is_password(text: str) -> bool:
    """Whether a text is none of those that manuals write in place of a password."""
    if len(text) > NAME_CHARS:
        return True
    return not (_STAND_IN.fullmatch(text) or _FILLED_IN.search(text))


def without_passwords(text: str) -> str:
    """Return a text without the passwords before the hosts of addresses."""
    return _ADDRESS.sub(_instead, text)


def _instead(match: re.Match[str]) -> str:
    name, password = match[1], match[2]
    # `user[:password]@host` and `${USER:-ada}:${PASS}`
    opened = password[-1] in "])}" and _OPENED.fullmatch(name)
    variables = name[:1] in {"$", "%", "{"} and _VARIABLE.fullmatch(password)
    port = _PORT.fullmatch(password) or (
        len(password) <= PORT_FIGURES and password.isdigit() and _HOST.fullmatch(name)
    )
    if opened or variables or port or not is_password(password):
        return match[0]
    return f"://{name}:{HIDDEN}@"
