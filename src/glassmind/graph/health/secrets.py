"""Where credentials stand in notes: told to their owner, and to nobody else."""

from glassmind.errors import VaultError
from glassmind.files.decode import Unreadable, decode
from glassmind.graph.study import Study
from glassmind.model.health import SecretPlace
from glassmind.obsidian.read import read_note
from glassmind.obsidian.secrets import sightings


def secret_places(study: Study) -> list[SecretPlace]:
    """Return every credential in the notes, by path and line, as they are on disk now.

    Whoever is not shown them is not told of them either.
    """
    found: list[SecretPlace] = []
    with study.files() as files:
        if files.hides_secrets:
            return found
        for path in study.troubles().secret_notes():
            try:
                decoded = decode(files.read(path))
            except VaultError:
                continue  # gone, or not to be read: there is no line to name
            if not isinstance(decoded, Unreadable):
                text = read_note(path, decoded.text).text
                found += [SecretPlace(path, *one) for one in sightings(text)]
    return found
