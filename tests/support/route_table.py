"""Every route of the server, with what it takes and returns."""

from typing import NamedTuple

from surface_arguments import Argument, arguments_in

import glassmind.serve.http.app  # noqa: F401 - registers all routes
from glassmind.operations import registry
from glassmind.operations.arguments import schema_of
from glassmind.serve.http import app as routes
from glassmind.serve.http.replies import MARKDOWN
from glassmind.serve.http.server import EVENTS


class Route(NamedTuple):
    """A route and its operation."""

    declared: registry.Route
    operation: registry.Operation

    @property
    def method(self) -> str:
        return self.declared.method

    @property
    def path(self) -> str:
        return self.declared.path

    @property
    def sets(self) -> tuple[str, ...]:
        return self.declared.sets

    @property
    def schema(self) -> str:
        """The name of the result in the description of the server."""
        return self.operation.result.__name__

    @property
    def arguments(self) -> tuple[Argument, ...]:
        kinds = [self.operation.arguments]
        kinds += [routes.CallerArguments] * self.operation.writes
        return tuple(
            argument
            for kind in kinds
            for argument in arguments_in(schema_of(kind, "http"))
        )

    @property
    def other_types(self) -> tuple[str, ...]:
        """The media types besides JSON."""
        files = [form.media_type for form in self.operation.files.values()]
        others = [MARKDOWN] * bool(self.operation.markdown)
        return (*files, *others, *[EVENTS] * bool(self.operation.events))


ROUTES = tuple(Route(*pair) for pair in routes.all_routes())
