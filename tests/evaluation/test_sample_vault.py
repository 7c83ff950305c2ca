"""The sample vault shows what docs/sample-vault.md says it shows."""

import json
import re
import unicodedata
import zlib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
VAULT = ROOT / "sample-vault"
GUIDE = ROOT / "docs" / "sample-vault.md"
QUESTIONS = ROOT / "tests" / "gold" / "sample-questions.jsonl"
ROW = re.compile(r"^\| (?P<feature>[^|]+) \| `(?P<path>[^`]+)` \|$", re.MULTILINE)

# What the text of the named file must hold for the claim to be true.
PROOF = {
    "text, number, checkbox, date and links in properties": (
        r"status: live\nowner: \"\[\[.*\]\]\"(?s:.*)started: 2025-02-10\n"
        r"subscribers: 312\nbudget: 4200\.50\npublic: true"
    ),
    "list of links in properties": r"related:\n  - \"\[\[.+?\]\]\"\n  - \"\[\[",
    "date and time property": r"^checked-at: 2026-03-12T10:40:00$",
    "nested map": r"^boat:\n  name: Wagtail\n",
    "empty value": r"^last_level_m:$",
    "aliases": r"^aliases:\n  - ",
    "property names in another script": r"^用时: ",
    "invalid YAML: an unquoted colon": r"^title: The Patient River: a year",
    "duplicate keys": r"^oven: 220$(?s:.*)^oven: 225$",
    "template placeholder that is no YAML": r"^date: \{\{date\}\}$",
    "only frontmatter": r"\A---\n(?:[^-\n].*\n|  - .*\n)+---\n\Z",
    "private note": r"^private: true$",
    "property types of the vault": r'"checked-at": "datetime"',
    "map of content": r"- moc\n(?s:.*)\[\[Projects/Index\|All projects\]\]",
    "display text": r"\[\[Areas/Index\|Areas\]\]",
    "heading link": r"\[\[Station handbook#Alarm heights\]\]",
    "nested heading link": r"\[\[Heron network#Things that went wrong#Spiders\]\]",
    "link within the note": r"\[\[#Before you go\]\]",
    "block id": r" \^three-in-a-row$",
    "link to a block": r"\[\[Millbrook weir#\^gates\]\]",
    "embed of a note": r"!\[\[2026-03-17\]\]",
    "embed of a heading": r"!\[\[D-004 Own radio network#Decision\]\]",
    "embed of a block": r"!\[\[Flood alert service#\^three-in-a-row\]\]",
    "image with a size": r"!\[\[Attachments/millbrook-gauge\.png\|120x80\]\]",
    "page of a PDF": r"!\[\[harbour-plan\.pdf#page=2\]\]",
    "view of a base": r"!\[\[Stations\.base#Online\]\]",
    "Markdown link with %20": r"\]\(\.\./Projects/Wagtail%20restoration\.md#",
    "Markdown link in angle brackets": r"\]\(<\.\./Projects/Heron network\.md>\)",
    "relative wikilink": r"\[\[\.\./People/Edda Thorsby\|",
    "external link": r"\]\(https://",
    "same name in two folders, first": r"^# Projects$",
    "same name in two folders, second": r"\[\[Index\]\]",
    "unresolved links": r"\[\[Launch day plan\]\]",
    "wikilink in a table cell": r"^\| \[\[Heron network\\\|Heron\]\] \|",
    "link and tag in a comment": r"^%% .*\[\[.+\]\] #todo/tidy %%$",
    "nested tag": r"^#bread/sourdough$",
    "tag in another script": r"#日本語/日記",
    "inline tags": r"^#storm #lesson$",
    "tasks with custom statuses": r"\[/\](?s:.*)\[!\](?s:.*)\[>\](?s:.*)\[-\]",
    "task dates by emoji": r"📅 2026-04-30 ⏳ 2026-04-13",
    "task with inline fields": r"- \[ \] .*\[due:: .*\] \[with:: \[\[.*\]\]\]",
    "nested tasks": r"^- \[/\] .*\n    - \[x\] .*\n    - \[ \] .*\n        - \[ \]",
    "inline field on its own line": r"^site-visits:: 9$",
    "inline fields in brackets and parentheses": r"\[draught:: .*\] and \(berth:: ",
    "foldable and nested callouts": r"^> \[!tip\]\+ (?s:.*)^> > \[!note\]- ",
    "custom callout": r"^> \[!boatyard\] ",
    "question callouts": r"^> \[!question\] (?s:.*)^> \[!question\]- ",
    "decision callout": r"^> \[!decision\] ",
    "footnote and inline footnote": r"\^\[.+\](?s:.*)^\[\^lie\]: .*\n  ",
    "inline and block math": r"^\$\$\n(?s:.*)\n\$\$\n(?s:.*) \$0\.8 .*\$ ",
    "highlight": r"==.+==",
    "strikethrough": r"~~.+~~",
    "table": r"^\| --- \| ---: \| ---: \|$",
    "code fences within a fence": r"^~~~~markdown\n(?s:.*)^```python\n(?s:.*)^~~~~$",
    "dataview block and inline query": r"^```dataview\nTABLE (?s:.*)^`= ",
    "dataview task query": r"^```dataview\nTASK\n",
    "query block": r"^```query\n",
    "base block": r"^```base\n",
    "HTML block": r"^<div class=",
    "setext headings and thematic break": r"^=+$(?s:.*)^-{5,}$(?s:.*)^\*\*\*$",
    "superseded decision": r"superseded-by: \"\[\[D-004 Own radio network\]\]\"",
    "its successor": r"supersedes: \"\[\[D-001 Cellular modems\]\]\"",
    "second superseded decision": r"superseded-by: \"\[\[D-005 Postgres for ",
    "its successor too": r"supersedes: \"\[\[D-003 One SQLite file\]\]\"",
    "planted conflict: Millbrook alarm at 2.40 m": r"Flood alarm: 2\.40 m",
    "planted conflict: Millbrook alarm at 2.15 m": r"flood alarm is set at 2\.15 m",
    "the conflict as an open question": r"\[!question\] Which flood alarm height",
    "person with role, company and last contact": (
        r"^role: .+\ncompany: .+\n(?s:.*)^last-contact: \d{4}-\d\d-\d\d$"
    ),
    "meeting with people and project": r"^attendees: .*\nproject: ",
    "daily note": r"tags: \[daily",
    "long note": r"(?:\S+\s+){1500}",
    "second long note": r"(?:\S+\s+){1500}",
    "memory": r"^type: memory$",
    "second memory": r"^type: memory$",
    "decision kept by an agent": r"^type: decision$",
    "Japanese": r"[ぁ-ん]{2}",
    "Chinese": r"[一-鿿]{4}",
    "Korean": r"[가-힣]{2}",
    "German": r"Verlängerung",
    "French": r"d'œuf",
    "Spanish": r"lección",
    "Russian": r"[\u0430-\u044f]{4}",
    "Arabic": r"[ء-ي]{3}",
    "emoji in the name": r"\S",
    "accent in the name": r"\S",
    "empty note": r"\A\Z",
    "CRLF line endings": r"\r\n",
    "byte order mark": "\\A\ufeff---\n",
    "Excalidraw drawing": r"^# Text Elements$(?s:.*)^%%\n# Drawing\n```json\n",
    "canvas": r'"type": "group"(?s:.*)"label": "19 bytes by radio"',
    "base with two views": r"^formulas:(?s:.*)name: Online(?s:.*)sort:(?s:.*)name: ",
    "template": r"\{\{date:",
    "settings with an excluded folder": r'"Archive/Old exports/"',
    "note in the excluded folder": r"\S",
    "settings of daily notes": r'"format": "YYYY-MM-DD"',
    "ignore file": r"^Drafts/$",
    "ignored note": r"\S",
}
BINARY = {"image", "PDF"}


