"""Every setting, declared once.

A declaration holds the name, type, default, description, bounds, variables of other
tools, and what an untrusted vault may do with the setting. Loading, validation, the
environment variables, `glassmind config`, the commented configuration file and the
tables of the documentation derive from it. You (options, variables, your own file) and
a vault that you trust may set everything, except that no vault sets `vault.path`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    NoReturn,
    TypeAlias,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
)

from glassmind.config.values import (
    AGENT_DIR,
    AGENT_FOLDER,
    FOLDER,
    HOST,
    PLACE,
    RULES,
    TEXT,
    URL,
    WORD,
    Kind,
    got,
    kind_of,
)
from glassmind.errors import NoVault
from glassmind.types import MAX_NOTE_BYTES
from glassmind.types.questions import MOST_SOURCES
from glassmind.types.verdicts import May

T = TypeVar("T")

VaultRule: TypeAlias = Literal[
    "nothing", "any", "lower", "higher", "true", "false", "short", "add", "add-off",
    "stricter", "stricter-writes", "own-folder", "own-agent-dir",
]  # fmt: skip
"""What an untrusted vault may set; `trust.narrowed` applies the rules."""

Prefix: TypeAlias = Literal["headings", "title", "none"]

UNDO_DAYS = LOG_DAYS = 90
"""A quarter: long enough to notice what an agent removed or read."""

DAYS = (1, 36_500)
MILLISECONDS = (0, 86_400_000)
SECONDS = (1, 2_592_000)


class Setting(NamedTuple):
    """The declaration of one setting.

    `aliases` are variables of other tools, read if our own is not set; one that begins
    with `!` means the opposite. `vault` is the rule for values from untrusted vaults.
    """

    default: Any
    description: str
    bounds: tuple[float, float] | None
    kind: Kind
    aliases: Sequence[str]
    vault: VaultRule
    secret: bool
    section: str = ""
    name: str = ""
    choices: Sequence[str] = ()

    @property
    def path(self) -> str:
        """The full name, such as `search.limit`."""
        return f"{self.section}.{self.name}"

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"GLASSMIND_{self.section}_{self.name}".upper()

    def parse(self, raw: object, base: Path, *, is_text: bool = False) -> object:
        """Return the checked value; relative paths start at `base`.

        `is_text` marks values of variables and options, which are written as text.

        Raises:
            ValueError: with a phrase that completes "search.limit ...".
        """
        try:
            if is_text and isinstance(raw, str):
                raw = self.kind.from_text(raw)
            value = self.kind.read(raw, base)
        except OverflowError:
            raise ValueError("is too large") from None
        if value is None:
            received = "" if self.secret else f" {got(raw)}"
            raise ValueError(f"must be {self.kind.expected}{received}")
        if self.kind is URL and self.default and not value:
            raise ValueError("must not be empty")
        if self.choices and value not in self.choices:
            expected = ", ".join(self.choices)
            raise ValueError(f"must be one of {expected} {got(value)}")
        if self.bounds and isinstance(value, int | float):
            least, most = self.bounds
            if not least <= value <= most:
                limit = f"{least} or more" if value < least else f"{most} or less"
                raise ValueError(f"must be {limit} {got(value)}")
        return value


def setting(  # noqa: PLR0913 - a declaration names its facts
    default: T,
    description: str,
    bounds: tuple[float, float] | None = None,
    *,
    kind: Kind = TEXT,
    also: str = "",
    vault: VaultRule = "nothing",
    secret: bool = False,
) -> T:
    """Declare a field of a section; `also` are its aliases, separated by blanks."""
    facts = (default, description, bounds, kind, also.split(), vault, secret)
    return cast("T", Setting(*facts))


def _weight(default: float, description: str) -> float:
    return setting(default, description, (0, 1_000), vault="any")


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Frozen:
    """A value whose fields are given once, by name.

    Like a frozen dataclass, but 14 of those would add 25 ms to every start.
    """

    def __init__(self, **fields: object) -> None:
        if unknown := fields.keys() - type(self).__annotations__.keys():
            raise TypeError(f"{type(self).__name__} has no field {min(unknown)}")
        vars(self).update(fields)

    def _refuse(self, name: str, _: object = None) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    __setattr__ = __delattr__ = _refuse

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        shown = (f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({', '.join(shown)})"


class Section(Frozen):
    """A table of the configuration; its fields are the settings in it."""

    settings: ClassVar[Mapping[str, Setting]]

    def __init_subclass__(cls) -> None:
        """Complete the declarations with their names, types and choices."""
        cls.settings, section = {}, cls.__name__.lower()
        for name, annotation in cls.__annotations__.items():
            each = vars(cls)[name]
            if isinstance(each, Setting):
                delattr(cls, name)
                kind = each.kind if each.kind is not TEXT else kind_of(annotation)
                choices = get_args(annotation) if kind in (TEXT, WORD) else ()
                each = each._replace(section=section, name=name)
                cls.settings[name] = each._replace(kind=kind, choices=choices)

    def __init__(self, **fields: object) -> None:
        settings = self.settings.items()
        defaults = {name: each.default for name, each in settings if name != "path"}
        super().__init__(**defaults | fields)

    def __repr__(self) -> str:
        # Configurations end up in logs, and a URL may contain a password.
        shown = (
            f"{name}={vars(self).get(name)!r}"
            for name, each in self.settings.items()
            if not each.secret and each.kind is not URL
        )
        return f"{type(self).__name__}({', '.join(shown)})"


class Vault(Section):
    """Which vault to use."""

    path: Path = setting(
        Path(),
        "Folder of the vault, relative to the file that sets it.",
        kind=FOLDER,
        also="VAULT_PATH KG_VAULT_PATH",
        vault="own-folder",
    )
    name: str = setting(
        "", "Name of the vault; empty: its folder's name.", vault="short"
    )

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Raise `NoVault` for the path of a vault that was not found."""
            raise NoVault if name == "path" else AttributeError(name)


