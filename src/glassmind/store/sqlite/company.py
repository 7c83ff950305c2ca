"""Counting the files that were changed about the same time.

A sync or a checkout goes on over the end of a minute, so that its neighbours count too.
"""

import json
from collections.abc import Iterable
from typing import Any

import apsw

from glassmind.model.use import MOST_AT_ONCE

MINUTE_NS = 60 * 10**9
MINUTES = """
select mtime_ns / 60000000000, path > ?3 and path < ?4, count(*) from files
where mtime_ns >= ?1 - 60000000000 and mtime_ns < ?2 + 60000000000 group by 1, 2
"""
CROWDED = f"""
select k.value from json_each(?) k where (
  select count(*) from (
    select 1 from files where mtime_ns >= (k.value - 1) * {MINUTE_NS}
    and mtime_ns < (k.value + 2) * {MINUTE_NS} limit {MOST_AT_ONCE + 1}
  )
) > {MOST_AT_ONCE}
"""  # noqa: S608 - our own words


class Crowds:
    """Knows whether a file was written among so many that its time says nothing.

    `known` are the minutes that were asked about while the rows were the same.
    """

    def __init__(self, db: apsw.Connection, known: dict[int, bool]) -> None:
        self._db, self._known = db, known

    def among(self, times: Iterable[int]) -> set[int]:
        """Return those of some times of files about which very many were written.

        What is in the agent folder counts as well: its notes carry days of their own.
        """
        minutes = {time: time // MINUTE_NS for time in times}
        new = {minute for minute in minutes.values() if minute not in self._known}
        if new:
            rows: Any = self._db.execute(CROWDED, (json.dumps(sorted(new)),))
            self._known.update(dict.fromkeys(new, False))
            self._known.update((row[0], True) for row in rows)
        return {time for time, minute in minutes.items() if self._known[minute]}


def company_of(
    db: apsw.Connection, since_ns: int, until_ns: int, folder: str
) -> dict[tuple[int, int], int]:
    """Return how many files were changed in each minute and the two around it.

    By the minute, and 1 for what files of the agent folder have for company, else 0.
    They have all files, as those of a copied vault do, and are no company to others:
    what an agent writes says nothing of what a person does.
    """
    bound = (since_ns, until_ns, f"{folder}/", f"{folder}0")
    rows: Any = db.execute(MINUTES, bound)
    counts = {(minute, agents): many for minute, agents, many in rows}
    return {
        (minute, agents): sum(
            counts.get((minute + step, who), 0)
            for step in (-1, 0, 1)
            for who in range(agents + 1)
        )
        for minute, agents in counts
    }
