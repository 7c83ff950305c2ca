"""Random configuration files: no crash, and no vault that widens a setting."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from config_harness import Harness
from hypothesis import given, reject
from hypothesis import strategies as st

from glassmind.config import Config
from glassmind.config.settings import SETTINGS, settings_in_force
from glassmind.config.sources import as_toml
from glassmind.config.values import (
    AGENT_FOLDER,
    BOOLEAN,
    HOST,
    INTEGER,
    NAMES,
    NUMBER,
    PLACE,
    RULES,
    URL,
    Setting,
)
from glassmind.errors import ConfigError
from glassmind.model.context import STRICTNESS

KEYS = {"HINDSIGHT_TOKEN": "t", "OPENAI_API_KEY": "k"}

FRAGMENTS = st.sampled_from(
    [
        *(f"[{setting.section}]\n{setting.name} = " for setting in SETTINGS.values()),
        *"\n\n[]{}\"=.,#\\'\t\r",
        '"text"',
        '"""',
        "true",
        "0.5",
        "-1",
        "99999999999999999999",
        '["a", "b"]',
        "{a = 1}",
        "2026-01-01",
        "nan",
        "\x1b[2J",
        "\u202e",
    ]
)
CONTENT = st.binary(max_size=60) | st.lists(FRAGMENTS, max_size=15).map(
    lambda parts: "".join(parts).encode()
)


@given(content=CONTENT)
def test_any_bytes_in_your_own_file_give_a_config_or_a_clear_error(
    content: bytes,
) -> None:
    with TemporaryDirectory() as root:
        harness = Harness(Path(root))
        harness.user_says("")
        (harness.settings / "glassmind.toml").write_bytes(content)
        try:
            config = harness.load()
        except ConfigError as error:
            assert str(error).isprintable()  # noqa: PT017 - either outcome is right
        else:
            assert isinstance(config, Config)


@given(content=CONTENT)
def test_any_bytes_in_the_file_of_a_vault_give_a_config(content: bytes) -> None:
    with TemporaryDirectory() as root:
        harness = Harness(Path(root))
        (harness.vault / "glassmind.toml").write_bytes(content)
        (harness.vault / ".env").write_bytes(content)

        config = harness.load()

        assert all(warning.isprintable() for warning in config.warnings)


def values_for(setting: Setting) -> st.SearchStrategy[Any]:
    """Return values that a setting may have."""
    if setting.choices:
        return st.sampled_from(list(setting.choices))
    least, most = setting.bounds or (0, 1)
    names = st.lists(st.sampled_from(["A", "B/C", "Journal", "tag"]), max_size=3)
    rules = st.sampled_from(["A=off", "B/C=propose", "tag=allow", "Journal=off"])
    return {
        BOOLEAN: st.booleans(),
        INTEGER: st.integers(int(least), int(most)),
        NUMBER: st.floats(least, most),
        NAMES: names,
        RULES: st.lists(rules, max_size=3, unique=True),
        URL: st.sampled_from(["http://127.0.0.1:9", "https://collector.example"]),
        HOST: st.sampled_from(["::1", "localhost"]),
        PLACE: st.sampled_from(["data", "vault", "plugin", "/x", "../x"]),
        AGENT_FOLDER: st.sampled_from([".agent", "Robot", True, False]),
    }.get(setting.kind, st.sampled_from(["x", "y z"]))


def some_settings(most: int) -> st.SearchStrategy[dict[str, Any]]:
    paths = st.lists(st.sampled_from(list(SETTINGS)), max_size=most, unique=True)
    return paths.flatmap(
        lambda chosen: st.fixed_dictionaries(
            {path: values_for(SETTINGS[path]) for path in chosen}
        )
    )


def toml_of(settings: dict[str, Any]) -> str:
    text = [f"{path} = {as_toml(value)}\n" for path, value in settings.items()]
    return "".join(text)


def is_widened(setting: Setting, value: Any, own: Any) -> bool:
    """Return whether a value allows more than the user's own, by the docs' table."""
    match setting.vault:
        case "nothing":
            return bool(value != own)
        case "lower":
            return bool(value > own)
        case "higher":
            order = setting.choices.index if setting.choices else float
            return order(value) < order(own)
        case "add":
            return not set(own) <= set(value)
        case "add-off":
            modes = dict(rule.rsplit("=", 1) for rule in value)
            owned = dict(rule.rsplit("=", 1) for rule in own)
            kept = all(modes[name] in (mode, "off") for name, mode in owned.items())
            return not kept or any(
                mode != "off" for name, mode in modes.items() if name not in owned
            )
    return False


@given(user=some_settings(5), vault=some_settings(20))
def test_the_file_of_an_untrusted_vault_never_widens_a_setting(
    user: dict[str, Any], vault: dict[str, Any]
) -> None:
    with TemporaryDirectory() as root:
        harness = Harness(Path(os.path.realpath(root)))
        user.pop("vault.path", None)
        harness.user_says(toml_of(user))
        try:
            before = harness.load(env=KEYS)
        except ConfigError:
            reject()  # the user's settings do not fit each other
        harness.vault_says(toml_of(vault))

        after = harness.load(env=KEYS)

    own = {path: value for path, value, _ in settings_in_force(before)}
    for path, value, _ in settings_in_force(after):
        assert not is_widened(SETTINGS[path], value, own[path]), path
    assert after.vault.path == before.vault.path
    strictness = STRICTNESS.index
    assert strictness(after.writes.user_notes) <= strictness(before.writes.user_notes)
    assert after.writes.agent_dir_writable <= before.writes.agent_dir_writable
    assert after.writes.agent_dir == before.writes.agent_dir
