"""A progress bar on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from glassmind.markdown.style import bytes_in_words
from glassmind.serve.cli.output import Output
from glassmind.types.files import Progress
from glassmind.types.models import Download

STAGES = {
    "wait": "Waiting for another process",
    "scan": "Looking through the vault",
    "read": "Reading notes",
    "resolve": "Following links",
    "words": "Indexing words",
    "embed": "Embedding passages",
    "vectors": "Arranging vectors",
    "pairs": "Comparing notes",
    "confidence": "Learning what an answer looks like",
    "measure": "Asking questions",
}


@contextmanager
def shown_progress(
    output: Output,
) -> Iterator[Callable[[Progress | Download], None] | None]:
    """Yield what shows progress on stderr; None if it is not a terminal."""
    if not output.shows_progress:
        yield None
        return
    # 70 milliseconds, which only a terminal is worth.
    from rich import console, progress, text  # noqa: PLC0415

    class Count(progress.ProgressColumn):
        def render(self, task: progress.Task) -> text.Text:
            """Return how many or how much of all is done, and in a second."""
            as_text = bytes_in_words if task.fields["in_bytes"] else "{:,}".format
            total = "?" if task.total is None else as_text(int(task.total))
            rate = f"  {as_text(int(task.speed))}/s" if task.speed else ""
            return text.Text(f"{as_text(int(task.completed))}/{total}{rate}")

    with progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        Count(),
        progress.TimeRemainingColumn(),
        console=console.Console(file=sys.stderr, no_color=not output.colourful or None),
        transient=True,
    ) as bars:
        tasks: dict[str, progress.TaskID] = {}

        def show(now: Progress | Download) -> None:
            # None lets the bar pulse; to `update` it would mean the total there was.
            total = now.total or None
            in_bytes = isinstance(now, Download)
            stage = (
                f"Fetching {now.model}"
                if isinstance(now, Download)
                else STAGES[now.stage]
            )
            if stage != STAGES["wait"] and STAGES["wait"] in tasks:
                bars.remove_task(tasks.pop(STAGES["wait"]))
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total, in_bytes=in_bytes)
            bars.update(tasks[stage], completed=now.done, total=total)

        yield show
