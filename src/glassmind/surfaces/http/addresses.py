"""Names that a server answers to: what may stand in `Host` and in `Origin`."""

from collections.abc import Iterable

from glassmind.config.values import is_loopback

HTTP_PORT = 80
"""The port that clients leave out of `Host`."""

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

EVERYWHERE = frozenset(("0.0.0.0", "::", "[::]"))  # noqa: S104 - to tell it apart


def bracketed(host: str) -> str:
    """Return an address as it stands in a url."""
    bare = host.strip("[]")
    return f"[{bare}]" if ":" in bare else bare


def host_names(host: str, port: int, more: Iterable[str] = ()) -> frozenset[str]:
    """Return what `Host` may say to a server that listens on `host`.

    `more` are names that the user gave it, with a port or without. All are to the
    letter: nothing else is ever answered to.
    """
    hosts = [*LOOPBACK] if reaches_loopback(host) else []
    if host not in EVERYWHERE:
        hosts.append(bracketed(host))
    made = {name for one in hosts for name in _with_port(one, port)}
    return frozenset(made | {name for one in more for name in _given(one, port)})


def reaches_loopback(host: str) -> bool:
    """Whether a server that listens there is reached by the names of this machine."""
    return host in EVERYWHERE or is_loopback(host)


def origins_of(hosts: Iterable[str], more: Iterable[str] = ()) -> frozenset[str]:
    """Return what `Origin` may say: a page of this very server, or one the user named.

    Another port of this machine is another program.
    """
    return frozenset([*(f"http://{host}" for host in hosts), *more])


def _with_port(host: str, port: int) -> list[str]:
    return [f"{host}:{port}"] + ([host] if port == HTTP_PORT else [])


def _given(name: str, port: int) -> list[str]:
    _, colon, last = name.rpartition(":")
    has_port = bool(colon) and last.isdigit() and not name.endswith("]")
    return [name] if has_port else _with_port(name, port)
