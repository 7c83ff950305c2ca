"""What can go wrong with a model."""

from collections.abc import Sequence

from glassmind.errors.base import GlassmindError


class ModelFault(GlassmindError):
    """A model cannot be used; search goes on without it and says so."""


class UnknownModel(ModelFault):
    """No model is known by that name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"no model is called {name!r}; known are: {', '.join(known)}")
        self.name, self.known = name, tuple(known)


class ModelAbsent(ModelFault):
    """The files of a model are not on this machine."""

    def __init__(self, model: str, tried: str = "") -> None:
        fetch = f"run: glassmind models fetch {model}"
        then = f"it could not be fetched: {tried}" if tried else fetch
        super().__init__(f"the model {model} is not on this machine; {then}")
        self.model, self.tried = model, tried


class NoModelChosen(ModelFault):
    """The settings say that nothing is embedded."""

    def __init__(self) -> None:
        super().__init__(
            "no model is chosen (embeddings.backend is none); run: glassmind config "
            "set embeddings.backend onnx, then: glassmind index"
        )


class ModelDamaged(ModelFault):
    """A file of a model is not the one that its card names."""

    def __init__(self, model: str, file: str) -> None:
        super().__init__(
            f"{file} of the model {model} is not what it should be; run: "
            f"glassmind models fetch {model}"
        )
        self.model, self.file = model, file


class ModelFailed(ModelFault):
    """A model, or the server that runs it, gave no usable answer."""

    def __init__(self, model: str, reason: str) -> None:
        super().__init__(f"the model {model} gave no answer ({reason})")
        self.model, self.reason = model, reason


class OtherWidth(ModelFailed):
    """A model is another by now under the name of the one that made the vectors."""

    def __init__(self, model: str, *, found: int, known: int) -> None:
        then = "where that is right, run: glassmind index --rebuild"
        super().__init__(model, f"{found} numbers in place of {known}; {then}")
        self.found, self.known = found, known


class RemoteRefused(ModelFault):
    """A server is on another machine, and what it would be sent may not go there."""

    def __init__(
        self,
        host: str,
        setting: str = "embeddings.allow_remote",
        sent: str = "note text",
    ) -> None:
        super().__init__(
            f"{host} is not this machine, and {sent} would go there; set "
            f"{setting} = true in your own settings if you want that"
        )
        self.host, self.setting = host, setting
