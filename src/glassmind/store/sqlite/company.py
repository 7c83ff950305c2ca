"""Counting the files that were changed about the same time.

A sync or a checkout goes on over the end of a minute, so that its neighbours count too.
"""

from typing import Any

import apsw

MINUTES = """
select mtime_ns / 60000000000, path > ?3 and path < ?4, count(*) from files
where mtime_ns >= ?1 - 60000000000 and mtime_ns < ?2 + 60000000000 group by 1, 2
"""


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
