"""Host names and addresses: which of them can only mean this machine."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Return whether a host name or address can only mean this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """Return the host a URL names, in lower case; empty if it has no valid host."""
    # Only a URL that is not the default comes here: a plain start need not load this.
    from urllib.parse import urlsplit  # noqa: PLC0415

    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port  # an invalid port raises here
    except ValueError:
        return ""
    return host or ""
