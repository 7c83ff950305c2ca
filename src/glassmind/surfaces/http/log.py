"""What a server tells of its requests."""

from glassmind.surfaces.mcp.log import log


def tell_request(
    method: str, route: str, status: int, seconds: float, size: int
) -> None:
    """Write one line of a request; never what was asked, nor by whom."""
    ms = round(seconds * 1_000, 1)
    log("request", method=method, route=route, status=status, ms=ms, bytes=size)


def tell_nobody(
    _method: str, _route: str, _status: int, _seconds: float, _size: int
) -> None:
    """Keep a request to ourselves."""
