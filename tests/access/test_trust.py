"""A vault from somebody else: its settings are data until its reader trusts them."""

import json
import os
import random
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_harness import Inside, Program, with_note
from settings_tables import trust_table

from glassmind.config import load_config
from glassmind.models import library

PAGE = Path(__file__).parents[2] / "docs/security.md"

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


class Collector:
    """A local server that counts connections and keeps what they send."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heard: list[bytes] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            with peer:
                peer.settimeout(5)
                self.heard.append(peer.recv(65536))
                peer.sendall(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.socket.close()


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Inside(with_note(tmp_path))
    made.env["GLASSMIND_EMBEDDINGS_BACKEND"] = ""
    made.env["GLASSMIND_EMBEDDINGS_MODELS_FOLDER"] = str(tmp_path / "models")
    return made


def settings_for(port: int) -> str:
    url = f'url = "http://127.0.0.1:{port}"'
    return (
        f'[embeddings]\nbackend = "openai"\nmodel = "m"\n{url}\n'
        f'[llm]\nbackend = "openai"\n{url}\n'
        f"[hindsight]\n{url}\nretain = true\n"
        f'[search]\nintent_model = "m"\n'
    )


KEYS = {
    "OPENAI_API_KEY": "sk-embeddings",
    "GLASSMIND_LLM_API_KEY": "sk-llm",
    "HINDSIGHT_TOKEN": "hs-token",
}


def use(program: Program) -> None:
    """Run the commands that talk to models and to Hindsight."""
    for command in (
        ("index",),
        ("search", "tea"),
        ("ask", "which tea rests"),
        ("recall", "tea"),
        ("capture", "memory", "Oolong is tea"),
        ("doctor",),
    ):
        program.run(*command, **KEYS)


def test_an_untrusted_vault_gets_no_credential_and_no_text(
    program: Program, collector: Collector
) -> None:
    (program.vault / "glassmind.toml").write_text(settings_for(collector.port))
    (program.vault / ".env").write_text(
        f"OLLAMA_URL=http://127.0.0.1:{collector.port}\n"
        f"HINDSIGHT_URL=http://127.0.0.1:{collector.port}\n"
    )

    use(program)

    assert collector.heard == []


def test_a_trusted_vault_is_used_but_gets_no_credential_of_the_user(
    program: Program, collector: Collector
) -> None:
    (program.vault / "glassmind.toml").write_text(settings_for(collector.port))
    assert program.run("trust", "--yes").returncode == 0

    use(program)

    heard = b"".join(collector.heard)
    assert heard.count(b" HTTP/1.1\r\n") >= 3
    assert not any(key.encode() in heard for key in KEYS.values())


def test_the_users_own_settings_get_the_credentials(
    program: Program, collector: Collector
) -> None:
    program.settings.parent.mkdir(parents=True)
    program.settings.write_text(settings_for(collector.port))

    use(program)

    heard = b"".join(collector.heard)
    assert all(key.encode() in heard for key in KEYS.values())


def sockets_of(pid: int) -> list[str]:
    """Return the states of the TCP sockets that a process has open, where known."""
    folder = Path(f"/proc/{pid}")
    if not folder.is_dir():
        return []
    own = {str(file.readlink()) for file in (folder / "fd").iterdir()}
    rows = [line.split() for line in (folder / "net/tcp").read_text().splitlines()[1:]]
    return [row[3] for row in rows if f"socket:[{row[9]}]" in own]


@pytest.mark.slow
def test_an_untrusted_vault_cannot_make_mcp_listen(tmp_path: Path) -> None:
    program = with_note(tmp_path)
    (program.vault / "glassmind.toml").write_text(
        '[server]\ntransport = "http"\nport = 7399\nhost = "127.0.0.1"\n'
    )
    (program.vault / ".env").write_text(
        "MCP_TRANSPORT=streamable-http\nMCP_PORT=7399\n"
    )

    command = [sys.executable, "-m", "glassmind", "--vault", str(program.vault), "mcp"]
    with subprocess.Popen(
        command,
        env=program.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(HELLO) + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        listening = [conn for conn in sockets_of(server.pid) if conn.startswith("0A")]
        server.communicate(timeout=60)

    assert answer["result"]["serverInfo"]["name"] == "glassmind"
    assert listening == []


def test_trust_shows_what_it_is_about_and_asks(program: Program) -> None:
    file = program.vault / "glassmind.toml"
    file.write_text('[server]\nport = 9\ntoken = "secret"\n[search]\nlimit = 0\n')

    unasked = program.run("trust")
    done = program.run("trust", "--yes")

    assert unasked.returncode == 2
    assert "add --yes to trust these settings" in unasked.stderr
    assert done.returncode == 0
    assert "  server.port = 9\n" in done.stdout
    assert "  server.token = (hidden)\n" in done.stdout
    assert "search.limit (from vault file" in done.stderr
    assert "secret" not in done.stdout + done.stderr
    assert program.run("config", "get", "server.port").stdout == "9\n"


def test_trust_shows_the_value_that_would_be_used(program: Program) -> None:
    (program.vault / "glassmind.toml").write_text(
        '[embeddings]\nurl = "http://elsewhere.example:8080"\n'
        f"[access]\nprivate_tags = ['{' ' * 1500}x']\n"
    )

    done = program.run("trust", "--yes")

    assert '  embeddings.url = "http://elsewhere.example:8080"\n' in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 250


@pytest.mark.parametrize("mark", ["#", "?", "\\"])
def test_a_url_that_looks_like_another_host_is_refused(
    program: Program, mark: str
) -> None:
    (program.vault / "glassmind.toml").write_text(
        f"[embeddings]\nurl = 'http://elsewhere.example{mark}@localhost:11434'\n"
    )

    done = program.run("trust", "--yes")

    assert "embeddings.url =" not in done.stdout
    assert "elsewhere.example" in done.stderr
    assert "(hidden)" not in done.stderr


def test_trust_can_be_revoked_and_tells_what_it_did_as_json(program: Program) -> None:
    (program.vault / "glassmind.toml").write_text("[server]\nport = 9\n")

    trusted = program.json("trust", "--yes")
    again = program.json("trust")
    revoked = program.json("trust", "--revoke")

    assert trusted["settings"] == {"server.port": "9"}
    assert again == trusted
    assert revoked == {"vault": str(program.vault), "trusted": False, "revoked": True}
    assert program.run("config", "get", "server.port").stdout == "7331\n"


def test_there_is_nothing_to_trust_in_a_vault_without_settings(
    program: Program,
) -> None:
    done = program.run("trust", "--yes")

    assert done.returncode == 1
    assert "nothing to trust" in done.stderr


def test_init_in_vault_trusts_the_file_it_writes(program: Program) -> None:
    program.run("init", "--in-vault", "--no-index")

    done = program.run("config", "set", "--in-vault", "server.port", "9")

    assert done.returncode == 0, done.stderr
    assert program.run("config", "get", "server.port").stdout == "9\n"


def test_init_in_vault_does_not_use_an_env_file_that_was_there(
    program: Program,
) -> None:
    (program.vault / ".env").write_text("MCP_PORT=9\n")

    program.run("init", "--in-vault", "--no-index")

    assert program.run("config", "get", "server.port").stdout == "7331\n"


def test_config_set_does_not_trust_a_file_from_elsewhere(program: Program) -> None:
    (program.vault / "glassmind.toml").write_text("[server]\nport = 9\n")

    done = program.run("config", "set", "--in-vault", "search.limit", "3")

    assert done.returncode == 0
    assert "Ignored: server.port." in done.stderr
    assert program.run("config", "get", "search.limit").stdout == "3\n"
    assert program.run("config", "get", "server.port").stdout == "7331\n"


def test_config_set_trusts_the_file_that_it_creates(program: Program) -> None:
    done = program.run("config", "set", "--in-vault", "server.port", "9")

    assert "Ignored" not in done.stderr
    assert program.run("config", "get", "server.port").stdout == "9\n"


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX files")
def test_config_set_does_not_wait_for_a_pipe(program: Program) -> None:
    os.mkfifo(program.vault / "glassmind.toml")

    done = program.run("config", "set", "--in-vault", "search.limit", "3")

    assert done.returncode == 2
    assert "not a regular file" in done.stderr


def test_a_file_that_is_not_toml_cannot_be_trusted(program: Program) -> None:
    (program.vault / "glassmind.toml").write_text("[server\n")

    done = program.run("trust", "--yes")

    assert done.returncode == 2
    assert "cannot be read as configuration" in done.stderr


def test_a_preset_of_an_untrusted_vault_downloads_nothing(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def fetched(card: object, *_: object, **__: object) -> None:
        asked.append(getattr(card, "id", ""))
        raise AssertionError

    monkeypatch.setattr(library, "fetch_model", fetched)
    file = program.vault / "glassmind.toml"
    file.write_text('[embeddings]\npreset = "fastest"\n')

    done = program.run("models", "fetch")
    begun = program.run("init")
    file.write_text('[embeddings]\npreset = "multilingual"\n')  # two models may do
    program.run("models", "fetch")

    assert done.returncode == 5
    assert "glassmind models fetch fastest, or run: glassmind trust" in done.stderr
    assert begun.returncode == 0
    assert asked == []


def test_a_preset_of_a_trusted_vault_is_downloaded(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def fetched(card: object, *_: object, **__: object) -> None:
        asked.append(getattr(card, "id", ""))
        raise KeyboardInterrupt

    monkeypatch.setattr(library, "fetch_model", fetched)
    (program.vault / "glassmind.toml").write_text('[embeddings]\npreset = "fastest"\n')
    program.run("trust", "--yes")

    program.run("models", "fetch")

    assert asked == ["wordllama-256"]


def test_an_invalid_value_in_a_vault_stops_no_command(program: Program) -> None:
    (program.vault / "glassmind.toml").write_text("[search]\nlimit = 'many'\n")

    done = program.run("search", "oolong")
    indexed = program.run("index")

    assert done.returncode in {0, 4}
    assert indexed.returncode == 0
    assert "search.limit" in indexed.stderr
    assert "This value is ignored." in indexed.stderr


def test_the_page_shows_what_counts_from_which_origin() -> None:
    assert trust_table() in PAGE.read_text("utf-8"), (
        "docs/security.md is not up to date: replace its table by "
        "settings_tables.trust_table()"
    )


def test_a_vault_file_named_by_the_user_is_the_users_own(tmp_path: Path) -> None:
    vault = tmp_path / "Notes"
    vault.mkdir()
    file = vault / "glassmind.toml"
    file.write_text("[server]\nport = 9\n")

    config = load_config(
        flags={"vault.path": vault}, env={"HOME": str(tmp_path)}, cwd=vault, file=file
    )

    assert config.server.port == 9
    assert config.warnings == ()


def drive(seed: int, count: int, root: Path) -> subprocess.Popen[str]:
    script = Path(__file__).parents[1] / "support" / "settings_program.py"
    command = [sys.executable, str(script), str(seed), str(count), str(root)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def check_driven(process: subprocess.Popen[str], limit_s: float) -> None:
    out, _ = process.communicate(timeout=limit_s)
    report = json.loads(out)
    assert report["violations"] == []
    assert report["failures"] == {}
    assert report["beside"] == ["home", "vault"]
    assert report["events"] > 10 * report["used"]
    assert report["answered"] > 0.8 * report["used"]


@pytest.mark.slow
def test_random_settings_open_no_socket_and_stray_nowhere(tmp_path: Path) -> None:
    check_driven(drive(0, 20, tmp_path / "root"), 280)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_10000_random_settings_open_no_socket_and_stray_nowhere(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1, 10**6)
    print("seeds", seed, seed + 1)  # noqa: T201 - to run a failure again

    running = [drive(seed + n, 5_000, tmp_path / str(n)) for n in range(2)]

    for process in running:
        check_driven(process, 3_500)
