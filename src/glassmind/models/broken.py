"""What broke a connection to a server, in words that say what to look at."""

import ssl
from errno import EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH
from http.client import HTTPException, IncompleteRead
from socket import gaierror

NOBODY = "nothing listens there"
"""What is said of a port that nobody has opened."""

CUT_SHORT = "it stopped in the middle of its answer"

KINDS: tuple[tuple[type[Exception], str], ...] = (
    (
        ConnectionRefusedError,
        f"{NOBODY}; see that it is started and that the url has its port",
    ),
    (ConnectionError, "it closed the connection before its answer was whole"),
    (gaierror, "no machine is known by this name; look at the url"),
    (ssl.SSLCertVerificationError, "its certificate is not trusted on this machine"),
    (ssl.SSLError, "it does not encrypt as https does; look at the url"),
    (IncompleteRead, CUT_SHORT),
    (HTTPException, "what it answers is not HTTP; look at the url"),
)
"""The first that fits is told."""

FAR = (EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH)


def broken_by(error: OSError | HTTPException) -> str:
    """Return what went wrong with a connection, as one part of a sentence."""
    for kind, words in KINDS:
        if isinstance(error, kind):
            return words
    if isinstance(error, OSError) and error.errno in FAR:
        return "there is no way to it from this machine"
    return (getattr(error, "strerror", "") or "the connection failed").lower()
