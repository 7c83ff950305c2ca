"""What tantivy raises, in words of our own.

It says ValueError for a full disk and a damaged file alike, and panics (a
BaseException) where a flipped bit leads it astray.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from glassmind.errors import IndexDamaged, IndexUnwritable

_DISK = (
    "No space left", "StorageFull", "Input/output error", "File too large",
    "Read-only file system", "ReadOnlyFilesystem", "PermissionDenied",
    "Permission denied", "Disk quota", "QuotaExceeded", "FileTooLarge",
    "io::Error most likely",
)  # fmt: skip
"""Signs of a disk that does not take what is written; the last is all that is said of
a thread that could not write."""


@contextmanager
def faults_named(place: str) -> Iterator[None]:
    """Turn what tantivy raises into an error that says what happened.

    Raises:
        IndexUnwritable: the disk did not take what was written.
        IndexDamaged: the files are not what was written.
    """
    try:
        yield
    except OSError as error:
        raise IndexUnwritable(place, str(error)) from error
    except UnicodeEncodeError:
        raise  # what was asked is no text: the files are not to blame
    except ValueError as error:
        raise _named(place, str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise IndexDamaged(place, "the word index does not read well") from None


def _named(place: str, message: str) -> IndexDamaged | IndexUnwritable:
    full = next((sign for sign in _DISK if sign in message), None)
    if full is not None:
        return IndexUnwritable(place, full.replace("io::Error", "a fault of the disk"))
    return IndexDamaged(place, message)
