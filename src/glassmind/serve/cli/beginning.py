"""The first index of a vault: its text, then a model, then what its passages mean.

Each part stands when the next begins, so whoever has seen enough can press Ctrl-C.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from glassmind.config import Config
from glassmind.errors import ModelFault
from glassmind.render.style import counted
from glassmind.serve.cli.commands.index import gently, tell_warnings
from glassmind.serve.cli.commands.models import shown_download
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.progress import shown_progress
from glassmind.types.files import IndexReport

if TYPE_CHECKING:
    from glassmind.engine import Engine

WORDS_ALONE = (
    "search goes by words and links for now; where there is a network: {call} models "
    "fetch, then {call} index; where there is none: {call} models fetch --from FOLDER"
)
"""What it means that a model cannot be had, and what to do about it."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What stands after a first run; `model` says why nothing was embedded."""

    report: IndexReport
    model: str = ""
    stopped: bool = False


def begin(config: Config, output: Output, call: str, *, embed: bool) -> Begun:
    """Index the text of a vault, fetch what embeds it, embed it; return what stands.

    `call` is how a command begins that finds the same vault again. A model that is
    not to be had, and Ctrl-C once the text is in, end it early.

    Raises:
        VaultError, IndexFault: as `Engine.index` does.
        KeyboardInterrupt: the text is not in yet; what was read is kept.
    """
    with _opened(config) as engine, shown_progress(output) as progress:
        report = engine.index(embed=False, progress=progress)
    tell_warnings(report.warnings, output)
    if not embed or config.embeddings.backend == "none":
        return Begun(report)
    _tell_what_follows(report, call, output)
    try:
        problem = _fetched(config, output)
        if problem:
            return Begun(report, problem)
        with _opened(config) as engine, shown_progress(output) as progress:
            made = engine.index(progress=gently(progress))
    except KeyboardInterrupt:
        return Begun(report, stopped=True)
    fresh = [said for said in made.warnings if said not in report.warnings]
    tell_warnings(fresh, output)
    told = replace(report, embedded=made.embedded, reused=made.reused, left=made.left)
    return Begun(replace(told, warnings=(*report.warnings, *fresh)))


def _tell_what_follows(report: IndexReport, call: str, output: Output) -> None:
    if output.shows_progress and report.added:
        notes = counted(report.notes, "note")
        output.notice(
            f"{notes} can be searched by words now; what they mean follows. Ctrl-C is "
            f"safe: {call} index goes on from there"
        )


def _opened(config: Config) -> "Engine":
    from glassmind.serve.daemon import client_engine  # noqa: PLC0415 - tantivy

    engine = client_engine(config)
    engine.client = "cli"
    return engine


def _fetched(config: Config, output: Output) -> str:
    """Bring the model of the settings here; return why that was not possible."""
    from glassmind.models import shelf  # noqa: PLC0415 - only where something embeds

    try:
        with shown_download(output) as watcher:
            done = list(shelf.fetch(config, (), watcher=watcher))
    except ModelFault as error:
        return str(error)
    for model in done:
        if model.notice:
            output.notice(model.notice)
    return next((model.problem for model in done if model.problem), "")
