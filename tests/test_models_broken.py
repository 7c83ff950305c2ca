"""What broke a connection is told in words, with what to look at."""

import errno
import socket
import ssl
from http.client import BadStatusLine, HTTPException, IncompleteRead, RemoteDisconnected

import pytest

from glassmind.models.http import broken_by

UNTRUSTED = ssl.SSLCertVerificationError(1, "verify failed")

KINDS: list[tuple[OSError | HTTPException, str]] = [
    (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), "is started"),
    (ConnectionResetError(errno.ECONNRESET, "reset by peer"), "closed the connection"),
    (BrokenPipeError(errno.EPIPE, "Broken pipe"), "closed the connection"),
    (RemoteDisconnected("without response"), "closed the connection"),
    (socket.gaierror(-2, "Name or service not known"), "no machine is known"),
    (UNTRUSTED, "not trusted"),
    (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER]"), "does not encrypt"),
    (OSError(errno.EHOSTUNREACH, "No route to host"), "no way to it"),
    (OSError(errno.ENETUNREACH, "Network is unreachable"), "no way to it"),
    (OSError(errno.EMFILE, "Too many open files"), "too many open files"),
    (OSError("odd"), "the connection failed"),
    (IncompleteRead(b"a"), "in the middle of its answer"),
    (BadStatusLine("SSH-2.0"), "not HTTP"),
]


@pytest.mark.parametrize(("error", "said"), KINDS)
def test_what_broke_a_connection_is_told_in_words(
    error: OSError | HTTPException, said: str
) -> None:
    told = broken_by(error)

    assert said in told
    assert "Error" not in told
    assert "Errno" not in told
