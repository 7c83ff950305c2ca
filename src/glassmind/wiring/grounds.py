"""What several parts of the wiring stand on."""

import json
from typing import TYPE_CHECKING, Protocol

from glassmind.config import Config
from glassmind.files.ignore import IgnoreRules, load_rules
from glassmind.model.vectors import Space
from glassmind.store.place import Place
from glassmind.store.sqlite.reader import SqliteReader

if TYPE_CHECKING:
    from glassmind.ports.models import Embedder

BEFORE = {"prefix": "headings"}
"""What the settings of a space mean that were written before there were others."""


class Grounds(Protocol):
    """The settings, the folder and the rows; the folder may change while we write."""

    config: Config

    @property
    def place(self) -> Place:
        """The folder of the index."""

    @property
    def reader(self) -> SqliteReader:
        """The rows, open for reading."""


class EmbeddingGrounds(Grounds, Protocol):
    """The same with the model that turns text into vectors."""

    def embedder(self) -> "Embedder":
        """Return the model that the settings mean."""

    def embedder_of(self, space: Space, /) -> "Embedder | None":
        """Return the model of a space, if it is here."""


def rules_of(grounds: Grounds) -> IgnoreRules:
    """Return what of the vault is not read, as its files say now."""
    index = grounds.config.index
    return load_rules(
        grounds.config.vault.path,
        ignore_dirs=index.ignore_dirs,
        include_agent_dir=index.include_agent_dir,
        agent_dir=grounds.config.writes.agent_dir.strip("/"),
    )


def foreign_space(grounds: EmbeddingGrounds, space: Space) -> str | None:
    """Return what to say where vectors are not those that the settings ask for.

    Raises:
        ModelFault: the model that they ask for cannot be used.
    """
    if grounds.config.embeddings.backend in {"none", "smart-connections"}:
        return None
    if grounds.embedder().space == space.name:
        return None
    return "the vectors of your former settings answer; run: glassmind index"


def was_asked_otherwise(grounds: Grounds, space: Space) -> bool:
    """Whether the settings that made a space are not those of now."""
    now, then = grounds.config.embeddings, BEFORE | json.loads(space.settings)
    return any(getattr(now, name, None) != then[name] for name in then)
