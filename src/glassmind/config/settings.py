"""Every setting, declared once.

A declaration holds the name, type, default, description, bounds, what an untrusted
vault may do with it, and variables of other tools. Loading, validation, the
environment variables, `glassmind config`, the commented configuration file and the
tables of the documentation derive from it. You (options, variables, your own file) and
a vault that you trust may set everything, except that no vault sets `vault.path`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

from glassmind.config.sources import closest
from glassmind.config.values import (
    AGENT_DIR,
    AgentFolder,
    Folder,
    Host,
    Names,
    Place,
    Rules,
    Secret,
    Setting,
    SettingsSection,
    T,
    Url,
    setting,
)
from glassmind.errors import BadSetting, NoVault
from glassmind.model import MAX_NOTE_BYTES
from glassmind.model.context import May
from glassmind.model.search import MOST_SOURCES

UNDO_DAYS = LOG_DAYS = 90
"""A quarter: long enough to notice what an agent removed or read."""

DAYS = (1, 36_500)
MS = (0, 86_400_000)
SECONDS = (1, 2_592_000)


def tuning(default: T, description: str, most: float = 1_000, least: float = 0) -> T:
    """Declare a number that changes results only, so that any vault may set it."""
    return setting(default, description, (least, most), "any")


class VaultSection(SettingsSection):
    """Which vault to use."""

    path: Folder = setting(
        Path(), "Folder of the vault.", also="VAULT_PATH KG_VAULT_PATH"
    )
    name: str = setting("", "Name; empty: the folder's name.")
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Raise `NoVault` for the path of a vault that was not found."""
            raise NoVault if name == "path" else AttributeError(name)


class Index(SettingsSection):
    """What is indexed, how notes are split, and where the index is stored."""

    include_agent_dir: bool = setting(True, "Index the agent folder.", vault="lower")
    ignore_dirs: Names = setting(
        (".git", ".obsidian", ".trash", "node_modules"),
        "Folders to skip, by name or by path in the vault.",
        vault="add",
    )
    chunk_target_tokens: int = tuning(500, "Target chunk size in tokens.", 100_000, 1)
    chunk_overlap_tokens: int = tuning(80, "Overlap of chunks in tokens.", 100_000)
    chunk_min_chars: int = tuning(200, "Merge chunks with fewer characters.", 1_000_000)
    embed_min_chars: int = tuning(
        50, "Skip shorter chunks, unless a note has no others.", 1_000_000
    )
    max_chunks_per_note: int = setting(
        1000, "Merge chunks of notes that have more.", (1, 1_000_000), "lower"
    )
    max_note_bytes: int = setting(
        MAX_NOTE_BYTES, "Ignore notes with more bytes.", (1, 1 << 31), "lower"
    )
    location: Place = setting(
        "data",
        "Where the index is stored: data (your data folder), vault (the agent "
        "folder's cache), plugin (.obsidian/plugins/glassmind) or a folder.",
        also="DATA_DIR",
    )


class Embeddings(SettingsSection):
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
    model: str = setting("", "Name or folder; else the preset.", also="EMBEDDING_MODEL")
    models_folder: str = setting("", "Folder for model files; empty: your data folder.")
    url: Url = setting(
        "http://localhost:11434", "Model server URL.", also="OLLAMA_URL OLLAMA_BASE_URL"
    )
    api_key: Secret = setting("", "API key of the server.", also="OPENAI_API_KEY")
    allow_remote: bool = setting(False, "Allow sending note text to another machine.")
    dimensions: int = setting(
        0, "Vector width; 0: the model's.", (0, 100_000), also="OLLAMA_EMBEDDING_DIM"
    )
    context_tokens: int = setting(
        0, "Ollama's context; 0: the model's.", (0, 10_000_000), also="OLLAMA_NUM_CTX"
    )
    enrich: bool = setting(False, "Embed every chunk again with text around it.")


