"""The verbs of knowledge: each finds the notes that are meant and calls one stage."""

from glassmind.knowledge.connections import connections
from glassmind.knowledge.study import Study
from glassmind.types.connections import Connections
from glassmind.knowledge.themes import only
from glassmind.types.themes import Themes


class Knowledge:
    """What a vault's links say, ready to be asked from any number of threads."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def themes(
        self,
        *,
        theme: str | int | None = None,
        resolution: float | None = None,
        ghosts: bool = False,
        refresh: bool = False,
    ) -> Themes:
        """Return the themes of the vault, or with `theme` one by its id or label.

        A `resolution` is for this answer alone, unless with `refresh`, which makes and
        keeps them anew; without one, `refresh` goes back to that of the settings.

        Raises:
            UnknownTheme, AmbiguousTheme: no one theme is called so.
            BadWish: there are no themes of such a resolution.
        """
        with self._study.faults():
            found = self._study.themed.now(
                resolution=resolution, ghosts=ghosts, refresh=refresh
            )
        return found if theme is None else only(found, str(theme))

    def renew(self, *, wait_s: float) -> None:
        """Bring the themes that are kept up to the links, however many have changed.

        Raises:
            IndexFault: they cannot be kept, or others wrote for longer than `wait_s`.
        """
        with self._study.faults():
            self._study.themed.renew(wait_s)

    def connections(
        self,
        name: str,
        *,
        depth: int = 1,
        limit: int = 50,
        ghosts: bool = False,
        subgraph: bool = False,
    ) -> Connections:
        """Return what stands around a note, up to `limit` neighbours of every hop.

        With `ghosts`, names that no file has are neighbours too, and may be asked for.
        With `subgraph`, all that is shown and every link between, as one graph.

        Raises:
            BadWish, BadLimit: so deep, or so many, cannot be given.
            NoteNotFound, AmbiguousName, FileUnreadable: no one note is called so.
        """
        with self._study.faults():
            return connections(
                self._study,
                name,
                depth=depth,
                limit=limit,
                ghosts=ghosts,
                subgraph=subgraph,
            )
