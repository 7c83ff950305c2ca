"""The adapters of use: how what was handed out gets into the rows.

A part of `wiring` that a search does not need.
"""

from glassmind.store.sqlite.writer import SqliteWriter
from glassmind.store.use_log import UseLog


def fold_use(log: UseLog, writer: SqliteWriter) -> None:
    """Take what was handed out since into the rows, each event once.

    How far the record was taken in stands in the rows themselves, and is written with
    them: who begins anew takes all of it in again.
    """
    folded = writer.events().folded()
    events, upto = log.tail(folded)
    if events:
        with writer.event_step() as step:
            step.add(events, {**folded, **upto})
