"""Examining what searches by meaning rest on: the model, the vectors, their matrix."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from glassmind.errors import (
    GlassmindError,
    IndexAbsent,
    IndexFault,
    IndexUntrusted,
    ModelFault,
)
from glassmind.files.ignore import IgnoreRules
from glassmind.files.scan import Scan, kind_of, scan
from glassmind.index.pipeline import exceeds
from glassmind.index.run import Workshop
from glassmind.model import NotePath
from glassmind.model.index import TO_HASH, Check, Status, WatchState
from glassmind.model.suggestions import Dismissals, PairStatus
from glassmind.model.vectors import Space
from glassmind.ports.indexing import KnownVectors
from glassmind.ports.models import Embedder

VERIFY = "run: glassmind index --verify"
UPDATE = "run: glassmind index"


@dataclass(frozen=True, slots=True)
class VectorBench:
    """What an examination of vectors looks through.

    `chosen` is how the settings name the model, empty where they want none; `model`
    opens it or raises a `ModelFault`, and `foreign` then says so where a space is not
    the one that the settings ask for; `former` tells by the settings alone whether
    others made it. `damage` reads the whole matrix, `behind` says
    how many changes it has yet to apply (None for all), `holder` names who embeds now.
    `pairs` says how many notes are known to be alike, `dismissals` what a person
    wants to hear no more of.
    """

    chosen: str
    model: Callable[[], Embedder]
    foreign: Callable[[Space], str | None]
    former: Callable[[Space], bool]
    known: Callable[[], KnownVectors]
    least_chars: int
    damage: Callable[[], str | None]
    behind: Callable[[], int | None]
    holder: Callable[[], str | None]
    pairs: Callable[[], PairStatus]
    dismissals: Callable[[], Dismissals]


def look_at_model(bench: VectorBench) -> Iterator[Check]:
    """Say whether the chosen model can be asked."""
    if not bench.chosen:
        yield Check("model", "ok", "none is chosen: words and links only")
        return
    try:
        bench.model()
    except ModelFault as error:
        fix = "until then, words and links are searched"
        yield Check("model", "warn", str(error), fix)
    else:
        yield Check("model", "ok", f"{bench.chosen} is at hand")


def look_at_vectors(bench: VectorBench) -> Iterator[Check]:
    """Say whether every vector is what was written, and every chunk has one."""
    known = bench.known()
    damaged = known.damaged()
    if damaged:
        much = "1 vector is" if len(damaged) == 1 else f"{len(damaged):,} vectors are"
        yield Check("vectors", "fail", f"{much} not what was written", VERIFY)
        return
    space, holder = known.answering(), bench.holder()
    if space is None:
        if holder is not None:
            finding = f"nothing is embedded yet; {holder} is embedding now"
            yield Check("vectors", "ok", finding)
        elif bench.chosen:
            yield Check("vectors", "warn", "nothing is embedded yet", UPDATE)
        return
    wrong, behind = bench.damage(), bench.behind()
    if wrong is not None and behind is not None:
        yield Check("vectors", "fail", f"their matrix is damaged: {wrong}", VERIFY)
    elif behind != 0 and holder is None:  # whoever embeds sees to that
        much = "everything" if behind is None else f"{behind:,} changes"
        yield Check("vectors", "warn", f"{much} still to take in", UPDATE)
    coverage = known.coverage(space, bench.least_chars)
    covered = f"{coverage.covered:,} of {coverage.total:,} passages"
    if not coverage.missing:
        yield Check("vectors", "ok", f"every vector reads well: {covered} have one")
    elif holder is not None:
        finding = f"{covered} have a vector; {holder} is embedding now"
        yield Check("vectors", "ok", finding)
    else:
        yield Check("vectors", "warn", f"{covered} have a vector", UPDATE)


def look_at_dismissals(bench: VectorBench) -> Iterator[Check]:
    """Say which dismissals are not followed, or not for sure; nothing where all are."""
    found = bench.dismissals()
    for said in (*found.problems, *found.lost):
        yield Check("dismissals", "warn", said, "mend or delete the line")


REBUILD = "run: glassmind index --rebuild"
ACCEPT = "bring the notes back, or run: glassmind index --accept-deletions"
ELSEWHERE = "set index.location to a folder you can write"


@dataclass(frozen=True, slots=True)
class Bench:
    """What an examination looks through; each returns a finding or raises.

    `folders` are those of the index, first the one of index.db. `rows` returns what is
    wrong with the database, `words` what is wrong with the word
    index, `behind` how many changes it has yet to apply (None for all), `troubled` how
    many notes have something to mend, and what it is for as many as asked, `counts` how
    many notes and chunks there are, `secrets` in how many notes some are hidden,
    `watch` who follows the vault, `daemon` who answers for others. `faults` names
    what goes wrong in any of them; `notices` say why the index is in this folder. `use`
    returns whether use is to be recorded, and where; `llm` looks whether the model that
    writes can be asked, and `hindsight` asks the memory beside the vault something,
    where there is one; `writes` and `recalls` name them. `access_log` looks whether
    what clients read can go on record.
    """

    folders: Sequence[Path]
    writable: bool
    sqlite_version: str
    network: str
    rows: Callable[[], str | None]
    words: Callable[[], str | None]
    behind: Callable[[], int | None]
    stamps: Callable[[], dict[NotePath, int]]
    troubled: Callable[[int], tuple[int, list[tuple[NotePath, str]]]]
    holder: Callable[[], str | None]
    counts: Callable[[], tuple[int, int]]
    secrets: Callable[[], int]
    faults: Callable[[], AbstractContextManager[None]]
    vectors: VectorBench
    watch: Callable[[], WatchState] = WatchState
    daemon: Callable[[], str | None] = lambda: None
    warnings: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    use: Callable[[], tuple[bool, Path | None]] = lambda: (False, None)
    llm: Callable[[], Check | None] = lambda: None
    hindsight: Callable[[], Check | None] = lambda: None
    access_log: Callable[[], Check | None] = lambda: None
    writes: str = ""
    recalls: str = ""


class _Visit:
    """One examination; what several checks look at is looked at once."""

    def __init__(self, shop: Workshop, bench: Bench) -> None:
        self.shop, self.bench = shop, bench

    @cached_property
    def rules(self) -> IgnoreRules:
        return self.shop.ignore_rules()

    @cached_property
    def stamps(self) -> dict[NotePath, int]:
        return self.bench.stamps()

    @cached_property
    def scan(self) -> Scan:
        """The vault against the index, or against nothing where there is none."""
        try:
            with self.bench.faults():
                known = self.stamps
        except IndexFault:
            known = {}
        return scan(self.shop.root, self.rules, known)


def examine(shop: Workshop, bench: Bench) -> list[Check]:
    """Look at everything, in the order in which one thing rests on another.

    What rests on rows that are damaged is not looked at.
    """
    found: list[Check] = []
    visit = _Visit(shop, bench)
    for name, look in LOOKS.items():
        try:
            with bench.faults():
                found.extend(look(visit))
        except IndexUntrusted as error:
            found.append(Check("index", "warn", str(error), UPDATE))
            break
        except IndexAbsent:
            found.append(Check("index", "warn", "there is no index yet", UPDATE))
            break
        except GlassmindError as error:
            fix = REBUILD if isinstance(error, IndexFault) else ""
            found.append(Check(name, "fail", str(error), fix))
        if name in ROWS and found[-1].state == "fail":
            break
    return found


def _config(visit: _Visit) -> Iterator[Check]:
    for warning in visit.bench.warnings:
        yield Check("config", "warn", warning, "see: glassmind config show --origin")
    if not visit.bench.warnings:
        yield Check("config", "ok", "every setting is understood")


def _vault(visit: _Visit) -> Iterator[Check]:
    yield Check("vault", "ok", f"{visit.shop.root}: {counted(visit.scan.seen)} found")
    for warning in visit.rules.warnings:
        yield Check("vault", "warn", warning, "mend the rule it names")


def _folder(visit: _Visit) -> Iterator[Check]:
    if visit.bench.writable:
        yield Check("index folder", "ok", f"{visit.bench.folders[0]} can be written")
        for notice in visit.bench.notices:
            yield Check("index folder", "warn", notice, ELSEWHERE)
    else:
        yield Check(
            "index folder",
            "warn",
            f"{visit.bench.folders[0]} cannot be written: the index stays as it is",
            ELSEWHERE,
        )
    if visit.bench.network:
        where = f"{visit.bench.folders[0]} is on a network disk ({visit.bench.network})"
        yield Check(
            "index disk",
            "warn",
            f"{where}: slower and safer journalling is used",
            "set index.location to a folder on this machine's own disk",
        )


def _sqlite(visit: _Visit) -> Iterator[Check]:
    parts = tuple(int(part) for part in visit.bench.sqlite_version.split(".")[:3])
    version = f"SQLite {visit.bench.sqlite_version}"
    if parts >= SAFE_SQLITE:
        yield Check("sqlite", "ok", version)
    else:
        yield Check("sqlite", "fail", version, "upgrade it: pip install -U apsw")


SAFE_SQLITE = (3, 51, 3)
"""The first release without the bug that damages a database two processes write."""


def _llm(visit: _Visit) -> Iterator[Check]:
    found = visit.bench.llm()
    if found is not None:
        yield found


def _hindsight(visit: _Visit) -> Iterator[Check]:
    found = visit.bench.hindsight()
    if found is not None:
        yield found


def _access_log(visit: _Visit) -> Iterator[Check]:
    found = visit.bench.access_log()
    if found is not None:
        yield found


def _rows(visit: _Visit) -> Iterator[Check]:
    wrong = visit.bench.rows()
    if wrong is None:
        yield Check("index.db", "ok", "every page and passage reads well")
    else:
        yield Check("index.db", "fail", wrong, REBUILD)


def _words(visit: _Visit) -> Iterator[Check]:
    wrong = visit.bench.words()
    if wrong is not None:
        yield Check("word index", "fail", wrong, REBUILD)
        return
    behind = visit.bench.behind()
    if behind == 0:
        yield Check("word index", "ok", "every file reads well and is up to date")
    else:
        much = "everything" if behind is None else f"{behind:,} changes"
        yield Check("word index", "warn", f"{much} still to take in", UPDATE)


def _drift(visit: _Visit) -> Iterator[Check]:
    stamps, found = visit.stamps, visit.scan
    # what is to be hashed again was indexed just after it was written: not a change
    changed = [file for file in found.changed if stamps.get(file.path) != TO_HASH]
    moved = len(changed) + len(found.missing)
    if moved:
        fix = ACCEPT if _seems_gone(stamps, found) else UPDATE
        yield Check("freshness", "warn", f"files changed since: {moved:,}", fix)
    else:
        yield Check("freshness", "ok", f"as they were indexed: {counted(found.seen)}")
    for path in found.unknown[:5]:
        yield Check(
            "freshness", "warn", f"{path} cannot be seen now", "make it readable"
        )


def _seems_gone(stamps: Mapping[NotePath, int], found: Scan) -> bool:
    """Whether a run would stop: notes are gone, and no new ones may be what they were.

    Whether those are the same would take reading them.
    """
    known = sum(kind_of(path) != "attachment" for path in stamps)
    gone = sum(kind_of(path) != "attachment" for path in found.missing)
    new = sum(f.path not in stamps and f.kind != "attachment" for f in found.changed)
    return exceeds(gone - new, known)


def _writer(visit: _Visit) -> Iterator[Check]:
    holder = visit.bench.holder()
    if holder is not None:
        yield Check(
            "writer", "warn", f"{holder} is writing the index now", "wait for it"
        )
    else:
        yield Check("writer", "ok", "nobody is writing the index")


def _watch(visit: _Visit) -> Iterator[Check]:
    state = visit.bench.watch()
    who = f"process {state.pid}"
    if state.error:
        said = f"{who} follows the vault, but: {state.error}"
        yield Check("watch", "warn", said, "it is tried again by itself")
    elif state.mode == "polling":
        said = f"{who} looks for changes every few seconds: {state.reason}"
        yield Check(
            "watch", "warn", said, "nothing is lost; changes show a little later"
        )
    elif state.mode == "watching":
        yield Check("watch", "ok", f"{who} follows the vault")
    else:
        yield Check("watch", "ok", "nobody follows the vault now")


def _notes(visit: _Visit) -> Iterator[Check]:
    count, first = visit.bench.troubled(NOTES_NAMED)
    if not count:
        yield Check("notes", "ok", "every note could be read in full")
        return
    named = ", ".join(f"{path}: {sentence.rstrip('.')}" for path, sentence in first)
    more = ", ..." if count > len(first) else ""
    much = "1 note has" if count == 1 else f"{count:,} notes have"
    finding = f"{much} something to mend: {named}{more}"
    yield Check(
        "notes",
        "warn",
        finding,
        "mend the note, or leave it: what can be read is indexed",
    )


NOTES_NAMED = 5
"""Notes a check names; `index --verify` tells of every one."""


def _model(visit: _Visit) -> Iterator[Check]:
    return look_at_model(visit.bench.vectors)


def _vectors(visit: _Visit) -> Iterator[Check]:
    return look_at_vectors(visit.bench.vectors)


def _dismissals(visit: _Visit) -> Iterator[Check]:
    return look_at_dismissals(visit.bench.vectors)


def _use(visit: _Visit) -> Iterator[Check]:
    wanted, folder = visit.bench.use()
    if folder is not None:
        yield Check("use", "ok", f"what is retrieved goes on record in {folder}")
    elif wanted:
        lacking = "what is retrieved is not recorded: no folder outside of the vault"
        yield Check("use", "warn", f"{lacking} is writable", ELSEWHERE)
    else:
        yield Check("use", "ok", "what is retrieved is not recorded, as you set it")


LOOKS: dict[str, Callable[[_Visit], Iterator[Check]]] = {
    "config": _config,
    "vault": _vault,
    "index folder": _folder,
    "sqlite": _sqlite,
    "writer": _writer,
    "watch": _watch,
    "llm": _llm,
    "hindsight": _hindsight,
    "access log": _access_log,
    "index.db": _rows,
    "word index": _words,
    "model": _model,
    "vectors": _vectors,
    "freshness": _drift,
    "notes": _notes,
    "dismissals": _dismissals,
    "use": _use,
}

ROWS = frozenset({"index.db", "freshness", "notes"})
"""Checks whose failing means that the rows are damaged."""


def counted(files: int) -> str:
    """Return a number of files in words."""
    return "1 file" if files == 1 else f"{files:,} files"


PARTS = {"index.db": ("index.db",), "words": ("lexical",), "vectors": ("vectors",)}
"""What the size of each part is made of, by the beginning of names in its folder."""


def status_of(bench: Bench) -> Status:
    """Return what is current, without reading the vault.

    Raises:
        IndexAbsent: nothing is indexed yet.
    """
    vectors = bench.vectors
    known = vectors.known()
    space = known.answering()
    models = _compared(vectors, space)
    notices = [*bench.notices, *models.notices]
    notices += vectors.dismissals().problems
    access_log = bench.access_log()
    notices += [access_log.finding] if access_log and access_log.state != "ok" else []
    notes, chunks = bench.counts()
    return Status(
        notes=notes,
        chunks=chunks,
        words_behind=bench.behind(),
        model=vectors.chosen,
        space=space.name if space else "",
        coverage=known.coverage(space, vectors.least_chars),
        vectors_behind=vectors.behind() if space else 0,
        writing=bench.holder() or "",
        embedding=vectors.holder() or "",
        sizes={name: _size(bench.folders, heads) for name, heads in PARTS.items()},
        folder=str(bench.folders[0]),
        notices=tuple(notices),
        watch=bench.watch(),
        daemon=bench.daemon() or "",
        pairs=vectors.pairs(),
        llm=bench.writes,
        hindsight=bench.recalls,
        secrets=bench.secrets(),
        former=models.former,
        lacks_model=models.lacking,
    )


class _Models(NamedTuple):
    """Whether other settings made what answers, or no model can be used."""

    notices: Sequence[str] = ()
    former: bool = False
    lacking: bool = False


def _compared(bench: VectorBench, space: Space | None) -> _Models:
    if not bench.chosen:
        return _Models()
    try:
        model = bench.model()
        foreign = bench.foreign(space) if space else None
    except ModelFault as error:
        begun = _begun(bench, space, "") if space else []
        former = space is not None and bench.former(space)
        notices = [f"words and links only: {error}", *begun]
        return _Models(notices, former, lacking=True)
    if space is None:
        return _Models()
    knows = foreign is not None or model.space == space.name
    begun = _begun(bench, space, model.space if knows else "")
    # who embeds makes what is asked for, and nobody need run anything
    advice = [foreign] if foreign and not (begun and bench.holder()) else []
    return _Models([*advice, *begun], foreign is not None)


def _begun(bench: VectorBench, space: Space, wanted: str) -> list[str]:
    """Return what to say of spaces beside the one that answers.

    `wanted` names the one that the settings ask for; it is empty where none is known.
    """
    others = [one for one in bench.known().spaces() if one.id != space.id]
    if bench.holder() is None:
        return [said for one in others if (said := _left(bench, one, wanted))]
    if wanted == space.name:  # what is left of others goes at the end of the pass
        return []
    chosen = [one for one in others if one.name == wanted] or others[-1:]
    return [
        f"{one.name} is being embedded, {_much(bench, one)} by now; until it is "
        "complete, the one before it answers"
        for one in chosen
    ]


def _left(bench: VectorBench, space: Space, wanted: str) -> str:
    """Return what to say of a space that nobody embeds; empty where it has nothing."""
    said = f"{space.name} was begun and not completed, {_much(bench, space)}"
    if wanted in {"", space.name}:
        return f"{said}; run: glassmind index"
    if not bench.known().has_vectors(space):
        return ""
    return f"{said}; it is not asked for any more, and glassmind index takes it away"


def _much(bench: VectorBench, space: Space) -> str:
    coverage = bench.known().coverage(space, bench.least_chars)
    return f"{coverage.covered:,} of {coverage.total:,} passages"


def _size(folders: Sequence[Path], heads: tuple[str, ...]) -> int:
    return sum(size for folder in folders for size in _sizes(folder, heads))


def _sizes(folder: Path, heads: tuple[str, ...]) -> Iterator[int]:
    """Yield the sizes of files; a writer may take some away meanwhile."""
    for top in sorted(folder.iterdir()):
        if not top.name.startswith(heads) or ".broken-" in top.name:
            continue
        files = [Path(place, n) for place, _, names in os.walk(top) for n in names]
        for file in files if top.is_dir() else [top]:
            try:
                yield file.stat().st_size
            except FileNotFoundError:
                continue
