"""Settings inside a vault: an untrusted one may narrow, a trusted one may set all."""

import json
from pathlib import Path

import pytest
from config_harness import Harness

from glassmind.config.settings import SETTINGS
from glassmind.config.trust import (
    read_vault_settings,
    record_trust,
    revoke_trust,
)
from glassmind.config.values import is_loopback


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def trust(harness: Harness) -> None:
    settings = read_vault_settings(harness.vault)
    assert settings is not None
    record_trust(settings, harness.env)


def value_of(config: object, path: str) -> object:
    section, _, name = path.partition(".")
    return getattr(getattr(config, section), name)


def toml(path: str, value: str) -> str:
    section, _, name = path.partition(".")
    return f"[{section}]\n{name} = {value}\n"


REFUSED = [
    ("embeddings.url", '"http://127.0.0.1:9"'),
    ("embeddings.url", '"http://collector.example"'),
    ("embeddings.backend", '"openai"'),
    ("embeddings.backend", '"smart-connections"'),
    ("embeddings.allow_remote", "true"),
    ("embeddings.model", '"org/name"'),
    ("embeddings.model", '"/tmp/model.onnx"'),
    ("embeddings.models_folder", '"models"'),
    ("embeddings.api_key", '"key"'),
    ("search.intent_model", '"llama3.2"'),
    ("hindsight.url", '"http://127.0.0.1:9"'),
    ("hindsight.token", '"token"'),
    ("hindsight.retain", "true"),
    ("llm.backend", '"openai"'),
    ("llm.url", '"http://127.0.0.1:9"'),
    ("llm.api_key", '"key"'),
    ("server.host", '"::1"'),
    ("server.port", "9"),
    ("server.transport", '"http"'),
    ("server.token", '"token"'),
    ("server.hosts", '["notes.lan"]'),
    ("server.origins", '["http://page.example"]'),
    ("index.location", '"vault"'),
    ("index.location", '"/tmp/elsewhere"'),
    ("index.location", '"../elsewhere"'),
    ("index.max_note_bytes", "1000000000"),
    ("index.max_chunks_per_note", "100000"),
    ("search.limit", "99"),
    ("context.budget_tokens", "100000"),
    ("ask.sources", "20"),
    ("memory.inbox", '"none"'),
    ("access.log", "false"),
    ("access.log_days", "1"),
    ("watch.enabled", "false"),
    ("writes.mode", '"allow"'),
    ("writes.user_notes", '"allow"'),
    ("writes.agent_dir", '"Journal"'),
    ("writes.folders", '["Drafts=allow"]'),
    ("writes.tags", '["draft=propose"]'),
    ("writes.undo_days", "1"),
    ("writes.git_commit", "true"),
    ("writes.untrusted", '["Web"]'),
]


@pytest.mark.parametrize(("path", "value"), REFUSED)
def test_an_untrusted_vault_cannot_widen_a_setting(
    harness: Harness, path: str, value: str
) -> None:
    harness.vault_says(toml(path, value))

    config = harness.load()

    assert value_of(config, path) == SETTINGS[path].default
    (warning,) = config.warnings
    assert warning == (
        "This vault's own settings are not trusted, or changed since you trusted them. "
        f"Ignored: {path}. Review and trust them: "
        f"glassmind trust --vault {harness.vault}"
    )


def test_one_warning_names_all_that_is_ignored(harness: Harness) -> None:
    harness.vault_says("[server]\nport = 9\ntransport = 'http'\n[llm]\nmodel = 'x'\n")

    (warning,) = harness.load().warnings

    assert "Ignored: server.port, server.transport, llm.model." in warning


