"""A property of a note, set, unset, or one item of its list added or taken."""

from glassmind.edit.text.page import Page
from glassmind.model.editing import ChangeProperty, Splice
from glassmind.obsidian.property_edits import changed_property


def changed(page: Page, edit: ChangeProperty) -> list[Splice]:
    """Return the bytes of a page that a property changes; none where it is so.

    Raises:
        BadEdit: no property can have that name or value.
        NotEditable: the properties cannot be changed without changing more.
    """
    return changed_property(page.path, page.source.decode(), edit, page.newline)
