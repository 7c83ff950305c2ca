"""What an untrusted vault may say about a setting: narrow it, or nothing at all.

A settings file in a vault arrives by sync or download, and agents may write beside it.
Until its owner runs `glassmind trust`, it counts as data. Every setting declares one of
these rules; a setting that declares none belongs to the user alone.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

REFUSED = object()
"""What a rule returns if the vault's value is ignored."""


class VaultRule(NamedTuple):
    """How a value from an untrusted vault combines with the user's own.

    `text` completes "an untrusted vault may set ..." in the documentation. `narrowed`
    takes the vault's value and the value without it (the user's, or the default), and
    returns the value to use or `REFUSED`. If it `adds`, it applies to values from
    variables and flags too, which otherwise replace what a vault's file says.
    """

    text: str
    narrowed: Callable[[Any, Any], object]
    adds: bool = False


def _kept(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], object]:
    def narrowed(value: object, own: object) -> object:
        return value if test(value, own) else REFUSED

    return narrowed


def _joined_rules(value: Sequence[str], own: Sequence[str]) -> object:
    """Return the user's write rules with those of the vault, which only forbid."""
    if not all(rule.endswith("=off") for rule in value):
        return REFUSED
    return tuple({r.rpartition("=")[0]: r for r in (*own, *value)}.values())


USER_ONLY = VaultRule("nothing", _kept(lambda _value, _own: False))
ANYTHING = VaultRule("any value", _kept(lambda _value, _own: True))
SHORT_NAME = VaultRule(
    "up to 100 characters",
    _kept(lambda value, _own: len(value) <= 100),  # noqa: PLR2004 - as the text says
)
AT_MOST = VaultRule("a lower number", _kept(lambda value, own: value <= own))
AT_LEAST = VaultRule("a higher number", _kept(lambda value, own: value >= own))
ONLY_TRUE = VaultRule("`true`", _kept(lambda value, _own: value))
ONLY_FALSE = VaultRule("`false`", _kept(lambda value, _own: not value))
ADDED = VaultRule(
    "further names, added to yours",
    lambda value, own: tuple(dict.fromkeys((*own, *value))),
    adds=True,
)
OFF_RULES = VaultRule(
    "further rules that say `off`, added to yours", _joined_rules, adds=True
)
STRICTER = VaultRule("a stricter value", _kept(lambda _value, _own: True))
"""Used for `[writes]`, whose settings `policy.py` compares as a whole."""
OWN_OR_NONE = VaultRule(
    "`false`, or `.agent` if you chose no other folder",
    _kept(lambda value, own: value in ("", own)),
)
OWN_FOLDER = VaultRule("its own folder (`.`)", _kept(lambda _value, _own: False))
"""Used for `vault.path`, which `load.py` checks; the vault is known by then."""


def one_of_stricter(*strictest_last: str) -> VaultRule:
    """Return the rule for a choice among words, given from loosest to strictest."""
    order = strictest_last.index
    return VaultRule(
        "a stricter value", _kept(lambda value, own: order(value) >= order(own))
    )
