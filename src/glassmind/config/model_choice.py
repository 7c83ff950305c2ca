"""Which of two settings names the model, `embeddings.model` or `embeddings.preset`."""

from glassmind.config.layers import Choice


def settled_model(choices: dict[str, Choice]) -> None:
    """Let a preset from a stronger place take back a model from a weaker one.

    So EMBEDDING_MODEL beats EMBEDDING_PRESET, which beats what a file says of either.
    An untrusted vault's preset does not replace a model that the user chose.
    """
    model, preset = choices["embeddings.model"], choices["embeddings.preset"]
    if model.value and preset.rank > model.rank and preset.source != "vault":
        choices["embeddings.model"] = Choice("", preset.entry)
