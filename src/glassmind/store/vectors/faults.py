"""What goes wrong with files of vectors, in words of our own."""

from collections.abc import Iterator
from contextlib import contextmanager

from glassmind.errors import IndexUnwritable


@contextmanager
def faults_named(place: str) -> Iterator[None]:
    """Turn what the disk raises into an error that says what happened.

    Raises:
        IndexUnwritable: the disk did not take what was written, or give it back.
    """
    try:
        yield
    except OSError as error:
        raise IndexUnwritable(place, str(error)) from error
