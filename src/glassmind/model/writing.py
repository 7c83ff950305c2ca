"""What was written to a vault."""

from typing import NamedTuple

from glassmind.model import Digest, NotePath


class Applied(NamedTuple):
    """A write that was made: the file's content before and after, by digest.

    `before` is None for a file that is new. Where both are equal nothing was written,
    or a file was moved to `path`.
    """

    path: NotePath
    before: Digest | None
    after: Digest
    size_bytes: int
