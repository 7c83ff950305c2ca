"""What a vault may choose for the one who reads it, and what it may not."""

from pathlib import Path

import pytest
from config_desk import Desk

from glassmind.config.guards import is_loopback
from glassmind.config.sections import KEYS
from glassmind.errors import BadSetting


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("embeddings.url", '"http://collector.example"'),
        ("embeddings.url", '"http://127.0.0.1@collector.example"'),
        ("embeddings.url", '"http://localhost.collector.example"'),
        ("embeddings.url", '"http://127.0.0.1.collector.example"'),
        ("embeddings.allow_remote", "true"),
        ("embeddings.model", '"/tmp/model.onnx"'),
        ("embeddings.model", '"http://collector.example/model"'),
        ("hindsight.url", '"https://collector.example"'),
        ("server.host", '"0.0.0.0"'),
        ("server.host", '"::"'),
        ("server.host", '"collector.example"'),
        ("index.location", '"/tmp/elsewhere"'),
        ("index.location", '"../elsewhere"'),
        ("vault.path", '"/"'),
        ("vault.path", '"../home"'),
        ("writes.mode", '"allow"'),
        ("writes.user_notes", '"allow"'),
        ("writes.agent_dir", '"Journal"'),
    ],
)
def test_a_vault_cannot_open_a_door(desk: Desk, path: str, value: str) -> None:
    section, _, name = path.partition(".")
    desk.vault_says(f"[{section}]\n{name} = {value}\n")

    config = desk.load()

    expected = desk.vault if path == "vault.path" else KEYS[path].default
    assert getattr(getattr(config, section), name) == expected
    (warning,) = config.warnings
    assert section in warning
    assert "vault" in warning or "user" in warning


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ('[vault]\npath = "."', "vault.name", "Notes"),
        ('[index]\nlocation = "vault"', "index.location", "vault"),
        ('[index]\nignore_dirs = ["Old"]', "index.ignore_dirs", ("Old",)),
        ('[embeddings]\nurl = "http://127.0.0.1:8080"', "server.port", 7331),
        ('[embeddings]\nmodel = "org/name"', "embeddings.model", "org/name"),
        ('[server]\nhost = "localhost"', "server.host", "localhost"),
        ('[writes]\nmode = "off"', "writes.mode", "off"),
        ('[writes]\nmode = "agent-only"', "writes.mode", "agent-only"),
        ("[writes]\nagent_dir = false", "writes.agent_dir_writable", False),
        ("[search]\nlimit = 99", "search.limit", 99),
    ],
)
def test_a_vault_may_tune_and_tighten(
    desk: Desk, text: str, path: str, value: object
) -> None:
    desk.vault_says(text)

    config = desk.load()

    section, _, name = path.partition(".")
    assert getattr(getattr(config, section), name) == value
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
    desk: Desk, user: str, vault: str
) -> None:
    desk.user_says(f"[writes]\n{user}\n")
    before = desk.load().writes
    desk.vault_says(f"[writes]\n{vault}\n")

    config = desk.load()

    assert config.writes == before
    assert any("writes" in sentence for sentence in config.warnings)


def test_a_vault_cannot_bring_back_what_the_user_ignores(desk: Desk) -> None:
    desk.user_says('[index]\nignore_dirs = ["Private"]\n')
    desk.vault_says('[index]\nignore_dirs = ["Old"]\n')

    config = desk.load()

    assert config.index.ignore_dirs == ("Private",)
    assert "may not bring back Private" in config.warnings[0]


def test_a_vault_may_ignore_more(desk: Desk) -> None:
    desk.user_says('[index]\nignore_dirs = ["Private"]\n')
    desk.vault_says('[index]\nignore_dirs = ["Private", "Old"]\n')

    assert desk.load().index.ignore_dirs == ("Private", "Old")


