"""Files of keys are left out by their names, told as such, and taken in on purpose."""

import pytest
from http_harness import serving
from vault_harness import VaultHarness

from glassmind.errors import FileUnreadable
from glassmind.files.ignore import KEY_FILE

KEYS = [
    ".env", ".env.local", "prod.env", "keys/server.pem", "keys/server.key", "id_rsa",
    "id_ed25519", "cert.p12", "cert.pfx", "safe.kdbx", "putty.ppk",
]  # fmt: skip
NOTES: dict[str, str | bytes] = {
    "A.md": "# A\n\nThe key is [[server.pem]], and ![[id_rsa]] and [[picture.png]].\n",
    "picture.png": b"\x89PNG",
    **{name: f"canary of {name}" for name in KEYS},
}


@pytest.fixture
def keys(vault: VaultHarness) -> VaultHarness:
    vault.indexed(NOTES)
    return vault


def test_files_of_keys_are_left_out_and_listed_with_the_reason(
    keys: VaultHarness,
) -> None:
    told = dict(keys.rows("select path, reason from skipped"))

    assert told == dict.fromkeys(KEYS, KEY_FILE)
    assert keys.engine.stats().skipped_by_reason == {KEY_FILE: len(KEYS)}
    assert keys.rows("select path from files order by 1") == [
        ("A.md",), ("picture.png",),
    ]  # fmt: skip
    assert keys.found("canary") == []


@pytest.mark.parametrize("name", ["keys/server.pem", "server.pem", "id_rsa", ".env"])
def test_a_file_of_keys_is_not_read_and_the_answer_says_why(
    keys: VaultHarness, name: str
) -> None:
    with pytest.raises(FileUnreadable, match=KEY_FILE):
        keys.engine.read(name)
    with serving(keys.engine) as web:
        answer = web.get(f"/notes/{name}")

    assert answer.status == 409
    assert KEY_FILE.encode() in answer.body
    assert b"canary" not in answer.body


def test_a_link_to_one_is_no_ghost(keys: VaultHarness) -> None:
    assert keys.engine.ghosts() == []
    ends = {one.target: one.path for one in keys.engine.links("A.md").outgoing}
    assert ends == {"server.pem": None, "id_rsa": None}


def test_one_is_taken_in_where_the_ignore_file_says_so(keys: VaultHarness) -> None:
    keys.write({".glassmindignore": "!keys/server.pem\n!*.key\n"})
    keys.index()

    left = [path for (path,) in keys.rows("select path from skipped")]
    assert sorted({*KEYS} - {*left}) == ["keys/server.key", "keys/server.pem"]
    assert keys.edges()["A.md", "server.pem"] == "keys/server.pem"
    assert keys.found("canary") == []  # known by name: it is no note

    keys.remove(".glassmindignore")
    keys.index()

    assert len(keys.rows("select path from skipped")) == len(KEYS)
