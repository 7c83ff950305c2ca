"""Settings from variables: ours and those of other tools."""

from pathlib import Path

import pytest
from config_harness import Harness
from hypothesis import given
from hypothesis import strategies as st

from glassmind.config import config_for, values
from glassmind.config.settings import SETTINGS
from glassmind.config.sources import as_toml
from glassmind.config.values import Setting

LINE = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=20)
NAME = LINE.map(str.strip).filter(bool)


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def values_for(key: Setting) -> st.SearchStrategy[object]:
    """Return values that a setting may have, whatever the neighbours say."""
    if key.choices:
        return st.sampled_from(list(key.choices))
    least, most = key.bounds or (0, 10**9)
    return {
        values.BOOLEAN: st.booleans(),
        values.INTEGER: st.integers(int(least), int(most)),
        values.NUMBER: st.floats(least, min(most, 100)),
        values.TEXT: NAME.filter(lambda text: text.isprintable()),
        values.SECRET: NAME.filter(lambda text: text.isprintable()),
        values.NAMES: st.lists(
            NAME.filter(lambda text: "," not in text and not text.startswith("[")),
            min_size=1,
            unique=True,
        ).map(tuple),
        values.RULES: st.sampled_from(
            [("Journal=off",), ("A/B=propose", "C = D=allow")]
        ),
        values.FOLDER: st.just(Path("/notes")),
        values.PLACE: st.sampled_from(["data", "vault", "plugin", "/var/index"]),
        values.AGENT_FOLDER: st.sampled_from([".agent", "Meta/robot"]),
        values.URL: st.sampled_from(["http://localhost:1", "https://example.org/x"]),
        values.HOST: st.sampled_from(["127.0.0.1", "localhost", "::1"]),
    }[key.kind]


VALUED = st.sampled_from(list(SETTINGS.values())).flatmap(
    lambda key: st.tuples(st.just(key), values_for(key))
)


@given(VALUED)
def test_every_value_comes_back_from_a_variable(
    setting: tuple[Setting, object],
) -> None:
    key, value = setting
    text = ",".join(value) if isinstance(value, tuple) else str(value)

    found = key.parse(text, Path("/"), is_text=True)

    assert found == value


@given(VALUED)
def test_every_value_comes_back_from_a_variable_in_toml(
    setting: tuple[Setting, object],
) -> None:
    key, value = setting
    if key.kind not in {values.NAMES, values.RULES}:
        return

    found = key.parse(as_toml(value), Path("/"), is_text=True)

    assert found == value


def test_a_list_may_be_written_with_commas_or_as_toml(harness: Harness) -> None:
    for text in (".git, Old Stuff,,.git", '[".git", "Old Stuff"]'):
        config = harness.load(GLASSMIND_INDEX_IGNORE_DIRS=text)

        assert config.index.ignore_dirs == (".git", "Old Stuff")


def test_yes_and_no_have_many_words(harness: Harness) -> None:
    for word in ("1", "true", "Yes", "ON"):
        assert harness.load(GLASSMIND_WATCH_ENABLED=word).watch.enabled
    for word in ("0", "False", "no", "off"):
        assert not harness.load(GLASSMIND_WATCH_ENABLED=word).watch.enabled


def test_an_empty_variable_says_nothing(harness: Harness) -> None:
    assert harness.load(GLASSMIND_SEARCH_LIMIT=" ").search.limit == 10


@pytest.mark.parametrize(
    ("variable", "text", "path", "value"),
    [
        ("OLLAMA_URL", "http://127.0.0.1:9", "embeddings.url", "http://127.0.0.1:9"),
        ("OLLAMA_BASE_URL", "http://[::1]:9/", "embeddings.url", "http://[::1]:9"),
        ("OLLAMA_INTENT_MODEL", "gemma2:2b", "search.intent_model", "gemma2:2b"),
        (
            "HINDSIGHT_URL",
            "http://localhost:8888",
            "hindsight.url",
            "http://localhost:8888",
        ),
        ("MCP_TRANSPORT", "http", "server.transport", "http"),
        ("MCP_TRANSPORT", "streamable-http", "server.transport", "http"),
        ("MCP_HOST", "127.0.0.2", "server.host", "127.0.0.2"),
        ("MCP_PORT", "8765", "server.port", 8765),
        ("EMBEDDING_PRESET", "multilingual", "embeddings.preset", "multilingual"),
        ("EMBEDDING_PRESET", "English-Quality", "embeddings.preset", "english-quality"),
        ("EMBEDDING_MODEL", "org/model", "embeddings.model", "org/model"),
        ("EMBEDDING_PROVIDER", "ollama", "embeddings.backend", "ollama"),
        ("EMBEDDING_PROVIDER", "transformers", "embeddings.backend", "onnx"),
        ("OLLAMA_EMBEDDING_DIM", "768", "embeddings.dimensions", 768),
        ("OLLAMA_NUM_CTX", "8192", "embeddings.context_tokens", 8192),
        ("OBSIDIAN_BRAIN_NO_WATCH", "1", "watch.enabled", False),
        ("OBSIDIAN_BRAIN_NO_WATCH", "0", "watch.enabled", True),
        ("OBSIDIAN_BRAIN_WATCH_DEBOUNCE_MS", "9", "watch.debounce_ms", 9),
        ("OBSIDIAN_BRAIN_COMMUNITY_DEBOUNCE_MS", "8", "watch.community_debounce_ms", 8),
        ("DATA_DIR", "/var/index", "index.location", "/var/index"),
    ],
)
def test_variables_of_other_tools_are_understood(
    harness: Harness, variable: str, text: str, path: str, value: object
) -> None:
    config = harness.load(env={variable: text})

    section, _, name = path.partition(".")
    assert getattr(getattr(config, section), name) == value
    assert config.origins[path] == variable
    assert config.warnings == ()


def test_our_own_variable_beats_that_of_another_tool(harness: Harness) -> None:
    config = harness.load(MCP_PORT="1", GLASSMIND_SERVER_PORT="2")

    assert config.server.port == 2


def test_a_word_of_another_tool_that_we_do_not_know_is_no_error(
    harness: Harness,
) -> None:
    config = harness.load(MCP_TRANSPORT="sse")

    assert config.server.transport == "stdio"
    assert config.warnings[0].startswith("server.transport (from MCP_TRANSPORT) must")


def test_flags_may_come_as_text(tmp_path: Path) -> None:
    config = config_for(tmp_path, {"search.limit": "3", "watch.enabled": "no"})

    assert config.search.limit == 3
    assert not config.watch.enabled
