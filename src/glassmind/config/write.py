"""Writing configuration: a new file with everything explained, or one setting."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from glassmind.config.checks import check_together
from glassmind.config.describe import commented_file
from glassmind.config.entries import RANKS, Entry, nearest
from glassmind.config.files import (
    FILE_NAME,
    USER_NAMES,
    FileEntries,
    current_folder,
    read_text,
)
from glassmind.config.keys import Key
from glassmind.config.layers import Layers
from glassmind.config.places import config_home
from glassmind.config.sections import KEYS
from glassmind.config.toml import with_comment, with_setting
from glassmind.config.values import value_of
from glassmind.config.write_sections import AGENT_DIR
from glassmind.errors import BadSetting, ConfigExists, ConfigUnwritable

USER_MODE = 0o600
"""A user's file may come to hold a password in a url."""

VAULT_MODE = 0o644
"""A vault's file is as readable as the notes around it."""


def write_config(
    vault: Path,
    env: Mapping[str, str],
    *,
    named: Path | None = None,
    in_vault: bool = False,
    force: bool = False,
) -> Path:
    """Write a commented configuration for a vault and return where it stands.

    It goes to the file that is named, else to the user's configuration folder, or with
    `in_vault` into the vault.

    Raises:
        ConfigExists: there is one, and `force` was not given.
        ConfigUnwritable: the disk refused, or a link stands there; nothing changed.
    """
    file = free_place(vault, env, named=named, in_vault=in_vault, force=force)
    text = commented_file("." if in_vault else str(vault.resolve()))
    replace_file(file, text, mode=VAULT_MODE if in_vault else USER_MODE)
    return file


def free_place(
    vault: Path,
    env: Mapping[str, str],
    *,
    named: Path | None = None,
    in_vault: bool = False,
    force: bool = False,
) -> Path:
    """Return where `write_config` would write.

    Raises:
        ConfigExists: there is a configuration, and `force` was not given.
        ConfigUnwritable: a link stands there, in the vault.
    """
    if named is not None and not in_vault:
        if named.exists() and not force:
            raise ConfigExists(str(named))
        return named
    folder = vault if in_vault else config_home(env)
    # A second user file would hide the first: any of its names counts.
    for name in (FILE_NAME,) if in_vault else USER_NAMES:
        if (folder / name).exists() and not force:
            raise ConfigExists(str(folder / name))
    if in_vault:
        _refuse_link(folder / FILE_NAME)
    return folder / FILE_NAME


def _refuse_link(file: Path) -> None:
    """Refuse to write through a link in a vault, which may lead anywhere."""
    in_agent_dir = file.parent.name == AGENT_DIR
    if file.is_symlink() or (in_agent_dir and file.parent.is_symlink()):
        raise ConfigUnwritable(str(file), "a symbolic link leads there; remove it")
    if file.exists() and not file.is_file():
        raise ConfigUnwritable(str(file), "it is not a regular file; remove it")


def set_key(file: Path, path: str, raw: object, *, in_vault: bool = False) -> None:
    """Set one setting in a configuration file; the rest of the text stays as it is.

    `raw` is text as from a command line, or a typed value. A file that is not there is
    made. With `in_vault` it is as readable as the notes, and no link is followed.

    Raises:
        BadSetting: the key is unknown, or the value is wrong.
        BadConfigFile: the file as it stands cannot be read.
        ConfigUnwritable: the text has to be edited by hand, the disk refused, or a
            link stands there, in the vault.
    """
    set_keys(file, {path: raw}, in_vault=in_vault)


def set_keys(
    file: Path,
    settings: Mapping[str, object],
    *,
    above: Sequence[str] = (),
    in_vault: bool = False,
) -> None:
    """Set several settings at once, all or none; see `set_key`.

    `above` are the lines of a comment that is put above the first of them.

    Raises:
        BadSetting, BadConfigFile, ConfigUnwritable: as `set_key` does.
    """
    values = {path: _value(path, raw) for path, raw in settings.items()}
    if in_vault:
        _refuse_link(file)
    old = read_text(file) if file.exists() else ""
    fits = _fits(file, old)
    new = old
    for path, value in values.items():
        section, _, name = path.partition(".")
        changed = with_setting(new, section, name, value)
        if changed is None:
            raise ConfigUnwritable(str(file), f"set {path} by hand, in [{section}]")
        new = changed
    if fits:
        _check(file, new)
    new = with_comment(new, next(iter(values)), above) if above else new
    replace_file(file, new, mode=VAULT_MODE if in_vault else USER_MODE)


def put_text(file: Path, text: str, *, in_vault: bool = False) -> None:
    """Put a text that was a configuration file back in its place.

    Raises:
        ConfigUnwritable: the disk refused, or a link stands there, in the vault.
    """
    if in_vault:
        _refuse_link(file)
    replace_file(file, text, mode=VAULT_MODE if in_vault else USER_MODE)


def _value(path: str, raw: object) -> object:
    key = KEYS.get(path)
    if key is None:
        hint = nearest(path, list(KEYS))
        raise BadSetting(path, "the command line", f"is no setting we know{hint}")
    entry = Entry(raw, "the command line", current_folder(), RANKS["flag"], text=True)
    try:
        value = value_of(key, entry)
    except ValueError as error:
        raise BadSetting(path, entry.origin, str(error)) from None
    return _as_written(key, value)


def _as_written(key: Key, value: object) -> object:
    """Return the spelling of a value in a file: no agent folder is `false` there."""
    return False if key.kind == "agent_dir" and not value else value


def _fits(file: Path, text: str) -> bool:
    """Whether the settings of a text go together; one that does not may be mended."""
    try:
        _check(file, text)
    except BadSetting:
        return False
    return True


def _check(file: Path, text: str) -> None:
    layers = Layers({}, file.parent)
    layers.files = [FileEntries(file, text, file.parent)]
    choices = {path: layers.choose(key) for path, key in KEYS.items()}
    check_together(choices)


def replace_file(file: Path, text: str, *, mode: int) -> None:
    """Put a text in a file's place, whole or not at all; a link stays a link."""
    real = Path(os.path.realpath(file))
    try:
        if real.exists():
            mode = real.stat().st_mode & 0o777
        real.parent.mkdir(parents=True, exist_ok=True)
        _swap(real, text.encode("utf-8"), mode)
    except (OSError, UnicodeEncodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigUnwritable(str(file), reason) from error


def _swap(file: Path, content: bytes, mode: int) -> None:
    number, staged = tempfile.mkstemp(".tmp", f".{file.name}-", file.parent)
    try:
        with os.fdopen(number, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        Path(staged).chmod(mode)
        Path(staged).replace(file)
    except BaseException:
        Path(staged).unlink(missing_ok=True)
        raise
    _settle_folder(file.parent)


def _settle_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where folders can be opened."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
