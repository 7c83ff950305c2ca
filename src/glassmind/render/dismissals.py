"""What a dismissal, or taking one back, came to."""

from typing import Any

from glassmind.render.style import Style
from glassmind.types.pairs import Dismissed


def dismissed_as_json(done: Dismissed) -> dict[str, Any]:
    """Return the file and the line of it; `changed` is false where all was so."""
    return {"file": done.file, "line": done.line, "changed": done.changed}


def dismissed_as_text(done: Dismissed, style: Style, *, back: bool = False) -> str:
    """Return in one line what was written, or taken out; `back` for the latter."""
    said = f"{style.strong(done.file)}: {style.clean(done.line.strip())}"
    if not done.changed:
        so = "was not dismissed" if back else "was dismissed before"
        return f"nothing changed, it {so}: {style.clean(done.line.strip())}\n"
    return f"{'taken out of' if back else 'written to'} {said}\n"
