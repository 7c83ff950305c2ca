"""What broke a connection is told in words, with what to look at."""

import errno
import socket
import ssl

import pytest

from glassmind.models.http import broken_by

UNTRUSTED = ssl.SSLCertVerificationError(1, "verify failed")

KINDS: list[tuple[OSError, str]] = [
    (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), "nothing list"),
    (ConnectionResetError(errno.ECONNRESET, "reset by peer"), "closed the connection"),
    (BrokenPipeError(errno.EPIPE, "Broken pipe"), "closed the connection"),
    (socket.gaierror(-2, "Name or service not known"), "no machine is known"),
    (UNTRUSTED, "not trusted"),
    (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER]"), "does not encrypt"),
    (OSError(errno.EHOSTUNREACH, "No route to host"), "no route to host"),
    (OSError(errno.ENETUNREACH, "Network is unreachable"), "network is unreachable"),
    (OSError(errno.EMFILE, "Too many open files"), "too many open files"),
    (OSError("odd"), "the connection failed"),
]


@pytest.mark.parametrize(("error", "said"), KINDS)
def test_what_broke_a_connection_is_told_in_words(error: OSError, said: str) -> None:
    wrapped = RuntimeError("All connection attempts failed")
    wrapped.__cause__ = error

    assert said in broken_by(error)
    assert broken_by(wrapped) == broken_by(error)