def _claims() -> list[tuple[str, str]]:
    return ROW.findall(GUIDE.read_text(encoding="utf-8"))


def _text(path: str) -> str:
    return (VAULT / path).read_bytes().decode("utf-8")


def _notes() -> list[Path]:
    found = (p.relative_to(VAULT) for p in VAULT.rglob("*.md"))
    return sorted(p for p in found if not p.parts[0].startswith("."))


def _questions() -> list[dict[str, Any]]:
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_every_claim_of_the_guide_has_a_proof_and_every_proof_a_claim() -> None:
    claimed = [feature for feature, _ in _claims()]
    assert len(claimed) == len(set(claimed))
    assert set(claimed) == PROOF.keys() | BINARY


@pytest.mark.parametrize(("feature", "path"), _claims())
def test_the_note_named_by_the_guide_shows_the_feature(feature: str, path: str) -> None:
    assert (VAULT / path).is_file()
    if feature not in BINARY:
        assert re.search(PROOF[feature], _text(path), re.MULTILINE)


def test_the_vault_has_the_size_of_a_real_one() -> None:
    assert 55 <= len(_notes()) <= 75
    daily = [n for n in _notes() if n.parts[0] == "Daily"]
    assert len(daily) == 14
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", n.stem) for n in daily)


def test_every_name_is_in_composed_form() -> None:
    for path in VAULT.rglob("*"):
        name = path.relative_to(VAULT).as_posix()
        assert unicodedata.is_normalized("NFC", name)