def test_the_dotenv_of_a_vault_is_held_to_the_same_rules(desk: Desk) -> None:
    desk.vault_says("")
    (desk.vault / ".env").write_text(
        "GLASSMIND_SERVER_HOST=0.0.0.0\n"
        "OLLAMA_URL=http://collector.example\n"
        "VAULT_PATH=/\n"
        "GLASSMIND_WRITES_MODE=allow\n"
        "GLASSMIND_SEARCH_LIMIT=4\n"
    )

    config = desk.load()

    assert config.server.host == "127.0.0.1"
    assert config.embeddings.url == "http://localhost:11434"
    assert config.vault.path == desk.vault
    assert config.writes.mode == "propose"
    assert config.search.limit == 4
    assert len(config.warnings) == 4


def test_a_vault_without_a_configuration_has_no_dotenv_for_us(desk: Desk) -> None:
    (desk.vault / ".env").write_text("GLASSMIND_SEARCH_LIMIT=4\n")

    assert desk.load().search.limit == 10


def test_the_agent_folder_may_hold_the_vaults_file(desk: Desk) -> None:
    (desk.vault / ".agent").mkdir()
    inner = desk.vault / ".agent/glassmind.toml"
    inner.write_text('[vault]\npath = "."\n[search]\nlimit = 4\n')
    config = desk.load()
    assert config.search.limit == 4
    assert config.warnings == ()

    desk.vault_says("[search]\nlimit = 5\n")
    config = desk.load()
    assert config.search.limit == 5
    assert ".agent/glassmind.toml is not read" in config.warnings[0]


def test_what_the_user_says_elsewhere_still_beats_the_vault(desk: Desk) -> None:
    desk.vault_says('[server]\nhost = "::1"\n')

    config = desk.load(GLASSMIND_SERVER_HOST="0.0.0.0")  # noqa: S104 - the user's wish

    assert config.server.host == "0.0.0.0"  # noqa: S104
    assert config.warnings == ()


def test_a_wrong_value_in_a_vault_is_an_error_that_names_it(desk: Desk) -> None:
    desk.vault_says("[vault]\npath = 3\n")

    with pytest.raises(BadSetting, match=r"vault file .*glassmind\.toml:2"):
        desk.load()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.10", "::1"])
def test_this_machine_is_known_by_its_names(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["", "10.0.0.1", "127.evil.example.com", "127.1", "::"]
)
def test_other_machines_are_not_this_one(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize("name", ["glassmind.toml", ".agent/glassmind.toml"])
def test_a_link_in_place_of_a_vaults_file_is_not_followed(
    desk: Desk, name: str
) -> None:
    elsewhere = desk.home / "elsewhere.toml"
    elsewhere.write_text("[search]\nlimit = 99\n", "utf-8")
    (desk.vault / name).parent.mkdir(exist_ok=True)
    (desk.vault / name).symlink_to(elsewhere)

    config = desk.load()

    assert config.search.limit == 10
    (warning,) = config.warnings
    assert warning.endswith(f"{name} is not read: it is a symbolic link")


def test_an_agent_folder_that_is_a_link_brings_no_settings(desk: Desk) -> None:
    elsewhere = desk.home / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "glassmind.toml").write_text("[search]\nlimit = 99\n", "utf-8")
    (desk.vault / ".agent").symlink_to(elsewhere)

    assert desk.load().search.limit == 10


def test_variables_behind_a_link_in_the_vault_are_not_read(desk: Desk) -> None:
    desk.vault_says("[search]\nlimit = 5\n")
    secrets = desk.home / "secrets"
    secrets.write_text("GLASSMIND_SEARCH_LIMIT=99\n", "utf-8")
    (desk.vault / ".env").symlink_to(secrets)

    config = desk.load()

    assert config.search.limit == 5
    (warning,) = config.warnings
    assert warning.endswith(".env is not read: it is a symbolic link")


def test_a_linked_file_may_be_named_as_ones_own(desk: Desk) -> None:
    elsewhere = desk.home / "elsewhere.toml"
    elsewhere.write_text("[search]\nlimit = 99\n", "utf-8")
    link = desk.vault / "glassmind.toml"
    link.symlink_to(elsewhere)

    config = desk.load(GLASSMIND_CONFIG=str(link))

    assert config.search.limit == 99
    assert config.warnings == ()
