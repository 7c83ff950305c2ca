"""A note as far as its links go, for whoever reads many notes for nothing else.

Reading a note whole takes twice the time. What is read here is read by the same parser
in the same order; a test holds the two against each other.
"""

from glassmind.model import NotePath
from glassmind.model.notes import Note
from glassmind.obsidian.equations import block_equations, with_equations
from glassmind.obsidian.excalidraw import is_excalidraw
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.links import markdown_links, property_links, wikilinks
from glassmind.obsidian.positions import line_starts
from glassmind.obsidian.read import read_note
from glassmind.obsidian.structure import read_structure


def linked_note(path: NotePath, text: str) -> Note:
    """Return a file as a note with its properties, links and regions, no more.

    What is no Markdown is read as `read_note` reads it.
    """
    if text.startswith("\ufeff") or not path.lower().endswith(".md"):
        return read_note(path, text)
    if is_excalidraw(path, text):
        return read_note(path, text)
    try:
        source = text.encode()
    except UnicodeEncodeError:
        return read_note(path, text)
    starts = line_starts(source)
    head = read_head(text)
    body = head.frontmatter.end
    structure = read_structure("\n" * body + text[head.length :] if body else text)
    equations = block_equations(source, body, structure)
    structure.regions = with_equations(structure.regions, equations)
    found = [
        *wikilinks(source, body, structure, starts),
        *markdown_links(source, structure.references, starts),
    ]
    found.sort(key=lambda link: link.start)
    return Note(
        path=path,
        kind="markdown",
        title="",
        text=text,
        frontmatter=head.frontmatter,
        links=(*property_links(source, head.properties, starts), *found),
        regions=tuple(structure.regions),
    )
