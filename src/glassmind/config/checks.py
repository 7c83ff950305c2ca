"""What must hold between settings, whichever places they came from."""

from collections.abc import Iterator, Mapping
from typing import cast

from glassmind.config.hosts import host_of, is_loopback
from glassmind.config.layers import Choice, Layers
from glassmind.config.sections import KEYS
from glassmind.errors import BadSetting

CREDENTIALS = {
    "embeddings.api_key": ("embeddings.url",),
    "llm.api_key": ("llm.url", "embeddings.url"),
    "hindsight.token": ("hindsight.url",),
}
"""Each credential and the settings that say where it is sent; the first one set."""

CHUNK_SIZES = ("index.chunk_target_tokens", "index.chunk_overlap_tokens")
WEIGHTS = tuple(
    path for path in KEYS if path.startswith("search.") and path.endswith("_weight")
)


def drop_conflicting(layers: Layers, choices: dict[str, Choice]) -> None:
    """Drop values from the vault's own files that do not fit the other settings.

    Raises:
        BadSetting: the user's own settings do not fit each other.
    """
    try:
        check_together(choices)
    except BadSetting as error:
        paths = CHUNK_SIZES if error.key in CHUNK_SIZES else WEIGHTS
        by_vault = [path for path in paths if choices[path].source != "user"]
        if not by_vault:
            raise
        layers.warn(f"{error}. This value is ignored.")
        for path in by_vault:
            choices[path] = layers.strongest(KEYS[path], ("user",))
        check_together(choices)
    for sentence in _remote_without_consent(choices):
        layers.warn(sentence)


def withhold_credentials(layers: Layers, choices: dict[str, Choice]) -> None:
    """Drop each credential that would go to a URL set by somebody else.

    A key of the user is not sent where a vault's file says, even a trusted one, nor
    the other way round.
    """
    for path, urls in CREDENTIALS.items():
        key = choices[path]
        target = next((url for url in urls if choices[url].value), urls[-1])
        if key.value and key.source != choices[target].source:
            choices[path] = Choice("", None)
            layers.warn(
                f"{path} (from {key.origin}) is not used: {target} comes from "
                f"{choices[target].origin}. Set both in the same place."
            )


def check_together(choices: Mapping[str, Choice]) -> None:
    """Check settings that depend on each other.

    Raises:
        BadSetting: they do not fit.
    """
    _check_chunks(choices)
    _check_weights(choices)


def _check_chunks(choices: Mapping[str, Choice]) -> None:
    target = choices["index.chunk_target_tokens"]
    overlap = choices["index.chunk_overlap_tokens"]
    if cast("int", overlap.value) < cast("int", target.value):
        return
    # The stronger of the two was set last in the user's mind: blame that one.
    if overlap.rank >= target.rank:
        problem = f"must be below index.chunk_target_tokens ({target.value})"
        raise BadSetting("index.chunk_overlap_tokens", overlap.origin, problem)
    problem = f"must be above index.chunk_overlap_tokens ({overlap.value})"
    raise BadSetting("index.chunk_target_tokens", target.origin, problem)


def _check_weights(choices: Mapping[str, Choice]) -> None:
    if any(choices[path].value for path in WEIGHTS):
        return
    last = max(WEIGHTS, key=lambda path: choices[path].rank)
    problem = "leaves every weight of [search] at 0; at least one must be above"
    raise BadSetting(last, choices[last].origin, problem)


def _remote_without_consent(choices: Mapping[str, Choice]) -> Iterator[str]:
    url, allowed = choices["embeddings.url"], choices["embeddings.allow_remote"]
    # The default is known to be this machine: a plain start does not take urls apart.
    if url.entry is None or allowed.value or is_loopback(host_of(str(url.value))):
        return
    yield (
        f"embeddings.url (from {url.origin}) is not this machine; it is not used "
        "unless embeddings.allow_remote = true"
    )
