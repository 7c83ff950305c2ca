"""What every verb of knowledge works with; adapters come through it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glassmind.config import Config
from glassmind.types import NotePath

if TYPE_CHECKING:
    from glassmind.types.search import Hit


@dataclass(frozen=True, slots=True)
class Study:
    """One vault, as far as knowledge looks at it.

    `faults` names the faults of everything done inside it. `find` returns the note that
    a person means by a name. `found` returns the best hits of a search.
    """

    config: Config
    faults: Callable[[], AbstractContextManager[None]]
    find: Callable[[str], NotePath]
    found: "Callable[[str, int], Sequence[Hit]]"
