"""Models as JSON and as people read them."""

from collections.abc import Iterator, Sequence
from typing import Any

from glassmind.render.style import Style, bytes_in_words
from glassmind.types.models import ModelCheck, ModelFetched, ModelState


def models_as_json(models: Sequence[ModelState]) -> dict[str, Any]:
    """Return every model and how it stands."""
    return {"models": [_named(model, "size_bytes") for model in models]}


def fetched_as_json(models: Sequence[ModelFetched]) -> dict[str, Any]:
    """Return what became of each model that was asked for."""
    return {
        "ok": not any(model.problem for model in models),
        "models": [_named(model) for model in models],
    }


def model_checks_as_json(checks: Sequence[ModelCheck]) -> dict[str, Any]:
    """Return how each model fares; `ok` means all of them well."""
    return {
        "ok": all(check.ok for check in checks),
        "models": [_named(check) for check in checks],
    }


def _named(value: ModelState | ModelFetched | ModelCheck, size: str = "") -> Any:
    return {
        "bytes" if name == size else name: given
        for name, given in value._asdict().items()
    }


def models_as_text(models: Sequence[ModelState], style: Style) -> str:
    """Return a line for each model, and one for what it is."""
    return "".join(f"{line}\n" for line in _model_lines(models, style))


def _model_lines(models: Sequence[ModelState], style: Style) -> Iterator[str]:
    wide = max((len(model.id) for model in models), default=0)
    for model in models:
        sign = "*" if model.chosen else " "
        name = style.strong(model.id) + " " * (wide - len(model.id))
        yield f"{sign} {name}  {model.state:<8} {_facts(model)}"
    yield style.faint("* is the one your settings mean.")


def _facts(model: ModelState) -> str:
    facts = [model.about]
    if model.presets:
        facts.append(f"preset {' or '.join(model.presets)}")
    if model.size_bytes:
        facts.append(bytes_in_words(model.size_bytes))
    return ", ".join([*facts, model.licence])


def fetched_as_text(model: ModelFetched, style: Style) -> str:
    """Return a line about a model that is here now."""
    how = "was here already" if model.already else f"came from {model.source}"
    return f"{style.strong(model.id)} {style.clean(how)}\n"


def model_checks_as_text(checks: Sequence[ModelCheck], style: Style) -> str:
    """Return a line for each model that was checked."""
    return "".join(
        f"{style.state('ok' if check.ok else 'fail')}  {style.strong(check.id)}: "
        f"{style.clean(check.finding)}\n"
        for check in checks
    )
