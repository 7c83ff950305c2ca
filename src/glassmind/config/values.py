"""From what was written to what is meant: typed values, or a problem in words.

Every function raises `ValueError` with a phrase that completes "search.limit ...".
"""

from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from reprlib import Repr
from unicodedata import normalize

from glassmind.config.entries import Entry
from glassmind.config.hosts import host_of
from glassmind.config.keys import Key, Kind
from glassmind.types.verdicts import STRICTNESS

WORDS = {
    "true": True, "yes": True, "on": True, "1": True,
    "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip
"""How a variable says yes or no."""

HIDDEN = "(hidden)"
"""What is shown in place of a secret."""

LONGEST_TEXT = 4_096
"""Characters of a text; tokens and urls are shorter."""

_BRIEF = Repr()
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = 80
brief = _BRIEF.repr
"""Returns a value as Python writes it, cut if it is long or deeply nested."""

NAMED_PLACES = ("data", "vault", "plugin")
"""Places of the index that are no folders."""


def value_of(key: Key, entry: Entry) -> object:
    """Return the value an entry gives a key, checked.

    Raises:
        ValueError: with what is wrong about it.
    """
    raw = entry.raw
    if entry.text and isinstance(raw, str):
        raw = FROM_TEXT.get(key.kind, str)(raw)
    try:
        value = READERS[key.kind](raw, entry.base)
    except OverflowError:
        raise ValueError("is too large") from None
    except ValueError:
        if key.secret:  # which is not repeated, however wrong it is
            raise ValueError("must be one line of text") from None
        raise
    if value == "" and key.default != "" and key.kind == "url":
        raise ValueError("must not be empty")
    check(key, value)
    return value


def check(key: Key, value: object) -> None:
    """Hold a value against its key's choices and bounds."""
    if key.choices and value not in key.choices:
        raise ValueError(
            f"must be one of {', '.join(key.choices)}; it is {brief(value)}"
        )
    if isinstance(value, int | float):
        if key.least is not None and value < key.least:
            raise ValueError(f"must be at least {key.least}; it is {brief(value)}")
        if key.most is not None and value > key.most:
            raise ValueError(f"must be at most {key.most}; it is {brief(value)}")


def flag_from_text(text: str) -> object:
    """Return what a word means; any other text is left for the reader to refuse."""
    return WORDS.get(text.strip().lower(), text)


def count_from_text(text: str) -> object:
    """Return a whole number, or the text when it is none."""
    try:
        return int(text)
    except ValueError:
        return text


def number_from_text(text: str) -> object:
    """Return a number, or the text when it is none."""
    try:
        return float(text)
    except ValueError:
        return text


def names_from_text(text: str) -> object:
    """Return the names of a comma-separated or TOML list."""
    if not text.lstrip().startswith("["):
        return [name.strip() for name in text.split(",") if name.strip()]
    # The TOML form is rare: 5 ms that only its users pay.
    import tomllib  # noqa: PLC0415

    try:
        return tomllib.loads(f"names = {text}")["names"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"is not a TOML list: {error}") from None


def rules_from_text(text: str) -> object:
    """Return the rules of a comma-separated or TOML list, or of a TOML table."""
    if not text.lstrip().startswith("{"):
        return names_from_text(text)
    import tomllib  # noqa: PLC0415 - as above

    try:
        return tomllib.loads(f"rules = {text}")["rules"]
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"is not a TOML table: {error}") from None


def agent_dir_from_text(text: str) -> object:
    """Return true or false where the text says so, else the folder."""
    return {"true": True, "false": False}.get(text.strip().lower(), text)


def read_flag(raw: object, _base: Path) -> bool:
    """Accept a boolean."""
    if isinstance(raw, bool):
        return raw
    raise ValueError(f"must be true or false; it is {brief(raw)}")