def test_a_new_setting_is_the_users_alone_unless_it_says_otherwise() -> None:
    words = ("url", "host", "port", "transport", "token", "key", "location", "backend")
    named = [p for p, key in SETTINGS.items() if key.secret or key.name.endswith(words)]

    assert len(named) > 10
    assert [p for p in named if SETTINGS[p].vault != "nothing"] == []


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ('[vault]\npath = "."', "vault.name", "Notes"),
        ("[index]\nchunk_target_tokens = 200", "index.chunk_target_tokens", 200),
        ("[index]\ninclude_agent_dir = false", "index.include_agent_dir", False),
        ("[index]\nmax_note_bytes = 1000", "index.max_note_bytes", 1000),
        ('[embeddings]\npreset = "fastest"', "embeddings.preset", "fastest"),
        ("[search]\nlimit = 3", "search.limit", 3),
        ("[search]\nbalance = 0.9", "search.balance", 0.9),
        ('[memory]\ninbox = "all"', "memory.inbox", "all"),
        ("[access]\nlog_days = 400", "access.log_days", 400),
        ('[writes]\nmode = "off"', "writes.mode", "off"),
        ('[writes]\nmode = "agent-only"', "writes.mode", "agent-only"),
        ("[writes]\nagent_dir = false", "writes.agent_dir_writable", False),
        ("[writes]\nagent_dir = true", "writes.agent_dir", ".agent"),
        ("[writes]\nundo_days = 400", "writes.undo_days", 400),
        ("[writes]\napprove_after_untrusted = true", "writes.mode", "propose"),
        ("[server]\nport = 7331", "server.port", 7331),
    ],
)
def test_an_untrusted_vault_may_narrow(
    harness: Harness, text: str, path: str, value: object
) -> None:
    harness.vault_says(text)

    config = harness.load()

    assert value_of(config, path) == value
    assert config.warnings == ()


@pytest.mark.parametrize(
    ("user", "vault"),
    [
        ('mode = "off"', 'mode = "propose"'),
        ('mode = "off"', 'mode = "agent-only"'),
        ('mode = "agent-only"', 'user_notes = "propose"'),
        ('user_notes = "off"', 'mode = "propose"'),
        ("agent_dir = false", "agent_dir = true"),
        ('agent_dir = "Robot"', 'agent_dir = ".agent"'),
    ],
)
def test_a_vault_cannot_loosen_what_the_user_said_about_writes(
    harness: Harness, user: str, vault: str
) -> None:
    harness.user_says(f"[writes]\n{user}\n")
    before = harness.load().writes
    harness.vault_says(f"[writes]\n{vault}\n")

    config = harness.load()

    assert config.writes == before


def test_an_untrusted_vault_adds_to_the_users_lists(harness: Harness) -> None:
    harness.user_says(
        "[index]\nignore_dirs = ['Private']\n"
        "[access]\nprivate_folders = ['Journal']\nprivate_tags = ['health']\n"
        "[writes]\nfolders = ['Drafts=allow', 'Old=propose']\n"
    )
    harness.vault_says(
        "[index]\nignore_dirs = ['Old']\n"
        "[access]\nprivate_folders = ['Money']\nprivate_tags = ['money']\n"
        "[writes]\nfolders = ['Old=off']\n"
    )

    config = harness.load()

    assert config.index.ignore_dirs == ("Private", "Old")
    assert config.access.private_folders == ("Journal", "Money")
    assert config.access.private_tags == ("health", "money")
    assert config.writes.folders == ("Drafts=allow", "Old=off")
    assert config.warnings == ()


def test_private_folders_of_a_vault_are_added_to_those_of_a_variable(
    harness: Harness,
) -> None:
    harness.vault_says("[access]\nprivate_folders = ['Diary']\n")

    config = harness.load(GLASSMIND_ACCESS_PRIVATE_FOLDERS="Work")

    assert config.access.private_folders == ("Work", "Diary")


def test_an_untrusted_vault_cannot_replace_the_users_model(harness: Harness) -> None:
    harness.user_says("[embeddings]\nmodel = 'bge-small-en-v1.5'\n")
    harness.vault_says("[embeddings]\npreset = 'fastest'\n")

    assert harness.load().embeddings.model == "bge-small-en-v1.5"


def test_the_env_file_of_a_vault_is_not_read(harness: Harness) -> None:
    harness.vault_says("")
    (harness.vault / ".env").write_text(
        "MCP_TRANSPORT=http\nMCP_PORT=9\nGLASSMIND_SEARCH_LIMIT=4\n"
    )
    trust(harness)

    config = harness.load()

    assert (config.server.transport, config.server.port) == ("stdio", 7331)
    assert config.search.limit == 10
    assert config.warnings == ()


