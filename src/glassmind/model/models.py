"""Models: what there are, what was downloaded, and what a check found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ModelState:
    """A model we know, and whether it can be used."""

    id: str
    about: str
    presets: Sequence[str]
    licence: str
    width: int
    bytes: int
    state: Literal["here", "package", "damaged", "absent"]
    chosen: bool
    folder: str


@dataclass(frozen=True, slots=True)
class ModelFetched:
    """What became of the wish to have a model: `problem` is empty where it is here."""

    id: str
    source: str
    folder: str
    already: bool
    problem: str = ""
    notice: str = ""


@dataclass(frozen=True, slots=True)
class ModelCheck:
    id: str
    ok: bool
    finding: str


@dataclass(frozen=True, slots=True)
class Download:
    """Progress of a download; `total` is 0 while it is unknown."""

    model: str
    done: int
    total: int
