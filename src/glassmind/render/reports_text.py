"""What a run did, what the index holds, what a doctor found: as people read it."""

from collections.abc import Iterator, Sequence

from glassmind.render.pairs import pair_status_as_text
from glassmind.render.style import Style, bytes_in_words, counted
from glassmind.render.watch import watch_as_text
from glassmind.types.catalogue import Check, Stats, Status
from glassmind.types.files import IndexReport, Skipped

PATHS_SHOWN = 3
"""Paths named for each reason; `--json` has them all."""


def report_as_text(report: IndexReport, style: Style, *, vault: str = "") -> str:
    """Return what one run of indexing did, naming the vault if it is given."""
    return "".join(f"{line}\n" for line in _report_lines(report, style, vault))


def _report_lines(report: IndexReport, style: Style, vault: str) -> Iterator[str]:
    notes = style.strong(f"{report.notes:,} note{'' if report.notes == 1 else 's'}")
    of = f" of {style.clean(vault)}" if vault else ""
    how = " from nothing" if report.rebuilt else ""
    yield f"Indexed {notes}{of}{how} in {report.seconds:.2f} s"
    counts = ("added", "changed", "moved", "removed", "unchanged")
    yield "  " + ", ".join(f"{getattr(report, name):,} {name}" for name in counts)
    if report.embedded or report.reused or report.left:
        yield f"  {_passages(report)}"
    if report.skipped:
        yield f"Skipped {len(report.skipped):,}:"
    for reason, paths in _by_reason(report.skipped).items():
        more = ", ..." if len(paths) > PATHS_SHOWN else ""
        named = style.clean(", ".join(paths[:PATHS_SHOWN]))
        yield f"  {len(paths):,} {style.clean(reason)}: {style.faint(named + more)}"


def _passages(report: IndexReport) -> str:
    left = f", {report.left:,} left" if report.left else ""
    return f"passages: {report.embedded:,} embedded, {report.reused:,} reused{left}"


def _by_reason(skipped: Sequence[Skipped]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in skipped:
        found.setdefault(one.reason, []).append(one.path)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def stats_as_text(stats: Stats, style: Style, *, root: str) -> str:
    """Return how much the index of the vault in `root` holds, a line for each count."""
    return "".join(f"{line}\n" for line in _stats_lines(stats, style, root))


def _stats_lines(stats: Stats, style: Style, root: str) -> Iterator[str]:
    counts = {
        "Notes indexed": stats.notes,
        "Chunks indexed": stats.chunks,
        "Tags indexed": stats.tags,
        "Links indexed": stats.links,
        "Targets not found": stats.ghosts,
        "Headings": stats.headings,
        "Tasks": stats.tasks,
        "Attachments": stats.attachments,
        "Notes with something to mend": stats.troubled,
        "Skipped": stats.skipped,
    }
    for name, count in counts.items():
        yield f"{name}: {style.strong(f'{count:,}')}"
    for reason, count in stats.skipped_by_reason.items():
        yield f"  {count:,} {style.clean(reason)}"
    embedded = f"{stats.embedded:,} of {stats.embeddable:,}"
    yield f"Passages embedded: {style.strong(embedded)}"
    if stats.secrets:
        yield f"Notes with hidden credentials: {style.strong(f'{stats.secrets:,}')}"
    yield f"Vault: {style.strong(root)}"
    size = style.strong(bytes_in_words(stats.index_bytes))
    yield f"Index size: {size} in {style.clean(stats.folder)}"
    yield f"Last indexed: {style.strong(stats.last_run or 'never')}"


def status_as_text(status: Status, style: Style, *, root: str) -> str:
    """Return what is current of the index of the vault in `root`, line by line."""
    return "".join(f"{line}\n" for line in _status_lines(status, style, root))


def _status_lines(status: Status, style: Style, root: str) -> Iterator[str]:
    coverage = status.coverage
    yield f"Vault: {style.strong(root)}"
    yield f"Notes: {style.strong(f'{status.notes:,}')} in {status.chunks:,} passages"
    yield f"Words: {_level(status.words_behind)}"
    if status.space:
        much = style.strong(f"{coverage.covered:,} of {coverage.total:,} passages")
        kinds = f"{coverage.plain:,} plain, {coverage.enriched:,} enriched"
        level = _level(status.vectors_behind)
        if status.vectors_behind == 0 and (coverage.missing or status.former):
            level = _rest(status)
        yield f"Vectors: {much} ({kinds}), {level}"
        yield f"Space: {style.clean(status.space)}"
        yield f"Similar notes: {pair_status_as_text(status.pairs)}"
    else:
        yield "Vectors: none"
    yield f"Model: {style.clean(status.model or 'none is chosen')}"
    if status.llm:
        yield f"Answers: written by {style.clean(status.llm)}"
    if status.hindsight:
        yield f"Hindsight: asks the bank {style.clean(status.hindsight)}"
    if status.embedding:
        yield f"Embedding now: {style.clean(status.embedding)}"
    if status.writing:
        yield f"Writing now: {style.clean(status.writing)}"
    if status.secrets:
        notes = counted(status.secrets, "note")
        yield f"Credentials: hidden in {notes}"
    yield f"Watch: {style.clean(watch_as_text(status.watch))}"
    if status.resident:
        yield f"Resident: {style.clean(status.resident)}"
    sizes = [f"{name} {bytes_in_words(size)}" for name, size in status.sizes.items()]
    yield f"Size: {', '.join(sizes)} in {style.clean(status.folder)}"


def _rest(status: Status) -> str:
    """Return in words what becomes of passages that lack a vector, or the right one."""
    if status.former:
        then = ", and being made anew" if status.embedding else ": glassmind index"
        return f"made by former settings{then}"
    lacks_model = any(said.startswith("words and links") for said in status.notices)
    follows = status.model and status.watch.mode != "off" and not lacks_model
    if status.embedding or follows:
        return "the rest is being embedded"
    return "the rest still to be embedded: glassmind index"


def _level(behind: int | None) -> str:
    """Return in words how far a sidecar has come."""
    if behind == 0:
        return "up to date"
    much = "everything" if behind is None else f"{behind:,} changes"
    return f"{much} still to take in"


def checks_as_text(checks: Sequence[Check], style: Style) -> str:
    """Return a line for each thing looked at, and one more for what to do about it."""
    return "".join(f"{line}\n" for line in _check_lines(checks, style))


def _check_lines(checks: Sequence[Check], style: Style) -> Iterator[str]:
    for check in checks:
        blanks = " " * (5 - len(check.state))
        finding = style.clean(check.finding)
        yield f"{style.state(check.state)}{blanks}{check.name}: {finding}"
        if check.fix:
            yield f"     {style.faint(check.fix)}"
