"""Packets that are printed and kept: what cannot be kept is printed all the same."""

from collections.abc import Callable
from typing import TypeVar

from glassmind.errors.writing import WriteRefused
from glassmind.serve.cli.output import Output

Made = TypeVar("Made")


def made_and_shown(
    make: Callable[[bool], Made],
    show: Callable[[Made], None],
    output: Output,
    *,
    save: bool,
) -> Made:
    """Return what was made, kept if that is wished, and shown.

    As JSON a command prints one value: that of the error where there is one.

    Raises:
        WriteRefused: it could not be kept; it was shown before.
    """
    try:
        made = make(save)
    except WriteRefused:
        if not output.as_json:
            show(make(False))
            output.flush()
        raise
    show(made)
    return made
