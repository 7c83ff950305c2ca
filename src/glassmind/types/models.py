"""What is told of models: what there are, and how they fare."""

from collections.abc import Sequence
from typing import Literal, NamedTuple


class ModelState(NamedTuple):
    """A model we know, and whether it can be used.

    `package` means that it comes with an extra of this program, and is installed.
    """

    id: str
    about: str
    presets: Sequence[str]
    licence: str
    width: int
    size_bytes: int
    state: Literal["here", "package", "damaged", "absent"]
    chosen: bool
    folder: str


class ModelFetched(NamedTuple):
    """What became of the wish to have a model: `problem` is empty where it is here.

    `notice` says why it is another than the one that was looked for first.
    """

    id: str
    source: str
    folder: str
    already: bool
    problem: str = ""
    notice: str = ""


class ModelCheck(NamedTuple):
    """Whether a model is what it should be and does what it should."""

    id: str
    ok: bool
    finding: str
