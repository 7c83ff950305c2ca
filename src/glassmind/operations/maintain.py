"""Operations that maintain a vault's index and models, and report on their state."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct, structs

from glassmind.config.places import current_folder
from glassmind.engine import Engine
from glassmind.errors import MODEL, USAGE, BadValue, ConfigError, VaultAbsent
from glassmind.files.read import safe_path
from glassmind.index.background import gently
from glassmind.model.access import DisclosedNotes
from glassmind.model.index import Check, IndexReport, Stats, Status, WatchState
from glassmind.model.models import ModelCheck, ModelFetched, ModelState
from glassmind.model.suggestions import PairStatus
from glassmind.obsidian.text import Style, bytes_in_words, counted
from glassmind.operations.registry import (
    Arguments,
    Caller,
    Command,
    NoArguments,
    NoNotes,
    Result,
    Route,
    Tool,
    arg,
    copied,
    operation,
    shown,
)

PATHS_SHOWN, WARNINGS_SHOWN = 3, 10  # JSON has all
NAMED_FILES = 1_000  # in an HTTP report; a vault may have a hundred thousand
STOPPED = "stopped; what was indexed is kept, and glassmind index continues from there"

CHOOSE = "choose one: glassmind init, or --vault PATH"


class IndexArguments(Arguments):
    verify: Annotated[bool, arg("Check the index and read every note.")] = False
    rebuild: Annotated[bool, arg("Delete the index and build it again.")] = False
    compact: Annotated[bool, arg("Rewrite the keyword index and vectors.")] = False
    accept_deletions: Annotated[
        bool, arg("Accept that a large part of the vault was deleted.")
    ] = False
    embed: Annotated[
        bool, arg("Embed passages when the text is indexed.", flag="--no-embed")
    ] = True
    paths: Annotated[
        list[str], arg("Look only in the folders of these files.", only=("http",))
    ] = ()  # type: ignore[assignment]


class IndexResult(Result, IndexReport, frozen=True, kw_only=True):
    text_only = ("vault", "held", "renamed")
    vault: str
    skipped_total: int
    warnings_total: int

    def sources(self) -> DisclosedNotes:
        return shown(named=[skipped.path for skipped in self.skipped])

    def all_notices(self) -> Sequence[str]:
        more = self.warnings_total - WARNINGS_SHOWN
        rest = [f"and {more:,} more like these; --json lists all"] if more > 0 else []
        return [*self.warnings[:WARNINGS_SHOWN], *rest]


def index_result(
    vault: str, report: IndexReport, most: int | None = None
) -> IndexResult:
    return copied(
        IndexResult,
        report,
        vault=vault,
        seconds=round(report.seconds, 3),
        skipped=list(report.skipped)[:most],
        skipped_total=len(report.skipped),
        warnings=list(report.warnings)[:most],
        warnings_total=len(report.warnings),
    )


def index_text(result: IndexResult, _: Any, style: Style) -> Iterator[str]:
    notes = style.strong(counted(result.notes, "note"))
    how = ", rebuilt," if result.rebuilt else ""
    vault = style.clean(result.vault)
    yield f"Indexed {notes} of {vault}{how} in {result.seconds:.2f} s"
    names = ("added", "changed", "moved", "removed", "unchanged")
    yield "  " + ", ".join(f"{getattr(result, name):,} {name}" for name in names)
    if result.embedded or result.reused or result.left:
        counts = f"{result.embedded:,} embedded, {result.reused:,} reused"
        left = f", {result.left:,} left" if result.left else ""
        yield f"  passages: {counts}{left}"
    if result.skipped:
        yield f"Skipped {result.skipped_total:,}:"
    by_reason: dict[str, list[str]] = {}
    for skipped in result.skipped:
        by_reason.setdefault(skipped.reason, []).append(skipped.path)
    for reason, paths in sorted(by_reason.items(), key=lambda i: (-len(i[1]), i[0])):
        more = ", ..." if len(paths) > PATHS_SHOWN else ""
        named = style.faint(style.clean(", ".join(paths[:PATHS_SHOWN])) + more)
        yield f"  {len(paths):,} {style.clean(reason)}: {named}"


@operation(
    group="Maintain",
    for_people=index_text,
    command=Command(shows_progress=True),
    route=Route("POST", "/index", fails=(409,), quick=True, job=True),
)
def index(vault: Engine, arguments: IndexArguments, caller: Caller) -> IndexResult:
    """Update the index from the vault."""
    on_cli = caller.surface == "cli"
    try:
        report = vault.index(
            **structs.asdict(arguments)
            | {"paths": [safe_path(path) for path in arguments.paths]},
            reason="index" if on_cli else caller.surface,
            progress=gently(caller.progress) if on_cli else caller.progress,
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(STOPPED) from None
    root = str(vault.config.vault.path)
    return index_result(root, report, None if on_cli else NAMED_FILES)


class StatsResult(NoNotes, Stats, frozen=True, kw_only=True):
    vault: str


def stats_text(stats: StatsResult, _: Any, style: Style) -> Iterator[str]:
    for name in ("notes", "chunks", "tags", "links"):
        yield f"{name.title()} indexed: {style.strong(f'{getattr(stats, name):,}')}"
    yield f"Targets not found: {style.strong(f'{stats.ghosts:,}')}"
    for name in ("headings", "tasks", "attachments"):
        yield f"{name.title()}: {style.strong(f'{getattr(stats, name):,}')}"
    yield f"Notes with problems: {style.strong(f'{stats.troubled:,}')}"
    yield f"Skipped: {style.strong(f'{stats.skipped:,}')}"
    for reason, count in stats.skipped_by_reason.items():
        yield f"  {count:,} {style.clean(reason)}"
    embedded = f"{stats.embedded:,} of {stats.embeddable:,}"
    yield f"Passages embedded: {style.strong(embedded)}"
    if stats.secrets:
        yield f"Notes with hidden credentials: {style.strong(f'{stats.secrets:,}')}"
    yield f"Vault: {style.strong(stats.vault)}"
    size = style.strong(bytes_in_words(stats.index_bytes))
    yield f"Index size: {size} in {style.clean(stats.folder)}"
    yield f"Last indexed: {style.strong(stats.last_run or 'never')}"


@operation(
    group="Maintain",
    for_people=stats_text,
    command=Command(),
    route=Route("GET", "/stats", sets=("core",)),
)
def stats(vault: Engine, _: NoArguments) -> StatsResult:
    """Show how much is indexed."""
    return copied(StatsResult, vault.stats(), vault=str(vault.config.vault.path))


class KeywordStatus(Struct, frozen=True):
    """`behind` counts changes that are not in the keyword index; null means all."""

    behind: int | None


class VectorStatus(Struct, frozen=True, kw_only=True):
    """Chunks with a vector; `former` if other settings made the vectors in use."""

    model: str
    space: str
    covered: int
    total: int
    plain: int
    enriched: int
    behind: int | None
    former: bool


class StatusResult(NoNotes, frozen=True, kw_only=True):
    """The state of the index; names are empty if there is none."""

    text_only = ("lacks_model",)

    vault: str
    notes: int
    chunks: int
    words: KeywordStatus
    vectors: VectorStatus
    writing: str
    embedding: str
    bytes: Mapping[str, int]
    folder: str
    notices: list[str]
    watch: WatchState
    daemon: str
    pairs: PairStatus
    llm: str
    hindsight: str
    secrets: int
    lacks_model: bool


def status_text(status: StatusResult, _: Any, style: Style) -> Iterator[str]:
    vectors = status.vectors
    yield f"Vault: {style.strong(status.vault)}"
    yield f"Notes: {style.strong(f'{status.notes:,}')} in {status.chunks:,} passages"
    yield f"Keywords: {_behind(status.words.behind)}"
    if vectors.space:
        much = style.strong(f"{vectors.covered:,} of {vectors.total:,} passages")
        kinds = f"{vectors.plain:,} plain, {vectors.enriched:,} enriched"
        level = _behind(vectors.behind)
        missing = vectors.total - vectors.covered
        if vectors.behind == 0 and (missing or vectors.former):
            level = _not_embedded(status)
        yield f"Vectors: {much} ({kinds}), {level}"
        yield f"Space: {style.clean(vectors.space)}"
        yield f"Similar notes: {_pairs_text(status.pairs)}"
    else:
        yield "Vectors: none"
    yield f"Model: {style.clean(vectors.model or 'none is chosen')}"
    optional = {
        "Answers": status.llm and f"written by {status.llm}",
        "Hindsight": status.hindsight and f"asks the bank {status.hindsight}",
        "Embedding now": status.embedding,
        "Writing now": status.writing,
        "Credentials": status.secrets
        and f"hidden in {counted(status.secrets, 'note')}",
        "Watch": watch_text(status.watch),
        "Daemon": status.daemon,
    }
    yield from (f"{name}: {style.clean(str(v))}" for name, v in optional.items() if v)
    sizes = [f"{name} {bytes_in_words(size)}" for name, size in status.bytes.items()]
    yield f"Size: {', '.join(sizes)} in {style.clean(status.folder)}"


def _not_embedded(status: StatusResult) -> str:
    if status.vectors.former:
        then = ", and being made again" if status.embedding else ": glassmind index"
        return f"made by former settings{then}"
    follows = status.vectors.model and status.watch.mode != "off"
    follows = follows and not status.lacks_model
    if status.embedding or follows:
        return "the rest is being embedded"
    return "the rest is not embedded yet: glassmind index"


def _behind(changes: int | None) -> str:
    if changes == 0:
        return "up to date"
    return f"{'all' if changes is None else f'{changes:,}'} changes not included yet"


def _pairs_text(pairs: PairStatus) -> str:
    if pairs.threshold is None:
        return "none yet: notes are compared when they are embedded"
    count = counted(pairs.count, "pair")
    text = f"{count} from {pairs.threshold:.2f}, at most {pairs.most} a note"
    if pairs.waiting is None:
        return f"{text}, by another model; to compare again: glassmind index"
    if pairs.waiting:
        return f"{text}, {counted(pairs.waiting, 'note')} not compared yet"
    return f"{text}, up to date"


def watch_text(state: WatchState) -> str:
    if state.mode == "off":
        return "off"
    reason = f" ({state.reason})" if state.reason else ""
    parts = [f"{state.mode}{reason} by process {state.pid}"]
    if state.reconciled:
        parts.append(f"all compared at {state.reconciled[11:19]}")
    if state.pending:
        parts.append(f"{counted(state.pending, 'change')} waiting")
    if state.error:
        parts.append(f"last error: {state.error}")
    return ", ".join(parts)


@operation(
    group="Maintain",
    for_people=status_text,
    command=Command(everyday=True),
    tool=Tool(
        "Index status",
        "Show how current the index is: notes, passages, vectors, work in "
        "progress. Use it when answers seem stale or incomplete.",
        toolset="core",
    ),
)
def status(vault: Engine, _: NoArguments) -> StatusResult:
    """Show how current the index is, and which processes use it."""
    return status_result(vault.status(), str(vault.config.vault.path))


def status_result(found: Status, vault: str) -> StatusResult:
    vectors = copied(
        VectorStatus,
        found.coverage,
        model=found.model,
        space=found.space,
        behind=found.vectors_behind,
        former=found.former,
    )
    return copied(
        StatusResult,
        found,
        vault=vault,
        words=KeywordStatus(found.words_behind),
        vectors=vectors,
        bytes=found.sizes,
    )


class DoctorResult(NoNotes, frozen=True, kw_only=True):
    ok: bool
    checks: list[Check]


def doctor_text(result: DoctorResult, _: Any, style: Style) -> Iterator[str]:
    for check in result.checks:
        blanks = " " * (5 - len(check.state))
        finding = style.clean(check.finding)
        yield f"{style.state(check.state)}{blanks}{check.name}: {finding}"
        if check.fix:
            yield f"     {style.faint(check.fix)}"


def _checked(checks: list[Check]) -> DoctorResult:
    is_sound = all(check.state != "fail" for check in checks)
    return DoctorResult(ok=is_sound, checks=checks)


def _without_config(error: ConfigError) -> DoctorResult:
    is_absent = isinstance(error, VaultAbsent)
    fix = f"mount its disk, or {CHOOSE}" if is_absent else "fix what it names"
    name = "vault" if is_absent else "config"
    return _checked([Check(name, "fail", str(error), fix)])


@operation(
    group="Maintain",
    for_people=doctor_text,
    command=Command(
        exit_code=lambda result, _: 0 if result.ok else USAGE,
        needs_vault=False,
        without_config=_without_config,
    ),
)
def doctor(vault: Engine, _: NoArguments) -> DoctorResult:
    """Check the vault and the index, and say how to fix problems."""
    if "vault.path" in vault.config.origins:
        return _checked(vault.doctor())
    see = "see: glassmind config show --origin"
    warnings = vault.config.warnings
    checks = [Check("config", "warn", warning, see) for warning in warnings]
    none = "none is chosen, and none is around the current folder"
    understood = Check("config", "ok", "every setting is understood")
    return _checked([*(checks or [understood]), Check("vault", "fail", none, CHOOSE)])


class BackupArguments(Arguments):
    file: Annotated[str, arg("A file that does not exist yet.", positional="word")]


class BackupResult(NoNotes, frozen=True, kw_only=True):
    file: str
    bytes: int


@operation(
    group="Maintain",
    for_people=lambda result, _, style: (
        f"The index was copied to {style.clean(result.file)}\n"
    ),
    command=Command(expert=True),
)
def backup(vault: Engine, arguments: BackupArguments) -> BackupResult:
    """Copy the index to a file."""
    file = Path(current_folder(), arguments.file)
    vault.backup(file)
    return BackupResult(file=str(file), bytes=file.stat().st_size)


class RestoreArguments(Arguments):
    file: Annotated[str, arg("A file that glassmind backup wrote.", positional="word")]
    force: Annotated[
        bool, arg("Restore it even if it seems to be of another vault.")
    ] = False


class RestoreResult(NoNotes, frozen=True, kw_only=True):
    text_only = ("notices",)
    file: str
    notices: list[str]


@operation(
    group="Maintain",
    for_people=lambda result, _, style: (
        f"The index was restored from {style.clean(result.file)}; glassmind index "
        "updates it\n"
    ),
    command=Command(expert=True),
)
def restore(vault: Engine, arguments: RestoreArguments) -> RestoreResult:
    """Restore the index from a backup."""
    file = Path(current_folder(), arguments.file)
    problem = vault.restore(file, force=arguments.force)
    notices = [f"the keyword index is not updated yet: {problem}"] if problem else []
    return RestoreResult(file=str(file), notices=notices)


class NamedModelsArguments(Arguments):
    names: Annotated[
        list[str], arg("Presets or models; all means every one.", positional="list")
    ] = ()  # type: ignore[assignment]


class FetchModelsArguments(NamedModelsArguments):
    source: Annotated[
        str, arg("Look in this folder first.", flag="--from", metavar="PATH")
    ] = ""


class ModelsResult(NoNotes, frozen=True, kw_only=True):
    models: list[ModelState]


class FetchedModelsResult(NoNotes, frozen=True, kw_only=True):
    ok: bool
    models: list[ModelFetched]

    def all_notices(self) -> Sequence[str]:
        if not self.models:
            return ["your settings name no model that could be fetched"]
        texts = [
            text for model in self.models for text in (model.notice, model.problem)
        ]
        return [text for text in texts if text]


class CheckedModelsResult(NoNotes, frozen=True, kw_only=True):
    ok: bool
    models: list[ModelCheck]

    def all_notices(self) -> Sequence[str]:
        none = "no model is installed; run: glassmind models fetch"
        return [] if self.models else [none]


def _models_text(result: ModelsResult, _: Any, style: Style) -> Iterator[str]:
    wide = max((len(model.id) for model in result.models), default=0)
    for model in result.models:
        name = style.strong(model.id) + " " * (wide - len(model.id))
        facts = [model.about]
        facts += [f"preset {' or '.join(model.presets)}"] if model.presets else []
        facts += [bytes_in_words(model.bytes)] if model.bytes else []
        sign, text = "*" if model.chosen else " ", ", ".join([*facts, model.licence])
        yield f"{sign} {name}  {model.state:<8} {text}"
    yield style.faint("* is the one that your settings choose.")


def _fetched_text(result: FetchedModelsResult, _: Any, style: Style) -> Iterator[str]:
    for model in result.models:
        how = "was here already" if model.already else f"came from {model.source}"
        if not model.problem:
            yield f"{style.strong(model.id)} {style.clean(how)}"


def _checked_text(result: CheckedModelsResult, _: Any, style: Style) -> Iterator[str]:
    for check in result.models:
        state, name = style.state("ok" if check.ok else "fail"), style.strong(check.id)
        yield f"{state}  {name}: {style.clean(check.finding)}"


def _fetch_exit(result: FetchedModelsResult, arguments: FetchModelsArguments) -> int:
    """Return the exit code; with `all`, some models may be unavailable."""
    some = any(not model.problem for model in result.models)
    return 0 if result.ok or ("all" in arguments.names and some) else MODEL


@operation(
    group="Maintain",
    for_people=_models_text,
    command=Command("models list", usual=True, needs_vault=False),
)
def models(vault: Engine, _: NoArguments) -> ModelsResult:
    """List embedding and reranking models, and which are installed."""
    from glassmind.models import library  # noqa: PLC0415 - ssl

    return ModelsResult(models=library.states(vault.config))


@operation(
    group="Maintain",
    for_people=_fetched_text,
    command=Command(
        "models fetch", exit_code=_fetch_exit, needs_vault=False, shows_progress=True
    ),
)
def fetch_models(
    vault: Engine, arguments: FetchModelsArguments, caller: Caller
) -> FetchedModelsResult:
    """Download models: the one your settings choose, or those you name."""
    from glassmind.models import library  # noqa: PLC0415 - ssl

    source = arguments.source
    local = current_folder() / Path(source).expanduser() if source else None
    if local and not local.exists():
        raise BadValue("source", f"must be a file or folder that exists (got {local})")
    watch = caller.progress or (lambda _: None)
    fetched = library.fetch(vault.config, arguments.names, local=local, watch=watch)
    found = list(fetched)
    return FetchedModelsResult(ok=not any(m.problem for m in found), models=found)


@operation(
    group="Maintain",
    for_people=_checked_text,
    command=Command(
        "models check",
        exit_code=lambda result, _: (
            1 if not result.models else 0 if result.ok else MODEL
        ),
        needs_vault=False,
    ),
)
def check_models(vault: Engine, arguments: NamedModelsArguments) -> CheckedModelsResult:
    """Check the files of installed models, and try each one."""
    from glassmind.models import library  # noqa: PLC0415 - ssl

    checks = library.check(vault.config, arguments.names)
    return CheckedModelsResult(ok=all(check.ok for check in checks), models=checks)
