"""What a server tells of its requests."""

from glassmind.surfaces.mcp.log import log

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
"""Methods that are told by their name; any word may stand there."""


def tell_request(
    method: str, route: str, status: int, seconds: float, size: int
) -> None:
    """Write one line of a request; never what was asked, nor by whom."""
    ms, known = round(seconds * 1_000, 1), method if method in METHODS else "other"
    log("request", method=known, route=route, status=status, ms=ms, bytes=size)


def tell_nobody(
    _method: str, _route: str, _status: int, _seconds: float, _size: int
) -> None:
    """Keep a request to ourselves."""
