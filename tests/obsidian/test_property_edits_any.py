"""What holds for every change of a property, whatever the note."""

from hypothesis import given
from hypothesis import strategies as st

from glassmind.errors import BadEdit, NotEditable
from glassmind.model import NotePath, PropertyValue
from glassmind.model.edits import ChangeProperty
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.property_edits import changed_property
from glassmind.obsidian.yaml_text import is_same

NOTE = NotePath("Note.md")
NAMES = ("a", "b", "C", "due date", "tags", "größe", "new")

texts = st.one_of(
    st.sampled_from(
        ["x", "it's", "a: b", "# no", "yes", "12", "", " ", "- q", "[[N]]", "a\nb",
         "ü\u2028", "*x", "&y", "{", "]", "2026-01-02", "\t", "%", "---", "x #y"]
    ),
    st.text(max_size=8),
)  # fmt: skip
values: st.SearchStrategy[PropertyValue] = st.recursive(
    st.one_of(texts, st.integers(-99, 10**17), st.booleans(), st.none(), st.floats()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(texts, inner, max_size=3),
    ),
    max_leaves=5,
)
written = st.sampled_from(
    [
        "x", "'x y'", '"x"', "", " # why", "x # why", "[x, 'z', 1]", "[]", "[ ] # e",
        "[\n  x, # one\n  z,\n  ]", "\n- x\n- 'z' # two", "\n  # own\n  - x\n\n  - z",
        "\n    -   x\n    -   - y\n        - z",
        "|\n  one\n\n  two", ">-\n  one\n  two",
        "|+\n  one\n\n", "\n  k: 1\n  l: [x]", "{k: 1,\n  l: 2}", "one\n  two",
        "'one\n\n  two'", "&m x", "*m", "&l\n  - x", "&l [x]", "*l", "!!str 1",
        "[[N]]", "1", "true", "~", "2026-01-02", "\n  x", "\n  - |\n    t\n  - x",
        "\n  - k: 1\n    l: 2 # c\n  -\n  - x", '"a\\\n  b"', "[x: 1, {y: 2}]",
    ]
)  # fmt: skip
entries = st.lists(
    st.tuples(st.sampled_from([*NAMES[:-1], '"q"', "'s t'", "? k\n"]), written),
    max_size=5,
    unique_by=lambda entry: entry[0],
)
blocks = st.builds(
    lambda lines, end: "".join(f"{key}: {held}\n" for key, held in lines) + end,
    entries,
    st.sampled_from(["", "# foot\n", "\n", "  # deep\n\n", "...\n"]),
)
jsons = st.sampled_from(
    ['{"a": 1}', '{\n\t"a": [1, "x"],\n\t"b": "x"\n}', "{}", "{a: x, b: [x]}", "{a, b}",
     '{"tags": [\n "x"\n ], "a": {"k": []}}']
)  # fmt: skip
notes = st.builds(
    lambda block, body, crlf: (f"---\n{block}---\n{body}").replace(
        "\n", "\r\n" if crlf else "\n"
    ),
    st.one_of(blocks, jsons.map(lambda text: text + "\n"), st.text("ab:-[]{}#\n ")),
    st.sampled_from(["", "body\n", "---\n", "\n\nü"]),
    st.booleans(),
)
changes = st.builds(
    ChangeProperty,
    st.sampled_from(NAMES),
    st.sampled_from(["set", "unset", "add", "remove"]),
    values,
)


@given(st.one_of(notes, st.text(max_size=30)), changes)
def test_exactly_one_property_changes_and_it_to_what_was_asked(
    text: str, change: ChangeProperty
) -> None:
    before = read_head(text).frontmatter
    newline = "\r\n" if "\r\n" in text else "\n"
    try:
        splices = changed_property(NOTE, text, change, newline)
    except (BadEdit, NotEditable):
        return

    source = text.encode("utf-8", "surrogatepass")
    result, at = b"", 0
    for start, end, new in splices:
        assert at <= start <= end <= before.end
        result += source[at:start] + new
        at = end
    result += source[at:]
    after = read_head(result.decode()).frontmatter
    name = next((key for key in after.properties if key == change.name), None)
    name = name or next(
        (key for key in (*after.properties, *before.properties)
         if key.lower() == change.name.lower()), change.name,
    )  # fmt: skip
    others = {k: v for k, v in before.properties.items() if k != name}
    kept = {k: v for k, v in after.properties.items() if k != name}
    assert after.error is None
    assert is_same(kept, others)
    assert result[after.end :] == source[before.end :]
    match change.act:
        case "set":
            assert is_same(after.properties[name], change.value)
        case "unset":
            assert name not in after.properties
        case "add":
            held = after.properties[name]
            assert isinstance(held, list) or not splices
        case "remove":
            assert len(after.properties) == len(before.properties)