def read_count(raw: object, _base: Path) -> int:
    """Accept a whole number."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return raw
    raise ValueError(f"must be a whole number; it is {brief(raw)}")


def read_number(raw: object, _base: Path) -> float:
    """Accept a finite number."""
    if isinstance(raw, int | float) and not isinstance(raw, bool) and isfinite(raw):
        return float(raw)
    raise ValueError(f"must be a number; it is {brief(raw)}")


def read_text(raw: object, _base: Path) -> str:
    """Accept one line of text."""
    if isinstance(raw, str) and len(raw) > LONGEST_TEXT:
        raise ValueError(f"must have at most {LONGEST_TEXT:,} characters")
    if isinstance(raw, str) and (raw.isprintable() or not raw):
        return raw
    raise ValueError(f"must be one line of text; it is {brief(raw)}")


def read_word(raw: object, base: Path) -> str:
    """Accept one line of text, in capitals or not."""
    return read_text(raw, base).strip().lower()


def read_names(raw: object, _base: Path) -> tuple[str, ...]:
    """Accept a list of names; the same name twice counts once."""
    if isinstance(raw, list | tuple):
        names = [item for item in raw if isinstance(item, str) and item.strip()]
        if len(names) == len(raw):
            return tuple(dict.fromkeys(names))
    raise ValueError(f"must be a list of names; it is {brief(raw)}")


def read_rules(raw: object, base: Path) -> tuple[str, ...]:
    """Accept a table of names and words, or a list of `name=word`; return the list."""
    if isinstance(raw, Mapping):
        raw = [f"{name}={word}" for name, word in raw.items()]
    said: dict[str, str] = {}
    for rule in read_names(raw, base):
        name, equals, mode = rule.rpartition("=")
        word = mode.strip().lower()
        if not equals or word not in STRICTNESS:
            words = ", ".join(STRICTNESS)
            lacks = f"{brief(word if equals and word else rule)} is not one"
            raise ValueError(
                f"must be names with a mode, such as Journal=off ({words}); {lacks}"
            )
        name = _ruled_name(name)
        if said.setdefault(name, word) != word:
            raise ValueError(f"says two things of {name}")
    return tuple(f"{name}={word}" for name, word in said.items())


def _ruled_name(written: str) -> str:
    """Return the folder or the tag that a rule is about, NFC as every path."""
    name = normalize("NFC", written).replace("\\", "/").strip().strip("/")
    if not name.isprintable() or {"", ".", ".."} & set(name.split("/")):
        raise ValueError(
            f"must name folders and tags of the vault, not {brief(written)}"
        )
    return name


def read_folder(raw: object, base: Path) -> Path:
    """Accept a path; `~` is the home, a relative one starts at `base`."""
    if isinstance(raw, str | Path) and str(raw) and "\0" not in str(raw):
        try:
            return base / Path(raw).expanduser()
        except RuntimeError as error:
            raise ValueError(
                f"names a home that is not there; it is {brief(raw)}"
            ) from error
    raise ValueError(f"must be a folder; it is {brief(raw)}")


def read_place(raw: object, base: Path) -> str:
    """Accept the name of a place, or a folder."""
    if raw in NAMED_PLACES:
        return str(raw)
    folder = read_folder(raw, base)
    if is_bare(str(raw)):
        # More likely a misspelt place than a folder beside the configuration.
        raise ValueError(f"must be data, vault, plugin or a folder (./{raw})")
    return str(folder)


def is_bare(text: str) -> bool:
    """Whether a path is one plain name, with nothing that marks it as a path."""
    return not text.startswith((".", "~")) and not set(text) & set("/\\")


def read_url(raw: object, base: Path) -> str:
    """Accept an http address, without a slash at its end."""
    if isinstance(raw, str) and not raw.isprintable():
        raise ValueError(
            f"must be one line of text; it is {brief(without_password(raw))}"
        )
    url = read_text(raw, base).rstrip("/")
    if not url:
        return ""
    # These let two programs, or a person, see two different hosts in one url.
    if not url.startswith(("http://", "https://")) or set(url) & set("\\ ?#"):
        raise ValueError(
            f"must be an http:// or https:// url; it is {brief(without_password(url))}"
        )
    if not host_of(url):
        raise ValueError(f"names no host; it is {brief(without_password(url))}")
    return url


def without_password(url: str) -> str:
    """Return a url with the user and password in it hidden."""
    scheme, slashes, rest = url.partition("://")
    end = next((at for at, c in enumerate(rest) if c in "/?#\\"), len(rest))
    user, at, host = rest[:end].rpartition("@")
    if not (slashes and at and user):
        return url
    return f"{scheme}://{HIDDEN}@{host}{rest[end:]}"


def read_host(raw: object, base: Path) -> str:
    """Accept a machine's name or number; never nothing, which means all of them."""
    host = read_text(raw, base).strip().lower()
    if not host or not all(c.isalnum() or c in ".:-[]" for c in host):
        raise ValueError(f"must be an address to listen on; it is {brief(raw)}")
    return host


def read_agent_dir(raw: object, base: Path) -> str:
    """Accept true, false (empty) or a folder inside the vault, `/` between names."""
    if isinstance(raw, bool):
        return ".agent" if raw else ""
    # NFC, as every path of a vault
    folder = normalize("NFC", read_text(raw, base)).replace("\\", "/").strip("/")
    parts = folder.split("/")
    outside = str(raw).startswith(("/", "\\", "~")) or ":" in folder
    if outside or not all(part.strip() and part not in {".", ".."} for part in parts):
        raise ValueError(f"must be a folder inside the vault; it is {brief(raw)}")
    if parts[0] in {".obsidian", ".git", ".trash"}:
        raise ValueError(f"must not be {parts[0]}, which belongs to another program")
    return folder


FROM_TEXT: Mapping[Kind, Callable[[str], object]] = {
    "flag": flag_from_text,
    "count": count_from_text,
    "number": number_from_text,
    "names": names_from_text,
    "rules": rules_from_text,
    "agent_dir": agent_dir_from_text,
}

READERS: Mapping[Kind, Callable[[object, Path], object]] = {
    "flag": read_flag,
    "count": read_count,
    "number": read_number,
    "text": read_text,
    "word": read_word,
    "names": read_names,
    "rules": read_rules,
    "folder": read_folder,
    "place": read_place,
    "url": read_url,
    "host": read_host,
    "agent_dir": read_agent_dir,
}
