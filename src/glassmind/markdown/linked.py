"""A note as far as its links go, for whoever reads many notes for nothing else.

Reading a note whole takes twice the time. What is read here is read by the same parser
in the same order; a test holds the two against each other.
"""

from glassmind.markdown.equations import block_equations, with_equations
from glassmind.markdown.excalidraw import is_excalidraw
from glassmind.markdown.frontmatter import read_head
from glassmind.markdown.links import markdown_links, property_links, wikilinks
from glassmind.markdown.positions import line_starts
from glassmind.markdown.read import read_note
from glassmind.markdown.structure import read_structure
from glassmind.types import NotePath
from glassmind.types.notes import Note


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