class Index(Section):
    """What is indexed, how notes are split, and where the index is stored."""

    include_agent_dir: bool = setting(True, "Index the agent folder.", vault="false")
    ignore_dirs: tuple[str, ...] = setting(
        (".git", ".obsidian", ".trash", "node_modules"),
        "Folders to skip, by name or by path in the vault.",
        vault="add",
    )
    chunk_target_tokens: int = setting(
        500, "Target size of a chunk, in tokens.", (1, 100_000), vault="any"
    )
    chunk_overlap_tokens: int = setting(
        80, "Tokens repeated from the chunk before.", (0, 100_000), vault="any"
    )
    chunk_min_chars: int = setting(
        200, "Merge chunks with fewer characters.", (0, 1_000_000), vault="any"
    )
    embed_min_chars: int = setting(
        50,
        "Chunks with fewer characters get no vector if their note has longer ones.",
        (0, 1_000_000),
        vault="any",
    )
    max_chunks_per_note: int = setting(
        1000, "Merge chunks of notes that have more.", (1, 1_000_000), vault="lower"
    )
    max_note_bytes: int = setting(
        MAX_NOTE_BYTES,
        "Notes with more bytes are not indexed, read or edited.",
        (1, 1 << 31),
        vault="lower",
    )
    location: str = setting(
        "data",
        'Where the index is stored: "data" (your data folder), "vault" (the agent '
        'folder\'s cache), "plugin" (.obsidian/plugins/glassmind) or a folder.',
        kind=PLACE,
        also="DATA_DIR",
    )


