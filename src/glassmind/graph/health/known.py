"""Whether the vault holds what a finding was about, be it well by now."""

from glassmind.files.resolve import NOTE_SUFFIX, fold, name_key
from glassmind.graph.health.sight import Sight
from glassmind.graph.health.spelled import words_of
from glassmind.graph.ontology.spellings import word_form
from glassmind.graph.subjects import SHAPES, paths_in
from glassmind.model import NotePath


def is_known(sight: Sight, check: str, subject: str) -> bool:
    """Whether a check could find such a thing: files, a name or a word of the vault."""
    if check in SHAPES:
        paths = paths_in(check, subject)
        return bool(paths) and all(_is_there(sight, path) for path in paths)
    if check == "ghosts":
        return _is_name(sight, subject)
    what, _, word = subject.partition(" ")
    form = word_form(what, word)
    return any(
        word_form(what, said) == form
        for entry in sight.grounds.entries()
        for said in words_of(entry, what)
    )


def _is_there(sight: Sight, path: NotePath) -> bool:
    """Whether a file has that path, be it left out of the index."""
    if path in sight.by_path or path in sight.rows.files_called(name_key(path)):
        return True
    return any(path == left_out for left_out, _ in sight.rows.skipped())


def _is_name(sight: Sight, name: str) -> bool:
    """Whether a link to that name would find a file."""
    wanted = f"/{fold(name).removesuffix(NOTE_SUFFIX)}"
    return any(
        f"/{fold(path)}".removesuffix(NOTE_SUFFIX).endswith(wanted)
        for path in sight.rows.files_called(name_key(name))
    )
