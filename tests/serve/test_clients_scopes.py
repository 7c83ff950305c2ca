"""Rules of a scope: written by a person, understood or refused, never guessed."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.access.scopes import (
    read_rule,
    read_scope,
    rule_as_text,
    scope_as_texts,
    scope_in_words,
)
from glassmind.errors import BadScope
from glassmind.model.access import EVERY_AGENT, ReadRule, Scope


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("folder:Projects", ReadRule("folder", "Projects")),
        ("folder:/Projects/Heron/", ReadRule("folder", "Projects/Heron")),
        ("folder:a: b", ReadRule("folder", "a: b")),
        ("Folder: Projects", ReadRule("folder", "Projects")),
        ("Projects/", ReadRule("folder", "Projects")),
        ("-Journal/2024", ReadRule("folder", "Journal/2024", excluded=True)),
        ("-folder:Journal", ReadRule("folder", "Journal", excluded=True)),
        ("folder:-old", ReadRule("folder", "-old")),
        ("tag:work", ReadRule("tag", "work")),
        ("tag:#work/heron", ReadRule("tag", "work/heron")),
        ("#work", ReadRule("tag", "work")),
        ("-#diary", ReadRule("tag", "diary", excluded=True)),
        ("property:shared", ReadRule("property", "shared")),
        ("property:status=public", ReadRule("property", "status", "public")),
        ("property:a b = c = d", ReadRule("property", "a b", "c = d")),
        ("-property:draft=true", ReadRule("property", "draft", "true", excluded=True)),
        ("toolset:Core", "core"),
    ],
)
def test_a_rule_is_read_as_it_is_written(text: str, rule: object) -> None:
    assert read_rule(text) == rule


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("-", "empty"),
        ("Projects", "a folder, a tag or a property?"),
        ("foldr:Projects", "did you mean folder:?"),
        ("-tags:diary/", "did you mean tag:?"),
        ("path:Projects/", "there is no 'path'"),
        ("folder:", "names no folder"),
        ("/", "names no folder"),
        ("-folder:/", "names no folder"),
        ("folder:Projects/../Journal", "as it stands"),
        ("folder:a//b", "as it stands"),
        ("tag:two words", "one word"),
        ("#", "one word"),
        ("property:=x", "name=value"),
        ("property:status:public", "name=value"),
        ("property:status=", "no value"),
        ("-toolset:write", "may be used instead"),
        ("toolset:", "no set of tools"),
        ("folder:Jour\nnal", "one line"),
        ("folder:" + "x" * 500, "too long"),
    ],
)
def test_what_is_no_rule_is_refused_with_what_would_be_one(
    text: str, said: str
) -> None:
    with pytest.raises(BadScope, match="is not a rule") as refused:
        read_rule(text)

    assert said in str(refused.value)
    assert "folder:Projects" in str(refused.value)


KIND = st.sampled_from(["folder:", "tag:", "property:", "toolset:", "#", "", "F: "])


@given(
    st.tuples(st.sampled_from(["", "-"]), KIND, st.text(min_size=1)).map("".join)
    | st.from_regex(r"-?[a-z ]{1,6}[/=#:]{0,2}[a-z ]{1,6}/?", fullmatch=True)
)
def test_what_was_understood_is_printed_so_that_it_means_the_same(text: str) -> None:
    try:
        scope = read_scope([text])
    except BadScope:
        return

    assert read_scope(scope_as_texts(scope)) == scope


NAMES = st.text(st.characters(categories=("L", "N")), min_size=1, max_size=60).map(
    lambda name: normalize("NFC", name)
)
RULES = st.builds(
    ReadRule, st.sampled_from(["folder", "tag"]), NAMES, st.none(), st.booleans()
) | st.builds(ReadRule, st.just("property"), NAMES, st.none() | NAMES, st.booleans())


@given(RULES)
def test_every_rule_can_be_written(rule: ReadRule) -> None:
    assert read_rule(rule_as_text(rule)) == rule


def test_a_scope_has_each_rule_once_and_the_sets_of_tools_by_themselves() -> None:
    texts = ["folder:A", "toolset:core", "#b", "folder:A/", "toolset:core"]

    scope = read_scope(texts, ["graph"])

    rules = (ReadRule("folder", "A"), ReadRule("tag", "b"))
    assert scope == Scope(rules, ("core", "graph"))
    assert scope_as_texts(scope) == [
        "folder:A",
        "tag:b",
        "toolset:core",
        "toolset:graph",
    ]
    assert read_scope([]) == EVERY_AGENT


@pytest.mark.parametrize(
    ("rules", "toolsets", "words"),
    [
        ([], [], "everything, but nothing private"),
        (["-#diary"], [], "everything, never tag:diary, but nothing private"),
        (
            ["folder:P", "#work", "-#me"],
            ["core"],
            "folder:P or tag:work, never tag:me, but nothing private; tools of core",
        ),
    ],
)
def test_a_scope_is_described_in_words(
    rules: list[str], toolsets: list[str], words: str
) -> None:
    assert scope_in_words(read_scope(rules, toolsets)) == words


def test_a_rule_may_have_500_characters_and_no_more() -> None:
    longest = "folder:" + "x" * 493

    assert rule_as_text(read_scope([longest]).rules[0]) == longest
    with pytest.raises(BadScope):
        read_scope([longest + "x"])