class Embeddings(Section):
    """The model that turns text into vectors."""

    backend: Literal[
        "onnx", "static", "ollama", "openai", "smart-connections", "none"
    ] = setting(
        "onnx",
        "What computes vectors: a model in this process (onnx, static), a model "
        "server, the Smart Connections plugin, or nothing.",
        also="EMBEDDING_PROVIDER",
    )
    preset: Literal[
        "english", "english-quality", "balanced", "fastest", "multilingual"
    ] = setting(
        "english",
        "Model by purpose.",
        kind=WORD,
        also="EMBEDDING_PRESET",
        vault="any",
    )
    model: str = setting(
        "", "Model, by name or folder; empty: by preset.", also="EMBEDDING_MODEL"
    )
    models_folder: str = setting("", "Folder for model files; empty: your data folder.")
    url: str = setting(
        "http://localhost:11434",
        "URL of Ollama or another model server.",
        kind=URL,
        also="OLLAMA_URL OLLAMA_BASE_URL",
    )
    api_key: str = setting(
        "", "API key of the server.", also="OPENAI_API_KEY", secret=True
    )
    allow_remote: bool = setting(
        False, "Allow sending note text to a URL that is not this machine."
    )
    dimensions: int = setting(
        0,
        "Vector width of a server's model; 0: what the model reports.",
        (0, 100_000),
        also="OLLAMA_EMBEDDING_DIM",
    )
    context_tokens: int = setting(
        0,
        "Context size to request from Ollama; 0: the model's own.",
        (0, 10_000_000),
        also="OLLAMA_NUM_CTX",
    )
    prefix: Prefix = setting(
        "headings",
        "What is embedded before a chunk: title and headings, the title, or nothing.",
        vault="any",
    )
    enrich: bool = setting(
        False, "Embed every chunk a second time, with some text around it."
    )


class Search(Section):
    """How results are found and ranked."""

    limit: int = setting(
        10, "Results if a request sets no limit.", (1, 10_000), vault="lower"
    )
    mode: Literal["hybrid", "semantic", "fulltext"] = setting(
        "hybrid",
        "By keywords, meaning and links (hybrid), meaning alone (semantic) or keywords "
        "alone (fulltext).",
        vault="any",
    )
    fusion: Literal["minmax", "rrf", "weighted_rrf", "weighted_sum"] = setting(
        "minmax", "How the rankings of the channels are combined.", vault="any"
    )
    rerank: Literal["auto", "on", "off"] = setting(
        "auto", "Rerank the best passages; auto: if tuning found it helps.", vault="any"
    )
    rerank_budget_ms: int = setting(
        300, "Stop reranking after this many ms.", (0, 600_000), vault="lower"
    )
    balance: float = setting(
        0.5, "Share of meaning in minmax and weighted_rrf.", (0, 1), vault="any"
    )
    graph_weight: float = _weight(0.8, "Weight of links in minmax.")
    implicit_weight: float = _weight(0.0, "Weight of similar unlinked notes in minmax.")
    semantic_weight: float = _weight(0.55, "Weight of meaning in weighted_sum.")
    keyword_weight: float = _weight(0.25, "Weight of keywords in weighted_sum.")
    recency_weight: float = _weight(0.10, "Weight of recent changes in weighted_sum.")
    link_weight: float = _weight(0.05, "Weight of links in weighted_sum.")
    tag_weight: float = _weight(0.05, "Weight of matching tags in weighted_sum.")
    intent_model: str = setting(
        "", "Ollama model to classify queries; empty: none.", also="OLLAMA_INTENT_MODEL"
    )


class Hindsight(Section):
    """A Hindsight server that is searched for memories along with the vault."""

    url: str = setting(
        "", "URL of the server; empty: none.", kind=URL, also="HINDSIGHT_URL"
    )
    bank: str = setting("default", "Memory bank to search.", also="HINDSIGHT_BANK")
    token: str = setting(
        "", "Token for the server.", also="HINDSIGHT_TOKEN", secret=True
    )
    timeout_s: float = setting(
        2.0, "Seconds that a search waits at most.", (0.1, 60), also="HINDSIGHT_TIMEOUT"
    )
    allow_remote: bool = setting(
        False, "Allow sending queries and captures to a URL that is not this machine."
    )
    retain: bool = setting(False, "Send captures to the bank, after any approval.")


