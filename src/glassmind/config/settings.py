"""Every setting, declared once.

A declaration holds the name, type, default, description, bounds, what an untrusted
vault may do with it, and variables of other tools. Loading, validation, the
environment variables, `glassmind config`, the commented configuration file and the
tables of the documentation derive from it. You (options, variables, your own file) and
a vault that you trust may set everything, except that no vault sets `vault.path`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

from glassmind.config.sources import closest
from glassmind.config.values import (
    AGENT_DIR,
    AGENT_FOLDER,
    AgentFolder,
    Folder,
    Host,
    Names,
    Place,
    Rules,
    Secret,
    Section,
    Setting,
    Url,
    setting,
)
from glassmind.errors import BadSetting, NoVault
from glassmind.types import MAX_NOTE_BYTES
from glassmind.types.questions import MOST_SOURCES
from glassmind.types.verdicts import May

Prefix: TypeAlias = Literal["headings", "title", "none"]

UNDO_DAYS = LOG_DAYS = 90
"""A quarter: long enough to notice what an agent removed or read."""

DAYS = (1, 36_500)
MILLISECONDS = (0, 86_400_000)
SECONDS = (1, 2_592_000)


def weight(default: float, description: str) -> float:
    return setting(default, description, (0, 1_000), "any")


class Vault(Section):
    """Which vault to use."""

    path: Folder = setting(
        Path(),
        "Folder of the vault, relative to the file that sets it.",
        also="VAULT_PATH KG_VAULT_PATH",
    )
    name: str = setting("", "Name; empty: the folder's name.", vault="short")
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Raise `NoVault` for the path of a vault that was not found."""
            raise NoVault if name == "path" else AttributeError(name)


class Index(Section):
    """What is indexed, how notes are split, and where the index is stored."""

    include_agent_dir: bool = setting(True, "Index the agent folder.", vault="false")
    ignore_dirs: Names = setting(
        (".git", ".obsidian", ".trash", "node_modules"),
        "Folders to skip, by name or by path in the vault.",
        vault="add",
    )
    chunk_target_tokens: int = setting(
        500, "Target size of a chunk, in tokens.", (1, 100_000), "any"
    )
    chunk_overlap_tokens: int = setting(
        80, "Tokens repeated from the chunk before.", (0, 100_000), "any"
    )
    chunk_min_chars: int = setting(
        200, "Merge chunks with fewer characters.", (0, 1_000_000), "any"
    )
    embed_min_chars: int = setting(
        50,
        "Chunks with fewer characters get no vector if their note has longer ones.",
        (0, 1_000_000),
        "any",
    )
    max_chunks_per_note: int = setting(
        1000, "Merge chunks of notes that have more.", (1, 1_000_000), "lower"
    )
    max_note_bytes: int = setting(
        MAX_NOTE_BYTES, "Ignore notes with more bytes.", (1, 1 << 31), "lower"
    )
    location: Place = setting(
        "data",
        "Where the index is stored: `data` (your data folder), `vault` (the agent "
        "folder's cache), `plugin` (.obsidian/plugins/glassmind) or a folder.",
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
    ] = setting("english", "Model by purpose.", vault="any", also="EMBEDDING_PRESET")
    model: str = setting(
        "", "Model, by name or folder; empty: by preset.", also="EMBEDDING_MODEL"
    )
    models_folder: str = setting("", "Folder for model files; empty: your data folder.")
    url: Url = setting(
        "http://localhost:11434",
        "URL of Ollama or another model server.",
        also="OLLAMA_URL OLLAMA_BASE_URL",
    )
    api_key: Secret = setting("", "API key of the server.", also="OPENAI_API_KEY")
    allow_remote: bool = setting(False, "Allow sending note text to another machine.")
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
    enrich: bool = setting(False, "Embed every chunk again with text around it.")