class SearchSection(SettingsSection):
    """How results are found and ranked."""

    limit: int = setting(10, "Results if a request sets none.", (1, 10_000), "lower")
    mode: Literal["hybrid", "semantic", "fulltext"] = setting(
        "hybrid",
        "fulltext: keyword search; semantic: semantic search; hybrid: both, and links.",
        vault="any",
    )
    fusion: Literal["minmax", "rrf", "weighted_rrf", "weighted_sum"] = setting(
        "minmax", "How the rankings of the channels are combined.", vault="any"
    )
    rerank: Literal["auto", "on", "off"] = setting(
        "auto", "Rerank the best passages; auto: if tuning found it helps.", vault="any"
    )
    rerank_budget_ms: int = setting(300, "Time limit in ms.", (0, 600_000), "lower")
    balance: float = tuning(0.5, "Semantic share in minmax and weighted_rrf.", 1)
    graph_weight: float = tuning(0.8, "Weight of links in minmax.")
    implicit_weight: float = tuning(0.0, "Weight of similar unlinked notes in minmax.")
    semantic_weight: float = tuning(0.55, "Weight of semantic search in weighted_sum.")
    keyword_weight: float = tuning(0.25, "Weight of keywords in weighted_sum.")
    recency_weight: float = tuning(0.10, "Weight of recent changes in weighted_sum.")
    link_weight: float = tuning(0.05, "Weight of links in weighted_sum.")
    tag_weight: float = tuning(0.05, "Weight of matching tags in weighted_sum.")
    intent_model: str = setting(
        "", "Ollama model to classify queries; empty: none.", also="OLLAMA_INTENT_MODEL"
    )


class HindsightSection(SettingsSection):
    """A Hindsight server that is searched for memories along with the vault."""

    url: Url = setting("", "URL of the server; empty: none.", also="HINDSIGHT_URL")
    bank: str = setting("default", "Memory bank to search.", also="HINDSIGHT_BANK")
    token: Secret = setting("", "Token for the server.", also="HINDSIGHT_TOKEN")
    timeout_s: float = setting(
        2.0, "Seconds that a search waits at most.", (0.1, 60), also="HINDSIGHT_TIMEOUT"
    )
    allow_remote: bool = setting(False, "Send queries and captures to other machines.")
    retain: bool = setting(False, "Send captures to the bank, after any approval.")


class Writes(SettingsSection):
    """What may be written, and what a person must approve first.

    `mode` and `user_notes` are two spellings of one policy; after loading they agree.
    `agent_dir_writable` is derived from the first three settings.
    """

    mode: Literal["off", "agent-only", "propose", "allow"] = setting(
        "propose",
        "What agents may write. off: nothing; agent-only: the agent folder; propose: "
        "other notes after approval; allow: everything.",
        vault="writes",
    )
    user_notes: May = setting(
        "propose", "Agents' edits of notes outside the agent folder.", vault="writes"
    )
    agent_dir: AgentFolder = setting(
        AGENT_DIR,
        "Folder that agents may write freely, or false.",
        vault="own-agent-dir",
    )
    folders: Rules = setting(
        (),
        "Rules that replace user_notes in a folder, such as `Journal=off`; the "
        "innermost folder decides.",
        vault="add-off",
    )
    tags: Rules = setting(
        (), "Stricter rules for a tag, such as `locked=off`.", vault="add-off"
    )
    untrusted: Names = setting((), "Folders and #tags of untrusted notes; empty: all.")
    approve_after_untrusted: bool = setting(
        False,
        "Ask for approval once a client was given untrusted text.",
        vault="higher",
    )
    undo_days: int = setting(UNDO_DAYS, "Days to keep undo data.", DAYS, "higher")
    git_commit: bool = setting(False, "Commit every change with git.", vault="lower")
    agent_dir_writable: bool = True


class Server(SettingsSection):
    """Where `serve` listens; nothing listens unless you start it."""

    host: Host = setting("127.0.0.1", "Address to listen on.", also="MCP_HOST")
    port: int = setting(7331, "Port to listen on.", (1, 65535), also="MCP_PORT")
    transport: Literal["stdio", "http"] = setting(
        "stdio", "Transport of `glassmind mcp`.", also="MCP_TRANSPORT"
    )
    token: Secret = setting("", "Token for clients of `serve`; empty: a generated one.")
    hosts: Names = setting((), "Further host names of `serve`, such as `notes.lan`.")
    origins: Names = setting((), "Further web origins, such as `app://obsidian.md`.")


class Watch(SettingsSection):
    """How a server or `watch` follows changes of the vault."""

    enabled: bool = setting(True, "Watch the vault.", also="!OBSIDIAN_BRAIN_NO_WATCH")
    debounce_ms: int = setting(
        750,
        "Index a file once it has not changed for this long.",
        MS,
        also="OBSIDIAN_BRAIN_WATCH_DEBOUNCE_MS",
    )
    longest_wait_ms: int = setting(
        5_000, "Index a file that keeps changing after this long.", MS
    )
    rescan_s: int = setting(300, "Time between checks of the whole vault.", SECONDS)
    poll_s: int = setting(5, "Polling interval without change events.", SECONDS)
    community_debounce_ms: int = setting(
        60_000,
        "Recompute themes once the vault has not changed for this long.",
        MS,
        also="OBSIDIAN_BRAIN_COMMUNITY_DEBOUNCE_MS",
    )