class Writes(Section):
    """What may be written, and what a person must approve first.

    `mode` and `user_notes` are two spellings of one policy; after loading they agree.
    `agent_dir_writable` is derived from the first three settings.
    """

    mode: Literal["off", "agent-only", "propose", "allow"] = setting(
        "propose",
        "off: write nothing; agent-only: the agent folder; propose: also proposals for "
        "other notes; allow: other notes directly.",
        vault="stricter-writes",
    )
    user_notes: May = setting(
        "propose",
        "The same for notes outside the agent folder.",
        vault="stricter-writes",
    )
    agent_dir: str = setting(
        AGENT_DIR,
        "Folder that agents may write freely; true: .agent, false: none.",
        kind=AGENT_FOLDER,
        vault="own-agent-dir",
    )
    folders: tuple[str, ...] = setting(
        (),
        "Rules that replace user_notes in a folder, such as `Journal=off`; the "
        "innermost folder decides.",
        kind=RULES,
        vault="add-off",
    )
    tags: tuple[str, ...] = setting(
        (),
        "Rules for notes with a tag, such as `locked=off`, used if they are stricter.",
        kind=RULES,
        vault="add-off",
    )
    untrusted: tuple[str, ...] = setting(
        (), "Folders and #tags of notes with untrusted text; empty: all notes."
    )
    approve_after_untrusted: bool = setting(
        False, "Ask for approval once a client was given untrusted text.", vault="true"
    )
    undo_days: int = setting(
        UNDO_DAYS, "Days for which changes can be undone.", DAYS, vault="higher"
    )
    git_commit: bool = setting(
        False, "Commit every change to the vault's git repository.", vault="false"
    )
    agent_dir_writable: bool = True


class Server(Section):
    """Where `serve` listens; nothing listens unless you start it."""

    host: str = setting(
        "127.0.0.1", "Address to listen on.", kind=HOST, also="MCP_HOST"
    )
    port: int = setting(7331, "Port to listen on.", (1, 65535), also="MCP_PORT")
    transport: Literal["stdio", "http"] = setting(
        "stdio", "Transport of `glassmind mcp`.", also="MCP_TRANSPORT"
    )
    token: str = setting(
        "", "Token for clients of `serve`; empty: a generated one.", secret=True
    )
    hosts: tuple[str, ...] = setting(
        (), "Further host names of `serve`, such as `notes.lan`."
    )
    origins: tuple[str, ...] = setting(
        (), "Other web origins that may call `serve`, such as `app://obsidian.md`."
    )


class Watch(Section):
    """How a server or `watch` follows changes of the vault."""

    enabled: bool = setting(
        True, "Watch the vault for changes.", also="!OBSIDIAN_BRAIN_NO_WATCH"
    )
    debounce_ms: int = setting(
        750,
        "Index a file once it has not changed for this long.",
        MILLISECONDS,
        also="OBSIDIAN_BRAIN_WATCH_DEBOUNCE_MS",
    )
    longest_wait_ms: int = setting(
        5_000, "Index a file that keeps changing after this long.", MILLISECONDS
    )
    rescan_s: int = setting(
        300, "Time between comparisons of the whole vault.", SECONDS
    )
    poll_s: int = setting(
        5, "Polling interval if the system reports no changes.", SECONDS
    )
    community_debounce_ms: int = setting(
        60_000,
        "Recompute themes once the vault has not changed for this long.",
        MILLISECONDS,
        also="OBSIDIAN_BRAIN_COMMUNITY_DEBOUNCE_MS",
    )


class Graph(Section):
    """What is derived from the links between notes."""

    theme_resolution: float = setting(
        1.0, "Higher values give more, smaller themes.", (0.01, 100), vault="any"
    )
    similarity: float = setting(
        0.7,
        "Least similarity of suggested unlinked notes: a cosine of the default model, "
        "rescaled for other models.",
        (0, 1),
        vault="any",
    )


class Context(Section):
    """Context bundles for agents."""

    budget_tokens: int = setting(
        6_000, "Default size of a bundle, in tokens.", (200, 1_000_000), vault="lower"
    )