class Search(Section):
    """How results are found and ranked."""

    limit: int = setting(10, "Results if a request sets none.", (1, 10_000), "lower")
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
        300, "Stop reranking after this many ms.", (0, 600_000), "lower"
    )
    balance: float = setting(
        0.5, "Share of meaning in minmax and weighted_rrf.", (0, 1), "any"
    )
    graph_weight: float = weight(0.8, "Weight of links in minmax.")
    implicit_weight: float = weight(0.0, "Weight of similar unlinked notes in minmax.")
    semantic_weight: float = weight(0.55, "Weight of meaning in weighted_sum.")
    keyword_weight: float = weight(0.25, "Weight of keywords in weighted_sum.")
    recency_weight: float = weight(0.10, "Weight of recent changes in weighted_sum.")
    link_weight: float = weight(0.05, "Weight of links in weighted_sum.")
    tag_weight: float = weight(0.05, "Weight of matching tags in weighted_sum.")
    intent_model: str = setting(
        "", "Ollama model to classify queries; empty: none.", also="OLLAMA_INTENT_MODEL"
    )


class Hindsight(Section):
    """A Hindsight server that is searched for memories along with the vault."""

    url: Url = setting("", "URL of the server; empty: none.", also="HINDSIGHT_URL")
    bank: str = setting("default", "Memory bank to search.", also="HINDSIGHT_BANK")
    token: Secret = setting("", "Token for the server.", also="HINDSIGHT_TOKEN")
    timeout_s: float = setting(
        2.0, "Seconds that a search waits at most.", (0.1, 60), also="HINDSIGHT_TIMEOUT"
    )
    allow_remote: bool = setting(
        False, "Allow sending queries and captures to another machine."
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
        "propose", "The same for all other notes.", vault="stricter-writes"
    )
    agent_dir: AgentFolder = setting(
        AGENT_DIR,
        "Folder that agents may write freely; true: .agent, false: none.",
        vault="own-agent-dir",
    )
    folders: Rules = setting(
        (),
        "Rules that replace user_notes in a folder, such as `Journal=off`; the "
        "innermost folder decides.",
        vault="add-off",
    )
    tags: Rules = setting(
        (),
        "Stricter rules for notes with a tag, such as `locked=off`.",
        vault="add-off",
    )
    untrusted: Names = setting((), "Folders and #tags of untrusted notes; empty: all.")
    approve_after_untrusted: bool = setting(
        False, "Ask for approval once a client was given untrusted text.", vault="true"
    )
    undo_days: int = setting(UNDO_DAYS, "Days to keep undo data.", DAYS, "higher")
    git_commit: bool = setting(False, "Commit every change with git.", vault="false")
    agent_dir_writable: bool = True


class Server(Section):
    """Where `serve` listens; nothing listens unless you start it."""

    host: Host = setting("127.0.0.1", "Address to listen on.", also="MCP_HOST")
    port: int = setting(7331, "Port to listen on.", (1, 65535), also="MCP_PORT")
    transport: Literal["stdio", "http"] = setting(
        "stdio", "Transport of `glassmind mcp`.", also="MCP_TRANSPORT"
    )
    token: Secret = setting("", "Token for clients of `serve`; empty: a generated one.")
    hosts: Names = setting((), "Further host names of `serve`, such as `notes.lan`.")
    origins: Names = setting((), "Further web origins, such as `app://obsidian.md`.")


class Watch(Section):
    """How a server or `watch` follows changes of the vault."""

    enabled: bool = setting(True, "Watch the vault.", also="!OBSIDIAN_BRAIN_NO_WATCH")
    debounce_ms: int = setting(
        750,
        "Index a file once it has not changed for this long.",
        MILLISECONDS,
        also="OBSIDIAN_BRAIN_WATCH_DEBOUNCE_MS",
    )
    longest_wait_ms: int = setting(
        5_000, "Index a file that keeps changing after this long.", MILLISECONDS
    )
    rescan_s: int = setting(300, "Time between checks of the whole vault.", SECONDS)
    poll_s: int = setting(5, "Polling interval without change events.", SECONDS)
    community_debounce_ms: int = setting(
        60_000,
        "Recompute themes once the vault has not changed for this long.",
        MILLISECONDS,
        also="OBSIDIAN_BRAIN_COMMUNITY_DEBOUNCE_MS",
    )


