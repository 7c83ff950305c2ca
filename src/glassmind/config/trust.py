"""Settings inside a vault: which the user trusts, and what others may set.

A settings file in a vault arrives by sync or download, and agents may write beside it.
Until the user runs `glassmind trust`, it counts as data and can only narrow: each
setting declares a rule for it. Trust is recorded in `trusted.json` in the user's
configuration folder: the vault's path and a digest of the file. A changed file has
another digest and is untrusted again.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from glassmind.config.places import FILE_NAME, config_home, short
from glassmind.config.sources import put_text
from glassmind.config.values import Setting
from glassmind.errors import BadConfigFile

TRUST_FILE = "trusted.json"

LARGEST_FILE = 256 * 1024
"""Bytes of a settings file in a vault; one with every setting explained has 12,000."""

LONGEST_LINE = 2_000
"""Bytes of a line in a vault's file: `tomllib` takes time quadratic in the parts of a
dotted key, and lists can go over several lines."""

ADDING = ("add", "add-off")
"""Rules that also apply to values from variables and options, which otherwise replace
those of a vault's file."""


def _higher(value: Any, own: Any, setting: Setting) -> object | None:
    order = setting.choices.index if setting.choices else float
    return value if order(value) >= order(own) else None


def _add_off(value: Sequence[str], own: Sequence[str], _: Setting) -> object | None:
    if not all(rule.endswith("=off") for rule in value):
        return None
    return tuple({rule.rpartition("=")[0]: rule for rule in (*own, *value)}.values())


RULES: Mapping[str, Callable[[Any, Any, Setting], object | None]] = {
    "nothing": lambda *_: None,
    "any": lambda value, *_: value,
    "lower": lambda value, own, _: value if value <= own else None,
    "higher": _higher,
    "add": lambda value, own, _: tuple(dict.fromkeys((*own, *value))),
    "add-off": _add_off,
    "writes": lambda value, *_: value,
    "own-agent-dir": lambda value, own, _: value if value in ("", own) else None,
}
"""How a value of an untrusted vault combines with the user's own or the default by each
rule; None: it is refused. True is higher than false, and a choice higher than those
declared before it. `load.py` compares "writes" settings as a whole."""


class VaultSettings(NamedTuple):
    vault: Path
    file: Path
    content: bytes

    def digest(self) -> str:
        from hashlib import sha256  # noqa: PLC0415 - only for trusted vaults

        return f"sha256:{sha256(self.content).hexdigest()}"


def read_vault_settings(
    vault: Path, *, exclude: Sequence[Path] = ()
) -> VaultSettings | None:
    """Return the settings file of a vault, or None if it has none.

    It is left out if it is one of `exclude`. Raises `BadConfigFile` if it cannot be
    read, is a symbolic link, which may lead anywhere, or is too large for settings.
    """
    file = vault / FILE_NAME
    try:
        if not file.is_file() or any(map(file.samefile, exclude)):
            return None
        if file.is_symlink():
            raise BadConfigFile(short(file), 0, "it is a symbolic link")
        with file.open("rb") as opened:
            content = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        raise BadConfigFile(short(file), 0, error.strerror or str(error)) from error
    problem = ""
    if len(content) > LARGEST_FILE:
        problem = f"it is larger than {LARGEST_FILE // 1024} KiB"
    elif max(map(len, content.split(b"\n"))) > LONGEST_LINE:
        problem = f"a line is longer than {LONGEST_LINE:,} bytes"
    if problem:
        raise BadConfigFile(short(file), 0, problem)
    return VaultSettings(vault, file, content)


def is_trusted(settings: VaultSettings, env: Mapping[str, str]) -> bool:
    return _record(env).get(_key(settings.vault)) == settings.digest()


def record_trust(settings: VaultSettings, env: Mapping[str, str]) -> None:
    _write(env, {**_record(env), _key(settings.vault): settings.digest()})


def revoke_trust(vault: Path, env: Mapping[str, str]) -> bool:
    """Stop trusting a vault, and return whether it was; raises `ConfigUnwritable`."""
    record = _record(env)
    if record.pop(_key(vault), None) is None:
        return False
    _write(env, record)
    return True


@contextmanager
def keep_trust(vault: Path, env: Mapping[str, str]) -> Iterator[None]:
    """Keep trust while the user's own command writes settings into the vault.

    Only if the file was trusted before, or there was none: an existing one may come
    from somebody else.
    """
    was_trusted = False
    with suppress(BadConfigFile):
        before = read_vault_settings(vault)
        was_trusted = before is None or is_trusted(before, env)
    yield
    with suppress(BadConfigFile):
        if was_trusted and (after := read_vault_settings(vault)):
            record_trust(after, env)


def _key(vault: Path) -> str:
    return os.path.normcase(os.path.realpath(vault))


def _record(env: Mapping[str, str]) -> dict[str, Any]:
    """Return the digests by vault; without a valid record, no vault is trusted."""
    try:
        vaults = json.loads((config_home(env) / TRUST_FILE).read_bytes())["vaults"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}
    return vaults if isinstance(vaults, dict) else {}


def _write(env: Mapping[str, str], vaults: Mapping[str, object]) -> None:
    text = json.dumps({"vaults": vaults}, indent=2, sort_keys=True) + "\n"
    put_text(config_home(env) / TRUST_FILE, text)
