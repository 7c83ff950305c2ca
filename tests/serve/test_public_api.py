"""What others build on, pinned: a change here is a change of the public API."""

import inspect

import pytest

import glassmind
from glassmind import Engine, open_vault
from glassmind.model.index import (
    Check,
    IndexReport,
    LinkEnd,
    NoteFacts,
    NoteLinks,
    NoteList,
    NoteText,
    Stats,
    Status,
    UnresolvedName,
)
from glassmind.model.search import (
    Adjustment,
    ChunkText,
    Evidence,
    Hit,
    Passage,
    SearchReply,
    Snippet,
)

VERBS = {
    "backup": "(file)",
    "chunks": "(name)",
    "close": "()",
    "doctor": "()",
    "ghosts": "(*, limit=100, named='')",
    "index": (
        "(*, verify=False, rebuild=False, compact=False, accept_deletions=False, "
        "embed=True, narrow=False, paths=(), reason='index', wait_s=None, "
        "progress=None)"
    ),
    "links": "(name, *, limit=100)",
    "list_notes": (
        "(*, folder='', tag='', property_name='', property_value=None, since=None, "
        "until=None, kind='', newest=False, limit=100, offset=0)"
    ),
    "recalls": "()",
    "read": "(name, *, heading='', lines=None, raw=False)",
    "restore": "(file, *, force=False)",
    "search": (
        "(text, *, limit=None, mode=None, intent='auto', root_note=None, hop_depth=2, "
        "threshold=0.0, min_similarity=None, fusion=None, channels=None, rerank=None, "
        "unique='notes', explain=False, fallback_intent=None, steady=False, "
        "project=None, facts=None, today=None)"
    ),
    "seen_by": "(scope)",
    "stats": "()",
    "status": "()",
    "tainted": "(client)",
    "warm": "()",
    "watch": "(stop, *, told=None)",
}

VALUES = {
    Adjustment: "name share reason",
    Check: "name state finding fix",
    ChunkText: "chunk_index kind heading_path heading lines tokens overlap digest text",
    Evidence: "channel rank share reason fields quoted",
    UnresolvedName: "target links incoming",
    Hit: (
        "path title heading_path lines chunk_index score snippet evidence digest "
        "mtime_ns relevance adjustments more similarity depth connected_via hops "
        "generated"
    ),
    IndexReport: (
        "added changed moved removed unchanged notes seconds skipped warnings rebuilt "
        "compacted embedded reused left held renamed"
    ),
    LinkEnd: "path title target property embed line context",
    NoteFacts: "path title kind size mtime_ns day tags aliases properties",
    NoteLinks: "note outgoing incoming outgoing_total incoming_total",
    NoteList: "notes total notices",
    NoteText: "path title text span digest heading_path notices generated",
    Passage: "heading_path heading lines chunk_index snippet digest",
    SearchReply: (
        "query hits degraded mode intent confidence channels reranked semantic_failure"
    ),
    Snippet: "text marks",
    Status: (
        "notes chunks words_behind model space coverage vectors_behind writing "
        "embedding sizes folder notices watch daemon pairs "
        "llm hindsight secrets former lacks_model"
    ),
    Stats: (
        "notes chunks tags links ghosts attachments tasks headings skipped "
        "skipped_by_reason index_bytes folder last_run troubled embedded embeddable "
        "space width embedded_notes empty_notes secrets"
    ),
}


def parameters_of(function: object) -> str:
    """Return a signature without its annotations and without `self`."""
    assert callable(function)
    found = inspect.signature(function)
    kept = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in found.parameters.items()
        if name != "self"
    ]
    return str(inspect.Signature(kept))


def test_the_package_exports_these_names_and_no_others() -> None:
    assert sorted(glassmind.__all__) == ["Engine", "__version__", "open_vault"]


@pytest.mark.parametrize("name", glassmind.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(glassmind, name) is not None


def test_a_name_that_is_not_exported_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        _ = glassmind.no_such_name


def test_the_engine_has_these_verbs_with_these_parameters() -> None:
    found = {
        name: parameters_of(function)
        for name, function in inspect.getmembers(Engine, inspect.isfunction)
        if not name.startswith("_")
    }

    assert found == VERBS


def test_every_verb_of_the_engine_says_what_it_promises() -> None:
    silent = [name for name in VERBS if not inspect.getdoc(getattr(Engine, name))]

    assert silent == []


def test_a_vault_is_opened_by_its_folder_its_settings_and_its_variables() -> None:
    assert parameters_of(open_vault) == "(vault=None, *, settings=None, env=None)"


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_a_value_has_these_fields_in_this_order(kind: type) -> None:
    assert " ".join(inspect.signature(kind).parameters) == VALUES[kind]