class Memory(Section):
    """What agents save in the agent folder, and recorded usage."""

    layout: Literal["notes", "project"] = setting(
        "notes", "One note per capture, or per project and kind.", vault="any"
    )
    inbox: Literal["none", "agents", "all"] = setting(
        "agents",
        "Which captures wait in the inbox for a person: those of agents, all or none.",
        vault="stricter",
    )
    record_use: bool = setting(
        True, "Record in your data folder what was retrieved.", vault="false"
    )
    active_days: int = setting(
        14, "Days for which a used project stays active.", DAYS, vault="any"
    )
    half_life_days: float = setting(
        7.0, "Half-life of a note's activity, in days.", (0.1, 36_500), vault="any"
    )
    hot_weight: float = setting(
        0.0, "Largest search boost of a hot note.", (0, 0.1), vault="any"
    )
    pinned_weight: float = setting(
        0.0, "Largest search boost of a pinned note.", (0, 0.1), vault="any"
    )


class Llm(Section):
    """The language model that writes answers; without one, answers quote the notes."""

    backend: Literal["none", "ollama", "openai"] = setting(
        "none", "What writes answers: Ollama, an OpenAI-compatible server, or nothing."
    )
    model: str = setting("llama3.2", "Name of the model.")
    url: str = setting("", "URL of its server; empty: `embeddings.url`.", kind=URL)
    api_key: str = setting("", "API key of the server.", secret=True)
    allow_remote: bool = setting(
        False, "Allow sending note text to a URL that is not this machine."
    )
    temperature: float = setting(
        0.7, "Sampling temperature; 0: always the likeliest token.", (0, 2)
    )
    timeout_s: float = setting(
        120.0, "Give up on an answer after this many seconds.", (1, 3_600)
    )
    context_tokens: int = setting(
        8_192, "Tokens of prompt and answer together.", (1_024, 10_000_000)
    )
    answer_tokens: int = setting(
        800, "Maximum length of an answer, in tokens.", (64, 1_000_000)
    )


class Ask(Section):
    """How questions are answered."""

    sources: int = setting(
        8, "Most passages that an answer uses.", (1, MOST_SOURCES), vault="lower"
    )
    excerpt_chars: int = setting(
        200, "Characters of a source to show.", (20, 100_000), vault="lower"
    )
    unsupported: Literal["flag", "drop"] = setting(
        "flag",
        "Mark a model's statements that no quote supports (flag), or omit them (drop).",
        vault="stricter",
    )


class Access(Section):
    """What agents may not read, besides notes with `private: true`; the access log."""

    private_folders: tuple[str, ...] = setting(
        (),
        "Folders whose notes are hidden from agents, such as `Journal`.",
        vault="add",
    )
    private_tags: tuple[str, ...] = setting(
        (), "Tags whose notes are hidden from agents, with nested tags.", vault="add"
    )
    log: bool = setting(
        True, "Record in your data folder which client was given what.", vault="true"
    )
    log_days: int = setting(
        LOG_DAYS, "Days for which that record is kept.", DAYS, vault="higher"
    )


class Config(Frozen):
    """The settings in force, by section, and where each came from.

    `vault.path` raises `NoVault` if the configuration was loaded without a vault.
    """

    vault: Vault = Vault()
    index: Index = Index()
    embeddings: Embeddings = Embeddings()
    search: Search = Search()
    hindsight: Hindsight = Hindsight()
    writes: Writes = Writes()
    server: Server = Server()
    watch: Watch = Watch()
    graph: Graph = Graph()
    context: Context = Context()
    memory: Memory = Memory()
    llm: Llm = Llm()
    ask: Ask = Ask()
    access: Access = Access()

    origins: Mapping[str, str] = {}
    """Where the value of each setting came from, by full name."""

    files: Sequence[Path] = ()
    """The files that were read, in order of precedence."""

    index_home: Path = Path()
    """The user's folder for indexes; see `places.index_locations`."""

    from_untrusted_vault: frozenset[str] = frozenset()
    """Settings whose value came from a vault that the user does not trust."""

    warnings: Sequence[str] = ()
    """What was ignored and why, in sentences for the user."""


SECTIONS: Mapping[str, type[Section]] = {
    name: section
    for name, section in Config.__annotations__.items()
    if isinstance(section, type) and issubclass(section, Section)
}

SETTINGS: Mapping[str, Setting] = {
    each.path: each
    for section in SECTIONS.values()
    for each in section.settings.values()
}
"""Every setting by its full name, in the order of the reference page."""
