"""What is said where it is not known yet where some links lead.

Every run settles links as it writes them; one of a former release that was cut short
left some open. They lead nowhere until the next run, but they are no ghosts.
"""

from glassmind.graph.study import Study


def left_open(study: Study) -> tuple[str, ...]:
    """Return the sentence about links that no run has settled, if there are any."""
    count = study.unsettled()
    if not count:
        return ()
    where = "1 link leads" if count == 1 else f"{count:,} links lead"
    said = f"an index run was cut short before it was known where {where}"
    return (f"{said}, so the answer lacks them; glassmind index finds out",)
