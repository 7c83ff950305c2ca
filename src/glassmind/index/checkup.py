"""Examine an index, each problem with its fix, and say how current it is."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from glassmind.errors import (
    GlassmindError,
    IndexAbsent,
    IndexFault,
    IndexUntrusted,
    ModelFault,
)
from glassmind.files.scan import Scan, scan
from glassmind.index.embed import EMBEDDING_LOCK
from glassmind.model import NotePath
from glassmind.model.index import TO_HASH, Check, CheckState, Status
from glassmind.model.suggestions import Dismissals
from glassmind.model.vectors import Space
from glassmind.store.disk import filesystem_kind, on_network, sqlite_version
from glassmind.store.lock import WriterLock
from glassmind.store.place import DAEMON_LOCK, LOCK
from glassmind.store.watch_state import read_state
from glassmind.vault import Vault

UPDATE = "run: glassmind index"
VERIFY = "run: glassmind index --verify"
REBUILD = "run: glassmind index --rebuild"
ELSEWHERE = "set index.location to a folder you can write"
OWN_DISK = "set index.location to a folder on this machine's own disk"
WITHOUT_LLM = (
    "look at llm.backend, llm.url and llm.model; until then answers are sentences of "
    "your notes"
)

SAFE_SQLITE = (3, 51, 3)  # without the bug that damages what two processes write
NOTES_NAMED = 5  # notes a check names; `index --verify` tells of every one

NO_LOG = "set index.location to a folder outside of the vault that you can write"

MODELS = {"none": "", "smart-connections": "Smart Connections"}
SERVED = {"ollama": "nomic-embed-text", "openai": "a model of the server"}
"""What a server is asked for where the settings name no model."""


class IndexCheckContext:
    """An index that is looked at; what several checks need is read once."""

    def __init__(self, vault: Vault) -> None:
        self.vault, self.config, self.place = vault, vault.config, vault.place

    @cached_property
    def dismissals(self) -> Dismissals:
        return self.vault.hooks.dismissals(self.vault)

    @cached_property
    def access_log(self) -> Check:
        log = self.vault.whole.store.access_log
        trouble = "" if log is None else log.trouble()
        if trouble:
            return Check("access log", "warn", trouble, NO_LOG)
        said = "what clients read is not recorded, as you set it"
        if log is not None:
            said = "what clients read goes on record; see glassmind access-log"
        return Check("access log", "ok", said)

    @cached_property
    def stamps(self) -> dict[NotePath, int]:
        return self.vault.store.rows().stamps()

    @cached_property
    def scan(self) -> Scan:
        try:
            with self.vault.faults():
                known = self.stamps
        except IndexFault:
            known = {}
        return scan(self.config.vault.path, self.vault.ignore_rules(), known)

    def holder(self, lock: str) -> str | None:
        return WriterLock(self.place.folder / lock).busy_holder()

    @property
    def model(self) -> str:
        """How the settings name the embedding model; empty where they want none."""
        embeddings = self.config.embeddings
        if embeddings.backend in SERVED:
            model = embeddings.model or SERVED[embeddings.backend]
            return f"{model} ({embeddings.backend})"
        return MODELS.get(embeddings.backend, embeddings.model or embeddings.preset)

    @property
    def llm(self) -> str:
        """The name of the model that writes answers; empty for none."""
        llm = self.config.llm
        return "" if llm.backend == "none" else f"{llm.model} ({llm.backend})"

    def coverage_text(self, space: Space) -> str:
        least = self.config.index.embed_min_chars
        coverage = self.vault.store.rows().coverage(space, least)
        return f"{coverage.covered:,} of {coverage.total:,} passages"


def examine(vault: Vault) -> list[Check]:
    """Look at one thing after the one it rests on, up to rows that are damaged."""
    checks: list[Check] = []
    examined = IndexCheckContext(vault)
    for name, look in CHECKS.items():
        try:
            with vault.faults():
                checks.extend(look(examined))
        except IndexUntrusted as error:
            checks.append(Check("index", "warn", str(error), UPDATE))
            break
        except IndexAbsent:
            checks.append(Check("index", "warn", "there is no index yet", UPDATE))
            break
        except GlassmindError as error:
            fix = REBUILD if isinstance(error, IndexFault) else ""
            checks.append(Check(name, "fail", str(error), fix))
        if name in ROWS and checks[-1].state == "fail":
            break
    return checks


def _config(examined: IndexCheckContext) -> Iterator[Check]:
    for warning in examined.config.warnings:
        yield Check("config", "warn", warning, "see: glassmind config show --origin")
    if not examined.config.warnings:
        yield Check("config", "ok", "every setting is understood")


def _vault(examined: IndexCheckContext) -> Iterator[Check]:
    files, root = counted(examined.scan.seen), examined.config.vault.path
    yield Check("vault", "ok", f"{root}: {files} found")
    for warning in examined.vault.ignore_rules().warnings:
        yield Check("vault", "warn", warning, "mend the rule it names")


def _folder(examined: IndexCheckContext) -> Iterator[Check]:
    place, folder = examined.place, examined.place.database_folder
    if place.writable:
        yield Check("index folder", "ok", f"{folder} can be written")
        for notice in place.notices:
            yield Check("index folder", "warn", notice, ELSEWHERE)
    else:
        said = f"{folder} cannot be written: the index stays as it is"
        yield Check("index folder", "warn", said, ELSEWHERE)
    if on_network(folder):
        where = f"{folder} is on a network disk ({filesystem_kind(folder)})"
        said = f"{where}: slower and safer journalling is used"
        yield Check("index disk", "warn", said, OWN_DISK)


def _either(
    name: str, wrong: str | None, fix: str, fine: str, state: CheckState = "warn"
) -> Check:
    return Check(name, state, wrong, fix) if wrong else Check(name, "ok", fine)


def _sqlite(_: IndexCheckContext) -> Iterator[Check]:
    release = sqlite_version()
    old = tuple(int(part) for part in release.split(".")[:3]) < SAFE_SQLITE
    version, fix = f"SQLite {release}", "upgrade it: pip install -U apsw"
    yield _either("sqlite", version if old else "", fix, version, "fail")


def _llm(examined: IndexCheckContext) -> Iterator[Check]:
    if examined.llm:
        from glassmind.models.chat import chat_lacks  # noqa: PLC0415 - only who has one

        lacks, fine = chat_lacks(examined.config), f"{examined.llm} is at hand"
        yield _either("llm", lacks, WITHOUT_LLM, fine)


def _hindsight(examined: IndexCheckContext) -> Iterator[Check]:
    if examined.vault.hindsight is not None:
        yield examined.vault.hindsight.check()


def _rows(examined: IndexCheckContext) -> Iterator[Check]:
    fine = "every page and passage reads well"
    wrong = examined.vault.store.damage("rows")
    yield _either("index.db", wrong, REBUILD, fine, "fail")


def _words(examined: IndexCheckContext) -> Iterator[Check]:
    wrong = examined.vault.store.damage("words")
    if wrong is not None:
        yield Check("word index", "fail", wrong, REBUILD)
        return
    behind = examined.vault.store.behind("words")
    fine = "every file reads well and is up to date"
    late = "" if behind == 0 else f"{_changes(behind)} still to take in"
    yield _either("word index", late, UPDATE, fine)


def _freshness(examined: IndexCheckContext) -> Iterator[Check]:
    stamps, found = examined.stamps, examined.scan
    # what is to be hashed again was indexed just after it was written: not a change
    changed = [file for file in found.changed if stamps.get(file.path) != TO_HASH]
    moved = len(changed) + len(found.missing)
    late = f"files changed since: {moved:,}" if moved else ""
    fine = f"as they were indexed: {counted(found.seen)}"
    yield _either("freshness", late, UPDATE, fine)
    for path in found.unknown[:5]:
        said = f"{path} cannot be seen now"
        yield Check("freshness", "warn", said, "make it readable")


def _writer(examined: IndexCheckContext) -> Iterator[Check]:
    holder = examined.holder(LOCK)
    busy = f"{holder} is writing the index now" if holder else ""
    yield _either("writer", busy, "wait for it", "nobody is writing the index")


def _watch(examined: IndexCheckContext) -> Iterator[Check]:
    state = read_state(examined.place.folder)
    who = f"process {state.pid}"
    if state.error:
        said = f"{who} follows the vault, but: {state.error}"
        yield Check("watch", "warn", said, "it is tried again by itself")
    elif state.mode == "polling":
        said = f"{who} looks for changes every few seconds: {state.reason}"
        fix = "nothing is lost; changes show a little later"
        yield Check("watch", "warn", said, fix)
    elif state.mode == "watching":
        yield Check("watch", "ok", f"{who} follows the vault")
    else:
        yield Check("watch", "ok", "nobody follows the vault now")


def _notes(examined: IndexCheckContext) -> Iterator[Check]:
    count, first = examined.vault.store.rows().troubled(NOTES_NAMED)
    if not count:
        yield Check("notes", "ok", "every note could be read in full")
        return
    named = ", ".join(f"{path}: {sentence.rstrip('.')}" for path, sentence in first)
    more = ", ..." if count > len(first) else ""
    much = "1 note has" if count == 1 else f"{count:,} notes have"
    fix = "mend the note, or leave it: what can be read is indexed"
    yield Check("notes", "warn", f"{much} something to mend: {named}{more}", fix)


def _model(examined: IndexCheckContext) -> Iterator[Check]:
    if not examined.model:
        yield Check("model", "ok", "none is chosen: words and links only")
        return
    wrong, fix = "", "until then, words and links are searched"
    try:
        examined.vault.embedder()
    except ModelFault as error:
        wrong = str(error)
    yield _either("model", wrong, fix, f"{examined.model} is at hand")


def _vectors(examined: IndexCheckContext) -> Iterator[Check]:
    known = examined.vault.store.rows()
    damaged = known.damaged_vectors()
    if damaged:
        much = "1 vector is" if len(damaged) == 1 else f"{len(damaged):,} vectors are"
        yield Check("vectors", "fail", f"{much} not what was written", VERIFY)
        return
    space, holder = known.answering_space(), examined.holder(EMBEDDING_LOCK)
    if space is None:
        if holder is not None:
            finding = f"nothing is embedded yet; {holder} is embedding now"
            yield Check("vectors", "ok", finding)
        elif examined.model:
            yield Check("vectors", "warn", "nothing is embedded yet", UPDATE)
        return
    store = examined.vault.store
    wrong, behind = store.damage("vectors"), store.behind("vectors")
    if wrong is not None and behind is not None:
        yield Check("vectors", "fail", f"their matrix is damaged: {wrong}", VERIFY)
    elif behind != 0 and holder is None:  # whoever embeds sees to that
        yield Check("vectors", "warn", f"{_changes(behind)} still to take in", UPDATE)
    covered = examined.coverage_text(space)
    least = examined.config.index.embed_min_chars
    if not known.coverage(space, least).missing:
        yield Check("vectors", "ok", f"every vector reads well: {covered} have one")
        return
    finding = f"{covered} have a vector"
    if holder is not None:
        yield Check("vectors", "ok", f"{finding}; {holder} is embedding now")
    else:
        yield Check("vectors", "warn", finding, UPDATE)


def _usage(examined: IndexCheckContext) -> Iterator[Check]:
    folder = examined.vault.whole.store.usage_log.place
    if folder:
        yield Check("use", "ok", f"what is retrieved goes on record in {folder}")
    elif examined.config.memory.record_use:
        lacking = "what is retrieved is not recorded: no folder outside of the vault"
        yield Check("use", "warn", f"{lacking} is writable", ELSEWHERE)
    else:
        yield Check("use", "ok", "what is retrieved is not recorded, as you set it")


CHECKS: dict[str, Callable[[IndexCheckContext], Iterator[Check]]] = {
    "config": _config,
    "vault": _vault,
    "index folder": _folder,
    "sqlite": _sqlite,
    "writer": _writer,
    "watch": _watch,
    "llm": _llm,
    "hindsight": _hindsight,
    "access log": lambda examined: iter([examined.access_log]),
    "index.db": _rows,
    "word index": _words,
    "model": _model,
    "vectors": _vectors,
    "freshness": _freshness,
    "notes": _notes,
    "dismissals": lambda examined: (
        Check("dismissals", "warn", problem, "mend or delete the line")
        for problem in examined.dismissals.problems
    ),
    "use": _usage,
}

ROWS = frozenset({"index.db", "freshness", "notes"})
"""Checks whose failing means that the rows are damaged."""


def counted(files: int) -> str:
    return "1 file" if files == 1 else f"{files:,} files"


def _changes(count: int | None) -> str:
    return "everything" if count is None else f"{count:,} changes"


PARTS = {"index.db": ("index.db",), "words": ("lexical",), "vectors": ("vectors",)}
"""What the size of each part is made of, by the beginning of names in its folder."""


def status_of(vault: Vault) -> Status:
    """Return what is current, without reading the vault."""
    examined = IndexCheckContext(vault)
    place, reader, config = examined.place, vault.store, vault.config
    known = reader.rows()
    space = known.answering_space()
    models, former, lacks_model = _models(examined, space)
    notices = [*place.notices, *models, *examined.dismissals.problems]
    access = examined.access_log
    notices += [access.finding] if access.state != "ok" else []
    name = space.name if space else ""
    return Status(
        notes=known.count("notes"),
        chunks=known.count("chunks"),
        words_behind=examined.vault.store.behind("words"),
        model=examined.model,
        space=name,
        coverage=known.coverage(space, config.index.embed_min_chars),
        vectors_behind=reader.behind("vectors") if space else 0,
        writing=examined.holder(LOCK) or "",
        embedding=examined.holder(EMBEDDING_LOCK) or "",
        sizes={
            part: sum(
                size for folder in place.folders for size in _sizes(folder, heads)
            )
            for part, heads in PARTS.items()
        },
        folder=str(place.folders[0]),
        notices=tuple(notices),
        watch=read_state(place.folder),
        daemon=examined.holder(DAEMON_LOCK) or "",
        pairs=known.pair_status(name, examined.dismissals.pairs),
        llm=examined.llm,
        hindsight=config.hindsight.bank if config.hindsight.url else "",
        secrets=len(reader.rows().secret_notes()),
        former=former,
        lacks_model=lacks_model,
    )


def _models(
    examined: IndexCheckContext, space: Space | None
) -> tuple[Sequence[str], bool, bool]:
    """Return notices, whether other settings made what answers, and lack of a model."""
    if not examined.model:
        return (), False, False
    vault, holder = examined.vault, examined.holder(EMBEDDING_LOCK)
    try:
        model = vault.embedder()
        foreign = vault.foreign_space(space) if space else None
    except ModelFault as error:
        from glassmind.models.embedders import (  # noqa: PLC0415 - costly
            has_other_settings,
        )

        begun = _begun(examined, space, "", holder) if space else []
        former = space is not None and has_other_settings(vault.config, space)
        return [f"words and links only: {error}", *begun], former, True
    if space is None:
        return (), False, False
    knows = foreign is not None or model.space == space.name
    begun = _begun(examined, space, model.space if knows else "", holder)
    # who embeds makes what is asked for, and nobody need run anything
    advice = [foreign] if foreign and not (begun and holder) else []
    return [*advice, *begun], foreign is not None, False


def _begun(
    examined: IndexCheckContext, space: Space, name: str, holder: str | None
) -> list[str]:
    """Return what to say of a space beside the one that answers."""
    spaces = examined.vault.store.rows().spaces()
    others = [other for other in spaces if other.id != space.id]
    if name == space.name or not others:
        return []
    chosen = next((other for other in others if other.name == name), others[-1])
    covered = examined.coverage_text(chosen)
    if holder is None:
        begun = f"{chosen.name} was begun and not completed, {covered}"
        return [f"{begun}; run: glassmind index"]
    begun = f"{chosen.name} is being embedded, {covered} by now"
    return [f"{begun}; until it is complete, the one before it answers"]


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