def test_a_trusted_vault_may_set_everything(harness: Harness) -> None:
    harness.vault_says("[server]\nport = 9\n[writes]\nmode = 'allow'\n")
    trust(harness)

    config = harness.load()

    assert config.server.port == 9
    assert config.writes.mode == "allow"
    assert config.warnings == ()


def test_a_changed_file_has_to_be_trusted_again(harness: Harness) -> None:
    file = harness.vault_says("[server]\nport = 9\n")
    trust(harness)
    with file.open("a") as opened:
        opened.write("# changed\n")

    config = harness.load()

    assert config.server.port == 7331
    (warning,) = config.warnings
    assert "changed since you trusted them. Ignored: server" in warning


def test_trust_is_for_one_vault_and_can_be_revoked(
    harness: Harness, tmp_path: Path
) -> None:
    harness.vault_says("[server]\nport = 9\n")
    trust(harness)
    copy = tmp_path / "Copy"
    copy.mkdir()
    (copy / "glassmind.toml").write_text("[server]\nport = 9\n")

    assert harness.load(cwd=copy).server.port == 7331
    assert harness.load().server.port == 9
    assert revoke_trust(harness.vault, harness.env)
    assert not revoke_trust(harness.vault, harness.env)
    assert harness.load().server.port == 7331


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"vaults": 3}', '{"vaults": {"a": 1}}']
)
def test_a_damaged_record_of_trust_trusts_nobody(harness: Harness, text: str) -> None:
    harness.vault_says("[server]\nport = 9\n")
    (harness.settings / "trusted.json").write_text(text)

    assert harness.load().server.port == 7331
    trust(harness)
    assert harness.load().server.port == 9


def test_the_record_of_trust_is_the_users_alone_to_read(harness: Harness) -> None:
    harness.vault_says("")
    trust(harness)

    file = harness.settings / "trusted.json"

    assert file.stat().st_mode & 0o777 == 0o600
    assert list(json.loads(file.read_text())["vaults"]) == [str(harness.vault)]


CREDENTIALS = [
    ("embeddings.url", "embeddings.api_key", "OPENAI_API_KEY"),
    ("llm.url", "llm.api_key", "GLASSMIND_LLM_API_KEY"),
    ("embeddings.url", "llm.api_key", "GLASSMIND_LLM_API_KEY"),
    ("hindsight.url", "hindsight.token", "HINDSIGHT_TOKEN"),
]


@pytest.mark.parametrize(("url", "key", "variable"), CREDENTIALS)
def test_a_credential_is_not_sent_to_a_url_that_a_vault_chose(
    harness: Harness, url: str, key: str, variable: str
) -> None:
    harness.vault_says(toml(url, '"http://127.0.0.1:9"'))
    untrusted = harness.load(env={variable: "user's key"})
    trust(harness)
    trusted = harness.load(env={variable: "user's key"})

    assert value_of(untrusted, url) == SETTINGS[url].default
    assert value_of(untrusted, key) == "user's key"
    assert value_of(trusted, url) == "http://127.0.0.1:9"
    assert value_of(trusted, key) == ""
    (warning,) = trusted.warnings
    assert warning.startswith(f"{key} (from {variable}) is not used: {url} comes from")


@pytest.mark.parametrize(("url", "key", "_"), CREDENTIALS)
def test_a_credential_is_sent_to_a_url_from_the_same_place(
    harness: Harness, url: str, key: str, _: str
) -> None:
    tables = {path.partition(".")[0]: "" for path in (url, key)}
    for path, value in ((url, '"http://127.0.0.1:9"'), (key, '"its key"')):
        section, _, name = path.partition(".")
        tables[section] += f"{name} = {value}\n"
    text = "".join(f"[{section}]\n{body}" for section, body in tables.items())
    harness.vault_says(text)
    trust(harness)
    by_vault = harness.load()
    (harness.vault / "glassmind.toml").unlink()
    harness.user_says(text)
    by_user = harness.load()

    for config in (by_vault, by_user):
        assert value_of(config, key) == "its key"
        assert config.warnings == ()


