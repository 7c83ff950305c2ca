"""A progress bar for whoever watches; nothing at all for a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from glassmind.serve.cli.output import Output
from glassmind.types.files import Progress

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
def shown_progress(output: Output) -> Iterator[Callable[[Progress], None] | None]:
    """Yield what shows progress on stderr; None when nobody watches."""
    if not output.shows_progress:
        yield None
        return
    # 70 milliseconds, which only a terminal is worth.
    from rich import console, progress, text  # noqa: PLC0415

    class Rate(progress.ProgressColumn):
        def render(self, task: progress.Task) -> text.Text:
            """Return how many are done in a second."""
            return text.Text(f"{task.speed:,.0f}/s" if task.speed else "")

    with progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        Rate(),
        progress.TimeRemainingColumn(),
        console=console.Console(file=sys.stderr, no_color=not output.colourful or None),
        transient=True,
    ) as bars:
        tasks: dict[str, progress.TaskID] = {}

        def show(now: Progress) -> None:
            # None lets the bar pulse; to `update` it would mean the total there was.
            total = now.total or None
            if now.stage != "wait" and "wait" in tasks:
                bars.remove_task(tasks.pop("wait"))
            if now.stage not in tasks:
                tasks[now.stage] = bars.add_task(STAGES[now.stage], total=total)
            bars.update(tasks[now.stage], completed=now.done, total=total)

        yield show