class Graph(Section):
    """What is derived from the links between notes."""

    theme_resolution: float = setting(
        1.0, "Higher values give more, smaller themes.", (0.01, 100), "any"
    )
    similarity: float = setting(
        0.7,
        "Least similarity of suggested unlinked notes: a cosine of the default model, "
        "rescaled for other models.",
        (0, 1),
        "any",
    )


class Context(Section):
    """Context bundles for agents."""

    budget_tokens: int = setting(
        6_000, "Default size of a bundle, in tokens.", (200, 1_000_000), "lower"
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
    record_use: bool = setting(True, "Record locally what is retrieved.", vault="false")
    active_days: int = setting(14, "Days a used project stays active.", DAYS, "any")
    half_life_days: float = setting(
        7.0, "Half-life of a note's activity, in days.", (0.1, 36_500), "any"
    )
    hot_weight: float = setting(0.0, "Largest boost of a hot note.", (0, 0.1), "any")
    pinned_weight: float = setting(
        0.0, "Largest boost of a pinned note.", (0, 0.1), "any"
    )


class Llm(Section):
    """The language model that writes answers; without one, answers quote the notes."""

    backend: Literal["none", "ollama", "openai"] = setting(
        "none", "What writes answers: Ollama, an OpenAI-compatible server, or nothing."
    )
    model: str = setting("llama3.2", "Name of the model.")
    url: Url = setting("", "URL of its server; empty: `embeddings.url`.")
    api_key: Secret = setting("", "API key of the server.")
    allow_remote: bool = setting(False, "Allow sending note text to another machine.")
    temperature: float = setting(0.7, "Sampling temperature; 0: greedy.", (0, 2))
    timeout_s: float = setting(120.0, "Seconds to wait for an answer.", (1, 3_600))
    context_tokens: int = setting(
        8_192, "Tokens of prompt and answer.", (1_024, 10_000_000)
    )
    answer_tokens: int = setting(800, "Longest answer, in tokens.", (64, 1_000_000))


class Ask(Section):
    """How questions are answered."""

    sources: int = setting(8, "Passages an answer may use.", (1, MOST_SOURCES), "lower")
    excerpt_chars: int = setting(
        200, "Characters shown of a source.", (20, 100_000), "lower"
    )
    unsupported: Literal["flag", "drop"] = setting(
        "flag",
        "Mark a model's statements that no quote supports (flag), or omit them (drop).",
        vault="stricter",
    )


class Access(Section):
    """What agents may not read, besides notes with `private: true`; the access log."""

    private_folders: Names = setting(
        (), "Folders hidden from agents, such as `Journal`.", vault="add"
    )
    private_tags: Names = setting(
        (), "Tags whose notes are hidden from agents, with nested tags.", vault="add"
    )
    log: bool = setting(
        True, "Record in your data folder which client was given what.", vault="true"
    )
    log_days: int = setting(
        LOG_DAYS, "Days for which that record is kept.", DAYS, vault="higher"
    )


@dataclass(frozen=True, kw_only=True)
class Config:
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

    origins: Mapping[str, str] = field(default_factory=dict)
    """Where the value of each setting came from, by full name."""

    files: Sequence[Path] = ()
    """The files that were read, in order of precedence."""

    index_home: Path = Path()
    """The user's folder for indexes; see `store.place.index_locations`."""

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


def find_setting(path: str, origin: str) -> Setting:
    """Return a setting by its full name; raises `BadSetting` if there is none."""
    if path not in SETTINGS:
        hint = closest(path, SETTINGS)
        raise BadSetting(path, origin, f"is not a known setting{hint}")
    return SETTINGS[path]


def settings_in_force(config: Config) -> Iterator[tuple[str, object, str]]:
    """Yield name, value as in JSON and origin of every setting, with secrets hidden.

    `vault.path` is left out if no vault was found.
    """
    for path, each in SETTINGS.items():
        if origin := config.origins.get(path):
            value = getattr(getattr(config, each.section), each.name)
            writes = config.writes
            if each.kind is AGENT_FOLDER and not writes.agent_dir_writable:
                value = value if writes.mode == "off" else False
            yield path, each.shown(value), origin