def test_a_settings_file_in_the_agent_folder_is_not_read(harness: Harness) -> None:
    (harness.vault / ".agent").mkdir()
    (harness.vault / ".agent/glassmind.toml").write_text("[search]\nlimit = 4\n")

    config = harness.load()

    assert config.search.limit == 10
    assert config.warnings == ()


def test_variables_of_the_user_beat_the_vault(harness: Harness) -> None:
    harness.vault_says("[search]\nlimit = 2\n[server]\nhost = '::1'\n")

    config = harness.load(GLASSMIND_SERVER_HOST="0.0.0.0", GLASSMIND_SEARCH_LIMIT="50")  # noqa: S104

    assert config.server.host == "0.0.0.0"  # noqa: S104
    assert config.search.limit == 50
    assert config.warnings == ()


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"[search]\nlimit = 0x{'f' * 1900}\n", "search.limit"),
        (f"[search]\nbalance = 1{'0' * 400}\n", "search.balance"),
        (f"search.limit{'.a' * 900} = 1\n", "search.limit"),
        (f"[search]\nmode = '{'x' * 1900}'\n", "search.mode"),
        ("[access]\nlog_days = 1000000\n", "access.log_days"),
        ("[writes]\nundo_days = 1000000\n", "writes.undo_days"),
        ("[vault]\npath = 3\n", "vault.path"),
        ("[search]\nlimit = 0\n", "search.limit"),
        ("[search]\nfusion = 'nonsense'\n", "search.fusion"),
    ],
)
def test_an_invalid_value_in_a_vault_is_a_warning_and_the_default(
    harness: Harness, text: str, path: str, trusted: bool
) -> None:
    harness.vault_says(text)
    if trusted:
        trust(harness)

    config = harness.load()

    expected = harness.vault if path == "vault.path" else SETTINGS[path].default
    assert value_of(config, path) == expected
    (warning,) = config.warnings
    assert warning.endswith("This value is ignored.")
    assert len(warning) < 600


@pytest.mark.parametrize(
    "content",
    [
        b"[search\n",
        b"\xff\xfe",
        b"x = " + b"[\n" * 5000,
        b"# \n" * 100_000,
        b"#" * 2_001,
        b"a" + b".a" * 100_000 + b" = 1\n",
    ],
    ids=["no TOML", "no UTF-8", "nested", "large", "long line", "deep key"],
)
def test_an_unusable_file_in_a_vault_is_a_warning(
    harness: Harness, content: bytes
) -> None:
    (harness.vault / "glassmind.toml").write_bytes(content)

    config = harness.load()

    assert config.search.limit == 10
    assert len(config.warnings) == 1


def test_thousands_of_unknown_names_in_a_vault_make_few_warnings(
    harness: Harness,
) -> None:
    names = "".join(f"name{number} = 1\n" for number in range(10_000))
    harness.vault_says(f"[search]\n{names}")

    warnings = harness.load().warnings

    assert len(warnings) == 5


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "127.8.9.10", "::1", "[::1]"]
)
def test_this_machine_is_known_by_its_names(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "10.0.0.1",
        "127.evil.example.com",
        "127.1",
        "::",
        "127.999.1.1",
        "127.0.0.01",
    ],
)
def test_other_machines_are_not_this_one(host: str) -> None:
    assert not is_loopback(host)


def test_a_link_in_place_of_a_vaults_file_is_not_followed(harness: Harness) -> None:
    elsewhere = harness.home / "elsewhere.toml"
    elsewhere.write_text("[search]\nlimit = 99\n", "utf-8")
    (harness.vault / "glassmind.toml").symlink_to(elsewhere)

    config = harness.load()

    assert config.search.limit == 10
    (warning,) = config.warnings
    assert "/glassmind.toml cannot be read" in warning
    assert "it is a symbolic link. This file is ignored." in warning


def test_a_linked_file_may_be_named_as_ones_own(harness: Harness) -> None:
    elsewhere = harness.home / "elsewhere.toml"
    elsewhere.write_text("[search]\nlimit = 99\n", "utf-8")
    link = harness.vault / "glassmind.toml"
    link.symlink_to(elsewhere)

    config = harness.load(GLASSMIND_CONFIG=str(link))

    assert config.search.limit == 99
    assert config.warnings == ()
