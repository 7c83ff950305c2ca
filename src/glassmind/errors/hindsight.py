"""What can go wrong with a Hindsight server."""

from glassmind.errors.base import GlassmindError


class HindsightFailed(GlassmindError):
    """A Hindsight server gave no usable answer; search goes on without it."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Hindsight gave no answer ({reason})")
        self.reason = reason
