"""Accepts memos of the inbox, one after the other, and says how each went."""

import json
import sys

from glassmind import open_vault
from glassmind.errors import GlassmindError


def main(root: str, place: str, paths: list[str]) -> None:
    """Accept them all; somebody else does so too."""
    settings = {"index.location": place, "embeddings.backend": "none"}
    went: dict[str, str] = {}
    with open_vault(root, settings=settings, env={}) as engine:
        for path in paths:
            try:
                engine.memory.accept(path)
                went[path] = "won"
            except GlassmindError as error:
                went[path] = type(error).__name__
    sys.stdout.write(json.dumps(went))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
