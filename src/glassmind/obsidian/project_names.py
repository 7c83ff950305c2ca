"""Reading what a person calls a project: `Atlas`, `folder:Work/Atlas`, `#atlas`."""

from glassmind.model.projects import ProjectName


def parse_project(text: str) -> ProjectName:
    """Return the project that a text names.

    `folder:` (or a `/` at the end), `tag:` (or `#`) and `property:key=value` name one
    form; everything else is a bare name. A link in brackets is its target.
    """
    said = text.strip()
    form, colon, rest = said.partition(":")
    rest = rest.strip()
    if colon and form.lower() == "folder":
        return ProjectName("folder", rest.strip("/"))
    if colon and form.lower() == "tag":
        return ProjectName("tag", rest.lstrip("#"))
    if colon and form.lower() == "property" and "=" in rest:
        key, _, value = rest.partition("=")
        return ProjectName("property", plain_name(value), key.strip())
    if said.startswith("#"):
        return ProjectName("tag", said[1:])
    if said.endswith("/"):
        return ProjectName("folder", said.strip("/"))
    return ProjectName("any", plain_name(said).strip("/"))


def projects_in(value: object) -> list[str]:
    """Return the projects that a property names: one, or those of a list.

    A number is a name as a text is. A truth value is none: it says that a note is a
    project, and not which.
    """
    many = value if isinstance(value, list) else [value]
    return values_in([one for one in many if not isinstance(one, bool)])


def values_in(value: object) -> list[str]:
    """Return what a property says, as a person writes it: one value, or a list of them.

    Of a link it is the target; an empty value says nothing.
    """
    many = value if isinstance(value, list) else [value]
    said = (_written(one) for one in many if isinstance(one, str | int | float))
    return [name for one in said if (name := plain_name(one))]


def _written(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def plain_name(text: str) -> str:
    """Return what a property names: the target of a link, else the text itself."""
    said = text.strip()
    if said.startswith("[[") and said.endswith("]]"):
        target = said[2:-2].partition("|")[0].partition("#")[0].strip()
        return target.rpartition("/")[2].removesuffix(".md")
    return said
