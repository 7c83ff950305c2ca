"""What a setting is: a typed attribute that knows its default, bounds and meaning.

A section is a plain class whose attributes are declared with `key(...)`. These
declarations are the only table of settings there is: reading, checking, the commented
configuration file and the reference page all walk over it. Plain classes instead of
dataclasses, because eight dataclasses would cost eight milliseconds at every start.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, NoReturn, TypeAlias, TypeVar, cast

from glassmind.config.vault_rules import USER_ONLY, VaultRule
from glassmind.errors import NoVault

T = TypeVar("T")

Kind: TypeAlias = Literal[
    "flag",
    "count",
    "number",
    "text",
    "word",
    "names",
    "rules",
    "folder",
    "place",
    "agent_dir",
    "url",
    "host",
]
"""How a value is written and checked; see `values.py`."""

KINDS: Mapping[type, Kind] = {
    bool: "flag",
    int: "count",
    float: "number",
    str: "text",
    tuple: "names",
}


class Key:
    """One setting: where it stands, what it may be, what it means."""

    __slots__ = (
        "aliases",
        "choices",
        "default",
        "doc",
        "from_vault",
        "kind",
        "least",
        "most",
        "name",
        "secret",
        "section",
    )

    def __init__(self, default: object, doc: str, kind: Kind | None) -> None:
        self.default, self.doc = default, doc
        self.kind: Kind = kind or KINDS[type(default)]
        self.section = self.name = ""
        self.choices: Sequence[str] = ()
        self.least: float | None = None
        self.most: float | None = None
        self.aliases: Sequence[str] = ()
        self.from_vault = USER_ONLY
        self.secret = False

    @property
    def path(self) -> str:
        """The setting's full name, as in `search.limit`."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"GLASSMIND_{self.section}_{self.name}".upper()

    def __get__(self, instance: object, owner: type) -> "Key":
        """Return the declaration; on a section it means that the value is not known.

        Raises:
            NoVault: only `vault.path` can be unknown, when no vault was asked for.
        """
        if instance is None:
            return self
        raise NoVault


def key(  # noqa: PLR0913 - a declaration names its facts
    default: T,
    doc: str,
    *,
    kind: Kind | None = None,
    choices: Sequence[str] = (),
    least: float | None = None,
    most: float | None = None,
    aliases: Sequence[str] = (),
    from_vault: VaultRule = USER_ONLY,
    secret: bool = False,
) -> T:
    """Declare a setting of a section, typed as its value.

    `aliases` are variables of other tools, read when our own is not set; one that
    begins with `!` means the opposite. `from_vault` says what an untrusted vault may do
    with the setting; unless declared, nothing.
    """
    made = Key(default, doc, kind)
    made.choices, made.aliases, made.from_vault = choices, aliases, from_vault
    made.least, made.most = least, most
    made.secret = secret
    return cast("T", made)


class Frozen:
    """A value whose attributes are given once."""

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({inside})"


class Section(Frozen):
    """A table of the configuration; its attributes are the settings in it."""

    title: ClassVar[str]
    keys: ClassVar[Sequence[Key]]

    def __init_subclass__(cls, *, title: str) -> None:
        """Name the keys after the section."""
        cls.title = title
        cls.keys = tuple(made for made in vars(cls).values() if isinstance(made, Key))
        names = [name for name, made in vars(cls).items() if isinstance(made, Key)]
        for name, made in zip(names, cls.keys, strict=True):
            made.section, made.name = title, name