def test_only_one_note_starts_with_a_byte_order_mark() -> None:
    marked = [n for n in _notes() if _text(str(n)).startswith("\ufeff")]
    assert marked == [Path("Inbox/Letter from the harbour office.md")]


def test_only_one_note_has_windows_line_endings_and_has_no_others() -> None:
    windows = [n for n in _notes() if "\r" in _text(str(n))]
    assert windows == [Path("Meetings/2024-12-05 Storm review.md")]
    raw = (VAULT / windows[0]).read_bytes()
    assert raw.count(b"\r\n") == raw.count(b"\n") == raw.count(b"\r") == 39


def test_git_is_told_to_leave_the_bytes_alone() -> None:
    rules = (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    assert "sample-vault/** -text" in rules


def test_the_image_is_small_and_whole() -> None:
    raw = (VAULT / "Attachments/millbrook-gauge.png").read_bytes()
    assert len(raw) < 3000
    assert raw.startswith(b"\x89PNG\r\n\x1a\n")
    at, kinds, pixels = 8, [], b""
    while at < len(raw):
        size = int.from_bytes(raw[at : at + 4], "big")
        kind, data = raw[at + 4 : at + 8], raw[at + 8 : at + 8 + size]
        check = int.from_bytes(raw[at + 8 + size : at + 12 + size], "big")
        assert zlib.crc32(kind + data) == check
        kinds.append(kind)
        pixels += data if kind == b"IDAT" else b""
        at += 12 + size
    assert kinds == [b"IHDR", b"IDAT", b"IEND"]
    assert len(zlib.decompress(pixels)) == 64 * (1 + 96 * 3)


def test_the_pdf_is_small_and_its_table_points_at_its_objects() -> None:
    raw = (VAULT / "Attachments/harbour-plan.pdf").read_bytes()
    assert len(raw) < 3000
    assert raw.startswith(b"%PDF-1.4\n")
    assert raw.endswith(b"%%EOF\n")
    offsets = re.findall(rb"^(\d{10}) 00000 n $", raw, re.MULTILINE)
    assert len(offsets) == 7
    for number, offset in enumerate(offsets, start=1):
        assert raw[int(offset) :].startswith(b"%d 0 obj\n" % number)
    start = int(raw.split(b"startxref\n")[1].split(b"\n")[0])
    assert raw[start:].startswith(b"xref\n")


def test_the_canvas_the_base_and_the_settings_can_be_read() -> None:
    board = json.loads(_text("Projects/Heron overview.canvas"))
    ids = {node["id"] for node in board["nodes"]}
    assert {n["type"] for n in board["nodes"]} == {"text", "file", "link", "group"}
    assert all(e["fromNode"] in ids and e["toNode"] in ids for e in board["edges"])
    files = [node["file"] for node in board["nodes"] if node["type"] == "file"]
    assert all((VAULT / name).is_file() for name in files)
    assert len(yaml.safe_load(_text("Projects/Stations.base"))["views"]) == 2
    for path in (VAULT / ".obsidian").glob("*.json"):
        assert json.loads(path.read_text(encoding="utf-8"))


def test_only_the_broken_notes_have_frontmatter_that_cannot_be_read() -> None:
    broken = []
    for note in _notes():
        found = re.match(
            r"\ufeff?---\r?\n(.*?)^---\s*$", _text(str(note)), re.DOTALL | re.MULTILINE
        )
        try:
            yaml.safe_load(found[1] if found else "")
        except yaml.YAMLError:
            broken.append(note.name)
    assert broken == ["The Patient River.md", "Decision.md"]


def test_thirty_questions_have_a_note_that_answers_them_and_ten_have_none() -> None:
    questions = _questions()
    answerable = [q for q in questions if q["path"] is not None]
    assert len(answerable) == 30
    assert len(questions) == 40
    for question in answerable:
        assert (VAULT / question["path"]).is_file()
        assert question["answer"]
        assert not question["path"].startswith(("Drafts/", "Archive/", "."))
    assert all(q["answer"] is None for q in questions if q["path"] is None)
