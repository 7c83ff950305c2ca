"""The root of every error."""


class GlassmindError(Exception):
    """The root of every error that a user may see; `str()` is the sentence."""
