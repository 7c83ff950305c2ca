"""Every setting, by section: type, default, bounds and one line of meaning."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from glassmind.config.access_sections import Access
from glassmind.config.ask_sections import Ask, Hindsight, Llm
from glassmind.config.keys import Frozen, Key, Section, key
from glassmind.config.memory_sections import Context, Memory
from glassmind.config.vault_rules import (
    ADDED,
    ANYTHING,
    AT_MOST,
    ONLY_FALSE,
    OWN_FOLDER,
    SHORT_NAME,
)
from glassmind.config.write_sections import Writes
from glassmind.types import MAX_NOTE_BYTES

Backend: TypeAlias = Literal[
    "onnx", "static", "ollama", "openai", "smart-connections", "none"
]
Prefix: TypeAlias = Literal["headings", "title", "none"]
Mode: TypeAlias = Literal["hybrid", "semantic", "fulltext"]
Rerank: TypeAlias = Literal["auto", "on", "off"]
Fusion: TypeAlias = Literal["minmax", "rrf", "weighted_rrf", "weighted_sum"]
Transport: TypeAlias = Literal["stdio", "http"]


class Vault(Section, title="vault"):
    """Which vault is meant."""

    path: Path = key(
        Path(),
        "The folder of the vault; relative to the file that says so.",
        kind="folder",
        aliases=("VAULT_PATH", "KG_VAULT_PATH"),
        from_vault=OWN_FOLDER,
    )
    name: str = key(
        "",
        "What the vault is called; empty means the folder's name.",
        from_vault=SHORT_NAME,
    )


class Index(Section, title="index"):
    """What is indexed, how it is cut, where the index stands."""

    include_agent_dir: bool = key(
        True, "Index the agent folder's notes too.", from_vault=ONLY_FALSE
    )
    ignore_dirs: tuple[str, ...] = key(
        (".git", ".obsidian", ".trash", "node_modules"),
        "Folders that are not read, by name or by path from the vault.",
        from_vault=ADDED,
    )
    chunk_target_tokens: int = key(
        500, "Tokens a chunk aims for.", least=1, most=100_000, from_vault=ANYTHING
    )
    chunk_overlap_tokens: int = key(
        80,
        "Tokens a chunk repeats of the one before it; below the target.",
        least=0,
        most=100_000,
        from_vault=ANYTHING,
    )
    chunk_min_chars: int = key(
        200,
        "Characters below which a chunk joins its neighbour.",
        least=0,
        most=1_000_000,
        from_vault=ANYTHING,
    )
    embed_min_chars: int = key(
        50,
        "Characters below which a chunk gets no vector, if its note has longer ones.",
        least=0,
        most=1_000_000,
        from_vault=ANYTHING,
    )
    max_chunks_per_note: int = key(
        1000,
        "Chunks that a note has at most; of a longer one neighbours are joined.",
        least=1,
        most=1_000_000,
        from_vault=AT_MOST,
    )
    max_note_bytes: int = key(
        MAX_NOTE_BYTES,
        "Bytes above which a note is neither indexed, read nor edited.",
        least=1,
        most=1 << 31,
        from_vault=AT_MOST,
    )
    location: str = key(
        "data",
        'Where the index stands: "data" (your data folder), "vault" (the agent '
        'folder\'s cache), "plugin" (.obsidian/plugins/glassmind) or a folder.',
        kind="place",
        aliases=("DATA_DIR",),
    )


class Embeddings(Section, title="embeddings"):
    """What turns text into vectors."""

    backend: Backend = key(
        "onnx",
        "What computes vectors: a model in this process (onnx, static), a server of "
        "models, the model of Smart Connections, or nothing.",
        choices=("onnx", "static", "ollama", "openai", "smart-connections", "none"),
        aliases=("EMBEDDING_PROVIDER",),
    )
    preset: str = key(
        "english",
        "A model by purpose.",
        kind="word",
        choices=("english", "english-quality", "balanced", "fastest", "multilingual"),
        aliases=("EMBEDDING_PRESET",),
        from_vault=ANYTHING,
    )
    model: str = key(
        "",
        "A model by name, or a folder that holds one; empty means the preset's.",
        aliases=("EMBEDDING_MODEL",),
    )
    models_folder: str = key(
        "",
        "Where the files of models are kept; empty means your data folder.",
    )
    url: str = key(
        "http://localhost:11434",
        "Where Ollama or another server of models listens.",
        kind="url",
        aliases=("OLLAMA_URL", "OLLAMA_BASE_URL"),
    )
    api_key: str = key(
        "",
        "What an OpenAI-style server wants to see before it answers.",
        aliases=("OPENAI_API_KEY",),
        secret=True,
    )
    allow_remote: bool = key(
        False, "Let note text go to a url that is not this machine."
    )
    dimensions: int = key(
        0,
        "Width of the vectors of a server; 0 means what its model says.",
        least=0,
        most=100_000,
        aliases=("OLLAMA_EMBEDDING_DIM",),
    )
    context_tokens: int = key(
        0,
        "Context to ask Ollama for; 0 means what the model was made for.",
        least=0,
        most=10_000_000,
        aliases=("OLLAMA_NUM_CTX",),
    )
    prefix: Prefix = key(
        "headings",
        "What each chunk is embedded with: the title of its note and the headings "
        "above it, the title alone, or nothing.",
        choices=("headings", "title", "none"),
        from_vault=ANYTHING,
    )
    enrich: bool = key(
        False, "Embed every chunk once more, with some of the text around it."
    )

    def __repr__(self) -> str:
        # The url may hold a password, and the key is one.
        return f"Embeddings({self.backend!r}, {self.preset!r}, {self.model!r})"


class Search(Section, title="search"):
    """How hits are found and ordered."""

    limit: int = key(
        10,
        "Hits returned when a call names no number.",
        least=1,
        most=10_000,
        from_vault=AT_MOST,
    )
    mode: Mode = key(
        "hybrid",
        "What answers when a call does not say: words, meaning and links (hybrid), "
        "meaning alone (semantic) or words alone (fulltext).",
        choices=("hybrid", "semantic", "fulltext"),
        from_vault=ANYTHING,
    )
    fusion: Fusion = key(
        "minmax",
        "How the channels' rankings become one.",
        choices=("minmax", "rrf", "weighted_rrf", "weighted_sum"),
        from_vault=ANYTHING,
    )
    rerank: Rerank = key(
        "auto",
        "Whether the best passages are read once more together with the question; "
        "auto: where tuning found that it helps this vault.",
        choices=("auto", "on", "off"),
        from_vault=ANYTHING,
    )
    rerank_budget_ms: int = key(
        300,
        "Milliseconds after which reranking stops.",
        least=0,
        most=600_000,
        from_vault=AT_MOST,
    )
    balance: float = key(
        0.5,
        "How much of minmax and weighted_rrf is meaning: 0 is words alone, 1 meaning.",
        least=0,
        most=1,
        from_vault=ANYTHING,
    )
    graph_weight: float = key(
        0.8, "Weight of links in minmax.", least=0, most=1_000, from_vault=ANYTHING
    )
    implicit_weight: float = key(
        0.0,
        "Weight of similar notes without a link in minmax.",
        least=0,
        most=1_000,
        from_vault=ANYTHING,
    )
    semantic_weight: float = key(
        0.55,
        "Weight of meaning in weighted_sum.",
        least=0,
        most=1_000,
        from_vault=ANYTHING,
    )
    keyword_weight: float = key(
        0.25,
        "Weight of words in weighted_sum.",
        least=0,
        most=1_000,
        from_vault=ANYTHING,
    )
    recency_weight: float = key(
        0.10,
        "Weight of a recent change in weighted_sum.",
        least=0,
        most=1_000,
        from_vault=ANYTHING,
    )
    link_weight: float = key(
        0.05,
        "Weight of links in weighted_sum.",
        least=0,
        most=1_000,
        from_vault=ANYTHING,
    )
    tag_weight: float = key(
        0.05,
        "Weight of matching tags in weighted_sum.",
        least=0,
        most=1_000,
        from_vault=ANYTHING,
    )
    intent_model: str = key(
        "",
        "The model of Ollama that names a query's intent; empty means rules alone.",
        aliases=("OLLAMA_INTENT_MODEL",),
    )


class Server(Section, title="server"):
    """Where `serve` listens; nothing listens unless asked."""

    host: str = key(
        "127.0.0.1",
        "The address to listen on.",
        kind="host",
        aliases=("MCP_HOST",),
    )
    port: int = key(
        7331, "The port to listen on.", least=1, most=65535, aliases=("MCP_PORT",)
    )
    transport: Transport = key(
        "stdio",
        "What `glassmind mcp` speaks: stdin and stdout, or HTTP as `serve` does.",
        choices=("stdio", "http"),
        aliases=("MCP_TRANSPORT",),
    )
    token: str = key(
        "",
        "What clients of `serve` have to know; empty means a token that is made for "
        "the vault and kept in your data folder.",
        secret=True,
    )
    hosts: tuple[str, ...] = key(
        (),
        "Further names that clients may reach `serve` by, such as `notes.lan`.",
    )
    origins: tuple[str, ...] = key(
        (),
        "Pages beyond its own that may ask `serve`, such as `app://obsidian.md`.",
    )

    def __repr__(self) -> str:
        # The token is nobody's business.
        return f"Server({self.host!r}, {self.port!r})"


class Watch(Section, title="watch"):
    """How changes of the vault are followed while a server or `watch` runs."""

    enabled: bool = key(
        True, "Follow changes of the vault.", aliases=("!OBSIDIAN_BRAIN_NO_WATCH",)
    )
    debounce_ms: int = key(
        750,
        "Milliseconds a file has to be quiet before its changes are indexed.",
        least=0,
        most=86_400_000,
        aliases=("OBSIDIAN_BRAIN_WATCH_DEBOUNCE_MS",),
    )
    longest_wait_ms: int = key(
        5_000,
        "Milliseconds after which a file that is never quiet is indexed all the same.",
        least=0,
        most=86_400_000,
    )
    rescan_s: int = key(
        300,
        "Seconds after which the whole vault is compared with the index, whatever was "
        "heard.",
        least=1,
        most=2_592_000,
    )
    poll_s: int = key(
        5,
        "Seconds between two looks at a vault whose changes the system does not tell.",
        least=1,
        most=2_592_000,
    )
    community_debounce_ms: int = key(
        60_000,
        "Milliseconds without a change of the vault before themes are made again.",
        least=0,
        most=86_400_000,
        aliases=("OBSIDIAN_BRAIN_COMMUNITY_DEBOUNCE_MS",),
    )


class Graph(Section, title="graph"):
    """What is made of the links between notes."""

    theme_resolution: float = key(
        1.0,
        "How fine themes are: 0.5 makes fewer and larger ones, 2 more and smaller.",
        least=0.01,
        most=100,
        from_vault=ANYTHING,
    )
    similarity: float = key(
        0.7,
        "How alike two notes are, at least, that are brought up without a link: a "
        "cosine of the default model, moved to the scale of any other.",
        least=0,
        most=1,
        from_vault=ANYTHING,
    )


SECTIONS: Sequence[type[Section]] = (
    Vault,
    Index,
    Embeddings,
    Search,
    Hindsight,
    Writes,
    Server,
    Watch,
    Graph,
    Context,
    Memory,
    Llm,
    Ask,
    Access,
)

KEYS: Mapping[str, Key] = {
    made.path: made for section in SECTIONS for made in section.keys
}
"""Every setting by its full name, in the order of the reference page."""


class Config(Frozen):
    """The settings in force, and where each came from.

    `vault.path` raises `NoVault` on a configuration that was loaded without one.
    """

    vault: Vault
    index: Index
    embeddings: Embeddings
    search: Search
    hindsight: Hindsight
    writes: Writes
    server: Server
    watch: Watch
    graph: Graph
    context: Context
    memory: Memory
    llm: Llm
    ask: Ask
    access: Access

    origins: Mapping[str, str]
    """Where the value of each setting came from, by full name."""

    files: Sequence[Path]
    """The files that were read, the strongest first."""

    index_home: Path
    """The user's own folder for indexes; `places.index_locations` makes use of it."""

    from_untrusted_vault: frozenset[str]
    """Settings whose value came from a vault that the user does not trust."""

    warnings: Sequence[str]
    """What was ignored and why, in sentences for the user."""

    def __repr__(self) -> str:
        # A url may hold a password, and a configuration ends up in logs.
        return f"Config({self.origins.get('vault.path', 'no vault')!r})"
