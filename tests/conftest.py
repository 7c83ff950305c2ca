"""What many tests stand on: vaults with an index beside them."""

import ctypes
import gc
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest
from edit_faults_harness import Stages
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.internal.conjecture import providers
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from model_harness import cached_vectors, real_models
from semantic_harness import MeaningHarness, WordModel
from vault_harness import VaultHarness

from glassmind.files.read import VaultFiles
from glassmind.model.vectors import Space
from glassmind.models.cards import MINILM
from glassmind.store.sqlite import schema
from glassmind.vault import Vault

if TYPE_CHECKING:
    pass

EXAMPLES = Path(__file__).parents[1] / ".hypothesis" / "examples"
"""Failing examples of the exploring profile, which later runs replay."""

# A busy machine is slow, and no test should fail by that.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "repeatable", patient, derandomize=True, database=None, max_examples=50
)
settings.register_profile(
    "explore",
    patient,
    derandomize=False,
    database=DirectoryBasedExampleDatabase(EXAMPLES),
    max_examples=500,
    print_blob=True,
)
settings.load_profile("repeatable")  # `--hypothesis-profile=explore` replaces it

SAMPLE = Path(__file__).parents[1] / "sample-vault"

MEMORY = Path("/dev/shm")
"""A folder that is kept in memory, on most Linux machines."""

ROOM_BYTES = 4 << 30
"""What has to be free there and in memory: a guess, well above what tests leave."""


def pytest_configure(config: pytest.Config) -> None:
    """Choose where files go, and let what the tests start hear Ctrl-C.

    An index of a few notes is made some thousand times, and each waits for a disk
    longer than it works. The slow tests stay on the disk, and so does all that is run
    with a TMPDIR of its own.
    """
    if not config.getoption("--hypothesis-profile"):
        # Hypothesis draws constants from our modules that happen to be imported, and
        # these depend on which tests a worker ran before. It has no setting for this.
        known = providers._local_constants
        providers._get_local_constants = lambda: known
    is_fast = not config.option.markexpr.startswith("slow")
    if "TMPDIR" not in os.environ and is_fast and _has_room():
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
    _keep_freed_memory()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without looking for garbage, and never look among them.

    They stay until the end; looking through ten thousand takes a quarter of a second.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _keep_freed_memory() -> None:
    """Let malloc reuse large blocks instead of returning them to the system.

    Each commit of the keyword index takes several megabytes for a moment. Zeroing
    fresh pages for them is a fourth of the CPU time of a small index.
    """
    with suppress(OSError, AttributeError):  # only glibc has it
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(-8, 1)  # M_ARENA_MAX: threads share one heap
        mallopt(-3, 64 << 20)  # M_MMAP_THRESHOLD
        mallopt(-1, 64 << 20)  # M_TRIM_THRESHOLD


def _has_room() -> bool:
    """Whether files of the tests can be kept in memory."""
    try:
        free = shutil.disk_usage(MEMORY).free
        told = Path("/proc/meminfo").read_text("ascii").split("MemAvailable:")[1]
        available = int(told.split()[0]) << 10
    except (OSError, LookupError, ValueError):
        return False
    return os.access(MEMORY, os.W_OK) and min(free, available) > ROOM_BYTES


@pytest.fixture(scope="session", autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder for temporary files that goes with all that killed programs left.

    Its name is short: a socket stands in it.
    """
    tmp_path_factory.getbasetemp()  # where it was: it is looked at after failures
    folder = tempfile.mkdtemp(prefix="glassmind-tests-")
    Path(folder).chmod(0o1777)  # as the one it stands in: some programs are another's
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def schemas_checked_once() -> Iterator[None]:
    """Check the schema of each result once, and not in every call of a tool."""
    check = Draft202012Validator.check_schema
    known: set[str] = set()

    def once(schema: Mapping[str, object], **options: Any) -> None:
        text = json.dumps([schema, options], sort_keys=True, default=repr)
        if text not in known:
            check(schema, **options)
            known.add(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draft202012Validator, "check_schema", once)
        yield


@pytest.fixture(scope="session", autouse=True)
def empty_databases() -> Iterator[None]:
    """Copy the tables of a new index: creating them takes four times longer.

    Tests of the schema itself, and all processes that tests start, create them.
    """
    made = apsw.Connection(":memory:")
    schema.migrate(made)
    migrate = schema.migrate

    def copied(db: apsw.Connection) -> None:
        if schema.version_of(db) or db.execute("select 1 from sqlite_schema").get:
            migrate(db)
            return
        with db.backup("main", made, "main") as copy:
            copy.step()
        epoch = os.urandom(8).hex()
        db.execute("update settings set value = ? where key = 'epoch'", (epoch,))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "migrate", copied)
        yield
    made.close()


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[VaultHarness]:
    """An empty vault, ready to be written and indexed."""
    harness = VaultHarness(tmp_path)
    yield harness
    harness.close()


@pytest.fixture
def meaning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MeaningHarness]:
    """An empty vault with a model of words, whatever the settings name."""
    harness = MeaningHarness(tmp_path)

    def of(_: Vault, space: Space) -> WordModel | None:
        return harness.models.get(space.name)

    monkeypatch.setattr(Vault, "embedder", lambda _: harness.model)
    monkeypatch.setattr(Vault, "embedder_of", of)
    yield harness
    harness.close()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    """The sample vault, indexed once for all that only ask."""
    harness = VaultHarness(tmp_path_factory.mktemp("sample"))
    shutil.copytree(SAMPLE, harness.root, dirs_exist_ok=True)
    harness.index()
    yield harness
    harness.close()


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    """The sample vault with vectors of the default model."""
    models = real_models(MINILM)
    harness = VaultHarness(tmp_path_factory.mktemp("real"))
    shutil.copytree(SAMPLE, harness.root, dirs_exist_ok=True)
    harness.open(embeddings__backend="onnx", embeddings__models_folder=str(models))
    with cached_vectors("sample"):
        assert harness.index().embedded > 100
    yield harness
    harness.close()


@pytest.fixture(scope="session")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    """Vaults where every verb that edits can be tried under a fault."""
    return Stages(tmp_path_factory.mktemp("stages"))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The path of every file read of the vault, in order."""
    seen: list[str] = []
    read = VaultFiles.read

    def counted(
        files: VaultFiles, path: str, *, limit_bytes: int | None = None
    ) -> bytes:
        if not path.startswith("."):  # the rules of ignoring are read every time
            seen.append(path)
        return read(files, path, limit_bytes=limit_bytes)

    monkeypatch.setattr(VaultFiles, "read", counted)
    return seen
