"""Kinds of values, and what a setting and a section of settings are.

A kind says how a value is read from TOML or text, checked and described.
"""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from reprlib import Repr
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, dataclass_transform
from unicodedata import normalize
from urllib.parse import urlsplit

from glassmind.errors import BadSetting
from glassmind.model.context import STRICTNESS

T = TypeVar("T")

Bounds = tuple[float, float] | None

HIDDEN = "(hidden)"  # shown in place of a secret
AGENT_DIR = ".agent"
"""Default name of the folder of the vault that agents may write freely."""

BOOLEANS = dict.fromkeys(("true", "yes", "on", "1"), True) | dict.fromkeys(
    ("false", "no", "off", "0"), False
)

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


class Kind(NamedTuple):
    """A kind of value.

    `read` returns the value for a raw one from TOML; relative paths start at the given
    folder. None means that it is not what is `expected`. `from_text` converts the text
    of a variable or option to a raw value.
    """

    expected: str
    read: Callable[[Any, Path], object | None]
    from_text: Callable[[str], object] = str


class Setting(NamedTuple):
    """The declaration of one setting.

    `vault` names the rule for values from untrusted vaults. `aliases` are variables of
    other tools, read if our own is not set; one with `!` means the opposite.
    """

    default: Any
    description: str
    bounds: Bounds
    vault: str
    aliases: tuple[str, ...]
    kind: Kind
    section: str = ""
    name: str = ""
    choices: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        return f"GLASSMIND_{self.section}_{self.name}".upper()

    @property
    def secret(self) -> bool:
        return self.kind is SECRET

    @property
    def expected(self) -> str:
        """What a value must be, such as `a whole number from 1 to 10`."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        bounds = f" from {self.bounds[0]} to {self.bounds[1]}" if self.bounds else ""
        return self.kind.expected + bounds

    def parse(
        self, raw: object, base: Path, origin: str = "", *, is_text: bool = False
    ) -> object:
        """Return the checked value; raises `BadSetting`.

        Relative paths start at `base`; `is_text` marks values of variables and options.
        """
        if is_text and isinstance(raw, str):
            raw = self.kind.from_text(raw)
        value: Any = self.kind.read(raw, base)
        if value is not None:
            least, most = self.bounds or (0, 0)
            in_bounds = not self.bounds or least <= value <= most
            is_choice = not self.choices or value in self.choices
            is_missing = self.kind is URL and self.default and not value
            if in_bounds and is_choice and not is_missing:
                return float(value) if self.kind is NUMBER else value
        shown = without_password(raw) if type(raw) is str else raw
        received = "" if self.secret else f" (got {_SHORT.repr(shown)})"
        raise BadSetting(self.path, origin, f"must be {self.expected}{received}")

    def shown(self, value: object) -> object:
        if self.secret and value:
            return HIDDEN
        return without_password(value) if isinstance(value, str) else plain(value)


def setting(
    default: T,
    about: str,
    bounds: Bounds = None,
    vault: str = "nothing",
    also: str = "",
) -> T:
    """Declare a field of a section; `also` are its aliases, separated by blanks."""
    return Setting(  # type: ignore[return-value]
        default, about, bounds, vault, tuple(also.split()), TEXT
    )


SUFFIX = "Section"  # of the class of each table


@dataclass_transform(frozen_default=True, kw_only_default=True)
class SettingsSection(SimpleNamespace):
    """A table of the configuration; its fields are the settings in it.

    Like a frozen dataclass, but 14 of those would add 25 ms to every start.
    """

    settings: ClassVar[Mapping[str, Setting]]

    def __init_subclass__(cls) -> None:
        cls.settings, section = {}, cls.table_name()
        for name, annotation in cls.__annotations__.items():
            if isinstance(declared := vars(cls)[name], Setting):
                delattr(cls, name)
                kind, choices = _kind_of(annotation)
                cls.settings[name] = declared._replace(
                    kind=kind, choices=choices, section=section, name=name
                )

    def __init__(self, **fields: object) -> None:
        settings = self.settings.items()
        defaults = {name: each.default for name, each in settings if name != "path"}
        super().__init__(**defaults | fields)

    @classmethod
    def table_name(cls) -> str:
        return cls.__name__.removesuffix(SUFFIX).lower()

    def _refuse(self, name: str, _: object = None) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    __setattr__ = __delattr__ = _refuse

    def __repr__(self) -> str:
        # Configurations end up in logs, and a URL may contain a password.
        values = vars(self).items()
        settings = self.settings
        shown = {k: settings[k].shown(v) for k, v in values if k in settings}
        return f"{self.table_name()}({shown})"


def plain(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def _text(raw: object, _base: Path) -> str | None:
    return raw if isinstance(raw, str) and raw.isprintable() else None


def _word(raw: object, base: Path) -> str | None:
    text = _text(raw, base)
    return None if text is None else text.strip().lower()


def _names(raw: object, _base: Path) -> tuple[str, ...] | None:
    if not isinstance(raw, list | tuple):
        return None
    is_valid = all(isinstance(name, str) and name.strip() for name in raw)
    return tuple(dict.fromkeys(raw)) if is_valid else None


def _rules(raw: object, base: Path) -> tuple[str, ...] | None:
    """Read write rules, as a list of `name=mode` or a table; return the list."""
    if isinstance(raw, Mapping):
        raw = [f"{name}={mode}" for name, mode in raw.items()]
    rules = _names(raw, base)
    modes: dict[str, str] = {}
    for rule in rules or ():
        name, _, mode = rule.rpartition("=")
        name, mode = _slashed(name).strip().strip("/"), mode.strip().lower()
        is_path = name.isprintable() and not {"", ".", ".."} & set(name.split("/"))
        if mode not in STRICTNESS or not is_path or modes.get(name, mode) != mode:
            return None
        modes[name] = mode
    return rules and tuple(f"{name}={mode}" for name, mode in modes.items())


def _slashed(path: str) -> str:
    return normalize("NFC", path).replace("\\", "/")


def _folder(raw: object, base: Path) -> Path | None:
    if not isinstance(raw, str | Path) or not str(raw) or "\0" in str(raw):
        return None
    return base / os.path.expanduser(raw)  # noqa: PTH111 - Path.expanduser may raise


def _place(raw: object, base: Path) -> str | None:
    """Read a place of the index, or a folder; a plain name may be a misspelt place."""
    text = str(raw)
    if text in {"data", "vault", "plugin"}:
        return text
    is_path = text.startswith((".", "~")) or set(text) & set("/\\")
    folder = _folder(raw, base) if is_path else None
    return str(folder) if folder else None


def _url(raw: object, base: Path) -> str | None:
    text = _text(raw, base)
    url = text and text.rstrip("/")
    if not url:
        return url
    # Backslashes and so on let two readers see two different hosts in one URL.
    is_plain = url.startswith(("http://", "https://")) and not set(url) & set("\\ ?#")
    with suppress(ValueError):
        host, _ = urlsplit(url).hostname, urlsplit(url).port  # raises if it is invalid
        return url if is_plain and host else None
    return None


def _host(raw: object, base: Path) -> str | None:
    """Read a host name or address; empty would mean all addresses."""
    host = _word(raw, base)
    return host if host and all(c.isalnum() or c in ".:-[]" for c in host) else None


def _agent_dir(raw: object, base: Path) -> str | None:
    """Read true, false (empty) or a folder inside the vault, with `/`."""
    if isinstance(raw, bool):
        return AGENT_DIR if raw else ""
    text = _text(raw, base) or ""
    folder = _slashed(text).strip("/")
    parts = folder.split("/")
    is_outside = text.startswith(("/", "\\", "~")) or ":" in folder
    is_path = all(part.strip() and part not in {".", ".."} for part in parts)
    is_reserved = parts[0] in {".obsidian", ".git", ".trash"}  # of other programs
    return folder if is_path and not is_outside and not is_reserved else None


def _to_boolean(text: str) -> object:
    return BOOLEANS.get(text.strip().lower(), text)


def _to_number(text: str) -> object:
    try:
        return float(text) if set(text) & set(".eEnN") else int(text)
    except ValueError:
        return text


def _to_list(text: str) -> object:
    if not text.lstrip().startswith(("[", "{")):
        return [name.strip() for name in text.split(",") if name.strip()]
    import tomllib  # noqa: PLC0415 - only for this rare form

    with suppress(ValueError, RecursionError):
        return tomllib.loads(f"value = {text}")["value"]
    return text


def _of_type(*types: type) -> Callable[[Any, Path], object | None]:
    # A truth value is an int for isinstance.
    return lambda raw, _: raw if type(raw) in types else None


BOOLEAN = Kind("true or false", _of_type(bool), _to_boolean)
INTEGER = Kind("a whole number", _of_type(int), _to_number)
NUMBER = Kind("a number", _of_type(int, float), _to_number)
TEXT = Kind("one line of text", _text)
SECRET = Kind("one line of text", _text, lambda text: text)
CHOICE = Kind("one line of text", _word)
NAMES = Kind("a list of names", _names, _to_list)
RULES = Kind(f"rules such as Journal=off ({', '.join(STRICTNESS)})", _rules, _to_list)
FOLDER = Kind("a folder", _folder)
PLACE = Kind("data, vault, plugin or a folder (./NAME)", _place)
URL = Kind("an http:// or https:// URL", _url)
HOST = Kind("an address to listen on", _host)
IN_VAULT = "true, false or a folder inside the vault, other than .obsidian or .git"
AGENT_FOLDER = Kind(IN_VAULT, _agent_dir, _to_boolean)

Secret = Annotated[str, SECRET]
Names = tuple[str, ...]
Rules = Annotated[Names, RULES]
Folder = Annotated[Path, FOLDER]
Place = Annotated[str, PLACE]
Url = Annotated[str, URL]
Host = Annotated[str, HOST]
AgentFolder = Annotated[str, AGENT_FOLDER]

_KINDS = {bool: BOOLEAN, int: INTEGER, float: NUMBER, str: TEXT, Names: NAMES}


def _kind_of(annotation: Any) -> tuple[Kind, tuple[str, ...]]:
    if kinds := getattr(annotation, "__metadata__", ()):
        return kinds[0], ()
    kind = _KINDS.get(annotation, CHOICE)
    return kind, annotation.__args__ if kind is CHOICE else ()


def without_password(url: str) -> str:
    return re.sub(r"^(.*?://)[^/?#\\]+@", rf"\1{HIDDEN}@", url, flags=re.DOTALL)