class GraphSection(SettingsSection):
    """What is derived from the links between notes."""

    theme_resolution: float = tuning(1.0, "Higher: more, smaller themes.", 100, 0.01)
    similarity: float = tuning(
        0.7, "Minimum similarity of suggested notes, scaled to the default model.", 1
    )


class Context(SettingsSection):
    """Context bundles for agents."""

    budget_tokens: int = setting(
        6_000, "Default size of a bundle, in tokens.", (200, 1_000_000), "lower"
    )


class MemorySection(SettingsSection):
    """What agents save in the agent folder, and recorded usage."""

    inbox: Literal["none", "agents", "all"] = setting(
        "agents", "Whose captures wait in the inbox for a person.", vault="higher"
    )
    record_use: bool = setting(True, "Record locally what is retrieved.", vault="lower")
    active_days: int = setting(14, "Days a used project stays active.", DAYS, "any")
    half_life_days: float = tuning(7.0, "Half-life of a note's activity.", 36_500, 0.1)
    hot_weight: float = tuning(0.0, "Largest boost of a hot note.", 0.1)
    pinned_weight: float = tuning(0.0, "Largest boost of a pinned note.", 0.1)


class Llm(SettingsSection):
    """The language model that writes answers; without one, answers quote the notes."""

    backend: Literal["none", "ollama", "openai"] = setting(
        "none", "What writes answers."
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


class Ask(SettingsSection):
    """How questions are answered."""

    sources: int = setting(8, "Passages an answer may use.", (1, MOST_SOURCES), "lower")
    excerpt_chars: int = setting(
        200, "Characters shown of a source.", (20, 100_000), "lower"
    )
    unsupported: Literal["flag", "drop"] = setting(
        "flag", "Mark or remove statements that no quote supports.", vault="higher"
    )


class Access(SettingsSection):
    """What agents may not read, besides notes with `private: true`; the access log."""

    private_folders: Names = setting((), "Folders hidden from agents.", vault="add")
    private_tags: Names = setting(
        (), "Tags whose notes are hidden from agents, with nested tags.", vault="add"
    )
    log: bool = setting(True, "Keep the access log.", vault="higher")
    log_days: int = setting(LOG_DAYS, "Days to keep the access log.", DAYS, "higher")


@dataclass(frozen=True, kw_only=True)
class Config:
    """The settings in force, by section, and where they came from.

    `vault.path` raises `NoVault` if the configuration was loaded without a vault.
    `origins` names the origin of each setting, `files` are the files that were read,
    the strongest first. `index_home` is the user's folder for indexes.
    `from_untrusted_vault` names settings from a vault that the user does not trust.
    `warnings` are sentences about what was ignored.
    """

    vault: VaultSection
    index: Index
    embeddings: Embeddings
    search: SearchSection
    hindsight: HindsightSection
    writes: Writes
    server: Server
    watch: Watch
    graph: GraphSection
    context: Context
    memory: MemorySection
    llm: Llm
    ask: Ask
    access: Access
    origins: Mapping[str, str]
    files: Sequence[Path]
    index_home: Path
    from_untrusted_vault: frozenset[str]
    warnings: Sequence[str]


SECTIONS = {
    section.table_name(): section for section in SettingsSection.__subclasses__()
}
SETTINGS = {s.path: s for table in SECTIONS.values() for s in table.settings.values()}
"""Every setting by its full name, in the order of the reference page."""


def find_setting(path: str, origin: str) -> Setting:
    if path not in SETTINGS:
        hint = closest(path, SETTINGS)
        raise BadSetting(path, origin, f"is not a known setting{hint}")
    return SETTINGS[path]


def settings_in_force(config: Config) -> Iterator[tuple[str, object, str]]:
    """Yield name, value as in JSON and origin of every setting, with secrets hidden."""
    for path, each in SETTINGS.items():
        if origin := config.origins.get(path):
            value = getattr(getattr(config, each.section), each.name)
            writes = config.writes
            if path == "writes.agent_dir" and not writes.agent_dir_writable:
                value = value if writes.mode == "off" else False
            yield path, each.shown(value), origin
