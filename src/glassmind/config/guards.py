"""What a vault may not choose for the one who reads it.

A configuration file in a vault is data: it arrives by sync or in an archive, and an
agent may write to the agent folder. So it may tune and tighten but not send text
elsewhere, listen to the network, write where it likes or loosen what the user said. A
refused value is left out with a warning; each function returns the reason, or nothing.
What a vault may say about writes is decided over all of `[writes]`, in `policy.py`.
"""

from collections.abc import Callable, Sequence


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only mean this machine."""
    if host in {"localhost", "::1", "[::1]"}:
        return True
    parts = host.split(".")
    return (
        len(parts) == 4  # noqa: PLR2004 - an IPv4 address
        and parts[0] == "127"
        and all(part.isascii() and part.isdigit() for part in parts)
    )


def host_of(url: str) -> str:
    """Return the host a url names, in lower case; empty when it names none.

    One with a port that is no port leads nowhere either.
    """
    # Only a url that is not the default comes here: a plain start need not load this.
    from urllib.parse import urlsplit  # noqa: PLC0415

    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port  # either may be none that is one
    except ValueError:
        return ""
    return host or ""


def same_vault(value: str, vault: str) -> str:
    """Refuse another vault than the one the file stands in."""
    return "" if value == vault else "a vault's own file cannot lead to another vault"


def only_named_place(value: str, _chosen: str | None) -> str:
    """Refuse a folder as the place of the index."""
    if value in {"data", "vault", "plugin"}:
        return ""
    return 'a vault may only say "data", "vault" or "plugin"'


def only_loopback(value: str, _chosen: str | None) -> str:
    """Refuse an address or url that is not this machine."""
    host = host_of(value) if "//" in value else value
    if not value or is_loopback(host):
        return ""
    return "a vault may only name this machine (127.0.0.1)"


def not_remote(value: bool, _chosen: bool | None) -> str:  # noqa: FBT001 - a guard
    """Refuse consent that only the user can give."""
    return "only the user can allow text to leave this machine" if value else ""


def only_model_name(value: str, _chosen: str | None) -> str:
    """Refuse a path or address in place of a model's name."""
    if value.startswith(("/", "~", ".", "\\")) or ":/" in value or ":\\" in value:
        return "a vault may name a model, not a file or an address"
    return ""


def not_consented(value: bool, _chosen: bool | None) -> str:  # noqa: FBT001 - a guard
    """Refuse what a program would then do that only the user may want."""
    return "only the user can choose this" if value else ""


def keeps_approval(value: bool, chosen: bool | None) -> str:  # noqa: FBT001 - a guard
    """Refuse to do without an approval that the user wants."""
    return "a vault may not do without approval" if chosen and not value else ""


def keeps_ledger(value: bool, _chosen: bool | None) -> str:  # noqa: FBT001 - a guard
    """Refuse that nobody can see what was read."""
    return "" if value else "only the user can choose this"


def keeps(default: int) -> Callable[[int, int | None], str]:
    """Return what refuses that less is kept than the user wants, or by default."""

    def guard(value: int, chosen: int | None) -> str:
        least = default if chosen is None else chosen
        return "" if value >= least else f"a vault may not say less than {least}"

    return guard


def only_off(value: Sequence[str], _chosen: Sequence[str] | None) -> str:
    """Refuse rules that let anything be written."""
    if all(rule.endswith("=off") for rule in value):
        return ""
    return 'a vault may only say "off"'


def not_by_vault(value: str, _chosen: str | None) -> str:
    """Refuse any choice but none."""
    return "only the user can choose this" if value else ""


def only_as_chosen(value: str, chosen: str | None) -> str:
    """Refuse what would have note text go where the user did not send it."""
    return "" if value in {"none", chosen} else "only the user can choose this"


def none_by_vault(value: Sequence[str], _chosen: Sequence[str] | None) -> str:
    """Refuse any names at all."""
    return "only the user can choose these" if value else ""


def only_default_folder(value: str, chosen: str | None) -> str:
    """Refuse another folder to write in than the user's own choice or the default."""
    if value in {"", chosen or ".agent"}:
        return ""
    return "a vault may not choose the folder that is written freely"


def keeps_ignored(value: Sequence[str], chosen: Sequence[str] | None) -> str:
    """Refuse a list that leaves out a folder the user wants ignored."""
    lost = sorted(set(chosen or ()) - set(value))
    return f"a vault may not bring back {', '.join(lost)}" if lost else ""


def keeps_private(value: Sequence[str], chosen: Sequence[str] | None) -> str:
    """Refuse a list that lets agents read what the user keeps from them."""
    lost = sorted(set(chosen or ()) - set(value))
    return f"a vault may not open {', '.join(lost)}" if lost else ""


def keeps_inbox(value: str, chosen: str | None) -> str:
    """Refuse that captures of agents, or those the user names, pass by the inbox."""
    strictness = ("none", "agents", "all")
    if strictness.index(value) >= strictness.index(chosen or "agents"):
        return ""
    return "a vault may not let captures pass by the inbox"
