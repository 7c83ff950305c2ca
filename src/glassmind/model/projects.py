"""What a person calls a project: a folder, a tag, or what a property says."""

from typing import Literal, NamedTuple, TypeAlias

ProjectForm: TypeAlias = Literal["any", "folder", "tag", "property"]


class ProjectName(NamedTuple):
    """A project as it was asked for.

    `form` is "any" for a bare name, which may be all three: a folder called so, a tag
    called so, or the value of the property `project`. For "property", `key` is the
    property and `name` its value.
    """

    form: ProjectForm
    name: str
    key: str = "project"


class ProjectNote(NamedTuple):
    """A note of a project; `why` says by which of the rules it belongs."""

    note_id: int
    path: str
    why: str
