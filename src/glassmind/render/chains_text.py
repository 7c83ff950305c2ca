"""Ways between two notes as people read them."""

from collections.abc import Iterator

from glassmind.render.chains import reason_in_words
from glassmind.render.connections_text import arrow_of, tie_as_text
from glassmind.render.style import Style, counted
from glassmind.types.chains import Chain, Chains


def chains_as_text(found: Chains, style: Style) -> str:
    """Return each chain, a line for a note and the sentence that leads to the next."""
    return "".join(f"{line}\n" for line in _lines(found, style))


def _lines(found: Chains, style: Style) -> Iterator[str]:
    if found.reason is not None:
        ends = (
            f"{style.strong(found.source.path)} and {style.strong(found.target.path)}"
        )
        yield f"{ends}: {style.clean(reason_in_words(found.reason))}"
    for number, chain in enumerate(found.chains, 1):
        if number > 1:
            yield ""
        yield from _chain(number, chain, style)
    if found.common:
        yield ""
        yield f"linked with both: {counted(found.common_total, 'note')}"
        for near in found.common:
            yield f"  {style.strong(near.stop.path)}"
    if found.chains and found.cut:
        yield ""
        yield style.faint("there may be more chains than these")
    for notice in found.notices:
        yield style.faint(style.clean(notice))


def _chain(number: int, chain: Chain, style: Style) -> Iterator[str]:
    yield f"{number}. {counted(len(chain.steps), 'link')}"
    yield f"   {style.strong(chain.stops[0].path)}"
    for step, stop in zip(chain.steps, chain.stops[1:], strict=True):
        for tie in step.edges:
            yield f"      {tie_as_text(tie, style)}"
        ghost = style.faint("  (no such note yet)") if stop.ghost else ""
        yield f"   {arrow_of(step.directions)} {style.strong(stop.path)}{ghost}"
