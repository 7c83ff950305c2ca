"""What a request asks for, read from its body, its query or its path.

The same table as that of a tool, read more strictly: a program that speaks HTTP can
write a number as a number.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from glassmind.errors.serving import BadArgument
from glassmind.markdown.style import is_text
from glassmind.retrieval.wishes import SAYS
from glassmind.serve.http.errors import Refusal, Refused
from glassmind.serve.http.limits import DEEPEST, TOO_DEEP
from glassmind.serve.mcp.tool import (
    LONGEST_TEXT,
    REQUIRED,
    Argument,
    Kind,
    read_arguments,
    schema_of,
)

BAD_JSON = Refusal(
    400,
    "bad_json",
    "the body is not a JSON object in UTF-8",
    "send an object of arguments; see /openapi.json for what it takes",
)
BAD_QUERY = Refusal(
    400,
    "bad_query",
    "the query cannot be read",
    "encode it as UTF-8 and percent-encode each byte",
)

LONGEST_NAME = 1_000
"""Letters in a url; no disk has names of more, nor paths of many more."""


_OTHER = object()
"""Replaces a value of another kind; every reader refuses it."""

_NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,30})?([eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,15}", re.ASCII)

_KINDS: Mapping[Kind, tuple[type, ...]] = {
    "string": (str,),
    "text": (str,),
    "label": (str, int),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "strings": (list,),
    "object": (dict,),
    "objects": (list,),
    "value": (object,),
}


def from_body(
    owner: str,
    arguments: Sequence[Argument],
    body: bytes,
    path: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the arguments in a JSON object, and in the path that it is sent to.

    Raises:
        Refused: the body is none.
        BadArgument: one of them cannot be taken.
    """
    given = decoded_body(owner, body)
    for one in arguments:
        value = given.get(one.name)
        wanted = _KINDS[one.kind]
        numeric = isinstance(value, bool) and bool not in wanted
        if value is not None and (numeric or not isinstance(value, wanted)):
            given[one.name] = _OTHER  # text would be read more kindly
    for name in path or {}:
        if name in given:
            raise BadArgument(owner, f"{name!r} is in the path already")
    return _checked(owner, arguments, {**given, **(path or {})})


def decoded_body(owner: str, body: bytes) -> dict[str, Any]:
    """Return the JSON object in a body.

    Raises:
        Refused: there is none.
        BadArgument: it has a key twice.
    """
    try:
        given = json.loads(
            body.decode("utf-8"),
            parse_constant=_no_number,
            object_pairs_hook=partial(_once, owner),
        )
    except (ValueError, RecursionError):
        raise Refused(BAD_JSON) from None
    if not isinstance(given, dict):
        raise Refused(BAD_JSON)
    if _is_deeper(given, DEEPEST):
        raise Refused(TOO_DEEP)
    return given


def _is_deeper(value: object, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    items = value.values() if isinstance(value, dict) else value
    return not levels or any(_is_deeper(item, levels - 1) for item in items)


def decoded_query(owner: str, query: bytes, lists: Collection[str]) -> dict[str, Any]:
    """Return the texts in a query; names in `lists` may repeat.

    Raises:
        Refused: the query cannot be read.
        BadArgument: a name that is not a list is given twice.
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict"
        )
    except ValueError:
        raise Refused(BAD_QUERY) from None
    given: dict[str, Any] = {}
    for name, text in pairs:
        if name in lists:
            given.setdefault(name, []).append(text)
        elif name in given:
            raise BadArgument(owner, f"{name[:50]!r} is given twice")
        else:
            given[name] = text
    return given


def from_query(
    owner: str,
    arguments: Sequence[Argument],
    query: bytes,
    path: Mapping[str, str],
) -> dict[str, Any]:
    """Return the arguments in a query and in the path before it.

    Raises:
        Refused: the query cannot be read.
        BadArgument: an argument is unknown, invalid, or given twice without being a
            list.
    """
    kinds = {one.name: one.kind for one in arguments}
    lists = {name for name, kind in kinds.items() if kind == "strings"}
    given = decoded_query(owner, query, lists)
    for name in given.keys() & path.keys():
        raise BadArgument(owner, f"{name[:50]!r} is given twice")
    typed = {
        name: value if name in lists else _typed(kinds.get(name, "string"), value)
        for name, value in given.items()
    }
    return _checked(owner, arguments, {**typed, **path})


def _typed(kind: Kind, text: str) -> object:
    """Return a text as the kind it is written for; what does not fit stays text."""
    if kind == "integer" and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "number" and _NUMBER.fullmatch(text):
        return float(text)
    if kind in {"integer", "number"}:
        return [text]  # which is refused: text would be read more kindly
    return text


def _checked(
    owner: str, arguments: Sequence[Argument], given: Mapping[str, object]
) -> dict[str, Any]:
    for name, value in given.items():
        texts = value if isinstance(value, list) else [value]
        for text in (name, *texts):
            if isinstance(text, str) and not is_text(text):
                raise BadArgument(owner, "a text holds half a character")
    return read_arguments(owner, arguments, given, strict=True)


def _once(owner: str, pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Return the fields of an object, each of which may stand there once.

    Raises:
        BadArgument: a key is given twice; JSON readers differ in which one counts.
    """
    made = dict(pairs)
    if len(made) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise BadArgument(owner, f"{twice[:50]!r} is given twice")
    return made


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def body_schema(arguments: Sequence[Argument]) -> dict[str, Any]:
    """Return the JSON schema of a body; what may be left out may be null too."""
    schema = schema_of(arguments)
    for one in arguments:
        made = schema["properties"][one.name] = _bounded(one, schema)
        if one.default is not REQUIRED:
            made["type"] = [made["type"], "null"]
            if "enum" in made:
                made["enum"] = [*made["enum"], None]
    return schema


def query_schema(one: Argument) -> dict[str, Any]:
    """Return the JSON schema of one argument in a query or a path."""
    return _bounded(one, schema_of([one]))


LINES = r"^[0-9]{1,9}(-([0-9]{1,9})?)?$"
"""How a range of lines is written: `12-34`, one line, or `12-` up to the end."""


def _bounded(one: Argument, schema: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = dict(schema["properties"][one.name])
    made.pop("description", None)
    if one.kind == "string" and not one.choices:
        made["maxLength"] = int(one.most or LONGEST_TEXT)
    if one.kind in {"strings", "objects"} and one.most is not None:
        made["maxItems"] = int(one.most)
    patterns = {"lines": LINES, "about": SAYS}
    if one.default is REQUIRED:  # one that may be left out may say nothing, too
        patterns |= {"query": SAYS}
    if one.name in patterns:
        made["pattern"] = patterns[one.name]
    return made
